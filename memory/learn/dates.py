"""Dates as models write them, read in the zone of the message they were said in. Pure.

A date keeps the precision it was said with. What cannot be read, or cannot be meant, is no date at
all.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from memory.models import Draft, Kind, Memory, Precision
from memory.text.dates import (
    DateMatch,
    find_clock,
    find_dates,
    find_lengths,
    local_time,
    read_repetition,
    window_asked,
    windows_named,
)
from memory.text.dates.readers import looks_ahead
from memory.text.dates.times import midnight, on_that_day
from memory.text.dates.window import move_of
from memory.text.deaths import bears_death, find_dead, is_told_dead
from memory.text.languages import either, values
from memory.text.speech import FORMS, denies_or_ends, is_denial, split_clauses
from memory.text.words import fold_letters

Window: TypeAlias = tuple[datetime, datetime]
Use: TypeAlias = Literal["due", "since", "until"]

_DATE = re.compile(
    r"""^(?P<y>\d{4})
    (?:\s{0,9}[-/.年]\s{0,9}(?P<m>\d{1,2})
      (?:\s{0,9}[-/.月]\s{0,9}(?P<d>\d{1,2})\s{0,9}日?
        (?:\s{0,9}[T,\s]?\s{0,9}(?P<h>\d{1,2})\s{0,9}[:时點点]\s{0,9}(?P<min>\d{1,2})?\s{0,9}分?(?::\d{2}(?:\.\d+)?)?
          \s{0,9}(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?)?
      )?\s{0,9}月?
    )?\s{0,9}年?$""",
    re.X | re.I,
)
_IS_DAY: Final = re.compile(
    r"\b(?:is|was|are|it['’]?s) (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day)", re.I
)
_PLAIN_FORMS: Final = (
    (re.compile(r"\bcome (?=spring|summer|autumn|fall|winter|\w+day)", re.I), "in "),
    (_IS_DAY, r"\g<0>on "),
)
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_M, _D = r"(?:1[0-2]|0?[1-9])(?!\d)", r"(?:[12]\d|3[01]|0?[1-9])(?!\d)"
DATED: Final = re.compile(
    rf"(?:19|20)\d\d(?:[-/年]{_M}(?:[-/月](?:(?:{_D}[日号]?[到至])?{_D}(?!岁)[日号]?)?)?)?年?"
    rf"|{_M}月(?:(?:{_D}[日号]?[到至])?{_D}[日号])?"
    rf"|\b(?:{_D} ?(?:to|-|–) ?)?{_D}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})[a-z]*"
    rf"|\b(?:{_MONTHS})[a-z]* {_D}(?:st|nd|rd|th)?\b",
    re.I,
)
"""A date in a memory's text."""
_LONGEST = timedelta(days=366 * 50)  # nobody plans further ahead
DAY, _FEW_DAYS, MONTH, YEAR = (
    timedelta(days=1),
    timedelta(days=3, hours=2),
    timedelta(days=27),
    timedelta(days=364),
)
_EARLIEST_YEAR = 1900
_SECOND: Final = timedelta(seconds=1)
_DUE: Final = frozenset({"", "until", "before", "before, that day too"})  # beside what is due
_WORKDAY: Final = 7  # o'clock, when it begins
_BOUNDS: Final = frozenset({"since", "onwards", "until", "before"})  # what stands around a day


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A span of time as it was said, UTC; `end` is the last second of a day, month or year."""

    start: datetime
    end: datetime
    precision: Precision


def cut_dates(text: str, dated: re.Pattern[str] = DATED) -> str:
    """Take out dates; one that digits stand beside is none: 46月1日."""

    def cut(m: re.Match[str]) -> str:
        before, after = text[max(0, m.start() - 1) : m.start()], text[m.end() - 1 : m.end() + 1]
        return m[0] if before.isdigit() or (len(after) > 1 and after.isdigit()) else " "

    return dated.sub(cut, text)


def get_zone(name: str) -> ZoneInfo:
    """Return the IANA zone of that name, UTC if there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def format_iso(at: datetime, tz: str) -> str:
    """Write ISO 8601 in the zone, with its offset, to the second."""
    return at.astimezone(get_zone(tz)).isoformat(timespec="seconds")


def list_days(m: Memory | Draft) -> list[datetime]:
    """List the days that a memory holds: when it is, is due, begins and ends."""
    return list(filter(None, (m.on, m.expires_at, m.valid_from, m.valid_until)))


def read(text: str, tz: str) -> DateSpan | None:
    """Read `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, with a time and an offset, or 年月日; else None."""
    plain = unicodedata.normalize("NFKC", text).strip().strip("\"'“”")
    if not (m := _DATE.match(plain)):
        return None
    y, month, day, hour, minute = (int(v) if v else 0 for v in m.group("y", "m", "d", "h", "min"))
    here = get_zone(tz)
    try:
        start = datetime(y, month or 1, day or 1, hour, minute, tzinfo=here)
        if m["h"]:
            offset = (m["zone"] or "").upper().replace("UTC", "Z")
            at = (
                datetime.fromisoformat(f"{start:%Y-%m-%dT%H:%M}{offset}") if offset else start
            ).astimezone(UTC)
            return DateSpan(at, at, "minute")
        precision: Precision = "day" if day else "month" if month else "year"
        after = {
            "day": (start.replace(tzinfo=None) + DAY).replace(tzinfo=here),
            "month": datetime(y + month // 12, month % 12 + 1, 1, tzinfo=here),
            "year": datetime(y + 1, 1, 1, tzinfo=here),
        }[precision]
        return DateSpan(start.astimezone(UTC), after.astimezone(UTC) - _SECOND, precision)
    except (ValueError, OverflowError):
        return None


def is_believable(said: DateSpan, use: Use, at: datetime) -> bool:
    """Tell whether somebody can have meant it at `at`: due since yesterday, all within 50 years."""
    due = use != "due" or at - DAY <= said.end
    return due and said.start.year >= _EARLIEST_YEAR and said.start <= at + _LONGEST


def _write_plainly(text: str) -> str:
    for form, plain in _PLAIN_FORMS:
        text = form.sub(plain, text)
    return text


@lru_cache(maxsize=256)
def find_spoken_times(text: str, at: datetime, tz: str) -> tuple[list[Window], list[Window]]:
    """Resolve the times that words said at `at` name, each as one to come and as one past."""
    text = _write_plainly(text)
    return windows_named(text, at, tz, ahead=True), windows_named(text, at, tz, ahead=False)


def find_said_times(text: str, at: datetime, tz: str) -> list[Window]:
    """Find all times that own words said at `at` bear out: also since when, and the day itself.

    "From 1 September" names that day, too, and "for three years now" the year.
    """
    ahead, behind = find_spoken_times(text, at, tz)
    plain, now = fold_letters(text), local_time(at.isoformat(), tz)
    days = [d for over in (False, True) for d in find_dates(text, now, over=over)]
    days = [d for d in days if move_of(plain, d.start, d.end).partition(",")[0] in _BOUNDS]
    days += [x.begin for x in find_lengths(text, now) if x.sort == "span"]
    return [*ahead, *behind, *(_in_utc(d, tz) for d in days)]


def _in_utc(day: DateMatch, tz: str) -> Window:
    """Return the first moment of a day, month or year in a zone, and the one after it."""
    zone = get_zone(tz)
    return tuple(t.replace(tzinfo=zone).astimezone(UTC) for t in (day.at, day.end_of))  # type: ignore[return-value]


def matches_time(claim: Window, said: Window, at: datetime) -> bool:
    """Tell whether a claimed time is one that was said: within it, and hardly finer."""
    (start, end), (first, last) = claim, said
    if end < first or start >= last:
        return False
    if timedelta() <= first - at <= timedelta(seconds=1):  # "by Tuesday": from now on to that day
        return end - start > _FEW_DAYS or abs(end - last) < DAY
    if abs(last - at) <= timedelta(seconds=1):  # "since 2019": from that day to now
        return abs(start - first) < DAY
    if abs(start - first) <= _SECOND or abs(end - last) <= _SECOND:  # 24 to 26: its first day
        return True
    return last - first <= _FEW_DAYS or (end - start) >= (last - first) * 0.9


def find_repetition(text: str, at: datetime, tz: str) -> list[Window]:
    """Find the next day of what words said at `at` say comes again, lunar birthdays too."""
    again = read_repetition(text, local_time(at.isoformat(), tz))
    return [_in_utc(DateMatch(again.day, "day"), tz)] if again else []


def tells_repetition(text: str) -> bool:
    """Tell whether a text has any word of what comes again: every, Mondays, 每, 生日."""
    return either("repeats", "WORDS").search(fold_letters(text)) is not None


def is_message_date(claim: Window, at: datetime, tz: str) -> bool:
    """Tell whether a claimed day, month or year is merely that in which somebody spoke."""
    days = {t.astimezone(get_zone(tz)).date() for t in (claim[0], at)}
    return len(days) == 1 or (claim[0] <= at < claim[1] and claim[1] - claim[0] >= MONTH)


# --- what a draft's own words say of its day ---

_COMES_AGAIN: Final = frozenset({Kind.FACT, Kind.CONTEXT, Kind.TODO, Kind.EVENT, Kind.IDENTITY})
_PLANNED: Final = _COMES_AGAIN - {Kind.TODO} | {Kind.GOAL, Kind.DECISION, Kind.HEALTH}
_STATES: Final = frozenset({Kind.FACT, Kind.CONTEXT})  # of which a day makes an event
_YEARLY: Final = frozenset({"yearly", "lunar"})


def complete_draft(
    draft: Draft, at: datetime, tz: str, said: str = "", *, kind_given: bool = False
) -> Draft:
    """Add to a draft, said at `at`, what its words say: who died, what repeats, which day.

    Nobody is dead by a model's word alone: `said`, the person's words, must tell the death, too.

    Args:
        draft: what was said.
        at: when.
        tz: where.
        said: the person's words.
        kind_given: its kind is known, and stays: only what comes once a year makes an event of
            a fact, and no habit does ("choir on Thursdays").
    """
    text, now = draft.content, local_time(at.isoformat(), tz)
    dead = find_dead(text, told=draft.dead is not None)
    dead = dead if is_told_dead(dead, said or text) else ""
    if not dead and draft.dead and bears_death(draft.dead, text, said):
        dead = draft.dead
    if dead and not (draft.on and draft.on > at):  # what is ahead is a funeral
        days = [d for d in find_dates(text, now, over=True) if d.at <= now]
        draft = _put_day(draft, days[0], tz) if len(days) == 1 else draft
        names = dict.fromkeys((*draft.entities, dead))
        return replace(draft, dead=dead, entities=tuple(names), expires_at=None)
    draft = replace(draft, dead=None)
    again = read_repetition(text, now) if draft.kind in _COMES_AGAIN else None
    if again and kind_given and draft.kind in _STATES and again.rule not in _YEARLY:
        return draft  # a habit
    if again is not None and (draft.repeats is None or again.rule == "lunar"):
        if not _may_come(text, again.rule):
            return draft
        kind: Kind = draft.kind if draft.kind is Kind.IDENTITY else Kind.EVENT
        draft = replace(draft, kind=kind, repeats=again.rule, expires_at=None)
        return _put_day(draft, DateMatch(again.day, "day"), tz)
    return _add_planned_day(draft, now, tz, kind_given)


def _add_planned_day(draft: Draft, now: datetime, tz: str, kind_given: bool) -> Draft:
    """Add the one day to come that a draft names; one that ends something is its end.

    A month or year that has begun is none: "five in January 2026", said in that month.
    """
    text, dated = draft.content, draft.on or draft.expires_at or draft.valid_from
    days = [] if dated or draft.kind not in _PLANNED else find_dates(text, now)
    if draft.valid_until or len(days) != 1 or days[0].since or days[0].last_day <= now.date():
        return draft
    if find_dates(text, now, over=True) != days and not looks_ahead(fold_letters(text)):
        return draft  # "in March" may be the last one
    if either("endings", "UNTIL").search(fold_letters(text)[: days[0].start]):
        ends = to_span(days[0], tz).end
        return replace(draft, valid_until=ends) if draft.kind in _COMES_AGAIN else draft
    if not _may_come(text) or days[0].at.date() <= now.date():
        return draft
    kind = draft.kind if kind_given or draft.kind not in _STATES else Kind.EVENT
    return _put_day(replace(draft, kind=kind), days[0], tz)


def is_no_move(old: Memory, draft: Draft, words: str, at: datetime) -> bool:
    """Tell whether words with another day leave what is to come: a wish, or what is over."""
    was, new = old.on or old.expires_at, draft.on or draft.expires_at
    if was is None or new in {None, was} or was <= at or old.repeats:
        return False
    wished = either("endings", "WISHED").search(words) is not None
    return wished or (new < at - DAY and not is_denial(words))


def _may_come(text: str, rule: str = "") -> bool:
    """Tell whether a text may say what is to come: it denies, ends and imagines nothing.

    rule: by which it comes again; what does every year may be told with what is past: a birth.
    """
    clauses = [text[a:b] for a, b in split_clauses(text)]
    yearly = rule in _YEARLY
    if FORMS.UNREAL.search(FORMS.PLAN.sub(" ", text)):
        return False
    if any(map(denies_or_ends, clauses[:1] if yearly else clauses)):
        return False
    past = FORMS.PAST.search(text) or looks_ahead(fold_letters(text)) is False
    return not rule or yearly or not past


def _put_day(draft: Draft, day: DateMatch, tz: str) -> Draft:
    """Give a draft its day, as far as it was said."""
    span = to_span(day, tz)
    long = None if day.grain in {"minute", "day"} else span.end
    return replace(draft, on=span.start, on_until=long, precision=span.precision)


def to_span(day: DateMatch, tz: str) -> DateSpan:
    """Return a day of somebody's words as a span of time in their zone."""
    start, end = _in_utc(day, tz)
    precision: Precision = "day" if day.grain in {"week", "weekend"} else day.grain  # type: ignore[assignment]
    return DateSpan(start, start if precision == "minute" else end - _SECOND, precision)


def find_due(
    text: str, at: datetime, tz: str, *, todo: bool = False
) -> tuple[DateSpan, bool] | None:
    """Find the time to come that a request is about, and whether a thing must be done by then.

    todo: it is known to be something to do; else its words must say so, or say the hour or "is on".
    """
    text, now = _write_plainly(text), local_time(at.isoformat(), tz)
    plain = fold_letters(text)
    read = [_read_due(day, plain, tz, todo) for day in find_dates(text, now, over=False)]
    found = [x for x in read if x and x[0].end >= at]
    obliged = either("endings", "OBLIGED").search(plain) and _may_come(plain)
    if not found and (todo or obliged):
        ends = [b for a, b in find_spoken_times(text, at, tz)[0] if a - at <= _SECOND < b - at]
        found = [(DateSpan(at, end - _SECOND, "day"), True) for end in ends]  # the end of a month
    due = [f for f in found if f[1]]
    return due[0] if due else found[0] if len(found) == 1 else None


def _read_due(day: DateMatch, plain: str, tz: str, todo: bool) -> tuple[DateSpan, bool] | None:
    """Read a day to come where it stands: the time, and whether a thing must be done by then.

    Where the half of the day is unsaid, the hour of a deadline is of the working day: "by ten".
    """
    parts = [s for s in split_clauses(plain) if s[0] < day.end and day.start < s[1]]
    clause, by = plain[parts[0][0] : parts[-1][1]], either("endings", "BY")
    obliged = either("endings", "OBLIGED").search(clause) is not None
    move, before = move_of(plain, day.start, day.end), plain[: day.start]
    ends = either("endings", "UNTIL").search(before)
    limited = bool((move and not ends) or by.search(plain[day.start : day.end]))
    clock = find_clock(clause)  # "Friday at 10" is one day, whichever half of it
    sure = day.grain == "minute" or clock or limited or either("endings", "IS_ON").search(before)
    if not (todo or obliged) and (ends or not sure or day.grain not in {"minute", "day"}):
        return None  # "closed on Monday" may be every one
    past = looks_ahead(clause) is False and not obliged
    if past or move not in _DUE or not (todo or _may_come(by.sub(" ", clause))):
        return None
    if limited and day.grain == "day" and clock:
        hour = clock[0] + 12 * (clock[0] < _WORKDAY and not clock[2])
        day = replace(day, at=day.at.replace(hour=hour, minute=clock[1]), grain="minute")
    span = to_span(day, tz)
    if move == "before" and span.precision != "minute":
        span = replace(span, end=span.start - _SECOND)
    return span, limited or obliged or todo


def find_day(text: str, at: datetime, tz: str, *, coming: bool = False) -> DateMatch | None:
    """Return the one day that words said at `at` name, or since when something has lasted.

    A bare one is read as its sentence is told, else it is to come if that is known (`coming`) or
    nearer.
    """
    now = local_time(at.isoformat(), tz)
    later, past = (find_dates(text, now, over=over) for over in (False, True))
    if not later:
        spans = [replace(x.begin, since=True) for x in find_lengths(text, now) if x.sort == "span"]
        return spans[0] if len(spans) == 1 else None
    if len(later) != 1 or len(past) != 1:
        return None
    ahead = True if coming else looks_ahead(fold_letters(text))
    if ahead is None and later != past and later[0].at - now > now - past[0].at:
        return None  # "in March" may be the last one
    return past[0] if ahead is False else later[0]


def date_by_words(
    draft: Draft,
    op: str,
    words: str,
    at: datetime,
    tz: str,
    *,
    coming: bool = False,
    old: Memory | None = None,
) -> Draft:
    """Add the day that a draft, else the words it rests on, give what an operation leaves out.

    Of a denial it is the end, of a todo when it is due, of an event when it is, of a change since
    when it holds; of anything else only since when it has been so. What the changed memory (`old`)
    says of days in its text is no day of the change, nor is an end, or a month that has begun.
    """
    denies, now = op == "negate", local_time(at.isoformat(), tz)
    if draft.on and draft.precision in {"day", "minute"}:
        on = DateMatch(local_time(draft.on.isoformat(), tz), draft.precision)
        back = _put_back(on, words, now)
        draft = draft if back == on else _put_day(draft, back, tz)
    due = draft.kind is Kind.TODO and not denies
    event = draft.kind is Kind.EVENT and not denies
    dated = draft.on or draft.expires_at or draft.repeats or (not event and draft.valid_from)
    if draft.valid_until or (dated and not denies):
        return draft
    known = {d.at for d in find_dates(old.original_content, now)} if old else set()
    changed = op == "update" and not due and not event
    own = changed and bool(find_dates(draft.content, now))  # then it says itself what its days are
    for text in (draft.content, *([] if own else [words])):
        day = find_day(text, at, tz, coming=coming or due)
        if day is None or not (denies or due or event or op == "update" or day.since):
            continue
        if changed and text is words and day.grain == "year":
            continue  # "the stove here is from 1940"
        begun = day.grain in {"month", "year"} and day.at <= now <= day.end_of
        if op == "update" and not day.since and (begun or day.at in known):
            continue  # "aged five in January 2026"
        span = to_span(day := _put_back(day, words, now), tz)
        if denies and span.start > at and not day.since and _is_off(old, words, now):
            continue  # "nobody is coming in June" ends it now
        if denies and day.grain != "week":
            return replace(draft, valid_until=span.end)
        if due and is_believable(span, "due", at):
            return replace(draft, expires_at=span.end, precision=span.precision)
        if event and (span.end <= at or _may_come(draft.content)):
            return _put_day(draft, day, tz)
        if not (denies or due or event or day.grain == "week"):
            return replace(draft, valid_from=span.start, precision=span.precision)
    return draft


def _is_off(old: Memory | None, words: str, now: datetime) -> bool:
    """Tell whether words deny what was planned, or what would be on the day that they name."""
    clauses = [words[a:b] for a, b in split_clauses(words)]
    planned = old is not None and (old.on is not None or old.expires_at is not None)
    return planned or any(is_denial(c) and find_dates(c, now, over=False) for c in clauses)


def _put_back(day: DateMatch, words: str, now: datetime) -> DateMatch:
    """Return a day in the past year that words name beside it: "last year it was on 4 March"."""
    for clause in (words[a:b] for a, b in split_clauses(words)):
        found = find_dates(clause, now, over=False)
        same = [d for d in found if (d.at.month, d.at.day) == (day.at.month, day.at.day)]
        years = {d.at.year for d in found if d.over(now) and (d.grain == "year" or d in same)}
        if same and len(years) == 1:
            then = on_that_day("year", years.pop() - day.at.year, day.at)
            return replace(day, at=then + (day.at - midnight(day.at)))
    return day


def keep_day(draft: Draft, old: Memory, words: str, tz: str) -> Draft:
    """Keep of a corrected event or todo the day, hour and repetition that nobody changed."""
    if draft.kind is not old.kind or (was := old.on or old.expires_at) is None:
        return draft
    zone, new, exact = get_zone(tz), draft.on or draft.expires_at, old.precision == "minute"
    draft = replace(draft, repeats=draft.repeats or old.repeats)
    if new and (not exact or draft.precision != "day" or draft.on_until):
        return draft
    clock = None if new else find_clock(draft.content) or find_clock(words)
    if not new and (clock is None or not (exact or clock[2])):
        kept = ("on", "on_until", "expires_at", "precision")
        return replace(draft, **{name: getattr(old, name) for name in kept})
    day, was = ((t or was).astimezone(zone) for t in (new, was))
    hour, minute, sure = clock or (was.hour, was.minute, True)
    hour += 0 if sure else 12 * (was.hour >= 12)
    at = day.replace(hour=hour, minute=minute, second=0).astimezone(UTC)
    draft = replace(draft, precision="minute")
    return replace(draft, on=at) if old.on else replace(draft, expires_at=at)


# --- as of an earlier day ---

_CERTAIN, _ASKED = (
    [re.compile(p, re.I) for name in names.split() for p in values("as_of", name).values()]
    for names in ("CERTAIN", "ASKED ASKED_AGO")
)
_LONGEST_QUESTION: Final = 300  # characters
_BETWEEN: Final = " ,，、:："


@dataclass(frozen=True, slots=True)
class AsOfQuery:
    """What was asked: `topic` is empty for everything, `at` None for a date not read as `said`."""

    topic: str
    said: str
    at: datetime | None


def parse_as_of(text: str, now: datetime, tz: str) -> AsOfQuery | None:
    """Return the moment and the topic, or None if the text asks for no earlier moment."""
    if len(text) > _LONGEST_QUESTION:
        return None
    plain = " ".join(unicodedata.normalize("NFKC", text).split()).strip("?？。.!！ ")
    for pattern in _CERTAIN:  # names a date: if it cannot be read they are told so
        if m := pattern.match(plain):
            said, more = _split_date(m["when"].strip(), now, tz)
            topic = _clean_topic(m["topic"]) or _clean_topic(more)
            return AsOfQuery(topic, said, parse_moment(said, now, tz))
    for pattern in _ASKED:
        if (m := pattern.match(plain)) and (at := parse_moment(m["when"].strip(), now, tz)):
            return AsOfQuery(_clean_topic(m["topic"] or ""), m["when"].strip(), at)
    return None


def _split_date(text: str, now: datetime, tz: str) -> tuple[str, str]:
    """Part the date from what follows it: "2026-03-01, coffee"; all of it where none begins it."""
    if read(text, tz) is not None:
        return text, ""
    whole, goes_on = parse_moment(text, now, tz), either("as_of", "GOES_ON")
    cuts = [
        (text[:i].rstrip(_BETWEEN), rest)
        for i in range(1, len(text))
        if (rest := text[i:].lstrip(_BETWEEN))
        and not goes_on.match(rest)
        and not (text[i - 1 : i + 1].isascii() and text[i - 1 : i + 1].isalnum())
    ]
    exact = [c for c in cuts if read(c[0], tz) is not None]
    named = (c for c in cuts if (at := parse_moment(c[0], now, tz)) and at == (whole or at))
    return exact[-1] if exact else next(named, (text, ""))


def _clean_topic(text: str) -> str:
    """Return what is asked about, without the words that ask; empty for everything."""
    topic = text.strip(" ,，")
    for pattern in values("as_of", "ASKS").values():
        if asked := re.match(pattern, topic, re.I):
            topic = asked[1] or ""
    topic = either("as_of", "ABOUT").sub("", topic).strip(" ,，的")
    return "" if either("as_of", "EVERYTHING").fullmatch(topic) else topic


def parse_moment(text: str, now: datetime, tz: str) -> datetime | None:
    """Return the end of the time that the text names, at most `now`; None if it names none."""
    said = re.sub(r"\s{1,9}(?=[年月日号])|(?<=[年月])\s{1,9}", "", text.strip())
    if either("as_of", "NOW").fullmatch(said):
        return now
    if (exact := read(said, tz)) is not None:
        more = timedelta(milliseconds=0 if exact.precision == "minute" else 999)
        return min(exact.end + more, now)
    for form in (said, f"in {said}", f"on {said}"):  # "Monday" alone names no time in a sentence
        if (span := window_asked(form, now, tz, ahead=False)) is not None:
            return min(span[1] - timedelta(milliseconds=1), now)
    return None
