"""EBB_CURVE set anew: every memory moves, once, in batches, wherever it was interrupted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from memory.errors import Conflict
from memory.learn import background as switch
from memory.lifecycle import CURVES, compute_level, compute_weight
from memory.models import Job, Json, Kind, State, WeightEvent
from memory.ports import Transaction
from tests.memory.learn.world import START, World

DAY = timedelta(days=1)


async def run(world: World) -> Mapping[str, Json]:
    """What the runner does with the waiting job."""
    job = await world.store.write_system(
        lambda s: s.lease(
            world.now, world.now + timedelta(minutes=1), world.worker, kinds=["curve"]
        )
    )
    assert job is not None
    effect = await switch.CurveSwitcher(world.store, 1.0).run(job, world.now)
    results: list[Mapping[str, Json]] = []

    def write(tx: Transaction) -> Mapping[str, Json]:
        results.append(effect(tx))
        return results[-1]

    assert await world.store.finish_job(job, write)
    return results[0]


def log_of(memory_id: str, tx: Transaction) -> list[WeightEvent]:
    return tx.memories.list_weight_log(memory_id)


async def waiting(world: World) -> list[Job]:
    return await world.store.read(world.user, lambda tx: tx.jobs.list_pending("curve"))


async def test_nothing_to_do(world: World) -> None:
    """The first start, and every later one with the same setting."""
    await world.remember("likes tea")
    for _ in range(2):
        await switch.plan(world.store, "fade", world.now)
        assert await waiting(world) == []


async def test_all_are_moved_and_it_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every state, several to a batch; weights and levels kept; the log and the job's change say what happened."""
    monkeypatch.setattr(switch, "BATCH", 4)
    made = [
        await world.remember(f"fact number {i} is {i * 7}", kind=kind, at=START - i * 40 * DAY)
        for i, kind in enumerate([Kind.FACT, Kind.IDENTITY, Kind.CONTEXT, Kind.WHIM] * 3)
    ]
    gone = made[5]
    await world.store.write(
        world.user,
        lambda tx: tx.memories.put(replace(gone, state=State.DELETED, deleted_at=START), "deleted"),
    )
    await switch.plan(world.store, "score", world.now)
    await switch.plan(world.store, "score", world.now)
    assert len(await waiting(world)) == 1
    result = await run(world)
    assert result == {
        "outcome": "saved",
        "curve": "score",
        "was": "fade",
        "moved": 12,
        "fainter": 0,
    }
    for old in made:
        new = await world.get(old.id)
        assert new.curve == "score"
        assert compute_level(new, 1.0, world.now) is compute_level(old, 1.0, world.now)
        (created, moved) = await world.store.read(world.user, partial(log_of, old.id))
        assert (created.event, moved.event, moved.reason) == ("created", "adopted", "fade → score")
        assert moved.old_weight == pytest.approx(compute_weight(old, 1.0, world.now), abs=1e-9)
        assert moved.new_weight == new.weight == compute_weight(new, 1.0, world.now)
        assert (moved.before["curve"], moved.after["curve"]) == ("fade", "score")
    told = (await world.store.read(world.user, lambda tx: tx.changes.list_changes(after=0)))[-1]
    assert told.entity == "job"
    assert told.after is not None
    assert (told.after["kind"], told.after["state"], told.after["moved"]) == ("curve", "done", 12)


async def test_it_goes_on_where_it_was_interrupted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done is done, nothing is done twice, and the count is that of the whole move."""
    monkeypatch.setattr(switch, "BATCH", 2)
    made = [await world.remember(f"fact number {i} is {i * 7}") for i in range(7)]
    await switch.plan(world.store, "fsrs", world.now)
    job = await world.store.write_system(
        lambda s: s.lease(world.now, world.now + DAY, world.worker, kinds=["curve"])
    )
    assert job is not None
    some = switch.CurveSwitcher(world.store, 1.0)
    first = [m.id for m in made[:2]]
    await world.store.write(
        world.user, lambda tx: some._move_some(tx, job, first, "fsrs", world.now)
    )
    await world.store.write_system(lambda s: s.release(world.worker, world.now))
    with pytest.raises(Conflict):
        await some.run(job, world.now)  # the lease is gone: whoever has it now goes on
    assert (await world.store.read(world.user, lambda tx: tx.memories.count_by("curve"))) == {
        "fade": 5,
        "fsrs": 2,
    }
    result = await run(world)
    assert result["moved"] == 7
    for m in made:
        log = await world.store.read(world.user, partial(log_of, m.id))
        assert [e.event for e in log] == ["created", "adopted"]


async def test_set_anew_before_it_was_done(world: World) -> None:
    """Only the last setting counts."""
    await world.remember("likes tea")
    await switch.plan(world.store, "score", world.now)
    await switch.plan(world.store, "relevance", world.now)
    (job,) = await waiting(world)
    assert (job.payload["curve"], job.payload["was"]) == ("relevance", "score")
    await run(world)
    assert (await world.only()).curve == "relevance"
    assert await waiting(world) == []


async def test_every_curve_to_every_other(world: World) -> None:
    """There and back again, the log keeps every step."""
    m = await world.remember("likes tea", at=START - 60 * DAY)
    path = [c for c in CURVES if c != "fade"] + ["fade"]
    for curve in path:
        await switch.plan(world.store, curve, world.tick())
        await run(world)
        now = await world.get(m.id)
        assert now.curve == curve
        assert compute_level(now, 1.0, world.now) is compute_level(m, 1.0, world.now)
    log = await world.store.read(world.user, lambda tx: tx.memories.list_weight_log(m.id))
    assert [e.after["curve"] for e in log] == ["fade", *path]


async def test_those_fainter_than_the_curve_keeps_are_counted(world: World) -> None:
    """So that whoever switches hears that the next night forgets them."""
    await world.remember("likes tea")
    m = await world.remember("was once in Riga", kind=Kind.CONTEXT, at=START - 40_000 * DAY)
    assert compute_weight(m, 1.0, world.now) == 0.01
    await switch.plan(world.store, "relevance", world.now)
    assert (await run(world))["fainter"] == 1


async def test_an_undo_of_what_was_before_still_works(world: World) -> None:
    """A switch is no change of a memory that stands in anybody's way, nor the last act of a person."""
    from memory.learn.undo import undo

    await world.learn("I like jazz.", "[ADD kind=preference] The user likes jazz")
    await switch.plan(world.store, "score", world.now)
    await run(world)
    done = await world.store.write(world.user, lambda tx: undo(tx, world.tick(), 1.0))
    assert done.reason == "monitor"
    assert (await world.only(State.DELETED)).curve == "score"
