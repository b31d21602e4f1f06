"""What recall's signals read, of one user, each on a read-only connection."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from memory.models import Filter, Line, Memory, MemoryId, Scored
from memory.ports import Around, Chance, FloatArray, Holding, Reader, Tx
from memory.store import entities
from memory.store.connection import InLane, Lane, at_once
from memory.store.lines import dated, lines
from memory.store.rows import MEMORY_SELECT, memory_from_row, to_ms
from memory.store.tx import SqliteTx

if TYPE_CHECKING:
    from memory.store.store import SqliteStore

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SqliteReader:
    """`memory.ports.Reader`."""

    store: SqliteStore
    user_id: str
    own: InLane | None = None  # the lane that this is used in, see `whole`

    @property
    def lane(self) -> Lane | InLane:
        """Where to read."""
        return self.own or self.store.read_lane()

    async def whole(self, work: Callable[[Reader], Coroutine[Any, Any, T]]) -> T:
        """Run `work` in one reading thread, inside one read transaction: no look of it costs a way there and back.

        `work` may await nothing but the reader it is given.
        """
        if self.own is not None:
            return await work(self)
        result = await self.store.read_lane().read(
            lambda con: at_once(work(SqliteReader(self.store, self.user_id, InLane(con))))
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
        return (await self.lexical_each([q], k, f))[0]

    async def nearest_each(self, vectors: Sequence[FloatArray], k: int, f: Filter) -> list[list[Scored]]:
        """`nearest` for each of several vectors, in one go."""
        shared, found, spaces = self.store.shared, self.store.neighbours, self.store.spaces
        if not spaces:
            return [[] for _ in vectors]
        out = await self.lane.read(lambda con: found.search(con, shared.vec, self.user_id, spaces, vectors, k, f))
        if self.own is None:
            self.store.warm()
        return out

    async def lexical_each(self, texts: Sequence[str], k: int, f: Filter) -> list[list[Scored]]:
        """`lexical` for each of several texts, in one go."""
        return await self.lane.read(lambda con: self.store.words.search(con, self.user_id, texts, k, f))

    async def related(self, ids: Sequence[MemoryId], hops: int, k: int) -> list[Scored]:
        """Through shared entities."""
        return await self.lane.read(lambda con: entities.related(con, self.user_id, ids, hops, k))

    async def by_entity(self, names: Sequence[str], k: int, f: Filter) -> list[Scored]:
        """Memories whose entities occur among `names`, which are folded."""
        return await self.lane.read(lambda con: entities.by_entity(con, self.user_id, names, k, f))

    async def holding(self, terms: Sequence[str]) -> list[Holding]:
        """For each term of the text index the memories that hold it."""
        return await self.lane.read(lambda con: self.store.words.holding(con, self.user_id, terms))

    async def chance(self) -> Chance | None:
        """How near memories that have nothing to do with each other are."""
        if not self.store.spaces:
            return None
        model_id = self.store.spaces[0].model_id
        return await self.lane.read(lambda con: self.store.chances.of(con, self.user_id, model_id))

    async def lines(self, places: Sequence[int], f: Filter) -> list[Line]:
        """Those of them that pass the filter, in no order."""
        return await self.lane.read(lambda con: lines(con, self.user_id, places, f))

    async def around(self, places: Sequence[int], reach: int) -> Around:
        """Neighbours of each in its session."""
        return await self.lane.read(lambda con: self.store.surroundings.around(con, self.user_id, places, reach))

    async def dated(self, since: datetime, until: datetime, k: int, f: Filter) -> list[int]:
        """Places of memories of that time, the newest first."""
        return await self.lane.read(lambda con: dated(con, self.user_id, (to_ms(since), to_ms(until)), k, f))

    async def episodes(self, since: datetime, until: datetime, k: int) -> list[Memory]:
        """Active episodes made, or having happened, in since <= t < until; newest first."""
        return await self._on(lambda tx: _episodes(tx.con, self.user_id, since, until, k))

    async def read(self, fn: Callable[[Tx], T]) -> T:
        """`fn` inside one read transaction."""
        return await self._on(fn)

    async def _on(self, fn: Callable[[SqliteTx], T]) -> T:
        return await self.lane.read(lambda con: fn(SqliteTx(con, self.user_id, self.store.shared)))


def _episodes(con: Any, user_id: str, since: datetime, until: datetime, k: int) -> list[Memory]:
    a, b = to_ms(since), to_ms(until)
    rows = con.execute(
        f"SELECT {MEMORY_SELECT} FROM memories m WHERE m.user_id = ? AND m.layer = 'episode' AND m.state = 'active'"
        " AND ((m.created_at >= ? AND m.created_at < ?) OR (m.valid_from >= ? AND m.valid_from < ?))"
        " ORDER BY m.created_at DESC, m.n DESC LIMIT ?",
        (user_id, a, b, a, b, k),
    )
    return [memory_from_row(r) for r in rows.fetchall()]
