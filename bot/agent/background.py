"""Background work: the job runner's life inside one process, what is owed at start, and what time brings about."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.agent.turns import settle_orphans
from bot.sessions import close
from memory.errors import StoreError
from memory.jobs import Handler, JobRunner
from memory.models import JobKind
from memory.ports import Clock, Store, Tx
from memory.upkeep.keeper import Keeper

LOOK_SECONDS = 30.0  # how late a conversation that fell asleep is closed, or a night is put down

log = logging.getLogger(__name__)


class Background:
    """Runs jobs until stopped. What is not finished stays in the store, for the next start."""

    def __init__(
        self,
        store: Store,
        handlers: Mapping[JobKind, Handler],
        clock: Clock,
        worker: str,
        *,
        active: bool = True,
        idle: timedelta | None = None,
        keeper: Keeper | None = None,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        """`idle`: how long a conversation may lie before it closes itself; `keeper`: whose nights are put down."""
        self._idle = idle
        self._keeper = keeper
        self._look_seconds = look_seconds
        self._looking: asyncio.Task[None] | None = None
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
            await self.tend()
            self._looking = asyncio.create_task(self._look(), name="ebb-time")
            self._task = asyncio.create_task(self._runner.run(), name="ebb-jobs")

    async def tend(self) -> None:
        """What time has brought about, for every user: conversations that fell asleep, nights that are due.

        Nothing while the clock has jumped and nobody has confirmed it.
        """
        now = self._clock()
        if not await self._store.believes(now):
            return
        for user_id in await self._store.system(lambda s: s.users()):
            slept = self._idle is not None and await self._close_idle(user_id, now, self._idle)
            due = self._keeper is not None and await self._keeper.plan(user_id, now)
            if slept or due:
                self.kick()

    async def _close_idle(self, user_id: str, now: datetime, idle: timedelta) -> bool:
        """Compare-and-set in the store: of several processes one closes it, and the others see that it was."""
        before = now - idle
        if not await self._store.read(user_id, lambda tx: tx.conversations.idle(before)):
            return False

        def write(tx: Tx) -> bool:
            asleep = tx.conversations.idle(before)
            if asleep:
                tx.changes.begin("system", "chat", now)
            return sum(close(tx, session, now, "idle") for session in asleep) > 0

        return await self._store.write(user_id, write)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self._look_seconds)
            try:
                await self.tend()
            except StoreError as e:
                log.warning("time was not looked after: %s", e)  # the next look will do

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
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking
            self._looking = None
        await self._runner.stop()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        now = self._clock()
        await self._store.system(lambda s: s.release(self._worker, now))
