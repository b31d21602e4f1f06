"""What must not be learned again from the same history."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from memory.models import MemoryId, Tombstone
from memory.ports import FloatArray
from memory.store.rows import from_ms, to_ms
from memory.store.text import normalised
from memory.store.vectors import unit_blob

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx


@dataclass(slots=True)
class TombstoneGateway:
    """`memory.ports.TombstoneTable`."""

    tx: SqliteTx

    def add(self, t: Tombstone) -> None:
        """Keep it; where it brings no vector, the memory's own is kept, also if it left in this transaction."""
        model_id, vector = (t.model_id, t.vector) if t.vector is not None else self._vector_of(t.memory_id)
        self.tx.con.execute(
            "INSERT OR REPLACE INTO tombstones (user_id, memory_id, digest, at, set_id, model_id, vector)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self.tx.owner, t.memory_id, t.digest, to_ms(t.at), t.set_id, model_id, vector),
        )

    def add_many(self, stones: Iterable[Tombstone]) -> None:
        """`add` for many; of several digests of one memory, the first keeps its vector."""
        rows, seen = [], set[MemoryId]()
        for t in stones:
            model_id, vector = t.model_id, t.vector
            if vector is None and t.memory_id not in seen:
                model_id, vector = self._vector_of(t.memory_id)
            seen.add(t.memory_id)
            rows.append((self.tx.owner, t.memory_id, t.digest, to_ms(t.at), t.set_id, model_id, vector))
        self.tx.con.executemany(
            "INSERT OR REPLACE INTO tombstones (user_id, memory_id, digest, at, set_id, model_id, vector)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def remove_many(self, ids: Iterable[MemoryId]) -> None:
        """The memories are wanted again."""
        self.tx.con.executemany(
            "DELETE FROM tombstones WHERE user_id = ? AND memory_id = ?", [(self.tx.owner, i) for i in ids]
        )

    def remove(self, memory_id: MemoryId) -> None:
        """The memory is wanted again."""
        self.tx.con.execute("DELETE FROM tombstones WHERE user_id = ? AND memory_id = ?", (self.tx.owner, memory_id))

    def has(self, digest: str) -> bool:
        """Whether a text of this digest was forgotten."""
        row = self.tx.con.execute(
            "SELECT 1 FROM tombstones WHERE user_id = ? AND digest = ?", (self.tx.owner, digest)
        ).fetchone()
        return row is not None

    def digest(self, text: str) -> str:
        """Keyed hash of the normalised text; another user's of the same text is another one."""
        body = f"{self.tx.owner}\n{normalised(text)}".encode()
        return hmac.new(self.tx.shared.key, body, hashlib.sha256).hexdigest()

    def nearest(self, embedder_id: str, vector: FloatArray) -> float:
        """Highest cosine of any tombstone's vector, -1.0 if there is none."""
        return max((score for _, score in self._alike(embedder_id, vector)), default=-1.0)

    def matching(
        self, digest: str, embedder_id: str | None, vector: FloatArray | None, floor: float
    ) -> list[Tombstone]:
        """Those with that digest, or with a vector of that model whose cosine is at least `floor`; newest first."""
        rows = self.tx.con.execute(
            "SELECT * FROM tombstones WHERE user_id = ? AND digest = ?", (self.tx.owner, digest)
        ).fetchall()
        found = [_from_row(r) for r in rows]
        if embedder_id is not None and vector is not None:
            found += [t for t, score in self._alike(embedder_id, vector) if score >= floor and t not in found]
        return sorted(found, key=lambda t: (t.at, t.memory_id), reverse=True)

    def _alike(self, embedder_id: str, vector: FloatArray) -> list[tuple[Tombstone, float]]:
        rows = self.tx.con.execute(
            "SELECT t.* FROM tombstones t JOIN embedding_models x ON x.id = t.model_id"
            " WHERE t.user_id = ? AND x.name = ? AND t.vector IS NOT NULL",
            (self.tx.owner, embedder_id),
        ).fetchall()
        query = np.frombuffer(unit_blob(vector), dtype=np.float32)
        kept = [(r, np.frombuffer(r["vector"], dtype=np.float32)) for r in rows]
        return [(_from_row(r), float(np.dot(v, query))) for r, v in kept if v.shape == query.shape]

    def _vector_of(self, memory_id: MemoryId) -> tuple[int | None, bytes | None]:
        if memory_id in self.tx.dropped:
            return self.tx.dropped[memory_id]
        row = self.tx.con.execute(
            "SELECT e.model_id, e.vector FROM memories m JOIN embeddings e ON e.memory_n = m.n"
            " WHERE m.id = ? AND m.user_id = ? ORDER BY (e.model_id = ?) DESC, e.seq DESC LIMIT 1",
            (memory_id, self.tx.owner, self.tx.shared.embedder_model),
        ).fetchone()
        return (None, None) if row is None else (row["model_id"], bytes(row["vector"]))


def _from_row(row: Any) -> Tombstone:
    return Tombstone(
        user_id=row["user_id"],
        memory_id=row["memory_id"],
        digest=row["digest"],
        at=from_ms(row["at"]),
        set_id=row["set_id"],
        model_id=row["model_id"],
        vector=None if row["vector"] is None else bytes(row["vector"]),
    )
