"""Sending and editing, with the patience that each deserves.

A frame of a reply being written is tried once: on flood control or a network error it is dropped,
for the next one says more. What must arrive is tried until it has, however long Telegram asks us to
wait.

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
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from telegram import Bot, InlineKeyboardMarkup, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, TelegramError

from bot.chats.telegram.render import LIMIT, MessagePart, split
from bot.chats.telegram.tuning import BotTiming
from bot.chats.telegram.wire import FloodWait

log = logging.getLogger(__name__)
T = TypeVar("T")

# ids looked at behind the newest one known: messages of other chats that we have not heard of yet
AHEAD = 25
PROBED = 500  # ids looked at in one search, at most
_KNOWN = 4000  # ids kept in mind, at least
_SUPERGROUP = -(10**12)  # chats below have message ids of their own
_NOT_MODIFIED = "not modified"
_NO_EDIT = (
    "message to edit not found",
    "can't be edited",
    "message_id_invalid",
    "message identifier is not",
)
_UNFORMATTED = ("parse entities", "entity", "entities", "url")


class ChatGone(Exception):
    """The chat cannot be written to any more: the bot was blocked or removed."""


class MessageNotEditable(Exception):
    """The message is not there any more, or too old."""


class RetryLater(Exception):
    """Not now: try again in `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"try again in {seconds:g} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Destination:
    """A place to write to. New messages there are recorded under `key`, if `recorded`."""

    chat_id: int
    thread_id: int | None = None
    private: bool = True
    key: str = ""
    recorded: bool = True


class Outbox:
    """One per bot.

    `on_sent(where, message_id, ours)` is awaited after each new message, before anything else;
    `ours` are the newest messages of ours in that chat. `on_sending(where, newest)` is awaited
    before, with the newest id known then.
    """

    def __init__(
        self,
        bot: Bot,
        tuning: BotTiming,
        on_sent: Callable[[Destination, int, list[int]], Awaitable[None]] | None = None,
        on_sending: Callable[[Destination, int], Awaitable[None]] | None = None,
    ) -> None:
        self._bot = bot
        self._tuning = tuning
        self._on_sent = on_sent
        self._on_sending = on_sending
        self._ours: dict[int, deque[int]] = {}
        self._known: dict[
            int, set[int]
        ] = {}  # by sequence: ids of messages we know of, whoever wrote them
        self._last: dict[int, int] = {}  # by sequence
        self._doubts: dict[
            int, int
        ] = {}  # by chat: the newest id known before a send whose fate is unknown
        self._sending: dict[
            int, asyncio.Lock
        ] = {}  # by chat: what is on its way must not be taken for lost

    def record_message(self, chat_id: int, message_id: int) -> None:
        """Note the id of a message, whoever wrote it."""
        of = _sequence(chat_id)
        last = self._last[of] = max(self._last.get(of, 0), message_id)
        known = self._known.setdefault(of, set())
        known.add(message_id)
        if len(known) > 2 * _KNOWN:
            self._known[of] = {i for i in known if i > last - _KNOWN}

    def record_own_messages(self, chat_id: int, message_ids: Iterable[int]) -> None:
        """Note messages that are ours already."""
        ours = self._ours.setdefault(chat_id, deque(maxlen=40))
        for message_id in message_ids:
            ours.append(message_id)
            self.record_message(chat_id, message_id)

    def check_lost_message(self, chat_id: int, newest: int) -> None:
        """Look for a lost message behind `newest` before anything is sent to the chat."""
        self._doubts.setdefault(chat_id, newest)

    def is_stray(self, chat_id: int, message_id: int) -> bool:
        """Tell whether a message of the bot is one it never heard of: not ours, and no older than those we know."""
        ours = self._ours.get(chat_id, ())
        return bool(ours) and message_id > min(ours) and message_id not in ours

    # --- what must arrive ---

    async def send(
        self,
        where: Destination,
        piece: MessagePart,
        markup: InlineKeyboardMarkup | None = None,
        *,
        reply_to: int | None = None,
        silent: bool = False,
    ) -> int:
        """Send; returns the message's id. Raises Gone."""
        try:
            message_id = await self._patiently(
                lambda: self.try_send(where, piece, markup, reply_to=reply_to, silent=silent)
            )
            await self.remove_unconfirmed(where)
        except BadRequest as e:
            log.warning("a message was refused: %s", e.message)
            raise ChatGone(e.message) from None
        return message_id

    async def edit(
        self,
        where: Destination,
        message_id: int,
        piece: MessagePart,
        markup: InlineKeyboardMarkup | None = None,
    ) -> None:
        """Make the message show this. Raises Gone and NotEditable."""
        await self._patiently(lambda: self.try_edit(where, message_id, piece, markup))

    async def remove(self, where: Destination, message_id: int) -> None:
        """Delete a message of ours; one that cannot be deleted stays."""
        try:
            await self._patiently(
                lambda: self._once(self._bot.delete_message(where.chat_id, message_id))
            )
        except (BadRequest, ChatGone) as e:
            log.info("a message could not be removed: %s", type(e).__name__)

    async def strip(self, where: Destination, message_id: int) -> None:
        """Take the buttons from a message of ours; what cannot be edited stays as it is.

        Raises Gone.
        """
        with contextlib.suppress(BadRequest):
            await self._patiently(
                lambda: self._once(self._bot.edit_message_reply_markup(where.chat_id, message_id))
            )

    async def remove_unconfirmed(self, where: Destination) -> None:
        """Remove what a send of unknown fate may have left in the chat after all."""
        if where.chat_id in self._doubts:
            async with self._lock(where):
                await self._patiently(lambda: self._remove_lost(where, self._doubts[where.chat_id]))
                del self._doubts[where.chat_id]

    def _lock(self, where: Destination) -> asyncio.Lock:
        return self._sending.setdefault(where.chat_id, asyncio.Lock())

    def _lost(self, chat_id: int, after: int, until: int | None = None) -> list[int]:
        """Ids behind `after` (and before `until`) of messages that we know nothing of."""
        of = _sequence(chat_id)
        known = self._known.get(of, set())
        end = until or max(self._last.get(of, 0), after) + AHEAD + 1
        return [i for i in range(after + 1, end) if i not in known][:PROBED]

    async def _adopt(
        self, where: Destination, piece: MessagePart, markup: InlineKeyboardMarkup | None
    ) -> int | None:
        """Make the chat's lost message show the piece; None if there is no such message.

        Raises like `try_edit`.
        """
        for message_id in self._lost(where.chat_id, self._doubts[where.chat_id]):
            try:
                await self.try_edit(where, message_id, piece, markup)
            except MessageNotEditable:
                if message_id < self._last.get(_sequence(where.chat_id), 0):
                    self._doubts[where.chat_id] = (
                        message_id  # somebody else's: never looked at again
                    )
                continue
            self._doubts[where.chat_id] = message_id
            return message_id
        return None

    async def _remove_lost(self, where: Destination, after: int, until: int | None = None) -> None:
        """Delete the chat's lost messages.

        Deleting alone would take other people's: only ours can be edited.
        """
        for message_id in self._lost(where.chat_id, after, until):
            try:
                await self._once(self._bot.edit_message_reply_markup(where.chat_id, message_id))
            except BadRequest as e:
                if _NOT_MODIFIED not in e.message.lower():
                    continue
            log.info("a message that was sent twice is removed")
            with contextlib.suppress(BadRequest):
                await self._once(self._bot.delete_message(where.chat_id, message_id))

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        delay = self._tuning.retry_first
        while True:
            try:
                return await attempt()
            except RetryLater as e:
                await asyncio.sleep(e.seconds)
            except BadRequest:
                raise
            except TelegramError as e:
                log.info("a request failed (%s); trying again", type(e).__name__)
                await asyncio.sleep(delay)
                delay = min(delay * 2, self._tuning.retry_most)

    # --- what may fail ---

    async def try_send(
        self,
        where: Destination,
        piece: MessagePart,
        markup: InlineKeyboardMarkup | None = None,
        *,
        reply_to: int | None = None,
        silent: bool = False,
    ) -> int:
        """Send once; a message whose fate was unknown is looked for first.

        Raises Gone, Later, TelegramError.
        """
        chat_id = where.chat_id
        reply = ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None

        async def attempt(p: MessagePart) -> int:
            message = await self._once(
                self._bot.send_message(
                    chat_id,
                    p.text,
                    entities=p.entities() or None,
                    message_thread_id=where.thread_id,
                    disable_notification=silent or None,
                    reply_parameters=reply,
                    reply_markup=markup,
                )
            )
            return message.message_id

        async with self._lock(where):
            if (
                chat_id in self._doubts
                and (found := await self._adopt(where, piece, markup)) is not None
            ):
                await self._note(where, found)
                return found
            newest = self._last.get(_sequence(chat_id), 0)
            if self._on_sending is not None:
                await self._on_sending(where, newest)
            try:
                message_id = await self._formatted(attempt, piece)
            except (RetryLater, ChatGone, BadRequest):
                raise
            except TelegramError:
                if newest:
                    self.check_lost_message(chat_id, newest)
                raise
            await self._note(where, message_id)
            if (after := self._doubts.get(chat_id)) is not None:
                with contextlib.suppress(
                    TelegramError, RetryLater, ChatGone
                ):  # this one is sent; `settle` looks again
                    await self._remove_lost(where, after, message_id)
                    self._doubts[chat_id] = (
                        message_id  # carried out late, the lost one is behind this
                    )
            return message_id

    async def try_edit(
        self,
        where: Destination,
        message_id: int,
        piece: MessagePart,
        markup: InlineKeyboardMarkup | None = None,
    ) -> None:
        """Edit once. Raises Gone, Later, NotEditable, TelegramError."""

        async def attempt(p: MessagePart) -> None:
            await self._once(
                self._bot.edit_message_text(
                    p.text,
                    where.chat_id,
                    message_id,
                    entities=p.entities() or None,
                    reply_markup=markup,
                )
            )

        try:
            await self._formatted(attempt, piece)
        except BadRequest as e:
            if _NOT_MODIFIED not in e.message.lower():
                raise MessageNotEditable(e.message) from None

    async def can_reach(self, where: Destination) -> bool:
        """Tell whether we may write to the chat: a person must have begun.

        Network errors count as yes.
        """
        try:
            await self._bot.send_chat_action(where.chat_id, ChatAction.TYPING)
        except (Forbidden, BadRequest):
            return False
        except TelegramError as e:
            log.debug("no typing action: %s", type(e).__name__)
        return True

    async def show_typing(self, where: Destination) -> None:
        """Show that a reply is being written; it does not matter if that fails."""
        try:
            await self._bot.send_chat_action(
                where.chat_id, ChatAction.TYPING, message_thread_id=where.thread_id
            )
        except TelegramError as e:
            log.debug("no typing action: %s", type(e).__name__)

    async def _formatted(
        self, attempt: Callable[[MessagePart], Awaitable[T]], piece: MessagePart
    ) -> T:
        """With formatting, or without where Telegram will not have it."""
        try:
            return await attempt(piece)
        except BadRequest as e:
            reason = e.message.lower()
            if any(word in reason for word in _NO_EDIT) or _NOT_MODIFIED in reason:
                raise
            if piece.marks and any(word in reason for word in _UNFORMATTED):
                log.warning("Telegram refused the formatting; sending plain text")
                return await attempt(piece.bare())
            if "too long" in reason:
                return await attempt(split(piece.text, (), LIMIT // 2)[0])
            raise

    async def _once(self, request: Awaitable[T]) -> T:
        """One request; what Telegram says of the chat becomes ours."""
        try:
            return await request
        except FloodWait as e:
            raise RetryLater(e.seconds) from None
        except (Forbidden, ChatMigrated) as e:
            raise ChatGone(type(e).__name__) from None
        except BadRequest as e:
            reason = e.message.lower()
            if any(
                w in reason
                for w in ("chat not found", "not enough rights", "have no rights", "topic_closed")
            ):
                raise ChatGone(e.message) from None
            raise

    async def _note(self, where: Destination, message_id: int) -> None:
        self.record_own_messages(where.chat_id, [message_id])
        if self._on_sent is not None:
            await self._on_sent(where, message_id, list(self._ours[where.chat_id]))


def _sequence(chat_id: int) -> int:
    """Which sequence of message ids the chat's come from."""
    return chat_id if chat_id < _SUPERGROUP else 0
