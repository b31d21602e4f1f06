"""Statements and rows: values and dataclasses to columns and back, a memory as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import lru_cache
from types import NoneType
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from memory.models import CurveState, Filter, Json, Memory

T = TypeVar("T")
AMONG: Final = "IN (SELECT value FROM json_each(?))"  # one parameter: a list
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def to_ms(t: datetime) -> int:
    """Convert an aware time to UTC milliseconds; what is finer is dropped."""
    return (t - _EPOCH) // _MS


def from_ms(ms: int) -> datetime:
    """Convert UTC milliseconds to a time: the inverse of `to_ms`."""
    return _EPOCH + ms * _MS


def dump(value: Json) -> str:
    """Write compact JSON, Chinese left readable."""
    return _ENCODER.encode(value)


def load(text: str) -> Json:
    """Read JSON, quickly for the most frequent values."""
    if text == "[]":
        return []
    return {} if text == "{}" else ["text"] if text == '["text"]' else json.loads(text)


# --- statements ---


def to_column(value: Any) -> Any:
    """Convert a value to what its column holds: times to milliseconds, maps and lists to JSON."""
    if isinstance(value, datetime):
        return to_ms(value)
    if isinstance(value, Mapping):
        return dump(dict(value))
    return dump(list(value)) if isinstance(value, (list, tuple, AbstractSet)) else value


def run(con: Any, sql: str, *params: Any) -> Any:
    """Execute a statement with parameters as `to_column` turns them; return the cursor."""
    return con.execute(sql, [to_column(p) for p in params])


def list_values(con: Any, sql: str, *params: Any) -> list[Any]:
    """Return the first column of all rows."""
    return [r[0] for r in run(con, sql, *params).fetchall()]


def list_tuples(con: Any, sql: str, *params: Any) -> list[Any]:
    """Return all rows as plain tuples: names cost more than all the rest where rows are many."""
    found: list[Any] = open_cursor(con, sql, *params).fetchall()
    return found


def open_cursor(con: Any, sql: str, *params: Any) -> Any:
    """Open a cursor that gives plain tuples."""
    cursor = con.cursor()
    cursor.row_factory = None
    return cursor.execute(sql, [to_column(p) for p in params])


def insert(con: Any, table: str, row: Mapping[str, Any], how: str = "INSERT") -> Any:
    """Insert a row, given by column; return the cursor."""
    names, places = ", ".join(map(quote_name, row)), ", ".join("?" * len(row))
    return run(con, f"{how} INTO {table} ({names}) VALUES ({places})", *row.values())


def quote_name(column: str) -> str:
    """Quote a column name: `on` is a word of SQL's own."""
    return f'"{column}"'


# --- values by the types of their fields ---


class _Codec(NamedTuple):
    """How a field's value is made of JSON's types, and turned into them."""

    read: Callable[[Any], Any] | None = None
    write: Callable[[Any], Any] | None = None
    nested: bool = False  # its column holds JSON


def _codec(hint: Any) -> _Codec:
    optional = [a for a in get_args(hint) if a is not NoneType]
    if NoneType in get_args(hint) and len(optional) == 1:
        inner = _codec(optional[0])
        return _Codec(_unless_none(inner.read), _unless_none(inner.write), inner.nested)
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind is datetime:
        return _Codec(from_ms, to_ms)
    if kind is bool:
        return _Codec(bool)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _Codec({m.value: m for m in kind}.__getitem__, lambda m: m.value)
    if kind is tuple:
        item = _codec(parts[0])
        if item.read is None or item.write is None:
            return _Codec(tuple, list, nested=True)
        read, write = item.read, item.write
        return _Codec(lambda v: tuple(map(read, v)), lambda v: list(map(write, v)), nested=True)
    return _Codec(dict, dict, nested=True) if kind is Mapping else _Codec()


def _unless_none(fn: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    return None if fn is None else lambda v: None if v is None else fn(v)


@lru_cache(maxsize=64)
def _codecs(kind: Any) -> Mapping[str, _Codec]:
    return {name: _codec(hint) for name, hint in get_type_hints(kind).items()}


def columns_of(thing: Any) -> dict[str, Any]:
    """Return a dataclass's fields by name."""
    return {f.name: getattr(thing, f.name) for f in fields(thing)}


def from_row(kind: Callable[..., T], row: Any) -> T:
    """Make a dataclass of the columns named as its fields, read by their types."""
    given = {}
    for name, codec in _codecs(kind).items():
        value = row[name]
        if codec.nested and value is not None:
            value = json.loads(value)
        given[name] = value if codec.read is None or value is None else codec.read(value)
    return kind(**given)


# --- memories ---


def split_names(text: str) -> tuple[str, ...]:
    """Split a list of column names."""
    return tuple(text.split())


# In the order of change logs and exports, which stays.
MEMORY_COLUMNS: Final = split_names(
    "id user_id content original_content language layer kind curve importance confidence "
    "pinned level weight activation_count precision source verified source_session "
    "source_message merged_into compressed_from state sensitivity rev repeats close "
    "quiet_words created_at last_activated_at importance_at valid_from valid_until expires_at "
    "negated_at reviewed_at deleted_at on on_until quiet_at topics entities modalities "
    "supersedes merged_from source_ids recent_mentions original_contents correction_history "
    "curve_data strength strength_at dead slot renamed unsettled_at"
)
MEMORY_SELECT: Final = ", ".join(f"m.{quote_name(c)}" for c in MEMORY_COLUMNS)
# Fields that change logs and exports of older versions do not have, with their defaults.
_ADDED: Final[Mapping[str, Json]] = dict.fromkeys(
    (
        "on",
        "on_until",
        "quiet_at",
        "repeats",
        "quiet_words",
        "dead",
        "slot",
        "renamed",
        "unsettled_at",
    )
) | {"close": 0}
_STATE: Final = {"strength": "strength", "strength_at": "at", "curve_data": "data"}  # of a curve
_MEMORY: Final = {
    name: _codecs(CurveState)[_STATE[name]] if name in _STATE else _codecs(Memory)[name]
    for name in MEMORY_COLUMNS
}
_NESTED: Final = [i for i, c in enumerate(_MEMORY.values()) if c.nested]
_AT: Final = {name: i for i, name in enumerate(MEMORY_COLUMNS)}
# By place and not by name: recall makes a dozen a question.
_PLAN: Final = [
    (_AT.get(f.name, 0), _MEMORY[f.name].read if f.name in _MEMORY else None)
    for f in fields(Memory)
]
_CURVE_FIELD: Final = [f.name for f in fields(Memory)].index("curve_state")
_FLAGS: Final = ("pinned", "verified", "close")


def memory_to_json(m: Memory) -> dict[str, Json]:
    """Return every field in JSON's types: times as UTC milliseconds, enums as their values."""
    out: dict[str, Json] = {}
    for name, codec in _MEMORY.items():
        curve = _STATE.get(name)
        value = getattr(m, name) if curve is None else getattr(m.curve_state, curve)
        out[name] = value if codec.write is None else codec.write(value)
    return out


def memory_from_json(j: Mapping[str, Json]) -> Memory:
    """Rebuild the memory that `memory_to_json` was given, times cut to milliseconds.

    Fields that an older version did not write get their defaults. Raises KeyError for any other
    that is missing.
    """
    values = [j[name] if name in j else _ADDED[name] for name in MEMORY_COLUMNS]
    given = [values[at] if read is None else read(values[at]) for at, read in _PLAN]
    at = from_ms(values[_AT["strength_at"]])
    given[_CURVE_FIELD] = CurveState(values[_AT["strength"]], at, dict(values[_AT["curve_data"]]))
    return Memory(*given)


def memory_from_row(row: Any) -> Memory:
    """Make the memory of a row that ends with MEMORY_COLUMNS."""
    return memory_from_json(json_from_row(row))


def json_from_row(row: Any) -> dict[str, Json]:
    """Convert a row that ends with MEMORY_COLUMNS to what `memory_to_json` gives of its memory."""
    values = list(tuple(row)[-len(MEMORY_COLUMNS) :])
    for at in _NESTED:
        values[at] = load(values[at])
    for name in _FLAGS:
        values[_AT[name]] = bool(values[_AT[name]])
    return dict(zip(MEMORY_COLUMNS, values, strict=True))


def row_of(j: Mapping[str, Json]) -> dict[str, Any]:
    """Convert what `memory_to_json` gave to values by column."""
    return {name: to_column(value) for name, value in j.items()}


@lru_cache(maxsize=256)
def build_condition(user_id: str, f: Filter) -> tuple[str, tuple[Any, ...]]:
    """Turn a filter into a condition on the owner's `memories m`, with its parameters."""
    parts, params = ["m.user_id = ?", "m.sensitivity <= ?"], [user_id, int(f.max_sensitivity)]
    among: Mapping[str, Iterable[Any] | None] = {
        "state": f.states,
        "level": f.levels,
        "kind": f.kinds,
        "layer": f.layers,
    }
    for column, allowed in among.items():
        if allowed is not None:
            parts.append(f"m.{column} {AMONG}")
            params.append(dump(sorted(allowed)))
    if f.valid_at is not None:
        parts.append("(m.valid_until IS NULL OR m.valid_until > ?)")
        params.append(to_ms(f.valid_at))
    if f.negated is not None:
        parts.append("m.negated_at IS NOT NULL" if f.negated else "m.negated_at IS NULL")
    if f.exclude:
        parts.append(f"m.id NOT {AMONG}")
        params.append(dump(sorted(f.exclude)))
    return " AND ".join(parts), tuple(params)
