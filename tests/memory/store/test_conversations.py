from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory.errors import Conflict, NotFound
from memory.models import Hit, Message, Mode, Recall, Session, TurnRow, Usage
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id
from tests.memory.store.support import NOW, a_memory, a_message, finished, later, spawn

SCOPE = "user:me"


async def an_open_session(store: SqliteStore, user: str) -> Session:
    return await store.write(user, lambda tx: tx.conversations.open_session(SCOPE, NOW))


def a_turn(session: Session, turn_id: str = "t1", **fields: Any) -> TurnRow:
    given: dict[str, Any] = {
        "id": turn_id,
        "user_id": session.user_id,
        "scope": SCOPE,
        "session_id": session.id,
        "origin": "tui",
        "state": "open",
        "started_at": NOW,
        "user_message_id": "m",
        "leased_by": make_worker_id(),
        "leased_until": later(seconds=30),
    }
    return TurnRow(**(given | fields))


async def test_a_scope_has_one_open_session(store: SqliteStore, user: str) -> None:
    """Whoever is second gets the first one's; closing is a compare-and-set."""
    session = await an_open_session(store, user)
    assert await an_open_session(store, user) == session
    assert await store.write(
        user, lambda tx: tx.conversations.close_session(session.id, later(hours=1), "new")
    )
    assert not await store.write(
        user, lambda tx: tx.conversations.close_session(session.id, NOW, "idle")
    )
    closed = await store.read(user, lambda tx: tx.conversations.get_session(session.id))
    assert closed is not None
    assert (closed.state, closed.closed_why, closed.closed_at) == ("closed", "new", later(hours=1))
    assert await store.read(user, lambda tx: tx.conversations.get_open_session(SCOPE)) is None
    following = await an_open_session(store, user)
    assert following.id != session.id
    listed = await store.read(user, lambda tx: tx.conversations.list_sessions(SCOPE))
    assert [s.id for s in listed] == [following.id, session.id]
    assert await store.read(user, lambda tx: tx.conversations.list_sessions("chat:9")) == []


async def test_a_session_is_written_but_for_its_state(store: SqliteStore, user: str) -> None:
    """A stale copy cannot open a closed session again."""
    session = await an_open_session(store, user)
    await store.write(user, lambda tx: tx.conversations.close_session(session.id, NOW, "new"))
    changed = replace(
        session,
        title="标题",
        running_summary="so far",
        last_at=later(minutes=5),
        planned_through=3,
        summarised_through=2,
        extracted_through=1,
        profile=("aaaaaa", "bbbbbb"),
    )
    await store.write(user, lambda tx: tx.conversations.put_session(changed))
    found = await store.read(user, lambda tx: tx.conversations.get_session(session.id))
    assert found == replace(changed, state="closed", closed_at=NOW, closed_why="new")
    with pytest.raises(NotFound):
        await store.write(
            user, lambda tx: tx.conversations.put_session(replace(session, id="nobody"))
        )


async def test_messages_come_in_order_and_in_spans(store: SqliteStore, user: str) -> None:
    """after < seq < before, <= through, the newest, hidden ones on request only."""
    session = await an_open_session(store, user)

    def say(tx: Transaction) -> list[Message]:
        return [tx.conversations.add_message(a_message(session.id, f"{i} 你好")) for i in range(6)]

    said = await store.write(user, say)
    assert [m.seq for m in said] == sorted(m.seq for m in said)
    await store.write(
        user, lambda tx: tx.conversations.put_messages([replace(said[3], hidden_at=NOW)])
    )

    async def texts(**span: Any) -> list[str]:
        found = await store.read(user, lambda tx: tx.conversations.list_messages(**span))
        return [m.text[0] for m in found]

    assert await texts(session_id=session.id) == ["0", "1", "2", "4", "5"]
    assert await texts(scope=SCOPE, hidden=True) == list("012345")
    assert await texts(session_id=session.id, after=said[0].seq, before=said[4].seq) == ["1", "2"]
    assert await texts(session_id=session.id, through=said[2].seq) == ["0", "1", "2"]
    assert await texts(session_id=session.id, limit=2, newest=True) == ["4", "5"]
    assert await texts(session_id=session.id, limit=2) == ["0", "1"]
    assert await texts(scope="chat:9") == []
    assert await store.read(user, lambda tx: tx.conversations.get_message(said[0].id)) == said[0]


async def test_a_message_needs_its_session_and_its_own_id(store: SqliteStore, user: str) -> None:
    """And an id is not given twice."""
    session = await an_open_session(store, user)
    with pytest.raises(NotFound):
        await store.write(user, lambda tx: tx.conversations.add_message(a_message("nobody", "x")))
    said = await store.write(
        user, lambda tx: tx.conversations.add_message(a_message(session.id, "x"))
    )
    with pytest.raises(Conflict):
        await store.write(user, lambda tx: tx.conversations.add_message(said))
    with pytest.raises(NotFound):
        await store.write(
            user, lambda tx: tx.conversations.put_messages([replace(said, id="nobody")])
        )


async def test_a_scope_has_one_open_turn(store: SqliteStore, user: str) -> None:
    """And a turn's id is used once, even after it is done."""
    session = await an_open_session(store, user)
    turn = a_turn(session)
    await store.write(user, lambda tx: tx.conversations.open_turn(turn))
    assert await store.read(user, lambda tx: tx.conversations.get_open_turn(SCOPE)) == turn
    with pytest.raises(Conflict):
        await store.write(user, lambda tx: tx.conversations.open_turn(a_turn(session, "t2")))

    def finish(tx: Transaction) -> bool:
        return tx.conversations.finish_turn(
            "t1", turn.leased_by, "done", later(seconds=5), reply_message_id="r"
        )

    assert not await store.write(
        user, lambda tx: tx.conversations.finish_turn("t1", "else", "done", NOW)
    )
    assert await store.write(user, finish)
    assert not await store.write(user, finish)
    done = await store.read(user, lambda tx: tx.conversations.get_turn("t1"))
    assert done == replace(turn, state="done", ended_at=later(seconds=5), reply_message_id="r")
    with pytest.raises(Conflict):
        await store.write(user, lambda tx: tx.conversations.open_turn(turn))
    await store.write(user, lambda tx: tx.conversations.open_turn(a_turn(session, "t2")))


async def test_a_failed_turn_may_be_answered_again(store: SqliteStore, user: str) -> None:
    """Under its own id, if nothing else runs; a done one may not."""
    session = await an_open_session(store, user)
    turn = a_turn(session)
    await store.write(user, lambda tx: tx.conversations.open_turn(turn))

    def again(tx: Transaction) -> bool:
        return tx.conversations.reopen_turn("t1", "w2", later(seconds=60))

    assert not await store.write(user, again)

    def fail(tx: Transaction) -> None:
        tx.conversations.finish_turn("t1", turn.leased_by, "failed", NOW, error="rate_limit")

    await store.write(user, fail)
    failed = await store.read(user, lambda tx: tx.conversations.get_turn("t1"))
    assert failed is not None
    assert failed.error == "rate_limit"
    assert await store.write(user, again)
    reopened = await store.read(user, lambda tx: tx.conversations.get_turn("t1"))
    assert reopened == replace(turn, leased_by="w2", leased_until=later(seconds=60))
    await store.write(user, lambda tx: tx.conversations.finish_turn("t1", "w2", "done", NOW))
    assert not await store.write(user, again)


async def test_orphans_are_turns_whose_lease_or_process_ended(
    store: SqliteStore, user: str
) -> None:
    """A process that is gone from this machine is not waited for."""
    session = await an_open_session(store, user)
    await store.write(user, lambda tx: tx.conversations.open_turn(a_turn(session)))
    assert (
        await store.read(user, lambda tx: tx.conversations.list_orphan_turns(later(seconds=29)))
        == []
    )
    assert (
        len(
            await store.read(user, lambda tx: tx.conversations.list_orphan_turns(later(seconds=30)))
        )
        == 1
    )
    assert not await store.write(
        user, lambda tx: tx.conversations.renew_turn("t1", "else", later(hours=1))
    )
    assert await store.write(
        user, lambda tx: tx.conversations.renew_turn("t1", lease_of(tx), later(hours=1))
    )
    assert (
        await store.read(user, lambda tx: tx.conversations.list_orphan_turns(later(seconds=30)))
        == []
    )
    dead = finished(
        spawn("from memory.store import make_worker_id; print(make_worker_id())")
    ).strip()
    await store.write(
        user, lambda tx: tx.conversations.finish_turn("t1", lease_of(tx), "done", NOW)
    )
    await store.write(
        user, lambda tx: tx.conversations.open_turn(a_turn(session, "t2", leased_by=dead))
    )
    orphans = await store.read(user, lambda tx: tx.conversations.list_orphan_turns(NOW))
    assert [t.id for t in orphans] == ["t2"]


async def test_a_clock_ahead_takes_no_reply_away(store: SqliteStore, user: str) -> None:
    """A process that took the turn for an orphan does not keep the one that answers it from storing the reply."""
    session = await an_open_session(store, user)
    turn = a_turn(session)
    await store.write(user, lambda tx: tx.conversations.open_turn(turn))
    ahead = later(minutes=5)
    assert await store.write(
        user, lambda tx: tx.conversations.finish_turn("t1", turn.leased_by, "interrupted", ahead)
    )
    assert await store.write(
        user, lambda tx: tx.conversations.renew_turn("t1", turn.leased_by, later(hours=1))
    )
    assert await store.write(
        user, lambda tx: tx.conversations.finish_turn("t1", turn.leased_by, "done", NOW)
    )
    assert not await store.write(
        user, lambda tx: tx.conversations.finish_turn("t1", turn.leased_by, "done", NOW)
    )


def lease_of(tx: Transaction) -> str:
    """Who holds the open turn."""
    running = tx.conversations.get_open_turn(SCOPE)
    assert running is not None
    return running.leased_by


async def test_the_trace_of_a_turn_holds_ids_and_numbers(store: SqliteStore, user: str) -> None:
    """Memories are shown as they stand now; those erased since are left out."""

    def act(tx: Transaction) -> tuple[str, str]:
        a, b = tx.memories.add(a_memory("Likes tea")), tx.memories.add(a_memory("Likes coffee"))
        hit = Hit(
            a,
            0.9,
            {"vector": 0.8},
            {"weight": 1.1},
            0.75,
            {"words": 3.5, "bias": -4.0},
            why="relevance",
        )
        near = Hit(b, 0.2, gate=0.1, passed=False)
        recall = Recall((hit,), (near,), late=True, mode=Mode.REVIEW, took_ms=12.5)
        tx.traces.save("t1", SCOPE, recall, [a.id], NOW)
        tx.traces.save("t1", SCOPE, recall, [a.id], NOW)
        tx.memories.put(replace(a, content="tea"), "levelled")
        return a.id, b.id

    a, b = await store.write(user, act)
    found = await store.read(user, lambda tx: tx.traces.load("t1"))
    assert found is not None
    assert (found.late, found.mode, found.took_ms, len(found.hits), len(found.missed)) == (
        True,
        Mode.REVIEW,
        12.5,
        1,
        1,
    )
    assert (found.hits[0].memory.content, found.hits[0].signals, found.hits[0].gate) == (
        "tea",
        {"vector": 0.8},
        0.75,
    )
    assert found.hits[0].evidence == {"words": 3.5, "bias": -4.0}
    assert await store.read(user, lambda tx: tx.traces.list_used("t1")) == [a]
    assert await store.read(user, lambda tx: tx.traces.get_last_turn(SCOPE)) == "t1"
    assert await store.read(user, lambda tx: tx.traces.list_recalling_turns(a)) == ["t1"]
    assert await store.read(user, lambda tx: tx.traces.list_recalling_turns(b)) == []
    assert await store.read(user, lambda tx: tx.traces.load("t2")) is None

    def texts(tx: Any) -> str:
        rows = [
            *tx.con.execute("SELECT * FROM recall_traces"),
            *tx.con.execute("SELECT * FROM recall_hits"),
        ]
        return repr([tuple(r) for r in rows])

    assert "tea" not in await store.read(user, texts)


async def test_tokens_are_counted_by_role_and_day(store: SqliteStore, user: str) -> None:
    """From the day asked for on."""

    def spend(tx: Transaction) -> None:
        tx.traces.record_tokens("chat", "m", Usage(10, 5, 2), later(days=-1))
        tx.traces.record_tokens("chat", "m", Usage(1, 1, 1), NOW)
        tx.traces.record_tokens("memory", "n", Usage(100, 50, 0), NOW)

    await store.write(user, spend)
    await store.write(user, spend)

    def spent(tx: Transaction) -> list[Usage]:
        return [
            tx.traces.count_tokens("chat", later(days=-1)),
            tx.traces.count_tokens("chat", NOW),
            tx.traces.count_tokens(None, NOW),
            tx.traces.count_tokens("chat", later(days=1)),
        ]

    assert await store.read(user, spent) == [
        Usage(22, 12, 6),
        Usage(2, 2, 2),
        Usage(202, 102, 2),
        Usage(),
    ]


async def test_a_users_settings_are_kept(store: SqliteStore, user: str) -> None:
    """In the user's own row."""
    mine = await store.read(user, lambda tx: tx.user())
    changed = replace(mine, lang="zh", tz="Asia/Shanghai", settings={"learning": "ask"})
    await store.write(user, lambda tx: tx.put_user(changed))
    assert await store.read(user, lambda tx: tx.user()) == changed
