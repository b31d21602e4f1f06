"""Scores of many memories at once: places, ascending, and a number for each; 0 for every other memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.ports import Holding, Places
from memory.recall.parts import Clause, Part

Values: TypeAlias = NDArray[np.float64]

_CHARACTER: Final = 0.7  # of a Chinese character's rarity beside the pairs it stands in: .75 → .77 of recall@10
_LOUDER: Final = 2.0  # power mean of clauses: one that is answered well counts more than two that are touched
_SEVERAL: Final = 3.0  # the same of parts, which have less to do with each other


@dataclass(frozen=True, slots=True)
class Scores:
    """Of some memories."""

    places: Places
    values: Values

    def of(self, places: Places) -> Values:
        """Values of these memories."""
        if not len(self.places):
            return np.zeros(len(places))
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.values[at], 0.0)

    def best(self, most: int) -> Places:
        """Places of the highest values above 0; of equals the newer one first."""
        order = np.lexsort((-self.places, -self.values))[:most]
        return self.places[order[self.values[order] > 0]]


NOTHING: Final = Scores(np.empty(0, np.int64), np.empty(0))


def scores(found: Mapping[int, float]) -> Scores:
    """From a mapping."""
    places = np.array(sorted(found), np.int64)
    return Scores(places, np.array([found[int(p)] for p in places], np.float64))


def union(parts: Iterable[Places]) -> Places:
    """All places of several, ascending."""
    some = [p for p in parts if len(p)]
    return np.unique(np.concatenate(some)) if some else np.empty(0, np.int64)


class Ground:
    """The memories that hold any of a question's words, to be scored clause by clause."""

    def __init__(self, held: Mapping[str, Holding]) -> None:
        self.held = held
        self.places = union(h.places for h in held.values())
        self._at = {t: np.searchsorted(self.places, h.places) for t, h in held.items() if len(h.places)}

    def sum(self, words: Iterable[str], weight: float = 1.0, into: Values | None = None) -> Values:
        """The rarity of the words that each memory holds."""
        out = np.zeros(len(self.places)) if into is None else into
        for w in words:
            if (at := self._at.get(w)) is not None:
                out[at] += weight * self.held[w].rarity
        return out

    def clause(self, c: Clause) -> Values:
        """Words and single characters."""
        return self.sum(c.characters, _CHARACTER, self.sum(c.words))

    def part(self, p: Part) -> Values:
        """0 … 1: how well each memory answers this question, the best one 1."""
        each = [self.clause(c) for c in p.clauses]
        top = max((float(v.max(initial=0.0)) for v in each), default=0.0)
        if top <= 0:
            return np.zeros(len(self.places))
        out = sum(((v / top) ** _LOUDER for v in each), np.zeros(len(self.places))) ** (1 / _LOUDER)
        best: Values = out / out.max()
        return best

    def share(self, words: Sequence[str]) -> Values:
        """0 … 1: the part of the words' rarity that each memory holds, words that nothing holds counted."""
        all_ = sum(self.held[w].rarity for w in words if w in self.held)
        return self.sum(words) / (all_ or 1.0)


def together(each: Sequence[Values], weights: Sequence[float], size: int) -> Values:
    """Parts of one message: each weighed, the best answered one counting most."""
    out = np.zeros(size)
    for values, weight in zip(each, weights, strict=True):
        out += (weight * values) ** _SEVERAL
    total: Values = out ** (1 / _SEVERAL)
    return total
