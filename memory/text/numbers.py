"""Read the numbers of a text, in digits or in words of any language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.text.languages import LANGUAGES, bounded, values

Number = tuple[float, int, int]  # value, start and end


def _table(name: str, *, spaced: bool | None = None) -> dict[str, int]:
    """Join the tables of all languages, or of those with or without spaces."""
    return {
        word: number
        for lang, table in values("numbers", name).items()
        if spaced in {None, LANGUAGES[lang].spaced}
        for word, number in table.items()
    }


ORDINALS: Final = _table("ORDINALS")
NUMBERS: Final = _table("NUMBERS", spaced=True)
SCALES: Final = _table("SCALES", spaced=True)
DIGITS: Final = _table("NUMBERS", spaced=False)
CHARACTER_SCALES: Final = _table("SCALES", spaced=False)
_DOZENS: Final = _table("DOZENS")  # they count alone, and may be counted
COUNTED: Final = NUMBERS | _DOZENS
_BEHIND: Final = _table("BEHIND_FIGURES")
_CLOCK: Final = _table("CLOCK")
_WORTH: Final = NUMBERS | ORDINALS | _table("GROUPS")
_TIMES: Final = _table("BEHIND_FIGURES", spaced=True) | SCALES | _DOZENS
_AFTER: Final = "|".join(
    bounded(lang, "|".join(words)).removeprefix(r"\b")
    for lang, words in values("numbers", "BEHIND_FIGURES").items()
)
_FIGURES: Final = re.compile(rf"(\d[\d,]*(?:\.\d+)?)\s?({_AFTER})?", re.I)
_PARTS: Final = re.compile("|".join(_CLOCK), re.I)
_WORDS: Final = re.compile(r"[a-z]+", re.I)
_SMALL: Final = "|".join(w for w, n in NUMBERS.items() if n < 10)
_POINT: Final = re.compile(rf"\b({'|'.join(NUMBERS)}) point ({_SMALL})\b", re.I)
_RUN: Final = re.compile(f"[{''.join([*DIGITS, *CHARACTER_SCALES])}]+")


def find_numbers(text: str) -> list[Number]:
    """Find the numbers of a text, in no particular order."""
    found: list[Number] = []
    for m in _FIGURES.finditer(text):
        scale, plain = (m[2] or "").lower(), float(m[1].replace(",", "") or 0)
        found.append((plain * _BEHIND.get(scale, 1), m.start(), m.end()))
        if scale == "k" and m[1].isdigit():  # "12 k" may be kilometres
            found.append((plain, *m.span(1)))
    found += [(float(_CLOCK[m[0].lower()]), m.start(), m.end()) for m in _PARTS.finditer(text)]
    found += [(float(read_characters(m[0])), m.start(), m.end()) for m in _RUN.finditer(text)]
    for m in _POINT.finditer(text):
        found.append((NUMBERS[m[1].lower()] + NUMBERS[m[2].lower()] / 10, m.start(), m.end()))
    return found + _find_words(text)


def _find_words(text: str) -> list[Number]:
    """Find the numbers in words: "fifty-three", "two hundred and five", "twelve k"."""
    out: list[Number] = []
    last = -9
    for m in _WORDS.finditer(text):
        word, (start, end) = m[0].lower(), m.span()
        joined = bool(out) and start - last <= (5 if "and" in text[last:start].lower() else 1)
        before, begun = (out[-1][0], out[-1][1]) if joined else (0.0, start)
        worth, times = _WORTH.get(word), _TIMES.get(word)
        if worth is not None:
            tens = before % 10 == 0 and 0 < worth < 10 and before % 100 >= 20
            if joined and (before % 100 == 0 or tens):
                out[-1] = (before + worth, begun, end)
            else:
                out.append((worth, start, end))
        elif times and (joined or word in _DOZENS):
            if joined and word != "k":
                out.pop()
            out.append(((before if joined else 1.0) * times, begun, end))
        else:
            continue
        last = end
    return out


def read_words(words: Sequence[str], i: int) -> tuple[int, int]:
    """Read the number in words that begins at `i`; return it and where it ends."""
    total = part = 0
    while i < len(words) and (words[i] in COUNTED or words[i] in SCALES):
        word = words[i]
        if word in SCALES:
            i += words[i + 1 : i + 2] == ["and"] and i + 2 < len(words) and words[i + 2] in COUNTED
            part = (part or 1) * SCALES[word]
            if SCALES[word] > 100:
                total, part = total + part, 0
        elif part % 10 and COUNTED[word] < 100:
            break
        else:
            part += COUNTED[word]
        i += 1
    return total + part, i


def read_characters(word: str) -> int:
    """Read a number in characters: 八十, 一万二 (12,000), 七四 (74), 二〇二六."""
    if not any(c in CHARACTER_SCALES for c in word):
        return int("".join(str(DIGITS[c]) for c in word))
    total, part, digit, step = 0, 0, 0, 1
    for c in word:
        scale = CHARACTER_SCALES.get(c, 0)
        if scale >= 10_000:
            total = (total + part + digit or 1) * scale
            part, digit, step = 0, 0, scale
        elif scale:
            part += (digit or 1) * scale
            digit, step = 0, scale
        else:
            digit = DIGITS[c]
            step = step if digit else 1
    return total + part + (digit * step // 10 if step >= 100 else digit)
