# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""Which sentences of a message state something about the user: no question, no supposition, no joke, no quotation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.llm.companion.text import CJK, Sentence, clean, sentences, simplified, tongue
from memory.models import Lang

_ASKS_EN = re.compile(
    r"^(?:(?:and|so|but|ok(?:ay)?|well|hey|hi|hello|then|also|please|now|wait|hmm+|um+|oh|no|yes|by the way|btw|sorry)[,\s]{1,9})*"
    r"(?:(?:what|who|whom|whose|which|where|when|why|how)(?:'s|'re|'d|s)?(?! a\b| an\b| lovely| nice)\b"
    r"|(?:do|does|did|am|is|are|was|were|can|could|would|should|shall|will|has|have|had|may|might|must|isn't|aren't|don't|doesn't|didn't|won't|can't|couldn't|wouldn't|haven't|hasn't)"
    r"\s{1,9}(?:not\s{1,9})?(?:i|you|we|they|he|she|it|my|your|our|there|this|that|these|those|the|a|an|any|anyone|anything|\w+'s)\b"
    r"|(?:tell me|remind me|do you|can you|could you|would you|guess|let me know|show me|explain|i wonder|i was wondering|any idea|any tips|any advice)\b)",
    re.I,
)
_REMIND_TO = re.compile(r"\bremind me (?:to|about|of the|that|on|tomorrow|next|in|at)\b(?!.*\bwhat\b)", re.I)
_TAG_EN = re.compile(
    r"(?:,\s{0,9}(?:right|ok(?:ay)?|correct|yes|no|remember|you know|do i|am i)|[,\s](?:huh|eh|isn't it|aren't i|don't i|doesn't (?:he|she|it)|didn't i|haven't i|isn't that so|is that right))\s{0,9}$",
    re.I,
)
_IF_EN = re.compile(
    r"\b(?:if|unless|suppose|supposing|imagine|pretend|what if|let's say|lets say|hypothetically|in theory|i wish|wish i|if only|as if|as though|"
    r"maybe|perhaps|possibly|probably|might|may (?:have|be|go|move|get|try|buy)|could be|could have|would have|would be|would not|wouldn't|should have|"
    r"were i|not sure (?:if|whether|that)|i doubt|whether|supposedly|i'd be|i could\b)",
    re.I,
)
_JOKE = re.compile(
    r"(?:\b(?:just |only |i'm |i am |was ){0,4}(?:kidding|joking)\b|\bjk\b|\bj/k\b|\b(?:is|was|'s|just|only|as|as just|meant as) a (?:little |bad |silly )?joke\b|(?<!\w)/s\b|\bnot really(?: though)?$|\bpsych\b|"
    r"开玩笑|開玩笑|逗你|骗你的|騙你的|说着玩|說著玩|闹着玩|(?:玩笑|笑话)而已|瞎说的|瞎編的|瞎编的|胡说的|假的啦)",
    re.I,
)
_TASK = re.compile(
    r"^(?:please\s{1,9}|can you\s{1,9}|could you\s{1,9}|help me\s{1,9}|请|帮我|麻烦|幫我|請)*"
    r"(?:translate|rewrite|rephrase|paraphrase|proofread|summari[sz]e|correct (?:this|the|my)|fix (?:this|the|my) (?:text|grammar|sentence)|"
    r"write\s{1,9}(?:me\s{1,9})?(?:a|an|the|some)\b|compose|repeat after me|say\s{0,9}[:\"]|role-?play|act as|pretend (?:to be|you|i|that)|"
    r"翻译|改写|润色|总结一下|概括|写一?[篇首个封段]|仿写|续写|跟我念|跟我读|重复|扮演|假装|假扮|模仿|造句)",
    re.I,
)
_REPORTED = re.compile(
    r"\b(?:he|she|they|you|people|everyone|somebody|someone|(?:[Mm]y|his|her|their|our|a|the|The)\s{1,9}(?!doctor|vet|dentist|GP|therapist)[\w' -]{1,25}?|[A-Z]\w+)\s{1,9}"
    r"(?:always\s{1,9}|once\s{1,9}|just\s{1,9}|also\s{1,9}|still\s{1,9})?(?:say|says|said|think|thinks|thought|claim|claims|claimed|tells? me|told me|believes?|believed|insists?|jokes?|joked|asked|asks|heard|wonders?)\b",
)
_MODEL_TALK = re.compile(
    r"\b(?:you said|you told|you think|you mentioned|according to you)\b|你(?:刚才)?(?:说过?|觉得|认为|提到|告诉)",
    re.I,
)
_ORDER = re.compile(
    r"^(?:please\s{1,9}|ok(?:ay)?,?\s{1,9}|now\s{1,9}|and\s{1,9}|can you\s{1,9}|could you\s{1,9}|you can\s{1,9}|just\s{1,9})*(?:forget|delete|erase|remove|ignore|disregard|stop remembering|do not remember|don't remember|unlearn)\b"
    r"|^(?:请|请你|那|好|就|帮我|麻烦|你)*(?:忘[掉了记]|忘记|别记|不要记|删[掉除了]|无视|忽略)"
    r"|^把.*(?:忘[掉了记]|删[掉除了])",
    re.I,
)
_ASKS_ZH = re.compile(
    r"(?:吗|嘛|么|呢)$|(?:做|干|是|卖|教|学|搞)什么的|什么(?!都|也|的)|等于(?:几|多少)|(?<!不管)(?<!无论)谁(?!都|也)|哪(?:里|儿|个|些|位|年|天|种|家|款|边)?(?!怕|都|也|里都|里也|个都)|多少(?!都)|多大|多久|多远|多高|"
    r"怎么(?!都|也)|怎样|咋|为什么|为何|如何|干嘛|(?<![十好了养过])几(?:点|岁|号|月|时|个|位|口|天|年|次|只)(?=$|[^\d]*$)|星期几|周几|礼拜几|"
    r"是不是|有没有|能不能|可不可以|会不会|要不要|对不对|好不好|行不行|喜不喜欢|知不知道|记不记得|记得.{0,12}吗|还记得|你知道我|告诉我|说说看|猜猜|请问|是否"
)
_NOT_ASKED_ZH = re.compile(
    r"不知道(?:为什么|怎么|该|什么)|没什么|有什么.{0,4}的$|说不上|好几|十几|几十|[了养过]几|我有几[个只位]|不管|无论|怎么说呢|什么都|哪都|谁都"
)
_IF_ZH = re.compile(
    r"如果|要是|我想我.{0,8}应该|假如|假设|假使|假若|倘若|万一|若是|若(?=我)|的话|也许|可能|或许|说不定|大概会|恐怕|好像|似乎|要不|不如|希望我是|但愿|巴不得|恨不得|真想变成|想象一下|想像一下|假装|本来想|差点|应该会|不确定|没准|兴许|谁知道"
)
_REPORTED_ZH = re.compile(
    r"(?:他|她|他们|她们|人家|别人|有人|大家|我(?:的)?(?:妈妈?|爸爸?|老板|朋友|同事|老师|老公|老婆|男友|女友|男朋友|女朋友|姐姐?|妹妹?|哥哥?|弟弟?|领导|室友|医生)|你)(?:总是?|老是?|都|还|也|就|刚|常)?(?:说|觉得|认为|以为|问我|告诉我|讲)"
)
_YOU_TOO = re.compile(
    r"^(?:and\s{1,9}|so\s{1,9}|but\s{1,9})?(?:you|yourself|what about you|how about you|and you|do you(?: too)?|are you(?: too)?|what do you think|how are you)$"
    r"|^(?:那)?你(?:自己)?(?:呢|怎么看|觉得呢|觉得怎么样|喜欢吗|也是吗)?$",
    re.I,
)


LONGEST_SENTENCE, LONGEST_MESSAGE = 500, 100  # characters, sentences


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that states something, in its language."""

    text: str
    lang: Lang


def asks(s: Sentence) -> bool:
    """Whether the sentence is a question, with or without its mark."""
    if s.mark == "?":
        return True
    if CJK.search(s.text):
        shadow = simplified(s.text)
        return bool(_ASKS_ZH.search(shadow)) and not _NOT_ASKED_ZH.search(shadow)
    return bool(_ASKS_EN.match(s.text)) and not _REMIND_TO.search(s.text)


def _stated_part(s: Sentence) -> str:
    """What a question states before it asks: `I'm Anna, and you?` states something, a tag question does not."""
    parts = re.split(r"\s{0,9}[,，、]\s{0,9}|\s{1,9}-\s{1,9}", s.text)
    if (
        len(parts) < 2
        or _TAG_EN.search(s.text)
        or re.search(r"(?:对吧|是吧|对不对|是不是|好吗|对吗|是吗|吧)$", s.text)
    ):
        return ""
    head, last = parts[:-1], parts[-1]
    own = bool(_YOU_TOO.match(last)) or (
        bool(CJK.search(last)) and bool(re.search(r"你|吗|什么|怎么|哪|呢$", last)) and "我" not in last
    )
    own = own or (not CJK.search(last) and bool(_ASKS_EN.match(last)))
    text = ", ".join(head) if not CJK.search(s.text) else "，".join(head)
    return text if own and not asks(Sentence(text, "")) else ""


_UNDECIDED = re.compile(
    r"\bnot sure yet\b|\bundecided\b|\bhave(?:n't| not) (?:decided|made up my mind)|还没想好|还没决定|拿不定主意",
    re.I,
)


def _supposes(text: str) -> bool:
    if CJK.search(text):
        return bool(_IF_ZH.search(simplified(text)))
    if re.search(r"\bi'd (?:like|love)\b|\bwould (?:like|love) to\b", text, re.I):
        text = re.sub(r"\bif (?:possible|i can)\b", "", text, flags=re.I)
    return bool(_IF_EN.search(text))


def _certain_part(text: str) -> str:
    """What comes before the first supposition; nothing if the sentence begins with one."""
    if _UNDECIDED.search(text):
        return ""
    if not _supposes(text):
        return text
    kept: list[str] = []
    for piece in re.split(r"(?<=[,，、])", text):
        if _supposes(piece):
            break
        kept.append(piece)
    return "".join(kept).strip(" ,，、")


def _reported(text: str) -> bool:
    if _MODEL_TALK.search(text):
        return True
    if CJK.search(text):
        return bool(_REPORTED_ZH.search(simplified(text)))
    return bool(_REPORTED.search(text))


def joking(text: str) -> bool:
    """Whether the text takes something back as a joke."""
    return bool(_JOKE.search(text))


def statements(text: str) -> list[Said]:
    """The sentences of a user's message from which something may be learned."""
    text = clean(text)
    if _TASK.match(text) or len(text) > 20_000:
        return []
    out: list[Said] = []
    for s in sentences(text)[:LONGEST_MESSAGE]:
        if len(s.text) > LONGEST_SENTENCE:
            continue  # nobody says one thing about themselves at such length
        if joking(s.text):
            if out and len(s.text) < 40:
                out.pop()
            continue
        if _ORDER.match(s.text) or _TASK.match(s.text):
            continue
        body = s.text if not asks(s) and not _TAG_EN.search(s.text) else _stated_part(s)
        body = _certain_part(body)
        if not body or _reported(body):
            continue
        out.append(Said(body, tongue(body)))
    return out


def questions(text: str) -> list[str]:
    """The questions of a message, in order, each with what led to it."""
    said = [s for s in sentences(clean(text)) if len(s.text) <= LONGEST_SENTENCE]
    return [s.text for s in said if asks(s) or (_TAG_EN.search(s.text) and not CJK.search(s.text))]
