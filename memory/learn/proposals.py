"""Questions in place of what learning may not do by itself: kept, asked one a day, answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory.errors import Conflict, NotFound, Refused
from memory.learn.merge import Claim, Merger, change_memory, find_refusal
from memory.learn.preferences import follows_quiet_message, list_quiet_messages
from memory.models import (
    MOST_PROPOSALS,
    Draft,
    Filter,
    Json,
    Kind,
    Memory,
    MemoryId,
    Proposal,
    Source,
    State,
    Tombstone,
    detect_language,
)
from memory.ports import Transaction

NIGHT: Final = "night"  # asks about what a night was held back from, not about a memory
_LATEST: Final = 20
LIFE, BETWEEN = timedelta(days=30), timedelta(days=1)


def add_proposal(
    tx: Transaction, text: str, data: Mapping[str, Json], message_id: str | None, now: datetime
) -> None:
    """Keep a question, unless three wait, or the person has said no to it or forgotten it."""
    _drop_stale(tx, now)
    waiting = tx.proposals.open()
    refused = find_refusal(tx, Claim(Draft(text, source=Source.USER), now))
    barred = (
        refused
        or message_id in list_quiet_messages(tx)
        or tx.tombstones.has(tx.tombstones.compute_digest(text))
    )
    if not barred and len(waiting) < MOST_PROPOSALS and all(p.text != text for p in waiting):
        tx.proposals.add(Proposal(text, data, message_id, now))


def ask_to_go_on(tx: Transaction, wanted: int, of: int, now: datetime) -> None:
    """Ask whether a night may change more memories at once than it does by itself; once."""
    _drop_stale(tx, now)
    if all(p.data.get("op") != NIGHT for p in tx.proposals.open()):
        tx.proposals.add(Proposal("", {"op": NIGHT, "n": wanted, "of": of}, None, now))


def take_go_on(tx: Transaction, proposal_id: str) -> bool:
    """Take the question of a night as answered with yes; False if it is no such question."""
    p = _find_open(tx, proposal_id)
    if p is None or p.data.get("op") != NIGHT:
        return False
    tx.proposals.remove(p.id)
    return True


def ask_change(tx: Transaction, new: Memory, old: Memory, now: datetime) -> bool:
    """Ask whether one memory took the place of another; False while three questions wait."""
    _drop_stale(tx, now)
    if len(tx.proposals.open()) >= MOST_PROPOSALS:
        return False
    data = {"op": "change", "id": old.id, "by": new.id, "old": old.original_content}
    tx.proposals.add(Proposal(new.original_content, data, None, now))
    return True


def list_open(tx: Transaction) -> list[Proposal]:
    """List what waits for an answer and still stands as it would be asked, oldest first."""
    return [p for p in tx.proposals.open() if p.data.get("op") != "change" or _find_sides(tx, p)]


def _drop_stale(tx: Transaction, now: datetime) -> None:
    tx.proposals.delete_expired(now - LIFE)
    for p in tx.proposals.open():
        if p.data.get("op") == "change" and _find_sides(tx, p, now) is None:
            tx.proposals.remove(p.id)


def _find_sides(
    tx: Transaction, p: Proposal, now: datetime | None = None
) -> tuple[Memory, Memory] | None:
    """Return the newer and the older memory; None unless both hold as the question quotes them."""
    sides = tx.memories.get_many(str(p.data[key]) for key in ("by", "id"))
    hold = all(
        m.state is State.ACTIVE
        and m.negated_at is None
        and m.quiet_at is None
        and not (now and m.has_ended(now))
        for m in sides
    )
    quoted = [m.original_content for m in sides] == [p.text, p.data["old"]]
    return (sides[0], sides[1]) if hold and quoted else None


def ask_today(tx: Transaction, now: datetime) -> Proposal | None:
    """Return the proposal to ask about now, noted as asked; None if one was asked within a day."""
    _drop_stale(tx, now)
    waiting = tx.proposals.open()
    if any(p.asked_at is not None and now - p.asked_at < BETWEEN for p in waiting):
        return None
    fresh = next((p for p in waiting if p.asked_at is None and p.at <= now), None)
    if fresh is not None and _is_hard_day(tx, now):
        return None
    if fresh is not None:
        tx.proposals.ask(fresh.id, now)
    return fresh


def _is_hard_day(tx: Transaction, now: datetime) -> bool:
    """Tell whether a death, an illness or a message kept quiet is less than a day old."""
    latest = tx.memories.find(Filter(), order="created", limit=_LATEST).items
    grave = [m.created_at for m in latest if m.dead or m.kind is Kind.HEALTH]
    return follows_quiet_message(tx, now, BETWEEN) or any(now - at < BETWEEN for at in grave)


def accept(tx: Transaction, proposed_id: MemoryId, curve: str, u: float, now: datetime) -> Memory:
    """Accept a proposal, or a memory that is proposed, as the person's own word.

    Returns the memory that says it, or the one that ended. Raises NotFound, Conflict, Refused.
    """
    merger = Merger(tx, curve=curve, u=u)
    p = _find_open(tx, proposed_id)
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


def _find_open(tx: Transaction, proposal_id: str) -> Proposal | None:
    return next((p for p in tx.proposals.open() if p.id == proposal_id), None)


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
    sides = _find_sides(tx, p, now)
    if sides is None:
        return None
    new, old = sides
    at = new.valid_from or new.created_at
    return merger.replace_by(replace(new, verified=True), old, at, now)


def decline(tx: Transaction, proposal_id: str, now: datetime) -> None:
    """Let go of a proposal: it is not made or learned again from the same words.

    Raises NotFound.
    """
    p = _find_open(tx, proposal_id)
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
