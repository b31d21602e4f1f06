"""Who died, where the form of a sentence shows it; what it means is not decided here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory.text.languages import either, values, words_of
from memory.text.spans import is_question
from memory.text.speech import FORMS, find_kin, is_denial, split_clauses

_NAME = re.compile(r"[A-Z][\w-]+(?: [A-Z][\w-]+)*$")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_NAMED = re.compile(r"(?<=[a-z] )[A-Z][a-z]+")
_OWNER = re.compile(r"['’]s?\s|的")
_NO_NAMES = frozenset(words_of("questions", "NO_NAMES"))


@cache
def _patterns(name: str) -> list[re.Pattern[str]]:
    return [re.compile(words) for words in values("deaths", name).values()]


def find_dead(text: str, *, told: bool = False) -> str:
    """Return who died, in the words of a text; "" where none did.

    told: that the text speaks of a death is known; then weaker words and bare names show it, too.
    """
    return next(map(_name, _list_dead(text, told)), "")


def is_told_dead(who: str, said: str) -> bool:
    """Tell whether a sentence that somebody said tells the death of this very person."""
    kin = set() if _OWNER.search(who) else get_relation(who)
    return any(
        _name(w).casefold() == who.casefold() or (kin & get_relation(w) and not _OWNER.search(w))
        for w in _list_dead(said, told=True)
    )


def bears_death(who: str, note: str, said: str) -> bool:
    """Tell whether a note says that somebody died, and a sentence tells the death of them.

    Of a name, by a clause that has it, or that names nobody; of kin, as `is_told_dead` does.
    """
    named = who.casefold() in note.casefold() or get_relation(who) & find_kin(note)
    if not named or not any(_tell_deaths(note, "SURE")):
        return False
    if get_relation(who) or not (_NAME.search(who) or not who.isascii()):
        return is_told_dead(who, said)
    own = rf"{re.escape(who)}(?!{_OWNER.pattern})"
    theirs = re.compile(own if not who.isascii() else rf"\b{own}\b", re.IGNORECASE)
    return theirs.search(said) is not None and any(
        theirs.search(c) or not (find_kin(c) or _NAMED.search(c))
        for c in _tell_deaths(said, "SURE", "MAYBE")
    )


def _tell_deaths(text: str, *lists: str) -> Iterator[str]:
    """Yield the clauses with a word for death that is neither denied, asked nor only feared."""
    for clause in (text[a:b] for a, b in split_clauses(text)):
        m = next(filter(None, (either("deaths", name).search(clause) for name in lists)), None)
        if m and not (is_denial(clause.replace(m[0], "")) or _is_doubtful(clause, m.end())):
            yield clause


def _is_doubtful(text: str, end: int) -> bool:
    """Tell whether a text asks or imagines, or what stands before `end` only fears or thinks."""
    before = text[:end]
    doubted = FORMS.HEDGED.search(before) or either("deaths", "NOT_SO").search(before)
    return bool(doubted or is_question(text) or FORMS.UNREAL.search(text))


def _list_dead(text: str, told: bool) -> list[str]:
    return [who for s in _SENTENCE.findall(text) if (who := _read_dead(s, told))]


def _name(who: str) -> str:
    name = _NAME.search(who)
    return name[0] if name else who


def _read_dead(text: str, told: bool) -> str:
    """Return who died by the first sentence of a text, as in "dog Rex"."""
    for pattern in (*_patterns("DIED"), *(_patterns("GONE") if told else ())):
        if (m := pattern.search(text)) is None or is_denial(text.replace(m[0], "")):
            continue
        if _is_doubtful(text, m.end()):
            continue
        who = next(filter(None, m.groups()))
        named = who not in _NO_NAMES and (_NAME.search(who) or not who.isascii())
        if get_relation(who) or (told and named and not _OWNER.search(who)):
            return str(who)
    return ""


def get_relation(who: str) -> set[frozenset[str]]:
    """Return the kin that a phrase names at its head: dog of "dog Rex", none of "brother's car"."""
    head = _OWNER.split(who)[-1].strip()
    title = _NAME.sub("", head).rstrip(" ,") or head
    kin = find_kin(title)
    if head.isascii():
        return {k for k in kin if title.rpartition(" ")[2].casefold() in k}
    return kin


def find_own_kin(text: str) -> set[frozenset[str]]:
    """Find the kin that a text names as one's own: not Tom's dad, 小王的爸爸 or a hot dog."""
    plain = either("deaths", "ANOTHERS").sub(" ", text)
    return {k for words in either("deaths", "OWN").finditer(plain) for k in find_kin(words[0])}
