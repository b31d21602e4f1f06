"""A sentence that names times: what it says of past and future, and the times that are counted from its moment."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import TypeAlias

from memory.text.dates import times
from memory.text.dates.times import (
    DAY,
    HOUR,
    FixedTime,
    RecurringTime,
    Span,
    Time,
    TimeUnit,
    date,
    midnight,
    relative,
)
from memory.text.languages import either

UNITS = {
    "day": TimeUnit.DAY,
    "weekend": TimeUnit.WEEKEND,
    "week": TimeUnit.WEEK,
    "fortnight": TimeUnit.WEEK,
    "month": TimeUnit.MONTH,
    "quarter": TimeUnit.SEASON,
    "year": TimeUnit.YEAR,
    "decade": TimeUnit.DECADE,
}


def looks_ahead(plain: str) -> bool | None:
    """Say whether a folded sentence is about what is to come; None if it does not tell."""
    if either("dates", "TO_COME").search(
        plain
    ):  # what is planned may have been planned: the future is heard first
        return True
    return (
        False
        if either("dates", "OVER").search(plain)
        else True
        if either("dates", "PERHAPS").search(plain)
        else None
    )


@dataclass
class Sentence:
    """A sentence, and the speaker's local time."""

    plain: str
    now: datetime
    told: bool | None = None  # `ahead`, where the caller knows
    today: bool = False  # whether today's Friday may be the last one

    @cached_property
    def ahead(self) -> bool | None:
        """Whether it is about what is to come."""
        return looks_ahead(self.plain) if self.told is None else self.told

    @cached_property
    def habit(self) -> bool:
        """Whether it is about what is always so: what comes again is meant whenever it comes."""
        return either("dates", "HABIT").search(self.plain) is not None

    def one(self, a: RecurringTime, ahead: bool | None = None) -> Span | None:
        """Choose of what comes again the one that is meant where nothing else is said."""
        if self.habit:
            return None
        ahead = self.ahead if ahead is None else ahead
        if ahead is not None:
            return a.next(self.now) if ahead else a.last(self.now, today=self.today)
        match a.else_:
            case "next":
                return a.next(self.now)
            case "last":
                return a.last(self.now)
            case "near":
                return a.nearest(self.now)
        return None

    def qualified(self, a: RecurringTime, word: str) -> Span | None:
        """Choose last Friday, this summer, next Christmas, the coming weekend."""
        now = self.now
        if "coming" in word:
            return a.next(now)
        if "next" in word:
            if a.period == "week":
                return a.within(relative("week", 1, now)[0])
            return min((s for s in a.around(now) if s[0] > now), default=None)
        if word == "this":
            if here := [s for s in a.around(now) if s[0] <= now < s[1]]:
                return here[0]
            if self.ahead is False:
                return max((s for s in a.around(now) if s[0] <= now), default=None)
            return a.next(now) if self.ahead or a.period == "week" else a.nearest(now)
        if a.strict:
            return a.last(now)
        # In February last winter is the one that began the year before.
        begun = a.unit is TimeUnit.SEASON
        over = (
            s
            for s in a.around(now)
            if s[1] <= now or (begun and s[0] <= now and s[0].year < now.year)
        )
        return max(over, default=None)

    def chosen(self, a: RecurringTime, word: str) -> FixedTime | None:
        """Return what `qualified` chooses as a time of its own."""
        found = self.qualified(a, word)
        return found and FixedTime(a.unit, found, at=found[0] + a.main * DAY if a.main else None)

    def part(self, day: Span, part: RecurringTime) -> Span | None:
        """Return the morning of a day; of a day to come all that is left from then on."""
        found = part.within(day[0])
        if found is not None and (found[0] > self.now or (self.ahead and day[1] > self.now)):
            return found[0], max(
                found[1], midnight(day[0]) + DAY
            )  # what is planned has often no hour
        return found

    def part_of(self, later: int, part: RecurringTime) -> FixedTime | None:
        """Return the morning of the day so many days later."""
        found = self.part(times.add_days(self.now + later * DAY), part)
        return found and FixedTime(TimeUnit.PART, found)

    def night(self, nights: int = 0) -> FixedTime:
        """Return the night that is or is coming, or so many nights later."""
        small_hours = 24 if nights == 0 and self.now.hour < 5 else 0
        evening = midnight(self.now) + (24 * nights - small_hours + 18) * HOUR
        return FixedTime(TimeUnit.PART, (evening, evening + 11 * HOUR))

    def day(self, later: int, count: int = 1) -> FixedTime:
        """Return the day so many days later, and the days after it."""
        return FixedTime(TimeUnit.DAY, times.add_days(self.now + later * DAY, count))

    def units(self, unit: str, later: int) -> FixedTime:
        """Return the week, month or year so many later."""
        at = midnight(self.now) + 7 * later * DAY if unit == "week" and later > 0 else None
        return FixedTime(UNITS[unit], relative(unit, later, self.now), at=at)

    def between(self, unit: str, least: int, most: int, sign: int) -> FixedTime:
        """Return from so many to so many units ago or from now."""
        return FixedTime(UNITS[unit], times.some(unit, least, most, self.now, sign))

    def half(self, unit: str, n: int, sign: int) -> FixedTime:
        """Return n and a half units ago or from now."""
        return FixedTime(
            TimeUnit.MONTH if unit == "year" else TimeUnit.WEEK,
            times.and_a_half(unit, n, self.now, sign),
        )

    def stretch(self, unit: str, n: int, *, ahead: bool) -> FixedTime:
        """Return the next n units, or the last ones."""
        return FixedTime(UNITS[unit], (times.soon if ahead else times.recent)(unit, n, self.now))

    def same_day(self, unit: str, later: int) -> FixedTime:
        """Return the same day of another week, month or year."""
        return FixedTime(TimeUnit.DAY, times.add_days(times.on_that_day(unit, later, self.now)))

    def same_time(self, unit: str, later: int) -> FixedTime:
        """Return about this time of another week, month or year."""
        return FixedTime(TimeUnit.WEEK, times.about_then(unit, later, self.now))

    def hours_ago(self, hours: float, slack: float = 1.0) -> FixedTime:
        """Return so many hours ago, give or take; none is a moment ago."""
        return FixedTime(TimeUnit.HOUR, times.lately(hours, self.now, slack if hours else 6.0))

    def hours_on(self, hours: float) -> FixedTime | None:
        """Return in so many hours, unless the sentence is about what is over."""
        if self.ahead is False:
            return None
        at = (self.now + hours * HOUR).replace(second=0, microsecond=0)
        return FixedTime(
            TimeUnit.HOUR,
            (self.now + max(0, hours - 1) * HOUR, self.now + (max(1, hours) + 1) * HOUR),
            at=at,
        )

    def last_hours(self, hours: int) -> FixedTime:
        """Return the hours up to now; none is now itself, which is no time alone."""
        return FixedTime(
            TimeUnit.DAY, (self.now - hours * HOUR, self.now + timedelta(seconds=1)), weak=not hours
        )


Make: TypeAlias = Callable[[re.Match[str], Sentence], Time | None]
Rule: TypeAlias = tuple[str, str, Make]  # hints parted by spaces, a pattern, what its match names


def preceded(m: re.Match[str], by: re.Pattern[str]) -> bool:
    """Say whether those words stand before it; the pattern ends with `$`."""
    return by.search(m.string, max(0, m.start() - 24), m.start()) is not None


def days_of(month: int, first: int, last: int) -> RecurringTime | None:
    """Return those days of a month; None if they run backwards.

    Raises ValueError where no year has them.
    """
    if not first <= last <= 31:
        return None
    date(2024, month, last)
    return times.day_of_year(month, first, last - first + 1)


def read_slashed(m: re.Match[str], _: Sentence) -> Time | None:
    """Read 31/1 or 1/31, 31.1.2024; none where it could be either."""
    a, b = int(m["a"]), int(m["b"])
    dotted = "." in m.group()
    if a != b and a <= 12 and b <= 12 and not dotted:
        return None
    month, day = (a, b) if a <= 12 and not dotted else (b, a)
    return (
        FixedTime(TimeUnit.DAY, times.add_days(date(int(m["y"]), month, day)))
        if m["y"]
        else days_of(month, day, day)
    )


def named_festivals(
    festivals: tuple[tuple[str, str, RecurringTime], ...], form: str, words: dict[str, str]
) -> list[Rule]:
    """Make rules of festivals: (hints, names, when).

    `form` takes the names, and its group `q` is last, next or this, by `words` where it is said
    otherwise.
    """

    def make_of(again: RecurringTime) -> Make:
        return lambda m, said: (
            again if m["q"] is None else said.chosen(again, words.get(m["q"], m["q"]))
        )

    return [(hints, form.format(names), make_of(again)) for hints, names, again in festivals]
