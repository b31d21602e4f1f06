"""Whether every memory of a store is in one state, with its level, words, weight, log and change saying the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memory.models import (
    Change,
    Filter,
    Level,
    Memory,
    MemoryId,
    Sensitivity,
    State,
    UpkeepNight,
    WeightEvent,
)
from memory.ports import Store, Transaction
from memory.upkeep.level_texts import is_rewritable

EVERY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)
_LEVELLING = frozenset({"level", "reviewed", "mention", "boost", "forgotten", "promoted"})


async def broken(store: Store, user_id: str) -> list[str]:
    """A line for everything that is half done; empty where all is whole."""

    def read(tx: Transaction) -> list[str]:
        memories = {m.id: m for m in tx.memories.find(EVERY, limit=1_000_000).items}
        out = [
            f"{m.id} {m.state} {m.level.name}: {why}"
            for m in memories.values()
            for why in (
                *_alone(
                    m,
                    tx.memories.list_weight_log(m.id),
                    tx.changes.get_latest_change("memory", m.id),
                ),
                *_merged(m, memories),
            )
        ]
        return out + list(_counted(tx.nights.list_latest_nights(60), tx))

    return await store.read(user_id, read)


def _alone(m: Memory, log: list[WeightEvent], change: Change | None) -> Iterator[str]:
    last = next((e for e in reversed(log) if e.event in _LEVELLING), None)
    if last is None and m.level is not Level.FULL:
        yield "faded, and its log does not say so"
    if last is not None and last.after["level"] != int(m.level):
        yield f"its log says level {last.after['level']}"
    own = m.level is Level.FULL or not is_rewritable(m)
    if m.content != m.original_content and (own or len(m.content) >= len(m.original_content)):
        yield "its words are not those of its level"
    if (m.state in {State.FORGOTTEN, State.DELETED}) != (m.deleted_at is not None):
        yield "gone without a date, or dated without being gone"
    after = (change.after if change is not None else None) or {}
    if (after.get("level"), after.get("content"), after.get("rev")) != (
        int(m.level),
        m.content,
        m.rev,
    ):
        yield "its change says something else"


def _merged(m: Memory, memories: dict[MemoryId, Memory]) -> Iterator[str]:
    """A merge is there from both ends, or not at all."""
    if m.state is State.MERGED:
        into = memories.get(m.merged_into or "")
        if into is None or m.id not in into.merged_from:
            yield "merged into something that does not know of it"
    elif m.state is State.ACTIVE and m.merged_into is not None:
        yield "active and merged"
    for other in m.merged_from:
        if other in memories and memories[other].state is State.ACTIVE:
            yield f"{other} is in it, and stands by itself"


def _counted(nights: Iterable[UpkeepNight], tx: Transaction) -> Iterator[str]:
    """What the nights that are over have counted was done, and was done once."""
    told = sum(int(n.data.get("counts", {}).get("merges", 0)) for n in nights)
    done = sum(len(m.merged_from) > 0 for m in tx.memories.find(EVERY, limit=1_000_000).items)
    if done < told:
        yield f"{told} merges were reported, {done} memories are merged ones"
