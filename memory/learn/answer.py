"""Getting at what a model meant to answer: without its thinking, its fences, its prose around JSON. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from memory.models import Json

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)\b[^>]*>.*?</\1\s*>", re.S | re.I)
_OPEN_THOUGHT = re.compile(r"<(?:think|thinking|thought|reasoning)\b[^>]*>.*\Z", re.S | re.I)
_CLOSED_THOUGHT = re.compile(r"\A.*</(?:think|thinking|thought|reasoning)\s*>", re.S | re.I)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.S)
_BRACKET = re.compile(r"[\[{]")
_MOST = 60_000  # characters of an answer that are looked at


def plain(text: str) -> str:
    """The answer without thinking blocks, also those that were never opened or never closed."""
    text = _THOUGHT.sub("", text[:_MOST])
    text = _CLOSED_THOUGHT.sub("", text)
    return _OPEN_THOUGHT.sub("", text).strip()


def objects(text: str) -> list[dict[str, Json]] | None:
    """The objects of the JSON array in an answer; None if there is none to be found. `[]` is an empty list.

    Takes an array, a single object, an object that holds the array, trailing commas, prose and fences around
    it; and of an array that is broken or was cut off, the objects that are whole.
    """
    text = _TRAILING_COMMA.sub(lambda m: m[1] or "", plain(text))
    decoder = json.JSONDecoder()
    i = -1
    while (i := _next_bracket(text, i + 1)) >= 0:
        try:
            value, end = decoder.raw_decode(text, i)
        except (ValueError, RecursionError):
            if text[i] == "[" and (rest := list(_whole(text, i))):
                return rest
            continue
        if isinstance(value, list):
            if not value or any(isinstance(v, dict) for v in value):
                return [v for v in value if isinstance(v, dict)]
            i = end - 1
        elif value:
            return [*_unwrapped(value), *_whole(text, end)]
    return None


def _next_bracket(text: str, start: int) -> int:
    m = _BRACKET.search(text, start)
    return m.start() if m else -1


def _unwrapped(value: dict[str, Json]) -> list[dict[str, Json]]:
    """An object may be an entry itself, or a wrapper such as {"memories": [...]}."""
    if "content" not in value:
        for inner in value.values():
            if isinstance(inner, list):
                return [v for v in inner if isinstance(v, dict)]
    return [value]


def _whole(text: str, start: int) -> Iterator[dict[str, Json]]:
    """Every complete object from `start` on, of a text that is not complete itself."""
    decoder = json.JSONDecoder()
    i = start
    while (i := text.find("{", i)) >= 0:
        try:
            value, i = decoder.raw_decode(text, i)
        except (ValueError, RecursionError):
            i += 1
            continue
        if isinstance(value, dict):
            yield value
