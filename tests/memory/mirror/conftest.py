"""A home with a MEMORY.md: a real store, a real file, and an editor's hands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory import api
from memory.embed import LexicalEmbedder
from memory.mirror import Mirror, MirrorPlace, SyncReport, files
from memory.models import Filter, Memory, Sensitivity, State
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id, open_store
from tests.memory.learn.world import START, TZ, ScriptedModel

KEY = b"k" * 32
ANY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)


@dataclass
class Desk:
    """One user, their memories, and the file as an editor sees it."""

    store: SqliteStore
    service: api.Memory
    user: str
    home: Path
    now: datetime = START

    @property
    def mirror(self) -> Mirror:
        assert self.service.mirror is not None
        return self.service.mirror

    @property
    def path(self) -> Path:
        return self.mirror.path(self.user)

    @property
    def bak(self) -> Path:
        return self.path.with_name(self.path.name + ".bak")

    @property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    def tick(self, **by: float) -> datetime:
        self.now += timedelta(**(by or {"minutes": 1}))
        return self.now

    async def sync(self) -> SyncReport:
        return await self.mirror.sync(self.user, self.tick())

    async def edit(self, change: Callable[[str], str]) -> SyncReport:
        """Open, change, save; Ebb looks."""
        self.save(change(self.text))
        return await self.sync()

    def save(self, text: str) -> None:
        self.path.write_bytes(text.encode())

    async def remember(self, text: str, **fields: Any) -> Memory:
        scope = f"user:{self.user}"
        m = (await self.service.remember(self.user, text, self.tick(), tz=TZ, scope=scope)).memory
        return await self.put(m, **fields) if fields else m

    async def put(self, m: Memory, **fields: Any) -> Memory:
        def write(tx: Transaction) -> Memory:
            tx.changes.begin("system", "test", self.tick())
            old = tx.memories.get(m.id)
            assert old is not None
            return tx.memories.put(replace(old, **fields), "updated")

        return await self.store.write(self.user, write)

    async def get(self, m: Memory | str) -> Memory:
        found = await self.service.get(self.user, m if isinstance(m, str) else m.id)
        assert found is not None
        return found

    async def all(self, *states: State) -> list[Memory]:
        f = replace(ANY, states=frozenset(states or {State.ACTIVE}))
        return sorted(
            (await self.service.find(self.user, f, limit=10_000)).items, key=lambda m: m.created_at
        )

    async def texts(self, *states: State) -> set[str]:
        return {m.original_content for m in await self.all(*states)}

    async def read(self, fn: Callable[[Transaction], Any]) -> Any:
        return await self.store.read(self.user, fn)


def block(text: str, m: Memory | str) -> str:
    """The line of a memory as it stands in the file."""
    name = m if isinstance(m, str) else m.id
    return next(line for line in text.split("\n") if f"[{name}]" in line) + "\n"


def without(text: str, *memories: Memory) -> str:
    """The file without these lines."""
    for m in memories:
        text = text.replace(block(text, m), "") if m.id in text else text
    return text


@pytest.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    """A home whose owner has a MEMORY.md that nobody has written yet, and an editor that saves in one go."""
    monkeypatch.setattr(files, "_SETTLE", 0.005)
    store = await open_store(
        tmp_path / "ebb.db", clock=lambda: START, worker=make_worker_id(), key=KEY
    )
    try:
        user = await store.write_system(lambda s: s.create_user(START))
        embedder = LexicalEmbedder()
        await store.use_embedder(embedder.id, embedder.dim)
        service = api.Memory(store, model=ScriptedModel(), embedder=embedder, key=KEY)
        service.keep_mirror(MirrorPlace(tmp_path, user, tz=TZ))
        yield Desk(store, service, user, tmp_path)
        await service.close()
    finally:
        await store.close()
