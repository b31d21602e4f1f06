"""The only SQL of Ebb: `memory.ports.Store` over one SQLite file."""

from memory.store.backups import Backup, list_backups, recover_backup
from memory.store.connection import locked
from memory.store.rows import memory_from_json, memory_to_json
from memory.store.sqlite_module import SqliteReport, Way, sqlite_report
from memory.store.store import SqliteStore, open_store
from memory.store.trace import Place, trace_words
from memory.store.worker import worker_id

__all__ = [
    "Backup",
    "Place",
    "SqliteReport",
    "SqliteStore",
    "Way",
    "list_backups",
    "locked",
    "memory_from_json",
    "memory_to_json",
    "open_store",
    "recover_backup",
    "sqlite_report",
    "trace_words",
    "worker_id",
]
