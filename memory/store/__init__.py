"""The only SQL of Ebb: `memory.ports.Store` over one SQLite file."""

from memory.store.connection import locked
from memory.store.processes import is_gone, worker_id
from memory.store.rows import memory_from_json, memory_to_json
from memory.store.sqlite_module import SqliteReport, Way, sqlite_report
from memory.store.store import SqliteStore, open_store

__all__ = [
    "SqliteReport",
    "SqliteStore",
    "Way",
    "is_gone",
    "locked",
    "memory_from_json",
    "memory_to_json",
    "open_store",
    "sqlite_report",
    "worker_id",
]
