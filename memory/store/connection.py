"""A connection and the one thread it lives in.

Closures run whole in that thread, one after the other: a coroutine that is cancelled while its
closure runs leaves a transaction that still commits or rolls back as a whole, and no cursor
outlives its call.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import aiosqlite
from aiosqlite.core import _connection_worker_thread

from memory.errors import StoreBusy, StoreDamaged, StoreError, StoreTooNew
from memory.store.sqlite_module import SqliteModule, choose

T = TypeVar("T")
logging.getLogger("aiosqlite").setLevel(
    logging.WARNING
)  # it tells of exceptions, and a log never holds a text

BUSY_TIMEOUT_MS = 10_000
_BUSY = {5, 6}
_CORRUPT = {11, 26}
_CANNOT_OPEN = {14, 23}
_READ_ONLY = 8
_IO = 10
_FULL = 13


def make_private(path: Path) -> None:
    """Create the file 0600 (SQLite gives -wal and -shm the same mode), its directory 0700 if it is new."""
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
    if not path.is_file():
        return False
    sqlite = choose()
    try:
        con = sqlite.module.connect(
            f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0
        )
    except list_database_errors():
        return False  # whoever opens it properly will say what is the matter
    try:
        con.execute("BEGIN IMMEDIATE")
        con.execute("ROLLBACK")
    except list_database_errors() as e:
        return isinstance(translate(e), StoreBusy)
    else:
        return False
    finally:
        con.close()


def _for_writing(con: Any, sqlite: SqliteModule) -> None:
    con.execute("PRAGMA journal_mode = WAL")
    # FULL: what was said survives a power cut, too. It costs an fsync a commit, 1 to 3 ms.
    con.execute("PRAGMA synchronous = FULL")
    con.execute("PRAGMA secure_delete = ON")
    if not sqlite.report.wal_reset_fixed:
        con.execute("PRAGMA wal_autocheckpoint = 0")


class ThreadedConnection:
    """An aiosqlite connection, opened when it is first used, whose thread runs closures one after the other."""

    def __init__(self, opener: Callable[[], Any]) -> None:
        self._opener = opener
        self._opening: asyncio.Future[aiosqlite.Connection] | None = None
        self._closed = False
        self.waiting = 0

    async def run(self, fn: Callable[[Any], T]) -> T:
        """Return `fn(connection)`, run in the connection's thread. Raises StoreError for the
        database's exceptions.

        One whose caller is cancelled is finished if it has begun, and never begins if it waits.
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
        """Return `fn(connection)`, run in one read transaction: all that it sees is of one moment."""
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
    """Run aiosqlite's worker, also after an event loop has closed before it heard of what it had asked for."""
    done = False
    while not done:
        with suppress(RuntimeError):
            _connection_worker_thread(queue)
            done = True


@dataclass(frozen=True, slots=True)
class OpenRead:
    """A connection for those who are in its thread already, inside a read transaction."""

    con: Any

    async def read(self, fn: Callable[[Any], T]) -> T:
        """Return `fn(connection)`, run here and now."""
        return fn(self.con)


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


def translate(e: BaseException) -> StoreError:
    """Make a StoreError whose message is one sentence a person can act on."""
    text = str(e)
    code = getattr(e, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary in _BUSY or "is locked" in text:
        return StoreBusy(
            "Another process kept the memory file locked for too long; try again in a moment."
        )
    if primary in _CORRUPT or "malformed" in text or "not a database" in text:
        advice = "`ebb memory recover` lists the backups and puts one back."
        return StoreDamaged(f"The memory file is damaged or is not one of Ebb's ({text}); {advice}")
    if "invalid fts5 file format" in text:
        return StoreTooNew(
            "The memory file's text index was written by a newer SQLite than this one."
        )
    if primary == _FULL or "disk is full" in text:
        return StoreError(
            "The disk is full, so nothing more can be remembered until there is room."
        )
    if primary == _READ_ONLY or "readonly" in text:
        return StoreError(
            "The memory file cannot be written to: it, or this read of it, is read-only."
        )
    if primary in _CANNOT_OPEN:
        return StoreError(f"The memory file cannot be opened ({text}); look at its permissions.")
    if primary == _IO:
        return StoreError(f"The disk reported an error while the memory file was in use ({text}).")
    return StoreError(f"The memory file refused: {text}.")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn database exceptions raised inside into StoreErrors."""
    try:
        yield
    except list_database_errors() as e:
        raise translate(e) from e
