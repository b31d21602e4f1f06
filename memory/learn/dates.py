"""Dates as models write them, read in the zone of the message they were said in. Pure.

A date keeps the precision it was said with. What cannot be read, or cannot be meant, is no date at all.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, Literal, TypeAlias
from zoneinfo import ZoneInfo

from memory.models import Precision
from memory.text.dates import windows_named

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
_IS_DAY: Final = re.compile(r"\b(?:is|was|are|it['’]?s) (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day)", re.I)
_MONTH_END: Final = re.compile(r"\bbefore (?:the )?end of (?:the|this) month\b|(?:这个?|本)?月底[之以]?前", re.I)
_HAN_DAY: Final = re.compile(
    r"(?<=月)((?:[二三]?十)?[一二三四五六七八九]|[二三]?十)(?![日号天个多几来分点百千万零一二三四五六七八九十])"
)
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DATED: Final = re.compile(
    rf"(?:19|20)\d\d(?:[-/年]\d{{1,2}}(?:[-/月](?:\d{{1,2}}[日号]?)?)?)?年?|\d{{1,2}}月(?:\d{{1,2}}[日号])?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})[a-z]*|\b(?:{_MONTHS})[a-z]* \d{{1,2}}(?:st|nd|rd|th)?\b",
    re.I,
)
"""A date in a memory's text."""
_LONGEST = timedelta(days=366 * 50)  # nobody plans further ahead
_WEEK_ON: Final = re.compile(r"\ba week (?:today|tomorrow|from \w+)|\b(?:tomorrow|day) week\b", re.I)
DAY, _FEW_DAYS, MONTH, YEAR = timedelta(days=1), timedelta(days=3, hours=2), timedelta(days=27), timedelta(days=364)
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


def believable(said: Said, use: Use, at: datetime) -> bool:
    """Whether somebody who spoke at `at` can have meant it: due not before yesterday, all within fifty years."""
    if said.start.year < _EARLIEST_YEAR:
        return False
    return (use != "due" or at - timedelta(days=1) <= said.end) and said.start <= at + _LONGEST


@lru_cache(maxsize=256)
def spoken_times(text: str, at: datetime, tz: str) -> tuple[list[Window], list[Window]]:
    """Resolve the times that words said at `at` name, each as one to come and as one past."""
    text = _HAN_DAY.sub(r"\1日", _MONTH_END.sub(" by the end of the month ", _IS_DAY.sub("on ", text)))
    later = timedelta(days=7) if _WEEK_ON.search(text) else timedelta()
    ahead, behind = (
        [(a + later, b + later) for a, b in windows_named(text, at, tz, ahead=way)] for way in (True, False)
    )
    return ahead, behind


def agrees(claim: Window, said: Window, at: datetime) -> bool:
    """Whether a claimed time is one that was said: within it, and no finer unless it spans a few days."""
    (start, end), (first, last) = claim, said
    if end <= first or start >= last:
        return False
    if timedelta() <= first - at <= timedelta(seconds=1):  # "by Tuesday": from now on to that day
        return end - start > _FEW_DAYS or abs(end - last) < DAY
    if abs(last - at) <= timedelta(seconds=1):  # "since 2019": from that day to now
        return abs(start - first) < DAY
    return last - first <= _FEW_DAYS or (end - start) >= (last - first) * 0.9


def dated_by(claim: Window, at: datetime) -> bool:
    """Whether a claimed month or year is merely that in which somebody spoke."""
    return claim[0] <= at < claim[1] and claim[1] - claim[0] >= MONTH
