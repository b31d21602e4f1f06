"""A message as a question to the memory: clauses, telling words, possible names, what it points back at.

Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.models import Lang, detect_language
from memory.recall.clauses import (
    QuestionPart,
    content,
    index_terms,
    is_question,
    parse_clause,
    sought,
    split_into_parts,
)
from memory.recall.people import find_people_names
from memory.text.clean import MOST_READ, keep_ends
from memory.text.questions import (
    ABOUT_MEMORY,
    CAPITAL,
    CLAUSE,
    CODE,
    COMMON,
    JOINS,
    PATTERNS,
    QUOTED,
    SENTENCE,
    SOCIAL,
    WORLD,
)
from memory.text.words import STOP_WORDS, is_unspaced, stem, tokens

LEANS: Final = 0.1  # of its weight, and the context is looked for
MOST_CLAUSES: Final = 6
_MOST_CONTEXT: Final = 600
_MOST_NAMES: Final = 300
_STATEMENT: Final = 0.7  # weight of a clause that asks nothing, in a message that asks something
_BARE: Final = 2  # words that make no sentence
_IDLE: Final = 0.05  # information of words that keep a conversation going
_PAIR: Final = 0.8  # of a Chinese pair; words of three characters have two of them
_ALONE: Final = 0.5  # of a Chinese character among dull ones
_HALF_DULL: Final = 0.12  # of a pair with a dull character in it
_COMMON: Final = (
    0.4  # information of a word that everybody uses of everything, beside 1 for a telling one
)


@dataclass(frozen=True, slots=True)
class QuestionClause:
    """A part of the message that can be looked for by itself."""

    text: str
    weight: float
    terms: Mapping[str, float]  # telling words → information


@dataclass(frozen=True, slots=True)
class Question:
    """What recall knows of a message before it looks at any memory."""

    text: str
    lang: Lang
    clauses: tuple[QuestionClause, ...]  # at least one
    terms: Mapping[str, float]
    names: tuple[str, ...]
    asks: bool  # a question, or a request that knowing the person would help with
    # about the speaker's own life, as far as its words say, or a wish that it helps to know
    personal: bool
    world: bool  # anybody could be asked, or told to do it
    of_you: bool  # about the assistant
    proper: tuple[str, ...]  # words with a capital that no sentence gave them
    people: frozenset[str]  # names by their form
    own: bool  # about the speaker alone
    context: str
    context_terms: Mapping[str, float]
    context_weight: float  # 0 … 1: how much of the question must come from what was said before
    parts: tuple[
        QuestionPart, ...
    ] = ()  # what is looked for, each by itself; the context, where it counts, as the last one
    whole: tuple[str, ...] = ()  # words of the message, as the index has them
    when: bool = False  # what kind of answer is asked for
    where: bool = False
    how_many: bool = False
    latest: bool = False  # the last of several that were true one after another is meant
    earlier: bool = False  # one before that

    @property
    def list_texts(self) -> list[str]:
        """What an embedder is asked for: what the message asks, and the context if it counts."""
        return [content(self.text), *([self.context] if self.needs_context else [])]

    @property
    def needs_context(self) -> bool:
        """Whether it cannot be understood without what was said before it."""
        return self.context_weight >= LEANS

    @property
    def list_words(self) -> list[str]:
        """Every term that is looked up, once."""
        each = (
            w
            for p in self.parts
            for c in p.clauses
            for w in (*c.words, *c.characters, *(o for _, others in c.alike for o in others))
        )
        return list(dict.fromkeys((*self.whole, *each)))


@lru_cache(maxsize=256)
def parse_question(text: str, context: tuple[str, ...]) -> Question:
    """Read a message and up to three that stood before it, oldest first."""
    text = unicodedata.normalize("NFKC", keep_ends(text, MOST_READ)).strip()
    looked_for = sought(text)
    terms = find_telling_terms(looked_for)
    before = _tail(" \n".join(context[-3:]))
    weight = _context_weight(text, sum(terms.values())) if before else 0.0
    wanted = is_question(text) or _wants(text)
    leant_on = parse_clause(before) if weight >= LEANS else None
    people = find_people_names(text)
    earlier = bool(PATTERNS.ASKS_EARLIER.search(text))
    return Question(
        text=text,
        lang=detect_language(text, detect_language(before)),
        clauses=_clauses(text),
        terms=terms,
        names=_names(text),
        asks=wanted,
        personal=_personal(text, asks=wanted),
        world=_of_the_world(text),
        of_you=_of_you(text),
        proper=_proper(text),
        people=people,
        own=bool(PATTERNS.OWN.search(text)) and not people,
        context=before,
        context_terms=find_telling_terms(before),
        context_weight=weight if leant_on else 0.0,
        parts=(
            *split_into_parts(text),
            *([QuestionPart(before, weight, (leant_on,))] if leant_on else []),
        ),
        whole=index_terms(looked_for),
        when=bool(PATTERNS.ASKS_WHEN.search(text)),
        where=bool(PATTERNS.ASKS_WHERE.search(text)),
        how_many=bool(PATTERNS.ASKS_HOW_MANY.search(text)),
        latest=not earlier and bool(PATTERNS.ASKS_LATEST.search(text)),
        earlier=earlier,
    )


@lru_cache(maxsize=4096)
def find_telling_terms(text: str) -> Mapping[str, float]:
    """The telling words of a text (stems, Chinese pairs) and how much each says, 0 … 1."""
    found: dict[str, float] = {}
    for token in tokens(text):
        if is_unspaced(token):
            for run in PATTERNS.LOOKS_BACK.split(token):
                _of_run(run, found)
        elif token not in STOP_WORDS and (len(token) > 1 or token.isdigit()):
            s = stem(token)
            found[s] = (
                _IDLE if s in ABOUT_MEMORY or s in SOCIAL else _COMMON if s in COMMON else 1.0
            )
    return found


def _of_run(run: str, found: dict[str, float]) -> None:
    """Pairs of a run of Chinese, and characters that stand alone among dull ones."""
    dull = [c in STOP_WORDS or c in JOINS for c in run]
    for i, char in enumerate(run):
        last = i + 1 == len(run)
        if not dull[i] and (i == 0 or dull[i - 1]) and (last or dull[i + 1]):
            found[char] = (
                _IDLE if char in SOCIAL else _ALONE
            )  # 猫 in 我的猫叫什么: no pair of it is in 猫的名字
        if not last and not (dull[i] and dull[i + 1]):
            found[run[i : i + 2]] = _worth(run[i : i + 2], dull=dull[i] or dull[i + 1])


def _worth(pair: str, *, dull: bool) -> float:
    if pair in ABOUT_MEMORY or pair in SOCIAL:
        return _IDLE
    return _HALF_DULL if dull else _COMMON if pair in COMMON else _PAIR


def _tail(text: str) -> str:
    return unicodedata.normalize("NFKC", text[-_MOST_CONTEXT:])[-_MOST_CONTEXT:].strip()


def _clauses(text: str) -> tuple[QuestionClause, ...]:
    """Sentences cut at commas; what asks counts more than what tells; the most telling ones of a long message."""
    found: dict[str, QuestionClause] = {}
    sentences = [s for s in SENTENCE.split(text) if s and s.strip()]
    asking = [is_question(s) for s in sentences]
    for sentence, question_ in zip(sentences, asking, strict=True):
        weight = 1.0 if question_ or not any(asking) else _STATEMENT
        for part in CLAUSE.split(sentence):
            terms = find_telling_terms(sought(part)) if part else {}
            if terms:
                found.setdefault(part.strip(), QuestionClause(part.strip(), weight, terms))
    if len(found) < 2:
        return (QuestionClause(text, 1.0, find_telling_terms(sought(text))),)
    best = sorted(found.values(), key=lambda c: -c.weight * sum(c.terms.values()))[:MOST_CLAUSES]
    return tuple(c for c in found.values() if c in best)


def _names(text: str) -> tuple[str, ...]:
    """Every stretch of the text that could be an entity's name: up to three words, two to six characters."""
    found: dict[str, None] = {}
    for piece in re.split(r"[^\w\s'-]+", text.casefold()):
        words = [w for w in tokens(piece) if not is_unspaced(w)]
        dull = [w in STOP_WORDS for w in words]
        for i, first in enumerate(dull):
            for j in () if first else range(i, min(i + 3, len(words))):
                if not dull[j]:
                    found[" ".join(words[i : j + 1])] = None
    for run in () if text.isascii() else (t for t in tokens(text) if is_unspaced(t)):
        for size in range(2, 7):
            found.update(dict.fromkeys([run[i : i + size] for i in range(len(run) - size + 1)]))
            if len(found) >= _MOST_NAMES:  # of a pasted page
                return tuple(found)[:_MOST_NAMES]
    return tuple(found)[:_MOST_NAMES]


def _personal(text: str, *, asks: bool) -> bool:
    text = CODE.sub(" ", text)
    if not asks:
        return bool(PATTERNS.POSSESSIVE.search(text))
    return _mine(text) or _wants(text)


@lru_cache(maxsize=64)
def _mine(text: str) -> bool:
    """Whether the speaker is in it, other than as whom the assistant does something for."""
    return PATTERNS.PERSONAL.search(PATTERNS.OF_THE_ASSISTANT.sub(" ", text)) is not None


@lru_cache(maxsize=64)
def _wants(text: str) -> bool:
    return PATTERNS.WANTS.search(text) is not None


def _of_the_world(text: str) -> bool:
    rest, found = WORLD.subn(" ", QUOTED.sub(" ", text))
    return bool(found) and not _mine(rest)


def _proper(text: str) -> tuple[str, ...]:
    """Words with a capital that do not begin a sentence, unless there is no sentence."""
    found = [m.group() for m in CAPITAL.finditer(text)]
    if not found and len(text.split()) <= _BARE:
        found = re.findall(r"\b[A-Z][a-z]{2,}\b", text)
    return tuple(w for w in found if stem(w.casefold()) not in COMMON)


def _of_you(text: str) -> bool:
    return PATTERNS.YOU.search(text) is not None and not _mine(text) and not _wants(text)


def _context_weight(text: str, mass: float) -> float:
    """A message that says little and points back lives off what was said before it; a full question hardly."""
    if not PATTERNS.CHOOSES.search(text) and not (
        PATTERNS.STANDS_FOR.search(text) and is_question(text)
    ):
        return 0.0
    return 0.8 if mass < 1.0 else 0.35 if mass < 2.0 else 0.12


def measure_shared_terms(terms: Mapping[str, float], text: str) -> tuple[float, float, float]:
    """Information of the terms that `text` has: (of telling ones, of common ones, of all terms, there or not)."""
    there = find_telling_terms(text)
    telling = common = 0.0
    for t, w in terms.items():
        if t in there or (w == _ALONE and t in text):
            if w >= _ALONE:
                telling += w
            else:
                common += w
    return telling, common, sum(terms.values())
