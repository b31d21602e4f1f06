"""Dates of a text to the day or minute, as a quotation keeps and shows them.

What cannot be worked out is left as it stands: no date is better than a guessed one.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from typing import Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from memory.text.dates.readers import looks_ahead, read_groups
from memory.text.dates.times import DAY, SECOND, TimeUnit, midnight, relative
from memory.text.dates.window import Spoken, move_of, times_named
from memory.text.languages import Lang, either, value, values
from memory.text.words import fold_letters

Grain: TypeAlias = Literal["minute", "day", "week", "weekend", "month", "year"]
_GRAINS: Final[dict[TimeUnit, Grain]] = {
    TimeUnit.WEEKEND: "weekend",
    TimeUnit.WEEK: "week",
    TimeUnit.MONTH: "month",
    TimeUnit.YEAR: "year",
}
# Between a day and its hour.
_GAP: Final = re.compile(
    r"[\s,的()]{0,9}(?:at|around|about|on|@|from|by|before|in the|最[晚迟])?\s{0,9}"
)


@dataclass(frozen=True, slots=True)
class DateMatch:
    """A date in a text.

    `at` is local and naive, the first moment of its grain; (start, end) its place.
    """

    at: datetime
    grain: Grain
    start: int = 0
    end: int = 0
    since: bool = False  # what holds from that date on

    @property
    def end_of(self) -> datetime:
        """Return the moment at which it is over."""
        match self.grain:
            case "month" | "year":
                return relative(self.grain, 0, self.at)[1]
        return midnight(self.at) + {"week": 7, "weekend": 2}.get(self.grain, 1) * DAY

    @property
    def last_day(self) -> date:
        """Return the last day that it covers."""
        return (self.end_of - SECOND).date()

    def over(self, now: datetime) -> bool:
        """Say whether all of it lies before `now`, local and naive."""
        return self.at < now if self.grain == "minute" else self.last_day < now.date()

    @property
    def due(self) -> str:
        """Write it as an `expires` attribute; of a week, its last day."""
        shape = {"minute": "%Y-%m-%dT%H:%M", "month": "%Y-%m", "year": "%Y"}.get(self.grain)
        return self.at.strftime(shape) if shape else f"{self.last_day:%Y-%m-%d}"


def local_time(at: str, tz: str) -> datetime:
    """Read an ISO time as naive local time; an unreadable zone leaves its own offset."""
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is not None and tz:
        with suppress(KeyError, ValueError, OSError):
            moment = moment.astimezone(ZoneInfo(tz))
    return moment.replace(tzinfo=None)


def write_date(when: DateMatch, lang: Lang) -> str:
    """Write the date in full, in English with its preposition; `find_dates` reads it back."""
    at = when.at
    months, weekdays = (value(lang, "dates", name).split() for name in ("MONTHS", "WEEKDAYS"))
    return str(value(lang, "dates", "WRITTEN")[when.grain]).format(
        year=at.year,
        month=months[at.month - 1],
        day=at.day,
        weekday=weekdays[at.weekday()],
        time=f"{at:%H:%M}",
    )


def find_dates(text: str, now: datetime, *, over: bool | None = None) -> list[DateMatch]:
    """Find every date of a text said at the naive local time `now`.

    A bare one is to come, unless it is told as over; all are past, or to come, where `over` says
    so. What is vague, recurrent, ambiguous or impossible is none.
    """
    plain = fold_letters(text)
    over = looks_ahead(plain) is False if over is None else over
    found = times_named(text, now, ahead=not over)
    return [w for s in found if (w := _dated(s, plain)) is not None]


def _dated(s: Spoken, plain: str) -> DateMatch | None:
    first, end = s.span
    since = move_of(plain, s.start, s.end) in {"since", "onwards"}
    if s.at is not None:
        grain: Grain = "minute" if s.unit is TimeUnit.HOUR else "day"
        return DateMatch(s.at, grain, s.start, s.end, since)
    if s.unit is TimeUnit.PART or (s.unit is TimeUnit.DAY and end - first == DAY):
        part = first.hour if s.unit is TimeUnit.PART else None
        return _with_clock(DateMatch(midnight(first), "day", s.start, s.end, since), plain, part)
    if s.unit not in _GRAINS:
        return None
    found = DateMatch(first, _GRAINS[s.unit], s.start, s.end, since)
    return found if found.end_of == end else None


@cache
def _clocks() -> list[tuple[re.Pattern[str], Lang]]:
    return [(re.compile(pattern), lang) for lang, pattern in values("dates", "CLOCK").items()]


def _read_clock(m: re.Match[str], lang: Lang) -> tuple[int, int, str]:
    """Read an hour, minutes, and am, pm, 24 or nothing."""
    said = read_groups(m, lang)
    half = "am" if "am" in said else "pm" if "pm" in said else ""
    if "noon" in said:
        return 12, 0, "pm"
    if "h24" in said:
        return said["h24"], said["m24"], half or "24"
    hour = next(said[name] for name in ("hour", "oclock", "past", "bare", "limit") if name in said)
    minutes = 30 if "thirty" in said else 15 * said.get("quarters", 0) or said.get("minute", 0)
    return hour, minutes, half


def find_clock(text: str) -> tuple[int, int, bool] | None:
    """Find the one hour and minute of a text, and whether its half of the day is known."""
    plain, found = fold_letters(text), set[tuple[int, int, bool]]()
    for pattern, lang in _clocks():
        for m in pattern.finditer(plain):
            hour, minute, half = _read_clock(m, lang)
            if (at := _hour(hour, minute, half, None)) is not None:
                found.add((at.seconds // 3600, minute, True))
            elif 1 <= hour <= 12 and minute < 60:
                found.add((hour % 12, minute, False))
    return found.pop() if len(found) == 1 else None


def _with_clock(w: DateMatch, plain: str, part: int | None) -> DateMatch:
    """Add the hour beside a day, if its half of the day is known."""
    gap = _GAP.match(plain, w.end)
    starts = range(w.end, gap.end() + 1) if gap else ()
    for pattern, lang in _clocks():
        behind = (m for at in starts if (m := pattern.match(plain, at)))
        ahead = (
            m
            for m in pattern.finditer(plain, 0, w.start)
            if _GAP.fullmatch(plain, m.end(), w.start)
        )
        if m := next(behind, None) or next(ahead, None):
            hour = _hour(*_read_clock(m, lang), part)
            w = replace(w, start=min(w.start, m.start()), end=max(w.end, m.end()))
            return w if hour is None else replace(w, at=w.at + hour, grain="minute")
    if either("dates", "NOON").search(plain, w.start, w.end):
        return replace(w, at=w.at + timedelta(hours=12), grain="minute")
    return w


def _hour(hour: int, minute: int, half: str, part: int | None) -> timedelta | None:
    """Work out a time of day; `half` is am, pm, 24 or ""."""
    if hour > 24 or minute > 59:
        return None
    if half == "24" and (part is None or hour > 12):
        return timedelta(hours=hour % 24, minutes=minute)
    if half in {"", "24"} and part is not None:
        if hour in {12, 24} and part >= 18:
            return None  # midnight of one day or the other
        half = "am" if part < 11 or (part == 11 and hour == 11) else "pm"
    if not half:
        return timedelta(hours=hour, minutes=minute) if hour > 12 else None
    return timedelta(hours=hour if hour > 12 else hour % 12 + 12 * (half == "pm"), minutes=minute)
