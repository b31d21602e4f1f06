"""Chinese words for times: the names of days, months, seasons and festivals, and what is counted from now."""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory.text.dates.festivals import by_easter, lunar, nth_weekday, on_date
from memory.text.dates.sentence import (
    Make,
    Rule,
    Sentence,
    days_of,
    named_festivals,
    preceded,
    read_slashed,
)
from memory.text.dates.times import (
    DAY,
    WEEKEND,
    FixedTime,
    OrdinalTime,
    RecurringTime,
    Time,
    TimeUnit,
    add_days,
    add_months,
    century,
    date,
    half_of,
    month,
    nth,
    nth_third,
    part,
    quarter,
    season,
    third_of,
    week_of,
    weekday,
    year_of,
)
from memory.text.zh.numbers import read_number

_FESTIVALS: Final[tuple[tuple[str, str, RecurringTime], ...]] = (
    ("旦", r"元旦(?:节|假期)?", on_date(1, 1, 3)),
    ("跨", r"跨年夜?(?!演|歌)", on_date(12, 31, 2)),
    ("春 过", r"春节(?:假期|长假)?(?!联欢|晚会)|过年(?!货)|大过年", lunar(0, -1, 8)),
    ("夕 年", r"除夕夜?|大年三十|年三十|年夜饭", lunar(0, -1)),
    *(("初", rf"(?:大年|正月)初{'一二三四五六七八九十'[i]}", lunar(0, i)) for i in range(10)),
    ("正", r"正月(?!初|十)", lunar(0, 0, 29)),
    ("腊", r"腊月", lunar(0, -30, 30)),
    ("宵 正", r"元宵节?(?=那|晚|去|$|[的,，。?？ 我你他她过一])|元宵节|正月十五", lunar(0, 14)),
    ("情", r"情人节", on_date(2, 14)),
    ("妇 神 八", r"(?:三八)?妇女节|女神节|三八节", on_date(3, 8)),
    ("植", r"植树节", on_date(3, 12)),
    ("愚", r"愚人节", on_date(4, 1)),
    ("清", r"清明(?:节|假期)?(?!上河|梦)", on_date(4, 4, 3)),
    ("复", r"复活节(?!岛|彩蛋|兔)", by_easter(-2, 4)),
    ("劳 五", r"劳动节|五一(?:节|假期|长假|小长假|黄金周)|(?<![\d二三四五六七八九十])五一(?![\d一二三四五六七八九十路广中大班号村])", on_date(5, 1, 5)),
    ("青", r"青年节", on_date(5, 4)),
    ("母", r"母亲节", nth_weekday(2, 6, 5)),
    ("童 六", r"(?:六一)?儿童节|六一节", on_date(6, 1)),
    ("端 五", r"端午节?|五月初五", lunar(1)),
    ("父", r"父亲节", nth_weekday(3, 6, 6)),
    ("夕 七", r"七夕节?|七月初七", lunar(2)),
    ("师", r"教师节", on_date(9, 10)),
    ("秋 八", r"中秋节?|八月十五(?![日号])", lunar(3)),
    ("庆 十 黄", r"国庆(?:节|假期|长假|黄金周)|(?<![一-鿿])国庆|(?<=[年在个到过从])国庆|十一(?:假期|长假|黄金周|期间)|(?<![\d二三四五六七八九十第月双])十一(?=去|回家|出去|放假|怎么过)|黄金周", on_date(10, 1, 7)),
    ("阳 九", r"重阳节?|九月初九", lunar(4)),
    ("圣", r"万圣节", on_date(10, 31)),
    ("双 光", r"双十一|双11|光棍节", on_date(11, 11)),
    ("恩", r"感恩节", nth_weekday(4, 3, 11)),
    ("双", r"双十二|双12", on_date(12, 12)),
    ("至", r"冬至", on_date(12, 21, 2)),
    ("安", r"平安夜", on_date(12, 24)),
    ("诞", r"圣诞(?:节|假期)?(?!老人|树|歌|礼物|卡|帽|岛|颂|快乐|袜)", on_date(12, 25, 3, 1)),
    ("暑", r"暑假(?!作业)", RecurringTime(TimeUnit.SEASON, "year", lambda first: (date(first.year, 7, 1), date(first.year, 9, 1)), "near")),
    ("寒", r"寒假(?!作业)", RecurringTime(TimeUnit.SEASON, "year", lambda first: (date(first.year, 1, 10), date(first.year, 2, 25)), "near")),
)  # fmt: skip

_N: Final = r"(?:\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_AHEAD: Final = r"(?P<q>上{1,9}|下{1,9}|这|本)一?个?"
_WEEK: Final = r"(?:周|星期|礼拜)"
_WEEKDAYS: Final = "一二三四五六日天"
_NO_PLACE: Final = r"(?![线楼院店馆门桌车机房厅选球会汽铺柜仓库码树台柴])"
_TO: Final = r"(?:到|至|直到|-|~|—|–|、)"
_SEASONS: Final = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_YEARS: Final = {
    "今": 0,
    "本": 0,
    "去": -1,
    "前": -2,
    "大前": -3,
    "明": 1,
    "后": 2,
    "大后": 3,
    "上一": -1,
    "下一": 1,
}
_LASTED: Final = re.compile(r"(?:[了过有近满约共长达]|已经)$")
_COUNT: Final = r"(?<![\d.十])(?P<n>\d{1,3}|[二三四五六七八九]?十[一二三四五六七八九]?|[一二三两几]百|好几|[一二三四五六七八九两几数])"
_U: Final = r"(?P<u>天|日|晚|个?(?:星期|礼拜)|周|个月|(?<=[两几])月|年|个?季度)"
_DAYS: Final = {"今": 0, "昨": -1, "前": -2, "大前": -3, "明": 1, "后": 2, "大后": 3}
_UNITS: Final = {
    "天": "day",
    "日": "day",
    "晚": "day",
    "夜": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "年": "year",
    "季度": "quarter",
}
_PARTS: Final = {
    word: part(start, end)
    for start, end, words in (
        (0, 6, "凌晨"),
        (4, 9, "清晨"),
        (5, 12, "一早 早上 早晨 早 上午"),
        (11, 14, "中午 正午"),
        (12, 18, "午后 下午"),
        (16, 20, "傍晚"),
        (18, 29, "晚上 夜里 夜晚 晚 夜"),
        (22, 29, "深夜 半夜"),
    )
    for word in words.split()
}
_PART: Final = "|".join(p for p in sorted(_PARTS, key=len, reverse=True) if len(p) > 1)
_VAGUE: Final = str.maketrans("几数", "三三")


def _count(word: str) -> int:
    """Read a number in figures or characters; 几 is three."""
    return int(word) if word.isdigit() else read_number(word.removeprefix("好").translate(_VAGUE))


def _year(word: str) -> int:
    """Read 2024, 二〇二四; of two digits those of our time."""
    digits = _count(word)
    return digits if digits > 99 else century(digits)


def _later(word: str) -> int:
    """Read 上上 as −2, 上 −1, 这 0, 下 1."""
    return {"上": -1, "下": 1}.get(word[0], 0) * len(word)


def _unit(m: re.Match[str]) -> str:
    return _UNITS[m["u"].removeprefix("个")]


def _sign(m: re.Match[str]) -> int:
    return 1 if m["way"].endswith("后") else -1


def _read_date(m: re.Match[str], _: Sentence) -> Time | None:
    return days_of(_count(m["m"]), _count(m["d"]), _count(m.groupdict().get("e") or m["d"]))


def _read_day(m: re.Match[str], _: Sentence) -> Time | None:
    first, last = _count(m["d"]), _count(m.groupdict().get("e") or m["d"])
    if not 1 <= first <= last <= 31:
        return None
    weak = m.group().endswith("日") and last == first
    return RecurringTime(
        TimeUnit.DAY,
        "month",
        lambda t: add_days(date(t.year, t.month, first), last - first + 1),
        "next",
        weak=weak,
    )


def _read_month(m: re.Match[str], _: Sentence) -> Time | None:
    first, last = _count(m["m"]), _count(m.groupdict().get("e") or m["m"])
    return month(first, (last - first) % 12 + 1) if 1 <= first <= 12 and 1 <= last <= 12 else None


def _read_weekday(m: re.Match[str], said: Sentence) -> Time:
    which = min(_WEEKDAYS.index(m["d"]), 6)
    if m["q"]:
        return FixedTime(TimeUnit.DAY, add_days(week_of(said.now, _later(m["q"]))[0] + which * DAY))
    return weekday(which)


def _relative(unit: str) -> Make:
    return lambda m, said: replace(said.units(unit, _later(m["q"])), at=None)


def _read_third(m: re.Match[str], _: Sentence) -> OrdinalTime:
    which = {"初": 0, "头": 0, "上": 0, "开": 0, "中": 1}.get(m["w"][0], 2)
    return nth_third(which, edge="旬" not in m["w"])


def _read_edge(m: re.Match[str], _: Sentence) -> Time:
    """Read 月底, 年初, 岁末, 中旬."""
    which = {"初": 0, "上": 0, "中": 1}.get(m["w"][0], 2)
    match m["u"]:
        case "周":
            return RecurringTime(
                TimeUnit.THIRD, "week", lambda t: third_of(week_of(t), which, edge=True), "near"
            )
        case "年" | "岁":
            return RecurringTime(
                TimeUnit.THIRD,
                "year",
                lambda t: third_of(year_of(t.year), which, edge=True),
                "near",
            )
    return RecurringTime(
        TimeUnit.THIRD,
        "month",
        lambda t: third_of(add_months(t.year, t.month), which, edge=bool(m["u"])),
        "near",
    )


def _read_half_of(m: re.Match[str], _: Sentence) -> Time:
    which = int(m["w"] in {"下", "后"})
    if m["u"] == "年":
        return RecurringTime(TimeUnit.SEASON, "year", lambda t: half_of(year_of(t.year), which))
    return RecurringTime(
        TimeUnit.THIRD, "month", lambda t: half_of(add_months(t.year, t.month), which)
    )


def _read_nth(m: re.Match[str], _: Sentence) -> OrdinalTime:
    """Read 三月的第一周, 五月最后一个周日."""
    n, u = _count(m["n"]) if m["n"] else -1, m["u"]
    one = weekday(min(_WEEKDAYS.index(u[-1]), 6)) if u[-1] in _WEEKDAYS and len(u) > 1 else WEEKEND
    return nth(n, "day" if u == "天" else "week" if u in {"周", "星期", "礼拜"} else "", one)


def _read_decade(m: re.Match[str], _: Sentence) -> Time:
    if m["y"]:
        return FixedTime(TimeUnit.DECADE, year_of(int(m["y"]), 10))
    d = _count(m["d"])
    return FixedTime(TimeUnit.DECADE, year_of((1900 if m["c"] or d > 2 else 2000) + 10 * d, 10))


def _read_part(m: re.Match[str], said: Sentence) -> Time | None:
    """Read 昨晚, 明早."""
    return (
        said.night()
        if m["w"] == "今" and m["p"] in {"晚", "夜"}
        else said.part_of(_DAYS[m["w"]], _PARTS[m["p"]])
    )


def _read_ago(m: re.Match[str], said: Sentence) -> Time:
    return (
        said.between(_unit(m), 2, 5, -1)
        if m["n"][-1] in "几数"
        else said.units(_unit(m), -_count(m["n"]))
    )


def _read_vague(m: re.Match[str], said: Sentence) -> Time | None:
    """Read 两三天前, 十几年前, 二十多年前, 一年多前, 三五天后."""
    least = _count(m["a"] or m["n"])
    most = _count(m["b"]) if m["a"] else least + (9 if least >= 10 else 1)
    return said.between(_unit(m), least, most, _sign(m)) if least < most else None


def _read_that_day(m: re.Match[str], said: Sentence) -> Time:
    """Read 去年今天, 一年前的今天; 上周这个时候."""
    if m["n"]:
        unit, later = _unit(m), -_count(m["n"])
    else:
        unit, later = (
            {"年": "year", "月": "month"}.get(m["v"][-1], "week"),
            1 if m["v"][0] in "明下" else -1,
        )
    return said.same_time(unit, later) if "时" in m["when"] else said.same_day(unit, later)


def _read_half(m: re.Match[str], said: Sentence) -> Time:
    """Read 半年前, 三个半月前, 一年半以后, 半个月前."""
    return said.half(_UNITS[m["u"] or m["v"] or m["w"]], _count(m["n"]) if m["n"] else 0, _sign(m))


def _read_hours(m: re.Match[str], said: Sentence) -> Time | None:
    n = 0.5 if m["n"] == "半" else _count(m["n"])
    minutes = {"分钟": 1, "刻钟": 15}.get(m["v"], 0 if m["v"][0] == "秒" else 60)
    if _sign(m) > 0:
        return said.hours_on(n * minutes / 60)
    return said.hours_ago(n if minutes == 60 else 0)


def _read_after(m: re.Match[str], said: Sentence) -> Time | None:
    if said.ahead is False:  # 三天后我就走了
        return None
    n = _count(m["n"])
    vague = m["n"][-1] in "几数" or (m["n"] == "两" and m.group().startswith("过"))
    return said.between(_unit(m), 1, n + 1, 1) if vague else said.units(_unit(m), n)


def _read_stretch(m: re.Match[str], said: Sentence) -> Time | None:
    """Read 最近三天, 未来两周; 三天内 as the sentence has it."""
    unit, words = _unit(m), m.group()
    within = (
        words.endswith("内")
        and said.ahead is not False
        and not words.startswith(("最", "过", "近"))
    )
    ahead = words.startswith(("接", "未", "今后", "之后", "往后", "下")) or within
    return (
        None
        if unit == "quarter"
        else said.stretch(unit, _count(m["n"]) if m["n"] else 1, ahead=ahead)
    )


RULES: Final[tuple[Rule, ...]] = (
    # --- dates
    ("月", rf"(?P<m>{_N})月份?(?P<d>{_N})[日号]{_NO_PLACE}", _read_date),
    ("月", rf"(?P<m>{_N})月(?P<d>{_N})[日号]?{_TO}(?P<e>{_N})[日号]", _read_date),
    ("日 号", rf"(?<![\d〇零一二三四五六七八九十几第])(?P<d>{_N})(?:号{_NO_PLACE}|日(?![游报子常期语本程])(?!\d))", _read_day),
    ("日 号", rf"(?<![\d〇零一二三四五六七八九十几第])(?P<d>{_N})[日号]?{_TO}(?P<e>{_N})[日号]{_NO_PLACE}", _read_day),
    ("月", rf"(?<![\d个这半整每几〇零一二三四五六七八九十])(?P<m>{_N})月份?(?![\d饼亮球供老考报刊票嫂兔]|怀胎|天(?![气亮暖热冷]))", _read_month),
    ("月", r"(?<![\d个这半整每几〇零一二三四五六七八九十])(?P<m>[一二三四五六七八])(?P<e>[二三四五六七八九])月份?(?![\d饼亮])", lambda m, said: _read_month(m, said) if _count(m["m"]) + 1 == _count(m["e"]) else None),
    ("月", rf"(?<![\d个这半整每几〇零一二三四五六七八九十])(?P<m>{_N})月?(?:份)?(?:{_TO}|[和与及])(?P<e>{_N})月份?(?![\d饼亮])", _read_month),
    ("0 1 2 3 4 5 6 7 8 9", r"(?<=[一-鿿])(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\d/])(?P<y>)", read_slashed),
    # --- years, and what is of a year
    ("年", r"(?<![\d.])(?P<y>(?:19|20)\d\d)年(?:度|份)?(?!级|代)", lambda m, _: FixedTime(TimeUnit.YEAR, year_of(int(m["y"])))),
    ("年", r"(?P<y>[一二][〇零一二三四五六七八九]{3})年(?:度|份)?(?!级|代)", lambda m, _: FixedTime(TimeUnit.YEAR, year_of(_year(m["y"])))),
    ("年", r"(?<![\d.〇零一二三四五六七八九十])(?P<y>\d\d|[〇零一二九八七][〇零一二三四五六七八九])年(?!级|代|前|后|来|之|以|内|多|间|的?(?:时间|经验|工龄))", lambda m, _: FixedTime(TimeUnit.YEAR, year_of(_year(m["y"])), weak=not (m["y"][0] in "0〇零" or (m["y"].isdigit() and int(m["y"]) > 60 and not preceded(m, _LASTED))))),
    ("年", r"(?P<w>大前|大后|[今去明]|(?<![大之以目])前|(?<![大以之然])后|(?<!\d)本|[上下]一)年度?(?!轻|级|代|糕|夜|货)", lambda m, said: said.units("year", _YEARS[m["w"]])),
    ("代", r"(?:(?P<c>(?:上个?|20|二十)世纪))?(?:(?P<d>[二三四五六七八九]|\d)[十0]|(?P<y>(?:19|20)\d0))年代", _read_decade),
    ("春 夏 秋 冬", r"(?<![立新青回长思入])(?P<s>[春夏秋冬])[天季]|(?<=年)的?(?P<t>[春夏秋冬])(?!节)", lambda m, _: season(_SEASONS[m["s"] or m["t"]])),
    ("季", rf"(?:{_AHEAD})季度|第?(?P<n>[一二三四1-4])季度", lambda m, said: said.units("quarter", _later(m["q"])) if m["q"] else quarter(_count(m["n"]))),
    ("1 2 3 4", r"(?<![a-z])q(?P<n>[1-4])(?!\d)(?P<q>)", lambda m, said: said.units("quarter", _later(m["q"])) if m["q"] else quarter(_count(m["n"]))),
    ("初 底 末 中 尾", r"(?<![\d个上下这本今去明前后十一二三四五六七八九])(?P<u>[年月岁]|周(?=[初中]))(?P<w>初(?![一二三四五六七八九十])|底|末|尾|中(?!旬|国))", _read_edge),
    ("初 底 末 中 尾 旬", r"(?<=[年月季周期拜春夏秋冬天代])的?(?P<w>初(?![一二三四五六七八九十级恋])|底(?![下片])|末|尾(?!巴)|中旬|上旬|下旬|(?<=[年月周期拜])中(?![国学午旬]))", _read_third),
    ("旬", r"(?<![一二三四五六七八九十\d])月?(?P<w>上旬|中旬|下旬)(?P<u>)", _read_edge),
    ("半", r"(?P<w>[上下前后])半(?P<u>年|个?月)", _read_half_of),
    ("第 最", rf"的?(?:第(?P<n>[一二三四五1-5])|最后一)个?(?P<u>{_WEEK}[一二三四五六日天末]|{_WEEK}|天)", _read_nth),
    # --- weeks and months
    ("周 期 拜", rf"(?:(?<![一两二三四五六七八九十\d每几半整隔逢])|(?<=[周期拜][一二三四五六]))(?:{_AHEAD})?{_WEEK}(?P<d>[{_WEEKDAYS}])(?![次回顿遍节课]|个月|[一二三四五六日](?:[一二三四五六日]|[有都要上]))", _read_weekday),
    ("末", rf"(?<![每逢])(?:{_AHEAD}|(?P<p>前)一个)?{_WEEK}末", lambda m, said: said.units("weekend", -1 if m["p"] else _later(m["q"])) if m["p"] or m["q"] else WEEKEND),
    ("六 休", r"(?<=周)六日|双休日", lambda _m, _said: WEEKEND),
    ("周 期 拜", rf"(?:{_AHEAD}){_WEEK}(?![{_WEEKDAYS}末年围边期])", _relative("week")),
    ("月", rf"(?:{_AHEAD})月(?!饼|亮|球|季|台)", _relative("month")),
    *named_festivals(_FESTIVALS, "(?:(?P<q>[上下这])一?个?)?(?:{})", {"上": "last", "下": "next", "这": "this"}),
    # --- so many units ago, from now, up to now
    ("前", rf"{_COUNT}{_U}(?:以前|之前|前)(?![台端面天锋])", _read_ago),
    ("前 后", rf"(?<!\d)(?:(?P<a>[一两二三四五六七八])(?P<b>[两二三四五六七八九])|{_COUNT}(?:多|(?<=十)几)){_U}(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _read_vague),
    ("多", rf"{_COUNT}(?P<a>){_U}多(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _read_vague),
    ("前", r"(?P<n>[一两二三四五六七八九十]|\d)年(?:零|又)?(?P<k>[一两二三四五六七八九十]|\d{1,2})个月(?:以前|之前|前)", lambda m, said: said.units("month", -12 * _count(m["n"]) - _count(m["k"]))),
    ("今 这", rf"(?:{_COUNT}{_U}(?:以前|之前|前)|(?P<v>[去明]年|[上下]个?月|[上下]个?(?:周|星期|礼拜)))的?(?P<when>今天|这一天|这天|这个时候|这时候?)", _read_that_day),
    ("小 钟", r"(?:过去|最近)的?(?P<n>\d{1,3}|[一二三]?十[一二三四五六七八九]?)个?小时", lambda m, said: said.last_hours(_count(m["n"]))),
    ("后", r"(?P<n>\d{1,9}|[一二三四五六七八九十两几半])个?半?(?P<v>小时|钟头|分钟|刻钟)(?P<way>以后|之后|后)", _read_hours),
    ("今 明 昨", r"(?P<w>昨今|今明|明后)两?天", lambda m, said: said.day(_DAYS[m["w"][0]], 2)),
    ("半", rf"(?:{_COUNT}(?:(?P<u>年|周)半|个半(?P<v>月|星期|礼拜))|半个?(?P<w>年|月))多?(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _read_half),
    ("前", r"(?P<n>\d{1,9}|[一二三四五六七八九十两几半])个?半?(?P<v>小时|钟头|分钟|秒钟?|刻钟)(?P<way>以前|之前|前)", _read_hours),
    ("后", rf"(?:再过)?{_COUNT}{_U}(?:以后|之后|后)(?!来)", _read_after),
    ("过", r"(?:再过|(?<![一-鿿])过|(?<=我)过)(?P<n>[一两二三四五六七八九十几]|\d{1,3})(?P<u>天|周|个?星期|个?礼拜|个月|年)(?!级|的)", _read_after),
    ("天", r"(?<!\d)[前这]几天|前些天|前[两三]天|前一?阵子?|前段时间", lambda m, said: replace(said.stretch("day", 30 if m.group()[-1] in "阵子间" else 4 if m.group()[1] in "两三" else 7, ahead=False), unit=TimeUnit.WEEK)),
    ("最 过 近 这 前 接 未 今 之 往 内", rf"(?:最近|过去|近|这|(?:(?<![一-鿿])|(?<=[我你他她它们了就在到是从和跟]))前(?!一天))的?(?:这)?{_COUNT}(?P<u>天|个?(?:星期|礼拜)|周|个月|年)(?:之内|以内|内|里)?", _read_stretch),
    ("最 过", r"(?:最近|过去)(?:这|的)?一?(?P<u>个?(?:星期|礼拜)|周|个?月|年)(?!级)(?P<n>)", _read_stretch),
    ("接 未 今 之 往", rf"(?:接下来|未来|今后|之后|往后)的?(?:这)?{_COUNT}(?P<u>天|个?(?:星期|礼拜)|周|个月|年)(?:之内|以内|内|里)?", _read_stretch),
    ("接 未", r"(?:接下来|未来)的?(?:这)?一?(?P<u>个?(?:星期|礼拜)|周|个?月|年)(?P<n>)", _read_stretch),
    ("内", rf"{_COUNT}{_U}(?:之内|以内|内)", _read_stretch),
    ("接 近 来", r"接下来|近期", lambda _, said: said.stretch("week", 2, ahead=True) if said.ahead is not False else None),
    # --- days
    ("儿", r"(?P<w>大前|大后|(?<!大)前|(?<!大)后|[昨明今])儿个?(?![子童])", lambda m, said: said.day(_DAYS[m["w"]])),
    ("天 日", r"(?P<w>大前|大后|(?<![大之以目])前|(?<![大以之然])后|[昨明今])(?:天(?!鹅|性|养|培|的东西)|日(?!头条|方舟|之|说法|重现))", lambda m, said: said.day(_DAYS[m["w"]])),
    ("晚 早 夜", r"(?P<w>[昨明今]|前(?=晚))(?P<p>晚|早|夜)(?![里晨间餐饭点安霜场])", _read_part),
    ("刚 方", r"刚才|刚刚(?![好够])|方才", lambda _, said: said.hours_ago(0)),
    ("现 今", r"(?<=到)(?:现在|今天|如今)|(?<=至)今", lambda _, said: said.last_hours(0)),
    ("早 晚 午 晨 夜", rf"(?P<p>{_PART}|(?<=[天日号一二三四五六])晚(?![饭餐点安会]))", lambda m, _: _PARTS[m["p"]]),
)  # fmt: skip

NO_TIME: Final = (
    r"《[^》]*》|从?[今昨明]天(?:开始|起)|(?:星期|周|礼拜)[一二三四五六日天](?:餐厅|酒吧|咖啡|书店|乐队|花园)"
    r"|(?:每隔?[一两]?个?|隔)(?:周|星期|礼拜)的?(?:(?:周|星期|礼拜)?[一二三四五六日天末])?|每(?:年|月|周|天|个|到|逢|一|隔){0,9}的?(?:\d{1,2}|[一二三四五六七八九十]+)?(?:[月日号]|周末|春节|中秋节?|国庆节?|圣诞节?|元旦|生日|[春夏秋冬][天季])(?:(?:\d{1,2}|[一二三四五六七八九十]+)[日号])?"
    r"|(?:农历|阴历|旧历)(?!八月十五|正月|五月初五|七月初七|九月初九)[^,。?!]{0,8}?月(?:初?[一二三四五六七八九十廿]+)?"
    r"|(?:叫|名字是|名叫)[一二三四五六七八九十]月|五月天(?![气亮暖])|十月怀胎|(?<=[一二三四五六七八九十])月初[一二三四五六七八九十](?<!五月初五)(?<!七月初七)(?<!九月初九)(?<!正月)"
)
NEST: Final = "的|那个|那|在|里"
RANGE: Final = "(?:开始)?(?:直?到|至)"
JOIN: Final = "和|与|及|跟|或者?|、"
BETWEEN_BEHIND: Final = "(?:之间|间)"
LINKS: Final = "前后"  # beside another word of time they belong to that: 国庆前两天
BEFORE: Final = (
    (r"自从$|(?<![亲来独各])自$", "since"),
    (r"(?:截至|直到|截止到?|最晚|最迟|不晚于)$", "until"),
)
AFTER: Final = (
    (r"以来|至今|(?:开始|起)?到(?:现在|目前|今天)|(?:那天|那时)?(?:开始|起)(?![床飞来点身名])", "since"),
    (r"的?(?P<way>之?[前后])的?第?(?P<n>\d{1,2}|[一二三四五六七八九十两])(?P<u>天|日|晚|夜|个?星期|个?礼拜|周|个月|年)", "offset"),
    (r"的?之?(?:(?P<ahead>前)|后)(?:的?(?:那)?几天|夕)", "days beside"),
    (r"的?夜?(?:第二天|次日|翌日|隔天)", "day after"),
    (r"的?前夜", "night before"),
    (r"前后|左右|那阵|那段时间", "about"),
    (r"的?(?:之前|以前|前)(?![天年面端台])", "before, that day too"),
    (r"(?:之后|以后|过后|后)(?![天年面来])", "after"),
    (r"的?(?:(?P<later>晚些时候|晚一?点)|早些时候|早先)", "part"),
    (r"那一?个?(?:周|星期|礼拜)(?P<weekend>末)?", "week of a day"),
    (r"为止|截止", "until"),
)  # fmt: skip


def read_offset(m: re.Match[str]) -> tuple[int, str, int]:
    """Read 前两天, 后的第三周: a sign, a unit, how many."""
    return _sign(m), "night" if m["u"] in {"晚", "夜"} else _unit(m), _count(m["n"])


TO_COME: Final = (
    r"明[天年早晚日]|(?<!然)(?<!以)后[天年]|下个?[周月星礼]|(?<![重主需必只不])要(?![求是么])|将(?![军来])"
    r"|(?<![开社机约聚晚学年乐员协误体集舞国])会(?![议儿员计场谈合长])|打算|计划|准备[^了]|即将|快到|日程|待办|预约|到期|截止|再过"
)
OVER: Final = r"(?<!为)(?<!除)(?<!到)了(?!解)|(?<!再)过(?![敏期年节]|(?:[一两几三四五六七八九十]|\d+)(?:天|周|个星期|个月|年))|昨|上个?[周月星礼]|来着|[去前]年|刚|曾|发生|以来|那[天时]|(?:跟谁|和谁|在哪儿?|哪里|怎么|谁)[^,。?的]{0,4}的|[吃喝买看说做玩聊送住穿花听读写学]的(?:什么|啥|哪|谁|多少)|在(?:哪|干[嘛吗什]|做什么|忙什么)"
PERHAPS: Final = r"想[要去做买吃看学]|有[什啥哪].{0,2}事|有[事约空]|安排|准备|今晚"
HABIT: Final = r"一般(?!般)|通常|平时|平常|往往|经常|常常|习惯"
NOON: Final = "中午|正午"
CLOCK: Final = (
    r"(?:(?P<am>凌晨|清晨|早上|早晨|上午|早)|(?P<pm>中午|正午|下午|傍晚|晚上|夜里|晚))?"
    r"(?:(?P<h>\d{1,2}|[一二两三四五六七八九十]{1,3})[点时](?:钟|整)?(?:(?P<half>半)|(?P<quarters>[一三])刻|(?P<m>\d{1,2}|[一二三四五六七八九十]{1,3})分?)?|(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d))"
)


def read_clock(m: re.Match[str]) -> tuple[int, int, str]:
    """Read an hour, minutes, and am, pm, 24 or nothing."""
    half = "am" if m["am"] else "pm" if m["pm"] else ""
    if m["h24"]:
        return int(m["h24"]), int(m["m24"]), half or "24"
    return (
        _count(m["h"]),
        30 if m["half"] else 15 * _count(m["quarters"]) if m["quarters"] else _count(m["m"] or "0"),
        half,
    )


def write_date(at: datetime, grain: str) -> str:
    """Write a date in full; `find_dates` reads it back."""
    day = f"{at.year}年{at.month}月{at.day}日"
    return {
        "minute": f"{day}（周{_WEEKDAYS[at.weekday()]}）{at:%H:%M}",
        "day": f"{day}（周{_WEEKDAYS[at.weekday()]}）",
        "week": f"{day}那一周",
        "weekend": f"{day}那个周末",
        "month": f"{at.year}年{at.month}月",
    }.get(grain, f"{at.year}年")
