"""A whole night: what it reports, that it goes on where it stopped, and that it never runs twice at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory.errors import Conflict, ModelError
from memory.jobs import JobRunner
from memory.models import Kind, Level, State
from memory.store import make_worker_id, open_store
from memory.upkeep import run
from memory.upkeep.service import PHASES, UpkeepService, make_lane_name
from tests.memory.upkeep.night import Home, TaskModel, shorter

LONG = "Likes strong coffee without any sugar that the bar at the station makes out of beans from over the sea"


async def test_the_report_counts_what_happened(home: Home) -> None:
    """The weight paper's counters since the last report, levels, the forgetting rate; stored, in order."""
    a = await home.remember("The user likes tea")
    b = await home.remember("The user likes strong coffee without any sugar", kind=Kind.CONTEXT)
    c = await home.remember("The user plays chess")
    await home.night()
    home.later(hours=20)
    for _ in range(3):
        home.later(minutes=5)
        await home.happen(a, "mention")
    await home.happen(a, "boost")
    await home.happen(c, "negate")
    home.later(days=200)
    report = await home.night()
    now = [await home.get(m) for m in (a, b, c)]
    assert {k: v for k, v in report.counters.items() if k != "weight_distribution"} == {
        "passive_compression": 3,
        "user_activation": 4,
        "negation": 1,
        "frequent_reinforce": 2,
        "batch_merge": 0,
        "avg_weight": pytest.approx(sum(m.weight for m in now) / 3, abs=0.005),
    }
    assert sum(report.counters["weight_distribution"].values()) == report.memories == 3
    assert sum(report.levels.values()) == 3
    faint = sum(m.level > Level.SUMMARY for m in now)
    assert report.forgetting_rate == pytest.approx(faint / 3, abs=1e-3)
    assert report.states == {"active": 3}
    home.later(days=1)
    assert (await home.night()).counters["user_activation"] == 0
    assert [r.night for r in await home.keeper.reports(home.user, 9)] == [
        "2026-07-24",
        "2026-07-23",
        "2026-01-03",
    ]


async def test_the_end_of_a_night_is_a_change_that_front_ends_see(home: Home) -> None:
    """With figures, no texts."""
    await home.remember("The user likes strong coffee without any sugar", kind=Kind.CONTEXT)
    home.later(days=1500)
    await home.night()
    last = (await home.read(lambda tx: tx.changes.list_changes(after=0, limit=1000)))[-1]
    assert (last.entity, last.op) == ("job", "updated")
    assert (last.after["kind"], last.after["state"], last.after["outcome"]) == (
        "upkeep",
        "done",
        "saved",
    )
    assert (last.after["levelled"], last.after["waiting"]) == (1, [])
    assert "coffee" not in str(last.after)


async def test_a_quiet_night_changes_nothing(home: Home) -> None:
    """No change, no rev, no log row, and it says "nothing"."""
    for n in range(5):
        await home.remember(f"The user likes {n} things")
    await home.night()
    before = await home.all(State.ACTIVE)
    changes = await home.read(lambda tx: tx.changes.list_changes(after=0, limit=10_000))
    home.later(minutes=5)
    await home.night()
    assert await home.all(State.ACTIVE) == before
    more = (await home.read(lambda tx: tx.changes.list_changes(after=0, limit=10_000)))[
        len(changes) :
    ]
    assert [(c.entity, (c.after or {}).get("outcome")) for c in more] == [("job", "nothing")]


async def test_cached_weights_follow_without_a_change(home: Home) -> None:
    """Those that moved noticeably; the rest is left."""
    m = await home.remember("The user likes tea")
    home.later(hours=1)
    await home.night()
    assert (await home.get(m)).weight == m.weight
    home.later(days=12)
    seq = await home.read(lambda tx: tx.changes.get_last_seq())
    await home.night()
    now = await home.get(m)
    assert now.weight < m.weight
    assert now.rev == m.rev
    assert len(await home.read(lambda tx: tx.memories.list_weight_log(m.id))) == 1
    changes = await home.read(lambda tx: tx.changes.list_changes(after=seq, limit=100))
    assert {c.entity for c in changes} == {"job"}


async def test_a_look_beforehand_changes_nothing_and_says_what_would_be_done(home: Home) -> None:
    """No model is asked, not a byte is written; and then that is what is done."""
    await home.remember("The user likes strong coffee without any sugar", kind=Kind.CONTEXT)
    await home.remember("The user drinks tea every evening", kind=Kind.WORKFLOW)
    await home.remember("The user drinks tea every single evening", kind=Kind.WORKFLOW)
    await home.remember("用户住在北京", kind=Kind.IDENTITY)
    await home.remember("用户住在上海", kind=Kind.IDENTITY)
    home.later(days=60)
    dump = await _everything(home)
    preview = await home.keeper.preview(home.user, home.now)
    assert await _everything(home) == dump
    assert home.model.requests == []
    assert {(a.name, b.name): len(ms) for (a, b), ms in preview.fading.items()} == {
        ("FULL", "SUMMARY"): 3 if preview.fading[Level.FULL, Level.SUMMARY][2:] else 1
    }
    assert len(preview.merges) == 1
    assert preview.moved == 5
    report = await home.night()
    assert report.count("down") == sum(len(ms) for ms in preview.fading.values())


async def _everything(home: Home) -> list[tuple[object, ...]]:
    def read(con: object) -> list[tuple[object, ...]]:
        rows: list[tuple[object, ...]] = []
        for table in (
            "memories",
            "changes",
            "change_sets",
            "weight_log",
            "jobs",
            "nights",
            "token_usage",
            "embeddings",
        ):
            rows += [tuple(r) for r in con.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()]  # type: ignore[attr-defined]
        return rows

    return await home.store._readers[0].run(read)


async def test_progress_is_seen_and_a_night_goes_on_where_it_stopped(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Phases that were finished are not begun again; counts go on; the report is written once."""
    for n in range(5):
        await home.remember(f"The user had {n} slices of the cake", kind=Kind.CONTEXT)
    home.later(days=1500)
    faint = await home.remember(LONG, kind=Kind.CONTEXT)
    home.later(days=60)
    await home.remember("The user is called Lena", kind=Kind.IDENTITY)
    job = await home.lease()
    home.model.answers["level"] = ModelError("timeout")
    retried = replace(job, dedup_key="night:2030-01-01")
    with pytest.raises(ModelError):
        await home.keeper.job(retried, home.now)
    progress = await home.keeper.progress(home.user)
    assert progress is not None
    assert progress.phase == "rewrite"
    assert progress.share > 0.8
    assert await home.keeper.reports(home.user) == []
    assert len([m for m in await home.all() if m.level is Level.TRACE]) == 5
    home.model.answers["level"] = shorter

    async def never(_run: run.UpkeepRun) -> None:
        raise AssertionError

    monkeypatch.setitem(PHASES, "levels", never)
    effect = await home.keeper.job(retried, home.now)
    assert await home.store.finish_job(job, effect)
    (report,) = await home.keeper.reports(home.user)
    assert (report.count("to_trace"), report.count("to_summary"), report.count("down")) == (5, 1, 6)
    assert (await home.get(faint)).level is Level.SUMMARY
    assert await home.keeper.progress(home.user) is None


async def test_without_its_lease_a_run_writes_nothing(home: Home) -> None:
    """A process that slept through its lease must not wake up and write."""
    m = await home.remember("The user likes strong coffee without any sugar", kind=Kind.CONTEXT)
    home.later(days=1500)
    job = await home.lease()
    later = home.now + timedelta(hours=2)
    taken = await home.store.write_system(
        lambda s: s.lease(later, later + timedelta(hours=1), "other:1:x", kinds=["upkeep"])
    )
    assert taken is not None
    with pytest.raises(Conflict):
        await home.keeper.job(job, home.now)
    assert (await home.get(m)).level is Level.FULL
    assert await home.read(lambda tx: tx.nights.get_night(job.id)) is None


async def test_two_runners_never_run_one_persons_nights_at_once(home: Home, tmp_path: Path) -> None:
    """Two stores on one file, two jobs, one lane."""
    for n in range(4):
        await home.remember(f"{LONG}, cup {n} of the day", kind=Kind.CONTEXT)
    home.later(days=60)
    running, most = 0, 0

    class Counting(TaskModel):
        async def stream(self, request):  # type: ignore[no-untyped-def]
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.05)
            running -= 1
            async for chunk in super().stream(request):
                yield chunk

    model = Counting(**home.model.answers)
    other = await open_store(
        tmp_path / "ebb.db", clock=lambda: home.now, worker=make_worker_id(), key=b"k" * 32
    )
    await other.use_embedder(home.embedder.id, home.embedder.dim)
    try:
        runners: list[JobRunner] = []
        for store in (home.store, other):
            keeper = UpkeepService(replace(home.tools, store=store, model=model))
            lane = make_lane_name(home.user)
            key = f"hand:{len(runners)}"
            await home.write(
                lambda tx, k=key, lane=lane: tx.jobs.enqueue("upkeep", k, {}, home.now, lane=lane)  # type: ignore[misc]
            )
            runners.append(
                JobRunner(store, {"upkeep": keeper.job}, lambda: home.now, worker=store.worker)
            )
        await asyncio.gather(*(r.drain(20) for r in runners))
        assert await runners[0].drain(20) == 0
    finally:
        await other.close()
    assert most == 1
    assert len(await home.keeper.reports(home.user, 9)) == 2


async def test_a_night_that_gets_ahead_is_not_given_up_however_often_it_is_killed(
    home: Home,
) -> None:
    """Attempts count against a run that never gets anywhere: twenty of those, and it is given up visibly."""
    await home.keeper.by_hand(home.user, home.now)

    async def killed(*, ahead: bool) -> bool:
        """A process takes the job and is never heard of again. False: nobody may take it any more."""
        until = home.now + timedelta(minutes=1)
        job = await home.store.write_system(
            lambda s: s.lease(home.now, until, "gone:1:x", kinds=["upkeep"])
        )
        if job is not None and ahead:
            night = run.UpkeepRun(home.tools, job, home.now, "2026-01-03", (home.now,), None)
            await night.write(lambda _tx: night.count("down"), share=0.5)
        home.later(minutes=2)
        return job is not None

    assert all([await killed(ahead=True) for _ in range(50)])
    assert [await killed(ahead=False) for _ in range(20)] == [True] * 19 + [False]
    assert len(await home.read(lambda tx: tx.jobs.list_dead())) == 1


async def test_whoever_waits_is_not_kept_waiting_for_a_model(home: Home) -> None:
    """A missed night that somebody runs by hand ends without what needs the model, and says so."""
    await home.remember(LONG, kind=Kind.CONTEXT)
    await home.keeper.plan(home.user, home.now)
    home.later(days=60)
    job = await home.lease()
    assert job.dedup_key.startswith("night:")
    home.model.answers["level"] = ModelError("no_connection")
    with pytest.raises(ModelError):
        await home.keeper.job(job, home.now)
    assert await home.store.finish_job(job, await home.keeper.at_once(job, home.now))
    (report,) = await home.keeper.reports(home.user)
    assert report.waiting == {"rewrite": "no_connection"}
