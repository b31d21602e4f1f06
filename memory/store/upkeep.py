"""The whole file: its migrations, rebuilding what is derived, vacuuming, and keeping its log short.

Migrations are append-only: files of SQL, applied by name, each in one transaction of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from filelock import Timeout

from memory.errors import StoreBusy, StoreTooNew
from memory.index.text import hash_terms, segment_text
from memory.store.connection import (
    BUSY_TIMEOUT_MS,
    list_database_errors,
    run_transaction,
    translate,
)
from memory.store.memories import put_terms
from memory.store.processes import get_file_lock
from memory.store.sqlite_module import SqliteModule
from memory.store.vectors import INDEXED, make_bits
from memory.text.notes import is_close, is_health, strip_subject

# What migrations call; codes and pairs are gone again by the time the last one is done.
_FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "ebb_code": lambda _vector: b"",
    "ebb_pairs": lambda _text: "",
    "ebb_terms": hash_terms,
    "ebb_segment": segment_text,
    "ebb_words": lambda segmented: len(segmented.split()) or 1,
    "ebb_note": strip_subject,
    "is_health": is_health,
    "is_close": is_close,
}
_PATIENCE_MS = 1000
_WAL_BYTES = 4 * 1024 * 1024  # what SQLite's own checkpoints keep the log at


_LIST: Final = "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)"


def migrate(con: Any, module: Any, now_ms: int, before: Callable[[], object] = int) -> list[str]:
    """Apply what is missing, in order; returns the names applied. `before` is called first if an
    old file changes.

    Safe for two processes at once: each migration looks again under the write lock. Raises
    StoreTooNew if the file has migrations that this version does not know, and then changes
    nothing.
    """
    known = dict(_migrations())
    applied: list[str] = []
    for name, function in _FUNCTIONS.items():
        con.create_function(name, 1, function)
    there = _refuse_newer(con, known)
    if there and known.keys() - there:
        before()
    for name, sql in known.items():

        def apply(con: Any, name: str = name, sql: str = sql) -> None:
            con.execute(_LIST)
            if not con.execute(
                "SELECT 1 FROM schema_migrations WHERE name = ?", (name,)
            ).fetchone():
                for statement in _statements(sql, module):
                    con.execute(statement)
                con.execute("INSERT INTO schema_migrations VALUES (?, ?)", (name, now_ms))
                applied.append(name)

        run_transaction(con, "BEGIN IMMEDIATE", apply)
    return applied


def _migrations() -> list[tuple[str, str]]:
    folder = files("memory.store") / "migrations"
    names = sorted(f.name for f in folder.iterdir() if f.name.endswith(".sql"))
    return [(name, (folder / name).read_text(encoding="utf-8")) for name in names]


def _refuse_newer(con: Any, known: dict[str, str]) -> set[str]:
    """The names applied so far."""
    if not con.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").fetchone():
        return set()
    there = {r[0] for r in con.execute("SELECT name FROM schema_migrations")}
    if unknown := sorted(there - known.keys()):
        raise StoreTooNew(
            f"The memory file was written by a later version of Ebb ({unknown[-1]}); update Ebb to open it."
        )
    return there


def _statements(sql: str, module: Any) -> Iterator[str]:
    """Split at complete statements: `executescript` would commit behind our back."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if module.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending


# --- what is derived, and the log


def rebuild(con: Any, vec: bool, user_id: str | None) -> Mapping[str, int]:
    """Derive terms and vector tables anew, inside a write transaction; how many rows each."""
    owned, params = ("", ()) if user_id is None else (" AND m.user_id = ?", (user_id,))
    con.execute(
        f"DELETE FROM memories_text WHERE n IN (SELECT m.n FROM memories m WHERE 1{owned})", params
    )
    texts = con.execute(
        f"SELECT m.n, m.original_content FROM memories m WHERE {INDEXED}{owned}", params
    ).fetchall()
    con.execute(
        "DELETE FROM embeddings WHERE memory_n IN (SELECT m.n FROM memories m"
        f" WHERE NOT ({INDEXED} AND m.sensitivity < 3){owned})",
        params,
    )
    rebuild_bits(con, vec)
    con.execute("UPDATE vector_clock SET removals = removals + 1")
    count = f"SELECT COUNT(*) FROM embeddings e JOIN memories m ON m.n = e.memory_n WHERE 1{owned}"
    return {
        "text": put_terms(con, map(tuple, texts)),
        "vectors": con.execute(count, params).fetchone()[0],
    }


def rebuild_bits(con: Any, vec: bool) -> None:
    """Make sqlite-vec's tables anew: nothing is left in them of what was deleted."""
    for (model_id,) in con.execute("SELECT id FROM embedding_models").fetchall():
        make_bits(con, vec, model_id, anew=True)


def rewrite_file(con: Any) -> None:
    """Write the file anew, so that nothing deleted is left in free pages."""
    con.execute("VACUUM")


def truncate_log(con: Any, sqlite: SqliteModule, path: Path) -> bool:
    """Move the whole WAL into the file and cut it to nothing; False if somebody was in the way."""
    if sqlite.report.wal_reset_fixed:
        return _checkpoint(con, _PATIENCE_MS)
    try:
        with get_file_lock(path):
            return _checkpoint(con, _PATIENCE_MS)
    except Timeout:
        return False


def checkpoint_log(con: Any, sqlite: SqliteModule, path: Path) -> None:
    """After a commit on SQLite < 3.51.3: checkpoint a long WAL, under the lock and without waiting for it."""
    if sqlite.report.wal_reset_fixed or _size(path.with_name(path.name + "-wal")) < _WAL_BYTES:
        return
    lock = get_file_lock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return
    try:
        _checkpoint(con, 0)
    finally:
        lock.release()


def _checkpoint(con: Any, patience_ms: int) -> bool:
    """Whoever still reads is waited for so long only: meanwhile nobody here can write."""
    con.execute(f"PRAGMA busy_timeout = {patience_ms}")
    try:
        return bool(con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
    except list_database_errors() as e:
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
