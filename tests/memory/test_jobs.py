from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from memory import jobs
from memory.errors import ModelError, ModelErrorCode, StoreBusy
from memory.jobs import Effect, Handler, JobRunner, compute_backoff, describe
from memory.models import Job, JobKind, Json
from memory.ports import SystemTransaction, Transaction
from memory.store import SqliteStore, make_worker_id, open_store
from tests.memory.store.support import NOW, a_memory, finished, spawn


class Time:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def time() -> Time:
    """Starts at NOW."""
    return Time()


@pytest.fixture
async def store(tmp_path: Path, time: Time) -> AsyncIterator[SqliteStore]:
    """An open store."""
    opened = await open_store(tmp_path / "ebb.db", clock=time, worker=make_worker_id(), key=b"k")
    yield opened
    await opened.close()


@pytest.fixture
async def user(store: SqliteStore) -> str:
    """A user."""
    return await store.write_system(lambda s: s.create_user(NOW))


async def enqueue(store: SqliteStore, user: str, *keys: str, **more: Any) -> None:
    await store.write(
        user,
        lambda tx: [tx.jobs.enqueue("monitor", k, {"turn_ids": [k]}, NOW, **more) for k in keys],
    )


def learns(texts: list[str]) -> Handler:
    """A handler that notes whom it served, and stores a memory."""

    async def handle(job: Job, _now: datetime) -> Effect:
        texts.append(job.dedup_key)

        def effect(tx: Transaction) -> Mapping[str, Json]:
            tx.memories.add(a_memory(job.dedup_key))
            return {"outcome": "saved", "new": 1}

        return effect

    return handle


def fails(error: Exception) -> Handler:
    """A handler that cannot."""

    async def handle(_job: Job, _now: datetime) -> Effect:
        raise error

    return handle


@asynccontextmanager
async def running(
    store: SqliteStore, handler: Handler, time: Time, **more: Any
) -> AsyncIterator[JobRunner]:
    """A runner at work, stopped at the end."""
    handlers: dict[JobKind, Handler] = {"monitor": handler}
    runner = JobRunner(store, handlers, time, worker=store.worker, **more)
    task = asyncio.create_task(runner.run())
    try:
        yield runner
    finally:
        await runner.stop()
        await asyncio.wait_for(task, 5)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Within a few seconds."""
    async with asyncio.timeout(10):
        while not await condition():
            await asyncio.sleep(0.02)


async def pending(store: SqliteStore, user: str) -> list[Job]:
    return await store.read(user, lambda tx: tx.jobs.list_pending())


async def test_work_is_done_in_order_and_its_end_is_seen(
    store: SqliteStore, user: str, time: Time
) -> None:
    """One lane serially, with the result as a change."""
    served: list[str] = []
    async with running(store, learns(served), time) as runner, store.watch(user, 0) as changes:
        await enqueue(store, user, "a", "b", "c")
        runner.notify_new_work()
        assert await runner.drain(60) == 0
        seen = [await asyncio.wait_for(anext(changes), 5) for _ in range(6)]
    assert served == ["a", "b", "c"]
    ends = [c.after for c in seen if c.entity == "job"]
    assert [(e["outcome"], e["new"], e["payload"]["turn_ids"]) for e in ends if e] == [
        ("saved", 1, [k]) for k in "abc"
    ]


async def test_another_processs_work_is_noticed(
    store: SqliteStore, user: str, time: Time, tmp_path: Path
) -> None:
    """Without a kick."""
    served: list[str] = []
    script = (
        "import asyncio, sys; from pathlib import Path\n"
        "from memory.store import open_store, make_worker_id\n"
        "from tests.memory.store.support import NOW, clock\n"
        "async def main():\n"
        "    store = await open_store(Path(sys.argv[1]), clock=clock, worker=make_worker_id(), key=b'k')\n"
        "    await store.write(sys.argv[2], lambda tx: tx.jobs.enqueue('monitor', 'x', {}, NOW))\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    async with running(store, learns(served), time):
        await asyncio.to_thread(finished, spawn(script, str(tmp_path / "ebb.db"), user))
        await until(lambda: _is(served == ["x"]))


async def _is(value: bool) -> bool:
    return value


async def test_lanes_go_on_side_by_side(store: SqliteStore, user: str, time: Time) -> None:
    """A slow job holds up its own lane only."""
    go_on, served = asyncio.Event(), list[str]()

    async def handle(job: Job, _now: datetime) -> Effect:
        if job.dedup_key == "slow":
            await go_on.wait()
        served.append(job.dedup_key)
        return lambda _tx: {}

    async with running(store, handle, time):
        await enqueue(store, user, "slow", "after")
        await enqueue(store, user, "other", lane="else")
        await until(lambda: _is(served == ["other"]))
        go_on.set()
        await until(lambda: _is(len(served) == 3))
    assert served == ["other", "slow", "after"]


async def test_a_failure_backs_off_and_nothing_is_lost(
    store: SqliteStore, user: str, time: Time
) -> None:
    """An hour of outage: still there, then learned; the lane kept its order."""
    served: list[str] = []
    broken = True

    async def handle(job: Job, now: datetime) -> Effect:
        if broken:
            raise ModelError("no_connection", detail="refused")
        return await learns(served)(job, now)

    async with running(store, handle, time) as runner:
        await enqueue(store, user, "a", "b")
        while time.now < NOW + timedelta(hours=1):
            await runner.drain(10)
            time.now += timedelta(minutes=2)
        (first, second) = await pending(store, user)
        assert first.last_error == "no_connection"
        assert first.attempts <= 1, "the provider's failures are not the job's"
        assert second.attempts == 0
        broken = False
        time.now += timedelta(minutes=15)
        assert await runner.drain(60) == 0
    assert served == ["a", "b"]


async def told(store: SqliteStore, user: str) -> list[str]:
    """What the person has heard of learning that waits."""
    changes = [
        c.after or {}
        for c in await store.read(user, lambda tx: tx.changes.list_changes(after=0))
        if c.entity == "job"
    ]
    return [str(a["error"]) for a in changes if a["outcome"] == "waiting"]


@pytest.mark.parametrize(
    "code", ["bad_key", "no_credit", "rate_limit", "unknown_model", "no_connection", "server"]
)
async def test_an_outage_ends_no_job_and_everybody_hears_of_it_once(
    store: SqliteStore, time: Time, code: ModelErrorCode
) -> None:
    """Four hours of it: few tries, one word each; when one job succeeds, all go on; a later outage is told anew."""
    people = [await store.write_system(lambda s: s.create_user(NOW)) for _ in range(5)]
    served: list[str] = []
    tries, broken = 0, True

    async def handle(job: Job, now: datetime) -> Effect:
        nonlocal tries
        if broken:
            tries += 1
            raise ModelError(
                code, host="example.org", retry_after=86_400 if code == "rate_limit" else None
            )
        return await learns(served)(job, now)

    async def outage(runner: JobRunner, *keys: str) -> None:
        for person in people:
            await enqueue(store, person, *(f"{k}{person}" for k in keys))
        while time.now < NOW + timedelta(hours=4):
            await runner.drain(10)
            time.now += timedelta(minutes=4)

    async with running(store, handle, time) as runner:
        await outage(runner, "a", "b")
        assert 5 <= tries <= 70
        assert [await store.read(p, lambda tx: tx.jobs.list_dead()) for p in people] == [[]] * 5
        assert [await told(store, p) for p in people] == [[code]] * 5
        broken = False
        time.now += timedelta(minutes=31)
        assert await runner.drain(60) == 0
        assert len(served) == 10
        broken, time.now = True, NOW
        await outage(runner, "c")
        assert [await told(store, p) for p in people] == [[code] * 2] * 5


async def test_as_many_people_are_learned_from_as_there_are(store: SqliteStore, time: Time) -> None:
    """Nobody waits for another's slow answer."""
    people = [await store.write_system(lambda s: s.create_user(NOW)) for _ in range(9)]
    began, go_on = set[str](), asyncio.Event()

    async def handle(job: Job, _now: datetime) -> Effect:
        began.add(job.user_id)
        await go_on.wait()
        return lambda _tx: {}

    async with running(store, handle, time):
        for person in people:
            await enqueue(store, person, "a")
        await until(lambda: _is(began == set(people)))
        go_on.set()


async def test_what_cannot_be_helped_is_dead_at_once_and_seen(
    store: SqliteStore, user: str, time: Time
) -> None:
    """A prompt that is too long; at the next start it is tried anew."""
    await enqueue(store, user, "a")
    async with running(store, fails(ModelError("context_too_long")), time) as runner:
        assert await runner.drain(60) == 0
    (dead,) = await store.read(user, lambda tx: tx.jobs.list_dead())
    assert (dead.attempts, dead.last_error) == (1, "context_too_long")
    last = (await store.read(user, lambda tx: tx.changes.list_changes(after=0)))[-1]
    assert last.after is not None
    assert (last.entity, last.after["state"], last.after["outcome"]) == ("job", "dead", "failed")
    served: list[str] = []
    async with running(store, learns(served), time) as runner:
        assert await runner.drain(60) == 0
    assert served == ["a"]


async def test_attempts_are_bounded(store: SqliteStore, user: str, time: Time) -> None:
    """And end in a visible failure that holds no text of a person's."""
    await enqueue(store, user, "a", max_attempts=3)
    async with running(store, fails(ValueError("my diary")), time) as runner:
        for _ in range(3):
            await runner.drain(10)
            time.now += timedelta(minutes=11)
    (dead,) = await store.read(user, lambda tx: tx.jobs.list_dead())
    assert dead.attempts == 3
    assert dead.last_error.startswith("ValueError at test_jobs.py:")
    assert "diary" not in repr(await store.read(user, lambda tx: tx.changes.list_changes(after=0)))


async def test_a_failing_effect_is_a_failure_of_the_job(
    store: SqliteStore, user: str, time: Time
) -> None:
    """Nothing of it is stored, and the runner lives on."""

    async def handle(job: Job, _now: datetime) -> Effect:
        def effect(tx: Transaction) -> Mapping[str, Json]:
            tx.memories.add(a_memory(job.dedup_key))
            if job.dedup_key == "bad":
                raise KeyError("x")
            return {}

        return effect

    async with running(store, handle, time) as runner:
        await enqueue(store, user, "bad", lane="1")
        await enqueue(store, user, "good", lane="2")
        assert await runner.drain(60) == 0
    counts = await store.read(user, lambda tx: tx.memories.count_by("state"))
    assert counts["active"] == 1
    assert [j.dedup_key for j in await pending(store, user)] == ["bad"]


async def test_drain_stops_in_time_and_gives_back(
    store: SqliteStore, user: str, time: Time
) -> None:
    """What did not finish is left to the next start, its attempt not counted; nothing new is taken."""
    began = asyncio.Event()

    async def stuck(_job: Job, _now: datetime) -> Effect:
        began.set()
        await asyncio.sleep(1000)
        raise AssertionError

    await enqueue(store, user, "a", "b")
    async with running(store, stuck, time) as runner:
        await began.wait()
        assert await runner.drain(0.1) == 2
        jobs_left = await pending(store, user)
    assert [(j.state, j.attempts, j.leased_by) for j in jobs_left] == [("ready", 0, None)] * 2


async def test_drain_alone_works_the_queue_off(store: SqliteStore, user: str, time: Time) -> None:
    """For a command that ends: no `run` beside it, and work for later stays."""
    served: list[str] = []
    await enqueue(store, user, "a", "b")
    await enqueue(store, user, "later", lane="x", run_at=NOW + timedelta(hours=1))
    runner = JobRunner(store, {"monitor": learns(served)}, time, worker=store.worker)
    assert await runner.drain(60) == 0
    assert served == ["a", "b"]
    assert [j.dedup_key for j in await pending(store, user)] == ["later"]
    assert await runner.drain(60) == 0


async def test_a_slow_disk_keeps_nobody_waiting(
    store: SqliteStore, user: str, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each write takes longer than a look at the queue, work that is done is still seen to be done."""
    write, served, disk = store.write_system, list[str](), asyncio.Lock()

    async def slowly(fn: Callable[[SystemTransaction], Any]) -> Any:
        async with disk:
            await asyncio.sleep(0.025)
            return await write(fn)

    monkeypatch.setattr(store, "write_system", slowly)
    async with running(store, learns(served), time) as runner:
        await enqueue(store, user, "a", "b")
        began = monotonic()
        assert await runner.drain(60) == 0
        assert monotonic() - began < 5
    assert served == ["a", "b"]


async def test_cancelling_the_runner_gives_work_back(
    store: SqliteStore, user: str, time: Time
) -> None:
    """Whoever ends the event loop loses nothing."""
    began = asyncio.Event()

    async def stuck(_job: Job, _now: datetime) -> Effect:
        began.set()
        await asyncio.sleep(1000)
        raise AssertionError

    await enqueue(store, user, "a")
    runner = JobRunner(store, {"monitor": stuck}, time, worker=store.worker)
    task = asyncio.create_task(runner.run())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [j.state for j in await pending(store, user)] == ["ready"]


async def test_a_long_job_keeps_its_lease(
    store: SqliteStore, user: str, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Renewed while it runs; one whose lease is lost is stopped, and its effect never stored."""
    monkeypatch.setattr(jobs, "_RENEW_SECONDS", 0.05)
    go_on, stopped = asyncio.Event(), asyncio.Event()

    async def slow(job: Job, now: datetime) -> Effect:
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            stopped.set()
            raise
        return await learns([])(job, now)

    async with running(store, slow, time):
        await enqueue(store, user, "a")
        await until(lambda: _leased(store, user))
        time.now += timedelta(minutes=10)

        async def renewed() -> bool:
            (job,) = await pending(store, user)
            return job.leased_until is not None and job.leased_until > time.now

        await until(renewed)
        theft = "UPDATE jobs SET leased_by = 'elsewhere:1:0.a'"
        await store._writer.run(lambda con: con.execute(theft).rowcount)
        await asyncio.wait_for(stopped.wait(), 5)
    assert (await store.read(user, lambda tx: tx.memories.count_by("state")))["active"] == 0


async def _leased(store: SqliteStore, user: str) -> bool:
    return [j.state for j in await pending(store, user)] == ["leased"]


def test_twenty_attempts_outlast_an_hour() -> None:
    """Doubling, never over ten minutes but for the jitter, and never less than the provider asked for."""
    waits = [compute_backoff(n).total_seconds() for n in range(1, 20)]
    assert sum(waits) > 3600
    assert waits[0] <= 2.5
    assert max(waits) <= 750
    assert compute_backoff(1, retry_after=90).total_seconds() == 90


def test_a_failure_is_described_without_anybodys_words() -> None:
    """Our own sentences are quoted, others' are not."""
    assert describe(ModelError("rate_limit", detail="slow down, Anna")) == "rate_limit"
    assert describe(StoreBusy("Try again.")) == "StoreBusy: Try again."
    assert describe(ValueError("Anna's diary")) == "ValueError"
