"""What the lexical embedder sees in a text: words, their stems and pieces, Chinese characters and pairs.

Everything in here is a pure function of the text, the same in every process and on every platform.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from zlib import crc32

_HAN: Final = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_PIECES: Final = re.compile(f"[{_HAN}]+|[^\\W_{_HAN}]+")
_ASCII: Final = re.compile("[a-z0-9]+")  # the same of texts that have nothing else
_HAN_CHAR: Final = re.compile(f"[{_HAN}]")

# Words that say little about what a text is about. Down-weighted, not dropped: "what I am" is not nothing.
DULL_EN: Final = frozenset(
    """a about again all also am an and any are as at be been being but by can could d did do does doing don done
    ever for from get got had has have having he her here hers him his how i if im in into is it its itself just
    let like ll m made make many me mine more most much my myself no nor not now of off ok okay on once one only
    or other our ours out over own re s same she should so some such t than that the their theirs them then there
    these they this those to too under until up us use ve very was we were what when where which while who whom
    whose why will with would yes you your yours really well went go going know think tell please maybe kind
    type sort thing something anything things way lot""".split()  # noqa: SIM905 - a list of strings is unreadable
)
DULL_ZH: Final = frozenset(
    "我你您他她它们的地得了着过吗呢吧啊呀哦嗯么是在有和与及或也都还就又再很太不没这那哪个些把被让给对从到为以于之其而但会能要想说请谁几吧嘛啦"
    "哈咱什怎哪样里儿多少来去上下一二三"
)
_DULL: Final = 0.08  # of the weight of a telling word
_PAIR_DULL: Final = 0.4  # a pair with one dull character in it
_SINGLE: Final = 0.6  # a lone Chinese character beside the pairs it stands in
_PIECES_SHARE: Final = 0.6  # of a word's weight that its letter n-grams carry

Feature = tuple[int, float]  # (hash, weight)


def tokens(text: str) -> list[str]:
    """Latin words, case-folded; runs of Chinese characters."""
    if text.isascii():
        return _ASCII.findall(text.lower())
    return _PIECES.findall(unicodedata.normalize("NFKC", text).casefold())


def is_han(token: str) -> bool:
    """Whether a token is a run of characters written without spaces."""
    return token[0] >= "\u3005" and _HAN_CHAR.match(token) is not None


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light English stem: plurals, -ing, -ed, -ly, and the doubled letter before them. Never under 3 letters."""
    w = word
    if len(w) > 4 and w.endswith("ies"):
        w = w[:-3] + "y"
    elif len(w) > 3 and w.endswith("s") and not w.endswith(("ss", "us", "is")):
        w = w[:-2] if w.endswith(("ches", "shes", "sses", "xes", "zes")) else w[:-1]
    for end in ("ing", "ed", "ly", "er"):
        if len(w) - len(end) >= 3 and w.endswith(end) and re.search("[aeiouy]", w[: -len(end)]):
            w = w[: -len(end)]
            if len(w) > 3 and w[-1] == w[-2] and w[-1] not in "lsz":
                w = w[:-1]
            break
    if len(w) > 3 and w.endswith("e"):
        w = w[:-1]
    return w[:-1] + "i" if len(w) > 3 and w.endswith("y") else w


def mix(name: str) -> int:
    """A 32-bit hash that is the same everywhere. crc32 is linear; the rounds after it are not."""
    h = crc32(name.encode())
    h = ((h ^ (h >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    h = ((h ^ (h >> 15)) * 0x846CA68B) & 0xFFFFFFFF
    return h ^ (h >> 16)


def of_word(word: str) -> list[Feature]:
    """A Latin word: its stem, and the 3- and 4-letter pieces of it, which share what is left of its weight."""
    weight = _DULL if word in DULL_EN else 1.0
    if word.isdigit():
        return [(mix("d:" + word), weight)]
    s = stem(word)
    found = [(mix("w:" + s), weight)]
    if weight == 1.0 and len(s) > 3:
        framed = f"<{s}>"
        grams = [framed[i : i + n] for n in (3, 4) for i in range(len(framed) - n + 1)]
        each = weight * (_PIECES_SHARE / len(grams)) ** 0.5
        found += [(mix("g:" + g), each) for g in grams]
    return found


def of_run(run: str) -> Iterator[tuple[str, list[Feature]]]:
    """A run of Chinese: every character faintly and every pair, those of dull characters least."""
    for i, char in enumerate(run):
        dull = char in DULL_ZH
        yield char, [(mix("c:" + char), _SINGLE * (_DULL if dull else 1.0))]
        if i + 1 < len(run):
            pair = run[i : i + 2]
            n = dull + (pair[1] in DULL_ZH)
            yield pair, [(mix("p:" + pair), (1.0, _PAIR_DULL, _DULL)[n])]
