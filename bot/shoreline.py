"""The whole memory as a shoreline: how much of it is near, faint or far. Pure.

The line is drawn in characters whose ink grows paler with the level; the caption says the same in
figures, so that nothing is said by the picture alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from bot.texts import Texts
from memory.models import Lang, Level

LEVEL_INK: Final = "█▓▒░·"  # full, summary, tag, trace, archive: fainter and fainter
CHAT_WIDTH: Final = 24  # characters, for a phone
_say = Texts("life")
_FAR: Final = Level.ARCHIVE


def draw_shoreline(levels: Mapping[Level, int], width: int) -> list[tuple[Level, str]]:
    """Return a run of ink for each level that some memory has, `width` characters in all.

    Shares are rounded so that they add up; a level that some memory has is never left out.
    """
    held = [level for level in Level if levels.get(level)]
    total, free = sum(levels[level] for level in held), width - len(held)
    ends, so_far = [0], 0
    for level in held:
        so_far += levels[level]
        ends.append(round(so_far / total * free))
    sizes = (1 + after - before for before, after in pairwise(ends))
    return [(level, LEVEL_INK[level] * n) for level, n in zip(held, sizes, strict=True)]


def describe_shoreline(levels: Mapping[Level, int], lang: Lang) -> str:
    """Say how many memories are near, faint and far."""
    near = sum(n for level, n in levels.items() if level <= Level.SUMMARY)
    faint = sum(n for level, n in levels.items() if Level.SUMMARY < level < _FAR)
    return _say(lang, "shore", near=near, faint=faint, far=levels.get(_FAR, 0))
