"""Chinese words for times seen from now, each with what it names: 两周前, 最近三天, 昨晚."""

# ruff: noqa: E501 - a table of patterns is read line by line
from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from memory.recall.names_zh import NAMES_ZH, SIZES, number
from memory.recall.spans import (
    DAY,
    HOUR,
    Once,
    Time,
    Unit,
    about_then,
    and_a_half,
    day_of,
    lately,
    on_that_day,
    part,
    recent,
    relative,
    some,
    soon,
)
from memory.recall.tense import Row, Said, row

_COUNT: Final = r"(?<![\d.十])(?P<n>\d{1,3}|[二三四五六七八九]?十[一二三四五六七八九]?|[一二三两几]百|好几|[一二三四五六七八九两几数])"
_U: Final = r"(?P<u>天|日|晚|个?(?:星期|礼拜)|周|个月|(?<=[两几])月|年|个?季度)"
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
_PART: Final = "|".join(p for p in sorted(_PARTS, key=len, reverse=True) if len(p) > 1)


def _unit(m: re.Match[str]) -> str:
    return _UNITS[m["u"].removeprefix("个")]


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
        return Once(SIZES[unit], some(unit, 2, 5, said.now, -1))
    return Once(SIZES[unit], relative(unit, -n, said.now))


def _vague(m: re.Match[str], said: Said) -> Time | None:
    """两三天前, 十几年前, 二十多年前, 一年多前, 三五天后."""
    unit = _unit(m)
    if m["a"]:
        least, most = number(m["a"]), number(m["b"])
    else:
        least = number(m["n"])
        most = least + (9 if least >= 10 else 1)
    sign = 1 if m["way"].endswith("后") else -1
    return Once(SIZES[unit], some(unit, least, most, said.now, sign)) if least < most else None


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
        return Once(SIZES[unit], some(unit, 1, number(m["n"]) + 1, said.now, 1))
    return Once(SIZES[unit], relative(unit, number(m["n"]), said.now))


def _stretch(m: re.Match[str], said: Said) -> Time | None:
    """最近三天, 未来两周; 三天内 as the sentence has it."""
    unit, n = _unit(m), number(m["n"]) if m["n"] else 1
    if unit == "quarter":
        return None
    words = m.group()
    ahead = words.startswith(("接", "未", "今后", "之后", "往后", "下")) or (
        words.endswith("内") and said.ahead is not False and not words.startswith(("最", "过", "近"))
    )
    return Once(SIZES[unit], (soon if ahead else recent)(unit, n, said.now))


def _until_now(_: re.Match[str], said: Said) -> Time:
    return Once(Unit.DAY, (said.now, said.now + timedelta(seconds=1)), weak=True)


RULES_ZH: Final[tuple[Row, ...]] = (
    *NAMES_ZH,
    # --- so many units ago, from now, up to now
    row("前", rf"{_COUNT}{_U}(?:以前|之前|前)(?![台端面天锋])", _ago),
    row("前 后", rf"(?<!\d)(?:(?P<a>[一两二三四五六七八])(?P<b>[两二三四五六七八九])|{_COUNT}(?:多|(?<=十)几)){_U}(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _vague),
    row("多", rf"{_COUNT}(?P<a>){_U}多(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _vague),
    row("前", r"(?P<n>[一两二三四五六七八九十]|\d)年(?:零|又)?(?P<k>[一两二三四五六七八九十]|\d{1,2})个月(?:以前|之前|前)", _years_and_months),
    row("今 这", rf"(?:{_COUNT}{_U}(?:以前|之前|前)|(?P<v>[去明]年|[上下]个?月|[上下]个?(?:周|星期|礼拜)))的?(?P<when>今天|这一天|这天|这个时候|这时候?)", _that_day),
    row("小 钟", r"(?:过去|最近)的?(?P<n>\d{1,3}|[一二三]?十[一二三四五六七八九]?)个?小时", lambda m, said: Once(Unit.DAY, (said.now - number(m["n"]) * HOUR, said.now + timedelta(seconds=1)))),
    row("后", r"(?P<n>\d{1,9}|[一二三四五六七八九十两几半])个?半?(?P<v>小时|钟头|分钟|刻钟)(?:以后|之后|后)", _hours_later),
    row("今 明 昨", r"(?P<w>昨今|今明|明后)两?天", lambda m, said: Once(Unit.DAY, day_of(said.now + _DAYS[m["w"][0]] * DAY, 2))),
    row("半", rf"(?:{_COUNT}(?:(?P<u>年|周)半|个半(?P<v>月|星期|礼拜))|半个?(?P<w>年|月))多?(?P<way>以前|之前|前|以后|之后|后)(?![台端面天锋来])", _half),
    row("前", r"(?P<n>\d{1,9}|[一二三四五六七八九十两几半])个?半?(?P<v>小时|钟头|分钟|秒钟?|刻钟)(?:以前|之前|前)", _hours),
    row("后", rf"(?:再过)?{_COUNT}{_U}(?:以后|之后|后)(?!来)", _after),
    row("过", r"(?:再过|(?<![\u4e00-\u9fff])过|(?<=我)过)(?P<n>[一两二三四五六七八九十几]|\d{1,3})(?P<u>天|周|个?星期|个?礼拜|个月|年)(?!级|的)", _after),
    row("天", r"(?<!\d)[前这]几天|前些天|前[两三]天|前一?阵子?|前段时间", lambda m, said: Once(Unit.WEEK, recent("day", 30 if m.group()[-1] in "阵子间" else 4 if m.group()[1] in "两三" else 7, said.now))),
    row("最 过 近 这 前 接 未 今 之 往 内", rf"(?:最近|过去|近|这|(?:(?<![\u4e00-\u9fff])|(?<=[我你他她它们了就在到是从和跟]))前(?!一天))的?(?:这)?{_COUNT}(?P<u>天|个?(?:星期|礼拜)|周|个月|年)(?:之内|以内|内|里)?", _stretch),
    row("最 过", r"(?:最近|过去)(?:这|的)?一?(?P<u>个?(?:星期|礼拜)|周|个?月|年)(?!级)(?P<n>)", _stretch),
    row("接 未 今 之 往", rf"(?:接下来|未来|今后|之后|往后)的?(?:这)?{_COUNT}(?P<u>天|个?(?:星期|礼拜)|周|个月|年)(?:之内|以内|内|里)?", _stretch),
    row("接 未", r"(?:接下来|未来)的?(?:这)?一?(?P<u>个?(?:星期|礼拜)|周|个?月|年)(?P<n>)", _stretch),
    row("内", rf"{_COUNT}{_U}(?:之内|以内|内)", _stretch),
    row("接 近 来", r"接下来|近期", lambda _, said: Once(Unit.WEEK, soon("week", 2, said.now)) if said.ahead is not False else None),
    # --- days
    row("儿", r"(?P<w>大前|大后|(?<!大)前|(?<!大)后|[昨明今])儿个?(?![子童])", _named_day),
    row("天 日", r"(?P<w>大前|大后|(?<![大之以目])前|(?<![大以之然])后|[昨明今])(?:天(?!鹅|性|养|培|的东西)|日(?!头条|方舟|之|说法|重现))", _named_day),
    row("晚 早 夜", r"(?P<w>[昨明今]|前(?=晚))(?P<p>晚|早|夜)(?![里晨间餐饭点安霜场])", _named_day),
    row("刚 方", r"刚才|刚刚(?![好够])|方才", lambda _, said: Once(Unit.HOUR, lately(0, said.now, 6.0))),
    row("现 今", r"(?<=到)(?:现在|今天|如今)|(?<=至)今", _until_now),
    row("早 晚 午 晨 夜", rf"(?P<p>{_PART}|(?<=[天日号一二三四五六])晚(?![饭餐点安会]))", lambda m, _: _PARTS[m["p"]]),
)  # fmt: skip
