"""Embeddings of one user, by model: the base table is the truth, vec0 and the caches are derived from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memory.errors import StoreError
from memory.models import MemoryId, Sensitivity
from memory.ports import FloatArray
from memory.store import indexes
from memory.store.memories import INDEXED
from memory.store.rows import dump

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx


def model_row(con: Any, vec: bool, name: str, dim: int) -> int:
    """Id of the embedding model, made with its vec0 table if need be. Raises StoreError if `dim` is another."""
    row = con.execute("SELECT id, dim FROM embedding_models WHERE name = ?", (name,)).fetchone()
    if row is None:
        made = con.execute("INSERT INTO embedding_models (name, dim) VALUES (?, ?)", (name, dim)).lastrowid
        indexes.vec0_make(con, vec, made, dim)
        return int(made)
    if row["dim"] != dim:
        raise StoreError(f"Vectors of {name} have {row['dim']} numbers, not {dim}.")
    return int(row["id"])


def unit_blob(vector: FloatArray) -> bytes:
    """The vector's bytes, of unit length whatever it came with."""
    v = np.ascontiguousarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(v))
    if length > 0 and abs(length - 1) > 1e-6:
        v = v / np.float32(length)
    return v.tobytes()


@dataclass(slots=True)
class VectorGateway:
    """`memory.ports.VectorTable`."""

    tx: SqliteTx

    def put(self, memory_id: MemoryId, embedder_id: str, vector: FloatArray) -> None:
        """Keep a memory's vector. One that has left the index meanwhile, or is secret, gets none."""
        con, owner, vec = self.tx.con, self.tx.owner, self.tx.shared.vec
        row = con.execute(
            f"SELECT m.n FROM memories m WHERE m.id = ? AND m.user_id = ? AND {INDEXED} AND m.sensitivity < ?",
            (memory_id, owner, int(Sensitivity.SECRET)),
        ).fetchone()
        if row is None:
            return
        model_id = model_row(con, vec, embedder_id, len(vector))
        blob = unit_blob(vector)
        con.execute("DELETE FROM embeddings WHERE memory_n = ? AND model_id = ?", (row["n"], model_id))
        con.execute(
            "INSERT INTO embeddings (user_id, memory_n, model_id, vector) VALUES (?, ?, ?, ?)",
            (owner, row["n"], model_id, blob),
        )
        indexes.vec0_put(con, vec, model_id, row["n"], owner, blob)
        self._tick("puts")

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

    def has(self, memory_id: MemoryId, embedder_id: str) -> bool:
        """Whether the memory needs no vector (any more): it has one, or may have none."""
        row = self.tx.con.execute(
            "SELECT 1 FROM memories m JOIN embeddings e ON e.memory_n = m.n JOIN embedding_models x"
            " ON x.id = e.model_id WHERE m.id = ? AND m.user_id = ? AND x.name = ?",
            (memory_id, self.tx.owner, embedder_id),
        ).fetchone()
        return row is not None

    def drop(self, memory_id: MemoryId, n: int) -> int:
        """All the memory's vectors leave; a tombstone written in the same transaction may keep one."""
        con = self.tx.con
        rows = con.execute(
            "SELECT model_id, vector FROM embeddings WHERE memory_n = ? AND user_id = ?", (n, self.tx.owner)
        ).fetchall()
        for row in rows:
            if memory_id not in self.tx.dropped or row["model_id"] == self.tx.shared.embedder_model:
                self.tx.dropped[memory_id] = (row["model_id"], bytes(row["vector"]))
            indexes.vec0_out(con, self.tx.shared.vec, row["model_id"], n)
        if rows:
            con.execute("DELETE FROM embeddings WHERE memory_n = ?", (n,))
            self._tick("removals")
        return len(rows)

    def drop_many(self, ids: Mapping[int, MemoryId]) -> None:
        """`drop` for many: memory ids by row number."""
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
            indexes.vec0_out(con, self.tx.shared.vec, row["model_id"], row["memory_n"])
        if rows:
            con.execute("DELETE FROM embeddings WHERE memory_n IN (SELECT value FROM json_each(?))", (some,))
            self._tick("removals")

    def _tick(self, column: str) -> None:
        self.tx.con.execute(
            f"INSERT INTO vector_clock (user_id, {column}) VALUES (?, 1)"
            f" ON CONFLICT (user_id) DO UPDATE SET {column} = {column} + 1",
            (self.tx.owner,),
        )
