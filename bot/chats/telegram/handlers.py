"""What is done with a batch of messages: a turn, a command, an edit, or a friendly sentence."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta

from bot.chats.telegram import keyboards, notices
from bot.chats.telegram.context import HandlerContext, RunningTurn
from bot.chats.telegram.inbox import StoredUpdate
from bot.chats.telegram.incoming import (
    IncomingTurn,
    find_answer_place,
    get_client_language,
    get_destination,
    join_parts,
    parse_command,
)
from bot.chats.telegram.outbox import ChatGone, Destination
from bot.chats.telegram.render import MessagePart, render, render_plain
from bot.chats.telegram.streaming import ReplyStream
from bot.chats.telegram.texts import say
from bot.commands.memories import parse_list_request
from bot.events import (
    CommandOutcome,
    Delta,
    Done,
    Failed,
    Recalled,
    Started,
    Stopped,
    Turn,
    WindowMode,
)
from bot.texts import join
from memory.errors import StoreError
from memory.models import Lang
from memory.ports import Transaction
from memory.privacy import redact

log = logging.getLogger(__name__)
ONCE = frozenset({"undo"})  # carried out twice, they would do more than was asked
Ending = Done | Stopped | Failed
_LOOKED_AT = 50  # change sets
_LEARNING = timedelta(seconds=5).total_seconds()  # for learning that is under way
_STEP = timedelta(milliseconds=100).total_seconds()


class MessageHandlers:
    """Deals with what the queues bring."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._name = context.me.username or ""
        self._albums: dict[int, str] = {}  # the newest album of each chat: parts may come late

    def _place(self, kept: StoredUpdate) -> Destination:
        """Return where it is answered, under a key that is the same after a restart."""
        message = kept.message
        key = f"tg-{self._context.me.id}-{message.chat_id}-{message.message_id}"
        key = f"{key}-e{kept.update.update_id}" if kept.edit else key
        return replace(find_answer_place(message, self._name), key=key, recorded=kept.stored)

    async def find_composition(self, kept: StoredUpdate) -> Sequence[int]:
        """Return which updates were one batch with this one before the restart."""
        record = await self._context.state.read(self._place(kept).key)
        return [int(i) for i in record.get("updates", [])]

    async def handle(self, parts: list[StoredUpdate]) -> None:
        """Deal with a batch. Whatever goes wrong, the queue goes on."""
        first, place = parts[0], self._place(parts[0])
        try:
            await self._handle(parts, place)
        except StoreError as e:
            # Not marked as done: it is taken up again at the next start.
            log.warning("a message waits for the next start: %s", e)
            await self._apologise(first, place)
        except Exception as e:  # noqa: BLE001 - said above
            if not isinstance(e, ChatGone):
                self._context.log_error("a message could not be dealt with", e)
                await self._apologise(first, place)
            try:  # trying again at the next start would fail again
                await self._context.state.finish(i for kept in parts for i in kept.ids)
            except StoreError as busy:
                log.warning("a message could not be marked as done: %s", busy)
        finally:
            self._context.running.pop(place.chat_id, None)

    async def _apologise(self, kept: StoredUpdate, place: Destination) -> None:
        sentence = say(get_client_language(kept.message.from_user), "broken")
        await self._context.show(replace(place, key="", recorded=False), sentence)

    async def _handle(self, parts: list[StoredUpdate], place: Destination) -> None:
        context, first = self._context, parts[0]
        message = first.message
        await context.recall_sent(place.chat_id)
        command = parse_command(message, self._name)
        own = [p.message for p in parts if p.message.forward_origin is None]
        said = command[1] if command else " ".join(m.text or m.caption or "" for m in own)
        lang = await context.detect_language(first.user_id, message.from_user, said)
        if command is not None and not first.edit:
            await self._handle_command(first, place, *command, lang)
            return
        incoming = join_parts(parts, context.me, lang)
        album = message.media_group_id
        late = album is not None and self._albums.get(place.chat_id) == album
        if album is not None:
            self._albums[place.chat_id] = album
        if first.edit and incoming.text and command is None:
            await self._handle_edit(first, incoming, place, lang)
        elif incoming.text and not first.edit:
            await self._answer(first, incoming, place, lang)
        elif incoming.unread and not late and not first.edit:
            text = say(lang, "unread.alone", what=_name_kinds(incoming.unread, lang))
            await self._say_once(first, incoming, place, text)
        else:
            await context.state.finish(incoming.updates)

    async def _say_once(
        self, kept: StoredUpdate, incoming: IncomingTurn, place: Destination, text: str
    ) -> None:
        """Answer with a sentence, however often this is begun."""
        record = await self._context.begin(place, incoming.updates)
        if not record.get("done"):
            reply_to = None if place.private and not kept.edit else kept.message.message_id
            await self._context.show(place, text, shown=record["messages"], reply_to=reply_to)
        await self._context.end(place, incoming.updates)

    # --- turns ---

    async def _answer(
        self,
        first: StoredUpdate,
        incoming: IncomingTurn,
        place: Destination,
        lang: Lang,
        *,
        turn: Turn | None = None,
        shown: Sequence[int] = (),
    ) -> None:
        """Answer; exactly one reply, however often this is begun."""
        context = self._context
        record = await context.begin(place, incoming.updates, shown)
        if record.get("done"):
            await context.state.finish(incoming.updates)
            return
        command = await context.make_command("", "", place, first.user_id, lang)
        if place.private and command.mode is WindowMode.NORMAL and not record.get("again"):
            await notices.send_divider(context, place, first.user_id, lang)
        turn = turn or Turn(
            id=place.key,
            user_id=first.user_id,
            scope=command.scope,
            text=incoming.text,
            at=incoming.at,
            tz=command.tz,
            mode=command.mode,
            origin=command.origin,
        )
        head = ""
        if incoming.unread:
            what = _name_kinds(incoming.unread, lang)
            head = f"{say(lang, 'unread.caption', what=what)}\n\n"
        running = context.running[place.chat_id] = RunningTurn(turn.id)
        reply = ReplyStream(
            context.outbox,
            place,
            context.timing,
            stop=keyboards.make_stop_row(lang),
            shown=record["messages"] or record.get("shown", ()),
            reply_to=None if place.private else incoming.message_ids[0],
            head=head,
        )
        async with reply:
            reply.typed.append(turn.text)
            end = await self._converse(turn, reply, running, lang)
            foot = await self._make_foot(turn, running, lang)
            pieces = await asyncio.to_thread(_lay_out, head, end, foot, lang, reply.typed)
            offered = end.choices if isinstance(end, Done) else ()
            await reply.finish(pieces, keyboards.make_choice_rows(offered))
        last = {"turn": turn.id, "user": first.user_id, "ids": list(incoming.message_ids)}
        last["messages"] = reply.message_ids
        await context.end(place, incoming.updates, **{f"last:{place.chat_id}": last})

    async def _converse(
        self, turn: Turn, reply: ReplyStream, running: RunningTurn, lang: Lang
    ) -> Ending:
        """Feed the reply with what the agent says; return how it ended."""
        agent = self._context.agent
        async with aclosing(agent.reply(turn)) as events:
            async for event in events:
                match event:
                    case Started():
                        running.memory_off = event.memory_off
                    case Recalled():
                        reply.typed += [hit.memory.content for hit in event.hits]
                    case Delta():
                        if event.literal:
                            reply.typed.append(event.text.strip())
                        reply.feed(event.text)
                    case _:
                        return event
                if running.stopping:
                    await agent.stop(turn.id)
        return Failed("internal", say(lang, "broken"))

    async def _make_foot(self, turn: Turn, running: RunningTurn, lang: Lang) -> str:
        """Say under every reply of such a chat that it is off the record, or its memory is off."""
        if turn.mode is not WindowMode.NORMAL:
            key = "temp.foot" if turn.mode is WindowMode.TEMP else "private.foot"
            return f"\n\n{say(lang, key)}"
        if not running.memory_off:
            return ""
        status = await self._context.agent.get_status(turn.user_id, turn.scope, turn.at)
        return f"\n\n{say(lang, 'off.foot')}" if status.memory_off else ""

    # --- commands ---

    async def _handle_command(
        self, kept: StoredUpdate, place: Destination, name: str, args: str, lang: Lang
    ) -> None:
        context, message = self._context, kept.message
        incoming = IncomingTurn("", (), (message.message_id,), tuple(kept.ids), message.date)
        try:
            if place.chat_id != message.chat_id and not await context.outbox.show_typing(place):
                # Somebody in a group whom we cannot write to in private.
                group = get_destination(message)
                group = replace(group, key=place.key, recorded=place.recorded)
                text = say(lang, "private.first", name=self._name)
                await self._say_once(kept, incoming, group, text)
                return
            record = await context.begin(place, kept.ids)
            if record.get("done"):
                await context.state.finish(kept.ids)
                return
            if record.get("again") and not record["messages"] and name in ONCE:
                outcome = CommandOutcome(False, say(lang, "interrupted", name=name))
            else:
                outcome = await self._carry_out(kept, place, name, args, lang)
        finally:
            context.becoming.discard(message.chat_id)
        if outcome.turn is not None:
            turn = replace(outcome.turn, id=place.key)
            await self._answer(kept, replace(incoming, text=turn.text), place, lang, turn=turn)
            return
        text, markup = outcome.text, keyboards.make_choice_rows(outcome.choices)
        if name == "memories" and outcome.memories:
            word, number = parse_list_request(args)
            command = await context.make_command(name, "", place, kept.user_id, lang)
            text, markup = await keyboards.list_page(context.ebb, command, word, number - 1, lang)
        reply_to = None if place.private else message.message_id
        shown = record["messages"]
        await context.show(place, text or say(lang, "done"), markup, shown=shown, reply_to=reply_to)
        await context.end(place, kept.ids)

    async def _carry_out(
        self, kept: StoredUpdate, place: Destination, name: str, args: str, lang: Lang
    ) -> CommandOutcome:
        context, user_id = self._context, kept.user_id
        if name == "start":
            return CommandOutcome(True, say(lang, "hello"))
        command = await context.make_command(name, args, place, user_id, lang)
        before = await context.agent.get_status(user_id, command.scope, command.at)
        outcome = await context.agent.run_command(command)
        closed = outcome.session_id and before.session_id not in (None, outcome.session_id)
        if closed and place.private:
            context.extracting.append(user_id)
        if outcome.mode is not None:
            await context.set_mode(place.chat_id, outcome.mode)
        if name == "help":  # a chat has no window to quit, but a reply to stop
            stop = f"- /stop – {say(lang, 'help.stop')}"
            return replace(outcome, text=re.sub(r"(?m)^- /quit.*", stop, outcome.text))
        return outcome

    # --- edits ---

    async def _handle_edit(
        self, kept: StoredUpdate, incoming: IncomingTurn, place: Destination, lang: Lang
    ) -> None:
        """Answer the message answered last anew, in place; leave an older one as it is."""
        context, key = self._context, f"last:{place.chat_id}"
        last = await context.state.read(key) if kept.stored else {}
        if last.get("ids") != [kept.message.message_id] or last.get("user") != kept.user_id:
            await self._say_once(kept, incoming, place, say(lang, "edit.late"))
        elif await self._has_text(kept.user_id, last["turn"], incoming.text):
            await context.state.finish(kept.ids)
        else:
            await self._retract(kept.user_id, last["turn"], place)
            await self._answer(kept, incoming, place, lang, shown=last["messages"])

    async def _has_text(self, user_id: str, turn_id: str, text: str) -> bool:
        """Tell whether the turn says that already: an edit may change no word."""

        def read(tx: Transaction) -> bool:
            row = tx.conversations.get_turn(turn_id)
            message = tx.conversations.get_message(row.user_message_id) if row else None
            return message is not None and message.text in {text, redact(text)[0]}

        return await self._context.ebb.store.read(user_id, read)

    async def _retract(self, user_id: str, turn_id: str, place: Destination) -> None:
        """Hide the turn's messages, drop its pending learning and undo what was learned from it."""
        store, now = self._context.ebb.store, self._context.ebb.clock()

        def is_learning(tx: Transaction) -> bool:
            pending = tx.jobs.list_pending("monitor")
            return any(
                j.state == "leased" and turn_id in j.payload.get("turn_ids", []) for j in pending
            )

        def write(tx: Transaction) -> list[str]:
            sets = [s.id for s in tx.changes.list_undoable(_LOOKED_AT) if s.turn_id == turn_id]
            tx.changes.begin("user", "edit", now, turn_id=turn_id)
            for job in tx.jobs.list_pending("monitor"):
                if job.payload.get("turn_ids") == [turn_id]:
                    tx.jobs.cancel(job.id)
            row = tx.conversations.get_turn(turn_id)
            for message_id in (row.user_message_id, row.reply_message_id) if row else ():
                message = tx.conversations.get_message(message_id) if message_id else None
                if message is not None and message.hidden_at is None:
                    tx.conversations.put_message(replace(message, hidden_at=now))
            return sets

        waited = 0.0  # what is being learned this very moment could not be stopped, only undone
        while waited < _LEARNING and await store.read(user_id, is_learning):
            await asyncio.sleep(_STEP)
            waited += _STEP
        for set_id in await store.write(user_id, write):
            outcome = await self._context.run_command("undo", set_id, place, user_id, None)
            if not outcome.ok:
                log.info("what was learned from an edited message has been changed since; it stays")


def _name_kinds(unread: Sequence[str], lang: Lang) -> str:
    return join((say(lang, f"kind.{k}") for k in unread), lang, "list")


def _lay_out(
    head: str, end: Ending, foot: str, lang: Lang, typed: Sequence[str]
) -> list[MessagePart]:
    """Lay the whole reply out: the model's words as Markdown, ours around them as they stand."""
    if isinstance(end, Done):
        text, after = end.text.strip(), foot
        if not text:
            after = say(lang, "empty") + foot
        if end.literal:
            return render_plain(head + text + after)
    elif isinstance(end, Stopped):
        text, after = end.text.rstrip(), f"\n\n{say(lang, 'stopped')}{foot}"
    else:
        text, after = end.partial.rstrip(), f"\n\n⚠️ {end.sentence}{foot}"
    return render(text, before=head, after=after, typed=typed)
