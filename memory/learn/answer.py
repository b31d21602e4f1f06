"""Getting at what a model meant to answer: without its thinking, its fences, its prose around JSON. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from memory.models import Json

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\b[^<>]{0,200}>", re.I)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', re.S)
_BRACKET = re.compile(r"[\[{]")
_MOST = 60_000  # characters of an answer that are looked at
_MOST_FAILED = 50  # brackets in it that open nothing which can be read


def plain(text: str) -> str:
    """The answer without thinking blocks, also those that were never opened or never closed."""
    text = text[:_MOST]
    kept, start, thinking = list[str](), 0, False
    for tag in _TAG.finditer(text):
        if tag[1]:
            kept = kept if thinking else []  # opened before the answer began
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    return "".join(kept if thinking else [*kept, text[start:]]).strip()


def objects(text: str) -> list[dict[str, Json]] | None:
    """The objects of the JSON array in an answer; None if there is none to be found. `[]` is an empty list.

    Takes an array, a single object, an object that holds the array, trailing commas, prose and fences around
    it; and of an array that is broken or was cut off, the objects that are whole.
    """
    text = _TRAILING_COMMA.sub(lambda m: m[1] or "", plain(text))
    decoder = json.JSONDecoder()
    i, failed, whole = -1, 0, True
    while failed < _MOST_FAILED and (i := _next_bracket(text, i + 1)) >= 0:
        try:
            value, end = decoder.raw_decode(text, i)
        except (ValueError, RecursionError):
            failed += 1
            if text[i] == "[" and whole:  # what it does not find from here it finds from no later place
                if rest := list(_whole(text, i)):
                    return rest
                whole = False
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
    i, failed = start, 0
    while failed < _MOST_FAILED and (i := text.find("{", i)) >= 0:
        try:
            value, i = decoder.raw_decode(text, i)
        except (ValueError, RecursionError):
            i, failed = i + 1, failed + 1
            continue
        if isinstance(value, dict):
            yield value
