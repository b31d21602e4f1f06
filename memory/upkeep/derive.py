"""Conclusions from several memories, proposed and never more than that.

Modest on purpose: one call a night, a few proposals, each resting on at least three memories that
it names. What was derived is never a ground for more, and what the person declined is not proposed
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memory.learn.merge import Claim, Merger, find_known_memory, find_refusal, find_tombstones
from memory.learn.visible_messages import redact_memory
from memory.models import (
    Draft,
    Filter,
    Importance,
    Json,
    Kind,
    Layer,
    Level,
    Memory,
    MemoryId,
    Sensitivity,
    Source,
    State,
    detect_language,
)
from memory.ports import FloatArray, Transaction
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.duplicates import Near
from memory.upkeep.levels import find_level_fault
from memory.upkeep.run import NightCounts, UpkeepRun

if TYPE_CHECKING:
    from memory.learn.schemas import Conclusion, Conclusions

FEWEST: Final = 3  # memories a conclusion rests on
MOST_SHOWN: Final = 30
MOST_PROPOSED: Final = 2  # a night
MOST_WAITING: Final = 10  # unanswered proposals: then no new ones
_MAX_ANSWER: Final = 500
_GROUNDS: Final = frozenset(
    {
        Kind.PREFERENCE,
        Kind.WHIM,
        Kind.FACT,
        Kind.SKILL,
        Kind.WORKFLOW,
        Kind.GOAL,
        Kind.LESSON,
        Kind.DECISION,
    }
)
_KINDS: Final = frozenset(
    {Kind.PREFERENCE, Kind.FACT, Kind.SKILL, Kind.WORKFLOW, Kind.GOAL, Kind.LESSON}
)


async def derive(run: UpkeepRun, near: Near) -> None:
    """Propose what follows from what was learned since the last night and from what stands near it."""
    if not near or not await _wanted(run):
        return
    shown = await _grounds(run, near)
    if len(shown) < FEWEST:
        return
    conclusions = await _ask(run, shown)
    if not conclusions:
        return
    texts = [strip_subject(" ".join(c.content.split())) for c in conclusions]
    vectors = await run.tools.embed(texts)
    by_id = {m.id: m for m in shown}

    def write(tx: Transaction, tally: NightCounts) -> None:
        for c, text, vector in zip(conclusions, texts, vectors, strict=True):
            _propose(run, tx, tally, c, text, vector, [by_id[i] for i in dict.fromkeys(c.grounds)])

    await run.write(write, share=1.0)


async def _wanted(run: UpkeepRun) -> bool:
    """Not where nothing is learned by itself, nor while others still wait for an answer."""

    def look(tx: Transaction) -> bool:
        waiting = tx.memories.find(Filter(states=frozenset({State.PROPOSED})), limit=200).items
        return (
            run.tools.learns(tx) != "off"
            and sum(bool(m.source_ids) for m in waiting) < MOST_WAITING
        )

    return await run.tools.store.read(run.user_id, look)


async def _grounds(run: UpkeepRun, near: Near) -> list[Memory]:
    """What was learned since the last night, and what stands nearest to it; of one language, the more frequent."""
    ids = dict.fromkeys(
        [*near, *(i for found in near.values() for i in sorted(found, key=found.__getitem__)[-3:])]
    )
    memories = [m for m in await run.memories(list(ids)) if _ground(m)]
    lang = max(("en", "zh"), key=lambda x: sum(m.language == x for m in memories))
    return [m for m in memories if m.language == lang][-MOST_SHOWN:]


def _ground(m: Memory) -> bool:
    return (
        m.state is State.ACTIVE
        and m.kind in _GROUNDS
        and m.layer in {Layer.FACT, Layer.CORE}
        and m.level <= Level.SUMMARY
        and m.negated_at is None
        and m.sensitivity < Sensitivity.PRIVATE
        and not m.source_ids  # derived itself: never evidence
    )


async def _ask(run: UpkeepRun, shown: Sequence[Memory]) -> list[Conclusion]:
    rows: list[Mapping[str, Json]] = [
        {"id": m.id, "text": redact_memory(m), "kind": str(m.kind)} for m in shown
    ]
    variables = {"memories": rows}
    answer: Conclusions | None = await run.tools.read(
        run.user_id, "derive", shown[0].language, variables, variables, run.now, _MAX_ANSWER
    )
    ids = {m.id for m in shown}
    return [c for c in (answer.conclusions if answer else ()) if _rests(c, ids)][:MOST_PROPOSED]


def _rests(c: Conclusion, ids: set[MemoryId]) -> bool:
    """Tell whether it names at least three of the memories that were shown, and no others."""
    return (
        len(set(c.grounds)) >= FEWEST
        and ids.issuperset(c.grounds)
        and (c.kind or Kind.FACT) in _KINDS
    )


def _propose(
    run: UpkeepRun,
    tx: Transaction,
    tally: NightCounts,
    c: Conclusion,
    text: str,
    vector: FloatArray | None,
    shown: Sequence[Memory],
) -> None:
    grounds = tx.memories.get_many(m.id for m in shown)
    if [m.rev for m in grounds] != [m.rev for m in shown] or not _sound(text, grounds):
        run.tools.skipped("conclusion", "unsound", text)
        return
    draft = Draft(
        text,
        kind=c.kind or Kind.FACT,
        importance=Importance.LOW,
        language=detect_language(text, grounds[0].language),
        confidence=0.5 * min(m.confidence for m in grounds),
        source=Source.SYSTEM,
        sensitivity=max(m.sensitivity for m in grounds),
    )
    claim = Claim(draft, run.now, vector=vector, embedder_id=run.tools.embedder.id)
    if find_refusal(tx, claim) or find_tombstones(tx, claim) or find_known_memory(tx, claim):
        return  # forgotten or declined before, or nothing new
    tx.changes.begin("system", "derive", run.now, job_id=run.job.id)
    saved = Merger(tx, curve=run.tools.curve, u=run.tools.u, proposing=True).save(claim)
    if saved.outcome == "added" and saved.memory is not None:
        m = tx.memories.put(
            replace(saved.memory, source_ids=tuple(m.id for m in grounds)), "updated"
        )
        tally.note("derived", m.id)


def _sound(text: str, grounds: Sequence[Memory]) -> bool:
    """It may put together what they say, and bring in no number, name or denial of its own."""
    together = replace(grounds[0], original_content=" ".join(m.original_content for m in grounds))
    why = find_level_fault(together, Level.SUMMARY, text)
    if (
        why == "another sense"
    ):  # several sentences together deny something as soon as one of them does
        why = "" if not denies_or_ends(text) else why
    return all(_ground(m) for m in grounds) and not why
