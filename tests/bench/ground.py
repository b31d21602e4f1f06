"""What the benchmarks stand on: a store of memories made the way the program makes them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memory.lifecycle import start_life
from memory.models import CurveState, Importance, Kind, Layer, Memory, detect_language
from memory.ports import Embedder, FloatArray, Store, Transaction
from memory.store import open_store

BATCH = 1000


def made(
    user: str,
    text: str,
    at: datetime,
    *,
    session: str | None = None,
    entities: tuple[str, ...] = (),
) -> Memory:
    """A fact as learning makes it, at `at`."""
    m = Memory(
        id="",
        user_id=user,
        content=text,
        original_content=text,
        language=detect_language(text),
        layer=Layer.FACT,
        kind=Kind.FACT,
        created_at=at,
        last_activated_at=at,
        curve="fade",
        curve_state=CurveState(0.0, at),
        importance=1.5,
        importance_at=at,
        entities=entities,
        source_session=session,
    )
    return start_life(replace(m), Importance.MEDIUM, "fade", at)


@asynccontextmanager
async def store_at(path: Path, embedder: Embedder | None, now: datetime) -> AsyncIterator[Store]:
    """A store of its own, with the embedder in use."""
    store = await open_store(path, clock=lambda: now, worker="bench:0:0", key=b"0" * 32)
    try:
        if embedder is not None:
            await store.use_embedder(embedder.id, embedder.dim)
        yield store
    finally:
        await store.close()


async def new_user(store: Store, now: datetime) -> str:
    """A person."""
    return await store.write_system(lambda s: s.create_user(now))


async def fill(
    store: Store,
    user: str,
    memories: Sequence[Memory],
    embedder: Embedder | None,
    vectors: FloatArray | None = None,
) -> list[str]:
    """Store memories with their vectors, embedded here unless they are given; their ids, in order."""
    ids: list[str] = []
    for start in range(0, len(memories), BATCH):
        batch = memories[start : start + BATCH]
        rows = None if vectors is None else vectors[start : start + BATCH]
        if rows is None and embedder is not None:
            rows = await embedder.embed([m.original_content for m in batch], "content")

        def write(
            tx: Transaction, batch: Sequence[Memory] = batch, rows: FloatArray | None = rows
        ) -> list[str]:
            tx.changes.begin("system", "import", batch[0].created_at)
            saved = [m.id for m in tx.memories.add_many(batch)]
            if embedder is not None and rows is not None:
                tx.vectors.put_many(dict(zip(saved, rows, strict=True)), embedder.id)
            return saved

        ids += await store.write(user, write)
    return ids
