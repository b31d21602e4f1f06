"""Opening a file of an earlier version writes its memories as notes, once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from memory.models import Filter, Memory, Source
from memory.ports import Transaction
from memory.store import make_worker_id, open_store
from tests.memory.store.support import KEY, NOW, a_memory, clock, vector

_ALL = Filter()


async def test_what_was_learned_becomes_notes(path: Path) -> None:
    """Texts, search and the words of merges; not what the person said, and no history."""
    store = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    user = await store.write_system(lambda s: s.create_user(NOW))
    texts = ("The user lives in Lyon.", "用户的姐姐住在里昂", "Tom hates fish")
    history = ({"at": 1, "reason": "edited", "was": "The user lives in Paris"},)

    def fill(tx: Transaction) -> list[Memory]:
        said = [a_memory(t, source=Source.MONITOR, correction_history=history) for t in texts]
        return [tx.memories.add(m) for m in (*said, a_memory("The user is me", source=Source.USER))]

    *learned, own = await store.write(user, fill)
    await store.use_embedder("test:16", 16)
    vectors = {m.id: vector(7) for m in (*learned, own)}
    await store.write(user, lambda tx: tx.vectors.put_many(vectors, "test:16"))
    await store.close()
    with closing(sqlite3.connect(path)) as con, con:  # back to what 0011 found
        for column in ("owner", "text"):
            con.execute(f"ALTER TABLE memories_text ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
        con.execute(
            "CREATE VIRTUAL TABLE memories_fts USING fts5 (text, content = 'memories_text', content_rowid = 'n')"
        )
        con.execute("DELETE FROM schema_migrations WHERE name LIKE '0011%' OR name LIKE '0015%'")

    store = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    try:
        await store.use_embedder("test:16", 16)
        found = await store.read(
            user, lambda tx: tx.memories.get_many([*(m.id for m in learned), own.id])
        )
        contents = ["Lives in Lyon.", "姐姐住在里昂", "Tom hates fish", "The user is me"]
        assert [m.original_content for m in found] == [m.content for m in found] == contents
        assert found[0].correction_history == history
        reader = store.open_reader(user)
        assert [s.id for s in await reader.search_words("user", 5, _ALL)] == [own.id]
        assert [s.id for s in await reader.search_words("Lyon", 5, _ALL)] == [learned[0].id]
        missing = await store.read(user, lambda tx: tx.vectors.list_missing("test:16", 9))
        assert {i for i, _ in missing} == {learned[0].id, learned[1].id}
    finally:
        await store.close()
