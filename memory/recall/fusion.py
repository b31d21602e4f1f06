"""One ranking from several signals: a weighted sum, and bounded nudges for what else speaks.

Weights are log-odds: a memory that scores one more is e times as likely to be what was asked for.
They are the same in every language; how far an embedder and a memory's neighbours are trusted is
measured in each store. Where each number comes from, and what recall is worth without each signal,
stands in `docs/design.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import exp, log
from typing import Final

from memory.lifecycle.curve import days_between
from memory.models import Memory
from memory.ports import ChanceStatistics

WEIGHTS: Final[Mapping[str, float]] = {
    "words": 4.0,  # BM25 of the best answered part, 1 for the best memory
    "meaning": 1.0,  # times `embedder_weight`: deviations of the cosine above the message's mean
    "bridge": 1.6,
    "graph": 0.4,
    "names": 1.7,
    "time": 5.0,
    "kind": 1.2,
    "question": -1.5,
    "before": 1.9,
    "after": 0.8,
    "order": 1.0,
}
FIRST: Final = ("words", "meaning")  # what a memory says itself: this alone speaks for neighbours
SHOWN: Final[Mapping[str, str]] = {  # what belongs together in an explanation
    "words": "lexical",
    "meaning": "vectors",
    "before": "beside",
    "after": "beside",
    "kind": "kind_of_answer",
    "question": "form",
    "order": "time",
}

# A standard deviation of the cosine counts the least where memories go in so few directions
# (`ChanceStatistics.dimensions`), and the most from so many on. With multilingual-e5, chats have
# 20 to 55 and diaries 92 to 115.
_DIRECTIONS: Final = (60.0, 95.0)
_TRUSTED: Final = (0.45, 4.0)
_LEXICAL: Final = 0.1  # shared words count already, but it forgives a letter typed wrong
# `ChanceStatistics.follows`: conversations 0.9 to 3.1, diaries and remarks below 0.2
_SAME_THREAD: Final = (0.2, 0.8)
_UNKNOWN: Final = 1 / 3

STRENGTH: Final = 0.10  # each nudge is a factor of at most this much more or less than 1
RETENTION: Final = 0.02  # more than that hides old answers (tests/bench/forgetting.py)
RECENCY: Final = 0.05
CONFIDENCE: Final = 0.05
_NUDGE: Final = 5.0  # what a nudge is worth, in log-odds: a tenth more is half a point


def embedder_weight(embedder: str, chance: ChanceStatistics | None) -> float:
    """Return what a deviation of an embedder's cosines counts: less where memories look alike.

    Args:
        embedder: its id; of the lexical one little is left, since words count by themselves.
        chance: what was measured in this store; None where it has too few memories.
    """
    if embedder.startswith("lexical:"):
        return _LEXICAL
    least, most = _TRUSTED
    if chance is None or chance.dimensions is None:
        return least
    few, many = map(log, _DIRECTIONS)
    return least + (most - least) * _share(log(max(1.0, chance.dimensions)), few, many)


def neighbour_weight(chance: ChanceStatistics | None) -> float:
    """Return how far what stands beside a memory in its session belongs to it, 0 … 1."""
    if chance is None or chance.follows is None:
        return _UNKNOWN
    return _share(chance.follows, *_SAME_THREAD)


def _share(x: float, least: float, most: float) -> float:
    return max(0.0, min(1.0, (x - least) / (most - least)))


def compute_nudges(m: Memory, weight: float, unfaded: float, now: datetime) -> Mapping[str, float]:
    """Return factors by name, each bounded and 1 where nothing is said.

    Args:
        m: the memory.
        weight: what it weighs now.
        unfaded: what it would weigh now if time alone took nothing: by its kind and mentions.
        now: the time of the question.
    """
    kept = min(1.0, weight / unfaded) if unfaded > 0 else 1.0
    return {
        "strength": 1 + STRENGTH * max(-1.0, min(1.0, unfaded - 1)),
        "retention": 1 - RETENTION * (1 - kept),
        "recency": 1 + RECENCY * (2 * exp(-days_between(m.last_activated_at, now) / 30) - 1),
        "confidence": 1 + CONFIDENCE * (2 * max(0.0, min(1.0, m.confidence)) - 1),
    }


def apply_nudges(score: float, factors: Mapping[str, float]) -> float:
    """Return a score with its nudges."""
    return score + _NUDGE * sum(map(log, factors.values()))
