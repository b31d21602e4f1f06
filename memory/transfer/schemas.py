"""What files to import hold, as pydantic models.

First the lines of Ebb's own export, each with what it has to have; then what mem0 and ChatGPT
write, as far as it is read. Imported when a file is read: defining them takes long.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    AliasChoices,
    BaseModel,
    Field,
    StrictInt,
    StrictStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)

from memory.models import Op

# --- Ebb's own ---

# What was done, to which memory, how it was before ("=": as the last change left it), what changed,
# or all of it.
Change: TypeAlias = tuple[Op, StrictStr, Literal["="] | dict[str, Any] | None, Any, Any]


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

    @field_validator("changes")
    @classmethod
    def _has_one_state_each(cls, changes: list[Change]) -> list[Change]:
        if any(isinstance(part, dict) is isinstance(whole, dict) for *_, part, whole in changes):
            raise ValueError("a change says either what changed or all of it")
        return changes


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


# --- others' ---


def _read_time(value: object, read: ValidatorFunctionWrapHandler) -> datetime | None:
    """Read seconds since 1970 or ISO 8601, UTC where it says no zone; None for anything else."""
    try:
        at: datetime | None = read(value)
    except ValidationError:
        return None
    return at and (at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC))


Time: TypeAlias = Annotated[datetime | None, WrapValidator(_read_time)]


class Mem0Row(BaseModel):
    """A memory of mem0's, or of another list like its."""

    memory: str = Field(validation_alias=AliasChoices("memory", "text", "data", "content"))
    user_id: Any = None
    categories: list[Any] | None = None
    created_at: Time = Field(None, validation_alias=AliasChoices("created_at", "updated_at"))
    ends_at: Time = Field(None, validation_alias=AliasChoices("expiration_date", "expires_at"))


class ChatContent(BaseModel):
    """The parts of a message: texts, and descriptions of what is none."""

    content_type: Any = None
    parts: list[Any] | None = None


class ChatMessage(BaseModel):
    """A message of ChatGPT's export."""

    author: dict[str, Any]
    content: ChatContent
    create_time: Time = None
    metadata: dict[str, Any] | None = None


class ChatNode(BaseModel):
    """A place in the tree of a conversation, in which each new answer is a branch."""

    message: ChatMessage | None = None
    parent: Any = None
    children: list[Any] | None = None


class ChatConversation(BaseModel):
    """A conversation of ChatGPT's export."""

    mapping: dict[str, ChatNode]
    current_node: Any = None
    create_time: Time = None
    title: str | None = None
    key: str | None = Field(None, validation_alias=AliasChoices("conversation_id", "id"))
