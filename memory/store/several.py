"""Several looks of one question in one go: its clauses share most of their words, candidates and costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, Scored
from memory.store.filters import where
from memory.store.lexical import K1, B, Posting, ground, lexical, posting
from memory.store.rows import dump
from memory.store.text import terms

_SPARE: Final = 4  # candidates fetched for each that is wanted: some will not pass the filter


def lexical_each(con: Any, user_id: str, texts: Sequence[str], k: int, f: Filter) -> list[list[Scored]]:
    """What `lexical` gives for each text, every term looked up once and every candidate checked once."""
    owned, total = ground(con, user_id)
    wanted = [terms(t) for t in texts]
    postings = {t: posting(con, owned, total, t) for t in {t for ts in wanted for t in ts}}
    ranked = [_ranked([postings[t] for t in ts]) for ts in wanted]
    most = max(64, _SPARE * k)
    passed = _passed(con, user_id, [numbers[:most] for numbers, _ in ranked], f)
    usual = sum(words for _, words in passed.values()) / len(passed) if passed else 1.0
    out: list[list[Scored]] = []
    for text, (numbers, scores) in zip(texts, ranked, strict=True):
        found = [
            (s * (K1 + 1) / (1 + K1 * (1 - B + B * passed[n][1] / (usual or 1.0))), n)
            for n, s in zip(numbers[:most].tolist(), scores[:most].tolist(), strict=True)
            if n in passed
        ]
        if len(found) < k and len(numbers) > most:  # the filter holds most back: look on
            out.append(lexical(con, user_id, text, k, f))
            continue
        found.sort(key=lambda hit: (-hit[0], -hit[1]))
        out.append([Scored(passed[n][0], s) for s, n in found[:k]])
    return out


def _ranked(postings: Sequence[Posting]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Memory numbers that hold any term, best first, with the sum of the terms' rarity."""
    held = [(rows, rarity) for rows, rarity in postings if len(rows)]
    if not held:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    numbers, places = np.unique(np.concatenate([rows for rows, _ in held]), return_inverse=True)
    weights = np.concatenate([np.full(len(rows), rarity) for rows, rarity in held])
    scores: NDArray[np.float64] = np.bincount(places, weights).astype(np.float64, copy=False)
    order = np.lexsort((-numbers, -scores))
    return numbers[order], scores[order]


def _passed(
    con: Any, user_id: str, candidates: Sequence[NDArray[np.int64]], f: Filter
) -> Mapping[int, tuple[str, int]]:
    """Number → (id, words) of those that pass the filter."""
    numbers = np.unique(np.concatenate(candidates)).tolist() if candidates else []
    condition, params = where(user_id, f, listed=True)
    rows = con.execute(
        "SELECT m.n, m.id, t.words FROM memories m JOIN memories_text t ON t.n = m.n"
        f" WHERE m.n IN (SELECT value FROM json_each(?)) AND {condition}",
        (dump(numbers), *params),
    )
    return {n: (memory_id, words) for n, memory_id, words in rows.fetchall()}
