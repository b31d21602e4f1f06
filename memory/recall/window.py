"""Time expressions in a question, as a span of time: "last week", "in March", 上个月, 去年夏天, 下周五. Pure.

A span is what the words say in the speaker's zone, [start, end) in UTC. What names no span gives None. A day or a
month by its name alone ("on Friday", 三月) is the last one or the next one, as the rest of the sentence has it.

Words for times are found first (`window_en`, `window_zh`), the longest ones. Those that stand side by side are one
time, the shorter looked for inside the longer: the 15th of last month, 去年春节, 上周三下午. Two with "to" between
them are a range; and what stands around it (since, before, the week after, 以来, 前后) moves its ends.
"""

# ruff: noqa: E501 - patterns are read line by line
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from itertools import pairwise
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.recall.around import Place, moved
from memory.recall.spans import HOUR, Again, Nth, Once, Span, Time, Unit
from memory.recall.tense import Row, Said
from memory.recall.vocabulary import ASKS, SENTENCE, TURN
from memory.recall.window_en import RULES_EN
from memory.recall.window_zh import RULES_ZH
from memory.text.pieces import MOST_READ, keep_ends

_RULES: Final[tuple[Row, ...]] = (*RULES_EN, *RULES_ZH)
_HINTS: Final[dict[str, list[int]]] = {}
for _i, _rule in enumerate(_RULES):
    for _hint in _rule.hints:
        _HINTS.setdefault(_hint, []).append(_i)
_LATIN: Final = re.compile(r"[a-z]+")

# What only looks like a time, and what comes again and again.
_NO_TIME: Final = re.compile(
    r"\bone day\b|\bevery (?:year|month|week) (?:on|in|at) [^,.?!]{1,25}|\bthese days\b|\btgi ?fridays?\b|\b(?:from|starting|as of|beginning) today\b|\btoday onwards?\b"
    r"|\b(?:every|each|any|most)(?: other| single| second)? (?:\w+day|weekend|morning|night|evening|week|month|year|spring|summer|autumn"
    r"|winter|christmas|easter|thanksgiving|halloween|january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|《[^》]*》|从?[今昨明]天(?:开始|起)|(?:星期|周|礼拜)[一二三四五六日天](?:餐厅|酒吧|咖啡|书店|乐队|花园)"
    r"|(?:每隔?[一两]?个?|隔)(?:周|星期|礼拜)的?(?:(?:周|星期|礼拜)?[一二三四五六日天末])?|每(?:年|月|周|天|个|到|逢|一|隔){0,9}的?(?:\d{1,2}|[一二三四五六七八九十]+)?(?:[月日号]|周末|春节|中秋节?|国庆节?|圣诞节?|元旦|生日|[春夏秋冬][天季])(?:(?:\d{1,2}|[一二三四五六七八九十]+)[日号])?"
    r"|(?:农历|阴历|旧历)(?!八月十五|正月|五月初五|七月初七|九月初九)[^,。?!]{0,8}?月(?:初?[一二三四五六七八九十廿]+)?"
    r"|(?:叫|名字是|名叫)[一二三四五六七八九十]月|五月天(?![气亮暖])|十月怀胎|(?<=[一二三四五六七八九十])月初[一二三四五六七八九十](?<!五月初五)(?<!七月初七)(?<!九月初九)(?<!正月)"
)
_NEST: Final = re.compile(r"(?:\s|,|的|那个|那|在|里|\b(?:of|in|on|the|at|during|that|back)\b)*")
_RANGE: Final = re.compile(
    r"\s{0,9}(?:开始)?(?:直?到|至|-|~|–|—|\b(?:up )?(?:to|until|till|through|thru)\b)\s{0,9}(?:on )?(?:the )?"
)
_JOIN: Final = re.compile(
    r"\s{0,9}(?:,\s{0,9})?(?:\b(?:and|or)\b|和|与|及|跟|或者?|、|,)\s{0,9}(?:on |in |at )?(?:the )?|"
)
_BESIDE: Final = re.compile(r" (before|after)(?: the)? ")
_BETWEEN: Final = re.compile(r"\bbetween (?:the )?$")
_TO_FROM: Final = re.compile(r"\s{0,9}(?:之间|间)")


_NEVER: Final = Nth(Unit.HOUR, lambda _: None)


@dataclass(frozen=True, slots=True)
class Found:
    """A time and the words that name it."""

    start: int
    end: int
    time: Time


@dataclass(frozen=True, slots=True)
class Side:
    """Times that are one: last year's Christmas."""

    parts: tuple[Found, ...]

    @property
    def weak(self) -> bool:
        """Whether they are too little to be a time: a lone "Monday" or "3rd", an "early" of nothing."""
        return len(self.parts) == 1 and (getattr(self.parts[0].time, "weak", False))

    @property
    def anchored(self) -> bool:
        """Whether it is one time, whatever the sentence says."""
        return any(isinstance(p.time, Once) for p in self.parts)


def window_asked(text: str, now: datetime, tz: str, *, ahead: bool | None = None) -> Span | None:
    """The span of time the text names, seen from `now` in the zone `tz` (UTC if unknown); None if it names none.

    Of several that which is in a question speaks, of those the shortest, one in figures before one in words, the
    first. `ahead`: whether a bare "Friday" is still to come; by default the sentence says it.
    """
    plain, spans, zone = _resolve(text, now, tz, ahead)
    if not (meant := _meant(spans, plain)):
        return None
    return _in_utc(min(meant, key=lambda s: (s.unit, not s.dated)).span, now, zone)


def windows_named(text: str, now: datetime, tz: str, *, ahead: bool | None = None) -> list[Span]:
    """Resolve every time that the text names; the arguments are those of `window_asked`."""
    _, spans, zone = _resolve(text, now, tz, ahead)
    return [w for s in spans if (w := _in_utc(s.span, now, zone)) is not None]


def _resolve(text: str, now: datetime, tz: str, ahead: bool | None) -> tuple[str, list[Spoken], tzinfo]:
    plain = unicodedata.normalize("NFKC", keep_ends(text, MOST_READ)).casefold()
    hits = _hits(plain)
    if hits and (struck := _NO_TIME.sub(lambda m: "#" * len(m.group()), plain)) != plain:
        plain, hits = struck, _hits(struck)
    zone: tzinfo = UTC
    with suppress(ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo(tz)
    said = Said(plain, now.astimezone(zone).replace(tzinfo=None, fold=0), ahead)
    return plain, list(_spans(_found(hits, said), said)) if hits else [], zone


def _in_utc(span: Span, now: datetime, zone: tzinfo) -> Span | None:
    local = now.astimezone(zone).replace(tzinfo=None, fold=0)
    at = {local: now.astimezone(UTC), local + timedelta(seconds=1): now.astimezone(UTC) + timedelta(seconds=1)}
    try:  # `now` itself is the moment it is, also in the hour that the clocks repeat
        return tuple(at.get(t) or t.replace(tzinfo=zone).astimezone(UTC) for t in span)  # type: ignore[return-value]
    except OverflowError:
        return None


Hit: TypeAlias = tuple[int, int, int, re.Match[str]]  # length below 0, place, rule, match: the longest comes first


def _hits(plain: str) -> list[Hit]:
    """Every place that a rule fits. Few rules are tried: those that have a word, or a character, of the text."""
    seen = set(plain)
    seen.update(_LATIN.findall(plain))
    tried = {i for h in seen & _HINTS.keys() for i in _HINTS[h]}
    return [(m.start() - m.end(), m.start(), i, m) for i in tried for m in _RULES[i].pattern.finditer(plain)]


def _found(hits: list[Hit], said: Said) -> list[Found]:
    """Words for times, in order of place: of those that overlap the longest."""
    ends = {m.end() for _, _, _, m in hits}
    taken: list[Found] = []
    covered = bytearray(len(said.plain))
    for _, start, i, m in sorted(hits, key=lambda h: h[:3]):
        if any(covered[start : m.end()]):
            continue
        if said.plain[start] in "前后" and start in ends:  # 国庆前两天
            continue
        try:
            time = _RULES[i].make(m, said)
        except (ValueError, OverflowError):  # 31 February, the year 0: no date, and no February either
            time = _NEVER
        if time is not None:
            taken.append(Found(start, m.end(), time))
            covered[start : m.end()] = b"\x01" * (m.end() - start)
    return sorted(taken, key=lambda f: f.start)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A span, and where in the text it was named."""

    unit: Unit
    span: Span
    at: int
    dated: bool


def _meant(spans: list[Spoken], plain: str) -> list[Spoken]:
    """Of a message that comes to its point those in what it then asks; of another those in questions, else all."""
    ends = [m.start() for m in SENTENCE.finditer(plain)]
    if not spans or not ends:
        return spans
    bounds = list(pairwise([0, *ends, len(plain)]))
    turn = max((i for i, (a, b) in enumerate(bounds) if b - a > 1 and TURN.search(plain, a, b)), default=-1)
    asking = [(a, b) for a, b in bounds[max(turn, 0) :] if ASKS.search(plain[a:b])]
    asked = [s for s in spans if any(a <= s.at < b for a, b in asking)]
    if turn >= 0 and asking:
        return asked
    return asked or spans


def _spans(found: list[Found], said: Said) -> Iterator[Spoken]:
    """What each phrase names."""
    sides, joints = _sides(found, said.plain)
    i = 0
    while i < len(sides):
        first, j = sides[i], i + 1
        try:
            if i < len(joints) and joints[i] and (both := _range(first, sides[i + 1], joints[i], said)) is not None:
                j, (unit, span), last = i + 2, both, sides[i + 1]
            elif first.weak or (one := _nested(first, said)) is None:
                i = j
                continue
            else:
                (unit, span), last = one, first
            anew = partial(_nested, first, said) if last is first else _as_it_is
            start, end = first.parts[0].start, last.parts[-1].end
            unit, span = moved(Place(unit, span, said, anew), start, end)
            yield Spoken(unit, span, start, any(c.isdigit() for c in said.plain[start:end]))
        except (ValueError, OverflowError):
            pass
        i = j


def _as_it_is(ahead: bool) -> None:
    """A range has said which it is."""


def _sides(found: list[Found], plain: str) -> tuple[list[Side], list[str]]:
    """Times that stand side by side, put together; and what joins each to the next."""
    sides: list[list[Found]] = []
    joints: list[str] = []
    for a, b in pairwise([None, *found]):
        assert b is not None  # noqa: S101 - only the first is None
        gap = "" if a is None else plain[a.end : b.start]
        if a is not None and (way := _BESIDE.fullmatch(gap)) is not None and isinstance(a.time, Again):
            joints.append(way[1])
            sides.append([b])
            continue
        if a is not None and _NEST.fullmatch(gap) and _goes_with(sides[-1], b):
            sides[-1].append(b)
            continue
        if a is not None:
            joints.append("range" if _RANGE.fullmatch(gap) else "join" if _JOIN.fullmatch(gap) else "")
        sides.append([b])
    if len(sides) > 1:
        for i, joint in enumerate(joints):
            start, end = sides[i][0].start, sides[i + 1][-1].end
            if joint == "join" and (_BETWEEN.search(plain, max(0, start - 12), start) or _TO_FROM.match(plain, end)):
                joints[i] = "range"
    return [Side(tuple(s)) for s in sides], joints


def _goes_with(side: list[Found], b: Found) -> bool:
    """Whether two times side by side are one: of two that stand for themselves each is."""
    t, last = b.time, side[-1].time
    if isinstance(t, Again) and isinstance(last, Again):
        return (t.unit, t.period) != (last.unit, last.period)
    return not isinstance(t, Once) or t.weak or not any(isinstance(f.time, Once) for f in side)


def _nested(side: Side, said: Said, ahead: bool | None = None) -> tuple[Unit, Span] | None:
    """The shorter inside the longer."""
    parts = side.parts
    if not any(
        p.time.unit >= Unit.WEEK for p in parts
    ):  # "late on Friday night": a day is too short for an early part
        parts = tuple(p for p in parts if not (isinstance(p.time, Nth) and p.time.unit is Unit.THIRD)) or parts
    order = sorted(
        parts,
        key=lambda p: (-p.time.unit, not isinstance(p.time, Once), getattr(p.time, "period", "") != "year"),
    )
    unit, span = order[0].time.unit, _alone(order[0].time, said, ahead)
    if span is None:
        return None
    for p in order[1:]:
        t = p.time
        if t.unit == unit and not isinstance(t, Nth):
            continue  # Friday, 13 March
        if t.unit is Unit.PART and isinstance(t, Again):
            inner = said.part(span, t) if unit in {Unit.DAY, Unit.PART} else span
        else:
            inner = _inside(t, span, said)
        if inner is not None:
            unit, span = t.unit, inner
        elif isinstance(t, Once):
            return t.unit, t.span
    return unit, span


def _alone(t: Time, said: Said, ahead: bool | None) -> Span | None:
    if isinstance(t, Once):
        return t.span
    return said.one(t, ahead) if isinstance(t, Again) else None


def _inside(t: Time, span: Span, said: Said) -> Span | None:
    if isinstance(t, Once):
        return t.span if span[0] <= t.span[0] < span[1] else None
    return t.inside(span, said.now, ahead=said.ahead) if isinstance(t, Again) else t.of(span)


def _range(a: Side, b: Side, joint: str, said: Said) -> tuple[Unit, Span] | None:
    """From the one to the other. Two that are merely both named are one span if nothing is between them."""
    if joint in {"before", "after"}:
        return _beside(a, b, joint, said)
    if a.anchored and not b.anchored:
        first = _nested(a, said)
        second = first and _nested(b, Said(said.plain, first[1][0], told=True))
    elif a.anchored or said.ahead or (said.ahead is None and _is_next(a)):
        second = _nested(b, said)
        first = _nested(a, said)
        if first and not b.anchored:
            second = _nested(b, Said(said.plain, first[1][0], told=True))
        elif second and not a.anchored:
            first = _nested(a, Said(said.plain, second[1][0], told=False))
    else:
        second = _nested(b, said if b.anchored else Said(said.plain, said.now, told=False, today=True))
        first = second and _nested(a, Said(said.plain, second[1][0], told=False))
    if not first or not second:
        return None
    (unit, (start, middle)), (other, (between, end)) = first, second
    if start >= end or between < start or (joint == "join" and between > middle):
        return None
    return max(unit, other), (start, end)


def _beside(a: Side, b: Side, way: str, said: Said) -> tuple[Unit, Span] | None:
    """The Sunday before Christmas; before a day up to that day, for so long it is told."""
    anchor, last = _nested(b, said), a.parts[-1].time
    if anchor is None or not isinstance(last, Again):
        return None
    start, end = anchor[1]
    found = last.last(start - HOUR, today=True) if way == "before" else last.next(end)
    if found is None:
        return None
    return (Unit.WEEK, (found[0], end)) if way == "before" and anchor[0] is Unit.DAY else (last.unit, found)


def _is_next(side: Side) -> bool:
    return any(isinstance(p.time, Again) and p.time.else_ == "next" for p in side.parts)
