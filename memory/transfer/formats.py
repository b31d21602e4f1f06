"""What other programs have written: ChatGPT's export, mem0's JSON, and plain text.

Pure; nothing is guessed.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias

from memory.errors import Unreadable
from memory.models import Json, Role
from memory.text.clean import clean_input
from memory.transfer.validate import clean_values

Origin: TypeAlias = Literal["ebb", "chatgpt", "mem0", "text"]
_SHARD: Final = re.compile(r"(^|/)conversations(-\d+)?\.json$")
_LARGEST: Final = 4 * 1024**3  # bytes of one unpacked file
_BULLET: Final = re.compile(r"^\s{0,9}(?:[-*+•·‣–]|\d{1,4}[.)、）])\s{1,9}")
_DATED: Final = re.compile(
    r"^[\[(（【]?(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[\])）】]?(?:T[\d:.Z+-]+)?\s{0,9}[-–—:：|,，]?\s{1,9}?(?=\S)|"
    r"^[\[(（【](\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[\])）】]\s{0,9}[-–—:：|]?\s{0,9}(?=\S)"
)


@dataclass(frozen=True, slots=True)
class ImportedMemory:
    """A memory in somebody's words; where the file says so, when it was made, until when it holds, and its topics."""

    text: str
    at: datetime | None = None
    until: datetime | None = None
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message of a conversation; `key` names it for good."""

    key: str
    role: Role
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """A conversation with its messages in order."""

    key: str
    title: str
    messages: tuple[ImportedMessage, ...]


@dataclass(frozen=True, slots=True)
class ImportFile:
    """What a file holds."""

    origin: Origin
    items: Sequence[ImportedMemory] = ()
    talks: Sequence[ImportedConversation] = ()


def detect_origin(head: bytes) -> Origin | None:
    """What a file seems to be, by its first bytes; None: it takes a look at all of it."""
    if head.startswith(b"PK\x03\x04"):
        return "chatgpt"
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text.startswith("{") and '"ebb-memory"' in text.split("\n", 1)[0]:
        return "ebb"
    return None if text.startswith(("{", "[")) else "text"


def parse_file(data: bytes, origin: Origin | None = None, owner: str | None = None) -> ImportFile:
    """The items and conversations of a file that is not Ebb's own; of several people's only
    `owner`'s.

    Raises Unreadable.
    """
    origin = origin or detect_origin(data[:4096])
    if data.startswith(b"PK\x03\x04"):
        return ImportFile("chatgpt", talks=tuple(_talks(_zipped(data))))
    text = _decoded(data)
    if origin == "text":
        return ImportFile("text", items=tuple(_pasted(text)))
    try:
        value = clean_values(json.loads(text))
    except ValueError as e:
        line = getattr(e, "lineno", 1)
        if origin is None:
            return ImportFile(
                "text", items=tuple(_pasted(text))
            )  # "[2026-01-03] likes tea" begins like JSON
        raise Unreadable(f"Line {line} is no JSON.") from None
    if origin == "chatgpt" or (origin is None and _is_chatgpt(value)):
        return ImportFile("chatgpt", talks=tuple(_talks([value])))
    return ImportFile("mem0", items=tuple(_mem0(value, owner)))


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return clean_input(data.decode("utf-16", "replace"))
    try:
        return clean_input(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("The file is no text in UTF-8.") from None


# --- pasted text ---


def _pasted(text: str) -> Iterator[ImportedMemory]:
    """One memory a line; list signs and a date at its beginning are read, headings and rules are not memories."""
    for raw in re.split(r"\r\n|\r|\n", text):
        line = _BULLET.sub("", raw).strip().strip("\ufeff")
        if (
            not line
            or line.startswith(("#", "```", "<!--"))
            or re.fullmatch(r"[-=*_\s]{1,9}", line)
        ):
            continue
        at = None
        if m := _DATED.match(line):
            at = _day(*(m.group(1, 2, 3) if m[1] else m.group(4, 5, 6)))
            line = line[m.end() :].strip() if at is not None else line
        yield ImportedMemory(line, at)


def _day(y: str, m: str, d: str) -> datetime | None:
    try:
        return datetime(int(y), int(m), int(d), 12, tzinfo=UTC)
    except ValueError:
        return None


# --- mem0 ---


def _mem0(value: Json, owner: str | None) -> Iterator[ImportedMemory]:
    rows = value
    if isinstance(value, dict):
        rows = next(
            (value[k] for k in ("results", "memories", "data") if isinstance(value.get(k), list)),
            None,
        )
    if not isinstance(rows, list):
        raise Unreadable(
            "The JSON has no list of memories (results, memories) and no conversations."
        )
    whose = sorted(
        {str(row["user_id"]) for row in rows if isinstance(row, dict) and row.get("user_id")}
    )
    if len(whose) > 1 and owner is None:
        raise Unreadable(
            f"The file holds memories of several people: {', '.join(whose)}. --user takes those of one."
        )
    for n, row in enumerate(rows, 1):
        if isinstance(row, str):
            yield ImportedMemory(row)
            continue
        if isinstance(row, dict) and owner is not None and row.get("user_id") not in {None, owner}:
            continue
        text = (
            next(
                (
                    row[k]
                    for k in ("memory", "text", "data", "content")
                    if isinstance(row.get(k), str)
                ),
                None,
            )
            if isinstance(row, dict)
            else None
        )
        if text is None:
            raise Unreadable(f"Entry {n} of the list has no memory in it.")
        topics = tuple(c for c in row.get("categories") or () if isinstance(c, str))
        ends = _time(row.get("expiration_date") or row.get("expires_at"))
        yield ImportedMemory(
            text, _time(row.get("created_at") or row.get("updated_at")), ends, topics
        )


def _time(value: Json) -> datetime | None:
    """Seconds since 1970, or ISO 8601; UTC where it says no zone."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


# --- ChatGPT ---


def _is_chatgpt(value: Json) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and isinstance(value[0], dict)
        and "mapping" in value[0]
    )


def _zipped(data: bytes) -> Iterator[Json]:
    """The conversations of an export as it is downloaded, however many files they are in."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            names = sorted(
                i.filename
                for i in z.infolist()
                if _SHARD.search(i.filename) and i.file_size <= _LARGEST
            )
            if not names:
                raise Unreadable("The archive has no conversations.json in it.")
            for name in names:
                yield clean_values(json.loads(z.read(name)))
    except (zipfile.BadZipFile, ValueError) as e:
        raise Unreadable("The archive is damaged.") from e


def _talks(files: Iterable[Json]) -> Iterator[ImportedConversation]:
    for value in files:
        if not isinstance(value, list):
            raise Unreadable("conversations.json is no list of conversations.")
        for n, c in enumerate(value, 1):
            if not isinstance(c, dict) or not isinstance(c.get("mapping"), dict):
                raise Unreadable(f"Conversation {n} has no messages in it.")
            key = str(c.get("conversation_id") or c.get("id") or f"{n}:{c.get('create_time')}")
            said = tuple(_branch(c, key))
            if said:
                yield ImportedConversation(key, str(c.get("title") or ""), said)


def _branch(c: Mapping[str, Json], key: str) -> Iterator[ImportedMessage]:
    """The branch that was left standing, from its first message; regenerated answers beside it are left out."""
    mapping = c["mapping"]
    node, path, began = (
        c.get("current_node"),
        [],
        _time(c.get("create_time")) or datetime(1970, 1, 1, tzinfo=UTC),
    )
    if node not in mapping:
        node = next(
            (
                i
                for i, v in reversed(mapping.items())
                if isinstance(v, dict) and not v.get("children")
            ),
            None,
        )
    seen: set[str] = set()
    while isinstance(node, str) and node in mapping and node not in seen:
        seen.add(node)
        path.append(node)
        node = mapping[node].get("parent") if isinstance(mapping[node], dict) else None
    for i in reversed(path):
        said = _said(mapping[i], f"{key}/{i}", began)
        if said is not None:
            began = max(began, said.at)
            yield said


def _said(node: Json, key: str, before: datetime) -> ImportedMessage | None:
    message = node.get("message") if isinstance(node, dict) else None
    if not isinstance(message, dict) or (message.get("metadata") or {}).get(
        "is_visually_hidden_from_conversation"
    ):
        return None
    role = (message.get("author") or {}).get("role")
    content = message.get("content")
    if role not in {"user", "assistant"} or not isinstance(content, dict):
        return None
    if content.get("content_type") not in {"text", "multimodal_text"}:
        return None
    text = "\n".join(p for p in content.get("parts") or () if isinstance(p, str)).strip()
    return (
        ImportedMessage(key, role, text, _time(message.get("create_time")) or before)
        if text
        else None
    )
