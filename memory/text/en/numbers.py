"""English words for numbers: "fifty-three", "two hundred and five", "twelve k"."""

# ruff: noqa: SIM905 - words read as words
import re
from collections.abc import Sequence
from typing import Final

_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_ORDINALS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
)
_TENS: Final = {
    w: 10 * i
    for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
NUMBERS: Final = {w: i for i, w in enumerate(_SMALL.split())} | _TENS
COUNTED: Final = NUMBERS | {"dozen": 12}
SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
ORDINALS: Final = (
    {w: i for i, w in enumerate(_ORDINALS.split(), 1)}
    | {w + "th": i for w, i in NUMBERS.items() if 12 < i < 20}
    | {w[:-1] + "ieth": n for w, n in _TENS.items()}
)
FIGURES: Final = {
    "k": 1_000,
    "grand": 1_000,
    "thousand": 1_000,
    "lakh": 100_000,
    "million": 1_000_000,
}  # behind figures
CLOCK: Final = {"half past": 30.0, "quarter past": 15.0, "quarter to": 45.0}
_WORTH: Final = (
    NUMBERS
    | ORDINALS
    | {"twins": 2, "twice": 2, "couple": 2, "both": 2, "thrice": 3, "triplets": 3}
)
_TIMES: Final = FIGURES | SCALES | {"dozen": 12}
_WORDS: Final = re.compile(r"[a-z]+", re.I)
_POINT: Final = re.compile(
    rf"\b({'|'.join([*NUMBERS][:20])}) point ({'|'.join([*NUMBERS][:10])})\b", re.I
)


def find_numbers(text: str) -> list[tuple[float, int, int]]:
    """Find the numbers in words: value, start and end of each."""
    out: list[tuple[float, int, int]] = []
    last = -9
    for m in _WORDS.finditer(text):
        word, (start, end) = m[0].lower(), m.span()
        joined = bool(out) and start - last <= (5 if "and" in text[last:start].lower() else 1)
        if word in _WORTH:
            value = _WORTH[word]
            before = out[-1][0] if joined else 0
            if joined and (
                before % 100 == 0 or (before % 10 == 0 and 0 < value < 10 and before % 100 >= 20)
            ):
                out[-1] = (before + value, out[-1][1], end)
            else:
                out.append((value, start, end))
            last = end
        elif word in _TIMES and (joined or word == "dozen"):
            of, begun = (out[-1][0], out[-1][1]) if joined else (1.0, start)
            if joined and word != "k":  # "twelve k" may be kilometres
                out.pop()
            out.append((of * _TIMES[word], begun, end))
            last = end
    points = (
        (NUMBERS[m[1].lower()] + NUMBERS[m[2].lower()] / 10, m.start(), m.end())
        for m in _POINT.finditer(text)
    )
    return [*out, *points]


def read_number(words: Sequence[str], i: int) -> tuple[int, int]:
    """Read the number in words that begins at `i`; return it and where it ends."""
    total = part = 0
    while i < len(words) and (words[i] in COUNTED or words[i] in SCALES):
        word = words[i]
        if word in SCALES:
            i += words[i + 1 : i + 2] == ["and"] and i + 2 < len(words) and words[i + 2] in COUNTED
            part = (part or 1) * SCALES[word]
            if word != "hundred":
                total, part = total + part, 0
        elif part % 10 and COUNTED[word] < 100:
            break
        else:
            part += COUNTED[word]
        i += 1
    return total + part, i
