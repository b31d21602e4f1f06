"""What signals are worth: bounded nudges, trust that a crowded space loses."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ports import ChanceStatistics
from memory.recall.fusion import (
    CONFIDENCE,
    RECENCY,
    RETENTION,
    STRENGTH,
    WEIGHTS,
    apply_nudges,
    compute_nudges,
    embedder_weight,
    neighbour_weight,
)
from tests.bench.ground import made
from tests.memory.recall.conftest import DAY, NOW

MEMORY = made("u", "likes tea", NOW)


@settings(deadline=None)
@given(st.floats(0, 3), st.floats(0, 3), st.floats(-1, 2), st.floats(0, 5000))
def test_nudges_are_bounded(weight: float, unfaded: float, confidence: float, days: float) -> None:
    """Each at most so much more or less than one, whatever the memory."""
    m = replace(MEMORY, confidence=confidence, last_activated_at=NOW - days * DAY)
    found = compute_nudges(m, weight, unfaded, NOW)
    bounds = {"strength": STRENGTH, "retention": RETENTION, "recency": RECENCY}
    for name, most in (*bounds.items(), ("confidence", CONFIDENCE)):
        assert abs(found[name] - 1) <= most + 1e-9


@settings(deadline=None)
@given(st.floats(-5, 20), st.floats(0, 2), st.floats(0, 2))
def test_better_kept_is_never_ranked_lower(score: float, a: float, b: float) -> None:
    """Of two that fit as well; and the order of factors does not matter."""
    low, high = sorted((a, b))
    assert (
        apply_nudges(score, compute_nudges(MEMORY, low, 1.0, NOW))
        <= apply_nudges(score, compute_nudges(MEMORY, high, 1.0, NOW)) + 1e-9
    )


@settings(deadline=None)
@given(st.floats(1, 400), st.floats(1, 400))
def test_what_tells_memories_apart_is_trusted_more(a: float, b: float) -> None:
    """By the dimensions they spread over; never not at all."""
    low, high = sorted((a, b))
    dull, keen = (embedder_weight("x:", ChanceStatistics(0.1, 96, d)) for d in (low, high))
    assert (
        0
        < embedder_weight("lexical:ngrams", None)
        < embedder_weight("x:", None)
        == embedder_weight("x:", ChanceStatistics(0.1))
        <= dull
        <= keen
    )


@settings(deadline=None)
@given(st.floats(-3, 3), st.floats(-3, 3))
def test_neighbours_count_where_sessions_are_conversations(a: float, b: float) -> None:
    """None at all where the next memory is no nearer than any other, all where it is much nearer."""
    low, high = sorted((a, b))
    assert (
        0
        <= neighbour_weight(ChanceStatistics(0.1, 96, 50, low))
        <= neighbour_weight(ChanceStatistics(0.1, 96, 50, high))
        <= 1
    )
    assert neighbour_weight(ChanceStatistics(0.1, 96, 50, 0.0)) == 0
    assert neighbour_weight(ChanceStatistics(0.1, 96, 50, 1.0)) == 1
    assert 0 < neighbour_weight(ChanceStatistics(0.1, 96, 50)) == neighbour_weight(None) < 1


def test_only_what_asks_counts_against_a_memory() -> None:
    """A question answers nothing; every other signal speaks for a memory."""
    assert {name for name, weight in WEIGHTS.items() if weight < 0} == {"question"}
