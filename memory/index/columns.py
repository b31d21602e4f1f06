"""A user's memories as recall looks through them: columns in memory, and which memories have a term
or a name.

A look into tables costs some tens of microseconds for each question put to it, and recall has
thirty; here a question costs what numpy takes. Some 400 bytes a memory. Nothing here is ever
changed: what is learned gives other columns, which share what stayed as it was, and a place (a row
of the columns) means the same memory in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.index.text import hash_term
from memory.models import CandidateRow, Filter, Kind, Layer, Level, MemoryId, Sensitivity, State
from memory.ports import Places, Posting

Mask = NDArray[np.bool_]
Keys = NDArray[np.uint32]

NEVER: Final = np.iinfo(np.int64).max
ALWAYS: Final = np.iinfo(np.int64).min
MOST_ROWS: Final = (
    1000  # of one term, the newest: a more frequent one says too little to be followed further
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_TAIL: Final = (
    4096  # pairs beside the sorted ones, and a sixteenth of those, before all are sorted again
)
_NO_PLACES: Final[Places] = np.empty(0, np.int64)


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


class Numbers(dict[str, int]):
    """Numbers things in the order in which they are first asked for."""

    def __missing__(self, name: str) -> int:
        """Give it the next number."""
        self[name] = number = len(self)
        return number


# --- which memories have a key ---


@dataclass(frozen=True, slots=True)
class Postings:
    """Pairs of a key and a place, each pair once: sorted ones, and what came since beside them."""

    keys: Keys  # ascending
    places: Places  # ascending for each key
    new_keys: Keys
    new_places: Places
    dropped: Mask  # by place: what the sorted part says of it is over

    @staticmethod
    def of(keys: Keys, places: Places) -> Postings:
        """Sort pairs that come in any order."""
        pairs = keys.astype(np.uint64)
        pairs <<= np.uint64(32)
        pairs |= places.astype(np.uint64, copy=False)
        pairs.sort()
        sorted_keys = (pairs >> np.uint64(32)).astype(np.uint32)
        pairs &= np.uint64(0xFFFFFFFF)
        return Postings(
            sorted_keys,
            pairs.view(np.int64),
            np.empty(0, np.uint32),
            _NO_PLACES,
            np.empty(0, np.bool_),
        )

    def changed(self, over: Places, keys: Keys, places: Places) -> Postings:
        """Return them without what they say of the places `over`, and with these pairs."""
        stays = (
            ~np.isin(self.new_places, over) if len(over) and len(self.new_places) else slice(None)
        )
        new_keys = np.concatenate([self.new_keys[stays], keys])
        new_places = np.concatenate([self.new_places[stays], places])
        dropped = self.dropped
        if len(over):
            dropped = np.zeros(max(len(dropped), int(over.max()) + 1), np.bool_)
            dropped[: len(self.dropped)] = self.dropped
            dropped[over] = True
        out = replace(self, new_keys=new_keys, new_places=new_places, dropped=dropped)
        if len(new_keys) <= _TAIL + len(self.keys) // 16:
            return out
        left = out._left(self.places)  # noqa: SLF001 - one class
        return Postings.of(
            np.concatenate([self.keys[left], new_keys]),
            np.concatenate([self.places[left], new_places]),
        )

    def without_keys(self, over: Places) -> Postings:
        """Return them without the pairs of these keys."""
        stays, new = ~np.isin(self.keys, over), ~np.isin(self.new_keys, over)
        return replace(
            self,
            keys=self.keys[stays],
            places=self.places[stays],
            new_keys=self.new_keys[new],
            new_places=self.new_places[new],
        )

    def each(self, keys: Sequence[int]) -> list[Places]:
        """Return the places of each key, ascending."""
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
        return np.sort(np.concatenate([places, new])) if len(new) else places

    def _left(self, places: Places) -> Mask:
        """Which of them still count."""
        out: Mask = places >= len(self.dropped)
        inside = np.flatnonzero(~out)
        out[inside] = ~self.dropped[places[inside]]
        return out


# --- columns ---


@lru_cache(maxsize=4096)
def _parsed(sort: str) -> tuple[State, Level, Kind, Layer, Sensitivity, bool]:
    state, level, kind, layer, sensitivity, negated = sort.split(" ")
    return (
        State(state),
        Level(int(level)),
        Kind(kind),
        Layer(layer),
        Sensitivity(int(sensitivity)),
        negated == "1",
    )


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


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of one length; `numbers` ascend.

    Dictionaries and lists may go on behind the end, for a later one.
    """

    numbers: Places
    ids: list[MemoryId]
    texts: list[str]
    sorts: Numbers  # `Row.sort` to the number that `sort` has of it; "": erased
    sort: NDArray[np.int16]
    valid_from: Places
    valid_until: Places
    made: Places
    due: Places
    sessions: Numbers
    session: NDArray[np.int32]  # −1: none, and episodes
    words: NDArray[np.int32]
    terms: Postings
    names: Numbers
    entities: Postings
    of_entity: Postings  # the other way round: keys are places, and the places entities
    _order: list[SessionOrder] = field(default_factory=list)

    @staticmethod
    def of(pages: Iterable[Sequence[TimePattern]], named: Names) -> Columns:
        """Make columns of all of a user's rows, in the order of their numbers, some thousand at a time."""
        sorts, sessions = Numbers(), Numbers()
        parts = [_columns([], sorts, sessions)]
        keys, places, count = [np.empty(0, np.uint32)], [_NO_PLACES], 0
        for rows in pages:
            parts.append(_columns(rows, sorts, sessions))
            pairs = _terms(rows, np.arange(count, count + len(rows)))
            keys.append(pairs[0])
            places.append(pairs[1])
            count += len(rows)
        lists: dict[str, Any] = {
            name: [x for p in parts for x in p[name]] for name in ("ids", "texts")
        }
        arrays: dict[str, Any] = {
            name: np.concatenate([p[name] for p in parts]) for name in parts[0] if name not in lists
        }
        names = Numbers()
        codes = np.array([names[name] for _, name in named], np.uint32)
        at = arrays["numbers"].searchsorted(np.array([n for n, _ in named], np.int64))
        return Columns(
            **lists,
            **arrays,
            sorts=sorts,
            sessions=sessions,
            terms=Postings.of(np.concatenate(keys), np.concatenate(places)),
            names=names,
            entities=Postings.of(codes, at),
            of_entity=Postings.of(at.astype(np.uint32), codes.astype(np.int64)),
        )

    def changed(self, numbers: Places, rows: Sequence[TimePattern], named: Names) -> Columns:
        """Return them after a change of `numbers`, of which `rows` and `named` are left as they are now."""
        last = int(self.numbers[-1]) if len(self) else 0
        old, new = [r for r in rows if r.number <= last], [r for r in rows if r.number > last]
        over = self.places_of(numbers[numbers <= last])
        kept = self.places_of(np.array([r.number for r in old], np.int64))
        erased = np.setdiff1d(over, kept)
        # Most changes are of how well a memory is remembered: its words stay where they are.
        told = [r for r, p in zip(old, kept.tolist(), strict=True) if not self._same_words(p, r)]
        retold = np.concatenate(
            [erased, self.places_of(np.array([r.number for r in told], np.int64))]
        )
        grown = self._with_changes(old, kept, erased)._with_new(new)  # noqa: SLF001 - one class
        at = grown.numbers.searchsorted(np.array([n for n, _ in named], np.int64))
        codes = np.array([grown.names[name] for _, name in named], np.int64)
        spoken = [*told, *new]
        pairs = _terms(spoken, grown.places_of(np.array([r.number for r in spoken], np.int64)))
        of_entity = self.of_entity.without_keys(over) if len(over) else self.of_entity
        return replace(
            grown,
            terms=self.terms.changed(retold, *pairs),
            entities=self.entities.changed(over, codes.astype(np.uint32), at),
            of_entity=of_entity.changed(_NO_PLACES, at.astype(np.uint32), codes),
        )

    def _same_words(self, place: int, row: TimePattern) -> bool:
        return self.texts[place] == row.text and bool(self.words[place]) == bool(row.words)

    def _with_changes(self, rows: Sequence[TimePattern], at: Places, erased: Places) -> Columns:
        """The same places; of erased ones nothing is left but the place."""
        if not rows and not len(erased):
            return self
        columns = _columns(rows, self.sorts, self.sessions)
        ids, texts = self.ids[: len(self)], self.texts[: len(self)]
        for place, text in zip(at.tolist(), columns["texts"], strict=True):
            texts[place] = text
        for place in erased.tolist():
            ids[place] = texts[place] = ""
        out = {}
        for name in ("sort", "valid_from", "valid_until", "made", "due", "session", "words"):
            out[name] = getattr(self, name).copy()
            out[name][at] = columns[name]
        out["sort"][erased] = self.sorts[""]
        out["words"][erased], out["session"][erased] = 0, -1
        return replace(self, ids=ids, texts=texts, _order=[], **out)

    def _with_new(self, rows: Sequence[TimePattern]) -> Columns:
        """Longer by these."""
        if not rows:
            return self
        columns = _columns(rows, self.sorts, self.sessions)
        self.ids.extend(columns.pop("ids"))
        self.texts.extend(columns.pop("texts"))
        longer: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), v]) for name, v in columns.items()
        }
        out = replace(self, _order=[], **longer)
        if self._order and (order := self._order[0].longer(out)) is not None:
            out._order.append(order)  # noqa: SLF001 - one class
        return out

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
        if not len(self.numbers):
            return _NO_PLACES
        at: Places = np.minimum(self.numbers.searchsorted(numbers), len(self.numbers) - 1)
        found: Places = at[self.numbers[at] == numbers]
        return found

    def holding(self, terms: Sequence[str]) -> list[Posting]:
        """Return for each term the memories that hold it, the newest of very many, and its rarity: BM25's idf."""
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
        times = zip(
            self.made[some].tolist(),
            self.valid_from[some].tolist(),
            self.due[some].tolist(),
            strict=True,
        )
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


@dataclass(frozen=True, slots=True)
class SessionOrder:
    """The places session by session, each by time of making."""

    places: Places
    at: Places  # where each place stands in it

    def longer(self, columns: Columns) -> SessionOrder | None:
        """Return it with places that came since, if they all stand behind the last; None if they do not."""
        new = np.arange(len(self.places), len(columns))
        tail = np.concatenate([self.places[-1:], new])
        session, made = columns.session[tail], columns.made[tail]
        behind = (session[1:] > session[:-1]) | (
            (session[1:] == session[:-1]) & (made[1:] >= made[:-1])
        )
        if not np.all(behind):
            return None
        return SessionOrder(np.concatenate([self.places, new]), np.concatenate([self.at, new]))


def _columns(rows: Sequence[TimePattern], sorts: Numbers, sessions: Numbers) -> dict[str, Any]:
    """Rows as columns, but for the terms."""
    number, ids, texts, sort, since, until, made, due, session, words, _ = (
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
    }


def _terms(rows: Sequence[TimePattern], places: Places) -> tuple[Keys, Places]:
    """Pairs of a term and a place."""
    blobs = [r[-1] for r in rows]
    return np.frombuffer(b"".join(blobs), np.uint32), np.repeat(
        places, [len(b) // 4 for b in blobs]
    )
