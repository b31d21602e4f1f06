"""The nights of all users: planned, run, looked over beforehand, and reported.

A night runs every phase in its order, each bounded, each resumable, and writes the report at the
end, once. What needs no model comes first and always gets done. Where a model does not answer, the
job is tried again a few times; then the night ends without that phase, says so in its report, and
the next night takes it up.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from memory import lifecycle
from memory.errors import ModelError, StoreError
from memory.jobs import Effect
from memory.learn.answer import LearningTools
from memory.models import Job, Json, Level, Memory, MemoryId, Sensitivity, State, UpkeepNight
from memory.ports import Transaction
from memory.upkeep import clashes, derive, duplicates, expire, levels, report, review, schedule
from memory.upkeep.report import NightReport, load_report
from memory.upkeep.run import (
    NightCounts,
    SinceLastReport,
    UpkeepRun,
    WeightColumns,
    split_into_batches,
)

__all__ = ["NightReport", "UpkeepPreview", "UpkeepProgress", "UpkeepService", "get_progress"]

log = logging.getLogger(__name__)

PATIENCE: Final = 6  # attempts of a night for a model that does not answer: about a minute
LONGEST_WAIT: Final = (
    900.0  # seconds a provider may ask for; the daily budget asks for more, and waits for tomorrow
)
NOTICEABLE: Final = 0.005  # a cached weight only orders lists: what moved less stays
WEIGHTS_AT_ONCE: Final = 2_000
REVERSIBLE: Final = frozenset(
    {"weights", "levels", "rewrite"}
)  # a later night takes these back by itself
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_WEIGHED: Final = frozenset({State.ACTIVE, State.SUPERSEDED, State.PROPOSED})


@dataclass(frozen=True, slots=True)
class UpkeepPreview:
    """What upkeep would do now, as far as no model is needed to say so. Nothing was changed for it.

    fading: memories that would change their level, by (from, to). erased_old: only where that is
    switched on.
    """

    memories: int
    fading: Mapping[tuple[Level, Level], Sequence[Memory]] = field(default_factory=dict)
    forgotten: Sequence[Memory] = ()
    promotion: Sequence[Memory] = ()
    decay: Sequence[Memory] = ()
    merges: Sequence[Sequence[Memory]] = ()
    clashes: Sequence[tuple[Memory, Memory]] = ()
    purged: Sequence[Memory] = ()
    erased_old: Sequence[Memory] = ()
    moved: int = 0  # cached weights


@dataclass(frozen=True, slots=True)
class UpkeepProgress:
    """How far a run is: the phase it is in, and the share of the night that is done."""

    phase: str
    share: float


class UpkeepService:
    """What the service and the background of any program use of upkeep.

    Args:
        tools: store, memory model, embedder, curve and user factor.
        tz: IANA zone of people who have set none.
        hour: local hour at which a night is due, 0 to 23.
        erase_old: also erase, for good, what has been forgotten or archived for 365 days.
    """

    def __init__(
        self, tools: LearningTools, *, tz: str = "UTC", hour: int = 4, erase_old: bool = False
    ) -> None:
        self._tools = tools
        self._tz = tz
        self._hour = hour
        self._erase_old = erase_old

    # --- a night ---

    async def job(self, job: Job, now: datetime) -> Effect:
        """Do what is due, going on where an earlier attempt stopped.

        Raises ModelError, Conflict.
        """
        return await self._night(job, now, PATIENCE)

    async def at_once(self, job: Job, now: datetime) -> Effect:
        """Do the same where somebody waits for it: a model that does not answer is left to the next night."""
        return await self._night(job, now, 0)

    async def _night(self, job: Job, now: datetime, patience: int) -> Effect:
        run, store = await self._begin(job, now), self._tools.store
        if run.believed:
            await self._back_up(now)
        await run.look()
        near: duplicates.Near | None = None

        async def beside() -> duplicates.Near:
            nonlocal near
            near = await _neighbours(run) if near is None else near
            return near

        async def merge() -> None:
            await duplicates.merge(run, await beside())

        async def clash() -> None:
            await clashes.find(run, await beside())

        async def conclude() -> None:
            await derive.derive(run, await beside())

        phases: Mapping[str, Callable[[], Awaitable[None]]] = {
            "weights": lambda: _weights(run),
            "levels": lambda: levels.apply_level_rules(run),
            "purge": lambda: expire.clear(run),
            "rewrite": lambda: levels.rewrite_levels(run),
            "review": lambda: review.review(run),
            "merge": merge,
            "clash": clash,
            "derive": conclude,
        }
        for name, phase in phases.items():
            if (run.believed or name in REVERSIBLE) and await run.enter(name):
                await self._phase(run, name, phase, patience)
        if run.moved:
            await run.look()  # as it stands now
        standing = report.compute_figures(run.rows)
        # What belongs to no single user: whoever's night it is clears a portion of it.
        if run.believed:
            await store.write_system(lambda s: s.prune(now))
        return lambda tx: self._finish(tx, run, standing)

    async def _back_up(self, now: datetime) -> None:
        """Today's backup, before anything changes. A night is not to fail for it."""
        try:
            await self._tools.store.keep_backups(now)
        except (StoreError, OSError) as e:
            log.warning("there is no backup of today: %s", e)

    async def _begin(self, job: Job, now: datetime) -> UpkeepRun:
        def look(tx: Transaction) -> tuple[UpkeepNight | None, UpkeepNight | None, str]:
            return tx.nights.get_night(job.id), schedule.get_last_night(tx), self._zone(tx)

        store = self._tools.store
        started, last, tz = await store.read(job.user_id, look)
        carry = (
            {**last.data.get("carry", {}), "clashes": last.data.get("clashes", [])} if last else {}
        )
        since = (
            SinceLastReport(last.at, last.night, carry) if last else SinceLastReport(None, None, {})
        )
        night = schedule.find_last_night(now, tz, self._hour).isoformat()
        data: dict[str, Json] = dict(started.data) if started else {"carry": _carried(carry)}
        nights = schedule.list_nights_since(since.night, now, tz, self._hour)
        believed = await store.trust_clock(now, by_hand=schedule.is_by_hand(job))
        tools = replace(self._tools, night=True)
        return UpkeepRun(
            tools,
            job,
            now,
            night,
            nights,
            since,
            data,
            erase_old=self._erase_old,
            believed=believed,
        )

    async def _phase(
        self, run: UpkeepRun, name: str, phase: Callable[[], Awaitable[None]], patience: int
    ) -> None:
        try:
            await phase()
        except ModelError as e:
            more = run.job.attempts < min(
                patience, run.job.max_attempts
            ) and not schedule.is_by_hand(run.job)
            if e.retryable and more and (e.retry_after or 0.0) <= LONGEST_WAIT:
                raise
            log.warning("upkeep goes on without %s: %s", name, e.code)
            code = e.code

            def waits(_tx: Transaction, tally: NightCounts) -> None:
                tally.data.setdefault("waiting", {})[name] = code

            await run.write(waits, moves=False)
        await run.leave(name)

    def _finish(
        self, tx: Transaction, run: UpkeepRun, standing: Mapping[str, Json]
    ) -> Mapping[str, Json]:
        """Write the report, once, with the job's `done`; and plan the next night."""
        tally = NightCounts(run.data)
        data = tally.data | {"believed": run.believed}
        counts = data.get("counts", {})
        happened = tx.memories.log_since(run.since.at or _EVER, report.COUNTED)
        data["counters"] = report.compute_counters(happened, counts, standing)
        data |= {k: standing[k] for k in ("memories", "levels", "states", "forgetting_rate")}
        _tidy(data, run)
        for passing in ("phase", "share", "phases"):
            data.pop(passing, None)
        tx.nights.put(UpkeepNight(run.job.id, run.night, run.now, done=True, data=data))
        schedule.plan(tx, run.now, self._zone(tx), self._hour)
        if run.believed:
            tx.jobs.prune(run.now)
        did = sum(
            int(counts.get(k, 0)) for k in ("down", "up", "forgotten", "merges", "purged", "todos")
        )
        return {
            "outcome": "saved" if did or data.get("derived") else "nothing",
            "night": run.night,
            "levelled": int(counts.get("down", 0)) + int(counts.get("up", 0)),
            "forgotten": int(counts.get("forgotten", 0)) + int(counts.get("review_forgotten", 0)),
            "promoted": int(counts.get("review_promoted", 0)),
            "merged": int(counts.get("merged", 0)),
            "purged": int(counts.get("purged", 0)),
            "clashes": len(data.get("clashes", [])),
            "derived": len(data.get("derived", [])),
            "waiting": sorted(data.get("waiting", {})),
        }

    # --- around it ---

    async def plan(self, user_id: str, now: datetime) -> bool:
        """See that the next night is put down, and one that was missed.

        True if there is new work.
        """
        store = self._tools.store
        if await store.read(
            user_id, lambda tx: schedule.is_planned(tx, now, self._zone(tx), self._hour)
        ):
            return False
        return await store.write(
            user_id, lambda tx: schedule.plan(tx, now, self._zone(tx), self._hour)
        )

    async def by_hand(self, user_id: str, now: datetime) -> str:
        """Enqueue a run for now; the job's id. Who asks for it vouches for the clock."""
        await self._tools.store.trust_clock(now, by_hand=True)
        return await self._tools.store.write(user_id, lambda tx: schedule.enqueue_now(tx, now))

    async def progress(self, user_id: str) -> UpkeepProgress | None:
        """Say how far the run that is at work is; None if none is."""
        return await self._tools.store.read(user_id, get_progress)

    async def reports(self, user_id: str, limit: int = 1) -> list[NightReport]:
        """Newest first."""
        nights = await self._tools.store.read(
            user_id, lambda tx: tx.nights.list_latest_nights(limit)
        )
        return [load_report(n) for n in nights]

    async def preview(self, user_id: str, now: datetime) -> UpkeepPreview:
        """Return what a run would do now. No model is asked, and nothing is written."""
        job = Job(
            "preview",
            user_id,
            "upkeep",
            schedule.make_lane_name(user_id),
            "preview",
            {},
            "leased",
            now,
        )
        last = await self._tools.store.read(user_id, lambda tx: tx.nights.list_latest_nights(1))
        since = (
            SinceLastReport(last[0].at, last[0].night, last[0].data.get("carry", {}))
            if last
            else SinceLastReport(None, None, {})
        )
        run = UpkeepRun(self._tools, job, now, "", (now,), since, {}, erase_old=self._erase_old)
        await run.look()
        due = levels.find_due_levels(run)
        changing = await run.memories([*due.ruled, *due.written])
        reviewed = [
            m for m in await run.memories(review.find_due_reviews(run)) if m not in changing
        ]
        new = duplicates.list_new_facts(run, int(since.carry.get("place", 0)))
        near = await duplicates.find_nearest(run, [r.id for r in new])
        known = {
            m.id: m
            for m in await run.memories(
                sorted({*near, *(i for found in near.values() for i in found)})
            )
        }
        old = (
            await self._tools.store.read(user_id, lambda tx: expire.find_faded_due(tx, run))
            if self._erase_old
            else []
        )
        return UpkeepPreview(
            memories=sum(w.row.state == State.ACTIVE for w in run.rows),
            fading=_fading(run, changing),
            forgotten=[m for m in changing if _forgets(run, m)],
            promotion=[
                m for m in reviewed if isinstance(_verdict(run, m), lifecycle.PromoteAction)
            ],
            decay=[m for m in reviewed if isinstance(_verdict(run, m), lifecycle.DecayAction)],
            merges=duplicates.group_duplicates(known, near),
            clashes=[(p.a, p.b) for p in clashes.find_clash_pairs(known, near)],
            purged=await run.memories(expire.find_deleted_due(run)),
            erased_old=await run.memories(old),
            moved=len(_moved(run)),
        )

    def _zone(self, tx: Transaction) -> str:
        return tx.user().tz or self._tz


async def _weights(run: UpkeepRun) -> None:
    """The nightly step of curves that have one, and the cached weights that have moved."""
    if run.believed:
        await levels.lower_importance(run)
    todo = [(w.row.id, w.row.rev, w.weight) for w in _moved(run) if w.row.state in _WEIGHED]
    portions = split_into_batches(todo, WEIGHTS_AT_ONCE)
    await run.write_each(
        portions, lambda _run, tx, _tally, some: tx.memories.put_weights(some), moves=False
    )


def _moved(run: UpkeepRun) -> list[WeightColumns]:
    return [w for w in run.rows if abs(w.weight - w.row.weight) >= NOTICEABLE]


async def _neighbours(run: UpkeepRun) -> duplicates.Near:
    """What was learned since the last look, or has changed since the last report, and what stands near each of it."""
    place, since = int(run.since.carry.get("place", 0)), run.since.at
    new, ids = duplicates.list_new_facts(run, place), list[MemoryId]()
    if since is not None:
        kinds = ("edited", "affirm")
        events = await run.tools.store.read(
            run.user_id, lambda tx: tx.memories.log_since(since, kinds)
        )
        changed = {e.memory_id for e in events}
        ids = [r.id for r in duplicates.list_current_facts(run) if r.id in changed]
    near = await duplicates.find_nearest(run, list(dict.fromkeys([*ids, *(r.id for r in new)])))
    for r in new:
        if r.id not in near:
            break
        place = r.place
    await run.write(
        lambda _tx, tally: tally.data.setdefault("carry", {}).update(place=place), moves=False
    )
    return near


def _carried(carry: Mapping[str, Json]) -> dict[str, Json]:
    """What one night tells the next: how often a model failed at what, and up to where duplicates were looked for."""
    return {k: dict(carry.get(k, {})) for k in ("unwritten", "unreviewed")} | {
        "place": int(carry.get("place", 0))
    }


def _tidy(data: dict[str, Json], run: UpkeepRun) -> None:
    """Failures are carried on for memories that are still there; what a model kept from its end is done again."""
    there = {w.row.id for w in run.rows if w.row.state == State.ACTIVE}
    carry = data.setdefault("carry", {})
    for what in ("unwritten", "unreviewed"):
        carry[what] = {i: n for i, n in carry.get(what, {}).items() if i in there}
    if not {"merge", "clash"}.isdisjoint(data.get("waiting", {})):
        carry["place"] = int(run.since.carry.get("place", 0))


def get_progress(tx: Transaction) -> UpkeepProgress | None:
    """Say how far the run that is at work is, for whoever reads other things in the same moment."""
    working = [j.id for j in tx.jobs.list_pending("upkeep") if j.state == "leased"]
    if not working:
        return None
    night = tx.nights.get_night(working[0])
    if night is None or night.done:
        return UpkeepProgress("weights", 0.0)
    return UpkeepProgress(
        str(night.data.get("phase", "weights")), float(night.data.get("share", 0.0))
    )


def _verdict(run: UpkeepRun, m: Memory) -> lifecycle.Verdict:
    secret = m.sensitivity is Sensitivity.SECRET
    return lifecycle.KeepAction() if secret else lifecycle.decide_action(m, run.tools.u, run.now)


def _forgets(run: UpkeepRun, m: Memory) -> bool:
    return m.state is State.ACTIVE and isinstance(_verdict(run, m), lifecycle.ForgetAction)


def _fading(run: UpkeepRun, memories: Sequence[Memory]) -> dict[tuple[Level, Level], list[Memory]]:
    out: dict[tuple[Level, Level], list[Memory]] = {}
    for m in memories:
        level = lifecycle.compute_level(m, run.tools.u, run.now)
        if level is not m.level and not _forgets(run, m):
            out.setdefault((m.level, level), []).append(m)
    return dict(sorted(out.items()))
