"""Down the five levels: what a weight has come to, in the words of its level.

Content is always written from the original, never from the level before, so that a jump over
several levels gives what one night after another would have given. Traces and archived ones are
templates; summaries and tags are the memory model's, many at a call, each answered under its own
id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from memory import lifecycle
from memory.learn.visible_messages import redact_memory
from memory.models import Layer, Level, Memory, MemoryId, State, is_quote
from memory.ports import Transaction
from memory.text.notes import strip_subject
from memory.upkeep.level_texts import (
    BY_MODEL,
    fill_template,
    find_level_fault,
    is_rewritable,
    write_level_text,
)
from memory.upkeep.run import (
    UpkeepRun,
    WeighedOutline,
    Work,
    group_by_language,
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


class DueLevels(NamedTuple):
    """Who stands at another level than their weight says: for rules, and for a model."""

    ruled: list[MemoryId]
    written: dict[MemoryId, Level]


def find_due_levels(run: UpkeepRun) -> DueLevels:
    """Find who fades or comes back, and what its curve forgets; judged again before a write."""
    due = DueLevels([], {})
    for row, _, level, forgets, _ in run.rows:
        forgotten = forgets and row.state == State.ACTIVE
        if row.state not in _FADING or (level == row.level and not forgotten):
            continue
        if not forgets and level in BY_MODEL and is_rewritable(row):
            due.written[row.id] = level
        else:
            due.ruled.append(row.id)
    return due


async def apply_level_rules(run: UpkeepRun) -> None:
    """Write traces, archives, what comes back up or keeps its words; forget what its curve does."""
    await run.write_each(split_into_batches(find_due_levels(run).ruled), _settle)


def _settle(run: UpkeepRun, tx: Transaction, ids: Sequence[MemoryId]) -> None:
    for m in tx.memories.get_many(ids):
        if m.state not in _FADING:
            continue
        if run.believed and forgets(run, m):
            new = replace(m, state=State.FORGOTTEN, deleted_at=run.now)
            run.change(tx, m, new, "forgotten", "forgotten", "faded")
            run.count("forgotten")
            continue
        level = lifecycle.compute_level(m, run.tools.u, run.now)
        content = write_level_text(m, level)
        if level is not m.level and content is not None:
            _put_level(run, tx, m, level, content)


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
    step = f"{m.level.name.lower()} → {level.name.lower()}"
    run.change(tx, m, replace(m, level=level, content=content), "levelled", "level", step)


# --- levels by a model ---


async def rewrite_levels(run: UpkeepRun) -> None:
    """Have summaries and tags written. Raises ModelError; what was written until then stays."""
    due = dict(list(find_due_levels(run).written.items())[:MOST_WRITTEN])
    memories = await run.memories(list(due))
    portions = group_by_language(memories, lambda m: m, PER_CALL)
    await run.work_each(portions, partial(_rewrite, levels=due))


async def _rewrite(
    run: UpkeepRun, memories: Sequence[Memory], levels: Mapping[MemoryId, Level]
) -> Work:
    notes = [m for m in memories if not is_quote(m)]  # a person's own words are not put in others
    items = [
        {"id": m.id, "text": redact_memory(m), "level": BY_MODEL[levels[m.id]], "lang": m.language}
        for m in notes
    ]
    texts: dict[MemoryId, str] = {}
    if items:
        answer: LevelTexts | None = await run.ask(
            "level", notes[0].language, {"items": items}, 200 + 80 * len(items)
        )
        answered = answer.texts if answer else ()
        texts = {t.id: strip_subject(" ".join(t.text.split())) for t in answered}
    return partial(_write, run, memories, texts)


def _write(
    run: UpkeepRun, memories: Sequence[Memory], texts: Mapping[MemoryId, str], tx: Transaction
) -> None:
    fresh = {m.id: m for m in tx.memories.get_many(m.id for m in memories)}
    for old in memories:
        m = fresh.get(old.id)
        if m is None or m.rev != old.rev or m.state not in _FADING:
            continue  # spoken of, edited or forgotten meanwhile: the next night looks at it anew
        level = lifecycle.compute_level(m, run.tools.u, run.now)
        if level is m.level or level not in BY_MODEL:
            continue
        text = m.original_content if is_quote(m) else texts.get(m.id, "")
        if not is_quote(m) and (why := find_level_fault(m, level, text)):
            run.tools.skipped(f"{BY_MODEL[level]} of {m.id}", why, text)
            if not run.count_failure("unwritten", m.id):
                continue
            text = fill_template(m, level) if level is Level.TAG else m.original_content
        run.clear_failures("unwritten", m.id)
        _put_level(run, tx, m, level, text)
