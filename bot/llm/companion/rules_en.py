# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English statements, sentence by sentence: every clause through the tables, then denials and bare corrections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from bot.llm.companion import habits_en, health_en, people_en, plans_en, self_en, taste_en, work_en
from bot.llm.companion.clause import Clause, Rules
from bot.llm.companion.clauses_en import clauses
from bot.llm.companion.facts import Fact
from bot.llm.companion.lists_en import core
from memory.models import Kind

TABLES: tuple[Rules, ...] = tuple(
    m.rule for m in (self_en, work_en, health_en, plans_en, people_en, taste_en, habits_en)
)
_NEGATION = re.compile(r"\b(am|is|are|was|do|does|did|have|has|can|will)\s{0,9}not\b\s{0,9}", re.I)
_BARE = re.compile(
    r"^(?:(?:it|that|he|she|they|this|the (?:right|correct) (?:one|answer|name|place|date))\s{1,9}(?:is|are|should be|was|should have been)|(?:it|that) should be|I meant(?: to say)?|I mean|make (?:it|that)|should be|change (?:it|that) to|rather|spelled)?\s{0,9}"
    r"(?:really |called |named |spelled |on |in |at |to )?(?P<v>.*)$",
    re.I,
)
_NO_VALUE = re.compile(
    r"^(?:it|that|this|so|not|right|wrong|true|ok(?:ay)?|yes|no|fine|good|great|you|thanks?|nothing|never ?mind|what|really|i|he|she|they|me|sorry|just|all|correct|my bad|my mistake)\b|^\W*$",
    re.I,
)


def _no_longer(text: str) -> str:
    m = re.match(
        r"^((?:I|we|my [\w' -]{1,9}?|our [\w' -]{1,9}?))\s{1,9}((?:am|is|are|can|was|were|have|has)\s{1,9})?(.*)$",
        text,
        re.I,
    )
    if not m:
        return text
    if m[2] and m[2].strip().lower() in {"have", "has"} and not re.match(r"(?:been|\w+ed)\b", m[3]):
        return f"{m[1]} no longer {m[2]}{m[3]}"
    return f"{m[1]} {m[2] or ''}no longer {m[3]}"


def _read(c: Clause) -> list[Fact]:
    for table in TABLES:
        if found := table.read(c):
            return found
    return []


def _denied(c: Clause) -> list[Fact]:
    """What a negative clause denies: its positive form, turned round."""
    m = _NEGATION.search(c.text)
    if not m or not re.match(r"^(?:I|my|we|our)\b", c.text, re.I):
        return []
    aux = m[1].lower()
    positive = c.text[: m.start()] + ("" if aux in {"do", "does", "did"} else m[1] + " ") + c.text[m.end() :]
    positive = re.sub(r"\bhave an?y\b|\bhave any\b", "have a", positive)
    flipped = replace(c, text=positive, denied=True, extra={**c.extra, "say": c.text})
    return [f for f in _read(flipped) if f.kind not in {Kind.TODO, Kind.CONTEXT}]


def _bare(c: Clause) -> Iterator[Fact]:
    """`No, Munich` and `it's on Thursday`: what it corrects must be found among what is known."""
    m = _BARE.match(c.plain)
    value = core(m["v"]) if m else ""
    if c.when and (not value or value.lower() in {"at", "on"}):
        yield Fact("", "en", "?", "", when=c.when, corrects=True, instead_of=_old(c))
    elif (
        value
        and len(value.split()) <= 4
        and not _NO_VALUE.match(value)
        and not re.match(r"^(?:I (?!mean)|my|we|the \w+ (?:is|was))\b", c.plain, re.I)
    ):
        yield Fact("", "en", "?", value, when=c.when, corrects=True, instead_of=_old(c))


def _old(c: Clause) -> str:
    return re.sub(r"^(?:on|in|at|to)\s{1,9}", "", c.fill(c.instead_of)).strip(" ,.")


def facts(sentence: str, at: datetime, *, corrects: bool = False) -> list[Fact]:
    """What an English sentence, said at `at` (local, naive), states."""
    out: list[Fact] = []
    for c in clauses(sentence, at, corrects=corrects):
        c = replace(c, extra={"source": sentence}, instead_of=_old(c))  # noqa: PLW2901 - the clause, completed
        if m := re.match(r"^(?:my [\w' -]{1,30}? and I|we|I and my [\w' -]{1,20}?)\s{1,9}(are|were)?", c.text, re.I):
            be = {"are": "am ", "were": "was "}.get((m[1] or "").lower(), "")
            c = replace(c, text=f"I {be}{c.text[m.end() :].strip()}", extra={**c.extra, "say": c.text})  # noqa: PLW2901
        elif re.match(r"^our\b", c.text, re.I):
            c = replace(c, text="my" + c.text[3:])  # noqa: PLW2901
        if c.ended:
            c = replace(c, extra={**c.extra, "say": _no_longer(c.text)})  # noqa: PLW2901
        found = _read(c) or _denied(c)
        if not found and (c.corrects or c.instead_of):
            found = list(_bare(c))
        out += [*found, *people_en.in_passing(c, found)]
    return out


def corrects_only(sentence: str) -> bool:
    """`No.` or `That's wrong.`: what follows is a correction, and alone it takes back what was said."""
    return bool(
        re.fullmatch(
            r"\W*(?:(?:no|nope|actually|wait|sorry|oops|hmm|hey|well)[\s,.!]{0,9})*(?:(?:that|this|it)(?:'s| is| isn't| is not| was)?\s{0,9}(?:all |completely |totally |just |simply )*(?:wrong|incorrect|not (?:true|right|correct)|false|untrue|nonsense|right|a lie|a mistake)"
            r"|you(?:'re| are| got (?:it|that)) (?:wrong|mistaken)|wrong|not true|incorrect|false|nonsense|I never said (?:that|so|this)|correction|no|nope|actually|sorry|let me correct (?:myself|that))\W*",
            sentence.strip(),
            re.I,
        )
        and not re.fullmatch(r"\W*(?:that's|that is|it is|it's)?\s{0,9}right\W*", sentence, re.I)
    )
