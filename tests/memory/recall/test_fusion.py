"""What signals are worth: bounded nudges, trust that a crowded space loses, weights of equal standing."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ports import Chance
from memory.recall.fusion import CONFIDENCE, RECENCY, RETENTION, WEIGHTS, nudged, nudges, trust
from tests.bench.ground import made
from tests.memory.recall.conftest import DAY, NOW

MEMORY = made("u", "likes tea", NOW)


@settings(deadline=None)
@given(st.floats(0, 3), st.floats(-1, 2), st.floats(0, 5000))
def test_nudges_are_bounded(weight: float, confidence: float, days: float) -> None:
    """Each at most so much more or less than one, whatever the memory."""
    m = replace(MEMORY, confidence=confidence, last_activated_at=NOW - days * DAY)
    found = nudges(m, weight, NOW)
    for name, most in (("retention", RETENTION), ("recency", RECENCY), ("confidence", CONFIDENCE)):
        assert abs(found[name] - 1) <= most + 1e-9


@settings(deadline=None)
@given(st.floats(-5, 20), st.floats(0, 2), st.floats(0, 2))
def test_better_kept_is_never_ranked_lower(score: float, a: float, b: float) -> None:
    """Of two that fit as well; and the order of factors does not matter."""
    low, high = sorted((a, b))
    assert nudged(score, nudges(MEMORY, low, NOW)) <= nudged(score, nudges(MEMORY, high, NOW)) + 1e-9


@settings(deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_crowded_space_is_trusted_less(a: float, b: float) -> None:
    """Never more than in full, never not at all."""
    low, high = sorted((a, b))
    crowded, roomy = trust("x:", Chance(high, 0.1, 48)), trust("x:", Chance(low, 0.1, 48))
    assert 0 < crowded <= roomy <= 1
    assert trust("lexical:ngrams", None) < trust("x:", None) == 1


def test_both_languages_weigh_the_same_things() -> None:
    """A signal counts in English and in Chinese, and only what asks and answers nothing counts against a memory."""
    assert WEIGHTS["en"].keys() == WEIGHTS["zh"].keys()
    assert all(w >= 0 for weights in WEIGHTS.values() for name, w in weights.items() if name != "question")
