"""Rows to dataclasses and back; a memory as JSON for change logs (lossless, see `memory_from_json`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Final

from memory.models import (
    Change,
    ChangeSet,
    CurveState,
    Job,
    Json,
    Kind,
    Layer,
    Level,
    Memory,
    Message,
    Sensitivity,
    Session,
    Source,
    State,
    TurnRow,
    User,
)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def tuples(con: Any) -> Any:
    """A cursor that gives plain tuples: names cost more than all the rest where rows are many."""
    cursor = con.cursor()
    cursor.row_factory = None
    return cursor


def to_ms(t: datetime) -> int:
    """UTC milliseconds; what is finer is dropped. `t` must be aware."""
    return (t - _EPOCH) // _MS


def from_ms(ms: int) -> datetime:
    """The inverse of `to_ms`."""
    return _EPOCH + ms * _MS


def opt_ms(t: datetime | None) -> int | None:
    """`to_ms`, None staying None."""
    return None if t is None else to_ms(t)


def opt_from_ms(ms: int | None) -> datetime | None:
    """`from_ms`, None staying None."""
    return None if ms is None else from_ms(ms)


def dump(value: Json) -> str:
    """Compact JSON, Chinese left readable."""
    return _ENCODER.encode(value)


def load(text: str) -> Json:
    """`json.loads`, quick for the most frequent values."""
    if text == "[]":
        return []
    return {} if text == "{}" else ["text"] if text == '["text"]' else json.loads(text)


# --- memories -----------------------------------------------------------------------------------------

_TIMES: Final = (
    "created_at",
    "last_activated_at",
    "importance_at",
    "valid_from",
    "valid_until",
    "expires_at",
    "negated_at",
    "reviewed_at",
    "deleted_at",
    "on",
    "on_until",
    "quiet_at",
)
_TUPLES: Final = ("topics", "entities", "modalities", "supersedes", "merged_from", "source_ids")
_PLAIN: Final = (
    "id",
    "user_id",
    "content",
    "original_content",
    "language",
    "layer",
    "kind",
    "curve",
    "importance",
    "confidence",
    "pinned",
    "level",
    "weight",
    "activation_count",
    "precision",
    "source",
    "verified",
    "source_session",
    "source_message",
    "merged_into",
    "compressed_from",
    "state",
    "sensitivity",
    "rev",
    "repeats",
    "close",
    "quiet_words",
)
_NESTED: Final = (*_TUPLES, "recent_mentions", "original_contents", "correction_history", "curve_data")
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
_ADDED: Final[Mapping[str, Json]] = dict.fromkeys(("on", "on_until", "quiet_at", "repeats", "quiet_words")) | {
    "close": 0
}
MEMORY_COLUMNS: Final = (*_PLAIN, *_TIMES, *_NESTED, "strength", "strength_at")


def quote_name(column: str) -> str:
    """Quote a column name: `on` is a word of SQL's own."""
    return f'"{column}"'


MEMORY_SELECT: Final = ", ".join(f"m.{quote_name(c)}" for c in MEMORY_COLUMNS)


_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_TIMES, opt_from_ms),
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
_PLAN: Final = tuple((_AT[name if name in _AT else "strength"], _READ.get(name)) for name in _FIELDS)  # of each field


def memory_to_json(m: Memory) -> dict[str, Json]:
    """Every field, in JSON's types: times as UTC milliseconds, enums as their values."""
    out: dict[str, Json] = {}
    for name in _PLAIN:
        value = getattr(m, name)
        out[name] = value.value if isinstance(value, Enum) else value
    for name in _TIMES:
        out[name] = opt_ms(getattr(m, name))
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

    Fields that an older version did not write get their defaults. Raises KeyError for any other that is missing.
    """
    return _memory([j[name] if name in j else _ADDED[name] for name in MEMORY_COLUMNS])


def _memory(values: Sequence[Any]) -> Memory:
    """Made of values in the order of MEMORY_COLUMNS, by place and not by name: recall makes a dozen a question."""
    given = [values[at] if read is None else read(values[at]) for at, read in _PLAN]
    strength, at, data = (values[i] for i in _CURVE_STATE)
    given[_CURVE_FIELD] = CurveState(strength, from_ms(at), dict(data))
    return Memory(*given)


def memory_to_row(m: Memory) -> dict[str, Any]:
    """Values by column."""
    return row_of(memory_to_json(m))


def row_of(j: Mapping[str, Json]) -> dict[str, Any]:
    """Values by column of what `memory_to_json` gave."""
    row = dict(j)
    for name in _NESTED:
        row[name] = dump(row[name]) if row[name] else "{}" if name in _MAPS else "[]"
    return row


def memory_from_row(row: Any) -> Memory:
    """From a row that ends with MEMORY_COLUMNS."""
    values = list(tuple(row)[-len(MEMORY_COLUMNS) :])
    for at in _NESTED_AT:
        values[at] = load(values[at])
    return _memory(values)


def json_from_row(row: Any) -> dict[str, Json]:
    """What `memory_to_json` gives of the memory in a row that ends with MEMORY_COLUMNS."""
    values = _values(row)
    return values | {name: bool(values[name]) for name in ("pinned", "verified", "close")}


def _values(row: Any) -> dict[str, Json]:
    """By place, for looking 45 names up costs more than all the rest."""
    values = dict(zip(MEMORY_COLUMNS, tuple(row)[-len(MEMORY_COLUMNS) :], strict=True))
    for name in _NESTED:
        values[name] = load(values[name])
    return values


# --- conversations ------------------------------------------------------------------------------------


def message_from_row(row: Any) -> Message:
    """From a row of `messages`."""
    return Message(
        id=row["id"],
        session_id=row["session_id"],
        turn_id=row["turn_id"],
        author_user_id=row["author_user_id"],
        role=row["role"],
        text=row["text"],
        at=from_ms(row["at"]),
        tz=row["tz"],
        status=row["status"],
        hidden_at=opt_from_ms(row["hidden_at"]),
        reply_to=row["reply_to"],
        seq=row["seq"],
    )


def session_from_row(row: Any) -> Session:
    """From a row of `sessions`."""
    return Session(
        id=row["id"],
        user_id=row["user_id"],
        scope=row["scope"],
        opened_at=from_ms(row["opened_at"]),
        last_at=from_ms(row["last_at"]),
        state=row["state"],
        title=row["title"],
        closed_at=opt_from_ms(row["closed_at"]),
        closed_why=row["closed_why"],
        running_summary=row["running_summary"],
        planned_through=row["planned_through"],
        summarised_through=row["summarised_through"],
        extracted_through=row["extracted_through"],
        profile=None if row["profile"] is None else tuple(json.loads(row["profile"])),
    )


def turn_from_row(row: Any) -> TurnRow:
    """From a row of `turns`."""
    return TurnRow(
        id=row["id"],
        user_id=row["user_id"],
        scope=row["scope"],
        session_id=row["session_id"],
        origin=row["origin"],
        state=row["state"],
        started_at=from_ms(row["started_at"]),
        user_message_id=row["user_message_id"],
        leased_by=row["leased_by"],
        leased_until=from_ms(row["leased_until"]),
        ended_at=opt_from_ms(row["ended_at"]),
        reply_message_id=row["reply_message_id"],
        error=row["error"],
        retry_after=row["retry_after"],
    )


# --- the rest -----------------------------------------------------------------------------------------


def job_from_row(row: Any) -> Job:
    """From a row of `jobs`."""
    return Job(
        id=row["id"],
        user_id=row["user_id"],
        kind=row["kind"],
        lane=row["lane"],
        dedup_key=row["dedup_key"],
        payload=json.loads(row["payload"]),
        state=row["state"],
        run_at=from_ms(row["run_at"]),
        attempts=row["attempts"],
        max_attempts=row["max_attempts"],
        leased_by=row["leased_by"],
        leased_until=opt_from_ms(row["leased_until"]),
        last_error=row["last_error"],
        result=None if row["result"] is None else json.loads(row["result"]),
    )


def change_set_from_row(row: Any) -> ChangeSet:
    """From a row of `change_sets`."""
    return ChangeSet(
        id=row["id"],
        user_id=row["user_id"],
        actor=row["actor"],
        reason=row["reason"],
        at=from_ms(row["at"]),
        turn_id=row["turn_id"],
        job_id=row["job_id"],
        undoes=row["undoes"],
        undone_by=row["undone_by"],
    )


def change_from_row(row: Any) -> Change:
    """From a row of `changes` joined with its set's reason, turn_id and at."""
    return Change(
        seq=row["seq"],
        set_id=row["set_id"],
        user_id=row["user_id"],
        op=row["op"],
        entity=row["entity"],
        entity_id=row["entity_id"],
        before=None if row["before"] is None else json.loads(row["before"]),
        after=None if row["after"] is None else json.loads(row["after"]),
        reason=row["reason"],
        turn_id=row["turn_id"],
        at=from_ms(row["at"]),
    )


def user_from_row(row: Any) -> User:
    """From a row of `users`."""
    return User(
        id=row["id"],
        created_at=from_ms(row["created_at"]),
        lang=row["lang"],
        tz=row["tz"],
        settings=json.loads(row["settings"]),
    )
