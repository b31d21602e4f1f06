"""A memory's life from its weight log: its weight at any time, and its events. Pure.

Every line of the log has the whole state that a weight is computed from, so a life can be gone
through again without the memory's row, and without the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from memory.lifecycle.curve import DAY, USES, CurveEvent, from_ms
from memory.lifecycle.fade import FREQUENT_WINDOW, RECENT
from memory.lifecycle.life import (
    CURVES,
    apply_event,
    build_log_entry,
    compute_level,
    compute_weight,
    start_life,
)
from memory.lifecycle.relevance import LOWER_BELOW
from memory.models import (
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

RELEVANCE = "relevance"  # the one curve whose nights wear a memory
WEEK: Final = 7 * DAY  # what was used keeps for so long (the three-layer and session papers)
_MS: Final = timedelta(milliseconds=1)
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # when lives begin that are only imagined


@dataclass(frozen=True, slots=True)
class WeightPoint:
    """How a memory stood at a time: by what it had last been through."""

    at: datetime
    weight: float
    level: Level  # as its words were written
    due: Level  # as its weight says: upkeep writes it so the next night
    curve: str


@dataclass(frozen=True, slots=True)
class WeightHistory:
    """A life as it can be drawn.

    Moments are in order (two at an event, before and after it), and so are the events.
    """

    moments: tuple[WeightPoint, ...]
    events: tuple[WeightEvent, ...]

    @property
    def highest(self) -> float:
        """The greatest weight there was."""
        return max((m.weight for m in self.moments), default=0.0)


def restore_state(m: Memory, state: Mapping[str, Json]) -> Memory:
    """Return the memory with the state that a line of its log has (`snapshot`)."""

    def time(name: str) -> datetime | None:
        return None if state.get(name) is None else from_ms(state[name])

    return replace(
        m,
        curve=state["curve"],
        curve_state=CurveState(state["strength"], from_ms(state["strength_at"]), state["data"]),
        importance=state["importance"],
        importance_at=from_ms(state["importance_at"]),
        last_activated_at=from_ms(state["last_activated_at"]),
        activation_count=state["activation_count"],
        recent_mentions=tuple(from_ms(t) for t in state["recent_mentions"]),
        negated_at=time("negated_at"),
        expires_at=time("expires_at"),
        on=time("on"),
        on_until=time("on_until"),
        repeats=state.get("repeats"),
        kind=Kind(state["kind"]),
        layer=Layer(state["layer"]),
        sensitivity=Sensitivity(state["sensitivity"]),
        pinned=state["pinned"],
        level=Level(state["level"]),
    )


def replay_log(
    m: Memory, log: Sequence[WeightEvent], u: float, until: datetime, steps: int = 200
) -> WeightHistory:
    """Return the life of `m` up to `until`, at `steps` times and around events.

    `u` is used where a line does not say it (the weight paper's user factor as it was then). A
    memory without a log has the life its row tells: that of nothing having happened since.
    """
    events = _in_order(e for e in log if e.after and e.at <= until)
    start = events[0].at if events else m.created_at
    step = (until - start) / max(steps - 1, 1)
    times = sorted(
        {start + step * i for i in range(steps)}
        | {e.at for e in events}
        | {until}
        | _bends(events, until)
    )
    out: list[WeightPoint] = []
    state, speed, passed = m, u, 0
    if events:
        state = restore_state(m, events[0].after)
    for at in times:
        if at > start:
            out.append(_moment(state, speed, at))
        while passed < len(events) and events[passed].at <= at:
            state = restore_state(m, events[passed].after)
            speed = float(events[passed].after.get("u", u))
            passed += 1
            out.append(_moment(state, speed, at))
        if at == start and not out:
            out.append(_moment(state, speed, at))
    return WeightHistory(tuple(out), events)


def _bends(events: Iterable[WeightEvent], until: datetime) -> set[datetime]:
    """Where a curve steps or bends of itself: a mention leaves the last three days, a week without use is over."""
    used = [e.at for e in events if e.event in USES]
    steps = {
        at + after - before
        for at in used
        for after in (FREQUENT_WINDOW, RECENT)
        for before in (_MS, 0 * _MS)
    }
    return {at for at in steps | {at + WEEK for at in used} if at < until}


def _in_order(log: Iterable[WeightEvent]) -> tuple[WeightEvent, ...]:
    """Put what was learned late where it was learned.

    The state it left is that of then.
    """
    out: list[WeightEvent] = []
    for e in log:
        late = bool(out) and e.at < out[-1].at
        out.append(replace(e, at=out[-1].at) if late else e)
    return tuple(out)


def _moment(m: Memory, u: float, at: datetime) -> WeightPoint:
    return WeightPoint(at, compute_weight(m, u, at), m.level, compute_level(m, u, at), m.curve)


def simulate_memory(
    kind: Kind,
    importance: Importance,
    curve: str,
    u: float,
    events: Sequence[tuple[float, CurveEvent]],
    days: float,
) -> tuple[Memory, list[WeightEvent]]:
    """Make up a memory at `EPOCH`, and the log of so many days.

    Upkeep's nights are among them.
    """
    layer = Layer.EPISODE if kind is Kind.EPISODE else Layer.FACT
    blank = Memory(
        "", "", "", "", "en", layer, kind, EPOCH, EPOCH, curve, CurveState(0.0, EPOCH), 0.0, EPOCH
    )
    first = m = start_life(blank, importance, curve, EPOCH)
    log = [build_log_entry("created", None, m, u, EPOCH)]
    nights: list[tuple[float, CurveEvent]] = []
    if curve == RELEVANCE and layer is not Layer.EPISODE:
        nights = [(float(night), "lowered") for night in range(1, int(days) + 1)]
    for day, event in sorted([*events, *nights]):
        at = EPOCH + day * DAY
        if (
            event != "lowered"
            or (CURVES[curve].forgets_below or 0.0) <= compute_weight(m, u, at) < LOWER_BELOW
        ):
            m, line = apply_event(m, event, u, at)
            log.append(line)
    return first, log
