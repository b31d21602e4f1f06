# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
# ruff: noqa: DTZ001 - local wall-clock times on purpose: "tomorrow" is a day of the calendar, its zone is applied on the way in
"""English dates: tomorrow, next Wednesday at 3pm, on March 3, in two weeks, three years ago, since 2019 …"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from memory.text.dates import (
    Grain,
    When,
    clock,
    day_of,
    month_of,
    months_on,
    near_date,
    tidy,
    weekday_in_week,
    weekday_near,
)

NUMBERS = {
    w: n
    for n, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
        ]
    )
} | {"a": 1, "an": 1, "twenty": 20, "thirty": 30}
_N = r"(?P<n>\d{1,3}|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + ")"
_DAY = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_WEEKDAY = r"(?P<wd>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_MONTH_LONG = "january|february|march|april|may|june|july|august|september|october|november|december"
_MONTH = rf"(?P<mo>{_MONTH_LONG}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
_MONTHS = {
    m: i
    for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_HOLIDAY = {
    "christmas eve": (12, 24),
    "christmas day": (12, 25),
    "christmas": (12, 25),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
}
_LEAD = r"(?:\b(?P<lead>on|by|until|till|since|before|after|in|around|about|from|for|as of|this coming|the coming)\s{1,9}(?:the\s{1,9})?)?"
_PATTERNS: dict[str, re.Pattern[str]] = {
    name: re.compile(_LEAD + body, re.I)
    for name, body in {
        "iso": r"\b(?P<y>(?:19|20)\d\d)[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})\b",
        "dmy": rf"(?:\b{_WEEKDAY},?\s{{1,9}})?(?:the\s{{1,9}})?\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s{{1,9}}(?:of\s{{1,9}})?{_MONTH}(?:,?\s{{1,9}}{_YEAR})?\b",
        "mdy": rf"(?:\b{_WEEKDAY},?\s{{1,9}})?\b{_MONTH}\s{{1,9}}(?:the\s{{1,9}})?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:|\s{{0,9}}[ap]m)(?:,?\s{{1,9}}{_YEAR}\b)?",
        "week_of": rf"\b(?P<what>week|weekend) of (?P<d>\d{{1,2}}) {_MONTH} {_YEAR}\b",
        "my": rf"\b{_MONTH},?\s{{1,9}}(?:of\s{{1,9}})?{_YEAR}\b",
        "slash": r"\b(?P<a>\d{1,2})/(?P<b>\d{1,2})(?:/(?P<y>(?:19|20)\d\d))?\b(?![/\d])",
        "word": r"\b(?P<w>the day after tomorrow|day after tomorrow|the day before yesterday|day before yesterday|tomorrow|tmrw|tmr|today|tonight|yesterday|last night|this (?:morning|afternoon|evening))\b",
        "weekday": rf"\b(?:(?P<rel>next|last|this|past)\s{{1,9}})?{_WEEKDAY}(?P<post>\s{{1,9}}(?:next week|last week|this week))?\b",
        "short": r"\b(?P<rel>next|last|this|on)\s{1,9}(?P<wd>mon|tues?|wed|thu|thurs?|fri|sat|sun)\b\.?",
        "span": r"\b(?P<rel>next|last|this|past)\s{1,9}(?P<what>week|weekend|month|year)\b",
        "weekend": r"\b(?:at|over)\s{1,9}the\s{1,9}(?P<what>weekend)\b",
        "ahead": rf"\b(?:in\s{{1,9}}{_N}\s{{1,9}}(?P<unit>minute|hour|day|week|fortnight|month|year)s?(?:'s?\s{{1,9}}time)?|{_N.replace('<n>', '<n2>')}\s{{1,9}}(?P<unit2>minute|hour|day|week|month|year)s?\s{{1,9}}from\s{{1,9}}(?:now|today))\b",
        "ago": rf"\b{_N}\s{{1,9}}(?P<unit>minute|hour|day|week|month|year)s?\s{{1,9}}ago\b",
        "month": rf"\b(?P<rel>in|next|last|this|since|by|until|till|before|after)\s{{1,9}}(?:early\s{{1,9}}|late\s{{1,9}}|mid[- ])?(?P<mo>{_MONTH_LONG})\b(?!\s{{1,9}}\d)",
        "year": r"\b(?P<rel>in|since|until|till|before|after|by|back in)\s{1,9}(?P<y>(?:19|20)\d\d)\b(?![-/:]|\s{0,9}(?:people|words|dollars|euros|steps|km|kg|miles|pages))",
        "holiday": "\\b(?P<h>" + "|".join(_HOLIDAY) + ")\\b",
        "nth": r"\bthe\s{1,9}(?P<d>\d{1,2})(?:st|nd|rd|th)\b(?!\s{1,9}(?:of|time|floor|birthday|anniversary|grade|year|century|[a-z]+day))",
    }.items()
}
_PART = re.compile(r"^,?\s{0,9}(?:in\s{1,9}the\s{1,9}|at\s{1,9})?(?P<p>morning|afternoon|evening|night)\b", re.I)
_TIME = re.compile(
    r"\b(?:(?:at|around|about|from|by|@)\s{1,9})?"
    r"(?:(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?\s{0,9}(?P<ap>[ap])\.?m\b\.?"
    r"|(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)\b"
    r"|(?P<ho>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s{1,9}o'?clock\b"
    r"|(?P<noon>noon|midday)\b)"
    r"|\bat\s{1,9}(?P<hb>\d{1,2})\b(?![\d:.%]|\s{0,9}(?:years?|people|places|percent|km|miles|[A-Z]))",
    re.I,
)
_GAP = re.compile(r"^[,\s]{0,9}(?:at|around|about|on|@|from)?\s{0,9}$", re.I)
_HABIT = re.compile(r"\b(?:every|each|any|most|other)\s{1,9}(?:single\s{1,9}|other\s{1,9})?$", re.I)
_LEADS = {"till": "until", "as of": "since", "from": "from"}


def _number(s: str) -> int:
    return int(s) if s.isdigit() else NUMBERS[s.lower()]


def _month(s: str) -> int:
    return _MONTHS[s[:3].lower()]


def _dated(m: re.Match[str], at: datetime, past: bool, month: int, day: int) -> datetime | None:
    if year := m["y"]:
        try:
            return datetime(int(year), month, day)
        except ValueError:
            return None
    return near_date(at, month, day, past)


def _step(at: datetime, n: int, unit: str, sign: int) -> tuple[datetime, Grain] | None:
    if unit in {"minute", "hour"}:
        moved = at + sign * timedelta(**{unit + "s": n})
        return moved.replace(second=0, microsecond=0), "minute"
    if unit in {"day", "week", "fortnight"}:
        days = n * {"day": 1, "week": 7, "fortnight": 14}[unit]
        moved = day_of(at, sign * days)
        return (weekday_in_week(moved, 0, 0), "week") if sign < 0 and unit == "week" else (moved, "day")
    if unit == "month":
        return month_of(at, sign * n), "month"
    return datetime(months_on(at, sign * 12 * n).year, 1, 1), "year"


def _word(word: str, at: datetime) -> tuple[datetime, str]:
    w = word.lower()
    days = {"yesterday": -1, "last night": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1}.get(w, 0)
    if "day after" in w:
        days = 2
    if "day before" in w:
        days = -2
    part = w.split()[-1] if w.startswith(("this ", "last ")) else "evening" if w == "tonight" else ""
    return day_of(at, days), part


def _weekday(m: re.Match[str], at: datetime, past: bool) -> datetime:
    wd, rel = _DAY[m["wd"][:3].lower()], (m["rel"] or "").lower()
    post = (m.groupdict().get("post") or "").strip().lower()
    if rel == "next" or post == "next week":
        return weekday_in_week(at, wd, 1)
    if post == "last week":
        return weekday_in_week(at, wd, -1)
    if rel in {"last", "past"}:
        return weekday_near(at, wd, past=True)
    if rel == "this" or post == "this week":
        return weekday_in_week(at, wd, 0)
    return weekday_near(at, wd, past)


def _span(rel: str, what: str, at: datetime) -> tuple[datetime, Grain]:
    step = {"next": 1, "last": -1, "past": -1}.get(rel, 0)
    if what == "week":
        return weekday_in_week(at, 0, step), "week"
    if what == "weekend":
        return weekday_in_week(at, 5, step), "weekend"
    if what == "month":
        return month_of(at, step), "month"
    return datetime(at.year + step, 1, 1), "year"


def _one(name: str, m: re.Match[str], at: datetime, past: bool) -> tuple[datetime | None, Grain, str] | None:
    """(moment, grain, part of the day) of one match."""
    match name:
        case "iso":
            return datetime(int(m["y"]), int(m["m"]), int(m["d"])), "day", ""
        case "dmy" | "mdy":
            return _dated(m, at, past, _month(m["mo"]), int(m["d"])), "day", ""
        case "week_of":
            return (
                datetime(int(m["y"]), _month(m["mo"]), int(m["d"])),
                "week" if m["what"] == "week" else "weekend",
                "",
            )
        case "my":
            return datetime(int(m["y"]), _month(m["mo"]), 1), "month", ""
        case "slash":
            a, b = int(m["a"]), int(m["b"])
            if ((a > 12) == (b > 12) and a != b) or (not m["lead"] and not m["y"]):
                return None  # 3/4 is March in one country and April in another; 9/10 may be a mark
            return _dated(m, at, past, min(a, b) if a != b else a, max(a, b)), "day", ""
        case "word":
            moment, part = _word(m["w"], at)
            return moment, "day", part
        case "weekday" | "short":
            return _weekday(m, at, past), "day", ""
        case "span":
            return *_span(m["rel"].lower(), m["what"].lower(), at), ""
        case "weekend":
            return weekday_in_week(at, 5, 0), "weekend", ""
        case "ahead":
            found = _step(at, _number(m["n"] or m["n2"]), (m["unit"] or m["unit2"]).lower(), 1)
            return (*found, "") if found else None
        case "ago":
            found = _step(at, _number(m["n"]), m["unit"].lower(), -1)
            return (*found, "") if found else None
        case "month":
            return _bare_month(m, at, past)
        case "year":
            return datetime(int(m["y"]), 1, 1), "year", ""
        case "holiday":
            return near_date(at, *_HOLIDAY[m["h"].lower()], past), "day", ""
    return _nth(int(m["d"]), at, past), "day", ""


def _bare_month(m: re.Match[str], at: datetime, past: bool) -> tuple[datetime | None, Grain, str]:
    rel, month = m["rel"].lower(), _month(m["mo"])
    past = past or rel in {"last", "since"}
    year = at.year
    if past and (month > at.month or (rel == "last" and month == at.month)):
        year -= 1
    elif not past and (month < at.month or (rel == "next" and month == at.month)):
        year += 1
    return datetime(year, month, 1), "month", ""


def _nth(day: int, at: datetime, past: bool) -> datetime | None:
    for step in range(4):
        first = month_of(at, -step if past else step)
        try:
            found = first.replace(day=day)
        except ValueError:
            continue
        if (found <= at) if past else (found.date() >= at.date()):
            return found
    return None


def _days(text: str, at: datetime, past: bool) -> Iterator[When]:
    for name, pattern in _PATTERNS.items():
        for m in pattern.finditer(text):
            if _HABIT.search(text[: m.start()]) or _HABIT.search(text[: m.start()] + m[0].split(" ")[0] + " "):
                continue
            try:
                found = _one(name, m, at, past)
            except ValueError:
                continue
            if not found or found[0] is None:
                continue
            lead = (m["lead"] or "").lower()
            if name in {"month", "year"}:
                lead = m["rel"].lower()
            lead = _LEADS.get(lead, lead if lead in {"by", "until", "since", "before", "after"} else "")
            back = name == "ago" or bool(re.search(r"\b(?:last|past|yesterday)\b", m[0], re.I))
            yield When(found[0], found[1], m.start(), m.end(), lead, found[2], back)


def _time(m: re.Match[str], part: str) -> tuple[tuple[int, int] | None, str]:
    """((hour, minute) or None, the words kept where the half of the day is unknown)."""
    if m["noon"]:
        return (12, 0), ""
    if m["h24"]:
        h, mi = int(m["h24"]), int(m["m24"])
        half = part if part and h <= 12 else "24"
        return clock(h, mi, half), ""
    if m["ap"]:
        return clock(int(m["h"]), int(m["m"] or 0), m["ap"].lower() + "m"), ""
    hour = _number(m["ho"] or m["hb"])
    return clock(hour, 0, part), f"at {hour}" if 0 < hour <= 24 else ""


def _with_time(w: When, text: str) -> When:
    """`w` with the part of the day and the clock time that stand beside it."""
    if w.grain != "day":
        return w
    if p := _PART.match(text[w.end :]):
        w = replace(w, end=w.end + p.end(), part=p["p"].lower())
    for m in _TIME.finditer(text):
        after, before = text[w.end : m.start()], text[m.end() : w.start]
        if not ((m.start() >= w.end and _GAP.match(after)) or (m.end() <= w.start and _GAP.match(before))):
            continue
        start, end = min(w.start, m.start()), max(w.end, m.end())
        if (p := _PART.match(text[end:])) and not w.part:
            w, end = replace(w, part=p["p"].lower()), end + p.end()
        time, words = _time(m, w.part)
        if time:
            return replace(
                w, at=w.at.replace(hour=time[0], minute=time[1]), grain="minute", part="", start=start, end=end
            )
        return replace(w, part=w.part or words, start=start, end=end) if words else w
    return w


def find(text: str, at: datetime, past: bool) -> list[When]:
    """English dates in `text`; see `dates.find`."""
    found = [_with_time(w, text) for w in tidy(_days(text, at, past))]
    return tidy(found)
