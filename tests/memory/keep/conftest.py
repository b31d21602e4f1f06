"""A user with a store, the facade over it, and a second user beside."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory import api
from memory.models import Session
from memory.ports import Transaction
from memory.store import make_worker_id, open_store
from tests.memory.keep.home import Home
from tests.memory.learn.world import START, World

KEY = b"k" * 32


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    """Two users of one store; the first is the one things happen to."""
    worker = make_worker_id()
    store = await open_store(tmp_path / "ebb.db", clock=lambda: START, worker=worker, key=KEY)
    try:
        worlds = []
        for _ in range(2):
            user = await store.write_system(lambda s: s.create_user(START))

            def begin(tx: Transaction, scope: str = f"user:{user}") -> Session:
                return tx.conversations.open_session(scope, START)

            session = await store.write(user, begin)
            worlds.append(World(store, user, session, worker=worker))
        me, other = worlds
        await store.use_embedder(me.embedder.id, me.embedder.dim)
        service = api.Memory(store, model=me.model, embedder=me.embedder, key=KEY)
        yield Home(tmp_path / "ebb.db", me, other, service)
        await service.close()
    finally:
        await store.close()
