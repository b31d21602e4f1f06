"""Sort a memory by its words: whether it is about health, names somebody close, or says what the
person is called.

Meaning is a model's work. These rules are for memories that no model has sorted, and err towards
health: what is wrongly taken for it costs a line, an allergy that is missed may cost more.
"""

from __future__ import annotations

import re
from typing import Final

from memory.text.languages import either

UNSORTED: Final = frozenset(
    {"fact", "preference", "context", "identity", "workflow", "lesson", "whim"}
)
"""Kinds that a model says for want of a better one."""

_CLAUSE: Final = re.compile(r"[,;:()\n]|\.\s|[，。；：、！？（）]|\s[-–—]\s|\bbut\b|但")
_HEALTH: Final = either("standing", "HEALTH", r"\b(?:{})")
_ASIDE: Final = either("standing", "ASIDE", r"\b(?:{})")
_OTHERS: Final = either("standing", "OTHERS", r"\b(?:{})")


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
