"""Scores of many memories at once: the same sums as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ports import Holding
from memory.recall.ground import Ground, Scores, added, scores, together, union
from memory.recall.parts import Clause, Part

found = st.dictionaries(st.integers(1, 10**6), st.floats(0, 10), max_size=30)
places = st.lists(st.integers(1, 300), max_size=20).map(lambda x: np.array(sorted(set(x)), np.int64))


@settings(deadline=None)
@given(found, found)
def test_sums_are_those_of_mappings(a: dict[int, float], b: dict[int, float]) -> None:
    """Missing is nought; places are ascending and each there once."""
    x, y = scores(a), scores(b)
    all_ = union([x.places, y.places])
    assert all_.tolist() == sorted({*a, *b})
    total = added([x, y], all_)
    assert total.values.tolist() == pytest.approx([a.get(p, 0.0) + b.get(p, 0.0) for p in all_.tolist()])


@settings(deadline=None)
@given(found, st.integers(1, 10))
def test_the_best_are_the_best(a: dict[int, float], most: int) -> None:
    """Highest first, of equals the newer; nothing that has no score; `top` has them all."""
    s = scores(a)
    expected = sorted((p for p, v in a.items() if v > 0), key=lambda p: (-a[p], -p))[:most]
    assert s.best(most).tolist() == expected
    assert set(expected) <= set(s.top(most).tolist())


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(places, st.floats(0.1, 9)), min_size=1))
def test_a_part_is_a_share_of_one(held: dict[str, tuple[np.ndarray, float]]) -> None:
    """0 … 1, the best answered memory 1; the same whatever the order of words."""
    ground = Ground({t: Holding(p, rarity) for t, (p, rarity) in held.items()})
    words = tuple(held)
    values = ground.part(Part("", 1.0, (Clause(words, ()), Clause(words[:1], ()))))
    assert len(values) == len(ground.places)
    assert np.all((values >= 0) & (values <= 1 + 1e-9))
    assert not len(values) or values.max() == pytest.approx(1.0)
    back = ground.part(Part("", 1.0, (Clause(words[::-1], ()), Clause(words[:1], ()))))
    assert back.tolist() == pytest.approx(values.tolist())
    shares = ground.share(words)
    assert np.all((shares >= 0) & (shares <= 1 + 1e-9))


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=4), st.floats(0.1, 1))
def test_parts_together(each: list[list[float]], weight: float) -> None:
    """At least the best answered one, at most all of them."""
    values = [weight * np.array(v) for v in each]
    out = together([np.array(v) for v in each], [weight] * len(each), 3)
    assert np.all(out >= np.max(values, axis=0) - 1e-9)
    assert np.all(out <= np.sum(values, axis=0) + 1e-9)


def test_one_more_memory_moves_no_two_others() -> None:
    """What holds none of the words changes nobody's sum."""
    a = Ground({"cat": Holding(np.array([3, 5]), 2.0), "dog": Holding(np.array([5]), 3.0)})
    b = Ground({**a.held, "owl": Holding(np.array([9]), 4.0)})
    one, two = Scores(a.places, a.sum(["cat", "dog"])), Scores(b.places, b.sum(["cat", "dog"]))
    assert one.of(a.places).tolist() == two.of(a.places).tolist() == [2.0, 5.0]
