"""The runner of background work: leases, renewals, retries; `handlers` do the work.

A handler calls models first and returns an effect; the effect and the job's `done` are committed
together (`Store.finish_job`), so that work is done exactly once even if the process is killed at
any moment.

A provider that is out of order ends no job: learning waits, one job tries now and then, and when it
succeeds the rest goes on. Only a job's own failures (an answer nobody can read, a fault of ours)
are bounded.
"""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Final, TypeAlias

from memory.errors import BudgetSpent, MemoryError_, ModelError
from memory.models import LEARNING, Job, JobKind, Json
from memory.ports import Clock, Store, SystemTransaction, Transaction

Effect: TypeAlias = Callable[[Transaction], Mapping[str, Json]]
"""Runs inside the write; returns the job's result: `outcome` (saved | nothing), `new` …"""

Handler: TypeAlias = Callable[[Job, datetime], Awaitable[Effect]]

CONCURRENCY: Final = 16  # jobs at a time, each of another lane: people learn side by side
LEASE: Final = timedelta(seconds=60)
_RENEW_SECONDS: Final = 20.0
_POLL_SECONDS: Final = 0.5  # how late work enqueued by another process may be noticed
_FIRST_DELAY: Final = 2.0
_LONGEST_DELAY: Final = 600.0
_PAUSE_SECONDS: Final = 1.0
_LONGEST_OUTAGE: Final = timedelta(minutes=30)  # between two tries, whatever the provider asks for
# where the next is likely to fail like the last
_MOST_ATTEMPTS: Final = {"context_too_long": 1, "unreadable": 2, "withheld": 2}
# does not pass by itself: told at once
_STAYS: Final = frozenset({"bad_key", "no_credit", "unknown_model"})
_TOLD_AFTER: Final = 2  # failed tries, for the rest

_log = logging.getLogger(__name__)


def compute_backoff(attempts: int, retry_after: float | None = None) -> timedelta:
    """Return how long to wait after the attempt of that number: doubling, ±25%.

    At most 10 minutes before the jitter. Twenty attempts span more than an hour and a half. A
    provider's own wish is never undercut.
    """
    plain = min(_FIRST_DELAY * 2.0 ** max(attempts - 1, 0), _LONGEST_DELAY)
    return timedelta(seconds=max(plain * random.uniform(0.75, 1.25), retry_after or 0.0))  # noqa: S311 - no secret


@dataclass
class ModelOutage:
    """Whether the memory model can be used, as this process has found."""

    failures: int = 0  # tries since it last worked
    until: datetime | None = None  # when one job may try again
    trying: str | None = None  # the job that does


class JobRunner:
    """Works through the queue, several jobs at a time, beside other processes that do the same."""

    def __init__(
        self,
        store: Store,
        handlers: Mapping[JobKind, Handler],
        clock: Clock,
        *,
        worker: str,
        concurrency: int = CONCURRENCY,
    ) -> None:
        """`worker` is this process's name (`memory.store.make_worker_id`)."""
        self._store = store
        self._handlers = handlers
        self._clock = clock
        self._worker = worker
        self._concurrency = concurrency
        self._outage = ModelOutage()
        self._waits: dict[str, int] = {}  # failed tries of jobs that wait for the provider
        self._wake = asyncio.Event()  # there may be work, or room for it
        self._ended = asyncio.Event()  # a job has ended, or none was there to lease
        self._services: list[asyncio.Task[None]] = []
        self._jobs: dict[asyncio.Task[None], Job] = {}  # those that run
        self._leasing = False
        self._serving = False
        self._starting = asyncio.Lock()

    async def run(self) -> None:
        """Work until cancelled or stopped.

        Gives back leases of dead processes and revives dead jobs first.
        """
        self._serving = True
        try:
            await self._begin()
            await asyncio.wait(self._services)
        finally:
            self._serving = False
            await self.stop()

    def notify_new_work(self) -> None:
        """Look for work at once: there is some."""
        self._wake.set()

    async def drain(self, timeout: float) -> int:
        """Work on what is due for at most `timeout` seconds; return how many jobs are left.

        Those that are due, or in work elsewhere. When the time is over nothing new is taken, and
        what was not finished is given back for the next start.
        """
        alone = not self._serving  # nobody calls `run`, so the work is for this call only
        finished = False
        try:
            async with asyncio.timeout(timeout):
                await self._begin()
                await self._wait_until_idle()
            finished = True
        except TimeoutError:
            _log.info("Background work was not finished in time; it goes on at the next start.")
        finally:
            if alone or not finished:
                await self.stop()
        now = self._clock()
        return await self._store.write_system(lambda s: s.unfinished(now))

    async def stop(self) -> None:
        """Take nothing new, cancel what runs and give it back, its attempt not counted."""
        tasks, self._services = [*self._services, *self._jobs], []
        if not tasks:
            return
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        now = self._clock()
        await self._store.write_system(lambda s: s.release(self._worker, now))

    # --- inside

    async def _begin(self) -> None:
        """Start, unless it is at work; `run` and `drain` may come here at the same time."""
        async with self._starting:
            if not self._services:
                now = self._clock()
                await self._store.write_system(lambda s: s.release(self._worker, now, revive=True))
                services = {"ebb-jobs": self._dispatch(), "ebb-leases": self._renew()}
                self._services = [asyncio.create_task(c, name=n) for n, c in services.items()]

    async def _wait_until_idle(self) -> None:
        while True:
            # Idle before and after the look: else a job could be between its lease and its start,
            # or have just ended and left another behind.
            self._ended.clear()
            idle = not (self._jobs or self._leasing)
            ready = await self._get_seconds() <= 0
            if idle and not (ready or self._jobs or self._leasing):
                return
            if ready:
                self.notify_new_work()
            await _wait(self._ended, 0.02 if ready else _POLL_SECONDS)

    async def _dispatch(self) -> None:
        while True:
            try:
                self._wake.clear()
                full = len(self._jobs) >= self._concurrency
                seconds = _POLL_SECONDS if full else await self._get_seconds()
                if seconds > 0:
                    await _wait(self._wake, seconds)
                    continue
                self._leasing = True
                await self._take()
            # The boundary of background work: whatever the store says, the runner goes on after a
            # pause, and a job whose end could not be written is leased again when its lease has run
            # out.
            except Exception as e:  # noqa: BLE001 - a named boundary
                _log.warning("The job queue stumbled: %s", describe(e))
                await asyncio.sleep(_PAUSE_SECONDS)
            finally:
                self._leasing = False
                self._ended.set()

    async def _get_seconds(self) -> float:
        """Return how long to wait for a job; not long, since other processes enqueue some, too."""
        due = await self._store.get_next_due_time(self._list_open_kinds())
        now = self._clock()
        return _POLL_SECONDS if due is None else min(_POLL_SECONDS, (due - now).total_seconds())

    def _list_open_kinds(self) -> list[JobKind]:
        """List the kinds that may run now. A clock that was set back prolongs no outage."""
        now, until = self._clock(), self._outage.until
        out = self._outage.trying or (until is not None and now < until <= now + _LONGEST_OUTAGE)
        return [k for k in self._handlers if k not in LEARNING or not out]

    async def _take(self) -> None:
        now, kinds = self._clock(), self._list_open_kinds()
        job = await self._store.write_system(
            lambda s: s.lease(now, now + LEASE, self._worker, kinds=kinds)
        )
        if job is not None:
            if job.kind in LEARNING and self._outage.failures:
                self._outage.trying = job.id
            task = asyncio.create_task(self._attempt(job), name=f"ebb-job-{job.id}")
            self._jobs[task] = job
            task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        del self._jobs[task]
        self._wake.set()
        self._ended.set()
        if not task.cancelled() and (e := task.exception()) is not None:
            _log.warning("The end of a job could not be written: %s", describe(e))

    async def _attempt(self, job: Job) -> None:
        try:
            effect = await self._handlers[job.kind](job, self._clock())
            if not await self._store.finish_job(job, effect):
                _log.info("Job %s (%s) is another process's by now.", job.id, job.kind)
            self._worked(job)
        # The boundary of one job: no failure of a handler ends the runner. It is written down and
        # tried again later, or given up visibly.
        except Exception as e:  # noqa: BLE001 - a named boundary
            waits = job.kind in (*LEARNING, "embed")  # a night has its own ways
            if isinstance(e, ModelError) and e.outage and waits:
                await self._put_off(job, e)
            else:
                if isinstance(e, ModelError):
                    self._worked(job)  # the model answers, only not this
                await self._fail(job, e)
        finally:
            if self._outage.trying == job.id:
                self._outage.trying = None

    def _worked(self, job: Job) -> None:
        """Let all learning go on where it waited for the provider."""
        self._waits.pop(job.id, None)
        if job.kind in LEARNING:
            self._outage = ModelOutage()
            self.notify_new_work()

    async def _put_off(self, job: Job, e: ModelError) -> None:
        """Let a job wait for its provider, and tell those whose learning waits, once."""
        now, out, tell = self._clock(), self._outage, False
        self._waits[job.id] = tries = self._waits.get(job.id, 0) + 1
        asked = e.retry_after or 0.0
        if not isinstance(e, BudgetSpent):
            asked = min(asked, _LONGEST_OUTAGE.total_seconds())
            # what ran already is the same try
            if job.kind in LEARNING and (out.until is None or now >= out.until):
                out.failures += 1
                out.until = now + compute_backoff(out.failures, asked)
            tell = job.kind in LEARNING and out.failures >= (1 if e.code in _STAYS else _TOLD_AFTER)
        run_at = now + compute_backoff(tries, asked)
        _log.warning("Job %s (%s) waits for its provider: %s", job.id, job.kind, e.code)
        await self._store.write(job.user_id, lambda tx: tx.jobs.reset_attempts(job))

        def put_off(s: SystemTransaction) -> None:
            s.fail(job.id, self._worker, e.code, run_at)
            if tell:
                s.tell_waiting(
                    LEARNING, run_at, {"error": e.code, "model": e.model, "host": e.host}
                )

        await self._store.write_system(put_off)

    async def _fail(self, job: Job, e: Exception) -> None:
        code = e.code if isinstance(e, ModelError) else ""
        most = min(job.max_attempts, _MOST_ATTEMPTS.get(code, job.max_attempts))
        now = self._clock()
        delay = compute_backoff(job.attempts, e.retry_after if isinstance(e, ModelError) else None)
        run_at = None if job.attempts >= most else now + delay
        error = describe(e)
        _log.warning(
            "Job %s (%s) failed, attempt %d of %d: %s", job.id, job.kind, job.attempts, most, error
        )
        await self._store.write_system(lambda s: s.fail(job.id, self._worker, error, run_at))

    async def _renew(self) -> None:
        """Keep the leases while handlers run; a lost one ends its handler."""
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            for task, job in list(self._jobs.items()):
                try:
                    if not await self._keep_lease(job):
                        task.cancel()
                except MemoryError_ as e:
                    _log.warning("The lease of job %s was not renewed: %s", job.id, e)

    async def _keep_lease(self, job: Job) -> bool:
        until = self._clock() + LEASE
        return await self._store.write_system(lambda s: s.renew(job.id, self._worker, until))


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def describe(e: BaseException) -> str:
    """Say a failure without any text of a person's: only our own errors are quoted."""
    if isinstance(e, ModelError):
        return e.code
    if isinstance(e, MemoryError_):
        return f"{type(e).__name__}: {e}"
    frames = traceback.extract_tb(e.__traceback__)
    where = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(e).__name__}{where}"
