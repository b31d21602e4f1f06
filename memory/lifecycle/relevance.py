"""`relevance` (the product paper): exp(−0.01·days) · (1 + ln(1 + activations)) · importance.

Below 0.3 upkeep lowers the importance by ×0.9 a night, below 0.1 the memory is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import log, log1p, prod
from typing import TYPE_CHECKING

from memory.lifecycle.curve import (
    MOST_COUNTED,
    Breakpoints,
    Curve,
    CurveEvent,
    build_idle_state,
    compute_negation,
    count_idle_days,
    exp,
)
from memory.models import KINDS, CurveState, Importance, Kind, Memory

if TYPE_CHECKING:
    from memory.lifecycle.columns import Column, Columns

RATE, LOWERED = 0.01, 0.9
UNLISTED = 0.8  # kinds that the product paper does not list
OWN: Mapping[Kind, float] = {Kind.IDENTITY: 0.9, Kind.WHIM: 0.5}
LEAST = 1e-6  # a weight that a memory can come with from another curve


def get_kind_importance(kind: Kind) -> float:
    """Return the product paper's importance of a kind."""
    return OWN.get(kind) or KINDS[kind].s1_weight or UNLISTED


@dataclass(frozen=True, slots=True)
class RelevanceCurve(Curve):
    """The curve whose `strength` is the importance in [0, 1] as upkeep has left it."""

    breakpoints: Breakpoints = (0.3, 0.2, 0.15, 0.1)
    bounds: tuple[float, float] = (0.0, 1 + log1p(MOST_COUNTED))
    forgets_below: float | None = 0.1
    lowers_below: float | None = 0.3

    def create_state(self, kind: Kind, importance: Importance, now: datetime) -> CurveState:  # noqa: ARG002
        """Return the state with the importance of the kind."""
        return CurveState(strength=get_kind_importance(kind), at=now)

    def compute_factors(self, m: Memory, u: float, now: datetime) -> Mapping[str, float]:
        """Return the product paper's three factors, and half while negated."""
        return {
            "time": exp(-RATE * u * count_idle_days(m, now)),
            "activations": 1 + log1p(min(m.activation_count, MOST_COUNTED)),
            "importance": m.curve_state.strength,
            "negation": compute_negation(m),
        }

    def compute_weights(self, c: Columns, u: float) -> Column:
        """Return the same of many memories."""
        import numpy as np

        uses = 1 + np.log1p(c["activation_count"].clip(0, MOST_COUNTED))
        w: Column = exp(-RATE * u * c.idle) * uses * c["strength"] * c.compute_negation()
        return w.clip(*self.bounds)

    def apply(self, m: Memory, e: CurveEvent, u: float, now: datetime) -> CurveState:  # noqa: ARG002
        """Lower the importance after a night below 0.3, or a contradiction."""
        state = m.curve_state
        if e in {"lowered", "contradicted"}:
            return CurveState(strength=state.strength * LOWERED, at=max(state.at, now))
        return state

    def adopt_weight(self, m: Memory, weight: float, u: float, now: datetime) -> Memory:
        """Take importance from the kind, and idle time from the weight.

        Importance is raised where even no idle day would do.
        """
        state = CurveState(get_kind_importance(m.kind), now, build_idle_state(m, 0.0, now))
        rest = prod(self.compute_factors(replace(m, curve_state=state), u, now).values())
        if weight > rest:
            raised = min(state.strength * weight / rest, 1.0)
            return replace(m, curve_state=replace(state, strength=raised))
        t = log(rest / max(weight, LEAST)) / (RATE * u)
        return replace(m, curve_state=replace(state, data=build_idle_state(m, t, now)))
