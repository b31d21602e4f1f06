"""The lines of an export, read as anybody may have written them: each is checked before anything is done with it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from memory.errors import Unreadable
from memory.models import Json
from memory.store.transfer import parse_memory
from memory.text.clean import clean_input

FORMAT: Final = "ebb-memory"
VERSION: Final = 1
Line: TypeAlias = Mapping[str, Json]
IDS: Final = ("session", "message", "memory", "set")


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
        raise Unreadable(
            f"Line 1: this export is of version {line.get('version')}; this Ebb reads up to {VERSION}."
        )


def _check(n: int, line: Line) -> None:
    from pydantic import ValidationError

    from memory.transfer.lines import LINES  # here: defining them takes long

    kind = line["type"]
    if kind not in LINES:
        raise Unreadable(f"Line {n}: nobody knows what “{kind[:40]}” is.")
    try:
        LINES[kind].model_validate(line)
        if kind == "memory":
            parse_memory(line)
    except ValidationError as e:
        errors = e.errors(include_input=False, include_url=False)
        if missing := sorted(
            str(error["loc"][0]) for error in errors if error["type"] == "missing"
        ):
            raise Unreadable(f"Line {n}: {kind} lacks {', '.join(missing)}.") from None
        where = ".".join(map(str, errors[0]["loc"])) or kind
        raise Unreadable(f"Line {n}: {where} cannot be read ({errors[0]['msg']}).") from None
    except (KeyError, TypeError, ValueError, OverflowError) as e:
        raise Unreadable(
            f"Line {n}: the memory cannot be read ({type(e).__name__}: {str(e)[:80]})."
        ) from None
