"""What a message asks, taken apart: questions that stand for themselves, and the clauses of each.
Pure.

"He that turned 35, what does he do? And where is the park I saw?" is two questions, the first of
two clauses that need each other. A long message that comes to the point at its end ("wait, what I
wanted to ask is …") is about that point. What stands in quotation marks is one piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.index.text import list_search_terms
from memory.text.questions import ASKS, BOTH, CLAUSE, PATTERNS, QUOTED, SENTENCE
from memory.text.translations import find_synonyms
from memory.text.words import STOP_WORDS, is_unspaced, tokens

MOST: Final = 6  # parts of a message, and clauses of a part
_WORDS: Final = 24  # of a clause
_ASIDE: Final = 0.25  # weight of what was said before the message came to its point
_TOLD: Final = 0.4  # of a sentence that asks nothing, where another one asks


_KEPT: Final = re.compile("\ufffc(\\d+)\ufffc")  # a quotation, until the pieces are cut


@dataclass(frozen=True, slots=True)
class PartClause:
    """A piece that is looked for in one go."""

    words: tuple[str, ...]  # terms of the text index
    characters: tuple[
        str, ...
    ]  # Chinese ones, each by itself: pairs miss 学历 where 学位 is asked for
    alike: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # what else may be said for a word or character of it


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A question that stands for itself."""

    text: str
    weight: float
    clauses: tuple[PartClause, ...]


@lru_cache(maxsize=512)
def index_terms(text: str) -> tuple[str, ...]:
    """Its words as the text index has them; a message of one clause is asked for them twice."""
    return tuple(list_search_terms(text))


@lru_cache(maxsize=512)
def is_question(sentence: str) -> bool:
    """Whether it is a question, by its words or its mark."""
    return ASKS.search(sentence) is not None


def split_into_parts(text: str) -> tuple[QuestionPart, ...]:
    """At least one, if there is any word at all to look for."""
    quotes: list[str] = []

    def keep(m: re.Match[str]) -> str:
        quotes.append(m.group())
        return f"\ufffc{len(quotes) - 1}\ufffc"

    def back(piece: str) -> str:
        return (_KEPT.sub(lambda m: quotes[int(m[1])], piece) if quotes else piece).strip()

    plain = QUOTED.sub(keep, text)
    anything_asked = is_question(plain)
    found = []
    for section in PATTERNS.NEXT.split(plain):
        for weight, sentence in _weighed(section, anything_asked):
            clauses = [
                c
                for piece in CLAUSE.split(sentence)
                if piece
                for p in _each(back(piece))
                if (c := parse_clause(p))
            ]
            if clauses:
                found.append(QuestionPart(back(sentence), weight, tuple(clauses[-MOST:])))
    if not found:
        whole = parse_clause(text)
        return (QuestionPart(text, 1.0, (whole,)),) if whole else ()
    best = sorted(range(len(found)), key=lambda i: (-found[i].weight, -i))[:MOST]
    return tuple(found[i] for i in sorted(best))


def parse_clause(text: str) -> PartClause | None:
    """None if it has nothing to look for."""
    text = sought(text)
    words = index_terms(text)[:_WORDS]
    runs = () if text.isascii() else (run for run in tokens(text) if is_unspaced(run))
    characters = dict.fromkeys(c for run in runs for c in run if c not in STOP_WORDS)
    lone = tuple(c for c in characters if c not in words)[:_WORDS]
    others = tuple((w, found) for w in (*words, *lone) if (found := find_synonyms(w)))
    return PartClause(words, lone, others) if words or lone else None


def _weighed(section: str, anything_asked: bool) -> Iterator[tuple[float, str]]:
    """Sentences with their weights; of the one that comes to the point, what follows the turn."""
    sentences = [s.strip() for s in SENTENCE.split(section) if s and s.strip()]
    turns = (
        [i for i, s in enumerate(sentences) if PATTERNS.TURN.search(s)]
        if len(sentences) == 1 or PATTERNS.TURN.search(section)
        else []
    )
    for i, sentence in enumerate(sentences):
        weight = _TOLD if anything_asked and not is_question(sentence) else 1.0
        rest = sentence
        if turns and i < turns[-1]:
            weight *= _ASIDE
        elif turns and i == turns[-1]:
            last = list(PATTERNS.TURN.finditer(sentence))[-1]
            rest = sentence[last.end() :].strip() or sentence
        yield weight, rest


def _each(clause: str) -> list[str]:
    """Asks of both: "A and B, which is older?" is "A, which is older?" and "B, which is older?"."""
    found = BOTH.match(clause)
    return [f"{found['a']} {found['rest']}", f"{found['b']}{found['rest']}"] if found else [clause]


@lru_cache(maxsize=64)
def content(text: str) -> str:
    """Leave the instruction out of a text ("list all my …", 给我讲讲……), if anything else is left."""
    left = PATTERNS.INSTRUCTS.sub(" ", text)
    return left.strip() if any(c.isalnum() for c in left) else text


@lru_cache(maxsize=512)
def sought(text: str) -> str:
    """Leave out what only says how to answer or of which time ("before", 目前); a memory that has it is no answer."""
    left = PATTERNS.OF_WHICH_TIME.sub(" ", PATTERNS.INSTRUCTS.sub(" ", text))
    return left if any(c.isalnum() for c in left) else text
