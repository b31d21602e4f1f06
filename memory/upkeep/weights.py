"""Weights of many memories at once: `lifecycle.weight` in columns, for looking over a whole store in a second.

The pure functions remain the truth: what is found here to need something is judged again by them, one memory at
a time. A test holds every curve's weights to theirs, to 1e-9.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.lifecycle import CURVES, fade, fsrs, importance, life, relevance, s0, score
from memory.lifecycle.curve import ORIGIN, STANDING
from memory.models import KINDS, Kind, Layer, Level, Outline, Sensitivity

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_DAY: Final = 86_400_000.0
_NEVER: Final = np.inf


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the curves say of a run of outlines at one moment, row by row."""

    weight: Floats
    level: NDArray[np.int64]
    forgets: Bools  # the seed of its curve would delete it here
    lowers: Bools  # `relevance`: this night takes a tenth of its importance
    review: NDArray[np.int64]  # 0 none, 1 promotion, 2 decay


def weigh(rows: Sequence[Outline], u: float, now: datetime) -> Weighed:
    """Weights, levels and what is due, of memories in any state, at `now`."""
    c = _Columns(rows, u, now)
    weight = np.zeros(len(rows))
    forgets, lowers = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    level = np.full(len(rows), int(Level.ARCHIVE))
    for name in set(c.curve.tolist()):
        of = c.curve == name
        curve, low, high = CURVES[name], *CURVES[name].bounds
        weight[of] = np.clip(_WEIGHTS[name](c), low, high)[of]
        for step, above in reversed(list(enumerate(curve.breakpoints))):
            level[of & (weight > above)] = step
        if curve.forgets_below is not None:
            forgets |= of & (weight < curve.forgets_below)
        if name == "relevance":
            lowers = of & (weight < relevance.LOWER_BELOW)
    days = np.maximum(c.now - c.last, 0) / _DAY
    weight = np.where(c.episode, life.EPISODE_PER_DAY ** np.maximum(days - life.EPISODE_GRACE, 0), weight)
    weight = np.where(c.protected, np.maximum(weight, 1.0), weight)
    expired = c.todo & (c.day <= c.now) & (c.last <= c.day)
    level = np.where(expired | c.aside, int(Level.ARCHIVE), level)
    level = np.where(c.episode, np.where(days >= life.EPISODE_ENDS, int(Level.ARCHIVE), int(Level.FULL)), level)
    level = np.where(c.protected | c.instruction, int(Level.FULL), level)
    free = ~c.protected & ~c.episode
    return Weighed(weight, level, forgets & free & ~c.spared, lowers & free, _review(c, free))


def _review(c: _Columns, free: Bools) -> NDArray[np.int64]:
    rests = c.now - c.reviewed < life.REVIEW_RESTS / _MS
    asked = free & c.fact & ~c.aside
    counter = _counter(c)
    high = asked & (counter >= s0.PROMOTION) & c.lasting & ~(rests & (c.kept != "decay"))
    promotion = high & (c.verified | c.said_twice(high))
    judged = np.fromiter((CURVES[name].reviews_decay for name in c.curve), np.bool_, len(c.curve))
    decay = asked & judged & ~c.spared & (counter < s0.DECAY) & ~(rests & (c.kept != "promotion"))
    return np.where(promotion, 1, np.where(decay, 2, 0))


class _Columns:
    """Outlines turned on their side, as the formulas want them."""

    def __init__(self, rows: Sequence[Outline], u: float, now: datetime) -> None:
        by = (
            dict(zip(Outline._fields, zip(*rows, strict=True), strict=True))
            if rows
            else dict.fromkeys(Outline._fields, ())
        )
        n = len(rows)

        def floats(name: str, none: float = 0.0) -> Floats:
            return np.fromiter((none if v is None else v for v in by[name]), np.float64, n)

        def among(name: str, *values: str) -> Bools:
            return np.fromiter((v in values for v in by[name]), np.bool_, n)

        self.u, self.now = u, (now - _EPOCH) / _MS
        self.curve = np.array(by["curve"], dtype=object)
        self.factor = np.fromiter((KINDS[Kind(k)].factor for k in by["kind"]), np.float64, n)
        self.strength, self.strength_at = floats("strength"), floats("strength_at")
        self.importance, self.importance_at = floats("importance"), floats("importance_at")
        self.last, self.activations = floats("last_activated_at"), floats("activation_count")
        self.negated_at = floats("negated_at", _NEVER)
        self.reviewed = floats("reviewed_at", -_NEVER)
        self.negated = np.isfinite(self.negated_at)
        self.general = floats("sensitivity") == int(Sensitivity.GENERAL)
        self.fact = among("layer", Layer.FACT)
        self.episode = among("layer", Layer.EPISODE) | among("kind", Kind.EPISODE)
        self.instruction = among("kind", Kind.INSTRUCTION)
        due, on, until = floats("expires_at", _NEVER), floats("on", _NEVER), floats("on_until", _NEVER)
        event = among("kind", Kind.EVENT)
        self.todo = among("kind", Kind.TODO) & np.isfinite(due)
        self.day = np.where(event, np.where(np.isfinite(until), until, on), due)  # of a todo or an event
        dated = np.isfinite(self.day) & (self.todo | event)
        repeated = np.fromiter((r is not None for r in by["repeats"]), np.bool_, n)
        self.waits = dated & ((self.day > self.now) | (event & repeated))
        shielded = among("layer", Layer.CORE, Layer.SYSTEM) & ~self.negated
        self.protected = (floats("pinned") != 0) | shielded
        data = [json.loads(d) if d != "{}" else {} for d in by["curve_data"]]
        self.aside = np.fromiter((bool(d.get(life.SET_ASIDE)) for d in data), np.bool_, n)
        self.kept = np.array([str(d.get(life.KEPT, "")) for d in data], dtype=object)
        self.origin = np.fromiter((d.get(ORIGIN, np.nan) for d in data), np.float64, n)
        self.mentions = [json.loads(t) if t != "[]" else () for t in by["recent_mentions"]]
        self.created, self.verified = by["created_at"], floats("verified") != 0
        self.spared = self.protected | self.verified | (floats("close") != 0) | among("kind", *STANDING)
        self.lasting = among("kind", *s0.CORE_KINDS) & ~self.negated
        self.rests = np.where(dated, np.maximum(self.last, np.where(dated, self.day, 0)), self.last)

    def days(self, since: Floats) -> Floats:
        return np.maximum(self.now - since, 0.0) / _DAY

    @property
    def idle(self) -> Floats:
        origin = np.where(np.isnan(self.origin), self.rests, self.origin)
        return np.where(self.waits, 0.0, self.days(origin))

    def after_grace(self, stood_at: Floats) -> Floats:
        return np.where(self.waits, 0.0, self.days(np.maximum(stood_at, self.rests + 7.0 * _DAY)))

    def said_twice(self, of: Bools) -> Bools:
        """Which of these were said on two days."""
        rows = zip(of.tolist(), self.created, self.mentions, strict=True)
        return np.fromiter(
            (asked and len({t // _DAY for t in (born, *some)}) > 1 for asked, born, some in rows), np.bool_, len(of)
        )

    def unless_negated(self, factor: float) -> Floats:
        return np.where(self.negated, factor, 1.0)

    def mentioned(self, window: timedelta) -> Floats:
        since = self.now - window / _MS
        return np.fromiter(
            (sum(since < at <= self.now for at in some) if some else 0 for some in self.mentions),
            np.float64,
            len(self.mentions),
        )


def _counter(c: _Columns) -> Floats:
    fading = c.importance * s0.PER_DAY ** (c.u * c.after_grace(c.importance_at))
    return np.minimum(np.where(c.protected, c.importance, fading), s0.MOST)


def _fade(c: _Columns) -> Floats:
    alpha = fade.ALPHA * np.where(c.general, fade.SENSITIVE_ALPHA, 1.0)
    time = 1 / (1 + alpha * c.u * c.idle / c.factor)
    semantic = 1 + c.strength * np.exp(-fade.LAMBDA_S * c.days(c.strength_at))
    since = c.days(np.where(c.negated, c.negated_at, 0.0))
    conflict = np.where(c.negated, fade.C_MIN + (1 - fade.C_MIN) * np.exp(-fade.LAMBDA_C * since), 1.0)
    momentum = 1 + fade.M_COEF * (1 - np.exp(-fade.LAMBDA_M * c.mentioned(fade.RECENT)))
    frequent = c.mentioned(fade.FREQUENT_WINDOW) >= fade.FREQUENT
    momentum = np.where(frequent, np.maximum(momentum, fade.FREQUENT_M), momentum)
    return time * semantic * conflict * c.unless_negated(fade.NEGATED) * c.factor * momentum


def _importance(c: _Columns) -> Floats:
    return _counter(c) * c.unless_negated(importance.NEGATED)


def _score(c: _Columns) -> Floats:
    decay: Floats = score.PER_DAY ** (c.u * c.after_grace(c.strength_at))
    return c.strength * decay * c.unless_negated(score.CONTRADICTED)


def _relevance(c: _Columns) -> Floats:
    activations: Floats = 1 + np.log1p(np.minimum(c.activations, relevance.MOST_ACTIVATIONS))
    return np.exp(-relevance.RATE * c.u * c.idle) * activations * c.strength * c.unless_negated(relevance.NEGATED)


def _fsrs(c: _Columns) -> Floats:
    exponent, f = fsrs.shape()
    stability = np.where(c.strength > 0, c.strength, 1.0)  # rows of other curves are computed, and left out
    held: Floats = (1 + f * c.u * c.idle / stability) ** exponent
    return held * c.unless_negated(fsrs.NEGATED)


_WEIGHTS: Final[Mapping[str, Callable[[_Columns], Floats]]] = {
    "fade": _fade,
    "importance": _importance,
    "score": _score,
    "relevance": _relevance,
    "fsrs": _fsrs,
}
