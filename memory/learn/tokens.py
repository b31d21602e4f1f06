"""Texts within so many tokens: clipped, the newest, in portions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from memory.text.tokens import estimate_tokens

T = TypeVar("T")

_PER_MESSAGE = 8  # role, time and tags


def clip(text: str, most: int) -> str:
    """The text within `most` tokens; what is too long loses its middle, where least is said."""
    size = estimate_tokens(text)
    if size <= most:
        return text
    keep = max(1, int(len(text) * most / size * 0.95) // 2)
    return f"{text[:keep]} … {text[-keep:]}"


def newest_within(items: Sequence[T], most: int, text_of: Callable[[T], str]) -> list[T]:
    """The longest tail of `items` that fits into `most` tokens."""
    kept: list[T] = []
    left = most
    for item in reversed(items):
        left -= estimate_tokens(text_of(item)) + _PER_MESSAGE
        if left < 0:
            break
        kept.append(item)
    return kept[::-1]


def portions(items: Sequence[T], most: int, text_of: Callable[[T], str]) -> list[list[T]]:
    """The items in order, in portions of at most `most` tokens; an item that is longer is a portion alone."""
    out: list[list[T]] = []
    room = 0
    for item in items:
        size = estimate_tokens(text_of(item)) + _PER_MESSAGE
        if not out or size > room:
            out.append([])
            room = most
        out[-1].append(item)
        room -= size
    return out
