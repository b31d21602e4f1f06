"""A store on a real file, and its first user."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.store import SqliteStore, make_worker_id, open_store
from tests.memory.store.support import KEY, NOW, clock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the memory file is going to be."""
    return tmp_path / "home" / "ebb.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    """An open store."""
    opened = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    yield opened
    await opened.close()


@pytest.fixture
async def user(store: SqliteStore) -> str:
    """The first user."""
    return await store.write_system(lambda s: s.create_user(NOW))


@pytest.fixture
async def other(store: SqliteStore, user: str) -> str:
    """A second user."""
    return await store.write_system(lambda s: s.create_user(NOW))
