"""One user with a store of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.store import make_worker_id, open_store
from tests.memory.learn.world import START, World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """A user in an open session."""
    worker = make_worker_id()
    store = await open_store(tmp_path / "ebb.db", clock=lambda: START, worker=worker, key=b"k" * 32)
    try:
        user = await store.write_system(lambda s: s.create_user(START))
        session = await store.write(
            user, lambda tx: tx.conversations.open_session(f"user:{user}", START)
        )
        w = World(store, user, session, worker=worker)
        await store.use_embedder(w.embedder.id, w.embedder.dim)
        yield w
    finally:
        await store.close()
