"""Read the words of a time: what its sentence says of it, and what the words name.

A rule is a row of `RULES` in a `language.toml`: hints of which a text must have one, a reader, a
pattern, and what else the reader gets. The groups of the pattern are the reader's arguments, read
by the table of that name in `WORDS`, else as numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import Any, Final, Literal

from memory.text.dates.times import (
    DAY,
    HOUR,
    SECOND,
    UNITS,
    WEEKEND,
    FixedTime,
    OrdinalTime,
    RecurringTime,
    Span,
    Time,
    TimeUnit,
    add_days,
    add_months,
    and_a_half,
    date,
    day_of_week,
    festival,
    full_year,
    half_of,
    midnight,
    months_of_year,
    nth_of,
    nth_unit,
    on_that_day,
    relative,
    stretch,
    third_of,
)
from memory.text.languages import Lang, either, value, values
from memory.text.numbers import find_numbers

_CONTEXT: Final = 24  # characters before a time that decide about it


def looks_ahead(plain: str) -> bool | None:
    """Say whether a folded sentence is about what is to come; None: untold.

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
        """Say whether it is about what is always so, whenever that recurs."""
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
        """Return the morning of a day; of one to come all from then on."""
        found = part.within(day[0])
        if found is not None and (found[0] > self.now or (self.ahead and day[1] > self.now)):
            return found[0], max(found[1], midnight(day[0]) + DAY)  # plans often have no hour
        return found

    def night(self, later: int) -> FixedTime:
        """Return the night that is or is coming, or so many nights later."""
        small_hours = 24 if later == 0 and self.now.hour < 5 else 0
        evening = midnight(self.now) + (24 * later - small_hours + 18) * HOUR
        return FixedTime(TimeUnit.PART, (evening, evening + 11 * HOUR))


@dataclass(frozen=True)
class Rule:
    """A pattern for words of time, and how they are read."""

    lang: Lang
    hints: str
    reader: str
    pattern: str
    more: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compile the pattern when first needed: all together would slow the start."""
        return re.compile(self.pattern)

    def read(self, m: re.Match[str], said: Sentence) -> Time | None:
        """Return the time that a match names, or None. Raises ValueError for an impossible one."""
        found = {**self.more, **read_groups(m, self.lang)}
        where, unless, when, which, back = (
            found.pop(k, None) for k in ("where", "unless", "when", "which", "back")
        )
        if unless and _stands_before(unless, m):
            return None
        if when and not (said.ahead if when == "ahead" else said.ahead is not False):
            return None
        weak = found.pop("weak", False) or (where and not _stands_before(where, m))
        time = READERS[self.reader](said, **found)
        if isinstance(time, RecurringTime):
            time = _count_back(time, back, said) if back else _choose(time, which, said)
        return replace(time, weak=True) if weak and time else time


@cache
def list_rules() -> list[Rule]:
    """List the rules of all languages, those of their festivals too."""
    rules = []
    for lang, rows in values("dates", "RULES").items():
        rules += [Rule(lang, *row) for row in rows]
    for lang, rows in values("dates", "FESTIVALS").items():
        form = value(lang, "dates", "FESTIVAL")
        rules += [
            Rule(lang, hints, "festival", form.replace("%s", names), {"on": on})
            for hints, names, *on in rows
        ]
    return rules


def read_groups(m: re.Match[str], lang: Lang) -> dict[str, Any]:
    """Read the groups of a match by their tables in `WORDS`, else as numbers."""
    tables = value(lang, "dates", "WORDS")
    return {
        name: _read_word(word, tables.get(name, {}))
        for name, word in m.groupdict().items()
        if word is not None and name != "again"
    }


def _read_word(word: str, table: Mapping[str, Any]) -> Any:
    begins = [w for w in table if word.startswith(w)]
    if word in table or begins:
        return table[word if word in table else max(begins, key=len)]
    if word.isdigit():
        return int(word)
    numbers = find_numbers(word)
    return int(numbers[0][0]) if numbers else word


def _stands_before(pattern: str, m: re.Match[str]) -> bool:
    """Say whether those words stand before a match; the pattern ends with `$`."""
    return re.compile(pattern).search(m.string, max(0, m.start() - _CONTEXT), m.start()) is not None


def _choose(again: RecurringTime, which: str | None, said: Sentence) -> Time | None:
    """Return the last, this or the next one as a time that comes once."""
    if which is None:
        return again
    found = said.choose_which(again, which)
    at = found[0] + again.main * DAY if found and again.main else None
    return found and FixedTime(again.unit, found, at=at)


def _count_back(again: RecurringTime, n: int, said: Sentence) -> FixedTime | None:
    """Return the n-th one before now: two Fridays ago, the summer before last."""
    last = said.choose_which(again, "last")
    if last is None:
        return None
    if again.period == "week":
        return FixedTime(again.unit, (last[0] - 7 * (n - 1) * DAY, last[1] - 7 * (n - 1) * DAY))
    found = [s for s in again.around(said.now) if s <= last]
    return FixedTime(again.unit, found[-n]) if n <= len(found) else None


def _read_date(
    _: Sentence, *, month: int, day: int, to: int = 0, year: int = 0, yy: int = 0
) -> Time | None:
    """Read 3 May 2024, 3 to 10 May; none where they run backwards."""
    to = to or day
    if not day <= to <= 31:
        return None
    if year or yy:
        first = date(full_year(year or yy), month, day)
        return FixedTime(TimeUnit.DAY, add_days(first, to - day + 1))
    date(2024, month, to)
    return RecurringTime(
        TimeUnit.DAY, "year", lambda t: add_days(date(t.year, month, day), to - day + 1)
    )


def _read_slashed(said: Sentence, *, a: int, b: int, year: int = 0, s: str = "/") -> Time | None:
    """Read 31/1 or 1/31, 31.1.2024; none where it could be either."""
    if a != b and a <= 12 and b <= 12 and s != ".":
        return None
    month, day = (a, b) if a <= 12 and s != "." else (b, a)
    return _read_date(said, month=month, day=day, year=year)


def _read_day(_: Sentence, *, day: int, to: int = 0) -> Time | None:
    to = to or day
    if not 1 <= day <= to <= 31:
        return None
    return RecurringTime(
        TimeUnit.DAY,
        "month",
        lambda t: add_days(date(t.year, t.month, day), to - day + 1),
        "next",
    )


def _read_month(_: Sentence, *, month: int, to: int = 0, year: int = 0) -> Time | None:
    to = to or month
    if not (1 <= month <= 12 and 1 <= to <= 12):
        return None
    if year:
        return FixedTime(TimeUnit.MONTH, add_months(year, month))
    return months_of_year(TimeUnit.MONTH, month, (to - month) % 12 + 1)


def _read_weekday(
    said: Sentence, *, weekday: int, later: int | None = None, weeks: int = 0
) -> Time | None:
    """Read Friday, 上周五, the Friday after next, a week on Friday."""
    if later is not None:
        monday = relative("week", later, said.now)[0]
        return FixedTime(TimeUnit.DAY, add_days(monday + weekday * DAY))
    again = day_of_week(weekday)
    if not weeks:
        return again
    coming = again.next(said.now) or add_days(said.now)
    return FixedTime(TimeUnit.DAY, add_days(coming[0] + 7 * weeks * DAY))


def _read_decade(
    _: Sentence, *, year: int = 0, decade: int = 0, tens: int = 0, century: int = 0
) -> Time:
    if tens:
        year = (century or (1900 if tens > 2 else 2000)) + 10 * tens
    return FixedTime(TimeUnit.DECADE, add_months(decade or full_year(year), 1, 120))


def _read_third(_: Sentence, *, third: int, unit: str = "", edge: bool = False) -> Time:
    """Read early, the end of, 中旬; with its own unit 年底."""
    return _piece(TimeUnit.THIRD, unit, lambda s: third_of(s, third, edge=edge), "near")


def _read_half(_: Sentence, *, half: int, unit: str = "") -> Time:
    length = TimeUnit.SEASON if unit == "year" else TimeUnit.THIRD
    return _piece(length, unit, lambda s: half_of(s, half), "last")


def _piece(
    length: TimeUnit, unit: str, of: Callable[[Span], Span], else_: Literal["near", "last"]
) -> Time:
    """Return a piece of a longer time, or of each such unit."""
    if not unit:
        return OrdinalTime(length, of)
    period: Any = unit
    return RecurringTime(length, period, lambda t: of(relative(unit, 0, t)), else_)


def _read_nth(_: Sentence, *, n: int = -1, unit: str = "", weekday: int | None = None) -> Time:
    """Read the first Monday of, 最后一天."""
    if weekday is not None:
        one = day_of_week(weekday)
        return OrdinalTime(TimeUnit.DAY, lambda s: nth_of(s, n, one))
    return OrdinalTime(UNITS[unit], lambda s: nth_unit(s, n, unit))


def _read_units(said: Sentence, *, n: int, unit: str, sign: int) -> Time:
    """Read in two weeks: the whole week, and the day in it."""
    at = midnight(said.now) + 7 * n * DAY if unit == "week" and sign > 0 else None
    return FixedTime(UNITS[unit], relative(unit, sign * n, said.now), at=at)


def _read_some(
    said: Sentence, *, unit: str, sign: int, least: int = 0, most: int = 0, n: int = 0
) -> Time | None:
    """Read a few days ago, 两三天前, 十几年前."""
    least = least or n
    most = most or least + (9 if least >= 10 else 1)
    if least >= most:
        return None
    spans = [relative(unit, sign * count, said.now) for count in (least, most)]
    return FixedTime(UNITS[unit], (min(spans)[0], max(spans)[1]))


def _read_same(said: Sentence, *, unit: str, at: str, n: int = 0, later: int | None = None) -> Time:
    """Read a year ago today; with `at` "time" this time last year."""
    day = on_that_day(unit, -n if later is None else later, said.now)
    if at == "day":
        return FixedTime(TimeUnit.DAY, add_days(day))
    off = 7 if unit in {"month", "year"} else 1
    return FixedTime(TimeUnit.WEEK, add_days(day - off * DAY, 2 * off + 1))


def _read_hours(said: Sentence, *, n: float, sign: int, minutes: int = 60) -> Time:
    """Read two hours ago, give or take one; in ten minutes. Minutes ago are a moment ago."""
    now = said.now
    if sign > 0:
        hours = n * minutes / 60
        at = (now + hours * HOUR).replace(second=0, microsecond=0)
        span = now + max(0, hours - 1) * HOUR, now + (max(1, hours) + 1) * HOUR
        return FixedTime(TimeUnit.HOUR, span, at=at)
    hours = n if minutes == 60 else 0
    slack = HOUR if hours else 6 * HOUR
    middle = now - timedelta(hours=hours)
    return FixedTime(TimeUnit.HOUR, (middle - slack, min(middle + slack, now + SECOND)))


def _read_and_a_half(said: Sentence, *, unit: str, sign: int, n: int = 0) -> Time:
    length = TimeUnit.MONTH if unit == "year" else TimeUnit.WEEK
    return FixedTime(length, and_a_half(unit, n, said.now, sign))


def _read_stretch(said: Sentence, *, unit: str, n: int = 1, ahead: bool | None = None) -> Time:
    """Read the next three days, the last ones; 三天内 as the sentence has it."""
    ahead = said.ahead is not False if ahead is None else ahead
    return FixedTime(UNITS[unit], stretch(unit, n, said.now, ahead=ahead))


def _read_part(
    said: Sentence, *, part: tuple[float, float], later: int | None = None
) -> Time | None:
    """Read the morning, tomorrow morning; beyond 24 the hours are the next day's."""
    since, until = part
    again = RecurringTime(
        TimeUnit.PART, "day", lambda day: (day + since * HOUR, day + until * HOUR), weak=True
    )
    if later is None:
        return again
    found = said.part_of(add_days(said.now + later * DAY), again)
    return found and FixedTime(TimeUnit.PART, found)


READERS: Final[Mapping[str, Callable[..., Time | None]]] = {
    "date": _read_date,
    "slashed": _read_slashed,
    "day": _read_day,
    "month": _read_month,
    "weekday": _read_weekday,
    "weekend": lambda _: WEEKEND,
    "season": lambda _, season: months_of_year(TimeUnit.SEASON, season, 3, else_=""),
    "quarter": lambda _, n: months_of_year(TimeUnit.SEASON, 3 * n - 2, 3),
    "year": lambda _, year: FixedTime(TimeUnit.YEAR, add_months(full_year(year), 1, 12)),
    "decade": _read_decade,
    "festival": lambda _, on: festival(*on),
    "lunar": lambda _, day: festival("lunar", [0], day - 1),
    "third": _read_third,
    "half": _read_half,
    "nth": _read_nth,
    "unit": lambda said, unit, later: FixedTime(UNITS[unit], relative(unit, later, said.now)),
    "units": _read_units,
    "some": _read_some,
    "within": lambda said, n, unit, sign=1: _read_some(
        said, unit=unit, least=1, most=n + 1, sign=sign
    ),
    "months": lambda said, n, months: FixedTime(
        TimeUnit.MONTH, relative("month", -12 * n - months, said.now)
    ),
    "same": _read_same,
    "hours": _read_hours,
    "hours_and_a_half": lambda said, sign, n=0: _read_hours(said, n=n + 0.5, sign=sign),
    "and_a_half": _read_and_a_half,
    "last_hours": lambda said, n: FixedTime(
        TimeUnit.DAY, (said.now - n * HOUR, said.now + SECOND), weak=not n
    ),
    "stretch": _read_stretch,
    "lately": lambda said, days: FixedTime(
        TimeUnit.WEEK, stretch("day", days, said.now, ahead=False)
    ),
    "days": lambda said, later, count=1: FixedTime(
        TimeUnit.DAY, add_days(said.now + later * DAY, count)
    ),
    "night": lambda said, later: said.night(later),
    "part": _read_part,
}
