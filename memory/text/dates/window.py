"""Read the times that a text names, as spans in UTC: "last week", "in March", 上个月, 去年夏天, 下周五.

A span is what the words say in the speaker's zone, [start, end). What names no span gives none. A
day or a month by its name alone ("on Friday", 三月) is the last one or the next one, as the rest of
the sentence has it.

Words for times are found first, the longest ones, by the rules of every language. Those that stand
side by side are one time, the shorter looked for inside the longer: the 15th of last month, 去年春节,
上周三下午. Two with "to" between them are a range; and what stands around it (since, before, the week
after, 以来, 前后) moves its ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, partial
from itertools import pairwise
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.text.clean import MOST_READ, keep_ends
from memory.text.dates.around import Place, move_ends
from memory.text.dates.readers import list_rules
from memory.text.dates.sentence import Sentence
from memory.text.dates.times import (
    DAY,
    HOUR,
    SECOND,
    FixedTime,
    OrdinalTime,
    RecurringTime,
    Span,
    Time,
    TimeUnit,
)
from memory.text.languages import LANGUAGES, either, joined
from memory.text.words import fold_letters

_SENTENCE: Final = re.compile(r"(?<=[。！!?？；;\n])|(?<=\.)\s")
_WORD: Final = re.compile(
    "|".join(f"[{found.letters}]+" for found in LANGUAGES.values() if found.spaced)
)
_NEVER: Final = OrdinalTime(TimeUnit.HOUR, lambda _: None)


@cache
def _hints() -> dict[str, list[int]]:
    """Map each hint to the rules that have it."""
    hints: dict[str, list[int]] = {}
    for i, rule in enumerate(list_rules()):
        for hint in rule.hints.split():
            hints.setdefault(hint, []).append(i)
    return hints


@cache
def _pattern(i: int) -> re.Pattern[str]:
    """Compile a rule when a text first has a hint: all together would slow the start."""
    return re.compile(list_rules()[i].pattern)


@cache
def _joints() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Compile what stands between the words of one time, between the ends of a range, between two times."""
    nest, to, join = (joined("dates", name) for name in ("NEST", "RANGE", "JOIN"))
    return (
        re.compile(rf"(?:\s|,|[()]|{nest})*"),
        re.compile(rf"\s{{0,9}}(?:-|~|–|—|{to})\s{{0,9}}(?:on )?(?:the )?"),
        re.compile(rf"\s{{0,9}}(?:,\s{{0,9}})?(?:{join}|,)\s{{0,9}}(?:on |in |at )?(?:the )?|"),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """A time and the words that name it."""

    start: int
    end: int
    time: Time


@dataclass(frozen=True, slots=True)
class JoinedTimes:
    """Times that are one: last year's Christmas."""

    parts: tuple[Found, ...]

    @property
    def weak(self) -> bool:
        """Whether they are too little to be a time: a lone "Monday" or "3rd", an "early" of nothing."""
        return len(self.parts) == 1 and self.parts[0].time.weak

    @property
    def anchored(self) -> bool:
        """Whether it is one time, whatever the sentence says."""
        return any(isinstance(p.time, FixedTime) for p in self.parts)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A span of local time, and where in the text it was named."""

    unit: TimeUnit
    span: Span
    start: int
    end: int
    dated: bool
    at: datetime | None = None  # the day or moment itself, where the span is wider


def window_asked(text: str, now: datetime, tz: str, *, ahead: bool | None = None) -> Span | None:
    """Read the span of time that a text asks for, seen from `now` in the zone `tz`.

    Of several that which is in a question speaks, of those the shortest, one in figures before one
    in words, the first. `ahead`: whether a bare "Friday" is still to come; by default the sentence
    says it. An unknown zone is UTC.
    """
    plain, spans, zone = _resolve(text, now, tz, ahead)
    if not (meant := _meant(spans, plain)):
        return None
    return _in_utc(min(meant, key=lambda s: (s.unit, not s.dated)).span, now, zone)


def windows_named(text: str, now: datetime, tz: str, *, ahead: bool | None = None) -> list[Span]:
    """Read every time that a text names; the arguments are those of `window_asked`."""
    _, spans, zone = _resolve(text, now, tz, ahead)
    return [w for s in spans if (w := _in_utc(s.span, now, zone)) is not None]


def times_named(text: str, now: datetime, *, ahead: bool | None = None) -> list[Spoken]:
    """Read every time that a text names as it stands, seen from a naive local time; what is around it moves none."""
    said = Sentence(fold_letters(text), now, ahead)
    return list(_spans(_find(said), said, moved=False))


def _resolve(
    text: str, now: datetime, tz: str, ahead: bool | None
) -> tuple[str, list[Spoken], tzinfo]:
    zone: tzinfo = UTC
    with suppress(ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo(tz)
    local = now.astimezone(zone).replace(tzinfo=None, fold=0)
    said = Sentence(fold_letters(keep_ends(text, MOST_READ)), local, ahead)
    return said.plain, list(_spans(_find(said), said)), zone


def _in_utc(span: Span, now: datetime, zone: tzinfo) -> Span | None:
    local = now.astimezone(zone).replace(tzinfo=None, fold=0)
    at = {later + local: later + now.astimezone(UTC) for later in (timedelta(), SECOND)}
    try:  # `now` itself is the moment it is, also in the hour that the clocks repeat
        start, end = (at.get(t) or t.replace(tzinfo=zone).astimezone(UTC) for t in span)
    except OverflowError:
        return None
    return start, end


Hit: TypeAlias = tuple[int, int, int, re.Match[str]]  # length below 0, place, rule, match


def _find(said: Sentence) -> list[Found]:
    """Find the times of a text in order of place: of words that overlap the longest.

    What only looks like a time is struck out of it.
    """
    if not (hits := _hits(said.plain)):
        return []
    struck = either("dates", "NO_TIME").sub(lambda m: "#" * len(m[0]), said.plain)
    if struck != said.plain:
        said.plain, hits = struck, _hits(struck)
    ends = {m.end() for _, _, _, m in hits}
    links = joined("dates", "LINKS", unspaced="[{}]")
    taken: list[Found] = []
    covered = bytearray(len(said.plain))
    for _, start, i, m in sorted(hits, key=lambda h: h[:3]):
        if any(covered[start : m.end()]) or (start in ends and said.plain[start] in links):
            continue
        try:
            time = list_rules()[i].read(m, said)
        except (ValueError, OverflowError):  # 31 February is no date, and no February either
            time = _NEVER
        if time is not None:
            taken.append(Found(start, m.end(), time))
            covered[start : m.end()] = b"\x01" * (m.end() - start)
    return sorted(taken, key=lambda f: f.start)


def _hits(plain: str) -> list[Hit]:
    """Try few rules: those that have a word, or a character, of the text."""
    seen = set(plain) | set(_WORD.findall(plain))
    tried = {i for h in seen & _hints().keys() for i in _hints()[h]}
    return [
        (m.start() - m.end(), m.start(), i, m) for i in tried for m in _pattern(i).finditer(plain)
    ]


def _meant(spans: list[Spoken], plain: str) -> list[Spoken]:
    """Choose of a message that comes to its point what it then asks; of another what questions say, else all."""
    ends = [m.start() for m in _SENTENCE.finditer(plain)]
    if not spans or not ends:
        return spans
    bounds, turns, asks = (
        list(pairwise([0, *ends, len(plain)])),
        either("questions", "TURN"),
        either("questions", "ASKS"),
    )
    turn = max(
        (i for i, (a, b) in enumerate(bounds) if b - a > 1 and turns.search(plain, a, b)),
        default=-1,
    )
    asking = [
        (a, b) for a, b in bounds[max(turn, 0) :] if "?" in plain[a:b] or asks.search(plain[a:b])
    ]
    asked = [s for s in spans if any(a <= s.start < b for a, b in asking)]
    return asked if turn >= 0 and asking else asked or spans


def _spans(found: list[Found], said: Sentence, *, moved: bool = True) -> Iterator[Spoken]:
    """Work out what each phrase names."""
    sides, joints = _sides(found, said.plain)
    i = 0
    while i < len(sides):
        first, j = sides[i], i + 1
        try:
            if (
                i < len(joints)
                and joints[i]
                and (both := _range(first, sides[i + 1], joints[i], said)) is not None
            ):
                j, (unit, span), last = i + 2, both, sides[i + 1]
            elif first.weak or (one := _nested(first, said)) is None:
                i = j
                continue
            else:
                (unit, span), last = one, first
            anew = partial(_nested, first, said) if last is first else lambda _: None
            start, end = first.parts[0].start, last.parts[-1].end
            if moved:
                unit, span = move_ends(Place(unit, span, said, anew), start, end)
            yield Spoken(
                unit,
                span,
                start,
                end,
                any(c.isdigit() for c in said.plain[start:end]),
                _itself(first, span),
            )
        except (ValueError, OverflowError):
            pass
        i = j


def _itself(side: JoinedTimes, span: Span) -> datetime | None:
    """Return the day or moment that a lone time names, where its span is wider."""
    time = side.parts[0].time
    if len(side.parts) > 1 or isinstance(time, OrdinalTime):
        return None
    return (
        time.at if isinstance(time, FixedTime) else span[0] + time.main * DAY if time.main else None
    )


def _sides(found: list[Found], plain: str) -> tuple[list[JoinedTimes], list[str]]:
    """Put times together that stand side by side; and say what joins each to the next."""
    nest, to, join = _joints()
    sides: list[list[Found]] = [[f] for f in found[:1]]
    joints: list[str] = []
    for a, b in pairwise(found):
        gap = plain[a.end : b.start]
        if isinstance(a.time, RecurringTime) and (way := either("dates", "BESIDE").fullmatch(gap)):
            joints.append(str(way.lastgroup))
        elif nest.fullmatch(gap) and _goes_with(sides[-1], b):
            sides[-1].append(b)
            continue
        else:
            joints.append("range" if to.fullmatch(gap) else "join" if join.fullmatch(gap) else "")
        sides.append([b])
    before, behind = (
        either("dates", "BETWEEN"),
        either("dates", "BETWEEN_BEHIND", r"\s{{0,9}}(?:{})", r"\s{{0,9}}(?:{})"),
    )
    for i, joint in enumerate(joints):
        start, end = sides[i][0].start, sides[i + 1][-1].end
        if joint == "join" and (
            before.search(plain, max(0, start - 12), start) or behind.match(plain, end)
        ):
            joints[i] = "range"
    return [JoinedTimes(tuple(s)) for s in sides], joints


def _goes_with(side: list[Found], b: Found) -> bool:
    """Whether two times side by side are one: of two that stand for themselves each is."""
    t, last = b.time, side[-1].time
    if isinstance(t, RecurringTime) and isinstance(last, RecurringTime):
        return (t.unit, t.period) != (last.unit, last.period)
    return (
        not isinstance(t, FixedTime)
        or t.weak
        or not any(isinstance(f.time, FixedTime) for f in side)
    )


def _nested(
    side: JoinedTimes, said: Sentence, ahead: bool | None = None
) -> tuple[TimeUnit, Span] | None:
    """Look for the shorter inside the longer."""
    parts = side.parts
    if not any(
        p.time.unit >= TimeUnit.WEEK for p in parts
    ):  # "late on Friday night": a day is too short for an early part
        parts = (
            tuple(
                p
                for p in parts
                if not (isinstance(p.time, OrdinalTime) and p.time.unit is TimeUnit.THIRD)
            )
            or parts
        )
    order = sorted(
        parts,
        key=lambda p: (
            -p.time.unit,
            not isinstance(p.time, FixedTime),
            getattr(p.time, "period", "") != "year",
        ),
    )
    first = order[0].time
    unit, span = first.unit, first.span if isinstance(first, FixedTime) else None
    if isinstance(first, RecurringTime):
        span = said.choose(first, ahead)
    if span is None:
        return None
    for p in order[1:]:
        t = p.time
        if t.unit == unit and not isinstance(t, OrdinalTime):
            continue  # Friday, 13 March
        if t.unit is TimeUnit.PART and isinstance(t, RecurringTime):
            inner = said.part_of(span, t) if unit in {TimeUnit.DAY, TimeUnit.PART} else span
        elif isinstance(t, FixedTime):
            inner = t.span if span[0] <= t.span[0] < span[1] else None
        else:
            inner = (
                t.inside(span, said.now, ahead=said.ahead)
                if isinstance(t, RecurringTime)
                else t.of(span)
            )
        if inner is not None:
            unit, span = t.unit, inner
        elif isinstance(t, FixedTime):
            return t.unit, t.span
    return unit, span


def _range(
    a: JoinedTimes, b: JoinedTimes, joint: str, said: Sentence
) -> tuple[TimeUnit, Span] | None:
    """From the one to the other.

    Two that are merely both named are one span if nothing is between them.
    """
    if joint in {"before", "after"}:
        return _beside(a, b, joint, said)
    if a.anchored and not b.anchored:
        first = _nested(a, said)
        second = first and _nested(b, Sentence(said.plain, first[1][0], told=True))
    elif (
        a.anchored or said.ahead or (said.ahead is None and any(_is_next(p.time) for p in a.parts))
    ):
        second = _nested(b, said)
        first = _nested(a, said)
        if first and not b.anchored:
            second = _nested(b, Sentence(said.plain, first[1][0], told=True))
        elif second and not a.anchored:
            first = _nested(a, Sentence(said.plain, second[1][0], told=False))
    else:
        second = _nested(
            b, said if b.anchored else Sentence(said.plain, said.now, told=False, today=True)
        )
        first = second and _nested(a, Sentence(said.plain, second[1][0], told=False))
    if not first or not second:
        return None
    (unit, (start, middle)), (other, (between, end)) = first, second
    if start >= end or between < start or (joint == "join" and between > middle):
        return None
    return max(unit, other), (start, end)


def _beside(
    a: JoinedTimes, b: JoinedTimes, way: str, said: Sentence
) -> tuple[TimeUnit, Span] | None:
    """The Sunday before Christmas; before a day up to that day, for so long it is told."""
    anchor, last = _nested(b, said), a.parts[-1].time
    if anchor is None or not isinstance(last, RecurringTime):
        return None
    start, end = anchor[1]
    found = last.last(start - HOUR, today=True) if way == "before" else last.next(end)
    if found is None:
        return None
    return (
        (TimeUnit.WEEK, (found[0], end))
        if way == "before" and anchor[0] is TimeUnit.DAY
        else (last.unit, found)
    )


def _is_next(time: Time) -> bool:
    return isinstance(time, RecurringTime) and time.else_ == "next"
