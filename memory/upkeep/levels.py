"""Down the five levels: what a weight has come to, in the words of its level.

Content is always written from the original, never from the level before, so that a jump over
several levels gives what one night after another would have given. Traces and archived ones are
templates; summaries and tags are the memory model's, many at a call, each answered under its own
id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from memory import lifecycle, privacy
from memory.learn.visible_messages import redact_memory
from memory.lifecycle.relevance import LOWER_BELOW
from memory.models import (
    Kind,
    Layer,
    Level,
    Memory,
    MemoryId,
    MemoryOutline,
    Sensitivity,
    State,
    detect_language,
    is_quote,
)
from memory.ports import Transaction
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.run import (
    BATCH,
    TRIES,
    NightCounts,
    UpkeepRun,
    Work,
    group_by_language,
    split_into_batches,
)
from memory.upkeep.topics import fill_template

if TYPE_CHECKING:
    from memory.learn.schemas import LevelTexts

PER_CALL: Final = 20  # memories in one request
MOST_WRITTEN: Final = 2_000  # by a model in one night; the rest follows in the next ones
LONGEST_TAG: Final = 80
_FADING: Final = frozenset({State.ACTIVE, State.SUPERSEDED})
_WORDS: Final[Mapping[Level, str]] = {
    Level.SUMMARY: "summary",
    Level.TAG: "tag",
}  # what a model writes
_NUMBER: Final = re.compile(r"\d+")
_CLAUSE: Final = re.compile(
    r"[,，;；:：。.!！?？—]|\s(?:because|but|although|without)\s|因为|但|虽然"
)
_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][\w’'-]+")


class DueLevels(NamedTuple):
    """Who stands at another level than their weight says, or has faded out of it all: by rules, by a model."""

    ruled: list[MemoryId]
    written: dict[MemoryId, Level]


def find_due_levels(run: UpkeepRun) -> DueLevels:
    """From the outlines; what is found is judged again before it is written."""
    ruled: list[MemoryId] = []
    written: dict[MemoryId, Level] = {}
    for row, _, level, forgets, _ in run.rows:
        if row.state not in _FADING or (
            level == row.level and not (forgets and row.state == State.ACTIVE)
        ):
            continue
        if not forgets and level in _WORDS and _rewritable(row):
            written[row.id] = level
        else:
            ruled.append(row.id)
    return DueLevels(ruled, written)


def _rewritable(row: MemoryOutline | Memory) -> bool:
    """Sensitivity 2 and 3 and episodes keep their words at every level."""
    episode = row.layer == Layer.EPISODE or row.kind == Kind.EPISODE
    return row.sensitivity < Sensitivity.PRIVATE and not episode


def write_level_text(m: Memory, level: Level) -> str | None:
    """Return the content at a level, as far as rules give it; None where a model has to write it."""
    if level is Level.FULL or not _rewritable(m):
        return m.original_content
    return None if level in _WORDS else fill_template(m, level)


# --- worn by a night ---


async def lower_importance(run: UpkeepRun) -> None:
    """Under `relevance`, below 0.3, a night takes a tenth of the importance: an event for each, missed ones too."""
    low = [w.row for w in run.rows if w.row.curve == "relevance" and w.weight < LOWER_BELOW]
    worn = [
        r.id
        for r in low
        if r.state == State.ACTIVE and r.layer != Layer.EPISODE and r.kind != Kind.EPISODE
    ]
    await run.write_each(split_into_batches(worn), _wear)
    if worn:
        await run.look()


def _wear(run: UpkeepRun, tx: Transaction, tally: NightCounts, ids: Sequence[MemoryId]) -> None:
    gone = lifecycle.CURVES["relevance"].forgets_below or 0.0
    for m in tx.memories.get_many(ids):
        for night in run.nights:
            weight = lifecycle.compute_weight(m, run.tools.u, night)
            if (
                m.state is State.ACTIVE
                and m.curve_state.at < night
                and gone <= weight < LOWER_BELOW
            ):
                m = _worn(run, tx, m, night)  # noqa: PLW2901 - one memory, night after night
                tally.count("lowered")


def _worn(run: UpkeepRun, tx: Transaction, m: Memory, night: datetime) -> Memory:
    tx.changes.begin("system", "upkeep", run.now, job_id=run.job.id)
    after, log = lifecycle.apply_event(m, "lowered", run.tools.u, night)
    stored = tx.memories.put(
        replace(after, weight=lifecycle.compute_weight(after, run.tools.u, run.now)), "levelled"
    )
    tx.memories.log(log)
    return stored


# --- by rules ---


async def apply_level_rules(run: UpkeepRun) -> None:
    """Traces, archives, what comes back up, what may not be rewritten, and what its curve forgets."""
    await run.write_each(split_into_batches(find_due_levels(run).ruled, BATCH), _settle)


def _settle(run: UpkeepRun, tx: Transaction, tally: NightCounts, ids: Sequence[MemoryId]) -> None:
    for m in tx.memories.get_many(ids):
        if m.state not in _FADING:
            continue
        verdict = lifecycle.decide_action(m, run.tools.u, run.now)
        if run.believed and m.state is State.ACTIVE and isinstance(verdict, lifecycle.ForgetAction):
            new = replace(m, state=State.FORGOTTEN, deleted_at=run.now)
            run.change(tx, m, new, "forgotten", "forgotten", "faded")
            tally.count("forgotten")
            continue
        level = lifecycle.compute_level(m, run.tools.u, run.now)
        content = write_level_text(m, level)
        if level is not m.level and content is not None:
            _relevel(run, tx, tally, m, level, content)


def _relevel(
    run: UpkeepRun, tx: Transaction, tally: NightCounts, m: Memory, level: Level, content: str
) -> None:
    """Level, content, weight and log row of one memory, as a change set of its own, so that it can be undone."""
    tally.count("down" if level > m.level else "up")
    tally.count(f"to_{level.name.lower()}")
    if lifecycle.is_episode(m):
        tally.count("episodes")
    elif lifecycle.is_expired(m, run.now):
        tally.count("todos")
    step = f"{m.level.name.lower()} → {level.name.lower()}"
    run.change(tx, m, replace(m, level=level, content=content), "levelled", "level", step)


# --- by a model ---


async def rewrite_levels(run: UpkeepRun) -> None:
    """Summaries and tags. Raises ModelError; what was written until then stays."""
    todo = dict(list(find_due_levels(run).written.items())[:MOST_WRITTEN])
    memories = await run.memories(list(todo))
    portions = [
        p
        for some in group_by_language(memories).values()
        for p in split_into_batches(some, PER_CALL)
    ]
    await run.work_each(portions, partial(_written, levels=todo))


async def _written(
    run: UpkeepRun, memories: Sequence[Memory], levels: Mapping[MemoryId, Level]
) -> Work:
    notes = [m for m in memories if not is_quote(m)]  # a person's own words are not put in others
    if not notes:
        return partial(_write, run, memories, {})
    items = [
        {"id": m.id, "text": redact_memory(m), "level": _WORDS[levels[m.id]], "lang": m.language}
        for m in notes
    ]
    asked, limit = {"items": items}, 200 + 80 * len(items)
    answer: LevelTexts | None = await run.tools.read(
        run.user_id, "level", notes[0].language, asked, asked, run.now, limit
    )
    texts = {
        t.id: strip_subject(" ".join(t.text.split())) for t in (answer.texts if answer else ())
    }
    return partial(_write, run, memories, texts)


def _write(
    run: UpkeepRun,
    memories: Sequence[Memory],
    texts: Mapping[MemoryId, str],
    tx: Transaction,
    tally: NightCounts,
) -> None:
    fresh = {m.id: m for m in tx.memories.get_many(m.id for m in memories)}
    for old in memories:
        m = fresh.get(old.id)
        if m is None or m.rev != old.rev or m.state not in _FADING:
            continue  # spoken of, edited or forgotten meanwhile: the next night looks at it anew
        level = lifecycle.compute_level(m, run.tools.u, run.now)
        if level is m.level or level not in _WORDS:
            continue
        text = m.original_content if is_quote(m) else texts.get(m.id, "")
        if not is_quote(m) and (why := find_level_fault(m, level, text)):
            run.tools.skipped(f"{_WORDS[level]} of {m.id}", why, text)
            if tally.carry("unwritten", m.id) < TRIES:
                tally.count("unwritten")
                continue
            text = fill_template(m, Level.TAG) if level is Level.TAG else m.original_content
        tally.drop("unwritten", m.id)
        _relevel(run, tx, tally, m, level, text)


def find_level_fault(m: Memory, level: Level, text: str) -> str:
    """Say why a model's text cannot stand for the memory; empty if it can.

    It may say less than the original, but nothing else: no other number, no new name, no lost
    "not", no other language, no order, no secret.
    """
    original = m.original_content
    longest = (
        max(len(original) + 20, 40)
        if level is Level.SUMMARY
        else min(LONGEST_TAG, max(len(original) + 10, 20))
    )
    folded = original.casefold()
    if why := unsayable(text, longest):
        return why
    if detect_language(text, m.language) != m.language:
        return "another language"
    if not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(original)):
        return "another number"
    if any(name.casefold() not in folded for name in _NAME.findall(text)):
        return "another name"
    return "another sense" if denies_or_ends(_main(text)) != denies_or_ends(_main(original)) else ""


def unsayable(text: str, longest: int) -> str:
    """Say why a model's text cannot stand for any memory; empty if it can."""
    if not any(c.isalnum() for c in text):
        return "empty"
    if len(text) > longest:
        return "too long"
    return (
        "not to be kept" if privacy.redact(text)[1] or privacy.is_refused_instruction(text) else ""
    )


def _main(text: str) -> str:
    """Return the main clause: "takes coffee, no sugar" denies the sugar, not the coffee."""
    return _CLAUSE.split(text.strip(), maxsplit=1)[0]
