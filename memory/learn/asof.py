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
from memory.text.dates import window_asked

_ABOUT_ALL: Final = re.compile(
    r"^(?:me|myself|my life|everything|anything|all|我|我的(?:事|事情|一切)?|全部|所有|一切)?$", re.I
)
_KNEW: Final = r"^what (?:did|have) (?:you|ebb)(?: already)? (?:know|known|remember(?:ed)?)(?: (?:about|of) "
_FORMS: Final[tuple[tuple[re.Pattern[str], bool], ...]] = tuple(
    (re.compile(pattern, re.I), certain)
    for pattern, certain in (
        # certain: whoever writes this names a date; if it cannot be read they are told so
        (r"^(?P<topic>.*?)[,，\s]{0,9}\bas (?:of|at)\s{1,9}(?P<when>.+)$", True),
        (r"^(?P<topic>.*?)[,，\s]{0,9}截[至止]到?\s{0,9}(?P<when>.+?)\s{0,9}(?:为止|的?时候?)?$", True),
        (rf"{_KNEW}(?P<topic>.+?))? (?:on|in|at|by|until|back in) (?P<when>.+?)$", False),
        (rf"{_KNEW}(?P<topic>.+?))? (?P<when>(?:yesterday|last|this|a|an|one|two|three|\d{{1,9}})\b.*)$", False),
        (
            r"^(?:你|ebb)?\s{0,9}(?:在|到)?\s{0,9}(?P<when>.+?)(?:的?时候?|那天|那时|为止)?[，,]?\s{0,9}(?:你|ebb)?\s{0,9}都?"
            r"(?:知道|记得|了解)(?:关于)?(?P<topic>.*?)的?(?:些?什么(?:事情?)?|哪些(?:事情?)?|多少)$",
            False,
        ),
    )
)
# The question around a date that was named beside it.
_ASKS: Final = re.compile(
    rf"{_KNEW}(.+))?$|^(?:你|ebb)?\s{{0,9}}都?(?:知道|记得|了解)(?:关于)?(.*?)的?(?:些?什么(?:事情?)?|哪些(?:事情?)?|多少)$",
    re.I,
)
# How a date goes on: what follows one of these is no topic yet.
_DATED: Final = re.compile(
    r"^(?:[\d:/.-]|of\b|(?:st|nd|rd|th|ago|am|pm|a\.m|p\.m|utc|z)\b|(?:早上|上午|中午|下午|晚上|凌晨)|[年月日号天周底初末前时點点分个個星礼])",
    re.I,
)
_LONGEST: Final = 300  # characters of such a question
_BETWEEN: Final = " ,，、:："
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
    if len(text) > _LONGEST:
        return None
    plain = " ".join(unicodedata.normalize("NFKC", text).split()).strip("?？。.!！ ")
    for pattern, certain in _FORMS:
        if m := pattern.match(plain):
            said, more = _dated(m["when"].strip(), now, tz) if certain else (m["when"].strip(), "")
            at = moment(said, now, tz)
            if at is not None or certain:
                return AsOf(_topic(m["topic"] or "") or _topic(more), said, at)
    return None


def _dated(text: str, now: datetime, tz: str) -> tuple[str, str]:
    """The date, and what follows it: "2026-03-01, coffee", 3月1日我的工作. All of it where no date begins it."""
    if dates.read(text, tz) is not None:
        return text, ""
    whole = moment(text, now, tz)
    ends = [i for i in range(1, len(text)) if not (text[i - 1 : i + 1].isascii() and text[i - 1 : i + 1].isalnum())]
    cuts = [(text[:i].rstrip(_BETWEEN), text[i:].lstrip(_BETWEEN)) for i in ends]
    exact = [c for c in cuts if c[1] and dates.read(c[0], tz) is not None]
    if exact and not _DATED.match(exact[-1][1]):
        return exact[-1]
    for head, rest in cuts:
        if rest and not _DATED.match(rest) and (at := moment(head, now, tz)) is not None and at == (whole or at):
            return head, rest
    return text, ""


def _topic(text: str) -> str:
    """What is asked about, without the words that ask; empty for everything."""
    topic = text.strip(" ,，")
    if (asked := _ASKS.match(topic)) is not None:
        topic = next(g for g in (*asked.groups(), "") if g is not None)
    topic = re.sub(r"^(?:about|on|of|for|关于|有关)\s{0,9}", "", topic, flags=re.I).strip(" ,，的")
    return "" if _ABOUT_ALL.match(topic) else topic


def moment(text: str, now: datetime, tz: str) -> datetime | None:
    """The end of the time that the text names, at most `now`; None if it names none."""
    said = re.sub(r"\s{1,9}(?=[年月日号])|(?<=[年月])\s{1,9}", "", text.strip())
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
