"""The store: one writer, a few readers, and what is made known of every commit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, nullcontext, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from filelock import Timeout

from memory.errors import NotFound, StoreBusy, StoreError
from memory.models import Change, Job, JobKind, Json
from memory.ports import Clock, SystemTransaction, Transaction
from memory.store import backups, upkeep
from memory.store import jobs as queue
from memory.store.connection import (
    ThreadedConnection,
    list_database_errors,
    make_private,
    open_connection,
    run_transaction,
)
from memory.store.processes import ChangeNotifier, get_file_lock
from memory.store.reader import Indexes, SqliteReader
from memory.store.rows import list_tuples, list_values, to_ms
from memory.store.sqlite_module import SqliteModule, SqliteRoute, choose
from memory.store.tables import SqliteSystem, SqliteTransaction
from memory.store.transaction import StoreContext
from memory.store.vectors import BitTable, VectorSpace, drop_unused, ensure_model

T = TypeVar("T")
_READERS = 3
_PAGE = 256
_TEND_EVERY = 32  # commits


class _LeaseLostError(Exception):
    """The job is another worker's by now."""


class SqliteStore:
    """`memory.ports.Store` over one SQLite file. Made by `open_store`, used from one event loop."""

    def __init__(self, sqlite: SqliteModule, path: Path, shared: StoreContext, worker: str) -> None:
        self.shared = shared
        self.indexes = Indexes(shared)
        self.worker = worker
        self.path = path
        self._sqlite = sqlite
        self._loop = asyncio.get_running_loop()
        self._writer = ThreadedConnection(self._open_writer)
        self._readers = [
            ThreadedConnection(lambda: open_connection(sqlite, path, read_only=True))
            for _ in range(_READERS)
        ]
        self._commits = 0
        self._notifier = ChangeNotifier(self._data_version)

    # --- one user

    def open_reader(self, user_id: str) -> SqliteReader:
        return SqliteReader(self.indexes, self._reading, user_id)

    async def read(self, user_id: str, fn: Callable[[Transaction], T]) -> T:
        return await self._reading().read(
            lambda con: fn(SqliteTransaction(con, user_id, self.shared))
        )

    async def write(self, user_id: str, fn: Callable[[Transaction], T]) -> T:
        def work(con: Any) -> T:
            tx = self._tx(con, user_id)
            result = fn(tx)
            tx.finish()
            return result

        return await self._commit(work)

    @asynccontextmanager
    async def watch(self, user_id: str, after: int) -> AsyncIterator[AsyncIterator[Change]]:
        async with (
            self._notifier.listening() as event,
            aclosing(self._follow(user_id, after, event)) as changes,
        ):
            yield changes

    # --- everybody

    async def write_system(self, fn: Callable[[SystemTransaction], T]) -> T:
        return await self._commit(lambda con: fn(SqliteSystem(con, self.shared)))

    async def finish_job(self, job: Job, fn: Callable[[Transaction], Mapping[str, Json]]) -> bool:
        def work(con: Any) -> None:
            held = queue.get_leased_job(con, job.id, job.leased_by)
            if held is None:
                raise _LeaseLostError
            tx = self._tx(con, job.user_id)
            result = dict(fn(tx))
            tx.finish()
            queue.finish_job(con, held, "done", result=result)
            tx.record_job(held, "done", **{"outcome": "nothing", **result})

        try:
            await self._commit(work)
        except _LeaseLostError:
            return False
        return True

    async def get_next_due_time(self, kinds: Sequence[JobKind] | None = None) -> datetime | None:
        return await self._reading().read(lambda con: queue.get_next_due_time(con, kinds))

    async def use_embedder(self, embedder_id: str, dim: int, *, before: str | None = None) -> None:
        def work(con: Any) -> list[VectorSpace]:
            model_id = ensure_model(con, self.shared.vec, embedder_id, dim)
            BitTable(con, self.shared.vec, model_id).make()
            other = "SELECT id, dim FROM embedding_models WHERE name = ? AND id <> ?"
            old = list_tuples(con, other, before, model_id)
            return [VectorSpace(model_id, dim), *(VectorSpace(*o) for o in old)]

        self.indexes.spaces = tuple(await self._commit(work))
        self.shared.embedder_model = self.indexes.spaces[0].model_id
        self.shared.embedder = embedder_id

    async def drop_unused_embedders(self, embedder_id: str) -> bool:
        if not await self._commit(lambda con: drop_unused(con, self.shared.vec, embedder_id)):
            return False
        self.indexes.spaces = self.indexes.spaces[:1]
        return True

    def use_mirror(self) -> None:
        self.shared.mirror = True

    async def rebuild(self, user_id: str | None = None) -> Mapping[str, int]:
        counts = await self._commit(lambda con: upkeep.rebuild(con, self.shared.vec, user_id))
        self.indexes.forget()
        return counts

    async def scrub(self) -> bool:
        def work(con: Any) -> bool:
            run_transaction(
                con, "BEGIN IMMEDIATE", lambda c: upkeep.rebuild_bits(c, self.shared.vec)
            )
            upkeep.rewrite_file(con)
            return upkeep.truncate_log(con, self._sqlite, self.path)

        try:
            if not await self._writer.run(work):
                return False
            await asyncio.to_thread(backups.clean_backups, self.path, self.shared.clock())
        except StoreBusy:
            return False
        return True

    async def trust_clock(self, now: datetime, *, by_hand: bool = False) -> bool:
        return await self._commit(
            lambda con: SqliteSystem(con, self.shared).believes(now, self.worker, by_hand=by_hand)
        )

    async def keep_backups(self, now: datetime) -> bool:
        return await asyncio.to_thread(backups.keep_daily, self.path, now)

    async def close(self) -> None:
        await self._notifier.close()
        for reading in self._readers:
            await reading.close()
        await self._writer.close(self._close_writer)

    # --- inside

    async def prepare(self) -> None:
        """Open the file, or say in one sentence why not."""
        await self._writer.run(lambda con: con.execute("SELECT 1 FROM meta LIMIT 1").fetchone())

    def _reading(self) -> ThreadedConnection:
        """Choose the reading thread with the least to do."""
        return min(self._readers, key=lambda con: con.waiting)

    def _tx(self, con: Any, user_id: str) -> SqliteTransaction:
        if not list_values(con, "SELECT 1 FROM users WHERE id = ?", user_id):
            raise NotFound(f"There is no user {user_id}.")
        return SqliteTransaction(con, user_id, self.shared)

    async def _commit(self, fn: Callable[[Any], T]) -> T:
        def work(con: Any) -> T:
            result = run_transaction(con, "BEGIN IMMEDIATE", fn)
            # From the thread: a caller that was cancelled meanwhile would tell nobody.
            with suppress(RuntimeError):  # the loop is closed, so nobody listens
                self._loop.call_soon_threadsafe(self._notifier.notify)
            self._commits += 1
            if self._commits % _TEND_EVERY == 0:
                # what was committed is kept, whatever becomes of the log
                with suppress(OSError, *list_database_errors()):
                    upkeep.checkpoint_log(con, self._sqlite, self.path)
            return result

        return await self._writer.run(work)

    def _open_writer(self) -> Any:
        try:
            make_private(self.path)
            with get_file_lock(self.path):
                con = open_connection(self._sqlite, self.path, read_only=False)
                try:
                    now = self.shared.clock()
                    copy = partial(backups.make_backup, self.path, "migration", now)
                    upkeep.migrate(con, self._sqlite.module, to_ms(now), copy)
                except BaseException:
                    con.close()
                    raise
                return con
        except Timeout as e:
            raise StoreBusy("Another process has been opening the memory file for too long.") from e
        except OSError as e:
            why = e.strerror or str(e)
            raise StoreError(f"The memory file {self.path} cannot be opened: {why}.") from e

    def _close_writer(self, con: Any) -> None:
        """Close the last connection, which checkpoints: in older versions under the lock."""
        fixed = self._sqlite.report.wal_reset_fixed
        with suppress(Timeout, OSError), nullcontext() if fixed else get_file_lock(self.path):
            con.close()

    async def _data_version(self) -> int:
        found = await self._readers[0].run(lambda con: list_values(con, "PRAGMA data_version"))
        return int(found[0])

    async def _follow(self, user_id: str, after: int, event: asyncio.Event) -> Any:
        while True:
            event.clear()
            newer = partial(_list_newer, after)
            page = await self.read(user_id, newer)
            for change in page:
                after = change.seq
                yield change
            if len(page) < _PAGE:
                await event.wait()


def _list_newer(after: int, tx: Transaction) -> list[Change]:
    return tx.changes.list_changes(after=after, limit=_PAGE)


async def open_store(
    path: Path, *, clock: Clock, worker: str, key: bytes, way: SqliteRoute | None = None
) -> SqliteStore:
    """Open (or make) the memory file.

    Args:
        path: the database file; it is made 0600, a missing directory 0700.
        clock: what time it is, for writes that nobody dated.
        worker: this process's name, see `worker_id`.
        key: secret of this home, for tombstones' digests.
        way: force one way to SQLite (tests); it is chosen once per process.

    Raises:
        StoreTooNew: the file has migrations this version does not know.
        StoreDamaged: it is no database, or a malformed one.
        StoreError: it cannot be opened; StoreBusy if another process is in the way.
    """
    sqlite = choose(way)
    store = SqliteStore(
        sqlite, Path(path), StoreContext(key=key, clock=clock, vec=sqlite.vec), worker
    )
    try:
        await store.prepare()
    except BaseException:
        await store.close()
        raise
    return store
