"""A reply as its chat shows it: painted while it is being written, complete in the end.

One frame is one request: an edit of what changed first, or the next message where the text has
outgrown the last. Frames keep their distance (`BotTiming.interval`), and one that Telegram refuses
is dropped. The end is never dropped: every message is made to show its piece, those that cannot be
edited are sent anew and removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from telegram import InlineKeyboardMarkup
from telegram.error import TelegramError

from bot.chats.telegram.outbox import ChatGone, Destination, MessageNotEditable, Outbox, RetryLater
from bot.chats.telegram.render import MessagePart, render
from bot.chats.telegram.tuning import BotTiming

log = logging.getLogger(__name__)


@dataclass
class _SentMessage:
    """One of ours: what it shows, as far as we know (None: not known)."""

    id: int
    piece: MessagePart | None = None
    markup: InlineKeyboardMarkup | None = None


class ReplyStream:
    """One reply in one chat. Use as an async context manager; `finish` makes it whole.

    `shown` are messages of this reply that exist already (from before a restart, or of the answer
    that this one replaces): they are reused. `head` is literal text in front of what is fed.
    """

    def __init__(
        self,
        outbox: Outbox,
        where: Destination,
        tuning: BotTiming,
        *,
        stop: InlineKeyboardMarkup | None = None,
        shown: Sequence[int] = (),
        reply_to: int | None = None,
        head: str = "",
    ) -> None:
        self._outbox = outbox
        self._where = where
        self._tuning = tuning
        self._interval = tuning.interval(private=where.private)
        self._stop = stop
        self._messages = [_SentMessage(i) for i in shown]
        self._stale: list[int] = []
        self._reply_to = reply_to
        self._head = head
        self.typed: list[
            str
        ] = []  # what the person said, shown to the letter where the reply quotes it
        self._text = ""
        self._dirty = asyncio.Event()
        self._closing = asyncio.Event()
        self._not_before = 0.0
        self._painter: asyncio.Task[None] | None = None
        self._typist: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._typist = asyncio.create_task(self._type(), name="telegram-typing")
        self._painter = asyncio.create_task(self._paint(), name="telegram-painter")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._put_down_brush()

    @property
    def message_ids(self) -> list[int]:
        """Where the reply stands."""
        return [m.id for m in self._messages]

    def feed(self, text: str) -> None:
        """More of the reply has been written."""
        self._text += text
        self._dirty.set()

    async def finish(
        self, pieces: Sequence[MessagePart], markup: InlineKeyboardMarkup | None = None
    ) -> list[int]:
        """Show the whole reply; returns the ids of its messages. Raises Gone."""
        await self._put_down_brush()
        for i, piece in enumerate(pieces):
            await self._settle(i, piece, markup if i == len(pieces) - 1 else None)
        self._stale += [m.id for m in self._messages[len(pieces) :]]
        del self._messages[len(pieces) :]
        for message_id in self._stale:
            await self._outbox.remove(self._where, message_id)
        self._stale = []
        await self._outbox.remove_unconfirmed(self._where)
        return self.message_ids

    async def _settle(
        self, i: int, piece: MessagePart, markup: InlineKeyboardMarkup | None
    ) -> None:
        """Make the i-th message show its piece, however long that takes."""
        if i < len(self._messages):
            message = self._messages[i]
            if (message.piece, message.markup) == (piece, markup):
                return
            await self._keep_distance()
            try:
                await self._outbox.edit(self._where, message.id, piece, markup)
            except MessageNotEditable:
                log.info("a message can no longer be edited; sending it anew")
                self._stale.append(message.id)
                fresh = await self._send(piece, markup)
                self._messages[i] = _SentMessage(fresh, piece, markup)
            else:
                message.piece, message.markup = piece, markup
            self._not_before = time.monotonic() + self._interval
            return
        self._messages.append(_SentMessage(await self._send(piece, markup), piece, markup))

    async def _send(self, piece: MessagePart, markup: InlineKeyboardMarkup | None) -> int:
        wait = (
            self._not_before - time.monotonic() - self._interval
        )  # flood control alone: sending is no edit
        if wait > 0:
            await asyncio.sleep(wait)
        first = not self._messages
        return await self._outbox.send(
            self._where, piece, markup, reply_to=self._reply_to if first else None
        )

    async def _keep_distance(self) -> None:
        wait = self._not_before - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)

    # --- while it is being written ---

    async def _paint(self) -> None:
        await self._rest(self._tuning.first_paint)
        while not self._closing.is_set():
            await self._either(self._dirty)
            if self._closing.is_set():
                return
            await self._rest(self._not_before - time.monotonic())
            if self._closing.is_set():
                return
            self._dirty.clear()
            try:
                if not await self._frame():
                    self._dirty.set()  # there is more to show than one request can
            except RetryLater as e:
                self._not_before = time.monotonic() + e.seconds
            except ChatGone:
                return
            except TelegramError as e:
                log.debug("a frame was dropped: %s", type(e).__name__)
                self._not_before = time.monotonic() + max(self._interval, self._tuning.retry_first)

    async def _frame(self) -> bool:
        """Show what changed first; whether everything is shown now."""
        pieces = await asyncio.to_thread(render, self._text, before=self._head, typed=self.typed)
        for i, piece in enumerate(pieces):
            last = i == len(pieces) - 1
            markup = self._stop if last else None
            if i >= len(self._messages):
                reply_to = None if self._messages else self._reply_to
                sent = await self._outbox.try_send(self._where, piece, markup, reply_to=reply_to)
                self._messages.append(_SentMessage(sent, piece, markup))
            elif (self._messages[i].piece, self._messages[i].markup) != (piece, markup):
                await self._retouch(i, piece, markup)
            else:
                continue
            self._not_before = time.monotonic() + self._interval
            return last
        return True

    async def _retouch(
        self, i: int, piece: MessagePart, markup: InlineKeyboardMarkup | None
    ) -> None:
        message = self._messages[i]
        try:
            await self._outbox.try_edit(self._where, message.id, piece, markup)
        except MessageNotEditable:
            self._stale.append(message.id)
            self._messages[i] = _SentMessage(
                await self._outbox.try_send(self._where, piece, markup), piece, markup
            )
        except TelegramError:
            message.piece = None  # it may have arrived or not
            raise
        else:
            message.piece, message.markup = piece, markup

    async def _type(self) -> None:
        while not self._closing.is_set() and not self._messages:
            await self._outbox.show_typing(self._where)
            await self._rest(self._tuning.typing_every)

    async def _put_down_brush(self) -> None:
        """Stop painting, but let a request that is on its way arrive: we must know what became of it."""
        self._closing.set()
        if self._typist is not None:
            self._typist.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._typist
            self._typist = None
        if self._painter is not None:
            painter, self._painter = self._painter, None
            await painter

    async def _rest(self, seconds: float) -> None:
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)

    async def _either(self, event: asyncio.Event) -> None:
        """Wait for the event, or for the end."""
        if event.is_set() or self._closing.is_set():
            return
        waits = [asyncio.create_task(event.wait()), asyncio.create_task(self._closing.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for w in waits:
                w.cancel()
