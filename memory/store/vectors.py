"""Embeddings of one user, by model: the base table is the truth, vec0 and the caches are derived from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from memory.errors import StoreError
from memory.models import MemoryId, Sensitivity
from memory.ports import FloatArray
from memory.store import codes, indexes
from memory.store.rows import dump
from memory.store.transaction import Gateway

INDEXED: Final = "m.state NOT IN ('forgotten', 'deleted')"


def model_row(con: Any, vec: bool, name: str, dim: int) -> int:
    """Id of the embedding model, made with its vec0 table if need be. Raises StoreError if `dim` is another."""
    row = con.execute("SELECT id, dim FROM embedding_models WHERE name = ?", (name,)).fetchone()
    if row is None:
        made = con.execute("INSERT INTO embedding_models (name, dim) VALUES (?, ?)", (name, dim)).lastrowid
        indexes.vec0_make(con, vec, made)
        return int(made)
    if row["dim"] != dim:
        raise StoreError(f"Vectors of {name} have {row['dim']} numbers, not {dim}.")
    return int(row["id"])


def drop_unused(con: Any, vec: bool, name: str) -> bool:
    """Drop models but this one that no memory has a vector of; whether that was all of them."""
    used = False
    for row in con.execute("SELECT id FROM embedding_models WHERE name <> ?", (name,)).fetchall():
        users = con.execute(
            "SELECT 1 FROM users u WHERE EXISTS"
            " (SELECT 1 FROM embeddings e WHERE e.user_id = u.id AND e.model_id = ?) LIMIT 1",
            (row["id"],),
        )
        if users.fetchone() is not None:
            used = True
            continue
        if vec:
            con.execute(f"DROP TABLE IF EXISTS {indexes.vec0_name(row['id'])}")
            con.execute("UPDATE embedding_models SET vec0_stale = 1 WHERE id = ?", (row["id"],))
        if con.execute("SELECT 1 FROM tombstones WHERE model_id = ? LIMIT 1", (row["id"],)).fetchone() is None:
            con.execute("DELETE FROM embedding_models WHERE id = ?", (row["id"],))
    return not used


def level_vectors(messages: FloatArray, slant: FloatArray | None) -> FloatArray:
    """Turn messages so that memories of both languages are equally near to them on average, (n, dim) unit vectors.

    Without that those in a message's own language come before what the other one says of its matter.
    """
    if slant is None:
        return messages
    level = messages - np.outer(messages @ slant, slant / (slant @ slant))
    out: FloatArray = level / np.linalg.norm(level, axis=1, keepdims=True)
    return out


def unit(vector: FloatArray) -> FloatArray:
    """The vector, of unit length whatever it came with."""
    v = np.ascontiguousarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(v))
    return v / np.float32(length) if length > 0 and abs(length - 1) > 1e-6 else v


def unit_blob(vector: FloatArray) -> bytes:
    """Its bytes."""
    return unit(vector).tobytes()


@dataclass(slots=True)
class VectorGateway(Gateway):
    """`memory.ports.VectorTable`."""

    def put(self, memory_id: MemoryId, embedder_id: str, vector: FloatArray) -> None:
        """Keep a memory's vector. One that has left the index meanwhile, or is secret, gets none."""
        self.put_many({memory_id: vector}, embedder_id)

    def put_many(self, vectors: Mapping[MemoryId, FloatArray], embedder_id: str) -> int:
        """`put` for many, in a few statements; how many were kept."""
        con, owner, vec = self.tx.con, self.tx.owner, self.tx.shared.vec
        rows = con.execute(
            f"SELECT m.id, m.n FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.user_id = ?"
            f" AND {INDEXED} AND m.sensitivity < ?",
            (dump(list(vectors)), owner, int(Sensitivity.SECRET)),
        )
        wanted = {int(n): unit(vectors[i]) for i, n in sorted(map(tuple, rows.fetchall()), key=lambda r: r[1])}
        if not wanted:
            return 0
        model_id = model_row(con, vec, embedder_id, len(next(iter(wanted.values()))))
        coded = codes.codes(np.stack(list(wanted.values())))
        again = con.execute(
            "DELETE FROM embeddings WHERE model_id = ? AND memory_n IN (SELECT value FROM json_each(?))",
            (model_id, dump(list(wanted))),
        ).rowcount
        con.executemany(
            "INSERT INTO embeddings (user_id, memory_n, model_id, vector, code) VALUES (?, ?, ?, ?, ?)",
            [(owner, n, model_id, v.tobytes(), c.tobytes()) for (n, v), c in zip(wanted.items(), coded, strict=True)],
        )
        indexes.vec0_put(con, vec, model_id, owner, {n: c.tobytes() for n, c in zip(wanted, coded, strict=True)})
        self._tick("puts")
        if again > 0:
            self._tick("removals")
        return len(wanted)

    def progress(self, embedder_id: str) -> tuple[int, int]:
        """(memories that have a vector of that model, memories that should)."""
        counted = self.tx.con.execute(
            "SELECT COUNT(e.seq), COUNT(*) FROM memories m LEFT JOIN embeddings e ON e.memory_n = m.n"
            " AND e.model_id = (SELECT id FROM embedding_models WHERE name = ?)"
            f" WHERE m.user_id = ? AND {INDEXED} AND m.sensitivity < ?",
            (embedder_id, self.tx.owner, int(Sensitivity.SECRET)),
        ).fetchone()
        return int(counted[0]), int(counted[1])

    def others(self, embedder_id: str) -> list[tuple[str, int]]:
        """Other models that this user has vectors of, and how many, most first."""
        rows = self.tx.con.execute(
            "SELECT x.name, COUNT(*) FROM embeddings e JOIN embedding_models x ON x.id = e.model_id"
            " WHERE e.user_id = ? AND x.name <> ? GROUP BY x.id ORDER BY COUNT(*) DESC",
            (self.tx.owner, embedder_id),
        )
        return [(r[0], int(r[1])) for r in rows.fetchall()]

    def retire(self, embedder_id: str, limit: int) -> int:
        """Drop up to `limit` vectors of that model, the oldest first; how many went."""
        con = self.tx.con
        rows = con.execute(
            "SELECT e.memory_n, e.model_id FROM embeddings e JOIN embedding_models x ON x.id = e.model_id"
            " WHERE e.user_id = ? AND x.name = ? ORDER BY e.seq LIMIT ?",
            (self.tx.owner, embedder_id, limit),
        ).fetchall()
        if not rows:
            return 0
        model_id, ns = int(rows[0]["model_id"]), [int(r["memory_n"]) for r in rows]
        indexes.vec0_out_many(con, self.tx.shared.vec, model_id, ns)
        con.execute(
            "DELETE FROM embeddings WHERE model_id = ? AND memory_n IN (SELECT value FROM json_each(?))",
            (model_id, dump(ns)),
        )
        self._tick("removals")
        return len(ns)

    def missing(self, embedder_id: str, limit: int) -> list[tuple[MemoryId, str]]:
        """(id, original_content) of indexed, non-secret memories that have no vector of that model."""
        rows = self.tx.con.execute(
            f"SELECT m.id, m.original_content FROM memories m WHERE m.user_id = ? AND {INDEXED} AND m.sensitivity < ?"
            " AND NOT EXISTS (SELECT 1 FROM embeddings e JOIN embedding_models x ON x.id = e.model_id"
            "  WHERE e.memory_n = m.n AND x.name = ?) ORDER BY m.n LIMIT ?",
            (self.tx.owner, int(Sensitivity.SECRET), embedder_id, limit),
        )
        return [(r[0], r[1]) for r in rows.fetchall()]

    def get(self, ids: Sequence[MemoryId], embedder_id: str) -> Mapping[MemoryId, FloatArray]:
        """Vectors by memory; those that have none are left out."""
        rows = self.tx.con.execute(
            "SELECT m.id, e.vector FROM memories m JOIN embeddings e ON e.memory_n = m.n"
            " JOIN embedding_models x ON x.id = e.model_id"
            " WHERE +m.user_id = ? AND x.name = ? AND m.id IN (SELECT value FROM json_each(?))",
            (self.tx.owner, embedder_id, dump(list(ids))),
        )
        return {r[0]: np.frombuffer(r[1], dtype=np.float32) for r in rows.fetchall()}

    def without(self, ids: Sequence[MemoryId], embedder_id: str) -> list[MemoryId]:
        """Those that have no vector of that model."""
        have = self.tx.con.execute(
            "SELECT m.id FROM memories m JOIN embeddings e ON e.memory_n = m.n JOIN embedding_models x"
            " ON x.id = e.model_id WHERE +m.user_id = ? AND x.name = ? AND m.id IN (SELECT value FROM json_each(?))",
            (self.tx.owner, embedder_id, dump(list(ids))),
        )
        found = {r[0] for r in have.fetchall()}
        return [i for i in ids if i not in found]

    def drop(self, ids: Mapping[int, MemoryId]) -> int:
        """Drop all vectors of memories, given by row number; a tombstone written in this transaction may keep one."""
        con, some = self.tx.con, dump(list(ids))
        rows = con.execute(
            "SELECT memory_n, model_id, vector FROM embeddings WHERE user_id = ?"
            " AND memory_n IN (SELECT value FROM json_each(?))",
            (self.tx.owner, some),
        ).fetchall()
        for row in rows:
            memory_id = ids[row["memory_n"]]
            if memory_id not in self.tx.dropped or row["model_id"] == self.tx.shared.embedder_model:
                self.tx.dropped[memory_id] = (row["model_id"], bytes(row["vector"]))
        for model_id in {r["model_id"] for r in rows}:
            some_n = [r["memory_n"] for r in rows if r["model_id"] == model_id]
            indexes.vec0_out_many(con, self.tx.shared.vec, model_id, some_n)
        if rows:
            con.execute("DELETE FROM embeddings WHERE memory_n IN (SELECT value FROM json_each(?))", (some,))
            self._tick("removals")
        return len(rows)

    def _tick(self, column: str) -> None:
        self.tx.con.execute(
            f"INSERT INTO vector_clock (user_id, {column}) VALUES (?, 1)"
            f" ON CONFLICT (user_id) DO UPDATE SET {column} = {column} + 1",
            (self.tx.owner,),
        )
