"""Conclusions from several memories (S1: 从多条记忆推导新知识), proposed and never more than that.

Modest on purpose: one call a night, a few proposals, each resting on at least three memories that it names. What was
derived is never a ground for more, and what the person declined is not proposed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.learn import gate, lines
from memory.learn.answer import objects
from memory.learn.material import told
from memory.learn.merge import Claim, save_draft
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
    language_of,
)
from memory.ports import FloatArray, Tx
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.levels import unfit
from memory.upkeep.run import Run, Tally

FEWEST: Final = 3  # memories a conclusion rests on
MOST_SHOWN: Final = 30
MOST_PROPOSED: Final = 2  # a night
MOST_WAITING: Final = 10  # unanswered proposals: then no new ones
_MAX_ANSWER: Final = 500
_GROUNDS: Final = frozenset(
    {Kind.PREFERENCE, Kind.WHIM, Kind.FACT, Kind.SKILL, Kind.WORKFLOW, Kind.GOAL, Kind.LESSON, Kind.DECISION}
)
_KINDS: Final = frozenset({Kind.PREFERENCE, Kind.FACT, Kind.SKILL, Kind.WORKFLOW, Kind.GOAL, Kind.LESSON})

Near = Mapping[MemoryId, Mapping[MemoryId, float]]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a model concludes, and from what."""

    text: str
    kind: Kind
    grounds: tuple[MemoryId, ...]


async def derive(run: Run, near: Near) -> None:
    """Propose what follows from what was learned since the last night and from what stands near it."""
    if not near or not await _wanted(run):
        return
    shown = await _grounds(run, near)
    if len(shown) < FEWEST:
        return
    conclusions = await _ask(run, shown)
    if not conclusions:
        return
    vectors = await run.tools.embed([c.text for c in conclusions])
    pairs = list(zip(conclusions, vectors, strict=True))
    by_id = {m.id: m for m in shown}
    await run.write(lambda tx, tally: _propose(run, tx, tally, pairs, by_id), share=1.0)


async def _wanted(run: Run) -> bool:
    """Not where nothing is learned by itself, nor while others still wait for an answer."""

    def look(tx: Tx) -> tuple[str, int]:
        learning = str(tx.user().settings.get("learning") or run.tools.learning)
        waiting = tx.memories.find(Filter(states=frozenset({State.PROPOSED})), limit=200).items
        return learning, sum(bool(m.source_ids) for m in waiting)

    learning, waiting = await run.tools.store.read(run.user_id, look)
    return learning != "off" and waiting < MOST_WAITING


async def _grounds(run: Run, near: Near) -> list[Memory]:
    """What was learned since the last night, and what stands nearest to it; of one language, the more frequent."""
    ids = dict.fromkeys([*near, *(i for found in near.values() for i in sorted(found, key=found.__getitem__)[-3:])])
    memories = [m for m in await run.tools.store.reader(run.user_id).get(list(ids)) if _ground(m)]
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


async def _ask(run: Run, shown: Sequence[Memory]) -> list[Conclusion]:
    rows: list[Mapping[str, Json]] = [{"id": m.id, "text": told(m), "kind": str(m.kind)} for m in shown]
    variables = {"memories": rows}
    answer = await run.tools.ask(run.user_id, "derive", shown[0].language, variables, variables, run.now, _MAX_ANSWER)
    found = objects(answer.text)
    if found is None:
        run.tools.skipped("conclusions", "unreadable", answer.text)
        return []
    ids = {m.id for m in shown}
    conclusions = [c for o in found if (c := _read(o, ids)) is not None]
    return conclusions[:MOST_PROPOSED]


def _read(o: Mapping[str, Json], ids: set[MemoryId]) -> Conclusion | None:
    """One that names at least three of the memories it was shown, and no others."""
    named = o.get("from")
    grounds = [str(i).strip(" []【】").lower() for i in named] if isinstance(named, list) else []
    grounds = list(dict.fromkeys(grounds))
    kind = lines.kind_of(str(o.get("kind") or "")) or Kind.FACT
    text = strip_subject(" ".join(str(o.get("content") or "").split()))
    if len(grounds) < FEWEST or not set(grounds) <= ids or not text or kind not in _KINDS:
        return None
    return Conclusion(text, kind, tuple(grounds))


def _propose(
    run: Run,
    tx: Tx,
    tally: Tally,
    conclusions: Sequence[tuple[Conclusion, FloatArray | None]],
    shown: Mapping[MemoryId, Memory],
) -> None:
    for c, vector in conclusions:
        grounds = tx.memories.many(c.grounds)
        if [m.rev for m in grounds] != [shown[i].rev for i in c.grounds] or not _sound(c, grounds):
            run.tools.skipped("conclusion", "unsound", c.text)
            continue
        draft = Draft(
            c.text,
            kind=c.kind,
            importance=Importance.LOW,
            language=language_of(c.text, grounds[0].language),
            confidence=0.5 * min(m.confidence for m in grounds),
            source=Source.SYSTEM,
            sensitivity=max(m.sensitivity for m in grounds),
        )
        embedder = run.tools.embedder.id
        claim = Claim(draft, run.now, vector=vector, embedder_id=embedder)
        if gate.refusal(tx, claim) or gate.tombstones(tx, claim) or gate.known(tx, claim):
            continue  # forgotten or declined before, or nothing new
        tx.changes.begin("system", "derive", run.now, job_id=run.job.id)
        saved = save_draft(
            tx,
            draft,
            run.now,
            curve=run.tools.curve,
            u=run.tools.u,
            vector=vector,
            embedder_id=embedder,
            proposed=True,
        )
        if saved.outcome == "added" and saved.memory is not None:
            m = tx.memories.put(replace(saved.memory, source_ids=c.grounds), "updated")
            tally.note("derived", m.id)


def _sound(c: Conclusion, grounds: Sequence[Memory]) -> bool:
    """It may put together what they say, and bring in no number, name or denial of its own."""
    together = replace(grounds[0], original_content=" ".join(m.original_content for m in grounds))
    why = unfit(together, Level.SUMMARY, c.text)
    if why == "another sense":  # several sentences together deny something as soon as one of them does
        why = "" if not denies_or_ends(c.text) else why
    return all(_ground(m) for m in grounds) and not why
