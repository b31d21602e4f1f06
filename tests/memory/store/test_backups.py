"""Backups are whole, private and few; what was purged is in none of them; one of them can be put back."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.errors import StoreBusy, StoreDamaged
from memory.models import Filter
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id, open_store
from memory.store.backups import clean_backups, list_backups, make_backup, recover_backup
from memory.store.purge import find_words_in_files
from tests.memory.store.support import KEY, MODEL, NOW, a_memory, a_message, clock, later
from tests.memory.store.test_purge import TOKENS, live


def names(path: Path) -> list[str]:
    """The backups there are, newest first."""
    return [b.path.name for b in list_backups(path)]


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[tuple[SqliteStore, str]]:
    """The file, and its only user."""
    store = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    try:
        users = await store.write_system(lambda s: s.users() or [s.create_user(NOW)])
        yield store, users[0]
    finally:
        await store.close()


async def contents(path: Path) -> set[str]:
    """What its only user remembers."""
    async with opened(path) as (store, user):
        return {
            m.content
            for m in (await store.read(user, lambda tx: tx.memories.find(Filter(), limit=99))).items
        }


async def test_one_a_day_whole_private_and_seven_kept(
    store: SqliteStore, user: str, path: Path
) -> None:
    """A second look at the same day makes none, and one from a clock that was ahead displaces no other for long."""
    await store.write(user, lambda tx: tx.memories.add(a_memory("Lives in Oslo")))
    assert await store.keep_backups(later(days=900))
    assert [await store.keep_backups(later(days=d, hours=h)) for d in range(9) for h in (0, 1)] == [
        True,
        False,
    ] * 9
    kept = list_backups(path)
    assert [b.made for b in kept] == [later(days=d) for d in range(8, 1, -1)]
    if sys.platform != "win32":
        assert {stat.S_IMODE(b.path.stat().st_mode) for b in kept} == {0o600}
    assert sorted(p.name for p in kept[0].path.parent.iterdir()) == sorted(
        b.path.name for b in kept
    )
    copy = sqlite3.connect(kept[0].path)
    assert copy.execute("SELECT content FROM memories").fetchall() == [("Lives in Oslo",)]
    copy.close()


async def test_a_migration_is_preceded_by_a_backup(path: Path) -> None:
    """Of the file as it was; opening an up-to-date one makes none."""
    undone = "DELETE FROM schema_migrations WHERE name = '0002_mirror.sql'"
    tables = ("mirrors", "mirror_entries", "mirror_takes")
    async with opened(path) as (store, _):
        await store._writer.run(
            lambda con: [con.execute(f"DROP TABLE {t}") for t in tables] and con.execute(undone)
        )
    async with opened(path):
        pass
    (backup,) = list_backups(path)
    assert (backup.sort, backup.made) == ("migration", NOW)
    copy = sqlite3.connect(backup.path)
    assert not copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'mirrors'").fetchall()
    copy.close()


async def test_what_is_purged_is_in_no_byte_of_any_backup(path: Path) -> None:
    """Made before it was learned, while it was known, and after: the rest stays as it was."""
    async with opened(path) as (store, user):
        await store.use_embedder(MODEL, 16)
        await store.write(user, lambda tx: tx.memories.add(a_memory("Plays the cello")))
        await asyncio.to_thread(make_backup, path, "hand", later(days=-3))

        def said(tx: Transaction) -> str:
            session = tx.conversations.open_session("user:me", NOW)
            return tx.conversations.add_message(
                a_message(session.id, "Quillwort makes me sneeze.")
            ).id

        message = await store.write(user, said)
        await asyncio.to_thread(make_backup, path, "hand", later(days=-2))
        known: dict[str, Any] = await store.write(user, live)
        await store.write(user, lambda tx: tx.memories.add_source(known["memory"].id, message))
        await asyncio.to_thread(make_backup, path, "hand", later(days=-1))
        await asyncio.to_thread(
            (path.parent / "backups" / "20260101T000000Z-daily.db").write_bytes, b"Quillwort"
        )
        before = names(path)
        await store.write(user, lambda tx: tx.memories.erase(known["memory"].id))
        assert await store.scrub()
        assert set(before) - set(names(path)) == {
            "20260101T000000Z-daily.db"
        }  # it could not be cleaned
        for file in (p for p in path.parent.rglob("*") if p.is_file()):
            data = await asyncio.to_thread(file.read_bytes)
            assert not [t for t in TOKENS if t.encode() in data], file
        assert [t for t in TOKENS if find_words_in_files(path.parent, t)] == []
        assert await asyncio.to_thread(clean_backups, path, NOW) == 0
    newest = next(b for b in list_backups(path) if b.sort == "hand")
    await asyncio.to_thread(recover_backup, path, newest.path, NOW)
    assert await contents(path) == {"Plays the cello", "Likes films", "Likes long walks."}


async def test_recovering_keeps_todays_file_and_forgets_what_was_purged(
    path: Path, tmp_path: Path
) -> None:
    """Also from a copy that was kept elsewhere, and where today's file is damaged."""
    async with opened(path) as (store, user):
        await store.write(user, lambda tx: tx.memories.add(a_memory("Lives in Oslo")))
        gone = await store.write(
            user, lambda tx: tx.memories.add(a_memory("Allergic to Quillwort"))
        )
        elsewhere = tmp_path / "elsewhere.db"
        await asyncio.to_thread(
            (await asyncio.to_thread(make_backup, path, "hand", later(days=-2))).rename, elsewhere
        )
        await store.write(user, lambda tx: tx.memories.erase(gone.id))
        await store.write(user, lambda tx: tx.memories.add(a_memory("Plays the cello")))
        await store.keep_backups(NOW)
        with pytest.raises(StoreBusy):
            await asyncio.to_thread(recover_backup, path, elsewhere, NOW)
    with pytest.raises(StoreDamaged):
        await asyncio.to_thread(recover_backup, path, Path(__file__), NOW)
    done = await asyncio.to_thread(recover_backup, path, elsewhere, NOW)
    assert done[1] == 1
    assert await contents(path) == {"Lives in Oslo"}
    assert done[0] is not None
    await asyncio.to_thread(recover_backup, path, done[0], later(minutes=1))
    assert await contents(path) == {"Lives in Oslo", "Plays the cello"}
    await asyncio.to_thread(path.write_bytes, b"SQLite format 3\0" + b"no" * 9_000)
    with pytest.raises(StoreDamaged, match="ebb memory recover"):
        await contents(path)
    done = await asyncio.to_thread(recover_backup, path, elsewhere, later(minutes=2))
    assert done[1] == 1  # the newest backup knows what must not come back
    assert await contents(path) == {"Lives in Oslo"}


async def test_a_damaged_database_costs_no_backup(path: Path) -> None:
    """Whatever is to be cleaned: first a new one has to be whole."""
    async with opened(path) as (store, user):
        await store.write(user, lambda tx: tx.memories.add(a_memory("Lives in Oslo")))
        await store.keep_backups(NOW)
    await asyncio.to_thread(path.write_bytes, b"no" * 9_000)
    with pytest.raises(StoreDamaged):
        await asyncio.to_thread(clean_backups, path, later(days=1))
    assert len(names(path)) == 1


def test_words_are_found_in_every_form_and_nowhere_else(tmp_path: Path) -> None:
    """Rows, escapes, encodings and free bytes; a longer word is another one."""
    forms = {
        "a.log": b"said QUILLWORT  TEA!",
        "b.json": b'{"draft": "\\u8368\\u9ebb\\u5b50"}',
        "backups/c.db-wal": b"\0\x01quillwort tea\0",
        "d.txt": "Quillwort\r\nTea 荨麻子".encode("utf-16"),
        "e.md": "Quillworts tea; 荨麻; a quillwort".encode(),
    }
    for name, data in forms.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    con = sqlite3.connect(tmp_path / "x.db")
    con.execute("CREATE TABLE t (v TEXT)")
    con.executemany(
        "INSERT INTO t VALUES (?)",
        [("Quillwort, tea",), ('["\\u8368\\u9ebb\\u5b50"]',), ("荨 麻 子",)],
    )
    con.commit()
    con.close()

    def where(words: str) -> list[tuple[str, str, int]]:
        return find_words_in_files(tmp_path, words)

    assert where("quillwort tea") == [
        ("a.log", "", 1),
        ("backups/c.db-wal", "", 1),
        ("d.txt", "", 1),
        ("x.db", "t.v", 1),
        ("x.db", "", 1),
    ]
    assert where("荨麻子") == [
        ("b.json", "", 1),
        ("d.txt", "", 1),
        ("x.db", "t.v", 2),
        ("x.db", "", 2),
    ]
    assert where("tom") == []
    with pytest.raises(ValueError, match="no word"):
        where("?!")


async def test_a_clock_that_jumps_is_believed_once_it_is_confirmed(
    store: SqliteStore, user: str
) -> None:
    """Years ahead or days back for one start is passed over; a later start, or a day, confirms it."""
    assert await store.trust_clock(NOW)
    assert await store.trust_clock(later(days=2))
    for jump in (timedelta(days=1500), timedelta(days=40), timedelta(days=-20)):
        assert not await store.trust_clock(NOW + jump)
        assert not await store.trust_clock(NOW + jump + timedelta(minutes=59))
        assert await store.trust_clock(later(days=2, hours=1))
    far = later(days=1500)
    assert not await store.trust_clock(far)
    store.worker = "another"
    assert not await store.trust_clock(far + timedelta(minutes=5))
    assert await store.trust_clock(far + timedelta(hours=2))
    assert not await store.trust_clock(NOW)
    assert await store.trust_clock(later(days=1))
    assert await store.trust_clock(later(days=900), by_hand=True)


async def test_work_that_a_wrong_clock_put_off_for_years_is_due(
    store: SqliteStore, user: str
) -> None:
    """At the next start; what waits for tomorrow waits."""

    def put(tx: Transaction) -> None:
        for key, run_at in (("far", later(days=1500)), ("soon", later(hours=20))):
            tx.jobs.enqueue("monitor", key, {}, NOW, lane=key, run_at=run_at)

    await store.write(user, put)
    await store.write_system(lambda s: s.release("w", NOW))
    due = await store.read(user, lambda tx: {j.dedup_key: j.run_at for j in tx.jobs.list_pending()})
    assert due == {"far": NOW, "soon": later(hours=20)}
