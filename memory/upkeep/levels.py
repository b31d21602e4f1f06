"""Down the five levels: what a weight has come to, in the words of its level.

Content is always written from the original, never from the level before, so that a jump over
several levels gives what one night after another would have given. The rules' text is there at
once; a long summary or tag the memory model may put shorter, many at a call, each answered under
its own id. What fails a check is not asked for again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from memory import lifecycle
from memory.learn.visible_messages import redact_memory
from memory.models import Layer, Level, Memory, MemoryId, State
from memory.ports import Transaction
from memory.text.notes import strip_subject
from memory.upkeep.level_texts import (
    BY_MODEL,
    find_level_fault,
    find_loss,
    is_long,
    write_level_text,
)
from memory.upkeep.run import (
    UpkeepRun,
    WeighedOutline,
    Work,
    group_by_language,
    is_current_fact,
    split_into_batches,
)

if TYPE_CHECKING:
    from memory.learn.schemas import LevelTexts

PER_CALL: Final = 20  # memories in one request
MOST_WRITTEN: Final = 2_000  # by a model in one night; the rest follows in the next ones
NOTICEABLE: Final = 0.005  # a cached weight only orders lists: what moved less stays
WEIGHTS_AT_ONCE: Final = 2_000
_FADING: Final = frozenset({State.ACTIVE, State.SUPERSEDED})
_WEIGHED: Final = _FADING | {State.PROPOSED}


# --- weights ---


async def update_weights(run: UpkeepRun) -> None:
    """Take the nightly step of curves that have one, and cache the weights that have moved."""
    worn = [w.row.id for w in run.rows if _may_be_lowered(w)] if run.believed else []
    await run.write_each(split_into_batches(worn), _lower)
    if worn:
        await run.look()
    moved = [(w.row.id, w.row.rev, w.weight) for w in find_moved(run) if w.row.state in _WEIGHED]
    for some in split_into_batches(moved, WEIGHTS_AT_ONCE):
        await run.write(
            lambda tx, some=some: tx.memories.put_weights(some),  # type: ignore[misc]
            share=0.9,
            moves=False,
        )


def find_moved(run: UpkeepRun) -> list[WeighedOutline]:
    """Return those whose cached weight is noticeably another by now."""
    return [w for w in run.rows if abs(w.weight - w.row.weight) >= NOTICEABLE]


def _may_be_lowered(w: WeighedOutline) -> bool:
    below = lifecycle.CURVES[w.row.curve].lowers_below
    active = w.row.state == State.ACTIVE and w.row.layer != Layer.EPISODE
    return below is not None and w.weight < below and active


def _lower(run: UpkeepRun, tx: Transaction, ids: Sequence[MemoryId]) -> None:
    """Lower the importance once for each night below the bound, missed ones too; all dated."""
    u = run.tools.u
    for m in tx.memories.get_many(ids):
        for night in run.nights:
            weight = lifecycle.compute_weight(m, u, night)
            due = m.state is State.ACTIVE and m.curve_state.at < night
            if due and lifecycle.is_lowered_at(m, weight):
                run.begin(tx, "upkeep")
                after, log = lifecycle.apply_event(m, "lowered", u, night)
                after = replace(after, weight=lifecycle.compute_weight(after, u, run.now))
                m = tx.memories.put(after, "levelled")  # noqa: PLW2901 - night after night
                tx.memories.log(log)
                run.count("lowered")


# --- levels by rules ---


def find_due_levels(run: UpkeepRun) -> list[MemoryId]:
    """Find who fades or comes back, and what its curve forgets; judged again before a write."""
    return [
        row.id
        for row, _, level, forgets, _ in run.rows
        if row.state in _FADING and (level != row.level or (forgets and row.state == State.ACTIVE))
    ]


async def apply_level_rules(run: UpkeepRun) -> None:
    """Write the text of each new level, shortened from the original; forget what its curve does."""
    await run.write_each(split_into_batches(find_due_levels(run)), _settle)


def _settle(run: UpkeepRun, tx: Transaction, ids: Sequence[MemoryId]) -> None:
    owners = _map_texts(tx)
    for m in tx.memories.get_many(ids):
        if m.state not in _FADING:
            continue
        if run.believed and forgets(run, m):
            new = replace(m, state=State.FORGOTTEN, deleted_at=run.now)
            run.change(tx, m, new, "forgotten", "forgotten", "faded")
            run.count("forgotten")
            continue
        level = lifecycle.compute_level(m, run.tools.u, run.now)
        if level is not m.level:
            content = write_level_text(m, level, owners, run.tz)
            owners[content] = m.id
            _put_level(run, tx, m, level, content)


def _map_texts(tx: Transaction) -> dict[str, MemoryId]:
    """Map each text of a memory, its original too, to whose it is; "" if it is several's."""
    owners = dict[str, MemoryId]()
    for memory_id, *texts in tx.memories.list_texts():
        for text in texts:
            owners[text] = memory_id if owners.get(text, memory_id) == memory_id else ""
    return owners


def forgets(run: UpkeepRun, m: Memory) -> bool:
    """Tell whether the memory's curve lets go of it by now."""
    weight = lifecycle.compute_weight(m, run.tools.u, run.now)
    return m.state is State.ACTIVE and lifecycle.is_forgotten_at(m, weight)


def _put_level(run: UpkeepRun, tx: Transaction, m: Memory, level: Level, content: str) -> None:
    """Write one memory's level as a change set of its own, so that it can be undone."""
    run.count("down" if level > m.level else "up")
    run.count(f"to_{level.name.lower()}")
    if lifecycle.is_episode(m):
        run.count("episodes")
    elif lifecycle.is_expired(m, run.now):
        run.count("todos")
    if is_long(m, level, content):
        _get_unwritten(run)[m.id] = 0
    step = f"{m.level.name.lower()} → {level.name.lower()}"
    run.change(tx, m, replace(m, level=level, content=content), "levelled", "level", step)


# --- better words by a model ---


def _get_unwritten(run: UpkeepRun) -> dict[MemoryId, int]:
    """Return those whose summary or tag no model has been asked for yet."""
    waiting: dict[MemoryId, int] = run.data.setdefault("carry", {}).setdefault("unwritten", {})
    return waiting


async def rewrite_levels(run: UpkeepRun) -> None:
    """Have long summaries and tags written anew, the heaviest first.

    Raises ModelError; what was written until then stays.
    """
    waiting = _get_unwritten(run)
    rows = sorted((w for w in run.rows if w.row.id in waiting), key=lambda w: -w.weight)
    memories = await run.memories([w.row.id for w in rows[:MOST_WRITTEN]])
    by_id = {m.id: m for m in memories}
    ordered = [by_id[w.row.id] for w in rows if w.row.id in by_id]
    await run.work_each(group_by_language(ordered, lambda m: m, PER_CALL), _rewrite)


async def _rewrite(run: UpkeepRun, memories: Sequence[Memory]) -> Work:
    items = [
        {"id": m.id, "text": redact_memory(m), "level": BY_MODEL[m.level], "lang": m.language}
        for m in memories
        if m.level in BY_MODEL and is_current_fact(m)
    ]
    texts: dict[MemoryId, str] = {}
    if items:
        answer: LevelTexts | None = await run.ask(
            "level", memories[0].language, {"items": items}, 200 + 80 * len(items)
        )
        answered = answer.texts if answer else ()
        texts = {t.id: strip_subject(" ".join(t.text.split())) for t in answered}
    return partial(_write, run, memories, texts)


def _write(
    run: UpkeepRun, memories: Sequence[Memory], texts: Mapping[MemoryId, str], tx: Transaction
) -> None:
    """Write the model's texts that are shorter and as true; the others' words stay as they are."""
    fresh = {m.id: m for m in tx.memories.get_many(m.id for m in memories)}
    owners, waiting = _map_texts(tx), _get_unwritten(run)
    for old in memories:
        waiting.pop(old.id, None)
        m, text = fresh.get(old.id), texts.get(old.id, "")
        if m is None or m.rev != old.rev or m.level not in BY_MODEL or not text:
            continue  # spoken of, edited or forgotten meanwhile
        why = find_level_fault(m, m.level, text) or find_loss(m, text)
        if why or len(text) >= len(m.content) or text in owners:
            run.tools.skipped(f"{BY_MODEL[m.level]} of {m.id}", why or "no better", text)
            continue
        owners[text] = m.id
        run.begin(tx, "upkeep")
        tx.memories.put(replace(m, content=text), "levelled")
