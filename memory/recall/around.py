"""What stands around a time and moves its ends: since, until, before, the week after, 以来, 前后, 前两天. Pure."""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

from memory.recall.names_en import number as number_en
from memory.recall.names_zh import number as number_zh
from memory.recall.spans import DAY, HOUR, Span, Unit, date, day_of, midnight, relative, week_of, weekend_of
from memory.recall.tense import Said

_DAWN: Final = date(1900, 1, 1)


@dataclass(frozen=True, slots=True)
class Place:
    """A time where it stands; `anew` reads it again as one that is over, or to come."""

    unit: Unit
    span: Span
    said: Said
    anew: Callable[[bool], tuple[Unit, Span] | None]


Move: TypeAlias = Callable[[re.Match[str], Place], tuple[Unit, Span]]


def moved(p: Place, start: int, end: int) -> tuple[Unit, Span]:
    """The time as the words before `start` and after `end` have it."""
    for pattern, move in _BEFORE:
        if (m := pattern.search(p.said.plain, max(0, start - 40), start)) is not None:
            return move(m, p)
    for pattern, move in _AFTER:
        if (m := pattern.match(p.said.plain, end)) is not None:
            return move(m, p)
    return p.unit, p.span


def _back(p: Place) -> timedelta | None:
    """How far "before" reaches: a month, a season beside months; of years everything."""
    return None if p.unit >= Unit.YEAR else (92 if p.unit >= Unit.MONTH else 30) * DAY


def _since(_: re.Match[str], p: Place) -> tuple[Unit, Span]:
    span, now = p.span, p.said.now
    if span[0] >= now and (over := p.anew(False)) is not None:
        span = over[1]
    return p.unit, (span[0], now + timedelta(seconds=1)) if span[0] < now else span


def _until(_: re.Match[str], p: Place) -> tuple[Unit, Span]:
    span, now, back = p.span, p.said.now, _back(p)
    if p.said.ahead is not False and (coming := p.anew(True)) is not None:
        span = coming[1]
    if span[1] > now:
        return p.unit, (now, span[1])
    return p.unit, (span[0] - back if back else _DAWN, span[1])


def _before(m: re.Match[str], p: Place) -> tuple[Unit, Span]:
    """Up to it; 周五之前交 may still be handed in on Friday."""
    span, now, back = p.span, p.said.now, _back(p)
    if span[0] > now:
        return p.unit, (now, span[0] if m.group().isascii() or p.unit > Unit.DAY else span[1])
    return p.unit, (span[0] - back if back else _DAWN, span[0])


def _later(_: re.Match[str], p: Place) -> tuple[Unit, Span]:
    end, now, back = p.span[1], p.said.now, _back(p)
    if end > now:
        return p.unit, (end, end + (back or 365 * DAY))
    return p.unit, (end, min(end + back, now + timedelta(seconds=1)) if back else now + timedelta(seconds=1))


def _about(_: re.Match[str], p: Place) -> tuple[Unit, Span]:
    """Some days more on both sides."""
    start, end = p.span
    more = 3 * DAY if end - start <= 8 * DAY else (end - start) / 3
    return p.unit, (midnight(start - more), midnight(end + more))


def _offset(sign: int, unit: str, n: int, p: Place) -> tuple[Unit, Span]:
    """The day before it, two weeks after it."""
    at = p.span[0] if sign < 0 else p.span[1] - DAY
    if unit == "night":
        evening = at - 6 * HOUR if sign < 0 else p.span[1] + 18 * HOUR
        return Unit.PART, (evening, evening + 11 * HOUR)
    if unit == "day":
        return Unit.DAY, day_of(at + sign * n * DAY)
    if unit == "week" and sign < 0:  # what was so long before a day is told up to that day
        end = p.span[1] if p.unit is Unit.DAY else p.span[0]
        return Unit.WEEK, (p.span[0] - 7 * n * DAY, end)
    if unit == "week" and n == 1:
        return Unit.WEEK, (p.span[1], p.span[1] + 7 * DAY)
    return {"week": Unit.WEEK, "month": Unit.MONTH}.get(unit, Unit.YEAR), relative(unit, sign * n, at)


def _offset_en(m: re.Match[str], p: Place) -> tuple[Unit, Span]:
    n = m["n"]
    return _offset(-1 if m["way"] == "before" else 1, m["u"], 1 if n in {None, "the"} else number_en(n), p)


def _offset_zh(m: re.Match[str], p: Place) -> tuple[Unit, Span]:
    unit = {
        "天": "day",
        "日": "day",
        "晚": "night",
        "夜": "night",
        "周": "week",
        "星期": "week",
        "礼拜": "week",
        "月": "month",
    }.get(m["u"].removeprefix("个"), "year")
    return _offset(-1 if m["way"] in {"前", "之前"} else 1, unit, number_zh(m["n"]), p)


def _stretch_zh(m: re.Match[str], p: Place) -> tuple[Unit, Span]:
    """国庆前几天: those days, up to it."""
    start, end = p.span
    return (Unit.DAY, (start - 3 * DAY, start)) if "前" in m.group() else (Unit.DAY, (end, end + 3 * DAY))


def _week_of(m: re.Match[str], p: Place) -> tuple[Unit, Span]:
    """The week of 3 May, Christmas week, 中秋那周."""
    weekend = (m["u"] or m["v"]).endswith(("weekend", "末"))
    start = p.span[0]
    if weekend and start.weekday() == 0:  # a weekend that a Monday makes longer
        return Unit.WEEKEND, (start - 2 * DAY, start + DAY)
    return (Unit.WEEKEND, weekend_of(start)) if weekend else (Unit.WEEK, week_of(start))


def _week_beside(m: re.Match[str], p: Place) -> tuple[Unit, Span]:
    """Christmas week, 中秋那周; not "on Friday, week after week"."""
    return _week_of(m, p) if p.unit in {Unit.DAY, Unit.WEEKEND} else (p.unit, p.span)


def _part(m: re.Match[str], p: Place) -> tuple[Unit, Span]:
    """Later this year, earlier this week: from now on, up to now."""
    (start, end), now = p.span, p.said.now
    if not start <= now < end:
        return p.unit, p.span
    return p.unit, (now, end) if m["w"] in {"later", "晚些时候", "晚点", "晚一点"} else (
        start,
        now + timedelta(seconds=1),
    )


_THE: Final = r"(?: the)?(?: end of)? $"
_BEFORE: Final[tuple[tuple[re.Pattern[str], Move], ...]] = (
    (re.compile(r"\b(?:(?P<n>the|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) )(?P<u>day|night|week|month|year)s? (?P<way>before|after|following)(?: the)? $"), _offset_en),
    (re.compile(rf"\bsince{_THE}|自从$|(?<![亲来独各])自$"), _since),
    (re.compile(rf"\b(?:by|until|till|up to|no later than|up until){_THE}|(?:截至|直到|截止到?|最晚|最迟|不晚于)$"), _until),
    (re.compile(r"\b(?:before|prior to|ahead of|leading up to|run-up to)(?: the)? $"), _before),
    (re.compile(r"\b(?:after|following)(?: the)? $"), _later),
    (re.compile(r"\b(?:around|near|close to|circa)(?: the)? $"), _about),
    (re.compile(r"\b(?P<w>later|earlier)(?: on)?(?: in)?(?: the)? $"), _part),
    (re.compile(r"\b(?P<u>week|weekend) (?:of|commencing|beginning|starting)(?: on)?(?: the)? $(?P<v>)"), _week_of),
)  # fmt: skip
_AFTER: Final[tuple[tuple[re.Pattern[str], Move], ...]] = (
    (re.compile(r" (?:onwards?\b|on(?=\s*(?:$|[?.!,;])))|以来|至今|(?:开始|起)?到(?:现在|目前|今天)|(?:那天|那时)?(?:开始|起)(?![床飞来点身名])"), _since),
    (re.compile(r"的?(?P<way>之?[前后])的?第?(?P<n>\d{1,2}|[一二三四五六七八九十两])(?P<u>天|日|晚|夜|个?星期|个?礼拜|周|个月|年)"), _offset_zh),
    (re.compile(r"的?之?[前后](?:的?(?:那)?几天|夕)"), _stretch_zh),
    (re.compile(r"的?(?P<n>)(?P<u>夜)?(?:第二天|次日|翌日|隔天)"), lambda _, p: _offset(1, "day", 1, p)),
    (re.compile(r"的?前夜"), lambda _, p: _offset(-1, "night", 1, p)),
    (re.compile(r"前后|左右|那阵|那段时间"), _about),
    (re.compile(r"的?(?:之前|以前|前)(?![天年面端台])"), _before),
    (re.compile(r"(?:之后|以后|过后|后)(?![天年面来])"), _later),
    (re.compile(r"的?(?P<w>晚些时候|晚一?点|早些时候|早先)"), _part),
    (re.compile(r" (?P<u>week(?:end)?)\b(?! (?:ago|before|after))|那一?个?(?P<v>(?:周|星期|礼拜)末?)"), _week_beside),
    (re.compile(r"为止|截止"), _until),
)  # fmt: skip
