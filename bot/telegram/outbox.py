"""Sending and editing, with the patience that each deserves.

A frame of a reply being written is tried once: on flood control or a network error it is dropped, for the next
one says more. What must arrive is tried until it has, however long Telegram asks us to wait. After a request
whose fate is unknown (the connection broke), we look for the message before sending it a second time.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from telegram import Bot, InlineKeyboardMarkup, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, TelegramError

from bot.telegram.render import LIMIT, Piece, split
from bot.telegram.tuning import Tuning
from bot.telegram.wire import Flood

log = logging.getLogger(__name__)
T = TypeVar("T")

PROBED = 6  # message ids looked at behind the last one we know
_NOT_MODIFIED = "not modified"
_NO_EDIT = ("message to edit not found", "can't be edited", "message_id_invalid", "message identifier is not")
_UNFORMATTED = ("parse entities", "entity", "entities", "url")


class Gone(Exception):
    """The chat cannot be written to any more: the bot was blocked or removed."""


class NotEditable(Exception):
    """The message is not there any more, or too old."""


class Later(Exception):
    """Not now: try again in `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"try again in {seconds:g} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Where:
    """A place to write to. New messages there are recorded under `key`, if `recorded`."""

    chat_id: int
    thread_id: int | None = None
    private: bool = True
    key: str = ""
    recorded: bool = True


class Outbox:
    """One per bot. `on_sent(where, message_id, ours)` is awaited after each new message, before anything else;
    `ours` are the newest messages of ours in that chat.
    """

    def __init__(
        self, bot: Bot, tuning: Tuning, on_sent: Callable[[Where, int, list[int]], Awaitable[None]] | None = None
    ) -> None:
        self._bot = bot
        self._tuning = tuning
        self._on_sent = on_sent
        self._ours: dict[int, deque[int]] = {}
        self._last: dict[int, int] = {}

    def seen(self, chat_id: int, message_id: int) -> None:
        """A message that somebody wrote: ours come behind it."""
        self._last[chat_id] = max(self._last.get(chat_id, 0), message_id)

    def last(self, chat_id: int) -> int:
        """The newest message id we have seen in the chat; 0 if none."""
        return self._last.get(chat_id, 0)

    def know(self, chat_id: int, message_ids: Iterable[int]) -> None:
        """Messages that are ours already."""
        self._ours.setdefault(chat_id, deque(maxlen=40)).extend(message_ids)

    # --- what must arrive -----------------------------------------------------------------------------

    async def send(
        self,
        where: Where,
        piece: Piece,
        markup: InlineKeyboardMarkup | None = None,
        *,
        reply_to: int | None = None,
        silent: bool = False,
    ) -> int:
        """Send; returns the message's id. Raises Gone."""
        delay, after = self._tuning.retry_first, self._last.get(where.chat_id, 0)
        while True:
            try:
                return await self.try_send(where, piece, markup, reply_to=reply_to, silent=silent)
            except Later as e:
                await asyncio.sleep(e.seconds)
            except BadRequest as e:
                log.warning("a message was refused: %s", e.message)
                raise Gone(e.message) from None
            except TelegramError as e:
                log.info("sending failed (%s); trying again", type(e).__name__)
                await asyncio.sleep(delay)
                delay = min(delay * 2, self._tuning.retry_most)
                if (found := await self.find(where, after, markup)) is not None:
                    await self.edit(where, found, piece, markup)
                    return found

    async def edit(
        self, where: Where, message_id: int, piece: Piece, markup: InlineKeyboardMarkup | None = None
    ) -> None:
        """Make the message show this. Raises Gone and NotEditable."""
        await self._patiently(lambda: self.try_edit(where, message_id, piece, markup))

    async def remove(self, where: Where, message_id: int) -> None:
        """Delete a message of ours; one that cannot be deleted stays."""
        try:
            await self._patiently(lambda: self._once(self._bot.delete_message(where.chat_id, message_id)))
        except (BadRequest, Gone) as e:
            log.info("a message could not be removed: %s", type(e).__name__)

    async def find(self, where: Where, after: int, markup: InlineKeyboardMarkup | None) -> int | None:
        """A message of ours behind `after` that we know nothing of: one whose sending we never heard back from.

        There is no way to list messages, but setting a keyboard tells: other people's messages refuse it, and
        one that shows the same keyboard already says that it is not modified.
        """
        known = self._ours.get(where.chat_id, ())
        if not after:
            return None
        for message_id in range(after + 1, after + 1 + PROBED):
            if message_id in known:
                continue
            try:
                await self._patiently(
                    lambda i=message_id: self._once(  # type: ignore[misc]
                        self._bot.edit_message_reply_markup(where.chat_id, i, reply_markup=markup)
                    )
                )
            except BadRequest as e:
                if _NOT_MODIFIED not in e.message.lower():
                    continue
            await self._note(where, message_id)
            return message_id
        return None

    async def _patiently(self, attempt: Callable[[], Awaitable[T]]) -> T:
        delay = self._tuning.retry_first
        while True:
            try:
                return await attempt()
            except Later as e:
                await asyncio.sleep(e.seconds)
            except BadRequest:
                raise
            except TelegramError as e:
                log.info("a request failed (%s); trying again", type(e).__name__)
                await asyncio.sleep(delay)
                delay = min(delay * 2, self._tuning.retry_most)

    # --- what may fail --------------------------------------------------------------------------------

    async def try_send(
        self,
        where: Where,
        piece: Piece,
        markup: InlineKeyboardMarkup | None = None,
        *,
        reply_to: int | None = None,
        silent: bool = False,
    ) -> int:
        """Send once. Raises Gone, Later, TelegramError."""
        reply = ReplyParameters(reply_to, allow_sending_without_reply=True) if reply_to else None

        async def attempt(p: Piece) -> int:
            message = await self._once(
                self._bot.send_message(
                    where.chat_id,
                    p.text,
                    entities=p.entities() or None,
                    message_thread_id=where.thread_id,
                    disable_notification=silent or None,
                    reply_parameters=reply,
                    reply_markup=markup,
                )
            )
            return message.message_id

        message_id = await self._formatted(attempt, piece)
        await self._note(where, message_id)
        return message_id

    async def try_edit(
        self, where: Where, message_id: int, piece: Piece, markup: InlineKeyboardMarkup | None = None
    ) -> None:
        """Edit once. Raises Gone, Later, NotEditable, TelegramError."""

        async def attempt(p: Piece) -> None:
            await self._once(
                self._bot.edit_message_text(
                    p.text, where.chat_id, message_id, entities=p.entities() or None, reply_markup=markup
                )
            )

        try:
            await self._formatted(attempt, piece)
        except BadRequest as e:
            if _NOT_MODIFIED not in e.message.lower():
                raise NotEditable(e.message) from None

    async def typing(self, where: Where) -> None:
        """Show that a reply is being written; it does not matter if that fails."""
        try:
            await self._bot.send_chat_action(where.chat_id, ChatAction.TYPING, message_thread_id=where.thread_id)
        except TelegramError as e:
            log.debug("no typing action: %s", type(e).__name__)

    async def _formatted(self, attempt: Callable[[Piece], Awaitable[T]], piece: Piece) -> T:
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
        except Flood as e:
            raise Later(e.seconds) from None
        except (Forbidden, ChatMigrated) as e:
            raise Gone(type(e).__name__) from None
        except BadRequest as e:
            reason = e.message.lower()
            if any(w in reason for w in ("chat not found", "not enough rights", "have no rights", "topic_closed")):
                raise Gone(e.message) from None
            raise

    async def _note(self, where: Where, message_id: int) -> None:
        self.know(where.chat_id, [message_id])
        self.seen(where.chat_id, message_id)
        if self._on_sent is not None:
            await self._on_sent(where, message_id, list(self._ours[where.chat_id]))
