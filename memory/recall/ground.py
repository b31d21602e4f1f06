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
_ALIKE: Final = 0.7  # of the rarity of a word that stands for another
_DENSE: Final = 64  # places a stretch of numbers may have for each that is in use, and still be counted through


@dataclass(frozen=True, slots=True)
class Scores:
    """Of some memories."""

    places: Places
    values: Values

    def of(self, places: Places) -> Values:
        """Values of these memories."""
        if not len(self.places):
            return np.zeros(len(places))
        at = np.minimum(self.places.searchsorted(places), len(self.places) - 1)
        return np.where(self.places[at] == places, self.values[at], 0.0)

    def top(self, most: int) -> Places:
        """The same places as `best` (and those that equal the last of them), in no order."""
        values = self.values
        least = np.partition(values, -most)[-most] if len(values) > most else 0.0
        return self.places[(values >= least) & (values > 0)]

    def best(self, most: int) -> Places:
        """Places of the highest values above 0, best first; of equals the newer one first."""
        places, values = self.places, self.values
        if len(places) > 4 * most:
            some = np.flatnonzero(values >= np.partition(values, -most)[-most])
            places, values = places[some], values[some]
        order = np.lexsort((-places, -values))[:most]
        return places[order[values[order] > 0]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a signal found: of the same memories one or several features."""

    places: Places
    features: Mapping[str, Values]

    def weighed(self, weights: Mapping[str, float]) -> Scores:
        """Its features as one score; those without a weight count nothing."""
        total = np.zeros(len(self.places))
        for name, values in self.features.items():
            if name in weights:
                total += weights[name] * values
        return Scores(self.places, total)

    def of(self, places: Places) -> Mapping[str, Values]:
        """Its features of these memories."""
        if not len(self.places):
            return {}
        at = np.minimum(self.places.searchsorted(places), len(self.places) - 1)
        there = self.places[at] == places
        return {name: np.where(there, values[at], 0.0) for name, values in self.features.items()}


NOTHING: Final = Evidence(np.empty(0, np.int64), {})


def added(each: Sequence[Scores], places: Places) -> Scores:
    """Several scores added up, for these memories."""
    total = np.zeros(len(places))
    for s in each:
        total += s.of(places)
    return Scores(places, total)


def evidence(name: str, found: Mapping[int, float]) -> Evidence:
    """One feature, from a mapping."""
    s = scores(found)
    return Evidence(s.places, {name: s.values})


def scores(found: Mapping[int, float]) -> Scores:
    """From a mapping."""
    places = np.array(sorted(found), np.int64)
    return Scores(places, np.array([found[int(p)] for p in places], np.float64))


def union(parts: Iterable[Places]) -> Places:
    """All places of several, ascending."""
    some = [p for p in parts if len(p)]
    if not some:
        return np.empty(0, np.int64)
    all_ = np.concatenate(some)
    first, last = int(all_.min()), int(all_.max())
    if last - first > _DENSE * len(all_):
        return np.unique(all_)
    there = np.zeros(last - first + 1, np.bool_)  # a fifth of the time that sorting takes
    there[all_ - first] = True
    return np.flatnonzero(there) + first


class Ground:
    """The memories that hold any of a question's words, to be scored clause by clause."""

    def __init__(self, held: Mapping[str, Holding]) -> None:
        self.held = held
        self.places = union(h.places for h in held.values())
        self._first = int(self.places[0]) if len(self.places) else 0
        self._index = self._counted()
        self._at = {t: self.at(h.places) for t, h in held.items() if len(h.places)}

    def _counted(self) -> NDArray[np.intp] | None:
        """Where each place stands, by its number; None where that would take too much room."""
        if not len(self.places) or self.places[-1] - self._first > _DENSE * len(self.places):
            return None
        index = np.zeros(int(self.places[-1]) - self._first + 1, np.intp)
        index[self.places - self._first] = np.arange(len(self.places))
        return index

    def at(self, places: Places) -> NDArray[np.intp]:
        """Where these stand among `places`, all of which they are."""
        if self._index is None:
            return self.places.searchsorted(places)
        found: NDArray[np.intp] = self._index[places - self._first]
        return found

    def sum(self, words: Iterable[str], weight: float = 1.0, into: Values | None = None) -> Values:
        """The rarity of the words that each memory holds."""
        out = np.zeros(len(self.places)) if into is None else into
        for w in words:
            if (at := self._at.get(w)) is not None:
                out[at] += weight * self.held[w].rarity
        return out

    def clause(self, c: Clause) -> Values:
        """Words and single characters, or what else may be said for them."""
        out = self.sum(c.characters, _CHARACTER, self.sum(c.words))
        for word, others in c.alike:
            best = np.zeros(len(self.places))
            for w in others:
                if (at := self._at.get(w)) is not None:
                    best[at] = np.maximum(best[at], _ALIKE * min(self.held[w].rarity, self.held[word].rarity))
            if (at := self._at.get(word)) is not None:
                best[at] = 0.0
            out += best
        return out

    def part(self, p: Part) -> Values:
        """0 … 1: how well each memory answers this question, the best one 1.

        The quadratic mean of its clauses: one that is answered well counts more than two that are touched.
        """
        each = [self.clause(c) for c in p.clauses]
        top = max((float(v.max(initial=0.0)) for v in each), default=0.0)
        if top <= 0:
            return np.zeros(len(self.places))
        if len(each) == 1:
            return each[0] / top
        out = np.sqrt(sum((np.square(v / top) for v in each), np.zeros(len(self.places))))
        best: Values = out / out.max()
        return best

    def share(self, words: Sequence[str]) -> Values:
        """0 … 1: the part of the words' rarity that each memory holds, words that nothing holds counted."""
        all_ = sum(self.held[w].rarity for w in words if w in self.held)
        return self.sum(words) / (all_ or 1.0)


def together(each: Sequence[Values], weights: Sequence[float], size: int) -> Values:
    """Parts of one message, each weighed. Cubed, so that the best answered one counts most."""
    if len(each) == 1:
        return weights[0] * each[0]
    out = np.zeros(size)
    for values, weight in zip(each, weights, strict=True):
        own = weight * values
        out += own * own * own
    return np.cbrt(out)
