# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Chinese statements, sentence by sentence: every clause through the tables, then denials and bare corrections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from bot.llm.companion import habits_zh, health_zh, people_zh, plans_zh, self_zh, taste_zh, work_zh
from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.clauses_zh import clauses
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import RELATION, core
from bot.llm.companion.text import simplified
from memory.models import Kind

TABLES: tuple[Rules, ...] = tuple(
    m.rule for m in (people_zh, self_zh, work_zh, health_zh, habits_zh, plans_zh, taste_zh)
)
_NO = re.compile(
    r"(?:已经|再也|现在|早就|早已)*(?:不再|不是|没有|不|没)(?=是|喜|爱|住|在|做|当|叫|吃|喝|抽|对|养|有|讨|怕|会|学|用|玩|想|打算|在|了)?"
)
_ENDED = re.compile(
    r"(?:不再|再也不|已经不|早就不|早已不|现在不|不(?:喜|爱|住|在|做|当|吃|喝|抽|讨|怕|学|用|玩|想|是|养|对|去|打算|怎么|太|单身|过敏).*了$|(?:没有?).*了$|不(?:素食|单身)了$|不.{0,12}过敏了$)"
)
_BARE = re.compile(
    r"^(?:它|他|她|那|这|正确的|答案|名字)?(?:应该)?(?:而?是|叫|在|住|改成|换成)?(?:叫|在)?(?P<v>[^，,]{0,20})$"
)
_COMPANY = re.compile(
    rf"^我(?:和|跟|与)(?:我的?)?(?:{RELATION}|家人)(?:们)?(?:[、和]{RELATION})?(?:一起|都|现在)*(?=住|在|搬|定居|有|养|打算|计划|准备)"
)
_NOT_BARE = re.compile(
    r"^(?:我|你|不|没|好|对|是的|嗯|行|可以|谢|什么|怎么|真|算了|没事|一样|这样|那样|的|吧|啊|哦|还|很|太|都|也)|^$"
)


def _ended_form(c: Clause) -> Clause | None:
    """我不喜欢拉面了 → 我喜欢拉面, marked as ended."""
    shadow = simplified(c.text)
    if not re.match(r"^(?:[\ue100-\ue13f])*我", shadow) or not _ENDED.search(shadow):
        return None
    if re.search(r"不得了|受不了|少不了|忘不了|离不开|不会忘|大不了", shadow):
        return None
    m = _NO.search(shadow)
    if not m:
        return None
    inner = (
        "是"
        if m[0].endswith("不是")
        else "有"
        if m[0].endswith("没有") or (m[0].endswith("没") and shadow[m.end() : m.end() + 1] != "有")
        else ""
    )
    positive = c.text[: m.start()] + inner + c.text[m.end() :]
    positive = re.sub(r"[了啦]+$", "", positive)
    positive = re.sub(r"我(?:已经|再也|现在|早就|早已)+", "我", positive)
    return replace(c, text=positive, ended=True, extra={**c.extra, "say": c.text})


def _denied_form(c: Clause) -> Clause | None:
    """我没有车；我不是医生 → the positive, marked as denied."""
    shadow = simplified(c.text)
    m = re.match(r"^我(?:现在|目前|也|还|又|从来|其实|并)*(?P<no>不是|没有|没|不)", shadow)
    if not m:
        return None
    no = m["no"]
    body = c.text[m.end() :]
    if no == "没有" and body[:1] not in "养去学":
        positive = f"我有{body}" if body[:1] in "一个两车猫狗孩兄弟姐妹女男哥对" else f"我{body}"
        if body[:1] in "车猫狗":
            positive = f"我有一{'辆' if body[:1] == '车' else '只'}{body}"
    else:
        positive = f"我{'是' if no == '不是' else ''}{body}"
    return replace(c, text=positive, denied=True, extra={**c.extra, "say": c.text})


_TIMES = r"(?:半|[一两二三四五六七八九十百几多\d]+)(?:多|来|几)?个?(?:年|月|周|星期|礼拜|学期|辈子)(?:多|半)?"
_LASTING = (
    (
        re.compile(
            rf"(?<=[\u4e00-\u9fffA-Za-z]{{3}})了?(?:已经|都|也|快|有|差不多|将近|快要|整整)*{_TIMES}(?:了|啦)*$"
        ),
        "",
    ),
    (re.compile(rf"(?<=[做当教学干开])(?:了|过)?(?:快|差不多|将近|整整)*{_TIMES}的?(?=[\u4e00-\u9fffA-Za-z])"), ""),
    (re.compile(r"(?P<v>[学教练做弹])(?P<o>[^，,]{1,8})(?P=v)$"), r"\g<v>\g<o>"),
)


def _lasting(c: Clause) -> Clause | None:
    """我当老师十年了、学钢琴学了五年: without how long, which its words keep."""
    text = c.text
    for pattern, by in _LASTING:
        shadow = simplified(text)
        if m := pattern.search(shadow):
            text = f"{text[: m.start()]}{m.expand(by)}{text[m.end() :]}"
    return replace(c, text=text, extra={**c.extra, "say": c.extra.get("say", c.text)}) if text != c.text else None


def _read(c: Clause) -> list[Fact]:
    for table in TABLES:
        if found := table.read(c):
            return found
    return []


def _bare(c: Clause) -> Iterator[Fact]:
    """不是北京，是上海：改的是哪一条，要在已知的里面找。"""
    plain = c.plain
    m = _BARE.match(simplified(plain))
    value = core(plain[m.start("v") : m.end("v")]) if m else ""
    if c.when and (not value or value in {"是", "在"}):
        yield Fact("", "zh", "?", "", when=c.when, corrects=True, instead_of=c.fill(c.instead_of))
    elif value and len(value) <= 12 and not _NOT_BARE.match(simplified(value)):
        yield Fact("", "zh", "?", value, when=c.when, corrects=True, instead_of=c.fill(c.instead_of))


_MIXED = {
    "boss": "老板", "leader": "领导", "mentor": "导师", "bf": "男朋友", "boyfriend": "男朋友", "gf": "女朋友", "girlfriend": "女朋友",
    "mom": "妈妈", "mum": "妈妈", "dad": "爸爸", "sister": "姐妹", "brother": "兄弟", "wife": "老婆", "husband": "老公", "love": "爱", "like": "喜欢",
    "meeting": "会议", "deadline": "截止日期", "interview": "面试", "presentation": "演示", "cat": "猫", "dog": "狗",
}  # fmt: skip


def _one_tongue(sentence: str) -> str:
    """我的 boss 叫 Kevin → 我的老板叫Kevin."""
    text = re.sub(
        r"\s{0,9}(?<![A-Za-z])("
        + "|".join(_MIXED)
        + r")(?![A-Za-z])\s{0,9}(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff个])(\s{0,9})(meeting|interview|deadline|presentation)\b",
        lambda m: _MIXED[(m[1] or m[3]).lower()],
        sentence,
        flags=re.I,
    )
    return re.sub(r"(?<=[\u4e00-\u9fff])\s{1,9}(?=[A-Za-z])|(?<=[A-Za-z])\s{1,9}(?=[\u4e00-\u9fff])", "", text)


def _in_first_person(cut: Clause, sentence: str) -> Clause:
    """我们 and 我和老婆 are 我 to the rules; what is kept says it as it was said."""
    text = re.sub(r"^(?:我们|我們|咱们|咱們|咱|本人|俺)(?!家)", "我", cut.text)
    old = re.sub(r"(?:工作|上班|生活|居住)$", "", cut.fill(cut.instead_of))
    c = replace(cut, text=text, extra={"source": sentence}, instead_of=old)
    if m := _COMPANY.match(simplified(text)):
        return replace(c, text="我" + text[m.end() :], extra={"source": sentence, "say": text})
    return c


def facts(sentence: str, at: datetime, *, corrects: bool = False) -> list[Fact]:
    """What a Chinese sentence, said at `at` (local, naive), states."""
    out: list[Fact] = []
    sentence = _one_tongue(sentence)
    for cut in clauses(sentence, at, corrects=corrects):
        c = _in_first_person(cut, sentence)
        turned = _ended_form(c)
        found = [f for f in _read(turned) if f.kind not in {Kind.CONTEXT}] if turned else []
        found = found or _read(c) or ((short := _lasting(c)) and _read(short)) or []
        if not found and (negative := _denied_form(c)):
            found = [f for f in _read(negative) if f.kind not in {Kind.TODO, Kind.CONTEXT, Kind.GOAL}]
        if not found and (c.corrects or c.instead_of):
            found = list(_bare(c))
        out += [*found, *people_zh.in_passing(c, found)]
    return out


def corrects_only(sentence: str) -> bool:
    """不对。你记错了。: what follows is a correction, and alone it takes back what was said."""
    return not re.search(r"不错", simplified(sentence)) and bool(
        re.fullmatch(
            r"(?:不|不对|不是|错了?|不是这样的?|不是的|你?(?:记|说|搞|弄)错了|这?那?(?:个|条)?(?:是)?(?:不对|错的|假的|不是真的|不正确|有误)|我说错了|更正(?:一下)?|纠正(?:一下)?|我(?:从来)?没(?:有)?(?:这么|这样)?说过(?:这话|这个|这样的话)?|抱歉|不好意思|其实|等等|[，,。!！\s啊哦了吧呀])+",
            simplified(sentence.strip()),
        )
        and re.search(r"不|错|正|没|其实|等等|抱歉", simplified(sentence))
    )
