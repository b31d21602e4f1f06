"""A forgetting curve, and what all curves share. Pure: `now` is always an argument.

A curve says how well a memory is *retained* now; how well it fits a question is recall's
affair. A weight is a product of named factors, each bounded, clamped to the curve's own range.
Each curve weighs one memory, and many at once as columns, with the same formulas.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from memory.models import CurveState, Importance, Json, Kind, Layer, Level, Memory

if TYPE_CHECKING:  # numpy takes a tenth of a second, and one memory is weighed without it
    from memory.lifecycle.columns import Column, Columns
Number = TypeVar("Number", float, "Column")  # of one memory, or of many

DAY = timedelta(days=1)
MOST_COUNTED = 50  # what is counted for a weight is counted to this
# in a curve state's data: since when the memory counts as idle, where a switch said so
ORIGIN = "rests_from"
# and since when as without use, where the weight it came with asked for more idle days than that
UNUSED = "unused_from"
# how often it was said again at least a day apart, and when that was last counted
SPACED, SPACED_AT = "spaced", "spaced_at"
EVENT_STAYS = timedelta(days=7)  # fresh after its day (by hand); before it nothing fades
STANDING = frozenset({Kind.HEALTH, Kind.INSTRUCTION})
# days: by then even the slowest kind, just spoken of, is at the bottom of every curve
_LONGEST = 200_000.0
_EPOCH, _MS = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)

Breakpoints: TypeAlias = tuple[float, float, float, float]
CurveEvent: TypeAlias = Literal[
    "mention", "use", "boost", "negate", "affirm", "contradicted", "lowered"
]
# use: an act of the owner on the memory (edit, pin, restore, confirm); boost: it shaped a reply
# lowered: upkeep's nightly step of `relevance` (the product paper), a dated event so that a life
# can be replayed
MENTIONS: frozenset[CurveEvent] = frozenset({"mention", "affirm"})  # the person spoke of it
USES: frozenset[CurveEvent] = MENTIONS | {"use", "boost"}  # events that activate a memory

U: Mapping[str, float] = {"slow": 0.8, "normal": 1.0, "fast": 1.3}  # the weight paper's user factor


@dataclass(frozen=True, slots=True)
class Curve:
    """One way of forgetting. What is the same for all (pins, episodes, due times) is in `life`.

    breakpoints: the weights above which a memory is FULL, SUMMARY, TAG, TRACE; else ARCHIVE.
    bounds: the weight is clamped to them. archives_after: days without use after which it is
    ARCHIVE, whatever its weight. forgets_below: weight under which the memory is
    forgotten. lowers_below: weight under which a night lowers what the curve's state holds.
    reviews_decay: whether the reviewer judges memories whose counter fell below 0.5.
    """

    breakpoints: Breakpoints
    bounds: tuple[float, float]
    archives_after: float = math.inf
    forgets_below: float | None = None
    lowers_below: float | None = None
    reviews_decay: bool = False

    def create_state(self, kind: Kind, importance: Importance, now: datetime) -> CurveState:
        """Return the state of a memory that was just made."""
        raise NotImplementedError

    def compute_factors(self, m: Memory, u: float, now: datetime) -> Mapping[str, float]:
        """Return the factors whose product is the weight, by name."""
        raise NotImplementedError

    def compute_weight(self, m: Memory, u: float, now: datetime) -> float:
        """Return the retention now, within `bounds`."""
        return clamp(math.prod(self.compute_factors(m, u, now).values()), *self.bounds)

    def compute_weights(self, c: Columns, u: float) -> Column:
        """Return the retention of many memories; a curve without such a form weighs one by one."""
        import numpy as np

        from memory.lifecycle.columns import build_memory

        return np.array([self.compute_weight(build_memory(row), u, c.now) for row in c.rows])

    def find_level(self, m: Memory, weight: float, now: datetime) -> Level:
        """Return the level of a memory of this weight."""
        unused = count_unused_days(m, now) >= self.archives_after
        return Level.ARCHIVE if unused else level_within(self.breakpoints, weight)

    def apply(self, m: Memory, e: CurveEvent, u: float, now: datetime) -> CurveState:  # noqa: ARG002
        """Return the state after an event; `m` is the memory as it stood before."""
        return m.curve_state

    def adopt_weight(self, m: Memory, weight: float, u: float, now: datetime) -> Memory:
        """Return the memory with a state of this curve that makes it weigh `weight`.

        It is as near to that as the curve allows. `m` still has the state of the curve it lived
        under. Only what belongs to a curve changes.
        """
        raise NotImplementedError


def exp(x: Number) -> Number:
    """Return the exponential of a number or of a column."""
    if isinstance(x, (int, float)):
        return math.exp(x)
    import numpy as np

    return np.exp(x)


def count_spaced(times: Iterable[datetime], since: datetime, n: int = 0) -> tuple[int, datetime]:
    """Count the times at least a day after the one counted before; return that and the last."""
    for at in sorted(times):
        if at - since >= DAY:
            n, since = min(n + 1, MOST_COUNTED), at
    return n, since


def read_spaced(m: Memory) -> tuple[int, datetime]:
    """Return how often it was said again at least a day apart, and when that was last counted.

    The first time is counted from the day on which it was learned. A memory from before this was
    counted has it from the mentions that it keeps.
    """
    data = m.curve_state.data
    if SPACED in data:
        return int(data[SPACED]), from_ms(data[SPACED_AT])
    return count_spaced(m.recent_mentions, min((m.created_at, *m.recent_mentions)))


def get_marks(m: Memory, *marks: str) -> dict[str, Json]:
    """Return those of a state's data that belong to the life and not to one curve."""
    return {k: v for k, v in m.curve_state.data.items() if k in marks}


def compute_negation(m: Memory, factor: float = 0.5) -> float:
    """Return the factor of a negated memory: half, like the session paper's contradiction."""
    return 1.0 if m.negated_at is None else factor


def to_milliseconds(at: datetime) -> int:
    """Return UTC milliseconds, as stores and logs have them; what is finer is dropped."""
    return (at - _EPOCH) // _MS


def from_ms(value: int) -> datetime:
    """Return the time of UTC milliseconds."""
    return _EPOCH + value * _MS


def days_between(since: datetime, now: datetime) -> float:
    """Return the days from `since` to `now`, not rounded; never negative."""
    return max(0.0, (now - since) / DAY)


def get_own_day(m: Memory) -> datetime | None:
    """Return when a todo is due, or an event is a week past; None for others and without a date.

    Around its day an event counts as fresh: it begins to fade a week after.
    """
    if m.kind is Kind.EVENT:
        day = m.on_until or m.on
        return None if day is None else day + EVENT_STAYS
    return m.expires_at if m.kind is Kind.TODO else None


def get_idle_start(m: Memory) -> datetime:
    """Return its last activation, or where its day is later, that (an event's a week past)."""
    day = get_own_day(m)
    return m.last_activated_at if day is None else max(m.last_activated_at, day)


def count_idle_days(m: Memory, now: datetime) -> float:
    """Return the days without activation; a todo or event counts none before its day.

    A memory that came from another curve may count as idle for longer or shorter than it has been,
    until its next use: that is how it keeps its weight (`adopt`).
    """
    if is_before_its_day(m, now):
        return 0.0
    origin = m.curve_state.data.get(ORIGIN)
    return days_between(get_idle_start(m) if origin is None else from_ms(origin), now)


def count_unused_days(m: Memory, now: datetime) -> float:
    """Return the days without use: the idle ones, unless a switch of curves counted anew."""
    days, since = count_idle_days(m, now), m.curve_state.data.get(UNUSED)
    return days if since is None else min(days, days_between(from_ms(since), now))


def is_before_its_day(m: Memory, now: datetime) -> bool:
    """Tell whether a todo's or event's day is still to come; a repeated event's always is."""
    day = get_own_day(m)
    return day is not None and (day > now or (m.kind is Kind.EVENT and m.repeats is not None))


def build_idle_state(m: Memory, wanted: float, now: datetime) -> dict[str, Json]:
    """Return state data that make `m` count as `wanted` days idle; before its day it cannot be."""
    if is_before_its_day(m, now):
        return {}
    return {ORIGIN: to_milliseconds(now - min(wanted, _LONGEST) * DAY)}


def count_days_after_grace(
    m: Memory, stood_at: datetime, now: datetime, grace: float = 7.0
) -> float:
    """Return the days that count for a value, after `grace` days without activation.

    The days before `stood_at` are in the value already: evaluating twice gives what once gives.
    """
    if is_before_its_day(m, now):
        return 0.0
    return days_between(max(stood_at, get_idle_start(m) + grace * DAY), now)


def level_within(breakpoints: Breakpoints, w: float) -> Level:
    """Return the level of a weight by a curve's breakpoints."""
    return Level(sum(w <= above for above in breakpoints))


def is_episode(m: Memory) -> bool:
    """Tell whether the rule for episodes applies (the three-layer paper)."""
    return m.layer is Layer.EPISODE or m.kind is Kind.EPISODE


def is_protected(m: Memory) -> bool:
    """Tell whether a memory does not fade: pinned, or core and system ones that nobody negated."""
    return m.pinned or (m.layer in {Layer.CORE, Layer.SYSTEM} and m.negated_at is None)


def is_spared(m: Memory) -> bool:
    """Tell whether only the owner lets it go: protected, verified, or standing in every prompt."""
    return is_protected(m) or m.verified or m.close or m.kind in STANDING


def clamp(x: float, low: float, high: float) -> float:
    """Limit `x` to [low, high]."""
    return min(high, max(low, x))
