"""The one place where the database's exceptions become `memory.errors`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from memory.errors import StoreBusy, StoreDamaged, StoreError, StoreTooNew

_BUSY = {5, 6}
_CORRUPT = {11, 26}
_CANNOT_OPEN = {14, 23}
_READ_ONLY = 8
_IO = 10
_FULL = 13


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
