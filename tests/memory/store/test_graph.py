from __future__ import annotations

from dataclasses import replace

from memory.models import Filter, Sensitivity, State
from memory.ports import Transaction
from memory.store import SqliteStore
from tests.memory.store.support import a_memory, neighbours


async def test_names_are_compared_folded(store: SqliteStore, user: str) -> None:
    """Case, width and spacing of an entity's name do not matter; a rare one counts more."""

    def teach(tx: Transaction) -> list[str]:
        names = [("ACME  Corp",), ("acme corp", "Ａｎｎａ"), ("acme corp",), ("王小明",)]
        return [tx.memories.add(a_memory(str(n), entities=n)).id for n in names]

    ids = await store.write(user, teach)
    found = await store.open_reader(user).find_by_entity(["acme corp", "anna"], 9, Filter())
    assert found[0].id == ids[1]
    assert {s.id for s in found} == set(ids[:3])
    assert [
        s.id for s in await store.open_reader(user).find_by_entity(["王小明"], 9, Filter())
    ] == [ids[3]]
    assert await store.open_reader(user).find_by_entity([], 9, Filter()) == []


async def test_neighbours_are_two_hops_away_at_most(store: SqliteStore, user: str) -> None:
    """Each hop counts half; the start is never its own neighbour."""

    def teach(tx: Transaction) -> list[str]:
        names = [("a",), ("a", "b"), ("b", "c"), ("c", "d"), ("x",)]
        return [tx.memories.add(a_memory(str(n), entities=n)).id for n in names]

    ids = await store.write(user, teach)
    one = await neighbours(store, user, ids[:1], 1)
    two = await neighbours(store, user, ids[:1], 2)
    assert list(one) == [ids[1]]
    assert list(two) == [ids[1], ids[2]]
    assert two[ids[1]] > two[ids[2]]
    assert await neighbours(store, user, [], 2) == {}


async def test_the_gone_and_the_secret_are_nobodys_neighbours(
    store: SqliteStore, user: str
) -> None:
    """And an entity follows its memory's new list."""

    def teach(tx: Transaction) -> list[str]:
        first = tx.memories.add(a_memory("first", entities=("a",)))
        tx.memories.add(a_memory("gone", entities=("a",), state=State.DELETED))
        tx.memories.add(a_memory("secret", entities=("a",), sensitivity=Sensitivity.SECRET))
        last = tx.memories.add(a_memory("last", entities=("z",)))
        tx.memories.put(replace(last, entities=("A",)), "updated")
        return [first.id, last.id]

    ids = await store.write(user, teach)
    assert list(await neighbours(store, user, ids[:1], 2)) == [ids[1]]
    assert await store.open_reader(user).find_by_entity(["z"], 9, Filter()) == []
