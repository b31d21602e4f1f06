"""The day of a memory as it stands now: to come, today, or past; and whether it is still a plan.

A day stays the one that was said, wherever the person is now; a minute is on the clock of their
zone. Texts are never rewritten for time: what is shown is the day, and beside it one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from memory.models import Kind, Lang, Memory, State
from memory.text.dates import (
    DateMatch,
    find_next_day,
    local_time,
    write_date,
    write_length,
    write_nearness,
)
from memory.text.deaths import find_own_kin, get_relation
from memory.text.languages import either, value
from memory.text.speech import find_kin
from memory.text.words import is_unspaced

Standing: TypeAlias = Literal["coming", "now", "planned", "over"]
# A day is stored from midnight to midnight of the zone it was said in, which nobody knows any more:
# 13 hours after its first midnight it is that day in UTC, for every zone from UTC-10 to UTC+13.
_SHIFT: Final = timedelta(hours=13)
_DAY: Final = timedelta(days=1)
WIDE: Final = frozenset({"month", "year"})


@dataclass(frozen=True, slots=True)
class Occasion:
    """The day of an event or plan, or on which a todo is due, in the person's zone.

    `standing`: coming; now (today, this month); planned: past, and nobody said how it was; over:
    told when it had happened.
    """

    first: date
    last: date
    grain: str
    standing: Standing
    repeats: bool = False

    def write_day(self) -> str:
        """Write its first day as far as it was said: 2027-06-12, 2027-06, 2027."""
        return _cut(self.first, self.grain)

    def write_word(self, today: date, lang: Lang) -> str:
        """Write how near it is: today, in 3 days, past."""
        return write_nearness(self.first, self.last, today, self.grain, lang)


def _cut(day: date, grain: str) -> str:
    return f"{day}"[: {"year": 4, "month": 7}.get(grain, 10)]


def find_today(now: datetime, tz: str) -> date:
    """Return the day it is in a zone."""
    return local_time(now.isoformat(), tz).date()


def find_occasion(m: Memory, now: datetime, tz: str) -> Occasion | None:
    """Return the day of a memory, if it has one; of one that repeats, the next from today on."""
    today = find_today(now, tz)
    if m.repeats is not None and m.on is not None and (days := find_days(m, today, tz)):
        standing: Standing = "now" if days[0] <= today else "coming"
        return Occasion(*days, "day", standing, repeats=True)
    if (days := find_days(m, today, tz)) is None:
        return None
    first, last = days
    standing = "coming" if today < first else "now" if today <= last else "planned"
    within = standing == "now" and m.precision not in WIDE  # told on the day, it is of today
    became = m.on is None and m.expires_at is None and bool(m.supersedes)
    if standing != "coming" and (became or not (within or _was_told_ahead(m, first, tz))):
        standing = "over"  # what takes another's place on a day holds from then on
    return Occasion(first, last, m.precision or "day", standing)


def read_day(at: datetime, precision: str | None, tz: str, *, end: bool = False) -> date:
    """Return the day that a stored time is on, as it was said; `end`: it is the day's last second.

    Whatever zone the person is in now, unless it was said to the minute.
    """
    if precision == "minute":
        return find_today(at, tz)
    first = at + timedelta(seconds=1) - _DAY if end else at
    return (first + _SHIFT).astimezone(UTC).date()


def read_start(m: Memory, tz: str) -> str:
    """Return since when a memory holds, as far as it was said, or the day on which it was told."""
    said = m.precision if m.said_since else None
    return _cut(read_day(m.valid_from or m.created_at, said or "minute", tz), said or "day")


def find_days(m: Memory, since: date, tz: str) -> tuple[date, date] | None:
    """Return its first and last day; of what repeats, the first that is not over at `since`."""
    begins, ends = m.on, m.on_until
    due = begins is None and m.kind is Kind.TODO and m.expires_at is not None
    if due:
        begins = m.expires_at
    elif begins is None and m.valid_from is not None and m.valid_from > m.created_at + _DAY:
        begins = m.valid_from
    if begins is None:
        return None
    first = read_day(begins, m.precision, tz, end=due)
    last = first if ends is None else read_day(ends, m.precision, tz, end=True)
    if m.repeats is None:
        return first, max(first, last)
    length = max(first, last) - first
    again = find_next_day(first, m.repeats, since - length)
    return None if again is None else (again, again + length)


def happens_in(m: Memory, since: datetime, until: datetime, tz: str) -> bool:
    """Tell whether its day, the next one of what repeats, lies in since <= t < until.

    A month or a year only where the time is as wide: it is not what is on today.
    """
    first, last = find_today(since, tz), find_today(until - timedelta(seconds=1), tz)
    days = find_days(m, first, tz)
    if days is None or (m.precision in WIDE and days[1] - days[0] > last - first):
        return False
    return days[0] <= last and first <= days[1]


def _was_told_ahead(m: Memory, first: date, tz: str) -> bool:
    """Tell whether it was told before its first day or, said to the minute, before that."""
    if m.precision == "minute" and m.on is not None:
        return m.created_at < m.on
    return find_today(m.created_at, tz) < first


def write_occasion(
    m: Memory, now: datetime, lang: Lang, tz: str = "UTC", deaths: Sequence[Memory] = ()
) -> str:
    """Write a memory's day and how near it is, for people; else its end, or what it has grown to.

    Nothing of what is denied, nor of the days of the dead.
    """
    if m.negated_at is not None:
        return ""
    o = None if is_silenced(m, deaths) else find_occasion(m, now, tz)
    if o is None or o.standing == "over":
        if m.valid_until is None:
            return write_growth(m, now, lang, tz, deaths)
        last = find_today(m.valid_until - timedelta(seconds=1), tz)
        form = value(lang, "nearness", "ENDS").split("|")[m.has_ended(now)]
        return str(form.format(day=_write_date(last, None, lang)))
    coming, planned, due = value(lang, "nearness", "SHOWN").split("|")
    form = due if m.on is None and m.kind is Kind.TODO else coming
    form = planned if o.standing == "planned" and form is coming else form
    word = o.write_word(find_today(now, tz), lang)
    return str(form.format(day=_write_date(o.first, o.grain, lang), word=word))


def _write_date(day: date, grain: str | None, lang: Lang) -> str:
    at = datetime.combine(day, datetime.min.time())
    return write_date(DateMatch(at, grain if grain in {"month", "year"} else "day"), lang)  # type: ignore[arg-type]


def write_growth(
    m: Memory, now: datetime, lang: Lang, tz: str, deaths: Sequence[Memory] = ()
) -> str:
    """Write what an age or span has grown to since it was told; "" of what holds no longer."""
    over = m.state is not State.ACTIVE or m.negated_at is not None or m.has_ended(now)
    if over or find_death(m, deaths):
        return ""
    told, today = (local_time(t.isoformat(), tz) for t in (m.created_at, now))
    return write_length(m.original_content, told, today, lang)


# --- the dead ---


def find_death(m: Memory, deaths: Iterable[Memory]) -> Memory | None:
    """Return the memory that says the death of somebody whom another memory is about."""
    kin = find_own_kin(m.original_content)
    for d in deaths:
        name = d.dead or ""
        own = find_own_kin(name)
        if own and own != get_relation(name):
            own = set()  # "dad's boss" is neither
        named = not own and name and _is_named(name, m)
        theirs = find_kin_beside(name, m.original_content) if named else set()
        if theirs and (his := find_kin_beside(name, d.original_content)) and not theirs & his:
            continue  # another one of that name
        own = own or _find_kin_before(name, d.original_content)
        if d.id != m.id and (named or (len(own) == 1 and own <= kin)):
            return d
    return None


def _is_named(name: str, m: Memory) -> bool:
    """Tell whether a memory names somebody: as an entity, else where no common word can stand."""
    if any(name in e for e in m.entities):
        return name in m.entities  # and not "Rose Garden"
    if is_unspaced(name):
        return name in m.original_content
    opens = "" if " " in name else r"(?!^\w+ [a-z])"  # "Rose garden tour"
    return re.search(rf"{opens}\b{re.escape(name)}\b(?! [A-Z])", m.original_content) is not None


def find_kin_beside(name: str, text: str) -> set[frozenset[str]]:
    """Find the relation that a text names beside a name: my brother Tom; Tom, a colleague."""
    before, named, after = text.partition(name)
    if not named:
        return set()
    before = before.rstrip(" ,，")
    said = re.match(r"\W*(?:(?:is|my|a|an|the) )*[a-z]+|.{1,3}", after)
    last = before[-3:] if is_unspaced(name) else before.rpartition(" ")[2]
    return find_kin(last) or (find_kin(said[0]) if said else set())


def _find_kin_before(name: str, text: str) -> set[frozenset[str]]:
    """Find the person's own kin right before a name: my dog Rex; my dad, Tom."""
    before = text[: max(0, text.find(name))].rstrip(" ,，")
    last = before[-1:] if is_unspaced(name) else before.rpartition(" ")[2]
    return find_kin(last) & find_own_kin(before)


def is_silenced(m: Memory, deaths: Iterable[Memory]) -> bool:
    """Tell whether nothing comes of its day: who it is about has died since, or has a birthday.

    What was told after the day of the death comes, also where the death itself was told later.
    """
    d = find_death(m, deaths)
    if d is None:
        return False
    since = d.created_at
    if d.on is not None and d.precision not in WIDE:
        since = min(since, (d.on_until or d.on) + _DAY)
    return (
        m.created_at < since or either("deaths", "BIRTHDAY").search(m.original_content) is not None
    )


def write_death(d: Memory, tz: str, lang: Lang) -> str:
    """Write that somebody died, and when as far as it was said: died in March 2026, 2025年去世."""
    without, dated = value(lang, "nearness", "DIED").split("|")
    if (days := find_days(d, date.min, tz)) is None or d.on is None:
        return str(without)
    return str(dated.format(when=_write_date(days[0], d.precision, lang)))
