"""How old somebody is and how long something has lasted: as it was said, and as it is now.

A text is kept as it was said; what has grown since is worked out from the time that it was told,
or from the date beside it ("34 in May 2026").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final, Literal

from memory.text.dates.times import relative
from memory.text.dates.written import DateMatch, find_dates
from memory.text.languages import Lang, value, values
from memory.text.numbers import find_numbers

_BESIDE: Final = 12  # characters between a length and its date
_YEAR: Final = timedelta(days=365.25)
_OLDEST: Final = 120
_MONTHS: Final = {"year": 1, "month": 12}  # of each a year has
_MANY: Final = 24  # months, from which on one counts years


@dataclass(frozen=True, slots=True)
class Length:
    """An age, or how long something has lasted until `at`, local and naive.

    `anchor`: the date beside it, where the text names one.
    """

    sort: Literal["age", "span"]
    n: int
    unit: Literal["year", "month"]
    at: datetime
    anchor: DateMatch | None = None

    @property
    def begin(self) -> DateMatch:
        """Return since when it has been so, as exactly as it was said."""
        exact = self.anchor is not None and self.anchor.grain != "year"
        grain: Literal["year", "month"] = "month" if exact else self.unit
        back = self.n * 12 // _MONTHS[self.unit]
        return DateMatch(relative(grain, 0, relative("month", -back, self.at)[0])[0], grain)


@cache
def _rules() -> list[tuple[re.Pattern[str], Literal["age", "span"], Lang]]:
    return [
        (re.compile(words, re.IGNORECASE), sort, lang)
        for lang, rows in values("lengths", "RULES").items()
        for words, sort in rows
    ]


def find_lengths(text: str, now: datetime) -> list[Length]:
    """Find the ages and spans of a text told at the naive local time `now`."""
    found: dict[int, Length] = {}
    for pattern, sort, lang in _rules():
        for m in pattern.finditer(text):
            numbers = find_numbers(m["n"])
            n = int(numbers[0][0]) if numbers else 0
            if 0 < n <= _OLDEST and m.end("n") not in found:
                months = m.groupdict().get("unit", "") == value(lang, "lengths", "MONTH")
                near = (d for d in find_dates(text, now, over=True) if d.at <= now)
                beside = [d for d in near if _is_beside(m, d)]
                anchor = beside[0] if len(beside) == 1 else None
                at = now if anchor is None or anchor.end_of > now else anchor.at
                found[m.end("n")] = Length(sort, n, "month" if months else "year", at, anchor)
    return list(found.values())


def _is_beside(m: re.Match[str], d: DateMatch) -> bool:
    """Tell whether a date stands beside a length: 34 in May 2026."""
    return max(d.start - m.end(), m.start() - d.end) <= _BESIDE


def write_length(text: str, told: datetime, now: datetime, lang: Lang) -> str:
    """Write what an age or span has grown to since it was told; "" while it is as it was.

    Half a year, or half a month, is what the words leave open. Of several, the first has changed.
    """
    for x in find_lengths(text, told):
        years = (now - x.at) / _YEAR
        n, unit = int(x.n + 0.5 + years * _MONTHS[x.unit]), x.unit
        if n > x.n and (x.sort == "span" or n <= _OLDEST):
            if unit == "month" and n >= _MANY:
                n, unit = n // 12, "year"
            return str(value(lang, "lengths", "NOW")[f"{x.sort}_{unit}"].format(n=n))
    return ""
