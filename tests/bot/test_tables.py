"""The bot's own tables: updates once each, replies recorded, choices taken once and in time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot import tables
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id, open_store

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
SCOPE = "chat:1"


def later(**delta: float) -> datetime:
    return NOW + timedelta(**delta)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(
        tmp_path / "ebb.db", clock=lambda: NOW, worker=make_worker_id(), key=b"k" * 32
    )
    yield opened
    await opened.close()


async def test_an_update_is_kept_until_it_is_done(store: SqliteStore) -> None:
    """Once each, in order; its text does not outlive it."""

    def act(s: Any) -> list[Any]:
        put = [
            tables.put_update(s, "telegram", "bot", n, f"chat:{n}", f"text {n}", NOW)
            for n in (2, 1, 2)
        ]
        before = tables.list_open_updates(s, "telegram", "bot")
        tables.finish_update(s, "telegram", "bot", 1, NOW)
        again = tables.put_update(s, "telegram", "bot", 1, "chat:1", "text 1", NOW)
        texts = [r[0] for r in s.run_sql("SELECT payload FROM inbox ORDER BY update_id")]
        return [
            put,
            before,
            again,
            tables.list_open_updates(s, "telegram", "bot"),
            tables.list_open_updates(s, "telegram", "bot2"),
            texts,
        ]

    assert await store.write_system(act) == [
        [True, True, False],
        [(1, "chat:1", "text 1"), (2, "chat:2", "text 2")],
        False,
        [(2, "chat:2", "text 2")],
        [],
        ["", "text 2"],
    ]


async def test_a_delivery_is_remembered(store: SqliteStore) -> None:
    """Where a turn's reply went."""

    def act(s: Any) -> list[Any]:
        tables.put_delivery(s, "telegram", "t1", {"chat": 1, "ids": [5]}, NOW)
        tables.put_delivery(s, "telegram", "t1", {"chat": 1, "ids": [5, 6]}, NOW)
        return [tables.get_delivery(s, "telegram", key) for key in ("t1", "t2")]

    assert await store.write_system(act) == [{"chat": 1, "ids": [5, 6]}, None]


async def test_what_is_over_goes(store: SqliteStore) -> None:
    """Updates dealt with after a week, replies after a month; open ones and a chat's mode stay."""

    def act(s: Any) -> list[Any]:
        for n in range(4):
            tables.put_update(s, "telegram", "1", n, "7", "{}", NOW)
            tables.put_delivery(s, "telegram", f"1:tg-1-7-{n}", {"done": True}, NOW)
        for n in range(3):
            tables.finish_update(s, "telegram", "1", n, NOW)
        tables.put_delivery(s, "telegram", "1:mode:7", {"mode": "normal"}, NOW)
        pruned = [
            tables.prune_updates(s, later(days=6)),
            tables.prune_updates(s, later(days=8), most=2),
            tables.prune_updates(s, later(days=31)),
        ]
        return [
            pruned,
            [update_id for update_id, _, _ in tables.list_open_updates(s, "telegram", "1")],
            tables.get_delivery(s, "telegram", "1:mode:7"),
            tables.get_delivery(s, "telegram", "1:tg-1-7-0"),
        ]

    assert await store.write_system(act) == [[0, 2, 5], [3], {"mode": "normal"}, None]


async def test_a_choice_is_taken_once_and_in_time(store: SqliteStore) -> None:
    """The newest unanswered one of a scope is what a bare answer means."""
    user = await store.write_system(lambda s: s.create_user(NOW))

    def put(tx: Transaction) -> None:
        tables.put_choice(tx, "k1", SCOPE, "forget", {"ids": ["a"]}, later(minutes=5))
        tables.put_choice(tx, "k2", SCOPE, "undo", None, later(minutes=1))

    async def newest(at: datetime) -> str | None:
        return await store.read(user, lambda tx: tables.find_pending_choice(tx, SCOPE, at))

    async def take(key: str, at: datetime) -> object:
        return await store.write(user, lambda tx: tables.take_choice(tx, key, at))

    await store.write(user, put)
    assert await newest(NOW) == "k2"
    assert await newest(later(minutes=1)) == "k1"
    assert await take("k1", NOW) == (SCOPE, "forget", {"ids": ["a"]})
    assert await take("k1", NOW) is None
    assert await take("k2", later(minutes=2)) is None
