"""One ranking from many signals: a weighted sum of shares, and bounded nudges for what else speaks for a memory.

The weights were tuned on the development data of `python -m tests.bench.recall` (LoCoMo and MemDaily). A share is a
signal's score as a part of its best one, so no signal's scale matters; `beside` is a part of its neighbour's score.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import exp
from typing import Final

from memory.lifecycle.curve import days
from memory.models import Lang, Memory, MemoryId
from memory.recall.signals import Scores, norm
from memory.recall.window import Span

WEIGHTS: Final[Mapping[Lang, Mapping[str, float]]] = {
    # recall@10 on LoCoMo .728 (about .64 without `beside`, .70 with twice the vectors): a turn has many words of
    # its topic, so BM25 leads, and what was said just before or after a hit says much.
    "en": {"lexical": 0.85, "vectors": 0.15, "names": 0.05, "graph": 0.05, "beside": 0.50, "bridge": 0.10},
    # recall@10 on MemDaily .735 (about .70 without `bridge`, .70 without vectors): pairs are sparse, n-grams see
    # more of them, telling pairs lead from hit to hit, and remarks of one day have less to do with each other.
    "zh": {"lexical": 0.55, "vectors": 0.45, "names": 0.05, "graph": 0.05, "beside": 0.15, "bridge": 0.35},
}
SEMANTIC: Final = 0.5  # share of vectors that know meanings, beside lexical's
_OWN_SCALE: Final = frozenset({"beside", "versions"})  # already parts of another memory's share

RETENTION: Final = 0.10  # each nudge moves a score by at most this part, up or down
RECENCY: Final = 0.05
CONFIDENCE: Final = 0.05
IN_WINDOW: Final = 0.25  # the question names a time, and the memory is of that time


def fuse(
    lang: Lang, context_weight: float, raw: Mapping[str, Scores], *, semantic: bool = False
) -> dict[MemoryId, float]:
    """Weighted sum of shares; the best first look is 1. Followers come on top of it.

    `semantic`: the vectors are of an embedder that knows more than shared letters.
    """
    weights = {**WEIGHTS[lang], "context": context_weight, "versions": 1.0}
    if semantic:
        weights |= {"lexical": 1 - SEMANTIC, "vectors": SEMANTIC}
    first: dict[MemoryId, float] = {}
    for name in ("lexical", "vectors", "context", "names"):
        _add(first, weights[name], norm(raw.get(name, {})))
    total = dict(norm(first))
    for name in ("graph", "beside", "bridge", "versions"):
        scores = raw.get(name, {})
        _add(total, weights[name], scores if name in _OWN_SCALE else norm(scores))
    return total


def _add(total: dict[MemoryId, float], weight: float, shares: Scores) -> None:
    for i, s in shares.items():
        total[i] = total.get(i, 0.0) + weight * s


def nudges(m: Memory, weight: float, span: Span | None, now: datetime) -> Mapping[str, float]:
    """Factors by name. `weight` is the memory's retention now."""
    out = {
        "retention": 1 + RETENTION * max(-1.0, min(1.0, weight - 1)),
        "recency": 1 + RECENCY * (2 * exp(-days(m.last_activated_at, now) / 30) - 1),
        "confidence": 1 + CONFIDENCE * (2 * max(0.0, min(1.0, m.confidence)) - 1),
    }
    if span is not None:
        out["time"] = 1 + IN_WINDOW * any(
            t is not None and span[0] <= t < span[1] for t in (m.created_at, m.valid_from, m.expires_at)
        )
    return out
