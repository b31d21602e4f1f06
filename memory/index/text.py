"""Text as the index sees it: words, stems, and Chinese characters with their pairs."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator
from functools import lru_cache
from operator import add
from typing import Final
from zlib import crc32

from snowballstemmer.porter_stemmer import PorterStemmer

# Han, kana, and the ideographic iteration mark: scripts written without spaces between words.
_CJK: Final = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_CJK_CHAR: Final = re.compile(f"([{_CJK}])")
_PIECES: Final = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_ASCII: Final = re.compile("[a-z0-9]+")  # the same of texts that have nothing else
_MAX_TERMS: Final = 40

_EN: Final = (
    "a about again all also am an and any are as at be been but by can could d did do does doing don for from get got"
    " had has have he her here him his how i if im in into is it its just ll m me my no not now of off on or our out"
    " re s she should so some t than that the their them then there these they this to too up us ve very was we were"
    " what when where which who why will with would you your please tell know think remember really maybe ok okay yes"
    " hi hello hey thanks"
)
_ZH: Final = (
    "是不是 有没有 能不能 可不可以 为什么 怎么样 什么样 什么 怎么 怎样 哪里 哪儿 哪些 哪个 谁的 多少 几个 我们 你们"
    " 他们 她们 它们 咱们 自己 这个 那个 这些 那些 这样 那样 这里 那里 知道 记得 告诉 可以 应该 觉得 认为 一下"
    " 一个 一些 一点 有点 现在 然后 因为 所以 但是 如果 虽然 还是 或者 而且 已经 就是 不是 没有 真的 请问 谢谢"
    " 你好 好的 什么事 啥事 有事 没事"
)
STOP_EN: Final = frozenset(_EN.split())
STOP_ZH_WORDS: Final = tuple(_ZH.split())
STOP_ZH_CHARS: Final = frozenset(
    "我你您他她它们的地得了着过吗呢吧啊呀哦嗯么是在有和与及或也都还就又再很太不没这那哪个些"
    "把被让给对从到为以于之其而但会能要想说请谁几嘛啦哈咱"
)
_STOP_ZH: Final = re.compile("|".join(sorted(map(re.escape, STOP_ZH_WORDS), key=len, reverse=True)))


def segment(text: str) -> str:
    """Return text for the index: full-width forms folded, every CJK character a word of its own."""
    return _CJK_CHAR.sub(lambda char: f" {char[0]} ", unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=50_000)
def key(term: str) -> int:
    """Return the number a term is looked up by: of a word its stem without accents, of Chinese the characters."""
    if not term.isascii() and not _CJK_CHAR.match(term):
        term = "".join(c for c in unicodedata.normalize("NFKD", term) if not unicodedata.combining(c))
    return crc32(PorterStemmer().stemWord(term).encode())


def term_keys(text: str) -> bytes:
    """Return keys of all terms of a memory, 4 bytes each: words, CJK characters and every pair of them there."""
    found: set[str] = set()
    for piece in _pieces(text):
        if _CJK_CHAR.match(piece):
            found.update(piece)
            found.update(map(add, piece, piece[1:]))
        else:
            found.add(piece)
    return array("I", sorted({key(t) for t in found})).tobytes()


def terms(text: str) -> list[str]:
    """List what to look for, each once, in order: Latin words, two-character CJK pairs, lone CJK characters.

    Stop words of both languages are dropped. At most 40, so that a pasted page stays a quick query.
    """
    found: dict[str, None] = {}
    for piece in _pieces(text):
        words = _cjk_terms(piece) if _CJK_CHAR.match(piece) else iter(() if piece in STOP_EN else (piece,))
        for word in words:
            found[word] = None
            if len(found) == _MAX_TERMS:
                return list(found)
    return list(found)


def words(text: str) -> list[str]:
    """Split what stands in a search box into its words."""
    return _PIECES.findall(unicodedata.normalize("NFKC", text))


def fold(name: str) -> str:
    """Return an entity's name as it is compared: NFKC, case folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def normalised(text: str) -> str:
    """Return a text's words alone, for digests: case, punctuation, width and spacing do not count."""
    return " ".join(_pieces(text))


def _cjk_terms(run: str) -> Iterator[str]:
    """Pairs of a run of CJK characters, those of stop words dropped, and characters that stand alone."""
    if len(run) == 1:
        if run not in STOP_ZH_CHARS:
            yield run
        return
    stop = [c in STOP_ZH_CHARS for c in run]
    word = [False] * len(run)  # inside a stop word of several characters
    for hit in _STOP_ZH.finditer(run):
        word[hit.start() : hit.end()] = [True] * (hit.end() - hit.start())
    dull = [s or w for s, w in zip(stop, word, strict=True)]
    for i, char in enumerate(run):
        last = i + 1 == len(run)
        if not dull[i] and (i == 0 or dull[i - 1]) and (last or dull[i + 1]):
            yield char  # 猫 in 我的猫叫什么: no pair of it would be found in 猫的名字
        # A pair across a border is kept (目的, 了解), one inside a stop word is not.
        if not last and not (dull[i] and dull[i + 1]) and not (word[i] or word[i + 1]):
            yield run[i : i + 2]


def _pieces(text: str) -> list[str]:
    if text.isascii():
        return _ASCII.findall(text.lower())
    return _PIECES.findall(unicodedata.normalize("NFKC", text).casefold())
