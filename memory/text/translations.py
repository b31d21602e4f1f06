"""Words for the same thing, in one language and across two: a "job" is what was told of a 职业.

Only what people tell of themselves and each other every day; everything else is for vectors.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from memory.text.languages import Lang, detect_language, joined, values
from memory.text.words import is_unspaced, stem, tokens

_GROUPS: Final = tuple(
    tuple(w.replace("_", " ") for w in group.split())
    for table in values("translations", "TABLE").values()
    for group in table.replace("\n", " ").split(";")
)
_THING: Final = {w.casefold(): group[0] for group in reversed(_GROUPS) for w in group}


def _either_of(words: Iterable[str], form: str) -> re.Pattern[str]:
    return re.compile(
        form.format("|".join(sorted(map(re.escape, words), key=len, reverse=True))), re.IGNORECASE
    )


_SPACED: Final = _either_of((w for w in _THING if not is_unspaced(w)), r"\b(?:{})\b")
_UNSPACED: Final = _either_of((w for w in _THING if is_unspaced(w)), "{}")
_ELSEWHERE: Final = re.compile(joined("translations", "ELSEWHERE", unspaced="{}"))
# Found in too much to be looked for by another word.
_SAID_OF_ALL: Final = frozenset({"like", "hate", "eating", "drinking"})


def _read_alike() -> Mapping[str, tuple[str, ...]]:
    """Map each word to those for the same thing; of unspaced ones the first pairs."""
    found: dict[str, dict[str, None]] = {}
    for group in _GROUPS:
        words = [w[:2] if is_unspaced(w) else w.casefold() for w in group if " " not in w]
        for word in () if group[0] in _SAID_OF_ALL else words:
            found.setdefault(stem(word), {}).update(
                dict.fromkeys(w for w in words if stem(w) != stem(word))
            )
    return {word: tuple(others) for word, others in found.items()}


_ALIKE: Final = _read_alike()


@lru_cache(maxsize=4096)
def things_of(text: str) -> frozenset[str]:
    """Return the things of a text, each by the first word of its group."""
    plain = unicodedata.normalize("NFKC", text)
    found = {_THING[m[0].casefold()] for m in _SPACED.finditer(plain)}
    for m in _UNSPACED.finditer(plain):
        if len(m[0]) > 1 or not _ELSEWHERE.search(plain[max(0, m.start() - 1) : m.end() + 1]):
            found.add(_THING[m[0]])
    return frozenset(found)


def words_for(found: Iterable[str], lang: Lang) -> list[str]:
    """Return every word of a language for some of the things of `things_of`."""
    wanted = set(found)
    return [
        w for group in _GROUPS if group[0] in wanted for w in group if detect_language(w) == lang
    ]


def cut_things(text: str) -> str:
    """Leave the words for things out of a text."""
    return _UNSPACED.sub(" ", _SPACED.sub(" ", unicodedata.normalize("NFKC", text)))


def find_synonyms(term: str) -> tuple[str, ...]:
    """Return what else may be said for a term of the text index."""
    return _ALIKE.get(stem(term), ())


def count_crossed(
    clauses: Iterable[tuple[tuple[str, tuple[str, ...]], ...]], lang: Lang, text: str
) -> int:
    """Count the words of a question that a text has in another language.

    Args:
        clauses: of each the words with their `alike`.
        lang: of the question.
        text: in another language.
    """
    there = frozenset(map(stem, tokens(text)))
    return sum(
        any(
            o in text if is_unspaced(o) else stem(o) in there
            for o in others
            if detect_language(o) != lang
        )
        for clause in clauses
        for _, others in clause
    )
