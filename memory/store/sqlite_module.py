"""Which SQLite this process uses: chosen once, three ways, best first.

Two copies of SQLite working on one file in one process lose data, so the choice is made once and
kept: asking for another way later is an error. Reading `sqlite_report()` makes the choice too, and
touches no file.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from memory.errors import StoreError


class SqliteRoute(StrEnum):
    """How SQLite and sqlite-vec come into the process."""

    PYSQLITE3 = "pysqlite3"
    EXTENSION = "stdlib"
    PLAIN = "stdlib+numpy"


class RouteUnavailable(Exception):
    """This way is not open to this interpreter; the message says why."""


@dataclass(frozen=True, slots=True)
class SqliteReport:
    """What was chosen, for `ebb doctor`."""

    way: SqliteRoute
    module: str
    version: str
    vec_version: str | None  # None: no vec0 tables, numpy over the stored vectors
    wal_reset_fixed: bool  # SQLite >= 3.51.3; older ones checkpoint under a lock
    passed_over: tuple[tuple[str, str], ...]  # (way, why not)


@dataclass(frozen=True, slots=True)
class SqliteModule:
    """The chosen module, and how to make a connection of it able to use sqlite-vec."""

    module: Any
    report: SqliteReport
    prepare: Callable[[Any], None]

    @property
    def vec(self) -> bool:
        """Whether vec0 tables work on prepared connections."""
        return self.report.vec_version is not None


_chosen: SqliteModule | None = None


def choose(way: SqliteRoute | None = None) -> SqliteModule:
    """Choose the process's SQLite; `way` forces one (tests).

    Raises StoreError if none fits, or another was chosen.
    """
    global _chosen
    if _chosen is None:
        _chosen = _choose([way] if way else list(SqliteRoute))
    elif way is not None and way is not _chosen.report.way:
        raise StoreError(
            f"This process already uses SQLite by way of {_chosen.report.way}, not {way}."
        )
    return _chosen


def sqlite_report() -> SqliteReport:
    """Tell which module, version and way are used, and why not better ones."""
    return choose().report


def _choose(ways: Iterable[SqliteRoute]) -> SqliteModule:
    passed_over: list[tuple[str, str]] = []
    for way in ways:
        try:
            module = _import(way)
            _require_search(module)
            # Of pysqlite3 still the best SQLite there is: only the vector index is missing, and
            # numpy stands in for it.
            prepare, vec = _find_extension(module, needed=way is SqliteRoute.EXTENSION)
            if way is SqliteRoute.PLAIN:
                prepare, vec = _leave_as_it_is, None
        except RouteUnavailable as e:
            passed_over.append((way.value, str(e)))
            continue
        version = str(module.sqlite_version)
        name = str(module.__name__).partition(".")[0]
        fixed = tuple(map(int, version.split("."))) >= (3, 51, 3)
        report = SqliteReport(way, name, version, vec, fixed, tuple(passed_over))
        return SqliteModule(module, report, prepare)
    reasons = "; ".join(f"{name}: {why}" for name, why in passed_over)
    raise StoreError(
        f"No usable SQLite with full-text search (FTS5) was found ({reasons}). Install pysqlite3."
    )


def _import(way: SqliteRoute) -> Any:
    try:
        if way is not SqliteRoute.PYSQLITE3:
            return importlib.import_module("sqlite3")
        module = importlib.import_module("pysqlite3.dbapi2")
        version = importlib.metadata.version("pysqlite3")
    except ImportError as e:
        raise RouteUnavailable(f"{way.partition('+')[0]} is not installed") from e
    if tuple(int(p) for p in version.split(".")[:3] if p.isdigit()) < (0, 6, 1):
        raise RouteUnavailable(f"pysqlite3 {version} is older than 0.6.1")
    return module


def _require_search(module: Any) -> None:
    try:
        with closing(module.connect(":memory:")) as con:
            con.execute("CREATE VIRTUAL TABLE probe USING fts5(t, tokenize='porter unicode61')")
            con.execute("SELECT value FROM json_each('[1]')").fetchone()
    except module.Error as e:
        raise RouteUnavailable(f"SQLite {module.sqlite_version} lacks FTS5 or JSON ({e})") from e


def _leave_as_it_is(_con: Any) -> None:
    """Prepare nothing."""


def _find_extension(module: Any, *, needed: bool) -> tuple[Callable[[Any], None], str | None]:
    """Find how to load sqlite-vec, and its version. Raises RouteUnavailable if `needed`."""

    def load(con: Any) -> None:
        con.enable_load_extension(True)
        try:
            importlib.import_module("sqlite_vec").load(con)
        finally:
            con.enable_load_extension(False)

    try:
        with closing(module.connect(":memory:")) as con:
            load(con)
            return load, str(con.execute("SELECT vec_version()").fetchone()[0])
    except (AttributeError, ImportError, OSError, module.Error) as e:
        if needed:
            raise RouteUnavailable(f"sqlite-vec does not load ({e})") from e
        return _leave_as_it_is, None
