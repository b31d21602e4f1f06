"""What a picture does to memory: it activates what it is about, and is noted there (`image`).

What it shows is no evidence; the words beside it are what recall and learning read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.learn.merge import Merger, SaveResult
from memory.models import Layer, MemoryId, Message, State
from memory.text.pictures import has_pictures, strip_pictures

IMAGE: Final = "image"
_NAMED: Final = frozenset({"reinforced", "known", "affirmed"})  # marked, and not new


def list_modalities(text: str, *, quote: bool) -> tuple[str, ...]:
    """List the modalities of what is learned from a message of that text."""
    return ("text", *([IMAGE] if has_pictures(text) else []), *(["quote"] if quote else []))


def note_pictures(merger: Merger, said: Sequence[Message], done: Sequence[SaveResult]) -> None:
    """Note the pictures among messages with what they are about, and count that as a use.

    That is what was recalled for these messages, and what the monitor marked of it.

    Args:
        merger: of this write.
        said: the person's messages.
        done: what became of the monitor's operations.
    """
    shown = [replace(m, text=strip_pictures(m.text)) for m in said if has_pictures(m.text)]
    if not shown:
        return
    tx, ids = merger.tx, list[MemoryId]()
    for trace in filter(None, (tx.traces.load(m.turn_id) for m in shown if m.turn_id)):
        ids += [h.memory.id for h in trace.hits if h.passed and h.why == "relevance"]
    ids += [d.memory.id for d in done if d.memory and d.outcome in _NAMED]
    for m in tx.memories.get_many(dict.fromkeys(ids)):
        if m.state is not State.ACTIVE or m.layer in {Layer.EPISODE, Layer.SYSTEM}:
            continue
        if IMAGE not in m.modalities:
            tx.memories.put(replace(m, modalities=(*m.modalities, IMAGE)), "updated")
        used = tx.traces.mark_used({x.turn_id for x in shown if x.turn_id}, m.id)
        merger.boost(tx.memories.get(m.id) or m, shown[-1].at, recalled=used)
