"""Lexical search: BM25 over one user's own words.

FTS5 finds which memories hold a term; the score is computed here. Its own `bm25()` costs 0.6 µs for every match of
every frequent word, and takes a word's rarity from all users together, so that one person's memories would show
in another's ranking. A memory is a sentence or two, so a term counts once however often it occurs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, MemoryId, Scored
from memory.ports import Holding
from memory.store.filters import where
from memory.store.postings import Ground, Postings
from memory.store.rows import dump
from memory.store.text import terms

Numbers: TypeAlias = NDArray[np.int64]
Ranking: TypeAlias = tuple[Numbers, NDArray[np.float64]]  # memory numbers, sums of rarity

K1: Final = 1.2
B: Final = 0.75
_SPARE: Final = 4  # candidates looked at for each that is wanted: some will not pass the filter
_COUNTED: Final = 10_000  # memories of one user that are counted anew after every change
_CLOCKS: Final = (
    "SELECT (SELECT COALESCE(MAX(n), 0) FROM memories_text),"
    " COALESCE((SELECT edits FROM text_clock WHERE user_id = ?), 0),"
    " (SELECT COUNT(*) FROM (SELECT 1 FROM users LIMIT 2))"
)


class Lexical:
    """Answers `Reader.lexical`; shared by the reading threads."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, int, int]] = {}  # user → memories, and the clocks when they were counted
        self._postings = Postings()

    def search(self, con: Any, user_id: str, texts: Sequence[str], k: int, f: Filter) -> list[list[Scored]]:
        """For each text the best `k` memories that share a term with it and pass the filter, best first.

        Of several texts every term is looked up once and every candidate checked once.
        """
        if k <= 0:
            return [[] for _ in texts]
        ground = self._ground(con, user_id)
        wanted = [terms(t) for t in texts]
        each = list(dict.fromkeys(t for ts in wanted for t in ts))
        holding = dict(zip(each, self._postings.holding(con, user_id, ground, each), strict=True))
        held = [[holding[t] for t in ts if len(holding[t].places)] for ts in wanted]
        most, passed = max(64, _SPARE * k), dict[int, tuple[MemoryId, int]]()
        seen: set[int] = set()
        while True:
            ranked = [_ranked(h, most) for h in held]
            fresh = {n for numbers, _ in ranked for n in numbers.tolist()} - seen
            passed |= _passed(con, user_id, sorted(fresh), f)
            seen |= fresh
            out = [_scored(r, passed, k) for r in ranked]
            if all(len(hits) >= k or len(r[0]) < most for hits, r in zip(out, ranked, strict=True)):
                return out
            most *= 4  # the filter holds most back: look on

    def holding(self, con: Any, user_id: str, terms: Sequence[str]) -> list[Holding]:
        """For each term the memories that hold it."""
        return self._postings.holding(con, user_id, self._ground(con, user_id), terms)

    def _ground(self, con: Any, user_id: str) -> Ground:
        """What narrows a search to this user's words, and about how many memories there are to search.

        Whoever is alone in the store needs no narrowing, which halves the cost; `_passed` holds to the owner anyway.
        """
        newest, edits, users = con.execute(_CLOCKS, (user_id,)).fetchone()
        if users < 2:
            return Ground("", newest, newest, edits)
        known = self._counts.get(user_id)
        if known is None or ((newest, edits) != known[1:] and _stale(known, newest)):
            total = con.execute("SELECT COUNT(*) FROM memories WHERE user_id = ?", (user_id,)).fetchone()[0]
            self._counts[user_id] = known = total, newest, edits
        return Ground(f'owner : "{user_id}" AND ', known[0], newest, edits)


def _stale(known: tuple[int, int, int], newest: int) -> bool:
    """A few are counted anew whenever anything changed, many when a tenth more may have come."""
    total, then, _ = known
    return total < _COUNTED or newest > then + total // 10


def _ranked(held: Sequence[Holding], most: int) -> Ranking:
    """The `most` memories that hold the rarest terms, best first; of equals the newest."""
    if not held:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    numbers, places = np.unique(np.concatenate([h.places for h in held]), return_inverse=True)
    weights = np.repeat([h.rarity for h in held], [len(h.places) for h in held])
    scores: NDArray[np.float64] = np.bincount(places, weights).astype(np.float64, copy=False)
    if most < len(numbers):
        best = np.flatnonzero(scores >= np.partition(scores, -most)[-most])
        numbers, scores = numbers[best], scores[best]
    order = np.lexsort((-numbers, -scores))[:most]
    return numbers[order], scores[order]


def _scored(ranked: Ranking, passed: Mapping[int, tuple[MemoryId, int]], k: int) -> list[Scored]:
    """The best k of those that passed, longer texts weighing less."""
    held = [(n, s) for n, s in zip(ranked[0].tolist(), ranked[1].tolist(), strict=True) if n in passed]
    usual = sum(passed[n][1] for n, _ in held) / len(held) if held else 0.0
    scale = K1 * B / (usual or 1.0)
    found = [(s * (K1 + 1) / (1 + K1 * (1 - B) + scale * passed[n][1]), n) for n, s in held]
    found.sort(key=lambda hit: (-hit[0], -hit[1]))
    return [Scored(passed[n][0], s, n) for s, n in found[:k]]


def _passed(con: Any, user_id: str, numbers: list[int], f: Filter) -> Mapping[int, tuple[MemoryId, int]]:
    """Number → (id, words) of those that pass the filter."""
    condition, params = where(user_id, f, listed=True)
    rows = con.execute(
        "SELECT m.n, m.id, t.words FROM memories m INDEXED BY memories_gate"
        " JOIN memories_text t INDEXED BY memories_words ON t.n = m.n"
        f" WHERE m.n IN (SELECT value FROM json_each(?)) AND {condition}",
        (dump(numbers), *params),
    )
    return {n: (memory_id, words) for n, memory_id, words in rows.fetchall()}
