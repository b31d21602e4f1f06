"""A memory's life: birth, weight, level, events, and what upkeep should do about it.

The rules in here hold under every curve: protected memories, episodes, due times, the importance
counter, and that content follows the level when a memory comes back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Literal, TypeAlias

from memory.lifecycle.curve import (
    MENTIONS,
    ORIGIN,
    SPACED,
    SPACED_AT,
    UNUSED,
    USES,
    Curve,
    CurveEvent,
    clamp,
    count_spaced,
    days_between,
    from_ms,
    get_marks,
    is_episode,
    is_protected,
    is_spared,
    read_spaced,
    to_milliseconds,
)
from memory.lifecycle.fade import FadeCurve
from memory.lifecycle.fsrs import FsrsCurve
from memory.lifecycle.importance import (
    BOOST,
    CORE,
    DECAY,
    FIRST,
    KEPT_AT,
    MOST,
    PROMOTION,
    ImportanceCurve,
    compute_counter,
    may_be_core,
)
from memory.lifecycle.relevance import RelevanceCurve
from memory.lifecycle.score import ScoreCurve
from memory.models import (
    KINDS,
    CurveState,
    Importance,
    Json,
    Kind,
    Layer,
    Level,
    Memory,
    Sensitivity,
    WeightEvent,
)

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
ASKED = "asked"  # in a curve state's data: when Ebb asked about a due todo, until its next use
LONG_ABSENCE = timedelta(days=14)
ASKED_WITHIN = timedelta(days=14)  # of its due time a todo is asked about; after that no more
ANSWERED_WITHIN = timedelta(days=3)  # of the question; then the todo is over
# What a curve state's data has of the life, whatever the curve: for good, and until the next use.
_LASTING, _UNTIL_USED = (KEPT, SPACED, SPACED_AT), (SET_ASIDE, ORIGIN, UNUSED, ASKED)
# What a line of the weight log has of a memory, beside its curve's state.
_STATE = (
    *("importance", "importance_at", "last_activated_at", "activation_count", "recent_mentions"),
    *("negated_at", "expires_at", "kind", "layer", "sensitivity", "pinned", "level"),
)
_VALUES = ("curve", "importance", "activation_count", "pinned")
_TIMES = ("importance_at", "last_activated_at", "negated_at", "expires_at", "on", "on_until")
_ENUMS = {"kind": Kind, "layer": Layer, "sensitivity": Sensitivity, "level": Level}

ReviewTask: TypeAlias = Literal["promotion", "decay"]
Action: TypeAlias = Level | ReviewTask | Literal["forget", "keep"]
"""What upkeep should do: write the memory at a level, have it reviewed, forget it, or nothing."""


# --- weight and level ---


def start_life(m: Memory, importance: Importance, curve: str, now: datetime) -> Memory:
    """Start a memory's life under `curve`: FULL, its counter at 2.0, 1.5 or 1.0."""
    m = replace(
        m,
        curve=curve,
        curve_state=CURVES[curve].create_state(m.kind, importance, now),
        importance=FIRST[importance],
        importance_at=now,
        level=Level.FULL,
    )
    return replace(m, weight=compute_weight(m, 1.0, now))


def move_to_curve(m: Memory, curve: str, u: float, now: datetime) -> Memory:
    """Move the memory to another curve at the level it stands at.

    Its weight stays as near to what it was as that level allows. What is the same under all curves
    (protection, episodes, due times, what was set aside) is left as it is.
    """
    if m.curve == curve:
        return m
    old, new = CURVES[m.curve], CURVES[curve]
    now = _cut_to_ms(now)
    w = old.compute_weight(m, u, now)
    wanted = _move_into_level(w, old.find_level(m, w, now), new)
    after = replace(new.adopt_weight(m, wanted, u, now), curve=curve)
    after = _set_marks(
        after, {**after.curve_state.data, **get_marks(m, SET_ASIDE, ASKED, *_LASTING)}
    )
    return replace(after, weight=compute_weight(after, u, now))


def _move_into_level(w: float, level: Level, curve: Curve) -> float:
    """Return the weight nearest to `w` at a level: a little inside, or it would leave at once."""
    top, low = (1.0, *curve.breakpoints)[level], (*curve.breakpoints, curve.bounds[0])[level]
    most = curve.bounds[1] if level is Level.FULL else top - 1e-9
    least = low if level is Level.ARCHIVE else low + INSIDE * (top - low)
    return clamp(w, min(least, most), most)


def compute_weight(m: Memory, u: float, now: datetime) -> float:
    """Return the retention now.

    Core, system and pinned: max(W, 1); episodes: 1 for 7 days, then ×0.8 a day (the three-layer
    paper).
    """
    if is_episode(m):
        w = _compute_episode_weight(m, now)
    else:
        w = CURVES[m.curve].compute_weight(m, u, now)
    return max(w, 1.0) if is_protected(m) else w


def compute_factors(m: Memory, u: float, now: datetime) -> Mapping[str, float]:
    """Return the factors whose product, clamped, is the weight of an unprotected memory."""
    if is_episode(m):
        return {"episode": _compute_episode_weight(m, now)}
    return CURVES[m.curve].compute_factors(m, u, now)


def _compute_episode_weight(m: Memory, now: datetime) -> float:
    days = days_between(m.last_activated_at, now) - EPISODE_GRACE
    return float(EPISODE_PER_DAY ** max(0.0, days))


def compute_level(m: Memory, u: float, now: datetime) -> Level:
    """Return the level that the weight says."""
    return level_for_weight(m, compute_weight(m, u, now), now)


def level_for_weight(m: Memory, w: float, now: datetime) -> Level:
    """Return the level for a weight at `now` that is known already.

    An instruction is always FULL. An expired todo is archived (the session paper), an
    episode after 14 days (the three-layer paper). What a reviewer set aside stays archived until it
    is spoken of again.
    """
    if is_protected(m) or m.kind is Kind.INSTRUCTION:
        return Level.FULL
    if is_episode(m):
        ended = days_between(m.last_activated_at, now) >= EPISODE_ENDS
        return Level.ARCHIVE if ended else Level.FULL
    if is_expired(m, now) or is_set_aside(m):
        return Level.ARCHIVE
    return CURVES[m.curve].find_level(m, w, now)


def is_set_aside(m: Memory) -> bool:
    """Tell whether a reviewer archived it and nobody has spoken of it since."""
    return bool(m.curve_state.data.get(SET_ASIDE))


def is_expired(m: Memory, now: datetime) -> bool:
    """Tell whether a todo is over: asked about 3 days ago, or due 14 days ago, no word since."""
    if not is_due(m, now) or m.expires_at is None:
        return False
    asked = m.curve_state.data.get(ASKED)
    return now >= (
        m.expires_at + ASKED_WITHIN if asked is None else from_ms(asked) + ANSWERED_WITHIN
    )


def is_due(m: Memory, now: datetime) -> bool:
    """Tell whether a todo is past due and nobody has spoken of it since."""
    due = m.expires_at
    return m.kind is Kind.TODO and due is not None and now >= due and m.last_activated_at <= due


def wants_question(m: Memory, now: datetime) -> bool:
    """Tell whether Ebb may ask about a todo now: due, not asked about yet, and not over."""
    return is_due(m, now) and ASKED not in m.curve_state.data and not is_expired(m, now)


def mark_asked(m: Memory, now: datetime) -> Memory:
    """Return the todo as asked about now."""
    return _set_marks(m, {**m.curve_state.data, ASKED: to_milliseconds(now)})


# --- what upkeep should do ---


def is_forgotten_at(m: Memory, weight: float) -> bool:
    """Tell whether the curve lets go of the memory at this weight."""
    below = CURVES[m.curve].forgets_below
    return below is not None and weight < below and not (is_spared(m) or is_episode(m))


def is_lowered_at(m: Memory, weight: float) -> bool:
    """Tell whether a night at this weight lowers what the curve's state holds."""
    curve = CURVES[m.curve]
    below, gone = curve.lowers_below, curve.forgets_below or 0.0
    return below is not None and gone <= weight < below and not is_episode(m)


def review_due(m: Memory, u: float, now: datetime) -> ReviewTask | None:
    """Return which review the counter asks for, if any; after a KEEP the same one rests 30 days.

    Decay is judged only where the curve says so, and never of what only its owner lets go.
    """
    if m.layer is not Layer.FACT or is_protected(m) or is_episode(m) or is_set_aside(m):
        return None
    rests = m.reviewed_at is not None and now - m.reviewed_at < REVIEW_RESTS
    answered = m.curve_state.data.get(KEPT)
    value = compute_counter(m, u, now)
    if value >= PROMOTION:
        due = may_be_core(m) and not (rests and answered != "decay")
        return "promotion" if due else None
    if value >= DECAY or is_spared(m) or not CURVES[m.curve].reviews_decay:
        return None
    return None if rests and answered != "promotion" else "decay"


def decide_action(m: Memory, u: float, now: datetime) -> Action:
    """Return what upkeep should do: forgetting comes before fading, fading before a review."""
    weight = compute_weight(m, u, now)
    if is_forgotten_at(m, weight):
        return "forget"
    level = level_for_weight(m, weight, now)
    return level if level is not m.level else review_due(m, u, now) or "keep"


def apply_keep(m: Memory, task: ReviewTask, now: datetime) -> Memory:
    """Return the memory after a reviewer's KEEP: that review rests; a fallen counter is at 0.5."""
    m = replace(_set_marks(m, {**m.curve_state.data, KEPT: task}), reviewed_at=now)
    return replace(m, importance=KEPT_AT, importance_at=now) if task == "decay" else m


# --- events ---


def apply_event(
    m: Memory, event: CurveEvent, u: float, now: datetime, reason: str = ""
) -> tuple[Memory, WeightEvent]:
    """Return the memory after an event at `now`, and its weight log line.

    A use (mention, use, boost, affirm) activates; a negation takes the pin and dates itself, but
    does not activate; an affirmation lifts a negation. `rev` and the store are not touched. Events
    have the store's milliseconds, so that whoever reads the log computes with the very times that
    were computed with.
    """
    now = _cut_to_ms(now)
    after = replace(m, curve_state=CURVES[m.curve].apply(m, event, u, now))
    # A use begins anew: what a reviewer or a switch of curves had said of it is over.
    own, marks = after.curve_state.data, {*_LASTING, *_UNTIL_USED}
    data = {k: v for k, v in own.items() if k not in marks}
    stays = _LASTING if event in USES else marks
    after = _set_marks(after, {**data, **get_marks(m, *stays)})
    if event == "negate":
        after = _negate(after, u, now)
    if event in USES:
        after = _use(after, event, u, now)
    if event == "affirm" and after.negated_at is not None:
        ended = None if after.valid_until == after.negated_at else after.valid_until
        after = replace(after, negated_at=None, valid_until=ended)
    after = replace(after, weight=compute_weight(after, u, now))
    if event in USES and (level := compute_level(after, u, now)) < after.level:
        after = replace(after, level=level, content=after.original_content)
    return after, build_log_entry(event, m, after, u, now, reason)


def _negate(m: Memory, u: float, now: datetime) -> Memory:
    """Deny it. A second denial does not start the penalty anew: that would raise the weight."""
    if is_protected(m):  # its counter stood still until now
        counter = compute_counter(m, u, now)
        m = replace(m, importance=counter, importance_at=max(m.importance_at, now))
    if m.negated_at is not None:
        return replace(m, pinned=False)
    until = now if m.valid_until is None else min(m.valid_until, now)
    return replace(m, pinned=False, negated_at=now, valid_until=until)


def _use(m: Memory, event: CurveEvent, u: float, now: datetime) -> Memory:
    """Activate it; only what the person says is a mention."""
    value = compute_counter(m, u, now)
    if event == "boost":
        value = min(value + BOOST, MOST)
    if event in MENTIONS:
        n, at = read_spaced(m)
        m = set_spaced(m, *count_spaced([now], at, n))
        m = replace(m, recent_mentions=tuple(sorted((*m.recent_mentions, now)))[-MENTIONS_KEPT:])
    return replace(
        m,
        importance=value,
        importance_at=max(m.importance_at, now),
        layer=Layer.CORE if value >= CORE and may_be_core(m) else m.layer,
        last_activated_at=max(m.last_activated_at, now),
        activation_count=m.activation_count + 1,
    )


def set_spaced(m: Memory, n: int, at: datetime) -> Memory:
    """Return the memory with what was counted of its mentions (`read_spaced`)."""
    return _set_marks(m, {**m.curve_state.data, SPACED: n, SPACED_AT: to_milliseconds(at)})


def join_mentions(base: Memory, every: Sequence[Memory]) -> Memory:
    """Return a merge's base with the mentions of all, counted as those of one memory."""
    mentions = tuple(sorted({t for m in every for t in m.recent_mentions}))
    if not mentions:
        return base
    first = min((*mentions, *(m.created_at for m in every)))
    counts = [count_spaced(mentions, first), *map(read_spaced, every)]  # the oldest are not kept
    return replace(set_spaced(base, *max(counts)), recent_mentions=mentions[-MENTIONS_KEPT:])


def part_mentions(now: Memory, before: Memory, after: Memory) -> Memory:
    """Return a memory without the mentions that a merge, taken back, had joined to it."""
    others = set(after.recent_mentions) - set(before.recent_mentions)
    n, at = read_spaced(now)
    m = set_spaced(now, max(0, n - read_spaced(after)[0] + read_spaced(before)[0]), at)
    return replace(m, recent_mentions=tuple(t for t in m.recent_mentions if t not in others))


def revive_memory(m: Memory, u: float, now: datetime) -> tuple[Memory, WeightEvent]:
    """Return the memory as its owner brings it back, and its log line.

    Used, in its own words and at least as strong as a new one, so that the next night leaves it
    alone.
    """
    after, log = apply_event(m, "use", u, now)
    curve = CURVES[m.curve]
    after = replace(after, importance=max(after.importance, FIRST[Importance.MEDIUM]))
    state = curve.create_state(m.kind, Importance.MEDIUM, log.at)
    state = replace(state, data={**state.data, **get_marks(after, *_LASTING)})
    fresh = replace(after, curve_state=state)
    after = max(after, fresh, key=lambda x: curve.compute_weight(x, u, log.at))
    weight = compute_weight(after, u, log.at)
    after = replace(after, weight=weight, level=Level.FULL, content=m.original_content)
    return after, build_log_entry("restored", m, after, u, log.at)


# --- the weight log ---


def build_log_entry(
    event: str, before: Memory | None, after: Memory, u: float, now: datetime, reason: str = ""
) -> WeightEvent:
    """Return the weight log's line for whatever made `after` of `before` (None: just made).

    Both states have all that a weight is computed from, so that everyone can compute both weights
    again.
    """
    now = _cut_to_ms(now)
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


def dump_state(m: Memory) -> dict[str, Json]:
    """Return all that a memory's weight is computed from, as JSON; times in UTC milliseconds."""
    dated = () if m.on is None else ("on", "on_until", "repeats")
    return {
        **{name: _dump(getattr(m, name)) for name in (*dated, "curve")},
        "i": KINDS[m.kind].factor,
        "strength": m.curve_state.strength,
        "strength_at": to_milliseconds(m.curve_state.at),
        "data": dict(m.curve_state.data),
        **{name: _dump(getattr(m, name)) for name in _STATE},
    }


def _dump(value: Any) -> Json:
    if isinstance(value, tuple):
        return [_dump(x) for x in value]
    if isinstance(value, Enum):
        return value.value
    return to_milliseconds(value) if isinstance(value, datetime) else value


def restore_state(m: Memory, state: Mapping[str, Json], **more: Any) -> Memory:
    """Return the memory with the state that a line of its log has, and more fields."""
    return replace(
        m,
        curve_state=CurveState(state["strength"], from_ms(state["strength_at"]), state["data"]),
        recent_mentions=tuple(map(from_ms, state["recent_mentions"])),
        repeats=state.get("repeats"),
        **{
            **{n: state[n] for n in _VALUES},
            **{n: None if (at := state.get(n)) is None else from_ms(at) for n in _TIMES},
            **{n: kind(state[n]) for n, kind in _ENUMS.items()},
            **more,
        },
    )


def _set_marks(m: Memory, data: Mapping[str, Json]) -> Memory:
    return replace(m, curve_state=replace(m.curve_state, data=data))


def _cut_to_ms(at: datetime) -> datetime:
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
