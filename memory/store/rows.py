"""Rows to dataclasses and back; a memory as JSON for change logs (lossless, see `memory_from_json`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeVar

from memory.models import (
    CurveState,
    Filter,
    Json,
    Kind,
    Layer,
    Level,
    Memory,
    Sensitivity,
    Source,
    State,
)

T = TypeVar("T")
AMONG: Final = "IN (SELECT value FROM json_each(?))"  # one parameter: `dump` of a list
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def tuples(con: Any) -> Any:
    """Open a cursor that gives plain tuples: names cost more than all the rest where rows are many."""
    cursor = con.cursor()
    cursor.row_factory = None
    return cursor


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


# --- any row ---


def to_column(value: Any) -> Any:
    """Convert a value to what its column holds: times to milliseconds, maps and lists to JSON."""
    if isinstance(value, datetime):
        return to_ms(value)
    if isinstance(value, Mapping):
        return dump(dict(value))
    return dump(list(value)) if isinstance(value, (list, tuple)) else value


def columns_of(thing: Any) -> dict[str, Any]:
    """Return a dataclass's fields by name."""
    return {f.name: getattr(thing, f.name) for f in fields(thing)}


def insert(con: Any, table: str, row: Mapping[str, Any], how: str = "INSERT") -> Any:
    """Insert a row, given by column (see `to_column`); return the cursor."""
    names, places = ", ".join(map(quote_name, row)), ", ".join("?" * len(row))
    return con.execute(
        f"{how} INTO {table} ({names}) VALUES ({places})", [to_column(v) for v in row.values()]
    )


def from_row(kind: Callable[..., T], row: Any) -> T:
    """Make a dataclass of the columns that are named as its fields; their types say how each is read."""
    return kind(
        **{
            name: v if (v := row[name]) is None or read is None else read(v)
            for name, read in _plan(kind)
        }
    )


@lru_cache(maxsize=64)
def _plan(kind: Any) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
    return tuple((f.name, _reader(str(f.type))) for f in fields(kind))


def _reader(annotation: str) -> Callable[[Any], Any] | None:
    if annotation.startswith("tuple"):
        return lambda text: tuple(json.loads(text))
    readers: Mapping[str, Callable[[Any], Any]] = {
        "datetime": from_ms,
        "Mapping": json.loads,
        "bool": bool,
    }
    return next((read for name, read in readers.items() if annotation.startswith(name)), None)


# --- memories ---


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_TIMES: Final = _names(
    "created_at last_activated_at importance_at valid_from valid_until expires_at negated_at reviewed_at "
    "deleted_at on on_until quiet_at"
)
_TUPLES: Final = ("topics", "entities", "modalities", "supersedes", "merged_from", "source_ids")
_PLAIN: Final = _names(
    "id user_id content original_content language layer kind curve importance confidence pinned level weight "
    "activation_count precision source verified source_session source_message merged_into compressed_from "
    "state sensitivity rev repeats close quiet_words"
)
_NESTED: Final = (
    *_TUPLES,
    "recent_mentions",
    "original_contents",
    "correction_history",
    "curve_data",
)
_MAPS: Final = frozenset({"original_contents", "curve_data"})
_ENUMS: Final[Mapping[str, Mapping[Json, Enum]]] = {
    name: {member.value: member for member in kind}
    for name, kind in (
        ("layer", Layer),
        ("kind", Kind),
        ("level", Level),
        ("source", Source),
        ("state", State),
        ("sensitivity", Sensitivity),
    )
}
# Fields that change logs and exports of older versions do not have, with their defaults.
_ADDED: Final[Mapping[str, Json]] = dict.fromkeys(
    ("on", "on_until", "quiet_at", "repeats", "quiet_words")
) | {"close": 0}
MEMORY_COLUMNS: Final = (*_PLAIN, *_TIMES, *_NESTED, "strength", "strength_at")


def quote_name(column: str) -> str:
    """Quote a column name: `on` is a word of SQL's own."""
    return f'"{column}"'


MEMORY_SELECT: Final = ", ".join(f"m.{quote_name(c)}" for c in MEMORY_COLUMNS)


_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_TIMES, lambda ms: None if ms is None else from_ms(ms)),
    **dict.fromkeys(_TUPLES, tuple),
    **{name: members.__getitem__ for name, members in _ENUMS.items()},
    "pinned": bool,
    "verified": bool,
    "close": bool,
    "recent_mentions": lambda times: tuple(map(from_ms, times)),
    "original_contents": dict,
    "correction_history": lambda entries: tuple(map(dict, entries)),
}
_FIELDS: Final = tuple(f.name for f in fields(Memory))
_AT: Final = {name: i for i, name in enumerate(MEMORY_COLUMNS)}
_CURVE_FIELD: Final = _FIELDS.index("curve_state")
_CURVE_STATE: Final = (_AT["strength"], _AT["strength_at"], _AT["curve_data"])
_NESTED_AT: Final = tuple(_AT[name] for name in _NESTED)
_PLAN: Final = tuple(
    (_AT[name if name in _AT else "strength"], _READ.get(name)) for name in _FIELDS
)  # of each field


def memory_to_json(m: Memory) -> dict[str, Json]:
    """Every field, in JSON's types: times as UTC milliseconds, enums as their values."""
    out: dict[str, Json] = {}
    for name in _PLAIN:
        value = getattr(m, name)
        out[name] = value.value if isinstance(value, Enum) else value
    for name in _TIMES:
        out[name] = None if (t := getattr(m, name)) is None else to_ms(t)
    for name in _TUPLES:
        out[name] = list(getattr(m, name))
    out["recent_mentions"] = [to_ms(t) for t in m.recent_mentions]
    out["original_contents"] = dict(m.original_contents)
    out["correction_history"] = [dict(entry) for entry in m.correction_history]
    out["curve_data"] = dict(m.curve_state.data)
    out["strength"] = m.curve_state.strength
    out["strength_at"] = to_ms(m.curve_state.at)
    return out


def memory_from_json(j: Mapping[str, Json]) -> Memory:
    """Rebuild the memory that `memory_to_json` was given, times cut to milliseconds.

    Fields that an older version did not write get their defaults. Raises KeyError for any other
    that is missing.
    """
    return _memory([j[name] if name in j else _ADDED[name] for name in MEMORY_COLUMNS])


def _memory(values: Sequence[Any]) -> Memory:
    """Made of values in the order of MEMORY_COLUMNS, by place and not by name: recall makes a dozen a question."""
    given = [values[at] if read is None else read(values[at]) for at, read in _PLAN]
    strength, at, data = (values[i] for i in _CURVE_STATE)
    given[_CURVE_FIELD] = CurveState(strength, from_ms(at), dict(data))
    return Memory(*given)


def row_of(j: Mapping[str, Json]) -> dict[str, Any]:
    """Convert what `memory_to_json` gave to values by column."""
    row = dict(j)
    for name in _NESTED:
        row[name] = dump(row[name]) if row[name] else "{}" if name in _MAPS else "[]"
    return row


def memory_from_row(row: Any) -> Memory:
    """Make the memory of a row that ends with MEMORY_COLUMNS."""
    values = list(tuple(row)[-len(MEMORY_COLUMNS) :])
    for at in _NESTED_AT:
        values[at] = load(values[at])
    return _memory(values)


def json_from_row(row: Any) -> dict[str, Json]:
    """Convert a row that ends with MEMORY_COLUMNS to what `memory_to_json` gives of its memory."""
    # By place, for looking 45 names up costs more than all the rest.
    values: dict[str, Json] = dict(
        zip(MEMORY_COLUMNS, tuple(row)[-len(MEMORY_COLUMNS) :], strict=True)
    )
    for name in _NESTED:
        values[name] = load(values[name])
    return values | {name: bool(values[name]) for name in ("pinned", "verified", "close")}


@lru_cache(maxsize=256)
def build_condition(user_id: str, f: Filter) -> tuple[str, tuple[Any, ...]]:
    """Turn a filter into a condition on `memories m` and its parameters; the owner always comes first."""
    parts = ["m.user_id = ?"]
    params: list[Any] = [user_id]

    def among(column: str, allowed: Iterable[str | int] | None) -> None:
        if allowed is not None:
            parts.append(f"{column} {AMONG}")
            params.append(dump(sorted(allowed, key=str)))

    among("m.state", (s.value for s in f.states))
    among("m.level", None if f.levels is None else (int(x) for x in f.levels))
    among("m.kind", None if f.kinds is None else (x.value for x in f.kinds))
    among("m.layer", None if f.layers is None else (x.value for x in f.layers))
    parts.append("m.sensitivity <= ?")
    params.append(int(f.max_sensitivity))
    if f.valid_at is not None:
        parts.append("(m.valid_until IS NULL OR m.valid_until > ?)")
        params.append(to_ms(f.valid_at))
    if f.negated is not None:
        parts.append("m.negated_at IS NOT NULL" if f.negated else "m.negated_at IS NULL")
    if f.exclude:
        parts.append(f"m.id NOT {AMONG}")
        params.append(dump(sorted(f.exclude)))
    return " AND ".join(parts), tuple(params)
