"""What recall's signals read, of one user; and the indexes in memory that this is answered from."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import (
    Awaitable,
    Callable,
    Coroutine,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Generic, Protocol, TypeVar

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
from memory.store.connection import OpenRead, run_without_waiting
from memory.store.rows import AMONG, dump, to_ms, tuples
from memory.store.tables import SqliteTransaction
from memory.store.transaction import StoreContext
from memory.store.vectors import (
    BitTable,
    VectorSpace,
    bits_usable,
    count_vectors,
    follow_vectors,
    sample_vectors,
)

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
V = TypeVar("V")

_KEPT: Final = 500_000  # memories of all users together
_AT_ONCE: Final = (
    512  # rows: fewer than set off a collection of garbage, which costs a fifth of the reading
)
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
    " IIF(m.layer = 'episode', NULL, m.source_session), COALESCE(t.words, 0), COALESCE(t.terms, x'')"
)
_ALL: Final = (
    f"SELECT {_COLUMNS} FROM memories m INDEXED BY memories_of_user LEFT JOIN memories_text t ON t.n = m.n"
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
_ALL_NAMES: Final = "SELECT l.memory_n, e.folded FROM entities e CROSS JOIN memory_entities l ON l.entity_n = e.n WHERE e.user_id = ?"


class RecentCache(Generic[K, V]):
    """What is kept in memory of those who asked last; shared by the reading threads.

    Sizes are added up only where somebody new comes: there may be thousands.
    """

    def __init__(self, make: Callable[[], V], size: Callable[[V], int], most: int) -> None:
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()
        self._make, self._size, self._most = make, size, most

    def of(self, key: K) -> V:
        """Return what is kept under the key; made if it is not there, and then those asked for longest ago go."""
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

    def forget(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()


@dataclass(slots=True)
class _User:
    """One user's index; used under its lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    columns: Columns | None = None
    through: int = 0  # the newest of `touched` that the columns know
    vectors: dict[int, tuple[int, int, ScannedVectors]] = field(
        default_factory=dict
    )  # by model: puts, removals
    chance: dict[tuple[int, int], tuple[int, int, ChanceStatistics]] = field(
        default_factory=dict
    )  # memories, vectors, measure

    def size(self) -> int:
        """How many memories it takes the room of: a vector takes four times that of its memory's columns."""
        return len(self.columns or ()) + 4 * sum(
            len(known.keys) for _, _, known in self.vectors.values()
        )


class Indexes:
    """The indexes of the users who ask, read when they are first wanted and followed from then on.

    `touched` names every memory that came, went or changed in what the columns hold (triggers write
    it, so that no writer can forget to), `vector_clock` counts vectors written and removed: a look
    at the newest of them says that nothing did, and else only what changed is read.
    """

    def __init__(self, shared: StoreContext) -> None:
        self.shared = shared
        self.spaces: tuple[
            VectorSpace, ...
        ] = ()  # the embedder in use, and the one before while it is needed
        self._users: RecentCache[str, _User] = RecentCache(_User, _User.size, _KEPT)

    def forget(self) -> None:
        """Drop everything kept (after a rebuild)."""
        self._users.forget()

    def columns(self, con: Any, user_id: str) -> Columns:
        """Return the user's columns as they are in this snapshot, or in a later one that another thread has seen."""
        user = self._users.of(user_id)
        with user.lock:
            oldest, newest = con.execute(
                "SELECT COALESCE((SELECT MIN(seq) FROM touched), 0), COALESCE((SELECT MAX(seq) FROM touched), 0)"
            ).fetchone()
            columns = user.columns
            if columns is None or oldest > user.through + 1:
                user.columns = columns = _read(con, user_id)
            elif newest > user.through:
                user.columns = columns = _followed(con, user_id, columns, user.through)
            user.through = max(user.through, newest)
            return columns

    def warm(self, con: Any, user_id: str) -> None:
        """Read what a user's first question would wait for."""
        columns = self.columns(con, user_id)
        for space in self.spaces[:1]:
            self._set(con, user_id, columns, space)

    def nearest(
        self,
        con: Any,
        user_id: str,
        columns: Columns,
        vectors: Sequence[FloatArray],
        k: int,
        mask: Mask,
    ) -> list[list[ScoredMemory]]:
        """Return for each vector the `k` nearest memories that pass, best first (see `find_nearest`)."""
        return find_nearest(
            [self._set(con, user_id, columns, s) for s in self.spaces], columns, vectors, k, mask
        )

    def _set(self, con: Any, user_id: str, columns: Columns, space: VectorSpace) -> VectorSet:
        """By sqlite-vec's table where it can be used, else by a scan of the vectors in memory."""
        if bits_usable(con, self.shared.vec, space.model_id):
            return BitTable(con, user_id, space.model_id, space.dim, columns)
        user = self._users.of(user_id)
        with user.lock:
            clock = con.execute(
                "SELECT puts, removals FROM vector_clock WHERE user_id = ?", (user_id,)
            ).fetchone()
            puts, removals = (0, 0) if clock is None else tuple(clock)
            known = user.vectors.get(space.model_id)
            if known is None:
                known = (puts, removals, follow_vectors(con, user_id, space, None, removed=False))
            elif puts > known[0] or removals > known[1]:
                followed = follow_vectors(
                    con, user_id, space, known[2], removed=removals > known[1]
                )
                known = (puts, removals, followed)
            user.vectors[space.model_id] = known
            return known[2].at(columns)

    def chance(self, con: Any, user_id: str, columns: Columns, idle: Idle) -> ChanceStatistics:
        """Measure what is chance, or return what was measured while memories and vectors are about as many."""
        size, model_id = len(columns), self.spaces[0].model_id if self.spaces else -1
        key = (model_id, next((messages.shape[1] for messages in idle.values()), 0))
        measures = self._users.of(user_id).chance
        known = measures.get(key)
        if known is not None and _as_many(size, known[0]):
            if not self.spaces or _as_many(size, known[1]):
                return known[2]
            if _as_many(count_vectors(con, model_id, columns), known[1]):
                return known[2]
        held = count_vectors(con, model_id, columns) if self.spaces else 0
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
    """All columns, some thousand rows at a time: a hundred thousand at once would leave their room behind."""
    cursor = tuples(con).execute(_ALL, (user_id,))

    def pages() -> Iterator[list[TimePattern]]:
        while rows := cursor.fetchmany(_AT_ONCE):
            yield rows

    names: Names = tuples(con).execute(_ALL_NAMES, (user_id,)).fetchall()
    return Columns.of(pages(), names)


def _followed(con: Any, user_id: str, columns: Columns, through: int) -> Columns:
    """What was touched since, read anew."""
    touched = "SELECT DISTINCT n FROM touched WHERE user_id = ? AND seq > ? ORDER BY n"
    numbers = np.array(
        [r[0] for r in tuples(con).execute(touched, (user_id, through)).fetchall()], np.int64
    )
    if not len(numbers):
        return columns
    if len(numbers) > len(columns) // _MANY:
        return _read(con, user_id)
    some = dump(numbers.tolist())
    rows = [TimePattern(*r) for r in tuples(con).execute(_SOME, (some, user_id)).fetchall()]
    return columns.changed(numbers, rows, tuples(con).execute(_NAMES, (some,)).fetchall())


# --- one user's reader ---


@dataclass(slots=True)
class _IndexView:
    """One user's memories as they are at one moment."""

    con: Any
    indexes: Indexes
    user_id: str
    columns: Columns
    masks: dict[Filter, Mask] = field(default_factory=dict)

    def mask(self, f: Filter) -> Mask:
        """Return which places the filter lets through."""
        found = self.masks.get(f)
        if found is None:
            self.masks[f] = found = self.columns.mask(f, self.places_of(f.exclude))
        return found

    def places_of(self, ids: Iterable[MemoryId]) -> Places:
        """Return where these stand; those that are not known are left out."""
        wanted = list(ids)
        if not wanted:
            return np.empty(0, np.int64)
        mine = f"SELECT n FROM memories WHERE +user_id = ? AND id {AMONG}"
        rows = self.con.execute(mine, (self.user_id, dump(wanted))).fetchall()
        return self.columns.places_of(np.array([r[0] for r in rows], np.int64))


class _Read(Protocol):
    """A connection that reads."""

    def read(self, fn: Callable[[Any], T]) -> Awaitable[T]:
        """Return `fn(connection)`, run in one read transaction."""


@dataclass(frozen=True, slots=True)
class SqliteReader:
    """`memory.ports.Reader`."""

    indexes: Indexes
    connection: Callable[[], _Read]  # where to read
    user_id: str
    seen: _IndexView | None = None  # in a thread already, see `whole`

    async def run_in_one_read(self, work: Callable[[Reader], Coroutine[Any, Any, T]]) -> T:
        """Run `work` in one reading thread, inside one read transaction: no look of it costs a way
        there and back.

        `work` may await nothing but the reader it is given.
        """
        if self.seen is not None:
            return await work(self)

        def run(con: Any) -> T:
            look = self._looking(con)
            return run_without_waiting(
                work(SqliteReader(self.indexes, lambda: OpenRead(con), self.user_id, look))
            )

        return await self.connection().read(run)

    async def get(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Return them in the order asked for; those that are not this user's are left out."""
        return await self._on(lambda tx: tx.memories.get_many(ids))

    async def search_vectors(self, v: FloatArray, k: int, f: Filter) -> list[ScoredMemory]:
        """Rank by cosine, of vectors of the current embedder; none if no embedder is in use."""
        return (await self.search_each_vector([v], k, f))[0]

    async def search_each_vector(
        self, vectors: Sequence[FloatArray], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        """Rank as `nearest` does, for each of several vectors, in one go."""
        return await self._look(
            lambda look: (
                self.indexes.nearest(look.con, self.user_id, look.columns, vectors, k, look.mask(f))
                if self.indexes.spaces
                else [[] for _ in vectors]
            )
        )

    async def search_words(self, q: str, k: int, f: Filter) -> list[ScoredMemory]:
        """Rank by BM25, higher is better."""
        return (await self.search_each_text([q], k, f))[0]

    async def search_each_text(
        self, texts: Sequence[str], k: int, f: Filter
    ) -> list[list[ScoredMemory]]:
        """Rank as `lexical` does, for each of several texts, in one go."""
        return await self._look(
            lambda look: [search.by_words(look.columns, q, k, look.mask(f)) for q in texts]
        )

    async def score_linked_rows(
        self, places: Places, hops: int, f: Filter
    ) -> tuple[Places, Values]:
        """Return neighbours through shared entities, by place."""
        return await self._look(
            lambda look: search.score_linked_rows(look.columns, places, hops, look.mask(f))
        )

    async def find_by_entity(self, names: Sequence[str], k: int, f: Filter) -> list[ScoredMemory]:
        """Rank memories whose entities occur among `names`, which are folded."""
        return await self._look(
            lambda look: search.find_by_entity(look.columns, names, k, look.mask(f))
        )

    async def find_named(self, names: Sequence[str], f: Filter) -> list[Places]:
        """Return, of each of them that is an entity's, all memories that have it and pass."""
        return await self._look(lambda look: look.columns.named(names, look.mask(f)))

    async def row_mask(self, f: Filter) -> Mask:
        """Return of each place whether the filter lets it through."""
        return await self._look(lambda look: look.mask(f))

    async def find_postings(self, terms: Sequence[str]) -> list[Posting]:
        """Return for each term the memories that hold it."""
        return await self._look(lambda look: look.columns.holding(terms))

    async def count_words(self) -> NDArray[np.int32]:
        """Return how many words each place has."""
        return await self._look(lambda look: look.columns.words)

    async def measure_chance(
        self, idle: Mapping[Lang, FloatArray] | None = None
    ) -> ChanceStatistics:
        """Return what is chance among this user's memories."""
        return await self._look(
            lambda look: self.indexes.chance(look.con, self.user_id, look.columns, idle or {})
        )

    async def get_rows(self, places: Sequence[int]) -> list[CandidateRow]:
        """Return these, in the same order."""
        return await self._look(lambda look: look.columns.lines(places))

    async def get_neighbours(self, places: Places, reach: int, f: Filter) -> Neighbours:
        """Return neighbours of each in its session, those that pass."""
        return await self._look(
            lambda look: search.find_neighbours(look.columns, places, reach, look.mask(f))
        )

    async def find_dated(self, since: datetime, until: datetime, k: int, f: Filter) -> Places:
        """Return the newest places of that time."""
        span = to_ms(since), to_ms(until)
        return await self._look(lambda look: look.columns.of_the_time(*span, look.mask(f))[-k:])

    async def find_episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]:
        """List active episodes made, or having happened, in since <= t < until; newest first."""
        return await self._on(lambda tx: tx.memories.episodes(since, until, k))

    async def read(self, fn: Callable[[Transaction], T]) -> T:
        """Return `fn` of the tables inside one read transaction."""
        return await self._on(fn)

    async def _look(self, fn: Callable[[_IndexView], T]) -> T:
        if self.seen is not None:
            return fn(self.seen)
        return await self.connection().read(lambda con: fn(self._looking(con)))

    def _looking(self, con: Any) -> _IndexView:
        return _IndexView(con, self.indexes, self.user_id, self.indexes.columns(con, self.user_id))

    async def _on(self, fn: Callable[[SqliteTransaction], T]) -> T:
        return await self.connection().read(
            lambda con: fn(SqliteTransaction(con, self.user_id, self.indexes.shared))
        )
