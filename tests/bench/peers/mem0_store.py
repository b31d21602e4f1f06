"""mem0, without its language model: `infer=False`, Qdrant in a folder, its own hybrid search.

It ranks by cosine and, with fastembed's BM25, by words as well. That encoder downloads nothing but stop words; here
it is given Ebb's, so that the benchmark needs no network. What spaCy would add (lemmas, entities) is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from fastembed import SparseTextEmbedding
from mem0 import Memory

from memory.text.languages import LANGUAGES
from tests.bench.data import Row
from tests.bench.peers import Vectors

Action = Literal["add", "search", "update"]


class _Embedding:
    """What mem0 calls its embedding model."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed(self, text: str, memory_action: Action | None = None) -> list[float]:
        return self._vectors.at_once(text, "query" if memory_action == "search" else "content")

    def embed_batch(
        self, texts: Sequence[str], memory_action: Action | None = None
    ) -> list[list[float]]:
        return [self.embed(t, memory_action) for t in texts]


class Mem0:
    """One store, filtered by user."""

    def __init__(self, home: Path, vectors: Vectors) -> None:
        store = {"path": str(home / "qdrant"), "embedding_model_dims": vectors.dim, "on_disk": True}
        nobody = {"config": {"api_key": "none"}}  # made, never called
        self._memory: Any = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(home / "history.db"),
                "llm": {"provider": "openai", **nobody},
                "embedder": {"provider": "openai", **nobody},
            }
        )
        self._memory.embedding_model = _Embedding(vectors)
        self._memory.vector_store._bm25_encoder = SparseTextEmbedding(
            "Qdrant/bm25",
            specific_model_path=str(home),
            stopwords=set(LANGUAGES["en"].sections["language"]["STOP_WORDS"].split()),
        )

    def add(self, user: str, rows: Sequence[Row]) -> None:
        for r in rows:
            self._memory.add(r["text"], user_id=user, infer=False, metadata={"their_id": r["id"]})

    def find(self, user: str, text: str, k: int) -> Sequence[str]:
        found = self._memory.search(text, filters={"user_id": user}, top_k=k, threshold=0.0)
        return [hit["metadata"]["their_id"] for hit in found["results"]]

    def close(self) -> None:
        self._memory.vector_store.client.close()
        self._memory.close()


def opened(home: Path, vectors: Vectors) -> Mem0:
    """In an empty folder."""
    return Mem0(home, vectors)
