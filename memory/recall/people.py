"""Whom a text is about: names by their form, whether or not any memory has them as an entity; and oneself. Pure.

"What car do I drive?" is not answered by a friend's car, nor "When is Carmen's birthday?" by Noor's.
"""

# ruff: noqa: E501, SIM905 - lists of words are read line by line
from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.embed.features import stem
from memory.recall.vocabulary import CAPITAL, COMMON_EN, COMMON_ZH, SOCIAL

OWN: Final = re.compile(r"\b(?:user|i|me|my|mine|myself|we|us|our|i'm|i've|i'd)\b|用户|[我咱]", re.IGNORECASE)
# What begins a sentence is a name if somebody does something: "Ines gave up", not "Please keep", "Every year", "Lessons in".
_FIRST: Final = re.compile(
    r"^([A-Z][a-z]{2,})(?:'s\b|(?= (?:and [A-Z]|(?:is|was|will|would|can|can't|could|couldn't|did|didn't|may|might|must|never|always"
    r"|still|also|just|got|went|gave|took|came|told|said|made|bought|sold|sent|spoke|wrote|read|ran|left|lent|found|felt|saw|met"
    r"|kept|brought|grew|sat|stood|began|fell|forgot|paid|put|drove|flew|ate|drank|slept|lost|won|thought|knew|hurt|let|set|swore"
    r"|taught|sang|swam|rode|wore|broke|chose|\w+(?:s|ed))\b)))"
)
_THING: Final = re.compile(r"(?:the|this|that|these|those|there|it)\b|[这那]", re.IGNORECASE)
_POSSESSED: Final = re.compile(r"\b([A-Z][a-z]+)'s\b")
_SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱林郭罗梁宋郑谢韩唐冯董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪范姚谭廖邹熊"
    "陆郝孔崔邱秦侯邵孟段钱汤尹黎贺顾龚万覃武乔赖庞樊兰殷施陶洪翟颜倪严牛温芦季章鲁葛伍柳岳齐梅庄辛管祝左谷耿牟卜詹关苗凌费靳盛"
)
_NAME_ZH: Final = re.compile(f"(?=([小老阿][\u4e00-\u9fff]|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}))")
_INSIDE: Final = frozenset(
    "的了着过吗呢吧啊是在有和与跟及也都还就又很太不没这那哪个些把被让给对从到为以于要想说请谁几什么怎喜爱去来住做会能最上下前后里外家名字生工年月日号点岁"
)
_NOT_NAMES: Final = (
    frozenset(
        """周末 周一 周二 周三 周四 周五 周六 周日 周围 周年 周期 黄色 黄金 黄昏 林子 程度 程序 许多 曾经 夏天 钟头 钟表 叶子 余下 苏打 罗列
        龙虾 钱包 钱财 汤圆 万一 武术 关系 关于 关心 关注 温度 温暖 严重 严格 季节 章节 管理 祝福 祝贺 左右 左边 凌晨 费用 盛大 施工 洪水
        颜色 梅花 庄园 辛苦 谷歌 牛奶 牛肉 齐全 柳树 小时 小说 小孩 小吃 小心 小学 小区 小组 老师 老板 老家 老公 老婆 老人 老妈 老爸 阿姨
        小猫 小狗 马上 白天 高兴 方便 张开 陈述 杨梅 胡子 胡萝 朱红 郭外 宋代 唐代 唐诗 韩国 韩语 谢谢 许可 孔雀 秦朝 汪汪 范围 夏季""".split()
    )
    | COMMON_ZH
    | SOCIAL
)
_NO_NAMES: Final = frozenset(
    (
        "The This That What When Where Which Who Why How And But For Has Had His Her Its Our Their They There Here Let She It He"
        " January February March April May June July August September October November December Monday Tuesday Wednesday"
        " Thursday Friday Saturday Sunday Christmas Easter English Chinese User"
    ).split()
)
_COMMON: Final = COMMON_EN | SOCIAL


@lru_cache(maxsize=8192)
def named(text: str) -> frozenset[str]:
    """Names of people and what looks like one: a capital that no sentence gave, a Chinese surname and what follows."""
    found = {m.group() for m in CAPITAL.finditer(text)} | {m[1] for m in _POSSESSED.finditer(text)}
    if (first := _FIRST.match(text)) is not None and stem(first[1].casefold()) not in _COMMON:
        found.add(first[1])
    for m in () if text.isascii() else _NAME_ZH.finditer(text):  # every candidate of every question comes by here
        name = m[1]
        end = next((i for i, c in enumerate(name) if i and c in _INSIDE), len(name))
        if end > 1 and name[:2] not in _NOT_NAMES:
            found.add(name[:end])
    return frozenset(found - _NO_NAMES)


def about(asked_for: frozenset[str], text: str) -> float:
    """0 … 1: the share of these names that the text has. A Chinese name may have caught the character after it."""
    if not asked_for:
        return 0.0
    return sum(n in text or (n > "\u3000" and len(n) == 3 and n[:2] in text) for n in asked_for) / len(asked_for)


@lru_cache(maxsize=8192)
def own(text: str) -> float:
    """1 if it is about its speaker, −1 if about somebody else alone, 0 if it does not say.

    A note has no subject where that is the speaker; who else it is about is named at its beginning.
    """
    if OWN.search(text):
        return 1.0
    if any(text.startswith(name) for name in named(text)):
        return -1.0
    return 0.0 if _THING.match(text) else 1.0
