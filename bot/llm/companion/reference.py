# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Whom a sentence speaks of: `Its name is Rex` after `I got a dog`, 名字叫豆豆 after 我家有只狗."""

from __future__ import annotations

import re

from bot.llm.companion.lists_en import PETS as EN_PETS
from bot.llm.companion.lists_en import RELATION as EN_RELATION
from bot.llm.companion.lists_zh import PETS as ZH_PETS
from bot.llm.companion.lists_zh import RELATION as ZH_RELATION
from bot.llm.companion.text import CJK, simplified

_LEAD = r"(?:and |but |oh,? |so |also |well,? )*"
_NUMBER_EN = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty)"
)
_HE = re.compile(
    rf"^{_LEAD}(?P<who>he|she|it|they)(?P<is>'s| is|'re| are| has| have| was| likes?| loves?| hates?| lives?| works?| stud(?:y|ies)| plays?| just| also| enjoys?| speaks?| turned| turns| can| teaches| owns?| moved| got| does| died| passed| adores?| prefers?)\b",
    re.I,
)
_HIS = re.compile(
    rf"^{_LEAD}(?P<who>his|her|its|their|the)(?P<is>) (?=names?\b|birthday\b|job\b|age\b|favou?rite\b)", re.I
)
_NAMED = re.compile(
    rf"^{_LEAD}(?:(?:I|we|everyone|they) (?:call(?:ed)?|named?)(?: (?P<who>him|her|it|them))?|names? ?(?:'s|is|are|:)|named|called) (?=(?-i:[A-ZÀ-Þ]))",
    re.I,
)
_AGED = re.compile(
    rf"^{_LEAD}(?:now |just |only |already )?(?={_NUMBER_EN}(?: and a half)? (?:years?|months?|weeks?|yrs?)(?: old)?$)",
    re.I,
)
_WEATHER = re.compile(
    r"^\W{0,9}(?:and |but |so ){0,9}it(?:'s| is| was)\s{1,9}(?:been\s{1,9}|such\s{1,9}|quite\s{1,9}|really\s{1,9}|just\s{1,9}|not\s{1,9}|so\s{1,9}){0,9}(?:an? )?(?:\w+ )?"
    r"(?:days?|pity|shame|weather|time|idea|joke|raining|snowing|cold|hot|warm|sunny|late|early|true|ok(?:ay)?|fine|good|great|nice|\w+day|hard|easy|because|that|what|why|how|like|my|your|all|over|up)\b",
    re.I,
)
_WHO = re.compile(
    rf"\b(?:my|our) (?P<a>{EN_RELATION})\b(?!'s)|\b(?:have|has|had|got|adopted|bought|getting|own|raise) (?:an?|two|three|four|five|\d)? ?(?:[\w-]+ ){{0,4}}?(?P<b>{EN_RELATION})\b",
    re.I,
)
_PLURAL = re.compile(r"(?<!s)(?:s|children|people)$", re.I)

_TA = re.compile(
    r"^(?:而且|对了[，,]?|今年|现在|还有|)(?P<who>他|她|它)(?!们)(?=的?名字|的生日|叫|名|是|喜欢|爱|讨厌|住|在|今年|才|有|会|对|怕|刚|已经|特别|很|最|现在|平时|不|上|读|做|当|养|也?(?:很|最)?[\d一二两三四五六七八九十]+(?:个月|岁))(?P<de>的)?"
)
_CALLED = re.compile(
    r"^(?:它的|他的|她的)?(?:小?名字?(?:就)?(?:是|叫做?|取名)+|(?:就|我们|[一另大小]一?[个只条位]的?)?(?:叫做?|名叫|取名叫?|起名叫?)(?:它|他|她)?)(?!我|你|什么|啥|谁|大家|外卖|车|停|醒|人|做)"
)
_YEARS = re.compile(r"^(?:今年|已经|才|刚|快|现在)*(?=[\d一二两三四五六七八九十]{1,3}(?:个月|岁)(?:半|多|大)?了?$)")
_SHEI = re.compile(
    rf"(?:我们?家?里?的?|[一二两三][个只条位匹](?:[^，,。叫]{{0,4}}?)|[有养]了?[个只条位匹]?(?:[^，,。]{{0,6}}的)?)(?P<a>{ZH_RELATION})"
)

_FEMALE = re.compile(
    r"mother|mom|mum|sister|daughter|wife|girlfriend|aunt|grandm|niece|妈|姐|妹|女|妻|老婆|太太|奶奶|姨|姑", re.I
)
_MALE = re.compile(
    r"father|dad|brother|son\b|husband|boyfriend|uncle|grandp|grandf|nephew|爸|哥|弟|男|儿子|夫|老公|爷爷|叔|舅", re.I
)


def whom(sentence: str) -> frozenset[str]:
    """The people and animals of the user that a sentence brings up."""
    if CJK.search(sentence):
        return frozenset(m["a"] for m in _SHEI.finditer(simplified(sentence)))
    return frozenset((m["a"] or m["b"]) for m in _WHO.finditer(sentence))


def told_of(sentence: str, who: frozenset[str], *, own: bool = False) -> str:
    """The sentence with whom it speaks of in its words, where that is plain; as it is, where not.

    `own`: it stands in one message with what brought them up, so that `five years old` alone is said of them, too.
    """
    return _objects((_zh if CJK.search(sentence) else _en)(sentence, who, own=own), who)


def _en(text: str, who: frozenset[str], *, own: bool) -> str:
    m = _HE.match(text) or _HIS.match(text) or _NAMED.match(text) or (_AGED.match(text) if own else None)
    if not m or not who or _WEATHER.match(text):
        return text
    said = (m.groupdict().get("who") or "").lower()
    one = _one(who, said)
    if not one:
        return text
    rest = text[m.end() :]
    if m.re is _NAMED:
        return f"My {one} {'are' if _PLURAL.search(one) else 'is'} called {rest}"
    if m.re is _AGED:
        return f"My {one} is {rest}"
    if m.re is _HIS:
        return f"My {one}'s {rest}" if not one.endswith("s") else f"The {rest.replace(' is', f' of my {one} is', 1)}"
    verb = {"'s": " is", "'re": " are"}.get(m["is"].lower(), m["is"])
    return f"My {one}{verb}{rest}"


def _one(who: frozenset[str], said: str) -> str:
    """The only one of `who` that a pronoun can mean; empty if none, or several."""
    if said in {"they", "them", "their"}:
        fitting = {w for w in who if _PLURAL.search(w)}
    elif said in {"it", "its", "它"}:
        fitting = {w for w in who if EN_PETS.search(w) or ZH_PETS.search(w) or w == "baby"}
    else:
        wrong = _MALE if said in {"she", "her", "她"} else _FEMALE if said in {"he", "his", "him", "他"} else None
        fitting = {w for w in who if not (wrong and wrong.search(w)) and not (said and _PLURAL.search(w))}
    return fitting.pop() if len(fitting) == 1 else ""


def _zh(text: str, who: frozenset[str], *, own: bool) -> str:
    low = simplified(text)
    m = _TA.match(low) or _CALLED.match(low) or (_YEARS.match(low) if own else None)
    if not m or not who:
        return text
    said = m.groupdict().get("who") or next((c for c in m[0] if c in "他她它"), "")
    one = _one(who, said)
    if not one:
        return text
    if m.re is _TA:
        return f"我{one}{m['de'] or ''}{text[m.end() :]}"
    return f"我{one}叫{text[m.end() :]}" if m.re is _CALLED else f"我{one}{text[m.end() :]}"


_HIM = re.compile(
    r"\b(?:(?P<him>him|them)|(?P<her>her)(?=\s{0,9}(?:$|[,.!?]|(?:every|twice|once|three|on|in|at|to|for|from|after|before|about|very|so|a lot|tomorrow|next|this|today|tonight|and|but|because|when)\b)))(?!\w)",
    re.I,
)
_TA_OBJECT = re.compile(r"(?<=[给带喂遛找见看陪接送帮约问跟和叫教抱])(?P<ta>他|她|它)(?!们|的)")


def _objects(text: str, who: frozenset[str]) -> str:
    """`we feed him twice a day` → `we feed my dog twice a day`, where the sentence brings up nobody itself."""
    if not who or whom(text):
        return text
    if CJK.search(text):
        return _TA_OBJECT.sub(lambda m: _one(who, m["ta"]) or m[0], text)

    def one(m: re.Match[str]) -> str:
        found = _one(who, m[0].lower())
        return f"my {found}" if found else m[0]

    return _HIM.sub(one, text)


_ASKED = re.compile(r"\b(?P<who>he|she|his|her|him|they|their|them|it|its)\b(?P<own> (?=[a-z]))?", re.I)
_ASKED_ZH = re.compile(r"(?P<who>他|她|它)(?!们)(?P<own>的)?")


def asked_of(question: str, who: frozenset[str]) -> str:
    """A question with the one a pronoun means in its words; `it` only where it is an animal that is asked about."""
    if CJK.search(question):
        m = _ASKED_ZH.search(question)
        one = _one(who, m["who"]) if m else ""
        return f"{question[: m.start()]}我{one}{m['own'] or ''}{question[m.end() :]}" if m and one else question
    m = _ASKED.search(question)
    one = _one(who, m["who"].lower()) if m else ""
    if not m or not one or _WEATHER.match(question):
        return question
    owns = m["who"].lower() in {"his", "its", "their"} or (m["who"].lower() == "her" and m["own"])
    return f"{question[: m.start()]}my {one}{chr(39) + 's' if owns else ''}{m['own'] or ''}{question[m.end() :]}"
