"""Many memories at once: what their curves are computed from in columns, and the shared rules.

The rules are those of `life`, for a night that weighs a whole store. What a rule says of some
memories alone (todos, events, reviews) is asked of each of these by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.lifecycle.curve import (
    DAY,
    ORIGIN,
    SPACED,
    STANDING,
    UNUSED,
    Curve,
    from_ms,
    get_idle_start,
    is_before_its_day,
    read_spaced,
    to_milliseconds,
)
from memory.lifecycle.importance import DECAY, PROMOTION, compute_counters
from memory.lifecycle.life import (
    EPISODE_ENDS,
    EPISODE_GRACE,
    EPISODE_PER_DAY,
    SET_ASIDE,
    ReviewTask,
    is_expired,
    restore_state,
    review_due,
)
from memory.models import CurveState, Json, Kind, Layer, Level, Memory, MemoryOutline

Column: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool]
Weighed: TypeAlias = tuple[float, Level, bool, ReviewTask | None]
"""The weight, the level it says, whether the curve lets go, and the review that is due."""
_MS: Final = timedelta(milliseconds=1)
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_BLANK: Final = Memory(
    "", "", "", "", "", Layer.FACT, Kind.FACT, _EVER, _EVER, "", CurveState(0.0, _EVER), 0.0, _EVER
)
_LEVELS: Final = tuple(Level)


class Columns:
    """Memories of one curve at one moment, as the store's outlines have them.

    A field by its name is a column of numbers: times in UTC milliseconds, NaN where there is none.
    """

    def __init__(self, rows: Sequence[MemoryOutline], now: datetime) -> None:
        self.rows, self.now = rows, now
        self.fields = dict(zip(MemoryOutline._fields, zip(*rows, strict=True), strict=False))
        self._ms = (now - _EVER) / _MS

    def __getitem__(self, name: str) -> Column:
        return np.array(self.fields[name], dtype=float)

    def is_any(self, name: str, *values: str) -> Flags:
        """Tell of which memories the field is one of the values."""
        return np.array([x in values for x in self.fields[name]])

    def count_days(self, since: Column) -> Column:
        """Return the days since those times, not rounded; never negative."""
        return np.maximum(0.0, (self._ms - since) * (_MS / DAY))

    @cached_property
    def _data(self) -> dict[int, dict[str, Json]]:
        return {i: json.loads(x) for i, x in enumerate(self.fields["curve_data"]) if x != "{}"}

    def read_data(self, name: str) -> Column:
        """Return a number of the curve's data, NaN where there is none."""
        out = np.full(len(self.rows), np.nan)
        for i, data in self._data.items():
            out[i] = data.get(name, np.nan)
        return out

    @cached_property
    def dated(self) -> dict[int, Memory]:
        """Those that may have a day of their own."""
        kinds = enumerate(self.fields["kind"])
        return {i: build_memory(self.rows[i]) for i, k in kinds if k in {Kind.TODO, Kind.EVENT}}

    @cached_property
    def idle_start(self) -> Column:
        """Since when each is idle (`get_idle_start`); infinite before its day."""
        start = self["last_activated_at"]
        for i, m in self.dated.items():
            waits = is_before_its_day(m, self.now)
            start[i] = np.inf if waits else to_milliseconds(get_idle_start(m))
        return start

    @cached_property
    def idle(self) -> Column:
        """The days without activation (`count_idle_days`)."""
        start, origin = self.idle_start, self.read_data(ORIGIN)
        return self.count_days(np.where(np.isnan(origin) | np.isinf(start), start, origin))

    def count_days_after_grace(self, stood_at: Column, grace: float = 7.0) -> Column:
        """Return the days that count for a value, after `grace` days without activation."""
        return self.count_days(np.maximum(stood_at, self.idle_start + grace * (DAY / _MS)))

    def count_spaced(self) -> Column:
        """Return how often each was said again a day apart (`read_spaced`)."""
        n = self.read_data(SPACED)
        for i in np.flatnonzero(np.isnan(n)).tolist():
            said = self.fields["recent_mentions"][i] != "[]"
            n[i] = read_spaced(build_memory(self.rows[i]))[0] if said else 0
        return n

    def count_mentions(self, within: timedelta) -> Column:
        """Count the mentions in the time up to now."""
        first, said = self._ms - within / _MS, self.fields["recent_mentions"]
        times = (json.loads(x) if x != "[]" else () for x in said)
        return np.array([sum(first < at <= self._ms for at in some) for some in times], float)

    @cached_property
    def protected(self) -> Flags:
        """Which do not fade (`is_protected`)."""
        shielded = self.is_any("layer", Layer.CORE, Layer.SYSTEM) & np.isnan(self["negated_at"])
        return (self["pinned"] > 0) | shielded

    def compute_negation(self) -> Column:
        """Return the factor of negated memories."""
        return np.where(np.isnan(self["negated_at"]), 1.0, 0.5)


def weigh_columns(curve: Curve, c: Columns, u: float) -> Iterator[Weighed]:
    """Say of each memory what `life` says of it, by the one curve they live under."""
    episode = c.is_any("layer", Layer.EPISODE) | c.is_any("kind", Kind.EPISODE)
    days = c.count_days(c["last_activated_at"])
    left = EPISODE_PER_DAY ** np.maximum(0.0, days - EPISODE_GRACE)
    w = np.where(episode, left, curve.compute_weights(c, u))
    w = np.where(c.protected, np.maximum(w, 1.0), w)

    levels = sum((w <= above for above in curve.breakpoints), start=np.zeros(len(w), int))
    unused = np.fmin(c.idle, c.count_days(c.read_data(UNUSED)))
    levels[unused >= curve.archives_after] = Level.ARCHIVE
    levels[c.read_data(SET_ASIDE) > 0] = Level.ARCHIVE
    levels[[i for i, m in c.dated.items() if is_expired(m, c.now)]] = Level.ARCHIVE
    levels[episode] = np.where(days >= EPISODE_ENDS, Level.ARCHIVE, Level.FULL)[episode]
    levels[c.protected | c.is_any("kind", Kind.INSTRUCTION)] = Level.FULL

    spared = c.protected | (c["verified"] + c["close"] > 0) | c.is_any("kind", *STANDING)
    forgets = (w < (curve.forgets_below or -1.0)) & ~(spared | episode)
    counter = compute_counters(c, u)
    asks = (counter >= PROMOTION) | ((counter < DECAY) & curve.reviews_decay & ~spared)
    said = zip(c.rows, w.tolist(), levels.tolist(), forgets.tolist(), asks.tolist(), strict=True)
    for row, weight, level, gone, ask in said:
        review = review_due(build_memory(row), u, c.now) if ask else None
        yield weight, _LEVELS[level], gone, review


def build_memory(row: MemoryOutline) -> Memory:
    """Return a memory without its words."""
    state = row._asdict()
    state["data"] = {} if row.curve_data == "{}" else json.loads(row.curve_data)
    state["recent_mentions"] = json.loads(row.recent_mentions)
    return restore_state(
        _BLANK,
        state,
        id=row.id,
        created_at=from_ms(row.created_at),
        reviewed_at=None if row.reviewed_at is None else from_ms(row.reviewed_at),
        pinned=bool(row.pinned),
        verified=bool(row.verified),
        close=bool(row.close),
    )
