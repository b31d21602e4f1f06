"""Chinese words for times, each with what it names."""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from memory.recall.festivals import ZH as FESTIVALS
from memory.recall.spans import (
    DAY,
    HOUR,
    WEEKEND,
    Again,
    Nth,
    Once,
    Span,
    Time,
    Unit,
    about_then,
    and_a_half,
    date,
    day_of,
    day_of_month,
    day_of_year,
    half_of,
    lately,
    month,
    month_of,
    nth_of,
    nth_week,
    on_that_day,
    part,
    quarter_of,
    recent,
    relative,
    season,
    some,
    soon,
    third_of,
    week_of,
    weekday,
    weekend_of,
    year_of,
)
from memory.recall.tense import Make, Row, Said, preceded, row

_DIGIT: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "几": 3, "〇": 0, "数": 3, "好": 3}
_N: Final = r"(?:\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_COUNT: Final = r"(?<![\d.十])(?P<n>\d{1,3}|[二三四五六七八九]?十[一二三四五六七八九]?|[一二三两几]百|好几|[一二三四五六七八九两几数])"
_U: Final = r"(?P<u>天|日|晚|个?(?:星期|礼拜)|周|个月|(?<=[两几])月|年|个?季度)"
_AHEAD: Final = r"(?P<q>上+|下+|这|本)一?个?"
_WEEK: Final = r"(?:周|星期|礼拜)"
_WEEKDAYS: Final = "一二三四五六日天"
_NO_PLACE: Final = r"(?![线楼院店馆门桌车机房厅选球会汽铺柜仓库码树台柴])"
_TO: Final = r"(?:到|至|直到|-|~|—|–|、)"
_SEASONS: Final = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_YEARS: Final = {"今": 0, "本": 0, "去": -1, "前": -2, "大前": -3, "明": 1, "后": 2, "大后": 3, "上一": -1, "下一": 1}
_DAYS: Final = {"今": 0, "昨": -1, "前": -2, "大前": -3, "明": 1, "后": 2, "大后": 3}
_UNITS: Final = {
    "天": "day",
    "日": "day",
    "晚": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "季度": "quarter",
}
_SIZES: Final = {"day": Unit.DAY, "week": Unit.WEEK, "month": Unit.MONTH, "quarter": Unit.SEASON, "year": Unit.YEAR}
_PARTS: Final = {
    "凌晨": part(0, 6),
    "清晨": part(4, 9),
    "一早": part(5, 12),
    "早上": part(5, 12),
    "早晨": part(5, 12),
    "早": part(5, 12),
    "上午": part(5, 12),
    "中午": part(11, 14),
    "正午": part(11, 14),
    "午后": part(12, 18),
    "下午": part(12, 18),
    "傍晚": part(16, 20),
    "晚上": part(18, 29),
    "夜里": part(18, 29),
    "夜晚": part(18, 29),
    "晚": part(18, 29),
    "夜": part(18, 29),
    "深夜": part(22, 29),
    "半夜": part(22, 29),
}
_LASTED: Final = re.compile(r"(?:[了过有近满约共长达]|已经)$")
_PART: Final = "|".join(p for p in sorted(_PARTS, key=len, reverse=True) if len(p) > 1)


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


def _unit(m: re.Match[str]) -> str:
    return _UNITS[m["u"].removeprefix("个")]


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
        return Once(_SIZES[unit], relative(unit, _later(m["q"]), said.now))

    return make


def _festival(m: re.Match[str], said: Said) -> Time | None:
    again = FESTIVALS.which(m)
    if m["q"] is None:
        return again
    found = said.qualified(again, {"上": "last", "下": "next"}.get(m["q"], "this"))
    return found and Once(again.unit, found)


def _named_day(m: re.Match[str], said: Said) -> Time | None:
    """昨天, 大后天; 昨晚, 明早."""
    day = day_of(said.now + _DAYS[m["w"]] * DAY)
    if (p := m.groupdict().get("p")) is None:
        return Once(Unit.DAY, day)
    if m["w"] == "今" and p in {"晚", "夜"}:
        return Once(Unit.PART, said.tonight)
    found = said.part(day, _PARTS[p])
    return found and Once(Unit.PART, found)


def _ago(m: re.Match[str], said: Said) -> Time | None:
    unit, n = _unit(m), number(m["n"])
    if m["n"] in {"几", "数", "好几"}:
        return Once(_SIZES[unit], some(unit, 2, 5, said.now, -1))
    return Once(_SIZES[unit], relative(unit, -n, said.now))


def _vague(m: re.Match[str], said: Said) -> Time | None:
    """两三天前, 十几年前, 二十多年前, 一年多前, 三五天后."""
    unit = _unit(m)
    if m["a"]:
        least, most = number(m["a"]), number(m["b"])
    else:
        least = number(m["n"])
        most = least + (9 if least >= 10 else 1)
    sign = 1 if m["way"].endswith("后") else -1
    return Once(_SIZES[unit], some(unit, least, most, said.now, sign)) if least < most else None


def _years_and_months(m: re.Match[str], said: Said) -> Time:
    return Once(Unit.MONTH, relative("month", -12 * number(m["n"]) - number(m["k"]), said.now))


def _that_day(m: re.Match[str], said: Said) -> Time:
    """去年今天, 一年前的今天; 上周这个时候."""
    if m["n"]:
        unit, later = _unit(m), -number(m["n"])
    else:
        unit, later = {"年": "year", "月": "month"}.get(m["v"][-1], "week"), 1 if m["v"][0] in "明下" else -1
    if "时" in m["when"]:
        return Once(Unit.WEEK, about_then(unit, later, said.now))
    return Once(Unit.DAY, day_of(on_that_day(unit, later, said.now)))


def _half(m: re.Match[str], said: Said) -> Time:
    """半年前, 三个半月前, 一年半以后, 半个月前."""
    n = number(m["n"]) if m["n"] else 0
    unit = _UNITS[m["u"] or m["v"] or m["w"]]
    sign = 1 if "后" in m["way"] else -1
    return Once(Unit.MONTH if unit == "year" else Unit.WEEK, and_a_half(unit, n, said.now, sign))


def _hours(m: re.Match[str], said: Said) -> Time:
    if m["v"] in {"分钟", "秒", "秒钟", "刻钟"}:
        return Once(Unit.HOUR, lately(0, said.now, 6.0))
    return Once(Unit.HOUR, lately(0.5 if m["n"] == "半" else number(m["n"]), said.now))


def _hours_later(m: re.Match[str], said: Said) -> Time | None:
    if said.ahead is False:
        return None
    hours = 1 if m["v"] in {"分钟", "刻钟"} or m["n"] == "半" else number(m["n"])
    return Once(Unit.HOUR, (said.now + (hours - 1) * HOUR, said.now + (hours + 1) * HOUR))


def _after(m: re.Match[str], said: Said) -> Time | None:
    if said.ahead is False:  # 三天后我就走了
        return None
    unit = _unit(m)
    if m["n"] in {"几", "数", "好几"} or (m["n"] == "两" and m.group().startswith("过")):
        return Once(_SIZES[unit], some(unit, 1, number(m["n"]) + 1, said.now, 1))
    return Once(_SIZES[unit], relative(unit, number(m["n"]), said.now))


def _stretch(m: re.Match[str], said: Said) -> Time | None:
    """最近三天, 未来两周; 三天内 as the sentence has it."""
    unit, n = _unit(m), number(m["n"]) if m["n"] else 1
    if unit == "quarter":
        return None
    words = m.group()
    ahead = words.startswith(("接", "未", "今后", "之后", "往后", "下")) or (
        words.endswith("内") and said.ahead is not False and not words.startswith(("最", "过", "近"))
    )
    return Once(_SIZES[unit], (soon if ahead else recent)(unit, n, said.now))


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


def _until_now(_: re.Match[str], said: Said) -> Time:
    return Once(Unit.DAY, (said.now, said.now + timedelta(seconds=1)), weak=True)


_ANY: Final = "0 1 2 3 4 5 6 7 8 9 一 二 三 四 五 六 七 八 九 十"

RULES_ZH: Final[tuple[Row, ...]] = (
    # --- dates
    row("月", rf"(?P<m>{_N})月份?(?P<d>{_N})[日号]{_NO_PLACE}", _date),
    row("月", rf"(?P<m>{_N})月(?P<d>{_N})[日号]?{_TO}(?P<e>{_N})[日号]", _date),
    row("日 号", rf"(?<![\d〇零一二三四五六七八九十几第])(?P<d>{_N})(?:号{_NO_PLACE}|日(?![游报子常期语本程])(?!\d))", _day),
    row("日 号", rf"(?<![\d〇零一二三四五六七八九十几第])(?P<d>{_N})[日号]?{_TO}(?P<e>{_N})[日号]{_NO_PLACE}", _day),
    row("月", rf"(?<![\d个上下这半整每几〇零一二三四五六七八九十])(?P<m>{_N})月份?(?![\d饼亮球供老考报刊票嫂兔]|怀胎|天(?![气亮暖热冷]))", _month),
    row("月", r"(?<![\d个上下这半整每几〇零一二三四五六七八九十])(?P<m>[一二三四五六七八])(?P<e>[二三四五六七八九])月份?(?![\d饼亮])", lambda m, said: _month(m, said) if number(m["m"]) + 1 == number(m["e"]) else None),
    row("月", rf"(?<![\d个上下这半整每几〇零一二三四五六七八九十])(?P<m>{_N})月?(?:份)?(?:{_TO}|[和与及])(?P<e>{_N})月份?(?![\d饼亮])", _month),
    # --- years, and what is of a year
    row("年", r"(?<![\d.])(?P<y>(?:19|20)\d\d)年(?:度|份)?(?!级|代)", lambda m, _: Once(Unit.YEAR, year_of(int(m["y"])))),
    row("年", r"(?P<y>[一二][〇零一二三四五六七八九]{3})年(?:度|份)?(?!级|代)", lambda m, _: Once(Unit.YEAR, year_of(_year_no(m["y"])))),
    row("年", r"(?<![\d.〇零一二三四五六七八九十])(?P<y>\d\d|[〇零一二九八七][〇零一二三四五六七八九])年(?!级|代|前|后|来|之|以|内|多|间|的?(?:时间|经验|工龄))", lambda m, _: Once(Unit.YEAR, year_of(_year_no(m["y"])), weak=not (m["y"][0] in "0〇零" or (m["y"].isdigit() and int(m["y"]) > 60 and not preceded(m, _LASTED))))),
    row("年", r"(?P<w>大前|大后|[今去明]|(?<![大之以目])前|(?<![大以之然])后|(?<!\d)本|[上下]一)年度?(?!轻|级|代|糕|夜|货)", lambda m, said: Once(Unit.YEAR, year_of(said.now.year + _YEARS[m["w"]]))),
    row("代", r"(?:(?P<c>(?:上个?|20|二十)世纪))?(?:(?P<d>[二三四五六七八九]|\d)[十0]|(?P<y>(?:19|20)\d0))年代", _decade),
    row("春 夏 秋 冬", r"(?<![立新青回长思入])(?P<s>[春夏秋冬])[天季]|(?<=年)的?(?P<t>[春夏秋冬])(?!节)", lambda m, _: season(_SEASONS[m["s"] or m["t"]])),
    row("季 q", rf"(?:{_AHEAD})季度|第?(?P<n>[一二三四1-4])季度", _quarter),
    row("q", r"(?<![a-z])q(?P<n>[1-4])(?!\d)(?P<q>)", _quarter),
    row("初 底 末 中 尾", r"(?<![\d个上下这本今去明前后十一二三四五六七八九])(?P<u>[年月岁周])(?P<w>初(?![一二三四五六七八九十])|底|末|尾|中(?!旬|国))", _of_period),
    row("初 底 末 中 尾 旬", r"(?<=[年月季周期拜春夏秋冬天代])的?(?P<w>初(?![一二三四五六七八九十级恋])|底(?![下片])|末|尾(?!巴)|中旬|上旬|下旬|(?<=[年月周期拜])中(?![国学午旬]))", _third),
    row("月", r"(?<![一二三四五六七八九十\d])月?(?P<w>上旬|中旬|下旬)", lambda m, _: Again(Unit.THIRD, "month", lambda first: third_of(month_of(first.year, first.month), "上中下".index(m["w"][0]), edge=False), "near")),
    row("半", r"(?P<w>[上下前后])半(?P<u>年|个?月)", _half_of),
    row("第 最", rf"的?(?:第(?P<n>[一二三四五1-5])|最后一)个?(?P<u>{_WEEK}[一二三四五六日天末]|{_WEEK}|天)", _nth),
    # --- so many units ago, from now, up to now
    row("前", rf"{_COUNT}{_U}(?:以前|之前|前)(?![台端面天锋])", _ago),
    row("前 后", rf"(?<!\d)(?:(?P<a>[一两二三四五六七八])(?P<b>[两二三四五六七八九])|{_COUNT}(?:多|(?<=十)几)){_U}(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _vague),
    row("多", rf"{_COUNT}(?P<a>){_U}多(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _vague),
    row("前", r"(?P<n>[一两二三四五六七八九十]|\d)年(?:零|又)?(?P<k>[一两二三四五六七八九十]|\d{1,2})个月(?:以前|之前|前)", _years_and_months),
    row("今 这", rf"(?:{_COUNT}{_U}(?:以前|之前|前)|(?P<v>[去明]年|[上下]个?月|[上下]个?(?:周|星期|礼拜)))的?(?P<when>今天|这一天|这天|这个时候|这时候?)", _that_day),
    row("小 钟", r"(?:过去|最近)的?(?P<n>\d{1,3}|[一二三]?十[一二三四五六七八九]?)个?小时", lambda m, said: Once(Unit.DAY, (said.now - number(m["n"]) * HOUR, said.now + timedelta(seconds=1)))),
    row("后", r"(?P<n>\d+|[一二三四五六七八九十两几半])个?半?(?P<v>小时|钟头|分钟|刻钟)(?:以后|之后|后)", _hours_later),
    row("今 明 昨", r"(?P<w>昨今|今明|明后)两?天", lambda m, said: Once(Unit.DAY, day_of(said.now + _DAYS[m["w"][0]] * DAY, 2))),
    row("半", rf"(?:{_COUNT}(?:(?P<u>年|周)半|个半(?P<v>月|星期|礼拜))|半个?(?P<w>年|月))多?(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _half),
    row("前", r"(?P<n>\d+|[一二三四五六七八九十两几半])个?半?(?P<v>小时|钟头|分钟|秒钟?|刻钟)(?:以前|之前|前)", _hours),
    row("后", rf"(?:再过)?{_COUNT}{_U}(?:以后|之后|后)(?!来)", _after),
    row("过", r"(?:再过|(?<![\u4e00-\u9fff])过|(?<=我)过)(?P<n>[一两二三四五六七八九十几]|\d{1,3})(?P<u>天|周|个?星期|个?礼拜|个月|年)(?!级|的)", _after),
    row("天", r"(?<!\d)[前这]几天|前些天|前[两三]天|前一?阵子?|前段时间", lambda m, said: Once(Unit.WEEK, recent("day", 30 if m.group()[-1] in "阵子间" else 4 if m.group()[1] in "两三" else 7, said.now))),
    row("最 过 近 这 前 接 未 今 之 往 内", rf"(?:最近|过去|近|这|(?:(?<![\u4e00-\u9fff])|(?<=[我你他她它们了就在到是从和跟]))前(?!一天))的?(?:这)?{_COUNT}(?P<u>天|个?(?:星期|礼拜)|周|个月|年)(?:之内|以内|内|里)?", _stretch),
    row("最 过", r"(?:最近|过去)(?:这|的)?一?(?P<u>个?(?:星期|礼拜)|周|个?月|年)(?!级)(?P<n>)", _stretch),
    row("接 未 今 之 往", rf"(?:接下来|未来|今后|之后|往后)的?(?:这)?{_COUNT}(?P<u>天|个?(?:星期|礼拜)|周|个月|年)(?:之内|以内|内|里)?", _stretch),
    row("接 未", r"(?:接下来|未来)的?(?:这)?一?(?P<u>个?(?:星期|礼拜)|周|个?月|年)(?P<n>)", _stretch),
    row("内", rf"{_COUNT}{_U}(?:之内|以内|内)", _stretch),
    row("接 近 来", r"接下来|近期", lambda _, said: Once(Unit.WEEK, soon("week", 2, said.now)) if said.ahead is not False else None),
    # --- weeks and months
    row("周 期 拜", rf"(?:(?<![一两二三四五六七八九十\d每几半整隔逢])|(?<=[周期拜][一二三四五六]))(?:{_AHEAD})?{_WEEK}(?P<d>[{_WEEKDAYS}])(?![次回顿遍节课]|个月|[一二三四五六日](?:[一二三四五六日]|[有都要上]))", _weekday),
    row("末", rf"(?<![每逢])(?:{_AHEAD}|(?P<p>前)一个)?{_WEEK}末", _weekend),
    row("六 休", r"(?<=周)六日|双休日", lambda _m, _said: WEEKEND),
    row("周 期 拜", rf"(?:{_AHEAD}){_WEEK}(?![{_WEEKDAYS}末年围边期])", _relative("week")),
    row("月", rf"(?:{_AHEAD})月(?!饼|亮|球|季|台)", _relative("month")),
    row("旦 跨 春 过 除 大 三 年 初 正 元 情 妇 女 植 愚 清 复 劳 五 青 母 儿 六 端 父 七 教 中 国 十 重 万 双 光 感 冬 平 圣 暑 寒", rf"(?:(?P<q>[上下这])一?个?)?{FESTIVALS.pattern}", _festival),
    # --- days
    row("儿", r"(?P<w>大前|大后|(?<!大)前|(?<!大)后|[昨明今])儿个?(?![子童])", _named_day),
    row("天 日", r"(?P<w>大前|大后|(?<![大之以目])前|(?<![大以之然])后|[昨明今])(?:天(?!鹅|性|养|培|的东西)|日(?!头条|方舟|之|说法|重现))", _named_day),
    row("晚 早 夜", r"(?P<w>[昨明今]|前(?=晚))(?P<p>晚|早|夜)(?![里晨间餐饭点安霜场])", _named_day),
    row("刚 方", r"刚才|刚刚|方才", lambda _, said: Once(Unit.HOUR, lately(0, said.now, 6.0))),
    row("现 今", r"(?<=到)(?:现在|今天|如今)|(?<=至)今", _until_now),
    row("早 晚 午 晨 夜", rf"(?P<p>{_PART}|(?<=[天日号一二三四五六])晚(?![饭餐点安会]))", lambda m, _: _PARTS[m["p"]]),
)  # fmt: skip
