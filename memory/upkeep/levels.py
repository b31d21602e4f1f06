"""Down the five levels (S4): what a weight has come to, in the words of its level.

Content is always written from the original, never from the level before, so that a jump over several levels gives
what one night after another would have given. Traces and archived ones are templates; summaries and tags are the
memory model's, many at a call, each answered under its own id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory import lifecycle, privacy
from memory.learn.material import told
from memory.lifecycle.relevance import LOWER_BELOW
from memory.models import Kind, Lang, Layer, Level, Memory, MemoryId, Outline, Sensitivity, State, language_of
from memory.ports import Tx
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.run import BATCH, TRIES, Run, Tally, batches, by_language
from memory.upkeep.topics import template

if TYPE_CHECKING:
    from memory.learn.schemas import LevelTexts

PER_CALL: Final = 20  # memories in one request
MOST_WRITTEN: Final = 2_000  # by a model in one night; the rest follows in the next ones
LONGEST_TAG: Final = 80
_FADING: Final = frozenset({State.ACTIVE, State.SUPERSEDED})
_WRITTEN: Final = frozenset({Level.SUMMARY, Level.TAG})
_WORDS: Final[Mapping[Level, str]] = {Level.SUMMARY: "summary", Level.TAG: "tag"}
_NUMBER: Final = re.compile(r"\d+")
_CLAUSE: Final = re.compile(r"[,，;；:：。.!！?？—]|\s(?:because|but|although|without)\s|因为|但|虽然")
_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][\w’'-]+")


@dataclass(frozen=True, slots=True)
class Due:
    """Who stands at another level than their weight says: by rules, by a model; and who has faded out of it all."""

    ruled: tuple[MemoryId, ...]
    written: tuple[tuple[MemoryId, Level], ...]


def due(run: Run) -> Due:
    """From the outlines; what is found is judged again before it is written."""
    if run.seen is None:
        raise AssertionError
    ruled: list[MemoryId] = []
    written: list[tuple[MemoryId, Level]] = []
    for row, level, forgets in zip(run.rows, run.seen.level.tolist(), run.seen.forgets.tolist(), strict=True):
        if row.state not in _FADING or (level == row.level and not (forgets and row.state == State.ACTIVE)):
            continue
        if not forgets and level in _WRITTEN and _rewritable(row):
            written.append((row.id, Level(level)))
        else:
            ruled.append(row.id)
    return Due(tuple(ruled), tuple(written))


def _rewritable(row: Outline | Memory) -> bool:
    """Sensitivity 2 and 3 and episodes keep their words at every level (S2, S0)."""
    episode = row.layer == Layer.EPISODE or row.kind == Kind.EPISODE
    return row.sensitivity < Sensitivity.PRIVATE and not episode


def words_at(m: Memory, level: Level) -> str | None:
    """The content at a level, as far as rules give it; None where a model has to write it."""
    if level is Level.FULL or not _rewritable(m):
        return m.original_content
    return None if level in _WRITTEN else template(m, level)


# --- worn by a night (S1) -------------------------------------------------------------------------------


async def wear(run: Run) -> None:
    """Under `relevance`, below 0.3, a night takes a tenth of the importance: an event for each, missed ones too."""
    if run.seen is None:
        raise AssertionError
    worn = [
        r.id for r, low in zip(run.rows, run.seen.lowers.tolist(), strict=True) if low and r.state == State.ACTIVE
    ]
    for ids in batches(worn):
        await run.write(lambda tx, tally, ids=ids: _wear(run, tx, tally, ids))  # type: ignore[misc]
    if worn:
        await run.look()


def _wear(run: Run, tx: Tx, tally: Tally, ids: Sequence[MemoryId]) -> None:
    curve = lifecycle.CURVES["relevance"]
    gone = curve.forgets_below or 0.0
    for m in tx.memories.many(ids):
        for night in run.nights:
            weight = lifecycle.weight(m, run.tools.u, night)
            if m.state is not State.ACTIVE or m.curve_state.at >= night or not gone <= weight < LOWER_BELOW:
                continue
            m = _worn(run, tx, m, night)  # noqa: PLW2901 - one memory, night after night
            tally.count("lowered")


def _worn(run: Run, tx: Tx, m: Memory, night: datetime) -> Memory:
    tx.changes.begin("system", "upkeep", run.now, job_id=run.job.id)
    after, log = lifecycle.happen(m, "lowered", run.tools.u, night)
    stored = tx.memories.put(replace(after, weight=lifecycle.weight(after, run.tools.u, run.now)), "levelled")
    tx.memories.log(log)
    return stored


# --- by rules -------------------------------------------------------------------------------------------


async def settle(run: Run) -> None:
    """Traces, archives, what comes back up, what may not be rewritten, and what its curve forgets."""
    todo = batches(due(run).ruled, BATCH)
    for i, ids in enumerate(todo):
        await run.write(lambda tx, tally, ids=ids: _settle(run, tx, tally, ids), share=(i + 1) / len(todo))  # type: ignore[misc]


def _settle(run: Run, tx: Tx, tally: Tally, ids: Sequence[MemoryId]) -> None:
    for m in tx.memories.many(ids):
        if m.state not in _FADING:
            continue
        if (
            run.believed
            and m.state is State.ACTIVE
            and isinstance(lifecycle.verdict(m, run.tools.u, run.now), lifecycle.Forget)
        ):
            new = replace(m, state=State.FORGOTTEN, deleted_at=run.now)
            run.change(tx, m, new, "forgotten", "forgotten", "faded")
            tally.count("forgotten")
            continue
        level = lifecycle.level_of(m, run.tools.u, run.now)
        content = words_at(m, level)
        if level is not m.level and content is not None:
            _count(run, tally, m, level)
            run.relevel(tx, m, level, content)


def _count(run: Run, tally: Tally, m: Memory, level: Level) -> None:
    tally.count("down" if level > m.level else "up")
    tally.count(f"to_{level.name.lower()}")
    if lifecycle.is_episode(m):
        tally.count("episodes")
    elif lifecycle.is_expired(m, run.now):
        tally.count("todos")


# --- by a model -----------------------------------------------------------------------------------------


async def rewrite(run: Run) -> None:
    """Summaries and tags. Raises ModelError; what was written until then stays."""
    todo = dict(due(run).written[:MOST_WRITTEN])
    memories = await run.tools.store.read(run.user_id, lambda tx: tx.memories.many(todo))
    portions = [p for some in by_language(memories).values() for p in batches(some, PER_CALL)]
    for i, portion in enumerate(portions):
        answers = await _ask(run, portion, todo)
        await run.write(
            lambda tx, tally, portion=portion, answers=answers: _write(run, tx, tally, portion, answers),  # type: ignore[misc]
            share=(i + 1) / len(portions),
        )


async def _ask(run: Run, memories: Sequence[Memory], levels: Mapping[MemoryId, Level]) -> Mapping[MemoryId, str]:
    lang: Lang = memories[0].language
    items = [{"id": m.id, "text": told(m), "level": _WORDS[levels[m.id]], "lang": m.language} for m in memories]
    limit = 200 + 80 * len(items)
    answer: LevelTexts | None = await run.tools.read(
        run.user_id, "level", lang, {"items": items}, {"items": items}, run.now, limit
    )
    return {t.id: strip_subject(" ".join(t.text.split())) for t in (answer.texts if answer else ())}


def _write(run: Run, tx: Tx, tally: Tally, memories: Sequence[Memory], answers: Mapping[MemoryId, str]) -> None:
    fresh = {m.id: m for m in tx.memories.many(m.id for m in memories)}
    for old in memories:
        m = fresh.get(old.id)
        if m is None or m.rev != old.rev or m.state not in _FADING:
            continue  # spoken of, edited or forgotten meanwhile: the next night looks at it anew
        level = lifecycle.level_of(m, run.tools.u, run.now)
        if level is m.level or level not in _WRITTEN:
            continue
        text = answers.get(m.id, "")
        if why := unfit(m, level, text):
            run.tools.skipped(f"{_WORDS[level]} of {m.id}", why, text)
            if tally.carry("unwritten", m.id) < TRIES:
                tally.count("unwritten")
                continue
            text = template(m, Level.TAG) if level is Level.TAG else m.original_content
        tally.drop("unwritten", m.id)
        _count(run, tally, m, level)
        run.relevel(tx, m, level, text)


def unfit(m: Memory, level: Level, text: str) -> str:
    """Why a model's text cannot stand for the memory; empty if it can.

    It may say less than the original, but nothing else: no other number, no new name, no lost "not", no other
    language, no order, no secret.
    """
    original = m.original_content
    if not text or not any(c.isalnum() for c in text):
        return "empty"
    longest = max(len(original) + 20, 40) if level is Level.SUMMARY else min(LONGEST_TAG, max(len(original) + 10, 20))
    if len(text) > longest:
        return "too long"
    if language_of(text, m.language) != m.language:
        return "another language"
    if not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(original)):
        return "another number"
    folded = original.casefold()
    if any(name.casefold() not in folded for name in _NAME.findall(text)):
        return "another name"
    if denies_or_ends(_main(text)) != denies_or_ends(_main(original)):
        return "another sense"
    if privacy.redact(text)[1] or privacy.instruction_like(text):
        return "not to be kept"
    return ""


def _main(text: str) -> str:
    """The main clause: "takes coffee, no sugar" denies the sugar, not the coffee."""
    return _CLAUSE.split(text.strip(), maxsplit=1)[0]
