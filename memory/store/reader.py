"""What recall's signals read, of one user, each on a read-only connection."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, Lang, Line, Memory, MemoryId, Scored, State
from memory.ports import Around, Chance, FloatArray, Holding, Places, Reader, Tx, Values
from memory.store import graph, lexical
from memory.store.connection import OpenRead, ThreadedConnection, at_once
from memory.store.nearest import Field
from memory.store.rows import to_ms
from memory.store.shelf import Mask, Shelf
from memory.store.shelves import places_of
from memory.store.tx import SqliteTx

if TYPE_CHECKING:
    from memory.store.store import SqliteStore

T = TypeVar("T")
INDEXED: Final = Filter(states=frozenset(State) - {State.FORGOTTEN, State.DELETED})  # and no secret


@dataclass(slots=True)
class _Look:
    """One user's memories as they are at one moment."""

    con: Any
    vec: bool
    user_id: str
    shelf: Shelf
    masks: dict[Filter, Mask] = field(default_factory=dict)

    def mask(self, f: Filter) -> Mask:
        """Which places the filter lets through."""
        found = self.masks.get(f)
        if found is None:
            self.masks[f] = found = self.shelf.mask(f, self.places_of(f.exclude))
        return found

    def places_of(self, ids: Iterable[MemoryId]) -> Places:
        """Where these stand."""
        return places_of(self.con, self.user_id, self.shelf, ids)

    def field(self, f: Filter) -> Field:
        """Where nearest neighbours are looked for."""
        return Field(self.con, self.vec, self.user_id, self.shelf, self.mask(f))


@dataclass(frozen=True, slots=True)
class SqliteReader:
    """`memory.ports.Reader`."""

    store: SqliteStore
    user_id: str
    own: OpenRead | None = None  # the lane that this is used in, see `whole`
    seen: _Look | None = None  # what it has seen there

    @property
    def lane(self) -> ThreadedConnection | OpenRead:
        """Where to read."""
        return self.own or self.store.read_lane()

    async def whole(self, work: Callable[[Reader], Coroutine[Any, Any, T]]) -> T:
        """Run `work` in one reading thread, inside one read transaction: no look of it costs a way there and back.

        `work` may await nothing but the reader it is given.
        """
        if self.own is not None:
            return await work(self)
        result = await self.store.read_lane().read(
            lambda con: at_once(work(SqliteReader(self.store, self.user_id, OpenRead(con), self._looking(con))))
        )
        self.store.warm()
        return result

    async def get(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """In the order asked for; those that are not this user's are left out."""
        return await self._on(lambda tx: tx.memories.many(ids))

    async def nearest(self, v: FloatArray, k: int, f: Filter) -> list[Scored]:
        """Cosine, of vectors of the current embedder; none if no embedder is in use."""
        return (await self.nearest_each([v], k, f))[0]

    async def lexical(self, q: str, k: int, f: Filter) -> list[Scored]:
        """BM25, higher is better."""
        return await self._look(lambda look: lexical.search(look.shelf, q, k, look.mask(f)))

    async def lexical_each(self, texts: Sequence[str], k: int, f: Filter) -> list[list[Scored]]:
        """`lexical` for each of several texts, in one go."""
        return await self._look(lambda look: [lexical.search(look.shelf, q, k, look.mask(f)) for q in texts])

    async def nearest_each(self, vectors: Sequence[FloatArray], k: int, f: Filter) -> list[list[Scored]]:
        """`nearest` for each of several vectors, in one go."""
        spaces = self.store.spaces
        if not spaces:
            return [[] for _ in vectors]
        out = await self._look(lambda look: self.store.neighbours.search(look.field(f), spaces, vectors, k))
        if self.own is None:
            self.store.warm()
        return out

    async def related(self, ids: Sequence[MemoryId], hops: int, k: int) -> list[Scored]:
        """Through shared entities."""
        return await self._look(
            lambda look: graph.related(look.shelf, look.places_of(ids), hops, k, look.mask(INDEXED))
        )

    async def linked(self, places: Places, hops: int, f: Filter) -> tuple[Places, Values]:
        """`related`, by place."""
        return await self._look(lambda look: graph.linked(look.shelf, places, hops, look.mask(f)))

    async def by_entity(self, names: Sequence[str], k: int, f: Filter) -> list[Scored]:
        """Memories whose entities occur among `names`, which are folded."""
        return await self._look(lambda look: graph.by_entity(look.shelf, names, k, look.mask(f)))

    async def named(self, names: Sequence[str], f: Filter) -> list[Places]:
        """Of each of them that is an entity's, all memories that have it and pass."""
        return await self._look(lambda look: look.shelf.named(names, look.mask(f)))

    async def passing(self, f: Filter) -> Mask:
        """Of each place whether the filter lets it through."""
        return await self._look(lambda look: look.mask(f))

    async def holding(self, terms: Sequence[str]) -> list[Holding]:
        """For each term the memories that hold it."""
        return await self._look(lambda look: look.shelf.holding(terms))

    async def lengths(self) -> NDArray[np.int32]:
        """How many words each place has."""
        return await self._look(lambda look: look.shelf.words)

    async def chance(self, idle: Mapping[Lang, FloatArray] | None = None) -> Chance:
        """What is chance among this user's memories."""
        spaces = self.store.spaces
        model_id = spaces[0].model_id if spaces else None
        return await self._look(
            lambda look: self.store.chances.of(look.con, self.user_id, model_id, look.shelf, idle)
        )

    async def lines(self, places: Sequence[int]) -> list[Line]:
        """These, in the same order."""
        return await self._look(lambda look: look.shelf.lines(places))

    async def around(self, places: Places, reach: int, f: Filter) -> Around:
        """Neighbours of each in its session, those that pass."""
        return await self._look(lambda look: graph.around(look.shelf, places, reach, look.mask(f)))

    async def dated(self, since: datetime, until: datetime, k: int, f: Filter) -> Places:
        """The newest places of that time."""
        span = to_ms(since), to_ms(until)
        return await self._look(lambda look: look.shelf.of_the_time(*span, look.mask(f))[-k:])

    async def episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]:
        """Active episodes made, or having happened, in since <= t < until; newest first."""
        return await self._on(lambda tx: tx.memories.episodes(since, until, k))

    async def read(self, fn: Callable[[Tx], T]) -> T:
        """`fn` inside one read transaction."""
        return await self._on(fn)

    async def _look(self, fn: Callable[[_Look], T]) -> T:
        seen = self.seen
        return fn(seen) if seen is not None else await self.lane.read(lambda con: fn(self._looking(con)))

    def _looking(self, con: Any) -> _Look:
        return _Look(con, self.store.shared.vec, self.user_id, self.store.shelves.of(con, self.user_id))

    async def _on(self, fn: Callable[[SqliteTx], T]) -> T:
        return await self.lane.read(lambda con: fn(SqliteTx(con, self.user_id, self.store.shared)))
