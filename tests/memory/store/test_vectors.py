from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory.errors import StoreError
from memory.models import Filter, Kind, Sensitivity, State, Tombstone
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id, open_store
from tests.memory.store.support import KEY, MODEL, NOW, a_memory, clock, vector


async def teach(store: SqliteStore, user: str, seeds: range, **fields: object) -> list[str]:
    """Memories with the vectors of these seeds; ids in that order."""

    def work(tx: Transaction) -> list[str]:
        ids = []
        for seed in seeds:
            ids.append(tx.memories.add(a_memory(f"memory {seed}", **fields)).id)
            tx.vectors.put_many({ids[-1]: vector(seed)}, MODEL)
        return ids

    return await store.write(user, work)


def expected(ids: dict[str, int], seed: int, k: int) -> list[str]:
    """By plain arithmetic."""
    return sorted(ids, key=lambda i: -float(vector(ids[i]) @ vector(seed)))[:k]


async def test_nearest_is_what_arithmetic_says(store: SqliteStore, user: str) -> None:
    """Cosines, best first; vectors of any length are made unit."""
    await store.use_embedder(MODEL, 16)
    ids = dict(zip(await teach(store, user, range(100)), range(100), strict=True))
    found = await store.open_reader(user).search_vectors(vector(500) * 7, 10, Filter())
    assert [s.id for s in found] == expected(ids, 500, 10)
    assert found[0].score == pytest.approx(float(vector(ids[found[0].id]) @ vector(500)), abs=1e-5)


@pytest.mark.parametrize("by_scan", [False, True])
async def test_the_filter_never_starves_the_result(
    store: SqliteStore, user: str, by_scan: bool
) -> None:
    """However many of the nearest are held back, by sqlite-vec as by a scan."""
    if by_scan:
        store.shared.vec = False
    elif not store.shared.vec:
        pytest.skip("no sqlite-vec here")
    await store.use_embedder(MODEL, 16)
    wanted = dict(zip(await teach(store, user, range(5), kind=Kind.GOAL), range(5), strict=True))
    await teach(store, user, range(5, 600))
    close = Filter(kinds=frozenset({Kind.GOAL}))
    found = await store.open_reader(user).search_vectors(vector(300), 3, close)
    assert [s.id for s in found] == expected(wanted, 300, 3)
    assert len(await store.open_reader(user).search_vectors(vector(300), 9, close)) == 5
    assert len(await store.open_reader(user).search_vectors(vector(300), 9, Filter())) == 9
    best = await store.open_reader(user).search_vectors(vector(300), 1, Filter())
    assert best[0].score == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("kind", ["dense", "sparse", "alike"])
async def test_both_ways_find_the_same(store: SqliteStore, user: str, kind: str) -> None:
    """By sqlite-vec's bits and by a scan of all vectors, whatever the embedder is like, of one model and of two."""
    if not store.shared.vec:
        pytest.skip("no sqlite-vec here")
    rng = np.random.default_rng(8)
    themes = rng.standard_normal((60, 384)).astype(np.float32)
    rows = themes[rng.integers(0, 60, 3000)] + rng.standard_normal((3000, 384), np.float32)
    if kind == "sparse":
        rows *= rng.random((3000, 384)) < 0.15
    if kind == "alike":  # as e5 makes them: all cosines about .9
        rows += 4 * rng.standard_normal(384).astype(np.float32)
    await store.use_embedder("test:384", 384)
    saved = await store.write(
        user, lambda tx: tx.memories.add_many([a_memory(f"memory {i}") for i in range(3000)])
    )
    for start in (0, 100, 1000):
        some = {
            m.id: rows[i]
            for i, m in enumerate(saved)
            if i % 1000 >= start // 10 or i >= 1000 - start
        }
        await store.write(user, lambda tx, some=some: tx.vectors.put_many(some, "test:384"))  # type: ignore[misc]
    queries = [rows[i] + 0.5 * rng.standard_normal(384).astype(np.float32) for i in range(20)]
    f = Filter(exclude=frozenset(m.id for m in saved[::3]))
    found = {}
    for vec in (True, False):
        store.shared.vec = vec
        found[vec] = await store.open_reader(user).search_each_vector(queries, 10, f)
    same = [
        len({s.id for s in a} & {s.id for s in b}) / 10
        for a, b in zip(*found.values(), strict=True)
    ]
    assert np.mean(same) > 0.95
    assert [a[0].id for a in found[True]] == [b[0].id for b in found[False]]
    scores = [{s.id: s.score for s in some} for some in (found[True][0], found[False][0])]
    assert all(
        scores[1][i] == pytest.approx(v, abs=1e-6) for i, v in scores[0].items() if i in scores[1]
    )


async def test_what_was_just_written_is_found(store: SqliteStore, user: str) -> None:
    """The matrix follows every put, replacement and removal."""
    await store.use_embedder(MODEL, 16)
    reader = store.open_reader(user)
    first, second = await teach(store, user, range(2))
    assert [s.id for s in await reader.search_vectors(vector(0), 1, Filter())] == [first]
    (third,) = await teach(store, user, range(7, 8))
    assert [s.id for s in await reader.search_vectors(vector(7), 1, Filter())] == [third]
    await store.write(user, lambda tx: tx.vectors.put_many({second: vector(9)}, MODEL))
    found = await reader.search_vectors(vector(9), 3, Filter())
    assert (found[0].id, len(found)) == (second, 3)
    assert found[0].score == pytest.approx(1.0, abs=1e-5)
    memory = (await reader.get([second]))[0]
    await store.write(
        user, lambda tx: tx.memories.put(replace(memory, state=State.DELETED), "deleted")
    )
    await teach(store, user, range(20, 22))
    found = await reader.search_vectors(vector(9), 9, Filter(states=frozenset(State)))
    assert len(found) == 4
    assert second not in {s.id for s in found}


async def test_another_stores_vectors_are_seen(store: SqliteStore, user: str, path: Path) -> None:
    """Two windows on one file: each notices what the other embedded or removed."""
    await store.use_embedder(MODEL, 16)
    (first,) = await teach(store, user, range(1))
    assert len(await store.open_reader(user).search_vectors(vector(0), 5, Filter())) == 1
    window = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    try:
        await window.use_embedder(MODEL, 16)
        await teach(window, user, range(1, 3))
        assert len(await store.open_reader(user).search_vectors(vector(0), 5, Filter())) == 3
        memory = (await window.open_reader(user).get([first]))[0]
        await window.write(
            user, lambda tx: tx.memories.put(replace(memory, state=State.FORGOTTEN), "forgotten")
        )
        assert first not in {
            s.id for s in await store.open_reader(user).search_vectors(vector(0), 5, Filter())
        }
    finally:
        await window.close()


async def test_each_model_has_its_own_vectors(store: SqliteStore, user: str) -> None:
    """After a switch, `missing` says what is to be embedded anew."""
    ids = await teach(store, user, range(3))
    assert await store.open_reader(user).search_vectors(vector(0), 5, Filter()) == []
    await store.use_embedder("other:8", 8)
    assert await store.open_reader(user).search_vectors(vector(0, 8), 5, Filter()) == []
    missing = await store.read(user, lambda tx: tx.vectors.list_missing("other:8", 2))
    assert missing == [(ids[0], "memory 0"), (ids[1], "memory 1")]
    await store.write(user, lambda tx: tx.vectors.put_many({ids[2]: vector(2, 8)}, "other:8"))
    assert [
        s.id for s in await store.open_reader(user).search_vectors(vector(2, 8), 5, Filter())
    ] == [ids[2]]
    await store.use_embedder(MODEL, 16)
    assert [s.id for s in await store.open_reader(user).search_vectors(vector(1), 1, Filter())] == [
        ids[1]
    ]
    got = await store.read(user, lambda tx: tx.vectors.get(ids, MODEL))
    assert list(got) and np.allclose(got[ids[0]], vector(0))
    with pytest.raises(StoreError):
        await store.write(user, lambda tx: tx.vectors.put_many({ids[0]: vector(0, 8)}, MODEL))


async def test_secrets_and_the_gone_get_no_vector(store: SqliteStore, user: str) -> None:
    """Also where the embedding was under way when they went."""
    await store.use_embedder(MODEL, 16)
    (secret,) = await teach(store, user, range(1), sensitivity=Sensitivity.SECRET)
    (gone,) = await teach(store, user, range(1, 2), state=State.DELETED)
    assert await store.read(user, lambda tx: tx.vectors.get([secret, gone], MODEL)) == {}
    assert await store.read(user, lambda tx: tx.vectors.list_missing(MODEL, 9)) == []


@pytest.mark.parametrize("grave_first", [True, False])
async def test_a_tombstone_keeps_the_vector_until_the_purge(
    store: SqliteStore, user: str, grave_first: bool
) -> None:
    """In whichever order the deletion and the tombstone are written."""
    await store.use_embedder(MODEL, 16)
    (memory_id,) = await teach(store, user, range(1))
    memory = (await store.open_reader(user).get([memory_id]))[0]

    def forget(tx: Transaction) -> None:
        opened = tx.changes.begin("user", "forget", NOW)
        grave = Tombstone(user, memory_id, tx.tombstones.compute_digest("memory 0"), NOW, opened.id)
        if grave_first:
            tx.tombstones.add(grave)
        tx.memories.put(replace(memory, state=State.DELETED), "deleted")
        if not grave_first:
            tx.tombstones.add(grave)

    await store.write(user, forget)

    def look(tx: Transaction) -> tuple[bool, int]:
        digest = tx.tombstones.compute_digest("Memory 0!")
        alike = tx.tombstones.list_matching("none", MODEL, vector(0), 1 - 1e-5)
        return tx.tombstones.has(digest), len(alike)

    assert await store.read(user, look) == (True, 1)
    await store.write(user, lambda tx: tx.memories.erase(memory_id))
    assert await store.read(user, look) == (True, 0)
    await store.write(user, lambda tx: tx.tombstones.remove(memory_id))
    assert (await store.read(user, look))[0] is False


async def test_rebuild_derives_both_indexes_anew(store: SqliteStore, user: str) -> None:
    """From the base tables alone, whatever became of the indexes."""
    await store.use_embedder(MODEL, 16)
    ids = await teach(store, user, range(4))

    def damage(tx: Transaction) -> None:
        con = tx.con  # type: ignore[attr-defined]
        con.execute("DELETE FROM memories_text")
        if store.shared.vec:
            con.execute("DELETE FROM vec_1 WHERE rowid > 2")

    await store.write(user, damage)
    store.indexes.forget()
    assert await store.open_reader(user).search_words("memory", 9, Filter()) == []
    assert await store.rebuild() == {"text": 4, "vectors": 4}
    assert {s.id for s in await store.open_reader(user).search_words("memory", 9, Filter())} == set(
        ids
    )
    assert len(await store.open_reader(user).search_vectors(vector(0), 9, Filter())) == 4
    assert await store.rebuild(user) == {"text": 4, "vectors": 4}
