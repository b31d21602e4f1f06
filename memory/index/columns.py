"""A user's memories as recall looks through them: columns, and who has a term or a name.

A look into tables costs some tens of microseconds for each question put to it, and recall has
thirty; here a question costs what numpy takes. Some 400 bytes a memory. Nothing here is ever
changed: what is learned gives other columns, and a place (a row of the columns) means the same
memory in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.index.text import hash_term
from memory.models import CandidateRow, Filter, Kind, Layer, Level, MemoryId, Sensitivity, State
from memory.ports import Places, Posting

Mask = NDArray[np.bool_]

NEVER: Final = np.iinfo(np.int64).max
ALWAYS: Final = np.iinfo(np.int64).min
# of one term, the newest: a more frequent one says too little to be followed
MOST_ROWS: Final = 1000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_LOW: Final = np.uint64(0xFFFFFFFF)


class TimePattern(NamedTuple):
    """What the index takes in of a memory; times are UTC milliseconds."""

    number: int  # ascends with every memory made
    id: MemoryId
    text: str
    sort: str  # state, level, kind, layer, sensitivity, negated (0 or 1), with spaces between
    valid_from: int  # ALWAYS, NEVER where there is no limit
    valid_until: int
    made: int
    due: int  # ALWAYS: never due
    session: str | None  # None: it stands beside nothing, as episodes do
    words: int  # 0: its words are not looked for
    terms: bytes  # see `memory.index.text.hash_terms`


Names = Sequence[tuple[int, str]]  # (number, entity as `fold` leaves it) of memories


_GONE: Final = TimePattern(0, "", "", "", ALWAYS, NEVER, 0, ALWAYS, None, 0, b"")


class Numbers(dict[str, int]):
    """Numbers things in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        """Give it the next number."""
        self[name] = number = len(self)
        return number


# --- which memories have a key ---


@dataclass(frozen=True, slots=True)
class Postings:
    """Pairs of a key and a place, 32 bits each, ascending and each pair once."""

    pairs: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def changed(self, over: Mask | None, keys: NDArray[Any], places: NDArray[Any]) -> Postings:
        """Return them without those `over`, and with these pairs, which come in any order."""
        left = self.pairs if over is None else self.pairs[~over]
        new = keys.astype(np.uint64) << np.uint64(32) | places.astype(np.uint64)
        new.sort()
        return Postings(np.insert(left, left.searchsorted(new), new) if len(left) else new)

    def have_places(self, places: Places) -> Mask:
        """Return which pairs are of these places."""
        return np.isin(self.pairs & _LOW, places.astype(np.uint64))

    def have_keys(self, keys: Places) -> Mask:
        """Return which pairs are of these keys."""
        return np.isin(self.pairs >> np.uint64(32), keys.astype(np.uint64))

    def each(self, keys: Sequence[int]) -> list[Places]:
        """Return the places of each key, ascending."""
        wanted = np.array(keys, np.uint64) << np.uint64(32)
        first = self.pairs.searchsorted(wanted).tolist()
        last = self.pairs.searchsorted(wanted | _LOW, "right").tolist()
        ends = zip(first, last, strict=True)
        return [(self.pairs[a:b] & _LOW).view(np.int64) for a, b in ends]


# --- columns ---


@lru_cache(maxsize=4096)
def _parsed(sort: str) -> tuple[State, Level, Kind, Layer, Sensitivity, bool]:
    state, level, kind, layer, sensitivity, negated = sort.split(" ")
    faded, sensitive = Level(int(level)), Sensitivity(int(sensitivity))
    return State(state), faded, Kind(kind), Layer(layer), sensitive, negated == "1"


def _passes(sort: str, f: Filter) -> bool:
    """Whether the filter lets such memories through, but for their times."""
    if not sort:
        return False  # erased
    state, level, kind, layer, sensitivity, negated = _parsed(sort)
    return (
        state in f.states
        and (f.levels is None or level in f.levels)
        and (f.kinds is None or kind in f.kinds)
        and (f.layers is None or layer in f.layers)
        and sensitivity <= f.max_sensitivity
        and (f.negated is None or f.negated == negated)
    )


class SessionOrder(NamedTuple):
    """The places session by session, each by time of making."""

    places: Places
    at: Places  # where each place stands in it


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of one length; `numbers` ascend."""

    numbers: Places
    ids: list[MemoryId]
    texts: list[str]
    sort: NDArray[np.int16]
    valid_from: Places
    valid_until: Places
    made: Places
    due: Places
    session: NDArray[np.int32]  # −1: none, and episodes
    words: NDArray[np.int32]
    # `TimePattern.sort` to the number that `sort` has of it; "": erased
    sorts: Numbers = field(default_factory=Numbers)
    sessions: Numbers = field(default_factory=Numbers)
    names: Numbers = field(default_factory=Numbers)
    terms: Postings = field(default_factory=Postings)
    entities: Postings = field(default_factory=Postings)
    # keys are places, and the places entities
    of_entity: Postings = field(default_factory=Postings)
    _order: list[SessionOrder] = field(default_factory=list)

    @staticmethod
    def of(pages: Iterable[Sequence[TimePattern]], named: Names) -> Columns:
        """Make columns of all of a user's rows, which come in order, a page at a time."""
        sorts, sessions = Numbers(), Numbers()
        empty = _columns([], sorts, sessions)
        parts = [empty, *(_columns(rows, sorts, sessions) for rows in pages)]
        joined = {
            name: list(chain(*(p[name] for p in parts)))
            if isinstance(of, list)
            else np.concatenate([p[name] for p in parts])
            for name, of in empty.items()
        }
        del empty["keys"], empty["counts"]
        return Columns(**empty, sorts=sorts, sessions=sessions)._with(joined, named)  # noqa: SLF001

    def changed(self, numbers: Places, rows: Sequence[TimePattern], named: Names) -> Columns:
        """Return them after a change of `numbers`, of which `rows` and `named` are left."""
        known = self.numbers[self.places_of(numbers)].tolist()
        now = {n: _GONE._replace(number=n) for n in known} | {r.number: r for r in rows}
        left = [now[n] for n in sorted(now)]
        return self._with(_columns(left, self.sorts, self.sessions), named)

    def _with(self, data: dict[str, Any], named: Names) -> Columns:
        """Return them with other lines at some of their places, and new ones at the end."""
        keys, counts, numbers = data.pop("keys"), data.pop("counts"), data["numbers"]
        new = numbers > (self.numbers[-1] if len(self) else -1)
        count = int(np.count_nonzero(new))
        at = np.where(new, len(self) + np.cumsum(new) - 1, self.numbers.searchsorted(numbers))
        for name, values in data.items():
            own = getattr(self, name)
            if isinstance(own, list):
                data[name] = out = own + [""] * count
                for place, value in zip(at.tolist(), values, strict=True):
                    out[place] = value
            else:
                data[name] = np.concatenate([own, np.zeros(count, own.dtype)])
                data[name][at] = values
        grown = replace(self, _order=[], **data)
        over = at[~new]
        places = grown.places_of(np.array([n for n, _ in named], np.int64))
        codes = np.array([self.names[name] for _, name in named], np.int64)
        return replace(
            grown,
            terms=self.terms.changed(self.terms.have_places(over), keys, np.repeat(at, counts)),
            entities=self.entities.changed(self.entities.have_places(over), codes, places),
            of_entity=self.of_entity.changed(self.of_entity.have_keys(over), places, codes),
        )

    # --- looking

    def __len__(self) -> int:
        """How many places there are."""
        return len(self.numbers)

    def mask(self, f: Filter, excluded: Places) -> Mask:
        """Return which places pass the filter; `excluded` are those of its ids."""
        out: Mask = np.array([_passes(s, f) for s in self.sorts], np.bool_)[self.sort]
        if f.valid_at is not None:
            out &= self.valid_until > (f.valid_at - _EPOCH) // _MS
        out[excluded] = False
        return out

    def places_of(self, numbers: Places) -> Places:
        """Return where these memories stand; those that are not here are left out."""
        at: Places = np.minimum(self.numbers.searchsorted(numbers), max(len(self) - 1, 0))
        found: Places = at[self.numbers[at] == numbers] if len(self) else at[:0]
        return found

    def holding(self, terms: Sequence[str]) -> list[Posting]:
        """Return the memories that hold each term, the newest of very many, and BM25's idf."""
        log, all_ = math.log, int(np.count_nonzero(self.words))
        return [
            Posting(p[-MOST_ROWS:], log(1 + (max(all_ - len(p), 0) + 0.5) / (len(p) + 0.5)))
            for p in self.terms.each([hash_term(t) for t in terms])
        ]

    def named(self, names: Iterable[str], mask: Mask) -> list[Places]:
        """Return, of each of the names that is an entity's, the memories that have it and pass."""
        known = [code for name in names if (code := self.names.get(name)) is not None]
        found = [p[mask[p]] for p in self.entities.each(known)] if known else []
        return [p for p in found if len(p)]

    def lines(self, places: Sequence[int]) -> list[CandidateRow]:
        """Return these, in the same order."""
        some = np.asarray(places, np.int64)
        columns = (self.made, self.valid_from, self.due)
        times = zip(*(column[some].tolist() for column in columns), strict=True)
        ids, texts = self.ids, self.texts
        return [
            CandidateRow(p, ids[p], texts[p], t) for p, t in zip(some.tolist(), times, strict=True)
        ]

    def of_the_time(self, since: int, until: int, mask: Mask) -> Places:
        """Return places that have one of their times in the span, and pass."""
        hit = np.zeros(len(self), np.bool_)
        for column in (self.made, self.valid_from, self.due):
            hit |= (column >= since) & (column < until)
        return np.flatnonzero(hit & mask)

    @property
    def order(self) -> SessionOrder:
        """Sessions by time of making; worked out when it is asked for."""
        if not self._order:
            places = np.lexsort((self.made, self.session))
            at = np.empty(len(places), np.int64)
            at[places] = np.arange(len(places))
            self._order.append(SessionOrder(places, at))
        return self._order[0]


def _columns(rows: Sequence[TimePattern], sorts: Numbers, sessions: Numbers) -> dict[str, Any]:
    """Rows as columns; `keys` are all terms, and `counts` how many each row has."""
    number, ids, texts, sort, since, until, made, due, session, words, terms = (
        zip(*rows, strict=True) if rows else ((),) * 11
    )
    return {
        "numbers": np.array(number, np.int64),
        "ids": list(ids),
        "texts": list(texts),
        "sort": np.array([sorts[s] for s in sort], np.int16),
        "valid_from": np.array(since, np.int64),
        "valid_until": np.array(until, np.int64),
        "made": np.array(made, np.int64),
        "due": np.array(due, np.int64),
        "session": np.array([-1 if s is None else sessions[s] for s in session], np.int32),
        "words": np.array(words, np.int32),
        "keys": np.frombuffer(b"".join(terms), np.uint32),
        "counts": np.array([len(t) // 4 for t in terms], np.int64),
    }
