"""A memory's life from its weight log: its weight at any time, and its events. Pure.

Every line of the log has the whole state that a weight is computed from, so a life can be gone
through again without the memory's row, and without the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from memory.lifecycle.curve import DAY, USES, CurveEvent
from memory.lifecycle.fade import RECENT
from memory.lifecycle.life import (
    CURVES,
    apply_event,
    build_log_entry,
    compute_level,
    compute_weight,
    is_lowered_at,
    restore_state,
    start_life,
)
from memory.models import CurveState, Importance, Kind, Layer, Level, Memory, WeightEvent

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


def replay_log(
    m: Memory, log: Sequence[WeightEvent], u: float, until: datetime, steps: int = 200
) -> WeightHistory:
    """Return the life of `m` up to `until`, at `steps` times and around events.

    `u` is used where a line does not say it (the weight paper's user factor as it was then). A
    memory without a log has the life its row tells: that of nothing having happened since.
    """
    events = _order(e for e in log if e.after and e.at <= until)
    start = events[0].at if events else m.created_at
    step = (until - start) / max(steps - 1, 1)
    times = {start + step * i for i in range(steps)} | {e.at for e in events} | {until}
    moments: list[WeightPoint] = []
    speed, coming = u, list(reversed(events))

    def mark(at: datetime) -> None:
        level = compute_level(m, speed, at)
        moments.append(WeightPoint(at, compute_weight(m, speed, at), m.level, level, m.curve))

    for at in sorted(times | _find_bends(events, until)):
        if at > start or not events:
            mark(at)
        while coming and coming[-1].at <= at:
            state = coming.pop().after
            m, speed = restore_state(m, state), float(state.get("u", u))
            mark(at)
    return WeightHistory(tuple(moments), events)


def _find_bends(events: Iterable[WeightEvent], until: datetime) -> set[datetime]:
    """Return when a mention is no longer recent, and when a week without use is over."""
    used = [e.at for e in events if e.event in USES]
    steps = {at + RECENT for at in used}
    return {
        at for at in (*steps, *(s - _MS for s in steps), *(u + WEEK for u in used)) if at < until
    }


def _order(log: Iterable[WeightEvent]) -> tuple[WeightEvent, ...]:
    """Put what was learned late where it was learned: the state it left is that of then."""
    out: list[WeightEvent] = []
    for e in log:
        out.append(replace(e, at=max(e.at, out[-1].at)) if out else e)
    return tuple(out)


def simulate_memory(
    kind: Kind,
    importance: Importance,
    curve: str,
    u: float,
    events: Sequence[tuple[float, CurveEvent]],
    days: float,
) -> tuple[Memory, list[WeightEvent]]:
    """Make up a memory at `EPOCH`, and the log of so many days, with upkeep's nights among them."""
    layer = Layer.EPISODE if kind is Kind.EPISODE else Layer.FACT
    state = CurveState(0.0, EPOCH)
    blank = Memory("", "", "", "", "", layer, kind, EPOCH, EPOCH, curve, state, 0.0, EPOCH)
    first = m = start_life(blank, importance, curve, EPOCH)
    log = [build_log_entry("created", None, m, u, EPOCH)]
    nights: list[tuple[float, CurveEvent]] = []
    if CURVES[curve].lowers_below is not None:
        nights = [(float(night), "lowered") for night in range(1, int(days) + 1)]
    for day, event in sorted([*events, *nights]):
        at = EPOCH + day * DAY
        if event != "lowered" or is_lowered_at(m, compute_weight(m, u, at)):
            m, line = apply_event(m, event, u, at)
            log.append(line)
    return first, log
