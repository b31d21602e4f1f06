"""When upkeep is due: once for each local date at a set hour; at the next start if nobody was open then."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from memory.learn.dates import get_zone
from memory.models import Job, UpkeepNight
from memory.ports import Transaction

MOST_MISSED: Final = 400  # nights that are made up for one by one, where nights count (`relevance`)
_DAY: Final = timedelta(days=1)
_HAND: Final = "hand:"
_LOOKED_AT: Final = 60  # nights, all that are kept


def find_last_night(now: datetime, tz: str, hour: int) -> date:
    """Return the date of the last night that is due by `now`, in the person's zone."""
    local = now.astimezone(get_zone(tz))
    return local.date() if compute_due_time(local.date(), tz, hour) <= now else local.date() - _DAY


def compute_due_time(night: date, tz: str, hour: int) -> datetime:
    """When the night of that date is due, UTC."""
    return datetime.combine(night, time(hour), tzinfo=get_zone(tz)).astimezone(UTC)


def list_nights_since(last: str | None, now: datetime, tz: str, hour: int) -> tuple[datetime, ...]:
    """Due times of the nights after `last`, the newest last; without a last one, the newest alone."""
    newest = find_last_night(now, tz, hour)
    first = (
        newest
        if last is None
        else max(date.fromisoformat(last) + _DAY, newest - MOST_MISSED * _DAY)
    )
    return tuple(
        compute_due_time(first + n * _DAY, tz, hour) for n in range((newest - first).days + 1)
    )


def make_lane_name(user_id: str) -> str:
    """Upkeep of one person never runs twice at once, and keeps nobody from learning."""
    return f"upkeep:{user_id}"


def plan(tx: Transaction, now: datetime, tz: str, hour: int) -> bool:
    """Enqueue the next night, and the last one if it was missed. True if anything was new.

    One job for each person and date; call it as often as you like, from as many processes.
    """
    last = find_last_night(now, tz, hour)
    new = False
    if _missed(tx, last, now, tz, hour):
        # Where the hour or the zone was changed, the job of that date may have run as the night
        # before.
        new = _enqueue(tx, last, now, now) or _enqueue(tx, last, now, now, "again")
    following = last + _DAY
    return _enqueue(tx, following, now, compute_due_time(following, tz, hour)) or new


def is_planned(tx: Transaction, now: datetime, tz: str, hour: int) -> bool:
    """Tell whether `plan` would find nothing to do, most likely: a look that needs no write."""
    last = find_last_night(now, tz, hour)
    keys = {j.dedup_key for j in tx.jobs.list_pending("upkeep")}
    return _key(last + _DAY) in keys and not _missed(tx, last, now, tz, hour)


def _missed(tx: Transaction, night: date, now: datetime, tz: str, hour: int) -> bool:
    """Nobody was open when it was due, the person was there before it, and no run will come by itself."""
    if tx.user().created_at >= compute_due_time(night, tz, hour):
        return False
    if any(j.run_at <= now for j in tx.jobs.list_pending("upkeep")):
        return False
    last = get_last_night(tx)
    return last is None or last.night < night.isoformat()


def get_last_night(tx: Transaction) -> UpkeepNight | None:
    """Return the newest night that did its work: one under a clock that was not believed did none."""
    return next(
        (n for n in tx.nights.list_latest_nights(_LOOKED_AT) if n.data.get("believed", True)), None
    )


def _enqueue(tx: Transaction, night: date, now: datetime, run_at: datetime, mark: str = "") -> bool:
    key = _key(night) + (f":{mark}" if mark else "")
    return (
        tx.jobs.enqueue("upkeep", key, {}, now, lane=make_lane_name(tx.user_id), run_at=run_at)
        is not None
    )


def _key(night: date) -> str:
    return f"night:{night.isoformat()}"


def is_by_hand(job: Job) -> bool:
    """Tell whether somebody asked for this run, and waits for it."""
    return job.dedup_key.startswith(_HAND)


def enqueue_now(tx: Transaction, now: datetime) -> str:
    """Plan a run for now: the night that is due and not begun, else one of its own; the job's id."""
    due_now = next(
        (j for j in tx.jobs.list_pending("upkeep") if j.state == "ready" and j.run_at <= now), None
    )
    job = due_now or tx.jobs.enqueue(
        "upkeep", f"{_HAND}{tx.new_id()}", {}, now, lane=make_lane_name(tx.user_id)
    )
    if job is None:  # pragma: no cover - the key is new
        raise AssertionError
    return job.id
