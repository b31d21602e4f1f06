"""Which SQLite this process uses: chosen once, four ways, best first.

Two copies of SQLite working on one file in one process lose data, so the choice is made once and
kept: asking for another way later is an error. Reading `sqlite_report()` makes the choice too, and
touches no file.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from memory.errors import StoreError


class SqliteRoute(StrEnum):
    """How SQLite and sqlite-vec come into the process."""

    PYSQLITE3 = "pysqlite3"
    EXTENSION = "stdlib"
    AUTO_EXTENSION = "stdlib+ctypes"
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
    fts5: bool
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

    @property
    def version(self) -> tuple[int, ...]:
        """The version of the library, e.g. (3, 53, 4)."""
        return tuple(int(part) for part in self.report.version.split("."))


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


def _choose(ways: list[SqliteRoute]) -> SqliteModule:
    passed_over: list[tuple[str, str]] = []
    for way in ways:
        try:
            module, prepare, vec = _WAYS[way]()
            _require_search(module, prepare)
        except RouteUnavailable as e:
            passed_over.append((way.value, str(e)))
            continue
        version = str(module.sqlite_version)
        return SqliteModule(
            module,
            SqliteReport(
                way=way,
                module=str(module.__name__).partition(".")[0],
                version=version,
                vec_version=vec,
                fts5=True,
                wal_reset_fixed=tuple(map(int, version.split("."))) >= (3, 51, 3),
                passed_over=tuple(passed_over),
            ),
            prepare,
        )
    reasons = "; ".join(f"{name}: {why}" for name, why in passed_over)
    raise StoreError(
        f"No usable SQLite with full-text search (FTS5) was found ({reasons}). Install pysqlite3."
    )


def _require_search(module: Any, prepare: Callable[[Any], None]) -> None:
    con = module.connect(":memory:")
    try:
        prepare(con)
        con.execute("CREATE VIRTUAL TABLE probe USING fts5(t, tokenize='porter unicode61')")
        con.execute("SELECT value FROM json_each('[1]')").fetchone()
    except module.Error as e:
        raise RouteUnavailable(f"SQLite {module.sqlite_version} lacks FTS5 or JSON ({e})") from e
    finally:
        con.close()


def _nothing(_con: Any) -> None:
    """Leave a connection as it is: it needs no preparation."""


def _loader() -> Callable[[Any], None]:
    try:
        sqlite_vec: Any = importlib.import_module("sqlite_vec")
    except ImportError as e:
        raise RouteUnavailable("sqlite-vec is not installed") from e

    def load(con: Any) -> None:
        con.enable_load_extension(True)
        try:
            sqlite_vec.load(con)
        finally:
            con.enable_load_extension(False)

    return load


def _vec_version(module: Any, prepare: Callable[[Any], None]) -> str:
    con = module.connect(":memory:")
    try:
        prepare(con)
        return str(con.execute("SELECT vec_version()").fetchone()[0])
    except (module.Error, OSError) as e:
        raise RouteUnavailable(f"sqlite-vec does not load ({e})") from e
    finally:
        con.close()


def _pysqlite3() -> tuple[Any, Callable[[Any], None], str | None]:
    try:
        module: Any = importlib.import_module("pysqlite3.dbapi2")
        version = importlib.metadata.version("pysqlite3")
    except ImportError as e:
        raise RouteUnavailable("pysqlite3 is not installed") from e
    if tuple(int(p) for p in version.split(".")[:3] if p.isdigit()) < (0, 6, 1):
        raise RouteUnavailable(f"pysqlite3 {version} is older than 0.6.1")
    try:
        prepare = _loader()
        return module, prepare, _vec_version(module, prepare)
    except RouteUnavailable:
        # Still the best SQLite there is: only the vector index is missing, and numpy stands in for
        # it.
        return module, _nothing, None


def _extension() -> tuple[Any, Callable[[Any], None], str | None]:
    module = importlib.import_module("sqlite3")
    if not hasattr(module.Connection, "enable_load_extension"):
        raise RouteUnavailable("this Python was built without loadable SQLite extensions")
    prepare = _loader()
    return module, prepare, _vec_version(module, prepare)


def _auto_extension() -> tuple[Any, Callable[[Any], None], str | None]:
    module = importlib.import_module("sqlite3")
    con = module.connect(":memory:")
    try:
        # Without the loader compiled in, an extension gets no table of functions and would crash
        # the process.
        if con.execute("SELECT sqlite_compileoption_used('OMIT_LOAD_EXTENSION')").fetchone()[0]:
            raise RouteUnavailable("SQLite was compiled with OMIT_LOAD_EXTENSION")
        source_id = str(con.execute("SELECT sqlite_source_id()").fetchone()[0])
    finally:
        con.close()
    library = _library_of_stdlib(source_id)
    try:
        sqlite_vec: Any = importlib.import_module("sqlite_vec")
    except ImportError as e:
        raise RouteUnavailable("sqlite-vec is not installed") from e
    try:
        entry = _vec_library(str(sqlite_vec.loadable_path())).sqlite3_vec_init
    except (OSError, AttributeError) as e:
        raise RouteUnavailable(f"sqlite-vec does not load ({e})") from e
    library.sqlite3_auto_extension.argtypes = [ctypes.c_void_p]
    library.sqlite3_auto_extension.restype = ctypes.c_int
    if library.sqlite3_auto_extension(ctypes.cast(entry, ctypes.c_void_p)) != 0:
        raise RouteUnavailable("sqlite3_auto_extension refused sqlite-vec")
    try:
        return module, _nothing, _vec_version(module, _nothing)
    except RouteUnavailable:
        library.sqlite3_cancel_auto_extension(ctypes.cast(entry, ctypes.c_void_p))
        raise


def _library_of_stdlib(source_id: str) -> ctypes.CDLL:
    """Find the very libsqlite that `_sqlite3` calls, proved by its source id.

    Raises Unavailable.
    """
    extension = importlib.import_module("_sqlite3")
    origin = getattr(extension, "__file__", None)
    # A symbol looked up in the extension module is found in the library it was linked with.
    names = [origin, str(Path(origin).with_name("sqlite3.dll"))] if origin else [None]
    for name in names:
        try:
            library = ctypes.CDLL(name)
            library.sqlite3_sourceid.restype = ctypes.c_char_p
            found = library.sqlite3_sourceid()
            library.sqlite3_auto_extension  # noqa: B018 - raises AttributeError where it is not exported
        except (OSError, AttributeError):
            continue
        if found is not None and found.decode() == source_id:
            return library
    raise RouteUnavailable("ctypes does not reach the SQLite library that this Python uses")


def _vec_library(path: str) -> ctypes.CDLL:
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return ctypes.CDLL(path if path.endswith(suffix) else path + suffix)


def _plain() -> tuple[Any, Callable[[Any], None], str | None]:
    return importlib.import_module("sqlite3"), _nothing, None


_WAYS: dict[SqliteRoute, Callable[[], tuple[Any, Callable[[Any], None], str | None]]] = {
    SqliteRoute.PYSQLITE3: _pysqlite3,
    SqliteRoute.EXTENSION: _extension,
    SqliteRoute.AUTO_EXTENSION: _auto_extension,
    SqliteRoute.PLAIN: _plain,
}
