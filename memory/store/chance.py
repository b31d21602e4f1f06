"""How near memories that have nothing to do with each other are, by the vectors of one user: a measure of chance.

Cosines of one embedder crowd about 0.1, of another about 0.6, and of one and the same in a language it hardly knows
higher than in one it knows. What stands out can only be told beside that.
"""

from __future__ import annotations

import threading
from typing import Any, Final

import numpy as np

from memory.ports import Chance

_SAMPLE: Final = 128  # memories, evenly spaced
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
    places = [
        r[0]
        for r in con.execute(
            "SELECT seq FROM embeddings INDEXED BY embeddings_codes WHERE user_id = ? AND model_id = ?",
            (user_id, model_id),
        ).fetchall()
    ]
    if len(places) < _LEAST:
        return None
    some = [places[i] for i in np.linspace(0, len(places) - 1, min(_SAMPLE, len(places))).astype(int).tolist()]
    rows = con.execute(f"SELECT vector FROM embeddings WHERE seq IN ({', '.join('?' * len(some))})", some).fetchall()
    vectors = np.stack([np.frombuffer(r[0], np.float32) for r in rows])
    # Not by BLAS, whose threads wait 10 ms for each other on a busy machine.
    pairs = np.einsum("ik,jk->ij", vectors, vectors)[np.triu_indices(len(vectors), 1)]
    return Chance(float(pairs.mean()), float(pairs.std()))
