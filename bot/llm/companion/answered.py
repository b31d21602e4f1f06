# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Short answers to a question the assistant asked: "Anna" after "What's your name?" states "My name is Anna"."""

from __future__ import annotations

import re

from bot.llm.companion.lists_en import RELATION as EN_RELATION
from bot.llm.companion.lists_zh import RELATION as ZH_RELATION
from bot.llm.companion.speech import asks, statements
from bot.llm.companion.text import CJK, clean, sentences
from memory.text.dates_zh import NUMBER

_EN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(p, re.I), whole)
    for p, whole in (
        (
            r"what(?:'s| is) your name|what should I call you|what may I call you|who am I (?:talking|speaking) (?:to|with)",
            "My name is {}",
        ),
        (r"where do you live|where are you (?:living|based)", "I live in {}"),
        (r"where are you from|where did you grow up", "I am from {}"),
        (r"how old are you", "I am {} years old"),
        (r"how old is \w+", "It is {} years old"),
        (r"when(?:'s| is) your birthday", "My birthday is {}"),
        (r"what do you do(?: for (?:a living|work))?\s{0,9}\?|what(?:'s| is) your job", "I work as {}"),
        (r"where do you work", "I work at {}"),
        (r"what(?:'s| is) your favou?rite (?P<x>[\w ]{1,9})\?", "My favourite {x} is {}"),
        (rf"what(?:'s| is) (?:your )?(?P<x>{EN_RELATION})(?:'s name| called)", "My {x} is called {}"),
        (r"(?:are you allergic to anything|what are you allergic to|any allergies)", "I am allergic to {}"),
        (r"what (?:kind of food |food |music )?do you like\b", "I like {}"),
    )
)
_ZH: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(p), whole)
    for p, whole in (
        (r"怎么称呼你|你叫什么|你的名字是|称呼你", "我叫{}"),
        (r"你住在?哪|你在哪(?:里|儿|个城市)", "我住在{}"),
        (r"你是哪里人|你来自哪|老家是?在?哪", "我来自{}"),
        (r"你(?:今年)?多大|你几岁", "我今年{}岁"),
        (r"[^你]多大了?|几岁了?", "它{}岁"),
        (r"你(?:的)?生日是", "我的生日是{}"),
        (r"你(?:是)?做什么(?:工作)?的|你的(?:工作|职业)是", "我是{}"),
        (r"你在哪(?:里|儿)?(?:工作|上班)", "我在{}工作"),
        (r"你最喜欢的(?P<x>[^是，,？?]{1,8})是", "我最喜欢的{x}是{}"),
        (rf"你?的?(?P<x>{ZH_RELATION})叫什么", "我{x}叫{}"),
        (r"对什么过敏|有什么过敏|有没有.{0,6}过敏", "我对{}过敏"),
        (r"(?:你)?(?:平时)?喜欢(?:吃|做|听|看)?什么", "我喜欢{}"),
    )
)
_LIKE_A_NAME = re.compile(
    r"(?:(?:it's|it is|just|叫|是)\s{0,9})?(?:[a-zA-ZÀ-ɏ][\wÀ-ɏ'.-]*(?: (?:de|van|von|der|del|la|bin|al|[A-ZÀ-Þ][\w'.-]*)){0,3}|[a-z]+ [a-z]+"
    r"|(?!.*[了吗呢的在有没不很最今又太想要喜做去来说好是把被就还])[\u4e00-\u9fff·]{1,5})"
)
_YEARS = re.compile(
    rf"^(?:about |around |almost |nearly |just |just turned |快|刚|刚满|今年|已经|才|大概){{0,9}}({NUMBER}|\d+|[a-z]+(?:-[a-z]+)?)(?: ?(?:years?|yrs?)(?: old)?| ?岁)?[了吧呢]*$",
    re.I,
)
_NO_ANSWER = re.compile(
    r"^(?:yes|yeah|yep|no|nope|none|nothing|nowhere|never|i don't know|idk|dunno|not sure|secret|why|guess|hm+|ok(?:ay)?|sure|thanks?|thank you|hi|hello|hey|bye|good|fine|great|it depends|later|maybe|"
    r"not telling|none of your business|please|stop|help|skip|next|you|same|cool|nice|wow|lol|haha+|"
    r"是|不是|没有|不|嗯|好|不知道|秘密|为什么|你猜|算了|随便|谢谢|你好|再见|哈+|无|没|都行|保密|不告诉你|不想说|以后再说)\b",
    re.I,
)


def completed(text: str, question: str) -> str:
    """`text` as a whole statement, if it is a bare answer to what the assistant asked; else as it is."""
    said = sentences(clean(text))
    if len(said) != 1 or not question or asks(said[0]) or not statements(text):
        return text
    bare = said[0].text
    zh = bool(CJK.search(question))
    if (
        _NO_ANSWER.match(bare)
        or len(bare) > (12 if CJK.search(bare) else 40)
        or len(bare.split()) > 4
        or re.search(r"\b(?:I|I'm|my|it's|you)\b|我|你", bare, re.I)
    ):
        return text
    last = re.split(r"(?<=[.!。！])\s{0,9}", question.strip())[-1]
    for pattern, whole in _ZH if zh else _EN:
        if m := pattern.search(last):
            if ("name is" in whole or whole in {"我叫{}", "我{x}叫{}"}) and not _LIKE_A_NAME.fullmatch(bare):
                return text
            x = m.groupdict().get("x") or ""
            if "years old" in whole or "岁" in whole:
                years = _YEARS.match(bare)
                if not years:
                    return text
                bare = years[1]
            if whole == "I work as {}":
                bare = re.sub(r"^(?:an? |the )", "", bare)
            return whole.replace("{x}", x).replace("{}", bare)
    return text
