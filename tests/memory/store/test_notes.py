"""Opening a file of an earlier version writes its memories as notes, once."""

from __future__ import annotations

from pathlib import Path

from memory.models import Filter, Source
from memory.store import open_store, worker_id
from tests.memory.store.support import KEY, NOW, a_memory, clock

_ALL = Filter()


async def test_what_was_learned_becomes_notes(path: Path) -> None:
    """Texts, search and the words of merges; not what the person said, and no history."""
    store = await open_store(path, clock=clock, worker=worker_id(), key=KEY)
    user = await store.system(lambda s: s.create_user(NOW))
    texts = ("The user lives in Lyon.", "用户的姐姐住在里昂", "Tom hates fish")
    history = ({"at": 1, "reason": "edited", "was": "The user lives in Paris"},)
    learned = [
        await store.write(
            user, lambda tx, t=t: tx.memories.add(a_memory(t, source=Source.MONITOR, correction_history=history))
        )
        for t in texts
    ]
    own = await store.write(user, lambda tx: tx.memories.add(a_memory("The user is me", source=Source.USER)))
    await store.use_embedder("test:4", 4)
    await store.write(user, lambda tx: [tx.vectors.put(m.id, "test:4", [1.0, 0, 0, 0]) for m in (*learned, own)])
    await store.system(lambda s: s.con.execute("DELETE FROM schema_migrations WHERE name LIKE '0011%'"))
    await store.close()

    store = await open_store(path, clock=clock, worker=worker_id(), key=KEY)
    try:
        await store.use_embedder("test:4", 4)
        found = await store.read(user, lambda tx: tx.memories.many([*(m.id for m in learned), own.id]))
        contents = ["Lives in Lyon.", "姐姐住在里昂", "Tom hates fish", "The user is me"]
        assert [m.original_content for m in found] == [m.content for m in found] == contents
        assert found[0].correction_history == history
        reader = store.reader(user)
        assert [s.id for s in await reader.lexical("user", 5, _ALL)] == [own.id]
        assert [s.id for s in await reader.lexical("Lyon", 5, _ALL)] == [learned[0].id]
        missing = await store.read(user, lambda tx: tx.vectors.missing("test:4", 9))
        assert {i for i, _ in missing} == {learned[0].id, learned[1].id}
    finally:
        await store.close()
