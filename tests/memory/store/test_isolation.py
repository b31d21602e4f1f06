"""Two people with the same words see nothing of each other, whatever they ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot import tables
from memory.errors import NotFound
from memory.models import (
    Filter,
    Hit,
    Memory,
    Mode,
    Recall,
    Sensitivity,
    State,
    Tombstone,
    TurnRow,
    Usage,
)
from memory.ports import Transaction
from memory.store import SqliteStore
from tests.memory.store.support import MODEL, NOW, a_memory, a_message, later, neighbours, vector

EVERY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)


def live(tx: Transaction) -> dict[str, Any]:
    """The same life, whoever lives it."""
    opened = tx.changes.begin("user", "chat", NOW)
    session = tx.conversations.open_session("chat:1", NOW)
    said = tx.conversations.add_message(a_message(session.id, "I like green tea", turn_id="t1"))
    memory = tx.memories.add(a_memory("Likes green tea 喜欢绿茶", entities=("Green Tea",)))
    friend = tx.memories.add(a_memory("Bought green tea for Anna", entities=("green tea", "Anna")))
    tx.memories.add_source(memory.id, said.id)
    tx.vectors.put_many({memory.id: vector(1)}, MODEL)
    tx.vectors.put_many({friend.id: vector(2)}, MODEL)
    tx.conversations.open_turn(
        TurnRow(
            "t1",
            tx.user_id,
            "chat:1",
            session.id,
            "tui",
            "open",
            NOW,
            said.id,
            "w",
            later(seconds=9),
        )
    )
    job = tx.jobs.enqueue("monitor", "t1", {"turn_ids": ["t1"]}, NOW)
    assert job is not None
    tx.traces.save("t1", "chat:1", Recall((Hit(memory, 1.0),), mode=Mode.NORMAL), [memory.id], NOW)
    tx.traces.record_tokens("chat", "m", Usage(10, 5, 0), NOW)
    tx.tombstones.add(
        Tombstone(tx.user_id, friend.id, tx.tombstones.compute_digest("gone"), NOW, opened.id)
    )
    tables.put_choice(tx, "k1", "chat:1", "forget", {"ids": [memory.id]}, later(hours=1))
    return {
        "memory": memory,
        "friend": friend,
        "said": said.id,
        "session": session.id,
        "set": opened.id,
        "job": job,
    }


async def test_neither_reads_anything_of_the_other(
    store: SqliteStore, user: str, other: str
) -> None:
    """By search, by id, by graph, by log, by key."""
    await store.use_embedder(MODEL, 16)
    mine, theirs = await store.write(user, live), await store.write(other, live)
    for me, own, foreign in ((user, mine, theirs), (other, theirs, mine)):
        reader, ids = store.open_reader(me), {own["memory"].id, own["friend"].id}
        assert {s.id for s in await reader.search_words("green tea", 9, EVERY)} == ids
        assert {s.id for s in await reader.search_words("绿茶", 9, EVERY)} == {own["memory"].id}
        assert {s.id for s in await reader.search_vectors(vector(1), 9, EVERY)} == ids
        assert {s.id for s in await reader.find_by_entity(["green tea"], 9, EVERY)} == ids
        assert set(await neighbours(store, me, [own["memory"].id, foreign["memory"].id], 2)) == {
            own["friend"].id
        }
        assert await reader.get([foreign["memory"].id]) == []

        def look(tx: Transaction, foreign: dict[str, Any] = foreign) -> list[Any]:
            c = tx.conversations
            return [
                tx.memories.get(foreign["memory"].id),
                tx.memories.list_sources(foreign["memory"].id),
                tx.memories.list_learned_from([foreign["said"]]),
                tx.vectors.get([foreign["memory"].id], MODEL),
                c.get_message(foreign["said"]),
                c.get_session(foreign["session"]),
                c.list_messages(session_id=foreign["session"]),
                tx.changes.get(foreign["set"]),
                tx.changes.list_changes(set_id=foreign["set"]),
                tx.changes.get_latest_change("memory", foreign["memory"].id),
                tx.traces.list_recalling_turns(foreign["memory"].id),
                tx.secret(foreign["memory"].id),
            ]

        assert not any(await store.read(me, look))
        found = await store.read(me, lambda tx: tx.memories.find(EVERY, text="green"))
        assert {m.id for m in found.items} == ids
        changes = await store.read(me, lambda tx: tx.changes.list_changes(after=0))
        assert {c.user_id for c in changes} == {me}
        assert [
            m.user_id for m in (await store.read(me, lambda tx: tx.conversations.list_sessions()))
        ] == [me]
        assert (
            await store.read(me, lambda tx: tx.traces.count_tokens(None, NOW))
        ).prompt_tokens == 10


async def test_neither_changes_anything_of_the_other(
    store: SqliteStore, user: str, other: str
) -> None:
    """A foreign id is an unknown id."""
    theirs = await store.write(other, live)
    foreign: Memory = theirs["memory"]
    message = await store.read(other, lambda tx: tx.conversations.get_message(theirs["said"]))
    session = await store.read(other, lambda tx: tx.conversations.get_session(theirs["session"]))
    assert message is not None
    assert session is not None
    for act in (
        lambda tx: tx.memories.put(replace(foreign, content="x"), "updated"),
        lambda tx: tx.memories.erase(foreign.id),
        lambda tx: tx.memories.add_source(foreign.id, "m"),
        lambda tx: tx.memories.add_mention(foreign.id, "m", NOW),
        lambda tx: tx.put_secret(foreign.id, b"x"),
        lambda tx: tx.conversations.put_messages([replace(message, text="x")]),
        lambda tx: tx.conversations.put_session(replace(session, title="x")),
        lambda tx: tx.conversations.add_message(a_message(session.id, "x")),
    ):
        with pytest.raises(NotFound):
            await store.write(user, act)

    def quiet(tx: Transaction) -> list[Any]:
        tx.vectors.put_many({foreign.id: vector(9)}, MODEL)
        tx.jobs.cancel(theirs["job"].id)
        tx.tombstones.remove(theirs["friend"].id)
        tx.changes.mark_undone(theirs["set"], "x")
        return [
            tx.conversations.close_session(session.id, NOW, "new"),
            tx.conversations.finish_turn("t1", "w", "done", NOW),
            tables.take_choice(tx, "k1", NOW),
            tx.tombstones.has(tx.tombstones.compute_digest("gone")),
            tx.memories.remove_mention(foreign.id, "m"),
        ]

    assert not any(await store.write(user, quiet))

    def still(tx: Transaction) -> tuple[Any, ...]:
        changed = tx.changes.get(theirs["set"])
        return (
            tx.memories.get(foreign.id) == foreign,
            len(tx.jobs.list_pending("monitor")),
            changed is not None and changed.undone_by is None,
            tx.tombstones.has(tx.tombstones.compute_digest("gone")),
            tables.find_pending_choice(tx, "chat:1", NOW),
            tx.conversations.get_open_turn("chat:1") is not None,
        )

    assert await store.read(other, still) == (True, 1, True, True, "k1", True)


async def test_the_same_digest_differs_between_people(
    store: SqliteStore, user: str, other: str
) -> None:
    """Nobody can tell that two people forgot the same thing; spelling does not matter, words do."""

    def digests(tx: Transaction) -> list[str]:
        return [tx.tombstones.compute_digest(t) for t in ("Likes tea.", "likes  TEA!", "likes tee")]

    mine, theirs = await store.read(user, digests), await store.read(other, digests)
    assert mine[0] == mine[1] != mine[2]
    assert not set(mine) & set(theirs)
