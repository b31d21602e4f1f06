"""The nights of all users: planned, run, looked over beforehand, and reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory import lifecycle
from memory.jobs import Effect
from memory.learn.answer import Tools
from memory.models import Job, Level, Memory, MemoryId, Sensitivity, State
from memory.ports import Tx
from memory.upkeep import clashes, clear, duplicates, levels, review, schedule, similar
from memory.upkeep.nightly import Upkeep
from memory.upkeep.report import Report, report_of
from memory.upkeep.run import Run, Since


@dataclass(frozen=True, slots=True)
class Preview:
    """What upkeep would do now, as far as no model is needed to say so. Nothing was changed for it.

    fading: memories that would change their level, by (from, to). erased_old: only where that is switched on.
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
class Progress:
    """How far a run is: the phase it is in, and the share of the night that is done."""

    phase: str
    share: float


class Keeper:
    """What the service and the background of any program use of upkeep.

    Args:
        tools: store, memory model, embedder, curve and user factor.
        tz: IANA zone of people who have set none.
        hour: local hour at which a night is due, 0 to 23.
        erase_old: also erase, for good, what has been forgotten or archived for 365 days.
    """

    def __init__(self, tools: Tools, *, tz: str = "UTC", hour: int = 4, erase_old: bool = False) -> None:
        self._tools = tools
        self._tz = tz
        self._hour = hour
        self._erase_old = erase_old
        self._upkeep = Upkeep(replace(tools, night=True), tz, hour, erase_old)

    async def job(self, job: Job, now: datetime) -> Effect:
        """The handler of `upkeep` jobs."""
        return await self._upkeep.run(job, now)

    async def at_once(self, job: Job, now: datetime) -> Effect:
        """The same where somebody waits for it: a model that does not answer is left to the next night."""
        return await replace(self._upkeep, patience=0).run(job, now)

    async def plan(self, user_id: str, now: datetime) -> bool:
        """See that the next night is put down, and one that was missed. True if there is new work."""
        store = self._tools.store
        if await store.read(user_id, lambda tx: schedule.planned(tx, now, self._zone(tx), self._hour)):
            return False
        return await store.write(user_id, lambda tx: schedule.plan(tx, now, self._zone(tx), self._hour))

    async def by_hand(self, user_id: str, now: datetime) -> str:
        """Enqueue a run for now; the job's id. Who asks for it vouches for the clock."""
        await self._tools.store.believes(now, by_hand=True)
        return await self._tools.store.write(user_id, lambda tx: schedule.by_hand(tx, now))

    async def progress(self, user_id: str) -> Progress | None:
        """How far the run that is at work is; None if none is."""
        return await self._tools.store.read(user_id, progress)

    async def reports(self, user_id: str, limit: int = 1) -> list[Report]:
        """Newest first."""
        nights = await self._tools.store.read(user_id, lambda tx: tx.nights.latest(limit))
        return [report_of(n) for n in nights]

    async def preview(self, user_id: str, now: datetime) -> Preview:
        """What a run would do now. No model is asked, and nothing is written."""
        job = Job("preview", user_id, "upkeep", schedule.lane(user_id), "preview", {}, "leased", now)
        last = (await self.reports(user_id))[:1]
        place = await self._tools.store.read(user_id, _place)
        since = Since(last[0].at if last else None, last[0].night if last else None, {"place": place})
        run = Run(self._tools, job, now, "", (now,), since, {})
        await run.look()
        if run.seen is None:
            raise AssertionError
        due = levels.due(run)
        changing = await self._memories(run, [*due.ruled, *(i for i, _ in due.written)])
        reviewed = [m for m in await self._memories(run, review.due(run)) if m not in changing]
        near = await similar.neighbours(run, [r.id for r in similar.fresh(run, place)])
        beside = await self._memories(run, sorted({*near, *(i for found in near.values() for i in found)}))
        known = {m.id: m for m in beside}
        return Preview(
            memories=sum(r.state == State.ACTIVE for r in run.rows),
            fading=_fading(run, changing),
            forgotten=[m for m in changing if _forgets(run, m)],
            promotion=[m for m in reviewed if _verdict(run, m, lifecycle.Promote)],
            decay=[m for m in reviewed if _verdict(run, m, lifecycle.Decay)],
            merges=[g.all for g in duplicates.groups(known, near)],
            clashes=clashes.candidates(known, near),
            purged=await self._memories(run, clear.deleted(run.rows, now)),
            erased_old=await self._old(run),
            moved=sum(abs(float(w) - r.weight) >= 0.005 for r, w in zip(run.rows, run.seen.weight, strict=True)),
        )

    async def _memories(self, run: Run, ids: Sequence[MemoryId]) -> list[Memory]:
        return await self._tools.store.read(run.user_id, lambda tx: tx.memories.many(ids))

    async def _old(self, run: Run) -> list[Memory]:
        if not self._erase_old:
            return []

        def look(tx: Tx) -> list[Memory]:
            return tx.memories.many(clear.faded(tx, run.rows, run.now))

        return await self._tools.store.read(run.user_id, look)

    def _zone(self, tx: Tx) -> str:
        return tx.user().tz or self._tz


def progress(tx: Tx) -> Progress | None:
    """How far the run that is at work is, for whoever reads other things in the same moment."""
    working = [j.id for j in tx.jobs.pending("upkeep") if j.state == "leased"]
    if not working:
        return None
    night = tx.nights.of(working[0])
    if night is None or night.done:
        return Progress("weights", 0.0)
    return Progress(str(night.data.get("phase", "weights")), float(night.data.get("share", 0.0)))


def _place(tx: Tx) -> int:
    last = tx.nights.latest(1)
    return int(last[0].data.get("carry", {}).get("place", 0)) if last else 0


def _forgets(run: Run, m: Memory) -> bool:
    return m.state is State.ACTIVE and _verdict(run, m, lifecycle.Forget)


def _verdict(run: Run, m: Memory, kind: type[object]) -> bool:
    return isinstance(lifecycle.verdict(m, run.tools.u, run.now), kind) and m.sensitivity < Sensitivity.SECRET


def _fading(run: Run, memories: Sequence[Memory]) -> dict[tuple[Level, Level], list[Memory]]:
    out: dict[tuple[Level, Level], list[Memory]] = {}
    for m in memories:
        level = lifecycle.level_of(m, run.tools.u, run.now)
        if level is not m.level and not _forgets(run, m):
            out.setdefault((m.level, level), []).append(m)
    return dict(sorted(out.items()))


__all__ = ["Keeper", "Preview", "Progress", "Report", "progress"]
