"""A memory's life: birth, weight, level, events, and what upkeep should do about it.

The rules in here hold under every curve: protected memories, episodes, due times, the importance
counter, and that content follows the level when a memory comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from memory.lifecycle import importance_counter
from memory.lifecycle.curve import (
    MENTIONS,
    ORIGIN,
    USES,
    Curve,
    CurveEvent,
    DecayAction,
    FadeAction,
    ForgetAction,
    KeepAction,
    PromoteAction,
    Verdict,
    clamp,
    days_between,
    is_episode,
    is_protected,
    is_spared,
    level_within,
    to_milliseconds,
)
from memory.lifecycle.fade import FadeCurve
from memory.lifecycle.fsrs import FsrsCurve
from memory.lifecycle.importance import ImportanceCurve
from memory.lifecycle.importance_counter import compute_counter
from memory.lifecycle.relevance import RelevanceCurve
from memory.lifecycle.score import ScoreCurve
from memory.models import KINDS, Importance, Json, Kind, Layer, Level, Memory, WeightEvent

CURVES: dict[str, Curve] = {
    "fade": FadeCurve(),
    "importance": ImportanceCurve(),
    "score": ScoreCurve(),
    "relevance": RelevanceCurve(),
    "fsrs": FsrsCurve(),
}

EPISODE_GRACE, EPISODE_PER_DAY, EPISODE_ENDS = 7.0, 0.8, 14.0  # the three-layer paper
MENTIONS_KEPT = 32
REVIEW_RESTS = timedelta(days=30)
INSIDE = 0.02  # of a level's width: how far inside it a memory from another curve starts
# in a curve state's data, by version 0.1: a reviewer has archived it, until its next use
SET_ASIDE = "archived"
KEPT = "kept"  # in a curve state's data: which review the last KEEP answered; that one rests
_MARKS = frozenset({ORIGIN, SET_ASIDE, KEPT})


def start_life(m: Memory, importance: Importance, curve: str, now: datetime) -> Memory:
    """Start a memory's life under `curve`.

    It is FULL, its counter at 2.0, 1.5 or 1.0 (the three-layer paper).
    """
    m = replace(
        m,
        curve=curve,
        curve_state=CURVES[curve].create_state(m.kind, importance, now),
        importance=importance_counter.FIRST[importance],
        importance_at=now,
        level=Level.FULL,
    )
    return replace(m, weight=compute_weight(m, 1.0, now))


def move_to_curve(m: Memory, curve: str, u: float, now: datetime) -> Memory:
    """Move the memory to another curve at the level it stands at.

    Its weight stays as near to what it was as that level allows.

    What is the same under all curves (protection, episodes, due times, what was set aside) is left
    as it is.
    """
    if m.curve == curve:
        return m
    old, new = CURVES[m.curve], CURVES[curve]
    now = _whole_ms(now)
    w = old.compute_weight(m, u, now)
    wanted = _banded(w, level_within(old.breakpoints, w), new)
    after = _marked(replace(new.adopt_weight(m, wanted, u, now), curve=curve), m, (SET_ASIDE, KEPT))
    return replace(after, weight=compute_weight(after, u, now))


def _banded(w: float, level: Level, curve: Curve) -> float:
    """Return the weight nearest to `w` that is at `level` under the curve.

    It is a little inside, or it would leave at once.
    """
    top, low = (1.0, *curve.breakpoints)[level], (*curve.breakpoints, curve.bounds[0])[level]
    most = curve.bounds[1] if level is Level.FULL else top - 1e-9
    least = low if level is Level.ARCHIVE else low + INSIDE * (top - low)
    return clamp(w, min(least, most), most)


def apply_keep(m: Memory, task: Literal["promotion", "decay"], now: datetime) -> Memory:
    """Return the memory as a reviewer's KEEP leaves it (the three-layer paper).

    That review rests; a counter that fell is at 0.5 again.
    """
    data = {**m.curve_state.data, KEPT: task}
    m = replace(m, curve_state=replace(m.curve_state, data=data), reviewed_at=now)
    return (
        replace(m, importance=importance_counter.KEPT_AT, importance_at=now)
        if task == "decay"
        else m
    )


def is_set_aside(m: Memory) -> bool:
    """Tell whether a reviewer archived it and nobody has spoken of it since."""
    return bool(m.curve_state.data.get(SET_ASIDE))


def compute_weight(m: Memory, u: float, now: datetime) -> float:
    """Return the retention now.

    Core, system and pinned: max(W, 1); episodes: 1 for 7 days, then ×0.8 a day (the three-layer
    paper).
    """
    w = _episode_weight(m, now) if is_episode(m) else CURVES[m.curve].compute_weight(m, u, now)
    return max(w, 1.0) if is_protected(m) else w


def compute_factors(m: Memory, u: float, now: datetime) -> Mapping[str, float]:
    """Return the factors of the weight, for the log.

    Their product, clamped, is the weight of an unprotected memory.
    """
    if is_episode(m):
        return {"episode": _episode_weight(m, now)}
    return CURVES[m.curve].compute_factors(m, u, now)


def compute_level(m: Memory, u: float, now: datetime) -> Level:
    """Return the level that the weight says.

    An expired todo is archived at once (the session paper), an episode after 14 days (the
    three-layer paper).

    An instruction is always FULL.
    What a reviewer set aside stays archived until it is spoken of again.
    """
    return level_for_weight(m, compute_weight(m, u, now), now)


def level_for_weight(m: Memory, w: float, now: datetime) -> Level:
    """Return the level for a weight at `now` that is known already."""
    if is_protected(m) or m.kind is Kind.INSTRUCTION:
        return Level.FULL
    if is_episode(m):
        return (
            Level.ARCHIVE if days_between(m.last_activated_at, now) >= EPISODE_ENDS else Level.FULL
        )
    if is_expired(m, now) or is_set_aside(m):
        return Level.ARCHIVE
    return level_within(CURVES[m.curve].breakpoints, w)


def is_expired(m: Memory, now: datetime) -> bool:
    """Tell whether a todo is past due and nobody has spoken of it since."""
    due = m.expires_at
    return m.kind is Kind.TODO and due is not None and now >= due and m.last_activated_at <= due


def apply_event(
    m: Memory, event: CurveEvent, u: float, now: datetime, reason: str = ""
) -> tuple[Memory, WeightEvent]:
    """Return the memory after an event at `now`, and its weight log line.

    A use (mention, use, boost, affirm) activates; a negation takes the pin and dates itself, but
    does not activate; an affirmation lifts a negation. `rev` and the store are not touched. Events
    have the store's milliseconds, so that whoever reads the log computes with the very times that
    were computed with.
    """
    now = _whole_ms(now)
    after = replace(m, curve_state=CURVES[m.curve].apply(m, event, u, now))
    # A use begins anew: what a reviewer or a switch of curves had said of it is over.
    after = _marked(_unmarked(after), m, (KEPT,) if event in USES else (KEPT, SET_ASIDE, ORIGIN))
    if event == "negate":
        after = _negated(after, u, now)
    if event in USES:
        after = _used(after, event, u, now)
    if event == "affirm":
        after = _affirmed(after)
    after = replace(after, weight=compute_weight(after, u, now))
    if event in USES:
        after = _back(after, u, now)
    return after, build_log_entry(event, m, after, u, now, reason)


def build_log_entry(
    event: str, before: Memory | None, after: Memory, u: float, now: datetime, reason: str = ""
) -> WeightEvent:
    """Return the weight log's line for whatever made `after` of `before`.

    None as `before`: it was just made.

    Both states have all that a weight is computed from, so that everyone can compute both weights
    again.
    """
    now = _whole_ms(now)
    return WeightEvent(
        memory_id=after.id,
        at=now,
        event=event,
        old_weight=0.0 if before is None else compute_weight(before, u, now),
        new_weight=compute_weight(after, u, now),
        reason=reason,
        factors=compute_factors(after, u, now),
        before={} if before is None else {**dump_state(before), "u": u},
        after={**dump_state(after), "u": u},
    )


def revive_memory(m: Memory, u: float, now: datetime) -> tuple[Memory, WeightEvent]:
    """Return the memory as its owner brings it back, and its log line.

    Used, in its own words and at least as strong as a new one, so that the next night leaves it
    alone.
    """
    after, log = apply_event(m, "use", u, now)
    curve = CURVES[m.curve]
    after = replace(
        after, importance=max(after.importance, importance_counter.FIRST[Importance.MEDIUM])
    )
    fresh = replace(after, curve_state=curve.create_state(m.kind, Importance.MEDIUM, log.at))
    after = max(after, fresh, key=lambda x: curve.compute_weight(x, u, log.at))
    after = replace(
        after, weight=compute_weight(after, u, log.at), level=Level.FULL, content=m.original_content
    )
    return after, build_log_entry("restored", m, after, u, log.at)


def review_due(m: Memory, u: float, now: datetime) -> Literal["promotion", "decay"] | None:
    """Return which review the counter asks for, if any (the three-layer paper).

    After a KEEP the same one rests for 30 days.

    Decay is judged only where the curve says so, and never of what only its owner lets go.
    """
    if m.layer is not Layer.FACT or is_protected(m) or is_episode(m) or is_set_aside(m):
        return None
    rests = m.reviewed_at is not None and now - m.reviewed_at < REVIEW_RESTS
    answered = m.curve_state.data.get(KEPT)
    value = compute_counter(m, u, now)
    if value >= importance_counter.PROMOTION:
        return (
            "promotion"
            if importance_counter.may_be_core(m) and not (rests and answered != "decay")
            else None
        )
    if value >= importance_counter.DECAY or is_spared(m) or not CURVES[m.curve].reviews_decay:
        return None
    return None if rests and answered != "promotion" else "decay"


def decide_action(m: Memory, u: float, now: datetime) -> Verdict:
    """Return what upkeep should do.

    Forgetting comes before fading, and fading before a review.
    """
    below = CURVES[m.curve].forgets_below
    if (
        below is not None
        and not is_spared(m)
        and not is_episode(m)
        and compute_weight(m, u, now) < below
    ):
        return ForgetAction()
    if (level := compute_level(m, u, now)) != m.level:
        return FadeAction(level)
    match review_due(m, u, now):
        case "promotion":
            return PromoteAction()
        case "decay":
            return DecayAction()
    return KeepAction()


def dump_state(m: Memory) -> Mapping[str, Json]:
    """Return all that a memory's weight is computed from, as JSON.

    Times are integer UTC milliseconds.
    """
    dated = (
        {} if m.on is None else {"on": _ms(m.on), "on_until": _ms(m.on_until), "repeats": m.repeats}
    )
    return {
        **dated,
        "curve": m.curve,
        "i": KINDS[m.kind].factor,
        "strength": m.curve_state.strength,
        "strength_at": _ms(m.curve_state.at),
        "data": dict(m.curve_state.data),
        "importance": m.importance,
        "importance_at": _ms(m.importance_at),
        "last_activated_at": _ms(m.last_activated_at),
        "activation_count": m.activation_count,
        "recent_mentions": [_ms(at) for at in m.recent_mentions],
        "negated_at": _ms(m.negated_at),
        "expires_at": _ms(m.expires_at),
        "kind": str(m.kind),
        "layer": str(m.layer),
        "sensitivity": int(m.sensitivity),
        "pinned": m.pinned,
        "level": int(m.level),
    }


def _marked(after: Memory, m: Memory, marks: tuple[str, ...]) -> Memory:
    """`after` with those marks that its life before it (`m`) has put on it and that stay."""
    was = m.curve_state.data
    data = {**after.curve_state.data, **{k: was[k] for k in marks if k in was}}
    return replace(after, curve_state=replace(after.curve_state, data=data))


def _unmarked(m: Memory) -> Memory:
    data = {k: v for k, v in m.curve_state.data.items() if k not in _MARKS}
    return replace(m, curve_state=replace(m.curve_state, data=data))


def _ms(at: datetime | None) -> int | None:
    return None if at is None else to_milliseconds(at)


def _whole_ms(at: datetime) -> datetime:
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def _episode_weight(m: Memory, now: datetime) -> float:
    return float(
        EPISODE_PER_DAY ** max(0.0, days_between(m.last_activated_at, now) - EPISODE_GRACE)
    )


def _negated(m: Memory, u: float, now: datetime) -> Memory:
    """Denied. A second denial does not start the penalty anew: that would raise the weight."""
    if is_protected(m):  # its counter stood still until now
        m = replace(
            m, importance=compute_counter(m, u, now), importance_at=max(m.importance_at, now)
        )
    if m.negated_at is not None:
        return replace(m, pinned=False)
    until = now if m.valid_until is None else min(m.valid_until, now)
    return replace(m, pinned=False, negated_at=now, valid_until=until)


def _affirmed(m: Memory) -> Memory:
    """Take back the denial, and with it the end of validity that it had set."""
    if m.negated_at is None:
        return m
    return replace(
        m, negated_at=None, valid_until=None if m.valid_until == m.negated_at else m.valid_until
    )


def _used(m: Memory, event: CurveEvent, u: float, now: datetime) -> Memory:
    """Activated: dates, counts, and the counter brought up to date before its date moves.

    Only what the person says is a mention.
    """
    value = compute_counter(m, u, now)
    if event == "boost":
        value = min(value + importance_counter.BOOST, importance_counter.MOST)
    if event in MENTIONS:
        m = replace(m, recent_mentions=tuple(sorted((*m.recent_mentions, now)))[-MENTIONS_KEPT:])
    to_core = value >= importance_counter.CORE and importance_counter.may_be_core(m)
    return replace(
        m,
        importance=value,
        importance_at=max(m.importance_at, now),
        layer=Layer.CORE if to_core else m.layer,
        last_activated_at=max(m.last_activated_at, now),
        activation_count=m.activation_count + 1,
    )


def _back(m: Memory, u: float, now: datetime) -> Memory:
    """Content follows the level after a use: what had faded further comes back in its own words."""
    level = compute_level(m, u, now)
    return replace(m, level=level, content=m.original_content) if level < m.level else m
