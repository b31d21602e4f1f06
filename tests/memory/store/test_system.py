from __future__ import annotations

from typing import Any

import pytest

from memory.models import Job
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id
from memory.store.processes import is_process_gone
from tests.memory.store.support import NOW, a_memory, finished, later, spawn


async def lease(store: SqliteStore, worker: str = "w", **span: float) -> Job | None:
    at = later(**span)
    return await store.write_system(lambda s: s.lease(at, at.replace(minute=at.minute + 1), worker))


def work(*keys: str, lane: str | None = None, **more: Any) -> Any:
    return lambda tx: [
        tx.jobs.enqueue("monitor", k, {"turn_ids": [k]}, NOW, lane=lane, **more) for k in keys
    ]


async def test_identities_lead_to_users(store: SqliteStore, user: str, other: str) -> None:
    """And may move from one to another."""

    def act(s: Any) -> list[Any]:
        s.link("telegram", "1", user, NOW)
        s.link("local", "me", user, NOW)
        s.link("telegram", "2", other, NOW)
        s.link("telegram", "2", user, NOW)
        found = [s.resolve("telegram", "1"), s.resolve("telegram", "2"), s.resolve("telegram", "3")]
        s.unlink("telegram", "1")
        return [*found, s.identities("telegram"), s.users()]

    assert await store.write_system(act) == [user, user, None, {"2": user}, [user, other]]


async def test_values_are_json_and_none_is_nothing(store: SqliteStore) -> None:
    """Store-wide values."""

    def act(s: Any) -> list[Any]:
        s.set("a", {"值": [1, 2]})
        s.set("b", 1)
        s.set("b", None)
        return [s.get("a"), s.get("b"), s.get("c")]

    assert await store.write_system(act) == [{"值": [1, 2]}, None, None]


async def test_a_job_is_enqueued_once(store: SqliteStore, user: str) -> None:
    """By kind and key, also after it is done."""
    first = await store.write(user, work("t1"))
    assert [j is None for j in await store.write(user, work("t1", "t2"))] == [True, False]
    job = await lease(store)
    assert job is not None
    assert job.id == first[0].id
    assert await store.finish_job(job, lambda _tx: {})
    assert await store.write(user, work("t1")) == [None]


async def test_a_lane_is_serial(store: SqliteStore, user: str, other: str) -> None:
    """Its oldest unfinished job stands before the others, also while it backs off; other lanes go on."""
    await store.write(user, work("a", "b"))
    await store.write(other, work("c"))
    a, c = await lease(store), await lease(store)
    assert a is not None
    assert c is not None
    assert (a.dedup_key, a.lane, a.attempts, c.dedup_key) == ("a", f"learn:{user}", 1, "c")
    assert await lease(store) is None
    assert await store.get_next_due_time() == c.leased_until
    assert await store.finish_job(c, lambda _tx: {})
    assert await store.write_system(lambda s: s.fail(a.id, "w", "rate_limit", later(minutes=2)))
    assert await lease(store, minutes=1) is None
    assert await store.get_next_due_time() == later(minutes=2)
    again = await lease(store, minutes=2)
    assert again is not None
    assert (again.dedup_key, again.attempts, again.last_error) == ("a", 2, "rate_limit")


async def test_work_for_later_waits_for_its_time(store: SqliteStore, user: str) -> None:
    """And `next_due` says when that is."""
    assert await store.get_next_due_time() is None
    await store.write(user, work("a", run_at=later(minutes=5)))
    assert await lease(store) is None
    assert await store.get_next_due_time() == later(minutes=5)
    assert await store.get_next_due_time(["embed"]) is None
    assert await store.write_system(lambda s: s.unfinished(NOW)) == 0
    assert await store.write_system(lambda s: s.unfinished(later(minutes=5))) == 1
    assert await lease(store, minutes=5) is not None


async def test_only_asked_for_kinds_are_leased(store: SqliteStore, user: str) -> None:
    """A process leases what it has handlers for."""
    await store.write(user, work("a"))
    assert (
        await store.write_system(lambda s: s.lease(NOW, later(minutes=1), "w", kinds=["embed"]))
        is None
    )
    assert (
        await store.write_system(lambda s: s.lease(NOW, later(minutes=1), "w", kinds=["monitor"]))
        is not None
    )


async def test_a_lease_that_ran_out_is_anothers(store: SqliteStore, user: str) -> None:
    """The first one's effect is refused as a whole."""
    await store.write(user, work("a"))
    first = await lease(store, "one")
    assert first is not None
    assert await store.write_system(lambda s: s.renew(first.id, "one", later(minutes=2)))
    assert await lease(store, "two", minutes=1) is None
    second = await lease(store, "two", minutes=2)
    assert second is not None
    assert not await store.write_system(lambda s: s.renew(first.id, "one", later(minutes=9)))
    assert not await store.write_system(lambda s: s.fail(first.id, "one", "late", None))

    def learn(tx: Transaction) -> dict[str, Any]:
        tx.memories.add(a_memory("learned"))
        return {"outcome": "saved", "new": 1}

    assert not await store.finish_job(first, learn)
    assert await store.finish_job(second, learn)
    assert not await store.finish_job(second, learn)
    counts = await store.read(user, lambda tx: tx.memories.count_by("state"))
    assert counts["active"] == 1


async def test_a_jobs_effect_and_its_end_are_one(store: SqliteStore, user: str) -> None:
    """Both are there, in one set, or neither is."""
    await store.write(user, work("a"))
    job = await lease(store)
    assert job is not None

    def broken(tx: Transaction) -> dict[str, Any]:
        tx.memories.add(a_memory("half"))
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await store.finish_job(job, broken)
    assert (await store.read(user, lambda tx: tx.memories.count_by("state")))["active"] == 0
    assert await store.read(user, lambda tx: len(tx.jobs.list_pending())) == 1

    def whole(tx: Transaction) -> dict[str, Any]:
        tx.changes.begin("monitor", "monitor", NOW, turn_id="t1", job_id=job.id)
        tx.memories.add(a_memory("whole"))
        return {"outcome": "saved", "new": 1, "updated": 0}

    assert await store.finish_job(job, whole)
    learned, ended = await store.read(user, lambda tx: tx.changes.list_changes(after=0))
    assert learned.set_id == ended.set_id
    assert (ended.entity, ended.entity_id, ended.turn_id) == ("job", job.id, "t1")
    assert ended.after == {
        "outcome": "saved",
        "new": 1,
        "updated": 0,
        "kind": "monitor",
        "state": "done",
        "payload": {"turn_ids": ["a"]},
    }


async def test_a_dead_job_is_seen_and_revived(store: SqliteStore, user: str) -> None:
    """It frees its lane, and has one more round of attempts later."""
    await store.write(user, work("a", "b"))
    job = await lease(store)
    assert job is not None
    await store.write_system(lambda s: s.fail(job.id, "w", "bad_key", None))
    dead = await store.read(user, lambda tx: tx.jobs.list_dead())
    assert [(j.dedup_key, j.state, j.last_error) for j in dead] == [("a", "dead", "bad_key")]
    noted = (await store.read(user, lambda tx: tx.changes.list_changes(after=0)))[-1].after
    assert noted is not None
    assert (noted["state"], noted["outcome"], noted["error"]) == ("dead", "failed", "bad_key")
    following = await lease(store)
    assert following is not None
    assert following.dedup_key == "b"
    await store.write_system(lambda s: s.release("w", NOW, revive=True))
    revived = await lease(store)
    assert revived is not None
    assert (revived.dedup_key, revived.attempts) == ("a", 1)


async def test_a_job_that_kills_its_process_is_given_up(store: SqliteStore, user: str) -> None:
    """When its attempts are used up and nobody was left to say so."""
    await store.write(user, work("a", max_attempts=2))
    for minute in (0, 2):
        assert await lease(store, minutes=minute) is not None
    assert await lease(store, minutes=5) is None
    assert len(await store.read(user, lambda tx: tx.jobs.list_dead())) == 1


async def test_leases_of_a_dead_process_are_given_back_at_once(
    store: SqliteStore, user: str
) -> None:
    """Its attempt counts; the own process's, given back in order, does not. Others keep theirs."""
    gone = finished(
        spawn("from memory.store import make_worker_id; print(make_worker_id())")
    ).strip()
    await store.write(user, lambda tx: [work(k, lane=k)(tx) for k in ("a", "b", "c")])
    elsewhere = "another.host:1:0.abcd"
    for worker in (gone, "me", elsewhere):
        assert await lease(store, worker) is not None
    await store.write_system(lambda s: s.release("me", NOW))
    jobs = await store.read(user, lambda tx: {j.dedup_key: j for j in tx.jobs.list_pending()})
    assert [(jobs[k].state, jobs[k].attempts) for k in "abc"] == [
        ("ready", 1),
        ("ready", 0),
        ("leased", 1),
    ]


def test_a_worker_is_gone_only_if_that_is_sure() -> None:
    """Dead here, or its pid is another process's by now."""
    me = make_worker_id()
    host, pid, _ = me.rsplit(":", 2)
    assert not is_process_gone(me)
    assert is_process_gone(f"{host}:{pid}:1.beef")
    assert not is_process_gone(f"{host}:{pid}:0.beef")
    assert not is_process_gone(f"else:{pid}:1.beef")
    assert not is_process_gone("nonsense")
    assert make_worker_id() != me


async def test_a_cancelled_job_does_not_run(store: SqliteStore, user: str) -> None:
    """One that is running loses its lease."""
    (job,) = await store.write(user, work("a"))
    leased = await lease(store)
    assert leased is not None
    await store.write(user, lambda tx: tx.jobs.cancel(job.id))
    assert not await store.finish_job(leased, lambda _tx: {})
    assert await lease(store) is None
    assert await store.read(user, lambda tx: tx.jobs.list_pending()) == []
