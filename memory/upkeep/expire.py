"""What goes for good: deletions and hidden words after 30 days, and, only if asked for, what faded
a year ago.

What its owner asked to forget takes its words with it wherever they stand, unless they have been
said anew; of everything else that was deleted (an undone addition, an episode that was told again)
only its own rows go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory.learn.same_meaning import normalise_text, same
from memory.lifecycle import from_ms, to_milliseconds
from memory.models import Filter, Layer, Level, Memory, MemoryId, MemoryOutline, State
from memory.ports import Transaction
from memory.upkeep.run import NightCounts, UpkeepRun, split_into_batches

KEPT: Final = timedelta(days=30)
OLD: Final = timedelta(days=365)
MOST: Final = 500  # memories a night: erasing one looks through the whole store
MOST_MESSAGES: Final = 5_000


def find_deleted_due(run: UpkeepRun) -> list[MemoryId]:
    """Return deletions whose 30 days are over, oldest first; as many as a night takes."""
    limit = to_milliseconds(run.now - KEPT)
    due = [
        w.row
        for w in run.rows
        if w.row.state == State.DELETED and (w.row.deleted_at or limit + 1) <= limit
    ]
    return [r.id for r in sorted(due, key=lambda r: (r.deleted_at or 0, r.place))[:MOST]]


def find_faded_due(tx: Transaction, run: UpkeepRun) -> list[MemoryId]:
    """Forgotten or archived for a year, and nobody spoke of it since; as many as a night takes."""
    old = run.now - OLD
    maybe = [
        w.row for w in run.rows if _gone(w.row) and w.row.last_activated_at <= to_milliseconds(old)
    ]
    return [r.id for r in maybe if (since := _since(tx, r)) is not None and since <= old][:MOST]


def _gone(r: MemoryOutline) -> bool:
    archived = r.level == Level.ARCHIVE and r.state in {State.ACTIVE, State.SUPERSEDED}
    return r.state == State.FORGOTTEN or (
        archived and not r.pinned and r.layer not in {Layer.CORE, Layer.SYSTEM}
    )


def _since(tx: Transaction, r: MemoryOutline) -> datetime | None:
    """When it came to where it is: the first of the last events that left it there."""
    if r.state == State.FORGOTTEN:
        return None if r.deleted_at is None else from_ms(r.deleted_at)
    since = None
    for event in reversed(tx.memories.list_weight_log(r.id)):
        if event.after.get("level") != Level.ARCHIVE:
            break
        since = event.at
    return since


async def clear(run: UpkeepRun) -> None:
    """Erase what is due, one memory at a time, so that nobody waits long for the store."""
    store, before = run.tools.store, run.now - KEPT
    await run.write_each(find_deleted_due(run), _erase)
    old = await store.read(run.user_id, lambda tx: find_faded_due(tx, run)) if run.erase_old else []
    await run.write_each(split_into_batches(old, 5), _erase_old)
    hidden = await store.read(
        run.user_id, lambda tx: tx.conversations.list_hidden_messages(before, MOST_MESSAGES)
    )
    await run.write_each(split_into_batches([m.id for m in hidden]), _blank)


def _erase(run: UpkeepRun, tx: Transaction, tally: NightCounts, memory_id: MemoryId) -> None:
    m = tx.memories.get(memory_id)
    if (
        m is None
        or m.state is not State.DELETED
        or m.deleted_at is None
        or m.deleted_at > run.now - KEPT
    ):
        return
    everywhere = _asked_for(tx, m) and not _said_anew(tx, m)
    tx.changes.begin("system", "purge", run.now, job_id=run.job.id)
    tx.memories.erase(m.id, everywhere=everywhere)
    _scrub(run, tx)
    tally.count("purged")


def _asked_for(tx: Transaction, m: Memory) -> bool:
    """Tell whether the person's own word deleted it.

    An episode tells of more than what was to be forgotten.
    """
    last = tx.changes.get_latest_change("memory", m.id)
    by = tx.changes.get(last.set_id) if last is not None and last.op == "deleted" else None
    return (
        by is not None
        and by.actor == "user"
        and by.reason == "forget"
        and m.layer is not Layer.EPISODE
    )


def _said_anew(tx: Transaction, m: Memory) -> bool:
    """Tell whether a memory that holds says it: the person has told it again, so its words are theirs to keep."""
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}))
    mine = normalise_text(m.original_content)
    return any(
        mine in normalise_text(o.original_content)
        or same(o.original_content, m.original_content, kinds=(o.kind, m.kind))
        for o in tx.memories.find(f, text=m.original_content, limit=50).items
    )


def _erase_old(
    run: UpkeepRun, tx: Transaction, tally: NightCounts, ids: Sequence[MemoryId]
) -> None:
    revs = {w.row.id: w.row.rev for w in run.rows}
    for m in tx.memories.get_many(ids):
        if m.rev != revs[m.id]:
            continue
        tx.changes.begin("system", "purge", run.now, job_id=run.job.id)
        tx.memories.erase(m.id, everywhere=False)
        tally.count("erased_old")
        _scrub(run, tx)


def _blank(run: UpkeepRun, tx: Transaction, tally: NightCounts, ids: Sequence[str]) -> None:
    tx.changes.begin("system", "purge", run.now, job_id=run.job.id)
    for message_id in ids:
        m = tx.conversations.get_message(message_id)
        if m is not None and m.text and m.hidden_at is not None and m.hidden_at <= run.now - KEPT:
            tx.conversations.put_message(replace(m, text=""), "purged")
            tally.count("blanked")
    _scrub(run, tx)


def _scrub(run: UpkeepRun, tx: Transaction) -> None:
    tx.jobs.enqueue("scrub", f"upkeep:{run.job.id}", {}, run.now, lane="scrub")
