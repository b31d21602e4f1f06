"""A reply as its chat shows it: painted while it is being written, complete in the end.

One frame is one request: an edit of what changed first, or the next message where the text has
outgrown the last. Frames keep their distance (`BotTiming.private_interval`), and one that Telegram
refuses is dropped. The end is never dropped: every message is made to show its piece, those that
cannot be edited are sent anew and removed.
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

from bot.chats.telegram.outbox import ChatGone, Destination, MessageNotEditable, Outbox
from bot.chats.telegram.render import MessagePart, render
from bot.chats.telegram.wire import BotTiming, FloodWait

log = logging.getLogger(__name__)


@dataclass
class _SentMessage:
    """One of ours, and what it shows (None: not known)."""

    id: int
    shows: tuple[MessagePart, InlineKeyboardMarkup | None] | None = None


class ReplyStream:
    """One reply in one chat. Use as an async context manager; `finish` makes it whole.

    `shown` are messages of this reply that exist already (from before a restart, or of the answer
    that this one replaces): they are reused. `head` is literal text in front of what is fed.
    """

    def __init__(
        self,
        outbox: Outbox,
        where: Destination,
        timing: BotTiming,
        *,
        stop: InlineKeyboardMarkup | None = None,
        shown: Sequence[int] = (),
        reply_to: int | None = None,
        head: str = "",
    ) -> None:
        self._outbox = outbox
        self._where = where
        self._timing = timing
        self._interval = timing.private_interval if where.private else timing.group_interval
        self._stop = stop
        self._messages = [_SentMessage(i) for i in shown]
        self._stale: list[int] = []
        self._reply_to = reply_to
        self._head = head
        self.typed: list[str] = []  # what the person said: literal where the reply quotes it
        self._text = ""
        self._dirty = asyncio.Event()
        self._closing = asyncio.Event()
        self._not_before = 0.0
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [asyncio.create_task(self._type()), asyncio.create_task(self._paint())]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop_painting()

    @property
    def message_ids(self) -> list[int]:
        """Return where the reply stands."""
        return [m.id for m in self._messages]

    def feed(self, text: str) -> None:
        """Add what more of the reply has been written."""
        self._text += text
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
            await self._outbox.remove(self._where, message_id)
        self._stale = []
        await self._outbox.remove_unconfirmed(self._where)
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
                await self._outbox.edit(self._where, message.id, piece, markup, patient=patient)
            except MessageNotEditable:
                log.info("a message can no longer be edited; sending it anew")
                stale = message.id
                message.id = await self._outbox.send(self._where, piece, markup, patient=patient)
                self._stale.append(stale)
        else:
            reply_to = None if self._messages else self._reply_to
            sent = await self._outbox.send(
                self._where, piece, markup, reply_to=reply_to, patient=patient
            )
            message = _SentMessage(sent)
            self._messages.append(message)
        message.shows = (piece, markup)
        self._not_before = time.monotonic() + self._interval
        return True

    # --- while it is being written ---

    async def _paint(self) -> None:
        await self._rest(self._timing.first_paint)
        while not self._closing.is_set():
            await self._dirty.wait()
            await self._rest(self._not_before - time.monotonic())
            if self._closing.is_set():
                return
            self._dirty.clear()
            try:
                if not await self._paint_frame():
                    self._dirty.set()  # there is more to show than one request can
            except FloodWait as e:
                self._not_before = time.monotonic() + e.seconds
            except ChatGone:
                return
            except TelegramError as e:
                log.debug("a frame was dropped: %s", type(e).__name__)
                pause = max(self._interval, self._timing.retry_first)
                self._not_before = time.monotonic() + pause

    async def _paint_frame(self) -> bool:
        """Show what changed first; return whether everything is shown now."""
        pieces = await asyncio.to_thread(render, self._text, before=self._head, typed=self.typed)
        for i, piece in enumerate(pieces):
            last = piece is pieces[-1]
            if await self._show(i, piece, self._stop if last else None, patient=False):
                return last
        return True

    async def _type(self) -> None:
        while not self._closing.is_set() and not self._messages:
            await self._outbox.show_typing(self._where)
            await self._rest(self._timing.typing_every)

    async def _stop_painting(self) -> None:
        """Stop painting, but let a request on its way arrive: its fate must be known."""
        self._closing.set()
        self._dirty.set()
        tasks, self._tasks = self._tasks, []
        if tasks:
            typist, painter = tasks
            typist.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await typist
            await painter

    async def _rest(self, seconds: float) -> None:
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)
