"""Text as the index sees it: CJK characters apart, queries that no user text can bend (DESIGN §8)."""

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
_STOP_PHRASES: Final = re.compile("|".join(sorted(words_of("stop", "PHRASES"), key=len, reverse=True)))


def segment(text: str) -> str:
    """Text for the index: full-width forms folded, every CJK character a word of its own."""
    return _CHARACTER.sub(lambda char: f" {char[0]} ", unicodedata.normalize("NFKC", text))


def pairs(segmented: str) -> str:
    """Every two characters that stood side by side in a text without spaces, as words of their own."""
    found: list[str] = []
    before = ""
    for word in segmented.split(" "):
        if not word:
            continue  # `segment` put two spaces here, and nothing stood between
        own = word if len(word) == 1 and is_unspaced(word) else ""
        if before and own:
            found.append(before + own)
        before = own
    return " ".join(found)


@lru_cache(maxsize=50_000)
def key(term: str) -> int:
    """The number by which a term is looked up: of a word its stem without accents, of Chinese the characters."""
    return crc32(stem(term).encode())


def term_keys(text: str) -> bytes:
    """Keys of all terms of a memory, 4 bytes each: words, CJK characters and every pair of them that stands there."""
    found: set[str] = set()
    for piece in tokens(text):
        if is_unspaced(piece):
            found.update(piece)
            found.update(map(add, piece, piece[1:]))
        else:
            found.add(piece)
    return array("I", sorted({key(t) for t in found})).tobytes()


def terms(text: str) -> list[str]:
    """What to look for, each once, in order: Latin words, two-character CJK pairs, lone CJK characters.

    Stop words of both languages are dropped. At most 40, so that a pasted page stays a quick query.
    """
    found: dict[str, None] = {}
    for piece in tokens(text):
        words = _cjk_terms(piece) if is_unspaced(piece) else iter(() if piece in STOP_WORDS else (piece,))
        for word in words:
            found[word] = None
            if len(found) == _MAX_TERMS:
                return list(found)
    return list(found)


def match_all(text: str) -> str:
    """FTS5 expression for a search box: every word, the Latin ones as prefixes; stop words count here."""
    pieces = tokens(text)
    return " AND ".join(phrase(p) + ("" if is_unspaced(p) else " *") for p in pieces[:_MAX_TERMS])


def words(text: str) -> list[str]:
    """The pieces of a search box, for a search without the index."""
    return tokens(text)


def fold(name: str) -> str:
    """An entity's name as it is compared: NFKC, case folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def normalised(text: str) -> str:
    """A text's words alone, for digests: neither case, punctuation, width nor spacing tell texts apart."""
    return " ".join(tokens(text))


def _cjk_terms(run: str) -> Iterator[str]:
    """Pairs of a run of CJK characters, those of stop words dropped, and characters that stand alone."""
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


def phrase(term: str) -> str:
    """Quoted, so that no word of a user's is FTS syntax."""
    spaced = " ".join(segment(term).split()).replace('"', '""')
    return f'"{spaced}"'
