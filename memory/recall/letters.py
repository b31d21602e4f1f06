"""Words typed wrong: a letter too many, too few, another one, or two in each other's place. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memory.embed.features import is_han, tokens

SHORTEST: Final = 5  # letters; shorter words have too many neighbours
_LONG: Final = 8  # from here on two slips are forgiven


def mistyped(words: Iterable[str], text: str) -> int:
    """How many of the words, which nobody has written so, stand in the text as they should be."""
    there = {t for t in tokens(text) if len(t) >= SHORTEST and not is_han(t)}
    return sum(any(near(w, t) for t in there) for w in words)


def near(a: str, b: str) -> bool:
    """Whether they begin alike and are one slip apart, of long words two."""
    most = 2 if min(len(a), len(b)) >= _LONG else 1
    if a[:1] != b[:1] or abs(len(a) - len(b)) > most:
        return False
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        own = [i + 1]
        for j, y in enumerate(b):
            slips = min(row[j + 1] + 1, own[j] + 1, row[j] + (x != y))
            if before and j and x == b[j - 1] and a[i - 1] == y:
                slips = min(slips, before[j - 1] + 1)
            own.append(slips)
        if min(own) > most:
            return False
        before, row = row, own
    return row[-1] <= most
