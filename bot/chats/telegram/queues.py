"""One thing at a time in each chat, all chats at once; what belongs together is one batch."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence

from telegram import Message

from bot.chats.telegram.inbox import StoredUpdate
from bot.chats.telegram.incoming import get_destination, parse_command
from bot.chats.telegram.render import count_utf16_units
from bot.chats.telegram.wire import BotTiming

Handle = Callable[[list[StoredUpdate]], Awaitable[None]]
Composition = Callable[[StoredUpdate], Awaitable[Sequence[int]]]

_LONG = 3_500  # a part of a paste that the client cut is nearly as long as a message may be
_TOGETHER = 3.0  # seconds between the dates of parts of one turn …
_ALBUM_TOGETHER = 60.0  # … and of pictures of one album
_MOST_PARTS = 40


class ChatQueue:
    """One chat's queue.

    `composition` says which updates were one batch with this one before a restart (none: not
    known): a replayed batch must be the same again, for its turn's id and stored reply belong to
    all of it.
    """

    def __init__(
        self, timing: BotTiming, bot_name: str, handle: Handle, composition: Composition
    ) -> None:
        self._timing = timing
        self._bot_name = bot_name
        self._handle = handle
        self._composition = composition
        self._pending: list[StoredUpdate] = []
        self._batch: list[StoredUpdate] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._busy = False

    def add(self, kept: StoredUpdate) -> None:
        """Queue it. An edit of a message that is still waiting replaces that message."""
        self._wake.set()
        waiting = self._pending if self._busy else [*self._batch, *self._pending]
        for other in waiting if kept.edit else ():
            if not other.edit and other.message.message_id == kept.message.message_id:
                other.absorb(kept)
                return
        self._pending.append(kept)

    def close(self) -> None:
        """Take nothing up any more; `run` returns after what it is doing."""
        self._closing = True
        self._wake.set()

    async def run(self) -> None:
        """Handle batches until closed."""
        while not self._closing:
            self._wake.clear()
            if not self._pending:
                await self._wake.wait()
            elif await self._gather():
                self._busy = True
                await self._handle(self._batch)
            self._busy, self._batch = False, []

    async def _gather(self) -> bool:
        """Move what is one turn from the waiting ones to the batch; False if closed meanwhile."""
        first = self._pending.pop(0)
        batch = self._batch = [first]
        if first.edit or parse_command(first.message, self._bot_name) is not None:
            return True
        if first.replayed and (known := await self._composition(first)):
            batch += [k for k in self._pending if set(k.ids) & set(known)]
            self._pending = [k for k in self._pending if k not in batch]
            return True
        until = time.monotonic() + self._timing.gather_most
        while not self._closing:
            while self._pending and self._belongs(self._pending[0]):
                batch.append(self._pending.pop(0))
            left = min(self._compute_wait(batch[-1].message), until - time.monotonic())
            if self._pending or left <= 0:  # something else has come: this is whole
                return True
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), left)
                continue
            return True
        return False

    def _belongs(self, kept: StoredUpdate) -> bool:
        """Tell whether the next update is of the same turn as the batch."""
        parts = [k.message for k in self._batch]
        last, after = parts[-1], kept.message
        if (
            kept.edit
            or len(parts) >= _MOST_PARTS
            or last.from_user != after.from_user
            or get_destination(last) != get_destination(after)
        ):
            return False
        apart = abs((after.date - last.date).total_seconds())
        album = after.media_group_id
        if album is not None and any(p.media_group_id == album for p in parts):
            return apart <= _ALBUM_TOGETHER
        if apart > _TOGETHER or any(parse_command(m, self._bot_name) for m in (parts[0], after)):
            return False
        forwarded = after.forward_origin is not None or last.forward_origin is not None
        return forwarded or (_is_long(last) and after.text is not None)

    def _compute_wait(self, last: Message) -> float:
        """Return how long to wait for another part."""
        timing = self._timing
        if last.media_group_id is not None:
            return timing.gather_album
        if last.forward_origin is not None:
            return timing.gather_forward
        return timing.gather_paste if _is_long(last) else timing.gather


def _is_long(message: Message) -> bool:
    return count_utf16_units(message.text or "") >= _LONG


class ChatQueues:
    """All chats' queues, made when first needed."""

    def __init__(
        self, timing: BotTiming, bot_name: str, handle: Handle, composition: Composition
    ) -> None:
        self._parts = (timing, bot_name, handle, composition)
        self._queues: dict[int, tuple[ChatQueue, asyncio.Task[None]]] = {}

    def add(self, chat_id: int, kept: StoredUpdate) -> None:
        """Queue it in its chat."""
        if chat_id not in self._queues or self._queues[chat_id][1].done():
            queue = ChatQueue(*self._parts)
            self._queues[chat_id] = (queue, asyncio.create_task(queue.run()))
        self._queues[chat_id][0].add(kept)

    async def close(self, timeout: float) -> None:
        """Let what is being done end, for so long; what is left waits in the inbox."""
        for queue, _ in self._queues.values():
            queue.close()
        tasks = [task for _, task in self._queues.values()]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
