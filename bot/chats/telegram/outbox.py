"""Sending and editing, with the patience that each deserves.

A reply is painted while it is being written. One frame is one request: an edit of what changed
first, or the next message where the text has outgrown the last. It is tried once, at a distance
from the one before: on flood control or a network error it is dropped, for the next one says more.
What must arrive is tried until it has, however long Telegram asks us to wait.

After a send whose fate is unknown (the connection broke) nothing new is sent to that chat before we
have looked for the message. The Bot API lists no messages, but ids of all private chats and basic
groups of a bot are one rising sequence (a supergroup has its own): the lost message has an id that
is newer than the newest known when it was sent, and that neither an update nor an answer has told
us of. Editing those ids finds it: of messages of other chats and people Telegram says that they
cannot be edited. What a later send leaves between it and that doubt is removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Self, TypeVar

from telegram import Bot, InlineKeyboardMarkup, Message, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, TelegramError

from bot.chats.telegram.render import MessagePart, render
from bot.chats.telegram.wire import BotTiming, FloodWait, wait_for_event

log = logging.getLogger(__name__)
T = TypeVar("T")

# Ids looked at behind the newest one known: messages of other chats not heard of yet.
AHEAD = 25
PROBED = 500  # ids looked at in one search, at most
_SUPERGROUP = -(10**12)  # chats below have message ids of their own
_NOT_MODIFIED = "not modified"
_GONE = ("chat not found", "not enough rights", "have no rights", "topic_closed")


class ChatGone(Exception):
    """The chat cannot be written to any more: the bot was blocked or removed."""


class MessageNotEditable(Exception):
    """The message is not there any more, or too old."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A place to write to, and how.

    New messages there are recorded under `key`, if `recorded`. The first one answers `reply_to`.
    """

    chat_id: int
    thread_id: int | None = None
    private: bool = True
    key: str = ""
    recorded: bool = True
    silent: bool = False
    reply_to: int | None = None


async def _ignore(*_: object) -> None:
    """Do nothing."""


class Outbox:
    """Sends a bot's messages.

    `on_sending(where, newest)` is awaited before each new message, with the newest id known then,
    and `on_sent(where, message_id)` after it, before anything else.
    """

    def __init__(
        self,
        bot: Bot,
        timing: BotTiming,
        on_sending: Callable[[Destination, int], Awaitable[None]] = _ignore,
        on_sent: Callable[[Destination, int], Awaitable[None]] = _ignore,
    ) -> None:
        self._bot = bot
        self.timing = timing
        self._on_sending = on_sending
        self._on_sent = on_sent
        # By sequence: ids of messages we know of, whoever wrote them, and the newest.
        self._known: dict[int, set[int]] = defaultdict(set)
        self._last: dict[int, int] = defaultdict(int)
        # By chat: the newest id known before a send whose fate is unknown.
        self._doubts: dict[int, int] = {}
        # By chat: what is on its way must not be taken for lost.
        self._locks: dict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    def record_message(self, chat_id: int, message_id: int) -> None:
        """Note the id of a message, whoever wrote it."""
        of = _get_sequence(chat_id)
        self._last[of] = max(self._last[of], message_id)
        self._known[of].add(message_id)

    def check_lost_message(self, chat_id: int, newest: int) -> None:
        """Look for a lost message behind `newest` before anything is sent to the chat."""
        self._doubts.setdefault(chat_id, newest)

    async def send(
        self,
        where: Destination,
        piece: MessagePart,
        markup: InlineKeyboardMarkup | None = None,
        *,
        patient: bool = True,
    ) -> int:
        """Send a message and return its id; a lost one is looked for first.

        Raises ChatGone. Not `patient`, it is tried once and raises TelegramError as well.
        """

        async def attempt() -> int:
            async with self._locks[where.chat_id]:
                return await self._send(where, piece, markup)

        if not patient:
            return await attempt()
        try:
            message_id = await self.retry(attempt)
            await self.remove_unconfirmed(where)
        except BadRequest as e:
            log.warning("a message was refused: %s", e.message)
            raise ChatGone(e.message) from None
        return message_id

    async def _send(
        self, where: Destination, piece: MessagePart, markup: InlineKeyboardMarkup | None
    ) -> int:
        chat_id = where.chat_id
        found = await self._adopt(where, piece, markup) if chat_id in self._doubts else None
        if found is not None:
            self.record_message(chat_id, found)
            await self._on_sent(where, found)
            return found
        newest = self._last[_get_sequence(chat_id)]
        await self._on_sending(where, newest)
        reply = where.reply_to and ReplyParameters(where.reply_to, allow_sending_without_reply=True)

        def request(p: MessagePart) -> Awaitable[Message]:
            return self._bot.send_message(
                chat_id,
                p.text,
                entities=p.entities() or None,
                message_thread_id=where.thread_id,
                disable_notification=where.silent or None,
                reply_parameters=reply or None,
                reply_markup=markup,
            )

        try:
            message_id = (await _call_formatted(request, piece)).message_id
        except (FloodWait, BadRequest):
            raise
        except TelegramError:
            if newest:
                self.check_lost_message(chat_id, newest)
            raise
        self.record_message(chat_id, message_id)
        await self._on_sent(where, message_id)
        if (after := self._doubts.get(chat_id)) is not None:
            # This one is sent; `remove_unconfirmed` looks again.
            with contextlib.suppress(TelegramError, ChatGone):
                await self._remove_lost(where, after, message_id)
                self._doubts[chat_id] = message_id  # carried out late, the lost one is behind this
        return message_id

    async def edit(
        self,
        where: Destination,
        message_id: int,
        piece: MessagePart,
        markup: InlineKeyboardMarkup | None = None,
        *,
        patient: bool = True,
    ) -> None:
        """Make the message show this.

        Raises ChatGone and MessageNotEditable; not `patient`, TelegramError as well.
        """

        def request(p: MessagePart) -> Awaitable[object]:
            entities = p.entities() or None
            return self._bot.edit_message_text(
                p.text, where.chat_id, message_id, entities=entities, reply_markup=markup
            )

        async def attempt() -> None:
            try:
                await _call_formatted(request, piece)
            except BadRequest as e:
                if _NOT_MODIFIED not in e.message.lower():
                    raise MessageNotEditable(e.message) from None

        await (self.retry(attempt) if patient else attempt())

    async def remove(self, where: Destination, message_id: int) -> None:
        """Delete a message of ours; one that cannot be deleted stays."""
        with contextlib.suppress(BadRequest, ChatGone):
            await self.retry(lambda: _call(self._bot.delete_message(where.chat_id, message_id)))

    async def show_typing(self, where: Destination) -> bool:
        """Show that a reply is being written; False if we may not write there."""
        try:
            await self._bot.send_chat_action(
                where.chat_id, ChatAction.TYPING, message_thread_id=where.thread_id
            )
        except (Forbidden, BadRequest):
            return False
        except TelegramError:
            log.debug("nobody was told that a reply is being written")
        return True

    async def retry(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try until Telegram takes it or refuses it for good. Raises BadRequest."""
        delay = self.timing.retry_first
        while True:
            try:
                return await attempt()
            except BadRequest:
                raise
            except FloodWait as e:
                await asyncio.sleep(e.seconds)
            except TelegramError:
                await asyncio.sleep(delay)
                delay = min(delay * 2, self.timing.retry_most)

    # --- messages whose fate is unknown ---

    async def remove_unconfirmed(self, where: Destination) -> None:
        """Remove what a send of unknown fate may have left in the chat after all."""
        if where.chat_id in self._doubts:
            async with self._locks[where.chat_id]:
                await self.retry(lambda: self._remove_lost(where, self._doubts[where.chat_id]))
                del self._doubts[where.chat_id]

    def _list_unknown(self, chat_id: int, after: int, until: int | None = None) -> list[int]:
        """List ids behind `after` (and before `until`) of messages that we know nothing of."""
        of = _get_sequence(chat_id)
        end = until or max(self._last[of], after) + AHEAD + 1
        return [i for i in range(after + 1, end) if i not in self._known[of]][:PROBED]

    async def _adopt(
        self, where: Destination, piece: MessagePart, markup: InlineKeyboardMarkup | None
    ) -> int | None:
        """Make the chat's lost message show the piece; None if there is no such message."""
        for message_id in self._list_unknown(where.chat_id, self._doubts[where.chat_id]):
            try:
                await self.edit(where, message_id, piece, markup, patient=False)
            except MessageNotEditable:
                if message_id < self._last[_get_sequence(where.chat_id)]:
                    self._doubts[where.chat_id] = message_id  # another's: never looked at again
                continue
            self._doubts[where.chat_id] = message_id
            return message_id
        return None

    async def _remove_lost(self, where: Destination, after: int, until: int | None = None) -> None:
        """Delete the chat's lost messages: only ours can be edited, so that is tried first."""
        for message_id in self._list_unknown(where.chat_id, after, until):
            try:
                await _call(self._bot.edit_message_reply_markup(where.chat_id, message_id))
            except BadRequest as e:
                if _NOT_MODIFIED not in e.message.lower():
                    continue
            log.info("a message that was sent twice is removed")
            with contextlib.suppress(BadRequest):
                await _call(self._bot.delete_message(where.chat_id, message_id))


async def _call(request: Awaitable[T]) -> T:
    """Await one request. Raises ChatGone for what Telegram says of the chat."""
    try:
        return await request
    except (Forbidden, ChatMigrated) as e:
        raise ChatGone(type(e).__name__) from None
    except BadRequest as e:
        if any(words in e.message.lower() for words in _GONE):
            raise ChatGone(e.message) from None
        raise


async def _call_formatted(request: Callable[[MessagePart], Awaitable[T]], piece: MessagePart) -> T:
    """Request with formatting, or without where Telegram will not have it."""
    try:
        return await _call(request(piece))
    except BadRequest as e:
        if not (piece.marks and any(word in e.message.lower() for word in ("entit", "url"))):
            raise
        log.warning("Telegram refused the formatting; sending plain text")
        return await _call(request(MessagePart(piece.text)))


def _get_sequence(chat_id: int) -> int:
    """Return which sequence of message ids the chat's come from."""
    return chat_id if chat_id < _SUPERGROUP else 0


# --- replies ---


@dataclass
class _SentMessage:
    """One of ours, and what it shows (None: not known)."""

    id: int
    shows: tuple[MessagePart, InlineKeyboardMarkup | None] | None = None


@dataclass
class ReplyStream:
    """One reply in one chat. Use as an async context manager; `finish` makes it whole.

    `shown` are messages of this reply that exist already (from before a restart, or of the answer
    that this one replaces): they are reused. `head` is literal text in front of what is fed, and
    what the person said (`typed`) is literal where the reply quotes it.
    """

    outbox: Outbox
    where: Destination
    stop: InlineKeyboardMarkup | None = None
    shown: InitVar[Sequence[int]] = ()
    head: str = ""
    typed: list[str] = field(default_factory=list)
    _messages: list[_SentMessage] = field(init=False)
    _stale: list[int] = field(default_factory=list)
    _text: str = ""
    _waits: str = ""
    _dirty: asyncio.Event = field(default_factory=asyncio.Event)
    _closing: asyncio.Event = field(default_factory=asyncio.Event)
    _not_before: float = 0.0
    _painter: asyncio.Task[None] | None = None

    def __post_init__(self, shown: Sequence[int]) -> None:
        timing = self.outbox.timing
        self._interval = timing.private_interval if self.where.private else timing.group_interval
        self._messages = [_SentMessage(i) for i in shown]

    async def __aenter__(self) -> Self:
        self._painter = asyncio.create_task(self._paint())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop_painting()

    @property
    def message_ids(self) -> list[int]:
        """Return where the reply stands."""
        return [m.id for m in self._messages]

    def feed(self, text: str) -> None:
        """Add what more of the reply has been written."""
        self._text, self._waits = self._text + text, ""
        self._dirty.set()

    def wait(self, sentence: str) -> None:
        """Say that nothing comes, until something does."""
        self._waits = f"\n\n{sentence}" if self._text else sentence
        self._dirty.set()

    async def finish(
        self, pieces: Sequence[MessagePart], markup: InlineKeyboardMarkup | None = None
    ) -> list[int]:
        """Show the whole reply and return the ids of its messages. Raises ChatGone."""
        await self._stop_painting()
        for i, piece in enumerate(pieces):
            await self._show(i, piece, markup if piece is pieces[-1] else None, patient=True)
        self._stale += [m.id for m in self._messages[len(pieces) :]]
        del self._messages[len(pieces) :]
        for message_id in self._stale:
            await self.outbox.remove(self.where, message_id)
        self._stale = []
        await self.outbox.remove_unconfirmed(self.where)
        return self.message_ids

    async def _show(
        self, i: int, piece: MessagePart, markup: InlineKeyboardMarkup | None, *, patient: bool
    ) -> bool:
        """Make the i-th message show its piece; False if it does already.

        Not `patient`, it is tried once and raises TelegramError.
        """
        message = self._messages[i] if i < len(self._messages) else None
        if message is not None and message.shows == (piece, markup):
            return False
        if patient:
            await asyncio.sleep(max(0.0, self._not_before - time.monotonic()))
        if message is not None:
            message.shows = None  # it may arrive or not
            try:
                await self.outbox.edit(self.where, message.id, piece, markup, patient=patient)
            except MessageNotEditable:
                stale = message.id
                message.id = await self.outbox.send(self.where, piece, markup, patient=patient)
                self._stale.append(stale)
        else:
            where = replace(self.where, reply_to=None) if self._messages else self.where
            sent = await self.outbox.send(where, piece, markup, patient=patient)
            message = _SentMessage(sent)
            self._messages.append(message)
        message.shows = (piece, markup)
        self._not_before = time.monotonic() + self._interval
        return True

    # --- while it is being written ---

    async def _paint(self) -> None:
        timing, first = self.outbox.timing, time.monotonic() + self.outbox.timing.first_paint
        while not self._closing.is_set():
            if not self._messages:
                await self.outbox.show_typing(self.where)
            await wait_for_event(self._dirty, timing.typing_every)
            pause = max(first, self._not_before) - time.monotonic()
            if pause > 0 and self._dirty.is_set():
                await wait_for_event(self._closing, pause)
            if self._closing.is_set() or not self._dirty.is_set():
                continue
            self._dirty.clear()
            try:
                if not await self._paint_frame():
                    self._dirty.set()  # there is more to show than one request can
            except FloodWait as e:
                self._not_before = time.monotonic() + e.seconds
            except ChatGone:
                return
            except TelegramError:
                self._not_before = time.monotonic() + max(self._interval, timing.retry_first)

    async def _paint_frame(self) -> bool:
        """Show what changed first; return whether everything is shown now."""
        pieces = await asyncio.to_thread(
            render, self._text, before=self.head, after=self._waits, typed=self.typed
        )
        for i, piece in enumerate(pieces):
            last = piece is pieces[-1]
            if await self._show(i, piece, self.stop if last else None, patient=False):
                return last
        return True

    async def _stop_painting(self) -> None:
        """Stop painting, but let a request on its way arrive: its fate must be known."""
        self._closing.set()
        self._dirty.set()
        if self._painter is not None:
            await self._painter
