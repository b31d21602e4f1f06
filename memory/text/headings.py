"""Which texts are long enough to be documents, and which of their lines are headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.text.clean import estimate_tokens
from memory.text.languages import joined

DOCUMENT_TOKENS: Final = 1_000  # a longer message is a document of its conversation (by hand)
_LONGEST: Final = 80  # characters of a heading
_LONGER: Final = 1.5  # times as long is the line below a heading without a mark of its own
_NUMBERED: Final = re.compile(
    rf"\s*(?:(?:{joined('documents', 'SECTIONS')})|\d{{1,2}}(?:\.\d{{1,2}}){{0,3}}[.)、]?\s)", re.I
)
_GOES_ON: Final = re.compile(r"[.,;:!?。，；：！？…、]$")
_LETTER: Final = re.compile(r"[^\W\d_]")


def is_document(text: str) -> bool:
    """Tell whether a text is so long that it is a document of its conversation."""
    return 2 * len(text) > DOCUMENT_TOKENS and estimate_tokens(text) > DOCUMENT_TOKENS


def has_ended(text: str) -> bool:
    """Tell whether a text ends in a mark that a heading does not have."""
    return _GOES_ON.search(text) is not None


def is_numbered(line: str) -> bool:
    """Tell whether a line begins with the number of a section."""
    return _NUMBERED.match(line) is not None


def mark_headings(text: str, lines: Sequence[tuple[int, int]]) -> list[bool]:
    """Tell of each line whether it is a heading: short, without an end, above a longer line.

    A heading may stand above another one.
    """
    out = [False] * len(lines)
    for i in range(len(lines) - 1, -1, -1):
        a, b = lines[i]
        line = text[a : min(b, a + 2 * _LONGEST)].strip()
        if len(line) > _LONGEST or has_ended(line) or not _LETTER.search(line):
            continue
        if line.startswith("#") or (line.startswith("**") and line.endswith("**")):
            out[i] = True
        elif i + 1 < len(lines):
            above = out[i + 1] or lines[i + 1][1] - lines[i + 1][0] > _LONGER * len(line)
            apart = i == 0 or text.count("\n", lines[i - 1][1], a) > 1
            out[i] = above and (apart or is_numbered(line))
    return out
