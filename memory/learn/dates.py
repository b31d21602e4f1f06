"""Dates as models write them, read in the zone of the message they were said in. Pure.

A date keeps the precision it was said with. What cannot be read, or cannot be meant, is no date at all.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from memory.models import Precision

_DATE = re.compile(
    r"""^(?P<y>\d{4})
    (?:\s*[-/.年]\s*(?P<m>\d{1,2})
      (?:\s*[-/.月]\s*(?P<d>\d{1,2})\s*日?
        (?:\s*[T,\s]?\s*(?P<h>\d{1,2})\s*[:时點点]\s*(?P<min>\d{1,2})?\s*分?(?::\d{2}(?:\.\d+)?)?
          \s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?)?
      )?\s*月?
    )?\s*年?$""",
    re.X | re.I,
)
_LONGEST = timedelta(days=366 * 50)  # nobody plans further ahead
_EARLIEST_YEAR = 1900


@dataclass(frozen=True, slots=True)
class Said:
    """A span of time as it was said: [start, end], UTC, end being the last second of a day, month or year."""

    start: datetime
    end: datetime
    precision: Precision


def zone(name: str) -> ZoneInfo:
    """The IANA zone of that name, UTC if there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def iso(at: datetime, tz: str) -> str:
    """ISO 8601 in the zone, with its offset, to the second."""
    return at.astimezone(zone(tz)).isoformat(timespec="seconds")


def read(text: str, tz: str) -> Said | None:
    """`YYYY`, `YYYY-MM`, `YYYY-MM-DD`, with a time, with an offset, or 年月日; None for anything else."""
    plain = unicodedata.normalize("NFKC", text).strip().strip("\"'“”")
    if not (m := _DATE.match(plain)):
        return None
    part = {k: int(v) for k, v in m.groupdict().items() if v is not None and k != "zone"}
    try:
        return _span(part, m["zone"], tz)
    except (ValueError, OverflowError):
        return None


def _span(part: dict[str, int], offset: str | None, tz: str) -> Said:
    y, month, day = part["y"], part.get("m"), part.get("d")
    here = zone(tz)
    precision: Precision
    if day is not None and "h" in part:
        start = datetime(y, month or 1, day, part["h"], part.get("min", 0), tzinfo=here)
        if offset:
            start = datetime.fromisoformat(f"{start:%Y-%m-%dT%H:%M}{_offset(offset)}")
        return Said(start.astimezone(UTC), start.astimezone(UTC), "minute")
    start = datetime(y, month or 1, day or 1, tzinfo=here)
    if day is not None:
        after, precision = _day_after(start), "day"
    elif month is not None:
        after, precision = datetime(y + month // 12, month % 12 + 1, 1, tzinfo=here), "month"
    else:
        after, precision = datetime(y + 1, 1, 1, tzinfo=here), "year"
    return Said(start.astimezone(UTC), after.astimezone(UTC) - timedelta(seconds=1), precision)


def _day_after(local: datetime) -> datetime:
    return (local.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=local.tzinfo)


def _offset(text: str) -> str:
    if text.upper() in {"Z", "UTC"}:
        return "+00:00"
    return text if ":" in text else f"{text[:3]}:{text[3:]}"


def believable(said: Said, use: Literal["due", "since"], at: datetime) -> bool:
    """Whether somebody who spoke at `at` can have meant it: due not before yesterday, all within fifty years."""
    if said.start.year < _EARLIEST_YEAR:
        return False
    return (use == "since" or at - timedelta(days=1) <= said.end) and said.start <= at + _LONGEST
