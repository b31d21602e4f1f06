"""Backups of the memory file: made, verified, cleaned of what was purged, and put back (DESIGN §8).

All functions block; the store calls them in a thread. A backup is one closed file without a log beside it.
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
from typing import Any, Final, Literal

from memory.errors import StoreBusy, StoreDamaged, StoreError
from memory.store import upkeep
from memory.store.connection import connect, within
from memory.store.failures import database_errors, translate, translated
from memory.store.migrate import migrate
from memory.store.rows import to_ms
from memory.store.sqlite_module import choose
from memory.store.tx import Shared, SqliteTx

Sort = Literal["daily", "hand", "migration", "replaced"]

KEPT: Final = 7  # daily backups, and as many made by hand
KEPT_FOR: Final = timedelta(days=30)  # those made before a migration, and databases that were replaced
_NAME: Final = re.compile(r"(\d{8}T\d{6}Z)-(daily|hand|migration|replaced)\.db")
_TIME: Final = "%Y%m%dT%H%M%SZ"
_PART: Final = ".part"
_BESIDE: Final = ("-wal", "-shm", "-journal")
_TABLES: Final = (
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    " AND name NOT LIKE 'sqlite_%' ORDER BY name"
)
_ERASED: Final = "SELECT id FROM live.used_ids WHERE erased"
_REWRITTEN: Final = "main.messages b JOIN live.messages l ON l.id = b.id AND l.text <> b.text"
# What the live file says of messages, titles and updates holds in a backup as well; ids and hashes of what was
# erased come along, so that a backup knows by itself what must not come back.
_ALIGN: Final = (
    f"UPDATE main.sessions SET running_summary = '' WHERE id IN (SELECT b.session_id FROM {_REWRITTEN})",
    "UPDATE main.sessions AS b SET title = (SELECT title FROM live.sessions l WHERE l.id = b.id)"
    " WHERE EXISTS (SELECT 1 FROM live.sessions l WHERE l.id = b.id AND l.title <> b.title)",
    "UPDATE main.messages AS b SET hidden_at = (SELECT hidden_at FROM live.messages l WHERE l.id = b.id)"
    f" WHERE id IN (SELECT b.id FROM {_REWRITTEN})",
    "UPDATE main.messages AS b SET text = (SELECT text FROM live.messages l WHERE l.id = b.id)"
    f" WHERE id IN (SELECT b.id FROM {_REWRITTEN})",
    "UPDATE main.inbox AS b SET payload = '', done_at = COALESCE(done_at, at) WHERE NOT EXISTS (SELECT 1 FROM"
    " live.inbox l WHERE (l.provider, l.bot, l.update_id) = (b.provider, b.bot, b.update_id) AND l.done_at IS NULL)",
    # A merged text that was erased is no longer there to stand for the others.
    "UPDATE main.memories SET state = 'active' WHERE state = 'merged' AND merged_into IS NULL",
    "INSERT OR REPLACE INTO main.used_ids SELECT id, erased FROM live.used_ids",
    "INSERT OR IGNORE INTO main.tombstones (user_id, memory_id, digest, at, set_id) SELECT user_id, memory_id,"
    f" digest, at, set_id FROM live.tombstones WHERE memory_id IN ({_ERASED})"
    " AND user_id IN (SELECT id FROM main.users)",
)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup file; `sort` says what it was made for."""

    path: Path
    made: datetime
    sort: Sort


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a recovery came to: where the database before it is kept, and how many purged memories were taken out."""

    kept: Path | None
    purged: int


def folder_of(database: Path) -> Path:
    """Where the backups of that database are."""
    return database.parent / "backups"


def list_backups(database: Path) -> list[Backup]:
    """All backups, newest first."""
    found = [(p, m) for p in folder_of(database).glob("*.db") if (m := _NAME.fullmatch(p.name))]
    out = [Backup(p, datetime.strptime(m[1], _TIME).replace(tzinfo=UTC), m[2]) for p, m in found]  # type: ignore[arg-type]
    return sorted(out, key=lambda b: b.made, reverse=True)


def make_backup(database: Path, sort: Sort, now: datetime) -> Backup:
    """Copy the database as it is at one moment, verify the copy, keep it 0600.

    Raises StoreDamaged (the database or its copy fails the check), StoreError, OSError.
    """
    path = folder_of(database) / f"{now.astimezone(UTC):{_TIME}}-{sort}.db"
    with _part(database) as part:
        _copy(database, part)
        part.replace(path)
    return Backup(path, now, sort)


def keep_daily(database: Path, now: datetime) -> bool:
    """Make today's backup if there is none, and let old ones go. True if one was made."""
    backups = list_backups(database)
    made = not any(b.sort == "daily" and b.made.date() == now.astimezone(UTC).date() for b in backups)
    if made:
        backups.insert(0, make_backup(database, "daily", now))
    backups.sort(key=lambda b: (b.made <= now, b.made), reverse=True)  # one from a clock that was ahead is no newest
    for sort in ("daily", "hand"):
        for old in [b for b in backups if b.sort == sort][KEPT:]:
            _remove(old.path)
    for b in backups:
        if b.sort in ("migration", "replaced") and now - b.made > KEPT_FOR:
            _remove(b.path)
    return made


def clean_backups(database: Path, now: datetime) -> int:
    """Take out of every backup what was purged; how many were rewritten.

    One that cannot be cleaned is removed, and a new one made in its place.
    """
    for left in folder_of(database).glob(f"*{_PART}*"):  # of a process that was killed, or that is about to be late
        left.unlink(missing_ok=True)
    count, lost = 0, list[Path]()
    for backup in list_backups(database):
        try:
            with _part(database) as part:
                if not _differs(backup.path, database):
                    continue
                shutil.copyfile(backup.path, part)
                _clean(part, database, now)
                part.replace(backup.path)
        except StoreBusy:
            raise
        except StoreError:
            lost.append(backup.path)
        count += 1
    if lost:
        fresh = make_backup(database, "daily", now)  # first: if the database is what is damaged, nothing goes
        for path in lost:
            if path != fresh.path:
                _remove(path)
    return count


def recover_backup(database: Path, file: Path, now: datetime) -> Recovered:
    """Put `file` in the database's place, without what was purged since; the database before it is kept as a backup.

    Raises StoreBusy (another process has the database open), StoreDamaged (`file` is none of ours), StoreError.
    """
    if not file.is_file():
        raise FileNotFoundError(2, "no such file", str(file))
    with upkeep.lock_of(database), _part(database) as part:
        _close(database)
        _copy(file, part)
        known = [database, *(b.path for b in list_backups(database))]
        reference = next((p for p in known if p.is_file() and _readable(p)), part)
        purged = _clean(part, reference, now)
        kept = None
        if database.exists():
            kept = folder_of(database) / f"{now.astimezone(UTC):{_TIME}}-replaced.db"
            for beside in ("", *_BESIDE):
                with suppress(FileNotFoundError):
                    Path(f"{database}{beside}").replace(f"{kept}{beside}")
        part.replace(database)
    return Recovered(kept, purged)


def verify(path: Path) -> dict[str, int]:
    """Rows by table of a file that is whole and one of ours. Raises StoreDamaged."""
    with translated(), closing(connect(choose(), path, read_only=True)) as con:
        found = [r[0] for r in con.execute("PRAGMA integrity_check(1)").fetchall()]
        counts = _counts(con)
    if found != ["ok"] or not {"memories", "messages", "schema_migrations"} <= counts.keys():
        raise StoreDamaged(f"{path.name} is damaged or is not one of Ebb's.")
    return counts


def _counts(con: Any) -> dict[str, int]:
    names = [r[0] for r in con.execute(_TABLES).fetchall()]
    return {t: int(con.execute(f'SELECT COUNT(*) FROM main."{t}"').fetchone()[0]) for t in names}


def _copy(source: Path, part: Path) -> None:
    """The source as it is at one moment, in the same rows, without a log."""
    sqlite = choose()
    with translated(), closing(connect(sqlite, source, read_only=True)) as con:
        con.execute("BEGIN")  # the copy and the counts see the same moment
        counts = _counts(con)
        with closing(sqlite.module.connect(str(part))) as copy:
            con.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
    if verify(part) != counts:
        raise StoreDamaged(f"The copy of {source.name} is not complete.")


def _differs(backup: Path, live: Path) -> bool:
    """Whether the backup holds anything that was purged, or rewritten, in the live file."""
    with translated(), closing(connect(choose(), backup, read_only=True)) as con:
        _attach(con, live)
        erased = f"EXISTS (SELECT 1 FROM main.memories WHERE id IN ({_ERASED}))"
        return bool(con.execute(f"SELECT {erased} OR EXISTS (SELECT 1 FROM {_REWRITTEN})").fetchone()[0])


def _clean(part: Path, live: Path, now: datetime) -> int:
    """Bring a backup to today's tables and erase in it what was purged in `live`; how many memories."""
    sqlite = choose()
    shared = Shared(key=b"", clock=lambda: now, vec=sqlite.vec)
    with translated(), closing(connect(sqlite, part, read_only=False)) as con:
        migrate(con, sqlite.module, to_ms(now))
        _attach(con, live)

        def work(con: Any) -> int:
            rows = con.execute(
                f"SELECT id, user_id FROM main.memories WHERE id IN ({_ERASED}) ORDER BY user_id"
            ).fetchall()
            for row in rows:
                tx = SqliteTx(con, row["user_id"], shared)
                tx.changes.begin("system", "purge", now)
                tx.memories.erase(row["id"])
                tx.finish()
            for statement in _ALIGN:
                con.execute(statement)
            upkeep.rebuild(con, sqlite.vec, None, codes=False)
            return len(rows)

        count = within(con, "BEGIN IMMEDIATE", work)
        con.execute("DETACH live")
        upkeep.vacuum(con)
        con.execute("PRAGMA journal_mode = DELETE")
    verify(part)
    return count


def _attach(con: Any, live: Path) -> None:
    con.execute("ATTACH ? AS live", (f"{live.resolve().as_uri()}?mode=ro",))


def _close(database: Path) -> None:
    """Fold the log into the database. Raises StoreBusy if another process has it open."""
    if not database.exists():
        return
    with closing(choose().module.connect(str(database), isolation_level=None, timeout=0)) as con:
        try:
            con.execute("PRAGMA journal_mode = DELETE")
        except database_errors() as e:
            if isinstance(translate(e), StoreBusy):
                raise StoreBusy("Another Ebb has the memory file open.") from e
            # It is damaged, which is why it is to be replaced.


def _readable(path: Path) -> bool:
    """Whether what was purged can be read from it."""
    try:
        with closing(connect(choose(), path, read_only=True)) as con:
            con.execute("SELECT COUNT(*) FROM used_ids WHERE erased").fetchone()
            con.execute("SELECT SUM(LENGTH(text)) FROM messages").fetchone()
    except database_errors():
        return False
    return True


@contextmanager
def _part(database: Path) -> Iterator[Path]:
    """A new 0600 file among the backups that is gone at the end unless it was put in its place."""
    folder = folder_of(database)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd, name = tempfile.mkstemp(prefix=".", suffix=_PART, dir=folder)
    os.close(fd)
    try:
        yield Path(name)
    finally:
        _remove(Path(name))


def _remove(path: Path) -> None:
    for beside in ("", *_BESIDE):
        Path(f"{path}{beside}").unlink(missing_ok=True)
