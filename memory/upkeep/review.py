"""The reviewer of what may become core, or may not be worth keeping.

What it lets go of is forgotten and can be restored; what holds a name that nothing else has is kept
unasked. Shown the memory and its five nearest, the model may search up to twice, then has to
decide. A review that fails leaves the memory as it was and is tried again on the next nights, a few
times; then it rests like a KEEP.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from memory import lifecycle
from memory.learn.answer import FACTS
from memory.learn.visible_messages import redact_memory
from memory.models import Json, Layer, Level, Memory, MemoryId, Sensitivity, State
from memory.ports import Transaction
from memory.upkeep.run import UpkeepRun, Work

if TYPE_CHECKING:
    from memory.learn.schemas import Review

Decision: TypeAlias = Literal["promote", "keep", "delete"]
ROUNDS: Final = 3
NEAREST: Final = 5
MOST_REVIEWS: Final = 10  # a night: each is a call or three; the rest comes in the following ones
_MAX_ANSWER: Final = 400


def find_due_reviews(run: UpkeepRun) -> list[MemoryId]:
    """List promotions first, then the weakest; as many as a night takes."""
    asked = (w for w in run.rows if w.review and w.row.state == State.ACTIVE)
    waiting = sorted((w.review != "promotion", w.weight, w.row.id) for w in asked)
    return [memory_id for _, _, memory_id in waiting[:MOST_REVIEWS]]


def find_task(run: UpkeepRun, m: Memory) -> lifecycle.ReviewTask | None:
    """Return which review is due, where nothing else is; nobody reviews secrets or the archive."""
    secret = m.sensitivity is Sensitivity.SECRET
    if m.state is not State.ACTIVE or secret or m.level is Level.ARCHIVE:
        return None
    task = lifecycle.review_due(m, run.tools.u, run.now)
    return task if lifecycle.decide_action(m, run.tools.u, run.now) == task else None


async def review_due_memories(run: UpkeepRun) -> None:
    """Review what is due. Raises ModelError; what was decided until then stays."""
    await run.prepare_each(find_due_reviews(run), _review)


async def _review(run: UpkeepRun, memory_id: MemoryId) -> Work | None:
    found = await run.memories([memory_id])
    task = find_task(run, found[0]) if found else None
    if task is None:
        return None
    alone = task == "decay" and await run.read(
        lambda tx: tx.memories.is_only_one_of_entity(memory_id)
    )
    decision: Decision | None = "keep" if alone else await _ask_decision(run, found[0], task)
    return partial(_write, run, found[0], decision)


async def _ask_decision(run: UpkeepRun, m: Memory, task: lifecycle.ReviewTask) -> Decision | None:
    """Ask up to three rounds; returns None if none of them decided."""
    nearest = await run.tools.near(run.user_id, m.original_content, NEAREST + 1, FACTS)
    shown: dict[str, Json] = {
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
        "nearest": _show(nearest, {m.id}),
        "found": [],
        "searched": [],
    }
    for n in range(1, ROUNDS + 1):
        answer: Review | None = await run.ask(
            "review", m.language, {**shown, "round": n}, _MAX_ANSWER
        )
        if answer is None:
            return None
        if answer.decision != "search":
            return answer.decision
        known = {m.id, *(str(row["id"]) for row in shown["found"])}
        found = await run.tools.near(run.user_id, answer.words, NEAREST + len(known), FACTS)
        shown["searched"] = [*shown["searched"], answer.words]
        shown["found"] = [*shown["found"], *_show(found, known)]
    run.tools.skipped(f"review of {m.id}", "undecided", "")
    return None


def _show(memories: Iterable[Memory], known: set[MemoryId]) -> list[dict[str, Json]]:
    rows = [{"id": m.id, "text": redact_memory(m)} for m in memories if m.id not in known]
    return rows[:NEAREST]


def _write(run: UpkeepRun, old: Memory, decision: Decision | None, tx: Transaction) -> None:
    """Write the decision; what changed while the model was thinking is left alone."""
    m = tx.memories.get(old.id)
    task = find_task(run, m) if m is not None and m.rev == old.rev else None
    if m is None or task is None:
        return
    if decision is None:
        if not run.count_failure("unreviewed", m.id):
            return
    elif decision == "delete" and tx.memories.is_only_one_of_entity(m.id):
        decision = "keep"
    run.clear_failures("unreviewed", m.id)
    if decision == "promote" and task == "promotion":
        new = replace(m, layer=Layer.CORE, level=Level.FULL, content=m.original_content)
        new = replace(new, reviewed_at=run.now)
        run.change(tx, m, new, "promoted", "promoted", "promoted")
        run.count("review_promoted")
    elif decision == "delete":
        new = replace(m, state=State.FORGOTTEN, deleted_at=run.now, reviewed_at=run.now)
        run.change(tx, m, new, "forgotten", "reviewed", "forgotten")
        run.count("review_forgotten")
    else:
        new = lifecycle.apply_keep(m, task, run.now)
        run.change(tx, m, new, "reinforced", "reviewed", "kept")
        run.count("review_kept")
