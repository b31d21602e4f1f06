"""A night: every phase in its order, each bounded, each resumable, and the report at the end, once.

What needs no model comes first and always gets done. Where a model does not answer, the job is tried again a few
times; then the night ends without that phase, says so in its report, and the next night takes it up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np

from memory.errors import ModelError, StoreError
from memory.jobs import Effect
from memory.learn.answer import Tools
from memory.models import Job, Json, MemoryId, Night, State
from memory.ports import Tx
from memory.upkeep import clashes, clear, derive, duplicates, levels, report, review, schedule, similar
from memory.upkeep.run import Run, Since, Tally, batches

log = logging.getLogger(__name__)

PATIENCE: Final = 6  # attempts of a night for a model that does not answer: about a minute
LONGEST_WAIT: Final = 900.0  # seconds a provider may ask for; the daily budget asks for more, and waits for tomorrow
NOTICEABLE: Final = 0.005  # a cached weight only orders lists: what moved less stays
WEIGHTS_AT_ONCE: Final = 2_000
REVERSIBLE: Final = frozenset({"weights", "levels", "rewrite"})  # a later night takes these back by itself
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_WEIGHED: Final = frozenset({State.ACTIVE, State.SUPERSEDED, State.PROPOSED})


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The handler of `upkeep` jobs.

    Args:
        tools: store, memory model, embedder, curve and user factor.
        tz: IANA zone of people who have set none.
        hour: local hour at which a night is due.
        erase_old: also erase, for good, what has been forgotten or archived for 365 days.
        patience: attempts of a night for a model that does not answer.
    """

    tools: Tools
    tz: str = "UTC"
    hour: int = 4
    erase_old: bool = False
    patience: int = PATIENCE

    async def run(self, job: Job, now: datetime) -> Effect:
        """Do what is due, going on where an earlier attempt stopped. Raises ModelError, Conflict."""
        run = await self._begin(job, now)
        if run.believed:
            await self._back_up(now)
        await run.look()
        near: dict[MemoryId, dict[MemoryId, float]] | None = None

        async def beside() -> dict[MemoryId, dict[MemoryId, float]]:
            nonlocal near
            if near is None:
                near = await _looked_at(run)
            return near

        phases: Mapping[str, Callable[[], Awaitable[None]]] = {
            "weights": lambda: _weights(run),
            "levels": lambda: levels.settle(run),
            "purge": lambda: clear.clear(run),
            "rewrite": lambda: levels.rewrite(run),
            "review": lambda: review.review(run),
            "merge": lambda: _with(beside, lambda found: duplicates.merge(run, found)),
            "clash": lambda: _with(beside, lambda found: clashes.find(run, found)),
            "derive": lambda: _with(beside, lambda found: derive.derive(run, found)),
        }
        for name, phase in phases.items():
            if (run.believed or name in REVERSIBLE) and await run.enter(name):
                await self._phase(run, name, phase)
        if run.moved:
            await run.look()  # as it stands now
        if run.seen is None:
            raise AssertionError
        standing = await asyncio.to_thread(report.figures, run.rows, run.seen)
        # What belongs to no single user: whoever's night it is clears a portion of it.
        if run.believed:
            await self.tools.store.system(lambda s: s.prune(now))
        return lambda tx: self._finish(tx, run, standing)

    async def _back_up(self, now: datetime) -> None:
        """Today's backup, before anything changes. A night is not to fail for it."""
        try:
            await self.tools.store.keep_backups(now)
        except (StoreError, OSError) as e:
            log.warning("there is no backup of today: %s", e)

    async def _begin(self, job: Job, now: datetime) -> Run:
        def look(tx: Tx) -> tuple[Night | None, Night | None, str]:
            return tx.nights.of(job.id), schedule.last_night(tx), tx.user().tz or self.tz

        started, last, tz = await self.tools.store.read(job.user_id, look)
        carry = dict(last.data.get("carry", {})) if last else {}
        if last is not None:
            carry["clashes"] = last.data.get("clashes", [])
        since = Since(last.at if last else None, last.night if last else None, carry)
        night = schedule.night_of(now, tz, self.hour).isoformat()
        data: dict[str, Json] = dict(started.data) if started else {"carry": _carried(carry)}
        nights = schedule.nights_since(since.night, now, tz, self.hour)
        believed = await self.tools.store.believes(now, by_hand=schedule.is_by_hand(job))
        return Run(self.tools, job, now, night, nights, since, data, erase_old=self.erase_old, believed=believed)

    async def _phase(self, run: Run, name: str, phase: Callable[[], Awaitable[None]]) -> None:
        try:
            await phase()
        except ModelError as e:
            if e.retryable and self._patient(run.job) and (e.retry_after or 0.0) <= LONGEST_WAIT:
                raise
            log.warning("upkeep goes on without %s: %s", name, e.code)
            code = e.code

            def waits(_tx: Tx, tally: Tally) -> None:
                tally.data.setdefault("waiting", {})[name] = code

            await run.write(waits, moves=False)
        await run.leave(name)

    def _patient(self, job: Job) -> bool:
        """Whether another attempt may come; somebody waits for a run by hand."""
        return job.attempts < min(self.patience, job.max_attempts) and not schedule.is_by_hand(job)

    def _finish(self, tx: Tx, run: Run, standing: Mapping[str, Json]) -> Mapping[str, Json]:
        """The report, once, with the job's `done`; and the next night."""
        tally = Tally(run.data)
        data = tally.data | {"believed": run.believed}
        counts = data.get("counts", {})
        happened = tx.memories.log_since(run.since.at or _EVER, report.COUNTED)
        data["counters"] = report.counters(happened, counts, standing)
        data |= {k: standing[k] for k in ("memories", "levels", "states", "forgetting_rate")}
        _tidy(data, run)
        for passing in ("phase", "share", "phases"):
            data.pop(passing, None)
        tx.nights.put(Night(run.job.id, run.night, run.now, done=True, data=data))
        schedule.plan(tx, run.now, tx.user().tz or self.tz, self.hour)
        if run.believed:
            tx.jobs.prune(run.now)
        did = sum(int(counts.get(k, 0)) for k in ("down", "up", "forgotten", "merges", "purged", "todos"))
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


async def _weights(run: Run) -> None:
    """S1's nightly step, and the cached weights that have moved."""
    if run.believed:
        await levels.wear(run)
    if run.seen is None:
        raise AssertionError
    cached = np.fromiter((r.weight for r in run.rows), np.float64, len(run.rows))
    moved = np.flatnonzero(np.abs(run.seen.weight - cached) >= NOTICEABLE).tolist()
    todo = [
        (run.rows[i].id, run.rows[i].rev, float(run.seen.weight[i])) for i in moved if run.rows[i].state in _WEIGHED
    ]
    portions = batches(todo, WEIGHTS_AT_ONCE)
    for i, some in enumerate(portions):
        await run.write(
            lambda tx, _tally, some=some: tx.memories.put_weights(some),  # type: ignore[misc]
            share=(i + 1) / len(portions),
            moves=False,
        )


async def _looked_at(run: Run) -> dict[MemoryId, dict[MemoryId, float]]:
    """What was learned since the last look, and what stands near each of it."""
    place = int(run.since.carry.get("place", 0))
    new = similar.fresh(run, place)
    near = await similar.neighbours(run, list(dict.fromkeys([*await _edited(run), *(r.id for r in new)])))
    for r in new:
        if r.id not in near:
            break
        place = r.place
    await run.write(lambda _tx, tally: tally.data.setdefault("carry", {}).update(place=place), moves=False)
    return near


async def _edited(run: Run) -> list[MemoryId]:
    """Old memories whose words or standing have changed since the last report."""
    if run.since.at is None:
        return []
    since = run.since.at
    events = await run.tools.store.read(run.user_id, lambda tx: tx.memories.log_since(since, ("edited", "affirm")))
    changed = {e.memory_id for e in events}
    return [r.id for r in similar.current(run.rows) if r.id in changed]


async def _with(
    beside: Callable[[], Awaitable[dict[MemoryId, dict[MemoryId, float]]]],
    phase: Callable[[dict[MemoryId, dict[MemoryId, float]]], Awaitable[None]],
) -> None:
    await phase(await beside())


def _carried(carry: Mapping[str, Json]) -> dict[str, Json]:
    """What one night tells the next: how often a model failed at what, and up to where duplicates were looked for."""
    return {k: dict(carry.get(k, {})) for k in ("unwritten", "unreviewed")} | {"place": int(carry.get("place", 0))}


def _tidy(data: dict[str, Json], run: Run) -> None:
    """Failures are carried on for memories that are still there; what a model kept from its end is done again."""
    there = {r.id for r in run.rows if r.state == State.ACTIVE}
    carry = data.setdefault("carry", {})
    for what in ("unwritten", "unreviewed"):
        carry[what] = {i: n for i, n in carry.get(what, {}).items() if i in there}
    if not {"merge", "clash"}.isdisjoint(data.get("waiting", {})):
        carry["place"] = int(run.since.carry.get("place", 0))
