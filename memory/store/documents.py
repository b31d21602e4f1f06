"""Documents: long messages, whose text stays in the message, with vectors of their passages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np

from memory.models import Document
from memory.ports import FloatArray
from memory.store.rows import AMONG, from_ms
from memory.store.transaction import Gateway
from memory.text.headings import is_document

_SHOWN: Final = "documents d JOIN messages g ON g.id = d.message_id AND g.hidden_at IS NULL"


@dataclass(slots=True)
class DocumentGateway(Gateway):
    """`memory.ports.DocumentTable`."""

    def follow_message(self, message_id: str, text: str, hidden_at: datetime | int | None) -> None:
        """Keep a message's document in step with what the message says and whether it shows."""
        self._run("DELETE FROM documents WHERE message_id = ?", message_id)
        if hidden_at is not None or not is_document(text):
            return
        # What another program's conversation says is never asked about.
        talk = (
            "INSERT INTO documents (user_id, message_id) SELECT g.user_id, g.id FROM messages g"
            " JOIN sessions s ON s.id = g.session_id"
            " WHERE g.user_id = ? AND g.id = ? AND s.scope NOT LIKE 'import:%'"
        )
        if self._run(talk, self.owner, message_id):
            self.tx.unread = True

    def list_in(
        self, scope: str, limit: int, session_id: str | None = None
    ) -> list[tuple[int, str | None]]:
        listed = (
            f"SELECT d.n, d.embedder FROM {_SHOWN} JOIN sessions s ON s.id = g.session_id"
            " WHERE d.user_id = ? AND s.scope = ? AND (? IS NULL OR s.id = ?)"
            " ORDER BY d.n DESC LIMIT ?"
        )
        rows = self._rows(listed, self.owner, scope, session_id, session_id, limit)
        return [(r["n"], r["embedder"]) for r in rows]

    def get_many(self, numbers: Sequence[int]) -> list[Document]:
        rows = self._rows(
            "SELECT d.n, d.message_id, g.role, g.at, g.text, d.embedder, d.places, d.vectors"
            f" FROM {_SHOWN} WHERE d.user_id = ? AND d.n {AMONG}",
            *(self.owner, list(numbers)),
        )
        return [_read(r) for r in rows]

    def list_missing(self, embedder_id: str) -> list[int]:
        wanting = "user_id = ? AND embedder IS NOT ? ORDER BY n"
        return self._values(f"SELECT n FROM documents WHERE {wanting}", self.owner, embedder_id)

    def put_vectors(
        self, n: int, embedder_id: str, places: Sequence[int], vectors: FloatArray
    ) -> bool:
        row = {"embedder": embedder_id, "places": list(places)}
        return bool(
            self._update("documents", row | {"vectors": vectors.astype("<f2").tobytes()}, n=n)
        )


def _read(r: Any) -> Document:
    places = tuple(json.loads(r["places"]))
    vectors = None
    if r["vectors"] is not None and places:
        vectors = np.frombuffer(r["vectors"], "<f2").astype(np.float32).reshape(len(places), -1)
    own = (r["n"], r["message_id"], r["role"], from_ms(r["at"]), r["text"])
    return Document(*own, r["embedder"], places, vectors)
