"""Days of events: how near one is in a word, what repeats by which rule, and when it comes next."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Final

from memory.text.dates.times import DAY, find_lunar_date, get_lunar_day, midnight, on_that_day
from memory.text.dates.written import find_dates
from memory.text.languages import Lang, value, values
from memory.text.numbers import find_numbers

_NAMED: Final = {"daily": (1, "day"), "weekly": (7, "day"), "monthly": (1, "month")} | {
    "yearly": (12, "month")
}
_LENGTHS: Final = {"day": (1, "day"), "week": (7, "day"), "month": (1, "month")} | {
    "year": (12, "month")
}
_EVERY: Final = re.compile(r"every (\d{1,3}) (day|week|month|year)s?")
_IN_DAYS: Final = 60  # further ahead the word counts months
_MONTH: Final = 30.44  # days


@dataclass(frozen=True, slots=True)
class Repetition:
    """By which rule something comes again, and a day on which it does; local and naive."""

    rule: str
    day: datetime


def write_nearness(first: date, last: date, today: date, grain: str, lang: Lang) -> str:
    """Write how near a day is in a word or three: today, in 3 days, 这个月, past.

    Args:
        first: its first day.
        last: its last one.
        today: the day it is, where the person is.
        grain: the precision the day was said with: month and year have words of their own.
        lang: of the word.
    """
    months = 12 * (first.year - today.year) + first.month - today.month
    days = 0 if first <= today <= last else ((first if first > today else last) - today).days
    unit, n = "DAY", days
    if grain == "month":
        unit, n = "MONTH", months if days else 0
    elif grain != "year" and days > _IN_DAYS:
        unit, n = "MONTH", round(days / _MONTH)
    elif grain == "year":
        unit, n = "YEAR", first.year - today.year if days else 0
    words = value(lang, "nearness", unit).split("|")
    return str(words[min(max(n, -1), 2) + 1].format(n=n))


def find_next_day(first: date, rule: str, since: date) -> date | None:
    """Return the first day on or after `since` on which something comes again by a rule.

    It is never before `first`; the 31st is a short month's last day. None for a rule that cannot be
    read, and for a year that the Chinese calendar does not reach.
    """
    begins, since = datetime(first.year, first.month, first.day), max(first, since)  # noqa: DTZ001
    if rule == "lunar":
        wanted = find_lunar_date(begins)
        around = range(since.year - 1, since.year + 2) if wanted else ()
        found = (get_lunar_day(year, *wanted) for year in around if wanted)
        return next((d.date() for d in found if d and d.date() >= since), None)
    m = _EVERY.fullmatch(rule)
    length, unit = _LENGTHS[m[2]] if m else _NAMED.get(rule, (0, ""))
    step = length * (int(m[1]) if m else 1)
    if not step:
        return None
    if unit == "day":
        times = -(-(since - first).days // step)
        return (begins + times * step * DAY).date()
    times = (12 * (since.year - first.year) + since.month - first.month) // step
    days = (on_that_day("month", n * step, begins).date() for n in (times, times + 1))
    return next(day for day in days if day >= since)


@cache
def _rules() -> list[tuple[re.Pattern[str], str, str]]:
    return [
        (re.compile(words, re.IGNORECASE), rule, instead)
        for rows in values("repeats", "RULES").values()
        for words, rule, instead in rows
    ]


def read_repetition(text: str, now: datetime) -> Repetition | None:
    """Read what a text says to come again, said at the naive local time `now`.

    It needs exactly one day, but for "every 10 days", which begins today.
    """
    if (lunar := _read_lunar(text, now)) is not None:
        return lunar
    for pattern, rule, instead in _rules():
        if (m := pattern.search(text)) is None:
            continue
        if "n" in pattern.groupindex:
            said = find_numbers(m["n"])
            n = int(said[0][0]) if said else 2  # every other day
            return Repetition(rule.format(n=n), midnight(now)) if n else None
        found = find_dates(pattern.sub(instead, text), now)
        if len(days := {d.at for d in found if d.grain == "day"}) == 1:
            return Repetition(rule, days.pop())
    return None


@cache
def _lunar() -> list[tuple[re.Pattern[str], list[list[str]]]]:
    names = values("repeats", "LUNAR_NAMES")
    patterns = values("repeats", "LUNAR").items()
    return [(re.compile(words, re.IGNORECASE), names[lang]) for lang, words in patterns]


def _read_lunar(text: str, now: datetime) -> Repetition | None:
    """Read a day of the Chinese calendar: 八月初三, the 3rd of the 8th lunar month."""
    found = ((m, names) for pattern, names in _lunar() if (m := pattern.search(text)))
    for m, names in found:
        numbers = []
        for words in (m["month"], m["day"]):
            for name, plain in names:
                words = words.replace(name, plain)  # noqa: PLW2901 - word by word
            numbers += [int(n) for n, *_ in find_numbers(words)[:1]]
        if len(numbers) == 2 and 1 <= numbers[0] <= 12 and 1 <= numbers[1] <= 30:
            days = (get_lunar_day(y, *numbers) for y in (now.year - 1, now.year, now.year + 1))
            day = next((d for d in days if d is not None and d >= midnight(now)), None)
            return None if day is None else Repetition("lunar", day)
    return None
