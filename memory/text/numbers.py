"""Read the numbers of a text, in digits or in words of any language."""

from __future__ import annotations

import re
from typing import Final

from memory.text.languages import bounded, values

Number = tuple[float, int, int]  # value, start and end

_SCALES: Final = {w: n for words in values("numbers", "FIGURES").values() for w, n in words.items()}
_CLOCK: Final = {w: n for words in values("numbers", "CLOCK").values() for w, n in words.items()}
_AFTER: Final = "|".join(
    bounded(lang, "|".join(ws)).removeprefix(r"\b")
    for lang, ws in values("numbers", "FIGURES").items()
)
_FIGURES: Final = re.compile(rf"(\d[\d,]*(?:\.\d+)?)\s?({_AFTER})?", re.I)
_PARTS: Final = re.compile("|".join(_CLOCK), re.I)
_READERS: Final = tuple(values("numbers", "find_numbers").values())


def find_numbers(text: str) -> list[Number]:
    """Find the numbers of a text, in no particular order."""
    found = []
    for m in _FIGURES.finditer(text):
        scale, plain = (m[2] or "").lower(), float(m[1].replace(",", "") or 0)
        found.append((plain * _SCALES.get(scale, 1), m.start(), m.end()))
        if scale == "k" and m[1].isdigit():  # "12 k" may be kilometres
            found.append((plain, *m.span(1)))
    found += [(_CLOCK[m[0].lower()], m.start(), m.end()) for m in _PARTS.finditer(text)]
    return found + [number for find in _READERS for number in find(text)]
