"""Read the answer to a question of ours that offers a numbered choice: yes, numbers or words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from memory.text.en import commands as en
from memory.text.zh import commands as zh

_NO: Final = re.compile(f"(?:{en.NO}|{zh.NO})", re.I)
_ALL: Final = re.compile(f"(?:{en.ALL}|{zh.ALL})", re.I)
_BUT: Final = re.compile(f"{en.ALL_BUT}|{zh.ALL_BUT}", re.I)
_YES: Final = re.compile(f"(?:{en.YES}|{zh.YES})", re.I)
_FILLERS: Final = re.compile(f"{en.FILLERS}|{zh.FILLERS}|[#&+;.!]", re.I)
_WORDS: Final = re.compile(r"[a-z0-9'’]+|[\u3400-\u9fff]", re.I)
_NUMERALS: Final = "一二三四五六七八"
_LONGEST: Final = 60  # characters that an answer may have
_FEW: Final = 3  # words that may stand alone for what they name
_FEW_ZH: Final = 6


def read_answer(text: str, options: Sequence[str]) -> tuple[int, ...] | Literal["unclear"] | None:
    """Find which options an answer picks.

    Returns their positions, () for none of them, None if it is no answer; "unclear" for a yes to several, or for all
    but what is not offered.
    """
    plain = text.strip(" \n.!。！~～").casefold()
    if not plain or len(plain) > _LONGEST:
        return None
    if _NO.fullmatch(plain):
        return ()
    if _ALL.fullmatch(plain):
        return tuple(range(len(options)))
    if _YES.fullmatch(plain):
        return (0,) if len(options) == 1 else "unclear"
    if m := _BUT.fullmatch(plain):
        spared = next(filter(None, m.groups()))
        left = _numbers(spared, len(options)) or _named(spared, options)
        return tuple(i for i in range(len(options)) if i not in left) if left else "unclear"
    if (picked := _numbers(plain, len(options))) is not None:
        return picked
    return _named(plain, options)


def _numbers(plain: str, count: int) -> tuple[int, ...] | None:
    for word in ("最后一", "last"):
        plain = plain.replace(word, f" {count} ")
    plain = plain.replace("两", "二")
    for n, word in enumerate(en.ORDINALS, 1):
        plain = re.sub(rf"\b{word}\b", f" {n} ", plain)
    plain = "".join(f" {_NUMERALS.index(c) + 1} " if c in _NUMERALS else c for c in plain)
    left = _FILLERS.sub(" ", re.sub(r"(\d)(?:st|nd|rd|th)\b", r"\1", plain)).split()
    picked = tuple(dict.fromkeys(int(w) - 1 for w in left if w.isdigit() and len(w) < 3))
    if not left or len([w for w in left if w.isdigit()]) < len(left) or any(not 0 <= p < count for p in picked):
        return None
    return picked or None


def _named(plain: str, options: Sequence[str]) -> tuple[int, ...] | None:
    formed = en.CHOSEN.match(plain)
    told = plain[formed.end() :] if formed else plain
    if z := zh.CHOSEN.match(plain):
        formed, told = z, z["x"] or z["z"] or z["y"]
    if not re.match("no ", told):
        told = re.sub(en.FILLERS, " ", told)
    wanted = set(_WORDS.findall(told)) - {"my", "a", "我", "的"}
    few = len(wanted) <= (_FEW_ZH if told[:1] >= "\u3400" else _FEW)
    if not wanted or not (formed or few):
        return None
    fitting = [i for i, o in enumerate(options) if wanted <= set(_WORDS.findall(o.casefold()))]
    return (fitting[0],) if len(fitting) == 1 else None
