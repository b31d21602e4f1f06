# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Chinese: who somebody is. 姓名、年龄、生日、住处、籍贯。"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import HOLE, Clause, Found, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import PLACES, PROFESSION, SURNAMES, core
from memory.models import Importance, Kind
from memory.text.dates_zh import NUMBER, number

rule = Rules(shadow=True)


HIGH, MEDIUM, LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW


ADV = r"(?:现在|目前|已经|一直|也|都|还|刚刚?|就|其实|最近|真的|今年|终于|后来|从小|曾经?|是|本来|依然|仍然|又|马上|快|才|平时|只|确实|正|暂时|即将|最后|原来|主要|一般|大概|差不多|当时|之前|以前|小时候)*"


_NAME = r"(?P<v>[\u4e00-\u9fff·]{1,8}|[A-Za-z][\w .'-]{0,30})"


_NOT_NAME = re.compile(
    r"^(?:了|过|个|一|你|他|她|它|我|不|什么|外卖|车|滴滴|人|大家|号|得|醒|停|板|声|好|啥|谁|这|那)|(?:外卖|的人)$"
)


def _name(m: Found, c: Clause, slot: str) -> Iterator[Fact]:
    value = core(m["v"])
    if value and not _NOT_NAME.search(value):
        yield c.fact(slot, value, kind=Kind.IDENTITY, importance=HIGH, entities=(value,))


@rule(
    rf"^我(?:的)?(?:名字|姓名|大名|全名|真名|本名|中文名|英文名){ADV}(?:是|叫做?|为)?(?:叫)?{_NAME}$",
    rf"^我{ADV}(?:名叫|叫做?)(?!我){_NAME}$",
    rf"^(?:大家|朋友们?|他们|别人|家里人)都?(?:叫|喊)我{_NAME}$",
)
def name(m: Found, c: Clause) -> Iterator[Fact]:
    """我叫小明。"""
    yield from _name(m, c, "nickname" if "都叫我" in c.plain or "们叫我" in c.plain else "name")


@rule(r"^我姓(?P<v>[\u4e00-\u9fff])(?:[，,]?名?叫?(?P<g>[\u4e00-\u9fff]{1,3}))?$")
def surname(m: Found, c: Clause) -> Iterator[Fact]:
    """我姓王。"""
    value = m["v"] + (m["g"] or "")
    yield c.fact(
        "name" if m["g"] else "surname", value, kind=Kind.IDENTITY, importance=HIGH, single=True, entities=(value,)
    )


@rule(
    rf"^(?:以后|今后)?(?:请|你)?(?:们)?(?:可以|就|直接|都|能)*(?:叫|喊|称呼)我(?:为|作|做|一声)?{_NAME}(?:就(?:行|好|可以)了?|吧|好了)*$",
    rf"^我(?:喜欢|想|希望)(?:你|被|大家|别人)*(?:叫|称呼|喊)(?:我|作|为|做)*{_NAME}$",
)
def nickname(m: Found, c: Clause) -> Iterator[Fact]:
    """叫我阿明就行。"""
    value = re.sub(r"(?:就(?:行|好|可以)了?|吧|好了)+$", "", core(m["v"]))
    if value and not _NOT_NAME.search(value):
        yield c.fact(
            "nickname", value, f"用户希望被称呼为{value}。", kind=Kind.IDENTITY, importance=HIGH, entities=(value,)
        )


@rule(
    rf"^我是(?P<v>(?:小|阿|老|大)[\u4e00-\u9fff]{{1,2}}|[{SURNAMES}][\u4e00-\u9fff]{{1,2}}|[A-Z][a-z]+(?: [A-Z][a-z]+)?)$"
)
def name_short(m: Found, c: Clause) -> Iterator[Fact]:
    """我是王芳。"""
    value = m["v"]
    if not re.search(
        r"[师员生人者家工手族]$|小白|老外|老人|大人|大二|大一|大三|大四|高一|高二|高三|单身|白领|金牛|马上|老大|小孩|大众|文盲|常客|高管|石女|方便|万能|老手|老二|小三",
        value,
    ) and not re.fullmatch(PROFESSION, value):
        yield c.fact("name", value, f"用户叫{value}。", kind=Kind.IDENTITY, importance=HIGH, entities=(value,))


@rule(
    rf"^我(?:的)?{ADV}(?:年龄是?)?(?:有|满|刚满|快|马上)*(?P<v>{NUMBER})(?:周岁|岁)(?:半|多)?[了啦咯]*$",
    rf"^我(?:的)?年龄是?(?P<v>{NUMBER})$",
    r"^我(?:今年|已经|都|现在)*(?P<v>[1-9]\d)了?$",
)
def age(m: Found, c: Clause) -> Iterator[Fact]:
    """我今年28岁；下个月就40岁了，还不是40岁。"""
    if c.when and c.when.grain != "year" and not c.when.over(c.at):
        yield c.fact("turning", m["v"], kind=Kind.FACT)
        return
    value = str(number(m["v"]))
    if 0 < int(value) < 130:
        yield c.fact("age", value, f"用户{value}岁。", kind=Kind.IDENTITY)


@rule(
    r"^我(?:的)?生日(?:就)?(?:是|在)?(?:农历|阴历|阳历)?(?P<v>.*)$",
    r"^我(?:是)?(?:出生|生的?|生人|出生的)(?:于|在)?(?P<v>)$",
    r"^(?P<v>)是我(?:的)?生日$",
)
def birthday(m: Found, c: Clause) -> Iterator[Fact]:
    """我的生日是三月三号。"""
    w, source = c.when, str(c.extra.get("source", ""))
    if re.search(r"农历|農曆|阴历|陰曆", source):
        said = re.sub(r"^.*?(?=农历|農曆|阴历|陰曆)", "", source).strip("，。 了")
        yield c.fact("birthday", said, f"用户的生日是{said}。", kind=Kind.IDENTITY, importance=HIGH, when=None)
    elif w is None or (m["v"] and core(m["v"])):
        return
    elif re.search(r"(?:19|20)\d\d年?", source) or w.grain in {"year", "month"}:
        day = (
            f"{w.at.year}年"
            + (f"{w.at.month}月" if w.grain != "year" else "")
            + (f"{w.at.day}日" if w.grain == "day" else "")
        )
        yield c.fact("birthday", day, f"用户出生于{day}。", kind=Kind.IDENTITY, importance=HIGH, when=None)
    elif w.grain in {"day", "minute"}:
        day = f"{w.at.month}月{w.at.day}日"
        yield c.fact("birthday", day, f"用户的生日是{day}。", kind=Kind.IDENTITY, importance=HIGH, when=None)


@rule(
    rf"^我{ADV}(?:从(?P<old>[^搬]{{1,10}}))?(?:搬家?|迁|移居|移民)(?:到|去|来|进|至|回)?(?:了)?(?P<v>[^了，,]{{2,16}})(?:了|住了?|来了|去了|生活了?|定居了?)*$"
)
def moved(m: Found, c: Clause) -> Iterator[Fact]:
    """我搬到杭州了。"""
    place = core(m["v"])
    if place in {"家", "新家", "走", "出来", "出去"} or re.search(r"要|想|打算|准备", c.plain[: c.plain.find(place)]):
        return
    since = (
        f"（{c.fill(c.text[i : i + 1])}搬来）"
        if (h := HOLE.search(c.text)) and c.when and c.when.at <= c.at and (i := h.start()) >= 0
        else ""
    )
    yield c.fact("home", place, f"用户住在{place}{since}。", kind=Kind.IDENTITY, importance=HIGH, entities=(place,))
    if old := core(m["old"] or ""):
        told = f"用户以前住在{old}。"
        yield c.fact("past:home", old, told, kind=Kind.FACT, importance=LOW, entities=(old,), when=None)


@rule(
    rf"^我(?:家|们家?)?(?P<not>不)?{ADV}(?:不)?(?:住在|居住在|居住于|定居在?|家住|住)(?:了)?(?P<v>[^了，,]{{1,24}})(?:了)?$",
    rf"^我(?:现在|目前|如今|一直|暂时)+(?:人)?在(?P<not>)(?P<v>{PLACES})$",
    rf"^我(?:的)?家{ADV}(?:在|是在)(?P<not>)(?P<v>[^，,了]{{2,16}})$",
    rf"^我{ADV}在(?P<not>)(?P<v>[^，,]{{2,10}}?)(?:生活|定居|居住|住)(?:了.{{0,6}})?$",
)
def home(m: Found, c: Clause) -> Iterator[Fact]:
    """我住在上海。"""
    place = core(re.sub(r"^(?:在|的是)", "", m["v"]))
    if (
        not place
        or re.match(r"(?:校|院|宿舍|一起|得|不|过|进|在一起|了)", place)
        or re.search(r"不(?:在|住)", c.plain)
    ):
        return
    if re.search(r"以前|曾经|小时候|之前", c.plain):
        yield c.fact("past:home", place, kind=Kind.FACT, importance=LOW, entities=(place,))
    elif re.search(r"\d+\s{0,9}(?:号|栋|室|弄|楼|单元)|(?:路|街|小区|胡同|弄)\S*\d", place):
        yield c.fact("address", place, kind=Kind.IDENTITY, importance=HIGH, sensitivity=2)
    else:
        plain = c.third() if c.here or len(place) > 10 or "say" in c.extra else f"用户住在{place}。"
        yield c.fact("home", place, plain, kind=Kind.IDENTITY, importance=HIGH, entities=(place,))


@rule(
    rf"^我{ADV}来自(?P<v>.{{1,16}})$",
    r"^我(?:的)?(?:老家|家乡|故乡|籍贯)(?:就)?(?:是|在)?(?P<v>[^，,]{2,12})(?:的)?$",
    r"^我(?:出生|生)(?:在|于)(?P<v>[^\d，,]{2,12})$",
    rf"^我{ADV}(?:在)(?P<v>[^，,]{{2,10}}?)(?:出生|长大)(?:的)?$",
    r"^我是从(?P<v>[^，,]{2,10})来的?$",
    r"^我是(?:土生土长的|地道的?)?(?P<v>[\u4e00-\u9fff]{2,6}(?<!好)(?<!坏)(?<!女)(?<!男))人$",
)
def origin(m: Found, c: Clause) -> Iterator[Fact]:
    """我来自成都；我是四川人。"""
    place = core(m["v"])
    if (
        re.search(
            r"成年|年轻|普通|打工|老年|内向|外向|素食|负责|工作|过来|当事|单亲|主持|本地|好|坏|管理|同龄|奇怪|简单|那种|这样|什么样|懒|聪明|善良|乐观|悲观|理性|感性|中间|外地|爱狗|爱猫|现代|城里|乡下|农村|媒体|文艺|男|女|个|的",
            place,
        )
        and len(c.plain) > 4
        and c.plain.endswith(("人", "人。"))
    ):
        return
    nation = bool(
        re.fullmatch(
            r"(?:中国|美国|日本|韩国|英国|法国|德国|加拿大|澳大利亚|新加坡|马来西亚|泰国|越南|印度|俄罗斯|意大利|西班牙|巴西|墨西哥|台湾|香港)",
            place,
        )
    ) and c.plain.endswith("人")
    yield c.fact("nationality" if nation else "origin", place, kind=Kind.IDENTITY, entities=(place,))
