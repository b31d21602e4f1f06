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

from memory.text.languages import words_of
from memory.text.words import STOP_WORDS, UNSPACED, is_unspaced, stem, tokens

_CHARACTER: Final = re.compile(f"([{UNSPACED}])")
_MAX_TERMS: Final = 40
_STOP_PHRASES: Final = re.compile(
    "|".join(sorted(words_of("stop", "PHRASES"), key=len, reverse=True))
)


def segment_text(text: str) -> str:
    """Return text for the index: full-width forms folded, every CJK character a word of its own."""
    return _CHARACTER.sub(lambda char: f" {char[0]} ", unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=50_000)
def hash_term(term: str) -> int:
    """Return the number a term is looked up by, of its stem without accents."""
    return crc32(stem(term).encode())


def hash_terms(text: str) -> bytes:
    """Return keys, 4 bytes each, of a memory's words, CJK characters and pairs of these."""
    found: set[str] = set()
    for piece in tokens(text):
        if is_unspaced(piece):
            found.update(piece)
            found.update(map(add, piece, piece[1:]))
        else:
            found.add(piece)
    return array("I", sorted({hash_term(t) for t in found})).tobytes()


def list_search_terms(text: str) -> list[str]:
    """List what to look for, each once, in order: words, CJK pairs, lone CJK characters.

    Stop words of both languages are dropped. At most 40, so that a pasted page stays a quick query.
    """
    found: dict[str, None] = {}
    for piece in tokens(text):
        words = (
            _cjk_terms(piece)
            if is_unspaced(piece)
            else iter(() if piece in STOP_WORDS else (piece,))
        )
        for word in words:
            found[word] = None
            if len(found) == _MAX_TERMS:
                return list(found)
    return list(found)


def fold(name: str) -> str:
    """Return an entity's name as it is compared: NFKC, case folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def normalised(text: str) -> str:
    """Return a text's words alone, for digests: without case, punctuation, width, spacing."""
    return " ".join(tokens(text))


def _cjk_terms(run: str) -> Iterator[str]:
    """Yield pairs of a run of CJK characters and lone ones, without those of stop words."""
    if len(run) == 1:
        if run not in STOP_WORDS:
            yield run
        return
    stop = [c in STOP_WORDS for c in run]
    word = [False] * len(run)  # inside a stop word of several characters
    for hit in _STOP_PHRASES.finditer(run):
        word[hit.start() : hit.end()] = [True] * (hit.end() - hit.start())
    dull = [s or w for s, w in zip(stop, word, strict=True)]
    for i, char in enumerate(run):
        last = i + 1 == len(run)
        if not dull[i] and (i == 0 or dull[i - 1]) and (last or dull[i + 1]):
            yield char  # 猫 in 我的猫叫什么: no pair of it would be found in 猫的名字
        # A pair across a border is kept (目的, 了解), one inside a stop word is not.
        if not last and not (dull[i] and dull[i + 1]) and not (word[i] or word[i + 1]):
            yield run[i : i + 2]
