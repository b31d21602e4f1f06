from __future__ import annotations

from dataclasses import replace

from memory.models import Filter, State
from memory.ports import Transaction
from memory.store import SqliteStore, memory_from_json
from tests.memory.store.support import NOW, a_memory, a_message, later


async def test_a_set_holds_what_an_undo_needs(store: SqliteStore, user: str) -> None:
    """Whole memories before and after; turn, reason and time of the set."""

    def act(tx: Transaction) -> str:
        opened = tx.changes.begin("monitor", "monitor", NOW, turn_id="t1", job_id="j1")
        memory = tx.memories.add(a_memory("Likes tea"))
        tx.memories.put(replace(memory, content="tea", pinned=True), "updated")
        return opened.id

    set_id = await store.write(user, act)
    opened = await store.read(user, lambda tx: tx.changes.get(set_id))
    assert opened is not None
    assert (opened.actor, opened.reason, opened.at, opened.turn_id, opened.job_id) == (
        "monitor",
        "monitor",
        NOW,
        "t1",
        "j1",
    )
    created, updated = await store.read(user, lambda tx: tx.changes.list_changes(set_id=set_id))
    assert (created.op, created.before, updated.op) == ("created", None, "updated")
    assert (updated.reason, updated.turn_id, updated.at) == ("monitor", "t1", NOW)
    assert updated.before is not None
    assert updated.after is not None
    assert updated.before == created.after
    now = (await store.open_reader(user).get([updated.entity_id]))[0]
    assert memory_from_json(updated.after) == now
    assert memory_from_json(updated.before) == replace(
        now, content="Likes tea", pinned=False, rev=1
    )


async def test_a_write_nobody_announced_is_the_systems(store: SqliteStore, user: str) -> None:
    """Nothing is written without a change; each transaction has its own set."""
    await store.write(user, lambda tx: tx.memories.add(a_memory("one")))
    await store.write(user, lambda tx: tx.memories.add(a_memory("two")))
    first, second = await store.read(user, lambda tx: tx.changes.list_changes(after=0))
    assert first.set_id != second.set_id
    found = await store.read(user, lambda tx: tx.changes.get(first.set_id))
    assert found is not None
    assert (found.actor, found.at) == ("system", NOW)


async def test_the_cursor_goes_on_where_it_was(store: SqliteStore, user: str) -> None:
    """`seq` grows with every commit."""
    await store.write(user, lambda tx: [tx.memories.add(a_memory(str(i))) for i in range(5)])
    page = await store.read(user, lambda tx: tx.changes.list_changes(after=0, limit=3))
    rest = await store.read(user, lambda tx: tx.changes.list_changes(after=page[-1].seq))
    assert [len(page), len(rest)] == [3, 2]
    assert await store.read(user, lambda tx: tx.changes.get_last_seq()) == rest[-1].seq
    assert await store.read(user, lambda tx: tx.changes.list_changes(after=rest[-1].seq)) == []


async def test_undoable_is_what_a_person_would_take_back(store: SqliteStore, user: str) -> None:
    """No mentions, no undos, nothing undone, nothing purged; the newest first."""

    def act(tx: Transaction) -> dict[str, str]:
        sets = {"add": tx.changes.begin("monitor", "monitor", NOW).id}
        memory = tx.memories.add(a_memory("one"))
        sets["mention"] = tx.changes.begin("monitor", "monitor", NOW).id
        memory = tx.memories.put(memory, "reinforced")
        sets["chat"] = tx.changes.begin("user", "chat", NOW).id
        session = tx.conversations.open_session("s", NOW)
        tx.conversations.add_message(a_message(session.id, "hello"))
        sets["edit"] = tx.changes.begin("user", "edit", NOW).id
        memory = tx.memories.put(replace(memory, content="two"), "updated")
        sets["undo"] = tx.changes.begin("user", "undo", NOW, undoes=sets["edit"]).id
        memory = tx.memories.put(replace(memory, content="one"), "updated")
        tx.changes.mark_undone(sets["edit"], sets["undo"])
        sets["pin"] = tx.changes.begin("user", "pin", NOW).id
        tx.memories.put(replace(memory, pinned=True), "updated")
        sets["other"] = tx.changes.begin("monitor", "monitor", NOW).id
        tx.memories.add(a_memory("else"))
        return sets

    sets = await store.write(user, act)
    names = {v: k for k, v in sets.items()}
    undoable = await store.read(user, lambda tx: tx.changes.list_undoable())
    assert [names[s.id] for s in undoable] == ["other", "pin", "add"]
    assert [
        names[s.id] for s in await store.read(user, lambda tx: tx.changes.list_undoable(limit=1))
    ] == ["other"]
    gone = (await store.read(user, lambda tx: tx.memories.find(Filter(), text="else"))).items[0]
    await store.write(user, lambda tx: tx.memories.erase(gone.id))
    undoable = await store.read(user, lambda tx: tx.changes.list_undoable())
    assert [names[s.id] for s in undoable] == ["pin", "add"]
    done = await store.read(user, lambda tx: tx.changes.get(sets["edit"]))
    assert done is not None
    assert done.undone_by == sets["undo"]


async def test_the_log_never_repeats_what_was_said(store: SqliteStore, user: str) -> None:
    """Messages, sessions and turns leave ids and states in it, so that hiding them is enough."""

    def act(tx: Transaction) -> None:
        session = tx.conversations.open_session("s", NOW)
        message = tx.conversations.add_message(a_message(session.id, "my SECRETWORD"))
        tx.conversations.put_messages([replace(message, hidden_at=later(minutes=1))])
        titled = replace(
            session, title="SECRETWORD", running_summary="SECRETWORD", summarised_through=7
        )
        tx.conversations.put_session(titled)
        tx.conversations.close_session(session.id, NOW, "new")

    await store.write(user, act)
    changes = await store.read(user, lambda tx: tx.changes.list_changes(after=0))
    assert "SECRETWORD" not in repr(changes)
    assert [(c.entity, c.op) for c in changes] == [
        ("session", "created"),
        ("message", "created"),
        ("message", "updated"),
        ("session", "updated"),
        ("session", "updated"),
    ]
    hidden = changes[2]
    assert hidden.before is not None
    assert hidden.after is not None
    assert (hidden.before["hidden_at"], hidden.after["hidden_at"]) == (None, 1767463260000)
    assert changes[3].after is not None
    assert changes[3].after["summarised_through"] == 7


async def test_latest_for_names_the_last_set_that_touched_it(store: SqliteStore, user: str) -> None:
    """What stands in the way of an undo."""

    def act(tx: Transaction) -> tuple[str, str]:
        memory = tx.memories.add(a_memory("one"))
        opened = tx.changes.begin("user", "forget", NOW)
        tx.memories.put(replace(memory, state=State.DELETED), "deleted")
        return memory.id, opened.id

    memory_id, set_id = await store.write(user, act)
    latest = await store.read(user, lambda tx: tx.changes.get_latest_change("memory", memory_id))
    assert latest is not None
    assert (latest.set_id, latest.op) == (set_id, "deleted")
    assert (
        await store.read(user, lambda tx: tx.changes.get_latest_change("memory", "nobody")) is None
    )
