"""What was learned just before and after a memory, for many at once: an answer stands beside its question.

Of each user the order of making within sessions is kept in memory (30 bytes a memory), for a look into the base
table costs as much for each neighbour as the whole answer does from here. Rows are never moved between sessions, so
only new ones have to be read; what was erased since has a place that leads nowhere.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.ports import Around, Places

_KEPT: Final = 5_000_000  # memories of all users together
_FAR: Final = 20_000  # so many rows of everybody since the last look, and the user's own are gone through instead
_COLUMNS: Final = "SELECT n, source_session, created_at FROM memories"
_OWN: Final = "user_id = ? AND source_session IS NOT NULL AND layer <> 'episode'"


def _none() -> Places:
    return np.empty(0, np.int64)


@dataclass(slots=True)
class _Order:
    """One user's memories, session by session, each by time of making."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    through: int = 0  # the newest row of anybody that was looked at
    codes: dict[str, int] = field(default_factory=dict)  # sessions in the order they appeared
    places: Places = field(default_factory=_none)
    sessions: Places = field(default_factory=_none)
    made: Places = field(default_factory=_none)
    sorted: Places = field(default_factory=_none)  # places, ascending
    at: Places = field(default_factory=_none)  # where each of those stands in the order

    def follow(self, con: Any, user_id: str) -> None:
        newest = con.execute("SELECT COALESCE(MAX(n), 0) FROM memories").fetchone()[0]
        if newest <= self.through:
            return
        cursor = con.cursor()
        cursor.row_factory = None
        if newest - self.through < _FAR:
            cursor.execute(f"{_COLUMNS} WHERE n > ? AND +{_OWN} ORDER BY n", (self.through, user_id))
        else:
            cursor.execute(f"{_COLUMNS} WHERE +n > ? AND {_OWN} ORDER BY +n", (self.through, user_id))
        rows = cursor.fetchall()
        if rows:
            self._add(rows)
        self.through = newest

    def _add(self, rows: Sequence[tuple[int, str, int]]) -> None:
        codes = [self.codes.setdefault(session, len(self.codes)) for _, session, _ in rows]
        old = len(self.places)
        self.places = np.concatenate([self.places, np.array([r[0] for r in rows], np.int64)])
        self.sessions = np.concatenate([self.sessions, np.array(codes, np.int64)])
        self.made = np.concatenate([self.made, np.array([r[2] for r in rows], np.int64)])
        tail = slice(max(old - 1, 0), None)
        if np.all(_follows(self.sessions[tail], self.made[tail])):
            self.sorted = np.concatenate([self.sorted, self.places[old:]])
            self.at = np.concatenate([self.at, np.arange(old, len(self.places))])
            return
        order = np.lexsort((self.places, self.made, self.sessions))
        self.places, self.sessions, self.made = self.places[order], self.sessions[order], self.made[order]
        self.at = np.argsort(self.places)
        self.sorted = self.places[self.at]

    def around(self, places: Places, reach: int) -> Around:
        offsets = np.array([o for o in range(-reach, reach + 1) if o])
        if not len(self.sorted) or not len(places):
            return Around(
                np.zeros((len(places), 2 * reach), np.int64), np.zeros((len(places), 2 * reach), np.float32)
            )
        found = np.minimum(np.searchsorted(self.sorted, places), len(self.sorted) - 1)
        known = self.sorted[found] == places
        own = self.at[found]
        near = own[:, None] + offsets
        inside = (near >= 0) & (near < len(self.places)) & known[:, None]
        near = np.clip(near, 0, len(self.places) - 1)
        inside &= self.sessions[near] == self.sessions[own][:, None]
        apart = np.abs(self.made[near] - self.made[own][:, None]).astype(np.float32) / 1000
        return Around(np.where(inside, self.places[near], 0), np.where(inside, apart, 0.0).astype(np.float32))


class Surroundings:
    """Answers `Reader.around`; shared by the reading threads."""

    def __init__(self) -> None:
        self._orders: OrderedDict[str, _Order] = OrderedDict()
        self._lock = threading.Lock()

    def around(self, con: Any, user_id: str, places: Sequence[int], reach: int) -> Around:
        """Neighbours of each."""
        order = self._of(user_id)
        with order.lock:
            order.follow(con, user_id)
            return order.around(np.asarray(places, np.int64), reach)

    def _of(self, user_id: str) -> _Order:
        with self._lock:
            found = self._orders.get(user_id)
            if found is not None:
                self._orders.move_to_end(user_id)
                return found
            kept = sum(len(o.places) for o in self._orders.values())
            while kept > _KEPT and self._orders:
                kept -= len(self._orders.popitem(last=False)[1].places)
            self._orders[user_id] = found = _Order()
            return found


def _follows(sessions: Places, made: Places) -> NDArray[np.bool_]:
    """Whether each stands behind the one before it already."""
    later = (sessions[1:] == sessions[:-1]) & (made[1:] >= made[:-1])
    out: NDArray[np.bool_] = later | (sessions[1:] > sessions[:-1])
    return out
