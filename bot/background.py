"""Background work: the job runner's life inside one process, and what is owed at start."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from datetime import timedelta

from memory.jobs import Handler, JobRunner

from bot.turns import settle_orphans
from memory.models import JobKind
from memory.ports import Clock, Store

log = logging.getLogger(__name__)


class Background:
    """Runs jobs until stopped. What is not finished stays in the store, for the next start."""

    def __init__(
        self, store: Store, handlers: Mapping[JobKind, Handler], clock: Clock, worker: str, *, active: bool = True
    ) -> None:
        self._store = store
        self._clock = clock
        self._worker = worker
        self._runner = JobRunner(store, handlers, clock, worker=worker)
        self._task: asyncio.Task[None] | None = None
        self._active = active

    async def start(self) -> None:
        """Settle what a crash left behind, then begin to work."""
        now = self._clock()
        await self._store.system(lambda s: s.release(self._worker, now))
        for user_id in await self._store.system(lambda s: s.users()):
            await self._store.write(user_id, lambda tx: settle_orphans(tx, now))
        if self._active:
            await self._store.system(lambda s: s.revive(now))
            self._task = asyncio.create_task(self._runner.run(), name="ebb-jobs")

    def kick(self) -> None:
        """There is new work."""
        self._runner.kick()

    async def drain(self, timeout: float) -> int:
        """Wait for what is due now; how many jobs are left for the next start."""
        if self._task is None:
            now = self._clock() + timedelta(seconds=1)
            return await self._store.system(lambda s: s.unfinished(now))
        return await self._runner.drain(timeout)

    async def stop(self) -> None:
        """Stop at once, giving back every lease."""
        await self._runner.stop()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        now = self._clock()
        await self._store.system(lambda s: s.release(self._worker, now))
