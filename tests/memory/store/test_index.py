"""What is kept in memory of a user's memories is what the tables say, whatever was written since, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.index.columns import Columns, Postings
from memory.index.text import hash_term
from memory.models import Filter, Kind, Layer, Level, Sensitivity, State
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id, open_store
from memory.store.reader import Indexes
from tests.memory.store.support import KEY, NOW, a_memory, clock, later

WORDS = ("whale", "lamp", "harbour", "running", "小猫", "咖啡", "café")
EVERY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)


def said(columns: Columns) -> Mapping[str, Any]:
    """All that columns say, by memory."""
    ids = [i or None for i in columns.ids[: len(columns)]]
    held: dict[str, set[str]] = {i: set() for i in ids if i}
    for word in WORDS:
        for place in columns.terms.each([hash_term(word)])[0].tolist():
            held[columns.ids[place]].add(word)
    names: dict[str, set[str]] = {i: set() for i in ids if i}
    for name, code in columns.names.items():
        for place in columns.entities.each([code])[0].tolist():
            names[columns.ids[place]].add(name)
            assert code in columns.of_entity.each([place])[0].tolist()
    beside = {}
    order = columns.order
    for i, a in enumerate(order.places[:-1].tolist()):
        b = int(order.places[i + 1])
        if (
            columns.session[a] >= 0
            and columns.session[a] == columns.session[b]
            and columns.ids[a]
            and columns.ids[b]
        ):
            beside[columns.ids[a]] = columns.ids[b]
    assert order.places[order.at].tolist() == list(range(len(columns)))
    every = columns.mask(EVERY, np.empty(0, np.int64))
    active = columns.mask(Filter(valid_at=NOW, negated=False), np.empty(0, np.int64))
    return {
        i: (
            columns.texts[p],
            list(columns.sorts)[columns.sort[p]],
            *(
                int(c[p])
                for c in (
                    columns.valid_from,
                    columns.valid_until,
                    columns.made,
                    columns.due,
                    columns.words,
                )
            ),
            held[i],
            names[i],
            beside.get(i),
            bool(every[p]),
            bool(active[p]),
        )
        for p, i in enumerate(ids)
        if i
    }


async def seen(store: SqliteStore, user: str, indexes: Indexes) -> Mapping[str, Any]:
    """What these indexes say of the user now."""
    return said(await store._readers[0].read(lambda con: indexes.columns(con, user)))


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
changes = st.fixed_dictionaries(
    {},
    optional={
        "state": st.sampled_from([State.ACTIVE, State.SUPERSEDED, State.FORGOTTEN, State.DELETED]),
        "level": st.sampled_from(Level),
        "kind": st.sampled_from(Kind),
        "original_content": texts,
        "entities": st.lists(st.sampled_from(["Anna", "Bo", "安娜"]), max_size=2, unique=True).map(
            tuple
        ),
        "sensitivity": st.sampled_from([Sensitivity.GENERAL, Sensitivity.PRIVATE]),
        "negated_at": st.sampled_from([None, NOW]),
        "valid_until": st.sampled_from([None, NOW, later(days=3)]),
        "expires_at": st.sampled_from([None, later(days=9)]),
        "weight": st.floats(0.1, 1),
    },
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), texts, st.sampled_from(["s", "t", None]), st.integers(0, 5)),
        st.tuples(st.just("put"), st.integers(0, 99), changes),
        st.tuples(st.just("purge"), st.integers(0, 99)),
    ),
    max_size=12,
)


@given(st.lists(steps, min_size=1, max_size=5))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_followed_is_what_is_read_anew(store: SqliteStore, batches: list[list[Any]]) -> None:
    """After every write, of one memory or many; another user's memories are on none of it."""
    user, other = [await store.write_system(lambda s: s.create_user(NOW)) for _ in range(2)]
    await store.write(
        other, lambda tx: tx.memories.add(a_memory("whale harbour", entities=("Anna",)))
    )
    await store.write(
        user,
        lambda tx: [tx.memories.add(a_memory(f"lamp {w}", source_session="s")) for w in WORDS * 3],
    )
    ids: list[str] = []

    def write(tx: Transaction, some: list[Any]) -> None:
        tx.changes.begin("user", "chat", NOW)
        for step in some:
            if step[0] == "add":
                at = later(minutes=step[3])
                m = a_memory(
                    step[1], source_session=step[2], created_at=at, entities=("Bo",) * (step[3] % 2)
                )
                ids.append(tx.memories.add(m).id)
            elif ids and step[0] == "put":
                m = tx.memories.get_many([ids[step[1] % len(ids)]])[0]
                tx.memories.put(replace(m, **step[2]), "updated")
            elif ids:
                gone = ids.pop(step[1] % len(ids))
                tx.memories.put(
                    replace(tx.memories.get_many([gone])[0], state=State.DELETED), "deleted"
                )
                tx.memories.erase(gone)

    for some in batches:
        await store.write(user, lambda tx, some=some: write(tx, some))  # type: ignore[misc]
        followed = await seen(store, user, store.indexes)
        assert followed == await seen(store, user, Indexes(store.shared))
        assert set(ids) < set(followed)
    (alone,) = (await seen(store, other, store.indexes)).values()
    assert alone[0] == "whale harbour"


async def test_another_process_writes(store: SqliteStore, user: str, path: Path) -> None:
    """Its writes are seen with the next look, and a store that slept through what was pruned reads anew."""
    await store.write(user, lambda tx: [tx.memories.add(a_memory(f"lamp {i}")) for i in range(40)])
    assert len(await seen(store, user, store.indexes)) == 40
    second = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    try:
        added = await second.write(user, lambda tx: tx.memories.add(a_memory("whale")))
        assert (await seen(store, user, store.indexes))[added.id][7] == {"whale"}
        await second.write(
            user, lambda tx: [tx.memories.add(a_memory(f"harbour {i}")) for i in range(3)]
        )
        await second.write_system(lambda s: s.prune(touched=1))  # type: ignore[call-arg]
        assert len(await seen(store, user, store.indexes)) == 44
    finally:
        await second.close()


async def test_what_leaves_the_index_is_held_by_nothing(store: SqliteStore, user: str) -> None:
    """And an episode stands beside nothing; a place stays where it was."""
    made = await store.write(
        user,
        lambda tx: [
            tx.memories.add(m)
            for m in (
                a_memory("whale", source_session="s"),
                a_memory("whale of an evening", source_session="s", layer=Layer.EPISODE),
                a_memory("lamp", source_session="s"),
            )
        ],
    )
    before = await seen(store, user, store.indexes)
    assert before[made[0].id][9] == made[2].id
    await store.write(
        user, lambda tx: tx.memories.put(replace(made[0], state=State.FORGOTTEN), "forgotten")
    )
    after = await seen(store, user, store.indexes)
    assert list(after) == list(before)
    assert (after[made[0].id][7], after[made[0].id][6]) == (set(), 0)


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 30), max_size=6, unique=True),
            st.dictionaries(st.integers(0, 30), st.sets(st.integers(0, 9), max_size=4), max_size=6),
        ),
        max_size=6,
    )
)
def test_pairs_are_those_of_sets(rounds: list[tuple[list[int], dict[int, set[int]]]]) -> None:
    """Places that are over say nothing any more, but for what is said of them anew."""
    pairs: set[tuple[int, int]] = {(k, p) for k in range(3) for p in range(0, 12, k + 1)}
    first = sorted(pairs, reverse=True)
    postings = Postings().changed(
        None, np.array([k for k, _ in first], np.uint32), np.array([p for _, p in first], np.int64)
    )
    for lost, new in rounds:
        gone = {*lost, *new}
        added = {(k, p) for p, keys in new.items() for k in keys}
        pairs = {(k, p) for k, p in pairs if p not in gone} | added
        keys = np.array([k for k, _ in added], np.uint32)
        over = postings.have_places(np.array(sorted(gone), np.int64))
        postings = postings.changed(over, keys, np.array([p for _, p in added], np.int64))
        found = postings.each(list(range(10)))
        assert [p.tolist() for p in found] == [
            sorted(p for k, p in pairs if k == key) for key in range(10)
        ]


@pytest.mark.parametrize(
    ("a", "b"), [("running", "runs"), ("cafés", "cafe"), ("allergies", "allergy")]
)
def test_words_of_one_stem_have_one_key(a: str, b: str) -> None:
    """Accents and endings do not matter; Chinese is as it is."""
    assert hash_term(a) == hash_term(b)
    assert hash_term("小猫") != hash_term("猫小")
