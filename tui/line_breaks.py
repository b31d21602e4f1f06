"""Text on its way to the screen: broken into lines as Chinese and English want it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

from memory.text.output import clean_output

_CJK = (
    "\u2e80-\u303f\u3041-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003134f"
)
_OPENING = "（〔［｛〈《「『【〖“‘([{"
_CLOSING = "、。〉》」』】〗〕！），．：；？］｝…—～·”’!),.:;?]}%％ー々"
# One breakable piece: opening marks, a CJK character (or a run without any), its closing marks,
# blanks behind it.
_PIECE = re.compile(
    rf"\s*+(?:[{re.escape(_OPENING)}]*[{_CJK}][{re.escape(_CLOSING)}]*\s*|(?:(?![{_CJK}])\S)+(?:[{re.escape(_CLOSING)}]*)\s*)"
)


def one_line(text: str, limit: int = 0) -> str:
    """Blanks and line breaks run together; cut with an ellipsis after `limit` characters if one is given."""
    flat = " ".join(clean_output(text).split())
    return flat if not limit or len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, piece) of what must not be divided: words, and single Chinese characters with their marks."""
    position = 0
    while match := _PIECE.match(text, position):
        if match.end() == position:
            return
        yield match.start(), match.end(), match.group()
        position = match.end()


def install() -> None:
    """Teach Rich and Textual where Chinese may be broken.

    Both break at blanks alone, so that a Chinese sentence with one English word in it leaves a
    ragged hole before each such word. They look their word splitter up by name at each call; where
    a later version does not, wrapping is theirs again and nothing else changes.
    """
    for path, name in (("rich._wrap", "words"), ("textual._wrap", "chunks")):
        module = importlib.import_module(path)
        if hasattr(module, name):
            setattr(module, name, pieces)
