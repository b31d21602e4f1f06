"""How long a text is for a model, near enough: no tokenizer is the same everywhere, and none is needed here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import ceil
from typing import TypeVar

T = TypeVar("T")

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0002fa1f]")
_PLAIN = re.compile(r"[\x00-\x7f]")
_PER_MESSAGE = 8  # role, time and tags


def estimate(text: str) -> int:
    """Tokens of a text: one for a Chinese character, a quarter for an ASCII one, half for any other."""
    wide, plain = len(_WIDE.findall(text)), len(_PLAIN.findall(text))
    return ceil(wide + plain / 4 + (len(text) - wide - plain) / 2)


def clip(text: str, most: int) -> str:
    """The text within `most` tokens; what is too long loses its middle, where least is said."""
    size = estimate(text)
    if size <= most:
        return text
    keep = max(1, int(len(text) * most / size * 0.95) // 2)
    return f"{text[:keep]} … {text[-keep:]}"


def newest_within(items: Sequence[T], most: int, text_of: Callable[[T], str]) -> list[T]:
    """The longest tail of `items` that fits into `most` tokens."""
    kept: list[T] = []
    left = most
    for item in reversed(items):
        left -= estimate(text_of(item)) + _PER_MESSAGE
        if left < 0:
            break
        kept.append(item)
    return kept[::-1]


def portions(items: Sequence[T], most: int, text_of: Callable[[T], str]) -> list[list[T]]:
    """The items in order, in portions of at most `most` tokens; an item that is longer is a portion alone."""
    out: list[list[T]] = []
    room = 0
    for item in items:
        size = estimate(text_of(item)) + _PER_MESSAGE
        if not out or size > room:
            out.append([])
            room = most
        out[-1].append(item)
        room -= size
    return out
