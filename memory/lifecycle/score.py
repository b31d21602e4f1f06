"""`score` (the session paper): 0.8/0.6/0.4 at first; ×0.99 a day after 7 days.

A hit adds (1−s)·0.2. Archived below 0.2 and forgotten below 0.05. The paper multiplies anew at
every merge by all the days since the last activation; here each day counts once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory.lifecycle.curve import (
    USES,
    Breakpoints,
    Curve,
    CurveEvent,
    clamp,
    compute_negation,
    count_days_after_grace,
)
from memory.models import CurveState, Importance, Kind, Memory

if TYPE_CHECKING:
    from memory.lifecycle.columns import Column, Columns

FIRST: Mapping[Importance, float] = {
    Importance.HIGH: 0.8,
    Importance.MEDIUM: 0.6,
    Importance.LOW: 0.4,
}
HIT, PER_DAY, CONTRADICTED = 0.2, 0.99, 0.5
RESIDENT = 0.5  # the session paper: at or above, a memory may stay in the prompt


@dataclass(frozen=True, slots=True)
class ScoreCurve(Curve):
    """The curve whose `strength` is the score as it stood at `at`."""

    breakpoints: Breakpoints = (0.35, 0.2, 0.1, 0.05)
    bounds: tuple[float, float] = (0.0, 1.0)
    forgets_below: float | None = 0.05

    def create_state(self, kind: Kind, importance: Importance, now: datetime) -> CurveState:  # noqa: ARG002
        """Return the score of the importance that the extractor gave."""
        return CurveState(strength=FIRST[importance], at=now)

    def compute_factors(self, m: Memory, u: float, now: datetime) -> Mapping[str, float]:
        """Return the score as it stood, its decay, and half while negated."""
        state = m.curve_state
        decay = PER_DAY ** (u * count_days_after_grace(m, state.at, now))
        return {"score": state.strength, "decay": decay, "negation": compute_negation(m)}

    def compute_weights(self, c: Columns, u: float) -> Column:
        """Return the same of many memories."""
        decay = PER_DAY ** (u * c.count_days_after_grace(c["strength_at"]))
        return (c["strength"] * decay * c.compute_negation()).clip(*self.bounds)

    def apply(self, m: Memory, e: CurveEvent, u: float, now: datetime) -> CurveState:
        """Add (1−s)·0.2 for a hit to what is left; halve for a contradiction."""
        state = m.curve_state
        s = state.strength * PER_DAY ** (u * count_days_after_grace(m, state.at, now))
        if e in USES:
            return CurveState(strength=s + (1 - s) * HIT, at=max(state.at, now))
        if e == "contradicted":
            return CurveState(strength=s * CONTRADICTED, at=max(state.at, now))
        return state

    def adopt_weight(self, m: Memory, weight: float, u: float, now: datetime) -> Memory:  # noqa: ARG002 - no rate in it
        """Take the other curve's weight as the score."""
        s = clamp(weight / compute_negation(m), *self.bounds)
        return replace(m, curve_state=CurveState(strength=s, at=now))
