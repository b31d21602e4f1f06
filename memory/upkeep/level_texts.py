"""The words of a level: templates by rules, and what a model's words must keep to. Pure.

A trace has to be written also where no model answers, and may say nothing that the memory did not
say. Where the rules of its language find no topic, the kind has to do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from memory import privacy
from memory.models import (
    KINDS,
    Kind,
    Lang,
    Layer,
    Level,
    Memory,
    MemoryOutline,
    Sensitivity,
    detect_language,
)
from memory.text.languages import LANGUAGES, either, value
from memory.text.speech import denies_or_ends

BY_MODEL: Final[Mapping[Level, str]] = {Level.SUMMARY: "summary", Level.TAG: "tag"}
LONGEST_TAG: Final = 80
NUMBER: Final = re.compile(r"\d+")
_MOST_WORDS: Final = 6
_ASIDE: Final = re.compile(r"^\s{0,9}\[\d{4}[^\]]*\]\s{0,9}|\s{0,9}[(（][^)）]{0,400}[)）]")
_CUT_WORD: Final = re.compile(r"[A-Za-z0-9]+$")
_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][\w’'-]+")
_MAIN_ENDS: Final = re.compile(
    r"[,，;；:：。.!！?？—]|" + either("topics", "MAIN_ENDS", r"\s(?:{})\s").pattern
)


def is_rewritable(m: MemoryOutline | Memory) -> bool:
    """Tell whether a level has words of its own; not for private things and episodes."""
    episode = m.layer == Layer.EPISODE or m.kind == Kind.EPISODE
    return m.sensitivity < Sensitivity.PRIVATE and not episode


def write_level_text(m: Memory, level: Level) -> str | None:
    """Return the content at a level by rules; None where a model has to write it."""
    if level is Level.FULL or not is_rewritable(m):
        return m.original_content
    return None if level in BY_MODEL else fill_template(m, level)


def fill_template(m: Memory, level: Level) -> str:
    """Return the text of a trace, of the archive, or of a tag that no model could write."""
    template: str = value(m.language, "topics", level.name)
    return template.format(topic=find_topic(m), kind=_name_kind(m))


def find_topic(m: Memory) -> str:
    """Return its own topic, else the heart of its sentence, else its first entity or its kind."""
    if m.topics and m.topics[0].strip():
        return _shorten(m.topics[0], m.language)
    text = _ASIDE.sub("", m.original_content).strip()
    forms: Mapping[str, str] = value(m.language, "topics", "FORMS")
    for name, pattern in value(m.language, "topics", "RULES").items():
        if found := _compile(pattern).match(text):
            text = text[found.end() :]
            if "topic" in found.groupdict():
                text = forms.get(name, "{}").format(found["topic"])
                break
    text = _shorten(text, m.language)
    if any(c.isalnum() for c in text):
        return text
    return m.entities[0] if m.entities else _name_kind(m)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I | re.S)


def _name_kind(m: Memory) -> str:
    info = KINDS[m.kind]
    return str(getattr(info, m.language, info.en)).lower()


def _shorten(text: str, lang: Lang) -> str:
    """Cut a text to six words and its language's length, never inside a word."""
    most: int = value(lang, "topics", "MOST_CHARS")
    text = text.strip(" .。,，'\"“”")
    if LANGUAGES[lang].spaced:
        text = " ".join(text.split()[:_MOST_WORDS])
        while len(text) > most and " " in text:
            text = text.rpartition(" ")[0]
    text = _compile(value(lang, "topics", "TRAILING")).sub("", text)
    cut = text[:most]
    if text[len(cut) : len(cut) + 1].isascii() and text[len(cut) : len(cut) + 1].isalnum():
        cut = _CUT_WORD.sub("", cut).strip() or cut
    return cut


def find_level_fault(m: Memory, level: Level, text: str) -> str:
    """Say why a model's text cannot stand for the memory; empty if it can.

    It may say less than the original, but nothing else: no other number, no new name, no lost
    "not", no other language, no order, no secret.
    """
    original = m.original_content
    longest = max(len(original) + 20, 40)
    if level is not Level.SUMMARY:
        longest = min(LONGEST_TAG, max(len(original) + 10, 20))
    if why := find_unsayable(text, longest):
        return why
    if detect_language(text, m.language) != m.language:
        return "another language"
    if not set(NUMBER.findall(text)) <= set(NUMBER.findall(original)):
        return "another number"
    if any(name.casefold() not in original.casefold() for name in _NAME.findall(text)):
        return "another name"
    return "" if _denies(text) == _denies(original) else "another sense"


def find_unsayable(text: str, longest: int) -> str:
    """Say why a model's text cannot stand for any memory; empty if it can."""
    if not any(c.isalnum() for c in text):
        return "empty"
    if len(text) > longest:
        return "too long"
    kept = not privacy.redact(text)[1] and not privacy.is_refused_instruction(text)
    return "" if kept else "not to be kept"


def _denies(text: str) -> bool:
    """Tell whether the main clause denies: in "coffee, no sugar" it does not."""
    return denies_or_ends(_MAIN_ENDS.split(text.strip(), maxsplit=1)[0])
