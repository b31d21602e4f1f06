"""An operation beside the words of a person that it rests on, as the checks of evidence read them.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property
from typing import Final

from memory.learn import dates
from memory.learn.cited_words import (
    Operation,
    Place,
    ShownMessage,
    find_question_before,
    sentences_of,
)
from memory.learn.same_meaning import list_units
from memory.text.languages import values
from memory.text.numbers import find_numbers
from memory.text.speech import FORMS, find_kin, fold, read_answer, split_clauses
from memory.text.words import is_unspaced

JOINED: Final = re.compile(
    r"\b(?:and|but|so|because|while) (?=(?:i|we|my|our|he|she|it|they|the|\w+(?:one|body))\b)"
    r"|\b(?=who\b|which\b)",
    re.I,
)
RUNS_ON: Final = 20  # words from which a clause is read only around the words that are quoted
_TITLE: Final = re.compile("[\"“「《']([^\"”」》']{1,10})[\"”」》']")  # is one's own word
_SPANS: Final = [  # days of a unit of time, and how it is named in all languages
    (days, re.compile(f"[ 多]{{0,2}}(?:{'|'.join(words).replace(' ', '|')})"))
    for days, words in zip(
        (365.25, 30.44, 7.0),
        zip(*(spans.split("|") for spans in values("evidence", "SPANS").values()), strict=True),
        strict=True,
    )
]


class EvidenceCase:
    """An operation beside the words that it rests on, as the checks read them.

    Attributes:
        m: the first message that it quotes. before, cited: those messages up to each quotation,
        and the quotations. sentence, focus: the sentences around those, and the clauses of them
        that the operation rests on. question, answer: the sentence before a short answer, and what
        the answer does with it. said: what the person said, without what they took back, and the
        question as far as they affirm it. known: that and the memories that their words point to;
        folded, like `said`. text: the operation's text without dates. words: its units.
    """

    def __init__(
        self,
        op: Operation,
        spoken: Sequence[ShownMessage],
        shown: tuple[str, ...],
        places: Sequence[Place],
    ) -> None:
        i = places[0][0]
        self.op, self.spoken, self.m = op, spoken, spoken[i]
        text = self.m.text
        self.before = [spoken[j].text[: start + 1] for j, start, _ in places]
        self.cited = [spoken[j].text[start:end] for j, start, end in places]
        self.quoted = any(c.words for c in op.said)
        around = [
            told[a:b]
            for j, told in enumerate(m.text for m in spoken)
            for a, b in sentences_of(told)
            if any(j == k and a < end and start < b for k, start, end in places)
        ]
        self.sentence = " ".join(around or self.cited)
        clauses = [self.sentence[a:b].strip() for a, b in split_clauses(self.sentence)]
        self.focus = [self._narrow(c) for c in clauses if self._is_cited(c)] or clauses
        question = find_question_before(spoken, i)
        self.answer = read_answer(text.strip(), question)
        self.question = question if self.answer else ""
        self.all_shown, self.shown = shown, [op.old, *filter(self._points_to, shown)]
        own, affirmed = list[str](), list[str]()
        for j, m in enumerate(spoken):
            if m.role == "user":
                asked = find_question_before(spoken, j)
                own += [*(m.text[a:b] for a, b in sentences_of(m.text)), *_TITLE.findall(m.text)]
                if read_answer(m.text.strip(), asked) in {"yes", "fill", "past", "unsure"}:
                    affirmed.append(asked)
        self.said = fold(" ".join((*own, *affirmed)))
        self.known = fold(" ".join((self.said, *self.shown)))
        self.text = dates.cut_dates(op.text)
        self.words = list_units(self.text)
        self.changed = list_units(op.old) if op.op in {"update", "fix"} else frozenset[str]()

    def _is_cited(self, clause: str) -> bool:
        folded, *cited = (fold(text).strip(" .?!？！。") for text in (clause, *self.cited))
        units = list_units(clause)
        shared = len(units & list_units(" ".join(self.cited)))
        return any(folded in c or c in folded for c in cited) or shared >= len(units) / 2

    def _narrow(self, clause: str) -> str:
        """Cut a clause that runs on without a stop to some words around those it rests on."""
        cited = next((c for c in self.cited if c in clause), "")
        if not cited or len(clause.split()) <= RUNS_ON:
            return clause
        before, after = (part.split() for part in clause.split(cited, 1))
        lead = ("…", *before[-4:]) if len(before) > 4 else before  # what opens it is no question
        return " ".join((*lead, cited, *after[:4]))

    def _points_to(self, memory: str) -> bool:
        """Tell whether own words, or the question they answer, speak of what a memory is about."""
        said = f"{self.m.text} {self.question}"
        kin, theirs = find_kin(said), find_kin(memory)
        return bool(kin & theirs or list_units(said) & list_units(memory) or (kin and not theirs))

    @cached_property
    def today(self) -> str:
        """The day on which it was said, ISO."""
        return dates.format_iso(self.m.at, self.m.tz)[:10]

    @cached_property
    def windows(self) -> list[dates.Window]:
        """The times named by the clauses it rests on, else by the message, else by all of them."""
        asked = [(self.question, self.m)] if self.answer not in {"", "no", "evades"} else []
        own = [(m.text, m) for m in self.spoken if m.role == "user"]
        found: list[dates.Window] = []
        for said in ([(f, self.m) for f in self.focus], [(self.m.text, self.m)], own):
            for text, m in (*said, *asked):
                found += dates.find_said_times(text, m.at, m.tz)
            if any(not (a <= self.m.at < b) for a, b in found):
                break
        return found

    @cached_property
    def times(self) -> list[dates.Window]:
        """All times of the words, and of the memories that they point to."""
        at, tz = self.m.at, self.m.tz
        named = [m[0] for m in FORMS.DAYS.finditer(self.m.text) if not is_unspaced(m[0])]
        bare = [f"{word} {day}" for day in named for word in ("on", "in")]
        told = (*self.shown, *bare)
        known = [w for t in told for way in dates.find_spoken_times(t, at, tz) for w in way]
        again = dates.find_repetition(self.m.text, at, tz)
        return [*self.windows, *self.spans, *again, *known]

    @cached_property
    def spans(self) -> list[dates.Window]:
        """When what has gone on for a time named in own words began: six years, 三年了."""
        at, found = self.m.at, list[dates.Window]()
        for n, _, end in find_numbers(self.said):
            unit = next((d for d, p in _SPANS if p.match(self.said, end)), None)
            if unit is not None and 0 < n < 100:
                start = at - timedelta(days=n * unit)
                wide = (timedelta(days=d) for d in {unit / 2, min(unit / 2, 15.0)})
                found += [(start - d, start + d) for d in wide]
        return found

    @cached_property
    def lies_ahead(self) -> bool:
        """Whether every time that the clauses it rests on name is one to come."""
        both = (w for f in self.focus for w in dates.find_spoken_times(f, self.m.at, self.m.tz))
        starts = [start for way in both for start, _ in way]
        return bool(starts) and min(starts) > self.m.at
