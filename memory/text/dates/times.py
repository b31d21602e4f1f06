"""Times as spans of local time: what comes once, what comes again, the n-th of something.

A span is half-open. Weeks begin on Monday; a season is three whole months; a night belongs to the
day on which it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from memory.text.languages import values

Span: TypeAlias = tuple[datetime, datetime]
Period = Literal["day", "week", "month", "year"]

DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
SECOND: Final = timedelta(seconds=1)
# How many periods on either side are searched; 29 February may be eight years off.
_AROUND: Final[dict[Period, int]] = {"day": 2, "week": 2, "month": 3, "year": 9}
_LENGTH: Final = {
    "day": 1, "weekend": 7, "week": 7, "fortnight": 14,
    "month": 30, "quarter": 91, "year": 365, "decade": 3650,
}  # fmt: skip
# What is over is asked for more often: the next Easter speaks only if it is that much nearer.
_FAVOUR: Final = 8


class TimeUnit(IntEnum):
    """What a word names, by its length; shorter ones lie inside longer ones."""

    HOUR = 0
    PART = 1
    DAY = 2
    WEEKEND = 3
    THIRD = 4  # early, mid and late
    WEEK = 5
    MONTH = 6
    SEASON = 7
    YEAR = 8
    DECADE = 9


UNITS: Final = {unit.name.lower(): unit for unit in TimeUnit} | {
    "fortnight": TimeUnit.WEEK,
    "quarter": TimeUnit.SEASON,
}


@dataclass(frozen=True, slots=True)
class FixedTime:
    """A time that comes once."""

    unit: TimeUnit
    span: Span
    weak: bool = False  # no time by itself: only beside another word of time
    at: datetime | None = None  # the day or moment itself, where the span is wider


@dataclass(frozen=True, slots=True)
class RecurringTime:
    """A time of each day, week, month or year: Friday, March, the morning."""

    unit: TimeUnit
    period: Period
    within: Callable[[datetime], Span | None]  # given the first moment of a period
    # Where the sentence does not say: the next one, the last one, the nearest one, none.
    else_: Literal["next", "last", "near", ""] = "last"
    weak: bool = False
    strict: bool = False  # today's is not the last one
    main: int = 0  # of several days the one that bears the name

    def around(self, t: datetime) -> list[Span]:
        """List those before and after a moment, in order."""
        n = _AROUND[self.period]
        found: list[Span] = []
        for i in range(-n, n + 1):
            try:
                span = self.within(relative(self.period, i, t)[0])
            except (ValueError, OverflowError):  # this month has no 31st
                continue
            if span is not None:
                found.append(span)
        return found

    def last(self, now: datetime, *, today: bool = False) -> Span | None:
        """Return the last one that has begun."""
        line = midnight(now) if self.strict and not today else now + timedelta(microseconds=1)
        return max((s for s in self.around(now) if s[0] < line), default=None)

    def next(self, now: datetime) -> Span | None:
        """Return the first one that is not over."""
        return min((s for s in self.around(now) if s[1] > now), default=None)

    def nearest(self, now: datetime) -> Span | None:
        """Return the one it is now, else the nearer of the next and last."""
        last, coming = self.last(now), self.next(now)
        if last is None or coming is None:
            return last or coming
        favour = _FAVOUR if self.period == "year" else 1
        return coming if favour * (coming[0] - now) < now - last[1] or last[1] > now else last

    def inside(self, span: Span, now: datetime, *, ahead: bool | None) -> Span | None:
        """Return of those in the span the next, or the last that has begun."""
        found = [s for s in self.around(span[0]) if begins_in(s, span)]
        if ahead is not False and (coming := [s for s in found if s[1] > now]):
            return coming[0]
        return next((s for s in reversed(found) if s[0] <= now), found[0] if found else None)


@dataclass(frozen=True, slots=True)
class OrdinalTime:
    """A piece of a longer time: its first Monday, its last week, its beginning."""

    unit: TimeUnit
    of: Callable[[Span], Span | None]
    weak: bool = True


Time: TypeAlias = FixedTime | RecurringTime | OrdinalTime


def begins_in(span: Span, container: Span) -> bool:
    """Say whether a time belongs to another.

    The New Year holiday, from 31 December on, belongs to the new year.
    """
    mark = span[0] + min(DAY, (span[1] - span[0]) / 2)
    return container[0] <= mark < container[1]


def midnight(t: datetime) -> datetime:
    """Return the beginning of a day."""
    return t.replace(hour=0, minute=0, second=0, microsecond=0)


def date(year: int, month: int, day: int) -> datetime:
    """Return the first moment of a day. Raises ValueError where there is no such day."""
    return datetime(year, month, day)  # noqa: DTZ001 - local until the end


def add_days(t: datetime, count: int = 1) -> Span:
    """Return a day and the days after it."""
    return midnight(t), midnight(t) + count * DAY


def add_months(year: int, month: int, count: int = 1) -> Span:
    """Return so many months; month 0 is the last of the year before."""
    (y, m), (end_y, end_m) = (divmod(12 * year + month - 1 + more, 12) for more in (0, count))
    return date(y, m + 1, 1), date(end_y, end_m + 1, 1)


def relative(unit: str, later: int, now: datetime) -> Span:
    """Return the day, week, month or year that is so many later."""
    monday = midnight(now) - now.weekday() * DAY
    match unit:
        case "day":
            return add_days(now + later * DAY)
        case "weekend":
            return add_days(monday + (7 * later + 5) * DAY, 2)
        case "week":
            return add_days(monday + 7 * later * DAY, 7)
        case "fortnight":
            return add_days(monday + 14 * later * DAY, 7)
        case "month":
            return add_months(now.year, now.month + later)
        case "quarter":
            return add_months(now.year, (now.month - 1) // 3 * 3 + 1 + 3 * later, 3)
        case "decade":
            return add_months((now.year // 10 + later) * 10, 1, 120)
    return add_months(now.year + later, 1, 12)


def on_that_day(unit: str, later: int, now: datetime) -> datetime:
    """Return the same day of another week, month or year, or a short month's last."""
    if unit in {"day", "week"}:
        return midnight(now) + later * (7 if unit == "week" else 1) * DAY
    first, end = add_months(now.year, now.month + later * (12 if unit == "year" else 1))
    return min(first + (now.day - 1) * DAY, end - DAY)


def and_a_half(unit: str, n: int, now: datetime, sign: int) -> Span:
    """Return all that is called n and a half units ago or from now."""
    match unit:
        case "week":
            day, off = now + sign * (7 * n + 4) * DAY, 2
        case "month":
            day, off = now + sign * (30 * n + 15) * DAY, 4 + 4 * (n > 0)
        case _:
            return add_months(now.year, now.month + sign * (12 * n + 6) - 1, 3)
    return midnight(day - off * DAY), midnight(day + (off + 1) * DAY)


def stretch(unit: str, n: int, now: datetime, *, ahead: bool) -> Span:
    """Return the next n units from now on, or the last n up to now."""
    if ahead:
        return now, midnight(now) + (_LENGTH[unit] * n + 1) * DAY
    return midnight(now - _LENGTH[unit] * n * DAY), now + SECOND


def third_of(span: Span, which: int, *, edge: bool) -> Span:
    """Return the early (0), mid (1) or late (2) part of a longer time.

    Of a month it has ten days, of a year four months; of a year's edges two months.
    """
    start, end = span
    days = (end - start) / DAY
    if days <= 3:
        return span
    if days <= 31:  # a week has two days, two and three
        cuts = (0, 2, 4, days) if days < 28 else (0, 10, 20, days)
        return start + cuts[which] * DAY, start + cuts[which + 1] * DAY
    months = _count_months(span)
    size = months // (6 if edge and months == 12 else 3) or 1
    first = [0, (months - size) // 2, months - size][which]
    return add_months(start.year, start.month + first, size)


def half_of(span: Span, which: int) -> Span:
    """Return the first half (0) or the second one, in whole days."""
    start, end = span
    months = _count_months(span)
    if months >= 2:
        middle = add_months(start.year, start.month + months // 2)[0]
    else:
        middle = start + (15 if months else int((end - start) / DAY / 2)) * DAY
    return (start, middle) if which == 0 else (middle, end)


def _count_months(span: Span) -> int:
    return (span[1].year - span[0].year) * 12 + span[1].month - span[0].month


def nth_of(span: Span, n: int, one: RecurringTime) -> Span | None:
    """Return the n-th (from 1; -1: the last) of those that begin in the span."""
    found: set[Span] = set()
    t = span[0]
    while t < span[1] + 14 * DAY:
        found.update(one.around(t))
        t += 14 * DAY
    inside = sorted(s for s in found if begins_in(s, span))
    at = n - 1 if n > 0 else n
    return inside[at] if -len(inside) <= at < len(inside) else None


def nth_unit(span: Span, n: int, unit: str) -> Span | None:
    """Return the n-th (-1: the last) day, week, weekend or month of a longer time.

    A week is the n-th seven days and the n-th week from a Monday: people count either.
    """
    start, end = span
    match unit:
        case "day":
            return add_days(end - DAY if n < 0 else start + (n - 1) * DAY)
        case "week" if n < 0:
            return end - 7 * DAY, end
        case "week":
            start += 7 * (n - 1) * DAY
            return start, min(start + (7 + -start.weekday() % 7) * DAY, end)
        case "month":
            return (
                add_months(end.year, end.month - 1)
                if n < 0
                else add_months(start.year, start.month + n - 1)
            )
    return nth_of(span, n, WEEKEND)


def full_year(year: int) -> int:
    """Return the year that two figures mean; a year of four is itself."""
    return year if year > 99 else year + (2000 if year < 60 else 1900)


def day_of_week(which: int) -> RecurringTime:
    """Return a day of the week; Monday is 0."""
    return RecurringTime(
        TimeUnit.DAY, "week", lambda monday: add_days(monday + which * DAY), "next", strict=True
    )


def months_of_year(unit: TimeUnit, first: int, count: int, **more: Any) -> RecurringTime:
    """Return so many months of each year: March, a quarter, summer."""
    return RecurringTime(unit, "year", lambda t: add_months(t.year, first, count), **more)


WEEKEND: Final = RecurringTime(
    TimeUnit.WEEKEND, "week", lambda monday: relative("weekend", 0, monday), "next"
)


# The festivals of the Chinese calendar that languages' tables name by number.
_LUNAR_FESTIVALS: Final = ((1, 1), (5, 5), (7, 7), (8, 15), (9, 9))


@cache
def _lunar_years() -> Mapping[int, tuple[int, int, str]]:
    """Read the table of the Chinese calendar: its first day as MMDD, leap month, lengths."""
    (table,) = values("dates", "LUNAR").values()
    rows = (row.split() for row in table.split(","))
    return {int(y): (int(d), int(leap), f"{int(bits, 16):b}"[1:]) for y, d, leap, bits in rows}


@cache
def _list_lunar_months(year: int) -> Sequence[tuple[int, datetime, int]]:
    """List number, first day and length of the months; the second of a leap pair has 0."""
    if (found := _lunar_years().get(year)) is None:
        return ()
    first, leap, lengths = found
    numbers = [n for m in range(1, 13) for n in ((m, 0) if m == leap else (m,))]
    day, out = date(year, *divmod(first, 100)), []
    for number, length in zip(numbers, lengths, strict=True):
        out.append((number, day, 29 + int(length)))
        day += (29 + int(length)) * DAY
    return out


def get_lunar_day(year: int, month: int, day: int) -> datetime | None:
    """Return a day of the Chinese calendar; of a short month's 30th, its last. None: unknown."""
    for number, first, length in _list_lunar_months(year):
        if number == month:
            return first + (min(day, length) - 1) * DAY
    return None


def find_lunar_date(day: datetime) -> tuple[int, int] | None:
    """Return month and day in the Chinese calendar, of a leap month those of the one before."""
    before = 0
    for year in (day.year - 1, day.year):
        for number, first, length in _list_lunar_months(year):
            before = number or before
            if first <= day < first + length * DAY:
                return before, (day - first).days + 1
    return None


def _lunar_day(year: int, column: int) -> datetime | None:
    return get_lunar_day(year, *_LUNAR_FESTIVALS[column])


def _nth_weekday(year: int, n: int, which: int, month: int) -> datetime:
    """Return the n-th such weekday of a month, the last one if n is 5."""
    first, end = add_months(year, month)
    if n == 5:
        return end - DAY - (end.weekday() - 1 - which) % 7 * DAY
    return first + ((which - first.weekday()) % 7 + 7 * (n - 1)) * DAY


def _easter(year: int) -> datetime:
    """Return Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    x = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * x) // 451
    month, day = divmod(h + x - 7 * m + 114, 31)
    return date(year, month, day + 1)


_FESTIVALS: Final[Mapping[str, Callable[..., datetime | None]]] = {
    "date": date, "weekday": _nth_weekday, "easter": _easter, "lunar": _lunar_day
}  # fmt: skip


def festival(kind: str, own: list[int], later: int = 0, count: int = 1) -> RecurringTime:
    """Return a festival as a row of a language's table has it.

    Args:
        kind: "date", "weekday", "easter" or "lunar".
        own: month and day; n, weekday and month; nothing; a column of the Chinese calendar.
        later: days between that day and the festival's first.
        count: its days.
    """

    def within(first: datetime) -> Span | None:
        day = _FESTIVALS[kind](first.year, *own)
        return None if day is None else add_days(day + later * DAY, count)

    long = TimeUnit.WEEKEND if count <= 31 else TimeUnit.SEASON
    unit = TimeUnit.DAY if count == 1 else long
    return RecurringTime(unit, "year", within, "near", main=-later if count > 1 else 0)
