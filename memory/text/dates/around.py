"""What stands around a time and moves its ends: since, until, before, the week after, 以来, 前后, 前两天."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from memory.text.dates.sentence import UNITS, Sentence
from memory.text.dates.times import (
    DAY,
    HOUR,
    Span,
    TimeUnit,
    add_days,
    date,
    midnight,
    relative,
    week_of,
    weekend_of,
)
from memory.text.languages import Lang, value, values

_DAWN: Final = date(1900, 1, 1)
_READ_BEFORE: Final = 40  # characters


@dataclass(frozen=True, slots=True)
class Place:
    """A time where it stands; `anew` reads it again as one that is over, or to come."""

    unit: TimeUnit
    span: Span
    said: Sentence
    anew: Callable[[bool], tuple[TimeUnit, Span] | None]


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
    return _moved(*found, p) if found else (p.unit, p.span)


def _moved(move: str, m: re.Match[str], lang: Lang, p: Place) -> tuple[TimeUnit, Span]:
    (start, end), now, said = p.span, p.said.now, m.groupdict()
    match move:
        case "since":
            return p.unit, _since(p)
        case "until":
            return p.unit, _until(p)
        case "before":
            return p.unit, _before(p, start)
        case "before, that day too":  # 周五之前交 may still be handed in on Friday
            return p.unit, _before(p, start if p.unit > TimeUnit.DAY else end)
        case "after":
            return p.unit, _after(p)
        case "about":  # some days more on both sides
            more = 3 * DAY if end - start <= 8 * DAY else (end - start) / 3
            return p.unit, (midnight(start - more), midnight(end + more))
        case "part" if start <= now < end:  # later this year, earlier this week
            return p.unit, (now, end) if said["later"] else (start, now + timedelta(seconds=1))
        case "week":
            return _week_of(start, weekend=bool(said["weekend"]))
        case "week of a day" if p.unit in {
            TimeUnit.DAY,
            TimeUnit.WEEKEND,
        }:  # not "on Friday, week after week"
            return _week_of(start, weekend=bool(said["weekend"]))
        case "days beside":  # 国庆前几天
            return TimeUnit.DAY, (start - 3 * DAY, start) if said["ahead"] else (end, end + 3 * DAY)
        case "day after":
            return _offset(1, "day", 1, p)
        case "night before":
            return _offset(-1, "night", 1, p)
        case "offset":
            sign, unit, n = value(lang, "dates", "read_offset")(m)
            return _offset(sign, unit, n, p)
    return p.unit, p.span


def _back(p: Place) -> timedelta | None:
    """How far "before" reaches: a month, a season beside months; of years everything."""
    return None if p.unit >= TimeUnit.YEAR else (92 if p.unit >= TimeUnit.MONTH else 30) * DAY


def _since(p: Place) -> Span:
    span, now = p.span, p.said.now
    if span[0] >= now and (over := p.anew(False)) is not None:
        span = over[1]
    return (span[0], now + timedelta(seconds=1)) if span[0] < now else span


def _until(p: Place) -> Span:
    span, now, back = p.span, p.said.now, _back(p)
    if p.said.ahead is not False and (coming := p.anew(True)) is not None:
        span = coming[1]
    return (now, span[1]) if span[1] > now else (span[0] - back if back else _DAWN, span[1])


def _before(p: Place, end: datetime) -> Span:
    back = _back(p)
    return (
        (p.said.now, end)
        if p.span[0] > p.said.now
        else (p.span[0] - back if back else _DAWN, p.span[0])
    )


def _after(p: Place) -> Span:
    end, now, back = p.span[1], p.said.now, _back(p)
    if end > now:
        return end, end + (back or 365 * DAY)
    return end, min(end + back, now + timedelta(seconds=1)) if back else now + timedelta(seconds=1)


def _offset(sign: int, unit: str, n: int, p: Place) -> tuple[TimeUnit, Span]:
    """The day before it, two weeks after it."""
    at = p.span[0] if sign < 0 else p.span[1] - DAY
    if unit == "night":
        evening = at - 6 * HOUR if sign < 0 else p.span[1] + 18 * HOUR
        return TimeUnit.PART, (evening, evening + 11 * HOUR)
    if unit == "day":
        return TimeUnit.DAY, add_days(at + sign * n * DAY)
    if unit == "week" and sign < 0:  # what was so long before a day is told up to that day
        return TimeUnit.WEEK, (
            p.span[0] - 7 * n * DAY,
            p.span[1] if p.unit is TimeUnit.DAY else p.span[0],
        )
    if unit == "week" and n == 1:
        return TimeUnit.WEEK, (p.span[1], p.span[1] + 7 * DAY)
    return UNITS[unit], relative(unit, sign * n, at)


def _week_of(start: datetime, *, weekend: bool) -> tuple[TimeUnit, Span]:
    """The week of 3 May, Christmas week, 中秋那周."""
    if not weekend:
        return TimeUnit.WEEK, week_of(start)
    # a Monday makes a weekend longer
    return TimeUnit.WEEKEND, (start - 2 * DAY, start + DAY) if start.weekday() == 0 else weekend_of(
        start
    )
