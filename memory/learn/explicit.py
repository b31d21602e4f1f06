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
# A mark with a letter or digit right behind it is inside something: hunter2!xyz, a?b.
_SENTENCE: Final = re.compile(r".+?(?:[。！？!?…]+(?![A-Za-z0-9#$%&*+/=@^_~-])|[.](?=\s+(?![a-z])|\s*$)|\n+|$)", re.S)
_QUOTE: Final = re.compile(
    r"\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』|`[^`\n]{1,200}`"
)
# A full stop after one of these ends no sentence where the sentence goes on: "Dr. Smith", "No. 5", "J. S. Bach".
_SHORT: Final = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|mt|ft)\.(?=\s+[A-Z])"
    r"|\b(?:no|nr|vol|fig|apt|ext|approx|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.(?=\s+\d)"
    r"|(?<![\w'’])(?-i:[A-HJ-Z])\.(?=\s+[A-Z]))",
    re.I,
)
_ASKS: Final = re.compile(r"\s*(?:please|remember|forget|don['’]?t|do\s+not|can|could|would|keep|note|make)\b", re.I)
_CJK: Final = re.compile(r"[\u3400-\u9fff]")
_LATIN: Final = re.compile(r"[A-Za-z]")


def _sentences(text: str) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    start = 0
    quotes = [q.span() for q in _QUOTE.finditer(text)]
    for m in _SENTENCE.finditer(text):
        if any(a < m.end() < b for a, b in quotes):
            continue  # what is quoted is one thing, whatever marks are in it
        shortened = any(s.end() == m.end() for s in _SHORT.finditer(text, max(start, m.end() - 8)))
        if shortened and not _ASKS.match(text, m.end()):
            continue
        if text[start : m.end()].strip():
            out.append((start, m.end()))
        start = m.end()
    return out


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
