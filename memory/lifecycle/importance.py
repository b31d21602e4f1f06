"""The three-layer paper's importance counter, and the curve of which it is the weight.

Every memory keeps the counter, whatever its curve: 2.0 / 1.5 / 1.0 at first, +0.3 at a BOOST, ×0.95
a day after 7 days without activation. It asks the reviewer at 2.5 (and below 0.5 where the curve
says so), and makes a fact `core` at 3.0. The speed of forgetting (U) stands in the exponent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory.lifecycle.curve import (
    Breakpoints,
    Curve,
    compute_negation,
    count_days_after_grace,
    is_protected,
    level_within,
)
from memory.models import CurveState, Importance, Kind, Layer, Memory

if TYPE_CHECKING:
    from memory.lifecycle.columns import Column, Columns

FIRST: Mapping[Importance, float] = {
    Importance.HIGH: 2.0,
    Importance.MEDIUM: 1.5,
    Importance.LOW: 1.0,
}
BOOST, PER_DAY = 0.3, 0.95
PROMOTION, DECAY, CORE = 2.5, 0.5, 3.0
CORE_KINDS = frozenset(
    {Kind.IDENTITY, Kind.HEALTH, Kind.PREFERENCE, Kind.SKILL, Kind.LESSON, Kind.WORKFLOW}
)
KEPT_AT = 0.5  # a KEEP in a decay review sets it to this
MOST = 10.0  # the paper names no ceiling; far above everything it decides


def compute_counter(m: Memory, u: float, now: datetime) -> float:
    """Return the counter as it stands at `now`; protected memories keep theirs."""
    days = 0.0 if is_protected(m) else count_days_after_grace(m, m.importance_at, now)
    return min(float(m.importance * PER_DAY ** (u * days)), MOST)


def compute_counters(c: Columns, u: float) -> Column:
    """Return the same of many memories."""
    import numpy as np

    days = c.count_days_after_grace(c["importance_at"]) * ~c.protected
    return np.minimum(c["importance"] * PER_DAY ** (u * days), MOST)


def may_be_core(m: Memory) -> bool:
    """Tell whether it is of a lasting sort, not denied, and verified or said on two days (UTC)."""
    days = {t.astimezone(UTC).date() for t in (m.created_at, *m.recent_mentions)}
    lasting = m.layer is Layer.FACT and m.negated_at is None and m.kind in CORE_KINDS
    return lasting and (m.verified or len(days) > 1)


@dataclass(frozen=True, slots=True)
class ImportanceCurve(Curve):
    """The curve whose truth is `Memory.importance`; its state has nothing of its own."""

    breakpoints: Breakpoints = (0.5, 0.45, 0.4, 0.3)
    bounds: tuple[float, float] = (0.0, MOST)
    forgets_below: float | None = 0.3
    reviews_decay: bool = True

    def create_state(self, kind: Kind, importance: Importance, now: datetime) -> CurveState:  # noqa: ARG002
        """Return what the counter started from, only for the record."""
        return CurveState(strength=FIRST[importance], at=now)

    def compute_factors(self, m: Memory, u: float, now: datetime) -> Mapping[str, float]:
        """Return the counter, and half while negated."""
        return {"counter": compute_counter(m, u, now), "negation": compute_negation(m)}

    def compute_weights(self, c: Columns, u: float) -> Column:
        """Return the same of many memories."""
        return (compute_counters(c, u) * c.compute_negation()).clip(*self.bounds)

    def adopt_weight(self, m: Memory, weight: float, u: float, now: datetime) -> Memory:
        """Keep the counter, which *is* the weight; move it where the level would jump."""
        value, negation = compute_counter(m, u, now), compute_negation(m)
        level = level_within(self.breakpoints, weight)
        if is_protected(m) or level is level_within(self.breakpoints, value * negation):
            return replace(m, curve_state=CurveState(strength=m.importance, at=m.importance_at))
        moved = min(weight / negation, MOST)
        state = CurveState(strength=moved, at=now)
        return replace(m, importance=moved, importance_at=now, curve_state=state)
