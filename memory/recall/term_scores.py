"""Scores of all of a user's memories at once: an array with a number for each place, 0 for most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.ports import Places, Posting, Values
from memory.recall.question import PartClause, QuestionPart

_CHARACTER: Final = 0.7  # of a Chinese character's rarity beside the pairs it stands in
_ALIKE: Final = 0.7  # of the rarity of a word that stands for another
_NEAR_THE_TOP: Final = (0.8, 0.6, 0.4, 0.2, 0.0)  # shares of the highest value: spares sorting
_LEAST: Final = float(np.finfo(np.float32).smallest_subnormal)  # above 0
_K1: Final = 1.2
_B: Final = 0.5


@dataclass(frozen=True, slots=True)
class SignalScores:
    """What a signal found: of the same memories one or several features."""

    places: Places | None  # ascending; None: of every place there is
    features: Mapping[str, Values]

    def add_weighted(self, weights: Mapping[str, float], total: Values) -> None:
        """Add its features to a score of all places; those without a weight count nothing."""
        at = slice(None) if self.places is None else self.places
        for name, values in self.features.items():
            if weight := weights.get(name):
                total[at] += weight * values

    def get_features(self, places: Places) -> Mapping[str, Values]:
        """Return its features of these memories."""
        if self.places is None:
            return {name: values[places] for name, values in self.features.items()}
        if not len(self.places):
            return {}
        at = self.places.searchsorted(places)
        at[at == len(self.places)] = 0
        there = self.places[at] == places
        return {name: values[at] * there for name, values in self.features.items()}


NOTHING: Final = SignalScores(np.empty(0, np.int64), {})


def find_best_rows(values: Values, most: int) -> Places:
    """Find the places of the highest values above 0, best first; of equals the newer one first."""
    top = float(values.max(initial=0.0))
    places = np.empty(0, np.int64)
    for share in _NEAR_THE_TOP if top > 0 else ():
        places = np.flatnonzero(values >= max(share * top, _LEAST))
        if len(places) >= most:
            break
    own = values[places]
    if len(own) > 4 * most:
        some = np.flatnonzero(own >= np.partition(own, len(own) - most)[len(own) - most])
        places, own = places[some], own[some]
    found: Places = places[np.lexsort((-places, -own))[:most]]
    return found


def make_feature(name: str, found: Mapping[int, float]) -> SignalScores:
    """Make one feature of a mapping."""
    places = np.array(sorted(found), np.int64)
    return SignalScores(places, {name: np.array([found[p] for p in places.tolist()], np.float32)})


def merge_rows(parts: Iterable[Places], size: int) -> Places:
    """Return all places of several, ascending, of `size` places there are."""
    there = np.zeros(size, np.bool_)  # a fifth of the time that sorting takes
    for places in parts:
        there[places] = True
    return np.flatnonzero(there)


class TermScores:
    """The memories that hold any of a question's words, to be scored clause by clause.

    Args:
        held: what holds each of the words.
        passing: whether the filter lets each place through.
        lengths: words of each place, for BM25; without them length counts nothing.
    """

    def __init__(
        self,
        held: Mapping[str, Posting],
        passing: NDArray[np.bool_],
        lengths: NDArray[np.int32] | None = None,
    ) -> None:
        self.held = held
        self.passing = passing
        self.failing: Places = np.flatnonzero(~passing)
        self._short = None if lengths is None else _factor_length(lengths)
        self._sums: dict[tuple[str, ...], Values] = {}

    def sum(self, words: Iterable[str]) -> Values:
        """Return the rarity of the words that each memory holds; not to be written into."""
        wanted = tuple(words)
        if wanted not in self._sums:  # those of a message are often those of its only clause
            self._sums[wanted] = self._add(wanted, 1.0, np.zeros(len(self.passing), np.float32))
        return self._sums[wanted]

    def _add(self, words: Iterable[str], weight: float, into: Values) -> Values:
        for w in words:
            if (h := self.held.get(w)) is not None:
                into[h.places] += weight * h.rarity
        return into

    def _score_clause(self, c: PartClause) -> Values:
        """Score words and single characters, or what else may be said for them."""
        out = self._add(c.characters, _CHARACTER, self.sum(c.words).copy())
        for word, others in c.alike:
            own = self.held[word]
            most = np.zeros(len(out), np.float32)
            for h in (self.held[w] for w in others if w in self.held):
                worth = _ALIKE * min(h.rarity, own.rarity)
                most[h.places] = np.maximum(most[h.places], worth)
            most[own.places] = 0.0
            out += most
        return out

    def score_part(self, p: QuestionPart) -> Values:
        """Score how well each memory answers a question, 0 … 1, the best one 1.

        The quadratic mean of its clauses: one that is answered well counts more than two that are
        touched.
        """
        out, *others = (self._score_clause(c) for c in p.clauses)
        if others:
            out = np.sqrt(sum((values * values for values in others), out * out))
        if self._short is not None:
            out *= self._short
        out[self.failing] = 0.0
        out /= float(out.max(initial=0.0)) or 1.0
        return out


def _factor_length(lengths: NDArray[np.int32]) -> Values:
    """Return BM25's factor for length, a term counting once: 1 for the mean, less for longer."""
    there = lengths[lengths > 0]
    mean = float(there.mean()) if len(there) else 1.0
    out: Values = ((_K1 + 1) / (1 + _K1 * (1 - _B + _B * lengths / mean))).astype(np.float32)
    return out


def combine_parts(each: Sequence[Values], weights: Sequence[float], size: int) -> Values:
    """Weigh the parts of one message. Cubed, so that the best answered one counts most."""
    if len(each) == 1:
        return weights[0] * each[0]
    out = np.zeros(size, np.float32)
    for values, weight in zip(each, weights, strict=True):
        out += (weight * values) ** 3
    return np.cbrt(out)
