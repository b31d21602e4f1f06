"""How near memories that have nothing to do with each other are, by the vectors of one user: a measure of chance.

Cosines of one embedder crowd about 0.1, of another about 0.6 or 0.9, and mean the same: what stands out can only be
told beside that. How many directions they go in from their mean tells whether the embedder tells them apart, and how
much nearer than chance the next one of a session is, whether a session is one conversation.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from memory.ports import Chance, FloatArray
from memory.store.rows import dump

_SAMPLE: Final = 96  # memories, evenly spaced
_LEAST: Final = 12
_GROWN: Final = 1.25  # times as many vectors, and it is measured anew
_PAIRS: Final = 8  # neighbours, and they say something
_KEPT: Final = 10_000  # users and models; then the cache starts anew
_NEXT: Final = "SELECT b.n FROM memories b WHERE b.source_session = m.source_session"


class Chances:
    """Answers `Reader.chance`; shared by the reading threads."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[int, Chance]] = {}
        self._lock = threading.Lock()

    def of(self, con: Any, user_id: str, model_id: int) -> Chance | None:
        """None where there are too few vectors to tell."""
        row = con.execute("SELECT puts FROM vector_clock WHERE user_id = ?", (user_id,)).fetchone()
        puts = row[0] if row else 0  # never fewer than there are vectors
        known = self._known.get((user_id, model_id))
        if known is not None and puts <= known[0] * _GROWN:
            return known[1]
        measured = _measured(con, user_id, model_id)
        if measured is not None:
            with self._lock:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known[user_id, model_id] = (puts, measured)
        return measured


def _measured(con: Any, user_id: str, model_id: int) -> Chance | None:
    own = (user_id, model_id)
    of = "FROM embeddings INDEXED BY embeddings_codes WHERE user_id = ? AND model_id = ?"
    first, last = con.execute(f"SELECT (SELECT MIN(seq) {of}), (SELECT MAX(seq) {of})", own + own).fetchone()
    if first is None:
        return None
    places = np.unique(np.linspace(first, last, _SAMPLE).astype(np.int64)).tolist()
    # The next one of the user's own from each place on: others' may stand between.
    rows = con.execute(
        f"SELECT memory_n, vector FROM embeddings WHERE seq IN (SELECT (SELECT seq {of} AND seq >= value LIMIT 1)"
        " FROM json_each(?))",
        (*own, dump(places)),
    ).fetchall()
    if len(rows) < _LEAST:
        return None
    vectors = {n: np.frombuffer(v, np.float32) for n, v in rows}
    cosines = _each_with_each(np.stack(list(vectors.values())))
    pairs = cosines[np.triu_indices(len(cosines), 1)]
    mean, spread = float(pairs.mean()), float(pairs.std())
    beside = _beside(con, model_id, vectors)
    follows = None
    if len(beside) >= _PAIRS and spread > 0:
        follows = (float(np.mean(beside)) - mean) / spread - 1 / len(beside) ** 0.5
    return Chance(mean, spread, len(cosines), _dimensions(cosines), follows)


def _each_with_each(vectors: FloatArray) -> FloatArray:
    """Small products: for larger ones BLAS takes threads, which wait 10 ms for each other on a busy machine."""
    return np.stack([vectors @ v for v in vectors])


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


def _beside(con: Any, model_id: int, vectors: Mapping[int, FloatArray]) -> list[float]:
    """Cosines of these with what was learned next in the same session."""
    rows = con.execute(
        "SELECT j.value, e.vector FROM json_each(?) j JOIN memories m ON m.n = j.value"
        " JOIN embeddings e ON e.model_id = ? AND e.memory_n = COALESCE("
        f"  ({_NEXT} AND b.created_at = m.created_at AND b.n > m.n ORDER BY b.n LIMIT 1),"
        f"  ({_NEXT} AND b.created_at > m.created_at ORDER BY b.created_at, b.n LIMIT 1))"
        " WHERE m.source_session IS NOT NULL",
        (dump(list(vectors)), model_id),
    ).fetchall()
    return [float(vectors[n] @ np.frombuffer(v, np.float32)) for n, v in rows]
