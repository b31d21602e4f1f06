"""Recall: signals → fusion → nudges → gate → hits, in normal, review and debug mode (DESIGN §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import prod
from time import perf_counter
from typing import Final

from memory.lifecycle import is_episode, level_at, level_of, weight
from memory.models import Filter, Hit, Level, Memory, MemoryId, Mode, Query, Recall, State
from memory.ports import Reader
from memory.recall.embedding import QueryVectors
from memory.recall.fusion import fuse, nudges
from memory.recall.gate import REVIEW_THRESHOLD, THRESHOLD, gate
from memory.recall.question import shared
from memory.recall.signals import FOLLOWERS, SEEDS, SIGNALS, Scores, admits, allowed, asked
from memory.recall.window import Span, window_asked
from memory.recall.words import recent_asked

EPISODES: Final = 2
WIDE: Final = 20  # hits of review and debug mode
MISSED: Final = 10
_LOOKED_AT: Final = 28  # candidates that are fetched and judged
_SCANNED: Final = 2000  # forgotten and deleted memories that debug mode reads through
_EPISODE_LIFE: Final = timedelta(days=14)  # S0


@dataclass(frozen=True, slots=True)
class _Look:
    """One question in one mode, while it is being answered."""

    query: Query
    reader: Reader
    u: float
    span: Span | None


async def recall(reader: Reader, query: Query, *, u: float) -> Recall:
    """What the memory has to say to a message. `query.vector` may be None: words and entities answer alone.

    Normal mode: up to `query.limit` memories and two episodes that pass the gate. Review mode adds up to 20 in
    all, of every level and superseded or denied; debug mode adds what was forgotten and deleted. `missed` are the
    best of those that did not make it.
    """
    began = perf_counter()
    look = _Look(replace(query, mode=Mode.NORMAL), reader, u, window_asked(query.text, query.now, query.tz))
    judged = await _judged(look, THRESHOLD)
    hits = _normal(judged, query.limit)
    hits += await _episodes_by_time(look, {h.memory.id for h in hits})
    if query.mode is not Mode.NORMAL:
        hits = await _wide(replace(look, query=query), hits)
    chosen = {h.memory.id for h in hits}
    missed = [replace(h, passed=False) for h in judged if h.memory.id not in chosen][:MISSED]
    shown = tuple(_weighed(h, look) for h in hits)
    near = tuple(_weighed(h, look) for h in missed)
    return Recall(shown, near, mode=query.mode, took_ms=(perf_counter() - began) * 1000)


async def ranked(reader: Reader, query: Query, *, u: float) -> list[Hit]:
    """Every candidate looked at, best first, gated or not: for benchmarks and for learning's nearest ten."""
    look = _Look(query, reader, u, window_asked(query.text, query.now, query.tz))
    return await _judged(look, THRESHOLD)


def _normal(judged: Sequence[Hit], limit: int) -> list[Hit]:
    """Best facts, then best episodes, as many as each may have."""
    passed = [h for h in judged if h.passed]
    facts = [h for h in passed if not is_episode(h.memory)][:limit]
    return facts + [h for h in passed if is_episode(h.memory)][:EPISODES]


async def _episodes_by_time(look: _Look, have: set[MemoryId]) -> list[Hit]:
    """刚才, 昨天, 上次, "last time": the episodes of that time, whatever words they share with the question."""
    q = look.query
    if not recent_asked(q.text):
        return []
    since, until = look.span or (q.now - _EPISODE_LIFE, q.now + timedelta(seconds=1))
    f = allowed(q)
    found = [m for m in await look.reader.episodes(since, until, 2 * EPISODES) if admits(f, m)]
    fresh = [m for m in found if m.id not in have and level_of(m, look.u, q.now) <= Level.SUMMARY]
    return [Hit(m, score=1.0, gate=1.0, why="episode_by_time") for m in fresh[:EPISODES]]


async def _wide(look: _Look, hits: list[Hit]) -> list[Hit]:
    """The normal hits, and behind them what only a look back may see."""
    have = {h.memory.id for h in hits}
    judged = await _judged(look, REVIEW_THRESHOLD)
    passed = {i for h in judged if h.passed for i in (h.memory.id, *h.memory.supersedes)}
    more = [h for h in judged if h.memory.id in passed]
    if look.query.mode is Mode.DEBUG:
        more += await _forgotten(look)
    if not more and not hits:
        more = await _latest(look)
    fresh = {h.memory.id: replace(h, passed=True, why="review") for h in more if h.memory.id not in have}
    return (hits + list(fresh.values()))[: max(WIDE, len(hits))]


async def _latest(look: _Look) -> list[Hit]:
    """Asked "what did I say in the past?", which names nothing to look for: those used last, of every level."""
    f = allowed(look.query)
    page = await look.reader.read(lambda tx: tx.memories.find(f, order="activated", limit=WIDE))
    return [Hit(m, score=0.0, why="review") for m in page.items]


async def _forgotten(look: _Look) -> list[Hit]:
    """What has left the indexes, read through: forgotten, merged, proposed, and deleted until purged."""
    states = frozenset({State.FORGOTTEN, State.DELETED, State.MERGED, State.PROPOSED})
    f = Filter(states=states, exclude=look.query.exclude)
    page = await look.reader.read(lambda tx: tx.memories.find(f, limit=_SCANNED))
    terms = asked(look.query).terms
    found = [(sum(shared(terms, m.original_content)[:2]), m) for m in page.items]
    best = sorted(((s, m) for s, m in found if s > 0 or not terms), key=lambda x: (-x[0], x[1].id))
    return [Hit(m, score=s, signals={"scan": s}, why="review") for s, m in best[:WIDE]]


async def _judged(look: _Look, threshold: float) -> list[Hit]:
    """Candidates of all signals, judged, best first. Episodes are among them."""
    q, reader, a = look.query, look.reader, asked(look.query)
    # One after the other: side by side the reading threads would only wait for each other's turn at the interpreter.
    raw: dict[str, Scores] = {name: await signal(q, reader) for name, signal in SIGNALS.items()}
    embedder = q.vector.embedder if isinstance(q.vector, QueryVectors) else ""
    semantic = not embedder.startswith("lexical:")
    found = fuse(a.lang, a.context_weight, raw, semantic=semantic)
    known = await _known(reader, found, {}, SEEDS)
    raw |= {name: await follow(q, reader, found, known) for name, follow in FOLLOWERS.items()}
    total = fuse(a.lang, a.context_weight, raw, semantic=semantic)
    known = await _known(reader, total, known, _LOOKED_AT)
    f = allowed(q)
    judged = [
        _hit(look, m, w, total[i], raw, embedder, threshold)
        for i, m in known.items()
        if i in total and admits(f, m)
        for w in [weight(m, look.u, q.now)]
        if f.levels is None or level_at(m, w, q.now) in f.levels  # upkeep may not have been there yet
    ]
    return sorted(judged, key=lambda h: (-h.score, h.memory.id))[:_LOOKED_AT]


async def _known(
    reader: Reader, total: Mapping[MemoryId, float], known: Mapping[MemoryId, Memory], most: int
) -> dict[MemoryId, Memory]:
    """The best candidates' memories, those not fetched yet in one go."""
    best = sorted(total, key=lambda i: (-total[i], i))[:most]
    new = await reader.get([i for i in best if i not in known])
    return {**known, **{m.id: m for m in new}}


def _hit(
    look: _Look, m: Memory, w: float, score: float, raw: Mapping[str, Scores], embedder: str, threshold: float
) -> Hit:
    factors = nudges(m, w, look.span, look.query.now)
    signals = {name: scores[m.id] for name, scores in raw.items() if m.id in scores}
    cosine, named = signals.get("vectors"), "names" in signals
    relevance = gate(asked(look.query), m, cosine=cosine, embedder=embedder, named=named)
    return Hit(m, score * prod(factors.values()), signals, factors, relevance, relevance >= threshold)


def _weighed(h: Hit, look: _Look) -> Hit:
    """With its memory's weight as it is now: what the store has is a cache."""
    m = h.memory
    return replace(h, memory=replace(m, weight=weight(m, look.u, look.query.now)))
