"""What is kept in memory of those who asked last: made when it is first wanted, dropped when it is too much."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Shared by the reading threads. Sizes are added up only where somebody new comes: there may be thousands."""

    def __init__(self, make: Callable[[], V], size: Callable[[V], int], most: int) -> None:
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()
        self._make, self._size, self._most = make, size, most

    def of(self, key: K) -> V:
        """What is kept under the key; made if it is not there, and then those that were asked for longest ago go."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
            size = sum(map(self._size, self._kept.values()))
            while size > self._most and self._kept:
                size -= self._size(self._kept.popitem(last=False)[1])
            self._kept[key] = made = self._make()
            return made

    def known(self, key: K) -> V | None:
        """What is kept under the key, if it is there."""
        with self._lock:
            return self._kept.get(key)

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
