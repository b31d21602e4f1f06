"""What upkeep needs of the store: outlines, cached weights, reports, idle sessions, and a lane that runs alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from memory.models import Job, Kind, Sensitivity, State, TurnRow, UpkeepNight, WeightEvent
from memory.ports import Transaction
from memory.store import SqliteStore
from tests.memory.store.support import NOW, a_memory, a_message, later


async def test_outlines_tell_all_memories_without_their_words(
    store: SqliteStore, user: str, other: str
) -> None:
    """In the order made, in any state, of any sensitivity; nobody else's."""

    def write(tx: Transaction) -> list[str]:
        a = tx.memories.add(a_memory("one", kind=Kind.TODO, expires_at=later(days=2)))
        b = tx.memories.add(a_memory("two", sensitivity=Sensitivity.SECRET))
        tx.memories.put(replace(b, state=State.DELETED, deleted_at=NOW), "deleted")
        return [a.id, b.id]

    ids = await store.write(user, write)
    await store.write(other, lambda tx: tx.memories.add(a_memory("theirs")))
    rows = await store.read(user, lambda tx: tx.memories.list_outlines())
    assert [o.id for o in rows] == ids
    assert [o.rev for o in rows] == [1, 2]
    assert [o.state for o in rows] == ["active", "deleted"]
    assert rows[0].place < rows[1].place
    assert (rows[0].expires_at, rows[1].expires_at) == (int(later(days=2).timestamp() * 1000), None)
    assert (rows[0].recent_mentions, rows[0].kind) == ("[]", "todo")
    assert not any(v in {"one", "two"} for o in rows for v in o)


async def test_weights_are_cached_without_a_change(
    store: SqliteStore, user: str, other: str
) -> None:
    """No rev, no log, no change; and never over what was written meanwhile."""
    a = await store.write(user, lambda tx: tx.memories.add(a_memory("a")))
    b = await store.write(user, lambda tx: tx.memories.add(a_memory("b")))
    moved = await store.write(
        user, lambda tx: tx.memories.put(replace(b, weight=1.7), "reinforced")
    )
    seq = await store.read(user, lambda tx: tx.changes.get_last_seq())
    assert (
        await store.write(
            user, lambda tx: tx.memories.put_weights([(a.id, 1, 0.4), (b.id, 1, 0.2)])
        )
        == 1
    )
    assert await store.write(other, lambda tx: tx.memories.put_weights([(a.id, 1, 0.1)])) == 0
    found = {m.id: m for m in await store.open_reader(user).get([a.id, b.id])}
    assert found[a.id] == replace(a, weight=0.4)
    assert found[b.id] == moved
    assert await store.read(user, lambda tx: tx.changes.get_last_seq()) == seq


async def test_the_log_since_is_of_all_memories(store: SqliteStore, user: str) -> None:
    """From the moment on, in order."""
    a = await store.write(user, lambda tx: tx.memories.add(a_memory("a")))

    def log(tx: Transaction) -> None:
        for hours in (3, 1, 2):
            tx.memories.log(WeightEvent(a.id, later(hours=hours), "mention", 1.0, 1.5))
            tx.memories.log(WeightEvent(a.id, later(hours=hours), "level", 1.0, 1.0))

    await store.write(user, log)
    since = await store.read(
        user,
        lambda tx: tx.memories.list_weight_log(since=later(hours=2), events={"mention", "boost"}),
    )
    assert [e.at for e in since] == [later(hours=2), later(hours=3)]


async def test_a_night_is_written_over_and_the_newest_are_kept(
    store: SqliteStore, user: str, other: str
) -> None:
    """One row for each run; progress and reports are told apart."""

    def write(tx: Transaction, n: int, *, done: bool) -> None:
        tx.nights.put(
            UpkeepNight(
                f"job{n}", "2026-01-03", later(days=n), done=done, data={"n": n, "done": done}
            )
        )

    await store.write(user, lambda tx: write(tx, 1, done=False))
    assert await store.read(user, lambda tx: tx.nights.list_latest_nights()) == []
    running = await store.read(user, lambda tx: tx.nights.list_latest_nights(done=False))
    assert [n.data for n in running] == [{"n": 1, "done": False}]
    for i in range(1, 80):
        await store.write(user, lambda tx, i=i: write(tx, i, done=True))  # type: ignore[misc]
    kept = await store.read(user, lambda tx: tx.nights.list_latest_nights(100))
    assert [n.data["n"] for n in kept] == list(range(79, 19, -1))
    assert await store.read(user, lambda tx: tx.nights.list_latest_nights(done=False)) == []
    assert await store.read(user, lambda tx: tx.nights.get_night("job3")) is None
    assert await store.read(other, lambda tx: tx.nights.get_night("job79")) is None


async def test_an_erased_memory_leaves_the_reports(store: SqliteStore, user: str) -> None:
    """A pair that named it goes as a whole."""
    a, b, c = [await store.write(user, lambda tx, t=t: tx.memories.add(a_memory(t))) for t in "abc"]  # type: ignore[misc]
    data = {
        "pairs": [[a.id, b.id], [b.id, c.id]],
        "ids": [a.id, c.id],
        "carry": {a.id: 2, c.id: 1},
        "n": 3,
    }
    await store.write(
        user, lambda tx: tx.nights.put(UpkeepNight("job", "2026-01-03", NOW, done=True, data=data))
    )
    receipt = await store.write(user, lambda tx: tx.memories.erase(a.id))
    assert receipt["reports"] == 1
    (night,) = await store.read(user, lambda tx: tx.nights.list_latest_nights())
    assert night.data == {"pairs": [[b.id, c.id]], "ids": [c.id], "carry": {c.id: 1}, "n": 3}


async def test_idle_sessions_are_those_nobody_speaks_in(
    store: SqliteStore, user: str, other: str
) -> None:
    """Of every scope; not the empty, the recent, the closed, nor one whose answer is being written."""

    def write(tx: Transaction) -> list[str]:
        c = tx.conversations
        opened = {
            scope: c.open_session(scope, NOW)
            for scope in ("idle", "group", "empty", "recent", "closed", "busy")
        }
        for scope, s in opened.items():
            if scope != "empty":
                c.add_message(a_message(s.id, "hello"))
        c.put_session(replace(opened["recent"], last_at=later(hours=1)))
        c.close_session(opened["closed"].id, NOW, "new")
        s = opened["busy"]
        c.open_turn(
            TurnRow("t", user, "busy", s.id, "test", "open", NOW, "m", "w", later(minutes=1))
        )
        return [opened["idle"].id, opened["group"].id]

    wanted = await store.write(user, write)
    assert [
        s.id for s in await store.read(user, lambda tx: tx.conversations.list_idle_sessions(NOW))
    ] == wanted
    assert await store.read(other, lambda tx: tx.conversations.list_idle_sessions(NOW)) == []
    assert (
        await store.read(
            user, lambda tx: tx.conversations.list_idle_sessions(NOW - timedelta(seconds=1))
        )
        == []
    )


# --- the lane ---


async def lease(store: SqliteStore, hours: float, worker: str = "w") -> Job | None:
    at = later(hours=hours)
    return await store.write_system(
        lambda s: s.lease(at, at + timedelta(minutes=1), worker, kinds=["upkeep"])
    )


async def enqueue(store: SqliteStore, user: str, key: str, hours: float) -> None:
    at = later(hours=hours)
    await store.write(
        user, lambda tx: tx.jobs.enqueue("upkeep", key, {}, NOW, lane=f"upkeep:{user}", run_at=at)
    )


async def test_a_later_night_does_not_hold_up_a_run_by_hand(store: SqliteStore, user: str) -> None:
    """But while that one runs, the night waits: upkeep of one person never runs twice at once."""
    await enqueue(store, user, "night", 5)
    await enqueue(store, user, "hand", 0)
    first = await lease(store, 1)
    assert first is not None
    assert first.dedup_key == "hand"
    assert await lease(store, 5, "other") is not None, "a lease that ran out is taken again"
    again = await lease(store, 5, "third")
    assert again is None, "the night is due, and the run by hand is not over"
    assert await store.read(user, lambda tx: tx.jobs.holds_lease(first)) is False
    assert await store.finish_job(replace(first, leased_by="other"), lambda _tx: {})
    night = await lease(store, 5.1)
    assert night is not None
    assert night.dedup_key == "night"
    assert await store.read(user, lambda tx: tx.jobs.holds_lease(night))


async def test_only_one_of_two_due_nights_runs_at_a_time(
    store: SqliteStore, user: str, other: str
) -> None:
    """In order; another person's runs beside it."""
    for who, key in ((user, "a"), (user, "b"), (other, "c")):
        await enqueue(store, who, key, 0)
    keys = [
        j.dedup_key
        for j in [await lease(store, 0.1), await lease(store, 0.1), await lease(store, 0.1)]
        if j
    ]
    assert keys == ["a", "c"]


# --- erasing quietly ---


async def test_a_quiet_erasure_takes_what_is_its_own_and_no_more(
    store: SqliteStore, user: str
) -> None:
    """Rows, logs and links go; what was said, what others say and what was said anew stay."""

    def write(tx: Transaction) -> tuple[str, str, str, str]:
        session = tx.conversations.open_session("s", NOW)
        said = tx.conversations.add_message(a_message(session.id, "I like quillwort tea a lot."))
        tx.conversations.put_session(replace(session, running_summary="Likes quillwort tea a lot."))
        old = tx.memories.add(a_memory("Likes quillwort tea a lot", kind=Kind.EPISODE))
        tx.memories.add_source(old.id, said.id)
        tx.memories.log(WeightEvent(old.id, NOW, "created", 0.0, 1.0))
        old = tx.memories.put(replace(old, state=State.DELETED, deleted_at=NOW), "deleted")
        new = tx.memories.add(
            a_memory("Likes quillwort tea a lot", kind=Kind.EPISODE, merged_from=(old.id,))
        )
        return old.id, new.id, said.id, session.id

    old, new, said, session = await store.write(user, write)
    receipt = await store.write(user, lambda tx: tx.memories.erase(old, everywhere=False))
    assert (
        receipt["memories"],
        receipt["weight_log"],
        receipt["sources"],
        receipt["messages"],
    ) == (1, 1, 1, 0)

    def look(tx: Transaction) -> tuple[object, ...]:
        kept = tx.memories.get(new)
        message, s = tx.conversations.get_message(said), tx.conversations.get_session(session)
        assert kept
        assert message
        assert s
        return (
            tx.memories.get(old),
            kept.content,
            kept.state,
            kept.merged_from,
            message.text,
            s.running_summary,
        )

    tea = "Likes quillwort tea a lot"
    want = (None, tea, State.ACTIVE, (), "I like quillwort tea a lot.", f"{tea}.")
    assert await store.read(user, look) == want


async def test_hidden_messages_are_found_by_how_long(
    store: SqliteStore, user: str, other: str
) -> None:
    """With a text, hidden by then, this person's."""

    def write(tx: Transaction) -> list[str]:
        s = tx.conversations.open_session("s", NOW)
        texts = {"old": NOW, "shown": None, "recent": later(days=3), "": NOW}
        return [
            tx.conversations.add_message(a_message(s.id, t, hidden_at=at)).id
            for t, at in texts.items()
        ]

    ids = await store.write(user, write)
    await store.write(other, write)
    found = await store.read(
        user, lambda tx: tx.conversations.list_hidden_messages(later(days=1), 10)
    )
    assert [m.id for m in found] == ids[:1]
