"""A connection and the one thread it lives in.

Closures run whole in that thread, one after the other: a coroutine that is cancelled while its closure runs
leaves a transaction that still commits or rolls back as a whole, and no cursor outlives its call.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from memory.errors import StoreBusy, StoreDamaged, StoreError, StoreTooNew
from memory.store.codes import code
from memory.store.sqlite_module import Sqlite, choose
from memory.store.text import pairs, segment, term_keys
from memory.text.notes import strip_subject

T = TypeVar("T")

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


def connect(sqlite: Sqlite, path: Path, *, read_only: bool) -> Any:
    """A connection with the settings that every one of ours has."""
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


def locked(path: Path) -> bool:
    """Whether somebody holds the file's write lock at this moment. Waits for nothing; False if there is no file."""
    if not path.is_file():
        return False
    sqlite = choose()
    try:
        con = sqlite.module.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=0)
    except database_errors():
        return False  # whoever opens it properly will say what is the matter
    try:
        con.execute("BEGIN IMMEDIATE")
        con.execute("ROLLBACK")
    except database_errors() as e:
        return isinstance(translate(e), StoreBusy)
    else:
        return False
    finally:
        con.close()


def _for_writing(con: Any, sqlite: Sqlite) -> None:
    con.execute("PRAGMA journal_mode = WAL")
    # FULL: what was said survives a power cut, too. It costs an fsync a commit, 1 to 3 ms.
    con.execute("PRAGMA synchronous = FULL")
    con.execute("PRAGMA secure_delete = ON")
    # For migrations, and for what is derived anew.
    con.create_function("ebb_code", 1, lambda vector: code(np.frombuffer(vector, np.float32)), deterministic=True)
    con.create_function("ebb_pairs", 1, pairs, deterministic=True)
    con.create_function("ebb_terms", 1, term_keys, deterministic=True)
    con.create_function("ebb_segment", 1, segment, deterministic=True)
    con.create_function("ebb_words", 1, lambda segmented: len(segmented.split()) or 1, deterministic=True)
    con.create_function("ebb_note", 1, strip_subject, deterministic=True)
    if not sqlite.report.wal_reset_fixed:
        con.execute("PRAGMA wal_autocheckpoint = 0")


class Lane:
    """One connection in its own thread. `run` takes closures that are given the connection."""

    def __init__(self, name: str, opener: Callable[[], Any]) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._opener = opener
        self._con: Any = None
        self._lock = threading.Lock()
        self.waiting = 0

    async def run(self, fn: Callable[[Any], T]) -> T:
        """`fn(connection)` in the lane's thread; database exceptions come out as StoreErrors."""
        try:
            future = self._pool.submit(self._work, fn)
        except RuntimeError as e:
            raise StoreError("The memory file is closed.") from e
        with self._lock:
            self.waiting += 1
        future.add_done_callback(self._done)
        return await asyncio.wrap_future(future)

    async def read(self, fn: Callable[[Any], T]) -> T:
        """`fn(connection)` in one read transaction: all that it sees is of one moment."""
        return await self.run(lambda con: within(con, "BEGIN", fn))

    async def write(self, fn: Callable[[Any], T]) -> T:
        """`fn(connection)` in one write transaction: committed if it returns, rolled back if it raises."""
        return await self.run(lambda con: within(con, "BEGIN IMMEDIATE", fn))

    async def close(self) -> None:
        """After everything that waits; the connection is closed in its thread."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._pool, self._shut)
        self._pool.shutdown(wait=False)

    def _work(self, fn: Callable[[Any], T]) -> T:
        with translated():
            if self._con is None:
                self._con = self._opener()
            return fn(self._con)

    def _done(self, _future: object) -> None:
        with self._lock:
            self.waiting -= 1

    def _shut(self) -> None:
        if self._con is not None:
            with translated():
                self._con.close()
            self._con = None


@dataclass(frozen=True, slots=True)
class InLane:
    """A lane for those who are in its thread already, inside a read transaction."""

    con: Any

    async def read(self, fn: Callable[[Any], T]) -> T:
        """`fn(connection)`, here and now."""
        return fn(self.con)


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that waits for nothing. Raises RuntimeError if it does."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("this work may await nothing but its reader")


def within(con: Any, begin: str, fn: Callable[[Any], T]) -> T:
    """`fn(con)` between `begin` and COMMIT; ROLLBACK if it raises."""
    con.execute(begin)
    try:
        result = fn(con)
        con.execute("COMMIT")
    except BaseException:
        # A failed COMMIT or a full disk may have rolled back already.
        with suppress(*database_errors()):
            if con.in_transaction:
                con.execute("ROLLBACK")
        raise
    return result


# --- the one place where the database's exceptions become `memory.errors`


def database_errors() -> tuple[type[BaseException], ...]:
    """`Error` of every SQLite module in this process: pysqlite3's is not sqlite3's."""
    modules = (sys.modules.get(name) for name in ("pysqlite3.dbapi2", "sqlite3.dbapi2"))
    return tuple(module.Error for module in modules if module is not None)


def translate(e: BaseException) -> StoreError:
    """A StoreError whose message is one sentence a person can act on."""
    text = str(e)
    code = getattr(e, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else None
    if primary in _BUSY or "is locked" in text:
        return StoreBusy("Another process kept the memory file locked for too long; try again in a moment.")
    if primary in _CORRUPT or "malformed" in text or "not a database" in text:
        advice = "`ebb memory recover` lists the backups and puts one back."
        return StoreDamaged(f"The memory file is damaged or is not one of Ebb's ({text}); {advice}")
    if "invalid fts5 file format" in text:
        return StoreTooNew("The memory file's text index was written by a newer SQLite than this one.")
    if primary == _FULL:
        return StoreError("The disk is full, so nothing more can be remembered until there is room.")
    if primary == _READ_ONLY or "readonly" in text:
        return StoreError("The memory file cannot be written to: it, or this read of it, is read-only.")
    if primary in _CANNOT_OPEN:
        return StoreError(f"The memory file cannot be opened ({text}); look at its permissions.")
    if primary == _IO:
        return StoreError(f"The disk reported an error while the memory file was in use ({text}).")
    return StoreError(f"The memory file refused: {text}.")


@contextmanager
def translated() -> Iterator[None]:
    """Turn database exceptions raised inside into StoreErrors."""
    try:
        yield
    except database_errors() as e:
        raise translate(e) from e
