"""How far learning reaches without a yes: what may end only by the person's words, what is asked instead."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory.learn.evidence import ShownMessage, find_names, find_question_before
from memory.learn.merge import Claim, Merger, find_refusal
from memory.learn.same_meaning import list_content_words, list_units, mentions_name
from memory.models import (
    Draft,
    Json,
    Layer,
    Memory,
    Proposal,
    Source,
    State,
    Tombstone,
    detect_language,
)
from memory.ports import Transaction
from memory.text import translations
from memory.text.languages import bounded, values
from memory.text.questions import COMMON
from memory.text.spans import join_own_text
from memory.text.speech import FORMS, find_kin, fold, is_denial, read_answer

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
MOST_OPEN: Final = 3
HALF: Final = 0.5  # share of a claim's words that must be the person's own
LIFE, BETWEEN = timedelta(days=30), timedelta(days=1)


def join_exchange_words(spoken: Sequence[ShownMessage]) -> str:
    """Return the person's own words of an exchange, each short answer with the sentence that it answers."""
    said: list[str] = []
    for i, m in enumerate(spoken):
        if m.role == "user" and m.n:
            own, question = join_own_text(m.text), find_question_before(spoken, i)
            said += [
                own,
                question if read_answer(own.strip(), question) not in {"", "evades"} else "",
            ]
    return "\n".join(said)


def touches_memory(said: str, m: Memory) -> bool:
    """Whether the words speak of what the memory is about: a word of it, a name, a relative, or the same slot."""
    text = m.original_content
    return bool(
        (list_content_words(said) & list_content_words(text)) - COMMON
        or find_kin(said) & find_kin(text)
        or translations.things_of(said) & translations.things_of(text)
        or any(s.search(said) and s.search(text) for s in _SLOTS)
        or _says_name(said, m)
    )


def may_end(said: str, m: Memory) -> bool:
    """Tell whether these words may end it: verified, pinned and core memories only if they name it.

    A name or half of its words do so only beside a word of change: "peanut butter" ends no allergy
    to peanuts.
    """
    if m.verified or m.pinned or m.layer is Layer.CORE:
        wanted = list_content_words(m.original_content)
        shared, half = len(list_content_words(said) & wanted), NAMED * len(wanted)
        named = shared >= half > 0 or _says_name(said, m)
        changed = is_denial(said) or FORMS.ENDED.search(said) or FORMS.CHANGED.search(said)
        return shared > half or (named and bool(changed))
    return touches_memory(said, m)


def _says_name(said: str, m: Memory) -> bool:
    names = {fold(n) for n in (*m.entities, *find_names(f"- {m.original_content}")) if len(n) > 1}
    return any(mentions_name(n, said) for n in names)


# --- proposals ---


def is_half_said(text: str, said: str) -> bool:
    """Tell whether half of a claim's content words are the person's own."""
    wanted = list_units(text)
    return bool(wanted) and len(wanted & list_units(said)) >= HALF * len(wanted)


def add_proposal(
    tx: Transaction, text: str, data: Mapping[str, Json], message_id: str | None, now: datetime
) -> bool:
    """Keep a question for later; False if three wait, or the person has said no to it or forgotten it."""
    tx.proposals.delete_expired(now - LIFE)
    waiting = tx.proposals.open()
    claim = Claim(Draft(text, source=Source.USER), now)
    refused = find_refusal(tx, claim) or tx.tombstones.has(tx.tombstones.compute_digest(text))
    if refused or len(waiting) >= MOST_OPEN or any(p.text == text for p in waiting):
        return False
    tx.proposals.add(Proposal(text, data, message_id, now))
    return True


def ask_today(tx: Transaction, now: datetime) -> Proposal | None:
    """Return the proposal to ask about now, noted as asked; None if one was asked within a day."""
    tx.proposals.delete_expired(now - LIFE)
    waiting = tx.proposals.open()
    if any(p.asked_at is not None and now - p.asked_at < BETWEEN for p in waiting):
        return None
    fresh = next((p for p in waiting if p.asked_at is None), None)
    if fresh is not None:
        tx.proposals.ask(fresh.id, now)
    return fresh


def accept_proposal(
    tx: Transaction, p: Proposal, *, curve: str, u: float, now: datetime
) -> Memory | None:
    """Accept a proposal as the person's own word.

    Returns the memory that says it, or the one that ended.
    """
    tx.changes.begin("user", "accept", now)
    tx.proposals.remove(p.id)
    merger = Merger(tx, curve=curve, u=u)
    draft = Draft(
        p.text, source=Source.USER, verified=True, confidence=1.0, language=detect_language(p.text)
    )
    old, sources = (
        tx.memories.get(str(p.data.get("id", ""))),
        (p.message_id,) if p.message_id else (),
    )
    if old is None:
        return merger.save(Claim(draft, now, sources)).memory
    if old.state is not State.ACTIVE:
        return old
    if p.data["op"] == "delete":
        return merger.delete(old, now).memory
    claim = Claim(replace(draft, kind=old.kind), now, sources)
    return (
        merger.negate(old, claim, now) if p.data["op"] == "negate" else merger.supersede(old, claim)
    ).memory


def decline_proposal(tx: Transaction, p: Proposal, now: datetime) -> None:
    """The person says no: it is not proposed or learned again from the same words."""
    begun = tx.changes.begin("user", "decline", now)
    tx.proposals.remove(p.id)
    tx.tombstones.add(
        Tombstone(tx.user_id, p.id, tx.tombstones.compute_digest(p.text), now, begun.id)
    )
