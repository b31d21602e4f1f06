"""What people and models wrote, as rules may read it: whole characters, in pieces of bounded length.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

PIECE: Final = 20_000  # characters that one rule reads at a time
MOST_READ: Final = 2_000  # characters of a message that are read for what it asks
_BROKEN: Final = re.compile("[\x00\ud800-\udfff]")
_SPACE: Final = re.compile(r"\s")
_END: Final = re.compile(r"\n|[。！？；]|[.!?;](?=\s)")


def clean_input(text: str) -> str:
    """Replace U+0000 by ␀ and lone surrogates by U+FFFD: no store and no encoder takes them."""
    if not _BROKEN.search(text):
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return paired.replace("\x00", "␀")


def split_pieces(text: str, size: int = PIECE, overlap: int = 500) -> list[tuple[int, str]]:
    """Cut a text at line or sentence ends into overlapping pieces, each with its offset.

    All of the text is in them; `overlap` is less than half of `size`.
    """
    out: list[tuple[int, str]] = []
    start = 0
    while len(text) - start > size:
        end = _last_end(text, start + size // 2, start + size)
        out.append((start, text[start:end]))
        gap = _SPACE.search(text, end - overlap, end)
        start = gap.end() if gap else end - overlap
    return [*out, (start, text[start:])]


def keep_ends(text: str, most: int) -> str:
    """Return a text of at most `most` characters as it is, of a longer one the beginning and the end."""
    if len(text) <= most:
        return text
    tail = text[-(most // 2) :]
    return f"{text[: _last_end(text, most // 4, most // 2 - 1)]}\n{tail[_last_end(tail, 0, most // 4) :]}"


def _last_end(text: str, low: int, high: int) -> int:
    """Return the index behind the last line or sentence end in text[low:high], else behind a space, else `high`."""
    ends = [m.end() for m in _END.finditer(text, low, high)]
    return ends[-1] if ends else max(text.rfind(" ", low, high) + 1, 0) or high
