"""Undo: a compensating change set. Nothing of the log is rewritten.

A memory goes back field by field: what the set changed is put back where it still stands as the set
left it, and what has moved since by mere use (mentions, weight) stays. A later change of more than
that stands in the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory import lifecycle
from memory.errors import Conflict, NotFound
from memory.learn.forget import MANY, add_tombstones, enqueue_summary
from memory.learn.visible_messages import messages_of
from memory.models import (
    Change,
    ChangeSet,
    Json,
    Layer,
    Level,
    Memory,
    MemoryId,
    Message,
    Op,
    Sensitivity,
    State,
    detect_language,
)
from memory.ports import Transaction
from memory.store.rows import memory_from_json, memory_to_json

_MINOR: Final = frozenset({"reinforced", "levelled"})
_PAGE: Final = 500
_ALWAYS_KEPT: Final = frozenset({"id", "user_id", "rev", "created_at", "weight"})
_BY_LEVEL: Final = frozenset({"content", "level"})
_BY_USE: Final = frozenset(
    {
        "activation_count",
        "curve",
        "curve_data",
        "importance",
        "importance_at",
        "last_activated_at",
        "recent_mentions",
    }
) | {"strength", "strength_at"}
_GONE: Final = frozenset({State.DELETED, State.FORGOTTEN})


@dataclass(frozen=True, slots=True)
class UndoResult:
    """`set_id` was undone by the set `by`; `reason` is what the undone set was; `memories` as they are now."""

    set_id: str
    by: str
    reason: str
    memories: list[Memory]


def undo(tx: Transaction, now: datetime, u: float, set_id: str | None = None) -> UndoResult:
    """Undo the set, or the newest one that can be. An undo that is undone is a redo, and can be
    undone again.

    Where that moves a weight, the weight log says so. `u` is the user's forgetting factor.

    Raises NotFound (nothing to undo), Conflict (a later change of the same memory, named; undone
    already; purged).
    """
    wanted = _wanted(tx, set_id)
    changes = [c for c in tx.changes.list_set_changes(wanted.id) if c.op != "purged"]
    spans = _spans(changes)
    _check(tx, wanted, spans)
    redone = tx.changes.get(wanted.undoes) if wanted.undoes else None
    begun = tx.changes.begin(
        "user", redone.reason if redone else "undo", now, undoes=None if redone else wanted.id
    )
    _put_back(tx, begun, spans, u, now)
    turn = tx.conversations.get_turn(wanted.turn_id) if wanted.turn_id else None
    if (
        turn is not None
    ):  # a mention that the set counted may be counted again, should it be learned from anew
        for span in spans:
            tx.memories.remove_mention(span.memory_id, turn.user_message_id)
    if wanted.reason != "summarise":
        _conversations(tx, wanted, changes, begun, now)
    tx.changes.mark_undone(wanted.id, begun.id)
    touched = tx.memories.get_many(s.memory_id for s in spans)
    told = [m for m in touched if m.layer is not Layer.EPISODE]
    return UndoResult(wanted.id, begun.id, wanted.reason, told or touched)


def list_undoable(tx: Transaction, limit: int) -> list[tuple[ChangeSet, list[Memory]]]:
    """Return the newest acts that can be taken back, newest first, each with what it touched, as it is now."""
    sets = [s for s in tx.changes.list_undoable(limit) if s.reason != "summarise"]
    touched = {
        s.id: dict.fromkeys(
            c.entity_id for c in tx.changes.list_set_changes(s.id) if c.entity == "memory"
        )
        for s in sets
    }
    return [(s, tx.memories.get_many(touched[s.id])) for s in sets]


def _wanted(tx: Transaction, set_id: str | None) -> ChangeSet:
    if set_id is None:
        newest = next((s for s in tx.changes.list_undoable() if s.reason != "summarise"), None)
        if newest is None:
            raise NotFound("There is nothing to undo.")
        return newest
    found = tx.changes.get(set_id)
    if found is None:
        raise NotFound("There is no such change.")
    if found.undone_by is not None:
        raise Conflict("That was undone already.", by=found.undone_by, code="undone")
    return found


@dataclass(frozen=True, slots=True)
class MemoryChangeSpan:
    """What a set did to one memory, from first to last."""

    memory_id: MemoryId
    before: Mapping[str, Json] | None
    after: Mapping[str, Json]
    last_seq: int
    ops: frozenset[Op]


def _spans(changes: Iterable[Change]) -> list[MemoryChangeSpan]:
    out: dict[MemoryId, MemoryChangeSpan] = {}
    for c in changes:
        if c.entity != "memory" or c.after is None:
            continue
        old = out.get(c.entity_id)
        before = old.before if old else c.before
        ops = (old.ops if old else frozenset()) | {c.op}
        out[c.entity_id] = MemoryChangeSpan(c.entity_id, before, c.after, c.seq, ops)
    return list(out.values())


def _check(tx: Transaction, wanted: ChangeSet, spans: Sequence[MemoryChangeSpan]) -> None:
    hid_only = not spans and wanted.reason == "forget"
    if (not spans and not hid_only) or len(tx.memories.get_many(s.memory_id for s in spans)) < len(
        spans
    ):
        raise Conflict("What was erased for good cannot be undone.", code="erased")
    moved = tx.changes.list_overtaken(wanted.id)
    by_id = {s.memory_id: s for s in spans if s.memory_id in moved}
    if not by_id:
        return
    sets: dict[str, ChangeSet | None] = {}
    for c in _since(tx, min(s.last_seq for s in by_id.values())):
        span = by_id.get(c.entity_id)
        if (
            c.entity != "memory"
            or span is None
            or c.seq <= span.last_seq
            or c.op in _MINOR
            or c.set_id == wanted.id
        ):
            continue
        if c.op == "created":  # by an import, which brought what was done before as well
            continue
        by = sets.setdefault(c.set_id, tx.changes.get(c.set_id))
        if by is None or by.undone_by is not None:
            continue
        # An undo and what it undid cancel each other; the undo of `wanted` by a redo's undoing does
        # as well.
        if (
            by.undoes is not None
            and (of := tx.changes.get(by.undoes)) is not None
            and of.undone_by == by.id
        ):
            continue
        raise Conflict(f"A later change touched the same memory: {by.reason} ({by.id}).", by=by.id)


def _since(tx: Transaction, seq: int) -> Iterable[Change]:
    while page := tx.changes.list_changes_after(seq, _PAGE):
        yield from page
        seq = page[-1].seq


def _put_back(
    tx: Transaction, begun: ChangeSet, spans: Sequence[MemoryChangeSpan], u: float, now: datetime
) -> None:
    """Put memories back as they were.

    Restored before deleted: an older version stands before its successor.
    """
    current = {m.id: m for m in tx.memories.get_many(s.memory_id for s in spans)}
    kept = [
        (m := current[s.memory_id], _before(m, s, s.before, u, now))
        for s in spans
        if s.before is not None
    ]
    made = [
        m
        for s in spans
        if s.before is None and (m := current[s.memory_id]).state is not State.DELETED
    ]
    back = [(m, new) for m, new in kept if m.state in _GONE and new.state not in _GONE]
    away = [
        (m, new) for m, new in kept if new.state in _GONE and m.state not in _GONE
    ]  # a restoration is undone
    other = [(m, new) for m, new in kept if (m.state in _GONE) == (new.state in _GONE)]
    why = begun.undoes or begun.reason
    _write(
        tx,
        [(m, new) for m, new in other if replace(new, weight=m.weight) != m],
        "updated",
        u,
        now,
        why,
    )
    _write(tx, back, "restored", u, now, why)
    gone = [(m, replace(new, deleted_at=new.deleted_at or now)) for m, new in away]
    _write(tx, gone, "deleted", u, now, why)
    tx.memories.put_many([replace(m, state=State.DELETED, deleted_at=now) for m in made], "deleted")
    add_tombstones(tx, [*(m for m, _ in away), *made], begun.id, now)
    reworded = [m.id for m, new in other if new.original_content != m.original_content]
    tx.tombstones.remove_many([*(m.id for m, _ in back), *reworded])


def _before(
    m: Memory, span: MemoryChangeSpan, before: Mapping[str, Json], u: float, now: datetime
) -> Memory:
    new = _unchanged(m, before, span.after)
    if "merged" in span.ops and _moved(m, span.after, _BY_USE):
        new = _parted(new, memory_from_json(dict(before)), memory_from_json(dict(span.after)), u)
    if "promoted" in span.ops:
        new = replace(new, reviewed_at=now)  # the person has answered the reviewer's question
    return replace(new, weight=lifecycle.compute_weight(new, u, now))


def _write(
    tx: Transaction,
    pairs: Sequence[tuple[Memory, Memory]],
    op: Op,
    u: float,
    now: datetime,
    why: str,
) -> None:
    """Write them, many in one go where their texts stay, and say in the weight log what that moved."""
    plain = [(m.id, new) for m, new in pairs if _indexed(m) == _indexed(new)]
    done = tx.memories.put_many([new for _, new in plain], op)
    stored = dict(zip((i for i, _ in plain), done, strict=True))
    for m, new in pairs:
        after = stored[m.id] if m.id in stored else tx.memories.put(new, op)
        if lifecycle.dump_state(after) != lifecycle.dump_state(m):
            tx.memories.log(lifecycle.build_log_entry("undone", m, after, u, now, why))


def _indexed(m: Memory) -> tuple[str, tuple[str, ...], Sensitivity]:
    return m.original_content, m.entities, m.sensitivity


def _unchanged(m: Memory, before: Mapping[str, Json], after: Mapping[str, Json]) -> Memory:
    """Return the memory with the fields that the set changed as they were before it, but for what has moved since."""
    now_ = memory_to_json(m)
    moved = {
        k
        for together in (_BY_USE, _BY_LEVEL)
        if _moved(m, after, together - {"content"})
        for k in together
    }
    stays = _ALWAYS_KEPT | moved
    back = memory_from_json(
        now_ | {k: was for k, was in before.items() if k not in stays and was != after.get(k)}
    )
    if back.original_content == m.original_content:
        return back
    if (
        "level" in moved and back.level is not Level.FULL
    ):  # what it faded to were the words that are taken back
        back = replace(back, level=Level.FULL)
    content = back.original_content if back.level is Level.FULL else back.content
    return replace(
        back, content=content, language=detect_language(back.original_content, back.language)
    )


def _moved(m: Memory, after: Mapping[str, Json], fields: frozenset[str]) -> bool:
    """Tell whether one of the fields is another by now than the set left it."""
    now_ = memory_to_json(m)
    return any(now_[k] != after.get(k) for k in fields)


def _parted(now: Memory, before: Memory, after: Memory, u: float) -> Memory:
    """Take apart a merge that was spoken of since: it keeps that, and gives back what was the others'."""
    others = set(after.recent_mentions) - set(before.recent_mentions)
    more = after.importance - lifecycle.compute_counter(before, u, after.importance_at)
    return replace(
        now,
        activation_count=max(
            now.activation_count - (after.activation_count - before.activation_count), 0
        ),
        recent_mentions=tuple(t for t in now.recent_mentions if t not in others),
        importance=max(now.importance - max(more, 0.0), 0.0),
    )


# --- messages, episodes and summaries ---


def _conversations(
    tx: Transaction, wanted: ChangeSet, changes: Sequence[Change], begun: ChangeSet, now: datetime
) -> None:
    """Show what the set hid, hide what it showed, and have summaries written anew where that matters."""
    sessions: set[str] = set()
    shown: list[Message] = []
    both = [
        (c.entity_id, c.before, c.after)
        for c in changes
        if c.entity == "message" and c.before and c.after
    ]
    moved = {i: b.get("hidden_at") for i, b, a in both if b.get("hidden_at") != a.get("hidden_at")}
    every = (
        tx.conversations.list_messages(hidden=True) if len(moved) > MANY else messages_of(tx, moved)
    )
    for m in (m for m in every if m.id in moved):
        was = moved[m.id]
        if (
            was is None and m.hidden_at is not None and m.text
        ):  # nothing is left of one that was purged
            shown.append(replace(m, hidden_at=None))
        elif was is not None and m.hidden_at is None:
            shown.append(replace(m, hidden_at=now))
        sessions.add(m.session_id)
    tx.conversations.put_messages(shown)
    _drop_retold(tx, wanted, changes, begun, now)
    sessions |= {c.entity_id for c in changes if c.entity == "session"}
    for session_id in sorted(sessions):
        s = tx.conversations.get_session(session_id)
        if s is not None and s.summarised_through:
            tx.conversations.put_session(
                replace(s, running_summary="")
            )  # it tells of less, or more, than it may
            enqueue_summary(tx, begun.id, s.id, s.summarised_through, s.summarised_through, now)


def _drop_retold(
    tx: Transaction, wanted: ChangeSet, changes: Sequence[Change], begun: ChangeSet, now: datetime
) -> None:
    """Episodes written in place of the ones that come back go; jobs that would write them do not run."""
    jobs = {
        c.entity_id
        for c in changes
        if c.entity == "job" and (c.after or {}).get("rebuild_of") == wanted.id
    }
    if not jobs:
        return
    waiting = [
        j.id for j in (*tx.jobs.list_pending("summarise"), *tx.jobs.list_dead()) if j.id in jobs
    ]
    for job_id in waiting:
        tx.jobs.cancel(job_id)
    if len(waiting) == len(jobs):
        return
    for c in list(_since(tx, max(c.seq for c in changes))):
        if c.entity != "memory" or c.op != "created" or c.set_id == begun.id:
            continue
        by = tx.changes.get(c.set_id)
        m = tx.memories.get(c.entity_id)
        if by is not None and by.job_id in jobs and m is not None and m.state is State.ACTIVE:
            tx.memories.put(replace(m, state=State.DELETED, deleted_at=now), "deleted")
