# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
# ruff: noqa: DTZ001 - local wall-clock times on purpose: "tomorrow" is a day of the calendar, its zone is applied on the way in
"""Chinese dates: 明天下午三点、下周三、三月三号、两周后、去年夏天不猜、2026年11月25日（周三）15:00 ……"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from memory.text.dates import (
    Grain,
    When,
    clock,
    day_of,
    month_of,
    near_date,
    tidy,
    weekday_in_week,
    weekday_near,
)
from memory.text.zh.characters import simplified

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
NUMBER = r"(?:\d{1,4}|[零〇一二两三四五六七八九十]{1,4})"
_WD = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6} | {str(i): i - 1 for i in range(1, 8)}
_PARTS = {
    "早上": "morning",
    "早晨": "morning",
    "清晨": "morning",
    "上午": "morning",
    "凌晨": "morning",
    "早": "morning",
    "晨": "morning",
    "中午": "noon",
    "下午": "afternoon",
    "傍晚": "evening",
    "晚上": "evening",
    "晚": "evening",
    "夜里": "night",
    "半夜": "night",
}
_PART = r"(?P<part>早上|早晨|清晨|上午|凌晨|中午|下午|傍晚|晚上|夜里|半夜|早|晚)"
_TIME = rf"(?:(?P<h>{NUMBER})\s{{0,9}}点(?:钟|整|(?P<half>半)|(?P<quarter>[一三])刻|(?P<mi>{NUMBER})分?)?|(?P<h24>[01]?\d|2[0-3])[:：](?P<m24>[0-5]\d))"
_MD = rf"(?P<m>{NUMBER})月(?:份)?(?:(?P<d>{NUMBER})(?:日|号))?"
_HOLIDAY = {
    "圣诞节": (12, 25),
    "平安夜": (12, 24),
    "元旦": (1, 1),
    "情人节": (2, 14),
    "国庆节": (10, 1),
    "国庆": (10, 1),
    "劳动节": (5, 1),
    "儿童节": (6, 1),
}
_DAYS = {
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "昨": -1,
    "今天": 0,
    "今日": 0,
    "今": 0,
    "明天": 1,
    "明日": 1,
    "明": 1,
    "大后天": 3,
    "后天": 2,
}
_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_BEFORE = r"(?P<pre>直到|截止到?|自从|从|在|于|到)?"
_AFTER = r"(?P<post>之前|以前|前|之后|以后|以来|起|开始)?"
_PATTERNS: dict[str, re.Pattern[str]] = {
    name: re.compile(body)
    for name, body in {
        "ymd": rf"(?P<y>(?:19|20)\d\d)年(?:{_MD})?",
        "iso": r"(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)",
        "year": rf"(?P<rel>前年|去年|今年|明年|后年)(?:{_MD}|(?P<end>年底))?",
        "month": rf"(?P<rel>上上|下下|上|下|这|本)个?月(?:(?P<d>{NUMBER})(?:日|号)|(?P<end>底))?",
        "md": rf"(?<![\d个零一二两三四五六七八九十])(?P<m>{NUMBER})月(?P<d>{NUMBER})(?:日|号)",
        "mo": rf"(?<![\d个零一二两三四五六七八九十])(?P<m>{NUMBER})月(?P<d>(?!))?(?:份|(?=$|[^\u4e00-\u9fff\d]|[去来要有的到我在前后初中底开上下回搬飞结出打想准参和与以起就会再做考]))",
        "week": r"(?P<rel>上上|下下|上|下|这|本)一?个?(?:周|星期|礼拜)(?P<wd>[一二三四五六日天末1-7])?",
        "weekday": r"(?<![每这上下个一两几\d])(?:周|星期|礼拜)(?P<wd>[一二三四五六日天末])",
        "word": r"(?P<w>大前天|大后天|前天|昨天|昨日|今天|今日|明天|明日|后天)",
        "brief": r"(?P<w>今|明|昨)(?=[早晚晨](?!餐|饭|点|就|年))",
        "ahead": rf"(?:过|再过)?(?P<n>{NUMBER}|半)(?P<unit>个?小时|分钟|天|个?星期|个?礼拜|周|个月|年)(?:之|以)?(?P<dir>后|前)(?!面|边)",
        "pass": rf"(?:再)?过(?P<n>{NUMBER})(?P<unit>天|个?星期|个?礼拜|周|个月|年)(?!的)",
        "holiday": "(?P<hol>" + "|".join(_HOLIDAY) + ")",
        "end": r"(?<![\d一二三四五六七八九十个])(?P<what>月底|年底)",
        "nth": rf"(?<![\d月零一二两三四五六七八九十第]){NUMBER.replace('(?:', '(?P<d>', 1)}号(?!线|楼|房|院|店|门|球|桌|位|选手|码)",
    }.items()
}
_TAIL = re.compile(
    rf"(?P<wdp>（周[一二三四五六日]）|\(周[一二三四五六日]\))?(?P<span>那一周|那个周末)?\s{{0,9}}(?:的|，)?\s{{0,9}}(?:{_PART})?\s{{0,9}}(?:{_TIME})?"
)


def number(s: str) -> int:
    """A number in digits or Chinese characters, up to 9999."""
    if s.isdigit():
        return int(s)
    if "十" in s:
        tens, _, ones = s.partition("十")
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return int("".join(str(_DIGITS[c]) for c in s))


def _step(at: datetime, n: str, unit: str, sign: int) -> tuple[datetime, Grain] | None:
    if n == "半":
        if unit.endswith("小时"):
            return (at + sign * timedelta(minutes=30)).replace(second=0, microsecond=0), "minute"
        return (month_of(at, sign * 6), "month") if unit == "年" else None
    count = number(n)
    if unit.endswith(("小时", "分钟")):
        gap = timedelta(hours=count) if unit.endswith("小时") else timedelta(minutes=count)
        return (at + sign * gap).replace(second=0, microsecond=0), "minute"
    if unit == "天":
        return day_of(at, sign * count), "day"
    if unit.endswith(("星期", "礼拜", "周")):
        moved = day_of(at, sign * 7 * count)
        return (weekday_in_week(moved, 0, 0), "week") if sign < 0 else (moved, "day")
    return (
        (month_of(at, sign * count), "month") if unit == "个月" else (datetime(at.year + sign * count, 1, 1), "year")
    )


def _ymd(year: int, m: re.Match[str]) -> tuple[datetime, Grain]:
    if not m["m"]:
        return datetime(year, 1, 1), "year"
    if not m["d"]:
        return datetime(year, number(m["m"]), 1), "month"
    return datetime(year, number(m["m"]), number(m["d"])), "day"


def _md(m: re.Match[str], at: datetime, past: bool) -> tuple[datetime, Grain] | None:
    month = number(m["m"])
    if m["d"]:
        found = near_date(at, month, number(m["d"]), past)
        return (found, "day") if found else None
    if not 1 <= month <= 12:
        return None
    year = at.year - (1 if past and month > at.month else 0) + (1 if not past and month < at.month else 0)
    return datetime(year, month, 1), "month"


def _week(at: datetime, wd: str | None, step: int) -> tuple[datetime, Grain]:
    if not wd:
        return weekday_in_week(at, 0, step), "week"
    if wd == "末":
        return weekday_in_week(at, 5, step), "weekend"
    return weekday_in_week(at, _WD[wd], step), "day"


def _one(name: str, m: re.Match[str], at: datetime, past: bool) -> tuple[datetime, Grain] | None:
    match name:
        case "ymd":
            return _ymd(int(m["y"]), m)
        case "iso":
            return datetime(int(m["y"]), int(m["m"]), int(m["d"])), "day"
        case "year":
            year = at.year + _YEARS[m["rel"]]
            return (datetime(year, 12, 1), "month") if m["end"] else _ymd(year, m)
        case "month":
            first = month_of(at, _STEPS[m["rel"]])
            return (first.replace(day=number(m["d"])), "day") if m["d"] else (first, "month")
        case "md" | "mo":
            return _md(m, at, past)
        case "week":
            return _week(at, m["wd"], _STEPS[m["rel"]])
        case "weekday":
            return _week(at, "末", 0) if m["wd"] == "末" else (weekday_near(at, _WD[m["wd"]], past), "day")
        case "word" | "brief":
            return day_of(at, _DAYS[m["w"]]), "day"
        case "ahead" | "pass":
            return _step(at, m["n"], m["unit"], -1 if name == "ahead" and m["dir"] == "前" else 1)
        case "holiday":
            found = near_date(at, *_HOLIDAY[m["hol"]], past)
            return (found, "day") if found else None
        case "end":
            return (month_of(at, 0), "month") if m["what"] == "月底" else (datetime(at.year, 12, 1), "month")
    return _nth(number(m["d"]), at, past)


def _nth(day: int, at: datetime, past: bool) -> tuple[datetime, Grain] | None:
    for step in range(4):
        try:
            found = month_of(at, -step if past else step).replace(day=day)
        except ValueError:
            continue
        if (found <= at) if past else (found.date() >= at.date()):
            return found, "day"
    return None


def _clock(t: re.Match[str], part: str) -> tuple[tuple[int, int] | None, str]:
    if t["h24"]:
        h = int(t["h24"])
        return clock(h, int(t["m24"]), part if part and h <= 12 else "24"), ""
    minute = 30 if t["half"] else 15 * _DIGITS[t["quarter"]] if t["quarter"] else number(t["mi"]) if t["mi"] else 0
    hour = number(t["h"])
    return clock(hour, minute, part), t[0][t[0].index(t["h"]) :].strip()


def _lead(text: str, start: int, end: int) -> tuple[str, int, int]:
    before = re.search(_BEFORE + r"$", text[:start])
    after = re.match(_AFTER, text[end:])
    pre, post = (before and before["pre"]) or "", (after and after["post"]) or ""
    if post in {"之前", "以前", "前"}:
        return "by" if post == "前" else "before", start, end + len(post)
    if post in {"之后", "以后"}:
        return "after", start, end + len(post)
    if post in {"以来", "起", "开始"} and pre in {"自从", "从", ""}:
        return "since", start - len(pre), end + len(post)
    if pre in {"直到", "截止", "截止到"}:
        return "until", start - len(pre), end
    return "", start, end


def _found(text: str, at: datetime, past: bool) -> Iterator[When]:
    for name, pattern in _PATTERNS.items():
        for m in pattern.finditer(text):
            if text[: m.start()].endswith(("每个", "每", "除了", "出生于")) and name != "ymd":
                continue
            try:
                got = _one(name, m, at, past)
            except (ValueError, KeyError):
                continue
            if not got:
                continue
            moment, grain = got
            end, part = m.end(), ""
            if grain == "day" and (t := _TAIL.match(text, end)):
                moment, grain, part = _timed(moment, t)
                end = t.end() if t[0].strip("的， ") else end
            back = (name == "ahead" and m["dir"] == "前") or m[0].startswith(("昨", "前", "上", "去", "大前"))
            lead, start, end = ("", m.start(), end) if name == "ahead" else _lead(text, m.start(), end)
            yield When(moment, grain, start, end, lead, part, back)


def _timed(moment: datetime, t: re.Match[str]) -> tuple[datetime, Grain, str]:
    if t["span"]:
        return moment, "week" if t["span"] == "那一周" else "weekend", ""
    part = _PARTS.get(t["part"] or "", "")
    if not (t["h"] or t["h24"]):
        return moment, "day", part
    time, words = _clock(t, part)
    if time:
        return moment.replace(hour=time[0], minute=time[1]), "minute", ""
    return moment, "day", part or words


_HABIT = re.compile(
    r"(?:周|星期|礼拜)[一二三四五六日天](?:[到至-]|和|、)(?:周|星期|礼拜)?[一二三四五六日天]|每个?(?:周|星期|礼拜)[一二三四五六日天末]"
)


def find(text: str, at: datetime, past: bool) -> list[When]:
    """Chinese dates in `text`; see `dates.find`."""
    return tidy(_found(_HABIT.sub(lambda m: "＿" * len(m[0]), simplified(text)), at, past))
