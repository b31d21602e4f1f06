"""Read the numbers of a text, in digits or in words, English and Chinese. Pure."""

# ruff: noqa: SIM905 - words read as words
from __future__ import annotations

import re
from typing import Final

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS: Final = ("twenty thirty forty fifty sixty seventy eighty ninety").split()
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_SMALL: Final = (
    {w: i for i, w in enumerate(_ONES)}
    | {w: 10 * i for i, w in enumerate(_TENS, 2)}
    | {w + "th": i for i, w in enumerate(_ONES)}
    | {w[:-1] + "ieth": 10 * i for i, w in enumerate(_TENS, 2)}
    | _ORDINALS
    | {"twins": 2, "twice": 2, "couple": 2, "both": 2, "thrice": 3, "triplets": 3}
)
_TIMES: Final = {"dozen": 12, "hundred": 100, "k": 1_000, "grand": 1_000, "thousand": 1_000, "lakh": 100_000}
_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "仨": 3, "廿": 20}
_STEPS: Final = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}
_FIGURES: Final = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?(k\b|万|千|亿|grand\b|thousand\b|lakh\b|million\b)?", re.I)
_POINT: Final = re.compile(rf"\b({'|'.join(_ONES)}) point ({'|'.join(_ONES[:10])})\b", re.I)
_WORDS: Final = re.compile(r"[a-z]+", re.I)
_HAN: Final = re.compile(r"[零〇一二三四五六七八九十百千万亿两俩仨廿]+")
_CLOCK: Final = {"半": 30.0, "half past": 30.0, "quarter past": 15.0, "quarter to": 45.0, "一刻": 15.0, "三刻": 45.0}
_PARTS: Final = re.compile("|".join(_CLOCK), re.I)
_LATE: Final = 1_000_000


def numbers_of(text: str) -> list[tuple[float, int, int]]:
    """Find the numbers of a text: value, start and end of each, in no particular order."""
    found = [(_figures(m), m.start(), m.end()) for m in _FIGURES.finditer(text)]
    found += [
        (float(m[1]), *m.span(1)) for m in _FIGURES.finditer(text) if (m[2] or "").lower() == "k" and m[1].isdigit()
    ]
    found += [(_CLOCK[m[0].lower()], m.start(), m.end()) for m in _PARTS.finditer(text)]
    found += [(_han(m[0]), m.start(), m.end()) for m in _HAN.finditer(text)]
    found += [(_SMALL[m[1].lower()] + _SMALL[m[2].lower()] / 10, m.start(), m.end()) for m in _POINT.finditer(text)]
    return found + _words(text)


def _figures(m: re.Match[str]) -> float:
    scale = (m[2] or "").lower()
    return float(m[1].replace(",", "") or 0) * (_TIMES | _STEPS | {"million": _LATE}).get(scale, 1)


def _words(text: str) -> list[tuple[float, int, int]]:
    """Numbers in English words: "fifty-three", "two hundred and five", "twelve k"."""
    out: list[tuple[float, int, int]] = []
    last = -9
    for m in _WORDS.finditer(text):
        word, (start, end) = m[0].lower(), m.span()
        joined = bool(out) and start - last <= (5 if "and" in text[last:start].lower() else 1)
        if word in _SMALL:
            value = _SMALL[word]
            before = out[-1][0] if joined else 0
            if joined and (before % 100 == 0 or (before % 10 == 0 and 0 < value < 10 and before % 100 >= 20)):
                out[-1] = (before + value, out[-1][1], end)
            else:
                out.append((value, start, end))
            last = end
        elif word in _TIMES | {"million": _LATE} and (joined or word == "dozen"):
            scale = (_TIMES | {"million": _LATE})[word]
            of, begun = (out[-1][0], out[-1][1]) if joined else (1.0, start)
            if joined and word != "k":  # "twelve k" may be kilometres
                out.pop()
            out.append((of * scale, begun, end))
            last = end
    return out


def _han(word: str) -> float:
    """Numbers in characters: 八十, 一万二 (12,000), 七四 (74), 二〇二六."""
    if not any(c in _STEPS for c in word):
        return float("".join(str(_DIGITS[c]) for c in word)) if "廿" not in word else 20.0
    total, part, digit, step = 0, 0, 0, 1
    for c in word:
        if c in "万亿":
            total = (total + part + digit or 1) * _STEPS[c]
            part = digit = 0
            step = _STEPS[c]
        elif c in _STEPS:
            part += (digit or 1) * _STEPS[c]
            digit, step = 0, _STEPS[c]
        else:
            digit, step = _DIGITS[c], 1 if c in "零〇" else step
    return float(total + part + (digit * step // 10 if step >= 100 else digit))
