"""Cut a text into words, and bring each into the form in which it is compared.

A script without spaces between words is cut into runs of its characters; whoever needs smaller
pieces takes its characters and pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final

from memory.text.languages import LANGUAGES, value, values, words_of

# Scripts without spaces between words: those of the languages, Japanese kana, the iteration mark.
UNSPACED: Final = r"\u3005\u3040-\u30ff" + "".join(
    found.letters for found in LANGUAGES.values() if not found.spaced
)
_PIECES: Final = re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}]+")
_ASCII: Final = re.compile("[a-z0-9]+")  # the same of texts that have nothing else
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")

# Words that say little about what a text is about; of a script without spaces, characters.
STOP_WORDS: Final = frozenset(words_of("language", "STOP_WORDS"))


def tokens(text: str) -> list[str]:
    """Cut a text into words, case and width folded, and runs of characters without spaces."""
    if text.isascii():
        return _ASCII.findall(text.lower())
    return _PIECES.findall(unicodedata.normalize("NFKC", text).casefold())


def is_unspaced(token: str) -> bool:
    """Say whether a token begins with a character of a script without spaces."""
    return token[:1] >= "\u3005" and _UNSPACED.match(token) is not None


@cache
def _stemmers() -> list[tuple[re.Pattern[str], Any]]:
    """Import the stemmers; of a script that several languages share the first one's."""
    return [
        (
            re.compile(f"[{LANGUAGES[lang].letters}]"),
            getattr(import_module(f"snowballstemmer.{name}_stemmer"), f"{name.title()}Stemmer"),
        )
        for lang, name in values("language", "STEMMER").items()
    ]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a folded word without accents; figures and words without spaces stay."""
    if is_unspaced(word):
        return word
    word = strip_accents(word)
    for letters, stemmer in _stemmers():
        if letters.search(word):  # a new stemmer each time: threads would share its state
            return str(stemmer().stemWord(word))
    return word


def strip_accents(text: str) -> str:
    """Leave the accents out of a text; its characters are decomposed."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


_VARIANTS: Final = [
    str.maketrans(
        "".join(written.split()), "".join(value(lang, "characters", "SIMPLIFIED").split())
    )
    for lang, written in values("characters", "TRADITIONAL").items()
]


def fold_variants(text: str) -> str:
    """Write the variants of a script's characters in one way; offsets stay."""
    for table in _VARIANTS:
        text = text.translate(table)
    return text


class _Folds(dict[int, str]):
    """The folded form of a character by its code, where it is one character too."""

    def __missing__(self, code: int) -> str:
        folded = fold_variants(unicodedata.normalize("NFKC", chr(code)).casefold())
        self[code] = folded if len(folded) == 1 else chr(code)
        return self[code]


_FOLDS: Final = _Folds()


def fold_letters(text: str) -> str:
    """Fold case, width and the script's variants of each character; offsets stay."""
    return text.lower() if text.isascii() else text.translate(_FOLDS)


# Letters of a word that may be mistyped; shorter words have too many neighbours.
SHORTEST: Final = 5
_LONG: Final = 8  # from here on two slips are forgiven


def count_mistyped(words: Iterable[str], text: str) -> int:
    """Count the mistyped words that stand in the text as they should be."""
    there = {t for t in tokens(text) if len(t) >= SHORTEST and not is_unspaced(t)}
    return sum(any(is_slip(w, t) for t in there) for w in words)


def is_slip(a: str, b: str) -> bool:
    """Say whether two words begin alike and are one slip apart, long ones two."""
    most = 2 if min(len(a), len(b)) >= _LONG else 1
    if a[:1] != b[:1] or abs(len(a) - len(b)) > most:
        return False
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        own = [i + 1]
        for j, y in enumerate(b):
            slips = min(row[j + 1] + 1, own[j] + 1, row[j] + (x != y))
            if before and j and x == b[j - 1] and a[i - 1] == y:
                slips = min(slips, before[j - 1] + 1)
            own.append(slips)
        if min(own) > most:
            return False
        before, row = row, own
    return row[-1] <= most
