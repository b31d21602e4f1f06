"""Append-only migrations: files of SQL, applied by name, each in one transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

from memory.errors import StoreTooNew
from memory.text.standing import is_close, is_health

_LIST = "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)"


def migrate(con: Any, module: Any, now_ms: int, before: Callable[[], object] = int) -> list[str]:
    """Apply what is missing, in order; returns the names applied. `before` is called first if an old file changes.

    Safe for two processes at once: each migration looks again under the write lock. Raises StoreTooNew if the
    file has migrations that this version does not know, and then changes nothing.
    """
    known = dict(_migrations())
    applied: list[str] = []
    for rule in (is_health, is_close):  # what 0012 sorts by
        con.create_function(rule.__name__, 1, rule)
    there = _refuse_newer(con, known)
    if there and known.keys() - there:
        before()
    for name, sql in known.items():
        con.execute("BEGIN IMMEDIATE")
        try:
            con.execute(_LIST)
            if not con.execute("SELECT 1 FROM schema_migrations WHERE name = ?", (name,)).fetchone():
                for statement in _statements(sql, module):
                    con.execute(statement)
                con.execute("INSERT INTO schema_migrations VALUES (?, ?)", (name, now_ms))
                applied.append(name)
            con.execute("COMMIT")
        except BaseException:
            if con.in_transaction:
                con.execute("ROLLBACK")
            raise
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
