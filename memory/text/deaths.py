"""Who died, where the form of a sentence shows it; what it means is not decided here."""

from __future__ import annotations

import re
from functools import cache

from memory.text.languages import values, words_of
from memory.text.spans import is_question
from memory.text.speech import FORMS, find_kin, is_denial

_NAME = re.compile(r"[A-Z][\w-]+(?: [A-Z][\w-]+)*$")
_NO_NAMES = frozenset(words_of("questions", "NO_NAMES"))


@cache
def _patterns(name: str) -> list[re.Pattern[str]]:
    return [re.compile(words) for words in values("deaths", name).values()]


def find_dead(text: str, *, told: bool = False) -> str:
    """Return who died, in the words of a text; "" where none did.

    told: that the text speaks of a death is known; then weaker words and bare names show it, too.
    """
    if is_question(text) or FORMS.UNREAL.search(text):
        return ""
    for pattern in (*_patterns("DIED"), *(_patterns("GONE") if told else ())):
        if (m := pattern.search(text)) is None or is_denial(text.replace(m[0], "")):
            continue
        who = next(filter(None, m.groups()))
        name = _NAME.search(who)
        named = who not in _NO_NAMES and (name or not who.isascii())
        if find_kin(who) or (told and named):
            return name[0] if name else who
    return ""
