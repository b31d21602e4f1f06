"""Lexical search: BM25 over one user's own words.

FTS5 finds which memories hold a term; the score is computed here. Its own `bm25()` costs 0.6 µs for every match of
every frequent word, and takes a word's rarity from all users together, so that one person's memories would show
in another's ranking. A memory is a sentence or two, so a term counts once however often it occurs.
"""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, Scored
from memory.store.filters import where
from memory.store.rows import dump
from memory.store.text import phrase, terms

Posting: TypeAlias = tuple[NDArray[np.int64], float]  # memory numbers, rarity

K1: Final = 1.2
B: Final = 0.75
_MOST_ROWS: Final = 1000  # of one term, the newest: a more frequent one says too little to be followed further


def lexical(con: Any, user_id: str, text: str, k: int, f: Filter) -> list[Scored]:
    """The best `k` memories that share a term with `text` and pass the filter; higher is better."""
    if k <= 0:
        return []
    numbers, scores = _candidates(con, user_id, text)
    order = np.lexsort((-numbers, -scores))  # equal scores: the newer memory first
    numbers, scores = numbers[order], scores[order]
    found: list[tuple[float, int, str]] = []
    start, size = 0, max(64, 4 * k)
    while start < len(numbers) and len(found) < k:
        found += _passed(con, user_id, numbers[start : start + size], scores[start : start + size], f)
        start, size = start + size, size * 4
    found.sort(key=lambda hit: (-hit[0], -hit[1]))
    return [Scored(memory_id, score) for score, _, memory_id in found[:k]]


def _candidates(con: Any, user_id: str, text: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Memory numbers that hold any term, with the sum of the terms' rarity."""
    owned, total = ground(con, user_id)
    held = [(rows, rarity) for rows, rarity in (posting(con, owned, total, t) for t in terms(text)) if len(rows)]
    if not held:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    numbers, places = np.unique(np.concatenate([rows for rows, _ in held]), return_inverse=True)
    weights = np.concatenate([np.full(len(rows), rarity) for rows, rarity in held])
    return numbers, np.bincount(places, weights).astype(np.float64, copy=False)


def posting(con: Any, owned: str, total: int, term: str) -> Posting:
    """The newest memories that hold the term, and its rarity (BM25's idf)."""
    rows = con.execute(
        "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
        (f"{owned}text : {phrase(term)}", _MOST_ROWS),
    ).fetchall()
    # Cut off at the limit, the true count is unknown: somewhere up to all of them.
    count = len(rows) if len(rows) < _MOST_ROWS else max(total / 2, _MOST_ROWS)
    numbers = np.fromiter((r[0] for r in rows), np.int64, len(rows))
    return numbers, math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def ground(con: Any, user_id: str) -> tuple[str, int]:
    """What narrows a search to this user's words, and about how many memories there are to search.

    Whoever is alone in the store needs no narrowing, which halves the cost; `_passed` holds to the owner anyway.
    """
    if con.execute("SELECT COUNT(*) FROM (SELECT 1 FROM users LIMIT 2)").fetchone()[0] < 2:
        return "", con.execute("SELECT COALESCE(MAX(n), 0) FROM memories_text").fetchone()[0]
    total = con.execute("SELECT COUNT(*) FROM memories WHERE user_id = ?", (user_id,)).fetchone()[0]
    return f'owner : "{user_id}" AND ', total


def _passed(
    con: Any, user_id: str, numbers: NDArray[np.int64], scores: NDArray[np.float64], f: Filter
) -> list[tuple[float, int, str]]:
    """(score, number, id) of those that pass the filter, longer texts weighing less."""
    condition, params = where(user_id, f, listed=True)
    rows = con.execute(
        "SELECT m.n, m.id, t.words FROM memories m JOIN memories_text t ON t.n = m.n"
        f" WHERE m.n IN (SELECT value FROM json_each(?)) AND {condition}",
        (dump(numbers.tolist()), *params),
    ).fetchall()
    if not rows:
        return []
    rarity = dict(zip(numbers.tolist(), scores.tolist(), strict=True))
    usual = sum(r["words"] for r in rows) / len(rows) or 1.0
    return [
        (rarity[n] * (K1 + 1) / (1 + K1 * (1 - B + B * length / usual)), n, memory_id)
        for n, memory_id, length in (tuple(r) for r in rows)
    ]
