"""Days, weeks, months and seasons as spans of local time, and the words that name them. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

Span = tuple[datetime, datetime]

DAY: Final = timedelta(days=1)
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_EN: Final = (
    r"(?P<mon>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
DAYS_EN: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SMALL_EN: Final = {
    w: i
    for i, w in enumerate(
        ["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
SMALL_EN.update({"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3})
ZH_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "几": 3, "〇": 0}
NUM_ZH: Final = r"(?P<n>\d+|[一二三四五六七八九十两几]+)"
SEASONS: Final = {
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


def midnight(t: datetime) -> datetime:
    """The beginning of its day."""
    return t.replace(hour=0, minute=0, second=0, microsecond=0)


def day_of(t: datetime, count: int = 1) -> Span:
    """Its day, and the days after it."""
    return midnight(t), midnight(t) + count * DAY


def week_of(t: datetime) -> Span:
    """Monday to Sunday."""
    monday = midnight(t) - t.weekday() * DAY
    return monday, monday + 7 * DAY


def month_of(year: int, month: int, count: int = 1) -> Span:
    """So many months; a month below 1 or above 12 is one of another year."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    end_year, end_month = year + (month - 1 + count) // 12, (month - 1 + count) % 12 + 1
    return datetime(year, month, 1), datetime(end_year, end_month, 1)  # noqa: DTZ001 - local until the end


def year_of(year: int) -> Span:
    """January to December."""
    return month_of(year, 1, 12)


def number(word: str) -> int:
    """A small number in digits, English or Chinese."""
    if word.isdigit():
        return int(word)
    if word in SMALL_EN:
        return SMALL_EN[word]
    if "十" in word:
        tens, _, ones = word.partition("十")
        return ZH_DIGITS.get(tens, 1) * 10 + ZH_DIGITS.get(ones, 0)
    return ZH_DIGITS.get(word, 3)


def latest_month(now: datetime, month: int, year: int | None) -> Span:
    """That month of `year`, else the last one that has begun."""
    return month_of(year if year is not None else now.year - (month > now.month), month)


def latest_date(now: datetime, month: int, date: int, year: int | None) -> Span:
    """That date of `year`, else the last one that has begun."""
    if year is None:
        year = now.year - (datetime(now.year, month, date) > now)  # noqa: DTZ001
    return day_of(datetime(year, month, date))  # noqa: DTZ001


def next_month(now: datetime, month: int) -> Span:
    """That month, of those not yet over the first."""
    return month_of(now.year + (month < now.month), month)


def next_date(now: datetime, month: int, date: int) -> Span:
    """That date, of those not yet over the first."""
    return day_of(datetime(now.year + (datetime(now.year, month, date) < midnight(now)), month, date))  # noqa: DTZ001


def next_season(now: datetime, name: str) -> Span:
    """That season, if it is not over; else the next year's."""
    start, end = month_of(now.year, SEASONS[name], 3)
    return (start, end) if end > now else month_of(now.year + 1, SEASONS[name], 3)


def coming(now: datetime, which: int) -> Span:
    """The next day of that name, today included."""
    return day_of(now + ((which - now.weekday()) % 7) * DAY)


def weekend(now: datetime, weeks: int = 0) -> Span:
    """Saturday and Sunday of this week, or of so many weeks later."""
    return week_of(now)[0] + (5 + 7 * weeks) * DAY, week_of(now)[1] + 7 * weeks * DAY


def of_the_month(now: datetime, date: int, *, ahead: bool) -> Span:
    """The day of that number: the next one, or the last one."""
    month = now.month + ahead * (date < now.day) - (not ahead) * (date > now.day)
    year = now.year + (month - 1) // 12
    return day_of(datetime(year, (month - 1) % 12 + 1, date))  # noqa: DTZ001


def until(unit: str, n: int, now: datetime) -> Span:
    """In N days is that day; longer units are as blurred as people mean them."""
    match unit:
        case "day":
            return day_of(now + n * DAY)
        case "week":
            return week_of(now + 7 * n * DAY)
        case "month":
            return month_of(now.year, now.month + n)
    return year_of(now.year + n)


def soon(unit: str, n: int, now: datetime) -> Span:
    """The next N units, from now."""
    return now, midnight(now) + ({"day": 1, "week": 7, "month": 30, "year": 365}[unit] * n + 1) * DAY


def ago(unit: str, n: int, now: datetime) -> Span:
    """N days ago is that day; longer units are as blurred as people mean them."""
    match unit:
        case "day":
            return day_of(now - n * DAY)
        case "week":
            return week_of(now - 7 * n * DAY)
        case "month":
            return month_of(now.year, now.month - n)
    return year_of(now.year - n)


def recent(unit: str, n: int, now: datetime) -> Span:
    """The last N units, up to now."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * n
    return midnight(now - days * DAY), now + timedelta(seconds=1)


def season(now: datetime, name: str, year: int) -> Span:
    """That of the year, or of the year before if it has not begun."""
    start, end = month_of(year, SEASONS[name], 3)
    if start > now:  # "last winter" in February 2026 began in December 2025
        start, end = month_of(year - 1, SEASONS[name], 3)
    return start, end


def weekday(now: datetime, which: int, *, last_week: bool | None) -> Span:
    """last_week None: the latest one before today."""
    if last_week is None:
        return day_of(now - ((now.weekday() - which - 1) % 7 + 1) * DAY)
    return day_of(week_of(now)[0] + (which - 7 * last_week) * DAY)


def unit_zh(word: str) -> str:
    """Its English name."""
    return {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year"}[word]


def year_zh(word: str, now: datetime) -> int | None:
    """The year that 去年 names."""
    later = {"今年": 0, "去年": -1, "前年": -2, "大前年": -3, "明年": 1, "后年": 2}.get(word)
    return None if later is None else now.year + later
