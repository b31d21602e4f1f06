"""How the companion listens to what it learns nothing from: what it reminds of, an echo, a word to go on."""

from __future__ import annotations

import re

from bot.llm.companion.asker import STOP, Asker
from bot.llm.companion.knowledge import Item
from bot.llm.companion.person_en import you_me as you_me_en
from bot.llm.companion.person_zh import you_me as you_me_zh
from bot.llm.companion.telling import lower_first
from bot.llm.companion.text import CJK, pick, sentences, simplified, words


def heard(a: Asker, text: str) -> str:
    """Something told: what it reminds of, or its own words turned round, and a question to go on."""
    near = [i for s, i in a.know.near(text, STOP) if s >= 1 and not i.past and i.faded < 2 and not i.fresh]
    if near and _fits(near[0], text):
        return (
            a.say("That reminds me: ", "这让我想起：")
            + a.tell(near[0])
            + a.say(" Does it have to do with that?", "和这个有关吗？")
        )
    said = sentences(text)
    body = re.sub(r"[\s,]{1,9}(?:lol|haha+|tbh|ugh|btw|哈+)$|哈+$", "", said[-1].text if said else text, flags=re.I)
    if a.lang == "zh":
        turned = you_me_zh(body)
        echo = f"{turned}？" if 2 < len(turned) <= 18 and "你" in turned else ""
        if not echo and not _TALE.search(simplified(text)):
            return pick(_ON_ZH if len(text) > 4 else _WHAT_ZH, text, a.turn)
        return echo + pick(_TOLD_ZH if _PAST_ZH.search(text) else _NOW_ZH, text, a.turn)
    if len(body.split()) == 1 and len(said) < 2:
        return a.say(f"“{body[:40]}”? I'm not sure I follow. Could you say a little more?", "")
    turned = you_me_en(body)
    echo = (
        f"So {lower_first(turned).rstrip('.')}. "
        if 2 < len(turned.split()) <= 12
        and re.match(r"(?:you|your|it|the|there|my)\b", turned, re.I)
        and re.search(r"\byou", turned, re.I)
        else ""
    )
    if not echo and not _TALE.search(text):
        return pick(_ON_EN if len(text.split()) > 2 else _WHAT_EN, text, a.turn)
    return echo + pick(_TOLD_EN if _PAST_EN.search(text) else _NOW_EN, text, a.turn)


# How one listens on: to what happened, to what is so, and to what was not understood.
_TOLD_EN = ("Tell me more.", "How was that for you?", "What happened then?")
_NOW_EN = ("Tell me more.", "I'm listening.", "How is that for you?")
_ON_EN = ("I see. Go on?", "I'm listening; tell me more.", "Mm. What else?")
_WHAT_EN = (
    "I'm not sure I understood that. What do you mean?",
    "I don't quite follow. Could you put it another way?",
)
_TOLD_ZH = ("后来呢？", "愿意多说一点吗？", "那你是什么感觉？")
_NOW_ZH = ("愿意多说一点吗？", "我听着呢。", "嗯，然后呢？")
_ON_ZH = ("嗯，我听着呢，再多说一点？", "这样啊，愿意多说一点吗？", "嗯，还有呢？")
_WHAT_ZH = ("这句我没太听懂，能换个说法吗？", "我不太确定你的意思，能多说一点吗？")
_PAST_EN = re.compile(
    r"\b(?:was|were|did|had|went|got|came|took|said|told|made|saw|lost|broke|yesterday|last|ago|\w{3,}ed)\b", re.I
)
_PAST_ZH = re.compile(r"[了过]|昨|前天|上周|去年|刚才|那天")
_TALE = re.compile(r"\b(?:i|we|my|our|me|us|he|she|they|his|her|their)\b|我|咱|他|她", re.I)


def _fits(item: Item, text: str) -> bool:
    shared = (words(text) & words(item.text)) - STOP
    return any(len(w) > 3 or CJK.search(w) for w in shared)
