"""A user's memories as recall looks through them: columns in memory, a row of them a place.

A look into the tables costs some tens of microseconds for each question put to it, and recall has thirty; here a
question costs what numpy takes. Some 400 bytes a memory. A shelf is never changed: what is learned gives another one
(`memory.store.shelves`), which shares what stayed as it was, and a place means the same memory in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, Kind, Layer, Level, Line, MemoryId, Sensitivity, State
from memory.ports import Holding, Places
from memory.store.inverted import Inverted
from memory.store.rows import to_ms
from memory.store.text import key

NEVER: Final = np.iinfo(np.int64).max
ALWAYS: Final = np.iinfo(np.int64).min
MOST_ROWS: Final = 1000  # of one term, the newest: a more frequent one says too little to be followed further

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sort:
    """What a filter asks of a memory but for its times."""

    state: State
    level: Level
    kind: Kind
    layer: Layer
    sensitivity: Sensitivity
    negated: bool

    def passes(self, f: Filter) -> bool:
        """Whether the filter lets it through."""
        return (
            self.state in f.states
            and (f.levels is None or self.level in f.levels)
            and (f.kinds is None or self.kind in f.kinds)
            and (f.layers is None or self.layer in f.layers)
            and self.sensitivity <= f.max_sensitivity
            and (f.negated is None or f.negated == self.negated)
        )


@dataclass(frozen=True, slots=True)
class Shelf:
    """Columns of one length; `numbers` ascend."""

    lineage: object  # places of two shelves mean the same where this is the same
    through: int  # the newest of `touched` that it knows
    numbers: Places
    ids: list[MemoryId]  # this and `texts` may go on behind the end, for a later shelf
    texts: list[str]
    sorts: tuple[Sort | None, ...]  # None: erased
    sort: NDArray[np.int16]  # which of them
    valid_from: Places  # UTC milliseconds; ALWAYS, NEVER where there is no limit
    valid_until: Places
    made: Places
    due: Places  # ALWAYS: never due
    session: NDArray[np.int32]  # −1: none, and episodes
    words: NDArray[np.int32]  # 0: not in the text index
    terms: Inverted
    names: dict[str, int]  # entities as `fold` leaves them; may know some that are a later shelf's
    entities: Inverted
    of_entity: Inverted  # the other way round: keys are places, and the places entities
    indexed: int  # memories in the text index
    _order: list[Order] = field(default_factory=list)

    def __len__(self) -> int:
        """How many places there are."""
        return len(self.numbers)

    def mask(self, f: Filter, excluded: Places) -> Mask:
        """Which places pass the filter; `excluded` are those of its ids."""
        passes = np.array([s is not None and s.passes(f) for s in self.sorts], np.bool_)
        out: Mask = passes[self.sort]
        if f.valid_at is not None:
            out &= self.valid_until > to_ms(f.valid_at)
        out[excluded] = False
        return out

    def places_of(self, numbers: NDArray[np.int64]) -> Places:
        """Where these memories stand; those that it does not know are left out."""
        at, there = self.where(numbers)
        return at[there]

    def where(self, numbers: NDArray[np.int64]) -> tuple[Places, Mask]:
        """Where each of these memories stands, and whether it does so at all."""
        if not len(self.numbers):
            return np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.bool_)
        at: Places = np.minimum(self.numbers.searchsorted(numbers), len(self.numbers) - 1)
        return at, self.numbers[at] == numbers

    def holding(self, terms: Sequence[str]) -> list[Holding]:
        """For each term the memories that hold it, the newest of very many, and its rarity: BM25's idf."""
        log, all_ = math.log, self.indexed
        return [
            Holding(p[-MOST_ROWS:], log(1 + (max(all_ - len(p), 0) + 0.5) / (len(p) + 0.5)))
            for p in self.terms.each([key(t) for t in terms])
        ]

    def named(self, names: Iterable[str], mask: Mask) -> list[Places]:
        """Of each of the names that is an entity's, the memories that have it and pass."""
        known = [code for name in names if (code := self.names.get(name)) is not None]
        found = [p[mask[p]] for p in self.entities.each(known)] if known else []
        return [p for p in found if len(p)]

    def lines(self, places: Sequence[int]) -> list[Line]:
        """These, in the same order."""
        some = np.asarray(places, np.int64)
        times = zip(self.made[some].tolist(), self.valid_from[some].tolist(), self.due[some].tolist(), strict=True)
        ids, texts = self.ids, self.texts
        return [Line(p, ids[p], texts[p], t) for p, t in zip(some.tolist(), times, strict=True)]

    def of_the_time(self, since: int, until: int, mask: Mask) -> Places:
        """Places that have one of their times in the span, and pass."""
        hit = np.zeros(len(self), np.bool_)
        for column in (self.made, self.valid_from, self.due):
            hit |= (column >= since) & (column < until)
        return np.flatnonzero(hit & mask)

    @property
    def order(self) -> Order:
        """Sessions by time of making; worked out when it is asked for."""
        if not self._order:
            self._order.append(Order.of(self))
        return self._order[0]


@dataclass(frozen=True, slots=True)
class Order:
    """The places of a shelf session by session, each by time of making."""

    places: Places
    at: Places  # where each place of the shelf stands in it

    @staticmethod
    def of(shelf: Shelf) -> Order:
        """Sorted."""
        places = np.lexsort((shelf.made, shelf.session))
        at = np.empty(len(places), np.int64)
        at[places] = np.arange(len(places))
        return Order(places, at)

    def longer(self, shelf: Shelf) -> Order | None:
        """With places that came since, if they all stand behind the last; None if they do not."""
        first = len(self.places)
        last = self.places[-1:]
        tail = np.concatenate([last, np.arange(first, len(shelf))])
        session, made = shelf.session[tail], shelf.made[tail]
        behind = (session[1:] > session[:-1]) | ((session[1:] == session[:-1]) & (made[1:] >= made[:-1]))
        if not np.all(behind):
            return None
        new = np.arange(first, len(shelf))
        return Order(np.concatenate([self.places, new]), np.concatenate([self.at, new]))
