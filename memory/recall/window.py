"""Time expressions in a question, as a span of time: "last week", "in March", 上个月, 去年夏天, 下周五. Pure.

A span is what the words say in the speaker's zone, [start, end) in UTC. What names no span gives None. A day or a
month by its name alone ("on Friday", 三月) is the last one or the next one, as the rest of the sentence has it.
"""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.recall.spans import (
    DAY,
    DAYS_EN,
    MONTH_EN,
    MONTHS,
    NUM_ZH,
    SEASONS,
    Span,
    ago,
    coming,
    day_of,
    latest_date,
    latest_month,
    midnight,
    month_of,
    next_date,
    next_month,
    next_season,
    number,
    of_the_month,
    recent,
    season,
    soon,
    unit_zh,
    until,
    week_of,
    weekday,
    weekend,
    year_of,
    year_zh,
)


def window_asked(text: str, now: datetime, tz: str, *, ahead: bool | None = None) -> Span | None:
    """The span of time the text names, seen from `now` in the zone `tz` (UTC if unknown); None if it names none.

    The first rule that matches speaks, the more specific ones first. `ahead`: whether a bare "Friday" is still to
    come; by default the sentence says it.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    ahead = looks_ahead(plain) if ahead is None else ahead
    try:
        zone: ZoneInfo | None = ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError):
        zone = None
    local = now.astimezone(zone or UTC).replace(tzinfo=None)
    for pattern, rule, directions in _RULES:
        if ahead in directions and (found := pattern.search(plain)) is not None:
            try:
                span = rule(found, local)
            except (ValueError, OverflowError):  # 31 February, the year 0: no date, so no span
                continue
            if span is not None:
                start, end = (t.replace(tzinfo=zone or UTC).astimezone(UTC) for t in span)
                return start, end
    return None


# What a sentence is about that names a day but no year. What is planned may have been planned: the future is heard first.
_TO_COME: Final = re.compile(
    r"\b(?:will|shall|going to|gonna|plan\w*|scheduled|booked|upcoming|coming|due|deadline|appointments?|agenda|free|busy|must"
    r"|should|supposed|until|need to|have to|(?:do|does) (?:i|we|\w+) have|have (?:i|we) got|am i|are we)\b|'ll\b"
    r"|明[天年早晚日]|后[天年]|下个?[周月星礼]|[要将](?!求|是)|会(?![议儿])|打算|计划|安排|准备|日程|待办|有[什啥哪].{0,2}事|有[事约空]|预约|到期|截止"
)
_OVER: Final = re.compile(
    r"\b(?:did|was|were|had|has been|have been|went|happened|told|said|met|saw|ate|bought|came|got|made|took|gave|found|left"
    r"|ago|last|(?!need|indeed|speed|breed|exceed|succeed)\w{3,}ed)\b"
    r"|了|过(?![敏期年节])|昨|上个?[周月星礼]|来着|[去前]年|刚|曾|那[天时]"
)


def looks_ahead(plain: str) -> bool | None:
    """Whether a sentence (NFKC, case folded) is about what is to come; None if it does not say."""
    return True if _TO_COME.search(plain) else False if _OVER.search(plain) else None


Rule = Callable[[re.Match[str], datetime], Span | None]
_ANY: Final = frozenset({True, False, None})
_COMING: Final = frozenset({True})
_UNLESS_OVER: Final = frozenset({True, None})


def _rule(
    pattern: str, rule: Rule, directions: frozenset[bool | None] = _ANY
) -> tuple[re.Pattern[str], Rule, frozenset[bool | None]]:
    return re.compile(pattern), rule, directions


def _month_no(m: re.Match[str]) -> int:
    return MONTHS.index(m["mon"][:3]) + 1


def _opt(m: re.Match[str], name: str) -> int | None:
    return int(m[name]) if m[name] else None


_WEEKDAYS: Final = "|".join(DAYS_EN)
_ZH_WEEKDAYS: Final = "一二三四五六日"
_N_EN: Final = (
    r"(?P<n>\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?few|(?:a )?couple of)"
)


def _of_week(m: re.Match[str]) -> int:
    return _ZH_WEEKDAYS.index(m["d"].replace("天", "日")) if m["d"] not in DAYS_EN else DAYS_EN.index(m["d"])


_RULES: Final[list[tuple[re.Pattern[str], Rule, frozenset[bool | None]]]] = [
    # --- dates in full
    _rule(r"\b(?P<y>20\d\d|19\d\d)-(?P<m>\d{1,2})-(?P<d>\d{1,2})\b", lambda m, _: day_of(datetime(int(m["y"]), int(m["m"]), int(m["d"])))),  # noqa: DTZ001
    _rule(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTH_EN}\b(?!,? (?:20|19)\d\d)", lambda m, now: next_date(now, _month_no(m), int(m["d"])), _COMING),
    _rule(rf"\b{MONTH_EN}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?!,? (?:20|19)\d\d)", lambda m, now: next_date(now, _month_no(m), int(m["d"])), _COMING),
    _rule(r"(?<![年\d])(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]", lambda m, now: next_date(now, int(m["m"]), int(m["d"])), _COMING),
    _rule(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTH_EN}\b,?(?: (?P<y>(?:20|19)\d\d))?", lambda m, now: latest_date(now, _month_no(m), int(m["d"]), _opt(m, "y"))),
    _rule(rf"\b{MONTH_EN}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d),?(?: (?P<y>(?:20|19)\d\d))?", lambda m, now: latest_date(now, _month_no(m), int(m["d"]), _opt(m, "y"))),
    _rule(r"(?:(?P<y>(?:20|19)\d\d)年|(?P<w>今年|去年|前年|明年|后年))?(?P<m>\d{1,2})月(?P<d>\d{1,2})[日号]", lambda m, now: latest_date(now, int(m["m"]), int(m["d"]), _opt(m, "y") or year_zh(m["w"] or "", now))),
    _rule(r"\bon the (?P<d>\d{1,2})(?:st|nd|rd|th)\b|(?<![月\d])(?P<z>\d{1,2})号(?![线楼院店馆门桌车机房厅])", lambda m, now: of_the_month(now, int(m["d"] or m["z"]), ahead=True), _UNLESS_OVER),
    _rule(r"\bon the (?P<d>\d{1,2})(?:st|nd|rd|th)\b|(?<![月\d])(?P<z>\d{1,2})号(?![线楼院店馆门桌车机房厅])", lambda m, now: of_the_month(now, int(m["d"] or m["z"]), ahead=False)),
    # --- seasons, then months, of a year
    _rule(r"\bnext (?P<s>spring|summer|autumn|fall|winter)\b", lambda m, now: next_season(now, m["s"])),
    _rule(r"\b(?:this|in|in the|by) (?P<s>spring|summer|autumn|fall|winter)\b", lambda m, now: next_season(now, m["s"]), _COMING),
    _rule(r"\b(?P<w>last|this|previous) (?P<s>spring|summer|autumn|fall|winter)\b", lambda m, now: season(now, m["s"], now.year - (m["w"] != "this" and SEASONS[m["s"]] <= now.month))),
    _rule(r"\b(?:in )?(?:the )?(?P<s>spring|summer|autumn|fall|winter) (?:of )?(?P<y>(?:20|19)\d\d)\b", lambda m, _: month_of(int(m["y"]), SEASONS[m["s"]], 3)),
    _rule(r"(?:(?P<y>(?:20|19)\d\d)年|(?P<w>今年|去年|前年|明年|后年))的?(?P<s>[春夏秋冬])[天季]?", lambda m, now: month_of(_opt(m, "y") or year_zh(m["w"] or "", now) or now.year, SEASONS[m["s"]], 3)),
    _rule(r"(?:(?P<y>(?:20|19)\d\d)年|(?P<w>今年|去年|前年|明年|后年))的?(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])月", lambda m, now: month_of(_opt(m, "y") or year_zh(m["w"] or "", now) or now.year, number(m["m"]))),
    _rule(rf"\b(?:next {MONTH_EN})\b", lambda m, now: next_month(now, _month_no(m))),
    _rule(rf"\b(?:in|during|of|since|until|by|early|late|mid|around|this)[ -]{MONTH_EN}\b(?!,? (?:of )?(?:20|19)\d\d)", lambda m, now: next_month(now, _month_no(m)), _COMING),
    _rule(r"(?<![\d个上下这半年])(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])月份?(?![\d饼亮])", lambda m, now: next_month(now, number(m["m"])) if 1 <= number(m["m"]) <= 12 else None, _COMING),
    _rule(rf"\b(?:in|during|of|last|since|until|by|early|late|mid|around|this)[ -]{MONTH_EN}\b(?:,? (?:of )?(?P<y>(?:20|19)\d\d))?", lambda m, now: latest_month(now, _month_no(m), _opt(m, "y"))),
    _rule(rf"\b{MONTH_EN},? (?P<y>(?:20|19)\d\d)\b", lambda m, now: latest_month(now, _month_no(m), _opt(m, "y"))),
    _rule(r"(?<![\d个上下这半])(?P<m>\d{1,2}|十[一二]?|[一二三四五六七八九])月份?(?![\d饼亮])", lambda m, now: latest_month(now, number(m["m"]), None) if 1 <= number(m["m"]) <= 12 else None),
    # --- in some units, the next few units; some units ago, the last few
    _rule(rf"\b(?:in )?{_N_EN} (?P<u>day|week|month|year)s? from (?:now|today)\b|\bin {_N_EN.replace('<n>', '<k>')} (?P<v>day|week|month|year)s?'?(?: time)?\b", lambda m, now: until(m["u"] or m["v"], number(m["n"] or m["k"]), now), _UNLESS_OVER),
    _rule(rf"{NUM_ZH}(?P<u>天|日|个?(?:星期|礼拜|月)|周|年)(?:以后|之后|后)(?!来)", lambda m, now: until(unit_zh(m["u"].removeprefix("个")), number(m["n"]), now), _UNLESS_OVER),
    _rule(r"\b(?:the |these |over |during )*(?:next|coming) (?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten|few|couple of) (?P<u>day|week|month|year)s\b", lambda m, now: soon(m["u"], number(m["n"]), now)),
    _rule(rf"(?:接下来|未来|今后|之后|往后)的?(?:这)?{NUM_ZH}(?P<u>天|个?(?:星期|礼拜|月)|周|年)", lambda m, now: soon(unit_zh(m["u"].removeprefix("个")), number(m["n"]), now)),
    _rule(r"\b(?P<n>\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a )?few|(?:a )?couple of) (?P<u>day|week|month|year)s? ago\b", lambda m, now: ago(m["u"], number(m["n"]), now)),
    _rule(r"\b(?:the |these |over )?(?:last|past) (?P<n>\d+|two|three|four|five|six|seven|eight|nine|ten|few|couple of) (?P<u>day|week|month|year)s\b", lambda m, now: recent(m["u"], number(m["n"]), now)),
    _rule(rf"{NUM_ZH}(?P<u>天|日|个?(?:星期|礼拜|月)|周|年)(?:以前|之前|前)(?!台|端)", lambda m, now: ago(unit_zh(m["u"].removeprefix("个")), number(m["n"]), now)),
    _rule(rf"(?:最近|过去|近|这|前)(?:的)?{NUM_ZH}(?P<u>天|个?(?:星期|礼拜|月)|周|年)", lambda m, now: recent(unit_zh(m["u"].removeprefix("个")), number(m["n"]), now)),
    # --- days
    _rule(r"\bday after tomorrow\b|(?<!大)后天(?!性)", lambda _, now: day_of(now + 2 * DAY)),
    _rule("大后天", lambda _, now: day_of(now + 3 * DAY)),
    _rule(r"\btomorrow\b|\btmrw\b|明[天日早晚](?!星)", lambda _, now: day_of(now + DAY)),
    _rule(r"\bday before yesterday\b|(?<!大)前[天晚]", lambda _, now: day_of(now - 2 * DAY)),
    _rule("大前天", lambda _, now: day_of(now - 3 * DAY)),
    _rule(r"\blast night\b|昨[晚夜]", lambda _, now: (midnight(now) - timedelta(hours=6), midnight(now) + timedelta(hours=5))),
    _rule(r"\byesterday\b|昨[天日]", lambda _, now: day_of(now - DAY)),
    _rule(r"\b(?:today|this (?:morning|afternoon|evening)|tonight|earlier today)\b|今[天日早晚]", lambda _, now: day_of(now)),
    _rule(r"\bthe other day\b|前几天|前些天|这几天", lambda _, now: recent("day", 7, now)),
    _rule(r"\bjust now\b|\b(?:moment|minute|few minutes) ago\b|刚才|刚刚|方才", lambda _, now: (now - timedelta(hours=6), now + timedelta(seconds=1))),
    _rule(rf"\bnext (?P<d>{_WEEKDAYS})\b", lambda m, now: day_of(week_of(now)[0] + (7 + _of_week(m)) * DAY)),
    _rule(rf"\b(?:this|coming) (?P<d>{_WEEKDAYS})\b", lambda m, now: coming(now, _of_week(m))),
    _rule(r"(?P<w>下+)个?(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", lambda m, now: day_of(week_of(now)[0] + (7 * len(m["w"]) + _of_week(m)) * DAY)),
    _rule(r"(?:这个?|本)(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", lambda m, now: day_of(week_of(now)[0] + _of_week(m) * DAY)),
    _rule(rf"\b(?:on|by|until|for) (?P<d>{_WEEKDAYS})\b|^\W*(?:and )?(?P<e>{_WEEKDAYS})\W*$", lambda m, now: coming(now, DAYS_EN.index(m["d"] or m["e"])), _UNLESS_OVER),
    _rule(r"(?<![上下每这本个])(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", lambda m, now: coming(now, _of_week(m)), _UNLESS_OVER),
    _rule(rf"\blast (?P<d>{_WEEKDAYS})\b", lambda m, now: weekday(now, _of_week(m), last_week=None)),
    _rule(rf"\bon (?P<d>{_WEEKDAYS})\b", lambda m, now: weekday(now, _of_week(m), last_week=None)),
    _rule(r"(?P<w>上+)个?(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", lambda m, now: weekday(now - 7 * (len(m["w"]) - 1) * DAY, _of_week(m), last_week=True)),
    _rule(r"(?<![上下每])(?:周|星期|礼拜)(?P<d>[一二三四五六日天])", lambda m, now: weekday(now, _of_week(m), last_week=None)),
    # --- weeks, months, years
    _rule(r"\blast weekend\b|上个?周末", lambda _, now: (week_of(now)[0] - 2 * DAY, week_of(now)[0])),
    _rule(r"\bnext weekend\b|下个?周末", lambda _, now: weekend(now, 1)),
    _rule(r"\b(?:this|the|on the|at the) weekend\b|(?<![上下每])周末", lambda _, now: weekend(now), _UNLESS_OVER),
    _rule(r"\b(?:this|the) weekend\b|(?<![上下每])周末", lambda _, now: weekend(now, -(now.weekday() < 5))),
    _rule(r"\bnext week\b|(?<!下)下个?(?:周|星期|礼拜)", lambda _, now: week_of(now + 7 * DAY)),
    _rule(r"下下个?(?:周|星期|礼拜)", lambda _, now: week_of(now + 14 * DAY)),
    _rule(r"\bnext month\b|(?<!下)下个?月", lambda _, now: until("month", 1, now)),
    _rule(r"\bnext year\b|明年", lambda _, now: year_of(now.year + 1)),
    _rule("(?<!大)后年", lambda _, now: year_of(now.year + 2)),
    _rule(r"\b(?:coming up|upcoming)\b|接下来|近期", lambda _, now: soon("week", 2, now), _COMING),
    _rule(r"\blast week\b|(?<!上)上个?(?:周|星期|礼拜)", lambda _, now: week_of(now - 7 * DAY)),
    _rule(r"\bthis week\b|这个?(?:周|星期|礼拜)|本周", lambda _, now: week_of(now)),
    _rule(r"\blast month\b|(?<!上)上个?月", lambda _, now: ago("month", 1, now)),
    _rule(r"上上个?月", lambda _, now: ago("month", 2, now)),
    _rule(r"\bthis month\b|这个月(?!饼|亮|季)|本月", lambda _, now: month_of(now.year, now.month)),
    _rule(r"\blast year\b|去年", lambda _, now: year_of(now.year - 1)),
    _rule(r"(?<!大)前年", lambda _, now: year_of(now.year - 2)),
    _rule(r"\bthis year\b|今年", lambda _, now: year_of(now.year)),
    _rule(r"\b(?:in|during|since|of|from) (?P<y>(?:20|19)\d\d)\b|(?P<z>(?:20|19)\d\d)年", lambda m, _: year_of(int(m["y"] or m["z"]))),
]  # fmt: skip
