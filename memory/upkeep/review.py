"""The reviewer of what may become core, or may not be worth keeping.

What it lets go of is forgotten and can be restored; what holds a name that nothing else has is kept
unasked. Shown the memory and its five nearest, the model may search up to twice, then has to
decide. A review that fails leaves the memory as it was and is tried again on the next nights, a few
times; then it rests like a KEEP.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from memory import lifecycle
from memory.learn.visible_messages import redact_memory
from memory.models import Filter, Json, Layer, Level, Memory, MemoryId, Op, Sensitivity, State
from memory.ports import Transaction
from memory.upkeep.run import TRIES, NightCounts, UpkeepRun, Work

if TYPE_CHECKING:
    from memory.learn.schemas import Review

Decision: TypeAlias = Literal["promote", "keep", "delete"]
ROUNDS: Final = 3
NEAREST: Final = 5
MOST_REVIEWS: Final = (
    10  # a night: each is a call or three; those waiting come in the following ones
)
_MAX_ANSWER: Final = 400
_FACTS: Final = Filter(
    layers=frozenset({Layer.FACT, Layer.CORE, Layer.SYSTEM}), max_sensitivity=Sensitivity.PRIVATE
)  # that a conversation was about it is no reason to let go of it


def find_due_reviews(run: UpkeepRun) -> list[MemoryId]:
    """List promotions first, then the weakest; as many as a night takes."""
    asked = (w for w in run.rows if w.review and w.row.state == State.ACTIVE)
    waiting = [(w.review != "promotion", w.weight, w.row.id) for w in asked]
    return [memory_id for _, _, memory_id in sorted(waiting)[:MOST_REVIEWS]]


async def review(run: UpkeepRun) -> None:
    """Review what is due. Raises ModelError; what was decided until then stays."""
    await run.work_each(find_due_reviews(run), _reviewed)


async def _reviewed(run: UpkeepRun, memory_id: MemoryId) -> Work | None:
    found = await run.memories([memory_id])
    task = _task(run, found[0]) if found else None
    if task is None:
        return None
    alone = task == "decay" and await run.tools.store.read(
        run.user_id, lambda tx: tx.memories.is_only_one_of_entity(memory_id)
    )
    decision: Decision | None = "keep" if alone else await _decide(run, found[0], task)
    return partial(_execute, run, found[0], decision)


def _task(run: UpkeepRun, m: Memory) -> Literal["promotion", "decay"] | None:
    """Only where nothing else is due: forgetting and fading come first, and nobody reviews the archive."""
    if (
        m.state is not State.ACTIVE
        or m.sensitivity is Sensitivity.SECRET
        or m.level is Level.ARCHIVE
    ):
        return None
    verdict = lifecycle.decide_action(m, run.tools.u, run.now)
    if isinstance(verdict, lifecycle.PromoteAction):
        return "promotion"
    return "decay" if isinstance(verdict, lifecycle.DecayAction) else None


async def _decide(
    run: UpkeepRun, m: Memory, task: Literal["promotion", "decay"]
) -> Decision | None:
    """Up to three rounds; None if none of them decided."""
    nearest = await _nearest(run, m)
    found: list[Json] = []
    searched: list[str] = []
    for n in range(1, ROUNDS + 1):
        shown = {
            "memory": {
                "id": m.id,
                "text": redact_memory(m),
                "kind": str(m.kind),
                "weight": round(lifecycle.compute_weight(m, run.tools.u, run.now), 2),
                "importance": round(lifecycle.compute_counter(m, run.tools.u, run.now), 2),
                "mentions": m.activation_count,
                "days": round((run.now - m.last_activated_at).total_seconds() / 86_400),
            },
            "task": task,
            "nearest": nearest,
            "found": found,
            "searched": searched,
            "round": n,
        }
        answer: Review | None = await run.tools.read(
            run.user_id, "review", m.language, shown, shown, run.now, _MAX_ANSWER
        )
        if answer is None:
            return None
        if answer.decision != "search":
            return answer.decision
        searched = [*searched, answer.words]
        found = [*found, *await _search(run, answer.words, {m.id, *(str(f["id"]) for f in found)})]
    run.tools.skipped(f"review of {m.id}", "undecided", "")
    return None


async def _nearest(run: UpkeepRun, m: Memory) -> list[Json]:
    vectors = await run.tools.store.read(
        run.user_id, lambda tx: tx.vectors.get([m.id], run.tools.embedder.id)
    )
    ids = await run.tools.nearest(
        run.user_id, vectors.get(m.id), m.original_content, NEAREST + 1, _FACTS
    )
    found = await run.memories([i for i in ids if i != m.id][:NEAREST])
    return [{"id": x.id, "text": redact_memory(x)} for x in found]


async def _search(run: UpkeepRun, words: str, but: set[MemoryId]) -> list[Json]:
    found = await run.tools.near(run.user_id, words, NEAREST + len(but), _FACTS)
    return [{"id": m.id, "text": redact_memory(m)} for m in found if m.id not in but][:NEAREST]


def _execute(
    run: UpkeepRun, old: Memory, decision: Decision | None, tx: Transaction, tally: NightCounts
) -> None:
    """Write the decision; what changed while the model was thinking is left alone."""
    m = tx.memories.get(old.id)
    task = _task(run, m) if m is not None and m.rev == old.rev else None
    if m is None or task is None:
        return
    if decision is None:
        if tally.carry("unreviewed", m.id) < TRIES:
            tally.count("unreviewed")
            return
        decision = "keep"
    if decision == "delete" and tx.memories.is_only_one_of_entity(m.id):
        decision = "keep"
    tally.drop("unreviewed", m.id)
    if decision == "promote" and task == "promotion":
        new = replace(
            m, layer=Layer.CORE, level=Level.FULL, content=m.original_content, reviewed_at=run.now
        )
        _done(run, tx, tally, m, new, "promoted", "promoted")
    elif decision == "delete":
        new = replace(m, state=State.FORGOTTEN, deleted_at=run.now, reviewed_at=run.now)
        _done(run, tx, tally, m, new, "forgotten", "forgotten")
    else:
        _done(run, tx, tally, m, lifecycle.apply_keep(m, task, run.now), "reinforced", "kept")


def _done(
    run: UpkeepRun, tx: Transaction, tally: NightCounts, m: Memory, new: Memory, op: Op, what: str
) -> None:
    run.change(tx, m, new, op, "promoted" if op == "promoted" else "reviewed", what)
    tally.count(f"review_{what}")
