"""Read the answer to a question of ours that offers a numbered choice: yes, numbers or words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from memory.text.languages import either, joined, values, words_of
from memory.text.numbers import DIGITS, ORDINALS
from memory.text.words import UNSPACED, is_unspaced

_FILLERS: Final = re.compile(f"{joined('commands', 'FILLERS')}|[#&+;.!]", re.I)
_FILLER_WORDS: Final = re.compile(joined("commands", "FILLERS", unspaced="(?!)"), re.I)
_CHOSEN: Final = [re.compile(chosen, re.I) for chosen in values("commands", "CHOSEN").values()]
_WORDS: Final = re.compile(f"[a-z0-9'’]+|[{UNSPACED}]", re.I)
_ORDINALS: Final = {w: n for w, n in ORDINALS.items() if n < 9}
_ORDINAL: Final = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b")
_NUMERALS: Final = {c: n for c, n in DIGITS.items() if 0 < n < 9}
_IDLE: Final = frozenset(words_of("commands", "IDLE"))
_LONGEST: Final = 60  # characters that an answer may have
_FEW: Final = 3  # words that may stand alone for what they name
_FEW_UNSPACED: Final = 6


def read_answer(text: str, options: Sequence[str]) -> tuple[int, ...] | Literal["unclear"] | None:
    """Find which options an answer picks.

    Returns their positions, () for none of them, None if it is no answer; "unclear" for a yes to
    several, or for all but what is not offered.
    """
    plain = text.strip(" \n.!。！~～").casefold()
    if not plain or len(plain) > _LONGEST:
        return None
    if either("commands", "NO").fullmatch(plain):
        return ()
    if either("commands", "ALL").fullmatch(plain):
        return tuple(range(len(options)))
    if either("commands", "YES").fullmatch(plain):
        return (0,) if len(options) == 1 else "unclear"
    if m := either("commands", "ALL_BUT").fullmatch(plain):
        spared = next(filter(None, m.groups()))
        left = _numbers(spared, len(options)) or _named(spared, options)
        return tuple(i for i in range(len(options)) if i not in left) if left else "unclear"
    if (picked := _numbers(plain, len(options))) is not None:
        return picked
    return _named(plain, options)


def _numbers(plain: str, count: int) -> tuple[int, ...] | None:
    plain = either("commands", "LAST_ONE").sub(f" {count} ", plain)
    plain = _ORDINAL.sub(lambda m: f" {_ORDINALS[m[0]]} ", plain)
    plain = "".join(f" {_NUMERALS[c]} " if c in _NUMERALS else c for c in plain)
    left = _FILLERS.sub(" ", re.sub(r"(\d)(?:st|nd|rd|th)\b", r"\1", plain)).split()
    picked = tuple(dict.fromkeys(int(w) - 1 for w in left if w.isdigit() and len(w) < 3))
    if (
        not left
        or len([w for w in left if w.isdigit()]) < len(left)
        or any(not 0 <= p < count for p in picked)
    ):
        return None
    return picked or None


def _named(plain: str, options: Sequence[str]) -> tuple[int, ...] | None:
    formed = next((m for chosen in _CHOSEN if (m := chosen.search(plain))), None)
    told = next(filter(None, formed.groups()), "") if formed else plain
    if not told.startswith("no "):
        told = _FILLER_WORDS.sub(" ", told)
    wanted = set(_WORDS.findall(told)) - _IDLE
    few = len(wanted) <= (_FEW_UNSPACED if is_unspaced(told) else _FEW)
    if not wanted or not (formed or few):
        return None
    fitting = [i for i, o in enumerate(options) if wanted <= set(_WORDS.findall(o.casefold()))]
    return (fitting[0],) if len(fitting) == 1 else None
