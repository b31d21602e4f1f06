"""Additions whose slot would end a memory: a model is told which, unless both are clearly of it.

What it then says again with its slot is believed; what it leaves out is kept without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memory.learn.answer import LearningTools
from memory.learn.cited_words import compute_share
from memory.learn.same_meaning import list_units
from memory.learn.slots import find_holder, is_clear, load_reader, may_fill
from memory.learn.steps import HALF, Step
from memory.models import Kind
from memory.ports import Transaction

if TYPE_CHECKING:
    from memory.learn.schemas import Entry


async def weigh_slots(
    tools: LearningTools,
    user_id: str,
    steps: Sequence[Step],
    failed: Sequence[Step],
    now: datetime,
) -> list[Step]:
    """Send back, with the memory they would end, additions that are not clearly of their slot.

    Args:
        tools: of the work that goes on.
        user_id: whose memories.
        steps: checked operations.
        failed: those that the model has been told of already; none were sent back twice.
        now: the time.
    """
    told = {s.old.id for s in failed if s.old and s.verdict.reason == "slot"}
    adds = {
        i: (s.entry.content, s.entry.slot)
        for i, s in enumerate(steps)
        if s.op == "add" and s.entry and not (s.verdict.reason or s.entry.until or s.entry.expires)
        if may_fill(s.entry.content, s.entry.kind or Kind.FACT, s.entry.slot)
    }
    texts = [text for text, _ in adds.values()]
    reader = await load_reader(tools.embedder, texts) if adds else None
    if reader is None:
        return list(steps)
    vectors = dict(zip(adds, await tools.embed(texts), strict=True))

    def weigh(tx: Transaction, i: int) -> Step:
        (text, slot), vector, embedder = adds[i], vectors[i], tools.embedder.id
        old = find_holder(tx, slot, now, reader, embedder)
        if old is None or reader is None:
            return steps[i]
        if vector is not None and not reader.is_near(text, vector, slot, insisted=True):
            return steps[i]  # whatever a model says of it, it ends nothing
        if old.id in told:
            return replace(steps[i], insisted=True)
        clear = vector is not None and is_clear(tx, slot, (text, vector), old, reader, embedder)
        if failed or clear:  # nothing is, where the embedder failed
            return steps[i]
        return replace(steps[i], old=old, verdict=replace(steps[i].verdict, reason="slot"))

    weighed = await tools.store.read(user_id, lambda tx: {i: weigh(tx, i) for i in adds})
    return [weighed.get(i, s) for i, s in enumerate(steps)]


def keep_rest(failed: Sequence[Step], again: Sequence[Step]) -> list[Step]:
    """Return what went back for its slot or dates alone and was not said again, without those."""
    told = [s.entry for s in again if s.entry and not s.verdict.reason]

    def is_told(entry: Entry) -> bool:
        """Tell whether the words it quotes, or most of its own, came back."""
        words = list_units(entry.content)
        return any(
            compute_share(words, list_units(e.content)) > HALF or (e.said and e.said == entry.said)
            for e in told
        )

    return [
        replace(
            s,
            old=None,
            entry=s.entry.model_copy(update={"slot": ""}),
            verdict=replace(s.verdict, reason=""),
        )
        if s.verdict.reason
        else s
        for s in failed
        if s.entry and s.verdict.reason in {"slot", ""} and not is_told(s.entry)
    ]
