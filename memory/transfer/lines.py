"""The lines of an export as pydantic models: what each kind has to hold.

Imported when a file is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from pydantic import BaseModel, StrictInt, StrictStr, model_validator

from memory.models import Op

Change: TypeAlias = tuple[Op, StrictStr, Literal["="] | dict[str, Any] | None, Any, Any]
"""What was done, to which memory, how it was before ("=": as the last change left it), what changed, or all of it."""


class UserLine(BaseModel):
    """The person's own settings."""

    lang: Any
    tz: Any
    settings: dict[str, Any]


class SessionLine(BaseModel):
    """A conversation."""

    id: StrictStr
    scope: StrictStr
    opened_at: StrictInt
    last_at: StrictInt
    state: StrictStr
    title: Any
    closed_at: Any
    closed_why: Any
    running_summary: Any
    planned_through: Any
    summarised_through: Any
    extracted_through: Any
    profile: Any


class MessageLine(BaseModel):
    """Something that was said."""

    id: StrictStr
    session_id: StrictStr
    turn_id: StrictStr | None
    role: Any
    text: StrictStr
    at: StrictInt
    tz: Any
    status: Any
    hidden_at: Any
    reply_to: Any
    author: Any


class MemoryLine(BaseModel):
    """A memory; its other fields are those of the row, which the store reads."""

    id: StrictStr
    content: StrictStr
    original_content: StrictStr
    state: StrictStr
    rev: StrictInt
    sensitivity: Any
    layer: Any
    sources: Any
    mentions: Any
    log: Any


class SetLine(BaseModel):
    """What was done to memories in one act."""

    id: StrictStr
    actor: StrictStr
    reason: StrictStr
    at: StrictInt
    turn_id: StrictStr | None
    job_id: Any
    undoes: Any
    undone_by: Any
    changes: list[Change]

    @model_validator(mode="after")
    def _has_one_state_each(self) -> SetLine:
        if any(
            isinstance(part, dict) is isinstance(whole, dict) for *_, part, whole in self.changes
        ):
            raise ValueError("a change says either what changed or all of it")
        return self


class TombstoneLine(BaseModel):
    """What was forgotten on request."""

    memory: StrictStr
    at: StrictInt
    set: Any
    vector: Any


class TraceLine(BaseModel):
    """What was recalled for a turn."""

    turn_id: StrictStr | None
    scope: StrictStr
    at: StrictInt
    mode: Any
    late: Any
    took_ms: Any
    hits: Any


LINES: Final[Mapping[str, type[BaseModel]]] = {
    "user": UserLine,
    "session": SessionLine,
    "message": MessageLine,
    "memory": MemoryLine,
    "set": SetLine,
    "tombstone": TombstoneLine,
    "trace": TraceLine,
}
