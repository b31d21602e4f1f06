"""What a memory is about, in a few words, and the two templates that need no model. Pure.

Rules, not a model: a trace has to be written also where no model answers, and may say nothing that
the memory did not say. Where the rules find no topic, the kind has to do.
"""

# ruff: noqa: E501 - a table of patterns is read line by line

from __future__ import annotations

import re
from typing import Final

from memory.models import KINDS, Lang, Level, Memory

FULL_STOP: Final = r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bMt)(?<!\bNo)(?<!\bProf)(?<!\b[A-Z])\.(?=\s|$)"
"""A full stop that ends a sentence: not that of a title, an initial or a number."""
_MOST_WORDS: Final = 6
_INSIDE: Final = re.compile(r"[A-Za-z0-9]")
_MOST_CHARS: Final = {"en": 48, "zh": 14}

_TEMPLATES: Final[dict[tuple[Level, Lang], str]] = {
    (Level.TAG, "en"): "Something about {topic}",
    (Level.TAG, "zh"): "与{topic}有关的事",
    (Level.TRACE, "en"): "Once had memories of {topic}",
    (Level.TRACE, "zh"): "曾经有{topic}相关记忆",
    (Level.ARCHIVE, "en"): "A trace of the past: {topic} ({kind})",
    (Level.ARCHIVE, "zh"): "历史痕迹：{topic}（{kind}）",
}

_STAMP: Final = re.compile(r"^\s{0,9}\[\d{4}[^\]]*\]\s{0,9}")
_BRACKETS: Final = re.compile(r"\s{0,9}[(（][^)）]{0,400}[)）]")

# --- English: the subject, what stands before the verb, the verb, what stands before the thing
_SUBJECT_EN: Final = re.compile(
    r"^(?:the\s{1,9}user|user|they|i)(?P<own>['’]s|\s{1,9}and)?\s{1,9}|^(?P<my>my|their|his|her)\s{1,9}",
    re.I,
)
_COPULA_EN: Final = re.compile(
    r"\s{1,9}(?:is|are|was|were|has|have|had|will|lives?|works?|plays?|likes?|loves?|hates?|died|passed|got|goes|wants?|called|named)\b",
    re.I,
)
_OWNED_EN: Final = re.compile(  # a thing or somebody of the person's, before a verb; no verb itself
    rf"(?![a-z]+(?:[^s\W]s|ed|ing)\b)([a-z]\S*(?:\s\S+){{0,2}}?)(?={_COPULA_EN.pattern})", re.I
)
_BEFORE_EN: Final = re.compile(
    r"^(?:(?:really|also|usually|often|always|never|no longer|not|still|currently|recently|once|now|just|sometimes|mostly"
    r"|does(?:n['’]t| not)|do(?:n['’]t| not)|did(?:n['’]t| not)|used to|has to|have to|had to|is going to|was going to"
    r"|wants? to|would like to|plans? to|planned to|needs? to|hopes? to|intends? to|decided to|decided|prefers? to|tries to"
    r"|can(?:not|['’]t)?|could|will|would|must|should|has been|have been|is|are|was|were|['’]s|has|have|had)\s{1,9})+",
    re.I,
)
_VERB_EN: Final = re.compile(r"^[a-z]+(?:s|ed|ing|e|k|t|d|n|p|r|y|m|w|l|h|g)\s{1,9}(?=\S)", re.I)
_DOING_EN: Final = re.compile(
    r"^(?:to\s{1,9})?(?:[a-z]+ing|be|go|do|drink|eat|play|have|learn|read|watch|listen|see|call|visit)\s{1,9}(?=\S)"
)
_LEAD_EN: Final = re.compile(
    r"^(?:(?:allergic|afraid|scared|fond|interested|good|bad|keen|proud|tired|married|engaged|born|from|based|responsible|able"
    r"|to|of|in|at|on|about|with|for|as|by|into|onto|out|up|some|any|lots|very|much|really)\s{1,9})+",
    re.I,
)
_CUT_EN: Final = re.compile(
    rf"[,;:!?—–]|{FULL_STOP}|\s(?:because|since|although|but|when|while|which|who|that|so|until|if|every|without|than|due|before|after|today|tomorrow|yesterday)\b"
    r"|\s(?:this|next|last)\s(?:year|month|week|weekend|spring|summer|autumn|winter|time)\b|\s(?:by|on|at|in|from|since)\s{1,9}\d",
    re.I,
)

# --- Chinese
_SUBJECT_ZH: Final = re.compile(r"^(?:用户|我|他|她|本人)(?P<own>的)?")
_OWN_ZH: Final = re.compile(r"^(.{1,8}?)(?:叫|是|在|有|住|为|会|很|喜欢|去|要|已经|将|，|。|$)")
_CALLED_ZH: Final = re.compile(r"^([^，。,.]{1,6}?)叫")
_ALLERGY_ZH: Final = re.compile(r"^对(?P<what>.{1,10}?)(?P<how>过敏|感兴趣|很?在意)")
_BEFORE_ZH: Final = re.compile(
    r"^(?:最近|很|非常|特别|十分|最|一直|每天|每周|经常|常常|总是|有时|偶尔|不再|不太|不|没有|没|从不|从来不|已经|曾经|以前|现在|目前"
    r"|正在|正|打算|计划|准备|想要|想|希望|需要|必须|应该|决定|要|会|能|可以|也|都|还|又|更|比较|真的|其实|早上|晚上|今天|昨天)+"
)
_VERB_ZH: Final = re.compile(
    r"^(?:喜欢上?|喜爱|热爱|偏爱|偏好|爱|讨厌|厌恶|反感|害怕|怕|擅长|习惯|住在|来自|出生于|毕业于|就职于|任职于|从事|学习|学会|学|叫做|叫|名叫"
    r"|是|有|养|在|去|到|做|玩|听|看|读|买|用|喝|吃|打|骑|开|写|参加|完成|提交)?(?:喝|吃|看|听|玩|打|去|做|学|读|养|骑)?(?:了|过|着)?"
)
_LEAD_ZH: Final = re.compile(
    r"^(?:一|两|几)?(?:个|只|位|名|条|本|台|辆|杯|家|间|份|些|点儿?)(?=.)|^(?:一个|这个|那个)"
)
_AGE_EN: Final = re.compile(r"^\d+\s{0,9}(?:years?\s{1,9}old)?\b", re.I)
_DATE_ZH: Final = re.compile(
    r"(?:在|于)?(?:\d{2,4}年)?(?:\d{1,2}月)?(?:\d{1,2}[日号])?(?:上午|下午|晚上)?(?:\d{1,2}[点:：]\d{0,2}分?)?(?:之前|以前|前|之后|后|起)?"
)
_WHEN_ZH: Final = re.compile(
    r"^(?:今年|明年|去年|后年|这周|下周|本周|这个月|下个月|明天|后天|今天|昨天)"
)
_CUT_ZH: Final = re.compile(
    r"[，。；：！？、,;:.!?—]|因为|所以|但是?|不过|虽然|如果|的时候|以后|之前|之后"
)


def find_topic(m: Memory) -> str:
    """Return what it is about: its own topic where it has one, else the heart of its sentence, else its kind."""
    if m.topics and m.topics[0].strip():
        return _short(m.topics[0].strip(), m.language)
    text = _BRACKETS.sub("", _STAMP.sub("", m.original_content)).strip()
    found = _topic_zh(text) if m.language == "zh" else _topic_en(text)
    found = _short(found, m.language)
    return (
        found
        if any(c.isalnum() for c in found)
        else (m.entities[0] if m.entities else get_kind_name(m))
    )


def get_kind_name(m: Memory) -> str:
    """Return the kind's name in the memory's language."""
    info = KINDS[m.kind]
    return info.zh if m.language == "zh" else info.en.lower()


def fill_template(m: Memory, level: Level) -> str:
    """Return the text of a trace or an archived memory, or of a tag that no model could write."""
    return _TEMPLATES[level, m.language].format(topic=find_topic(m), kind=get_kind_name(m))


def _topic_en(text: str) -> str:
    subject = _SUBJECT_EN.match(text)
    rest = text[subject.end() :] if subject else text
    if subject and (subject["own"] or subject["my"]):
        owned = _COPULA_EN.split(rest, maxsplit=1)[0]
        return f"their {_CUT_EN.split(owned)[0].strip()}" if owned.strip() else ""
    if not subject and (owned := _OWNED_EN.match(rest)):
        return owned[1]  # "Sister Hannah lives in Lyon"
    before = _BEFORE_EN.match(rest)
    rest = rest[before.end() :] if before else rest
    copula = not subject or bool(
        before and re.search(r"\b(?:is|are|was|were|been)\s{1,9}$", before[0], re.I)
    )
    if copula and _AGE_EN.match(rest):
        return "their age"
    if copula and re.match(r"an?\s", rest, re.I):
        rest = f"being {rest[:1].lower()}{rest[1:]}"
    copula = copula and (bool(subject) or rest.startswith("being "))
    if not copula and re.fullmatch(r"[a-z]{3,}s[.!]?", rest):
        return _gerund(rest.rstrip(".!"))
    if not copula:
        rest = _VERB_EN.sub("", rest, count=1)
        bare = _DOING_EN.sub("", rest, count=1)
        rest = (
            bare if _CUT_EN.split(f" {bare}")[0].strip() else rest
        )  # "goes hiking every week" is about hiking
    rest = _LEAD_EN.sub("", rest)
    return _CUT_EN.split(rest)[0].strip()


def _gerund(verb: str) -> str:
    """`smokes` as a thing: smoking."""
    stem = verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes", "oes")) else verb[:-1]
    return f"{stem[:-1] if stem.endswith('e') and not stem.endswith('ee') else stem}ing"


def _topic_zh(text: str) -> str:
    subject = _SUBJECT_ZH.match(text)
    rest = text[subject.end() :] if subject else text
    if not subject and (called := _CALLED_ZH.match(rest)):
        return called[1]  # 妹妹叫小红
    if subject and subject["own"]:
        owned = _OWN_ZH.match(rest)
        return owned[1] if owned else _CUT_ZH.split(rest)[0]
    if at := _ALLERGY_ZH.match(rest):
        return at["what"] + at["how"]
    rest = _undated(_BEFORE_ZH.sub("", rest))
    rest = _undated(_BEFORE_ZH.sub("", _VERB_ZH.sub("", rest, count=1)))
    rest = _VERB_ZH.sub("", rest, count=1) or rest
    rest = _LEAD_ZH.sub("", rest)
    return _CUT_ZH.split(rest)[0].strip().removesuffix("了")


def _undated(text: str) -> str:
    date = _DATE_ZH.match(text)
    if date and re.search(r"\d", date[0]):
        text = text[date.end() :]
    return _WHEN_ZH.sub("", text)


def _short(text: str, lang: Lang) -> str:
    """At most six words or fourteen characters; a cut word would be none."""
    text = text.strip(" .。,，'\"“”")
    if lang == "en":
        text = " ".join(text.split()[:_MOST_WORDS])
        while len(text) > _MOST_CHARS["en"] and " " in text:
            text = text.rpartition(" ")[0]
        text = re.sub(
            r"(?:\s{1,9}(?:a|an|the|of|to|in|at|on|for|with|and|or|by|their|his|her))+$",
            "",
            text,
            flags=re.I,
        )
    cut = text[: _MOST_CHARS[lang]]
    if _INSIDE.search(cut[-1:]) and _INSIDE.match(text[len(cut) :]):
        cut = (
            re.sub(r"[A-Za-z0-9]+$", "", cut).strip() or cut
        )  # a name or number that is cut would be another one
    return cut
