"""What speaks for a memory: plain functions from a query to raw scores, higher being better.

`SIGNALS` look at the question alone. `FOLLOWERS` start from what those found: memories said beside it, memories
that share its entities, memories that have its telling words.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import exp
from typing import Final, TypeAlias

import numpy as np

from memory.models import Filter, Level, Memory, MemoryId, Mode, Query, Scored, Sensitivity, State
from memory.ports import FloatArray, Reader
from memory.recall.embedding import QueryVectors
from memory.recall.question import Question, novel, question

Scores: TypeAlias = Mapping[MemoryId, float]
Signal: TypeAlias = Callable[[Query, Reader], Awaitable[Scores]]
Follower: TypeAlias = Callable[[Query, Reader, Scores, Mapping[MemoryId, Memory]], Awaitable[Scores]]

NEAREST: Final = 40  # candidates of each look
_OWN: Final = 0.1  # share of the whole message beside its clauses
SEEDS: Final = 8
_MINUTES: Final = 30.0  # things said that far apart are hardly of one piece


def asked(q: Query) -> Question:
    """The message, read; cached."""
    return question(q.text, q.context)


def allowed(q: Query) -> Filter:
    """What this mode may see. Secrets are in no mode; the forgotten have left the indexes."""
    if q.mode is Mode.NORMAL:
        return Filter(levels=frozenset({Level.FULL, Level.SUMMARY}), valid_at=q.now, negated=False, exclude=q.exclude)
    return Filter(states=frozenset({State.ACTIVE, State.SUPERSEDED}), exclude=q.exclude)


def admits(f: Filter, m: Memory) -> bool:
    """The filter, applied to a memory that came another way."""
    valid = f.valid_at is None or (
        (m.valid_from is None or m.valid_from <= f.valid_at) and (m.valid_until is None or m.valid_until > f.valid_at)
    )
    return (
        valid
        and m.state in f.states
        and (f.levels is None or m.level in f.levels)
        and (f.negated is None or f.negated == (m.negated_at is not None))
        and m.sensitivity <= min(f.max_sensitivity, Sensitivity.PRIVATE)
        and m.id not in f.exclude
    )


def norm(scores: Scores) -> Scores:
    """As shares of the best."""
    top = max(scores.values(), default=0.0)
    return {i: s / top for i, s in scores.items() if s > 0} if top > 0 else {}


async def vectors(q: Query, reader: Reader) -> Scores:
    """Cosine with the message, or with the clause it is nearest to."""
    whole, clauses, _ = rows_of(q)
    if whole is None:
        return {}
    looks = _maps(await reader.nearest_each([whole, *clauses], NEAREST, allowed(q)))
    return {i: max(look.get(i, 0.0) for look in looks) for i in {i for look in looks for i in look}}


async def lexical(q: Query, reader: Reader) -> Scores:
    """BM25 of the message, or of its clauses, each for itself."""
    a = asked(q)
    texts = [a.text, *(c.text for c in a.clauses)] if a.several else [a.text]
    return _together(a, _maps(await reader.lexical_each(texts, NEAREST, allowed(q))))


async def context(q: Query, reader: Reader) -> Scores:
    """What the messages before this one were about, where this one points back."""
    a = asked(q)
    if a.context_weight < 0.1:
        return {}
    _, _, v = rows_of(q)
    near = norm(await _scores(reader.nearest(v, NEAREST, allowed(q)))) if v is not None else {}
    words = norm(await _scores(reader.lexical(a.context, NEAREST, allowed(q))))
    return {i: 0.6 * words.get(i, 0.0) + 0.4 * near.get(i, 0.0) for i in {*near, *words}}


async def names(q: Query, reader: Reader) -> Scores:
    """Memories about somebody or something the message names."""
    found = asked(q).names
    return await _scores(reader.by_entity(found, NEAREST, allowed(q))) if found else {}


async def graph(q: Query, reader: Reader, found: Scores, known: Mapping[MemoryId, Memory]) -> Scores:  # noqa: ARG001
    """Memories that share an entity with the best ones, or with their neighbours: two hops."""
    seeds = _best(found, 3)
    return await _scores(reader.related(seeds, 2, NEAREST)) if seeds else {}


async def beside(q: Query, reader: Reader, found: Scores, known: Mapping[MemoryId, Memory]) -> Scores:  # noqa: ARG001
    """Memories of the same session said just before or after a good one: an answer stands beside its question."""
    seeds = _best(found, SEEDS)
    out: dict[MemoryId, float] = {}
    for b in await reader.beside(seeds, 2) if seeds else []:
        share = {-2: 0.5, -1: 0.4, 1: 1.0, 2: 0.5}[b.places]
        out[b.id] = out.get(b.id, 0.0) + share * found[b.of] * exp(-b.seconds / 60 / _MINUTES)
    return out


async def bridge(q: Query, reader: Reader, found: Scores, known: Mapping[MemoryId, Memory]) -> Scores:
    """Memories with the telling words of the best one that the message lacks.

    "The event in Qingdao, when is it?" finds the event by its place; its name finds the memory of its date.
    """
    a, best = asked(q), known.get(next(iter(_best(found, 1)), ""))
    words = novel(a.terms, best.original_content) if best and a.asks else ""
    scores = await _scores(reader.lexical(words, NEAREST, allowed(q))) if words else {}
    return {i: s for i, s in scores.items() if best is None or i != best.id}


async def versions(q: Query, reader: Reader, found: Scores, known: Mapping[MemoryId, Memory]) -> Scores:  # noqa: ARG001
    """In a look back: what a good memory replaced, just behind it."""
    if q.mode is Mode.NORMAL:
        return {}
    seeds = [known[i] for i in _best(found, SEEDS) if i in known]
    return {old: 0.9 * found[m.id] for m in seeds for old in m.supersedes}


SIGNALS: Mapping[str, Signal] = {"vectors": vectors, "lexical": lexical, "context": context, "names": names}
FOLLOWERS: Mapping[str, Follower] = {"graph": graph, "beside": beside, "bridge": bridge, "versions": versions}


def rows_of(q: Query) -> tuple[FloatArray | None, list[FloatArray], FloatArray | None]:
    """(message, clauses if several, context) of the query's vectors, as far as it has them."""
    v, a = q.vector, asked(q)
    if v is None:
        return None, [], None
    if not isinstance(v, QueryVectors):
        return np.asarray(v, np.float32), [], None
    if len(v.rows) != len(a.texts):
        return v.rows[0], [], None
    end = len(v.rows) - bool(a.context)
    return v.rows[0], list(v.rows[1:end]), v.rows[end] if a.context else None


async def _scores(look: Awaitable[Sequence[Scored]]) -> Scores:
    return {s.id: s.score for s in await look if s.score > 0}


def _maps(looks: Sequence[Sequence[Scored]]) -> list[Scores]:
    return [{s.id: s.score for s in look if s.score > 0} for look in looks]


def _best(found: Scores, k: int) -> list[MemoryId]:
    return sorted(found, key=lambda i: (-found[i], i))[:k]


def _together(a: Question, looks: Sequence[Scores]) -> Scores:
    """Raw scores of a simple question; of one with clauses the root of the sum of squares of each clause's shares.

    So a memory that answers one clause well comes before one that faintly touches all of them.
    """
    if len(looks) < 2:
        return looks[0]
    whole, *parts = (norm(x) for x in looks)
    out: dict[MemoryId, float] = {}
    for clause, part in zip(a.clauses, parts, strict=True):
        for i, s in part.items():
            out[i] = out.get(i, 0.0) + (clause.weight * s) ** 2
    return {i: out.get(i, 0.0) ** 0.5 + _OWN * whole.get(i, 0.0) for i in {*out, *whole}}
