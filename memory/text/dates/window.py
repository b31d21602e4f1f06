"""Read the times that a text names, as spans in UTC: "last week", "in March", 去年夏天.

A span is what the words say in the speaker's zone, [start, end). What names no span gives none. A
day or a month by its name alone ("on Friday", 三月) is the last one or the next one, as the rest of
the sentence has it.

Words for times are found first, the longest ones, by the rules of every language. Those that stand
side by side are one time, the shorter looked for inside the longer: the 15th of last month,
去年春节, 上周三下午. Two with "to" between them are a range; and what stands around it (since,
before, the week after, 以来, 前后) moves its ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, partial
from itertools import pairwise
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.text.clean import MOST_READ, keep_ends
from memory.text.dates.readers import Sentence, list_rules, read_groups
from memory.text.dates.times import (
    DAY,
    HOUR,
    SECOND,
    UNITS,
    FixedTime,
    OrdinalTime,
    RecurringTime,
    Span,
    Time,
    TimeUnit,
    add_days,
    date,
    midnight,
    relative,
)
from memory.text.languages import LANGUAGES, Lang, either, joined, values
from memory.text.words import fold_letters

_SENTENCE: Final = re.compile(r"(?<=[。！!?？；;\n])|(?<=\.)\s")
_WORD: Final = re.compile(
    "|".join(f"[{found.letters}]+" for found in LANGUAGES.values() if found.spaced)
)
_LONGER: Final = "year month week day"
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
def _joints() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Compile what stands inside one time, between the ends of a range, between two times."""
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


Phrase: TypeAlias = list[Found]  # times that are one: last year's Christmas
Named: TypeAlias = tuple[TimeUnit, Span]


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
    """Read the span that a text asks for, seen from `now` in a zone.

    Of several that which is in a question speaks, of those the shortest, one in figures before one
    in words, the first. `ahead`: whether a bare "Friday" is still to come; by default the sentence
    says it. An unknown zone is UTC.
    """
    plain, spans, zone = _resolve(text, now, tz, ahead)
    if not (asked := _choose_asked(spans, plain)):
        return None
    return _in_utc(min(asked, key=lambda s: (s.unit, not s.dated)).span, now, zone)


def windows_named(text: str, now: datetime, tz: str, *, ahead: bool | None = None) -> list[Span]:
    """Read every time that a text names; the arguments are those of `window_asked`."""
    _, spans, zone = _resolve(text, now, tz, ahead)
    return [w for s in spans if (w := _in_utc(s.span, now, zone)) is not None]


def times_named(text: str, now: datetime, *, ahead: bool | None = None) -> list[Spoken]:
    """Read every time of a text, seen from a naive local time, unmoved."""
    said = Sentence(fold_letters(text), now, ahead)
    return list(_read_phrases(_find(said), said, moved=False))


def _resolve(
    text: str, now: datetime, tz: str, ahead: bool | None
) -> tuple[str, list[Spoken], tzinfo]:
    zone: tzinfo = UTC
    with suppress(ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo(tz)
    local = now.astimezone(zone).replace(tzinfo=None, fold=0)
    said = Sentence(fold_letters(keep_ends(text, MOST_READ)), local, ahead)
    return said.plain, list(_read_phrases(_find(said), said)), zone


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
    """Find the times of a text in order, of overlapping words the longest.

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
        (m.start() - m.end(), m.start(), i, m)
        for i in tried
        for m in list_rules()[i].regex.finditer(plain)
    ]


def _choose_asked(spans: list[Spoken], plain: str) -> list[Spoken]:
    """Choose what questions name, behind a turn to the point if there is one."""
    ends = [m.start() for m in _SENTENCE.finditer(plain)]
    bounds = list(pairwise([0, *ends, len(plain)]))
    if not spans or not ends:
        return spans
    turns, asks = either("questions", "TURN"), either("questions", "ASKS")
    turned = [i for i, (a, b) in enumerate(bounds) if b - a > 1 and turns.search(plain, a, b)]
    rest = bounds[turned[-1] if turned else 0 :]
    asking = [(a, b) for a, b in rest if "?" in plain[a:b] or asks.search(plain[a:b])]
    asked = [s for s in spans if any(a <= s.start < b for a, b in asking)]
    return asked if turned and asking else asked or spans


def _read_phrases(found: list[Found], said: Sentence, *, moved: bool = True) -> Iterator[Spoken]:
    """Work out what each phrase names; two that are a range name one span."""
    phrases, joints = _join_phrases(found, said.plain)
    skipped = False
    for i, (first, joint) in enumerate(zip(phrases, joints, strict=False)):
        if skipped:
            skipped = False
            continue
        with suppress(ValueError, OverflowError):
            second = phrases[i + 1] if joint else first
            named = _read_range(first, second, joint, said) if joint else None
            skipped = named is not None
            weak = len(first) == 1 and first[0].time.weak  # a lone "Monday", an "early" of nothing
            named = named or (None if weak else _read_phrase(first, said))
            if named is None:
                continue
            start, end = first[0].start, (second if skipped else first)[-1].end
            if moved:
                anew = (lambda _: None) if skipped else partial(_read_phrase, first, said)
                named = move_ends(Place(*named, said, anew), start, end)
            dated = any(c.isdigit() for c in said.plain[start:end])
            yield Spoken(*named, start, end, dated, _find_day(first, named[1]))


def _find_day(phrase: Phrase, span: Span) -> datetime | None:
    """Return the day or moment that a lone time names, where its span is wider."""
    time = phrase[0].time
    if len(phrase) > 1 or isinstance(time, OrdinalTime):
        return None
    if isinstance(time, FixedTime):
        return time.at
    return span[0] + time.main * DAY if time.main else None


def _join_phrases(found: list[Found], plain: str) -> tuple[list[Phrase], list[str]]:
    """Put times side by side together, and say what joins each to the next."""
    nest, to, join = _joints()
    phrases: list[Phrase] = [[f] for f in found[:1]]
    joints: list[str] = []
    for a, b in pairwise(found):
        gap = plain[a.end : b.start]
        if isinstance(a.time, RecurringTime) and (way := either("dates", "BESIDE").fullmatch(gap)):
            joints.append(str(way.lastgroup))
        elif nest.fullmatch(gap) and _goes_with(phrases[-1], b):
            phrases[-1].append(b)
            continue
        else:
            joints.append("range" if to.fullmatch(gap) else "join" if join.fullmatch(gap) else "")
        phrases.append([b])
    form = r"\s{{0,9}}(?:{})"
    before, behind = either("dates", "BETWEEN"), either("dates", "BETWEEN_BEHIND", form, form)
    for i, joint in enumerate(joints):
        start, end = phrases[i][0].start, phrases[i + 1][-1].end
        between = before.search(plain, max(0, start - 12), start) or behind.match(plain, end)
        if joint == "join" and between:
            joints[i] = "range"
    return phrases, [*joints, ""]


def _is_anchored(phrase: Phrase) -> bool:
    """Say whether it is one time, whatever the sentence says."""
    return any(isinstance(f.time, FixedTime) for f in phrase)


def _goes_with(phrase: Phrase, b: Found) -> bool:
    """Say whether a time belongs to the phrase before it."""
    t, last = b.time, phrase[-1].time
    if isinstance(t, RecurringTime) and isinstance(last, RecurringTime):
        return (t.unit, t.period) != (last.unit, last.period)
    return not isinstance(t, FixedTime) or t.weak or not _is_anchored(phrase)


def _is_third(time: Time) -> bool:
    return isinstance(time, OrdinalTime) and time.unit is TimeUnit.THIRD


def _read_phrase(phrase: Phrase, said: Sentence, ahead: bool | None = None) -> Named | None:
    """Look for the shorter inside the longer."""
    times = [f.time for f in phrase]
    if all(t.unit < TimeUnit.WEEK for t in times):  # "late on Friday night": too short for a part
        times = [t for t in times if not _is_third(t)] or times
    first, *shorter = sorted(
        times,
        key=lambda t: (
            -t.unit,
            not isinstance(t, FixedTime),
            _LONGER.find(getattr(t, "period", "day")),  # Wednesday the 25th: of the month
        ),
    )
    if isinstance(first, OrdinalTime):
        return None
    span = first.span if isinstance(first, FixedTime) else said.choose(first, ahead)
    if span is None:
        return None
    unit = first.unit
    for t in shorter:
        if t.unit == unit and not isinstance(t, OrdinalTime):
            continue  # Friday, 13 March
        inner = _find_inside(t, unit, span, said)
        if inner is not None:
            unit, span = t.unit, inner
        elif isinstance(t, FixedTime):
            return t.unit, t.span
    return unit, span


def _find_inside(t: Time, unit: TimeUnit, span: Span, said: Sentence) -> Span | None:
    """Find a shorter time in a span."""
    if isinstance(t, FixedTime):
        return t.span if span[0] <= t.span[0] < span[1] else None
    if isinstance(t, OrdinalTime):
        return t.of(span)
    if t.unit is TimeUnit.PART:
        return said.part_of(span, t) if unit in {TimeUnit.DAY, TimeUnit.PART} else span
    return t.inside(span, said.now, ahead=said.ahead)


def _read_range(a: Phrase, b: Phrase, joint: str, said: Sentence) -> Named | None:
    """Read from the one to the other, if nothing is between two merely named."""
    if joint in {"before", "after"}:
        return _read_beside(a, b, joint, said)

    def read_from(phrase: Phrase, other: Named, *, ahead: bool) -> Named | None:
        return _read_phrase(phrase, Sentence(said.plain, other[1][0], told=ahead))

    coming = any(isinstance(f.time, RecurringTime) and f.time.else_ == "next" for f in a)
    if _is_anchored(a) or said.ahead or (said.ahead is None and coming):
        first, second = _read_phrase(a, said), _read_phrase(b, said)
        if first and not _is_anchored(b):
            second = read_from(b, first, ahead=True)
        elif second and not _is_anchored(a):
            first = read_from(a, second, ahead=False)
    else:
        past = Sentence(said.plain, said.now, told=False, today=True)
        second = _read_phrase(b, said if _is_anchored(b) else past)
        first = second and read_from(a, second, ahead=False)
    if not first or not second:
        return None
    (unit, (start, middle)), (other, (between, end)) = first, second
    if start >= end or between < start or (joint == "join" and between > middle):
        return None
    return max(unit, other), (start, end)


def _read_beside(a: Phrase, b: Phrase, way: str, said: Sentence) -> Named | None:
    """Read the Sunday before Christmas; before a day all up to that day."""
    anchor, last = _read_phrase(b, said), a[-1].time
    if anchor is None or not isinstance(last, RecurringTime):
        return None
    unit, (start, end) = anchor
    found = last.last(start - HOUR, today=True) if way == "before" else last.next(end)
    if found and way == "before" and unit is TimeUnit.DAY:
        return TimeUnit.WEEK, (found[0], end)
    return (last.unit, found) if found else None


# What stands around a time and moves its ends: since, until, the week after, 以来, 前后.

_DAWN: Final = date(1900, 1, 1)
_READ_BEFORE: Final = 40  # characters


@dataclass(frozen=True, slots=True)
class Place:
    """A time where it stands; `anew` reads it again as over, or to come."""

    unit: TimeUnit
    span: Span
    said: Sentence
    anew: Callable[[bool], Named | None]

    @property
    def reach(self) -> timedelta | None:
        """Say how far "before" reaches: a month, of months a season; of years everything."""
        if self.unit >= TimeUnit.YEAR:
            return None
        return (92 if self.unit >= TimeUnit.MONTH else 30) * DAY


@cache
def _moves(side: str) -> list[tuple[re.Pattern[str], str, Lang]]:
    """Compile the words before or after a time, each with what it does."""
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


def move_ends(p: Place, start: int, end: int) -> Named:
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


def _move_otherwise(move: str, said: dict[str, str | None], p: Place) -> Named:
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


def _onwards(p: Place) -> Span:
    """Return a time to come as it is: "from Monday on" may begin, or have begun."""
    return p.span if p.said.ahead and p.span[0] >= p.said.now else _since(p)


def _until(p: Place) -> Span:
    span, now = p.span, p.said.now
    if p.said.ahead is not False and (coming := p.anew(True)) is not None:
        span = coming[1]
    return (now if span[1] > now else span[0] - p.reach if p.reach else _DAWN), span[1]


def _before(p: Place, end: datetime) -> Span:
    start, now = p.span[p.unit is TimeUnit.THIRD], p.said.now  # before the end of a month: in it
    return (now, max(start, end)) if start > now else (start - p.reach if p.reach else _DAWN, start)


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
    "onwards": _onwards,
    "until": _until,
    "before": lambda p: _before(p, p.span[0]),
    "after": _after,
    "about": _about,
}


def _offset(sign: int, unit: str, n: int, p: Place) -> Named:
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


def _week_of(start: datetime, *, weekend: bool) -> Named:
    """Return the week of 3 May, Christmas week, 中秋那周; a Monday makes a weekend longer."""
    if not weekend:
        return TimeUnit.WEEK, relative("week", 0, start)
    longer = (start - 2 * DAY, start + DAY)
    return TimeUnit.WEEKEND, longer if start.weekday() == 0 else relative("weekend", 0, start)
