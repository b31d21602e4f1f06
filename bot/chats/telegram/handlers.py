"""What is done with a batch of messages: a turn, a command, an edit, or a friendly sentence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from bot.chats.telegram import edits, keyboards, lists, windows
from bot.chats.telegram.desk import HandlerContext, RunningTurn, oops
from bot.chats.telegram.inbox import get_sent_time
from bot.chats.telegram.incoming import (
    IncomingTurn,
    StoredUpdate,
    answer_place,
    get_client_language,
    get_destination,
    join_parts,
    parse_command,
)
from bot.chats.telegram.outbox import ChatGone, Destination
from bot.chats.telegram.render import MessagePart, render, render_plain
from bot.chats.telegram.streaming import ReplyStream
from bot.chats.telegram.texts import say
from bot.commands.memories import LISTED, parse_list_request
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

log = logging.getLogger(__name__)
ONCE = frozenset({"undo"})  # carried out twice, they would do more than was asked
Ending = Done | Stopped | Failed


class MessageHandlers:
    """Deals with what the lanes bring."""

    def __init__(self, desk: HandlerContext) -> None:
        self._desk = desk
        self._albums: dict[int, str] = {}  # the newest album of each chat: parts may come late

    def key(self, kept: StoredUpdate) -> str:
        """What a batch is known by, before and after a restart: chat and message."""
        message = kept.message
        base = f"tg-{self._desk.me.id}-{message.chat_id}-{message.message_id}"
        return f"{base}-e{kept.update.update_id}" if kept.edit else base

    async def composition(self, kept: StoredUpdate) -> Sequence[int]:
        """Which updates were one batch with this one before the restart."""
        record = await self._desk.journal.record(self.key(kept))
        return [int(i) for i in record.get("updates", [])]

    async def batch(self, parts: list[StoredUpdate]) -> None:
        """Deal with it. The boundary of a lane: whatever goes wrong, the lane goes on."""
        place = self._place(parts[0])
        try:
            await self._batch(parts, place)
        except StoreError as e:
            # Not marked as done: it is taken up again at the next start.
            log.warning("a message waits for the next start: %s", e)
            await self._apologise(parts[0], place)
        except ChatGone:
            await self._give_up(parts)
        except Exception as e:  # noqa: BLE001 - said above
            oops("a message could not be dealt with", e, log_text=self._desk.ebb.settings.log_text)
            await self._apologise(parts[0], place)
            await self._give_up(parts)
        finally:
            self._desk.running.pop(place.chat_id, None)

    def _place(self, kept: StoredUpdate) -> Destination:
        place = answer_place(kept.message, self._desk.me.username or "")
        return replace(place, key=self.key(kept), recorded=kept.stored)

    async def _batch(self, parts: list[StoredUpdate], place: Destination) -> None:
        first = parts[0]
        self._desk.outbox.record_message(first.message.chat_id, first.message.message_id)
        await self._desk.recall_sent(place.chat_id)
        if first.edit:
            await self._edited(first, place)
            return
        command = parse_command(first.message, self._desk.me.username or "")
        if command is not None:
            await self._command(first, place, *command)
            return
        said = " ".join(
            p.message.text or p.message.caption or ""
            for p in parts
            if p.message.forward_origin is None
        )
        lang = await self._desk.language(first.user_id, first.message.from_user, said)
        incoming = join_parts(parts, self._desk.me, lang)
        album, late = first.message.media_group_id, False
        if album is not None:
            late = self._albums.get(place.chat_id) == album
            self._albums[place.chat_id] = album
        if incoming.text:
            await self.answer(first, incoming, place, lang)
        elif incoming.unread and not late:
            await self._unreadable(first, incoming, place, lang)
        else:
            await self._desk.end("", incoming.updates, stored=first.stored)

    # --- turns ---

    async def answer(
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
        desk = self._desk
        record = await desk.begin(
            place.key, incoming.updates, stored=first.stored, shown=list(shown)
        )
        if record.get("done"):
            await desk.end("", incoming.updates, stored=first.stored)
            return
        mode = await desk.mode(place.chat_id)
        shown = self._shown(record, place)
        if place.private and mode is WindowMode.NORMAL and not record.get("again"):
            await windows.send_divider(desk, place, first.user_id, lang)
        turn = turn or Turn(
            id=place.key,
            user_id=first.user_id,
            scope=desk.scope(place, first.user_id),
            text=incoming.text,
            at=incoming.at,
            tz=desk.ebb.tz,
            mode=mode,
            origin=desk.origin(place),
        )
        head = ""
        if incoming.unread:
            what = _kinds(incoming.unread, lang)
            head = f"{say(lang, 'unread.caption', what=what)}\n\n"
        running = desk.running[place.chat_id] = RunningTurn(turn.id, incoming.message_ids)
        reply_to = None if place.private else incoming.message_id
        reply = ReplyStream(
            desk.outbox,
            place,
            desk.tuning,
            stop=keyboards.stop(lang),
            shown=shown,
            reply_to=reply_to,
            head=head,
        )
        async with reply:
            reply.typed.append(turn.text)
            end = await self._converse(turn, reply, running, lang)
            offered = end.choices if isinstance(end, Done) else ()
            off = (
                running.memory_off
                and (await desk.agent.get_status(turn.user_id, turn.scope, turn.at)).memory_off
            )
            foot = _foot(mode, lang, off=off)
            pieces = await asyncio.to_thread(_pieces, head, end, foot, lang, reply.typed)
            await reply.finish(pieces, keyboards.make_choice_rows(offered))
        last = {"turn": turn.id, "ids": list(incoming.message_ids), "messages": reply.message_ids}
        await desk.end(
            place.key,
            incoming.updates,
            stored=first.stored,
            **{f"last:{place.chat_id}": {**last, "user": first.user_id}},
        )

    async def _converse(
        self, turn: Turn, reply: ReplyStream, running: RunningTurn, lang: Lang
    ) -> Ending:
        """Feed the reply with what the agent says; how it ended."""
        agent = self._desk.agent
        async with aclosing(agent.reply(turn)) as events:
            async for event in events:
                if isinstance(event, Started):
                    running.started, running.memory_off = True, event.memory_off
                elif isinstance(event, Recalled):
                    reply.typed += [hit.memory.content for hit in event.hits]
                elif isinstance(event, Delta):
                    if event.literal:
                        reply.typed.append(event.text.strip())
                    reply.feed(event.text)
                elif isinstance(event, Done | Stopped | Failed):
                    return event
                if running.stopping:
                    await agent.stop(turn.id)
        return Failed("internal", say(lang, "broken"))

    def _shown(self, record: dict[str, Any], place: Destination) -> list[int]:
        """Messages of this answer that exist already.

        Where a crash fell between sending the first one and hearing its id, it is looked for when
        the answer is sent.
        """
        shown = record.get("messages") or record.get("shown") or []
        if not shown and record.get("again") and record.get("after"):
            self._desk.outbox.check_lost_message(place.chat_id, int(record["after"]))
        return [int(i) for i in shown]

    async def stop(self, kept: StoredUpdate, *, lang: Lang) -> str:
        """Stop what is being written in that chat, past its queue; what to say to that (nothing, if it stopped)."""
        message = kept.update.effective_message
        running = self._desk.running.get(message.chat.id) if message else None
        if running is None:
            return say(lang, "stop.nothing")
        running.stopping = True
        await self._desk.agent.stop(running.turn_id)
        return ""

    # --- commands ---

    async def _command(self, kept: StoredUpdate, place: Destination, name: str, args: str) -> None:
        desk = self._desk
        lang = await desk.language(kept.user_id, kept.message.from_user, args)
        record = await desk.begin(place.key, kept.ids, stored=kept.stored)
        shown = self._shown(record, place)
        try:
            if record.get("done"):
                await desk.end("", kept.ids, stored=kept.stored)
                return
            if place.chat_id != kept.message.chat_id and not await desk.outbox.can_reach(place):
                await self._ask_in(kept, lang)
                return
            if record.get("again") and not shown and name in ONCE:
                outcome = CommandOutcome(False, say(lang, "interrupted", name=name))
            else:
                outcome = await self._carry_out(kept, place, name, args, lang)
        finally:
            desk.became(kept.message.chat_id)
        if outcome.turn is not None:
            message, ids = kept.message, (kept.message.message_id,)
            turn = replace(outcome.turn, id=place.key)
            incoming = IncomingTurn(
                turn.text, (), message.message_id, ids, tuple(kept.ids), message.date
            )
            await self.answer(kept, incoming, place, lang, turn=turn)
            return
        text, markup = (
            outcome.text or say(lang, "done"),
            keyboards.make_choice_rows(outcome.choices),
        )
        if name == "memories" and outcome.memories:
            word, number = parse_list_request(args)
            first = (
                (number - 1) * LISTED // lists.PAGE
            )  # `page 2` of the long list is further on in the short ones
            text, markup = await lists.list_page(
                desk.ebb, desk.searches, kept.user_id, word, first, lang
            )
        reply_to = None if place.private else kept.message.message_id
        await desk.show(place, text, markup, shown=shown, reply_to=reply_to)
        await desk.end(place.key, kept.ids, stored=kept.stored)

    async def _ask_in(self, kept: StoredUpdate, lang: Lang) -> None:
        """Do nothing for somebody in a group whom we cannot write to in private, and say so there."""
        group = replace(get_destination(kept.message), key=self.key(kept), recorded=kept.stored)
        text = say(lang, "private.first", name=self._desk.me.username)
        await self._desk.show(group, text, reply_to=kept.message.message_id)
        await self._desk.end(group.key, kept.ids, stored=kept.stored)

    async def _carry_out(
        self, kept: StoredUpdate, place: Destination, name: str, args: str, lang: Lang
    ) -> CommandOutcome:
        desk = self._desk
        if name == "start":
            return CommandOutcome(True, say(lang, "hello"))
        mode = await desk.mode(place.chat_id)
        command = desk.command(name, args, place, kept.user_id, lang, mode)
        before = await desk.agent.get_status(kept.user_id, command.scope, command.at)
        outcome = await desk.agent.run_command(command)
        if (
            outcome.session_id is not None
            and before.session_id not in (None, outcome.session_id)
            and place.private
        ):
            desk.extracting.setdefault(kept.user_id, []).append(replace(place, key=""))
        if name == "help":
            outcome = replace(outcome, text=_help(outcome.text, lang))
        if outcome.mode is not None:
            await desk.set_mode(place.chat_id, outcome.mode)
        return outcome

    # --- the rest ---

    async def _edited(self, kept: StoredUpdate, place: Destination) -> None:
        """The message answered last is answered anew, in place; an older one stays as it is."""
        desk = self._desk
        lang = await desk.language(kept.user_id, kept.message.from_user, kept.message.text or "")
        last = await desk.journal.record(f"last:{place.chat_id}") if kept.stored else {}
        incoming = join_parts([kept], desk.me, lang)
        if not incoming.text or parse_command(kept.message, desk.me.username or "") is not None:
            await desk.end("", kept.ids, stored=kept.stored)
        elif last.get("ids") == [kept.message.message_id] and last.get("user") == kept.user_id:
            if await edits.has_same_text(desk.ebb.store, kept.user_id, last["turn"], incoming.text):
                await desk.end("", kept.ids, stored=kept.stored)
                return
            await edits.retract_turn(desk, kept.user_id, last["turn"], place)
            now = get_sent_time(kept.update, desk.ebb.clock())
            await self.answer(kept, replace(incoming, at=now), place, lang, shown=last["messages"])
        else:
            await desk.begin(place.key, kept.ids, stored=kept.stored)
            await desk.show(place, say(lang, "edit.late"), reply_to=kept.message.message_id)
            await desk.end(place.key, kept.ids, stored=kept.stored)

    async def _unreadable(
        self, kept: StoredUpdate, incoming: IncomingTurn, place: Destination, lang: Lang
    ) -> None:
        record = await self._desk.begin(place.key, incoming.updates, stored=kept.stored)
        if not record.get("done"):
            text = say(lang, "unread.alone", what=_kinds(incoming.unread, lang))
            reply_to = None if place.private else incoming.message_id
            await self._desk.show(place, text, shown=record["messages"], reply_to=reply_to)
        await self._desk.end(place.key, incoming.updates, stored=kept.stored)

    async def _apologise(self, kept: StoredUpdate, place: Destination) -> None:
        sentence = say(get_client_language(kept.message.from_user), "broken")
        await self._desk.show(replace(place, key="", recorded=False), sentence)

    async def _give_up(self, parts: Sequence[StoredUpdate]) -> None:
        """Nothing more can be done about it: trying again at the next start would fail again."""
        try:
            await self._desk.end("", [i for p in parts for i in p.ids], stored=parts[0].stored)
        except StoreError as e:
            log.warning("a message could not be marked as done: %s", e)


def _kinds(unread: Sequence[str], lang: Lang) -> str:
    return join((say(lang, f"kind.{k}") for k in unread), lang, "list")


def _pieces(
    head: str, end: Ending, foot: str, lang: Lang, typed: Sequence[str]
) -> list[MessagePart]:
    """The whole reply: the model's words as Markdown, ours around them as they stand."""
    if isinstance(end, Done):
        text, after = end.text.strip(), foot if end.text.strip() else say(lang, "empty") + foot
        if end.literal:
            return render_plain(head + text + after)
    elif isinstance(end, Stopped):
        text, after = end.text.rstrip(), f"\n\n{say(lang, 'stopped')}{foot}"
    else:
        text, after = end.partial.rstrip(), f"\n\n⚠️ {end.sentence}{foot}"
    return render(text, before=head, after=after, typed=typed)


def _help(text: str, lang: Lang) -> str:
    """The agent's list of commands, without what a chat has not, and with what it has besides."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("- /quit"):
            lines[i] = f"- /stop – {say(lang, 'help.stop')}"
    return "\n".join(lines)


def _foot(mode: WindowMode, lang: Lang, *, off: bool) -> str:
    """An off-the-record chat says so under every reply, as does one whose memory is off."""
    if mode is WindowMode.NORMAL:
        return "\n\n" + say(lang, "off.foot") if off else ""
    return "\n\n" + say(lang, "temp.foot" if mode is WindowMode.TEMP else "private.foot")
