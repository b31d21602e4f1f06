"""Whether a sentence is about what is over or what is to come. Pure."""

# ruff: noqa: E501 - patterns are read line by line
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, TypeAlias

from memory.recall.spans import DAY, HOUR, Again, Span, Time, Unit, midnight, relative

# What is planned may have been planned: the future is heard first.
_TO_COME: Final = re.compile(
    r"\b(?:will|shall|going to|gonna|plan\w*|scheduled|booked|upcoming|coming(?! (?:home|back|from)\b)|due|deadlines?)\b|'ll\b"
    r"|明[天年早晚日]|(?<!然)(?<!以)后[天年]|下个?[周月星礼]|(?<![重主需必只不])要(?![求是么])|将(?![军来])"
    r"|(?<![开社机约聚晚学年乐员协误体集舞国])会(?![议儿员计场谈合长])|打算|计划|准备[^了]|即将|快到|日程|待办|预约|到期|截止|再过"
)
_OVER: Final = re.compile(
    r"\b(?:did|was|were|had|has been|have been|went|happened|told|said|met|saw|ate|bought|came|(?<!have i )(?<!have we )got|made|took|gave|found|left"
    r"|ago|last|since|(?!need|indeed|speed|breed|exceed|succeed)\w{3,}ed)\b"
    r"|(?<!为)(?<!除)(?<!到)了(?!解)|(?<!再)过(?![敏期年节]|(?:[一两几三四五六七八九十]|\d+)(?:天|周|个星期|个月|年))|昨|上个?[周月星礼]|来着|[去前]年|刚|曾|发生|以来|那[天时]|(?:跟谁|和谁|在哪儿?|哪里|怎么|谁)[^,。?的]{0,4}的|[吃喝买看说做玩聊送住穿花听读写学]的(?:什么|啥|哪|谁|多少)|在(?:哪|干[嘛吗什]|做什么|忙什么)"
)
# What speaks of the time to come only where nothing says that it is over.
_PERHAPS: Final = re.compile(
    r"\b(?:must|should|supposed|until|need to|have to|(?:do|does) (?:i|we|\w+) have|have (?:i|we) got|am i|are we|free|busy"
    r"|appointments?|agenda|tonight|tomorrow|wants? to|would like to|hop(?:e|ing) to|when\b.{0,20}\b(?:is|are))\b|(?:\b(?:is|are|am)|['’](?:s|re|m))(?: \w+)? \w+ing\b|想[要去做买吃看学]|有[什啥哪].{0,2}事|有[事约空]|安排|准备|今晚"
)


# A habit: what comes again is meant whenever it comes.
_HABIT: Final = re.compile(
    r"\b(?:usually|normally|generally|typically|tend to|as a rule)\b|一般(?!般)|通常|平时|平常|往往|经常|常常|习惯"
)


def looks_ahead(plain: str) -> bool | None:
    """Whether a sentence (NFKC, case folded) is about what is to come; None if it does not say."""
    if _TO_COME.search(plain):
        return True
    return False if _OVER.search(plain) else True if _PERHAPS.search(plain) else None


@dataclass
class Said:
    """A sentence, and the speaker's local time."""

    plain: str
    now: datetime
    told: bool | None = None  # `ahead`, where the caller knows
    today: bool = False  # whether today's Friday may be the last one

    @cached_property
    def ahead(self) -> bool | None:
        """Whether it is about what is to come."""
        return looks_ahead(self.plain) if self.told is None else self.told

    @cached_property
    def habit(self) -> bool:
        """Whether it is about what is always so."""
        return _HABIT.search(self.plain) is not None

    def one(self, a: Again, ahead: bool | None = None) -> Span | None:
        """Of what comes again, the one that is meant where nothing else is said."""
        if self.habit:
            return None
        ahead = self.ahead if ahead is None else ahead
        if ahead is not None:
            return a.next(self.now) if ahead else a.last(self.now, today=self.today)
        match a.else_:
            case "next":
                return a.next(self.now)
            case "last":
                return a.last(self.now)
            case "near":
                return a.nearest(self.now)
        return None

    def qualified(self, a: Again, word: str) -> Span | None:
        """Last Friday, this summer, next Christmas, the coming weekend."""
        now = self.now
        if "coming" in word:
            return a.next(now)
        if "next" in word:
            if a.period == "week":
                return a.within(relative("week", 1, now)[0])
            return min((s for s in a.around(now) if s[0] > now), default=None)
        if word == "this":
            return self._this(a)
        if a.strict:
            return a.last(now)
        # In February last winter is the one that began the year before.
        begun = a.unit is Unit.SEASON
        over = (s for s in a.around(now) if s[1] <= now or (begun and s[0] <= now and s[0].year < now.year))
        return max(over, default=None)

    def _this(self, a: Again) -> Span | None:
        here = [s for s in a.around(self.now) if s[0] <= self.now < s[1]]
        if here:
            return here[0]
        if self.ahead is False:
            return max((s for s in a.around(self.now) if s[0] <= self.now), default=None)
        return a.next(self.now) if self.ahead or a.period == "week" else a.nearest(self.now)

    def part(self, day: Span, part: Again) -> Span | None:
        """The morning of a day. Of a day to come all that is left from then on: what is planned has often no hour."""
        found = part.within(day[0])
        if found is not None and (found[0] > self.now or (self.ahead and day[1] > self.now)):
            return found[0], max(found[1], midnight(day[0]) + DAY)
        return found

    @property
    def tonight(self) -> Span:
        """The night that is, or that is coming."""
        evening = midnight(self.now) - (24 * HOUR if self.now.hour < 5 else 0 * HOUR)
        return evening + 18 * HOUR, evening + 29 * HOUR


Make: TypeAlias = Callable[[re.Match[str], Said], Time | None]


@dataclass(frozen=True)
class Row:
    """Words for a time: tried only on a text that has one of the hints (a word, a digit, a Chinese character)."""

    hints: frozenset[str]
    words: str
    make: Make

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a text first has a hint: all of them together would take a tenth of a second of the start."""
        return re.compile(self.words)


def row(hints: str, pattern: str, make: Make) -> Row:
    """Hints parted by spaces."""
    return Row(frozenset(hints.split()), pattern, make)


def preceded(m: re.Match[str], by: re.Pattern[str]) -> bool:
    """Whether the words before it are those: a pattern that ends with `$`."""
    return by.search(m.string, max(0, m.start() - 24), m.start()) is not None
