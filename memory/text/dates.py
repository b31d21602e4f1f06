# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
# ruff: noqa: DTZ001 - local wall-clock times on purpose: "tomorrow" is a day of the calendar, its zone is applied on the way in
"""Dates that people say: found in a text, worked out from the moment it was said, and written out again.

What cannot be worked out is left as it stands: no date is better than a guessed one.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

Lang: TypeAlias = Literal["en", "zh"]
Grain: TypeAlias = Literal["minute", "day", "week", "weekend", "month", "year"]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]  # English month names, never the locale's


@dataclass(frozen=True, slots=True)
class When:
    """A date in a text. `at` is local and naive, the first moment of its grain; (start, end) its span."""

    at: datetime
    grain: Grain
    start: int = 0
    end: int = 0
    lead: str = ""  # by | until | since | before | after, if the text said so
    part: str = ""  # morning afternoon evening night, or a clock time whose half of the day is unknown
    past: bool = False  # the words themselves point back: yesterday, ago, last

    @property
    def last_day(self) -> date:
        """The last day that it covers."""
        day = self.at.date()
        if self.grain == "week":
            return day + timedelta(days=6)
        if self.grain == "weekend":
            return day + timedelta(days=1)
        if self.grain == "month":
            return day.replace(day=monthrange(day.year, day.month)[1])
        return day.replace(month=12, day=31) if self.grain == "year" else day

    def over(self, now: datetime) -> bool:
        """Whether all of it lies before `now` (local, naive)."""
        return self.at < now if self.grain == "minute" else self.last_day < now.date()

    def covers(self, first: date, last: date) -> bool:
        """Whether it overlaps the days from `first` to `last`."""
        return self.at.date() <= last and self.last_day >= first

    @property
    def due(self) -> str:
        """As an `expires` attribute, in the precision that was said; of a week, its last day."""
        shape = {"minute": "%Y-%m-%dT%H:%M", "month": "%Y-%m", "year": "%Y"}.get(self.grain)
        return self.at.strftime(shape) if shape else f"{self.last_day:%Y-%m-%d}"

    @property
    def since(self) -> str:
        """As a `since` attribute, in the precision that was said."""
        shape = {"month": "%Y-%m", "year": "%Y"}.get(self.grain, "%Y-%m-%d")
        return self.at.strftime(shape)


def local(at: str, tz: str) -> datetime:
    """An ISO time as naive local time of the zone; an unreadable zone leaves the offset it came with."""
    moment = datetime.fromisoformat(at)
    if moment.tzinfo is not None and tz:
        try:
            moment = moment.astimezone(ZoneInfo(tz))
        except (KeyError, ValueError, OSError):
            pass
    return moment.replace(tzinfo=None)


def day_of(at: datetime, days: int = 0) -> datetime:
    """Midnight that many days from `at`."""
    return datetime(at.year, at.month, at.day) + timedelta(days=days)


def month_of(at: datetime, months: int) -> datetime:
    """The first of the month that many months from `at`."""
    index = at.year * 12 + at.month - 1 + months
    return datetime(index // 12, index % 12 + 1, 1)


def months_on(at: datetime, months: int) -> datetime:
    """The same day that many months on, or the last one the month has."""
    first = month_of(at, months)
    return first.replace(day=min(at.day, monthrange(first.year, first.month)[1]))


def weekday_in_week(at: datetime, weekday: int, weeks: int) -> datetime:
    """That weekday (Monday 0) of the week `weeks` from the one `at` lies in; weeks begin on Monday."""
    return day_of(at, weekday - at.weekday() + 7 * weeks)


def weekday_near(at: datetime, weekday: int, past: bool) -> datetime:
    """The next such weekday after `at`, or the last before it."""
    ahead = (weekday - at.weekday()) % 7 or 7
    return day_of(at, ahead - 7 if past and ahead < 7 else -7 if past else ahead)


def near_date(at: datetime, month: int, day: int, past: bool) -> datetime | None:
    """The next 3rd of March (or the last one), None if there is no such day."""
    years = range(at.year, at.year - 9, -1) if past else range(at.year, at.year + 9)
    for year in years:
        try:
            found = datetime(year, month, day)
        except ValueError:
            continue
        if (found.date() <= at.date()) if past else (found.date() >= at.date()):
            return found
    return None


def clock(hour: int, minute: int, half: str) -> tuple[int, int] | None:
    """24-hour time; None where it does not exist or the half of the day is unknown."""
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        return None
    if half in {"am", "morning"}:
        return (hour % 12, minute) if hour <= 12 else (hour, minute)
    if half in {"pm", "afternoon", "evening", "night"}:
        if half == "night" and hour in {12, 24}:
            return None
        return (hour % 12 + 12, minute) if hour <= 12 else (hour, minute)
    if half == "noon":
        return (hour if hour >= 11 else hour + 12, minute)
    return (hour % 24, minute) if half == "24" or hour > 12 or hour == 0 else None


def tidy(found: Iterable[When]) -> list[When]:
    """In order of place, the longer winning where two overlap."""
    out: list[When] = []
    for w in sorted(found, key=lambda w: (w.start - w.end, w.start)):
        if all(w.end <= o.start or w.start >= o.end for o in out):
            out.append(w)
    return sorted(out, key=lambda w: w.start)


Finder: TypeAlias = Callable[[str, datetime, bool], list[When]]


def find(text: str, at: datetime, lang: Lang, *, past: bool = False) -> list[When]:
    """Every date in `text`, said at the naive local time `at`; `past` where the sentence tells of what was."""
    from memory.text import dates_en, dates_zh

    finder: Finder = dates_zh.find if lang == "zh" else dates_en.find
    try:
        return finder(text, at, past)
    except (ValueError, OverflowError):  # a year such as 99999: no date is better than a guessed one
        return []


def written(w: When, lang: Lang) -> str:
    """The date in full, with its preposition in English; `find` reads it back."""
    return _zh(w) if lang == "zh" else _en(w)


def _en(w: When) -> str:
    a = w.at
    day = f"{WEEKDAYS[a.weekday()]}, {a.day} {MONTHS[a.month - 1]} {a.year}"
    base, lead = {
        "minute": (f"{day} at {a:%H:%M}", "on"),
        "day": (day, "on"),
        "week": (f"the week of {a.day} {MONTHS[a.month - 1]} {a.year}", "in"),
        "weekend": (f"the weekend of {a.day} {MONTHS[a.month - 1]} {a.year}", "on"),
        "month": (f"{MONTHS[a.month - 1]} {a.year}", "in"),
        "year": (f"{a.year}", "in"),
    }[w.grain]
    tail = ""
    if w.part and w.grain == "day":
        tail = {"night": " at night", "noon": " around noon"}.get(w.part, "")
        if not tail:
            tail = f" {w.part}" if w.part.startswith("at ") else f" in the {w.part}"
    return f"{w.lead or lead} {base}{tail}"


_PART_ZH = {"morning": "上午", "afternoon": "下午", "evening": "晚上", "night": "夜里", "noon": "中午"}


def _zh(w: When) -> str:
    a = w.at
    day = f"{a.year}年{a.month}月{a.day}日"
    base = {
        "minute": f"{day}（周{'一二三四五六日'[a.weekday()]}）{a:%H:%M}",
        "day": f"{day}（周{'一二三四五六日'[a.weekday()]}）",
        "week": f"{day}那一周",
        "weekend": f"{day}那个周末",
        "month": f"{a.year}年{a.month}月",
        "year": f"{a.year}年",
    }[w.grain]
    part = _PART_ZH.get(w.part, w.part) if w.grain == "day" else ""
    before, after = {
        "by": ("", "前"),
        "before": ("", "之前"),
        "after": ("", "之后"),
        "until": ("直到", ""),
        "since": ("", "以来" if w.grain != "year" else "起"),
    }.get(w.lead, ("", ""))
    return f"{before}{base}{part}{after}"


def nearby(w: When, now: datetime, lang: Lang) -> str:
    """The same as `written`, with today, tomorrow or yesterday before it where it is so near."""
    if w.grain not in {"minute", "day"} or w.lead:
        return written(w, lang)
    gap = (w.at.date() - now.date()).days
    if lang == "zh":
        near = {-1: "昨天", 0: "今天", 1: "明天", 2: "后天"}.get(gap)
        return (
            f"{near}（{_zh(replace(w, part='')).replace('（', ' ').replace('）', ' ').strip()}）{_PART_ZH.get(w.part, w.part)}"
            if near
            else _zh(w)
        )
    near = {-1: "yesterday", 0: "today", 1: "tomorrow"}.get(gap)
    return f"{near}, {_en(w).removeprefix('on ')}" if near else _en(w)
