"""How a store's memories look to an embedder: what is chance there, and what stands out of it.

Cosines of one embedder crowd about 0.1, of another about 0.8, and mean the same: what stands out can only be told
beside what is usual in this store. How many directions its memories go in from their mean tells whether the embedder
tells them apart. How many words a memory shares with the next one of its session tells whether sessions are
conversations; that needs no embedder.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import log, sqrt
from typing import Any, Final

import numpy as np

from memory.models import Lang
from memory.ports import Chance, FloatArray
from memory.store.rows import dump
from memory.store.shelf import Shelf
from memory.store.text import terms
from memory.store.vectors import level_vectors

_SAMPLE: Final = 96  # memories, evenly spaced, whose cosines with each other are taken
_READ: Final = 1024  # vectors, evenly spaced, that questions are compared with
_LEAST: Final = 12
_SPOKEN: Final = 6  # of a language, and their mean is its own
_GROWN: Final = 1.25  # times as many memories or fewer, and it is measured anew
_TELLING: Final = 0.5  # of the memories have a vector, and these stand for all
_PAIRS: Final = 8  # neighbours, and they say something
_NONE: Final = np.empty(0, np.int64)
_KEPT: Final = 10_000  # users and models; then the cache starts anew

_OWN: Final = "FROM embeddings INDEXED BY embeddings_codes WHERE user_id = ? AND model_id = ?"

Idle = Mapping[Lang, FloatArray]  # (messages, dim): vectors of messages that call for nothing


class Chances:
    """Answers `Reader.chance`; shared by the reading threads."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, int], tuple[int, int, Chance]] = {}  # memories, vectors, measure
        self._lock = threading.Lock()

    def of(self, con: Any, user_id: str, model_id: int | None, shelf: Shelf, idle: Idle | None) -> Chance:
        """Measure a user's memories, or return what was measured while memories and vectors are about as many."""
        size = len(shelf)
        dim = next((messages.shape[1] for messages in (idle or {}).values()), 0)
        key = (user_id, -1 if model_id is None else model_id, dim)
        known = self._known.get(key)
        if known is not None and _as_many(size, known[0]):
            whole = model_id is None or _as_many(size, known[1])
            if whole or _as_many(_count_vectors(con, model_id, shelf), known[1]):
                return known[2]
        held = _count_vectors(con, model_id, shelf)
        told = held > 0 and held >= size * _TELLING
        found = _measure_vectors(con, user_id, model_id, held, idle or {}) if told else Chance()
        measured = replace(found, follows=_measure_sessions(shelf))
        with self._lock:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = (size, held, measured)
        return measured


def _as_many(now: int, then: int) -> bool:
    """Whether a number has changed by less than a quarter."""
    return now == then or then / _GROWN < now < then * _GROWN


def _count_vectors(con: Any, model_id: int | None, shelf: Shelf) -> int:
    """Count the memories that have a vector; of many, from a sample."""
    places = np.unique(np.linspace(0, len(shelf) - 1, _READ).astype(np.int64)) if len(shelf) else _NONE
    (held,) = con.execute(
        "SELECT COUNT(*) FROM embeddings WHERE model_id = ? AND memory_n IN (SELECT value FROM json_each(?))",
        (model_id, dump(shelf.numbers[places].tolist())),
    ).fetchone()
    return round(int(held) / max(len(places), 1) * len(shelf))


def _measure_vectors(con: Any, user_id: str, model_id: int | None, held: int, idle: Idle) -> Chance:
    own = (user_id, model_id)
    first, last = con.execute(f"SELECT (SELECT MIN(seq) {_OWN}), (SELECT MAX(seq) {_OWN})", own + own).fetchone()
    places = np.unique(np.linspace(first, last, _READ).astype(np.int64)).tolist()
    # The next one of the user's own from each place on: others' may stand between.
    rows = con.execute(
        "SELECT vector, language FROM embeddings JOIN memories ON n = memory_n"
        f" WHERE seq IN (SELECT (SELECT seq {_OWN} AND seq >= value LIMIT 1) FROM json_each(?))",
        (*own, dump(places)),
    ).fetchall()
    vectors = np.stack([np.frombuffer(v, np.float32) for v, _ in rows])
    languages = np.array([lang for _, lang in rows])
    # Messages that another embedder read, which was in use a moment ago, say nothing of these.
    mine = {lang: messages for lang, messages in idle.items() if messages.shape[1] == vectors.shape[1]}
    spoken = [vectors[at].mean(axis=0) for lang in mine if (at := languages == lang).sum() >= _SPOKEN]
    slant = spoken[0] - spoken[1] if len(spoken) > 1 else None
    asked = {lang: _each_with_each(level_vectors(messages, slant), vectors) for lang, messages in mine.items()}
    nearest = {lang: (float(a.max(axis=1).mean()), float(a.max(axis=1).std())) for lang, a in asked.items()}
    if len(rows) < _LEAST:  # enough to say how near small talk comes to them, not how they are spread
        return Chance(0.0, len(rows), slant=slant, idle=nearest)
    some = vectors[np.unique(np.linspace(0, len(vectors) - 1, _SAMPLE).astype(np.int64))]
    cosines = _each_with_each(some)
    apart = cosines[np.triu_indices(len(cosines), 1)]
    spread = float(np.mean([a.std(axis=1).mean() for a in asked.values()])) if asked else float(apart.std())
    # The nearest of all is nearer than the nearest of those that were read: the more there are, the farther out.
    farther = spread * (sqrt(2 * log(held)) - sqrt(2 * log(len(rows)))) if held > len(rows) else 0.0
    return Chance(
        spread,
        len(rows),
        _dimensions(cosines),
        centre=vectors.mean(axis=0),
        slant=slant,
        idle={lang: (mean + farther, deviation) for lang, (mean, deviation) in nearest.items()},
    )


def _each_with_each(vectors: FloatArray, others: FloatArray | None = None) -> FloatArray:
    """Small products: for larger ones BLAS takes threads, which wait 10 ms for each other on a busy machine."""
    return np.stack([(vectors if others is None else others) @ v for v in vectors])


def _dimensions(cosines: FloatArray) -> float:
    """How many directions of equal strength would spread them so: the more, the better they are told apart.

    The participation ratio of their covariance, as if their number were no limit to it. What an embedder adds to all
    of its vectors does not change it.
    """
    centred = cosines - cosines.mean(0) - cosines.mean(1)[:, None] + cosines.mean()
    square = float(np.square(centred).sum())
    if square <= 0:
        return 1.0
    seen = float(np.trace(centred)) ** 2 / square
    return 1 / max(1 / seen - 1 / (len(cosines) - 1), 1e-3)


def _measure_sessions(shelf: Shelf) -> float | None:
    """Return how far above chance, in spreads, a memory shares words with the next of its session, at least."""
    order = shelf.order.places
    session = shelf.session[order]
    beside = np.flatnonzero((session[1:] == session[:-1]) & (session[1:] >= 0))
    if len(beside) < _PAIRS:
        return None
    some = beside[np.unique(np.linspace(0, len(beside) - 1, _SAMPLE).astype(np.int64))].tolist()
    texts = {at: frozenset(terms(shelf.texts[int(order[at])])) for at in {*some, *(at + 1 for at in some)}}
    held = Counter(term for own in texts.values() for term in own)
    worth = {t: log(1 + (len(texts) - n + 0.5) / (n + 0.5)) ** 2 for t, n in held.items()}
    length = {at: sqrt(sum(worth[t] for t in own)) or 1.0 for at, own in texts.items()}

    def alike(a: int, b: int) -> float:
        return sum(worth[t] for t in texts[a] & texts[b]) / (length[a] * length[b])

    chance = [alike(a, b) for i, a in enumerate(some) for b in some[i + 2 :]]
    spread = float(np.std(chance)) if chance else 0.0
    if not spread:
        return None
    next_ones = [alike(at, at + 1) for at in some]
    return (float(np.mean(next_ones)) - float(np.mean(chance))) / spread - 1 / sqrt(len(next_ones))
