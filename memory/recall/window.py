"""Time expressions in a question, as a span of time: "last week", "in March", 上个月, 去年夏天. Pure.

A span is what the words say in the speaker's zone, [start, end) in UTC. What names no span gives None.
"""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

Span = tuple[datetime, datetime]

_DAY: Final = timedelta(days=1)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_EN: Final = (
    r"(?P<mon>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAYS_EN: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SMALL_EN: Final = {
    w: i
    for i, w in enumerate(
        ["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
_SMALL_EN.update({"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3})
_ZH_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "几": 3, "〇": 0}
_NUM_ZH: Final = r"(?P<n>\d+|[一二三四五六七八九十两几]+)"
_SEASONS: Final = {
    "spring": 3,
    "summer": 6,
    "autumn": 9,
    "fall": 9,
    "winter": 12,
    "春": 3,
    "夏": 6,
    "秋": 9,
    "冬": 12,
}


def window_asked(text: str, now: datetime, tz: str) -> Span | None:
    """The span of time the text names, seen from `now` in the zone `tz` (UTC if unknown); None if it names none.

    The first rule that matches speaks, the more specific ones first.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    try:
        zone: ZoneInfo | None = ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError):
        zone = None
    local = now.astimezone(zone or UTC).replace(tzinfo=None)
    for pattern, rule in _RULES:
        if (found := pattern.search(plain)) is not None:
            try:
                span = rule(found, local)
            except (ValueError, OverflowError):  # 31 February, the year 0: no date, so no span
                continue
            if span is not None:
                start, end = (t.replace(tzinfo=zone or UTC).astimezone(UTC) for t in span)
                return start, end
    return None


def _midnight(t: datetime) -> datetime:
    return t.replace(hour=0, minute=0, second=0, microsecond=0)


def _day(t: datetime, count: int = 1) -> Span:
    return _midnight(t), _midnight(t) + count * _DAY


def _week(t: datetime) -> Span:
    monday = _midnight(t) - t.weekday() * _DAY
    return monday, monday + 7 * _DAY


def _month(year: int, month: int, count: int = 1) -> Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    end_year, end_month = year + (month - 1 + count) // 12, (month - 1 + count) % 12 + 1
    return datetime(year, month, 1), datetime(end_year, end_month, 1)  # noqa: DTZ001 - local until the end


def _year(year: int) -> Span:
    return _month(year, 1, 12)


def _number(word: str) -> int:
    """A small number in digits, English or Chinese."""
    if word.isdigit():
        return int(word)
    if word in _SMALL_EN:
        return _SMALL_EN[word]
    if "十" in word:
        tens, _, ones = word.partition("十")
        return _ZH_DIGITS.get(tens, 1) * 10 + _ZH_DIGITS.get(ones, 0)
    return _ZH_DIGITS.get(word, 3)


def _latest_month(now: datetime, month: int, year: int | None) -> Span:
    """That month of `year`, else the last one that has begun."""
    return _month(year if year is not None else now.year - (month > now.month), month)


def _latest_date(now: datetime, month: int, day: int, year: int | None) -> Span:
    if year is None:
        year = now.year - (datetime(now.year, month, day) > now)  # noqa: DTZ001
    return _day(datetime(year, month, day))  # noqa: DTZ001


def _ago(unit: str, n: int, now: datetime) -> Span:
    """N days ago is that day; longer units are as blurred as people mean them."""
    match unit:
        case "day":
            return _day(now - n * _DAY)
        case "week":
            return _week(now - 7 * n * _DAY)
        case "month":
            return (
                _month(now.year, now.month - n)
                if now.month > n
                else _month(now.year - 1 - (n - now.month) // 12, (now.month - n - 1) % 12 + 1)
            )
    return _year(now.year - n)


def _recent(unit: str, n: int, now: datetime) -> Span:
    """The last N units, up to now."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * n
    return _midnight(now - days * _DAY), now + timedelta(seconds=1)


def _season(now: datetime, name: str, year: int) -> Span:
    start, end = _month(year, _SEASONS[name], 3)
    if start > now:  # "last winter" in February 2026 began in December 2025
        start, end = _month(year - 1, _SEASONS[name], 3)
    return start, end


def _weekday(now: datetime, day: int, *, last_week: bool | None) -> Span:
    """last_week None: the latest one before today."""
    if last_week is None:
        return _day(now - ((now.weekday() - day - 1) % 7 + 1) * _DAY)
    return _day(_week(now)[0] + (day - 7 * last_week) * _DAY)


def _unit_zh(word: str) -> str:
    return {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}[word]


def _year_zh(word: str, now: datetime) -> int | None:
    return {"今年": now.year, "去年": now.year - 1, "前年": now.year - 2, "大前年": now.year - 3}.get(word)


Rule = Callable[[re.Match[str], datetime], Span | None]


def _rule(pattern: str, rule: Rule) -> tuple[re.Pattern[str], Rule]:
    return re.compile(pattern), rule


def _month_no(m: re.Match[str]) -> int:
    return _MONTHS.index(m["mon"][:3]) + 1


def _opt(m: re.Match[str], name: str) -> int | None:
    return int(m[name]) if m[name] else None


_RULES: Final[list[tuple[re.Pattern[str], Rule]]] = [
    # --- dates in full
    _rule(r"\b(?P<y>20\d\d|19\d\d)-(?P<m>\d{1,2})-(?P<d>\d{1,2})\b", lambda m, _: _day(datetime(int(m["y"]), int(m["m"]), int(m["d"])))),  # noqa: DTZ001
    _rule(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH_EN}\b,?(?: (?P<y>(?:20|19)\d\d))?", lambda m, now: _latest_date(now, _month_no(m), int(m["d"]), _opt(m, "y"))),
    _rule(rf"\b{_MONTH_EN}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d),?(?: (?P<y>(?:20|19)\d\d))?", lambda m, now: _latest_date(now, _month_no(m), int(m["d"]), _opt(m, "y"))),
    _rule(r"(?:(?P<y>(?:20|19)\d\d)年|(?P<w>今年|去年|前年))?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]", lambda m, now: _latest_date(now, int(m["m"]), int(m["d"]), _opt(m, "y") or _year_zh(m["w"] or "", now))),
    # --- seasons, then months, of a year
    _rule(r"\b(?P<w>last|this|previous) (?P<s>spring|summer|autumn|fall|winter)\b", lambda m, now: _season(now, m["s"], now.year - (m["w"] != "this" and _SEASONS[m["s"]] <= now.month))),
    _rule(r"\b(?:in )?(?:the )?(?P<s>spring|summer|autumn|fall|winter) (?:of )?(?P<y>(?:20|19)\d\d)\b", lambda m, _: _month(int(m["y"]), _SEASONS[m["s"]], 3)),
    _rule(r"(?:(?P<y>(?:20|19)\d\d)年|(?P<w>今年|去年|前年))的?(?P<s>[春夏秋冬])[天季]?", lambda m, now: _month(_opt(m, "y") or _year_zh(m["w"] or "", now) or now.year, _SEASONS[m["s"]], 3)),
    _rule(r"(?:(?P<y>(?:20|19)\d\d)年|(?P<w>今年|去年|前年))的?(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])月", lambda m, now: _month(_opt(m, "y") or _year_zh(m["w"] or "", now) or now.year, _number(m["m"]))),
    _rule(rf"\b(?:in|during|of|last|since|until|by|early|late|mid|around|this)[ -]{_MONTH_EN}\b(?:,? (?:of )?(?P<y>(?:20|19)\d\d))?", lambda m, now: _latest_month(now, _month_no(m), _opt(m, "y"))),
    _rule(rf"\b{_MONTH_EN},? (?P<y>(?:20|19)\d\d)\b", lambda m, now: _latest_month(now, _month_no(m), _opt(m, "y"))),
    _rule(r"(?<![\d个上下这半])(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])月份?(?![\d饼亮])", lambda m, now: _latest_month(now, _number(m["m"]), None) if 1 <= _number(m["m"]) <= 12 else None),
    # --- some units ago, the last few units
    _rule(r"\b(?P<n>\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?few|(?:a )?couple of) (?P<u>day|week|month|year)s? ago\b", lambda m, now: _ago(m["u"], _number(m["n"]), now)),
    _rule(r"\b(?:the |these |over )?(?:last|past) (?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten|few|couple of) (?P<u>day|week|month|year)s\b", lambda m, now: _recent(m["u"], _number(m["n"]), now)),
    _rule(rf"{_NUM_ZH}(?P<u>天|日|个?(?:星期|礼拜|月)|周|年)(?:以前|之前|前)(?!台|端)", lambda m, now: _ago(_unit_zh(m["u"].removeprefix("个")), _number(m["n"]), now)),
    _rule(rf"(?:最近|过去|近|这|前)(?:的)?{_NUM_ZH}(?P<u>天|个?(?:星期|礼拜|月)|周|年)", lambda m, now: _recent(_unit_zh(m["u"].removeprefix("个")), _number(m["n"]), now)),
    # --- days
    _rule(r"\bday before yesterday\b|(?<!大)前[天晚]", lambda _, now: _day(now - 2 * _DAY)),
    _rule("大前天", lambda _, now: _day(now - 3 * _DAY)),
    _rule(r"\blast night\b|昨[晚夜]", lambda _, now: (_midnight(now) - timedelta(hours=6), _midnight(now) + timedelta(hours=5))),
    _rule(r"\byesterday\b|昨[天日]", lambda _, now: _day(now - _DAY)),
    _rule(r"\b(?:today|this (?:morning|afternoon|evening)|tonight|earlier today)\b|今[天日早晚]", lambda _, now: _day(now)),
    _rule(r"\bthe other day\b|前几天|前些天|这几天", lambda _, now: _recent("day", 7, now)),
    _rule(r"\bjust now\b|\b(?:moment|minute|few minutes) ago\b|刚才|刚刚|方才", lambda _, now: (now - timedelta(hours=6), now + timedelta(seconds=1))),
    _rule(rf"\blast (?P<d>{'|'.join(_DAYS_EN)})\b", lambda m, now: _weekday(now, _DAYS_EN.index(m["d"]), last_week=None)),
    _rule(rf"\bon (?P<d>{'|'.join(_DAYS_EN)})\b", lambda m, now: _weekday(now, _DAYS_EN.index(m["d"]), last_week=None)),
    _rule(r"(?P<w>上+)个?(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", lambda m, now: _weekday(now - 7 * (len(m["w"]) - 1) * _DAY, "一二三四五六日".index(m["d"].replace("天", "日")), last_week=True)),
    _rule(r"(?<!下)(?:这个?)?(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", lambda m, now: _weekday(now, "一二三四五六日".index(m["d"].replace("天", "日")), last_week=None)),
    # --- weeks, months, years
    _rule(r"\blast weekend\b|上个?周末", lambda _, now: (_week(now)[0] - 2 * _DAY, _week(now)[0])),
    _rule(r"\blast week\b|(?<!上)上个?(?:周|星期|礼拜)", lambda _, now: _week(now - 7 * _DAY)),
    _rule(r"\bthis week\b|这个?(?:周|星期|礼拜)|本周", lambda _, now: _week(now)),
    _rule(r"\blast month\b|(?<!上)上个?月", lambda _, now: _ago("month", 1, now)),
    _rule(r"上上个?月", lambda _, now: _ago("month", 2, now)),
    _rule(r"\bthis month\b|这个月(?!饼|亮|季)|本月", lambda _, now: _month(now.year, now.month)),
    _rule(r"\blast year\b|去年", lambda _, now: _year(now.year - 1)),
    _rule(r"(?<!大)前年", lambda _, now: _year(now.year - 2)),
    _rule(r"\bthis year\b|今年", lambda _, now: _year(now.year)),
    _rule(r"\b(?:in|during|since|of|from) (?P<y>(?:20|19)\d\d)\b|(?P<z>(?:20|19)\d\d)年", lambda m, _: _year(int(m["y"] or m["z"]))),
]  # fmt: skip
