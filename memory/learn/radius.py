"""How far one exchange reaches: what may end only where the person's own words speak of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory import bilingual
from memory.learn.alike import words
from memory.learn.contains import mentions
from memory.learn.evidence import Spoken, question_before
from memory.learn.support import names_in
from memory.models import Layer, Memory
from memory.recall.vocabulary import COMMON_EN, COMMON_ZH
from memory.text.en import evidence as en
from memory.text.spans import own_text
from memory.text.speech import FORMS, denies, fold, kin_of, read_answer
from memory.text.zh import evidence as zh

MOST_ENDED: Final = 3  # memories that one exchange may end
NAMED: Final = 0.5  # share of a memory's words from which the person names it

_SLOTS: Final = [
    re.compile(rf"\b(?:{'|'.join(a.split())})\b|{'|'.join(b.split())}", re.I)
    for a, b in zip(en.SLOTS.split("|"), zh.SLOTS.split("|"), strict=True)
]


def words_about(spoken: Sequence[Spoken]) -> str:
    """The person's own words of an exchange, each short answer with the sentence that it answers."""
    said: list[str] = []
    for i, m in enumerate(spoken):
        if m.role == "user" and m.n:
            own, question = own_text(m.text), question_before(spoken, i)
            said += [own, question if read_answer(own.strip(), question) not in {"", "evades"} else ""]
    return "\n".join(said)


def touches_memory(said: str, m: Memory) -> bool:
    """Whether the words speak of what the memory is about: a word of it, a name, a relative, or the same slot."""
    text = m.original_content
    common = COMMON_EN | COMMON_ZH
    return bool(
        (words(said) & words(text)) - common
        or kin_of(said) & kin_of(text)
        or bilingual.things(said) & bilingual.things(text)
        or any(s.search(said) and s.search(text) for s in _SLOTS)
        or _says_name(said, m)
    )


def may_end(said: str, m: Memory) -> bool:
    """Whether these words may end it: verified, pinned and core memories only if they name it.

    A name or half of its words do so only beside a word of change: "peanut butter" ends no allergy to peanuts.
    """
    if m.verified or m.pinned or m.layer is Layer.CORE:
        wanted = words(m.original_content)
        shared, half = len(words(said) & wanted), NAMED * len(wanted)
        named = shared >= half > 0 or _says_name(said, m)
        changed = denies(said) or FORMS.ENDED.search(said) or FORMS.CHANGED.search(said)
        return shared > half or (named and bool(changed))
    return touches_memory(said, m)


def _says_name(said: str, m: Memory) -> bool:
    names = {fold(n) for n in (*m.entities, *names_in(f"- {m.original_content}")) if len(n) > 1}
    return any(mentions(n, said) for n in names)
