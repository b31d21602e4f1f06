"""What is asked instead of done: claims without evidence, and endings that the person did not name (DESIGN §6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory.learn.contains import units
from memory.learn.gate import refusal
from memory.learn.merge import Claim, Merger
from memory.models import Draft, Json, Memory, Proposal, Source, State, Tombstone, language_of
from memory.ports import Tx

MOST_OPEN: Final = 3
HALF: Final = 0.5  # share of a claim's words that must be the person's own
LIFE, BETWEEN = timedelta(days=30), timedelta(days=1)


def is_half_said(text: str, said: str) -> bool:
    """Whether half of a claim's content words are the person's own."""
    wanted = units(text)
    return bool(wanted) and len(wanted & units(said)) >= HALF * len(wanted)


def propose(tx: Tx, text: str, data: Mapping[str, Json], message_id: str | None, now: datetime) -> bool:
    """Keep a question for later; False if three wait, or the person has said no to it or forgotten it."""
    tx.proposals.expire(now - LIFE)
    waiting = tx.proposals.open()
    claim = Claim(Draft(text, source=Source.USER), now)
    refused = refusal(tx, claim) or tx.tombstones.has(tx.tombstones.digest(text))
    if refused or len(waiting) >= MOST_OPEN or any(p.text == text for p in waiting):
        return False
    tx.proposals.add(Proposal(text, data, message_id, now))
    return True


def ask_today(tx: Tx, now: datetime) -> Proposal | None:
    """The proposal to ask about now, noted as asked; None if one was asked within a day."""
    tx.proposals.expire(now - LIFE)
    waiting = tx.proposals.open()
    if any(p.asked_at is not None and now - p.asked_at < BETWEEN for p in waiting):
        return None
    fresh = next((p for p in waiting if p.asked_at is None), None)
    if fresh is not None:
        tx.proposals.ask(fresh.id, now)
    return fresh


def accept_proposal(tx: Tx, p: Proposal, *, curve: str, u: float, now: datetime) -> Memory | None:
    """The person says yes: it is their own word. Returns the memory that says it, or the one that ended."""
    tx.changes.begin("user", "accept", now)
    tx.proposals.remove(p.id)
    merger = Merger(tx, curve=curve, u=u)
    draft = Draft(p.text, source=Source.USER, verified=True, confidence=1.0, language=language_of(p.text))
    old = tx.memories.get(str(p.data.get("id", "")))
    if old is None:
        return merger.save(Claim(draft, now, _source(p))).memory
    if old.state is not State.ACTIVE:
        return old
    if p.data["op"] == "delete":
        return merger.delete(old, now).memory
    claim = Claim(replace(draft, kind=old.kind), now, _source(p))
    return (merger.negate(old, claim, now) if p.data["op"] == "negate" else merger.supersede(old, claim)).memory


def _source(p: Proposal) -> tuple[str, ...]:
    return (p.message_id,) if p.message_id else ()


def decline_proposal(tx: Tx, p: Proposal, now: datetime) -> None:
    """The person says no: it is not proposed or learned again from the same words."""
    begun = tx.changes.begin("user", "decline", now)
    tx.proposals.remove(p.id)
    tx.tombstones.add(Tombstone(tx.user_id, p.id, tx.tombstones.digest(p.text), now, begun.id))
