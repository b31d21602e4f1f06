"""Note style: a sentence about the person, without its subject.

"The user's sister lives in Lyon." becomes "Sister lives in Lyon.", 用户对花生过敏 becomes 对花生过敏. What is
no subject, or cannot be left out, is put as the person would put it ("Tom is my brother") or stays.
"""

from __future__ import annotations

import re
from typing import Final

from memory.text.languages import detect_language, either, list_character_pairs, value

# Where a sentence begins: at the front, after the date of an episode, after the end of another.
_BEGINS: Final = r"(?P<before>^\s{0,9}|^\[[^\]\n]{1,40}\]\s?|(?<=[.!?;；。！？]\s)|(?<=[；。！？]))"
_SUBJECT: Final = re.compile(
    rf"{_BEGINS}(?P<subject>{either('notes', 'SUBJECT').pattern})(?P<first>\S)", re.I
)
_INNER: Final = list_character_pairs("notes", "INNER")


def strip_subject(text: str) -> str:
    """Leave out the person as the subject of each sentence; returns the text as it is where nothing names them."""
    if not either("notes", "NAMES").search(text):
        return text
    text = _SUBJECT.sub(_leave_out, text)
    for pattern, form in _INNER:
        text = pattern.sub(form, text)
    return text


def _leave_out(m: re.Match[str]) -> str:
    return m["before"] + (m["first"].upper() if m["subject"][0].isupper() else m["first"])


def add_subjects(note: str) -> tuple[str, ...]:
    """Write a note as sentences that name the person, in all the ways they have been written."""
    low = note[:1].lower() + note[1:]
    return tuple(
        subject + low
        for subject in value(detect_language(note[:1]), "notes", "SUBJECTS").split("|")
    )
