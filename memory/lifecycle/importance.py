"""`importance` (the three-layer paper): the weight is the importance counter; forgotten below 0.3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import prod

from memory.lifecycle.curve import CurveEvent, clamp, is_protected, level_within
from memory.lifecycle.importance_counter import FIRST, MOST, compute_counter
from memory.models import CurveState, Importance, Kind, Memory

NEGATED = (
    0.5  # none in the three-layer paper; half, as the session paper's contradiction, until affirmed
)


@dataclass(frozen=True, slots=True)
class ImportanceCurve:
    """The curve whose truth is `Memory.importance`; its state has nothing of its own."""

    breakpoints: tuple[float, float, float, float] = (0.5, 0.45, 0.4, 0.3)
    bounds: tuple[float, float] = (0.0, MOST)
    forgets_below: float | None = 0.3
    reviews_decay: bool = True

    def create_state(self, kind: Kind, importance: Importance, now: datetime) -> CurveState:  # noqa: ARG002
        """Return what the counter started from, only for the record."""
        return CurveState(strength=FIRST[importance], at=now)

    def compute_factors(self, m: Memory, u: float, now: datetime) -> Mapping[str, float]:
        """Return the counter, halved while negated."""
        return {"counter": compute_counter(m, u, now), "negation": self._negation(m)}

    def compute_weight(self, m: Memory, u: float, now: datetime) -> float:
        """Return the product of the factors."""
        return clamp(prod(self.compute_factors(m, u, now).values()), *self.bounds)

    def apply(self, m: Memory, e: CurveEvent, u: float, now: datetime) -> CurveState:  # noqa: ARG002
        """Return the state unchanged.

        A BOOST moves the counter, which `life.happen` keeps for every curve.
        """
        return m.curve_state

    def adopt_weight(self, m: Memory, weight: float, u: float, now: datetime) -> Memory:
        """Keep the counter, which *is* the weight; move it where the level would jump."""
        value = compute_counter(m, u, now)
        stands = level_within(self.breakpoints, value * self._negation(m)) is level_within(
            self.breakpoints, weight
        )
        if stands or is_protected(m):
            return replace(m, curve_state=CurveState(strength=m.importance, at=m.importance_at))
        moved = min(weight / self._negation(m), MOST)
        return replace(
            m, importance=moved, importance_at=now, curve_state=CurveState(strength=moved, at=now)
        )

    def _negation(self, m: Memory) -> float:
        return 1.0 if m.negated_at is None else NEGATED
