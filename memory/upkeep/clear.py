"""What goes for good: deletions and hidden words after 30 days (S2), and, only if asked for, what faded a year ago.

What its owner asked to forget takes its words with it wherever they stand, unless they have been said anew; of
everything else that was deleted (an undone addition, an episode that was told again) only its own rows go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from memory.learn.alike import normalised, same
from memory.models import Filter, Layer, Level, Memory, MemoryId, Outline, State
from memory.ports import Tx
from memory.upkeep.run import Run, Tally, batches

KEPT: Final = timedelta(days=30)
OLD: Final = timedelta(days=365)
MOST: Final = 500  # memories a night: erasing one looks through the whole store
MOST_MESSAGES: Final = 5_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


def deleted(rows: Sequence[Outline], now: datetime) -> list[MemoryId]:
    """Deletions whose 30 days are over, oldest first; as many as a night takes."""
    limit = (now - KEPT - _EPOCH) / _MS
    due = [r for r in rows if r.state == State.DELETED and r.deleted_at is not None and r.deleted_at <= limit]
    return [r.id for r in sorted(due, key=lambda r: (r.deleted_at or 0, r.place))[:MOST]]


def faded(tx: Tx, rows: Sequence[Outline], now: datetime) -> list[MemoryId]:
    """Forgotten or archived for a year, and nobody spoke of it since (S1, S2); as many as a night takes."""
    limit = (now - OLD - _EPOCH) / _MS
    maybe = [r for r in rows if _gone(r) and r.last_activated_at <= limit]
    return [r.id for r in maybe if (since := _since(tx, r)) is not None and since <= now - OLD][:MOST]


def _gone(r: Outline) -> bool:
    archived = r.level == Level.ARCHIVE and r.state in {State.ACTIVE, State.SUPERSEDED}
    return r.state == State.FORGOTTEN or (archived and not r.pinned and r.layer not in {Layer.CORE, Layer.SYSTEM})


def _since(tx: Tx, r: Outline) -> datetime | None:
    """When it came to where it is: the first of the last events that left it there."""
    if r.state == State.FORGOTTEN:
        return None if r.deleted_at is None else _EPOCH + r.deleted_at * _MS
    since = None
    for event in reversed(tx.memories.weight_log(r.id)):
        if event.after.get("level") != Level.ARCHIVE:
            break
        since = event.at
    return since


async def clear(run: Run) -> None:
    """Erase what is due, one memory at a time, so that nobody waits long for the store."""
    ids = deleted(run.rows, run.now)
    for i, memory_id in enumerate(ids):
        await run.write(
            lambda tx, tally, memory_id=memory_id: _erase(run, tx, tally, memory_id),  # type: ignore[misc]
            share=(i + 1) / (len(ids) + 1),
        )
    old = await run.tools.store.read(run.user_id, lambda tx: faded(tx, run.rows, run.now)) if run.erase_old else []
    for some in batches(old, 5):
        await run.write(lambda tx, tally, some=some: _erase_old(run, tx, tally, some))  # type: ignore[misc]
    before = run.now - KEPT
    hidden = await run.tools.store.read(run.user_id, lambda tx: tx.conversations.hidden(before, MOST_MESSAGES))
    for messages in batches([m.id for m in hidden]):
        await run.write(lambda tx, tally, ids=messages: _blank(run, tx, tally, ids))  # type: ignore[misc]


def _erase(run: Run, tx: Tx, tally: Tally, memory_id: MemoryId) -> None:
    m = tx.memories.get(memory_id)
    if m is None or m.state is not State.DELETED or m.deleted_at is None or m.deleted_at > run.now - KEPT:
        return
    everywhere = _asked_for(tx, m) and not _said_anew(tx, m)
    tx.changes.begin("system", "purge", run.now, job_id=run.job.id)
    tx.memories.erase(m.id, everywhere=everywhere)
    _scrub(run, tx)
    tally.count("purged")


def _asked_for(tx: Tx, m: Memory) -> bool:
    """Whether the person's own word deleted it. An episode tells of more than what was to be forgotten."""
    last = tx.changes.latest_for("memory", m.id)
    by = tx.changes.get(last.set_id) if last is not None and last.op == "deleted" else None
    return by is not None and by.actor == "user" and by.reason == "forget" and m.layer is not Layer.EPISODE


def _said_anew(tx: Tx, m: Memory) -> bool:
    """Whether a memory that holds says it: the person has told it again, so its words are theirs to keep."""
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}))
    mine = normalised(m.original_content)
    return any(
        mine in normalised(o.original_content) or same(o.original_content, m.original_content, kinds=(o.kind, m.kind))
        for o in tx.memories.find(f, text=m.original_content, limit=50).items
    )


def _erase_old(run: Run, tx: Tx, tally: Tally, ids: Sequence[MemoryId]) -> None:
    rows = {r.id: r for r in run.rows}
    for m in tx.memories.many(ids):
        row = rows[m.id]
        if m.rev != row.rev:
            continue
        tx.changes.begin("system", "purge", run.now, job_id=run.job.id)
        tx.memories.erase(m.id, everywhere=False)
        tally.count("erased_old")
        _scrub(run, tx)


def _blank(run: Run, tx: Tx, tally: Tally, ids: Sequence[str]) -> None:
    tx.changes.begin("system", "purge", run.now, job_id=run.job.id)
    for message_id in ids:
        m = tx.conversations.message(message_id)
        if m is not None and m.text and m.hidden_at is not None and m.hidden_at <= run.now - KEPT:
            tx.conversations.put_message(replace(m, text=""), "purged")
            tally.count("blanked")
    _scrub(run, tx)


def _scrub(run: Run, tx: Tx) -> None:
    tx.jobs.enqueue("scrub", f"upkeep:{run.job.id}", {}, run.now, lane="scrub")
