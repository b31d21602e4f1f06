"""How near memories are that have nothing to do with each other, measured on the user's own vectors."""

from __future__ import annotations

import numpy as np

from memory.ports import FloatArray, Tx
from memory.store import SqliteStore
from tests.memory.store.support import MODEL, a_memory, vector

DIM = 16


def near(seed: int, share: float) -> FloatArray:
    """Vectors that have `share` of one direction in common."""
    v: FloatArray = vector(seed, DIM) * (1 - share) + np.eye(1, DIM, dtype=np.float32)[0] * share
    return v / np.linalg.norm(v)


async def learn(store: SqliteStore, user: str, vectors: list[FloatArray]) -> None:
    def work(tx: Tx) -> None:
        saved = tx.memories.add_many([a_memory(f"memory {i}") for i in range(len(vectors))])
        tx.vectors.put_many({m.id: v for m, v in zip(saved, vectors, strict=True)}, MODEL)

    await store.write(user, work)


async def test_as_the_vectors_are(store: SqliteStore, user: str, other: str) -> None:
    """Mean and spread of the pairs, to the accuracy of a sample, and of this user's alone."""
    await store.use_embedder(MODEL, DIM)
    mine = [near(i, 0.6) for i in range(200)]
    for i in range(0, 200, 20):  # theirs stand between mine
        await learn(store, user, mine[i : i + 20])
        await learn(store, other, [near(1000 + i + j, 0.0) for j in range(20)])
    matrix = np.stack(mine)
    pairs = (matrix @ matrix.T)[np.triu_indices(200, 1)]
    chance = await store.reader(user).chance()
    assert chance is not None
    assert abs(chance.mean - pairs.mean()) < 0.08
    assert abs(chance.spread - pairs.std()) < 0.05
    theirs = await store.reader(other).chance()
    assert theirs is not None
    assert abs(theirs.mean) < 0.15


async def test_too_few_say_nothing(store: SqliteStore, user: str) -> None:
    """None without an embedder, without vectors, and with a handful; measured once there are enough."""
    assert await store.reader(user).chance() is None
    await store.use_embedder(MODEL, DIM)
    assert await store.reader(user).chance() is None
    await learn(store, user, [vector(i, DIM) for i in range(5)])
    assert await store.reader(user).chance() is None
    await learn(store, user, [vector(i, DIM) for i in range(5, 40)])
    assert await store.reader(user).chance() is not None
