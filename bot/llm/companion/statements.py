# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""From what a user writes to the facts it states. The one door to the rule tables of both languages."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from bot.llm.companion import clauses_zh, person_en, person_zh, rules_en, rules_zh
from bot.llm.companion.facts import Fact, same_thing
from bot.llm.companion.reference import told_of, whom
from bot.llm.companion.speech import statements
from bot.llm.companion.text import CJK, clean, sentences, tongue
from memory.models import Kind
from memory.text.dates import local

_SECRET = re.compile(
    r"\b(?:pass ?(?:word|code|phrase)|pin(?: code| number)?|cvv|cvc|ssn|social security|(?:credit|debit|bank) (?:card|account)|iban|card number|account number|api[- ]?key|secret|private key|"
    r"token|seed phrase|recovery (?:code|phrase))s?\b.{0,40}\d|\b(?:pass ?(?:word|code|phrase)|pin|api[- ]?key|secret key|private key|seed phrase)s?\b (?:is|was|are|=|:)"
    r"|密[码碼]|口令|银行卡|銀行卡|信用卡|身份证号|身份證|卡号|卡號|验证码|驗證碼|私钥|助记词|(?<!\d)\d{15,19}[\dXx]?(?!\d)|(?<!\d)\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}(?!\d)|\bsk-[\w-]{8,}",
    re.I,
)
# Whom to call nobody will know any more when the day comes.
_WHOM = re.compile(
    r"\b(?:him|them)\b|\b(?:call|see|meet|text|ask|tell|email|message|phone|visit|feed|walk|name)(?:ing|s)? (?:her|it)\b|(?:给|见|找|问|约|看|带)(?:他|她|它)们?",
    re.I,
)
MAX_FACTS = 24


def parse(text: str, at: str, tz: str) -> list[Fact]:
    """Facts that a user's message states.

    Args:
        text: the message as written, of any length and content.
        at: when it was said, ISO 8601 with offset.
        tz: the speaker's IANA zone: "tomorrow" is tomorrow there.

    Returns:
        At most 24 facts in the order said; for one slot with one value, the last one said.
    """
    moment = local(at, tz)
    return list(_parse(text, moment))


@lru_cache(maxsize=512)
def _parse(text: str, moment: datetime) -> tuple[Fact, ...]:
    found: list[Fact] = []
    corrects = False
    who: frozenset[str] = frozenset()
    for s in statements(text):
        if _SECRET.search(s.text):
            continue
        said = told_of(s.text, who, own=True)
        whole = clauses_zh.of_oneself(said) if s.lang == "zh" and not who else said
        implied, said = whole != said, whole
        who = whom(said) or who
        rules = rules_zh if s.lang == "zh" else rules_en
        if rules.corrects_only(said):
            corrects = True
            continue
        for f in rules.facts(said, moment, corrects=corrects):
            vague = implied and f.kind in {Kind.TODO, Kind.CONTEXT, Kind.WHIM, Kind.EPISODE}
            if not vague and not (f.kind in {Kind.TODO, Kind.GOAL, Kind.WORKFLOW} and _WHOM.search(f.text)):
                _put(found, f)
    return tuple(found[:MAX_FACTS])


def _put(found: list[Fact], f: Fact) -> None:
    """Add a fact; in one message the last word counts."""
    if f.slot == "?" and found:
        last = found[-1]
        if f.value and last.value and (not f.instead_of or f.instead_of in last.text):
            found[-1] = replace(
                last,
                value=f.value,
                text=last.text.replace(f.instead_of or last.value, f.value),
                instead_of=f.instead_of,
                corrects=True,
            )
            return
    for i, old in enumerate(found):
        if f.slot != "?" and ((old.slot == f.slot and f.one and old.one) or same_thing(old, f)):
            found[i] = replace(f, corrects=f.corrects or (old.slot == f.slot and old.corrects))
            return
    found.append(f)


def corrects_only(text: str) -> bool:
    """Whether the whole message says no more than that something is wrong."""
    said = sentences(clean(text))
    return bool(said) and all((rules_zh if CJK.search(s.text) else rules_en).corrects_only(s.text) for s in said)


@lru_cache(maxsize=8192)
def read_back(text: str, name: str = "") -> tuple[Fact, ...]:
    """What a stored memory states, whoever worded it; nothing where the rules do not know the form."""
    if name and text.startswith(name):
        text = ("用户" if CJK.search(text) else "The user") + text[len(name) :]
    zh = tongue(text) == "zh"
    moment = datetime(2000, 1, 1)  # noqa: DTZ001 - dates in memories are written in full and need no now
    body = (
        person_zh.to_first(re.sub(r"（(?!周)[^）]*）", "", text))
        if zh
        else person_en.to_first(re.sub(r"\s{0,9}\([^)]*\)", "", text))
    )
    rules = rules_zh if zh else rules_en
    found: list[Fact] = []
    who: frozenset[str] = frozenset()
    for s in sentences(clean(body))[:4]:
        said = told_of(s.text, who, own=True)
        who = whom(said) or who
        found += [f for f in rules.facts(said, moment) if f.slot != "?"]
    return tuple(replace(f, text=text, corrects=False) for f in found)
