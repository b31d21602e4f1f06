"""A long message is a document of its conversation, and comes, changes and goes with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from memory.store import SqliteStore
from tests.memory.store.support import MODEL, NOW, a_memory, a_message

LONG = "The orchard lies behind the mill, and nobody has mown it since the war. " * 100
SCOPE = "user:me"


async def test_a_document_follows_its_message(store: SqliteStore, user: str, other: str) -> None:
    """No other owner or conversation sees it; other words, hiding and a purge take its vectors."""

    def add(tx: Any) -> Any:
        session = tx.conversations.open_session(SCOPE, NOW)
        tx.conversations.add_message(a_message(session.id, "Short."))
        said = tx.conversations.add_message(a_message(session.id, LONG))
        memory = tx.memories.add(a_memory("The orchard lies behind the mill"))
        tx.memories.add_source(memory.id, said.id)
        return said, memory

    def listed(tx: Any) -> Any:
        return tx.documents.list_in(SCOPE, 10)

    await store.use_embedder(MODEL, 4)
    said, memory = await store.write(user, add)
    ((n, embedder),) = await store.read(user, listed)
    assert embedder is None
    jobs = await store.read(user, lambda tx: tx.jobs.list_pending("embed"))
    assert {"documents": True} in [dict(j.payload) for j in jobs]
    assert await store.read(other, listed) == []
    assert await store.read(other, lambda tx: tx.documents.get_many([n])) == []
    assert await store.read(user, lambda tx: tx.documents.list_in("chat:1", 10)) == []
    rows = np.eye(2, 4, dtype=np.float32)
    assert await store.write(user, lambda tx: tx.documents.put_vectors(n, MODEL, [0, 7], rows))
    (d,) = await store.read(user, lambda tx: tx.documents.get_many([n]))
    assert (d.text, d.places, d.vectors.tolist()) == (LONG, (0, 7), rows.tolist())
    assert await store.read(user, lambda tx: tx.documents.list_missing(MODEL)) == []

    def change(tx: Any, **what: Any) -> None:
        message = tx.conversations.get_message(said.id)
        tx.conversations.put_messages([replace(message, **what)])

    await store.write(user, lambda tx: change(tx, text=LONG + "Or so they say."))
    ((again, embedder),) = await store.read(user, listed)
    assert again != n and embedder is None
    assert not await store.write(user, lambda tx: tx.documents.put_vectors(n, MODEL, [0], rows[:1]))
    await store.write(user, lambda tx: change(tx, hidden_at=NOW))
    assert await store.read(user, listed) == []
    await store.write(user, lambda tx: change(tx, hidden_at=None))
    assert len(await store.read(user, listed)) == 1
    await store.write(user, lambda tx: tx.memories.erase(memory.id))
    assert await store.read(user, listed) == []
