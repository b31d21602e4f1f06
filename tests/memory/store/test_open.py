from __future__ import annotations

import asyncio
import os
import stat
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.errors import StoreBusy, StoreDamaged, StoreError, StoreTooNew
from memory.models import Filter
from memory.ports import Transaction
from memory.store import SqliteStore, connection, make_worker_id, open_store
from memory.store.connection import translate
from memory.store.processes import get_file_lock
from memory.store.rows import from_ms, to_ms
from memory.store.sqlite_module import choose
from tests.memory.store.support import KEY, NOW, a_memory, clock, finished, spawn


def left_beside(path: Path) -> list[str]:
    """The log and its shared memory, if they are there."""
    return [p.name for p in path.parent.iterdir() if p.name.endswith(("-wal", "-shm"))]


async def opened(path: Path) -> SqliteStore:
    return await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
async def test_files_are_private(store: SqliteStore, user: str, path: Path) -> None:
    """The file, its log, its shared memory and its lock 0600, the new directory 0700; a lax file is mended."""
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir()}
    assert modes == dict.fromkeys(("ebb.db", "ebb.db-wal", "ebb.db-shm", "ebb.db.lock"), 0o600)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    lax = path.with_name("lax.db")
    os.close(os.open(lax, os.O_CREAT, 0o644))
    lax.chmod(0o644)
    again = await opened(lax)
    await again.close()
    assert stat.S_IMODE(lax.stat().st_mode) == 0o600


async def test_what_was_written_is_there_after_reopening(path: Path) -> None:
    """Closing leaves one file, with everything in it."""
    first = await opened(path)
    user = await first.write_system(lambda s: s.create_user(NOW))
    memory = await first.write(user, lambda tx: tx.memories.add(a_memory("Likes tea")))
    await first.close()
    assert not left_beside(path)
    second = await opened(path)
    assert (await second.open_reader(user).get([memory.id])) == [memory]
    await second.close()


def a_file(path: Path, content: bytes) -> Path:
    """A file of that content, in the place of a memory file."""
    path.parent.mkdir()
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [b"no database " * 500, b"SQLite format 3\0" + b"\7" * 8000])
async def test_a_damaged_file_is_named_in_one_sentence(path: Path, content: bytes) -> None:
    """And left as it is."""
    with pytest.raises(StoreDamaged, match="damaged"):
        await opened(a_file(path, content))
    assert await asyncio.to_thread(path.read_bytes) == content


async def test_a_file_of_a_later_version_is_not_touched(store: SqliteStore, path: Path) -> None:
    """Its unknown migration is named."""
    later = "INSERT INTO schema_migrations VALUES ('9999_later.sql', 0)"
    await store._writer.run(lambda con: con.execute(later).rowcount)
    with pytest.raises(StoreTooNew, match=r"9999_later\.sql"):
        await opened(path)


async def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    """One of ours, not the operating system's."""
    with pytest.raises(StoreError):
        await opened(tmp_path)


@pytest.mark.parametrize("fixed", [True, False])
async def test_a_lock_that_cannot_be_made_is_an_error(
    path: Path, monkeypatch: pytest.MonkeyPatch, fixed: bool
) -> None:
    """One of ours as well, as on a disk that is read-only; with every version of SQLite."""
    sqlite = replace(choose(), report=replace(choose().report, wal_reset_fixed=fixed))
    monkeypatch.setattr("memory.store.store.choose", lambda _way: sqlite)
    path.with_name(f"{path.name}.lock").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be opened"):
        await opened(path)


async def test_a_closed_store_says_so(path: Path) -> None:
    """Instead of hanging."""
    store = await opened(path)
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.write_system(lambda s: s.users())


async def test_a_write_that_raises_leaves_nothing(store: SqliteStore, user: str) -> None:
    """Whatever it had done before, ids included."""

    def half(tx: Transaction) -> None:
        tx.memories.add(a_memory("half"))
        raise KeyError("stop")

    with pytest.raises(KeyError):
        await store.write(user, half)
    assert (await store.read(user, lambda tx: tx.memories.find(Filter()))).total == 0
    assert await store.read(user, lambda tx: tx.changes.list_changes(after=0)) == []
    await store.write(user, lambda tx: tx.memories.add(a_memory("whole")))


async def test_cancellation_cannot_split_a_transaction(store: SqliteStore, user: str) -> None:
    """A closure that has begun is finished and committed; one that waits never begins."""
    began, go_on = threading.Event(), threading.Event()

    def slow(tx: Transaction) -> None:
        tx.memories.add(a_memory("first half"))
        began.set()
        go_on.wait(10)
        tx.memories.add(a_memory("second half"))

    running = asyncio.create_task(store.write(user, slow))
    await asyncio.to_thread(began.wait, 10)
    waiting = asyncio.create_task(store.write(user, lambda tx: tx.memories.add(a_memory("never"))))
    await asyncio.sleep(0)
    running.cancel()
    waiting.cancel()
    await asyncio.gather(running, waiting, return_exceptions=True)
    go_on.set()
    await store.write(user, lambda tx: tx.memories.add(a_memory("afterwards")))
    page = await store.read(user, lambda tx: tx.memories.find(Filter()))
    assert {m.content for m in page.items} == {"first half", "second half", "afterwards"}


async def test_an_opening_that_is_cancelled_does_not_wait_for_its_own_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On older versions of SQLite opening and closing take the same lock."""
    older = replace(choose(), report=replace(choose().report, wal_reset_fixed=False))
    monkeypatch.setattr("memory.store.store.choose", lambda _way: older)
    began, go_on = threading.Event(), threading.Event()

    def make_slowly(file: Path) -> None:
        began.set()
        go_on.wait(10)
        connection.make_private(file)

    monkeypatch.setattr("memory.store.store.make_private", make_slowly)
    opening = asyncio.create_task(opened(path))
    await asyncio.to_thread(began.wait, 10)
    opening.cancel()
    await asyncio.sleep(0.1)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(opening, 5)
    again = await opened(path)
    await again.close()


async def test_a_closing_that_is_cancelled_leaves_no_lock_behind(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancelled while another process has the lock; and the store may be closed again."""
    older = replace(choose(), report=replace(choose().report, wal_reset_fixed=False))
    monkeypatch.setattr("memory.store.store.choose", lambda _way: older)
    store = await opened(path)
    with get_file_lock(path):
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0.1)
        closing.cancel()
    with pytest.raises(asyncio.CancelledError) as kept:
        await closing
    await store.close()
    with get_file_lock(path).acquire(timeout=0):
        assert kept.tb is not None  # which would keep a lock alive


async def test_a_reader_that_did_not_open_does_not_keep_the_file_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing merges the log all the same."""
    store = await opened(path)

    def refuse(*_args: object, **_options: object) -> None:
        raise choose().module.OperationalError("unable to open database file")

    monkeypatch.setattr("memory.store.store.open_connection", refuse)
    with pytest.raises(StoreError):
        await store.get_next_due_time()
    await store.close()
    assert not left_beside(path)


async def test_a_read_sees_one_moment_and_cannot_write(store: SqliteStore, user: str) -> None:
    """What is committed meanwhile is for the next one."""
    began, go_on = threading.Event(), threading.Event()

    def twice(tx: Transaction) -> tuple[int, int]:
        before = tx.memories.find(Filter()).total
        began.set()
        go_on.wait(10)
        return before, tx.memories.find(Filter()).total

    reading = asyncio.create_task(store.read(user, twice))
    await asyncio.to_thread(began.wait, 10)
    await store.write(user, lambda tx: tx.memories.add(a_memory("new")))
    go_on.set()
    assert await reading == (0, 0)
    with pytest.raises(StoreError, match="read-only"):
        await store.read(user, lambda tx: tx.memories.add(a_memory("x")))


async def test_who_waits_too_long_for_the_lock_is_told(
    store: SqliteStore, user: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """StoreBusy, and the next try works."""
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 100)
    impatient = await opened(path)
    began, go_on = threading.Event(), threading.Event()

    def hold(_tx: Transaction) -> None:
        began.set()
        go_on.wait(10)

    holding = asyncio.create_task(store.write(user, hold))
    await asyncio.to_thread(began.wait, 10)
    with pytest.raises(StoreBusy):
        await impatient.write(user, lambda tx: tx.memories.add(a_memory("x")))
    go_on.set()
    await holding
    await impatient.write(user, lambda tx: tx.memories.add(a_memory("x")))
    await impatient.close()


async def test_a_log_that_cannot_be_shortened_fails_no_write(
    store: SqliteStore, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is committed by then: somebody told that it failed would write it again."""

    def refuse(*_args: object) -> None:
        raise choose().module.OperationalError("database or disk is full")

    monkeypatch.setattr("memory.store.store.upkeep.checkpoint_log", refuse)
    monkeypatch.setattr("memory.store.store._TEND_EVERY", 1)
    memory = await store.write(user, lambda tx: tx.memories.add(a_memory("kept")))
    assert await store.open_reader(user).get([memory.id]) == [memory]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("database is locked", StoreBusy),
        ("database disk image is malformed", StoreDamaged),
        ("file is not a database", StoreDamaged),
        ("invalid fts5 file format (found 5, expected 4) - run 'rebuild'", StoreTooNew),
        ("attempt to write a readonly database", StoreError),
        ("database or disk is full", StoreError),
        ("no such table: x", StoreError),
    ],
)
def test_a_refusal_is_one_sentence(text: str, kind: type[StoreError]) -> None:
    """Also from a module whose exceptions carry no code."""
    error = translate(Exception(text))
    assert type(error) is kind
    assert ("The disk is full" in str(error)) == ("disk is full" in text)
    assert str(error).endswith(".")


async def test_two_processes_may_open_a_new_file_at_once(path: Path) -> None:
    """Migrations run once; both can write."""
    script = (
        "import asyncio, sys; from datetime import datetime, UTC; from pathlib import Path\n"
        "from memory.store import open_store, make_worker_id\n"
        "now = datetime(2026, 1, 3, tzinfo=UTC)\n"
        "async def main():\n"
        "    store = await open_store(Path(sys.argv[1]), clock=lambda: now, worker=make_worker_id(), key=b'k')\n"
        "    print(await store.write_system(lambda s: s.create_user(now)))\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    processes = [spawn(script, str(path)) for _ in range(3)]
    users = {finished(p).strip() for p in processes}
    store = await opened(path)
    assert len(users) == 3
    assert set(await store.write_system(lambda s: s.users())) == users
    await store.close()


def test_times_are_whole_milliseconds() -> None:
    """What is finer is dropped, before 1970 too."""
    t = datetime(2026, 1, 3, 18, 0, 0, 123_999, tzinfo=UTC)
    assert from_ms(to_ms(t)) == t.replace(microsecond=123_000)
    assert to_ms(datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)) == -1000
