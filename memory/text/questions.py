"""The patterns by which recall reads a message, of all languages together.

The English file says what each is.
"""

from __future__ import annotations

import re
import unicodedata
from types import SimpleNamespace
from typing import Final

from memory.text.clean import MOST_READ, keep_ends
from memory.text.languages import either, joined, values, words_of
from memory.text.words import stem

# Where a message is cut: into sentences, clauses and questions; what belongs together.
SENTENCE: Final = re.compile(r"(?<=[。！!?？；;\n])|(?<=\.)\s")
CLAUSE: Final = re.compile(rf"[，,；;：:、\n]|{joined('questions', 'CLAUSE')}", re.IGNORECASE)
QUOTED: Final = re.compile(r'"[^"]{4,}"|“[^”]{4,}”|「[^」]{4,}」|《[^》]+》')
BOTH: Final = re.compile(
    rf"^(?P<a>.{{2,14}}?)(?:{joined('questions', 'EITHER')})(?P<b>.{{2,40}}?)"
    rf"(?P<rest>(?:{joined('questions', 'WHICH')}).*)$",
    re.IGNORECASE,
)
# A piece of a program, a command line or an error: "for i in x" says I of nobody.
CODE: Final = re.compile(
    r"`[^`]*`|\b(?:\w+\([^()]*\)|for \w+ in \w+[(:\[]|\w*Error:"
    r"|(?-i:SELECT|INSERT|UPDATE|DELETE)\b)|(?<=\s)-(?:[a-z]|-[a-z][\w-]+)\b|[{};]\s{0,9}$|\{\s{0,9}[\"']",
    re.IGNORECASE,
)
CAPITAL: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]{2,}\b")

ASKS: Final = re.compile(rf"[?？]|{joined('questions', 'ASKS')}", re.IGNORECASE)
WORLD: Final = re.compile(f"{joined('questions', 'WORLD')}|{CODE.pattern}", re.IGNORECASE)
_PATTERNS: Final = (
    "NEXT TURN WANTS ASKS_WHEN SAYS_WHEN ASKS_HOW_MANY SAYS_HOW_MANY ASKS_WHERE SAYS_WHERE"
    " ASKS_LATEST ASKS_EARLIER ASKS_PAST CHOOSES STANDS_FOR PERSONAL POSSESSIVE OF_THE_ASSISTANT"
    " YOU INSTRUCTS OF_WHICH_TIME LOOKS_BACK"
)
PATTERNS: Final = SimpleNamespace(**{name: either("questions", name) for name in _PATTERNS.split()})


def _stems(name: str) -> frozenset[str]:
    return frozenset(map(stem, words_of("questions", name)))


COMMON: Final = _stems("COMMON")  # what everybody uses of everything
SOCIAL: Final = _stems("SOCIAL")  # manners, moods and turns of talk: they ask for nothing
ABOUT_MEMORY: Final = _stems("ABOUT_MEMORY")  # they say what kind of look is wanted, not what for
JOINS: Final = frozenset(words_of("questions", "JOINS"))


def review_asked(text: str) -> bool:
    """Say whether a message asks for a look back: 历史课 is a class."""
    return _says("REVIEW", _fold(text))


def recent_asked(text: str) -> bool:
    """Say whether a message is about what was talked of lately: 刚才, "last time".

    A day points at a conversation only beside a word of talking.
    """
    plain = _fold(text)
    return _says("BACK", plain) or (_says("DAY", plain) and _says("TALK", plain))


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKC", keep_ends(text, MOST_READ)).casefold()
    return " ".join(plain.replace("’", "'").split())


def _says(name: str, plain: str) -> bool:
    """Search for words after everything that only looks like them has been struck out."""
    if values("looks_back", f"NOT_{name}"):
        plain = either("looks_back", f"NOT_{name}").sub(" , ", plain)
    return either("looks_back", name).search(plain) is not None
