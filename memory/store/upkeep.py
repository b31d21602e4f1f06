"""Rebuilding, scrubbing and checkpointing: the whole-file work."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from memory.errors import StoreBusy
from memory.store import indexes
from memory.store.connection import BUSY_TIMEOUT_MS
from memory.store.failures import database_errors, translate
from memory.store.memories import INDEXED
from memory.store.sqlite_module import Sqlite

_LOCK_SECONDS = 10
_PATIENCE_MS = 1000
_WAL_BYTES = 4 * 1024 * 1024  # what SQLite's own checkpoints keep the log at


def lock_of(path: Path) -> FileLock:
    """The inter-process lock beside the file: for opening, and for checkpoints of SQLite < 3.51.3."""
    return FileLock(f"{path}.lock", timeout=_LOCK_SECONDS, mode=0o600, thread_local=False)


def rebuild(con: Any, vec: bool, user_id: str | None, *, codes: bool = True) -> Mapping[str, int]:
    """Derive text and vector indexes anew, inside a write transaction; how many rows each.

    Without `codes` the vectors' codes are taken as they are: scrubbing wants nothing but what was deleted gone.
    """
    owned, params = ("", ()) if user_id is None else (" AND m.user_id = ?", (user_id,))
    text = indexes.rebuild_text(con, user_id, INDEXED)
    con.execute(
        "DELETE FROM embeddings WHERE memory_n IN (SELECT m.n FROM memories m"
        f" WHERE NOT ({INDEXED} AND m.sensitivity < 3){owned})",
        params,
    )
    if codes:
        con.execute("UPDATE embeddings SET code = ebb_code(vector) WHERE code IS NOT ebb_code(vector)")
    for (model_id,) in con.execute("SELECT id FROM embedding_models").fetchall():
        indexes.vec0_make(con, vec, model_id, anew=True)
    con.execute("UPDATE vector_clock SET removals = removals + 1")
    count = f"SELECT COUNT(*) FROM embeddings e JOIN memories m ON m.n = e.memory_n WHERE 1{owned}"
    return {"text": text, "vectors": con.execute(count, params).fetchone()[0]}


def vacuum(con: Any) -> None:
    """Write the file anew, so that nothing deleted is left in free pages."""
    con.execute("VACUUM")


def truncate_log(con: Any, sqlite: Sqlite, path: Path) -> bool:
    """Move the whole WAL into the file and cut it to nothing; False if somebody was in the way."""
    if sqlite.report.wal_reset_fixed:
        return _checkpoint(con, _PATIENCE_MS)
    try:
        with lock_of(path):
            return _checkpoint(con, _PATIENCE_MS)
    except Timeout:
        return False


def tend_log(con: Any, sqlite: Sqlite, path: Path) -> None:
    """After a commit on SQLite < 3.51.3: checkpoint a long WAL, under the lock and without waiting for it."""
    if sqlite.report.wal_reset_fixed or _size(path.with_name(path.name + "-wal")) < _WAL_BYTES:
        return
    lock = lock_of(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return
    try:
        _checkpoint(con, 0)
    finally:
        lock.release()


def mend_text_index(con: Any, sqlite: Sqlite) -> None:
    """Let deleted words leave the index at once; and read an index that a newer SQLite has written.

    FTS5 before 3.42 knows no secure-delete and refuses a table that used it: the index is derived, so it is
    marked as the older format and rebuilt.
    """
    if sqlite.version >= (3, 42):
        if not con.execute("SELECT 1 FROM memories_fts_config WHERE k = 'secure-delete' AND v = 1").fetchone():
            con.execute("INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1)")
        return
    version = con.execute("SELECT v FROM memories_fts_config WHERE k = 'version'").fetchone()
    if version is not None and version[0] != 4:
        con.execute("BEGIN IMMEDIATE")
        con.execute("UPDATE memories_fts_config SET v = 4 WHERE k = 'version'")
        con.execute("DELETE FROM memories_fts_config WHERE k = 'secure-delete'")
        con.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
        con.execute("COMMIT")


def _checkpoint(con: Any, patience_ms: int) -> bool:
    """Whoever still reads is waited for so long only: meanwhile nobody here can write."""
    con.execute(f"PRAGMA busy_timeout = {patience_ms}")
    try:
        return bool(con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
    except database_errors() as e:
        if isinstance(translate(e), StoreBusy):
            return False
        raise
    finally:
        con.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
