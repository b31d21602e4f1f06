"""Check an operation against the person's own words: names, numbers, dates, negation, and who said it. Pure.

Form decides, never meaning: a paraphrase that names nothing is believed if the words it quotes are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias

from memory.learn import dates
from memory.learn.contains import units
from memory.text.spans import own_sentences, split_spans, unmark_names
from memory.text.speech import clauses_of, fold, kin_of, pick_option, read_answer

Role: TypeAlias = Literal["user", "assistant", "other"]
Place: TypeAlias = tuple[int, int, int]  # of a message, and start and end in it

_TITLE: Final = re.compile("[\"“「《']([^\"”」》']{1,10})[\"”」》']")  # a name in quotation marks is one's own word
JOINT: Final = re.compile(" – |——")  # between what was asked or said before and a quotation
SUPPORTED: Final = 0.25  # share of an operation's words that one own sentence must have if no words are quoted


@dataclass(frozen=True, slots=True)
class Cited:
    """What an operation says it rests on: the number of a message, and words of it."""

    n: int
    words: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its text, the dates it gives (ISO), and the text of the memory that it changes."""

    op: str
    text: str
    said: tuple[Cited, ...] = ()
    on: str = ""
    days: tuple[tuple[dates.Use, str], ...] = ()  # due, since and until
    old: str = ""
    sure: bool = True
    quote: bool = False  # it says it is a quotation: nothing but own words, and what they answer


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message as the model was shown it; `n` is its number, 0 for one that is context only."""

    id: str
    n: int
    role: Role
    text: str
    at: datetime
    tz: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why an operation is not supported ("" if it is), and the words it rests on: (message, start, end)."""

    reason: str
    sources: tuple[tuple[str, int, int], ...] = ()


def check_operation(op: Operation, spoken: Sequence[Spoken], shown: Iterable[str]) -> Verdict:
    """Decide whether the person's own words support an operation.

    Args:
        op: what a model wants to keep or change.
        spoken: the exchange and what was said before it, oldest first.
        shown: texts of the memories that the model was shown.
    """
    from memory.learn.support import CHECKS

    if op.quote:
        return _check_quotation(op, spoken)
    found = _find_cited(op, spoken) if op.said else _find_best(op, spoken)
    if isinstance(found, str):
        return Verdict(found)
    case = Case(op, spoken, tuple(shown), found)
    reason = next((name for name, fails in CHECKS.items() if fails(case)), "")
    return Verdict(reason, ((spoken[found[0]].id, found[1], found[2]),))


def _check_quotation(op: Operation, spoken: Sequence[Spoken]) -> Verdict:
    """Accept a quotation of own words: all that it says stands in them, or in the sentence that they answer."""
    *before, last = JOINT.split(op.text)
    cited = (*(c.n for c in op.said), None)  # in the message it names, else in another own one
    found = next((p for n in cited if (p := _find_own(last, spoken, n))), None)
    if found is None:
        return Verdict("said")
    said = question_before(spoken, found[0])
    if any(_find_own(b, spoken) is None and fold(b).strip() not in fold(said) for b in before):
        return Verdict("said")
    return Verdict("", ((spoken[found[0]].id, found[1], found[2]),))


def _find_own(words: str, spoken: Sequence[Spoken], n: int | None = None) -> Place | None:
    """Find words in an own message, or in the one of that number."""
    for i, m in enumerate(spoken):
        if m.role == "user" and n in {None, m.n} and (place := find_words(words, unmark_names(m.text))):
            return i, *place
    return None


def find_words(words: str, text: str) -> tuple[int, int] | None:
    """Find quoted words in own parts of a text, whatever their case, spaces and punctuation."""
    wanted = "".join(c for c in fold(words) if c.isalnum())
    for signs, places in _own_signs(text) if wanted else ():
        if (at := signs.find(wanted)) >= 0:
            return places[at], places[at + len(wanted) - 1] + 1
    return None


@lru_cache(maxsize=32)
def _own_signs(text: str) -> list[tuple[str, list[int]]]:
    """Letters and digits of each own part, and where each stands."""
    text = text.translate({0x300A: " ", 0x300B: " "})  # a title is one's own word
    own = [s for s in split_spans(text) if s.kind == "own"]
    found = [[(c, i) for i in range(s.start, s.end) for c in fold(text[i]) if c.isalnum()] for s in own]
    return [("".join(c for c, _ in signs), [i for _, i in signs]) for signs in found]


@lru_cache(maxsize=32)
def sentences_of(text: str) -> list[tuple[int, int]]:
    """The own sentences of a message."""
    return own_sentences(text)


def _find_cited(op: Operation, spoken: Sequence[Spoken]) -> Place | str:
    """The words it quotes: in the message it names, else in another own one of the exchange."""
    own = [i for i, m in enumerate(spoken) if m.role == "user" and m.n]
    for cited in op.said:
        for i in sorted(own, key=lambda i: spoken[i].n != cited.n):
            if cited.words and (place := find_words(cited.words, spoken[i].text)):
                return i, *place
            if not cited.words and spoken[i].n == cited.n:
                return _find_best(op, spoken, [i])
    return "said"


def _find_best(op: Operation, spoken: Sequence[Spoken], among: Sequence[int] = ()) -> Place | str:
    """The own sentence that has most of the operation's words, with the question that it answers."""
    best: tuple[float, Place] = (0.0, (0, 0, 0))
    wanted = units(dates.DATED.sub(" ", op.text)) or units(op.text)
    for i in among or [i for i, m in enumerate(spoken) if m.role == "user" and m.n]:
        question = question_before(spoken, i)
        question = question if read_answer(spoken[i].text.strip(), question) else ""
        for start, end in sentences_of(spoken[i].text):
            share = len(wanted & units(f"{question} {spoken[i].text[start:end]}")) / max(1, len(wanted))
            if share > 0 and share >= best[0]:
                best = share, (i, start, end)
    return best[1] if best[0] >= SUPPORTED else "unsupported"


def question_before(spoken: Sequence[Spoken], i: int) -> str:
    """The assistant's last sentence before message `i`; "" if somebody else spoke."""
    if i == 0 or spoken[i - 1].role != "assistant":
        return ""
    return re.split(r"(?<=[.!?。！？])\s*(?=.)", spoken[i - 1].text.strip())[-1]


class Case:
    """An operation beside the words that it rests on, as the checks read them.

    Attributes:
        m, sentence, focus: the message, its sentence and the clauses of that which the operation rests on.
        question, answer: the sentence before a short answer, and what the answer does with it.
        said: what the person said, without what they took back, and the question as far as they affirm it.
        known: that and the memories that their words point to; folded, like `said`.
        text: the operation's text without dates.
    """

    def __init__(self, op: Operation, spoken: Sequence[Spoken], shown: tuple[str, ...], place: Place) -> None:
        i, start, end = place
        self.op, self.spoken, self.m = op, spoken, spoken[i]
        text = self.m.text
        self.before, self.cited = text[:start], text[start:end]
        self.quoted = any(c.words for c in op.said)
        self.sentence = " ".join(text[a:b] for a, b in sentences_of(text) if a < end and start < b) or self.cited
        clauses = [self.sentence[a:b].strip() for a, b in clauses_of(self.sentence)]
        self.focus = [c for c in clauses if self._is_cited(c)] or clauses
        question = question_before(spoken, i)
        self.answer = read_answer(text.strip(), question)
        self.question = question if self.answer else ""
        self.picked = pick_option(text, self.question)
        self.shown = [op.old] if op.old else []
        self.shown += [s for s in shown if s != op.old and self._points_to(s)]
        mine = [m.text for m in spoken if m.role == "user"]
        own = [t for x in mine for t in (*(x[a:b] for a, b in sentences_of(x)), *_TITLE.findall(x))]
        asked = ((question_before(spoken, j), m.text.strip()) for j, m in enumerate(spoken) if m.role == "user")
        affirmed = (q for q, text in asked if read_answer(text, q) in {"yes", "fill", "past", "unsure"})
        said = " ".join((*own, *affirmed))
        self.said = fold(said)
        self.known = fold(" ".join((said, *self.shown)))
        self.text = dates.DATED.sub(" ", op.text)

    def _is_cited(self, clause: str) -> bool:
        cited, folded = fold(self.cited).strip(" .?!"), fold(clause).strip(" .?!？！。")
        inside = units(clause) & units(self.cited)
        return folded in cited or cited in folded or len(inside) > len(units(clause)) / 2

    def _points_to(self, memory: str) -> bool:
        """Whether own words, or the question that they answer, speak of what a shown memory is about."""
        said = f"{self.m.text} {self.question}"
        kin, theirs = kin_of(said), kin_of(memory)
        return bool(kin & theirs or units(said) & units(memory) or (kin and not theirs))

    @cached_property
    def windows(self) -> list[dates.Window]:
        """The times that the words name: those of the clauses it rests on, else of the message, else of all."""
        asked = [(self.question, self.m)] if self.answer not in {"", "no", "evades"} else []
        own = [(m.text, m) for m in self.spoken if m.role == "user"]
        found: list[dates.Window] = []
        for said in ([(f, self.m) for f in self.focus], [(self.m.text, self.m)], own):
            for text, m in (*said, *asked):
                ahead, behind = dates.spoken_times(text, m.at, m.tz)
                found += ahead + behind
            if any(not (a <= self.m.at < b) for a, b in found):
                break
        return found
