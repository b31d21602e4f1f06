"""Nearest neighbours by cosine: one float32 matrix per user in memory, vec0 where that grows too large.

Up to a hundred thousand vectors a matrix product is faster than vec0 (DESIGN §8), and it is what remains where
sqlite-vec is missing. A matrix follows the base table: `vector_clock` says when it has fallen behind, and only
the rows that are new are read.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, Scored
from memory.ports import FloatArray
from memory.store import indexes
from memory.store.filters import where
from memory.store.rows import dump
from memory.store.vectors import unit_blob

CACHE_ROWS: Final = 100_000  # of one user; beyond it vec0 answers, where there is one
_CACHE_BYTES: Final = 256 * 1024 * 1024  # of all users
_VEC0_MOST: Final = 4096  # vec0 takes no larger k
_FIRST_FETCH: Final = 64


@dataclass(slots=True)
class _Matrix:
    """The vectors of one user and one model."""

    dim: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    puts: int = -1
    removals: int = -1
    seq: int = 0
    count: int = 0
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    rows: FloatArray = field(default_factory=lambda: np.empty((0, 0), np.float32))
    at: dict[int, int] = field(default_factory=dict)  # memory number → row

    def put(self, n: int, vector: FloatArray) -> None:
        row = self.at.get(n)
        if row is None:
            row = self.at[n] = self.count
            if row == len(self.numbers):
                self._grow(max(64, row * 2))
            self.numbers[row] = n
            self.count += 1
        self.rows[row] = vector

    def fill(self, numbers: list[int], vectors: bytes) -> None:
        self.numbers = np.array(numbers, np.int64)
        self.rows = np.frombuffer(vectors, dtype=np.float32).reshape(len(numbers), self.dim).copy()
        self.count = len(numbers)
        self.at = {n: i for i, n in enumerate(numbers)}

    def keep(self, wanted: set[int]) -> None:
        mask = np.fromiter((int(n) in wanted for n in self.numbers[: self.count]), bool, self.count)
        self.rows = self.rows[: self.count][mask]
        self.numbers = self.numbers[: self.count][mask]
        self.count = len(self.numbers)
        self.at = {int(n): i for i, n in enumerate(self.numbers)}

    def _grow(self, size: int) -> None:
        numbers, rows = np.empty(size, np.int64), np.empty((size, self.dim), np.float32)
        numbers[: self.count] = self.numbers[: self.count]
        rows[: self.count] = self.rows[: self.count]
        self.numbers, self.rows = numbers, rows


class Nearest:
    """Answers `Reader.nearest`; shared by the reading threads."""

    def __init__(self) -> None:
        self._matrices: OrderedDict[tuple[str, int], _Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def search(
        self, con: Any, vec: bool, user_id: str, model_id: int, v: FloatArray, k: int, f: Filter
    ) -> list[Scored]:
        """The k nearest that pass `f`, best first."""
        query = np.frombuffer(unit_blob(v), dtype=np.float32)
        if self._too_many(con, vec, user_id, model_id):
            return _by_vec0(con, user_id, model_id, query, k, f)
        matrix = self._matrix(user_id, model_id, len(query))
        with matrix.lock:
            _follow(con, matrix, user_id, model_id)
            numbers = matrix.numbers[: matrix.count].copy()
            scores = _cosines(matrix, query)
        return _filtered(con, user_id, numbers, scores, k, f)

    def products(
        self, con: Any, vec: bool, user_id: str, model_id: int, vectors: Sequence[FloatArray]
    ) -> tuple[NDArray[np.int64], FloatArray] | None:
        """(memory numbers, a row of cosines for each vector); None where vec0 has to answer."""
        if self._too_many(con, vec, user_id, model_id):
            return None
        queries = np.stack([np.frombuffer(unit_blob(v), dtype=np.float32) for v in vectors])
        matrix = self._matrix(user_id, model_id, queries.shape[1])
        with matrix.lock:
            _follow(con, matrix, user_id, model_id)
            return matrix.numbers[: matrix.count].copy(), np.stack([_cosines(matrix, q) for q in queries])

    def forget(self) -> None:
        """Drop everything kept (after a rebuild)."""
        with self._lock:
            self._matrices.clear()

    def _too_many(self, con: Any, vec: bool, user_id: str, model_id: int) -> bool:
        """Whether vec0 is to answer; counted only while there is no matrix that knows."""
        matrix = self._matrices.get((user_id, model_id))
        if (matrix is not None and matrix.count <= CACHE_ROWS) or not indexes.vec0_usable(con, vec, model_id):
            return False
        beyond = con.execute(
            "SELECT 1 FROM embeddings WHERE user_id = ? AND model_id = ? LIMIT 1 OFFSET ?",
            (user_id, model_id, CACHE_ROWS),
        ).fetchone()
        return beyond is not None

    def _matrix(self, user_id: str, model_id: int, dim: int) -> _Matrix:
        with self._lock:
            found = self._matrices.pop((user_id, model_id), None) or _Matrix(dim, rows=np.empty((0, dim), np.float32))
            self._matrices[user_id, model_id] = found
            size = sum(m.rows.nbytes for m in self._matrices.values())
            while size > _CACHE_BYTES and len(self._matrices) > 1:
                size -= self._matrices.popitem(last=False)[1].rows.nbytes
            return found


def _cosines(matrix: _Matrix, query: FloatArray) -> FloatArray:
    """As fast as BLAS on one core, without its threads, which on a busy machine wait 10 ms for another."""
    out: FloatArray = np.einsum("ij,j->i", matrix.rows[: matrix.count], query)
    return out


def _follow(con: Any, matrix: _Matrix, user_id: str, model_id: int) -> None:
    """Read what the matrix has missed. A thread with an older snapshot than the matrix leaves it alone."""
    clock = con.execute("SELECT puts, removals FROM vector_clock WHERE user_id = ?", (user_id,)).fetchone()
    puts, removals = (0, 0) if clock is None else (clock["puts"], clock["removals"])
    if puts <= matrix.puts and removals <= matrix.removals:
        return
    if removals > matrix.removals and matrix.count:
        wanted = con.execute(
            "SELECT memory_n FROM embeddings WHERE user_id = ? AND model_id = ?", (user_id, model_id)
        ).fetchall()
        matrix.keep({r[0] for r in wanted})
    rows = con.execute(
        "SELECT seq, memory_n, vector FROM embeddings WHERE user_id = ? AND model_id = ? AND seq > ? ORDER BY seq",
        (user_id, model_id, matrix.seq),
    ).fetchall()
    if rows and not matrix.count:
        matrix.fill([r[1] for r in rows], b"".join(r[2] for r in rows))
    else:
        for _, n, vector in rows:
            matrix.put(n, np.frombuffer(vector, dtype=np.float32))
    matrix.seq = rows[-1][0] if rows else matrix.seq
    matrix.puts, matrix.removals = puts, removals


def _filtered(
    con: Any, user_id: str, numbers: NDArray[np.int64], scores: FloatArray, k: int, f: Filter
) -> list[Scored]:
    """The best that pass the filter; as many candidates as it takes."""
    condition, params = where(user_id, f, listed=True)
    fetch, total = max(_FIRST_FETCH, 4 * k), len(numbers)
    while total and k > 0:
        fetch = min(fetch, total)
        some = np.argpartition(-scores, fetch - 1)[:fetch] if fetch < total else np.arange(total)
        best = some[np.argsort(-scores[some], kind="stable")]
        rows = con.execute(
            f"SELECT m.n, m.id FROM memories m WHERE m.n IN (SELECT value FROM json_each(?)) AND {condition}",
            (dump(numbers[best].tolist()), *params),
        )
        passed = dict(tuple(r) for r in rows.fetchall())
        if len(passed) >= k or fetch == total:
            chosen = [
                (passed[n], s) for n, s in zip(numbers[best].tolist(), scores[best], strict=True) if n in passed
            ]
            return [Scored(memory_id, float(s)) for memory_id, s in chosen[:k]]
        fetch *= 4
    return []


def _by_vec0(con: Any, user_id: str, model_id: int, query: FloatArray, k: int, f: Filter) -> list[Scored]:
    fetch = max(_FIRST_FETCH, 4 * k)
    while True:
        fetch = min(fetch, _VEC0_MOST)
        rows = con.execute(
            f"SELECT rowid, distance FROM {indexes.vec0_name(model_id)} WHERE embedding MATCH ? AND k = ?"
            " AND user_id = ?",
            (query.tobytes(), fetch, user_id),
        ).fetchall()
        numbers = np.fromiter((r[0] for r in rows), np.int64, len(rows))
        scores = np.fromiter((1.0 - r[1] for r in rows), np.float32, len(rows))
        found = _filtered(con, user_id, numbers, scores, k, f)
        if len(found) >= k or len(rows) < fetch or fetch == _VEC0_MOST:
            return found
        fetch *= 4
