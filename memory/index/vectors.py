"""Vectors of one user: the nearest to a question, and what is chance among them.

Cosines of one embedder crowd about 0.1, of another about 0.8, and mean the same: what stands out
can only be told beside what is usual in this store. How many directions its memories go in from
their mean tells whether the embedder tells them apart. How many words a memory shares with the next
one of its session tells whether sessions are conversations; that needs no embedder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from memory.index.columns import Columns, Mask
from memory.index.text import list_search_terms
from memory.models import Lang, ScoredMemory
from memory.ports import ChanceStatistics, FloatArray, Places

Found = tuple[Places, FloatArray]  # places and their cosines, best first
Idle = Mapping[Lang, FloatArray]  # (messages, dim): vectors of messages that call for nothing

_KNOWN: Final = 100  # vectors of a model that say how its cosines are spread
_SAMPLE: Final = 96  # memories, evenly spaced, whose cosines with each other are taken
_LEAST: Final = 12
_SPOKEN: Final = 6  # of a language, and their mean is its own
_PAIRS: Final = 8  # neighbours, and they say something


def normalise_vector(vector: FloatArray) -> FloatArray:
    """Return the vector with unit length, whatever it came with."""
    v = np.ascontiguousarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(v))
    return v / np.float32(length) if length > 0 and abs(length - 1) > 1e-6 else v


def level_vectors(messages: FloatArray, slant: FloatArray | None) -> FloatArray:
    """Turn messages so that memories of both languages are equally near on average.

    Takes and returns (n, dim) unit vectors. Without that those in a message's own language come
    before what the other one says of its matter.
    """
    if slant is None:
        return messages
    level = messages - np.outer(messages @ slant, slant / (slant @ slant))
    out: FloatArray = level / np.linalg.norm(level, axis=1, keepdims=True)
    return out


# --- the nearest ---


class VectorSet(Protocol):
    """One model's vectors of one user, where a database keeps an index of them or in memory."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def nearest(self, vectors: Sequence[FloatArray], k: int, mask: Mask) -> list[Found]:
        """Return for each vector the `k` nearest places that pass."""

    def held(self) -> Mask:
        """Return which places have a vector."""

    def sample(self, most: int) -> FloatArray:
        """Return up to `most` of the vectors, (n, dim)."""


@dataclass(frozen=True, slots=True)
class ScannedVectors:
    """All vectors of a user and a model in memory, for databases without an index of them."""

    dim: int
    last: int  # the newest that was read
    numbers: NDArray[np.int64]  # of the memories
    matrix: FloatArray

    @staticmethod
    def of(dim: int) -> ScannedVectors:
        """Return none."""
        return ScannedVectors(dim, 0, np.empty(0, np.int64), np.empty((0, dim), np.float32))

    def and_then(self, new: Sequence[tuple[int, int, bytes]]) -> ScannedVectors:
        """Return them with new ones behind: (key, which ascends, number, vector) of each."""
        numbers = np.array([number for _, number, _ in new], np.int64)
        rows = np.frombuffer(b"".join([v for _, _, v in new]), np.float32).reshape(-1, self.dim)
        numbers, matrix = np.append(self.numbers, numbers), np.concatenate([self.matrix, rows])
        return ScannedVectors(self.dim, new[-1][0] if new else self.last, numbers, matrix)

    def at(self, columns: Columns) -> ScannedSet:
        """Look at them by the places of these columns."""
        there = np.isin(self.numbers, columns.numbers)
        matrix = self.matrix if there.all() else self.matrix[there]
        return ScannedSet(self.dim, len(columns), columns.places_of(self.numbers), matrix)


@dataclass(frozen=True, slots=True)
class ScannedSet:
    """`VectorSet` of vectors in memory: a plain scan."""

    dim: int
    size: int
    places: Places
    matrix: FloatArray

    def nearest(self, vectors: Sequence[FloatArray], k: int, mask: Mask) -> list[Found]:
        """Return for each vector the `k` nearest places that pass."""
        passing = mask[self.places]
        matrix = self.matrix if passing.all() else self.matrix[passing]
        return [rank(self.places[passing], matrix, v, k) for v in vectors]

    def held(self) -> Mask:
        """Return which places have a vector."""
        out = np.zeros(self.size, np.bool_)
        out[self.places] = True
        return out

    def sample(self, most: int) -> FloatArray:
        """Return up to `most` of the vectors, (n, dim)."""
        return self.matrix[evenly(len(self.matrix), most)]


def rank(places: Places, matrix: FloatArray, vector: FloatArray, k: int) -> Found:
    """Return the `k` places whose vectors (rows of the matrix) have the highest cosines."""
    scores = np.einsum("ij,j->i", matrix, vector)
    least = np.partition(scores, -k)[-k] if k < len(scores) else -np.inf
    some = np.flatnonzero(scores >= least)
    order = some[np.argsort(-scores[some], kind="stable")][:k]  # of equals the one written first
    return places[order], scores[order]


def evenly(size: int, most: int) -> Places:
    """Return up to `most` of so many indices, evenly spaced."""
    return np.unique(np.linspace(0, max(size - 1, 0), min(most, size)).astype(np.int64))


def find_nearest(
    sets: Sequence[VectorSet], columns: Columns, vectors: Sequence[FloatArray], k: int, mask: Mask
) -> list[list[ScoredMemory]]:
    """Return for each vector the `k` nearest memories, best first.

    `sets` are of the current model and, while memories are being embedded anew, of the one before.
    A vector is the current model's, with the earlier one's behind it where both are wanted: then
    memories that have no vector of the current model are found by the other, their cosines moved to
    where the current one's lie.
    """
    if k <= 0 or not sets:
        return [[] for _ in vectors]
    now, *before = sets
    dims = now.dim, sum(s.dim for s in sets)
    # One of a model that was in use when the question was asked, and no longer is, finds nothing.
    own = {i: normalise_vector(v[: now.dim]) for i, v in enumerate(vectors) if len(v) in dims}
    found = _score(now, columns, own, k, mask)
    earlier = {i: normalise_vector(vectors[i][now.dim :]) for i in own if len(vectors[i]) > now.dim}
    if earlier:
        missed = _score(before[0], columns, earlier, k, mask & ~now.held())
        mine, theirs = before[0].sample(_KNOWN), now.sample(_KNOWN)
        for i, v in earlier.items():
            moved = _move(missed[i], mine @ v, theirs @ own[i])
            found[i] = sorted((*found[i], *moved), key=lambda s: -s.score)[:k]
    return [found.get(i, []) for i in range(len(vectors))]


def _score(
    of: VectorSet, columns: Columns, vectors: Mapping[int, FloatArray], k: int, mask: Mask
) -> dict[int, list[ScoredMemory]]:
    nearest = of.nearest(list(vectors.values()), k, mask)
    found = {}
    for i, (places, cosines) in zip(vectors, nearest, strict=True):
        scored = zip(places.tolist(), cosines.tolist(), strict=True)
        found[i] = [ScoredMemory(columns.ids[p], score, p) for p, score in scored]
    return found


def _move(hits: list[ScoredMemory], mine: FloatArray, theirs: FloatArray) -> list[ScoredMemory]:
    """Move cosines of one model to where the other would have them, by mean and spread."""
    if min(len(mine), len(theirs)) < _KNOWN or not mine.std() or not theirs.std():
        return hits
    scale, least, most = float(theirs.std() / mine.std()), float(mine.mean()), float(theirs.mean())
    return [s._replace(score=min(1.0, (s.score - least) * scale + most)) for s in hits]


# --- chance ---


def measure_vectors(
    vectors: FloatArray, languages: Sequence[str], held: int, idle: Idle
) -> ChanceStatistics:
    """Measure what is chance among `held` vectors, by an even sample and its languages."""
    spoken_in, read = np.array(languages), len(vectors)
    # Messages that another embedder read, which was in use a moment ago, say nothing of these.
    mine = {lang: m for lang, m in idle.items() if m.shape[1] == vectors.shape[1]}
    of_each = [vectors[spoken_in == lang] for lang in mine]
    means = [v.mean(axis=0) for v in of_each if len(v) >= _SPOKEN]
    slant = means[0] - means[1] if len(means) > 1 else None
    asked = {lang: _each_with_each(level_vectors(m, slant), vectors) for lang, m in mine.items()}
    found = ChanceStatistics(
        count=read,
        slant=slant,
        idle={
            n: (float(a.max(axis=1).mean()), float(a.max(axis=1).std())) for n, a in asked.items()
        },
    )
    if read < _LEAST:  # enough to say how near small talk comes to them, not how they are spread
        return found
    some = vectors[evenly(read, _SAMPLE)]
    cosines = _each_with_each(some, some)
    spreads = [a.std(axis=1).mean() for a in asked.values()]
    spread = float(np.mean(spreads or cosines[np.triu_indices(len(cosines), 1)].std()))
    # The nearest of all is nearer than the nearest of those that were read: the more there are, the
    # farther out.
    farther = spread * (sqrt(2 * log(held)) - sqrt(2 * log(read))) if held > read else 0.0
    return replace(
        found,
        spread=spread,
        dimensions=_dimensions(cosines),
        centre=vectors.mean(axis=0),
        idle={lang: (mean + farther, deviation) for lang, (mean, deviation) in found.idle.items()},
    )


def _each_with_each(vectors: FloatArray, others: FloatArray) -> FloatArray:
    """Multiply one by one: for larger products BLAS takes threads, which wait for each other."""
    return np.stack([others @ v for v in vectors])


def _dimensions(cosines: FloatArray) -> float:
    """Return how many directions of equal strength would spread them so.

    The more, the better they are told apart. The participation ratio of their covariance, as if
    their number were no limit to it. What an embedder adds to all of its vectors does not change
    it.
    """
    centred = cosines - cosines.mean(0) - cosines.mean(1)[:, None] + cosines.mean()
    square = float(np.square(centred).sum())
    if square <= 0:
        return 1.0
    seen = float(np.trace(centred)) ** 2 / square
    return 1 / max(1 / seen - 1 / (len(cosines) - 1), 1e-3)


def measure_sessions(columns: Columns) -> float | None:
    """Measure how far above chance, in spreads, a memory shares words with its session's next."""
    order = columns.order.places
    session = columns.session[order]
    beside = np.flatnonzero((session[1:] == session[:-1]) & (session[1:] >= 0))
    if len(beside) < _PAIRS:
        return None
    some = beside[evenly(len(beside), _SAMPLE)].tolist()
    texts = {
        at: frozenset(list_search_terms(columns.texts[int(order[at])]))
        for at in {*some, *(at + 1 for at in some)}
    }
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
