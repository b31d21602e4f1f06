"""What a person does to one memory by hand: restore, edit, pin."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from memory import lifecycle, privacy
from memory.errors import Conflict, NotFound
from memory.learn.merge import refused_text
from memory.learn.remember import make_refusal
from memory.learn.same_meaning import build_target, normalise_text
from memory.learn.undo import undo
from memory.learn.visible_messages import messages_of
from memory.models import (
    Change,
    ChangeSet,
    Level,
    Memory,
    MemoryId,
    Sensitivity,
    Source,
    State,
    Tombstone,
    detect_language,
)
from memory.ports import Transaction

_GONE = frozenset({State.DELETED, State.FORGOTTEN})


def must(tx: Transaction, memory_id: MemoryId) -> Memory:
    """Return the memory. Raises NotFound."""
    m = tx.memories.get(memory_id)
    if m is None:
        raise NotFound(f"There is no memory {memory_id}.")
    return m


def restore(tx: Transaction, memory_id: MemoryId, u: float, now: datetime) -> Memory:
    """Bring back what was deleted, forgotten or has faded, and lift its tombstone.

    All that went with it comes back; of a set that deleted several things, only this one. What is
    there whole stays as it is. Raises NotFound, Conflict (another has taken its place).
    """
    m = must(tx, memory_id)
    if m.state in {State.SUPERSEDED, State.MERGED}:
        raise Conflict("Another memory has taken its place.", code="replaced")
    if m.state not in _GONE and (m.state is not State.ACTIVE or m.level is Level.FULL):
        return m
    changes, state = list[Change](), State.ACTIVE
    if m.state is State.DELETED:
        last = tx.changes.get_latest_change("memory", m.id)
        if last is not None and last.op == "deleted" and last.before is not None:
            of, before = tx.changes.get(last.set_id), State(str(last.before["state"]))
            state = State.ACTIVE if before in _GONE else before
            changes = tx.changes.list_changes(set_id=last.set_id)
            standing = of is not None and of.undone_by is None and of.reason == "forget"
            if of is not None and standing and _deletes_only(changes, m.id):
                with suppress(Conflict):  # something else in it was changed since: then this alone
                    undo(tx, now, u, of.id)
                    return _revive(tx, must(tx, memory_id), u, now)
    tx.changes.begin("user", "restore", now)
    tx.tombstones.remove(m.id)
    back = _revive(tx, replace(m, state=state, deleted_at=None), u, now)
    _show_messages(tx, back, changes)
    return back


def _deletes_only(changes: list[Change], memory_id: MemoryId) -> bool:
    """Tell whether a set deleted this memory, its versions and what rests on it, nothing else."""
    deleted = [c for c in changes if c.entity == "memory" and c.op == "deleted"]
    by_id = {c.entity_id: c.before for c in deleted if c.before}
    chain, todo = set[str](), [memory_id]
    while todo:
        i = todo.pop()
        if i in by_id and i not in chain:
            chain.add(i)
            todo += [*by_id[i]["supersedes"], *by_id[i]["merged_from"]]
    resting = {i for i, b in by_id.items() if b["layer"] == "episode" or b["source_ids"]}
    return bool(chain) and by_id.keys() <= chain | resting


def _show_messages(tx: Transaction, back: Memory, changes: list[Change]) -> None:
    """Show its messages again, but for those that say what stays forgotten."""
    ids = {c.entity_id for c in changes if c.entity == "memory"} - {back.id}
    still = [o for o in tx.memories.get_many(ids) if o.state is State.DELETED]
    kept = {i for o in still for i in tx.memories.list_sources(o.id)}
    other, thing = build_target(o for o in still if o.layer != "episode"), build_target([back])
    own = set(tx.memories.list_sources(back.id))
    said = [c.entity_id for c in changes if c.entity == "message" and c.entity_id not in kept]
    for m in messages_of(tx, said):
        says = m.id in own or thing.said_by(m.text)
        if m.hidden_at is not None and says and not other.said_by(m.text):
            tx.conversations.put_messages([replace(m, hidden_at=None)])


def _revive(tx: Transaction, m: Memory, u: float, now: datetime) -> Memory:
    """Bring it back whole and strong, or the next night would take it again."""
    after, log = lifecycle.revive_memory(m, u, now)
    back = tx.memories.put(after, "restored")
    tx.memories.log(log)
    return back


def edit(
    tx: Transaction,
    memory_id: MemoryId,
    text: str,
    u: float,
    now: datetime,
    *,
    within: ChangeSet | None = None,
) -> Memory:
    """Make the person's own words the original: FULL and verified.

    The old ones stay in `correction_history`. `within` is a change set that is open already. Raises
    NotFound, Refused.
    """
    m, text = must(tx, memory_id), " ".join(text.split())
    if code := edit_refused(m, text):
        raise make_refusal(code, text)
    if text == m.original_content and m.level is Level.FULL and m.verified:
        return m
    begun = within or tx.changes.begin("user", "edit", now)
    entry = {"at": round(now.timestamp() * 1000), "reason": "edited", "was": m.original_content}
    new = replace(
        lifecycle.apply_event(m, "use", u, now)[0],
        content=text,
        original_content=text,
        language=detect_language(text, m.language),
        level=Level.FULL,
        verified=True,
        confidence=1.0,
        modalities=tuple(x for x in m.modalities if x != "quote"),  # not said on that day
        state=State.ACTIVE if m.state is State.PROPOSED else m.state,
        sensitivity=max(Sensitivity.PUBLIC, privacy.classify_sensitivity(text)),
        correction_history=(*m.correction_history, entry),
        slot=None,
    )
    if normalise_text(m.original_content) != normalise_text(text):
        # The history still says the old words; they are not to come back from there.
        digest = tx.tombstones.compute_digest(m.original_content)
        tx.tombstones.add(Tombstone(tx.user_id, m.id, digest, now, begun.id))
    return put_edit(tx, m, new, "edited", u, now)


def edit_refused(m: Memory, text: str) -> str:
    """Say why this may not be the memory's text; empty if it may."""
    return refused_text(text, secret=m.sensitivity is Sensitivity.SECRET) or ""


def pin(tx: Transaction, memory_id: MemoryId, on: bool, u: float, now: datetime) -> Memory:
    """Pin a memory, so that it does not fade and is whole again at once, or take the pin."""
    m = must(tx, memory_id)
    if m.pinned is on:
        return m
    if m.state in _GONE:
        raise Conflict("What was forgotten has to be restored first.", code="forgotten")
    tx.changes.begin("user", "pin", now)
    # The counter stands still under a pin: a use, also of taking it, brings it up to date.
    new = replace(lifecycle.apply_event(m, "use", u, now)[0], pinned=on)
    if on:
        new = replace(new, level=Level.FULL, content=m.original_content)
    return put_edit(tx, m, new, "pinned" if on else "unpinned", u, now)


def put_edit(
    tx: Transaction, m: Memory, new: Memory, event: str, u: float, now: datetime
) -> Memory:
    """Store what the person made of a memory, with its weight, and log it."""
    if new.source_ids and event != "unpinned":  # a theme becomes the person's own
        new = replace(new, source_ids=(), source=Source.USER)
    new = replace(new, weight=lifecycle.compute_weight(new, u, now))
    new = tx.memories.put(new, "updated")
    tx.memories.log(lifecycle.build_log_entry(event, m, new, u, now, "user"))
    return new
