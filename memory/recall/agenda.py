"""What is on: events, what repeats and what is due, by the day on which it comes.

Nothing quiet, and nothing of somebody who has died.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from memory.lifecycle import find_occasion, find_today, happens_in, is_due, is_silenced
from memory.models import Kind, Memory
from memory.ports import Transaction

SHOWN: Final = 3  # that a prompt is told of, the nearest first
AROUND: Final = timedelta(days=3)  # before its day, and after the day of a plan (by hand)
_TODO: Final = timedelta(days=7)  # before a todo is due (by hand)
_DAY: Final = timedelta(days=1)
_OFTEN: Final = ("daily", "weekly", "every")  # so often that it comes up on its day alone


class DayView(NamedTuple):
    """What stands around a day, and the memories that say who has died."""

    near: Sequence[Memory] = ()
    deaths: Sequence[Memory] = ()


def find_agenda(tx: Transaction, since: datetime, until: datetime, tz: str) -> list[Memory]:
    """Find what has its day in since <= t < until, in order of days."""
    return _select_agenda(tx.memories.list_dated(since - _DAY, until + _DAY), since, until, tz)


def _select_agenda(
    found: Sequence[Memory], since: datetime, until: datetime, tz: str
) -> list[Memory]:
    deaths = [m for m in found if m.dead]
    live = [m for m in found if m.quiet_at is None and happens_in(m, since, until, tz)]
    live = [m for m in live if (m.repeats or not m.dead) and not is_silenced(m, deaths)]
    days = {m.id: o.first for m in live if (o := find_occasion(m, since, tz))}
    return sorted(live, key=lambda m: (days.get(m.id, find_today(since, tz)), m.id))


def find_deaths(tx: Transaction, now: datetime) -> list[Memory]:
    """Find the memories that say that somebody has died."""
    return [m for m in tx.memories.list_dated(now, now) if m.dead]


def find_day(tx: Transaction, now: datetime, tz: str, *, away: bool = False) -> DayView:
    """Find what stands around today, at most three, and who has died.

    away: the person was long absent; then only what is today.
    """
    today, since, until = find_today(now, tz), now - AROUND, now + _TODO
    found = tx.memories.list_dated(since - _DAY, until + _DAY)  # deaths among them
    near: list[tuple[int, Memory]] = []
    for m in _select_agenda(found, since, until, tz):
        o = find_occasion(m, now, tz)
        if m.is_unsettled(now):
            continue  # it may be over
        if o is None or o.grain in {"month", "year"} or is_due(m, now):  # due: Ebb asks about it
            continue
        ahead, behind = (o.first - today).days, (today - o.last).days
        often = m.repeats is not None and m.repeats.startswith(_OFTEN)
        reach = 0 if away or often else (_TODO if m.kind is Kind.TODO else AROUND).days
        if ahead <= reach and (behind <= 0 or (reach and o.standing == "planned")):
            near.append((max(ahead, behind, 0), m))
    return DayView(
        [m for _, m in sorted(near, key=lambda x: x[0])[:SHOWN]], [m for m in found if m.dead]
    )
