"""What recall's signals read, of one user; and the indexes in memory that this is answered from."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.index import search
from memory.index.columns import ALWAYS, NEVER, Columns, Mask, Names, TimePattern
from memory.index.vectors import (
    Idle,
    ScannedVectors,
    VectorSet,
    find_nearest,
    measure_sessions,
    measure_vectors,
)
from memory.models import CandidateRow, Filter, Lang, Memory, MemoryId, ScoredMemory
from memory.ports import (
    ChanceStatistics,
    FloatArray,
    Neighbours,
    Places,
    Posting,
    Reader,
    Transaction,
    Values,
)
from memory.store.connection import ThreadedConnection, run_without_waiting
from memory.store.memories import MemoryGateway
from memory.store.rows import AMONG, list_tuples, list_values, open_cursor, to_ms
from memory.store.tables import SqliteTransaction
from memory.store.transaction import StoreContext
from memory.store.vectors import (
    BitTable,
    BitVectors,
    VectorSpace,
    count_vectors,
    follow_vectors,
    sample_vectors,
)

T = TypeVar("T")

_KEPT: Final = 500_000  # memories of all users together
# rows: fewer than set off a collection of garbage, which costs a fifth of the reading
_AT_ONCE: Final = 512
_MANY: Final = 4  # one in so many changed, and the columns are read anew
_READ: Final = 1024  # vectors, evenly spaced, that questions are compared with
_GROWN: Final = 1.25  # times as many memories or fewer, and chance is measured anew
_TELLING: Final = 0.5  # of the memories have a vector, and these stand for all
_COLUMNS: Final = (
    "m.n, m.id, m.original_content,"
    " m.state || ' ' || m.level || ' ' || m.kind || ' ' || m.layer || ' ' || m.sensitivity || ' '"
    " || (m.negated_at IS NOT NULL),"
    f" COALESCE(m.valid_from, {ALWAYS}), COALESCE(m.valid_until, {NEVER}), m.created_at,"
    f' COALESCE(m.expires_at, m."on", {ALWAYS}), '
    " IIF(m.layer = 'episode', NULL, m.source_session), COALESCE(t.words, 0),"
    " COALESCE(t.terms, x'')"
)
_ALL: Final = (
    f"SELECT {_COLUMNS} FROM memories m INDEXED BY memories_of_user LEFT JOIN"
    " memories_text t ON t.n = m.n"
    " WHERE m.user_id = ? ORDER BY m.n"
)
_SOME: Final = (
    f"SELECT {_COLUMNS} FROM memories m LEFT JOIN memories_text t ON t.n = m.n"
    f" WHERE m.n {AMONG} AND +m.user_id = ? ORDER BY m.n"
)
_NAMES: Final = (
    "SELECT l.memory_n, e.folded FROM memory_entities l CROSS JOIN entities e ON e.n = l.entity_n"
    f" WHERE l.memory_n {AMONG}"
)
_ALL_NAMES: Final = (
    "SELECT l.memory_n, e.folded FROM entities e CROSS JOIN memory_entities l ON l.entity_n ="
    " e.n WHERE e.user_id = ?"
)
_TOUCHED: Final = (
    "SELECT COALESCE((SELECT MIN(seq) FROM touched), 0), COALESCE((SELECT MAX(seq) FROM"
    " touched), 0)"
)


@dataclass(slots=True)
class UserIndex:
    """One user's index; used under its lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    columns: Columns | None = None
    through: int = 0  # the newest of `touched` that the columns know
    # by model: puts, removals
    vectors: dict[int, tuple[int, int, ScannedVectors]] = field(default_factory=dict)
    # by model and length of the messages: memories, vectors, measure
    chance: dict[Any, tuple[int, int, ChanceStatistics]] = field(default_factory=dict)

    def size(self) -> int:
        """Return how many memories it takes the room of: a vector that of four."""
        return len(self.columns or ()) + 4 * sum(
            len(v.numbers) for _, _, v in self.vectors.values()
        )


class Indexes:
    """The indexes of the users who ask, read when they are first wanted and followed from then on.

    `touched` names every memory that came, went or changed in what the columns hold (triggers write
    it, so that no writer can forget to), `vector_clock` counts vectors written and removed: a look
    at the newest of them says that nothing did, and else only what changed is read.
    """

    def __init__(self, shared: StoreContext) -> None:
        self.shared = shared
        self.spaces: tuple[VectorSpace, ...] = ()  # of the embedder in use, and of the one before
        self._users: OrderedDict[str, UserIndex] = OrderedDict()
        self._lock = threading.Lock()  # the reading threads share it

    def get_user(self, user_id: str) -> UserIndex:
        """Return the user's index; where somebody new comes, those who asked longest ago go."""
        with self._lock:
            found = self._users.get(user_id)
            if found is None:
                size = sum(u.size() for u in self._users.values())
                while size > _KEPT and self._users:
                    size -= self._users.popitem(last=False)[1].size()
                self._users[user_id] = found = UserIndex()
            self._users.move_to_end(user_id)
            return found

    def forget(self) -> None:
        """Drop everything kept (after a rebuild)."""
        with self._lock:
            self._users.clear()

    def columns(self, con: Any, user_id: str) -> Columns:
        """Return the user's columns as of this snapshot, or of one that another thread has seen."""
        user = self.get_user(user_id)
        with user.lock:
            oldest, newest = con.execute(_TOUCHED).fetchone()
            columns = user.columns
            if columns is None or oldest > user.through + 1:
                user.columns = columns = _read(con, user_id)
            elif newest > user.through:
                user.columns = columns = _followed(con, user_id, columns, user.through)
            user.through = max(user.through, newest)
            return columns

    def get_vectors(
        self, con: Any, user_id: str, columns: Columns, space: VectorSpace
    ) -> VectorSet:
        """Return a user's vectors, by sqlite-vec's table where it can be used."""
        if BitTable(con, self.shared.vec, space.model_id).is_usable():
            return BitVectors(con, user_id, space.model_id, space.dim, columns)
        user = self.get_user(user_id)
        with user.lock:
            clock = "SELECT puts, removals FROM vector_clock WHERE user_id = ?"
            puts, removals = next(iter(list_tuples(con, clock, user_id)), (0, 0))
            seen, gone, vectors = user.vectors.get(space.model_id, (-1, removals, None))
            if vectors is None or puts > seen or removals > gone:
                vectors = None if removals > gone else vectors
                vectors = follow_vectors(con, user_id, space, vectors)
                user.vectors[space.model_id] = (puts, removals, vectors)
            return vectors.at(columns)

    def measure_chance(
        self, con: Any, user_id: str, columns: Columns, idle: Idle
    ) -> ChanceStatistics:
        """Measure what is chance, anew where memories or vectors are a quarter more or fewer."""
        size, model_id = len(columns), self.spaces[0].model_id if self.spaces else -1
        key = (model_id, next((messages.shape[1] for messages in idle.values()), 0))
        measures = self.get_user(user_id).chance
        memories, vectors, measured = measures.get(key, (-1, -1, ChanceStatistics()))
        if _as_many(size, memories) and (not self.spaces or _as_many(size, vectors)):
            return measured
        held = count_vectors(con, model_id, columns) if self.spaces else 0
        if _as_many(size, memories) and _as_many(held, vectors):
            return measured
        found = ChanceStatistics()
        if held > 0 and held >= size * _TELLING:
            found = measure_vectors(*sample_vectors(con, user_id, model_id, _READ), held, idle)
        measured = replace(found, follows=measure_sessions(columns))
        measures[key] = (size, held, measured)
        return measured


def _as_many(now: int, then: int) -> bool:
    """Whether a number has changed by less than a quarter."""
    return now == then or then / _GROWN < now < then * _GROWN


def _read(con: Any, user_id: str) -> Columns:
    """Read all columns, in pages: all rows at once would leave their room behind."""
    cursor = open_cursor(con, _ALL, user_id)

    def pages() -> Iterator[list[TimePattern]]:
        while rows := cursor.fetchmany(_AT_ONCE):
            yield rows

    names: Names = list_tuples(con, _ALL_NAMES, user_id)
    return Columns.of(pages(), names)


def _followed(con: Any, user_id: str, columns: Columns, through: int) -> Columns:
    """Read anew what was touched since."""
    touched = "SELECT DISTINCT n FROM touched WHERE user_id = ? AND seq > ? ORDER BY n"
    numbers = list_values(con, touched, user_id, through)
    if not numbers:
        return columns
    if len(numbers) > len(columns) // _MANY:
        return _read(con, user_id)
    rows = [TimePattern(*r) for r in list_tuples(con, _SOME, numbers, user_id)]
    return columns.changed(np.array(numbers, np.int64), rows, list_tuples(con, _NAMES, numbers))


# --- one user's reader ---


@dataclass
class IndexView:
    """One user's memories as they are at one moment."""

    con: Any
    indexes: Indexes
    user_id: str
    masks: dict[Filter, Mask] = field(default_factory=dict)

    @cached_property
    def columns(self) -> Columns:
        """The user's columns."""
        return self.indexes.columns(self.con, self.user_id)

    def mask(self, f: Filter) -> Mask:
        """Return which places the filter lets through."""
        if f not in self.masks:
            self.masks[f] = self.columns.mask(f, self._places_of(f.exclude))
        return self.masks[f]

    def nearest(self, vectors: Sequence[FloatArray], k: int, f: Filter) -> list[list[ScoredMemory]]:
        """Return for each vector the `k` nearest memories that pass, best first."""
        read = self.indexes.get_vectors
        sets = [read(self.con, self.user_id, self.columns, s) for s in self.indexes.spaces]
        return find_nearest(sets, self.columns, vectors, k, self.mask(f))

    def _places_of(self, ids: Iterable[MemoryId]) -> Places:
        mine = f"SELECT n FROM memories WHERE +user_id = ? AND id {AMONG}"
        numbers = list_values(self.con, mine, self.user_id, list(ids)) if ids else []
        return self.columns.places_of(np.array(numbers, np.int64))


@dataclass(frozen=True, slots=True)
class SqliteReader(Reader):
    """`memory.ports.Reader`."""

    indexes: Indexes
    reading: Callable[[], ThreadedConnection]  # the connection to read on
    user_id: str
    view: IndexView | None = None  # in a thread already, see `run_in_one_read`

    async def run_in_one_read(self, work: Callable[[Reader], Coroutine[Any, Any, T]]) -> T:
        if self.view is not None:
            return await work(self)
        # In one reading thread, inside one read transaction: no look of it costs a way there and
        # back.
        return await self._look(lambda view: run_without_waiting(work(replace(self, view=view))))

    async def get(self, ids: Sequence[MemoryId]) -> list[Memory]:
        return await self.read(lambda tx: tx.memories.get_many(ids))

    async def search_each_vector(
        self, vectors: Sequence[FloatArray], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        return await self._look(lambda view: view.nearest(vectors, k, f))

    async def search_each_text(
        self, texts: Sequence[str], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        return await self._look(
            lambda view: [search.by_words(view.columns, q, k, view.mask(f)) for q in texts]
        )

    async def score_linked_rows(
        self, places: Places, hops: int, f: Filter
    ) -> tuple[Places, Values]:
        return await self._look(
            lambda view: search.score_linked_rows(view.columns, places, hops, view.mask(f))
        )

    async def find_by_entity(self, names: Sequence[str], k: int, f: Filter) -> list[ScoredMemory]:
        return await self._look(
            lambda view: search.find_by_entity(view.columns, names, k, view.mask(f))
        )

    async def find_named(self, names: Sequence[str], f: Filter) -> list[Places]:
        return await self._look(lambda view: view.columns.named(names, view.mask(f)))

    async def row_mask(self, f: Filter) -> Mask:
        return await self._look(lambda view: view.mask(f))

    async def find_postings(self, terms: Sequence[str]) -> list[Posting]:
        return await self._look(lambda view: view.columns.holding(terms))

    async def count_words(self) -> NDArray[np.int32]:
        return await self._look(lambda view: view.columns.words)

    async def measure_chance(
        self, idle: Mapping[Lang, FloatArray] | None = None
    ) -> ChanceStatistics:
        measure = self.indexes.measure_chance
        return await self._look(
            lambda view: measure(view.con, self.user_id, view.columns, idle or {})
        )

    async def get_rows(self, places: Sequence[int]) -> list[CandidateRow]:
        return await self._look(lambda view: view.columns.lines(places))

    async def get_neighbours(self, places: Places, reach: int, f: Filter) -> Neighbours:
        return await self._look(
            lambda view: search.find_neighbours(view.columns, places, reach, view.mask(f))
        )

    async def find_dated(self, since: datetime, until: datetime, k: int, f: Filter) -> Places:
        span = to_ms(since), to_ms(until)
        return await self._look(lambda view: view.columns.of_the_time(*span, view.mask(f))[-k:])

    async def find_episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]:
        return await self._look(
            lambda view: MemoryGateway(self._tx(view)).list_episodes(since, until, k)
        )

    async def read(self, fn: Callable[[Transaction], T]) -> T:
        return await self._look(lambda view: fn(self._tx(view)))

    def _tx(self, view: IndexView) -> SqliteTransaction:
        return SqliteTransaction(view.con, self.user_id, self.indexes.shared)

    async def _look(self, fn: Callable[[IndexView], T]) -> T:
        if self.view is not None:
            return fn(self.view)
        return await self.reading().read(lambda con: fn(IndexView(con, self.indexes, self.user_id)))
