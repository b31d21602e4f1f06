"""Questions that wait for the person's answer: put, dropped when stale, asked one a day.

What an answer does is in `memory.learn.proposals`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from memory.learn.preferences import follows_quiet_message
from memory.models import MOST_PROPOSALS, Filter, Kind, Memory, Proposal, State
from memory.ports import Transaction

NIGHT: Final = "night"  # asks about what a night was held back from, not about a memory
_LATEST: Final = 20
LIFE, BETWEEN = timedelta(days=30), timedelta(days=1)


def ask_to_go_on(tx: Transaction, wanted: int, of: int, now: datetime) -> None:
    """Ask whether a night may change more memories at once than it does by itself; once."""
    drop_stale(tx, now)
    if all(p.data.get("op") != NIGHT for p in tx.proposals.open()):
        tx.proposals.add(Proposal("", {"op": NIGHT, "n": wanted, "of": of}, None, now))


def take_go_on(tx: Transaction, proposal_id: str) -> bool:
    """Take the question of a night as answered with yes; False if it is no such question."""
    p = find_open(tx, proposal_id)
    if p is None or p.data.get("op") != NIGHT:
        return False
    tx.proposals.remove(p.id)
    return True


def ask_change(tx: Transaction, new: Memory, old: Memory, now: datetime) -> bool:
    """Ask whether one memory took the place of another; False while three questions wait."""
    drop_stale(tx, now)
    if len(tx.proposals.open()) >= MOST_PROPOSALS:
        return False
    data = {"op": "change", "id": old.id, "by": new.id, "old": old.original_content}
    tx.proposals.add(Proposal(new.original_content, data, None, now))
    return True


def list_open(tx: Transaction) -> list[Proposal]:
    """List what waits for an answer and still stands as it would be asked, oldest first."""
    return [p for p in tx.proposals.open() if p.data.get("op") != "change" or find_sides(tx, p)]


def drop_stale(tx: Transaction, now: datetime) -> None:
    """Drop what has waited too long, and changes whose sides are no longer as they were."""
    tx.proposals.delete_expired(now - LIFE)
    for p in tx.proposals.open():
        if p.data.get("op") == "change" and find_sides(tx, p, now) is None:
            tx.proposals.remove(p.id)


def find_sides(
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
    drop_stale(tx, now)
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


def find_open(tx: Transaction, proposal_id: str) -> Proposal | None:
    """Return the question with that id, if it waits."""
    return next((p for p in tx.proposals.open() if p.id == proposal_id), None)
