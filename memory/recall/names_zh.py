"""Chinese names of days, weeks, months, seasons, years and festivals, each with what it names."""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
from typing import Final

from memory.recall.festivals import FESTIVALS_ZH
from memory.recall.spans import (
    DAY,
    WEEKEND,
    Again,
    Nth,
    Once,
    Span,
    Time,
    Unit,
    date,
    day_of,
    day_of_month,
    day_of_year,
    half_of,
    month,
    month_of,
    nth_of,
    nth_week,
    quarter_of,
    relative,
    season,
    third_of,
    week_of,
    weekday,
    weekend_of,
    year_of,
)
from memory.recall.tense import Make, Row, Said, preceded, row

_DIGIT: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "几": 3, "〇": 0, "数": 3, "好": 3}
_N: Final = r"(?:\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_AHEAD: Final = r"(?P<q>上{1,9}|下{1,9}|这|本)一?个?"
_WEEK: Final = r"(?:周|星期|礼拜)"
_WEEKDAYS: Final = "一二三四五六日天"
_NO_PLACE: Final = r"(?![线楼院店馆门桌车机房厅选球会汽铺柜仓库码树台柴])"
_TO: Final = r"(?:到|至|直到|-|~|—|–|、)"
_SEASONS: Final = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_YEARS: Final = {"今": 0, "本": 0, "去": -1, "前": -2, "大前": -3, "明": 1, "后": 2, "大后": 3, "上一": -1, "下一": 1}
SIZES: Final = {"day": Unit.DAY, "week": Unit.WEEK, "month": Unit.MONTH, "quarter": Unit.SEASON, "year": Unit.YEAR}
_LASTED: Final = re.compile(r"(?:[了过有近满约共长达]|已经)$")


def number(word: str) -> int:
    """Up to 99 and whole hundreds, in digits or characters; 几 is three."""
    if word.isdigit():
        return int(word)
    if word.endswith("百"):
        return _DIGIT[word[0]] * 100
    if "十" in word:
        tens, _, ones = word.partition("十")
        return _DIGIT.get(tens, 1) * 10 + _DIGIT.get(ones, 0)
    return _DIGIT[word[0]]


def _year_no(word: str) -> int:
    """2024, 二〇二四; of two digits those of our time."""
    digits = int("".join(c if c.isdigit() else str(_DIGIT[c]) for c in word))
    return digits if digits > 99 else digits + (2000 if digits < 60 else 1900)


def _later(word: str) -> int:
    """上上 −2, 上 −1, 这 0, 下 1."""
    return {"上": -1, "下": 1}.get(word[0], 0) * len(word)


def _date(m: re.Match[str], said: Said) -> Time | None:  # noqa: ARG001
    number_, first = number(m["m"]), number(m["d"])
    last = number(m["e"]) if m.groupdict().get("e") else first
    if not first <= last:
        return None
    date(2024, number_, last)  # raises where no year has it
    return day_of_year(number_, first, last - first + 1)


def _day(m: re.Match[str], said: Said) -> Time | None:  # noqa: ARG001
    first, last = number(m["d"]), number(m["e"]) if m.groupdict().get("e") else number(m["d"])
    if not 1 <= first <= last <= 31:
        return None
    weak = m.group().endswith("日") and last == first

    def within(start: object) -> Span:
        return day_of(date(start.year, start.month, first), last - first + 1)  # type: ignore[attr-defined]

    return Again(Unit.DAY, "month", within if last > first else day_of_month(first).within, "next", weak=weak)


def _month(m: re.Match[str], said: Said) -> Time | None:  # noqa: ARG001
    first = number(m["m"])
    last = number(m["e"]) if m.groupdict().get("e") else first
    if not (1 <= first <= 12 and 1 <= last <= 12):
        return None
    return month(first, (last - first) % 12 + 1)


def _weekday(m: re.Match[str], said: Said) -> Time:
    which = _WEEKDAYS.index(m["d"]) % 7 if m["d"] != "天" else 6
    if m["q"]:
        return Once(Unit.DAY, day_of(week_of(said.now, _later(m["q"]))[0] + which * DAY))
    return weekday(which)


def _weekend(m: re.Match[str], said: Said) -> Time:
    if m["p"]:
        return Once(Unit.WEEKEND, weekend_of(said.now, -1))
    return Once(Unit.WEEKEND, weekend_of(said.now, _later(m["q"]))) if m["q"] else WEEKEND


def _relative(unit: str) -> Make:
    def make(m: re.Match[str], said: Said) -> Time:
        return Once(SIZES[unit], relative(unit, _later(m["q"]), said.now))

    return make


def _festival(again: Again) -> Make:
    def make(m: re.Match[str], said: Said) -> Time | None:
        if m["q"] is None:
            return again
        found = said.qualified(again, {"上": "last", "下": "next"}.get(m["q"], "this"))
        return found and Once(again.unit, found)

    return make


def _third(m: re.Match[str], said: Said) -> Nth:  # noqa: ARG001
    which = {"初": 0, "头": 0, "上": 0, "开": 0, "中": 1}.get(m["w"][0], 2)
    edge = "旬" not in m["w"]
    return Nth(Unit.THIRD, lambda s: third_of(s, which, edge=edge))


def _of_period(m: re.Match[str], said: Said) -> Time:  # noqa: ARG001
    """月底, 年初, 岁末, 上半年."""
    which = {"初": 0, "上": 0, "中": 1}.get(m["w"][0], 2)
    if m["u"] == "周":
        return Again(Unit.THIRD, "week", lambda first: third_of(week_of(first), which, edge=True), "near")
    if m["u"] in {"年", "岁"}:
        return Again(Unit.THIRD, "year", lambda first: third_of(year_of(first.year), which, edge=True), "near")
    return Again(
        Unit.THIRD, "month", lambda first: third_of(month_of(first.year, first.month), which, edge=True), "near"
    )


def _half_of(m: re.Match[str], said: Said) -> Time:  # noqa: ARG001
    which = int(m["w"] in {"下", "后"})
    if m["u"] == "年":
        return Again(Unit.SEASON, "year", lambda first: half_of(year_of(first.year), which))
    return Again(Unit.THIRD, "month", lambda first: half_of(month_of(first.year, first.month), which))


def _nth(m: re.Match[str], said: Said) -> Nth:  # noqa: ARG001
    """三月的第一周, 五月最后一个周日."""
    n = number(m["n"]) if m["n"] else -1
    u = m["u"]
    if u in {"周", "星期", "礼拜"}:
        return Nth(Unit.WEEK, lambda s: nth_week(s, n))
    if u == "天":
        return Nth(Unit.DAY, lambda s: day_of(s[1] - DAY) if n < 0 else day_of(s[0] + (n - 1) * DAY))
    if u.endswith("末"):
        return Nth(Unit.WEEKEND, lambda s: nth_of(s, n, WEEKEND))
    which = _WEEKDAYS.index(u[-1]) if u[-1] != "天" else 6
    return Nth(Unit.DAY, lambda s: nth_of(s, n, weekday(which)))


def _quarter(m: re.Match[str], said: Said) -> Time:
    if m["q"]:
        return Once(Unit.SEASON, quarter_of(said.now, _later(m["q"])))
    n = number(m["n"])
    return Again(Unit.SEASON, "year", lambda first: month_of(first.year, 3 * n - 2, 3))


def _decade(m: re.Match[str], said: Said) -> Time:  # noqa: ARG001
    if m["y"]:
        return Once(Unit.DECADE, year_of(int(m["y"]), 10))
    d = _DIGIT.get(m["d"]) or int(m["d"])
    century = 1900 if m["c"] or d > 2 else 2000
    return Once(Unit.DECADE, year_of(century + 10 * d, 10))


NAMES_ZH: Final[tuple[Row, ...]] = (
    # --- dates
    row("月", rf"(?P<m>{_N})月份?(?P<d>{_N})[日号]{_NO_PLACE}", _date),
    row("月", rf"(?P<m>{_N})月(?P<d>{_N})[日号]?{_TO}(?P<e>{_N})[日号]", _date),
    row("日 号", rf"(?<![\d〇零一二三四五六七八九十几第])(?P<d>{_N})(?:号{_NO_PLACE}|日(?![游报子常期语本程])(?!\d))", _day),
    row("日 号", rf"(?<![\d〇零一二三四五六七八九十几第])(?P<d>{_N})[日号]?{_TO}(?P<e>{_N})[日号]{_NO_PLACE}", _day),
    row("月", rf"(?<![\d个这半整每几〇零一二三四五六七八九十])(?P<m>{_N})月份?(?![\d饼亮球供老考报刊票嫂兔]|怀胎|天(?![气亮暖热冷]))", _month),
    row("月", r"(?<![\d个这半整每几〇零一二三四五六七八九十])(?P<m>[一二三四五六七八])(?P<e>[二三四五六七八九])月份?(?![\d饼亮])", lambda m, said: _month(m, said) if number(m["m"]) + 1 == number(m["e"]) else None),
    row("月", rf"(?<![\d个这半整每几〇零一二三四五六七八九十])(?P<m>{_N})月?(?:份)?(?:{_TO}|[和与及])(?P<e>{_N})月份?(?![\d饼亮])", _month),
    # --- years, and what is of a year
    row("年", r"(?<![\d.])(?P<y>(?:19|20)\d\d)年(?:度|份)?(?!级|代)", lambda m, _: Once(Unit.YEAR, year_of(int(m["y"])))),
    row("年", r"(?P<y>[一二][〇零一二三四五六七八九]{3})年(?:度|份)?(?!级|代)", lambda m, _: Once(Unit.YEAR, year_of(_year_no(m["y"])))),
    row("年", r"(?<![\d.〇零一二三四五六七八九十])(?P<y>\d\d|[〇零一二九八七][〇零一二三四五六七八九])年(?!级|代|前|后|来|之|以|内|多|间|的?(?:时间|经验|工龄))", lambda m, _: Once(Unit.YEAR, year_of(_year_no(m["y"])), weak=not (m["y"][0] in "0〇零" or (m["y"].isdigit() and int(m["y"]) > 60 and not preceded(m, _LASTED))))),
    row("年", r"(?P<w>大前|大后|[今去明]|(?<![大之以目])前|(?<![大以之然])后|(?<!\d)本|[上下]一)年度?(?!轻|级|代|糕|夜|货)", lambda m, said: Once(Unit.YEAR, year_of(said.now.year + _YEARS[m["w"]]))),
    row("代", r"(?:(?P<c>(?:上个?|20|二十)世纪))?(?:(?P<d>[二三四五六七八九]|\d)[十0]|(?P<y>(?:19|20)\d0))年代", _decade),
    row("春 夏 秋 冬", r"(?<![立新青回长思入])(?P<s>[春夏秋冬])[天季]|(?<=年)的?(?P<t>[春夏秋冬])(?!节)", lambda m, _: season(_SEASONS[m["s"] or m["t"]])),
    row("季", rf"(?:{_AHEAD})季度|第?(?P<n>[一二三四1-4])季度", _quarter),
    row("1 2 3 4", r"(?<![a-z])q(?P<n>[1-4])(?!\d)(?P<q>)", _quarter),
    row("初 底 末 中 尾", r"(?<![\d个上下这本今去明前后十一二三四五六七八九])(?P<u>[年月岁]|周(?=[初中]))(?P<w>初(?![一二三四五六七八九十])|底|末|尾|中(?!旬|国))", _of_period),
    row("初 底 末 中 尾 旬", r"(?<=[年月季周期拜春夏秋冬天代])的?(?P<w>初(?![一二三四五六七八九十级恋])|底(?![下片])|末|尾(?!巴)|中旬|上旬|下旬|(?<=[年月周期拜])中(?![国学午旬]))", _third),
    row("月", r"(?<![一二三四五六七八九十\d])月?(?P<w>上旬|中旬|下旬)", lambda m, _: Again(Unit.THIRD, "month", lambda first: third_of(month_of(first.year, first.month), "上中下".index(m["w"][0]), edge=False), "near")),
    row("半", r"(?P<w>[上下前后])半(?P<u>年|个?月)", _half_of),
    row("第 最", rf"的?(?:第(?P<n>[一二三四五1-5])|最后一)个?(?P<u>{_WEEK}[一二三四五六日天末]|{_WEEK}|天)", _nth),
    # --- weeks and months
    row("周 期 拜", rf"(?:(?<![一两二三四五六七八九十\d每几半整隔逢])|(?<=[周期拜][一二三四五六]))(?:{_AHEAD})?{_WEEK}(?P<d>[{_WEEKDAYS}])(?![次回顿遍节课]|个月|[一二三四五六日](?:[一二三四五六日]|[有都要上]))", _weekday),
    row("末", rf"(?<![每逢])(?:{_AHEAD}|(?P<p>前)一个)?{_WEEK}末", _weekend),
    row("六 休", r"(?<=周)六日|双休日", lambda _m, _said: WEEKEND),
    row("周 期 拜", rf"(?:{_AHEAD}){_WEEK}(?![{_WEEKDAYS}末年围边期])", _relative("week")),
    row("月", rf"(?:{_AHEAD})月(?!饼|亮|球|季|台)", _relative("month")),
    *(row(hints, rf"(?:(?P<q>[上下这])一?个?)?(?:{name})", _festival(again)) for hints, name, again in FESTIVALS_ZH),
)  # fmt: skip
