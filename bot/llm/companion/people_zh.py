# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Chinese: the people and animals in somebody's life. 妹妹叫小红；养了一只猫叫咪咪；我朋友喜欢寿司。"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.llm.companion.clause import Clause, Found, Rules
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import PETS, RELATION, SHARED, SURNAMES, core, names
from bot.llm.companion.text import simplified
from memory.models import Importance, Kind

rule = Rules(shadow=True)
HIGH, MEDIUM = Importance.HIGH, Importance.MEDIUM
_NAME = r"[\u4e00-\u9fff·]{1,6}|[A-Za-z][\w .'-]{0,24}"
_NUM = r"[一两二三四五六七八九十\d几好]+"
_SAME = {
    "妈妈": "妈", "母亲": "妈", "老妈": "妈", "爸爸": "爸", "父亲": "爸", "老爸": "爸", "哥哥": "哥", "姐姐": "姐", "弟弟": "弟", "妹妹": "妹", "老婆": "妻", "妻子": "妻", "太太": "妻",
    "老公": "夫", "丈夫": "夫", "女友": "女朋友", "男友": "男朋友", "小猫": "猫", "猫咪": "猫", "小狗": "狗", "狗狗": "狗", "闺女": "女儿", "老师": "老师", "上司": "老板", "领导": "老板", "闺密": "闺蜜",
}  # fmt: skip


def relation(word: str) -> str:
    """The slot of a relation: one word for 妈妈, 母亲 and 老妈."""
    word = re.sub(r"^(?:亲|已故的|小(?=[猫狗]))", "", word)
    word = re.sub(r"^最要好的", "最好的", word)
    for long, short in _SAME.items():
        if word.endswith(long):
            return word[: -len(long)] + short
    return word


def _related(c: Clause, rel: str, value: str, text: str | None = None) -> Fact:
    single = not SHARED.search(rel)
    return c.fact(
        f"relation:{relation(rel)}",
        value,
        text,
        kind=Kind.FACT,
        importance=HIGH,
        single=single or c.corrects,
        entities=(value,) if value else (),
        sensitivity=0 if PETS.search(rel) else 1,
    )


def _bad(value: str) -> bool:
    return not value or bool(re.match(r"(?:我|你|他|她|它|不|什么|啥|外卖|了|过|个|一)", value))


@rule(
    rf"^我们?家?(?:的)?(?P<r>{RELATION})(?:的)?(?:名字|小名|大名|全名)?(?:就|现在)?(?:是?叫做?|名叫|名字是|的名字是|取名|起名叫?)(?P<v>{_NAME})$",
    rf"^我们?家?(?:的)?(?P<r>{RELATION})的名字(?:就)?是(?P<v>{_NAME})$",
)
def named(m: Found, c: Clause) -> Iterator[Fact]:
    """我妹妹叫小红。"""
    value = core(m["v"])
    if not _bad(value):
        yield _related(c, m["r"], value)


@rule(
    rf"^我{{0,1}}(?:们)?(?:家)?(?:还|也|刚|现在|家里)*(?:有|养了?|领养了?|收养了?|买了)(?:一|两|三)?(?:个|只|条|位|匹|头)?(?P<d>[^，,叫猫狗]{{0,6}}?的?)?(?P<r>{RELATION})[，,]?(?:分别|都|一[个只条])*(?:名字)?(?:是?叫做?|名叫|名字是|取名)(?P<v>{_NAME})(?P<more>[和、].*)?$"
)
def has_named(m: Found, c: Clause) -> Iterator[Fact]:
    """我养了一只猫叫咪咪。"""
    value = core(m["v"])
    if _bad(value):
        return
    found = [v for v in re.split(r"[、和跟与]", value + (m["more"] or "")) if v]
    if len(found) > 1 and (many := re.search(rf"({_NUM})(?:个|只|条|位|匹|头)", c.plain)):
        # one memory says it all, so each fact has the words of the whole
        yield c.fact(
            f"count:{relation(m['r'])}", many[1], kind=Kind.FACT, importance=HIGH, single=True, entities=tuple(found)
        )
        for n in found:
            yield replace(_related(c, m["r"], n), single=False)
        return
    for n in found:
        text = None if len(found) == 1 else f"用户的{m['r']}叫{n}。"
        yield replace(_related(c, m["r"], n, text), single=False)


@rule(
    rf"^我(?:们)?(?:家)?(?:里)?(?:还|也|现在|只|总共|一共)*(?:有|领?养了?|收养了?|买了|捡了)(?P<n>{_NUM})?(?:个|只|条|位|匹|头)(?P<d>[^，,]{{0,6}}?的?)?(?P<r>{RELATION})(?P<more>[，,:：（(是].*)?$",
    rf"^我(?:们)?(?:是|就)?(?P<n>有)(?P<d>)(?P<r>{RELATION})(?P<more>)$",
)
def has(m: Found, c: Clause) -> Iterator[Fact]:
    """我有两个孩子。"""
    n = (m["n"] or "一").replace("有", "一")
    yield c.fact(
        f"count:{relation(m['r'])}",
        n,
        kind=Kind.FACT,
        importance=HIGH,
        single=n not in {"一", "1"},
        sensitivity=0 if PETS.search(m["r"]) else 1,
    )
    for each in re.findall(r"叫([^，,、和叫]{1,4})", m["more"] or ""):  # 大的叫安安，小的叫乐乐：一条记忆
        yield replace(_related(c, m["r"], each), single=False)


@rule(
    rf"^(?P<v>{_NAME})(?:就)?是我(?:们)?(?:的)?(?:家的)?(?P<r>{RELATION})$",
    rf"^这是我(?:的)?(?P<r>{RELATION})[，,]?(?:叫)?(?P<v>{_NAME})$",
)
def is_named(m: Found, c: Clause) -> Iterator[Fact]:
    """小红是我妹妹。"""
    value = core(m["v"])
    if not _bad(value) and not re.match(r"(?:这|那|它|谁|今天|明天|最)", value):
        yield _related(c, m["r"], value, f"用户的{m['r']}叫{value}。")


_PASSING = re.compile(
    rf"我们?家?的?(?P<r>{RELATION})(?P<n>[阿老小大][\u4e00-\u9fff]|[{SURNAMES}][\u4e00-\u9fff]{{1,2}})(?=[是在还也又说要喜爱不都和已最抢把给住有会被让，,。]|$)"
)


def in_passing(c: Clause, found: list[Fact]) -> Iterator[Fact]:
    """我们经理老王抢了功劳：不管他做了什么，经理叫老王。"""
    shadow = simplified(c.plain)
    for m in _PASSING.finditer(shadow):
        name = c.plain[m.start("n") : m.end("n")]
        if not any(name in (f.value, *f.entities) or f"{m['r']}{name}" in f.slot for f in found):
            plain = replace(c, denied=False, ended=False)
            told = f"用户的{m['r']}叫{name}。"
            yield replace(_related(plain, m["r"], name, told), when=None, single=False, holds=True)


_SAYS = {
    "birthday": r"生日",
    "age": r"岁|^(?:今年|才|已经)*[\d一二两三四五六七八九十]+个月",
    "home": r"(?:住在?|定居|搬到)",
    "job": r"^(?:现在)?(?:是|当|做).*(?:师|员|生|老板|经理|医生|护士|老师|司机|家|律师|会计|教授|警察|演员|工|的)$",
    "employer": r"在.+(?:工作|上班)",
    "study": r"(?:上大学|读书|上学|上小学|上初中|上高中|读研|读博|专业)",
    "allergy": r"过敏",
    "like": r"(?:喜欢|爱|讨厌|迷|怕|[吃喝抽])",
    "skill": r"(?:会|擅长)",
    "life": r"(?:去世|过世|走了|病|结婚|离婚|怀孕|生了|毕业|住院|手术|退休)",
    "what": r"^是",
}


@rule(
    rf"^我(?:们)?(?:家)?(?:的)?(?P<r>{RELATION})(?P<n>(?![的也都才今现已还很特最一刚从平其不是有在对会养当做上读])[\u4e00-\u9fff]{{2,3}}?(?=(?:也|才|今年|已经|现在|还|都|很|特别|最)*(?:喜欢|爱|讨厌|怕|住在|对|是|在|会|有|\d|[一二两三四五六七八九十]{{1,3}}(?:岁|个月)|不[吃喝])))?(?P<p>(?:也|都|才|还|现在|今年|很|非常|特别|最|的|一直|已经|刚|从小|平时|其实|不|是)*(?:是|有|喜欢|爱|讨厌|怕|会|住|在|对|[吃喝抽]|生日|\d+岁|[一二两三四五六七八九十]{{1,3}}岁|[一二两三四五六七八九十\d]{{1,2}}个月大?|去世|过世|走了|病了|结婚|离婚|怀孕|毕业|退休|住院|搬到|养|属|叫我|擅长|生了|做|当|上|读|[\u4e00-\u9fff]{{0,3}}过敏).*|(?:的生日).*)$"
)
def about(m: Found, c: Clause) -> Iterator[Fact]:
    """我妈妈对花粉过敏：这是关于妈妈的。"""
    rel, rest = relation(m["r"]), m["p"]
    if (
        re.search(r"(?:在[^，,]{0,6}(?:吵|闹|睡|吃饭|玩|等|路上)|很?(?:烦|生气|开心|累)$|说|问|告诉)", rest)
        and not c.when
    ):
        return
    if c.when and c.when.grain != "year" and not c.when.over(c.at) and "生日" not in rest:
        yield c.fact(f"event:{relation(m['r'])}", c.plain, kind=Kind.TODO, due=True)
        return
    what = next((k for k, p in _SAYS.items() if re.search(p, rest)), "")
    if not what:
        return
    who = f"{rel}{m['n']}" if m["n"] else rel
    value = re.sub(
        r"^(?:也|都|现在|今年|很|非常|特别|最|一直|已经|刚|的|从小|平时)*(?:不)?(?:是|喜欢|爱|讨厌|会|住在?|在|对|生日是?)?",
        "",
        rest,
    )
    told = c.third(c.plain) if what == "age" else None
    if what == "birthday" and c.when and c.when.grain == "day":
        value = f"{c.when.at.month}月{c.when.at.day}日"
        told = f"用户的{m['r']}的生日是{value}。"
    yield c.fact(
        f"about:{who}:{what}",
        core(value),
        told,
        kind=Kind.FACT,
        importance=HIGH if what in {"birthday", "allergy", "life"} else MEDIUM,
        single=what in {"birthday", "age", "home", "job", "employer", "study"},
        entities=((m["n"],) if m["n"] else ()) + names(c.third()),
        sensitivity=0 if PETS.search(m["r"]) else 1,
    )


@rule(rf"^我们?家?(?:的)?(?P<r>{RELATION})(?P<p>.{{1,30}})$")
def coming(m: Found, c: Clause) -> Iterator[Fact]:
    """我妈妈下周来看我：一件要来的事。"""
    if c.when and not c.when.over(c.at) and re.search(r"来|到|回|去|要|生日|结婚|手术|考试|出生|过", m["p"]):
        yield c.fact(f"event:{relation(m['r'])}", c.plain, kind=Kind.TODO, due=True)
