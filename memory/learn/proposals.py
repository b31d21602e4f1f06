"""Questions in place of what learning may not do by itself: which are kept, what answers do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from memory.errors import Conflict, NotFound, Refused
from memory.learn.merge import Claim, Merger, change_memory, find_refusal
from memory.learn.preferences import list_quiet_messages
from memory.learn.waiting_questions import NIGHT, drop_stale, find_open, find_sides
from memory.models import (
    MOST_PROPOSALS,
    Draft,
    Json,
    Memory,
    MemoryId,
    Proposal,
    Source,
    State,
    Tombstone,
    detect_language,
)
from memory.ports import Transaction


def add_proposal(
    tx: Transaction, text: str, data: Mapping[str, Json], message_id: str | None, now: datetime
) -> None:
    """Keep a question, unless three wait, or the person has said no to it or forgotten it."""
    drop_stale(tx, now)
    waiting = tx.proposals.open()
    refused = find_refusal(tx, Claim(Draft(text, source=Source.USER), now))
    barred = (
        refused
        or message_id in list_quiet_messages(tx)
        or tx.tombstones.has(tx.tombstones.compute_digest(text))
    )
    if not barred and len(waiting) < MOST_PROPOSALS and all(p.text != text for p in waiting):
        tx.proposals.add(Proposal(text, data, message_id, now))


def accept(tx: Transaction, proposed_id: MemoryId, curve: str, u: float, now: datetime) -> Memory:
    """Accept a proposal, or a memory that is proposed, as the person's own word.

    Returns the memory that says it, or the one that ended. Raises NotFound, Conflict, Refused.
    """
    merger = Merger(tx, curve=curve, u=u)
    p = find_open(tx, proposed_id)
    if p is not None and p.data.get("op") != NIGHT:  # which is the nights' to carry out
        tx.changes.begin("user", "accept", now)
        tx.proposals.remove(p.id)
        done = _apply(tx, p, merger, now)
        if done is None:
            raise Refused("refused")
        return done
    m = tx.memories.get(proposed_id)
    if m is None:
        raise NotFound(f"There is no memory {proposed_id}.")
    if m.state is not State.PROPOSED:
        raise Conflict("Only what was proposed can be accepted.", code="settled")
    tx.changes.begin("user", "accept", now)
    return merger.accept(m, now)


def _apply(tx: Transaction, p: Proposal, merger: Merger, now: datetime) -> Memory | None:
    if p.data["op"] == "change":
        return _apply_change(tx, p, merger, now)
    old = tx.memories.get(str(p.data.get("id", "")))
    if old is not None and old.state is not State.ACTIVE:
        return old
    if p.data["op"] == "ahead" and old is not None:
        return tx.memories.put(replace(old, unsettled_at=None), "updated")
    draft = Draft(
        p.text, source=Source.USER, verified=True, confidence=1.0, language=detect_language(p.text)
    )
    claim = Claim(draft, now, (p.message_id,) if p.message_id else ())
    if old is None:
        return merger.save(claim).memory
    claim = replace(claim, draft=replace(draft, kind=old.kind))
    if p.data["op"] == "delete":
        return merger.delete(old, now).memory
    return change_memory(merger, str(p.data["op"]), old, claim).memory


def _apply_change(tx: Transaction, p: Proposal, merger: Merger, now: datetime) -> Memory | None:
    sides = find_sides(tx, p, now)
    if sides is None:
        return None
    new, old = sides
    at = new.valid_from or new.created_at
    return merger.replace_by(replace(new, verified=True), old, at, now)


def decline(tx: Transaction, proposal_id: str, now: datetime) -> None:
    """Let go of a proposal: it is not made or learned again from the same words.

    Raises NotFound.
    """
    p = find_open(tx, proposal_id)
    if p is None:
        raise NotFound(f"There is no proposal {proposal_id}.")
    begun = tx.changes.begin("user", "decline", now)
    tx.proposals.remove(p.id)
    if p.data.get("op") in {NIGHT, "change"}:
        return  # neither is about words; of a change both sides stay, and are judged
    if p.data.get("op") == "ahead":  # it comes to nothing
        off = [m for m in tx.memories.get_many([str(p.data["id"])]) if m.negated_at is None]
        tx.memories.put_many([replace(m, negated_at=now) for m in off], "negated")
        return
    digest = tx.tombstones.compute_digest(p.text)
    tx.tombstones.add(Tombstone(tx.user_id, p.id, digest, now, begun.id))
