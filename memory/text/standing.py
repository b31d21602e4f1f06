# ruff: noqa: E501 - a pattern is checked against what people say; broken over lines it cannot be read
"""Sort a memory by its words: whether it is about health, names somebody close, or says what the person is called.

Meaning is a model's work. These rules are for memories that no model has sorted, and err towards health: what is
wrongly taken for it costs a line, an allergy that is missed may cost more.
"""

from __future__ import annotations

import re
from typing import Final

from memory.text.en import standing as en
from memory.text.zh import standing as zh

_CLAUSE: Final = re.compile(r"[,;:()\n]|\.\s|[，。；：、！？（）]|\s[-–—]\s|\bbut\b|但")
_OWNER: Final = re.compile(r"^(?:the\s)?user(?:['’]s)?\s|^(?:用户|我)(?:家里?|的)?", re.IGNORECASE)
_ALLERGIC: Final = re.compile(r"\ballergic to (?!mondays|meetings)|对(?!加班|开会|上班).{1,12}过敏", re.IGNORECASE)


# Kinds that a model says for want of a better one.
UNSORTED: Final = frozenset({"fact", "preference", "context", "identity", "workflow", "lesson", "whim"})


_HEALTH: Final = re.compile(rf"\b(?:{en.HEALTH})|{zh.HEALTH}", re.IGNORECASE)
_ASIDE: Final = re.compile(rf"\b(?:{en.ASIDE})|{zh.ASIDE}", re.IGNORECASE)
_OTHERS: Final = re.compile(rf"\b(?:{en.OTHERS})|{zh.OTHERS}", re.IGNORECASE)
# At the head of its clause, or after "my" and "with": elsewhere it is mostly somebody else's, or a sort of thing.
_LEAD_EN: Final = (
    r"(?:^|\b(?:my|our|with)\s)(?:(?:i|my|our|the|an?|has|have|had|got|is|was|two|three|four|\d|old|older|elder|big|little"
    r"|young|younger|late|only|adopted|own|pet|lives?|live|with|new|i'm)\s){0,4}"
)
_LEAD_ZH: Final = r"(?:(?:跟|和|与).{1,6}(?=[结离]婚)|(?:^|[我跟和与随被])(?:有|是|养了?|家里?|收养|的|[一二两三四\d]+|[个只条位]|年|亲|大|小|老|前|十|表|堂|太|曾){0,6})"
_CLOSE: Final = re.compile(
    rf"{_LEAD_EN}(?:(?:great-|grand|step|half-)*(?:{en.CLOSE})(?:s|es)?(?:-in-law)?)\b"
    rf"(?!-|['’]s\s(?:friend|boss)|\s(?:{en.COMPOUNDS})\b)"
    rf"|{_LEAD_ZH}(?:{zh.CLOSE})(?!{zh.COMPOUNDS})",
    re.IGNORECASE,
)
_NAME: Final = re.compile(
    r"\b(?:name|called|goes by|call me|nickname|surname|pronouns|known as|address(?:ed)? as)\b|^i['’]?m [A-Z]\w+$"
    r"|名|姓|[叫喊]我|我叫|称呼?|昵称|^叫",
    re.IGNORECASE,
)


def is_health(text: str) -> bool:
    """Say whether a memory is about the person's (or a close one's) lasting health."""
    for clause in _CLAUSE.split(text):
        found = _HEALTH.search(clause)
        if not found or _OTHERS.search(clause[: found.start()]):
            continue
        if _ALLERGIC.search(clause) or not _ASIDE.search(clause):
            return True
    return False


def is_close(text: str) -> bool:
    """Say whether a memory names family, a partner or an animal of the person's own."""
    for clause in _CLAUSE.split(text):
        own = _OWNER.sub("", clause.strip())
        if (found := _CLOSE.search(own)) and not _OTHERS.search(own[: found.start()]):
            return True
    return False


def is_name(text: str) -> bool:
    """Say whether a memory of who the person is says what they are called."""
    return _NAME.search(text) is not None
