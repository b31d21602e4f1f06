"""The gate: how likely a memory is what the message calls for, calibrated so that 0.7 means the same everywhere.

Ranking says which memory fits best; the best of nothing is still nothing. Two witnesses are heard, and the better
one counts: how much of what the message says the memory says too, and the cosine, on its embedder's own scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log1p
from typing import Final

from memory.models import Memory
from memory.recall.question import Question, shared

THRESHOLD: Final = 0.7  # S1
REVIEW_THRESHOLD: Final = 0.4


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where an embedder's cosines stop being chance (`half`: the gate is 0.5) and how sharply."""

    half: float
    slope: float


# Cosines of a question with a short memory. The lexical embedder's are shared words, which `_words` judges better.
CALIBRATIONS: Final[dict[str, Calibration]] = {
    "lexical": Calibration(0.55, 14.0),
    "openai:text-embedding-3": Calibration(0.38, 16.0),
    "fastembed": Calibration(0.50, 12.0),
    "": Calibration(0.55, 12.0),
}


def calibration(embedder: str) -> Calibration:
    """The one with the longest matching prefix."""
    return CALIBRATIONS[max((p for p in CALIBRATIONS if embedder.startswith(p)), key=len)]


def gate(a: Question, m: Memory, cosine: float | None, embedder: str) -> float:
    """Calibrated relevance, 0 … 1."""
    by_words = _words(a, m)
    if cosine is None:
        return by_words
    c = calibration(embedder)
    return max(by_words, 1 / (1 + exp(-c.slope * (cosine - c.half))))


def _words(a: Question, m: Memory) -> float:
    """From the share of the best clause's information that the memory has, and how much that is.

    A message that asks nothing has to say much of what the memory says before it brings it up.
    """
    text = " ".join((m.original_content, *m.entities, *m.topics))
    looks = [shared(c.terms, text) for c in a.clauses]
    if a.context_weight >= 0.1:
        there, all_of_it = shared(a.context_terms, text)
        looks.append((there * a.context_weight, all_of_it * 0.5))
    return max((_likely(there, whole, asks=a.asks) for there, whole in looks if there > 0), default=0.0)


def _likely(there: float, whole: float, *, asks: bool) -> float:
    x = -3.2 + 4.0 * min(1.0, there / whole) + 2.0 * log1p(there) + (1.2 if asks else 0.0)
    return 1 / (1 + exp(-x))
