"""Conclusions from several memories, proposed and never more than that.

Modest on purpose: one call a night, a few proposals, each resting on at least three memories that
it names. What was derived is never a ground for more, and what the person declined is not proposed
again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from memory.learn.merge import Claim, Merger, find_known_memory, find_refusal, find_tombstones
from memory.learn.visible_messages import redact_memory
from memory.models import (
    Draft,
    Filter,
    Importance,
    Kind,
    Level,
    Memory,
    Sensitivity,
    Source,
    State,
    detect_language,
)
from memory.ports import FloatArray, Transaction
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.duplicates import find_neighbours
from memory.upkeep.level_texts import find_level_fault
from memory.upkeep.run import Near, UpkeepRun, is_current_fact

if TYPE_CHECKING:
    from memory.learn.schemas import Conclusion, Conclusions

FEWEST: Final = 3  # memories a conclusion rests on
MOST_SHOWN: Final = 30
MOST_PROPOSED: Final = 2  # a night
MOST_WAITING: Final = 10  # unanswered proposals: then no new ones
_NEAREST: Final = 3
_MAX_ANSWER: Final = 500
_KINDS: Final = frozenset(
    {Kind.PREFERENCE, Kind.FACT, Kind.SKILL, Kind.WORKFLOW, Kind.GOAL, Kind.LESSON}
)
_GROUNDS: Final = _KINDS | {Kind.WHIM, Kind.DECISION}


async def derive_conclusions(run: UpkeepRun) -> None:
    """Propose what follows from what was learned since the last night and from what is near it.

    Raises ModelError.
    """
    near = await find_neighbours(run)
    if not near or not await run.read(partial(_is_wanted, run)):
        return
    shown = await _choose_grounds(run, near)
    if len(shown) < FEWEST:
        return
    rows = [{"id": m.id, "text": redact_memory(m), "kind": str(m.kind)} for m in shown]
    answer: Conclusions | None = await run.ask(
        "derive", shown[0].language, {"memories": rows}, _MAX_ANSWER
    )
    by_id = {m.id: m for m in shown}
    sound = [
        c
        for c in (answer.conclusions if answer else ())
        if len(set(c.grounds)) >= FEWEST
        and by_id.keys() >= set(c.grounds)
        and (c.kind or Kind.FACT) in _KINDS
    ][:MOST_PROPOSED]
    if not sound:
        return
    texts = [strip_subject(" ".join(c.content.split())) for c in sound]
    vectors = await run.tools.embed(texts)

    def write(tx: Transaction) -> None:
        for c, text, vector in zip(sound, texts, vectors, strict=True):
            _propose(run, tx, c, text, vector, [by_id[i] for i in dict.fromkeys(c.grounds)])

    await run.write(write, share=1.0)


def _is_wanted(run: UpkeepRun, tx: Transaction) -> bool:
    """Tell whether anything is learned by itself, and not too many wait for an answer."""
    waiting = tx.memories.find(Filter(states=frozenset({State.PROPOSED})), limit=200).items
    proposed = sum(bool(m.source_ids) for m in waiting)
    return run.tools.learns(tx) != "off" and proposed < MOST_WAITING


async def _choose_grounds(run: UpkeepRun, near: Near) -> list[Memory]:
    """Return what is new and what stands nearest to it, in the more frequent language."""
    nearest = (i for some in near.values() for i in sorted(some, key=some.__getitem__)[-_NEAREST:])
    memories = await run.memories(list(dict.fromkeys([*near, *nearest])))
    grounds = [m for m in memories if _is_ground(m)]
    languages = Counter(m.language for m in grounds).most_common(1)
    return [m for m in grounds if m.language == languages[0][0]][-MOST_SHOWN:]


def _is_ground(m: Memory) -> bool:
    return (
        is_current_fact(m)
        and m.kind in _GROUNDS
        and m.level <= Level.SUMMARY
        and m.sensitivity < Sensitivity.PRIVATE
        and not m.source_ids  # derived itself: never evidence
    )


def _propose(
    run: UpkeepRun,
    tx: Transaction,
    c: Conclusion,
    text: str,
    vector: FloatArray | None,
    shown: Sequence[Memory],
) -> None:
    grounds = tx.memories.get_many(m.id for m in shown)
    if [m.rev for m in grounds] != [m.rev for m in shown] or not _is_sound(text, grounds):
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
    run.begin(tx, "derive")
    saved = Merger(tx, curve=run.tools.curve, u=run.tools.u, proposing=True).save(claim)
    if saved.outcome == "added" and saved.memory is not None:
        proposed = replace(saved.memory, source_ids=tuple(m.id for m in grounds))
        run.note("derived", tx.memories.put(proposed, "updated").id)


def _is_sound(text: str, grounds: Sequence[Memory]) -> bool:
    """Tell whether it brings in no number, name or denial of its own."""
    together = replace(grounds[0], original_content=" ".join(m.original_content for m in grounds))
    fault = find_level_fault(together, Level.SUMMARY, text)
    if fault == "another sense" and not denies_or_ends(text):
        fault = ""  # several sentences together deny something as soon as one of them does
    return all(map(_is_ground, grounds)) and not fault
