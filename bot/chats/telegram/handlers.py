"""What is done with a batch of messages: a turn, a command, an edit, or a friendly sentence."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from telegram import InlineKeyboardMarkup

from bot.chats.telegram import buttons
from bot.chats.telegram.context import HandlerContext, RunningTurn
from bot.chats.telegram.inbox import StoredUpdate
from bot.chats.telegram.incoming import (
    find_answer_place,
    get_client_language,
    get_destination,
    join_parts,
    parse_command,
)
from bot.chats.telegram.outbox import ChatGone, Destination, ReplyStream
from bot.chats.telegram.pictures import fetch_pictures
from bot.chats.telegram.render import MessagePart, render, render_plain
from bot.chats.telegram.texts import say
from bot.commands.memories import parse_list_request
from bot.events import (
    CommandOutcome,
    Delta,
    Done,
    Failed,
    Recalled,
    Stopped,
    Turn,
    Waiting,
    WindowMode,
)
from bot.texts import join
from memory.api import redact, strip_pictures
from memory.errors import StoreError
from memory.models import Lang
from memory.ports import Transaction

log = logging.getLogger(__name__)
ONCE = frozenset({"undo"})  # carried out twice, they would do more than was asked
Ending = Done | Stopped | Failed
_LOOKED_AT = 50  # change sets


def find_place(context: HandlerContext, kept: StoredUpdate) -> Destination:
    """Return where it is answered, under a key that is the same after a restart."""
    message = kept.message
    key = f"{context.prefix}{message.chat_id}-{message.message_id}"
    key = f"{key}-e{kept.id}" if kept.edit else key
    place = find_answer_place(message, context.me.username or "")
    reply_to = None if place.private else message.message_id
    return replace(place, key=key, recorded=kept.stored, reply_to=reply_to)


class BatchHandler:
    """Deals with one batch of messages."""

    def __init__(self, context: HandlerContext, parts: list[StoredUpdate]) -> None:
        self._context = context
        self._parts = parts
        self._first = parts[0]
        self._user_id = parts[0].user_id
        self._message = parts[0].message
        self._place = find_place(context, parts[0])
        self._updates = [kept.id for kept in parts]
        self._lang: Lang = get_client_language(self._message.from_user)

    async def run(self) -> None:
        """Deal with it. Whatever goes wrong, the queue goes on."""
        context = self._context
        try:
            await self._handle()
        except StoreError as e:
            # Not marked as done: it is taken up again at the next start.
            log.warning("a message waits for the next start: %s", e)
            await self._apologise()
        except Exception as e:  # noqa: BLE001 - said above
            if not isinstance(e, ChatGone):
                context.log_error("a message could not be dealt with", e)
                await self._apologise()
            try:  # trying again at the next start would fail again
                await context.state.finish(self._updates)
            except StoreError as busy:
                log.warning("a message could not be marked as done: %s", busy)
        finally:
            context.running.pop(self._place.chat_id, None)

    async def _apologise(self) -> None:
        where = replace(self._place, key="", recorded=False, reply_to=None)
        await self._context.show(where, say(self._lang, "broken"))

    async def _handle(self) -> None:
        context, message, place = self._context, self._message, self._place
        for kept in self._parts:  # a replayed one has not passed the door
            context.outbox.record_message(kept.message.chat_id, kept.message.message_id)
        command = parse_command(message, context.me.username or "")
        own = [p.message for p in self._parts if p.message.forward_origin is None]
        said = command[1] if command else " ".join(m.text or m.caption or "" for m in own)
        self._lang = await context.detect_language(self._user_id, message.from_user, said)
        self._record = await context.begin(place, self._updates)
        if self._record.get("done"):
            await context.state.finish(self._updates)
            return
        self._pictures = await fetch_pictures([p.message for p in self._parts], self._lang)
        self._incoming = incoming = join_parts(self._parts, context.me, self._lang, self._pictures)
        name, args = command or ("", "")
        self._command = await context.make_command(name, args, place, self._user_id, self._lang)
        if command is not None and not self._first.edit:
            await self._handle_command()
            return
        album, last_album = message.media_group_id, context.albums.get(place.chat_id)
        if album is not None:
            context.albums[place.chat_id] = album
        if self._first.edit:
            await self._handle_edit(incoming.text if command is None else "")
        elif incoming.text or self._pictures:
            await self._answer(self._make_turn())
        elif incoming.unread and (album is None or album != last_album):
            await self._say(say(self._lang, "unread.alone", what=self._name_unread()), place)
        else:
            await context.end(place, self._updates)

    def _name_unread(self) -> str:
        kinds = (say(self._lang, f"kind.{k}") for k in self._incoming.unread)
        return join(kinds, self._lang, "list")

    async def _say(
        self, text: str, place: Destination, markup: InlineKeyboardMarkup | None = None
    ) -> None:
        """Answer with a text as it stands."""
        await self._context.show(place, text, markup, self._record["messages"])
        await self._context.end(place, self._updates)

    # --- turns ---

    def _make_turn(self) -> Turn:
        c, text, at = self._command, self._incoming.text, self._message.edit_date
        at = at or self._message.date
        sent = tuple(self._pictures.values())
        return Turn(self._place.key, c.user_id, c.scope, text, at, c.tz, c.mode, c.origin, sent)

    async def _answer(self, turn: Turn, shown: Sequence[int] = ()) -> None:
        """Answer; exactly one reply, however often this is begun."""
        context, place, lang, record = self._context, self._place, self._lang, self._record
        if place.private and turn.mode is WindowMode.NORMAL and not record.get("again"):
            await buttons.send_divider(context, place, turn.user_id, lang)
        head = ""
        if self._incoming.unread:
            head = say(lang, "unread.caption", what=self._name_unread()) + "\n\n"
        written = await write_reply(
            context, place, turn, lang, [*shown, *record["messages"]], head=head
        )
        ids = [kept.message.message_id for kept in self._parts]
        last = {"turn": turn.id, "user": turn.user_id, "ids": ids, "messages": written}
        await context.end(place, self._updates, **{f"last:{place.chat_id}": last})

    # --- commands ---

    async def _handle_command(self) -> None:
        context, message, place = self._context, self._message, self._place
        name = self._command.name
        try:
            if place.chat_id != message.chat_id and not await context.outbox.show_typing(place):
                # Somebody in a group whom we cannot write to in private.
                group = replace(get_destination(message), reply_to=message.message_id)
                text = say(self._lang, "private.first", name=context.me.username)
                await self._say(text, replace(group, key=place.key, recorded=place.recorded))
                return
            if self._record.get("again") and not self._record["messages"] and name in ONCE:
                outcome = CommandOutcome(False, say(self._lang, "interrupted", name=name))
            else:
                outcome = await self._carry_out()
        finally:
            context.becoming.discard(message.chat_id)
        if outcome.turn is not None:
            await self._answer(replace(outcome.turn, id=outcome.turn.id or place.key))
            return
        text, markup = outcome.text, buttons.make_choice_rows(outcome.choices)
        if name == "memories" and outcome.memories:
            word, number = parse_list_request(self._command.args)
            text, markup = await buttons.list_page(context.ebb, self._command, word, number - 1)
        await self._say(text or say(self._lang, "done"), place, markup)

    async def _carry_out(self) -> CommandOutcome:
        context, place, name = self._context, self._place, self._command.name
        if name == "start":
            return CommandOutcome(True, say(self._lang, "hello"))
        if name == "retry" and self._record.get("again"):  # its reply may be there by now
            self._command = replace(self._command, args="again")
        outcome = await context.agent.run_command(self._command)
        if outcome.session_id is not None and place.private:
            context.extracting.add(self._user_id)
        if outcome.mode is not None:
            await context.set_mode(place.chat_id, outcome.mode)
        if name == "help":  # a chat has no window to quit, but a reply to stop
            stop = f"- /stop – {say(self._lang, 'help.stop')}"
            text = re.sub(r"(?m)^- /image.*\n", "", outcome.text)
            return replace(outcome, text=re.sub(r"(?m)^- /quit.*", stop, text))
        return outcome

    # --- edits ---

    async def _handle_edit(self, text: str) -> None:
        """Answer the message answered last anew, in place; leave an older one as it is."""
        context, place = self._context, self._place
        last = await context.state.read(f"last:{place.chat_id}") if self._first.stored else {}
        mine = (last.get("ids"), last.get("user")) == ([self._message.message_id], self._user_id)
        if text and not mine:
            place = replace(place, reply_to=self._message.message_id)
            await self._say(say(self._lang, "edit.late"), place)
        elif text and await self._retract(last["turn"], text):
            await self._answer(self._make_turn(), last["messages"])
        else:
            await context.end(place, self._updates)

    async def _retract(self, turn_id: str, text: str) -> bool:
        """Hide the turn's messages, drop its pending learning and undo what was learned from it.

        False if the turn says the text already: an edit may change no word.
        """
        context, now = self._context, self._context.ebb.clock()

        def write(tx: Transaction) -> list[str] | None:
            row = tx.conversations.get_turn(turn_id)
            ids = filter(None, (row.user_message_id, row.reply_message_id) if row else ())
            messages = [m for i in ids if (m := tx.conversations.get_message(i)) is not None]
            same = {text, redact(text)[0]}
            if any(m.role == "user" and strip_pictures(m.text) in same for m in messages):
                return None
            sets = [s.id for s in tx.changes.list_undoable(_LOOKED_AT) if s.turn_id == turn_id]
            tx.changes.begin("user", "edit", now, turn_id=turn_id)
            for job in tx.jobs.list_pending("monitor"):
                if job.payload.get("turn_ids") == [turn_id]:
                    tx.jobs.cancel(job.id)  # what is being learned this moment is not kept
            for message in messages:
                if message.hidden_at is None:
                    tx.conversations.put_messages([replace(message, hidden_at=now)])
            return sets

        sets = await context.ebb.store.write(self._user_id, write)
        for set_id in sets or ():
            outcome = await context.run_command("undo", set_id, self._place, self._user_id, None)
            if not outcome.ok:
                log.info("what was learned from an edited message has been changed since; it stays")
        return sets is not None


async def answer_press(context: HandlerContext, place: Destination, turn: Turn, lang: Lang) -> None:
    """Answer a turn that a button began."""
    try:
        await write_reply(context, replace(place, key=turn.id, recorded=False), turn, lang)
    finally:
        context.running.pop(place.chat_id, None)


async def write_reply(
    context: HandlerContext,
    place: Destination,
    turn: Turn,
    lang: Lang,
    shown: Sequence[int] = (),
    *,
    head: str = "",
) -> list[int]:
    """Answer a turn in its chat, in the messages `shown` first; return the ids of its messages."""
    stop = buttons.make_stop_row(lang)
    reply = ReplyStream(context.outbox, place, stop, shown, head, typed=[turn.text])
    async with reply:
        end = await _converse(context, place, turn, reply, lang)
        foot = await _make_foot(context, turn, lang)
        pieces = await asyncio.to_thread(_lay_out, head, end, foot, lang, reply.typed)
        offered = end.choices if isinstance(end, Done) else ()
        await reply.finish(pieces, buttons.make_choice_rows(offered))
    return reply.message_ids


async def _converse(
    context: HandlerContext, place: Destination, turn: Turn, reply: ReplyStream, lang: Lang
) -> Ending:
    """Feed the reply with what the agent says; return how it ended."""
    agent, running = context.agent, RunningTurn(turn.id)
    context.running[place.chat_id] = running
    async with aclosing(agent.reply(turn)) as events:
        async for event in events:
            if isinstance(event, Recalled):
                told = [hit.memory for hit in event.hits]
                reply.typed += [text for m in told for text in (m.content, m.original_content)]
            elif isinstance(event, Delta):
                reply.feed(event.text)
                if event.literal:
                    reply.typed.append(event.text.strip())
            elif isinstance(event, Waiting):
                reply.wait(event.sentence)
            elif isinstance(event, Ending):
                return event
            if running.stopping:
                await agent.stop(turn.id)
    return Failed("internal", say(lang, "broken"))


async def _make_foot(context: HandlerContext, turn: Turn, lang: Lang) -> str:
    """Say under every reply of such a chat that it is off the record, or its memory is off."""
    if turn.mode is not WindowMode.NORMAL:
        return "\n\n" + say(lang, f"foot.{turn.mode}")
    status = await context.agent.get_status(turn.user_id, turn.scope, turn.at)
    return "\n\n" + say(lang, "foot.off") if status.memory_off else ""


def _lay_out(
    head: str, end: Ending, foot: str, lang: Lang, typed: Sequence[str]
) -> list[MessagePart]:
    """Lay the whole reply out: the model's words as Markdown, ours around them as they stand."""
    text = (end.partial if isinstance(end, Failed) else end.text).strip()
    if isinstance(end, Stopped):
        foot = f"\n\n{say(lang, 'stopped')}{foot}"
    elif isinstance(end, Failed):
        foot = f"\n\n⚠️ {end.sentence}{foot}"
    elif end.literal:
        return render_plain(head + text + foot)
    elif not text:
        foot = say(lang, "empty") + foot
    return render(text, before=head, after=foot, typed=typed)
