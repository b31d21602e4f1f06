"""The loop: recall, prompt, stream, store; learning comes after, and is seen through `subscribe`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.agent import context, turns
from bot.agent.background import BackgroundWork
from bot.agent.offrecord import OffRecordAgent
from bot.agent.recall import (
    choose_mode,
    mask_opened_secrets,
    recall_for_turn,
    remove_opened_secrets,
)
from bot.agent.streaming import Running, failed, stream_reply
from bot.commands.handlers import COMMANDS, Commands
from bot.commands.orders import OrderOutcome, Orders
from bot.commands.questions import ask_proposal
from bot.events import (
    Command,
    CommandOutcome,
    CommandSpec,
    Delta,
    Done,
    Event,
    Failed,
    Recalled,
    Started,
    Status,
    Stopped,
    Turn,
    WindowMode,
    answer,
)
from bot.llm import ProviderChoice
from bot.reports import describe_error
from bot.sessions import HISTORY_SHARE
from bot.settings import Settings
from bot.texts import LANGS, say
from memory.embed import SwitchingEmbedder
from memory.errors import ModelError, StoreError
from memory.learn.preferences import is_off
from memory.learn.secrets import says_not_secret
from memory.models import (
    Change,
    Filter,
    Lang,
    Memory,
    Message,
    Recall,
    count_function_words,
    detect_language,
)
from memory.ports import ChatModel, Clock, Store, SystemTransaction, Transaction
from memory.privacy import find_key_place
from memory.service import MemoryService
from memory.store import is_process_gone
from memory.text.clean import clean_input
from memory.upkeep.service import get_progress

log = logging.getLogger(__name__)
BUSY_PATIENCE = 180.0  # seconds a turn waits for the one before it
BUSY_POLL = 0.05


@dataclass
class EbbAgent:
    """Implements `bot.events.Agent` over one store, one memory service and one chat model."""

    settings: Settings
    store: Store
    service: MemoryService
    model: ChatModel
    background: BackgroundWork
    clock: Clock
    worker: str
    choice: ProviderChoice
    embedder: SwitchingEmbedder

    def __post_init__(self) -> None:
        self._running: dict[str, Running] = {}
        self._off_record = OffRecordAgent(
            self.settings, self.store, self.service, self.model, self.choice.offline
        )
        self._commands = Commands(
            self.settings, self.store, self.service, self.background.kick, self._off_record.forget
        )

    # --- the loop ---

    async def reply(self, turn: Turn) -> AsyncGenerator[Event, None]:
        """Answer one message; the last event is Done, Stopped or Failed.

        Never raises at the front end.
        """
        turn = replace(turn, text=clean_input(turn.text))
        lang = (
            self.settings.lang
            or detect_language(turn.text, "")
            or await self._former_language(turn.user_id)
        )
        if not turn.text.strip():
            yield Failed("empty", say(lang, "empty"))
            return
        running = Running()
        if turn.mode is WindowMode.NORMAL:
            answer = self._answer(turn, running, lang)
        else:
            self._running[turn.id] = running
            answer = self._off_record.reply(turn, running, lang)
        try:
            async with aclosing(answer) as events:
                async for event in events:
                    yield event
        except StoreError as e:
            log.warning("turn %s: %s", turn.id, e)
            yield Failed("store", say(lang, "store", why=str(e)))
        except Exception:
            # The boundary to the front ends: whatever is wrong becomes one sentence; what was said
            # is stored.
            log.exception("turn %s failed", turn.id)
            yield Failed("internal", say(lang, "internal"))
        finally:
            self._running.pop(turn.id, None)

    async def _former_language(self, user_id: str) -> Lang:
        """Return the language last written in, for a message without letters such as "1" or "?"."""
        try:
            return await self.detect_language(user_id)
        except StoreError:
            return "en"  # the turn itself says what is wrong with the store

    async def _answer(
        self, turn: Turn, running: Running, lang: Lang
    ) -> AsyncGenerator[Event, None]:
        """Open the turn, obey, recall, stream, store; whatever happens, an opened turn is finished exactly once."""
        opened = await self._open(turn)
        if opened is None:
            yield Failed("busy", say(lang, "busy"))
            return
        if isinstance(opened, turns.ReplayedTurn):
            for event in _replay(opened):
                yield event
            return
        self._running[turn.id] = running
        lease = asyncio.create_task(self._hold(turn, running), name=f"lease-{turn.id}")
        ending = turns.TurnEnding("interrupted", status="interrupted")
        finished, kept, failure = False, "", None
        sealed = opened.message.text != turn.text
        try:
            yield Started(turn.id, opened.session.id, opened.off)
            order = await self._carry_out(turn, opened.message, lang)
            said, gap = (
                order.spoken or CommandOutcome(True, ""),
                "\n\n" if order.spoken and order.rest else "",
            )
            head, kept = f"{said.text}{gap}", f"{said.stored or said.text}{gap}"
            if head:
                yield Delta(head, literal=True)
            if order.rest:
                opened, material, recall = await self._recall(turn, opened, order, lang)
                ending = replace(ending, recall=recall, model=self.model.name)
                yield Recalled(mask_opened_secrets(recall.hits), recall.late)
                try:
                    async with aclosing(stream_reply(running, self.model, material)) as pieces:
                        async for piece in pieces:
                            yield piece
                except ModelError as e:
                    failure = e
                text = remove_opened_secrets(
                    running.text, recall.hits, turn.text, opened.message.text
                )
                ending = _ended(ending, running, failure, kept + text)
            else:
                ending = turns.TurnEnding("done", kept, learn=False)
            reply = await self._finish(opened, ending)
            finished = True
            if failure is None and (
                told := await self._tell_sealed(running, turn, order, taken=sealed, lang=lang)
            ):
                yield Delta(told)
            reply_id, text = reply.id if reply else "", head + running.text
            if failure is not None or ending.state == "stopped":
                yield (
                    failed(failure, self.model, text, lang) if failure else Stopped(reply_id, text)
                )
            else:
                choices = said.choices
                if not choices and not opened.history and turn.scope.startswith("user:"):
                    choices = await ask_proposal(self.service, self.store, turn, lang)
                yield Done(reply_id, text, running.usage, choices, not order.rest)
        finally:
            lease.cancel()
            if not finished:
                # The window went away, or something broke: what was said and what was streamed
                # stay.
                hits = ending.recall.hits if ending.recall else ()
                text = ending.text or kept + remove_opened_secrets(
                    running.text, hits, turn.text, opened.message.text
                )
                await asyncio.shield(
                    self._finish(opened, replace(ending, text=text, usage=running.usage))
                )

    async def _carry_out(self, turn: Turn, message: Message, lang: Lang) -> OrderOutcome:
        """Do what Ebb itself answers, without a model: "not a secret", commands, answers to its questions."""
        if says_not_secret(turn.text) and await self.service.unseal_last(
            turn.user_id, turn.scope, turn.at
        ):
            return OrderOutcome("", answer(lang, "sealed.spared"))
        erase = self.settings.transcript == "session"
        return await Orders(self.service, self.store, turn, lang, erase).carry_out(
            turn.text, message
        )

    async def _recall(
        self, turn: Turn, opened: turns.OpenedTurn, order: OrderOutcome, lang: Lang
    ) -> tuple[turns.OpenedTurn, context.PromptMaterial, Recall]:
        """Read the turn again after its command was carried out, and recall; nothing while memory is off."""
        opened = await self.store.read(turn.user_id, lambda tx: turns.reread(tx, opened))
        whole = order.rest == turn.text
        text = opened.message.text if whole else order.rest
        recall, profile = Recall((), ()), list[Memory]()
        if not opened.off:
            earlier = [m.text for m in opened.history[-3:]]
            # The notebook answers from what recall brings.
            recall, profile = await recall_for_turn(
                self.service,
                self.store,
                turn,
                text,
                earlier,
                opened.session,
                whole=self.choice.offline,
            )
        material = context.PromptMaterial(
            # A secret goes to the model this once; one that was to be remembered does not even do
            # that.
            text=turn.text if whole and not order.note else text,
            now=turn.at,
            tz=turn.tz,
            lang=lang,
            history=opened.history,
            profile=profile,
            frozen=opened.session.profile,
            hits=recall.hits,
            episode=opened.episode,
            summary=opened.session.running_summary,
            note=order.note,
            mode=choose_mode(turn),
            where="" if turn.scope.startswith("user:") else "group",
            persona=self.settings.persona,
            context_tokens=self.settings.context_tokens,
            reads_all=self.choice.offline,
        )
        return opened, material, recall

    async def _open(self, turn: Turn) -> turns.OpenedTurn | turns.ReplayedTurn | None:
        """One turn at a time per scope: wait for the one before it. None if that took too long."""
        idle = timedelta(hours=self.settings.session_idle_hours)
        add = await asyncio.to_thread(self.service.make_adder, turn.text)
        waited = 0.0
        while waited < BUSY_PATIENCE:
            now = self.clock()

            def begin(
                tx: Transaction, now: datetime = now
            ) -> turns.OpenedTurn | turns.ReplayedTurn | turns.ScopeBusy:
                return turns.begin(tx, turn, self.worker, idle, now, add)

            opening = asyncio.ensure_future(self.store.write(turn.user_id, begin))
            try:
                opened = await asyncio.shield(opening)
            except asyncio.CancelledError:
                # Whoever asked went away while this was written: a turn that is begun must end, or
                # its lease would keep everybody waiting.
                if isinstance(begun := await opening, turns.OpenedTurn):
                    await self._finish(begun, turns.TurnEnding("interrupted", status="interrupted"))
                raise
            if not isinstance(opened, turns.ScopeBusy):
                return opened
            await asyncio.sleep(BUSY_POLL)
            waited += BUSY_POLL
        return None

    async def _hold(self, turn: Turn, running: Running) -> None:
        """Keep the turn's lease while the reply is written; stop writing if it was lost."""
        while True:
            await asyncio.sleep(turns.LEASE.total_seconds() / 3)
            until = self.clock() + turns.LEASE

            def renew(tx: Transaction, until: datetime = until) -> bool:
                return tx.conversations.renew_turn(turn.id, self.worker, until)

            try:
                kept = await self.store.write(turn.user_id, renew)
            except StoreError:
                continue  # busy: the lease outlives two missed renewals
            if not kept:
                running.stop.set()
                return

    async def _tell_sealed(
        self, running: Running, turn: Turn, order: OrderOutcome, *, taken: bool, lang: Lang
    ) -> str:
        """Say after the reply, but do not store, that a secret was sealed or that one cannot be opened."""
        told, taken = "", taken and not order.note
        if taken and self.service.can_seal:
            told = "\n\n" + say(lang, "sealed")
        elif taken or (
            turn.scope.startswith("user:") and await self.service.is_locked(turn.user_id, turn.text)
        ):
            told = "\n\n" + say(lang, "locked", name=find_key_place(self.settings.home).name)
        running.text += told
        return told

    async def _finish(self, opened: turns.OpenedTurn, ending: turns.TurnEnding) -> Message | None:
        now = self.clock()
        budget = int(self.settings.context_tokens * HISTORY_SHARE)

        def write(tx: Transaction) -> Message | None:
            return turns.finish(
                tx,
                opened,
                ending,
                self.worker,
                now,
                budget_tokens=budget,
                every=self.settings.monitor_every,
            )

        reply = await self.store.write(opened.row.user_id, write)
        self.background.kick()
        return reply

    # --- the rest of the protocol ---

    async def stop(self, turn_id: str) -> bool:
        """Stop a reply that is being written in this process."""
        running = self._running.get(turn_id)
        if running is None:
            return False
        running.stop.set()
        return True

    async def run_command(self, c: Command) -> CommandOutcome:
        """Carry out a command. Never raises at the front end."""
        lang: Lang = c.lang or "en"
        c = replace(c, args=clean_input(c.args))
        try:
            lang = c.lang or await self.detect_language(c.user_id, c.args)
            return await self._commands.run(c, lang)
        except StoreError as e:
            return CommandOutcome(False, say(lang, "store", why=str(e)))
        except ModelError as e:
            return CommandOutcome(False, describe_error(e, lang, model=self.model.name))
        except Exception:
            # The boundary to the front ends, as in `reply`.
            log.exception("command %s failed", c.name)
            return CommandOutcome(False, say(lang, "internal"))

    def list_commands(self) -> Sequence[CommandSpec]:
        """For menus and completion."""
        return [(name, {lang: say(lang, f"help.{name}") for lang in LANGS}) for name in COMMANDS]

    async def subscribe(self, user_id: str, after: int) -> AsyncIterator[Change]:
        """Yield changes as they are committed, by this and other processes."""
        async with self.store.watch(user_id, after) as changes:
            async for change in changes:
                yield change

    async def drain(self, timeout: float) -> int:
        """Wait for background work; how many jobs are left for the next start."""
        return await self.background.drain(timeout)

    async def get_status(self, user_id: str, scope: str, now: datetime) -> Status:
        """Return what a header shows."""

        def read(tx: Transaction) -> Status:
            session = tx.conversations.get_open_session(scope)
            running = tx.conversations.get_open_turn(scope)
            after = session.summarised_through if session else 0
            embedded = (
                tx.vectors.count_embedded(self.embedder.id) if self.embedder.under_way else (0, 0)
            )
            return Status(
                model=self.model.name,
                provider=self.choice.provider,
                embedder=self.embedder.id,
                session_id=session.id if session else None,
                session_title=session.title if session else "",
                messages=len(tx.conversations.list_messages(session_id=session.id, after=after))
                if session
                else 0,
                memories=tx.memories.find(Filter(), limit=1).total,
                pending_jobs=sum(j.kind != "upkeep" for j in tx.jobs.list_pending()),
                failed_jobs=len(tx.jobs.list_dead()),
                writing_elsewhere=running is not None
                and running.leased_by != self.worker
                and running.leased_until > now,
                offline=self.choice.offline,
                last_seq=tx.changes.get_last_seq(),
                upkeep=night.share if (night := get_progress(tx)) is not None else None,
                memory_off=is_off(tx),
                embedded=embedded if embedded[0] < embedded[1] else None,
            )

        return await self.store.read(user_id, read)

    async def list_history(
        self, user_id: str, scope: str, *, after: int = 0, limit: int = 100
    ) -> list[Message]:
        """Return the newest messages of the scope; hidden ones have no text."""
        found = await self.store.read(
            user_id,
            lambda tx: tx.conversations.list_messages(
                scope=scope, after=after, limit=limit, newest=True, hidden=True
            ),
        )
        return [replace(m, text="") if m.hidden_at is not None else m for m in found]

    async def keep_unsent(self, user_id: str, texts: Mapping[str, str]) -> None:
        """Keep what this process was given and has not sent yet, by id."""

        def write(s: SystemTransaction) -> None:
            kept = {
                **(s.get(f"unsent:{user_id}") or {}),
                self.worker: {i: clean_input(t) for i, t in texts.items()},
            }
            s.set(f"unsent:{user_id}", {w: t for w, t in kept.items() if t} or None)

        await self.store.write_system(write)

    async def take_unsent(self, user_id: str) -> dict[str, str]:
        """Take over what processes that are gone had not sent, oldest first."""

        def write(s: SystemTransaction) -> dict[str, str]:
            kept = s.get(f"unsent:{user_id}") or {}
            host, me = self.worker.rsplit(":", 2)[0], self.worker.rpartition(".")[0]
            gone = [
                w
                for w in kept
                if w.rpartition(".")[0] == me or w.rsplit(":", 2)[0] != host or is_process_gone(w)
            ]
            taken = {i: text for w in gone for i, text in kept.pop(w).items()}
            s.set(f"unsent:{user_id}", {**kept, **({self.worker: taken} if taken else {})} or None)
            return taken

        taken = await self.store.write_system(write)
        return await self.store.read(
            user_id,
            lambda tx: {
                i: text for i, text in taken.items() if tx.conversations.get_turn(i) is None
            },
        )

    async def get_memories(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        """Memories by id, as they stand; those that are gone are left out."""
        return await self.store.read(user_id, lambda tx: tx.memories.get_many(ids))

    async def detect_language(self, user_id: str, said: str = "", default: Lang = "en") -> Lang:
        """Return the language set, else that of what is being said, else the one last written in."""
        if self.settings.lang is not None:
            return self.settings.lang

        def read(tx: Transaction) -> list[str]:
            last = tx.conversations.list_messages(scope=f"user:{user_id}", limit=6, newest=True)
            said = [m.text for m in last if m.role == "user"]
            return said or [m.original_content for m in tx.memories.find(Filter(), limit=1).items]

        texts = await self.store.read(user_id, read)
        if not texts or count_function_words(said) > 1:
            return detect_language(said, default)
        return detect_language(
            next((t for t in reversed(texts) if count_function_words(t)), texts[-1])
        )


def _replay(turn: turns.ReplayedTurn) -> tuple[Event, Event]:
    message_id, text = (turn.reply.id, turn.reply.text) if turn.reply else ("", "")
    last = Stopped(message_id, text) if turn.row.state == "stopped" else Done(message_id, text)
    return Started(turn.row.id, turn.row.session_id), last


def _ended(
    ending: turns.TurnEnding, running: Running, failure: ModelError | None, stored: str
) -> turns.TurnEnding:
    """How the turn ends, by how its stream ended; `stored` is the reply as the transcript may keep it."""
    ending = replace(ending, text=stored, usage=running.usage)
    if failure is not None:
        return replace(ending, state="failed", status="partial", error=failure.code)
    if running.stop.is_set():
        return replace(ending, state="stopped", status="stopped")
    return replace(ending, state="done", status="complete")
