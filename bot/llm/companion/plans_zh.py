# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Chinese: what somebody wants, plans, has to do and has decided, what has happened, and how they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import HOLE, Clause, Found, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import EVENT, core, names
from memory.models import Importance, Kind

rule = Rules(shadow=True)
HIGH, MEDIUM, LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW
_ADV = r"(?:也|还|都|就|现在|已经|最近|一直|很|特别|非常|真的|好|其实|终于|最后|还是|正|又|得|必须|可能要|马上|从小|今年|一定|本来|总|即将|，)*"
_CHAT = re.compile(
    r"^(?:问|知道|说|聊|请(?!假)|让你|听听?你|你|告诉|跟你|和你|看看你|哭|死|静静|起来?|到$|法$|念|不通|开$|确认一下|试试$|测试|表达|吐槽|感谢|谢|睡了?$|休息了?$|走了|下线|去睡|先|说声|象|想|吃|喝|要$)"
)


def _important(text: str) -> Importance:
    return (
        HIGH
        if re.search(
            r"面试|考试|手术|婚礼|截止|deadline|ddl|航班|飞机|答辩|签证|演讲|汇报|考研|高考|重要|紧急|入职|毕业",
            text,
            re.I,
        )
        else MEDIUM
    )


def _event(text: str) -> str:
    return re.sub(r"^(?:一?[个场次节趟]|我的|去|要|的|参加|有|和.{1,6}?(?=开会|约会|见面))+", "", core(text))


def _holes(c: Clause) -> str:
    return "".join(HOLE.findall(c.text))


@rule(
    rf"^(?:我|我们|公司|我的)?(?:的)?(?P<v>[^，,是在我]{{0,8}}?{EVENT})(?:时间)?(?:已经|被|又|现在|就)*(?:是|在|改到|改成|改为|改在|推迟到|提前到|延期到|延到|挪到|定在|安排在|定于|调到|换到|变成)(?:了)?(?P<x>[^，,]{{0,8}})$",
    rf"^(?:他们|对方|公司|老板)?把(?:我的)?(?P<v>[^，,]{{0,8}}?{EVENT})(?:改到|推迟到|提前到|挪到|调到|改成|改为|换到)(?:了)?(?P<x>)$",
)
def event_at(m: Found, c: Clause) -> Iterator[Fact]:
    """面试改到周四了：一件事，一个日子。"""
    if not c.when or (c.when.over(c.at) and not c.corrects):
        return
    whose = (
        ""
        if re.search(r"(?:葬礼|婚礼|比赛|演出|演唱会|音乐会|马拉松|典礼|展览|讲座)$", m["v"])
        and "我的" not in c.plain
        else "我的"
    )
    text = c.third(f"{whose}{m['v']}在{_holes(c)}{core(m['x'] or '')}")
    yield c.fact(
        f"event:{_event(m['v'])}",
        m["v"],
        text,
        kind=Kind.TODO,
        importance=_important(m["v"]),
        due=True,
        single=True,
        entities=names(c.third()),
    )


@rule(rf"^(?:我的?|我们的?)?(?P<v>[^，,是在我]{{0,8}}?{EVENT})(?:被|已经|临时)*(?:取消|不去|作废|泡汤|黄)(?:了)*$")
def cancelled(m: Found, c: Clause) -> Iterator[Fact]:
    """会议取消了。"""
    yield c.fact(f"event:{_event(m['v'])}", m["v"], kind=Kind.TODO, holds=False, when=None)


@rule(
    rf"^我?(?:们)?{_ADV}(?:有|约了?|订了?|预约了?|安排了?|要参加|参加|要)(?:了)?(?:一)?(?:个|场|次|节|趟|门)?(?:很?重要的)?(?P<v>[^，,]{{0,12}}?{EVENT})(?P<x>[^，,]{{0,8}})$",
    rf"^我?(?:们)?{_ADV}(?:要|得|去)*(?P<v>(?:和|跟|与)[^，,]{{1,10}}?(?:开会|见面|约会|吃饭|聚餐|聚会|视频|通话))(?P<x>)$",
    rf"^我?(?:们)?{_ADV}(?:要|得|去)*(?P<v>{EVENT})(?P<x>)$",
)
def event(m: Found, c: Clause) -> Iterator[Fact]:
    """我下周三有个面试。"""
    if not c.when or c.when.over(c.at):
        return
    text = None if "我" in c.text else c.third(f"我{c.text}")
    yield c.fact(
        f"event:{_event(m['v'])}",
        m["v"],
        text,
        kind=Kind.TODO,
        importance=_important(m["v"]),
        due=True,
        entities=names(c.third()),
        single=c.corrects,
    )


@rule(rf"^我{_ADV}(?:决定|下定决心|选择|选定|拿定主意|打定主意)(?:了)?(?P<v>[^，,].*)$")
def decision(m: Found, c: Clause) -> Iterator[Fact]:
    """我决定辞职。"""
    yield c.fact("decision", core(m["v"]), kind=Kind.DECISION, entities=names(c.third()))


@rule(
    r"^(?:请|麻烦|你|到时候?|记得|别忘了?|帮我|可以|能)*提醒我(?:一下|要|去|记得|别忘了?)*(?P<v>.+)$",
    r"^(?:待办|todo|提醒)(?:：|:)(?P<v>.+)$",
    r"^(?:别让我忘了|我(?:不能|别)忘了?)(?P<v>.+)$",
)
def remind(m: Found, c: Clause) -> Iterator[Fact]:
    """提醒我明天给妈妈打电话。"""
    value = core(m["v"])
    yield c.fact(
        "todo",
        value,
        c.third(f"我要{_holes(c)}{value}" if not c.when else f"我{_holes(c)}要{value}"),
        kind=Kind.TODO,
        importance=_important(value),
        due=True,
        entities=names(c.third()),
    )


@rule(
    r"^我(?:的)?(?:今年|人生|最大|下一个|近期|长期|短期|新年|明年)?(?:的)?(?:目标|梦想|愿望|理想|计划|心愿|打算)(?:就|一直)?(?:是|：|:)(?P<v>[^，,].*)$",
    rf"^我{_ADV}(?:想要|想|希望(?:能|可以)?|梦想(?:着|能)?|打算|计划|准备|立志|期待|盼望着?|争取|正在准备|在准备|备考|在攒钱|正努力|努力|考虑|在考虑|憧憬|盼着|在筹备|筹备|期盼)(?:着|了)?(?:以后|将来|有一天|哪天|今后|未来)?(?P<v>[^，,].*)$",
)
def goal(m: Found, c: Clause) -> Iterator[Fact]:
    """我想学日语；我打算五月去罗马。"""
    value = core(m["v"])
    if not value or _CHAT.match(value) or re.search(r"(?:想|希望|期待)(?:你|他|她|有人)", c.plain) or len(value) < 2:
        return
    if re.match(r"我(?:也|还|都|就|现在|很|好|真的|其实|总)*想(?:家|你|妈|爸|他|她|静|开|通|不)", c.plain):
        return
    near = c.when is not None and not c.when.over(c.at) and c.when.grain in {"minute", "day", "weekend", "week"}
    yield c.fact(
        "todo" if near else "goal",
        value,
        kind=Kind.TODO if near else Kind.GOAL,
        importance=_important(value),
        due=near,
        entities=names(c.third()),
    )


@rule(
    rf"^我{_ADV}(?:得|要|必须|需要|应该|不得不|还要|还得|务必|该|记得要|要去|得去|有|会|去)(?P<v>[^，,].*)$",
    r"^(?P<v>(?:还|也)?(?:有(?![雨雪风雾点些人空时]|时间|意思|道理)|要|得|需要|必须|去|参加|交|还|取|买|见|搬|飞|出发|出差|体检|复查|接|送|回|看|开)[^，,].*)$",
)
def must(m: Found, c: Clause) -> Iterator[Fact]:
    """我明天要交报告。"""
    value = core(m["v"])
    if _CHAT.match(value) and not re.match(r"(?:请假|吃|喝|起)", value):
        return
    dated = c.when is not None and not c.when.over(c.at)
    if not dated and (
        not re.match(rf"我{_ADV}(?:得|必须|需要|务必|记得要|还得|还要)(?!很|了|很|到)", c.plain)
        or re.match(r"(?:说|承认|休息|睡|冷静|努力|想|谢|请|走|去睡|死|你|一个|很|好)", value)
        or len(value) < 2
    ):
        return
    if dated and (
        re.match(r"(?:点|些|多|好|很|人|空|时间|事$|累|意思|趣|会儿|想)", value)
        or re.search(r"(?:很|好|太|真|有点)(?:累|忙|困|开心|难过|烦|高兴|紧张|热|冷)", c.plain)
    ):
        return
    text = None if "我" in c.text else c.third(f"我{c.text}")
    yield c.fact(
        "todo", value, text, kind=Kind.TODO, importance=_important(value), due=True, entities=names(c.third())
    )


@rule(
    r"^我(?:们)?(?P<v>(?:就|才|也|都)?(?:去|飞|回|到|出发|坐|搬|交|见|开始|休假|放假|请假|入职|报到|结婚|生日|出院|住院|毕业|上|做|还|取|接|送|带|陪|看|参加|举办|办|动身|返校|回家|开学|考|跟|和)[^，,]*)$"
)
def dated(m: Found, c: Clause) -> Iterator[Fact]:
    """我周五飞巴黎：有日子才算计划。"""
    value = core(m["v"])
    if (
        c.when
        and not c.when.over(c.at)
        and not c.when.past
        and not re.search(r"(?:去了|到了|过了?$|[^要]了$)", c.plain.rstrip("。"))
        and len(value) > 1
    ):
        yield c.fact("todo", value, kind=Kind.TODO, importance=_important(value), due=True, entities=names(c.third()))


@rule(
    r"^我(?:刚刚?|终于|已经|最近|前不久|成功|顺利|也|今年|又|被)*(?P<v>(?:升职|毕业|考上|考过|通过了?.{2,8}考试|拿到|生了|当(?:妈|爸|爷爷|奶奶|爸爸|妈妈)|买房|买车|搬家|创业|开了一?家|出版|获得|得了.{1,8}奖|被.{1,10}录取|入职|失恋|分手|骨折|做了?.{0,4}手术|出院|住院|流产|退役|转行|跳槽|入籍|拿了|完成了|跑完|减了|瘦了).*)$"
)
def milestone(m: Found, c: Clause) -> Iterator[Fact]:
    """我升职了。"""
    yield c.fact("fact", core(m["v"]), kind=Kind.FACT, entities=names(c.third()), sensitivity=1)


@rule(
    r"^我(?:曾经|以前|之前|也|还|刚刚?|和.{1,6}|一个人|跟.{1,6})*(?:去过|去了|到过|游览了?|玩了)(?P<v>[^，,]{2,12})$"
)
def trip(m: Found, c: Clause) -> Iterator[Fact]:
    """我去年去了日本。"""
    value = core(m["v"])
    if ("去过" in c.plain or "到过" in c.plain or c.when) and not re.match(
        r"(?:公司|医院|超市|学校|厕所|健身房|上班|一趟|趟|那里|这里|一次|银行|食堂|楼下)", value
    ):
        yield c.fact("trip", value, kind=Kind.FACT, importance=LOW, entities=(value,))


@rule(
    r"^我(?:现在|最近|今天|一直|真的|有点|很|好|特别|非常|还是|也)*(?:因为|为了?|对|在为)(?P<v>[^，,]{2,20}?)(?:的事情?)?(?:感到|觉得|而)?(?:很|好|特别|非常|有点|比较|十分|挺)*(?:紧张|难过|焦虑|担心|开心|兴奋|失望|沮丧|发愁|烦恼|头疼|压力很大|压力大|激动|伤心|生气|期待)$",
    r"^我(?:现在|最近|今天|一直|真的|有点|很|好|特别|非常|也)*(?:担心|担忧|害怕|发愁|期待)(?P<v>[^，,]{3,20})$",
)
def mood(m: Found, c: Clause) -> Iterator[Fact]:
    """我为考试很紧张：一时的情形。"""
    if not _CHAT.match(m["v"]):
        yield c.fact("mood", core(m["v"]), kind=Kind.CONTEXT, importance=LOW, sensitivity=1)
