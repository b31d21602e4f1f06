"""The nights of all users: planned, run, looked over beforehand, and reported.

A night runs every phase in its order, each bounded, each resumable, and writes the report at the
end, once. What needs no model comes first and always gets done. Where a model does not answer, the
job is tried again a few times; then the night ends without that phase, says so in its report, and
the next night takes it up.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from memory import lifecycle
from memory.errors import BudgetSpent, ModelError, StoreError
from memory.jobs import Effect
from memory.learn.answer import LearningTools
from memory.learn.dates import get_zone
from memory.learn.waiting_questions import take_go_on
from memory.models import Job, Json, Level, Memory, State, UpkeepNight
from memory.ports import Transaction
from memory.upkeep import changes, duplicates, expire, levels, review, themes
from memory.upkeep.report import DiffEntry, NightReport, load_report, read_night_diff, write_report
from memory.upkeep.run import NightHeldError, UpkeepRun

__all__ = [
    "DiffEntry",
    "NightReport",
    "UpkeepPreview",
    "UpkeepProgress",
    "UpkeepService",
    "get_progress",
]

log = logging.getLogger(__name__)

PHASES: Final[dict[str, Callable[[UpkeepRun], Awaitable[None]]]] = {
    "weights": levels.update_weights,
    "levels": levels.apply_level_rules,
    "purge": expire.purge_expired,
    "changes": changes.settle_changes,
    "merge": duplicates.merge_duplicates,
    "themes": themes.derive_themes,
    "review": review.review_due_memories,
    "rewrite": levels.rewrite_levels,
}
"""The phases of a night in the order of what they are worth.

Reviews are ten at most and stand before the texts of levels, of which there may be thousands: so
neither keeps the other from its turn, and a text that is not written yet leaves the original.
"""
REVERSIBLE: Final = frozenset({"weights", "levels", "rewrite"})  # taken back by a later night
PATIENCE: Final = 6  # attempts of a night for a model that does not answer: about a minute
LONGEST_WAIT: Final = 900.0  # seconds; the daily budget asks for more, and waits for tomorrow
MOST_MISSED: Final = 400  # nights that are made up for one by one, where a curve counts nights
_DAY: Final = timedelta(days=1)
_HAND: Final = "hand:"
_NIGHTS_KEPT: Final = 60


@dataclass(frozen=True, slots=True)
class UpkeepPreview:
    """What upkeep would do now, as far as no model is needed to say so. Nothing was changed for it.

    fading: memories that would change their level, by (from, to). erased_old: only where that is
    switched on. moved: how many cached weights.
    """

    memories: int
    fading: Mapping[tuple[Level, Level], Sequence[Memory]]
    forgotten: Sequence[Memory]
    promotion: Sequence[Memory]
    decay: Sequence[Memory]
    merges: Sequence[Sequence[Memory]]
    purged: Sequence[Memory]
    erased_old: Sequence[Memory]
    moved: int


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
        self._store = tools.store
        self._tz = tz
        self._hour = hour
        self._erase_old = erase_old

    # --- a night ---

    async def job(self, job: Job, now: datetime, patience: int = PATIENCE) -> Effect:
        """Do what is due, going on where an earlier attempt stopped.

        Raises ModelError where a model may answer on one of so many attempts (`patience`); Conflict
        where the lease was lost.
        """
        run = await self._begin(job, now)
        if run.believed:
            await self._back_up(now)
        await run.look()
        for i, (name, phase) in enumerate(PHASES.items()):
            span = i / len(PHASES), (i + 1) / len(PHASES)
            if (run.believed or name in REVERSIBLE) and await run.enter_phase(name, span):
                await self._do_phase(run, name, phase, patience)
        if run.moved:
            await run.look()
        if run.believed:  # what belongs to no single user: each night clears a portion of it
            await self._store.write_system(lambda s: s.prune())
        return lambda tx: self._finish(tx, run)

    async def at_once(self, job: Job, now: datetime) -> Effect:
        """Do the same where somebody waits: no attempt is repeated for a model."""
        return await self.job(job, now, patience=0)

    async def _begin(self, job: Job, now: datetime) -> UpkeepRun:
        def look(tx: Transaction) -> tuple[UpkeepNight | None, UpkeepNight | None, str]:
            return tx.nights.get_night(job.id), get_last_night(tx), self._zone(tx)

        started, last, tz = await self._store.read(job.user_id, look)
        data: Mapping[str, Json] = {"carry": last.data.get("carry", {}) if last else {}}
        return UpkeepRun(
            replace(self._tools, night=True),
            job,
            now,
            find_last_night(now, tz, self._hour).isoformat(),
            list_nights_since(last.night if last else None, now, tz, self._hour),
            last,
            tz,
            dict(started.data if started else data),
            erase_old=self._erase_old,
            allowed=bool(job.payload.get("all")),
            believed=await self._store.trust_clock(now, by_hand=is_by_hand(job)),
        )

    async def _back_up(self, now: datetime) -> None:
        """Make today's backup before anything changes. A night is not to fail for it."""
        try:
            await self._store.keep_backups(now)
        except (StoreError, OSError) as e:
            log.warning("there is no backup of today: %s", e)

    async def _do_phase(
        self,
        run: UpkeepRun,
        name: str,
        phase: Callable[[UpkeepRun], Awaitable[None]],
        patience: int,
    ) -> None:
        try:
            await phase(run)
        except ModelError as e:
            attempts = min(patience, run.job.max_attempts)
            more = run.job.attempts < attempts and not is_by_hand(run.job)
            if e.retryable and more and (e.retry_after or 0.0) <= LONGEST_WAIT:
                raise
            log.warning("upkeep goes on without %s: %s", name, e.code)
            why = "budget" if isinstance(e, BudgetSpent) else e.code
            waiting = {**run.data.get("waiting", {}), name: why}
            await run.write(lambda _tx: run.data.update(waiting=waiting), moves=False)
        except NightHeldError as e:
            held = {**run.data.get("held", {}), name: e.wanted}
            await run.write(lambda _tx: run.data.update(held=held), moves=False)
        await run.leave_phase(name)

    def _finish(self, tx: Transaction, run: UpkeepRun) -> Mapping[str, Json]:
        """Write the report, once, with the job's `done`; and plan the next night."""
        report = write_report(run, tx)
        plan_nights(tx, run.now, self._zone(tx), self._hour)
        if run.believed:
            tx.jobs.prune(run.now)
        n = report.count
        did = any(map(n, ("down", "up", "forgotten", "merges", "purged", "todos", "changed")))
        return {
            "outcome": "saved" if did or report.derived else "nothing",
            "night": run.night,
            "levelled": n("down") + n("up"),
            "forgotten": n("forgotten") + n("review_forgotten"),
            "promoted": n("review_promoted"),
            "merged": n("merged"),
            "purged": n("purged"),
            "changed": n("changed"),
            "asked": n("asked"),
            "derived": len(report.derived),
            "held": len(report.held),
            "waiting": sorted(report.waiting),
        }

    # --- around it ---

    async def plan(self, user_id: str, now: datetime) -> bool:
        """Enqueue the next night, and one that was missed. Returns whether there is new work."""

        def look(tx: Transaction) -> bool:
            return bool(list_unplanned(tx, now, self._zone(tx), self._hour))

        if not await self._store.read(user_id, look):
            return False
        return await self._store.write(
            user_id, lambda tx: plan_nights(tx, now, self._zone(tx), self._hour)
        )

    async def by_hand(self, user_id: str, now: datetime, *, everything: bool = False) -> str:
        """Enqueue a run for now; returns the job's id. Who asks for it vouches for the clock.

        everything: also what is more than a night may change by itself.
        """
        await self._store.trust_clock(now, by_hand=True)
        return await self._store.write(
            user_id, lambda tx: enqueue_now(tx, now, everything=everything)
        )

    async def go_on(self, user_id: str, proposal_id: str, now: datetime) -> bool:
        """Do what a night was held back from, where that is what was asked; tell whether it was."""

        def write(tx: Transaction) -> bool:
            asked = take_go_on(tx, proposal_id)
            return asked and bool(enqueue_now(tx, now, everything=True))

        return await self._store.write(user_id, write)

    async def progress(self, user_id: str) -> UpkeepProgress | None:
        """Return how far the run that is at work is; None if none is."""
        return await self._store.read(user_id, get_progress)

    async def reports(self, user_id: str, limit: int = 1) -> list[NightReport]:
        """Return the last reports, the newest first."""
        nights = await self._store.read(user_id, lambda tx: tx.nights.list_latest_nights(limit))
        return [load_report(n) for n in nights]

    async def diff(self, user_id: str, report: NightReport) -> list[DiffEntry]:
        """Return what a night did that still stands."""
        return await self._store.read(user_id, lambda tx: read_night_diff(tx, report.job_id))

    async def preview(self, user_id: str, now: datetime) -> UpkeepPreview:
        """Return what a run would do now. No model is asked, and nothing is written."""
        lane = make_lane_name(user_id)
        job = Job("preview", user_id, "upkeep", lane, "preview", {}, "leased", now)
        last = await self._store.read(user_id, get_last_night)
        run = UpkeepRun(self._tools, job, now, "", (now,), last, erase_old=self._erase_old)
        await run.look()
        changing = await run.memories(levels.find_due_levels(run))
        forgotten, fading = [], dict[tuple[Level, Level], list[Memory]]()
        for m in changing:
            level = lifecycle.compute_level(m, run.tools.u, now)
            if levels.forgets(run, m):
                forgotten.append(m)
            elif level is not m.level:
                fading.setdefault((m.level, level), []).append(m)
        due_reviews = await run.memories(review.find_due_reviews(run))
        reviewed = [(m, review.find_task(run, m)) for m in due_reviews]
        near, _ = await duplicates.look_around(run)
        known = await run.memories(sorted({*near, *(i for some in near.values() for i in some)}))
        return UpkeepPreview(
            memories=sum(w.row.state == State.ACTIVE for w in run.rows),
            fading=dict(sorted(fading.items())),
            forgotten=forgotten,
            promotion=[m for m, task in reviewed if task == "promotion"],
            decay=[m for m, task in reviewed if task == "decay"],
            merges=duplicates.group_duplicates(known, near),
            purged=await run.memories(expire.find_deleted_due(run)),
            erased_old=await run.memories(await expire.find_faded_due(run)),
            moved=len(levels.find_moved(run)),
        )

    def _zone(self, tx: Transaction) -> str:
        return tx.user().tz or self._tz


def get_progress(tx: Transaction) -> UpkeepProgress | None:
    """Return how far the run that is at work is; None if none is."""
    working = [j.id for j in tx.jobs.list_pending("upkeep") if j.state == "leased"]
    if not working:
        return None
    night = tx.nights.get_night(working[0])
    data = night.data if night is not None and not night.done else {}
    return UpkeepProgress(str(data.get("phase", "weights")), float(data.get("share", 0.0)))


# --- when a night is due: once for each local date at a set hour ---


def find_last_night(now: datetime, tz: str, hour: int) -> date:
    """Return the date of the last night that is due by `now`, in the person's zone."""
    local = now.astimezone(get_zone(tz)).date()
    return local if compute_due_time(local, tz, hour) <= now else local - _DAY


def compute_due_time(night: date, tz: str, hour: int) -> datetime:
    """Return when the night of that date is due, in UTC."""
    return datetime.combine(night, time(hour), tzinfo=get_zone(tz)).astimezone(UTC)


def list_nights_since(last: str | None, now: datetime, tz: str, hour: int) -> tuple[datetime, ...]:
    """Return due times of the nights after `last`, or of the newest alone without it."""
    newest = first = find_last_night(now, tz, hour)
    if last is not None:
        first = max(date.fromisoformat(last) + _DAY, newest - MOST_MISSED * _DAY)
    nights = (first + n * _DAY for n in range((newest - first).days + 1))
    return tuple(compute_due_time(night, tz, hour) for night in nights)


def make_lane_name(user_id: str) -> str:
    """Return the lane in which one person's nights wait for each other, and for nothing else."""
    return f"upkeep:{user_id}"


def list_unplanned(
    tx: Transaction, now: datetime, tz: str, hour: int
) -> list[tuple[date, datetime]]:
    """Return the next night and the one that was missed, as far as they are not enqueued."""
    last = find_last_night(now, tz, hour)
    pending = tx.jobs.list_pending("upkeep")
    done = get_last_night(tx)
    missed = (
        tx.user().created_at < compute_due_time(last, tz, hour)
        and not any(j.run_at <= now for j in pending)
        and (done is None or done.night < last.isoformat())
    )
    nights = [(last, now)] if missed else []
    following = last + _DAY
    if _make_key(following) not in {j.dedup_key for j in pending}:
        nights.append((following, compute_due_time(following, tz, hour)))
    return nights


def plan_nights(tx: Transaction, now: datetime, tz: str, hour: int) -> bool:
    """Enqueue one job for each person and date, however often. Returns whether any was new."""
    new = False
    for night, run_at in list_unplanned(tx, now, tz, hour):
        # Where the hour or the zone was changed, the job of a missed date may have run as the night
        # before.
        keys = [_make_key(night), *([f"{_make_key(night)}:again"] if run_at == now else [])]
        lane = make_lane_name(tx.user_id)
        new |= any(tx.jobs.enqueue("upkeep", k, {}, now, lane=lane, run_at=run_at) for k in keys)
    return new


def get_last_night(tx: Transaction) -> UpkeepNight | None:
    """Return the newest night that did its work, which one under a doubtful clock did not."""
    nights = tx.nights.list_latest_nights(_NIGHTS_KEPT)
    return next((n for n in nights if n.data.get("believed", True)), None)


def _make_key(night: date) -> str:
    return f"night:{night.isoformat()}"


def is_by_hand(job: Job) -> bool:
    """Tell whether somebody asked for this run, and waits for it."""
    return job.dedup_key.startswith(_HAND)


def enqueue_now(tx: Transaction, now: datetime, *, everything: bool = False) -> str:
    """Return the id of a run for now: the night that is due and not begun, else one of its own."""
    pending = () if everything else tx.jobs.list_pending("upkeep")
    job = next((j for j in pending if j.state == "ready" and j.run_at <= now), None)
    if job is None:
        lane, payload = make_lane_name(tx.user_id), {"all": True} if everything else {}
        job = tx.jobs.enqueue("upkeep", f"{_HAND}{tx.new_id()}", payload, now, lane=lane)
    if job is None:  # pragma: no cover - the key is new
        raise AssertionError
    return job.id
