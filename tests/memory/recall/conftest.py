"""A real store with the built-in embedder, and a person in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.embed import LexicalEmbedder
from memory.lifecycle import start_life
from memory.models import (
    CurveState,
    Importance,
    Kind,
    Layer,
    Memory,
    Mode,
    Query,
    Recall,
    detect_language,
)
from memory.ports import Reader, Store, Transaction
from memory.recall import QueryEmbedder, recall_memories
from memory.store import open_store

NOW = datetime(2026, 2, 11, 10, 0, tzinfo=UTC)
DAY = timedelta(days=1)
EMBEDDER = LexicalEmbedder()


@dataclass
class Person:
    """Somebody with memories, who asks."""

    store: Store
    id: str
    queries: QueryEmbedder = field(default_factory=lambda: QueryEmbedder(EMBEDDER, 1000))

    @property
    def reader(self) -> Reader:
        return self.store.open_reader(self.id)

    async def knows(
        self, text: str, *, days_ago: float = 1, kind: Kind = Kind.FACT, **fields: Any
    ) -> Memory:
        """One more memory, made `days_ago`."""
        at = NOW - days_ago * DAY
        m = Memory(
            id="",
            user_id=self.id,
            content=text,
            original_content=text,
            language=detect_language(text),
            layer=Layer.EPISODE if kind is Kind.EPISODE else Layer.FACT,
            kind=kind,
            created_at=at,
            last_activated_at=at,
            curve="fade",
            curve_state=CurveState(0.0, at),
            importance=1.5,
            importance_at=at,
        )
        m = replace(start_life(m, Importance.MEDIUM, "fade", at), **fields)
        (vector,) = EMBEDDER.vectors([text])

        def write(tx: Transaction) -> Memory:
            tx.changes.begin("user", "chat", NOW)
            saved = tx.memories.add(m)
            tx.vectors.put_many({saved.id: vector}, EMBEDDER.id)
            return saved

        return await self.store.write(self.id, write)

    async def ask(
        self, text: str, *, context: Sequence[str] = (), vectors: bool = True, **fields: Any
    ) -> Recall:
        """Recall for a message, now."""
        vector = (await self.queries.embed(text, context))[0] if vectors else None
        u = fields.pop("u", 1.0)
        fields.setdefault("now", NOW)
        fields.setdefault("mode", Mode.NORMAL)
        query = Query(self.id, text, tuple(context), tz="UTC", vector=vector, **fields)
        return await recall_memories(self.reader, query, u=u)


def texts(found: Recall) -> list[str]:
    """What was recalled, in order."""
    return [h.memory.original_content for h in found.hits]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    s = await open_store(tmp_path / "ebb.db", clock=lambda: NOW, worker="test:0:0", key=b"k" * 32)
    await s.use_embedder(EMBEDDER.id, EMBEDDER.dim)
    yield s
    await s.close()


@pytest.fixture
async def person(store: Store) -> Person:
    return Person(store, await store.write_system(lambda s: s.create_user(NOW)))
