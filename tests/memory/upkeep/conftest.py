"""A home for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.store import make_worker_id, open_store
from tests.memory.upkeep.night import START, Home, TaskModel, shorter
from tests.servers.tasks import decision


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    """Whose model fades well, keeps everything apart, and concludes nothing."""
    worker = make_worker_id()
    store = await open_store(tmp_path / "ebb.db", clock=lambda: START, worker=worker, key=b"k" * 32)
    try:
        user = await store.write_system(lambda s: s.create_user(START))
        model = TaskModel(
            level=shorter,
            review=decision("keep"),
            merge='{"separate": true}',
            contradict="[]",
            derive="[]",
        )
        h = Home(store, user, worker, model)
        await store.use_embedder(h.embedder.id, h.embedder.dim)
        yield h
    finally:
        await store.close()
