"""Who stands near whom, and the nightly merge: several memories that say one thing become one.

One scale for every embedder. Recall's gate is calibrated for a question beside a memory; two
statements beside each other lie closer together, so that they have a calibration of their own: 0.75
means that they hardly say different things.

Merged is what is of the same kind and at least 0.75 alike, with the same numbers, names and
polarity, valid at the same time and nobody's secret. The most recently activated one is the base
and keeps its id; the memory model writes the text, or says that they are different things after
all. The others stay, `merged`, and their words stay in the base's `original_contents`: an undo
takes the merge apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import exp, sqrt
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from memory import lifecycle
from memory.learn.same_meaning import (
    find_names,
    has_same_details,
    list_content_words,
    normalise_text,
)
from memory.learn.visible_messages import redact_memory
from memory.lifecycle.life import MENTIONS_KEPT
from memory.models import (
    Filter,
    Layer,
    Level,
    Memory,
    MemoryId,
    MemoryOutline,
    Sensitivity,
    State,
    is_quote,
)
from memory.ports import FloatArray, Transaction
from memory.text.notes import strip_subject
from memory.text.speech import denies_or_ends
from memory.upkeep.levels import unsayable
from memory.upkeep.run import NightCounts, UpkeepRun, Work

if TYPE_CHECKING:
    from memory.learn.schemas import Merged

Near: TypeAlias = Mapping[MemoryId, Mapping[MemoryId, float]]
"""For each memory that was looked at those nearest to it, with their similarity."""

DUPLICATE: Final = 0.75  # similarity from which two memories say the same
NEIGHBOURS: Final = 12
_PER_LOOK: Final = 64  # vectors in one product
_SECONDS: Final = 2.0  # for looking; who is not reached is looked at in the next night
_MOST: Final = 4_000
MOST_MERGES: Final = 25  # a night
LARGEST: Final = 12  # memories in one merge
_MAX_ANSWER: Final = 300
_NUMBER: Final = re.compile(r"\d+")
_LABEL: Final = re.compile(r"^\s*(?:[-*•]|merged?\s*[:：]|合并(?:后|结果)?\s*[:：])\s*", re.I)


class CosineCalibration(NamedTuple):
    """Where an embedder's cosines stop being chance (0.5 at `half`) and how sharply."""

    half: float
    slope: float


# Cosines of two short statements about the same person.
CALIBRATIONS: Final[Mapping[str, CosineCalibration]] = {
    "lexical": CosineCalibration(0.68, 16.0),
    "openai:text-embedding-3": CosineCalibration(0.66, 16.0),
    "fastembed": CosineCalibration(0.72, 14.0),
    "bundled": CosineCalibration(0.92, 46.0),
    "": CosineCalibration(0.74, 14.0),
}
CURRENT: Final = Filter(
    layers=frozenset({Layer.FACT, Layer.CORE}), negated=False, max_sensitivity=Sensitivity.PRIVATE
)


def compute_similarity(a: str, b: str, cosine: float | None, embedder: str) -> float:
    """0 … 1: by the words they share, or by what the embedder says; the better one counts."""
    by_words = _by_words(a, b)
    if cosine is None:
        return by_words
    c = CALIBRATIONS[max((p for p in CALIBRATIONS if embedder.startswith(p)), key=len)]
    return max(by_words, 1 / (1 + exp(-c.slope * (cosine - c.half))))


def _by_words(a: str, b: str) -> float:
    """Between the share of all words that both have, and that of the shorter one's words the longer has."""
    x, y = list_content_words(a), list_content_words(b)
    return len(x & y) / sqrt(len(x | y) * min(len(x), len(y))) if x and y else 0.0


def list_current_facts(run: UpkeepRun) -> list[MemoryOutline]:
    """Return facts that hold, in the order they were made; no secrets."""
    return [
        r
        for r, *_ in run.rows
        if r.state == State.ACTIVE
        and r.layer in {Layer.FACT, Layer.CORE}
        and r.negated_at is None
        and r.sensitivity < Sensitivity.SECRET
    ]


def list_new_facts(run: UpkeepRun, since: int) -> list[MemoryOutline]:
    """Return current facts made after the place `since`, in that order, as many as a night may look at."""
    return [r for r in list_current_facts(run) if r.place > since][:_MOST]


async def find_nearest(
    run: UpkeepRun, ids: Sequence[MemoryId]
) -> dict[MemoryId, dict[MemoryId, float]]:
    """For each memory those that stand nearest to it, with their similarity; in order, until time is up."""
    out: dict[MemoryId, dict[MemoryId, float]] = {}
    until = perf_counter() + _SECONDS
    for start in range(0, len(ids), _PER_LOOK):
        if out and perf_counter() > until:
            break
        out.update(await _near(run, ids[start : start + _PER_LOOK]))
    return out


async def _near(run: UpkeepRun, ids: Sequence[MemoryId]) -> dict[MemoryId, dict[MemoryId, float]]:
    reader, embedder = run.tools.store.open_reader(run.user_id), run.tools.embedder.id
    memories = {m.id: m for m in await reader.get(ids)}
    vectors = await _vectors(run, memories)
    having, rest = [i for i in memories if i in vectors], [i for i in memories if i not in vectors]
    by_vector = (
        await reader.search_each_vector([vectors[i] for i in having], NEIGHBOURS + 1, CURRENT)
        if having
        else []
    )
    texts = [memories[i].original_content for i in rest]
    by_words = await reader.search_each_text(texts, NEIGHBOURS + 1, CURRENT) if rest else []
    near = {
        i: [s.id for s in found]
        for i, found in zip((*having, *rest), (*by_vector, *by_words), strict=True)
    }
    others = sorted({i for found in near.values() for i in found} - memories.keys())
    beside = {m.id: m for m in await reader.get(others)}
    known, every = memories | beside, {**vectors, **await _vectors(run, beside)}

    def alike(a: MemoryId, b: MemoryId) -> float:
        cosine = float(np.dot(every[a], every[b])) if a in every and b in every else None
        return compute_similarity(
            known[a].original_content, known[b].original_content, cosine, embedder
        )

    return {a: {b: alike(a, b) for b in near[a] if b != a and b in known} for a in memories}


async def _vectors(
    run: UpkeepRun, memories: Mapping[MemoryId, Memory]
) -> dict[MemoryId, FloatArray]:
    """Return those stored, and for what the background has not come to yet its own; none where the embedder fails."""
    stored = await run.tools.store.read(
        run.user_id, lambda tx: tx.vectors.get(list(memories), run.tools.embedder.id)
    )
    missing = [m for m in memories.values() if m.id not in stored]
    made = await run.tools.embed([m.original_content for m in missing])
    return {**stored, **{m.id: v for m, v in zip(missing, made, strict=True) if v is not None}}


# --- merging ---


def can_merge(a: Memory, b: Memory) -> bool:
    """Tell whether two memories may become one at all, however alike they are."""
    return (
        _stands(a)
        and _stands(b)
        and (a.kind, a.layer, a.language, a.pinned) == (b.kind, b.layer, b.language, b.pinned)
        and (_since(a), a.valid_until, a.expires_at) == (_since(b), b.valid_until, b.expires_at)
        and a.id not in b.supersedes
        and b.id not in a.supersedes
        and has_same_details(a.original_content, b.original_content)
        and not _about_others(a, b)
    )


def _since(m: Memory) -> datetime | None:
    """Since when it has been so, if anybody said: that it was said in place of another version does not say it."""
    return None if m.valid_from == m.created_at else m.valid_from


def _stands(m: Memory) -> bool:
    return (
        m.state is State.ACTIVE
        and m.layer in {Layer.FACT, Layer.CORE}
        and m.negated_at is None
        and not any(entry.get("denies") for entry in m.correction_history)
        and m.sensitivity < Sensitivity.SECRET
        and not m.source_ids
    )


def _about_others(a: Memory, b: Memory) -> bool:
    """Each names people or things, and none that the other names."""
    x, y = ({e.casefold() for e in m.entities} for m in (a, b))
    return bool(x and y) and x.isdisjoint(y)


def group_duplicates(memories: Mapping[MemoryId, Memory], near: Near) -> list[tuple[Memory, ...]]:
    """Who merges with whom, the base first: everybody is a duplicate of the base, nobody is in two groups."""
    pairs: dict[MemoryId, set[MemoryId]] = {}
    for a, found in near.items():
        for b, score in found.items():
            if (
                score >= DUPLICATE
                and a in memories
                and b in memories
                and can_merge(memories[a], memories[b])
            ):
                pairs.setdefault(a, set()).add(b)
                pairs.setdefault(b, set()).add(a)
    out: list[tuple[Memory, ...]] = []
    taken: set[MemoryId] = set()
    for base in sorted(
        (memories[i] for i in pairs),
        key=lambda m: (m.last_activated_at, m.created_at),
        reverse=True,
    ):
        free = sorted((memories[i] for i in pairs[base.id] - taken), key=lambda m: m.created_at)
        if free and base.id not in taken:
            out.append((base, *free[: LARGEST - 1]))
            taken |= {m.id for m in out[-1]}
    return out


async def merge(run: UpkeepRun, near: Near) -> None:
    """Merge what is the same. Raises ModelError; what was merged until then stays."""
    ids = {*near, *(i for found in near.values() for i in found)}
    memories = {m.id: m for m in await run.memories(sorted(ids))}
    await run.work_each(group_duplicates(memories, near)[:MOST_MERGES], _merged)


async def _merged(run: UpkeepRun, group: tuple[Memory, ...]) -> Work:
    return partial(_write, run, group, await _text(run, group))


async def _text(run: UpkeepRun, group: tuple[Memory, ...]) -> str | None:
    """The merged text; the base's own where the model's cannot be used and nothing would be lost; else None."""
    texts, base = list(dict.fromkeys(map(redact_memory, group))), group[0]
    if len({normalise_text(t) for t in texts}) == 1:
        return base.original_content
    answer: Merged | None = await run.tools.read(
        run.user_id,
        "merge",
        base.language,
        {"texts": texts},
        {"texts": texts},
        run.now,
        _MAX_ANSWER,
    )
    if answer is not None and answer.separate:
        return None
    said = answer.text.partition("\n")[0] if answer else ""
    text = strip_subject(_LABEL.sub("", said).strip(' "“”'))
    if not (why := find_merge_fault(group, text)):
        return text
    run.tools.skipped(f"merge into {base.id}", why, text)
    whole = list_content_words(base.original_content)
    return (
        base.original_content
        if all(list_content_words(m.original_content) <= whole for m in group)
        else None
    )


def find_merge_fault(group: Sequence[Memory], text: str) -> str:
    """Say why a model's text cannot stand for all of them; empty if it can."""
    originals = [m.original_content for m in group]
    first, folded = originals[0], text.casefold()
    if why := unsayable(text, min(1_000, sum(map(len, originals)) + 40)):
        return why
    if set(_NUMBER.findall(text)) != {n for t in originals for n in _NUMBER.findall(t)}:
        return "other numbers"
    if denies_or_ends(text) != denies_or_ends(first):
        return "another sense"
    if any(name not in folded for name in find_names(first)):
        return "a name is missing"
    return (
        "about something else"
        if list_content_words(text).isdisjoint(list_content_words(first))
        else ""
    )


def _write(
    run: UpkeepRun, group: Sequence[Memory], text: str | None, tx: Transaction, tally: NightCounts
) -> None:
    """All of them as they were read, or nothing: one change set."""
    fresh = tx.memories.get_many(m.id for m in group)
    if text is None:
        tally.count("separate")
        return
    if [m.rev for m in fresh] != [m.rev for m in group]:
        return
    base, *others = fresh
    stored = run.change(
        tx, base, merge_group(run, fresh, text), "merged", "merged", f"{len(fresh)} into one"
    )
    for m in others:
        tx.memories.put(replace(m, state=State.MERGED, merged_into=stored.id), "merged")
    tally.count("merges")
    tally.count("merged", len(others))


def merge_group(run: UpkeepRun, every: Sequence[Memory], text: str) -> Memory:
    """The base with all that the others had: their words, mentions, topics; as certain as the most certain one."""
    base, *others = every
    originals = {**base.original_contents}
    originals.setdefault(base.id, base.original_content)
    for m in others:
        originals.update(m.original_contents)
        originals.setdefault(m.id, m.original_content)
    quoted = is_quote(base) and text == base.original_content
    return replace(
        base,
        content=text if base.level in {Level.FULL, Level.SUMMARY} else base.content,
        original_content=text,
        topics=_joined(m.topics for m in every),
        entities=_joined(m.entities for m in every),
        modalities=tuple(x for x in _joined(m.modalities for m in every) if x != "quote" or quoted),
        confidence=max(m.confidence for m in every),
        verified=any(m.verified for m in every),
        sensitivity=max(m.sensitivity for m in every),
        importance=max(lifecycle.compute_counter(m, run.tools.u, run.now) for m in every),
        importance_at=run.now,
        activation_count=sum(m.activation_count for m in every),
        recent_mentions=tuple(sorted({t for m in every for t in m.recent_mentions}))[
            -MENTIONS_KEPT:
        ],
        merged_from=_joined((base.merged_from, *((m.id, *m.merged_from) for m in others))),
        original_contents=originals,
        supersedes=_joined(m.supersedes for m in every),
        correction_history=tuple(e for m in every for e in m.correction_history),
    )


def _joined(some: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(x for xs in some for x in xs))
