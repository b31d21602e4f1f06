"""The loop: recall, prompt, stream, store; learning comes after, seen through `subscribe`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from bot.agent import turns
from bot.agent.background import BackgroundWork
from bot.agent.context import PromptMaterial
from bot.agent.queries import AgentQueries
from bot.agent.recall import (
    choose_mode,
    find_later,
    mask_opened_secrets,
    recall_for_turn,
    remove_opened_secrets,
)
from bot.agent.streaming import Running, describe_failure, stream_reply
from bot.agent.tools import MemoryTools
from bot.commands.handlers import COMMANDS, Commands
from bot.commands.orders import OrderOutcome, Orders
from bot.commands.questions import (
    TodoQuestion,
    accept_look_back,
    ask_proposal,
    ask_todo,
    ask_zone,
    find_zone,
    offer_look_back,
)
from bot.events import (
    Choice,
    Command,
    CommandOutcome,
    CommandSpec,
    Delta,
    Done,
    Event,
    Failed,
    Recalled,
    Started,
    Stopped,
    Turn,
    WindowMode,
    answer,
)
from bot.reports import describe_error
from bot.sessions import HISTORY_SHARE
from bot.texts import LANGS, say
from memory.api import (
    DayView,
    clean_input,
    describe_learning,
    find_dead,
    find_intents,
    find_key_place,
    follows_quiet_message,
    is_document,
    says_not_secret,
    strip_pictures,
    write_pictures,
)
from memory.errors import ModelError, StoreError
from memory.models import Document, Json, Lang, Memory, Message, Recall, Role, detect_language
from memory.ports import Clock, Transaction

log = logging.getLogger(__name__)
BUSY_PATIENCE = 180.0  # seconds a turn waits for the one before it
BUSY_POLL = 0.05


@dataclass
class EbbAgent(AgentQueries):
    """All that a front end may use, over one store, one memory and one chat model."""

    background: BackgroundWork
    clock: Clock

    def __post_init__(self) -> None:
        self._running: dict[str, Running] = {}
        self._off_record: dict[str, list[Message]] = {}  # what was said, by window: here alone
        self._commands = Commands(
            self.settings,
            self.store,
            self.memory,
            self.background.kick,
            lambda origin: self._off_record.pop(origin, None),
        )

    # --- the loop ---

    async def reply(self, turn: Turn) -> AsyncGenerator[Event, None]:
        """Answer one message; the last event is Done, Stopped or Failed. Never raises."""
        turn = replace(turn, text=clean_input(turn.text))
        lang = self.settings.lang or detect_language(turn.text, "")
        if not turn.text.strip() and not turn.attachments:
            yield Failed("empty", say(lang or "en", "empty"))
            return
        running = Running()
        on_record = turn.mode is WindowMode.NORMAL
        try:
            # A message without letters, such as "1" or "?", is answered in the language before it.
            lang = lang or await self.detect_language(turn.user_id)
            turn = replace(turn, tz=await self._find_zone(turn), here=turn.tz)
            respond = self._answer if on_record else self._answer_off_record
            async with aclosing(respond(turn, running, lang)) as events:
                async for event in events:
                    yield event
        except StoreError as e:
            log.warning("turn %s: %s", turn.id, e)
            yield Failed("store", say(lang or "en", "store", why=str(e)))
        except Exception:
            # The boundary to the front ends: whatever is wrong becomes one sentence.
            log.exception("turn %s failed", turn.id)
            yield Failed("internal", say(lang or "en", "internal"))
        finally:
            self._running.pop(turn.id, None)

    async def _answer(
        self, turn: Turn, running: Running, lang: Lang
    ) -> AsyncGenerator[Event, None]:
        """Open the turn, obey, recall, stream, store; an opened turn is finished exactly once."""
        opened = await self._open(turn, lang)
        if not isinstance(opened, turns.OpenedTurn):
            for event in _replay(opened, lang):
                yield event
            return
        self._running[turn.id] = running
        lease = asyncio.create_task(self._hold(turn, running), name=f"lease-{turn.id}")
        tools, sealed = (
            self._offer_tools(turn, lang, opened),
            opened.message.text != _write_stored(turn, lang),
        )
        ending, failure, finished = turns.TurnEnding(tools.hits if tools else ()), None, False
        head = kept = ""
        try:
            yield Started(turn.id, opened.session.id, opened.off)
            opened = await self._read_hard_day(turn, opened)
            order = await self._carry_out(turn, opened.message, lang)
            turn = replace(turn, review=turn.review or order.review)
            said = order.spoken or CommandOutcome(True, "")
            head, kept = await self._begin_reply(turn, opened, order, lang)
            if head:
                yield Delta(head, literal=True)
            # A picture alone is looked at.
            ending.learn = asks = bool(order.rest) or not turn.text
            if asks:
                opened, material, recall = await self._recall(turn, opened, order, lang)
                ending.recall, ending.model = recall, self.model.name
                yield Recalled(mask_opened_secrets(recall.hits), recall.late)
                try:
                    async with aclosing(
                        stream_reply(running, self.model, material, tools)
                    ) as pieces:
                        async for piece in pieces:
                            yield piece
                except ModelError as e:
                    failure = e
            question, asked, note_asked = (
                await self._ask_below(turn, opened, lang, tools)
                if order.rest and failure is None and not running.stop.is_set()
                else TodoQuestion()
            )
            if question:
                running.text, ending.asked = running.text + question, note_asked
                yield Delta(question, literal=True)
            _end(ending, running, failure)
            reply, finished = await self._finish(turn, opened, ending, running, kept), True
            if failure is None and (
                note := await self._describe_seal(turn, lang, taken=sealed and not order.note)
            ):
                running.text += note
                yield Delta(note)
            reply_id, text = reply.id if reply else "", head + running.text
            if failure is not None:
                yield describe_failure(failure, self.model, text, lang, again=True)
            elif ending.state == "stopped":
                yield Stopped(reply_id, text)
            else:
                choices = (
                    said.choices or asked or await self._ask_back(turn, opened, ending.recall, lang)
                )
                yield Done(reply_id, text, running.usage, choices, not asks)
        finally:
            lease.cancel()
            if not finished:
                # The window went away, or something broke: what was said and streamed stays.
                await asyncio.shield(self._finish(turn, opened, ending, running, kept))

    async def _answer_off_record(
        self, turn: Turn, running: Running, lang: Lang
    ) -> AsyncGenerator[Event, None]:
        """Answer in a temporary or read-only window: nothing of it is written anywhere."""
        self._running[turn.id] = running
        said = self._off_record.setdefault(turn.origin, [])
        yield Started(turn.id, "")
        if asked := {i.kind for i in find_intents(turn.text)} - {"off", "on"}:
            text = say(lang, "temp.no_remember" if asked == {"remember"} else "temp.no_change")
            yield Delta(text)
            yield Done("", text)
            return
        recall, profile, day = Recall((), ()), list[Memory](), DayView()
        private = turn.mode is WindowMode.PRIVATE
        if private:
            day = await self.memory.get_day(turn.user_id, turn.at, turn.tz)
            recall, profile = await recall_for_turn(
                self.memory,
                self.store,
                turn,
                turn.text,
                [m.text for m in said[-3:]],
                None,
                local_only=True,
                whole=self.choice.offline,
            )
            yield Recalled(mask_opened_secrets(recall.hits))
        passages = await self.memory.recall_passages(
            turn.user_id,
            turn.scope if private else "",
            turn.text,
            [m.text for m in said],
            unstored=[Document(0, "", m.role, m.at, m.text) for m in said if is_document(m.text)],
            local_only=True,
        )
        stored = _write_stored(turn, lang)
        material = replace(
            self._make_material(turn, stored, lang),
            hits=recall.hits,
            passages=passages,
            profile=profile,
            day=day,
            where=turn.mode.value,
            history=tuple(said),
            hard=await self.memory.read_hard_day(turn.text, local_only=True),
        )
        try:
            tools = self._offer_tools(turn, lang)
            async with aclosing(stream_reply(running, self.model, material, tools)) as pieces:
                async for piece in pieces:
                    yield piece
        except ModelError as e:
            yield describe_failure(e, self.model, running.text, lang)
            return
        spoken: tuple[tuple[Role, str], ...] = (("user", stored), ("assistant", running.text))
        for role, text in spoken:
            said.append(Message("", "", turn.id, None, role, text, turn.at, turn.tz))
        stopped = running.stop.is_set()
        yield Stopped("", running.text) if stopped else Done("", running.text, running.usage)

    # --- its steps ---

    async def _find_zone(self, said: Turn | Command) -> str:
        return await self.store.read(said.user_id, lambda tx: find_zone(tx, said.scope, said.tz))

    async def _open(self, turn: Turn, lang: Lang) -> turns.OpenedTurn | turns.ReplayedTurn | None:
        """Open the turn once the scope's one before it is over. None if that takes too long."""
        idle = timedelta(hours=self.settings.session_idle_hours)
        shown = replace(turn, text=_write_stored(turn, lang))
        add = await asyncio.to_thread(self.memory.sealer.adder, shown.text)

        def begin(tx: Transaction) -> turns.OpenedTurn | turns.ReplayedTurn | None:
            return turns.begin(tx, shown, self.worker, idle, self.clock(), add)

        waited = 0.0
        while waited < BUSY_PATIENCE:
            opening = asyncio.ensure_future(self.store.write(turn.user_id, begin))
            try:
                opened = await asyncio.shield(opening)
            except asyncio.CancelledError:
                # Whoever asked went away while this was written: a turn that is begun must end, or
                # its lease would keep everybody waiting.
                if isinstance(begun := await opening, turns.OpenedTurn):
                    await self._finish(turn, begun, turns.TurnEnding(), Running(), "")
                raise
            if opened is not None:
                return opened
            await asyncio.sleep(BUSY_POLL)
            waited += BUSY_POLL
        return None

    async def _read_hard_day(self, turn: Turn, opened: turns.OpenedTurn) -> turns.OpenedTurn:
        """Read whether the message speaks of hurting oneself: if surely, it is quiet at once."""
        after = await self.store.read(turn.user_id, partial(follows_quiet_message, now=turn.at))
        hard = await self.memory.read_hard_day(turn.text, after=after)
        opened = opened._replace(hard=hard)
        if opened.hard != "self":
            return opened
        return await self.store.write(
            turn.user_id, lambda tx: turns.keep_message_quiet(tx, opened, turn.at)
        )

    async def _hold(self, turn: Turn, running: Running) -> None:
        """Keep the turn's lease while the reply is written; stop writing if it was lost."""

        def renew(tx: Transaction) -> bool:
            return tx.conversations.renew_turn(turn.id, self.worker, self.clock() + turns.LEASE)

        while not running.stop.is_set():
            await asyncio.sleep(turns.LEASE.total_seconds() / 3)
            try:
                if not await self.store.write(turn.user_id, renew):
                    running.stop.set()
            except StoreError:
                continue  # busy: the lease outlives two missed renewals

    async def _carry_out(self, turn: Turn, message: Message, lang: Lang) -> OrderOutcome:
        """Do what Ebb itself answers: "not a secret", commands, answers to its questions."""
        if says_not_secret(turn.text) and await self.memory.sealer.spare(
            turn.user_id, turn.scope, turn.at
        ):
            return OrderOutcome("", answer(lang, "sealed.spared"))
        if asked := await accept_look_back(self.store, turn):
            return OrderOutcome(asked, review=True)
        erase = self.settings.transcript == "session"
        orders = Orders(self.memory, self.store, turn, lang, erase)
        return await orders.carry_out(turn.text, message)

    async def _recall(
        self, turn: Turn, opened: turns.OpenedTurn, order: OrderOutcome, lang: Lang
    ) -> tuple[turns.OpenedTurn, PromptMaterial, Recall]:
        """Read the turn again after its commands, and recall; nothing while memory is off."""
        opened = await self.store.read(turn.user_id, lambda tx: turns.reread(tx, opened))
        whole = order.rest == turn.text
        text = strip_pictures(opened.message.text) if whole else order.rest
        recall, profile, day = Recall((), ()), list[Memory](), DayView()
        private = turn.scope.startswith("user:")
        if not opened.off and private:
            day = await self.memory.get_day(turn.user_id, turn.at, turn.tz, away=opened.away)
        if not opened.off:
            recall, profile = await recall_for_turn(
                self.memory,
                self.store,
                turn,
                text,
                [m.text for m in opened.history[-3:]],
                opened.session,
                whole=self.choice.offline,  # the notebook answers from what recall brings
            )
        passages = await self.memory.recall_passages(
            turn.user_id,
            turn.scope,
            text,
            [m.text for m in opened.history],
            session_id=opened.session.id if opened.off else None,
        )
        recall = replace(recall, passages=passages)
        later, learning = {}, dict[str, Json]()
        if self.choice.offline and private:
            brought = {m.id: m for m in (*day.near, *(h.memory for h in recall.hits))}
            later = await find_later(self.memory, turn, list(brought.values()))
            told = (self.settings.learning, opened.history, brought.values(), turn.tz)
            learning = await self.store.read(turn.user_id, lambda tx: describe_learning(tx, *told))
        # A secret goes to the model this once; one that was to be remembered does not even do that.
        sent = turn.text if whole and not order.note else text
        material = replace(
            self._make_material(turn, _write_stored(replace(turn, text=sent), lang), lang),
            history=opened.history,
            profile=profile,
            frozen=opened.session.profile,
            told_in=None if self.choice.offline else self.settings.lang or opened.lang,
            hits=recall.hits,
            passages=passages,
            faint=recall.faint,
            day=day,
            later=later,
            learning=learning,
            episode=opened.episode,
            summary=opened.session.running_summary,
            note=order.note,
            mode=choose_mode(turn),
            hard=opened.hard,
            where="" if private else "group",
        )
        return opened, material, recall

    def _make_material(self, turn: Turn, text: str, lang: Lang) -> PromptMaterial:
        return PromptMaterial(
            text=text,
            now=turn.at,
            tz=turn.tz,
            lang=lang,
            persona=self.settings.persona,
            context_tokens=self.settings.context_tokens,
            pictures=turn.attachments,
            reads_all=self.choice.offline,
        )

    def _offer_tools(
        self, turn: Turn, lang: Lang, opened: turns.OpenedTurn | None = None
    ) -> MemoryTools | None:
        """Return the tools of a turn; None where memory is off or the model is given none."""
        if self.settings.memory_tools == "off" or self.choice.offline or (opened and opened.off):
            return None
        session = opened.session if opened else None
        erase = self.settings.transcript == "session"
        return MemoryTools(self.memory, self.store, turn, lang, session, erase)

    async def _finish(
        self,
        turn: Turn,
        opened: turns.OpenedTurn,
        ending: turns.TurnEnding,
        running: Running,
        kept: str,
    ) -> Message | None:
        """Store the turn's end: `kept` and what was streamed, without the secrets in it."""
        if ending.recall is not None and ending.looked_up:
            hits = (*ending.recall.hits, *ending.looked_up)
            ending.recall = replace(ending.recall, hits=hits)
        hits = ending.recall.hits if ending.recall else ()
        said, stored = turn.text, opened.message.text
        ending.text = kept + remove_opened_secrets(running.text, hits, said, stored)
        ending.usage = running.usage
        now, budget = self.clock(), int(self.settings.context_tokens * HISTORY_SHARE)
        every = self.settings.monitor_every
        reply = await self.store.write(
            turn.user_id,
            lambda tx: turns.finish(
                tx, opened, ending, self.worker, now, budget_tokens=budget, every=every
            ),
        )
        self.background.kick()
        return reply

    async def _describe_seal(self, turn: Turn, lang: Lang, *, taken: bool) -> str:
        """Say, but do not store, that a secret was sealed or that one cannot be opened."""
        if taken and self.memory.sealer.key is not None:
            return "\n\n" + say(lang, "sealed")
        private = turn.scope.startswith("user:")
        if taken or (private and await self.memory.sealer.locked(turn.user_id, turn.text)):
            return "\n\n" + say(lang, "locked", name=find_key_place(self.settings.home).name)
        return ""

    async def _begin_reply(
        self, turn: Turn, opened: turns.OpenedTurn, order: OrderOutcome, lang: Lang
    ) -> tuple[str, str]:
        """Return what Ebb says first, as it is shown and as it is kept.

        After a long absence it begins with a sentence; what fell due meanwhile is not asked about.
        """
        said, hello = order.spoken or CommandOutcome(True, ""), ""
        gap = "\n\n" if order.spoken and order.rest else ""
        if opened.away and turn.scope.startswith("user:"):
            await self.memory.pass_over_todos(turn.user_id, turn.at)
            hello = "" if _is_hard(turn, opened) else say(lang, "away") + "\n\n"
        return f"{hello}{said.text}{gap}", f"{hello}{said.stored or said.text}{gap}"

    async def _ask_below(
        self, turn: Turn, opened: turns.OpenedTurn, lang: Lang, tools: MemoryTools | None
    ) -> TodoQuestion:
        """Ask what a tool wants to know; else about a due todo, at a pause and in private.

        Nothing is asked about a todo beside a death.
        """
        if tools is not None and tools.question:
            return TodoQuestion(tools.question, tools.choices)
        private = turn.scope.startswith("user:")
        if opened.history or opened.off or not private or _is_hard(turn, opened):
            return TodoQuestion()
        return await ask_todo(self.memory, self.store, turn, lang)

    async def _ask_back(
        self, turn: Turn, opened: turns.OpenedTurn, recall: Recall | None, lang: Lang
    ) -> tuple[Choice, ...]:
        """Offer to look back; else ask about a new zone, and what waits for a yes or no.

        The last is done only at a pause, and neither in a group.
        """
        if recall is not None and recall.faint is not None:
            return await offer_look_back(self.store, turn, lang)
        if opened.hard or not turn.scope.startswith("user:"):
            return ()
        if choices := await ask_zone(self.store, turn, lang):
            return choices
        if opened.history:
            return ()
        return await ask_proposal(self.memory, self.store, turn, lang)

    # --- the rest of the protocol ---

    async def stop(self, turn_id: str) -> bool:
        """Stop a reply that is being written in this process."""
        if (running := self._running.get(turn_id)) is not None:
            running.stop.set()
        return running is not None

    async def run_command(self, c: Command) -> CommandOutcome:
        """Carry out a command. Never raises at the front end."""
        lang: Lang = c.lang or "en"
        c = replace(c, args=clean_input(c.args))
        try:
            lang = c.lang or await self.detect_language(c.user_id, c.args)
            return await self._commands.run(replace(c, tz=await self._find_zone(c)), lang)
        except StoreError as e:
            return answer(lang, "store", ok=False, why=str(e))
        except ModelError as e:
            return CommandOutcome(False, describe_error(e, lang, model=self.model.name))
        except Exception:
            # The boundary to the front ends, as in `reply`.
            log.exception("command %s failed", c.name)
            return answer(lang, "internal", ok=False)

    def list_commands(self) -> Sequence[CommandSpec]:
        """List names and help for menus and completion."""
        return [(name, {lang: say(lang, f"help.{name}") for lang in LANGS}) for name in COMMANDS]

    async def drain(self, timeout: float) -> int:
        """Wait for background work; how many jobs are left for the next start."""
        return await self.background.drain(timeout)


def _is_hard(turn: Turn, opened: turns.OpenedTurn) -> bool:
    """Tell whether a message speaks of hurting oneself, or tells of a death."""
    return bool(opened.hard or find_dead(turn.text, told=True))


def _write_stored(turn: Turn, lang: Lang) -> str:
    """Return what is stored of a message: of its pictures the names alone."""
    return write_pictures(turn.text, [p.name for p in turn.attachments], lang)


def _replay(turn: turns.ReplayedTurn | None, lang: Lang) -> tuple[Event, ...]:
    """Return the events of a turn that was answered before; None: another one keeps it waiting."""
    if turn is None:
        return (Failed("busy", say(lang, "busy")),)
    message_id, text = (turn.reply.id, turn.reply.text) if turn.reply else ("", "")
    last = Stopped(message_id, text) if turn.row.state == "stopped" else Done(message_id, text)
    return Started(turn.row.id, turn.row.session_id), last


def _end(ending: turns.TurnEnding, running: Running, failure: ModelError | None) -> None:
    """Note how the turn ends, by how its stream ended."""
    if failure is not None:
        ending.state, ending.status, ending.error = "failed", "partial", failure.code
    elif running.stop.is_set():
        ending.state = ending.status = "stopped"
    else:
        ending.state, ending.status = "done", "complete"
