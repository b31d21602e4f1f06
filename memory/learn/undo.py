"""Undo: a compensating change set. Nothing of the log is rewritten.

A memory goes back field by field: what the set changed is put back where it still stands as the set
left it, and what has moved since by mere use (mentions, weight) stays. A later change of more than
that stands in the way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
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
    Op,
    Sensitivity,
    State,
    detect_language,
)
from memory.ports import Transaction
from memory.store.rows import memory_from_json, memory_to_json

_MINOR: Final = frozenset({"created", "reinforced", "levelled"})  # stand in no undo's way
_PAGE: Final = 500
_RUNS: Final = 60  # of upkeep, among which the nights are looked for: as many as are kept
_NIGHTS: Final = 10  # listed
# the reason of what stands for a night in a list; its id: the date
WHOLE_NIGHT: Final = "whole_night"
_ALWAYS_KEPT: Final = frozenset({"id", "user_id", "rev", "created_at", "weight"})
_BY_LEVEL: Final = frozenset({"content", "level"})
_BY_USE: Final = frozenset(
    {"activation_count", "curve", "curve_data", "importance", "importance_at"}
    | {"last_activated_at", "recent_mentions", "strength", "strength_at"}
)
_GONE: Final = frozenset({State.DELETED, State.FORGOTTEN})


@dataclass(frozen=True, slots=True)
class UndoResult:
    """`set_id` was undone by the set `by`; `reason` is what it was; `memories` as they are now."""

    set_id: str
    by: str
    reason: str
    memories: list[Memory]


@dataclass(frozen=True, slots=True)
class MemoryChangeSpan:
    """What a set did to one memory, from first to last."""

    memory_id: MemoryId
    before: Mapping[str, Json] | None
    after: Mapping[str, Json]
    last_seq: int
    ops: frozenset[Op]


def undo(tx: Transaction, now: datetime, u: float, set_id: str | None = None) -> UndoResult:
    """Undo the set, or the newest one that can be.

    An undo that is undone is a redo, and can be undone again. Where that moves a weight, the weight
    log says so. `u` is the user's forgetting factor. Raises NotFound (nothing to undo), Conflict (a
    later change of the same memory, named; undone already; purged).
    """
    wanted = _find_wanted(tx, set_id)
    changes = [c for c in tx.changes.list_changes(set_id=wanted.id) if c.op != "purged"]
    spans = _join_changes(changes)
    while (by := _find_later(tx, wanted, spans)) is not None:
        if by.actor != "system" or by.job_id is None or by.reason == "summarise":
            why = f"A later change touched the same memory: {by.reason} ({by.id})."
            raise Conflict(why, by=by.id)
        undo(tx, now, u, by.id)  # what a night did stands in nobody's way
    redone = tx.changes.get(wanted.undoes) if wanted.undoes else None
    if redone is None:
        begun = tx.changes.begin("user", "undo", now, undoes=wanted.id)
    elif redone.actor == "system":  # what a night did is that night's again
        begun = tx.changes.begin("system", redone.reason, now, job_id=redone.job_id)
    else:
        begun = tx.changes.begin("user", redone.reason, now)
    _put_back(tx, begun, spans, u, now)
    turn = tx.conversations.get_turn(wanted.turn_id) if wanted.turn_id else None
    if turn is not None:  # learned from anew, it may count again
        for span in spans:
            tx.memories.remove_mention(span.memory_id, turn.user_message_id)
    if wanted.reason != "summarise":
        _show_again(tx, wanted, changes, begun, now)
    tx.changes.mark_undone(wanted.id, begun.id)
    touched = tx.memories.get_many(s.memory_id for s in spans)
    told = [m for m in touched if m.layer is not Layer.EPISODE]
    return UndoResult(wanted.id, begun.id, wanted.reason, told or touched)


@dataclass(frozen=True, slots=True)
class NightUndoResult:
    """What became of a night that was taken back.

    `undone` are the memories as they are now; `kept` those that somebody has changed since, which
    stay; `erased`: how many were purged that night, which nothing brings back.
    """

    night: str
    undone: list[Memory]
    kept: list[Memory]
    erased: int


def undo_night(
    tx: Transaction, now: datetime, u: float, night: str | None = None
) -> NightUndoResult:
    """Undo all that a night did to memories, as one set, which can be undone again.

    It is the night of that date, or the newest one that something can be taken back of. What has
    been changed since stays as it is. Raises NotFound where nothing is left of what it did.
    """
    looked: list[tuple[str, list[Change], dict[str, list[Change]], set[str]]] = []
    for date, _, every in _read_nights(tx, night):
        changes = [c for c in every if c.op != "purged"]
        of = {c.set_id: [x for x in changes if x.set_id == c.set_id] for c in changes}
        looked.append((date, every, of, _find_sets_left(tx, of)))
        if len(looked[-1][3]) < len(of):
            break
    else:
        looked = looked[:1]
    if not looked:
        raise NotFound("There is nothing to undo.")
    date, every, of, left = looked[-1]
    kept = {c.entity_id for i in left for c in of[i]}
    spans = _join_changes(c for c in every if c.set_id in of and c.set_id not in left)
    undone = [i for i in of if i not in left]
    if undone:
        begun = tx.changes.begin("user", "undo", now, undoes=undone[0])
        _put_back(tx, begun, spans, u, now)
        for set_id in undone:
            tx.changes.mark_undone(set_id, begun.id)
    erased = len({c.entity_id for c in every if c.op == "purged"})
    back = tx.memories.get_many(s.memory_id for s in spans)
    return NightUndoResult(date, back, tx.memories.get_many(kept), erased)


def _read_nights(
    tx: Transaction, night: str | None = None
) -> Iterator[tuple[str, datetime, list[Change]]]:
    """Yield what stands of each night, or of one: its date, when it was, and its changes."""
    runs = tx.nights.list_latest_nights(_RUNS)
    for date in dict.fromkeys(n.night for n in runs if night in (None, n.night)):
        some = [n for n in runs if n.night == date]
        every = [c for n in some for c in tx.changes.list_changes(job_id=n.job_id)]
        every = sorted((c for c in every if c.entity == "memory"), key=lambda c: c.seq)
        if any(c.op != "purged" for c in every):
            yield date, some[0].at, every


def _find_sets_left(tx: Transaction, of: Mapping[str, Sequence[Change]]) -> set[str]:
    """Return the sets of a night that cannot be undone, and those that share a memory with one."""
    left = set[str]()
    for set_id, changes in of.items():
        wanted = tx.changes.get(set_id)
        with suppress(Conflict):
            spans = _join_changes(changes)
            if wanted is not None and _find_later(tx, wanted, spans, of) is None:
                continue
        left.add(set_id)
    while True:
        ids = {c.entity_id for set_id in left for c in of[set_id]}
        more = {s for s, some in of.items() if any(c.entity_id in ids for c in some)} - left
        if not more:
            return left
        left |= more


def list_undoable(tx: Transaction, limit: int) -> list[tuple[ChangeSet, list[Memory]]]:
    """Return the newest acts that can be taken back, newest first, each with what it touched.

    A night is one of them.
    """
    out: list[tuple[ChangeSet, list[Memory]]] = []
    for s in tx.changes.list_undoable(limit):
        if s.reason != "summarise":
            changes = tx.changes.list_changes(set_id=s.id)
            ids = dict.fromkeys(c.entity_id for c in changes if c.entity == "memory")
            out.append((s, tx.memories.get_many(ids)))
    for date, at, changes in islice(_read_nights(tx), _NIGHTS):
        touched = tx.memories.get_many({c.entity_id for c in changes})
        told = [m for m in touched if m.quiet_at is None and m.sensitivity < Sensitivity.SECRET]
        out.append((ChangeSet(date, tx.user_id, "system", WHOLE_NIGHT, at), told))
    return sorted(out, key=lambda entry: entry[0].at, reverse=True)


def _find_wanted(tx: Transaction, set_id: str | None) -> ChangeSet:
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


def _join_changes(changes: Iterable[Change]) -> list[MemoryChangeSpan]:
    out: dict[MemoryId, MemoryChangeSpan] = {}
    for c in changes:
        if c.entity == "memory" and c.after is not None:
            new = MemoryChangeSpan(c.entity_id, c.before, c.after, c.seq, frozenset({c.op}))
            if (old := out.get(c.entity_id)) is not None:
                new = replace(new, before=old.before, ops=old.ops | new.ops)
            out[c.entity_id] = new
    return list(out.values())


def _find_later(
    tx: Transaction,
    wanted: ChangeSet,
    spans: Sequence[MemoryChangeSpan],
    together: Collection[str] = (),
) -> ChangeSet | None:
    """Return an act that still stands and has changed the same since, but for sets `together`.

    Raises Conflict where something was erased.
    """
    there = tx.memories.get_many(s.memory_id for s in spans)
    if len(there) < len(spans) or (not spans and wanted.reason != "forget"):
        raise Conflict("What was erased for good cannot be undone.", code="erased")
    moved = tx.changes.list_overtaken(wanted.id)
    last = {s.memory_id: s.last_seq for s in spans if s.memory_id in moved}
    sets: dict[str, ChangeSet | None] = {}
    for c in _list_since(tx, min(last.values())) if last else ():
        if c.entity != "memory" or c.op in _MINOR or c.seq <= last.get(c.entity_id, c.seq):
            continue
        by = sets.setdefault(c.set_id, tx.changes.get(c.set_id))
        if by is None or by.undone_by is not None or by.id in (wanted.id, *together):
            continue
        # An undo and what it undid cancel each other; the undo of `wanted` by a redo's undoing too.
        of = tx.changes.get(by.undoes) if by.undoes else None
        if of is None or of.undone_by != by.id:
            return by
    return None


def _list_since(tx: Transaction, seq: int) -> Iterator[Change]:
    while page := tx.changes.list_changes(after=seq, limit=_PAGE):
        yield from page
        seq = page[-1].seq


def _put_back(
    tx: Transaction, begun: ChangeSet, spans: Sequence[MemoryChangeSpan], u: float, now: datetime
) -> None:
    """Put memories back as they were; restored first: an older version stands before its successor.

    What the set made goes.
    """
    current = {m.id: m for m in tx.memories.get_many(s.memory_id for s in spans)}
    sorts: dict[Op, list[tuple[Memory, Memory]]] = {"updated": [], "restored": [], "deleted": []}
    made: list[Memory] = []
    for s in spans:
        m = current[s.memory_id]
        if s.before is None:
            made += [m] if m.state is not State.DELETED else []
            continue
        new = _rebuild(m, s, s.before, u, now)
        was, will = m.state in _GONE, new.state in _GONE
        if was is will:
            if replace(new, weight=m.weight) != m:
                sorts["updated"].append((m, new))
        elif was:
            sorts["restored"].append((m, new))
        else:  # a restoration is undone
            sorts["deleted"].append((m, replace(new, deleted_at=new.deleted_at or now)))
    for op, pairs in sorts.items():
        _write(tx, pairs, op, u, now, begun.undoes or begun.reason)
    made = tx.memories.get_many(m.id for m in made)  # what rests on the others may have gone by now
    over = [m for m in made if m.state is not State.DELETED]
    tx.memories.put_many([replace(m, state=State.DELETED, deleted_at=now) for m in over], "deleted")
    add_tombstones(tx, [*(m for m, _ in sorts["deleted"]), *made], begun.id, now)
    again = [m.id for m, _ in sorts["restored"]]
    again += [m.id for m, n in sorts["updated"] if n.original_content != m.original_content]
    tx.tombstones.remove(*again)


def _write(
    tx: Transaction,
    pairs: Sequence[tuple[Memory, Memory]],
    op: Op,
    u: float,
    now: datetime,
    why: str,
) -> None:
    """Write them, in one go where their texts stay; the weight log says what that moved."""

    def is_plain(m: Memory, new: Memory) -> bool:
        old, back = ((x.original_content, x.entities, x.sensitivity) for x in (m, new))
        return old == back

    done = tx.memories.put_many([new for m, new in pairs if is_plain(m, new)], op)
    stored = {m.id: m for m in done}
    for m, new in pairs:
        after = stored[m.id] if m.id in stored else tx.memories.put(new, op)
        if lifecycle.dump_state(after) != lifecycle.dump_state(m):
            tx.memories.log(lifecycle.build_log_entry("undone", m, after, u, now, why))


def _rebuild(
    m: Memory, span: MemoryChangeSpan, before: Mapping[str, Json], u: float, now: datetime
) -> Memory:
    """Return the memory with what the set changed as it was, but for what has moved since."""
    now_ = memory_to_json(m)
    used = any(now_[k] != span.after.get(k) for k in _BY_USE)
    faded = now_["level"] != span.after.get("level")
    stays = _ALWAYS_KEPT | (_BY_USE if used else set()) | (_BY_LEVEL if faded else set())
    changed = {k: v for k, v in before.items() if k not in stays and v != span.after.get(k)}
    new = memory_from_json(now_ | changed)
    if new.original_content != m.original_content:
        level = Level.FULL if faded else new.level  # it faded to the words that are taken back
        content = new.original_content if level is Level.FULL else new.content
        lang = detect_language(new.original_content, new.language)
        new = replace(new, level=level, content=content, language=lang)
    if "merged" in span.ops and used:
        new = _part(new, memory_from_json(dict(before)), memory_from_json(dict(span.after)), u)
    if "promoted" in span.ops:
        new = replace(new, reviewed_at=now)  # the person has answered the reviewer's question
    return replace(new, weight=lifecycle.compute_weight(new, u, now))


def _part(now: Memory, before: Memory, after: Memory, u: float) -> Memory:
    """Give back what was the others' of a merge that was spoken of since; it keeps that."""
    now = lifecycle.part_mentions(now, before, after)
    more = after.importance - lifecycle.compute_counter(before, u, after.importance_at)
    counted = now.activation_count - (after.activation_count - before.activation_count)
    return replace(
        now, activation_count=max(counted, 0), importance=max(now.importance - max(more, 0.0), 0.0)
    )


# --- messages, episodes and summaries ---


def _show_again(
    tx: Transaction, wanted: ChangeSet, changes: Sequence[Change], begun: ChangeSet, now: datetime
) -> None:
    """Show what the set hid, hide what it showed, and have summaries written anew."""
    moved: dict[str, Json] = {}
    for c in changes:
        if c.entity == "message" and c.before and c.after:
            was = c.before.get("hidden_at")
            if was != c.after.get("hidden_at"):
                moved[c.entity_id] = was
    some = len(moved) <= MANY
    every = messages_of(tx, moved) if some else tx.conversations.list_messages(hidden=True)
    touched = [m for m in every if m.id in moved]
    shown = [  # nothing is left of one that was purged
        replace(m, hidden_at=None if m.hidden_at else now)
        for m in touched
        if (moved[m.id] is None) is (m.hidden_at is not None) and (m.text or not m.hidden_at)
    ]
    tx.conversations.put_messages(shown)
    _drop_retold(tx, wanted, changes, begun, now)
    sessions = {m.session_id for m in touched}
    sessions |= {c.entity_id for c in changes if c.entity == "session"}
    for session_id in sorted(sessions):
        s = tx.conversations.get_session(session_id)
        if s is not None and s.summarised_through:  # it tells of less, or more, than it may
            tx.conversations.put_session(replace(s, running_summary=""))
            enqueue_summary(tx, begun.id, s.id, s.summarised_through, s.summarised_through, now)


def _drop_retold(
    tx: Transaction, wanted: ChangeSet, changes: Sequence[Change], begun: ChangeSet, now: datetime
) -> None:
    """Let go of episodes written in place of those that come back, and of jobs that would."""
    rebuilds = [c for c in changes if c.entity == "job" and c.after]
    jobs = {c.entity_id for c in rebuilds if c.after and c.after.get("rebuild_of") == wanted.id}
    queued = (*tx.jobs.list_pending("summarise"), *tx.jobs.list_dead())
    waiting = [j.id for j in queued if j.id in jobs]
    for job_id in waiting:
        tx.jobs.cancel(job_id)
    if len(waiting) == len(jobs):
        return
    for c in list(_list_since(tx, max(c.seq for c in changes))):
        if c.entity != "memory" or c.op != "created" or c.set_id == begun.id:
            continue
        by, m = tx.changes.get(c.set_id), tx.memories.get(c.entity_id)
        if by is not None and by.job_id in jobs and m is not None and m.state is State.ACTIVE:
            tx.memories.put(replace(m, state=State.DELETED, deleted_at=now), "deleted")
