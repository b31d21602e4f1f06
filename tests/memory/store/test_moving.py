"""Two embedders at once: memories are found by the vector they have, until the earlier one's go."""

from __future__ import annotations

import numpy as np
import pytest

from memory.models import Filter, State
from memory.ports import FloatArray, Reader, Transaction
from memory.store import SqliteStore
from tests.memory.store.support import MODEL, a_memory, vector

OLD, OLD_DIM, DIM = "old:letters:48", 48, 16


async def learned(store: SqliteStore, user: str, seeds: range, dim: int, model: str) -> list[str]:
    """Memories with the vectors of these seeds."""

    def work(tx: Transaction) -> list[str]:
        saved = tx.memories.add_many([a_memory(f"memory {s}") for s in seeds])
        tx.vectors.put_many(
            {m.id: vector(s, dim) for m, s in zip(saved, seeds, strict=True)}, model
        )
        return [m.id for m in saved]

    return await store.write(user, work)


def both(seed: int) -> FloatArray:
    return np.concatenate([vector(seed, DIM), vector(seed, OLD_DIM)])


async def found(reader: Reader, v: FloatArray, k: int = 1) -> list[str]:
    return [s.id for s in await reader.search_vectors(v, k, Filter())]


@pytest.mark.parametrize("by_scan", [False, True])
async def test_each_memory_is_found_by_the_vector_it_has(
    store: SqliteStore, user: str, by_scan: bool
) -> None:
    """By both vectors of a question; by the new one alone, what has been embedded anew."""
    store.shared.vec = store.shared.vec and not by_scan
    await store.use_embedder(OLD, OLD_DIM)
    ids = await learned(store, user, range(300), OLD_DIM, OLD)
    await store.use_embedder(MODEL, DIM, before=OLD)
    reader = store.open_reader(user)
    await store.write(
        user, lambda tx: tx.vectors.put_many({ids[i]: vector(i, DIM) for i in range(150)}, MODEL)
    )
    assert await found(reader, both(7)) == [ids[7]]
    assert await found(reader, both(200)) == [ids[200]]
    assert await found(reader, vector(7, DIM)) == [ids[7]]
    assert await found(reader, vector(200, DIM)) != [ids[200]]
    everything = await found(reader, both(1), 300)
    assert sorted(everything) == sorted(ids)  # each once
    assert await found(reader, vector(1, OLD_DIM)) == []  # of a question embedded before the change
    assert len(await reader.search_each_vector([both(7), vector(9, DIM)], 5, Filter())) == 2


async def test_the_earlier_embedders_cosines_are_measured_anew(
    store: SqliteStore, user: str
) -> None:
    """A model that finds everything alike does not drown the other."""
    await store.use_embedder(OLD, OLD_DIM)
    await learned(store, user, range(200), OLD_DIM, OLD)
    alike = np.ones(OLD_DIM, np.float32) * 3

    def near(seed: int) -> FloatArray:
        v: FloatArray = vector(seed, OLD_DIM) + alike
        return v / np.linalg.norm(v)

    def work(tx: Transaction) -> list[str]:
        saved = tx.memories.add_many([a_memory(f"other {s}") for s in range(200)])
        tx.vectors.put_many({m.id: near(s) for s, m in enumerate(saved)}, "flat:letters:48")
        return [m.id for m in saved]

    await store.write(user, work)
    await store.use_embedder(OLD, OLD_DIM, before="flat:letters:48")
    query = np.concatenate([vector(5, OLD_DIM), near(5)])
    scores = [s.score for s in await store.open_reader(user).search_vectors(query, 400, Filter())]
    flat = [float(near(5) @ near(s)) for s in range(200)]
    assert min(flat) > 0.5
    assert len(scores) == 400
    assert np.median(scores) < 0.3


async def test_the_old_vectors_go_a_batch_at_a_time(store: SqliteStore, user: str) -> None:
    """Then nothing is left of the model but what a tombstone needs."""
    await store.use_embedder(OLD, OLD_DIM)
    ids = await learned(store, user, range(30), OLD_DIM, OLD)
    await store.use_embedder(MODEL, DIM, before=OLD)

    def progress(tx: Transaction) -> tuple[tuple[int, int], list[tuple[str, int]]]:
        return tx.vectors.count_embedded(MODEL), tx.vectors.list_other_models(MODEL)

    assert await store.read(user, progress) == ((0, 30), [(OLD, 30)])
    assert not await store.drop_unused_embedders(MODEL)
    await store.write(
        user, lambda tx: tx.vectors.put_many({i: vector(n, DIM) for n, i in enumerate(ids)}, MODEL)
    )
    went = [await store.write(user, lambda tx: tx.vectors.drop_vectors(OLD, 20)) for _ in range(3)]
    assert went == [20, 10, 0]
    assert await store.read(user, progress) == ((30, 30), [])
    assert await store.drop_unused_embedders(MODEL)
    assert await store.write_system(lambda s: s.embedders()) == [MODEL]
    assert await found(store.open_reader(user), both(3)) == []
    assert await found(store.open_reader(user), vector(3, DIM)) == [ids[3]]
    if store.shared.vec:
        tables = await store.read(
            user,
            lambda tx: [r[0] for r in tx.con.execute("SELECT name FROM sqlite_master")],  # type: ignore[attr-defined]
        )
        assert "vec_2" in tables
        assert "vec_1" not in tables


@pytest.mark.parametrize("by_scan", [False, True])
async def test_an_edit_is_not_found_by_its_old_vector(
    store: SqliteStore, user: str, by_scan: bool
) -> None:
    """However many there are, by sqlite-vec as by a scan."""
    store.shared.vec = store.shared.vec and not by_scan
    await store.use_embedder(MODEL, DIM)
    ids = await learned(store, user, range(5000), DIM, MODEL)
    reader = store.open_reader(user)
    assert await found(reader, vector(4, DIM)) == [ids[4]]
    await store.write(user, lambda tx: tx.vectors.put_many({ids[4]: vector(9001, DIM)}, MODEL))
    again = await reader.search_vectors(vector(4, DIM), 10, Filter())
    assert ids[4] not in {s.id for s in again} or all(
        s.score < 0.99 for s in again if s.id == ids[4]
    )
    assert [s.id for s in await reader.search_vectors(vector(9001, DIM), 1, Filter())] == [ids[4]]
    every = await reader.search_vectors(vector(4, DIM), 6000, Filter(states=frozenset(State)))
    assert len(every) == len({s.id for s in every}) == 5000
