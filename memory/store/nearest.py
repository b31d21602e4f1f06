"""Nearest neighbours by cosine: codes in memory pick a hundred candidates, whose vectors are compared exactly.

The codes of a user (128 bytes a memory, `memory.store.codes`) are kept (`memory.store.codebook`); of the vectors
only those that were compared lately: all of a hundred thousand would take 150 MB. Until a large user's codes are
there, vec0 answers from the same codes on disk: it takes no loading, and 50 times as long for each question.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, MemoryId, Scored
from memory.ports import FloatArray
from memory.store import codes, indexes
from memory.store.codebook import Codes, Numbers, vectors_of
from memory.store.filters import where
from memory.store.rows import dump
from memory.store.vectors import unit

CANDIDATES: Final = 80  # compared exactly, for each question
_SPARE: Final = 2  # memories looked at for each that is wanted: some will not pass the filter
_CACHE_BYTES: Final = 256 * 1024 * 1024  # of all users' codes: two million memories
_LARGE: Final = 20_000  # memories whose codes are not waited for, where vec0 can answer
_VEC0_MOST: Final = 4096  # vec0 takes no larger k
_KNOWN: Final = 100  # vectors of a model that say how its cosines are spread


@dataclass(frozen=True, slots=True)
class Space:
    """One model's vectors of one user: where to look, and for what."""

    model_id: int
    dim: int


class Nearest:
    """Answers `Reader.nearest`; shared by the reading threads."""

    def __init__(self) -> None:
        self._codes: OrderedDict[tuple[str, int], Codes] = OrderedDict()
        self._lock = threading.Lock()
        self.cold: set[tuple[str, int]] = set()  # whose codes somebody should read (`load`)

    def search(
        self,
        con: Any,
        vec: bool,
        user_id: str,
        spaces: Sequence[Space],
        vectors: Sequence[FloatArray],
        k: int,
        f: Filter,
    ) -> list[list[Scored]]:
        """For each vector the k nearest that pass `f`, best first.

        `spaces` are the current model and, while memories are being embedded anew, the one before. A vector is the
        current model's, with the earlier one's behind it where both are wanted: then memories that have no vector
        of the current model are found by the other, their cosines moved to where the current one's lie.
        """
        wanted = [_parts(v, spaces) for v in vectors]
        if k <= 0:
            return [[] for _ in vectors]
        now = spaces[0]
        found = self._in_space(con, vec, user_id, now, [w[0] for w in wanted], k, f)
        if len(spaces) > 1 and any(w[1] is not None for w in wanted):
            before = [w[1] for w in wanted]
            earlier = self._in_space(
                con, vec, user_id, spaces[1], before, k, f, instead_of=(now, [w[0] for w in wanted])
            )
            found = [sorted((*a, *b), key=lambda s: -s.score)[:k] for a, b in zip(found, earlier, strict=True)]
        return found

    def load(self, con: Any, user_id: str, model_id: int) -> None:
        """Read the codes of a user, so that the next question finds them."""
        own = self._of(user_id, model_id)
        with own.lock:
            own.follow(con, user_id, model_id)
        self.cold.discard((user_id, model_id))

    def forget(self) -> None:
        """Drop everything kept (after a rebuild)."""
        with self._lock:
            self._codes.clear()

    # --- inside

    def _in_space(
        self,
        con: Any,
        vec: bool,
        user_id: str,
        space: Space,
        vectors: Sequence[FloatArray | None],
        k: int,
        f: Filter,
        *,
        instead_of: tuple[Space, Sequence[FloatArray | None]] | None = None,
    ) -> list[list[Scored]]:
        look = _Look(self, con, vec, user_id, space, f, instead_of[0] if instead_of else None)
        some = max(CANDIDATES, k + k // 2)
        out = look.best(vectors, some, k)
        short = [i for i, hits in enumerate(out) if len(hits) < k and vectors[i] is not None]
        while short and look.more(some):  # the filter holds most of the nearest back: look further
            some *= 4
            again = look.best([vectors[i] for i in short], some, k)
            for i, hits in zip(short, again, strict=True):
                out[i] = hits
            short = [i for i in short if len(out[i]) < k]
        if instead_of is not None:
            now, theirs = instead_of
            out = [
                self._moved(con, user_id, (space, v), (now, w), hits)
                for v, w, hits in zip(vectors, theirs, out, strict=True)
            ]
        return out

    def _moved(
        self,
        con: Any,
        user_id: str,
        mine: tuple[Space, FloatArray | None],
        theirs: tuple[Space, FloatArray | None],
        hits: list[Scored],
    ) -> list[Scored]:
        """Cosines of one model as the other would have them: as far above its average, in its own measure."""
        if not hits:
            return hits
        (mean, spread), (to_mean, to_spread) = (self._spread(con, user_id, *side) for side in (mine, theirs))
        if not spread or not to_spread:
            return hits
        return [replace(s, score=min(1.0, (s.score - mean) / spread * to_spread + to_mean)) for s in hits]

    def _spread(self, con: Any, user_id: str, space: Space, v: FloatArray | None) -> tuple[float, float]:
        own = self._of(user_id, space.model_id)
        with own.lock:
            own.follow(con, user_id, space.model_id)
            if v is None or own.count < _KNOWN:
                return 0.0, 0.0
            some = np.unique(np.linspace(0, own.count - 1, _KNOWN).astype(np.intp))
            _, matrix = own.vectors(con, (user_id, space.model_id), space.dim, some)
        cosines = np.einsum("ij,j->i", matrix, v)  # exact: codes cannot tell apart what a model finds alike
        return float(cosines.mean()), float(cosines.std())

    def _of(self, user_id: str, model_id: int) -> Codes:
        with self._lock:
            found = self._codes.get((user_id, model_id))
            if found is not None:
                self._codes.move_to_end((user_id, model_id))
                return found
            size = sum(c.nbytes for c in self._codes.values())  # only now: there may be thousands of users
            while size > _CACHE_BYTES and self._codes:
                size -= self._codes.popitem(last=False)[1].nbytes
            self._codes[user_id, model_id] = found = Codes()
            return found

    def is_cold(self, con: Any, vec: bool, user_id: str, model_id: int) -> bool:
        """Whether vec0 is to answer: the codes are not here, are many, and vec0 has them."""
        with self._lock:
            known = self._codes.get((user_id, model_id))
        if (known is not None and known.puts >= 0) or not indexes.vec0_usable(con, vec, model_id):
            return False
        beyond = con.execute(
            "SELECT 1 FROM embeddings WHERE user_id = ? AND model_id = ? LIMIT 1 OFFSET ?",
            (user_id, model_id, _LARGE),
        ).fetchone()
        return beyond is not None


@dataclass(slots=True)
class _Look:
    """Vectors of one user and model, being searched."""

    home: Nearest
    con: Any
    vec: bool
    user_id: str
    space: Space
    f: Filter
    now: Space | None  # leave out what has a vector of this model
    total: int = 0

    def more(self, some: int) -> bool:
        """Whether there is anything beyond the nearest `some`."""
        return some < self.total

    def best(self, vectors: Sequence[FloatArray | None], some: int, k: int) -> list[list[Scored]]:
        """The k nearest among the `some` that the codes say are near, that pass the filter."""
        numbers, matrix = self._near(vectors, some)
        scores = [None if v is None else np.einsum("ij,j->i", matrix, v) for v in vectors]
        order = [None if s is None else np.argsort(-s, kind="stable") for s in scores]
        passed: dict[int, MemoryId] = {}
        seen = 0
        most = max(64, _SPARE * k)
        out: list[list[Scored]] = [[] for _ in vectors]
        while seen < len(numbers):
            fresh = {n for o in order if o is not None for n in numbers[o[seen:most]].tolist()}
            passed |= self._passed(list(fresh))
            seen, most = most, most * 4
            out = [_picked(numbers, s, o, passed, seen, k) for s, o in zip(scores, order, strict=True)]
            if all(s is None or len(hits) >= k for s, hits in zip(scores, out, strict=True)):
                break
        return out

    def _near(self, vectors: Sequence[FloatArray | None], some: int) -> tuple[Numbers, FloatArray]:
        """(memory numbers, vectors) of those worth comparing."""
        asked = [codes.projected(v) for v in vectors if v is not None]
        own = (self.user_id, self.space.model_id)
        if self.now is None and some <= _VEC0_MOST and self.home.is_cold(self.con, self.vec, *own):
            self.home.cold.add(own)
            self.total = _VEC0_MOST + 1
            return vectors_of(
                self.con, own, self.space.dim, "memory_n", {n for q in asked for n in self._by_vec0(q, some)}
            )
        kept = self.home._of(*own)  # noqa: SLF001 - one module
        with kept.lock:
            kept.follow(self.con, *own)
            if self.now is None:
                self.total = kept.count
                near = [codes.closest(kept.words, q, some) for q in asked]
            else:
                rest = self._left(kept.numbers, self.now)
                self.total = len(rest)
                near = [rest[codes.closest(kept.words[:, rest], q, some)] for q in asked]
            columns = np.unique(np.concatenate(near)) if near else np.empty(0, np.intp)
            return kept.vectors(self.con, own, self.space.dim, columns)

    def _left(self, numbers: Numbers, now: Space) -> NDArray[np.intp]:
        """Places of those that have no vector of the current model."""
        current = self.home._of(self.user_id, now.model_id)  # noqa: SLF001 - one module
        with current.lock:
            current.follow(self.con, self.user_id, now.model_id)
            return np.flatnonzero(~np.isin(numbers, current.numbers))

    def _by_vec0(self, query: FloatArray, some: int) -> list[int]:
        rows = self.con.execute(
            f"SELECT rowid FROM {indexes.vec0_name(self.space.model_id)}"
            " WHERE embedding MATCH vec_bit(?) AND k = ? AND user_id = ?",
            (np.packbits(query > 0).tobytes(), some, self.user_id),
        )
        return [r[0] for r in rows.fetchall()]

    def _passed(self, numbers: list[int]) -> dict[int, MemoryId]:
        condition, params = where(self.user_id, self.f, listed=True)
        cursor = self.con.cursor()
        cursor.row_factory = None
        cursor.execute(
            "SELECT m.n, m.id FROM memories m INDEXED BY memories_gate"
            f" WHERE m.n IN (SELECT value FROM json_each(?)) AND {condition}",
            (dump(numbers), *params),
        )
        return dict(cursor.fetchall())


def _picked(
    numbers: Numbers,
    scores: FloatArray | None,
    order: NDArray[np.intp] | None,
    passed: dict[int, MemoryId],
    seen: int,
    k: int,
) -> list[Scored]:
    """The best k of those looked at that passed."""
    if scores is None or order is None:
        return []
    top = order[:seen]
    pairs = zip(numbers[top].tolist(), scores[top].tolist(), strict=True)
    return [Scored(passed[n], s, n) for n, s in pairs if n in passed][:k]


def _parts(v: FloatArray, spaces: Sequence[Space]) -> tuple[FloatArray | None, FloatArray | None]:
    """The vector of the current model and of the one before, each of unit length; None for one that is not there."""
    now = spaces[0].dim
    if len(v) == now:
        return unit(v), None
    if len(spaces) > 1 and len(v) == now + spaces[1].dim:
        return unit(v[:now]), unit(v[now:])
    return None, None  # of a model that was in use when the question was asked, and no longer is
