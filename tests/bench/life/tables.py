"""Reads the tables of words, and fills their patterns for whoever is spoken of.

A block begins with `# name`, `*` if it changes over time, `+` if one has several; then lines of variants, `|` between:
`v`/`x` values, `say` statements, `chg` a change, `ask` questions, `now`/`was` of what changed, `all` lists, `far`
questions that share few words with what was said, `who`/`when`/`what` of an event, `hop` a person by an event.
{S} is whom it is about ({S's}, {s_own}, {them}; {is}, {has}, {does}, {was} and endings go with it), {I} the teller.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import ModuleType
from typing import Final

from tests.bench.life import words_en, words_zh

LANGS: Final[Mapping[str, ModuleType]] = {"en": words_en, "zh": words_zh}
MONTHS: Final = tuple(
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
)


@dataclass(frozen=True)
class Sort:
    """One sort of thing to be known, or to happen."""

    name: str
    changes: bool
    several: bool
    lines: Mapping[str, tuple[str, ...]]


def variants(line: str) -> tuple[str, ...]:
    """What stands between the bars."""
    return tuple(v.strip() for v in line.split("|") if v.strip())


def sorts(text: str) -> list[Sort]:
    """A table."""
    out = []
    for block in text.strip().split("\n\n"):
        head, *rest = block.splitlines()
        lines = {key: variants(line) for key, _, line in (r.partition(": ") for r in rest)}
        out.append(Sort(head.strip("# *+"), "*" in head, "+" in head, lines))
    return out


def rows(text: str) -> list[tuple[str, ...]]:
    """Lines of variants."""
    return [variants(line) for line in text.strip().splitlines()]


def voice(lang: str, who: str, *, first: bool) -> dict[str, str]:
    """The words for somebody. `who` is empty for the person whose memory it is, who says I if `first`."""
    me = first and not who
    if lang == "zh":
        name = who or ("我" if first else "用户")
        return {"S": name, "them": name}
    name = who or "User"
    return {
        "S": "I" if me else name,
        "S's": "my" if me else f"{name}'s",
        "s_own": "my" if me else "their",
        "them": "me" if me else name,
        "is": "am" if me else "is",
        "has": "have" if me else "has",
        "does": "do" if me else "does",
        "was": "was",
        "s": "" if me else "s",
        "es": "" if me else "es",
        "y": "y" if me else "ies",
    }


def teller(lang: str, *, first: bool) -> dict[str, str]:
    """The words for whose memory it is, where somebody else is there as well."""
    if lang == "zh":
        name = "我" if first else "用户"
        return {"I": name, "me": name}
    return {
        "I": "I" if first else "User",
        "me": "me" if first else "User",
        "my": "my" if first else "User's",
        "am": "am" if first else "is",
        "has": "have" if first else "has",
        "s": "" if first else "s",
        "y": "y" if first else "ies",
    }


def filled(pattern: str, words: Mapping[str, str]) -> str:
    """The pattern as a sentence."""
    text = re.sub(r"\{([^}]+)\}", lambda m: words[m[1]], pattern)
    return text[0].upper() + text[1:]


def day(lang: str, d: date, rng: random.Random, *, year: bool) -> str:
    """A date as one may write it."""
    if lang == "zh":
        return (
            f"{d.year}年{d.month}月{d.day}日"
            if year
            else rng.choice((f"{d.month}月{d.day}日", f"{d.month}月{d.day}号"))
        )
    month = MONTHS[d.month - 1]
    plain = rng.choice((f"{d.day} {month}", f"{month} {d.day}"))
    return f"{plain}{',' if plain[-1].isdigit() else ''} {d.year}" if year else plain


def month(lang: str, d: date) -> str:
    """A month of a year."""
    return f"{d.year}年{d.month}月" if lang == "zh" else f"{MONTHS[d.month - 1]} {d.year}"


_NEXT_KEY: Final = {
    "a": "s", "b": "v", "c": "x", "d": "f", "e": "r", "f": "g", "g": "h", "h": "j", "i": "o", "k": "l", "l": "k", "m": "n",
    "n": "m", "o": "p", "p": "o", "r": "t", "s": "d", "t": "y", "u": "i", "v": "b", "w": "e", "y": "u",
}  # fmt: skip
_SOUNDS_ALIKE: Final = (
    ("什么", "神马"), ("哪里", "那里"), ("哪儿", "那儿"), ("现在", "先在"), ("生日", "生曰"), ("过敏", "过民"), ("住在", "住再"),
    ("喜欢", "喜换"), ("时候", "时侯"), ("一起", "一齐"), ("最爱", "最碍"), ("书", "输"), ("学", "雪"), ("车", "扯"), ("吃", "迟"),
    ("工作", "公作"), ("医生", "衣生"), ("电影", "电应"), ("借", "界"), ("修", "休"), ("怕", "帕"), ("做", "作"),
    ("谁", "准"), ("的", "得"),
)  # fmt: skip


def mistyped(lang: str, text: str, rng: random.Random) -> str:
    """One small slip: of a finger, or a wrong character that sounds or looks alike."""
    if lang == "zh":
        fitting = [(right, wrong) for right, wrong in _SOUNDS_ALIKE if right in text]
        return text.replace(*rng.choice(fitting[:4]), 1) if fitting else text
    words = [m for m in re.finditer(r"[a-z]{5,}", text)]
    if not words:
        return text
    word = rng.choice(words)
    i = rng.randrange(word.start() + 1, word.end() - 1)
    kinds = (
        text[:i] + text[i + 1] + text[i] + text[i + 2 :],
        text[:i] + text[i + 1 :],
        text[:i] + text[i] + text[i:],
        text[:i] + _NEXT_KEY.get(text[i], "e") + text[i + 1 :],
    )
    return rng.choice([k for k in kinds if k != text])


def shuffled(rng: random.Random, items: Sequence[str]) -> list[str]:
    """A new order."""
    return rng.sample(items, len(items))
