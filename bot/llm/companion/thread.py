# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""A conversation as it is heard: whom it has brought up, what they are called, and which event is spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.llm.companion.answered import completed
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_zh import EVENT as ZH_EVENT
from bot.llm.companion.plans_en import EVENT as EN_EVENT
from bot.llm.companion.reference import asked_of, told_of, whom
from bot.llm.companion.speech import asks
from bot.llm.companion.text import CJK, clean, sentences, simplified

KEPT_FOR = 3  # messages for which somebody stays spoken of
_EVENT_EN = re.compile(rf"\b(?:an?|my|our|the|for) ((?:(?!an?\b|my\b|the\b|our\b)[\w-]+ ){{0,2}}?{EN_EVENT})\b", re.I)
_EVENT_ZH = re.compile(ZH_EVENT)
_IT_IS_ON = re.compile(
    r"^(?:and |but |so |oh )*it(?:'s| is|'ll be| will be| takes place| starts| was moved| got moved| has been moved)(?= (?:now )?(?:on|at|to|next|this|tomorrow|today|tonight|in (?:\d|two|three|a |january|february|march|april|may|june|july|august|september|october|november|december))\b)",
    re.I,
)
_ON_ZH = re.compile(
    r"^(?:时间)?(?:就|是|在|定在)*(?=(?:今|明|后|大后|下|这|本|周|星期|礼拜|[\d一二三四五六七八九十]+[月号日])[^，,。我]{0,14}(?:[天晚号日午早]|周[一二三四五六日天末]|点半?|在[^，,。]{2,8})$)"
)
_VERB_EN = r"(?:is|are|was|has|had|likes?|loves?|hates?|lives?|works?|plays?|studies|speaks?|turned|turns|just|also|can|moved|got|does|enjoys?|prefers?|teaches|goes|went|wants?)\b|'s (?:a|an|the|birthday|name|\d)\b"
_VERB_ZH = r"也|是|有|喜欢|爱|讨厌|怕|会|住|在|对|的生日|今年|才|已经|现在|\d|[一二两三四五六七八九十]{1,3}(?:岁|个月)|属|学|上|做|当|很|特别|最|不"


@dataclass
class Thread:
    """What was said before, as far as it says whom and what the next message means."""

    names: dict[str, str] = field(default_factory=dict)  # what somebody is called → who that is to the user
    who: frozenset[str] = frozenset()
    event: str = ""
    before: str = ""  # the user's message before, as it was understood
    _rests: int = 0

    def know(self, facts: Iterable[Fact]) -> None:
        """Names that memories or messages give."""
        for f in facts:
            if f.family == "relation" and f.value and f.holds and ":" in f.slot:
                self.names[f.value] = f.slot.split(":", 1)[1]

    def hear(self, text: str, told: str = "") -> str:
        """The user's message as a whole statement, with whom and what it speaks of in its words."""
        whole = completed(text, told)
        said = sentences(clean(whole))[:1]
        if said and not asks(said[0]):
            whole = self._on_a_day(told_of(self._called(whole), self.who))
        found: frozenset[str] = frozenset()
        for s in sentences(clean(whole)):
            found = whom(s.text) or found
            events = (_EVENT_ZH.findall(simplified(s.text)) if CJK.search(s.text) else _EVENT_EN.findall(s.text))[-1:]
            self.event = events[0] if events else self.event
        self._rests = 0 if found else self._rests + 1
        self.who = found or (self.who if self._rests <= KEPT_FOR else frozenset())
        self.before = whole
        return whole

    def asked(self, question: str) -> str:
        """A question with whom it means by he, her, 他, 它 in its words, where that is plain."""
        return question if whom(question) else asked_of(question, self.who)

    def _called(self, text: str) -> str:
        """`Ella is nine` is `My kid Ella is nine` where it is known who Ella is."""
        for name, who in self.names.items():
            if len(name) < 2 or name not in text:
                continue
            if CJK.search(name):
                text = re.sub(rf"(?:^|(?<=[，,。！!；;\s])){re.escape(name)}(?={_VERB_ZH})", f"我{who}{name}", text)
            else:
                start = r"(?:^|(?<=[.!;] )|(?<=, )|(?<=\band )|(?<=\bbut )|(?<=\bbecause ))"
                text = re.sub(
                    rf"{start}{re.escape(name)}(?= (?:{_VERB_EN})|'s (?:\w+ )?(?:is|birthday|name)\b)",
                    f"my {who} {name}",
                    text,
                )
        return text[:1].upper() + text[1:] if text.startswith("my ") else text

    def _on_a_day(self, text: str) -> str:
        if not self.event:
            return text
        if CJK.search(text):
            return (
                f"{self.event}在{text[m.end() :]}"
                if (m := _ON_ZH.match(simplified(text))) and CJK.search(self.event)
                else text
            )
        m = _IT_IS_ON.match(text)
        return f"The {self.event} is{text[m.end() :]}" if m and not CJK.search(self.event) else text
