"""Vectors in 1,024 bits: the signs of as many pseudo-random projections (SimHash).

How many bits differ says about how far two vectors are apart. Not exactly, but exactly enough to find, at a tenth of
the cost, those that are worth comparing as they are: of the 40 nearest of 100,000, 96 such candidates hold 38.5 on
average, of the 10 nearest 9.98 (tests/bench/scale.py prints it). The projections are the signs of a Hadamard matrix,
rows and columns picked by a hash: the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.ports import FloatArray

BITS: Final = 1024
WORDS: Final = BITS // 64
CODE_BYTES: Final = BITS // 8
_AT_ONCE: Final = 4096  # vectors whose bits are compared in one go: more do not fit near the processor
_ALL: Final = 4096  # vectors of which every bit is compared
_FIRST: Final = WORDS // 2  # words compared of each, where there are more
_SHARE: Final = 8  # one in so many of those is compared to the last bit
_COMPARED: Final = 6000  # but no more
_BITS: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).T.astype(np.float32)  # (8, 256)
_ROWS: Final = np.arange(CODE_BYTES) * 256

Words = NDArray[np.uint64]  # (WORDS, n): a column each, so that a look at all of them runs along memory


def codes(vectors: FloatArray) -> NDArray[np.uint8]:
    """(n, CODE_BYTES) of (n, dim)."""
    return np.packbits(projected(vectors) > 0, axis=1)


def code(vector: FloatArray) -> bytes:
    """The code of one vector."""
    return np.packbits(projected(vector) > 0).tobytes()


def projected(vectors: FloatArray) -> FloatArray:
    """What codes have the signs of: (…, BITS) of (…, dim)."""
    plan = _projections(vectors.shape[-1])
    left, right = plan.left, plan.right
    spread = np.zeros((*vectors.shape[:-1], len(left) * len(right)), np.float32)
    spread[..., plan.columns] = vectors * plan.signs
    # A Hadamard matrix is the Kronecker product of two small ones: a tenth of the work of one large product.
    all_ = left @ spread.reshape(*vectors.shape[:-1], len(left), len(right)) @ right
    out: FloatArray = all_.reshape(spread.shape)[..., plan.rows]
    return out


def words_of(raw: bytes) -> Words:
    """(WORDS, n) of n codes, one after the other."""
    return np.frombuffer(raw, np.uint64).reshape(-1, WORDS).T


def distances(words: Words, query: Words, upto: int = WORDS) -> NDArray[np.uint16]:
    """In how many of the first `upto` words' bits each of (WORDS, n) differs from the query's (WORDS, 1)."""
    n = words.shape[1]
    if n <= _AT_ONCE:
        counted: NDArray[np.uint16] = np.bitwise_count(words[:upto] ^ query[:upto]).sum(axis=0, dtype=np.uint16)
        return counted
    out = np.zeros(n, np.uint16)
    differ, some = np.empty(n, np.uint64), np.empty(n, np.uint8)
    for i in range(upto):
        out += np.bitwise_count(np.bitwise_xor(words[i], query[i, 0], out=differ), out=some)
    return out


def closest(
    words: Words, query: FloatArray, most: int, among: NDArray[np.intp] | None = None, *, sift: bool = True
) -> NDArray[np.intp]:
    """Columns (`among` these, if given) of the `most` codes nearest to a projected query, in no order.

    By the bits that differ; of twice as many then by what the query has where the bits are. Without `sift` those
    twice as many: for whoever has their vectors at hand.
    """
    n = words.shape[1] if among is None else len(among)
    if most >= n:
        return np.arange(n) if among is None else among
    own = words_of(np.packbits(query > 0).tobytes())
    wide = min(2 * most, n)
    first = WORDS if words.shape[1] <= _ALL else _FIRST
    near = distances(words, own, first)
    if among is not None:
        near = near[among]
    columns = among
    if first < WORDS:
        some = _nearest(near, max(wide, min(n // _SHARE, _COMPARED)), None)
        columns = some if among is None else among[some]
        near = near[some] + distances(words[first:, columns], own[first:], WORDS - first)
    found = _nearest(near, wide, columns)
    return _sifted(words, found, query, most) if sift else found


def _nearest(near: NDArray[np.uint16], most: int, columns: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """`most` of those with the least distances, or one or two more; as `columns` where those are given."""
    upto = int(np.searchsorted(np.cumsum(np.bincount(near, minlength=1)), min(most, len(near))))
    some = np.flatnonzero(near <= upto)
    return some if columns is None else columns[some]


def _sifted(words: Words, some: NDArray[np.intp], query: FloatArray, most: int) -> NDArray[np.intp]:
    if len(some) <= most:
        return some
    # What each of a byte's 256 values adds up to, for each of the query's 128 bytes: looked up, not multiplied out.
    table = query.reshape(CODE_BYTES, 8) @ _BITS
    code = np.ascontiguousarray(words[:, some].T).view(np.uint8)
    inner = table.ravel()[code + _ROWS].sum(axis=1)
    return some[np.argpartition(-inner, most - 1)[:most]]


@dataclass(frozen=True, slots=True)
class _Projections:
    """Rows and columns of the Hadamard matrix that is `left` ⊗ `right`, and the sign of each column."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    signs: FloatArray
    left: FloatArray
    right: FloatArray


@lru_cache(maxsize=4)
def _projections(dim: int) -> _Projections:
    size = max(BITS, 1 << (dim - 1).bit_length())
    picked = sorted(range(size), key=_mixed)
    rows, columns = np.array(picked[:BITS], np.intp), np.array(picked[-dim:], np.intp)
    signs = np.array([1 if _mixed(~int(c) & 0xFFFF) & 1 else -1 for c in columns], np.float32)
    half = (size.bit_length() - 1) // 2
    return _Projections(rows, columns, signs, _hadamard(size >> half), _hadamard(1 << half))


def _hadamard(size: int) -> FloatArray:
    n = np.arange(size, dtype=np.uint32)
    odd = np.bitwise_count(n[:, None] & n[None, :]) & 1
    out: FloatArray = 1 - 2 * odd.astype(np.float32)
    return out


def _mixed(n: int) -> int:
    n = (n + 0x9E3779B9) & 0xFFFFFFFF
    n = ((n ^ (n >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    n = ((n ^ (n >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return n ^ (n >> 16)
