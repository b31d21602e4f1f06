"""Scores of many memories at once: the same sums as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ports import Posting
from memory.recall.question import PartClause, QuestionPart
from memory.recall.term_scores import (
    SignalScores,
    TermScores,
    combine_parts,
    find_best_rows,
    make_feature,
    merge_rows,
)

SIZE = 301
found = st.dictionaries(st.integers(0, SIZE - 1), st.floats(0, 10, width=32), max_size=30)
places = st.lists(st.integers(0, SIZE - 1), max_size=20).map(
    lambda x: np.array(sorted(set(x)), np.int64)
)
every = np.ones(SIZE, np.bool_)


@settings(deadline=None)
@given(found, found)
def test_sums_are_those_of_mappings(a: dict[int, float], b: dict[int, float]) -> None:
    """Missing is nought; what has no weight counts nothing; a value is found again where it was put."""
    total = np.zeros(SIZE, np.float32)
    for e in (make_feature("a", a), make_feature("b", b), make_feature("c", {7: 9.0})):
        e.add_weighted({"a": 1.0, "b": 2.0}, total)
    assert total.tolist() == pytest.approx([a.get(p, 0.0) + 2 * b.get(p, 0.0) for p in range(SIZE)])
    some = np.arange(0, SIZE, 7)
    assert make_feature("a", a).get_features(some).get("a", np.zeros(len(some))).tolist() == [
        a.get(p, 0.0) for p in some.tolist()
    ]
    assert SignalScores(None, {"t": total}).get_features(some)["t"].tolist() == total[some].tolist()


@settings(deadline=None)
@given(found, st.integers(1, 10))
def test_the_best_are_the_best(a: dict[int, float], most: int) -> None:
    """Highest first, of equals the newer; nothing that has no score."""
    values = np.array([a.get(p, 0.0) for p in range(SIZE)], np.float32)
    assert (
        find_best_rows(values, most).tolist()
        == sorted((p for p, v in a.items() if v > 0), key=lambda p: (-a[p], -p))[:most]
    )


@pytest.mark.parametrize(
    "values", [np.full(5000, 2.5), np.arange(5000) % 3, np.zeros(5000), 1 / np.arange(1, 5001)]
)
def test_the_best_of_very_many(values: np.ndarray) -> None:
    """All alike, three sorts, none, or each half as good as the one before."""
    expected = np.lexsort((-np.arange(5000), -values))[:80]
    assert find_best_rows(values.astype(np.float32), 80).tolist() == [
        p for p in expected.tolist() if values[p] > 0
    ]


@settings(deadline=None)
@given(st.lists(places, max_size=5))
def test_union(parts: list[np.ndarray]) -> None:
    """Each place once, ascending."""
    assert merge_rows(parts, SIZE).tolist() == sorted({p for some in parts for p in some.tolist()})


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.tuples(places, st.floats(0.1, 9)), min_size=1),
    places,
)
def test_a_part_is_a_share_of_one(
    held: dict[str, tuple[np.ndarray, float]], failing: np.ndarray
) -> None:
    """0 … 1, the best answered memory 1, those that the filter holds back 0; whatever the order of words."""
    passing = every.copy()
    passing[failing] = False
    ground = TermScores({t: Posting(p, rarity) for t, (p, rarity) in held.items()}, passing)
    words = tuple(held)
    values = ground.score_part(
        QuestionPart("", 1.0, (PartClause(words, ()), PartClause(words[:1], ())))
    )
    assert np.all((values >= 0) & (values <= 1 + 1e-6))
    assert not values[failing].any()
    left = {p for t in words for p in held[t][0].tolist()} - set(failing.tolist())
    assert values.max() == pytest.approx(1.0 if left else 0.0)
    back = ground.score_part(
        QuestionPart("", 1.0, (PartClause(words[::-1], ()), PartClause(words[:1], ())))
    )
    assert back.tolist() == pytest.approx(values.tolist(), abs=1e-5)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=4),
    st.floats(0.1, 1),
)
def test_parts_together(each: list[list[float]], weight: float) -> None:
    """At least the best answered one, at most all of them."""
    values = [weight * np.array(v) for v in each]
    out = combine_parts([np.array(v, np.float32) for v in each], [weight] * len(each), 3)
    assert np.all(out >= np.max(values, axis=0) - 1e-5)
    assert np.all(out <= np.sum(values, axis=0) + 1e-5)


def test_one_more_memory_moves_no_two_others() -> None:
    """What holds none of the words changes nobody's sum."""
    held = {"cat": Posting(np.array([3, 5]), 2.0), "dog": Posting(np.array([5]), 3.0)}
    one = TermScores(held, every).sum(["cat", "dog"])
    two = TermScores({**held, "owl": Posting(np.array([9]), 4.0)}, every).sum(["cat", "dog"])
    assert one[[3, 5]].tolist() == two[[3, 5]].tolist() == [2.0, 5.0]
