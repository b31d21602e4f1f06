"""A clause: the piece of a sentence that a rule looks at, with its dates taken out and its marks noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeAlias

from bot.llm.companion import person_en, person_zh
from bot.llm.companion.facts import Fact
from bot.llm.companion.text import simplified
from memory.models import Lang
from memory.text.dates import When, written

HOLE = re.compile(r"[\ue100-\ue13f]")  # stands where a date was


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` with a hole for each date, `plain` without them: what rules match."""

    text: str
    lang: Lang
    at: datetime
    whens: tuple[When, ...] = ()
    corrects: bool = False
    again: bool = False
    ended: bool = False
    denied: bool = False
    lately: bool = False
    instead_of: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> str:
        """Without dates."""
        gap = "" if self.lang == "zh" else " "
        text = re.sub(r"\s{1,9}", " ", HOLE.sub(gap, self.text)).strip(" ,，、")
        return re.sub(r"^(?:that|的|，)\s{0,9}", "", text)

    @property
    def here(self) -> list[When]:
        """The dates of this clause."""
        return [self.whens[ord(c) - 0xE100] for c in HOLE.findall(self.text)]

    @property
    def when(self) -> When | None:
        """Its date, the last one of a span."""
        found = self.here
        return max(found, key=lambda w: w.last_day) if found else None

    def fill(self, text: str) -> str:
        """Dates back in, written out in full."""
        gap = "" if self.lang == "zh" else " "
        filled = HOLE.sub(lambda m: f"{gap}{written(self.whens[ord(m[0]) - 0xE100], self.lang)}{gap}", text)
        return re.sub(r"\s{1,9}([.,])", r"\1", re.sub(r"\s{1,9}", " ", filled)).strip()

    def third(self, text: str | None = None) -> str:
        """The clause (or `text`) as a sentence about the user, dates in full, an opening date put behind."""
        source = str(self.extra.get("say", self.text)) if text is None else text
        if self.lang == "zh":
            source = re.sub(
                r"^((?:[\ue100-\ue13f][，,]?)+)((?:我们|我們|我|咱们)(?!的|家|妈|爸|哥|姐|弟|妹|老))",
                r"\2\1",
                source.strip(),
            )
            return person_zh.to_third(self.fill(source))
        source = re.sub(r"^((?:\s{0,9}[\ue100-\ue13f][\s,]{0,9})+)(.+)$", r"\2 \1", source.strip())
        return self.fill(person_en.to_third(source))

    def fact(self, slot: str, value: str = "", text: str | None = None, **more: Any) -> Fact:
        """A fact of this clause; `text` defaults to the clause itself in the third person."""
        value = self.fill(value).strip(" ,.，。")
        more.setdefault("when", self.when)
        more.setdefault("holds", not (self.denied or self.ended))
        whole = text is None or self.denied or self.ended  # a denial keeps its own words
        return Fact(
            text=self.third() if whole or text is None else text,
            lang=self.lang,
            slot=slot,
            value=value,
            corrects=self.corrects,
            again=self.again,
            ended=self.ended,
            instead_of=self.instead_of,
            **more,
        )


class Cut:
    """A match on the simplified shadow of a text, giving the characters as they were written."""

    def __init__(self, m: re.Match[str], text: str) -> None:
        self._m, self._text = m, text

    def __getitem__(self, group: int | str) -> Any:
        start, end = self._m.span(group)
        return None if start < 0 else self._text[start:end]

    def groupdict(self) -> dict[str, str | None]:
        """The named groups."""
        return {k: self[k] for k in self._m.groupdict()}


Found: TypeAlias = "re.Match[str] | Cut"
Build: TypeAlias = Callable[[Any, Clause], "Iterable[Fact] | None"]  # the first is a Found
Rule: TypeAlias = tuple[re.Pattern[str], Build]


class Rules:
    """An ordered table of rules: the first that yields something wins. `shadow`: match simplified Chinese."""

    def __init__(self, *, shadow: bool = False) -> None:
        self.table: list[Rule] = []
        self._shadow = shadow

    def __call__(self, *patterns: str) -> Callable[[Build], Build]:
        """Enter a function for these patterns."""

        def add(build: Build) -> Build:
            self.table.extend((re.compile(p, re.I), build) for p in patterns)
            return build

        return add

    def read(self, c: Clause) -> list[Fact]:
        """What the first fitting rule makes of the clause."""
        plain = c.plain
        shadow = simplified(plain) if self._shadow else plain
        for pattern, build in self.table:
            m = pattern.search(shadow)
            if m and (found := list(build(Cut(m, plain) if self._shadow else m, c) or ())):
                return found
        return []


def ended(facts: Iterable[Fact], text: str | None = None) -> list[Fact]:
    """The facts turned round: what was so is no longer."""
    return [replace(f, holds=False, ended=True, text=f.text if text is None else text) for f in facts]
