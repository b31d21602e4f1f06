"""Several looks in one go give what each gives alone; and what stands beside a memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np

from memory.models import Filter, Layer, Memory
from memory.ports import Transaction
from memory.store import SqliteStore
from tests.memory.store.support import NOW, a_memory

EMBEDDER = "test:several:8"


async def saved(store: SqliteStore, user: str, memories: list[Memory]) -> list[str]:
    rng = np.random.default_rng(3)

    def write(tx: Transaction) -> list[str]:
        tx.changes.begin("user", "chat", NOW)
        made = [tx.memories.add(m) for m in memories]
        for m in made:
            tx.vectors.put_many({m.id: rng.normal(size=8).astype(np.float32)}, EMBEDDER)
        return [m.id for m in made]

    return await store.write(user, write)


async def test_each_gives_what_one_gives(store: SqliteStore, user: str) -> None:
    """The same memories in the same order; scores differ at most by the average length they are measured by."""
    await store.use_embedder(EMBEDDER, 8)
    words = ["whale", "boat", "harbour", "lamp", "rope", "小猫", "咖啡", "北京"]
    texts = [f"{words[i % 8]} and {words[(i * 3 + 1) % 8]} number {i}" for i in range(60)]
    await saved(store, user, [a_memory(t) for t in texts])
    reader, f = store.open_reader(user), Filter()
    asked = ["whale boat", "小猫 喝咖啡", "nothing of it", "北京 lamp"]
    for text, found in zip(asked, await reader.search_each_text(asked, 10, f), strict=True):
        assert {s.id for s in found[:3]} <= {s.id for s in await reader.search_words(text, 20, f)}
        assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    vectors = list(np.random.default_rng(5).normal(size=(3, 8)).astype(np.float32))
    for v, near in zip(vectors, await reader.search_each_vector(vectors, 10, f), strict=True):
        alone = await reader.search_vectors(v, 10, f)
        assert [s.id for s in near] == [s.id for s in alone]
        assert np.allclose([s.score for s in near], [s.score for s in alone], atol=1e-5)


async def test_a_filter_that_holds_most_back(store: SqliteStore, user: str) -> None:
    """The few that pass are found, however far down they stand."""
    await store.use_embedder(EMBEDDER, 8)
    ids = await saved(store, user, [a_memory(f"whale number {i}") for i in range(400)])
    f = Filter(exclude=frozenset(ids[:-2]))
    (found,) = await store.open_reader(user).search_each_text(["whale"], 5, f)
    assert {s.id for s in found} == set(ids[-2:])
    vectors = list(np.eye(8, dtype=np.float32)[:2])
    for near in await store.open_reader(user).search_each_vector(vectors, 5, f):
        assert {s.id for s in near} == set(ids[-2:])


async def test_beside(store: SqliteStore, user: str, other: str) -> None:
    """Next to each other in one session, by time; not across sessions or people, and episodes stand beside nothing."""
    memories = [
        replace(a_memory(f"m{i}"), source_session="s", created_at=NOW + timedelta(seconds=10 * i))
        for i in range(4)
    ]
    episode = replace(a_memory("e"), source_session="s", created_at=NOW, layer=Layer.EPISODE)
    a, b, c, d, e, _ = await saved(
        store, user, [*memories, episode, replace(a_memory("x"), source_session="t")]
    )
    await saved(store, other, [replace(a_memory("y"), source_session="s", created_at=NOW)])

    every = await store.open_reader(user).search_words("m0 m1 m2 m3 e x", 9, Filter())
    at = {s.id: s.place for s in every}
    found = await store.open_reader(user).get_neighbours(np.array([at[b], at[e]]), 2, Filter())
    assert found.places.tolist() == [[-1, at[a], at[c], at[d]], [-1, -1, -1, -1]]
    assert found.seconds.tolist() == [[0.0, 10.0, 10.0, 20.0], [0.0, 0.0, 0.0, 0.0]]
    held_back = await store.open_reader(user).get_neighbours(
        np.array([at[b]]), 2, Filter(exclude=frozenset({c}))
    )
    assert held_back.places.tolist() == [[-1, at[a], -1, at[d]]]
    assert await store.open_reader(other).search_words("m0 m1 m2", 9, Filter()) == []
