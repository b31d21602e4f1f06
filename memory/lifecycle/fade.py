"""`fade`, the default curve: nothing is ever forgotten, only fainter.

The weight is the weight paper's, the levels are the fading-levels paper's. W = w_time · S · C · I ·
M in [0.01, 2.0], and a factor of 0.3 from the moment of a negation on (the weight paper's −0.7).
What was said again on other days, n times at least 24 hours apart, fades slower and weighs more
(the product paper's spacing): α / (1 + ln(1 + n)), W · (1 + ½·ln(1 + n)), at most 3.0.
The state's `strength` is the amplitude of S at the last mention (`at`); 0 if there was none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log1p, prod
from typing import TYPE_CHECKING

from memory.lifecycle.curve import (
    MENTIONS,
    SPACED,
    SPACED_AT,
    UNUSED,
    Breakpoints,
    Curve,
    CurveEvent,
    Number,
    build_idle_state,
    clamp,
    compute_negation,
    count_idle_days,
    days_between,
    exp,
    get_marks,
    level_within,
    read_spaced,
    to_milliseconds,
)
from memory.models import KINDS, CurveState, Importance, Kind, Level, Memory, Sensitivity

if TYPE_CHECKING:
    from memory.lifecycle.columns import Column, Columns

ALPHA = 0.01
S_MAX, LAMBDA_S = 0.5, 0.05
C_MIN, LAMBDA_C, NEGATED = 0.3, 0.01, 0.3
M_COEF, LAMBDA_M, RECENT = 0.3, 0.5, timedelta(days=3)
SENSITIVE_ALPHA = 0.5  # the weight paper: general sensitivity is compressed half as fast
SPACING, UNSPACED_MOST = 0.5, 2.0
NEVER_USED = 3_000.0  # days: the fading-levels paper's last line


def w_time(
    t: Number,
    u: float,
    factor: Number,
    alpha: Number = ALPHA,  # type: ignore[assignment] # mypy: constrained
) -> Number:
    """Return 1/(1 + α·U·(1/I)·t), the factor of idle time.

    After 180 days 0.4545 for identity and 0.3077 for context (the weight paper).
    """
    return 1 / (1 + alpha * u * t / factor)


def semantic(t: Number, amplitude: Number = S_MAX) -> Number:  # type: ignore[assignment] # the same
    """Return S = 1 + amplitude·exp(−0.05·Δt): 1.50, 1.35, 1.11 after 0, 7, 30 days."""
    return 1 + amplitude * exp(-LAMBDA_S * t)


def conflict(t: Number) -> Number:
    """Return C = 0.3 + 0.7·exp(−0.01·Δt): 1.00, 0.95, 0.82, 0.58 after 0, 7, 30, 90 days."""
    return C_MIN + (1 - C_MIN) * exp(-LAMBDA_C * t)


def momentum(n: Number) -> Number:
    """Return M = 1 + 0.3·(1 − exp(−0.5·n)): 1.00, 1.23, 1.30 for 0, 3, 10 mentions in 3 days."""
    return 1 + M_COEF * (1 - exp(-LAMBDA_M * n))


@dataclass(frozen=True, slots=True)
class FadeCurve(Curve):
    """The weight paper's formula with the fading-levels paper's levels.

    spaced: without it every weight is the weight paper's own.
    """

    # With the weight paper's clamp a weight never falls *below* 0.01; it stands at 0.01 only after
    # far more than the 180 idle days asked for before ARCHIVE there, so "at or below the last
    # breakpoint" says that paper's rule.
    breakpoints: Breakpoints = (0.7, 0.3, 0.1, 0.01)
    bounds: tuple[float, float] = (0.01, 3.0)
    archives_after: float = NEVER_USED
    spaced: bool = True

    def create_state(self, kind: Kind, importance: Importance, now: datetime) -> CurveState:  # noqa: ARG002 - I is by kind
        """Return the state of a memory never mentioned yet: S = 1."""
        return CurveState(strength=0.0, at=now)

    def compute_factors(self, m: Memory, u: float, now: datetime) -> Mapping[str, float]:
        """Return the weight paper's five factors, a negation's immediate one, and spacing."""
        recent = sum(now - RECENT < at <= now for at in m.recent_mentions)
        factor, negated, (alpha, log_n) = KINDS[m.kind].factor, m.negated_at, self._compute_rate(m)
        return {
            "time_weight": w_time(count_idle_days(m, now), u, factor, alpha),
            "semantic_boost": semantic(days_between(m.curve_state.at, now), m.curve_state.strength),
            "conflict_penalty": 1.0 if negated is None else conflict(days_between(negated, now)),
            "negation": compute_negation(m, NEGATED),
            "importance": factor,
            "momentum": momentum(recent),
            "spacing": 1 + SPACING * log_n,
        }

    def compute_weight(self, m: Memory, u: float, now: datetime) -> float:
        """Return the retention now: at most 2, and 3 if it was said again on another day."""
        factors = self.compute_factors(m, u, now)
        most = self.bounds[1] if factors["spacing"] > 1 else UNSPACED_MOST
        return clamp(prod(factors.values()), self.bounds[0], most)

    def compute_weights(self, c: Columns, u: float) -> Column:
        """Return the same of many memories."""
        import numpy as np

        log_n = np.log1p(c.count_spaced() * self.spaced)
        factor = np.array([KINDS[k].factor for k in c.fields["kind"]])
        alpha = np.where(c["sensitivity"] == Sensitivity.GENERAL, ALPHA * SENSITIVE_ALPHA, ALPHA)
        w: Column = w_time(c.idle, u, factor, alpha / (1 + log_n)) * (1 + SPACING * log_n)
        w *= factor * semantic(c.count_days(c["strength_at"]), c["strength"])
        w *= momentum(c.count_mentions(RECENT))
        negated = c["negated_at"]
        w *= np.where(np.isnan(negated), 1.0, conflict(c.count_days(negated)) * NEGATED)
        return w.clip(self.bounds[0], np.where(log_n > 0, self.bounds[1], UNSPACED_MOST))

    def _compute_rate(self, m: Memory) -> tuple[float, float]:
        """Return α and the logarithm of how often it was said again, by which α is divided."""
        log_n = log1p(read_spaced(m)[0]) if self.spaced else 0.0
        alpha = ALPHA * (SENSITIVE_ALPHA if m.sensitivity is Sensitivity.GENERAL else 1.0)
        return alpha / (1 + log_n), log_n

    def apply(self, m: Memory, e: CurveEvent, u: float, now: datetime) -> CurveState:  # noqa: ARG002 - S knows no U
        """Set S's amplitude at a mention, and take it back at a contradiction."""
        if e not in MENTIONS | {"contradicted"}:
            return m.curve_state
        return CurveState(S_MAX if e in MENTIONS else 0.0, max(m.curve_state.at, now))

    def adopt_weight(self, m: Memory, weight: float, u: float, now: datetime) -> Memory:
        """Take S from the last mention, and idle time from the weight.

        Where no idle time is short enough, S is raised up to 1.5.
        """
        state = CurveState(0.0, min(m.created_at, now))
        if m.recent_mentions:
            state = CurveState(S_MAX, m.recent_mentions[-1])
        count = get_marks(m, SPACED, SPACED_AT)
        fresh = replace(m, curve_state=replace(state, data=count | build_idle_state(m, 0.0, now)))
        factors = self.compute_factors(fresh, u, now)
        rest = prod(factors.values())
        if weight > rest:
            amplitude = min(factors["semantic_boost"] * weight / rest - 1, S_MAX)
            return replace(fresh, curve_state=CurveState(amplitude, now, fresh.curve_state.data))
        t = (rest / weight - 1) * KINDS[m.kind].factor / (self._compute_rate(m)[0] * u)
        data = count | build_idle_state(m, t, now)
        if t >= NEVER_USED and level_within(self.breakpoints, weight) is not Level.ARCHIVE:
            data[UNUSED] = to_milliseconds(now)
        return replace(fresh, curve_state=replace(state, data=data))
