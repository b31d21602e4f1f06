"""What must not be learned: what was forgotten, and what a model proposed and nobody has confirmed yet."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memory.index.text import normalised
from memory.index.vectors import normalise_vector
from memory.models import MemoryId, Proposal, Tombstone
from memory.ports import FloatArray
from memory.store.rows import columns_of, from_row, insert, to_ms
from memory.store.transaction import Gateway


@dataclass(slots=True)
class TombstoneGateway(Gateway):
    """`memory.ports.TombstoneTable`."""

    def add(self, t: Tombstone) -> None:
        """Keep it; where it brings no vector, the memory's own is kept, also if it left in this transaction."""
        self.add_many([t])

    def add_many(self, stones: Iterable[Tombstone]) -> None:
        """Keep many; of several digests of one memory, the first keeps its vector."""
        seen = set[MemoryId]()
        for t in stones:
            model_id, vector = t.model_id, t.vector
            if vector is None and t.memory_id not in seen:
                model_id, vector = self._vector_of(t.memory_id)
            seen.add(t.memory_id)
            row = columns_of(t) | {"user_id": self.owner, "model_id": model_id, "vector": vector}
            insert(self.tx.con, "tombstones", row, "INSERT OR REPLACE")

    def remove(self, memory_id: MemoryId) -> None:
        """Take it away: the memory is wanted again."""
        self._run(
            "DELETE FROM tombstones WHERE user_id = ? AND memory_id = ?", self.owner, memory_id
        )

    def remove_many(self, ids: Iterable[MemoryId]) -> None:
        """Take them away: the memories are wanted again."""
        for memory_id in ids:
            self.remove(memory_id)

    def has(self, digest: str) -> bool:
        """Tell whether a text of this digest was forgotten."""
        stones = "SELECT 1 FROM tombstones WHERE user_id = ? AND digest = ?"
        return self._row(stones, self.owner, digest) is not None

    def compute_digest(self, text: str) -> str:
        """Hash the normalised text with the home's key; another user's of the same text is another one."""
        body = f"{self.owner}\n{normalised(text)}".encode()
        return hmac.new(self.tx.shared.key, body, hashlib.sha256).hexdigest()

    def find_highest_cosine(self, embedder_id: str, vector: FloatArray) -> float:
        """Return the highest cosine of any tombstone's vector, -1.0 if there is none."""
        return max((score for _, score in self._alike(embedder_id, vector)), default=-1.0)

    def list_matching(
        self, digest: str, embedder_id: str | None, vector: FloatArray | None, floor: float
    ) -> list[Tombstone]:
        """List those with that digest, or a vector of that model of cosine `floor` or more; newest first."""
        stones = "SELECT * FROM tombstones WHERE user_id = ? AND digest = ?"
        found = self._all(Tombstone, stones, self.owner, digest)
        if embedder_id is not None and vector is not None:
            found += [
                t
                for t, score in self._alike(embedder_id, vector)
                if score >= floor and t not in found
            ]
        return sorted(found, key=lambda t: (t.at, t.memory_id), reverse=True)

    def _alike(self, embedder_id: str, vector: FloatArray) -> list[tuple[Tombstone, float]]:
        rows = self._rows(
            "SELECT t.* FROM tombstones t JOIN embedding_models x ON x.id = t.model_id"
            " WHERE t.user_id = ? AND x.name = ? AND t.vector IS NOT NULL",
            self.owner,
            embedder_id,
        )
        query = normalise_vector(vector)
        kept = [(r, np.frombuffer(r["vector"], dtype=np.float32)) for r in rows]
        return [
            (from_row(Tombstone, r), float(np.dot(v, query)))
            for r, v in kept
            if v.shape == query.shape
        ]

    def _vector_of(self, memory_id: MemoryId) -> tuple[int | None, bytes | None]:
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
    """`memory.ports.ProposalTable`: what a model wanted to keep or end without the person's words.

    Never memories.
    """

    def add(self, p: Proposal) -> Proposal:
        """Store it under an id of its own."""
        insert(
            self.tx.con,
            "proposals",
            columns_of(p) | {"id": self.tx.new_id(), "user_id": self.owner, "asked_at": None},
        )
        return self.open()[-1]

    def open(self) -> list[Proposal]:
        """List those that wait for an answer, oldest first."""
        return self._all(
            Proposal, "SELECT * FROM proposals WHERE user_id = ? ORDER BY n", self.owner
        )

    def ask(self, proposal_id: str, at: datetime) -> None:
        """Note that the person was asked."""
        asked = "UPDATE proposals SET asked_at = ? WHERE id = ? AND user_id = ?"
        self._run(asked, to_ms(at), proposal_id, self.owner)

    def remove(self, proposal_id: str) -> bool:
        """Delete it; False if it is not there."""
        return bool(
            self._run("DELETE FROM proposals WHERE id = ? AND user_id = ?", proposal_id, self.owner)
        )

    def delete_expired(self, before: datetime) -> None:
        """Delete those made before a moment."""
        self._run("DELETE FROM proposals WHERE user_id = ? AND at < ?", self.owner, to_ms(before))
