"""What a reviewer archives under a curve that never forgets."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory.lifecycle import (
    CURVES,
    apply_event,
    compute_level,
    compute_weight,
    is_set_aside,
    move_to_curve,
    review_due,
    start_life,
)
from memory.lifecycle.curve import CurveEvent
from memory.models import Importance, Layer, Level
from tests.memory.aside import set_aside
from tests.memory.lifecycle.test_curves import T0, memory


@pytest.mark.parametrize("curve", sorted(CURVES))
def test_set_aside_is_archived_until_it_is_spoken_of(curve: str) -> None:
    """Time and denials leave it there, its weight is the curve's own, and nobody reviews it again."""
    m = start_life(memory(), Importance.MEDIUM, curve, T0)
    aside = set_aside(m)
    assert (aside.level, compute_level(aside, 1.0, T0)) == (Level.ARCHIVE, Level.ARCHIVE)
    assert compute_weight(aside, 1.0, T0) == compute_weight(m, 1.0, T0)
    assert review_due(replace(aside, importance=0.1), 1.0, T0) is None
    later = T0 + timedelta(days=3)
    events: list[CurveEvent] = ["contradicted", "lowered", "negate"]
    for event in events:
        still, _ = apply_event(aside, event, 1.0, later)
        assert is_set_aside(still)
        assert compute_level(still, 1.0, later) is Level.ARCHIVE


@pytest.mark.parametrize("curve", sorted(CURVES))
@pytest.mark.parametrize("use", ["mention", "boost", "affirm"])
def test_a_use_brings_it_back(curve: str, use: CurveEvent) -> None:
    """In its own words, as if it had never been put away."""
    m = set_aside(
        start_life(memory(content="trace", original_content="whole"), Importance.MEDIUM, curve, T0)
    )
    back, _ = apply_event(m, use, 1.0, T0 + timedelta(days=1))
    assert not is_set_aside(back)
    assert (back.level, back.content) == (Level.FULL, "whole")


def test_another_curve_keeps_it_aside_and_a_pin_does_not() -> None:
    """Switching EBB_CURVE is no mention; a person's pin is stronger than a reviewer."""
    m = set_aside(start_life(memory(), Importance.MEDIUM, "fade", T0))
    assert is_set_aside(move_to_curve(m, "fsrs", 1.0, T0))
    assert compute_level(replace(m, pinned=True), 1.0, T0) is Level.FULL
    assert compute_level(replace(m, layer=Layer.CORE), 1.0, T0) is Level.FULL
