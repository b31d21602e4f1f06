"""How near memories that have nothing to do with each other are, by the vectors of one user: a measure of chance.

Cosines of one embedder crowd about 0.1, of another about 0.6, and of one and the same in a language it hardly knows
higher than in one it knows. What stands out can only be told beside that.
"""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np

from memory.ports import Chance
from memory.store.rows import dump

_SAMPLE: Final = 48  # memories, evenly spaced
_LEAST: Final = 12
_GROWN: Final = 1.25  # times as many vectors, and it is measured anew
_KEPT: Final = 10_000  # users and models; then the cache starts anew


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
        f"SELECT vector FROM embeddings WHERE seq IN (SELECT (SELECT seq {of} AND seq >= value LIMIT 1)"
        " FROM json_each(?))",
        (*own, dump(places)),
    ).fetchall()
    if len(rows) < _LEAST:
        return None
    vectors = np.stack([np.frombuffer(r[0], np.float32) for r in rows])
    # Small products: for larger ones BLAS takes threads, which wait 10 ms for each other on a busy machine.
    pairs = np.concatenate([vectors[i + 1 :] @ vectors[i] for i in range(len(vectors) - 1)])
    return Chance(float(pairs.mean()), float(pairs.std()), len(vectors))
