"""Which memories have a key, and which keys a memory has: sorted once, what came since beside it.

Nothing here is ever changed: what is added or dropped gives another one, so that whoever reads goes on reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.ports import Places

Keys = NDArray[np.uint32]

_TAIL: Final = 4096  # pairs beside the sorted ones, and a sixteenth of those, before all are sorted again


def _keys() -> Keys:
    return np.empty(0, np.uint32)


def _places() -> Places:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Inverted:
    """Pairs of a key and a place, each pair once."""

    keys: Keys  # ascending
    places: Places  # ascending for each key
    new_keys: Keys
    new_places: Places
    dropped: NDArray[np.bool_]  # by place: what the sorted part says of it is over

    @staticmethod
    def of(keys: Keys, places: Places) -> Inverted:
        """From pairs in any order."""
        pairs = keys.astype(np.uint64)
        pairs <<= np.uint64(32)
        pairs |= places.astype(np.uint64, copy=False)
        pairs.sort()
        sorted_keys = (pairs >> np.uint64(32)).astype(np.uint32)
        pairs &= np.uint64(0xFFFFFFFF)
        return Inverted(sorted_keys, pairs.view(np.int64), _keys(), _places(), np.empty(0, np.bool_))

    def changed(self, over: Places, keys: Keys, places: Places) -> Inverted:
        """Without what it said of the places `over`, and with these pairs."""
        stays = ~np.isin(self.new_places, over) if len(over) and len(self.new_places) else slice(None)
        new_keys = np.concatenate([self.new_keys[stays], keys])
        new_places = np.concatenate([self.new_places[stays], places])
        dropped = self.dropped
        if len(over):
            dropped = np.zeros(max(len(dropped), int(over.max()) + 1), np.bool_)
            dropped[: len(self.dropped)] = self.dropped
            dropped[over] = True
        out = replace(self, new_keys=new_keys, new_places=new_places, dropped=dropped)
        if len(new_keys) > _TAIL + len(self.keys) // 16:
            left = out._left(self.places)  # noqa: SLF001 - one class
            return Inverted.of(
                np.concatenate([self.keys[left], new_keys]), np.concatenate([self.places[left], new_places])
            )
        return out

    def each(self, keys: Sequence[int]) -> list[Places]:
        """The places of each key, ascending."""
        wanted = np.array(keys, np.uint32)
        first = self.keys.searchsorted(wanted).tolist()
        last = self.keys.searchsorted(wanted, "right").tolist()
        found = [self.places[a:b] for a, b in zip(first, last, strict=True)]
        if len(self.dropped):
            found = [p[self._left(p)] if len(p) else p for p in found]
        if len(self.new_keys):
            found = [self._with_new(p, key) for p, key in zip(found, keys, strict=True)]
        return found

    def _with_new(self, places: Places, key: int) -> Places:
        new = self.new_places[self.new_keys == key]
        if not len(new):
            return places
        return np.sort(np.concatenate([places, new])) if len(places) else np.sort(new)

    def _left(self, places: Places) -> NDArray[np.bool_]:
        """Which of them still count."""
        out: NDArray[np.bool_] = places >= len(self.dropped)
        inside = np.flatnonzero(~out)
        out[inside] = ~self.dropped[places[inside]]
        return out
