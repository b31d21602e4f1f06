"""Scores of all of a user's memories at once: an array with a number for each place, 0 for most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.ports import Places, Posting, Values
from memory.recall.clauses import PartClause, QuestionPart

_CHARACTER: Final = (
    0.7  # of a Chinese character's rarity beside the pairs it stands in: .75 → .77 of recall@10
)
_NEAR_THE_TOP: Final = (
    0.8,
    0.6,
    0.4,
    0.2,
    0.0,
)  # shares of the highest value: few are near it, which spares sorting
_LEAST: Final = float(np.finfo(np.float32).smallest_subnormal)  # above 0
_ALIKE: Final = 0.7  # of the rarity of a word that stands for another
_K1: Final = 1.2
_B: Final = 0.5


@dataclass(frozen=True, slots=True)
class SignalScores:
    """What a signal found: of the same memories one or several features."""

    places: Places | None  # ascending; None: of every place there is
    features: Mapping[str, Values]

    def weighed(self, weights: Mapping[str, float], total: Values) -> None:
        """Add its features to a score of all places; those without a weight count nothing."""
        for name, values in self.features.items():
            if weight := weights.get(name):
                if self.places is None:
                    total += weight * values
                else:
                    total[self.places] += weight * values

    def of(self, places: Places) -> Mapping[str, Values]:
        """Its features of these memories."""
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
    """Places of the highest values above 0, best first; of equals the newer one first."""
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
    """One feature, from a mapping."""
    places = np.array(sorted(found), np.int64)
    return SignalScores(places, {name: np.array([found[p] for p in places.tolist()], np.float32)})


def merge_rows(parts: Iterable[Places], size: int) -> Places:
    """All places of several, ascending, of `size` places there are."""
    there = np.zeros(size, np.bool_)  # a fifth of the time that sorting takes
    for places in parts:
        there[places] = True
    return np.flatnonzero(there)


class TermScores:
    """The memories that hold any of a question's words, to be scored clause by clause."""

    def __init__(
        self,
        held: Mapping[str, Posting],
        passing: NDArray[np.bool_],
        lengths: NDArray[np.int32] | None = None,
    ) -> None:
        self.held = held
        self.short = None if lengths is None else length_factor(lengths)
        self.passing = passing
        self.size = len(passing)
        self.there = {t: h for t, h in held.items() if len(h.places)}
        self._sums: dict[tuple[str, ...], Values] = {}

    @cached_property
    def failing(self) -> Places:
        """Places that the filter holds back."""
        return np.flatnonzero(~self.passing)

    def sum(self, words: Iterable[str]) -> Values:
        """The rarity of the words that each memory holds; not to be written into."""
        wanted = tuple(words)
        found = self._sums.get(wanted)  # the words of a message are often those of its only clause
        if found is None:
            self._sums[wanted] = found = np.zeros(self.size, np.float32)
            self._add(wanted, 1.0, found)
        return found

    def _add(self, words: Iterable[str], weight: float, into: Values) -> None:
        for w in words:
            if (h := self.there.get(w)) is not None:
                into[h.places] += weight * h.rarity

    def clause(self, c: PartClause) -> Values:
        """Words and single characters, or what else may be said for them."""
        out = self.sum(c.words).copy()
        self._add(c.characters, _CHARACTER, out)
        for word, others in c.alike:
            said = [h for w in others if (h := self.there.get(w)) is not None]
            if not said:
                continue
            most = np.zeros(self.size, np.float32)
            for h in said:
                most[h.places] = np.maximum(
                    most[h.places], _ALIKE * min(h.rarity, self.held[word].rarity)
                )
            if (own := self.there.get(word)) is not None:
                most[own.places] = 0.0
            out += most
        return out

    def part(self, p: QuestionPart) -> Values:
        """0 … 1: how well each memory answers this question, the best one 1.

        The quadratic mean of its clauses: one that is answered well counts more than two that are
        touched.
        """
        each = [self.clause(c) for c in p.clauses]
        out = each[0] if len(each) == 1 else _together(each)
        if self.short is not None:
            out *= self.short
        out[self.failing] = 0.0
        out /= float(out.max(initial=0.0)) or 1.0
        return out

    def share(self, words: Sequence[str]) -> Values:
        """0 … 1: the part of the words' rarity that each memory holds, words that nothing holds counted."""
        all_ = sum(self.held[w].rarity for w in words if w in self.held)
        out = self.sum(words) / np.float32(all_ or 1.0)
        out[self.failing] = 0.0
        return out


def length_factor(lengths: NDArray[np.int32]) -> Values:
    """BM25's factor for a memory's length, a term counting once: 1 for one of the mean length, less for longer."""
    there = lengths[lengths > 0]
    mean = float(there.mean()) if len(there) else 1.0
    out: Values = ((_K1 + 1) / (1 + _K1 * (1 - _B + _B * lengths / mean))).astype(np.float32)
    return out


def _together(each: Sequence[Values]) -> Values:
    out = each[0] * each[0]
    for values in each[1:]:
        out += values * values
    root: Values = np.sqrt(out, out=out)
    return root


def combine_parts(each: Sequence[Values], weights: Sequence[float], size: int) -> Values:
    """Parts of one message, each weighed. Cubed, so that the best answered one counts most."""
    if len(each) == 1:
        return each[0] if weights[0] == 1 else weights[0] * each[0]
    out = np.zeros(size, np.float32)
    for values, weight in zip(each, weights, strict=True):
        own = weight * values
        out += own * own * own
    return np.cbrt(out)
