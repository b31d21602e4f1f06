"""Nearest neighbours by cosine: codes in memory pick a hundred candidates, whose vectors are compared exactly.

The codes of a user (128 bytes a memory, `memory.store.codes`) are kept (`memory.store.codebook`); of the vectors
only those that were compared lately: all of a hundred thousand would take 150 MB. Until a large user's codes are
there, vec0 answers from the same codes on disk: it takes no loading, and 50 times as long for each question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from memory.models import Scored
from memory.ports import FloatArray, Places
from memory.store import codes, indexes
from memory.store.codebook import Codes, Numbers, Owner, vectors_of
from memory.store.recent import Recent
from memory.store.shelf import Mask, Shelf
from memory.store.vectors import unit

CANDIDATES: Final = 96  # compared exactly, for each question
_CACHE_BYTES: Final = 256 * 1024 * 1024  # of all users' codes: two million memories
_LARGE: Final = 20_000  # memories whose codes are not waited for, where vec0 can answer
_VEC0_MOST: Final = 4096  # vec0 takes no larger k
_KNOWN: Final = 100  # vectors of a model that say how its cosines are spread


@dataclass(frozen=True, slots=True)
class Space:
    """One model's vectors of one user: where to look, and for what."""

    model_id: int
    dim: int


@dataclass(frozen=True, slots=True)
class Field:
    """Whose memories, and which of them may be found."""

    con: Any
    vec: bool  # vec0 can be used
    user_id: str
    shelf: Shelf
    mask: Mask


class Nearest:
    """Answers `Reader.nearest`; shared by the reading threads."""

    def __init__(self) -> None:
        self._codes: Recent[Owner, Codes] = Recent(Codes, lambda kept: kept.nbytes, _CACHE_BYTES)
        self.cold: set[tuple[str, Space]] = set()  # whose codes or vectors somebody should read (`load`)

    def search(
        self, among: Field, spaces: Sequence[Space], vectors: Sequence[FloatArray], k: int
    ) -> list[list[Scored]]:
        """For each vector the k nearest, best first.

        `spaces` are the current model and, while memories are being embedded anew, the one before. A vector is the
        current model's, with the earlier one's behind it where both are wanted: then memories that have no vector
        of the current model are found by the other, their cosines moved to where the current one's lie.
        """
        wanted = [_parts(v, spaces) for v in vectors]
        if k <= 0:
            return [[] for _ in vectors]
        now, theirs = spaces[0], [w[0] for w in wanted]
        found = self._in_space(among, now, theirs, k)
        if len(spaces) > 1 and any(w[1] is not None for w in wanted):
            mine = [w[1] for w in wanted]
            rest = replace(among, mask=among.mask & ~self._has(among, now))
            earlier = self._in_space(rest, spaces[1], mine, k)
            moved = [
                self._moved(among, (spaces[1], v), (now, w), hits)
                for v, w, hits in zip(mine, theirs, earlier, strict=True)
            ]
            found = [sorted((*a, *b), key=lambda s: -s.score)[:k] for a, b in zip(found, moved, strict=True)]
        return found

    def load(self, con: Any, user_id: str, space: Space) -> None:
        """Read the codes of a user, and of a small one's vectors some, so that the next question finds them."""
        own = self._codes.of((user_id, space.model_id))
        with own.lock:
            own.follow(con, user_id, space.model_id)
            own.warm(con, (user_id, space.model_id), space.dim)
        self.cold.discard((user_id, space))

    def forget(self) -> None:
        """Drop everything kept (after a rebuild)."""
        self._codes.forget()

    # --- inside

    def _in_space(
        self, among: Field, space: Space, vectors: Sequence[FloatArray | None], k: int
    ) -> list[list[Scored]]:
        asked = [codes.projected(v) for v in vectors if v is not None]
        if not asked:
            return [[] for _ in vectors]
        own, some = (among.user_id, space.model_id), max(CANDIDATES, k + k // 2)
        if some <= _VEC0_MOST and self.is_cold(among.con, among.vec, *own):
            self.cold.add((among.user_id, space))
            places, matrix = self._by_vec0(among, space, asked, some)
        else:
            kept = self._codes.of(own)
            with kept.lock:
                kept.follow(among.con, *own)
                columns = kept.columns(among.shelf, among.mask)
                near = [codes.closest(kept.words, q, some, columns, sift=not kept.hot) for q in asked]
                found, matrix = kept.vectors(among.con, own, space.dim, _union(near))
                places = kept.places(found)
                if kept.tepid:
                    self.cold.add((among.user_id, space))
        return [[] if v is None else _best(among.shelf, places, matrix, v, k) for v in vectors]

    def _has(self, among: Field, space: Space) -> Mask:
        """Which places have a vector of that model."""
        kept = self._codes.of((among.user_id, space.model_id))
        with kept.lock:
            kept.follow(among.con, among.user_id, space.model_id)
            out = np.zeros(len(among.shelf), np.bool_)
            out[among.shelf.places_of(kept.numbers)] = True
        return out

    def _by_vec0(
        self, among: Field, space: Space, asked: Sequence[FloatArray], some: int
    ) -> tuple[Numbers, FloatArray]:
        """(places, vectors) of those worth comparing; further away, where the filter holds most of them back."""
        while True:
            near = [self._vec0(among, space, q, some) for q in asked]
            passing = [p[among.mask[p]] for p in near]
            if some == _VEC0_MOST or all(
                len(p) >= CANDIDATES or len(n) < some for p, n in zip(passing, near, strict=True)
            ):
                break
            some = min(4 * some, _VEC0_MOST)
        wanted = among.shelf.numbers[_union(passing)].tolist()
        numbers, matrix = vectors_of(among.con, (among.user_id, space.model_id), space.dim, "memory_n", wanted)
        return among.shelf.places_of(numbers), matrix

    def _vec0(self, among: Field, space: Space, query: FloatArray, some: int) -> Places:
        rows = among.con.execute(
            f"SELECT rowid FROM {indexes.vec0_name(space.model_id)}"
            " WHERE embedding MATCH vec_bit(?) AND k = ? AND user_id = ?",
            (np.packbits(query > 0).tobytes(), some, among.user_id),
        )
        return among.shelf.places_of(np.array([r[0] for r in rows.fetchall()], np.int64))

    def _moved(
        self,
        among: Field,
        mine: tuple[Space, FloatArray | None],
        theirs: tuple[Space, FloatArray | None],
        hits: list[Scored],
    ) -> list[Scored]:
        """Cosines of one model as the other would have them: as far above its average, in its own measure."""
        if not hits:
            return hits
        (mean, spread), (to_mean, to_spread) = (
            self._spread(among.con, among.user_id, *side) for side in (mine, theirs)
        )
        if not spread or not to_spread:
            return hits
        return [s._replace(score=min(1.0, (s.score - mean) / spread * to_spread + to_mean)) for s in hits]

    def _spread(self, con: Any, user_id: str, space: Space, v: FloatArray | None) -> tuple[float, float]:
        own = self._codes.of((user_id, space.model_id))
        with own.lock:
            own.follow(con, user_id, space.model_id)
            if v is None or own.count < _KNOWN:
                return 0.0, 0.0
            some = np.unique(np.linspace(0, own.count - 1, _KNOWN).astype(np.intp))
            _, matrix = own.vectors(con, (user_id, space.model_id), space.dim, some)
        cosines = np.einsum("ij,j->i", matrix, v)  # exact: codes cannot tell apart what a model finds alike
        return float(cosines.mean()), float(cosines.std())

    def is_cold(self, con: Any, vec: bool, user_id: str, model_id: int) -> bool:
        """Whether vec0 is to answer: the codes are not here, are many, and vec0 has them."""
        known = self._codes.known((user_id, model_id))
        if (known is not None and known.puts >= 0) or not indexes.vec0_usable(con, vec, model_id):
            return False
        beyond = con.execute(
            "SELECT 1 FROM embeddings WHERE user_id = ? AND model_id = ? LIMIT 1 OFFSET ?",
            (user_id, model_id, _LARGE),
        ).fetchone()
        return beyond is not None


def _union(some: Sequence[Numbers]) -> Numbers:
    return some[0] if len(some) == 1 else np.unique(np.concatenate(some))


def _best(shelf: Shelf, places: Numbers, matrix: FloatArray, v: FloatArray, k: int) -> list[Scored]:
    """The k of them that are nearest."""
    scores = np.einsum("ij,j->i", matrix, v)
    order = np.argsort(-scores, kind="stable")[:k]
    ids = shelf.ids
    return [Scored(ids[p], s, p) for p, s in zip(places[order].tolist(), scores[order].tolist(), strict=True)]


def _parts(v: FloatArray, spaces: Sequence[Space]) -> tuple[FloatArray | None, FloatArray | None]:
    """The vector of the current model and of the one before, each of unit length; None for one that is not there."""
    now = spaces[0].dim
    if len(v) == now:
        return unit(v), None
    if len(spaces) > 1 and len(v) == now + spaces[1].dim:
        return unit(v[:now]), unit(v[now:])
    return None, None  # of a model that was in use when the question was asked, and no longer is
