"""Backups of the memory file: made, verified, cleaned of what was purged, put back.

All functions block; the store calls them in a thread. A backup is one closed file without a log
beside it.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from memory.errors import StoreBusy, StoreDamaged, StoreError
from memory.store import upkeep
from memory.store.connection import (
    list_database_errors,
    open_connection,
    run_transaction,
    translate,
    translate_errors,
)
from memory.store.processes import get_file_lock
from memory.store.purge import ORDINARY_TABLES
from memory.store.rows import list_tuples, list_values, to_ms
from memory.store.sqlite_module import choose
from memory.store.tables import SqliteTransaction
from memory.store.transaction import StoreContext

KEPT: Final = 7  # daily backups, and as many made by hand
# those made before a migration, and databases that were replaced
KEPT_FOR: Final = timedelta(days=30)
_NAME: Final = re.compile(r"(\d{8}T\d{6}Z)-(daily|hand|migration|replaced)\.db")
_TIME: Final = "%Y%m%dT%H%M%SZ"
_ERASED: Final = "(SELECT id FROM live.used_ids WHERE erased)"
_REWRITTEN: Final = "live.messages l WHERE l.id = b.id AND l.text <> b.text"
# What the live file says of messages, titles and updates holds in a backup as well; ids and hashes
# of what was erased come along, so that a backup knows by itself what must not come back.
_ALIGN: Final = (
    "UPDATE main.sessions SET running_summary = '' WHERE id IN"
    f" (SELECT b.session_id FROM main.messages b WHERE EXISTS (SELECT 1 FROM {_REWRITTEN}))",
    "UPDATE main.sessions AS b SET title = l.title FROM live.sessions l WHERE l.id = b.id"
    " AND l.title <> b.title",
    "DELETE FROM main.documents WHERE n NOT IN (SELECT n FROM live.documents)",
    f"UPDATE main.messages AS b SET text = l.text, hidden_at = l.hidden_at FROM {_REWRITTEN}",
    "UPDATE main.inbox AS b SET payload = '', done_at = COALESCE(done_at, at) WHERE NOT"
    " EXISTS (SELECT 1 FROM"
    " live.inbox l WHERE (l.provider, l.bot, l.update_id) = (b.provider, b.bot,"
    " b.update_id) AND l.done_at IS NULL)",
    # A merged text that was erased is no longer there to stand for the others.
    "UPDATE main.memories SET state = 'active' WHERE state = 'merged' AND merged_into IS NULL",
    "INSERT OR REPLACE INTO main.used_ids SELECT id, erased FROM live.used_ids",
    "INSERT OR IGNORE INTO main.tombstones (user_id, memory_id, digest, at, set_id)"
    " SELECT user_id, memory_id, digest, at, set_id FROM live.tombstones"
    f" WHERE memory_id IN {_ERASED} AND user_id IN (SELECT id FROM main.users)",
)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file; `sort` says what it was made for: daily, hand, migration, replaced."""

    path: Path
    made: datetime
    sort: str


def list_backups(database: Path) -> list[Backup]:
    """List all backups of the database, newest first."""
    named = [
        (p, m) for p in (database.parent / "backups").glob("*.db") if (m := _NAME.fullmatch(p.name))
    ]
    found = [Backup(p, datetime.strptime(m[1], _TIME).replace(tzinfo=UTC), m[2]) for p, m in named]
    return sorted(found, key=lambda b: b.made, reverse=True)


def make_backup(database: Path, sort: str, now: datetime) -> Path:
    """Copy the database as it is at one moment, verify the copy, keep it 0600.

    Raises StoreDamaged (the database or its copy fails the check), StoreError, OSError.
    """
    with _part(database) as part:
        _copy(database, part)
        return part.replace(_named(database, sort, now))


def keep_daily(database: Path, now: datetime) -> bool:
    """Make today's backup if there is none, and let old ones go.

    True if one was made.
    """
    today = now.astimezone(UTC).date()
    made = not any(b.sort == "daily" and b.made.date() == today for b in list_backups(database))
    if made:
        make_backup(database, "daily", now)
    # A clock may have been ahead: what it made goes first.
    backups = sorted(list_backups(database), key=lambda b: b.made <= now, reverse=True)
    for sort in ("daily", "hand", "migration", "replaced"):
        of_sort = [b for b in backups if b.sort == sort]
        by_age = sort in ("migration", "replaced")
        for b in [b for b in of_sort if now - b.made > KEPT_FOR] if by_age else of_sort[KEPT:]:
            _remove(b.path)
    return made


def clean_backups(database: Path, now: datetime) -> int:
    """Take out of every backup what was purged; return how many were rewritten.

    One that cannot be cleaned is removed, and a new one made in its place.
    """
    folder = database.parent / "backups"
    # of a process that was killed; pages set aside
    for left in (*folder.glob(".*.part*"), *folder.glob("*.md*")):
        left.unlink(missing_ok=True)
    count = 0
    for path in [b.path for b in list_backups(database)]:
        try:
            if not _differs(path, database):
                continue
            with _part(database) as part:
                shutil.copyfile(path, part)
                _clean(part, database, now)
                part.replace(path)
        except StoreBusy:
            raise
        except StoreError:
            # which fails if the database is what is damaged
            if path != make_backup(database, "daily", now):
                _remove(path)
        count += 1
    return count


def recover_backup(database: Path, file: Path, now: datetime) -> tuple[Path | None, int]:
    """Put `file` in the database's place, without what was purged since.

    The database before it becomes a backup.

    Where that one is, and how many memories were taken out again. Raises StoreBusy (another process
    has the database open), StoreDamaged (`file` is none of ours), StoreError, OSError.
    """
    file.stat()
    with get_file_lock(database), _part(database) as part:
        whole = _close(database)
        _copy(file, part)
        purged = 0
        for live in (*([database] if whole else []), *(b.path for b in list_backups(database))):
            with suppress(StoreDamaged):  # then the next one says what was purged
                purged = _clean(part, live, now)
                break
        kept = _named(database, "replaced", now) if database.exists() else None
        for beside in ("", "-wal", "-shm", "-journal") if kept else ():
            with suppress(FileNotFoundError):
                Path(f"{database}{beside}").replace(f"{kept}{beside}")
        # Of a whole database its pages tell nothing new, and would bring back what is not in the
        # recovered one.
        for page in database.parent.glob("MEMORY*.md*") if whole else ():
            page.replace(f"{kept}-{page.name}")
        part.replace(database)
    return kept, purged


def _named(database: Path, sort: str, now: datetime) -> Path:
    return database.parent / "backups" / f"{now.astimezone(UTC):{_TIME}}-{sort}.db"


def _verify(path: Path) -> dict[str, int]:
    """Rows by table of a file that is whole and one of ours. Raises StoreDamaged."""
    with translate_errors(), closing(open_connection(choose(), path, read_only=True)) as con:
        whole = list_values(con, "PRAGMA integrity_check(1)") == ["ok"]
        counts = _counts(con)
    if not whole or not {"memories", "messages", "schema_migrations"} <= counts.keys():
        raise StoreDamaged(f"{path.name} is damaged or is not one of Ebb's.")
    return counts


def _counts(con: Any) -> dict[str, int]:
    return {
        t: int(list_values(con, f'SELECT COUNT(*) FROM "{t}"')[0])
        for t in list_values(con, ORDINARY_TABLES)
    }


def _copy(source: Path, part: Path) -> None:
    """Copy the source at one moment, in the same rows, without a log."""
    sqlite = choose()
    with translate_errors(), closing(open_connection(sqlite, source, read_only=True)) as con:
        con.execute("BEGIN")  # the copy and the counts see the same moment
        counts = _counts(con)
        with closing(sqlite.module.connect(str(part))) as copy:
            con.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    if _verify(part) != counts:
        raise StoreDamaged(f"The copy of {source.name} is not complete.")


def _differs(backup: Path, live: Path) -> bool:
    """Whether the backup holds anything that was purged, or rewritten, in the live file."""
    with translate_errors(), closing(open_connection(choose(), backup, read_only=True)) as con:
        _attach(con, live)
        rewritten = f"SELECT 1 FROM main.messages b WHERE EXISTS (SELECT 1 FROM {_REWRITTEN})"
        purged = f"SELECT 1 FROM main.memories WHERE id IN {_ERASED}"
        return bool(list_values(con, f"{purged} UNION ALL {rewritten} LIMIT 1"))


def _clean(part: Path, live: Path, now: datetime) -> int:
    """Bring a backup to today's tables without what was purged in `live`; count memories."""
    sqlite = choose()
    shared = StoreContext(key=b"", clock=lambda: now, vec=sqlite.vec)

    def work(con: Any) -> int:
        rows = list_tuples(con, f"SELECT id, user_id FROM main.memories WHERE id IN {_ERASED}")
        for memory_id, user_id in rows:
            tx = SqliteTransaction(con, user_id, shared)
            tx.changes.begin("system", "purge", now)
            tx.memories.erase(memory_id)
            tx.finish()
        for statement in _ALIGN:
            con.execute(statement)
        upkeep.rebuild_bits(con, sqlite.vec)
        return len(rows)

    with translate_errors(), closing(open_connection(sqlite, part, read_only=False)) as con:
        upkeep.migrate(con, sqlite.module, to_ms(now))
        _attach(con, live)
        count = run_transaction(con, "BEGIN IMMEDIATE", work)
        con.execute("DETACH live")
        upkeep.rewrite_file(con)
        con.execute("PRAGMA journal_mode = DELETE")
    _verify(part)
    return count


def _attach(con: Any, live: Path) -> None:
    con.execute("ATTACH ? AS live", (f"{live.resolve().as_uri()}?mode=ro",))


def _close(database: Path) -> bool:
    """Fold the log into the database; False if that fails.

    Raises StoreBusy if another process has it open.
    """
    if not database.exists():
        return False
    with closing(choose().module.connect(str(database), timeout=0)) as con:
        try:
            con.execute("PRAGMA journal_mode = DELETE")
        except list_database_errors() as e:
            if isinstance(error := translate(e), StoreBusy):
                raise error from e
            return False
    return True


@contextmanager
def _part(database: Path) -> Iterator[Path]:
    """Make a 0600 file among the backups for as long as this is open.

    It is gone at the end unless it was put in its place.
    """
    folder = database.parent / "backups"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
    os.close(fd)
    try:
        yield Path(name)
    finally:
        _remove(Path(name))


def _remove(path: Path) -> None:
    for beside in path.parent.glob(f"{path.name}*"):
        beside.unlink(missing_ok=True)
