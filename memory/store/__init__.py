"""The only SQL of Ebb: `memory.ports.Store` over one SQLite file."""

from memory.store.connection import is_locked
from memory.store.processes import is_process_gone, make_worker_id
from memory.store.rows import memory_from_json, memory_to_json
from memory.store.sqlite_module import SqliteRoute, sqlite_report
from memory.store.store import SqliteStore, open_store

__all__ = [
    "SqliteRoute",
    "SqliteStore",
    "is_locked",
    "is_process_gone",
    "make_worker_id",
    "memory_from_json",
    "memory_to_json",
    "open_store",
    "sqlite_report",
]
