"""What other programs have written: ChatGPT's export, mem0's JSON, and plain text.

Pure; nothing is guessed.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from memory.errors import Unreadable
from memory.models import Json, Role
from memory.text.clean import clean_input

if TYPE_CHECKING:
    from memory.transfer.schemas import ChatConversation, ChatMessage

Origin: TypeAlias = Literal["ebb", "chatgpt", "mem0", "text"]
_ZIP: Final = b"PK\x03\x04"
_SHARD: Final = re.compile(r"(^|/)conversations(-\d+)?\.json$")
_LARGEST: Final = 4 * 1024**3  # bytes of one unpacked file
_HIDDEN: Final = "is_visually_hidden_from_conversation"
_BULLET: Final = re.compile(r"^\s{0,9}(?:[-*+•·‣–]|\d{1,4}[.)、）])\s{1,9}")
_DATED: Final = re.compile(
    r"^[\[(（【]?(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[\])）】]?(?:T[\d:.Z+-]+)?\s{0,9}[-–—:：|,，]?\s{1,9}?(?=\S)|"
    r"^[\[(（【](\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?[\])）】]\s{0,9}[-–—:：|]?\s{0,9}(?=\S)"
)


@dataclass(frozen=True, slots=True)
class ImportedMemory:
    """A memory in somebody's words.

    Where the file says so: when it was made, until when it holds, and its topics.
    """

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
    """Tell what a file seems to be by its first bytes; None: it takes a look at all of it."""
    if head.startswith(_ZIP):
        return "chatgpt"
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text.startswith("{") and '"ebb-memory"' in text.split("\n", 1)[0]:
        return "ebb"
    return None if text.startswith(("{", "[")) else "text"


def parse_file(data: bytes, origin: Origin | None = None, owner: str | None = None) -> ImportFile:
    """Read a file that is not Ebb's own; of several people's memories only `owner`'s.

    Raises Unreadable.
    """
    origin = origin or detect_origin(data[:4096])
    if data.startswith(_ZIP):
        return ImportFile("chatgpt", talks=[t for f in _unzip(data) for t in _read_talks(f)])
    try:
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = clean_input(data.decode("utf-16" if utf16 else "utf-8-sig"))
    except UnicodeDecodeError:
        raise Unreadable("The file is no text in UTF-8.") from None
    value: Json = None
    try:
        value = None if origin == "text" else clean_values(json.loads(text))
    except ValueError as e:
        if origin is not None:
            raise Unreadable(f"Line {getattr(e, 'lineno', 1)} is no JSON.") from None
        origin = "text"  # "[2026-01-03] likes tea" begins like JSON
    if origin == "text":
        return ImportFile("text", items=tuple(_read_lines(text)))
    chats = isinstance(value, list) and value and isinstance(value[0], dict)
    if origin == "chatgpt" or (origin is None and chats and "mapping" in value[0]):
        return ImportFile("chatgpt", talks=list(_read_talks(value)))
    return ImportFile("mem0", items=tuple(_read_mem0(value, owner)))


def clean_values(value: Json) -> Json:
    """Clean every text of a JSON value, however deep."""
    if isinstance(value, str):
        return clean_input(value)
    if isinstance(value, list):
        return [clean_values(v) for v in value]
    return {k: clean_values(v) for k, v in value.items()} if isinstance(value, dict) else value


def _read_lines(text: str) -> Iterator[ImportedMemory]:
    """Read a memory a line, without list signs and with a date at its beginning.

    Headings and rules are not memories.
    """
    for raw in re.split(r"\r\n|\r|\n", text):
        line = _BULLET.sub("", raw).strip().strip("\ufeff")
        rule = re.fullmatch(r"[-=*_\s]{0,9}", line)
        if rule or line.startswith(("#", "```", "<!--")):
            continue
        at = None
        if m := _DATED.match(line):
            try:
                at = datetime(*(int(x) for x in m.groups() if x), 12, tzinfo=UTC)  # type: ignore[arg-type, misc]
                line = line[m.end() :].strip()
            except ValueError:
                at = None
        yield ImportedMemory(line, at)


def _read_mem0(value: Json, owner: str | None) -> Iterator[ImportedMemory]:
    from memory.transfer.schemas import Mem0Row

    rows = value
    if isinstance(value, dict):
        wrapped = (value.get(k) for k in ("results", "memories", "data"))
        rows = next((found for found in wrapped if isinstance(found, list)), None)
    if not isinstance(rows, list):
        raise Unreadable(
            "The JSON has no list of memories (results, memories) and no conversations."
        )
    people = {str(r["user_id"]) for r in rows if isinstance(r, dict) and r.get("user_id")}
    if len(people) > 1 and owner is None:
        named = ", ".join(sorted(people))
        raise Unreadable(
            f"The file holds memories of several people: {named}. --user takes those of one."
        )
    for n, row in enumerate(rows, 1):
        try:
            m = Mem0Row.model_validate({"memory": row} if isinstance(row, str) else row)
        except ValueError:
            raise Unreadable(f"Entry {n} of the list has no memory in it.") from None
        if owner is None or m.user_id in {None, owner}:
            topics = tuple(c for c in m.categories or () if isinstance(c, str))
            yield ImportedMemory(m.memory, m.created_at, m.ends_at, topics)


# --- ChatGPT ---


def _unzip(data: bytes) -> Iterator[Json]:
    """Yield the conversations of an export as it is downloaded, in however many files they are."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            found = [i for i in z.infolist() if _SHARD.search(i.filename)]
            names = sorted(i.filename for i in found if i.file_size <= _LARGEST)
            if not names:
                raise Unreadable("The archive has no conversations.json in it.")
            for name in names:
                yield clean_values(json.loads(z.read(name)))
    except (zipfile.BadZipFile, ValueError) as e:
        raise Unreadable("The archive is damaged.") from e


def _read_talks(value: Json) -> Iterator[ImportedConversation]:
    from memory.transfer.schemas import ChatConversation

    if not isinstance(value, list):
        raise Unreadable("conversations.json is no list of conversations.")
    for n, talk in enumerate(value, 1):
        try:
            c = ChatConversation.model_validate(talk)
        except ValueError:
            raise Unreadable(f"Conversation {n} cannot be read.") from None
        key = c.key or f"{n}:{talk.get('create_time')}"
        if said := tuple(_read_branch(c, key)):
            yield ImportedConversation(key, c.title or "", said)


def _read_branch(c: ChatConversation, key: str) -> Iterator[ImportedMessage]:
    """Yield the branch that was left standing, from its first message."""
    node = c.current_node
    if node not in c.mapping:
        node = next((i for i, v in reversed(c.mapping.items()) if not v.children), None)
    path: list[str] = []
    while node in c.mapping and node not in path:
        path.append(node)
        node = c.mapping[node].parent
    at = c.create_time or datetime(1970, 1, 1, tzinfo=UTC)
    for i in reversed(path):
        message = c.mapping[i].message
        if message is not None and (text := _read_text(message)):
            said_at = message.create_time or at
            at = max(at, said_at)
            yield ImportedMessage(f"{key}/{i}", message.author["role"], text, said_at)


def _read_text(message: ChatMessage) -> str:
    """Return what was said in a message; empty where it is hidden, or no words of either side."""
    shown = not (message.metadata or {}).get(_HIDDEN)
    spoken = message.author.get("role") in {"user", "assistant"}
    written = message.content.content_type in {"text", "multimodal_text"}
    if not (shown and spoken and written):
        return ""
    return "\n".join(p for p in message.content.parts or () if isinstance(p, str)).strip()
