"""A look back "as of" an earlier day: which moment, and about what. Pure.

`as of 1 March`, `coffee as of last month`, `what did you know about me on 1 March`, 截至3月1日, 咖啡 截至上个月,
3月1日时你知道我什么. A day, month or year means its end, in the speaker's zone; the time to come means now.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memory.learn import dates
from memory.recall import window_asked

_ABOUT_ALL: Final = re.compile(
    r"^(?:me|myself|my life|everything|anything|all|我|我的(?:事|事情|一切)?|全部|所有|一切)?$", re.I
)
_KNEW: Final = r"^what (?:did|have) (?:you|ebb)(?: already)? (?:know|known|remember(?:ed)?)(?: (?:about|of) "
_FORMS: Final[tuple[tuple[re.Pattern[str], bool], ...]] = tuple(
    (re.compile(pattern, re.I), certain)
    for pattern, certain in (
        # certain: whoever writes this names a date; if it cannot be read they are told so
        (r"^(?P<topic>.*?)[,，\s]*\bas (?:of|at)\s+(?P<when>.+)$", True),
        (r"^(?P<topic>.*?)[,，\s]*截[至止]到?\s*(?P<when>.+?)\s*(?:为止|的?时候?)?$", True),
        (rf"{_KNEW}(?P<topic>.+?))? (?:on|in|at|by|until|back in) (?P<when>.+?)$", False),
        (rf"{_KNEW}(?P<topic>.+?))? (?P<when>(?:yesterday|last|this|a|an|one|two|three|\d+)\b.*)$", False),
        (
            r"^(?:你|ebb)?\s*(?:在|到)?\s*(?P<when>.+?)(?:的?时候?|那天|那时|为止)?[，,]?\s*(?:你|ebb)?\s*都?"
            r"(?:知道|记得|了解)(?:关于)?(?P<topic>.*?)的?(?:些?什么(?:事情?)?|哪些(?:事情?)?|多少)$",
            False,
        ),
    )
)
_DAY_ZH: Final = re.compile(r"([一二三四五六七八九十]{1,3})月([一二三四五六七八九十]{1,3})(?=[日号])")
_DIGITS: Final = {c: i for i, c in enumerate("一二三四五六七八九", 1)}


@dataclass(frozen=True, slots=True)
class AsOf:
    """What was asked: `topic` is empty for everything, `at` None for a date that could not be read as `said`."""

    topic: str
    said: str
    at: datetime | None


def as_of_asked(text: str, now: datetime, tz: str) -> AsOf | None:
    """The moment and the topic, or None if the text asks for no earlier moment."""
    plain = " ".join(unicodedata.normalize("NFKC", text).split()).strip("?？。.!！ ")
    for pattern, certain in _FORMS:
        if m := pattern.match(plain):
            at = moment(m["when"], now, tz)
            if at is not None or certain:
                topic = (m["topic"] or "").strip(" ,，的")
                return AsOf("" if _ABOUT_ALL.match(topic) else topic, m["when"].strip(), at)
    return None


def moment(text: str, now: datetime, tz: str) -> datetime | None:
    """The end of the time that the text names, at most `now`; None if it names none."""
    said = re.sub(r"\s+(?=[年月日号])|(?<=[年月])\s+", "", text.strip())
    said = _DAY_ZH.sub(lambda m: f"{_number(m[1])}月{_number(m[2])}", said)
    if re.fullmatch(r"now|现在|目前|今天|today", said, re.I):
        return now
    if (read := dates.read(said, tz)) is not None:
        exact = read.precision == "minute"
        return min(read.end if exact else read.end + timedelta(milliseconds=999), now)
    for form in (said, f"in {said}", f"on {said}"):  # "march", "Monday" alone name no time in a sentence
        if (span := window_asked(form, now, tz, ahead=False)) is not None:
            return min(span[1] - timedelta(milliseconds=1), now)
    return None


def _number(word: str) -> int:
    tens, ten, ones = word.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)
