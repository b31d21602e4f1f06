"""Chroma: a persistent client, a collection a user, cosine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings

from tests.bench.data import Row
from tests.bench.peers import Vectors

_BATCH = 1000


class Chroma:
    """Vectors by HNSW, made outside."""

    def __init__(self, home: Path, vectors: Vectors) -> None:
        self._vectors = vectors
        self._client = chromadb.PersistentClient(str(home), Settings(anonymized_telemetry=False))
        self._users: dict[str, Any] = {}

    def add(self, user: str, rows: Sequence[Row]) -> None:
        own = self._users[user] = self._client.create_collection(
            f"user-{len(self._users)}",
            configuration={"hnsw": {"space": "cosine"}},
            embedding_function=None,
        )
        for start in range(0, len(rows), _BATCH):
            some = rows[start : start + _BATCH]
            own.add(
                ids=[r["id"] for r in some],
                documents=[r["text"] for r in some],
                embeddings=[self._vectors.at_once(r["text"], "content") for r in some],
            )

    def find(self, user: str, text: str, k: int) -> Sequence[str]:
        found = self._users[user].query(
            query_embeddings=[self._vectors.at_once(text, "query")], n_results=k
        )
        ids: Sequence[str] = found["ids"][0]
        return ids

    def close(self) -> None:
        self._client.close()


def opened(home: Path, vectors: Vectors) -> Chroma:
    """In an empty folder."""
    return Chroma(home, vectors)
