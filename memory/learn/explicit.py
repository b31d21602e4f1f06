"""Does a chat message tell Ebb to remember or to forget something? Pure; the forms are one file per language.

A message is looked at sentence by sentence. What is asked for may be in the sentence ("remember that I'm
vegan"), after a colon, earlier in the same message ("I'm vegan. Please remember that."), or in the user's
previous message ("remember this").
"""

from __future__ import annotations

import re
from typing import Final

from memory.learn import explicit_en, explicit_zh
from memory.learn.intent import Intent

__all__ = ["Intent", "intent_of", "means_everything"]

_CODE: Final = re.compile(r"```.*?(?:```|\Z)", re.S)
_LONG: Final = 1000  # characters: a pasted text; only its first sentence can be a command
_SENTENCE: Final = re.compile(r".+?(?:[。！？!?…]+|[.](?=\s+(?![a-z])|\s*$)|\n+|$)", re.S)
_CJK: Final = re.compile(r"[\u3400-\u9fff]")
_LATIN: Final = re.compile(r"[A-Za-z]")


def _sentences(text: str) -> list[tuple[int, int]]:
    return [m.span() for m in _SENTENCE.finditer(text) if m[0].strip()]


def intent_of(text: str) -> Intent | None:
    """The first command in `text`, or None. Never raises."""
    text = _CODE.sub(" ", text).strip()
    spans = _sentences(text[: 4 * _LONG])
    if len(text) > _LONG:
        spans = spans[:1]
    for start, end in spans:
        sentence, before, rest = text[start:end].strip(), text[:start].strip(), text[end:].strip()
        found = None
        if _CJK.search(sentence):
            found = explicit_zh.read(sentence, before, rest)
        if found is None and _LATIN.search(sentence):
            found = explicit_en.read(sentence, before, rest)
        if found is not None:
            return found
    return None


def means_everything(text: str) -> bool:
    """Whether what is to be forgotten is everything: never done in one go."""
    return explicit_en.everything(text) or explicit_zh.everything(text)
