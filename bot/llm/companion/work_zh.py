"""Chinese: what somebody does for a living, where, and what they study. 工作、公司、学业。"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.llm.companion.clause import Clause, Found, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import PROFESSION, core
from bot.llm.companion.self_zh import ADV
from memory.models import Importance, Kind

rule = Rules(shadow=True)


HIGH, MEDIUM, LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW


@rule(
    rf"^我{ADV}(?:被)?(?P<v>辞职|离职|失业|裁员?|裁掉|开除|炒鱿鱼|退休)(?:了)$",
    rf"^我{ADV}(?:从)(?P<e>.{{1,12}})(?P<v>辞职|离职)(?:了)$",
    rf"^我{ADV}(?:把)?(?:丢|丢掉|没|弄丢|失去)(?:了)?(?:我的?|这份|那份)?(?P<v>工作|饭碗)(?:了|丢了|没了)*$",
    rf"^我(?:的)?(?P<v>工作|饭碗){ADV}(?:没|丢|黄)了$",
    rf"^我{ADV}(?:被)?(?:公司|老板|单位)?(?P<v>解雇|解聘|优化|炒|炒了|辞退|下岗|待业)(?:掉)?(?:了|中)$",
)
def job_lost(_m: Found, c: Clause) -> Iterator[Fact]:
    """我辞职了。"""
    yield Fact(c.third(), "zh", "job", "", Kind.FACT, HIGH, holds=False, ended=True, sensitivity=1, when=c.when)


@rule(
    rf"^我{ADV}在(?P<e>[^，,]{{2,16}}?)(?:里|那边)?(?:当|做|担任|任)(?:一[名个位])?(?P<v>{PROFESSION}|[^，,的]{{2,10}})$"
)
def job_at(m: Found, c: Clause) -> Iterator[Fact]:
    """我在腾讯当产品经理。"""
    value, boss = core(m["v"]), core(m["e"])
    if re.match(r"(?:家|梦里|学校里?做|厨房)", boss) or re.match(r"(?:饭|菜|作业|梦|事|什么|运动|瑜伽|实验)", value):
        return
    told = f"用户是{value}。" if re.fullmatch(PROFESSION, value) else None
    yield c.fact("job", value, told, kind=Kind.IDENTITY, importance=HIGH, sensitivity=1)
    yield c.fact("employer", boss, f"用户在{boss}工作。", kind=Kind.FACT, entities=(boss,), sensitivity=1)


@rule(
    rf"^我{ADV}在(?P<v>[^，,]{{2,20}}?)(?:里|那边)?(?:工作|上班|任职|就职|打工|实习|供职)(?:了.{{0,6}})?$",
    rf"^我{ADV}(?:入职|加入|跳槽)(?:到|去|了)*(?P<v>[^，,了]{{2,14}})(?:了|上班|工作)*$",
    rf"^我{ADV}(?:为|给)(?P<v>[^，,]{{2,14}}?)(?:工作|打工)$",
    r"^我(?:的)?(?:公司|单位)(?:是|叫)(?P<v>[^，,]{2,16})$",
)
def employer(m: Found, c: Clause) -> Iterator[Fact]:
    """我在腾讯上班。"""
    value = core(m["v"])
    if re.match(r"(?:家|周末|晚上|白天|早上|努力|认真|外面|加班|线上)", value):
        yield c.fact("habit", c.plain.removeprefix("我"), kind=Kind.WORKFLOW)
        return
    place = bool(re.fullmatch(r"[\u4e00-\u9fff]{2,3}(?:市|省)?", value)) and value in {
        "北京",
        "上海",
        "广州",
        "深圳",
        "杭州",
        "成都",
        "南京",
        "武汉",
        "西安",
        "重庆",
        "苏州",
        "天津",
        "香港",
        "台北",
        "新加坡",
        "东京",
        "伦敦",
        "纽约",
        "巴黎",
    }
    yield c.fact("work_place" if place else "employer", value, kind=Kind.FACT, entities=(value,), sensitivity=1)


@rule(
    rf"^我(?:现在|目前|就|以前|曾经|之前)*是(?:一[名个位])?(?P<e>[^，,]{{2,10}}?的)?(?P<v>{PROFESSION})(?:了)?$",
    rf"^我(?:的)?(?:职业|工作|本职工作|岗位){ADV}(?:是|为)(?:一[名个位])?(?P<e>)(?P<v>[^，,]{{2,14}})$",
    rf"^我{ADV}(?:当|当上了?|成为了?|升为了?|升职?成了?)(?:一[名个位])?(?P<e>)(?P<v>{PROFESSION})(?:了)?$",
    rf"^我{ADV}(?:从事|做)(?:的是)?(?P<e>)(?P<v>[^，,了]{{2,10}}?)(?:工作|行业|这一?行|方面的工作|的)?(?:的)?$",
)
def job(m: Found, c: Clause) -> Iterator[Fact]:
    """我是一名护士；我是做设计的。"""
    value = core(m["v"])
    if re.match(
        r"(?:饭|菜|作业|梦|事|什么|运动|瑜伽|家务|了|得|不|过|一|到|好|完|错|决定|准备|实验|手术|个|人)", value
    ):
        return
    if re.search(r"以前|曾|之前", c.plain[:5]):
        yield c.fact("past:job", value, kind=Kind.FACT, importance=LOW, sensitivity=1)
        return
    if (
        re.search(r"做", c.plain[:6])
        and not re.search(r"的$|工作|行业|这一?行|从事", c.plain)
        and not re.fullmatch(PROFESSION, value)
    ):
        return
    place = core((m["e"] or "").rstrip("的"))
    text = None if not place else f"用户是{place}的{value}。"
    yield c.fact(
        "job", value, text, kind=Kind.IDENTITY, importance=HIGH, sensitivity=1, entities=(place,) if place else ()
    )


@rule(
    rf"^我{ADV}(?:在|于)(?P<s>[^，,]{{0,14}}?(?:大学|学院|中学|高中|初中|小学|学校|理工|师大|北大|清华|复旦))(?:读|念|上|学|就读|学习|攻读)?(?:书|学|的?是?)?(?P<v>[^，,]{{0,12}})$",
    r"^我(?:的)?专业是(?P<s>)(?P<v>[^，,]{2,12})$",
    rf"^我{ADV}(?:主修|攻读|学的是|读的是|学|读)(?P<s>)(?P<v>[^，,]{{2,10}}?)(?:专业|系)?(?:的)$",
    rf"^我{ADV}(?:主修|攻读|读)(?P<s>)(?P<v>[^，,]{{2,12}}?)(?:专业)?$",
    rf"^我{ADV}(?:毕业于|就读于|考上了?)(?P<s>[^，,]{{2,14}})(?P<v>)$",
)
def study(m: Found, c: Clause) -> Iterator[Fact]:
    """我在北大读计算机。"""
    value, school = core(m["v"] or ""), core(m["s"] or "")
    if re.match(r"(?:书|过|了|完|得|不|会|到|小说|论文|一本|这本|那本|《)", value) or not (value or school):
        return
    if value and not re.match(r"(?:食堂|图书馆|门口|附近|里|工作|教|当|上班)", value):
        yield c.fact(
            "study", re.sub(r"专业$", "", value), kind=Kind.FACT, sensitivity=1, entities=(school,) if school else ()
        )
    elif school and not value:
        yield c.fact(
            "past:school" if "毕业" in c.plain else "school",
            school,
            kind=Kind.FACT,
            sensitivity=1,
            entities=(school,),
        )
