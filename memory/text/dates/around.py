"""What stands around a time and moves its ends: since, until, the week after, 以来, 前后."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from memory.text.dates.readers import Sentence, read_groups
from memory.text.dates.times import (
    DAY,
    HOUR,
    SECOND,
    UNITS,
    Span,
    TimeUnit,
    add_days,
    date,
    midnight,
    relative,
)
from memory.text.languages import Lang, values

_DAWN: Final = date(1900, 1, 1)
_READ_BEFORE: Final = 40  # characters


@dataclass(frozen=True, slots=True)
class Place:
    """A time where it stands; `anew` reads it again as one that is over, or to come."""

    unit: TimeUnit
    span: Span
    said: Sentence
    anew: Callable[[bool], tuple[TimeUnit, Span] | None]

    @property
    def reach(self) -> timedelta | None:
        """Say how far "before" reaches: a month, of months a season; of years everything."""
        if self.unit >= TimeUnit.YEAR:
            return None
        return (92 if self.unit >= TimeUnit.MONTH else 30) * DAY


@cache
def _moves(side: str) -> list[tuple[re.Pattern[str], str, Lang]]:
    """Compile the words of all languages before or after a time, each with what it does."""
    return [
        (re.compile(words), move, lang)
        for lang, rows in values("dates", side).items()
        for words, move in rows
    ]


def _find_move(plain: str, start: int, end: int) -> tuple[str, re.Match[str], Lang] | None:
    for pattern, move, lang in _moves("BEFORE"):
        if m := pattern.search(plain, max(0, start - _READ_BEFORE), start):
            return move, m, lang
    for pattern, move, lang in _moves("AFTER"):
        if m := pattern.match(plain, end):
            return move, m, lang
    return None


def move_of(plain: str, start: int, end: int) -> str:
    """Name what the words around plain[start:end] do with a time; "" for nothing."""
    found = _find_move(plain, start, end)
    return found[0] if found else ""


def move_ends(p: Place, start: int, end: int) -> tuple[TimeUnit, Span]:
    """Move a time's ends as the words before `start` and after `end` have it."""
    found = _find_move(p.said.plain, start, end)
    if found is None:
        return p.unit, p.span
    move, m, lang = found
    if move in _MOVES:
        return p.unit, _MOVES[move](p)
    if move == "offset":
        said = read_groups(m, lang)
        return _offset(said["sign"], "night" if "night" in said else said["unit"], said["n"], p)
    return _move_otherwise(move, m.groupdict(), p)


def _move_otherwise(move: str, said: dict[str, str | None], p: Place) -> tuple[TimeUnit, Span]:
    (start, end), now = p.span, p.said.now
    match move:
        case "before, that day too":  # 周五之前交 may still be handed in on Friday
            return p.unit, _before(p, start if p.unit > TimeUnit.DAY else end)
        case "part" if start <= now < end:  # later this year, earlier this week
            return p.unit, (now, end) if said["later"] else (start, now + SECOND)
        case "week":
            return _week_of(start, weekend=bool(said["weekend"]))
        case "week of a day" if p.unit in {TimeUnit.DAY, TimeUnit.WEEKEND}:  # not week after week
            return _week_of(start, weekend=bool(said["weekend"]))
        case "days beside":  # 国庆前几天
            return TimeUnit.DAY, (start - 3 * DAY, start) if said["ahead"] else (end, end + 3 * DAY)
        case "day after":
            return _offset(1, "day", 1, p)
        case "night before":
            return _offset(-1, "night", 1, p)
    return p.unit, p.span


def _since(p: Place) -> Span:
    span, now = p.span, p.said.now
    if span[0] >= now and (over := p.anew(False)) is not None:
        span = over[1]
    return (span[0], now + SECOND) if span[0] < now else span


def _until(p: Place) -> Span:
    span, now = p.span, p.said.now
    if p.said.ahead is not False and (coming := p.anew(True)) is not None:
        span = coming[1]
    return (now if span[1] > now else span[0] - p.reach if p.reach else _DAWN), span[1]


def _before(p: Place, end: datetime) -> Span:
    start, now = p.span[0], p.said.now
    return (now, end) if start > now else (start - p.reach if p.reach else _DAWN, start)


def _after(p: Place) -> Span:
    end, now, reach = p.span[1], p.said.now, p.reach
    if end > now:
        return end, end + (reach or 365 * DAY)
    return end, min(end + reach, now + SECOND) if reach else now + SECOND


def _about(p: Place) -> Span:
    """Return some days more on both sides."""
    start, end = p.span
    more = 3 * DAY if end - start <= 8 * DAY else (end - start) / 3
    return midnight(start - more), midnight(end + more)


_MOVES: Final[dict[str, Callable[[Place], Span]]] = {
    "since": _since,
    "until": _until,
    "before": lambda p: _before(p, p.span[0]),
    "after": _after,
    "about": _about,
}


def _offset(sign: int, unit: str, n: int, p: Place) -> tuple[TimeUnit, Span]:
    """Return the day before a time, two weeks after it."""
    start, end = p.span
    at = start if sign < 0 else end - DAY
    if unit == "night":
        evening = start - 6 * HOUR if sign < 0 else end + 18 * HOUR
        return TimeUnit.PART, (evening, evening + 11 * HOUR)
    if unit == "day":
        return TimeUnit.DAY, add_days(at + sign * n * DAY)
    if unit == "week" and sign < 0:  # what was so long before a day is told up to that day
        return TimeUnit.WEEK, (start - 7 * n * DAY, end if p.unit is TimeUnit.DAY else start)
    if unit == "week" and n == 1:
        return TimeUnit.WEEK, (end, end + 7 * DAY)
    return UNITS[unit], relative(unit, sign * n, at)


def _week_of(start: datetime, *, weekend: bool) -> tuple[TimeUnit, Span]:
    """Return the week of 3 May, Christmas week, 中秋那周; a Monday makes a weekend longer."""
    if not weekend:
        return TimeUnit.WEEK, relative("week", 0, start)
    longer = (start - 2 * DAY, start + DAY)
    return TimeUnit.WEEKEND, longer if start.weekday() == 0 else relative("weekend", 0, start)
