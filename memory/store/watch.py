"""Who wants to know of changes: woken at once by this process's commits, within 250 ms by other processes'."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from memory.errors import StoreError

POLL_SECONDS = 0.25
_log = logging.getLogger(__name__)


class Bell:
    """Events of waiting coroutines, and the task that looks for other processes' commits while anybody waits."""

    def __init__(self, data_version: Callable[[], Awaitable[int]]) -> None:
        self._data_version = data_version
        self._waiting: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    def ring(self) -> None:
        """Something was committed."""
        for event in self._waiting:
            event.set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[asyncio.Event]:
        """An event that is set at every commit; clear it before looking."""
        event = asyncio.Event()
        self._waiting.add(event)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll(), name="ebb-data-version")
        try:
            yield event
        finally:
            self._waiting.discard(event)
            if not self._waiting:
                await self.close()

    async def close(self) -> None:
        """Stop looking."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _poll(self) -> None:
        seen: int | None = None
        while True:
            try:
                version = await self._data_version()
            except StoreError as e:
                # Looked for again at the next tick: a watcher must not end because the file was busy once.
                _log.warning("Looking for other processes' changes failed: %s", e)
            else:
                if version != seen:
                    seen = version
                    self.ring()
            await asyncio.sleep(POLL_SECONDS)
