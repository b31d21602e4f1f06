"""Dates as models write them, read in the zone of the message they were said in. Pure.

A date keeps the precision it was said with. What cannot be read, or cannot be meant, is no date at
all.
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
from memory.text.dates import window_asked, windows_named
from memory.text.numbers import find_numbers

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
_MONTH_END: Final = re.compile(
    r"\bbefore (?:the )?end of (?:the|this) month\b|(?:这个?|本)?月底[之以]?前", re.I
)
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
_WEEK_ON: Final = re.compile(
    r"\ba week (?:today|tomorrow|from \w+)|\b(?:tomorrow|day) week\b", re.I
)
DAY, _FEW_DAYS, MONTH, YEAR = (
    timedelta(days=1),
    timedelta(days=3, hours=2),
    timedelta(days=27),
    timedelta(days=364),
)
_EARLIEST_YEAR = 1900


@dataclass(frozen=True, slots=True)
class DateSpan:
    """A span of time as it was said: [start, end], UTC, end being the last second of a day, month or year."""

    start: datetime
    end: datetime
    precision: Precision


def get_zone(name: str) -> ZoneInfo:
    """Return the IANA zone of that name, UTC if there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def format_iso(at: datetime, tz: str) -> str:
    """ISO 8601 in the zone, with its offset, to the second."""
    return at.astimezone(get_zone(tz)).isoformat(timespec="seconds")


def read(text: str, tz: str) -> DateSpan | None:
    """`YYYY`, `YYYY-MM`, `YYYY-MM-DD`, with a time, with an offset, or 年月日; None for anything else."""
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
        return DateSpan(
            start.astimezone(UTC), after.astimezone(UTC) - timedelta(seconds=1), precision
        )
    except (ValueError, OverflowError):
        return None


def is_believable(said: DateSpan, use: Use, at: datetime) -> bool:
    """Tell whether somebody who spoke at `at` can have meant it: due not before yesterday, all within fifty years."""
    if said.start.year < _EARLIEST_YEAR:
        return False
    return (use != "due" or at - timedelta(days=1) <= said.end) and said.start <= at + _LONGEST


@lru_cache(maxsize=256)
def find_spoken_times(text: str, at: datetime, tz: str) -> tuple[list[Window], list[Window]]:
    """Resolve the times that words said at `at` name, each as one to come and as one past."""
    text = _HAN_DAY.sub(
        r"\1日", _MONTH_END.sub(" by the end of the month ", _IS_DAY.sub("on ", text))
    )
    later = timedelta(days=7) if _WEEK_ON.search(text) else timedelta()
    ahead, behind = (
        [(a + later, b + later) for a, b in windows_named(text, at, tz, ahead=way)]
        for way in (True, False)
    )
    return ahead, behind


def matches_time(claim: Window, said: Window, at: datetime) -> bool:
    """Tell whether a claimed time is one that was said: within it, and no finer unless it spans a few days."""
    (start, end), (first, last) = claim, said
    if end <= first or start >= last:
        return False
    if timedelta() <= first - at <= timedelta(seconds=1):  # "by Tuesday": from now on to that day
        return end - start > _FEW_DAYS or abs(end - last) < DAY
    if abs(last - at) <= timedelta(seconds=1):  # "since 2019": from that day to now
        return abs(start - first) < DAY
    return last - first <= _FEW_DAYS or (end - start) >= (last - first) * 0.9


def is_message_date(claim: Window, at: datetime) -> bool:
    """Tell whether a claimed month or year is merely that in which somebody spoke."""
    return claim[0] <= at < claim[1] and claim[1] - claim[0] >= MONTH


# --- as of an earlier day ---

_ABOUT_ALL: Final = re.compile(
    r"^(?:me|myself|my life|everything|anything|all|我|我的(?:事|事情|一切)?|全部|所有|一切)?$",
    re.I,
)
_KNEW: Final = (
    r"^what (?:did|have) (?:you|ebb)(?: already)? (?:know|known|remember(?:ed)?)(?: (?:about|of) "
)
_FORMS: Final[tuple[tuple[re.Pattern[str], bool], ...]] = tuple(
    (re.compile(pattern, re.I), certain)
    for pattern, certain in (
        # certain: whoever writes this names a date; if it cannot be read they are told so
        (r"^(?P<topic>.*?)[,，\s]{0,9}\bas (?:of|at)\s{1,9}(?P<when>.+)$", True),
        (
            r"^(?P<topic>.*?)[,，\s]{0,9}截[至止]到?\s{0,9}(?P<when>.+?)\s{0,9}(?:为止|的?时候?)?$",
            True,
        ),
        (rf"{_KNEW}(?P<topic>.+?))? (?:on|in|at|by|until|back in) (?P<when>.+?)$", False),
        (
            rf"{_KNEW}(?P<topic>.+?))? (?P<when>(?:yesterday|last|this|a|an|one|two|three|\d{{1,9}})\b.*)$",
            False,
        ),
        (
            r"^(?:你|ebb)?\s{0,9}(?:在|到)?\s{0,9}(?P<when>.+?)(?:的?时候?|那天|那时|为止)?[，,]?\s{0,9}(?:你|ebb)?\s{0,9}都?"
            r"(?:知道|记得|了解)(?:关于)?(?P<topic>.*?)的?(?:些?什么(?:事情?)?|哪些(?:事情?)?|多少)$",
            False,
        ),
    )
)
# The question around a date that was named beside it.
_ASKS: Final = re.compile(
    rf"{_KNEW}(.+))?$|^(?:你|ebb)?\s{{0,9}}都?(?:知道|记得|了解)(?:关于)?(.*?)的?(?:些?什么(?:事情?)?|哪些(?:事情?)?|多少)$",
    re.I,
)
# How a date goes on: what follows one of these is no topic yet.
_DATED: Final = re.compile(
    r"^(?:[\d:/.-]|of\b|(?:st|nd|rd|th|ago|am|pm|a\.m|p\.m|utc|z)\b|(?:早上|上午|中午|下午|晚上|凌晨)|[年月日号天周底初末前时點点分个個星礼])",
    re.I,
)
_LONGEST_QUESTION: Final = 300  # characters
_BETWEEN: Final = " ,，、:："
_DAY_ZH: Final = re.compile(
    r"([一二三四五六七八九十]{1,3})月([一二三四五六七八九十]{1,3})(?=[日号])"
)


@dataclass(frozen=True, slots=True)
class AsOfQuery:
    """What was asked: `topic` is empty for everything, `at` None for a date that could not be read as `said`."""

    topic: str
    said: str
    at: datetime | None


def parse_as_of(text: str, now: datetime, tz: str) -> AsOfQuery | None:
    """Return the moment and the topic, or None if the text asks for no earlier moment."""
    if len(text) > _LONGEST_QUESTION:
        return None
    plain = " ".join(unicodedata.normalize("NFKC", text).split()).strip("?？。.!！ ")
    for pattern, certain in _FORMS:
        if m := pattern.match(plain):
            said, more = _dated(m["when"].strip(), now, tz) if certain else (m["when"].strip(), "")
            at = parse_moment(said, now, tz)
            if at is not None or certain:
                return AsOfQuery(_topic(m["topic"] or "") or _topic(more), said, at)
    return None


def _dated(text: str, now: datetime, tz: str) -> tuple[str, str]:
    """Part the date from what follows it: "2026-03-01, coffee", 3月1日我的工作.

    All of it where no date begins it.
    """
    if read(text, tz) is not None:
        return text, ""
    whole = parse_moment(text, now, tz)
    ends = [
        i
        for i in range(1, len(text))
        if not (text[i - 1 : i + 1].isascii() and text[i - 1 : i + 1].isalnum())
    ]
    cuts = [(text[:i].rstrip(_BETWEEN), text[i:].lstrip(_BETWEEN)) for i in ends]
    exact = [c for c in cuts if c[1] and read(c[0], tz) is not None]
    if exact and not _DATED.match(exact[-1][1]):
        return exact[-1]
    for head, rest in cuts:
        if (
            rest
            and not _DATED.match(rest)
            and (at := parse_moment(head, now, tz)) is not None
            and at == (whole or at)
        ):
            return head, rest
    return text, ""


def _topic(text: str) -> str:
    """Return what is asked about, without the words that ask; empty for everything."""
    topic = text.strip(" ,，")
    if (asked := _ASKS.match(topic)) is not None:
        topic = next(g for g in (*asked.groups(), "") if g is not None)
    topic = re.sub(r"^(?:about|on|of|for|关于|有关)\s{0,9}", "", topic, flags=re.I).strip(" ,，的")
    return "" if _ABOUT_ALL.match(topic) else topic


def parse_moment(text: str, now: datetime, tz: str) -> datetime | None:
    """Return the end of the time that the text names, at most `now`; None if it names none."""
    said = re.sub(r"\s{1,9}(?=[年月日号])|(?<=[年月])\s{1,9}", "", text.strip())
    said = _DAY_ZH.sub(lambda m: "月".join(f"{find_numbers(n)[0][0]:g}" for n in m.groups()), said)
    if re.fullmatch(r"now|现在|目前|今天|today", said, re.I):
        return now
    if (exact := read(said, tz)) is not None:
        return min(
            exact.end + timedelta(milliseconds=0 if exact.precision == "minute" else 999), now
        )
    for form in (
        said,
        f"in {said}",
        f"on {said}",
    ):  # "march", "Monday" alone name no time in a sentence
        if (span := window_asked(form, now, tz, ahead=False)) is not None:
            return min(span[1] - timedelta(milliseconds=1), now)
    return None
