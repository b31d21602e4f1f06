"""What a message looks for, without the words that only say how: "list all my …", 给我讲讲……, "before", 目前. Pure.

They say what is to be done with the answer, or of which time it is; a memory that happens to have them is no answer.
"""

# ruff: noqa: E501, SIM905 - a table of patterns is read line by line
from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.recall.patterns import phrases

_BEGINS: Final = r"(?:^|(?<=[.!?;:,。！？；：，、\n]))\s{0,9}"
_POLITE: Final = r"(?:(?:please|so|and|but|ok|okay|well|hey|now|just|also|(?:can|could|would|will) you|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to)\b,?\s{0,9})*"
_INSTRUCTS: Final = phrases(
    rf"{_BEGINS}{_POLITE}(?:tell me|remind me|let me know|show me|give me|list(?: me)?|enumerate|summari[sz]e|recap|sum up|describe|recall"
    r"|(?:run|walk) me through|go over|help me (?:to )?(?:remember|recall)|(?:name|find|find out|look up)(?= (?:all|every\w*|each|what|where|when|who|which|how|the \w+s\b|two|three|four|five|\d)))\b"
    r"(?:\s{1,9}(?:again|(?:an?|the|some|your|full|complete|short|brief|quick|detailed|whole)\b|lists?|summary|overview|recap|rundown|details?|information|info|all|every|each|everything|anything"
    r"|whatever|there is|you (?:know|have|remember)|what you (?:know|have|remember)|of|about|on|regarding))*(?=\W|$)"
    r"|\b(?:everything|anything|all) (?:that )?you (?:know|remember|have)\b|\bone by one\b|\bin (?:short|a few words)\b|\bif you (?:can )?(?:remember|know|can)\b"
    r"|(?<=[.,!?;] )(?:please )?(?:list|name|give me|tell me|show me) (?:all of )?(?:them|it|those)\b(?: all)?"
    rf"|{_BEGINS}(?:请|麻烦你?|帮我|给我|跟我|和我|你|能不能|可不可以|可以|能|再|来|简单|简要|大概|详细)*(?:列出来?|列举|列一?[下个]|列列|罗列|说说|说一[说下]|讲讲|讲一[讲下]|谈谈|谈一[谈下]|聊聊|介绍(?:一下)?|总结(?:一下|下)?"
    r"|概括(?:一下)?|汇总(?:一下)?|梳理(?:一下)?|整理(?:一下)?|回忆(?:一下)?|告诉我|提醒我|数一?数|盘点(?:一下)?)(?:你(?:知道|记得|了解)的?)?(?:所有|全部|一切)?(?:的|关于|有关)*"
    r"|(?:都|全|全部|一一|逐一|逐个|统统|给我|帮我)*(?:列出来|列一[下列]|说一[遍下]|讲一[遍下]|报一遍|数一[遍下]|总结一下|说给我听|告诉我)(?=[。.!！?？，,]|$)",
    re.IGNORECASE,
)
_OF_WHICH_TIME: Final = phrases(
    r"\bbefore (?:that |it |the |this )?(?:changed?|changes|changing)\b|\bbefore(?=\s{0,9}(?:[?.!,;]|$))|\b(?:previously|formerly|earlier|currently|nowadays|presently)\b"
    r"|\b(?:in the past|back then|these days|at the moment|at present|right now|any ?more)\b"
    r"|(?<=what )(?:(?:has|have|is|was) )?(?:changed|different)\b|(?<=what's )(?:changed|different)\b|\b(?:has|have) (?:any|some)thing changed\b"
    r"|以前|过去|曾经|从前|当年|原来|原先|原本|早先|先前|此前|之前|目前|如今|眼下|当下|现在|现今"
    r"|(?:有(?:什么|哪些|没有|啥)|发生了?(?:什么|哪些))(?:变化|改变|变动|不同|不一样)|变了(?=[什没吗哪])",
    re.IGNORECASE,
)


# Neither is looked for in a text that has none of its words, or characters.
_LATIN: Final = re.compile("[a-z]+")
_HOW: Final = frozenset(
    "tell remind let show give list enumerate summarise summarize recap sum describe recall run walk go help name find look"
    " everything anything all one in if 列 说 讲 谈 聊 绍 总 概 汇 梳 整 忆 告 醒 数 盘 报".split()
)
_WHEN: Final = frozenset(
    "before previously formerly earlier currently nowadays presently past then these moment present right any anymore changed"
    " different 以 过 曾 从 当 原 早 先 此 之 目 如 眼 现 化 改 变 不".split()
)


@lru_cache(maxsize=64)
def content(text: str) -> str:
    """The text without its instruction; as it is where nothing else would be left."""
    left = _INSTRUCTS.sub(" ", text)
    return left.strip() if any(c.isalnum() for c in left) else text


@lru_cache(maxsize=512)
def sought(text: str) -> str:
    """The text without what says how or of which time; as it is where nothing else would be left."""
    seen = set(text)
    seen.update(_LATIN.findall(text.lower()))
    left = text if seen.isdisjoint(_HOW) else _INSTRUCTS.sub(" ", text)
    if not seen.isdisjoint(_WHEN):
        left = _OF_WHICH_TIME.sub(" ", left)
    return left if left is text or any(c.isalnum() for c in left) else text
