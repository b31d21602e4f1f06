"""Purged is purged: from every table, every index, and from the bytes on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot import tables
from memory.errors import NotFound
from memory.models import (
    Filter,
    Hit,
    Layer,
    Memory,
    Recall,
    Sensitivity,
    State,
    Tombstone,
    WeightEvent,
)
from memory.ports import Transaction
from memory.store import SqliteStore
from tests.memory.store.support import MODEL, NOW, a_memory, a_message, later, vector

SAID = "I am allergic to Quillwort and 荨麻子. Do you know a good film?"
CONTENT = "Allergic to Quillwort 荨麻子"
TOKENS = ("Quillwort", "quillwort", "荨麻子", "荨 麻 子", "sealed-quill")
SCOPE = "user:me"


def live(tx: Transaction) -> dict[str, Any]:
    """A memory with traces in every place there is."""
    opened = tx.changes.begin("monitor", "monitor", NOW, turn_id="t1")
    session = tx.conversations.open_session(SCOPE, NOW)
    tx.conversations.put_session(
        replace(
            session, title=SAID[:40], running_summary=f"They talked. {CONTENT}! They like films."
        )
    )
    said = tx.conversations.add_message(a_message(session.id, SAID, turn_id="t1"))
    reply = tx.conversations.add_message(
        a_message(
            session.id,
            "Noted: allergic to Quillwort, 荨麻子. Watch Solaris.",
            role="assistant",
            turn_id="t1",
        )
    )
    again = tx.conversations.add_message(a_message(session.id, "Quillwort again!", turn_id="t2"))
    memory = tx.memories.add(
        a_memory(CONTENT, entities=("Quillwort", "Film"), topics=("Quillwort",))
    )
    tx.memories.add_source(memory.id, said.id)
    tx.memories.add_mention(memory.id, again.id, NOW)
    tx.memories.log(WeightEvent(memory.id, NOW, "created", 1.0, 1.0, "about Quillwort"))
    tx.vectors.put_many({memory.id: vector(1)}, MODEL)
    tx.put_secret(memory.id, b"sealed-quill")
    tx.traces.save("t2", SCOPE, Recall((Hit(memory, 1.0),)), [memory.id], NOW)
    tx.tombstones.add(
        Tombstone(tx.user_id, memory.id, tx.tombstones.compute_digest(CONTENT), NOW, opened.id)
    )
    tx.changes.begin("user", "edit", NOW)
    memory = tx.memories.put(
        replace(memory, content="Quillwort!", correction_history=({"was": CONTENT},)), "updated"
    )
    film = tx.memories.add(a_memory("Likes films", entities=("Film",)))
    merged = tx.memories.add(
        a_memory(
            f"Likes long walks. {CONTENT}.",
            merged_from=(memory.id, film.id),
            supersedes=(memory.id,),
            original_contents={memory.id: CONTENT, film.id: "Likes films"},
            correction_history=({"from": CONTENT, "why": "merged"}, {"from": "else"}),
        )
    )
    tx.vectors.put_many({merged.id: vector(2)}, MODEL)
    tx.jobs.enqueue("embed", "one", {"memory_ids": [memory.id]}, NOW)
    tx.jobs.enqueue("embed", "two", {"memory_ids": [memory.id, film.id]}, NOW)
    tables.put_choice(tx, "k1", SCOPE, "forget", {"ids": [memory.id]}, later(hours=1))
    tables.put_choice(tx, "k2", SCOPE, "forget", {"ids": [film.id]}, later(hours=1))
    return {
        "memory": memory,
        "film": film,
        "merged": merged,
        "said": said,
        "reply": reply,
        "again": again,
    }


def dump(tx: Any) -> str:
    """Every row of every ordinary table."""
    con = tx.con
    tables = con.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    return repr(
        [
            tuple(r)
            for (t,) in tables.fetchall()
            for r in con.execute(f'SELECT * FROM "{t}"').fetchall()
        ]
    )


@pytest.fixture
async def life(store: SqliteStore, user: str) -> dict[str, Any]:
    """That memory, and what is beside it."""
    await store.use_embedder(MODEL, 16)
    return await store.write(user, live)


async def test_erase_takes_a_memory_out_of_every_place(
    store: SqliteStore, user: str, life: dict[str, Any]
) -> None:
    """The receipt counts by place; what only stood beside it stays."""
    receipt = await store.write(user, lambda tx: tx.memories.erase(life["memory"].id))
    assert receipt == {
        "memories": 1,
        "messages": 3,
        "summaries": 1,
        "sources": 1,
        "mentions": 1,
        "weight_log": 1,
        "secrets": 1,
        "traces": 1,
        "index": 1,
        "vectors": 2,
        "entities": 1,
        "jobs": 2,
        "choices": 1,
        "proposals": 0,
        "reports": 0,
        "unread": 0,
        "other_memories": 1,
        "changes": receipt["changes"],
    }
    assert receipt["changes"] >= 3
    rows = await store.read(user, dump)
    assert not [t for t in TOKENS if t in rows]

    def left(tx: Transaction) -> dict[str, Any]:
        return {
            "film": tx.memories.get(life["film"].id),
            "merged": tx.memories.get(life["merged"].id),
            "said": tx.conversations.get_message(life["said"].id),
            "reply": tx.conversations.get_message(life["reply"].id),
            "session": tx.conversations.list_sessions()[0],
            "jobs": [j.payload for j in tx.jobs.list_pending("embed")],
            "choice": tables.find_pending_choice(tx, SCOPE, NOW),
            "tombstone": tx.tombstones.has(tx.tombstones.compute_digest(CONTENT)),
            "undoable": tx.changes.list_undoable(),
            "trace": tx.traces.load("t2"),
        }

    after = await store.read(user, left)
    merged: Memory = after["merged"]
    assert after["film"] == life["film"]
    assert merged.original_content == merged.content == "Likes long walks."
    assert merged.merged_from == (life["film"].id,)
    assert merged.supersedes == ()
    assert merged.original_contents == {life["film"].id: "Likes films"}
    assert merged.correction_history == ({"why": "merged"}, {"from": "else"})
    assert merged.rev == life["merged"].rev + 1  # nobody writes the words back from an older copy
    assert after["said"].text == ""
    assert after["said"].hidden_at is not None
    assert after["reply"].text == "Watch Solaris."
    assert after["reply"].hidden_at is None
    assert after["session"].running_summary == "They talked. They like films."
    assert {"memory_ids": [life["film"].id]} in after["jobs"]
    assert {"memory_ids": [life["merged"].id]} in after[
        "jobs"
    ]  # its text changed, so its vector must
    assert after["choice"] == "k2"
    assert after["tombstone"]
    assert after["undoable"] == []
    assert after["trace"].hits == ()
    cleaned, last = (await store.read(user, lambda tx: tx.changes.list_changes(after=0)))[-2:]
    assert (cleaned.op, cleaned.entity_id, cleaned.before) == ("updated", merged.id, None)
    assert (last.op, last.entity_id, last.before, last.after) == (
        "purged",
        life["memory"].id,
        None,
        None,
    )


async def test_the_bytes_are_gone_after_a_scrub(
    store: SqliteStore, user: str, life: dict[str, Any], path: Path
) -> None:
    """Neither the file nor its log holds a word of it, nor the vector; the rest is found as before."""
    await store.write(user, lambda tx: tx.memories.erase(life["memory"].id))
    assert await store.scrub()
    needles = [t.encode() for t in TOKENS] + [vector(1).tobytes()]
    for file in path.parent.iterdir():
        content = file.read_bytes()
        assert not [n for n in needles if n in content], file
    assert path.with_name(path.name + "-wal").stat().st_size == 0
    assert [s.id for s in await store.open_reader(user).search_words("walks", 5, Filter())] == [
        life["merged"].id
    ]
    assert (
        await store.open_reader(user).search_words("quillwort", 5, Filter(states=frozenset(State)))
        == []
    )


async def test_a_scrub_says_when_somebody_was_in_the_way(
    store: SqliteStore, user: str, path: Path
) -> None:
    """A reader of an old moment keeps the log; the job tries again."""
    reading = store._sqlite.module.connect(path, isolation_level=None)
    reading.execute("BEGIN")
    reading.execute("SELECT COUNT(*) FROM users").fetchone()
    await store.write(user, lambda tx: tx.memories.add(a_memory("new")))
    assert not await store.scrub()
    reading.close()
    assert await store.scrub()


async def test_a_deleted_memorys_words_leave_the_index(
    store: SqliteStore, user: str, path: Path
) -> None:
    """After a soft deletion only the row itself still holds the text."""
    memory = await store.write(user, lambda tx: tx.memories.add(a_memory("Zyzzyva", content="x")))
    deleted = replace(memory, state=State.DELETED, original_content="y")
    await store.write(user, lambda tx: tx.memories.put(deleted, "deleted"))
    con = store._sqlite.module.connect(path)
    assert not con.execute("SELECT COUNT(*) FROM memories_text").fetchone()[0]
    con.close()


async def test_a_message_that_taught_something_else_keeps_that(
    store: SqliteStore, user: str
) -> None:
    """Only the sentences that tell it go, unless the whole message is hidden already."""

    def learn(tx: Transaction) -> tuple[str, list[str]]:
        session = tx.conversations.open_session(SCOPE, NOW)
        texts = [
            "I live in Oslo. I am allergic to peanuts!",
            "我住在上海。我对花生过敏。",
            "Oslo: no peanuts there.",
        ]
        said = [tx.conversations.add_message(a_message(session.id, t)).id for t in texts]
        hidden = tx.conversations.get_message(said[2])
        assert hidden is not None
        tx.conversations.put_messages([replace(hidden, hidden_at=NOW)])
        english, chinese = (
            tx.memories.add(a_memory("Allergic to peanuts")),
            tx.memories.add(a_memory("对花生过敏")),
        )
        home = tx.memories.add(a_memory("Lives in Oslo, 住在上海"))
        for memory, messages in ((home, said), (english, [said[0], said[2]]), (chinese, [said[1]])):
            for message in messages:
                tx.memories.add_source(memory.id, message)
        tx.memories.erase(english.id)
        tx.memories.erase(chinese.id)
        return home.id, said

    home, said = await store.write(user, learn)

    def look(tx: Transaction) -> list[str]:
        found = [tx.conversations.get_message(m) for m in said]
        return [m.text for m in found if m is not None]

    assert await store.read(user, look) == ["I live in Oslo.", "我住在上海。", ""]
    assert await store.read(user, lambda tx: tx.memories.list_sources(home)) == said


async def test_a_short_memory_does_not_take_every_text_with_its_word(
    store: SqliteStore, user: str
) -> None:
    """One word says nothing about a text that merely has it, nor about a longer word."""

    def act(tx: Transaction) -> list[str]:
        tea, teapot = (
            tx.memories.add(a_memory("Tea")),
            tx.memories.add(a_memory("Buys a teapot for tea")),
        )
        likes = tx.memories.add(a_memory("Likes green tea"))
        pots = tx.memories.add(a_memory("Likes green teapots"))
        tx.memories.erase(tea.id)
        tx.memories.erase(likes.id)
        return [m.content for m in tx.memories.get_many([teapot.id, pots.id])]

    assert await store.write(user, act) == ["Buys a teapot for tea", "Likes green teapots"]


async def test_what_was_said_anew_stays_and_what_was_only_derived_goes(
    store: SqliteStore, user: str
) -> None:
    """A newer version of its own is not taken along; what rests on it goes as well."""

    def act(tx: Transaction) -> list[Memory]:
        old = tx.memories.add(a_memory("Allergic to peanuts", state=State.SUPERSEDED))
        new = tx.memories.add(a_memory("Allergic to peanuts and walnuts", supersedes=(old.id,)))
        gist = tx.memories.add(
            a_memory("allergic to peanuts!", source_ids=(old.id,), layer=Layer.CORE)
        )
        both = tx.memories.add(
            a_memory(
                "Allergic to peanuts.",
                merged_from=(old.id,),
                original_contents={old.id: "x", "b": "Likes tea"},
            )
        )
        tx.memories.erase(old.id)
        assert tx.memories.get(gist.id) is None
        return tx.memories.get_many([new.id, both.id])

    new, both = await store.write(user, act)
    assert (new.content, new.supersedes, new.state) == (
        "Allergic to peanuts and walnuts",
        (),
        State.ACTIVE,
    )
    assert (both.content, both.original_content, both.state) == (
        "Likes tea",
        "Likes tea",
        State.ACTIVE,
    )
    assert [
        s.id
        for s in await store.open_reader(user).search_words("peanuts", 9, Filter(frozenset(State)))
    ] == [new.id]
    assert [s.id for s in await store.open_reader(user).search_words("tea", 9, Filter())] == [
        both.id
    ]


async def test_an_episode_keeps_its_other_sentences(store: SqliteStore, user: str) -> None:
    """And is indexed anew without the purged one."""

    def act(tx: Transaction) -> str:
        memory = tx.memories.add(a_memory("Allergic to peanuts"))
        text = "[2026-01-03 18:00] Talked about food. Allergic to peanuts. Planned a trip."
        episode = tx.memories.add(a_memory(text, layer=Layer.EPISODE))
        tx.memories.erase(memory.id)
        return episode.id

    episode = await store.write(user, act)
    left = (await store.open_reader(user).get([episode]))[0]
    assert (
        left.content
        == left.original_content
        == "[2026-01-03 18:00] Talked about food. Planned a trip."
    )
    assert await store.open_reader(user).search_words("peanuts", 5, Filter()) == []
    assert [s.id for s in await store.open_reader(user).search_words("trip", 5, Filter())] == [
        episode
    ]


async def test_what_is_not_there_cannot_be_erased(store: SqliteStore, user: str) -> None:
    """A second purge finds nothing."""
    secret = a_memory("label", sensitivity=Sensitivity.SECRET)
    memory = await store.write(user, lambda tx: tx.memories.add(secret))
    assert json.dumps(dict(await store.write(user, lambda tx: tx.memories.erase(memory.id))))
    with pytest.raises(NotFound):
        await store.write(user, lambda tx: tx.memories.erase(memory.id))
