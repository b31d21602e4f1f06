"""`fsrs`: the retrievability of FSRS-6, a use being a review.

The package computes stability and difficulty. R = (1 + F·t/S)^−w20 with F such that R = 0.9 after S
days. The package rounds t down to days; here days are exact, and the user's factor U stretches
them. Never forgets, only fades.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from memory.lifecycle.curve import (
    USES,
    Breakpoints,
    Curve,
    CurveEvent,
    Number,
    build_idle_state,
    clamp,
    compute_negation,
    count_idle_days,
)
from memory.models import CurveState, Importance, Kind, Memory

if TYPE_CHECKING:
    from fsrs import Scheduler

    from memory.lifecycle.columns import Column, Columns

RETENTION = 0.9  # FSRS defines stability as the days until R falls to this
# Easy Good Hard
RATINGS: Mapping[Importance, int] = {Importance.HIGH: 4, Importance.MEDIUM: 3, Importance.LOW: 2}
GOOD, AGAIN = 3, 1
STABILITIES = (0.25, 3650.0)  # days; that of a memory that comes from another curve
REACHES = (0.05, 1.0)  # retrievabilities that it may start from


@cache
def _scheduler() -> Scheduler:
    from fsrs import Scheduler  # 0.1 s, and only this curve needs it

    return Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


@cache
def shape() -> tuple[float, float]:
    """Return (exponent, F) of the forgetting curve."""
    exponent = -_scheduler().parameters[20]
    return exponent, RETENTION ** (1 / exponent) - 1


def retrievability(t: Number, stability: Number) -> Number:
    """Return the probability of recall after `t` days; 1 at 0, 0.9 at `stability`."""
    exponent, f = shape()
    r: Number = (1 + f * t / stability) ** exponent
    return r


def _review(state: CurveState | None, rating: int, now: datetime) -> CurveState:
    from fsrs import Card, Rating, State

    now = now.astimezone(UTC)
    card = Card(card_id=0, due=now)  # both given: the package would ask the clock for them
    if state is not None:
        last = state.at.astimezone(UTC)
        now = max(now, last)
        card = Card(
            card_id=0,
            state=State.Review,
            stability=state.strength,
            difficulty=float(state.data["difficulty"]),
            due=now,
            last_review=last,
        )
    card, _ = _scheduler().review_card(card, Rating(rating), now)
    if card.stability is None or card.difficulty is None:  # pragma: no cover - it was reviewed
        raise AssertionError
    return CurveState(strength=card.stability, at=now, data={"difficulty": card.difficulty})


@dataclass(frozen=True, slots=True)
class FsrsCurve(Curve):
    """FSRS-6 with its published parameters. `strength` is the stability in days at `at`."""

    breakpoints: Breakpoints = (0.7, 0.5, 0.4, 0.3)
    bounds: tuple[float, float] = (0.0, 1.0)

    def create_state(self, kind: Kind, importance: Importance, now: datetime) -> CurveState:  # noqa: ARG002
        """Return the state after the first review: easy, good or hard by importance."""
        return _review(None, RATINGS[importance], now)

    def compute_factors(self, m: Memory, u: float, now: datetime) -> Mapping[str, float]:
        """Return the retrievability, and half while negated."""
        days = u * count_idle_days(m, now)
        return {
            "retrievability": retrievability(days, m.curve_state.strength),
            "negation": compute_negation(m),
        }

    def compute_weights(self, c: Columns, u: float) -> Column:
        """Return the same of many memories."""
        w = retrievability(u * c.idle, c["strength"]) * c.compute_negation()
        return w.clip(*self.bounds)

    def apply(self, m: Memory, e: CurveEvent, u: float, now: datetime) -> CurveState:  # noqa: ARG002
        """Review: a use went well, a contradiction did not."""
        if e in USES:
            return _review(m.curve_state, GOOD, now)
        if e == "contradicted":
            # A lapse changes how fast it is lost from here on, not when it was last held.
            return replace(_review(m.curve_state, AGAIN, now), at=m.curve_state.at)
        return m.curve_state

    def adopt_weight(self, m: Memory, weight: float, u: float, now: datetime) -> Memory:
        """Take the stability that its idle days call for; idle time explains the rest."""
        exponent, f = shape()
        first = _review(None, GOOD, min(m.last_activated_at, now))
        r = clamp(weight / compute_negation(m), *REACHES)
        stretch = (r ** (1 / exponent) - 1) / f  # idle days per day of stability
        plain = replace(m, curve_state=replace(m.curve_state, data={}))
        stability = first.strength
        if stretch > 0:
            stability = clamp(u * count_idle_days(plain, now) / stretch, *STABILITIES)
        data = {**first.data, **build_idle_state(m, stretch * stability / u, now)}
        return replace(m, curve_state=CurveState(strength=stability, at=first.at, data=data))
