"""Background work: the job runner inside one process, and what time brings about."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.agent.turns import settle_orphans
from bot.sessions import close
from memory.api import Handler, JobRunner, UpkeepService
from memory.errors import StoreError
from memory.models import JobKind, Session
from memory.ports import Clock, Store, Transaction

LOOK_SECONDS = 30.0  # how late a conversation that fell asleep is closed, or a night is put down

log = logging.getLogger(__name__)


@dataclass
class BackgroundWork:
    """Runs jobs until stopped. What is not finished stays in the store, for the next start.

    `idle`: how long a conversation may lie before it closes itself; `keeper`: plans the nights.
    """

    store: Store
    handlers: Mapping[JobKind, Handler]
    clock: Clock
    worker: str
    active: bool = True
    idle: timedelta | None = None
    keeper: UpkeepService | None = None
    look_seconds: float = LOOK_SECONDS

    def __post_init__(self) -> None:
        self._runner = JobRunner(self.store, self.handlers, self.clock, worker=self.worker)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Settle what a crash left behind, then begin to work."""
        now = self.clock()
        await self.store.write_system(lambda s: s.release(self.worker, now))
        for user_id in await self.store.write_system(lambda s: s.users()):
            await self.store.write(user_id, lambda tx: settle_orphans(tx, now))
        if self.active:
            await self.tend()
            self._tasks = [
                asyncio.create_task(self._look(), name="ebb-time"),
                asyncio.create_task(self._runner.run(), name="ebb-jobs"),
            ]

    async def tend(self) -> None:
        """Do what time has brought about, for every user: close idle conversations, plan nights.

        Nothing while the clock has jumped and nobody has confirmed it.
        """
        now = self.clock()
        if not await self.store.trust_clock(now):
            return
        for user_id in await self.store.write_system(lambda s: s.users()):
            slept = self.idle is not None and await self._close_idle(user_id, now, self.idle)
            due = self.keeper is not None and await self.keeper.plan(user_id, now)
            if slept or due:
                self.kick()

    async def _close_idle(self, user_id: str, now: datetime, idle: timedelta) -> bool:
        """Close what lay idle: of several processes one closes it, by a compare-and-set."""

        def find(tx: Transaction) -> Sequence[Session]:
            return tx.conversations.list_idle_sessions(now - idle)

        def write(tx: Transaction) -> bool:
            tx.changes.begin("system", "chat", now)
            return sum(close(tx, session, now, "idle") for session in find(tx)) > 0

        return bool(await self.store.read(user_id, find)) and await self.store.write(user_id, write)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self.look_seconds)
            try:
                await self.tend()
            except StoreError as e:
                log.warning("time was not looked after: %s", e)  # the next look will do

    def kick(self) -> None:
        """Say that there is new work."""
        self._runner.notify_new_work()

    async def drain(self, timeout: float) -> int:
        """Wait for what is due now; how many jobs are left for the next start."""
        if not self._tasks:
            now = self.clock() + timedelta(seconds=1)
            return await self.store.write_system(lambda s: s.unfinished(now))
        return await self._runner.drain(timeout)

    async def stop(self) -> None:
        """Stop at once, giving back every lease."""
        await self._runner.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        now = self.clock()
        await self.store.write_system(lambda s: s.release(self.worker, now))
