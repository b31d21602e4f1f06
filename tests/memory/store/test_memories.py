from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Conflict, NotFound, StoreError
from memory.models import (
    CurveState,
    Filter,
    Kind,
    Layer,
    Level,
    Memory,
    Sensitivity,
    Source,
    State,
    WeightEvent,
)
from memory.ports import Transaction
from memory.store import SqliteStore, memory_from_json, memory_to_json
from memory.store.rows import dump, load
from tests.memory.store.support import MODEL, NOW, a_memory, a_message, later, vector

EVERY_STATE = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)


async def index_rows(store: SqliteStore, memory_id: str) -> dict[str, int]:
    """In how many index rows the memory stands."""

    def count(tx: Any) -> dict[str, int]:
        n = tx.con.execute("SELECT n FROM memories WHERE id = ?", (memory_id,)).fetchone()[0]
        queries = {
            "text": "SELECT COUNT(*) FROM memories_text WHERE n = ?",
            "vectors": "SELECT COUNT(*) FROM embeddings WHERE memory_n = ?",
            "vec0": "SELECT COUNT(*) FROM vec_1 WHERE rowid = ?",
        }
        if not tx.shared.vec:
            del queries["vec0"]
        return {name: tx.con.execute(sql, (n,)).fetchone()[0] for name, sql in queries.items()}

    return await store.read("", count)


def everything(memory: Memory) -> Memory:
    """A memory that has a value in every field."""
    return replace(
        memory,
        topics=("food", "健康"),
        entities=("Anna", "安娜"),
        modalities=("text", "image"),
        confidence=0.1 + 0.2,
        pinned=True,
        level=Level.TAG,
        weight=1 / 3,
        activation_count=7,
        recent_mentions=(later(days=-1), NOW),
        valid_from=later(days=-10),
        valid_until=later(days=10),
        expires_at=later(days=3),
        precision="day",
        source=Source.USER,
        verified=True,
        source_session="s1",
        source_message="m1",
        supersedes=("aaaaaa",),
        merged_from=("bbbbbb",),
        merged_into="cccccc",
        compressed_from="dddddd",
        source_ids=("eeeeee",),
        original_contents={"bbbbbb": "原文"},
        negated_at=later(days=-2),
        correction_history=({"at": 1, "from": "旧", "to": "new"},),
        state=State.SUPERSEDED,
        sensitivity=Sensitivity.PRIVATE,
        reviewed_at=later(days=-5),
        deleted_at=later(days=-6),
        curve_state=CurveState(0.7, later(hours=-1), {"amplitude": 0.3}),
    )


async def test_every_field_comes_back_as_it_was_written(store: SqliteStore, user: str) -> None:
    """The row holds all of a memory, and so does its JSON."""
    added = await store.write(user, lambda tx: tx.memories.add(everything(a_memory("Loves 绿茶"))))
    read = await store.read(user, lambda tx: tx.memories.get(added.id))
    assert read == added
    assert replace(added, id="", user_id="") == everything(a_memory("Loves 绿茶"))
    assert memory_from_json(load(dump(memory_to_json(added)))) == added


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.integers(0, 4),
    st.sampled_from(list(Kind)),
)
def test_a_memorys_json_is_lossless(weight: float, text: str, level: int, kind: Kind) -> None:
    """Any text and any number survives the change log."""
    memory = everything(a_memory(text, weight=weight, kind=kind))
    memory = replace(memory, level=Level(level), user_id="u", id="x")
    assert memory_from_json(load(dump(memory_to_json(memory)))) == memory


async def test_an_id_is_short_typeable_and_never_given_twice(store: SqliteStore, user: str) -> None:
    """Crockford base32, a letter first; an erased memory's id stays taken."""
    ids = await store.write(user, lambda tx: [tx.new_id() for _ in range(300)])
    assert len(set(ids)) == 300
    assert all(
        len(i) == 6 and i[0].isalpha() and not set(i) & set("ilou") and i.islower() for i in ids
    )
    memory = await store.write(user, lambda tx: tx.memories.add(a_memory("gone soon")))
    await store.write(user, lambda tx: tx.memories.erase(memory.id))
    with pytest.raises(Conflict):
        await store.write(user, lambda tx: tx.memories.add(replace(memory, content="another")))


async def test_many_keeps_the_order_asked_for(store: SqliteStore, user: str) -> None:
    """Unknown ids are left out."""
    added = await store.write(
        user, lambda tx: [tx.memories.add(a_memory(f"number {i}")) for i in range(4)]
    )
    wanted = [added[2].id, "nobody", added[0].id]
    found = await store.open_reader(user).get(wanted)
    assert [m.id for m in found] == [added[2].id, added[0].id]


async def test_put_needs_the_rev_that_was_read(store: SqliteStore, user: str) -> None:
    """Who wrote in between is named."""
    memory = await store.write(user, lambda tx: tx.memories.add(a_memory("first")))

    def change(tx: Transaction) -> str:
        opened = tx.changes.begin("user", "edit", NOW)
        assert tx.memories.put(replace(memory, pinned=True), "updated").rev == memory.rev + 1
        return opened.id

    by = await store.write(user, change)
    with pytest.raises(Conflict) as caught:
        await store.write(user, lambda tx: tx.memories.put(replace(memory, weight=0.5), "updated"))
    assert caught.value.by == by
    with pytest.raises(NotFound):
        await store.write(user, lambda tx: tx.memories.put(replace(memory, id="nobody"), "updated"))


@pytest.mark.parametrize("state", [State.DELETED, State.FORGOTTEN])
async def test_what_is_deleted_leaves_every_index_at_once(
    store: SqliteStore, user: str, state: State
) -> None:
    """Text, FTS, vectors and vec0, in the same transaction; coming back, it is embedded anew."""
    await store.use_embedder(MODEL, 16)

    def teach(tx: Transaction) -> Memory:
        added = tx.memories.add(a_memory("Allergic to peanuts"))
        tx.vectors.put_many({added.id: vector(1)}, MODEL)
        return added

    memory = await store.write(user, teach)
    assert set((await index_rows(store, memory.id)).values()) == {1}
    gone = await store.write(
        user, lambda tx: tx.memories.put(replace(memory, state=state), "deleted")
    )
    assert set((await index_rows(store, memory.id)).values()) == {0}
    every = Filter(states=frozenset(State))
    assert await store.open_reader(user).search_words("peanuts", 5, every) == []
    assert await store.open_reader(user).search_vectors(vector(1), 5, every) == []
    back = await store.write(
        user, lambda tx: tx.memories.put(replace(gone, state=State.ACTIVE), "restored")
    )
    assert [s.id for s in await store.open_reader(user).search_words("peanuts", 5, Filter())] == [
        back.id
    ]
    jobs = await store.read(user, lambda tx: tx.jobs.list_pending("embed"))
    assert [j.payload for j in jobs] == [{"memory_ids": [memory.id]}]
    assert await store.read(user, lambda tx: tx.vectors.list_missing(MODEL, 5)) == [
        (memory.id, "Allergic to peanuts")
    ]


async def test_a_rewritten_original_is_indexed_and_embedded_anew(
    store: SqliteStore, user: str
) -> None:
    """`content` fades without touching the index; only the original counts."""
    await store.use_embedder(MODEL, 16)

    def teach(tx: Transaction) -> Memory:
        added = tx.memories.add(a_memory("Plays the violin"))
        tx.vectors.put_many({added.id: vector(1)}, MODEL)
        return added

    memory = await store.write(user, teach)
    faded = await store.write(
        user,
        lambda tx: tx.memories.put(replace(memory, content="music", level=Level.TAG), "levelled"),
    )
    assert await store.read(user, lambda tx: tx.jobs.list_pending("embed")) == []
    assert [s.id for s in await store.open_reader(user).search_words("violin", 5, Filter())] == [
        memory.id
    ]
    await store.write(
        user,
        lambda tx: tx.memories.put(replace(faded, original_content="Plays the cello"), "updated"),
    )
    assert await store.open_reader(user).search_words("violin", 5, Filter()) == []
    assert [s.id for s in await store.open_reader(user).search_words("cello", 5, Filter())] == [
        memory.id
    ]
    assert await store.open_reader(user).search_vectors(vector(1), 5, Filter()) == []
    assert len(await store.read(user, lambda tx: tx.jobs.list_pending("embed"))) == 1


async def test_an_added_memory_without_a_vector_asks_for_one(store: SqliteStore, user: str) -> None:
    """One `embed` job a transaction, and none for what was embedded in it, or is a secret."""
    await store.use_embedder(MODEL, 16)

    def teach(tx: Transaction) -> list[str]:
        tx.vectors.put_many({tx.memories.add(a_memory("one")).id: vector(1)}, MODEL)
        tx.memories.add(a_memory("home Wi-Fi password", sensitivity=Sensitivity.SECRET))
        return [tx.memories.add(a_memory("two")).id, tx.memories.add(a_memory("three")).id]

    without = await store.write(user, teach)
    jobs = await store.read(user, lambda tx: tx.jobs.list_pending())
    assert [(j.kind, j.payload["memory_ids"]) for j in jobs] == [("embed", without)]


async def test_find_filters_orders_and_pages(store: SqliteStore, user: str) -> None:
    """The browser's view."""

    def teach(tx: Transaction) -> list[str]:
        return [
            tx.memories.add(
                a_memory(
                    f"memory number {i}",
                    weight=float(10 - i),
                    kind=Kind.GOAL if i % 2 else Kind.FACT,
                    last_activated_at=later(minutes=i),
                )
            ).id
            for i in range(6)
        ]

    ids = await store.write(user, teach)
    page = await store.read(user, lambda tx: tx.memories.find(Filter(), limit=2, offset=2))
    assert (page.total, page.offset, [m.id for m in page.items]) == (6, 2, [ids[3], ids[2]])
    heaviest = await store.read(
        user, lambda tx: tx.memories.find(Filter(), order="weight", limit=1)
    )
    assert [m.id for m in heaviest.items] == [ids[0]]
    goals = Filter(kinds=frozenset({Kind.GOAL}), exclude=frozenset({ids[1]}))
    found = await store.read(user, lambda tx: tx.memories.find(goals))
    assert {m.id for m in found.items} == {ids[3], ids[5]}


def put_in(memory: Memory, state: State) -> Callable[[Transaction], Memory]:
    """Write the memory in another state."""
    return lambda tx: tx.memories.put(replace(memory, state=state), "updated")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("peanut", True),
        ("PEANUTS allergic", True),
        ("allerg", True),
        ("花生", True),
        ("生过", True),
        ("peanut walnuts", False),
        ('" OR *', False),
        ("100%", True),
        ("%", True),
        ("_", False),
    ],
)
async def test_find_looks_for_all_words_in_any_state(
    store: SqliteStore, user: str, text: str, found: bool
) -> None:
    """Stems by the index, parts by LIKE, and no wildcard of the user's; also what left the index."""
    memory = await store.write(
        user, lambda tx: tx.memories.add(a_memory("Allergic to peanuts 100% 对花生过敏"))
    )
    for state in (State.ACTIVE, State.FORGOTTEN):
        memory = await store.write(user, put_in(memory, state))
        page = await store.read(user, lambda tx: tx.memories.find(EVERY_STATE, text=text))
        assert [m.id for m in page.items] == ([memory.id] if found else [])


async def test_a_secret_is_only_returned_where_the_filter_admits_it(
    store: SqliteStore, user: str
) -> None:
    """The default filter stops at PRIVATE."""
    secret = a_memory("home Wi-Fi password", sensitivity=Sensitivity.SECRET)
    memory = await store.write(user, lambda tx: tx.memories.add(secret))
    await store.write(user, lambda tx: tx.put_secret(memory.id, b"sealed"))
    assert (await store.read(user, lambda tx: tx.memories.find(Filter()))).items == ()
    assert await store.open_reader(user).search_words("password", 3, Filter()) == []
    admitted = Filter(max_sensitivity=Sensitivity.SECRET)
    assert [s.id for s in await store.open_reader(user).search_words("password", 3, admitted)] == [
        memory.id
    ]
    assert await store.read(user, lambda tx: tx.secret(memory.id)) == b"sealed"


async def test_validity_and_negation_are_filtered_in_the_store(
    store: SqliteStore, user: str
) -> None:
    """`valid_until` is exclusive; what has not begun yet is there already."""

    def teach(tx: Transaction) -> dict[str, str]:
        rows = {
            "now": a_memory("tea now"),
            "past": a_memory("tea past", valid_until=NOW),
            "coming": a_memory("tea coming", valid_from=later(seconds=1)),
            "begun": a_memory("tea begun", valid_from=NOW, valid_until=later(seconds=1)),
            "negated": a_memory("tea negated", negated_at=NOW),
        }
        return {tx.memories.add(m).id: name for name, m in rows.items()}

    names = await store.write(user, teach)

    async def found(f: Filter) -> set[str]:
        return {names[s.id] for s in await store.open_reader(user).search_words("tea", 9, f)}

    assert await found(Filter(valid_at=NOW)) == {"now", "begun", "coming", "negated"}
    assert await found(Filter(valid_at=NOW, negated=False)) == {"now", "begun", "coming"}
    assert await found(Filter(negated=True)) == {"negated"}


async def test_a_mention_counts_once_for_a_message_and_never_for_its_source(
    store: SqliteStore, user: str
) -> None:
    """Whoever noticed it."""
    memory = await store.write(user, lambda tx: tx.memories.add(a_memory("Likes tea")))

    def work(tx: Transaction) -> list[bool]:
        tx.memories.add_source(memory.id, "said")
        tx.memories.add_source(memory.id, "said")
        said = [tx.memories.add_mention(memory.id, m, NOW) for m in ("said", "again", "again")]
        return [
            *said,
            tx.memories.remove_mention(memory.id, "again"),
            tx.memories.add_mention(memory.id, "again", NOW),
        ]

    assert await store.write(user, work) == [False, True, False, True, True]
    assert await store.read(user, lambda tx: tx.memories.list_sources(memory.id)) == ["said"]
    assert await store.read(user, lambda tx: tx.memories.list_mentions(memory.id)) == ["again"]
    assert await store.read(user, lambda tx: tx.memories.list_learned_from(["said", "x"])) == [
        memory.id
    ]
    with pytest.raises(NotFound):
        await store.write(user, lambda tx: tx.memories.add_mention("nobody", "x", NOW))


async def test_sources_come_in_the_order_they_were_said(store: SqliteStore, user: str) -> None:
    """Not in the order they were noted."""

    def work(tx: Transaction) -> tuple[str, list[str]]:
        session = tx.conversations.open_session("user:x", NOW)
        said = [tx.conversations.add_message(a_message(session.id, str(i))).id for i in range(3)]
        memory = tx.memories.add(a_memory("x"))
        for message_id in reversed(said):
            tx.memories.add_source(memory.id, message_id)
        return memory.id, said

    memory_id, said = await store.write(user, work)
    assert await store.read(user, lambda tx: tx.memories.list_sources(memory_id)) == said


async def test_the_weight_log_keeps_events_in_order(store: SqliteStore, user: str) -> None:
    """As they were written, whatever their dates: each state before is the state after of the one in front."""
    memory = await store.write(user, lambda tx: tx.memories.add(a_memory("Likes tea")))
    events = [
        WeightEvent(memory.id, later(days=i), e, 1.0, 1.5, "why", {"M": 1.2}, {"s": 1}, {"s": 2})
        for i, e in enumerate(["created", "mention", "boost"])
    ]

    def note(tx: Transaction) -> None:
        for event in reversed(events):
            tx.memories.log(event)

    await store.write(user, note)
    assert await store.read(user, lambda tx: tx.memories.list_weight_log(memory.id)) == events[::-1]


async def test_counts_know_every_state(store: SqliteStore, user: str) -> None:
    """Also those that nothing is in."""
    await store.write(user, lambda tx: [tx.memories.add(a_memory(str(i))) for i in range(3)])
    counts = await store.read(user, lambda tx: tx.memories.count_by("state"))
    assert counts["active"] == 3
    assert counts["deleted"] == 0


async def test_episodes_are_found_by_time(store: SqliteStore, user: str) -> None:
    """Newest first, within the window."""

    def teach(tx: Transaction) -> list[str]:
        return [
            tx.memories.add(
                a_memory(
                    f"episode {i}",
                    layer=Layer.EPISODE,
                    kind=Kind.EPISODE,
                    created_at=later(days=-i),
                )
            ).id
            for i in range(5)
        ]

    ids = await store.write(user, teach)
    found = await store.open_reader(user).find_episodes(later(days=-3), NOW, 9)
    assert [m.id for m in found] == [ids[1], ids[2], ids[3]]


async def test_a_memory_of_somebody_else_is_not_written_here(
    store: SqliteStore, user: str, other: str
) -> None:
    """Neither added, nor for a user who does not exist."""
    with pytest.raises(StoreError):
        await store.write(user, lambda tx: tx.memories.add(a_memory("x", user_id=other)))
    with pytest.raises(NotFound):
        await store.write("nobody", lambda tx: tx.memories.add(a_memory("x")))
