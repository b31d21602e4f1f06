"""What goes for good: deletions after 30 days; only if asked for, what faded a year ago.

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
from memory.upkeep.run import UpkeepRun, split_into_batches

KEPT: Final = timedelta(days=30)
OLD: Final = timedelta(days=365)
MOST: Final = 500  # memories a night: erasing one looks through the whole store
MOST_MESSAGES: Final = 5_000


def find_deleted_due(run: UpkeepRun) -> list[MemoryId]:
    """Return deletions whose 30 days are over, oldest first; as many as a night takes."""
    limit = to_milliseconds(run.now - KEPT)
    due = [
        (w.row.deleted_at, w.row.place, w.row.id)
        for w in run.rows
        if w.row.state == State.DELETED
        and w.row.deleted_at is not None
        and w.row.deleted_at <= limit
    ]
    return [memory_id for _, _, memory_id in sorted(due)[:MOST]]


async def find_faded_due(run: UpkeepRun) -> list[MemoryId]:
    """Return what was forgotten or archived a year ago, and not spoken of since, if that may go."""
    if not run.erase_old:
        return []
    old = run.now - OLD
    maybe = [
        w.row for w in run.rows if _gone(w.row) and w.row.last_activated_at <= to_milliseconds(old)
    ]

    def look(tx: Transaction) -> list[MemoryId]:
        return [r.id for r in maybe if (at := _find_end(tx, r)) is not None and at <= old][:MOST]

    return await run.read(look)


def _gone(r: MemoryOutline) -> bool:
    if r.state == State.FORGOTTEN:
        return True
    archived = r.level == Level.ARCHIVE and r.state in {State.ACTIVE, State.SUPERSEDED}
    return archived and not r.pinned and r.layer not in {Layer.CORE, Layer.SYSTEM}


def _find_end(tx: Transaction, r: MemoryOutline) -> datetime | None:
    """Return when it came to where it is: the first of the last events that left it there."""
    if r.state == State.FORGOTTEN:
        return None if r.deleted_at is None else from_ms(r.deleted_at)
    since = None
    for event in reversed(tx.memories.list_weight_log(r.id)):
        if event.after.get("level") != Level.ARCHIVE:
            break
        since = event.at
    return since


async def purge_expired(run: UpkeepRun) -> None:
    """Erase what is due, one memory at a time, so that nobody waits long for the store."""
    due = dict.fromkeys(find_deleted_due(run), "purged")
    due |= dict.fromkeys(await find_faded_due(run), "erased_old")
    revs = {w.row.id: w.row.rev for w in run.rows if w.row.id in due}
    await run.write_each([(i, revs[i], what) for i, what in due.items()], _erase)
    before = run.now - KEPT
    hidden = await run.read(lambda tx: tx.conversations.list_hidden_messages(before, MOST_MESSAGES))
    await run.write_each(split_into_batches([m.id for m in hidden]), _blank)


def _erase(run: UpkeepRun, tx: Transaction, due: tuple[MemoryId, int, str]) -> None:
    memory_id, rev, what = due
    m = tx.memories.get(memory_id)
    if m is None:
        return
    deleted_at = m.deleted_at if m.state is State.DELETED else None
    still = deleted_at is not None and deleted_at <= run.now - KEPT
    if not still and m.rev != rev:
        return  # spoken of or restored meanwhile
    everywhere = what == "purged" and _asked_for(tx, m) and not _said_anew(tx, m)
    _begin_purge(run, tx)
    tx.memories.erase(m.id, everywhere=everywhere)
    run.count(what)


def _asked_for(tx: Transaction, m: Memory) -> bool:
    """Tell whether the person's own word deleted it. An episode tells of more than that."""
    last = tx.changes.get_latest_change("memory", m.id)
    by = tx.changes.get(last.set_id) if last is not None and last.op == "deleted" else None
    asked = by is not None and by.actor == "user" and by.reason == "forget"
    return asked and m.layer is not Layer.EPISODE


def _said_anew(tx: Transaction, m: Memory) -> bool:
    """Tell whether a memory that holds says it: its words are the person's to keep."""
    f = Filter(states=frozenset({State.ACTIVE, State.PROPOSED, State.SUPERSEDED}))
    mine = normalise_text(m.original_content)
    return any(
        mine in normalise_text(o.original_content)
        or same(o.original_content, m.original_content, kinds=(o.kind, m.kind))
        for o in tx.memories.find(f, text=m.original_content, limit=50).items
    )


def _blank(run: UpkeepRun, tx: Transaction, ids: Sequence[str]) -> None:
    _begin_purge(run, tx)
    for message_id in ids:
        m = tx.conversations.get_message(message_id)
        if m is not None and m.text and m.hidden_at is not None and m.hidden_at <= run.now - KEPT:
            tx.conversations.put_messages([replace(m, text="")], "purged")
            run.count("blanked")


def _begin_purge(run: UpkeepRun, tx: Transaction) -> None:
    """Begin a change set, and see that the files are scrubbed afterwards."""
    run.begin(tx, "purge")
    tx.jobs.enqueue("scrub", f"upkeep:{run.job.id}", {}, run.now, lane="scrub")
