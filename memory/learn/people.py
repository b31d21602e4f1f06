"""Whom the person speaks of: who bears a name, and by which name they go now.

A new name stands, like a death, as a mark on the memory that tells it (`renamed`: "old|new"), so
that it goes, comes back, travels and is erased with it. Texts stay as they were said: whatever
names the old one has both names among its entities, is found by either, and is shown with the new.
A name that two people bear (a brother and a colleague) is never taken for one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Final

from memory.learn.forget import forget
from memory.learn.same_meaning import find_names, list_units, mentions_name
from memory.lifecycle import find_kin_beside
from memory.models import Filter, Memory, MemoryId, Sensitivity, State, is_quote
from memory.ports import Transaction
from memory.recall.question import find_people_names
from memory.text.languages import either, value, values
from memory.text.speech import find_kin, fold, strip_kin
from memory.text.words import is_unspaced

_LOOKED_AT: Final = 500
_SHORTEST: Final = 2
_CLAUSE: Final = re.compile(r"(?<=[,;，；])")
_SURNAME: Final = 3  # characters from which a Chinese name has a given name of its own
_EVERY: Final = Filter(states=frozenset({State.ACTIVE, State.SUPERSEDED, State.PROPOSED}))


def count_people(tx: Transaction) -> Callable[[str], int]:
    """Return a function that counts who bears a name, or did: two relations are two people."""

    def count(name: str) -> int:
        found = _find_naming(tx, name)
        pairs = (m.renamed.split("|") for m in found if m.renamed)
        names = {name, *(n for pair in pairs if name in pair for n in pair)}
        kin = {k for m in found for n in names for k in find_kin_beside(n, m.original_content)}
        return len(kin) or min(len(found), 1)

    return cache(count)


def may_be_two(a: Memory, b: Memory, count: Callable[[str], int]) -> bool:
    """Tell whether a name that two memories share may be that of two people."""
    texts = a.original_content, b.original_content
    for name in (find_people_names(texts[0]) | {*a.entities}) if texts[0] != texts[1] else ():
        if all(mentions_name(fold(name), fold(t)) for t in texts):
            x, y = (find_kin_beside(name, t) for t in texts)
            if x.isdisjoint(y) if x and y else count(name) > 1:
                return True
    return False


# --- a new name ---


def find_rename(text: str, own: str) -> tuple[str, str] | None:
    """Find the old and the new name that a sentence tells; `own`: the person's own until now."""
    for form in values("renames", "THEIRS").values():
        if (m := re.search(form, text)) is not None:
            old = strip_kin(m["old"])
            bare = len(old) < _SHORTEST or find_kin(old) or old == m["new"]
            named = is_unspaced(old) or find_names(f"- {old}")
            return (old, m["new"]) if named and not bare else None
    for form in values("renames", "OWN").values():
        if own and (m := re.search(form, text)) is not None and m["new"] != own:
            return own, m["new"]
    return None


def read_own_name(text: str) -> str:
    """Return the name that a note or sentence says to be the person's own; "" for none."""
    forms = values("renames", "NAME").values()
    return next((m["new"] for form in forms if (m := re.search(form, text))), "")


def learn_name(tx: Transaction, m: Memory, old: Memory | None, said: Iterable[str]) -> Memory:
    """Mark a new memory that tells a new name; give others that name, and it, both.

    Args:
        tx: the write that added it.
        m: the new memory.
        old: what it replaces.
        said: the sentences it rests on.
    """
    texts = (m.original_content, *said)
    own = read_own_name(old.original_content) if old is not None else ""
    now = read_own_name(m.original_content)
    pair = (own, now) if own and now and own != now else None
    told = values("renames", "OWN").values()
    if not own and any(re.search(form, t) for form in told for t in texts):
        own = _find_own_name(tx, m.created_at, m.id)
    pair = pair or next((p for t in texts if (p := find_rename(t, own))), None)
    one = pair and _is_known(tx, pair[0], own, texts) and count_people(tx)(pair[0]) <= 1
    if pair is not None and one:
        m = tx.memories.put(replace(m, renamed="|".join(pair)), "updated")
        _link(tx, [*_find_naming(tx, pair[0]), m], [pair])
    elif pairs := [p for p in _list_pairs(tx) if not _is_another(tx, m, p)]:
        _link(tx, [m], pairs)
    return tx.memories.get(m.id) or m


def _is_another(tx: Transaction, m: Memory, pair: tuple[str, str]) -> bool:
    """Tell whether a memory speaks of a name as somebody who is called otherwise than known."""
    text = m.original_content
    forms = values("renames", "WHOSE").values()
    said = next((found for form in forms if (found := re.search(form, text))), None)
    if said is None or not any(mentions_name(fold(n), fold(text[said.start() :])) for n in pair):
        return False
    known = [o.original_content for n in pair for o in _find_naming(tx, n) if o.id != m.id]
    units = list_units(said["who"])
    return bool(units) and not any(units & list_units(o) for o in known)


def _is_known(tx: Transaction, name: str, own: str, texts: Iterable[str]) -> bool:
    """Tell whether a name is somebody's: one's own, by its form, or an entity's."""
    formed = name == own or not is_unspaced(name)
    formed = formed or any(name in find_people_names(t) for t in texts)
    return formed or any(name in m.entities for m in _find_naming(tx, name))


def _link(tx: Transaction, memories: Sequence[Memory], pairs: Sequence[tuple[str, str]]) -> None:
    """Give memories that have one name of a pair both, where it is one person's."""
    for m in {m.id: m for m in memories}.values():
        names = [n for pair in pairs for n in pair if any(_names(m, x) for x in pair)]
        if missing := [n for n in dict.fromkeys(names) if n not in m.entities]:
            tx.memories.put(replace(m, entities=(*m.entities, *missing)), "updated")


def _find_own_name(tx: Transaction, at: datetime, spare: MemoryId = "") -> str:
    held = (m for m in tx.memories.list_standing(at) if m.id != spare)
    return next((name for m in held if (name := read_own_name(m.original_content))), "")


def _find_naming(tx: Transaction, name: str) -> list[Memory]:
    found = tx.memories.find(_EVERY, text=name, limit=_LOOKED_AT).items
    return [m for m in found if _names(m, name) and m.sensitivity < Sensitivity.SECRET]


def _names(m: Memory, name: str) -> bool:
    return name in m.entities or any(
        mentions_name(fold(x), fold(m.original_content)) for x in _list_forms(name)
    )


def _list_forms(name: str) -> list[str]:
    """Return a name and, of a full Chinese name, the given one."""
    return [name, name[1:]] if is_unspaced(name) and len(name) >= _SURNAME else [name]


def _list_pairs(tx: Transaction) -> list[tuple[str, str]]:
    marked = (m.renamed.split("|") for m in tx.memories.list_renamed() if m.renamed)
    return [(old, new) for old, new in marked]


# --- what is shown ---


def show_names(tx: Transaction, memories: Sequence[Memory], text: str = "") -> list[Memory]:
    """Return memories as they are shown: with the names that hold now.

    As they were said where the message, `text`, has the old name itself or asks for it.
    """
    pairs = [] if either("renames", "ASKED").search(text) else _list_pairs(tx)
    return [
        _show(m, [p for p in pairs if not mentions_name(fold(p[0]), fold(text))]) for m in memories
    ]


def find_renamed(tx: Transaction, text: str) -> frozenset[MemoryId]:
    """Find the memories that tell a new name, where a message asks for the old one."""
    asks = either("renames", "ASKED").search(text) is not None
    return frozenset(m.id for m in tx.memories.list_renamed()) if asks else frozenset()


def swap_names(tx: Transaction, text: str) -> str:
    """Return a message with the other names of those it names: what was said before has these."""
    for old, new in _list_pairs(tx):
        if mentions_name(fold(new), fold(text)):
            text = _replace(text, new, old)
        elif mentions_name(fold(old), fold(text)):
            text = _replace(text, old, new)
    return text


def _show(m: Memory, pairs: Sequence[tuple[str, str]]) -> Memory:
    for old, new in pairs:
        if new not in m.entities:
            continue
        tells = m.renamed == f"{old}|{new}" and old in m.original_content
        now = _tell_now(m, old, new) if tells else ""
        said = f"[{new}]" if is_quote(m) else new
        m = replace(
            m,
            entities=tuple(e for e in m.entities if e not in _list_forms(old)),
            modalities=("text",) if now else m.modalities,  # these are not the person's words
            content=now or _replace(m.content, old, said),
            original_content=now or _replace(m.original_content, old, said),
        )
    return m


def _tell_now(m: Memory, old: str, new: str) -> str:
    """Say whose name it is now in the memory's own words, without the old one.

    That is without the clauses that have it, or, of a relative, without it: my brother goes by Bea.
    """
    clauses = _CLAUSE.split(m.original_content)
    kept = [c for c in clauses if not any(form in c for form in _list_forms(old))]
    text = "".join(kept).strip(" ,;，；、")
    if new not in text and find_kin_beside(old, m.original_content):
        text = " ".join(_replace(m.original_content, old, "").split())
    theirs = any(
        re.search(form, m.original_content) for form in values("renames", "THEIRS").values()
    )
    shown = str(value(m.language, "renames", "SHOWN_THEIRS" if theirs else "SHOWN"))
    return text if new in text else shown.format(new=new)


def _replace(text: str, old: str, new: str) -> str:
    forms = "|".join(map(re.escape, _list_forms(old)))
    return re.sub(forms if is_unspaced(old) else rf"\b(?:{forms})\b", lambda _: new, text)


def forget_old_name(tx: Transaction, text: str, now: datetime) -> int | None:
    """Forget an old name: what has it stays, in words with the new one; None: it is no such wish.

    Returns how many memories were written anew. The old ones and their words go as what is
    forgotten does.
    """
    wish = either("renames", "FORGET").fullmatch(text.strip(" .!。！"))
    if wish is None:
        return None
    who = next(filter(None, wish.groups()), "") or _find_own_name(tx, now)
    pair = next((p for p in reversed(_list_pairs(tx)) if who and _is_one(who, p)), None)
    if pair is None:
        return 0
    tx.changes.begin("user", "forget", now)
    found = _find_naming(tx, pair[0])
    told = [m for m in found if m.state is State.ACTIVE and m.negated_at is None]
    holds = [  # what tells the change itself stays only where it does not say the old name
        replace(m, renamed=None)
        for m in told
        if not m.renamed or not mentions_name(fold(pair[0]), fold(m.original_content))
    ]
    both = (replace(m, entities=tuple(dict.fromkeys((*m.entities, pair[1])))) for m in holds)
    anew = [_show(m, [pair]) for m in both]
    fresh = {"id": "", "supersedes": (), "correction_history": (), "source_message": None, "rev": 1}
    kept = [tx.memories.add(replace(m, **fresh)) for m in anew]  # type: ignore[arg-type]
    forget(tx, [m.id for m in found], now, spare=frozenset(m.id for m in kept))
    return len(kept) or len(found)


def _is_one(who: str, pair: tuple[str, str]) -> bool:
    return any(mentions_name(fold(x), fold(who)) or mentions_name(fold(who), fold(x)) for x in pair)
