"""Whom a text is about: names by their form, whether or not any memory has them as an entity; and
oneself. Pure.

"What car do I drive?" is not answered by a friend's car, nor "When is Carmen's birthday?" by
Noor's.
"""

# ruff: noqa: E501 - patterns are read line by line
from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.text.languages import joined, words_of
from memory.text.questions import CAPITAL, COMMON, PATTERNS, SOCIAL
from memory.text.words import UNSPACED, is_unspaced, stem

# What begins a sentence is a name if somebody does something: "Ines gave up", not "Please keep",
# "Every year".
_FIRST: Final = re.compile(
    rf"^([A-Z][a-z]{{2,}})(?:'s\b|(?= (?:and [A-Z]|(?:{'|'.join(words_of('questions', 'ACTS'))}|\w+(?:s|ed))\b)))"
)
_POSSESSED: Final = re.compile(r"\b([A-Z][a-z]+)'s\b")
_SURNAMES, _NICKNAMES = (joined("questions", name) for name in ("SURNAMES", "NICKNAMES"))
_UNSPACED_NAME: Final = re.compile(
    f"(?=([{_NICKNAMES}][{UNSPACED}]|[{_SURNAMES}][{UNSPACED}]{{1,2}}))"
)
_INSIDE: Final = frozenset(words_of("questions", "INSIDE"))
_NO_NAMES: Final = frozenset(words_of("questions", "NO_NAMES")).union(
    words_of("dates", "MONTHS"), words_of("dates", "WEEKDAYS")
)
_EVERYDAY: Final = COMMON | SOCIAL
_NOT_NAMES: Final = _NO_NAMES | _EVERYDAY


@lru_cache(maxsize=8192)
def find_people_names(text: str) -> frozenset[str]:
    """Names of people and what looks like one: a capital that no sentence gave, a Chinese surname and what follows."""
    found = {m.group() for m in CAPITAL.finditer(text)} | {m[1] for m in _POSSESSED.finditer(text)}
    if (first := _FIRST.match(text)) is not None and stem(first[1].casefold()) not in _EVERYDAY:
        found.add(first[1])
    for m in (
        () if text.isascii() else _UNSPACED_NAME.finditer(text)
    ):  # every candidate comes by here
        name = m[1]
        end = next((i for i, c in enumerate(name) if i and c in _INSIDE), len(name))
        if end > 1 and name[:2] not in _NOT_NAMES:
            found.add(name[:end])
    return frozenset(found - _NO_NAMES)


def share_of_names(asked_for: frozenset[str], text: str) -> float:
    """0 … 1: the share of these names that the text has.

    A Chinese name may have caught the character after it.
    """
    if not asked_for:
        return 0.0
    return sum(
        n in text or (is_unspaced(n) and len(n) == 3 and n[:2] in text) for n in asked_for
    ) / len(asked_for)


@lru_cache(maxsize=8192)
def is_about_speaker(text: str) -> float:
    """1 if it is about its speaker, −1 if about somebody else alone, 0 if it does not say.

    A note has no subject where that is the speaker; who else it is about is named at its beginning.
    """
    if PATTERNS.OWN.search(text):
        return 1.0
    if any(text.startswith(name) for name in find_people_names(text)):
        return -1.0
    return 0.0 if PATTERNS.THING.match(text) else 1.0
