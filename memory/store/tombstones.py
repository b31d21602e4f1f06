"""What must not be learned: what was forgotten, and proposals nobody has confirmed."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.index.text import normalised
from memory.index.vectors import normalise_vector
from memory.models import MemoryId, Proposal, Tombstone
from memory.ports import FloatArray
from memory.store.rows import AMONG, columns_of
from memory.store.transaction import Gateway


@dataclass(slots=True)
class TombstoneGateway(Gateway):
    """`memory.ports.TombstoneTable`."""

    def add(self, *stones: Tombstone) -> None:
        seen = set[MemoryId]()
        for t in stones:
            row = columns_of(t)
            if t.vector is None and t.memory_id not in seen:
                row["model_id"], row["vector"] = self._vector_of(t.memory_id)
            seen.add(t.memory_id)
            self._insert("tombstones", row, "INSERT OR REPLACE")

    def remove(self, *ids: MemoryId) -> None:
        gone = f"DELETE FROM tombstones WHERE user_id = ? AND memory_id {AMONG}"
        self._run(gone, self.owner, ids)

    def has(self, digest: str) -> bool:
        return self._one(Tombstone, "digest = ?", digest) is not None

    def compute_digest(self, text: str) -> str:
        body = f"{self.owner}\n{normalised(text)}".encode()
        return hmac.new(self.tx.shared.key, body, hashlib.sha256).hexdigest()

    def list_matching(
        self, digest: str, embedder_id: str | None, vector: FloatArray | None, floor: float
    ) -> list[Tombstone]:
        found = self._own(Tombstone, "digest = ?", digest)
        if embedder_id is not None and vector is not None:
            alike = self._list_alike(embedder_id, vector, floor)
            found += [t for t in alike if t not in found]
        return sorted(found, key=lambda t: (t.at, t.memory_id), reverse=True)

    def _list_alike(self, embedder_id: str, vector: FloatArray, floor: float) -> list[Tombstone]:
        of_model = "model_id = (SELECT id FROM embedding_models WHERE name = ?)"
        stones = self._own(Tombstone, f"{of_model} AND vector IS NOT NULL", embedder_id)
        query = normalise_vector(vector)
        kept = [(t, np.frombuffer(t.vector or b"", dtype=np.float32)) for t in stones]
        return [t for t, v in kept if v.shape == query.shape and float(np.dot(v, query)) >= floor]

    def _vector_of(self, memory_id: MemoryId) -> tuple[int | None, bytes | None]:
        """Return the memory's own, also if it left in this transaction."""
        if memory_id in self.tx.dropped:
            return self.tx.dropped[memory_id]
        row = self._row(
            "SELECT e.model_id, e.vector FROM memories m JOIN embeddings e ON e.memory_n = m.n"
            " WHERE m.id = ? AND m.user_id = ? ORDER BY (e.model_id = ?) DESC, e.seq DESC LIMIT 1",
            *(memory_id, self.owner, self.tx.shared.embedder_model),
        )
        return (None, None) if row is None else (row["model_id"], row["vector"])


@dataclass(slots=True)
class ProposalGateway(Gateway):
    """`memory.ports.ProposalTable`."""

    def add(self, p: Proposal) -> Proposal:
        row = columns_of(p) | {"id": self.tx.new_id(), "asked_at": None}
        self._insert("proposals", row)
        return Proposal(**row)

    def open(self) -> list[Proposal]:
        return self._own(Proposal, "1 ORDER BY n")

    def ask(self, proposal_id: str, at: datetime) -> None:
        self._update("proposals", {"asked_at": at}, id=proposal_id)

    def remove(self, proposal_id: str) -> bool:
        gone = "DELETE FROM proposals WHERE user_id = ? AND id = ?"
        return bool(self._run(gone, self.owner, proposal_id))

    def delete_expired(self, before: datetime) -> None:
        self._run("DELETE FROM proposals WHERE user_id = ? AND at < ?", self.owner, before)
