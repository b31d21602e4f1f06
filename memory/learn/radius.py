"""How far one exchange reaches: what may end only where the person's own words speak of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.learn.alike import words
from memory.learn.contains import mentions
from memory.learn.evidence import Spoken, question_before
from memory.learn.support import names_in
from memory.models import Layer, Memory
from memory.text import translations
from memory.text.languages import bounded, values
from memory.text.questions import COMMON
from memory.text.spans import own_text
from memory.text.speech import FORMS, denies, fold, kin_of, read_answer

MOST_ENDED: Final = 3  # memories that one exchange may end
NAMED: Final = 0.5  # share of a memory's words from which the person names it

_SLOTS: Final = [
    re.compile("|".join(slot), re.I)
    for slot in zip(
        *(
            [bounded(lang, s.replace(" ", "|")) for s in slots.split("|")]
            for lang, slots in values("evidence", "SLOTS").items()
        ),
        strict=True,
    )
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
    return bool(
        (words(said) & words(text)) - COMMON
        or kin_of(said) & kin_of(text)
        or translations.things_of(said) & translations.things_of(text)
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
