"""A sentence that names times: what it says of past and future, and which of several it means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from memory.text.dates.times import (
    DAY,
    HOUR,
    FixedTime,
    RecurringTime,
    Span,
    TimeUnit,
    midnight,
    relative,
)
from memory.text.languages import either


def looks_ahead(plain: str) -> bool | None:
    """Say whether a folded sentence is about what is to come; None if it does not tell.

    What is planned may have been planned: the future is heard first.
    """
    for name, ahead in (("TO_COME", True), ("OVER", False), ("PERHAPS", True)):
        if either("dates", name).search(plain):
            return ahead
    return None


@dataclass
class Sentence:
    """A sentence, and the speaker's local time."""

    plain: str
    now: datetime
    told: bool | None = None  # `ahead`, where the caller knows
    today: bool = False  # whether today's Friday may be the last one

    @cached_property
    def ahead(self) -> bool | None:
        """Say whether it is about what is to come."""
        return looks_ahead(self.plain) if self.told is None else self.told

    @cached_property
    def habit(self) -> bool:
        """Say whether it is about what is always so: then every time that recurs is meant."""
        return either("dates", "HABIT").search(self.plain) is not None

    def choose(self, again: RecurringTime, ahead: bool | None = None) -> Span | None:
        """Choose of a recurring time the one that is meant where nothing else is said."""
        if self.habit:
            return None
        ahead = self.ahead if ahead is None else ahead
        if ahead is not None:
            return again.next(self.now) if ahead else again.last(self.now, today=self.today)
        match again.else_:
            case "next":
                return again.next(self.now)
            case "last":
                return again.last(self.now)
            case "near":
                return again.nearest(self.now)
        return None

    def choose_which(self, again: RecurringTime, which: str) -> Span | None:
        """Choose the last, this, the next or the coming one."""
        now, around = self.now, again.around(self.now)
        match which:
            case "coming":
                return again.next(now)
            case "next" if again.period == "week":
                return again.within(relative("week", 1, now)[0])
            case "next":
                return min((s for s in around if s[0] > now), default=None)
            case "this":
                if here := [s for s in around if s[0] <= now < s[1]]:
                    return here[0]
                if self.ahead is False:
                    return max((s for s in around if s[0] <= now), default=None)
                return (
                    again.next(now) if self.ahead or again.period == "week" else again.nearest(now)
                )
        if again.strict:
            return again.last(now)
        # In February last winter is the one that began the year before.
        begun = again.unit is TimeUnit.SEASON
        over = (
            s for s in around if s[1] <= now or (begun and s[0] <= now and s[0].year < now.year)
        )
        return max(over, default=None)

    def part_of(self, day: Span, part: RecurringTime) -> Span | None:
        """Return the morning of a day; of a day to come all that is left from then on."""
        found = part.within(day[0])
        if found is not None and (found[0] > self.now or (self.ahead and day[1] > self.now)):
            return found[0], max(found[1], midnight(day[0]) + DAY)  # plans often have no hour
        return found

    def night(self, later: int) -> FixedTime:
        """Return the night that is or is coming, or so many nights later."""
        small_hours = 24 if later == 0 and self.now.hour < 5 else 0
        evening = midnight(self.now) + (24 * later - small_hours + 18) * HOUR
        return FixedTime(TimeUnit.PART, (evening, evening + 11 * HOUR))
