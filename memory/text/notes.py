"""Note style: a sentence about the person, without its subject. Pure.

"The user's sister lives in Lyon." becomes "Sister lives in Lyon.", 用户对花生过敏 becomes 对花生过敏. What is no
subject, or cannot be left out, is put as the person would put it ("Tom is my brother") or stays.
"""

from __future__ import annotations

import re
from typing import Final

from memory.text.en import notes as en
from memory.text.zh import notes as zh

_LATIN: Final = re.compile("[a-z]", re.I)
# Where a sentence begins: at the front, after the date of an episode, after the end of another.
_BEGINS: Final = r"(?:^\s{0,9}|^\[[^\]\n]{1,40}\]\s?|(?<=[.!?;；。！？]\s)|(?<=[；。！？]))"
_EN: Final = re.compile(rf"(?P<before>{_BEGINS}){en.SUBJECT.pattern}(?P<first>\S)", re.I)
_ZH: Final = re.compile(rf"(?P<before>{_BEGINS}){zh.SUBJECT.pattern}")


def strip_subject(text: str) -> str:
    """Leave out the person as the subject of each sentence; returns the text as it is where nothing names them."""
    if "用户" in text or "使用者" in text:
        text = _ZH.sub(r"\g<before>", text)
        for pattern, form in zh.INNER:
            text = pattern.sub(form, text)
    if "user" in text.casefold():
        text = _EN.sub(_leave_out, text)
        for pattern, form in en.INNER:
            text = pattern.sub(form, text)
    return text


def _leave_out(m: re.Match[str]) -> str:
    began_upper = m[0][len(m["before"])].isupper()
    return m["before"] + (m["first"].upper() if began_upper else m["first"])


def with_subjects(note: str) -> tuple[str, ...]:
    """Write a note as sentences that name the person, in all the ways they have been written."""
    low = note[:1].lower() + note[1:]
    subjects = (*en.SUBJECTS, *en.OWN_SUBJECTS) if _LATIN.match(note) else zh.SUBJECTS
    return tuple(subject + low for subject in subjects)
