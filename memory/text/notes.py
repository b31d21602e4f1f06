"""Notes: sentences about the person without their subject, and what sort of note one is.

"The user's sister lives in Lyon." becomes "Sister lives in Lyon.", 用户对花生过敏 becomes
对花生过敏. What is no subject, or cannot be left out, is put as the person would put it.

The sorting (health, family, names) is for memories that no model has sorted. It errs towards
health: what is wrongly taken for it costs a line, an allergy that is missed may cost more.
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
# Kinds that a model says for want of a better one.
UNSORTED: Final = frozenset(
    {"fact", "preference", "context", "identity", "workflow", "lesson", "whim"}
)

_CLAUSE: Final = re.compile(r"[,;:()\n]|\.\s|[，。；：、！？（）]|\s[-–—]\s|\bbut\b|但")
_HEALTH: Final = either("standing", "HEALTH", r"\b(?:{})")
_ASIDE: Final = either("standing", "ASIDE", r"\b(?:{})")
_OTHERS: Final = either("standing", "OTHERS", r"\b(?:{})")


def strip_subject(text: str) -> str:
    """Leave out the person as the subject of each sentence."""
    if not either("notes", "NAMES").search(text):
        return text
    text = _SUBJECT.sub(_leave_out, text)
    for pattern, form in _INNER:
        text = pattern.sub(form, text)
    return text


def _leave_out(m: re.Match[str]) -> str:
    return m["before"] + (m["first"].upper() if m["subject"][0].isupper() else m["first"])


def add_subjects(note: str) -> tuple[str, ...]:
    """Write a note as all the sentences that name the person have been written."""
    low = note[:1].lower() + note[1:]
    return tuple(
        subject + low
        for subject in value(detect_language(note[:1]), "notes", "SUBJECTS").split("|")
    )


def is_health(text: str) -> bool:
    """Say whether a memory is about the person's (or a close one's) lasting health."""
    for clause in _CLAUSE.split(text):
        found = _HEALTH.search(clause)
        if not found or _OTHERS.search(clause[: found.start()]):
            continue
        if either("standing", "ALLERGIC").search(clause) or not _ASIDE.search(clause):
            return True
    return False


def is_close(text: str) -> bool:
    """Say whether a memory names family, a partner or an animal of the person's own."""
    for clause in _CLAUSE.split(text):
        own = either("standing", "OWNER").sub("", clause.strip())
        if (found := either("standing", "CLOSE_ONE").search(own)) and not _OTHERS.search(
            own[: found.start()]
        ):
            return True
    return False


def is_name(text: str) -> bool:
    """Say whether a memory of who the person is says what they are called."""
    return either("standing", "NAME").search(text) is not None
