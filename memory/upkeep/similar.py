"""How alike two memories are, on one scale for every embedder, and who stands near whom.

Recall's gate is calibrated for a question beside a memory; two statements beside each other lie closer together,
so that they have a calibration of their own: 0.75 means that they hardly say different things.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from time import perf_counter
from typing import Final

import numpy as np

from memory.learn.alike import words
from memory.models import Filter, Layer, Memory, MemoryId, Outline, Sensitivity, State
from memory.ports import FloatArray
from memory.upkeep.run import Run

DUPLICATE: Final = 0.75  # S2
NEIGHBOURS: Final = 12
_PER_LOOK: Final = 64  # vectors in one product
_SECONDS: Final = 2.0  # for looking; who is not reached is looked at in the next night
_MOST: Final = 4_000


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where an embedder's cosines stop being chance (0.5 at `half`) and how sharply."""

    half: float
    slope: float


# Cosines of two short statements about the same person.
CALIBRATIONS: Final[Mapping[str, Calibration]] = {
    "lexical": Calibration(0.68, 16.0),
    "openai:text-embedding-3": Calibration(0.66, 16.0),
    "fastembed": Calibration(0.72, 14.0),
    "bundled": Calibration(0.92, 46.0),
    "": Calibration(0.74, 14.0),
}
CURRENT: Final = Filter(
    layers=frozenset({Layer.FACT, Layer.CORE}), negated=False, max_sensitivity=Sensitivity.PRIVATE
)


def similarity(a: str, b: str, cosine: float | None, embedder: str) -> float:
    """0 … 1: by the words they share, or by what the embedder says; the better one counts."""
    by_words = _by_words(a, b)
    if cosine is None:
        return by_words
    c = CALIBRATIONS[max((p for p in CALIBRATIONS if embedder.startswith(p)), key=len)]
    return max(by_words, 1 / (1 + exp(-c.slope * (cosine - c.half))))


def fresh(run: Run, since: int) -> list[Outline]:
    """Current facts made after the place `since`, in that order, as many as a night may look at."""
    return [r for r in current(run.rows) if r.place > since][:_MOST]


def _by_words(a: str, b: str) -> float:
    """Between the share of all words that both have, and that of the shorter one's words the longer has."""
    x, y = words(a), words(b)
    return len(x & y) / sqrt(len(x | y) * min(len(x), len(y))) if x and y else 0.0


def current(rows: Iterable[Outline]) -> list[Outline]:
    """Facts that hold, in the order they were made; no secrets."""
    return [
        r
        for r in rows
        if r.state == State.ACTIVE
        and r.layer in {Layer.FACT, Layer.CORE}
        and r.negated_at is None
        and r.sensitivity < Sensitivity.SECRET
    ]


async def neighbours(run: Run, ids: Sequence[MemoryId]) -> dict[MemoryId, dict[MemoryId, float]]:
    """For each memory those that stand nearest to it, with their similarity; in order, until time is up."""
    out: dict[MemoryId, dict[MemoryId, float]] = {}
    until = perf_counter() + _SECONDS
    for start in range(0, len(ids), _PER_LOOK):
        if out and perf_counter() > until:
            break
        out.update(await _near(run, ids[start : start + _PER_LOOK]))
    return out


async def _near(run: Run, ids: Sequence[MemoryId]) -> dict[MemoryId, dict[MemoryId, float]]:
    reader = run.tools.store.reader(run.user_id)
    memories = {m.id: m for m in await reader.get(ids)}
    vectors = await _vectors(run, memories)
    having = [i for i in memories if i in vectors]
    near: dict[MemoryId, dict[MemoryId, None]] = {i: {} for i in memories}
    looked = await reader.nearest_each([vectors[i] for i in having], NEIGHBOURS + 1, CURRENT) if having else []
    for i, found in zip(having, looked, strict=True):
        near[i] |= dict.fromkeys(s.id for s in found)
    rest = [m for m in memories.values() if m.id not in vectors]
    if rest:
        texts = [m.original_content for m in rest]
        for m, found in zip(rest, await reader.lexical_each(texts, NEIGHBOURS + 1, CURRENT), strict=True):
            near[m.id] |= dict.fromkeys(s.id for s in found)
    others = sorted({i for found in near.values() for i in found} - memories.keys())
    beside = {m.id: m for m in await reader.get(others)}
    every = {**vectors, **await _vectors(run, beside)}
    return {i: _scored(m, near[i], memories | beside, every, run.tools.embedder.id) for i, m in memories.items()}


async def _vectors(run: Run, memories: Mapping[MemoryId, Memory]) -> dict[MemoryId, FloatArray]:
    """Those stored, and for what the background has not come to yet its own; none where the embedder fails."""
    stored = await run.tools.store.read(run.user_id, lambda tx: tx.vectors.get(list(memories), run.tools.embedder.id))
    missing = [m for m in memories.values() if m.id not in stored]
    made = await run.tools.embed([m.original_content for m in missing])
    return {**stored, **{m.id: v for m, v in zip(missing, made, strict=True) if v is not None}}


def _scored(
    m: Memory,
    near: Iterable[MemoryId],
    known: Mapping[MemoryId, Memory],
    vectors: Mapping[MemoryId, FloatArray],
    embedder: str,
) -> dict[MemoryId, float]:
    out: dict[MemoryId, float] = {}
    for i in near:
        if i == m.id or i not in known:
            continue
        both = m.id in vectors and i in vectors
        cosine = float(np.dot(vectors[m.id], vectors[i])) if both else None
        out[i] = similarity(m.original_content, known[i].original_content, cosine, embedder)
    return out
