"""The whole file: its migrations, rebuilding what is derived, vacuuming, and keeping its log short.

Migrations are append-only: files of SQL, applied by name, each in one transaction of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
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
from memory.store.rows import list_tuples, list_values, run
from memory.store.sqlite_module import SqliteModule
from memory.store.vectors import INDEXED, BitTable
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


_LIST: Final = (
    "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, applied_at INTEGER"
    " NOT NULL)"
)


def migrate(con: Any, module: Any, now_ms: int, before: Callable[[], object] = int) -> list[str]:
    """Apply what is missing, in order; return the names applied.

    `before` is called first if an old file changes. Safe for two processes at once: each
    migration looks again under the write lock. Raises StoreTooNew if the file has migrations that
    this version does not know, and then changes nothing.
    """
    folder = files("memory.store") / "migrations"
    known = sorted(f.name for f in folder.iterdir() if f.name.endswith(".sql"))
    for function, work in _FUNCTIONS.items():
        con.create_function(function, 1, work)
    listed = list_values(con, "SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'")
    there = set(list_values(con, "SELECT name FROM schema_migrations")) if listed else set()
    if unknown := sorted(there.difference(known)):
        raise StoreTooNew(
            f"The memory file was written by a later version of Ebb ({unknown[-1]});"
            " update Ebb to open it."
        )
    if there and there != set(known):
        before()
    applied: list[str] = []
    for name in known:

        def apply(con: Any, name: str = name) -> None:
            con.execute(_LIST)
            if not list_values(con, "SELECT 1 FROM schema_migrations WHERE name = ?", name):
                for statement in _statements((folder / name).read_text(encoding="utf-8"), module):
                    con.execute(statement)
                con.execute("INSERT INTO schema_migrations VALUES (?, ?)", (name, now_ms))
                applied.append(name)

        run_transaction(con, "BEGIN IMMEDIATE", apply)
    return applied


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
    owned = f"FROM memories m WHERE {'? IS NULL' if user_id is None else 'm.user_id = ?'}"
    run(con, f"DELETE FROM memories_text WHERE n IN (SELECT m.n {owned})", user_id)
    lost = f"SELECT m.n {owned} AND NOT ({INDEXED} AND m.sensitivity < 3)"
    run(con, f"DELETE FROM embeddings WHERE memory_n IN ({lost})", user_id)
    rebuild_bits(con, vec)
    con.execute("UPDATE vector_clock SET removals = removals + 1")
    texts = list_tuples(con, f"SELECT m.n, m.original_content {owned} AND {INDEXED}", user_id)
    count = f"SELECT COUNT(*) FROM embeddings WHERE memory_n IN (SELECT m.n {owned})"
    return {"text": put_terms(con, texts), "vectors": list_values(con, count, user_id)[0]}


def rebuild_bits(con: Any, vec: bool) -> None:
    """Make sqlite-vec's tables anew: nothing is left in them of what was deleted."""
    for model_id in list_values(con, "SELECT id FROM embedding_models"):
        BitTable(con, vec, model_id).make(anew=True)


def rewrite_file(con: Any) -> None:
    """Write the file anew, so that nothing deleted is left in free pages."""
    con.execute("VACUUM")


def truncate_log(con: Any, sqlite: SqliteModule, path: Path) -> bool:
    """Move the whole WAL into the file and cut it to nothing; False if somebody was in the way."""
    try:
        with nullcontext() if sqlite.report.wal_reset_fixed else get_file_lock(path):
            return _checkpoint(con, _PATIENCE_MS)
    except Timeout:
        return False


def checkpoint_log(con: Any, sqlite: SqliteModule, path: Path) -> None:
    """Checkpoint a long WAL of SQLite < 3.51.3, under the lock, without waiting for it."""
    log = path.with_name(path.name + "-wal")
    if sqlite.report.wal_reset_fixed or not log.exists() or log.stat().st_size < _WAL_BYTES:
        return
    with suppress(Timeout), get_file_lock(path).acquire(timeout=0):
        _checkpoint(con, 0)


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
