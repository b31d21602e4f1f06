"""The gate: how likely a memory is what the message calls for, calibrated so that 0.7 means the same everywhere.

Ranking says which memory fits best; the best of nothing is still nothing. Two witnesses are heard, and the better
one counts: how much of what the message says the memory says too, and the cosine on its embedder's own scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log1p
from typing import Final

from memory.models import Memory
from memory.recall.question import Question, shared

THRESHOLD: Final = 0.7  # S1
REVIEW_THRESHOLD: Final = 0.4

# A logistic regression over the development data's questions, 25 facts with two questions each and 76 turns of small
# talk a language (tests/bench/smalltalk.py), no coefficient below zero, shifted so that 0.7 is where it should cut:
# at most some 5% of small talk brings up anything, at a loss of less than a point of recall@3.
_BIAS: Final = -6.8
_SHARE: Final = 1.7  # of the message's information that the memory has, if the message asks
_TELLING: Final = 2.9  # log1p of the information in telling words that both have
_FIRST: Final = 3.1  # the first telling word
_COMMON: Final = 5.5  # log1p of that in common words
_ASKS: Final = 3.2
_PERSONAL: Final = 0.9
_ASKS_PERSONAL: Final = 4.0
_NAMED: Final = 1.8  # an entity of the memory is named; by hand: who is spoken of should be known


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where an embedder's cosines stop being chance (the gate is 0.5 at `half`) and how sharply."""

    half: float
    slope: float


# Cosines of a question with a short memory. Those of the lexical embedder are words shared, which are counted anyway.
CALIBRATIONS: Final[dict[str, Calibration | None]] = {
    "lexical:": None,
    "openai:text-embedding-3": Calibration(0.36, 20.0),
    "fastembed:": Calibration(0.48, 16.0),
    "": Calibration(0.55, 14.0),
}


def calibration(embedder: str) -> Calibration | None:
    """The one with the longest matching prefix; None where cosines say nothing that words do not."""
    return CALIBRATIONS[max((p for p in CALIBRATIONS if embedder.startswith(p)), key=len)]


def gate(a: Question, m: Memory, *, cosine: float | None, embedder: str, named: bool) -> float:
    """Calibrated relevance, 0 … 1.

    Args:
        a: the message.
        m: the memory.
        cosine: of the two, or of the message's best clause; None without vectors.
        embedder: whose cosine it is.
        named: whether the message names an entity of the memory.
    """
    by_words = _words(a, m, named=named)
    c = calibration(embedder) if cosine is not None else None
    if c is None or cosine is None:
        return by_words
    return max(by_words, 1 / (1 + exp(-c.slope * (cosine - c.half))))


def _words(a: Question, m: Memory, *, named: bool) -> float:
    """By the clause that the memory answers best, or by what the messages before were about.

    A message that asks nothing has to share much with a memory, or name who it is about, to bring it up.
    """
    text = " ".join((m.original_content, *m.entities, *m.topics))
    looks = [_likely(*shared(c.terms, text), asks=a.asks, personal=a.personal, named=named) for c in a.clauses]
    if a.context_weight >= 0.1:  # it chooses among what was said, or asks about it
        telling, common, whole = shared(a.context_terms, text)
        w = a.context_weight
        looks.append(_likely(w * telling, w * common, whole, asks=True, personal=a.personal, named=named))
    return max(looks)


def _likely(telling: float, common: float, whole: float, *, asks: bool, personal: bool, named: bool) -> float:
    if telling + common <= 0:
        return 0.0
    x = _BIAS + _TELLING * log1p(telling) + _FIRST * min(1.0, telling) + _COMMON * log1p(common)
    if asks:
        x += _ASKS + _SHARE * (telling + common) / whole
    if personal:
        x += _PERSONAL + _ASKS_PERSONAL * asks
    return 1 / (1 + exp(-x - _NAMED * named))
