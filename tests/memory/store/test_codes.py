"""Codes of vectors: near ones differ in few bits, whatever the vectors are like, and the nearest are not lost."""

from __future__ import annotations

import numpy as np
import pytest

from memory.ports import FloatArray
from memory.store import codes

rng = np.random.default_rng(8)


def unit(a: FloatArray) -> FloatArray:
    out: FloatArray = (a / np.linalg.norm(a, axis=-1, keepdims=True)).astype(np.float32)
    return out


def topics(n: int, dim: int, *, sparse: bool = False) -> FloatArray:
    """Vectors the way embedders make them: around common themes, dense or with most numbers zero."""
    themes = rng.standard_normal((n // 50 + 1, dim)).astype(np.float32)
    out: FloatArray = themes[rng.integers(0, len(themes), n)] + rng.standard_normal((n, dim), np.float32)
    return unit(out * (rng.random((n, dim)) < 0.15) if sparse else out)


def kept(vectors: FloatArray) -> codes.Words:
    return np.ascontiguousarray(codes.words_of(codes.codes(vectors).tobytes()))


@pytest.mark.parametrize("dim", [8, 384, 512, 1536, 3072])
def test_one_code_however_it_is_made(dim: int) -> None:
    """Alone, among others, and as bytes; its opposite differs in every bit."""
    v = unit(rng.standard_normal((3, dim)).astype(np.float32))
    rows = codes.codes(v)
    assert rows.shape == (3, codes.CODE_BYTES)
    for i in range(3):
        differ = np.bitwise_count(np.frombuffer(codes.code(v[i]), np.uint8) ^ rows[i]).sum()
        assert differ <= 2  # a projection that is all but zero
    opposite = codes.words_of(codes.code(-v[0]))
    assert codes.distances(opposite, codes.words_of(codes.code(v[0])))[0] >= codes.BITS - 2


def test_it_is_the_same_everywhere() -> None:
    """What is in files was made by this projection and no other."""
    v = unit(np.sin(np.arange(1, 17) * 0.7).astype(np.float32))
    assert codes.code(v)[:8].hex() == "e5c6fac9729ea3ab"


@pytest.mark.parametrize("sparse", [False, True])
def test_bits_say_how_near(sparse: bool) -> None:
    """The share of differing bits estimates the cosine."""
    v = topics(400, 384, sparse=sparse)
    estimated = np.cos(np.pi / codes.BITS * codes.distances(kept(v), codes.words_of(codes.code(v[0]))))
    true = v @ v[0]
    assert np.corrcoef(estimated, true)[0, 1] > 0.85
    assert np.abs(estimated - true).mean() < 0.05


@pytest.mark.parametrize(("n", "sparse"), [(3_000, False), (3_000, True), (60_000, False)])
def test_the_nearest_are_among_the_closest(n: int, sparse: bool) -> None:
    """Few or many, dense or sparse."""
    v = topics(n, 384, sparse=sparse)
    words, found = kept(v), []
    for i in range(20):
        query = unit(v[i] + 0.5 * unit(rng.standard_normal(384).astype(np.float32)))
        nearest = np.argsort(-(v @ query))[:10]
        close = codes.closest(words, codes.projected(query), 192)
        assert len(set(close.tolist())) == len(close) <= 288
        found.append(len(np.intersect1d(nearest, close)) / 10)
    assert np.mean(found) > 0.97


def test_few_are_all_of_them() -> None:
    """Where there are no more than are wanted, nothing is estimated."""
    v = topics(100, 16)
    assert codes.closest(kept(v), codes.projected(v[0]), 100).tolist() == list(range(100))
