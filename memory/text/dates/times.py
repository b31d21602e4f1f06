"""Times as spans of local time: what comes once, what comes again, and the n-th of something. Pure.

A span is half-open. Weeks begin on Monday; a season is three whole months; a night is of the day it
begins on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final, Literal, TypeAlias

Span = tuple[datetime, datetime]
Period = Literal["day", "week", "month", "year"]

DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
_AROUND: Final[dict[Period, int]] = {
    "day": 2,
    "week": 2,
    "month": 3,
    "year": 9,
}  # 29 February may be eight years off
_LENGTH: Final = {
    "day": 1,
    "weekend": 7,
    "week": 7,
    "fortnight": 14,
    "month": 30,
    "quarter": 91,
    "year": 365,
    "decade": 3650,
}
_FAVOUR: Final = (
    8  # what is over is asked for more often: the next Easter speaks only if it is that much nearer
)


class TimeUnit(IntEnum):
    """What a word names, by its length; a shorter one is looked for inside a longer one."""

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


@dataclass(frozen=True, slots=True)
class FixedTime:
    """A time of its own."""

    unit: TimeUnit
    span: Span
    weak: bool = False  # no time by itself: only beside another word of time
    at: datetime | None = None  # the day or moment itself, where the span is wider


@dataclass(frozen=True, slots=True)
class RecurringTime:
    """What comes again in each day, week, month or year: Friday, the 3rd, March, Christmas, the morning."""

    unit: TimeUnit
    period: Period
    within: Callable[[datetime], Span | None]  # given the first moment of a period
    # Where the sentence does not say: the next one, the last one, the nearest one, none.
    else_: Literal["next", "last", "near", ""] = "last"
    weak: bool = False
    strict: bool = False  # today's is not the last one
    main: int = 0  # of several days the one that bears the name

    def around(self, t: datetime) -> list[Span]:
        """Those before and after a moment, in order."""
        n = _AROUND[self.period]
        found: list[Span] = []
        for i in range(-n, n + 1):
            try:
                span = self.within(period_at(t, self.period, i))
            except (ValueError, OverflowError):  # this month has no 31st
                continue
            if span is not None:
                found.append(span)
        return found

    def last(self, now: datetime, *, today: bool = False) -> Span | None:
        """The last one that has begun."""
        line = midnight(now) if self.strict and not today else now + timedelta(microseconds=1)
        return max((s for s in self.around(now) if s[0] < line), default=None)

    def next(self, now: datetime) -> Span | None:
        """The first one that is not over."""
        return min((s for s in self.around(now) if s[1] > now), default=None)

    def nearest(self, now: datetime) -> Span | None:
        """The one it is now, else the next or the last one, as they lie."""
        last, coming = self.last(now), self.next(now)
        if last is None or coming is None:
            return last or coming
        favour = _FAVOUR if self.period == "year" else 1
        return coming if favour * (coming[0] - now) < now - last[1] or last[1] > now else last

    def inside(self, span: Span, now: datetime, *, ahead: bool | None) -> Span | None:
        """Of those that begin in the span the one that is meant: the first to come, or the last that has begun."""
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
    """Whether it is one of that time's own.

    The New Year holiday, from 31 December on, is the new year's.
    """
    mark = span[0] + min(DAY, (span[1] - span[0]) / 2)
    return container[0] <= mark < container[1]


def midnight(t: datetime) -> datetime:
    """The beginning of its day."""
    return t.replace(hour=0, minute=0, second=0, microsecond=0)


def date(year: int, month: int, day: int) -> datetime:
    """Its first moment. Raises ValueError where there is no such day."""
    return datetime(year, month, day)  # noqa: DTZ001 - local until the end


def add_days(t: datetime, count: int = 1) -> Span:
    """Its day, and the days after it."""
    return midnight(t), midnight(t) + count * DAY


def week_of(t: datetime, weeks: int = 0) -> Span:
    """Monday to Sunday, or so many weeks later."""
    monday = midnight(t) + (7 * weeks - t.weekday()) * DAY
    return monday, monday + 7 * DAY


def weekend_of(t: datetime, weeks: int = 0) -> Span:
    """Saturday and Sunday of this week, or of so many weeks later."""
    start, end = week_of(t, weeks)
    return start + 5 * DAY, end


def add_months(year: int, month: int, count: int = 1) -> Span:
    """So many months; a month below 1 or above 12 is one of another year."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    end_year, end_month = year + (month - 1 + count) // 12, (month - 1 + count) % 12 + 1
    return date(year, month, 1), date(end_year, end_month, 1)


def year_of(year: int, count: int = 1) -> Span:
    """January to December."""
    return add_months(year, 1, 12 * count)


def quarter_of(t: datetime, quarters: int = 0) -> Span:
    """The quarter of the year, or so many later."""
    return add_months(t.year, (t.month - 1) // 3 * 3 + 1 + 3 * quarters, 3)


def period_at(t: datetime, period: Period, later: int) -> datetime:
    """The first moment of the day, week, month or year, or of so many later."""
    match period:
        case "day":
            return midnight(t) + later * DAY
        case "week":
            return week_of(t, later)[0]
        case "month":
            return add_months(t.year, t.month + later)[0]
    return date(t.year + later, 1, 1)


def relative(unit: str, later: int, now: datetime) -> Span:
    """So many days, weeks, months or years later (or earlier), as blurred as people mean them."""
    match unit:
        case "day":
            return add_days(now + later * DAY)
        case "weekend":
            return weekend_of(now, later)
        case "week":
            return week_of(now, later)
        case "fortnight":
            return week_of(now, 2 * later)
        case "month":
            return add_months(now.year, now.month + later)
        case "quarter":
            return quarter_of(now, later)
        case "decade":
            return year_of((now.year // 10 + later) * 10, 10)
    return year_of(now.year + later)


def some(unit: str, least: int, most: int, now: datetime, sign: int) -> Span:
    """From so many to so many units ago or from now."""
    a, b = relative(unit, sign * least, now), relative(unit, sign * most, now)
    return min(a[0], b[0]), max(a[1], b[1])


def on_that_day(unit: str, later: int, now: datetime) -> datetime:
    """The same day of another week, month or year; the last one of a month that is too short."""
    if unit in {"day", "week"}:
        return midnight(now) + later * (7 if unit == "week" else 1) * DAY
    first, end = add_months(now.year, now.month + later * (12 if unit == "year" else 1))
    return min(first + (now.day - 1) * DAY, end - DAY)


def about_then(unit: str, later: int, now: datetime) -> Span:
    """This time last year: a week on both sides; of last week the day before and the day after."""
    day, off = on_that_day(unit, later, now), 7 if unit in {"month", "year"} else 1
    return day - off * DAY, day + (off + 1) * DAY


def and_a_half(unit: str, n: int, now: datetime, sign: int) -> Span:
    """N and a half units ago or from now (n may be 0): as much on either side as would still be called so."""
    match unit:
        case "week":
            day, off = now + sign * (7 * n + 4) * DAY, 2
        case "month":
            day, off = now + sign * (30 * n + 15) * DAY, 4 + 4 * (n > 0)
        case _:
            return add_months(now.year, now.month + sign * (12 * n + 6) - 1, 3)
    return midnight(day - off * DAY), midnight(day + (off + 1) * DAY)


def soon(unit: str, n: int, now: datetime) -> Span:
    """The next N units, from now."""
    return now, midnight(now) + (_LENGTH[unit] * n + 1) * DAY


def recent(unit: str, n: int, now: datetime) -> Span:
    """The last N units, up to now."""
    return midnight(now - _LENGTH[unit] * n * DAY), now + timedelta(seconds=1)


def lately(hours: float, now: datetime, slack: float = 1.0) -> Span:
    """So many hours ago, give or take; up to now if that is all of it."""
    end = now - timedelta(hours=hours - slack)
    return now - timedelta(hours=hours + slack), min(end, now + timedelta(seconds=1))


def third_of(span: Span, which: int, *, edge: bool) -> Span:
    """Early (0), mid (1), late (2): ten days of a month, four months of a year; of its edges two months."""
    start, end = span
    days = (end - start) / DAY
    if days <= 3:
        return span
    if days < 28:  # a week: two days and three
        return [(start, start + 2 * DAY), (start + 2 * DAY, start + 4 * DAY), (end - 3 * DAY, end)][
            which
        ]
    if days <= 31:
        return [
            (start, start + 10 * DAY),
            (start + 10 * DAY, start + 20 * DAY),
            (start + 20 * DAY, end),
        ][which]
    months = (end.year - start.year) * 12 + end.month - start.month
    size = months // (6 if edge and months == 12 else 3) or 1
    first = [0, (months - size) // 2, months - size][which]
    return add_months(start.year, start.month + first, size)


def half_of(span: Span, which: int) -> Span:
    """The first half or the second one, in whole days."""
    start, end = span
    months = (end.year - start.year) * 12 + end.month - start.month
    if months >= 2:
        middle = add_months(start.year, start.month + months // 2)[0]
    else:
        middle = start + 15 * DAY if months else start + int((end - start) / DAY / 2) * DAY
    return (start, middle) if which == 0 else (middle, end)


def nth_of(span: Span, n: int, one: RecurringTime) -> Span | None:
    """The n-th (from 1; −1: the last) of those that begin in the span."""
    found: dict[Span, None] = {}
    t = span[0]
    while t < span[1] + 14 * DAY:
        found.update(dict.fromkeys(one.around(t)))
        t += 14 * DAY
    inside = sorted(s for s in found if begins_in(s, span))
    at = n - 1 if n > 0 else n
    return inside[at] if -len(inside) <= at < len(inside) else None


def nth_week(span: Span, n: int) -> Span:
    """The n-th seven days (−1: the last) and the n-th week that begins on a Monday, as people count either."""
    if n < 0:
        return span[1] - 7 * DAY, span[1]
    start = span[0] + 7 * (n - 1) * DAY
    return start, min(start + (7 + -start.weekday() % 7) * DAY, span[1])


def nth(n: int, what: str, one: RecurringTime | None = None) -> OrdinalTime:
    """Return the n-th (−1: the last) day, week, month or other thing of a longer time."""
    match what:
        case "week":
            return OrdinalTime(TimeUnit.WEEK, lambda s: nth_week(s, n))
        case "day":
            return OrdinalTime(
                TimeUnit.DAY,
                lambda s: add_days(s[1] - DAY) if n < 0 else add_days(s[0] + (n - 1) * DAY),
            )
        case "month":
            return OrdinalTime(
                TimeUnit.MONTH,
                lambda s: add_months(
                    *((s[1].year, s[1].month - 1) if n < 0 else (s[0].year, s[0].month + n - 1))
                ),
            )
    return OrdinalTime((one or WEEKEND).unit, lambda s: nth_of(s, n, one or WEEKEND))


def nth_third(which: int, *, edge: bool) -> OrdinalTime:
    """Return the early (0), mid (1) or late (2) part of a longer time; see `third_of`."""
    return OrdinalTime(TimeUnit.THIRD, lambda s: third_of(s, which, edge=edge))


def nth_half(which: int) -> OrdinalTime:
    """Return the first (0) or second half of a longer time."""
    return OrdinalTime(TimeUnit.THIRD, lambda s: half_of(s, which))


def quarter(n: int, *, weak: bool = False) -> RecurringTime:
    """Return that quarter of each year, from 1."""
    return RecurringTime(
        TimeUnit.SEASON, "year", lambda first: add_months(first.year, 3 * n - 2, 3), weak=weak
    )


def century(two: int) -> int:
    """Return the year that two figures mean."""
    return two + (2000 if two < 60 else 1900)


def weekday(which: int) -> RecurringTime:
    """Monday is 0."""
    return RecurringTime(
        TimeUnit.DAY, "week", lambda monday: add_days(monday + which * DAY), "next", strict=True
    )


def day_of_month(day: int) -> RecurringTime:
    """The day of that number."""
    return RecurringTime(
        TimeUnit.DAY, "month", lambda first: add_days(date(first.year, first.month, day)), "next"
    )


def day_of_year(month: int, day: int, count: int = 1) -> RecurringTime:
    """That date."""
    return RecurringTime(
        TimeUnit.DAY, "year", lambda first: add_days(date(first.year, month, day), count)
    )


def month(number: int, count: int = 1) -> RecurringTime:
    """That month, or so many from it on."""
    return RecurringTime(
        TimeUnit.MONTH, "year", lambda first: add_months(first.year, number, count)
    )


def season(first_month: int) -> RecurringTime:
    """Three months; which year's must be said."""
    return RecurringTime(
        TimeUnit.SEASON, "year", lambda first: add_months(first.year, first_month, 3), ""
    )


def part(since: float, until: float) -> RecurringTime:
    """Hours of a day; beyond 24 they are the next one's."""
    return RecurringTime(
        TimeUnit.PART, "day", lambda day: (day + since * HOUR, day + until * HOUR), weak=True
    )


WEEKEND: Final = RecurringTime(TimeUnit.WEEKEND, "week", weekend_of, "next")
