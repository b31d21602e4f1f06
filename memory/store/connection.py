"""A connection and the one thread it lives in.

Closures run whole in that thread, one after the other: a coroutine that is cancelled while its
closure runs leaves a transaction that still commits or rolls back as a whole, and no cursor
outlives its call.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final, TypeVar

import aiosqlite
from aiosqlite.core import _connection_worker_thread

from memory.errors import StoreBusy, StoreDamaged, StoreError, StoreTooNew
from memory.store.sqlite_module import SqliteModule, choose

T = TypeVar("T")
# it tells of exceptions, and a log never holds a text
logging.getLogger("aiosqlite").setLevel(logging.WARNING)

BUSY_TIMEOUT_MS = 10_000


def make_private(path: Path) -> None:
    """Create the file 0600 (as SQLite then makes -wal and -shm), a new directory 0700."""
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def open_connection(sqlite: SqliteModule, path: Path, *, read_only: bool) -> Any:
    """Open a connection with the settings that every one of ours has."""
    mode = "ro" if read_only else "rw"
    con = sqlite.module.connect(
        f"{path.resolve().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,  # BEGIN and COMMIT are ours alone
        timeout=BUSY_TIMEOUT_MS / 1000,
        cached_statements=512,
    )
    try:
        sqlite.prepare(con)
        con.row_factory = sqlite.module.Row
        con.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        con.execute("PRAGMA foreign_keys = ON")
        con.execute("PRAGMA temp_store = MEMORY")
        con.execute(f"PRAGMA cache_size = {-48_000 if read_only else -16_000}")
        if read_only:
            con.execute("PRAGMA query_only = ON")
        else:
            _for_writing(con, sqlite)
    except BaseException:
        con.close()
        raise
    return con


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds the file's write lock right now.

    Waits for nothing; False without a file.
    """
    connect, uri = choose().module.connect, f"{path.resolve().as_uri()}?mode=rw"
    try:
        with closing(connect(uri, uri=True, isolation_level=None, timeout=0)) as con:
            con.execute("BEGIN IMMEDIATE")
            con.execute("ROLLBACK")
    except list_database_errors() as e:
        return isinstance(translate(e), StoreBusy)  # whoever opens it will say what else it is
    return False


def _for_writing(con: Any, sqlite: SqliteModule) -> None:
    con.execute("PRAGMA journal_mode = WAL")
    # FULL: what was said survives a power cut, too. It costs an fsync a commit, 1 to 3 ms.
    con.execute("PRAGMA synchronous = FULL")
    con.execute("PRAGMA secure_delete = ON")
    if not sqlite.report.wal_reset_fixed:
        con.execute("PRAGMA wal_autocheckpoint = 0")


class ThreadedConnection:
    """An aiosqlite connection, opened at first use, whose thread runs closures in turn."""

    def __init__(self, opener: Callable[[], Any]) -> None:
        self._opener = opener
        self._opening: asyncio.Future[aiosqlite.Connection] | None = None
        self._closed = False
        self.waiting = 0

    async def run(self, fn: Callable[[Any], T]) -> T:
        """Return `fn(connection)`, run in the connection's thread.

        Raises StoreError for the database's exceptions. One whose caller is cancelled is finished
        if it has begun, and never begins if it waits.
        """
        dropped = False

        def work(con: Any) -> T:
            if dropped:
                raise asyncio.CancelledError
            return fn(con)

        if self._closed:
            raise StoreError("The memory file is closed.")
        self.waiting += 1
        try:
            with translate_errors():
                con = await self._open()
                result: T = await con._execute(work, con._conn)  # type: ignore[no-untyped-call]  # noqa: SLF001
                return result
        except asyncio.CancelledError:
            dropped = True
            raise
        finally:
            self.waiting -= 1

    async def read(self, fn: Callable[[Any], T]) -> T:
        """Return `fn(connection)`, run in one read transaction, as of one moment."""
        return await self.run(lambda con: run_transaction(con, "BEGIN", fn))

    async def close(self, end: Callable[[Any], None] = lambda con: con.close()) -> None:
        """Close the connection by `end`, in its thread, after everything that waits."""
        self._closed = True
        if self._opening is None:
            return
        await asyncio.wait([self._opening])
        with suppress(StoreError), translate_errors():  # one that did not open has nothing to close
            con = self._opening.result()
            if con._connection is None:  # noqa: SLF001
                return  # closed before
            try:
                await con._execute(end, con._conn)  # type: ignore[no-untyped-call]  # noqa: SLF001
            finally:
                await con.close()

    async def _open(self) -> aiosqlite.Connection:
        # A caller that is cancelled meanwhile must not leave a connection behind that nobody knows
        # of.
        if self._opening is None or (
            self._opening.done() and self._opening.exception() is not None
        ):
            self._opening = asyncio.ensure_future(self._connect())
        return await asyncio.shield(self._opening)

    async def _connect(self) -> aiosqlite.Connection:
        con = aiosqlite.Connection(self._opener, iter_chunk_size=64)
        # A daemon, for whoever forgets to close must still be able to end.
        con._thread = Thread(target=_serve, args=(con._tx,), daemon=True)  # noqa: SLF001
        try:
            return await con
        except BaseException:
            await asyncio.to_thread(con._thread.join)  # noqa: SLF001 - it still tells this loop that it has stopped
            raise


def _serve(queue: Any) -> None:
    """Run aiosqlite's worker, also after the event loop that asked it has closed."""
    done = False
    while not done:
        with suppress(RuntimeError):
            _connection_worker_thread(queue)
            done = True


def run_without_waiting(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that waits for nothing. Raises RuntimeError if it does."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("this work may await nothing but its reader")


def run_transaction(con: Any, begin: str, fn: Callable[[Any], T]) -> T:
    """Run `fn(con)` between `begin` and COMMIT; ROLLBACK if it raises."""
    con.execute(begin)
    try:
        result = fn(con)
        con.execute("COMMIT")
    except BaseException:
        # A failed COMMIT or a full disk may have rolled back already.
        with suppress(*list_database_errors()):
            if con.in_transaction:
                con.execute("ROLLBACK")
        raise
    return result


# --- the one place where the database's exceptions become `memory.errors`


def list_database_errors() -> tuple[type[BaseException], ...]:
    """Return `Error` of every SQLite module in this process: pysqlite3's is not sqlite3's."""
    modules = (sys.modules.get(name) for name in ("pysqlite3.dbapi2", "sqlite3.dbapi2"))
    return tuple(module.Error for module in modules if module is not None)


_FAILURES: Final = (  # codes, words of the message, and what a person is told
    (
        (5, 6),
        "is locked",
        StoreBusy,
        "Another process kept the memory file locked for too long; try again in a moment.",
    ),
    (
        (11, 26),
        "malformed|not a database",
        StoreDamaged,
        "The memory file is damaged or is not one of Ebb's ({}); `ebb memory recover`"
        " lists the backups and puts one back.",
    ),
    (
        (),
        "invalid fts5 file format",
        StoreTooNew,
        "The memory file's text index was written by a newer SQLite than this one.",
    ),
    (
        (13,),
        "disk is full",
        StoreError,
        "The disk is full, so nothing more can be remembered until there is room.",
    ),
    (
        (8,),
        "readonly",
        StoreError,
        "The memory file cannot be written to: it, or this read of it, is read-only.",
    ),
    ((14, 23), "$^", StoreError, "The memory file cannot be opened ({}); look at its permissions."),
    ((10,), "$^", StoreError, "The disk reported an error while the memory file was in use ({})."),
)


def translate(e: BaseException) -> StoreError:
    """Make a StoreError whose message is one sentence a person can act on."""
    text = str(e)
    code = getattr(e, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    for codes, words, kind, sentence in _FAILURES:
        if primary in codes or re.search(words, text):
            return kind(sentence.format(text))
    return StoreError(f"The memory file refused: {text}.")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn database exceptions raised inside into StoreErrors."""
    try:
        yield
    except list_database_errors() as e:
        raise translate(e) from e
