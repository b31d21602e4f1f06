"""Chinese characters for numbers."""

import re
from typing import Final

DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
    "仨": 3,
    "廿": 20,
}
SCALES: Final = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}
FIGURES: Final = {"千": 1_000, "万": 10_000, "亿": 100_000_000}
CLOCK: Final = {"半": 30.0, "一刻": 15.0, "三刻": 45.0}

_RUN: Final = re.compile("[零〇一二三四五六七八九十百千万亿两俩仨廿]+")


def find_numbers(text: str) -> list[tuple[float, int, int]]:
    """Find the numbers in characters: value, start and end of each."""
    return [(float(read_number(m[0])), m.start(), m.end()) for m in _RUN.finditer(text)]


def read_number(word: str) -> int:
    """Read a number in characters: 八十, 一万二 (12,000), 七四 (74), 二〇二六. Raises KeyError."""
    if "廿" in word:
        return 20
    if not any(c in SCALES for c in word):
        return int("".join(str(DIGITS[c]) for c in word))
    total, part, digit, step = 0, 0, 0, 1
    for c in word:
        if c in "万亿":
            total = (total + part + digit or 1) * SCALES[c]
            part = digit = 0
            step = SCALES[c]
        elif c in SCALES:
            part += (digit or 1) * SCALES[c]
            digit, step = 0, SCALES[c]
        else:
            digit, step = DIGITS[c], 1 if c in "零〇" else step
    return total + part + (digit * step // 10 if step >= 100 else digit)
