"""One thing at a time in each chat, all chats at once; what belongs together is gathered into one batch."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from bot.chats.telegram.incoming import StoredUpdate, belongs_to_turn, compute_wait, parse_command
from bot.chats.telegram.tuning import BotTiming

log = logging.getLogger(__name__)
Handle = Callable[[list[StoredUpdate]], Awaitable[None]]
Composition = Callable[[StoredUpdate], Awaitable[Sequence[int]]]


class ChatQueue:
    """One chat's queue.

    `composition` says which updates were one batch with this one before a restart (none: not
    known): a replayed batch must be the same again, for its turn's id and stored reply belong to
    all of it.
    """

    def __init__(
        self, tuning: BotTiming, bot_name: str, handle: Handle, composition: Composition
    ) -> None:
        self._tuning = tuning
        self._bot_name = bot_name
        self._handle = handle
        self._composition = composition
        self._pending: list[StoredUpdate] = []
        self._batch: list[StoredUpdate] = []
        self._wake = asyncio.Event()
        self._closing = False
        self.busy = False

    def add(self, kept: StoredUpdate) -> None:
        """Queue it. An edit of a message that is still waiting replaces that message."""
        waiting = self._pending if self.busy else [*self._batch, *self._pending]
        if kept.edit:
            for other in waiting:
                if not other.edit and other.message.message_id == kept.message.message_id:
                    other.absorb(kept)
                    self._wake.set()
                    return
        self._pending.append(kept)
        self._wake.set()

    def close(self) -> None:
        """Take nothing up any more; `run` returns after what it is doing."""
        self._closing = True
        self._wake.set()

    async def run(self) -> None:
        """Handle batches until closed."""
        while batch := await self._next():
            self.busy = True
            try:
                await self._handle(batch)
            finally:
                self.busy = False
                self._batch = []

    async def _next(self) -> list[StoredUpdate]:
        while not self._pending:
            if self._closing:
                return []
            self._wake.clear()
            await self._wake.wait()
        if self._closing:
            return []
        first = self._pending.pop(0)
        self._batch = batch = [first]
        if first.edit or parse_command(first.message, self._bot_name) is not None:
            return batch
        if first.replayed and (known := await self._composition(first)):
            batch += [k for k in self._pending if set(k.ids) & set(known)]
            self._pending = [k for k in self._pending if k not in batch]
            return batch
        return await self._gather(batch)

    async def _gather(self, batch: list[StoredUpdate]) -> list[StoredUpdate]:
        until = time.monotonic() + self._tuning.gather_most
        while True:
            messages = [k.message for k in batch]
            while self._pending and not self._pending[0].edit:
                if not belongs_to_turn(messages, self._pending[0].message, self._bot_name):
                    break
                batch.append(self._pending.pop(0))
                messages.append(batch[-1].message)
            if self._pending:
                return batch  # something else has come: this is whole
            left = min(
                compute_wait(messages, self._tuning, self._bot_name), until - time.monotonic()
            )
            if left <= 0 or self._closing:
                return [] if self._closing else batch
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), left)
            except TimeoutError:
                return batch


class ChatQueues:
    """All chats' lanes, made when first needed."""

    def __init__(
        self, tuning: BotTiming, bot_name: str, handle: Handle, composition: Composition
    ) -> None:
        self._parts = (tuning, bot_name, handle, composition)
        self._lanes: dict[int, tuple[ChatQueue, asyncio.Task[None]]] = {}

    def add(self, chat_id: int, kept: StoredUpdate) -> None:
        """Queue it in its chat."""
        lane, task = self._lanes.get(chat_id, (None, None))
        if lane is None or task is None or task.done():
            lane = ChatQueue(*self._parts)
            self._lanes[chat_id] = (
                lane,
                asyncio.create_task(lane.run(), name=f"telegram-lane-{chat_id}"),
            )
        lane.add(kept)

    async def close(self, timeout: float) -> None:
        """Let what is being done come to its end, for so long; what is left waits in the inbox."""
        for lane, _ in self._lanes.values():
            lane.close()
        tasks = [task for _, task in self._lanes.values()]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=timeout)
        for task in late:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
