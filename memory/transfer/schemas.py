"""What files to import hold, as pydantic models.

First the lines of Ebb's own export, from the table in `lines.toml`; then what mem0 and ChatGPT
write, as far as it is read. Imported when a file is read: defining them takes long.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    Field,
    StrictInt,
    StrictStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
)

from memory.models import Op

# --- Ebb's own ---

# What was done, to which memory, how it was before ("=": as the last change left it), what changed,
# or all of it.
Change: TypeAlias = tuple[Op, StrictStr, Literal["="] | dict[str, Any] | None, Any, Any]


def _check_change(change: Change) -> Change:
    *_, part, whole = change
    if isinstance(part, dict) is isinstance(whole, dict):
        raise ValueError("a change says either what changed or all of it")
    return change


_TYPES: Final[Mapping[str, Any]] = {
    "text": StrictStr,
    "text?": StrictStr | None,
    "number": StrictInt,
    "table": dict[str, Any],
    "any": Any,
    "changes": list[Annotated[Change, AfterValidator(_check_change)]],
}
_FIELDS: Final = tomllib.loads(Path(__file__).with_name("lines.toml").read_text(encoding="utf-8"))


def _define(kind: str, fields: Mapping[str, str]) -> type[BaseModel]:
    wanted: Any = {name: (_TYPES[type_], ...) for name, type_ in fields.items()}
    model: type[BaseModel] = create_model(kind, **wanted)
    return model


LINES: Final = {kind: _define(kind, fields) for kind, fields in _FIELDS.items()}


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
