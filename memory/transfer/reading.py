"""The lines of an export, read as anybody may have written them: each is checked before anything is done with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias, get_args

from memory.errors import Unreadable
from memory.models import Json, Op
from memory.store.transfer import memory_of
from memory.text.pieces import clean_input

FORMAT: Final = "ebb-memory"
VERSION: Final = 1
Line: TypeAlias = Mapping[str, Json]
IDS: Final = ("session", "message", "memory", "set")
_KEYS: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(names.split())
    for kind, names in {
        "user": "lang tz settings",
        "session": "id scope opened_at last_at state title closed_at closed_why running_summary planned_through"
        " summarised_through extracted_through profile",
        "message": "id session_id turn_id role text at tz status hidden_at reply_to author",
        "memory": "id content original_content state rev sensitivity layer sources mentions log",
        "set": "id actor reason at turn_id job_id undoes undone_by changes",
        "tombstone": "memory at set vector",
        "trace": "turn_id scope at mode late took_ms hits",
    }.items()
}
_WORDS: Final = (
    "actor",
    "reason",
    "id",
    "session_id",
    "scope",
    "state",
    "text",
    "content",
    "original_content",
    "memory",
    "turn_id",
)
_OPS: Final = frozenset(get_args(Op))


def read(lines: Iterable[str]) -> Iterator[tuple[int, Line]]:
    """The lines with their numbers, the header's and the end's left out. Raises Unreadable."""
    n, told, ids = 0, None, {kind: set[str]() for kind in IDS}
    for n, text in enumerate(lines, 1):
        if told is not None:
            raise Unreadable(f"Line {n}: there is something after the end.")
        line = _parsed(n, text)
        if n == 1:
            _check_header(line)
        elif line["type"] == "end":
            told = line.get("lines")
            if told != n - 2:
                raise Unreadable(f"Line {n}: {told} lines were written, {n - 2} are there.")
        else:
            _check(n, line)
            if line["type"] == "message" and line["session_id"] not in ids["session"]:
                raise Unreadable(f"Line {n}: the conversation of this message is not in the file.")
            if (own := ids.get(line["type"])) is not None:
                if line["id"] in own:
                    raise Unreadable(f"Line {n}: the {line['type']} {line['id']} is there twice.")
                own.add(line["id"])
            yield n, line
    if told is None:
        raise Unreadable(f"Line {n + 1}: the file ends too early; it was cut off.")


def clean_values(value: Json) -> Json:
    """Clean every text of a JSON value, however deep."""
    if isinstance(value, str):
        return clean_input(value)
    if isinstance(value, list):
        return [clean_values(v) for v in value]
    return {k: clean_values(v) for k, v in value.items()} if isinstance(value, dict) else value


def _parsed(n: int, text: str) -> Line:
    try:
        line = clean_values(json.loads(text))
    except ValueError:
        raise Unreadable(f"Line {n} is no JSON.") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str):
        raise Unreadable(f"Line {n} has no type.")
    return line


def _check_header(line: Line) -> None:
    if line["type"] != FORMAT:
        raise Unreadable(f"Line 1 is not the header of an export of Ebb ({FORMAT}).")
    if not isinstance(line.get("version"), int) or not 1 <= line["version"] <= VERSION:
        raise Unreadable(f"Line 1: this export is of version {line.get('version')}; this Ebb reads up to {VERSION}.")


def _check(n: int, line: Line) -> None:
    wanted = _KEYS.get(line["type"])
    if wanted is None:
        raise Unreadable(f"Line {n}: nobody knows what “{str(line['type'])[:40]}” is.")
    if missing := sorted(wanted - line.keys()):
        raise Unreadable(f"Line {n}: {line['type']} lacks {', '.join(missing)}.")
    for name in _WORDS:
        if name in wanted and not isinstance(line[name], str) and not (name == "turn_id" and line[name] is None):
            raise Unreadable(f"Line {n}: {name} is no text.")
    for name in ("at", "opened_at", "last_at", "rev"):
        if name in wanted and (not isinstance(line[name], int) or isinstance(line[name], bool)):
            raise Unreadable(f"Line {n}: {name} is no number.")
    if line["type"] == "set" and not _changes(line["changes"]):
        raise Unreadable(f"Line {n}: the changes cannot be read.")
    if line["type"] == "memory":
        try:
            memory_of(line)
        except (KeyError, TypeError, ValueError, OverflowError) as e:
            raise Unreadable(f"Line {n}: the memory cannot be read ({type(e).__name__}: {str(e)[:80]}).") from None


def _changes(told: Json) -> bool:
    """Whether it is a list of [op, memory, before, changed, whole]."""
    return isinstance(told, list) and all(
        isinstance(c, list)
        and len(c) == 5
        and c[0] in _OPS
        and isinstance(c[1], str)
        and (c[2] == "=" or c[2] is None or isinstance(c[2], dict))
        and sum(isinstance(x, dict) for x in c[3:]) == 1
        for c in told
    )
