"""Erasing for good: every copy, with a receipt, and a job that rewrites the file (DESIGN §4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory.errors import NotFound, StoreBusy
from memory.jobs import Effect
from memory.learn.acts import Receipt
from memory.learn.contains import HINTS
from memory.learn.forget import Dropping, Reach, hide, unmerge
from memory.lifecycle import from_ms, ms
from memory.models import Job, Layer, MemoryId, Message, State
from memory.ports import Store, Tx


def purge(tx: Tx, ids: Sequence[MemoryId], now: datetime, *, actor: str = "user") -> Receipt:
    """Erase the memories with their older versions, in any state, and what was hidden for them. Not undoable.

    Raises NotFound if none of them is this user's.
    """
    found = tx.memories.many(dict.fromkeys(ids))
    if not found:
        raise NotFound("There is no such memory.")
    begun = tx.changes.begin(actor, "purge", now)
    places: Counter[str] = Counter()
    reach = Reach(tx, found, erasing=True)
    earlier = {c.set_id for m in reach.memories if (c := tx.changes.latest_for("memory", m.id)) and c.op == "deleted"}
    told = [m for i in earlier for m in _hidden_by(tx, i) if _belongs(tx, reach, m)]
    dropping = Dropping(tx, begun.id, now)
    places["summaries"] += dropping.run(reach.thing, hide(tx, reach.messages, now))
    gone = [*dropping.episodes, *(i for s in earlier for i in _episodes_of(tx, s))]
    blank = {m.id for m in (*reach.messages, *told)}
    apart = {m.id for m in reach.memories}
    told_too = set(gone) - apart
    texts = [m for m in reach.merges if unmerge(tx, m, apart, now)]
    for i in dict.fromkeys((*(m.id for m in (*reach.memories, *texts)), *gone)):
        if (m := tx.memories.get(i)) is not None:
            # An episode that only told of it as well tells of more: what else was said there stays.
            places.update(tx.memories.erase(i, everywhere=i not in told_too))
            places["episodes"] += m.layer is Layer.EPISODE
    for message_id in sorted(blank):
        message = tx.conversations.message(message_id)
        if message is not None and message.hidden_at is not None and message.text:
            tx.conversations.put_message(replace(message, text=""), "purged")
            places["messages"] += 1
    erased = tuple(m.id for m in reach.memories)
    told_of = {"set_id": begun.id, "erased": ms(now), "memories": len(erased), "places": dict(places)}
    job = tx.jobs.enqueue("scrub", f"purge:{begun.id}", told_of, now, lane="scrub")
    return Receipt(erased, dict(places), now, job.id if job else None)


def receipts(tx: Tx, limit: int) -> list[Receipt]:
    """Of the last purges, newest first: what each erased, how often where, and whether the file is scrubbed of it."""
    return [_receipt(j) for j in tx.jobs.latest("scrub", limit) if "places" in j.payload]


def _receipt(j: Job) -> Receipt:
    at = (j.result or {}).get("at")
    return Receipt(
        memory_ids=(),  # an erased id stands nowhere any more
        places=j.payload["places"],
        erased=from_ms(j.payload["erased"]),
        job_id=j.id,
        scrubbed=j.state == "done",
        scrubbed_at=None if at is None else from_ms(at),
        memories=int(j.payload["memories"]),
        error=j.last_error,
    )


def _hidden_by(tx: Tx, set_id: str) -> list[Message]:
    """Messages that the set hid and that are hidden still."""
    ids = [c.entity_id for c in tx.changes.of_set(set_id) if c.entity == "message"]
    return [m for i in ids if (m := tx.conversations.message(i)) is not None and m.hidden_at is not None]


def _belongs(tx: Tx, reach: Reach, m: Message) -> bool:
    """Whether a message was hidden for these memories, not only for others that went in the same act."""
    sources = {i for x in reach.memories for i in tx.memories.sources(x.id)}
    turns = {s.turn_id for i in sources if (s := tx.conversations.message(i)) and s.turn_id}
    return m.id in sources or m.turn_id in turns or reach.thing.said_by(m.text, HINTS)


def _episodes_of(tx: Tx, set_id: str) -> list[MemoryId]:
    """Episodes that the set dropped."""
    ids = [c.entity_id for c in tx.changes.of_set(set_id) if c.entity == "memory" and c.op == "deleted"]
    return [m.id for m in tx.memories.many(ids) if m.layer is Layer.EPISODE and m.state is State.DELETED]


async def scrub(store: Store, job: Job, now: datetime) -> Effect:  # noqa: ARG001 - the shape of every handler
    """Rewrite the file without what was erased. Raises StoreBusy while another process is in the way."""
    if not await store.scrub():
        raise StoreBusy("Another process is using the database; scrubbing waits for it.")
    return lambda _tx: {"outcome": "scrubbed", "at": ms(now)}
