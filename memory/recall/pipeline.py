"""Recall: signals, fusion, nudges, gate, hits, in normal, review and debug mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np

from memory.lifecycle import compute_level, compute_weight, is_episode, level_for_weight
from memory.models import (
    CandidateRow,
    Filter,
    Hit,
    Level,
    Memory,
    MemoryId,
    Mode,
    Query,
    Recall,
    State,
)
from memory.ports import Reader, Transaction, Values
from memory.recall.fusion import FIRST, SHOWN, WEIGHTS, apply_nudges, compute_nudges
from memory.recall.gate import (
    GateCandidate,
    GateContext,
    GateVerdict,
    MessageReading,
    judge_candidates,
    passes_gate,
)
from memory.recall.neighbours import FOLLOWERS
from memory.recall.question import measure_shared_terms
from memory.recall.signals import (
    SIGNALS,
    TRAITS,
    RecallContext,
    filter_for_mode,
    list_query_vectors,
    matches_filter,
    read_question,
    span_ms,
)
from memory.recall.term_scores import find_best_rows
from memory.text.dates import window_asked
from memory.text.questions import recent_asked
from memory.text.words import SHORTEST

EPISODES: Final = 2
WIDE: Final = 20  # hits of review and debug mode
MISSED: Final = 5
_CANDIDATES: Final = 80  # memories that are judged by a line each
_LOOKED_AT: Final = 28  # of those, memories that are read
_REPLACED: Final = 8  # hits whose earlier versions are looked at in a look back
_BEHIND: Final = 0.1  # log-odds
_SCANNED: Final = 2000  # forgotten and deleted memories that debug mode reads through
_EPISODE_LIFE: Final = timedelta(days=14)  # the three-layer paper


async def recall_memories(reader: Reader, query: Query, *, u: float) -> Recall:
    """Return what the memory has to say to a message.

    `query.vector` may be None: words and entities answer alone.

    Normal mode: up to `query.limit` memories and two episodes that pass the gate. Review mode adds
    up to 20 in all, of every level and superseded or denied; debug mode adds what was forgotten and
    deleted. `missed` are the best of those that did not make it.
    """
    began = perf_counter()
    found = await reader.run_in_one_read(lambda own: _recalled(own, query, u))
    return replace(found, took_ms=(perf_counter() - began) * 1000)


async def _recalled(reader: Reader, query: Query, u: float) -> Recall:
    look = open_context(reader, replace(query, mode=Mode.NORMAL), u)
    judged = await _judged(look, query.limit + EPISODES + MISSED)
    hits = _normal(judged, query.limit)
    hits += await _episodes_by_time(look, {h.memory.id for h in hits})
    if query.mode is not Mode.NORMAL:
        hits = await _wide(open_context(reader, query, u), hits)
    chosen = {h.memory.id for h in hits}
    missed = [h for h in judged if h.memory.id not in chosen][:MISSED]
    near = tuple(replace(h, passed=False) if h.passed else h for h in missed)
    return Recall(tuple(hits), near, mode=query.mode)


async def rank_candidates(reader: Reader, query: Query, *, u: float) -> list[Hit]:
    """Return every candidate looked at, best first, gated or not.

    For benchmarks and for learning's nearest ten.
    """
    return await reader.run_in_one_read(lambda own: _judged(open_context(own, query, u)))


def _normal(judged: Sequence[Hit], limit: int) -> list[Hit]:
    """Best facts, then best episodes, as many as each may have."""
    passed = [h for h in judged if h.passed]
    facts = [h for h in passed if not is_episode(h.memory)][:limit]
    return facts + [h for h in passed if is_episode(h.memory)][:EPISODES]


async def _episodes_by_time(look: RecallContext, have: set[MemoryId]) -> list[Hit]:
    """刚才, 昨天, 上次, "last time": the episodes of that time, whatever words they share with the question."""
    q = look.query
    if not recent_asked(q.text):
        return []
    since, until = look.span or (q.now - _EPISODE_LIFE, q.now + timedelta(seconds=1))
    f = filter_for_mode(q)
    found = [
        m
        for m in await look.reader.find_episodes(since, until, 2 * EPISODES)
        if matches_filter(f, m)
    ]
    fresh = [
        m for m in found if m.id not in have and compute_level(m, look.u, q.now) <= Level.SUMMARY
    ]
    return [
        Hit(_weighed(m, look), score=1.0, gate=1.0, why="episode_by_time") for m in fresh[:EPISODES]
    ]


async def _wide(look: RecallContext, hits: list[Hit]) -> list[Hit]:
    """Return the normal hits, and behind them what only a look back may see."""
    have = {h.memory.id for h in hits}
    judged = await _judged(look)
    passed = {i for h in judged if h.passed for i in (h.memory.id, *h.memory.supersedes)}
    more = [h for h in judged if h.memory.id in passed]
    if look.query.mode is Mode.DEBUG:
        more += await _forgotten(look)
    if not more and not hits:
        more = await _latest(look)
    fresh = {
        h.memory.id: replace(h, passed=True, why="review") for h in more if h.memory.id not in have
    }
    return (hits + list(fresh.values()))[: max(WIDE, len(hits))]


async def _latest(look: RecallContext) -> list[Hit]:
    """Asked "what did I say in the past?", which names nothing to look for: of every level those
    used last.

    Each level has its share of the places; what one cannot fill goes to the clearest that can.
    Clear ones first.
    """
    f = filter_for_mode(look.query)

    def latest(tx: Transaction) -> list[list[Memory]]:
        of = [
            replace(f, levels=frozenset({level}))
            for level in Level
            if f.levels is None or level in f.levels
        ]
        return [list(tx.memories.find(only, order="activated", limit=WIDE).items) for only in of]

    by_level = await look.reader.read(latest)
    share = WIDE // max(len(by_level), 1)
    left = WIDE - sum(min(len(some), share) for some in by_level)
    out: list[Memory] = []
    for some in by_level:
        more = min(max(len(some) - share, 0), left)
        left -= more
        out += some[: share + more]
    return [Hit(_weighed(m, look), score=0.0, why="review") for m in out]


async def _forgotten(look: RecallContext) -> list[Hit]:
    """Read through what has left the indexes.

    That is forgotten, merged, proposed, and deleted until purged.
    """
    states = frozenset({State.FORGOTTEN, State.DELETED, State.MERGED, State.PROPOSED})
    f = Filter(states=states, exclude=look.query.exclude)
    page = await look.reader.read(lambda tx: tx.memories.find(f, limit=_SCANNED))
    terms = read_question(look.query).terms
    found = [(sum(measure_shared_terms(terms, m.original_content)[:2]), m) for m in page.items]
    best = sorted(((s, m) for s, m in found if s > 0 or not terms), key=lambda x: (-x[0], x[1].id))
    return [
        Hit(_weighed(m, look), score=s, signals={"scan": s}, why="review") for s, m in best[:WIDE]
    ]


async def _judged(look: RecallContext, most: int = _LOOKED_AT) -> list[Hit]:
    """Return the best `most` candidates of all signals, judged, best first.

    Episodes are among them.
    """
    lines, features = await find_candidates(look)
    total = sum(
        (WEIGHTS[name] * values for name, values in features.items() if name in WEIGHTS),
        np.zeros(len(lines), np.float32),
    )
    order = np.argsort(-total, kind="stable").tolist()
    found: list[_ReadCandidate] = []
    for start in range(0, len(order), most):
        some = order[start : start + most]
        at = {lines[i].id: i for i in some}
        for m in await look.reader.get(list(at)):
            w = compute_weight(m, look.u, look.query.now)
            if (
                look.f.levels is None or level_for_weight(m, w, look.query.now) in look.f.levels
            ):  # upkeep may be behind
                i = at[m.id]
                values = {name: float(v[i]) for name, v in features.items() if v[i]}
                found.append(_seen(look, m, w, lines[i].place, values))
        if len(found) >= most // 2:
            break
    ruled = judge_candidates(_ear(look), [seen.candidate for seen in found])
    hits = [
        _hit(seen, v, passed=passes_gate(v.relevance, look.query.mode))
        for seen, v in zip(found, ruled, strict=True)
    ]
    if look.query.mode is not Mode.NORMAL:
        hits += await _versions(look, hits)
    return sorted(hits, key=lambda h: (-h.score, h.memory.id))[:most]


async def find_candidates(look: RecallContext) -> tuple[list[CandidateRow], Mapping[str, Values]]:
    """Find whatever could be meant, and what speaks for it.

    The second is a value a candidate of each feature in `WEIGHTS`.
    """
    own = {name: WEIGHTS[name] for name in FIRST}
    rest = {name: weight for name, weight in WEIGHTS.items() if name not in own}
    look.passing = await look.reader.row_mask(look.f)
    found = [await signal(look) for signal in SIGNALS.values()]
    first = np.zeros(len(look.passing), np.float32)
    for e in found:
        e.weighed(own, first)
    total = first.copy()
    first /= float(first.max(initial=0.0)) or 1.0
    found += [await follow(look, first) for follow in FOLLOWERS.values()]
    for e in found:
        e.weighed(rest, total)
    places = find_best_rows(total, _CANDIDATES)
    lines = await look.lines(places)
    features = {
        name: values for e in found for name, values in e.of(places).items() if name not in TRAITS
    }
    traits = {name: trait(look, lines) for name, trait in TRAITS.items()}
    return lines, features | {
        name: np.array(values, np.float32) for name, values in traits.items() if values
    }


class _ReadCandidate(NamedTuple):
    """A candidate as it was read and as the gate sees it."""

    memory: Memory
    weight: float  # now: what the store has is a cache
    score: float
    signals: Mapping[str, float]
    nudges: Mapping[str, float]
    candidate: GateCandidate


def _seen(
    look: RecallContext, m: Memory, w: float, place: int, values: Mapping[str, float]
) -> _ReadCandidate:
    factors = compute_nudges(m, w, look.query.now)
    score, signals = 0.0, dict[str, float]()
    for name, value in values.items():
        if name not in WEIGHTS:
            continue
        shown, worth = SHOWN.get(name, name), WEIGHTS[name] * value
        signals[shown] = signals.get(shown, 0.0) + worth
        score += worth
    text = " ".join((m.original_content, *m.entities, *m.topics))
    # A memory that is not among the nearest is no nearer than the last of them.
    cosine = look.cosines.get(place, min(look.cosines.values(), default=None))
    candidate = GateCandidate(text, score, values, cosine, m.language)
    return _ReadCandidate(m, w, apply_nudges(score, factors), signals, factors, candidate)


def _hit(seen: _ReadCandidate, v: GateVerdict, *, passed: bool) -> Hit:
    memory = seen.memory.with_weight(seen.weight)
    return Hit(memory, seen.score, seen.signals, seen.nudges, v.relevance, v.evidence, passed)


def _ear(look: RecallContext) -> GateContext:
    held = look.ground.held
    unknown = [
        w
        for w in look.a.whole
        if len(w) >= SHORTEST and w.isascii() and w in held and not len(held[w].places)
    ]
    return GateContext(look.a, look.embedder, tuple(unknown), read_message(look))


def read_message(look: RecallContext) -> MessageReading | None:
    """Return what the message's vector tells.

    None where no embedder that knows meaning tells it.
    """
    reading, chance = look.reading, look.chance
    usual = chance.idle.get(look.a.lang) if chance else None
    if reading is None or usual is None:
        return None
    return MessageReading(
        max(reading.score_call(row) for _, row in list_query_vectors(look.query)), *usual
    )


async def _versions(look: RecallContext, hits: Sequence[Hit]) -> list[Hit]:
    """In a look back: what a good memory replaced, just behind it."""
    have = {h.memory.id for h in hits}
    best = sorted(hits, key=lambda h: -h.score)[:_REPLACED]
    by = {old: h for h in reversed(best) for old in h.memory.supersedes if old not in have}
    out = []
    for m in await look.reader.get(list(by)):
        if matches_filter(look.f, m):
            h = by[m.id]
            out.append(
                replace(
                    h,
                    memory=_weighed(m, look),
                    score=h.score - _BEHIND,
                    signals={"versions": h.score - _BEHIND},
                    nudges={},
                )
            )
    return out


def _weighed(m: Memory, look: RecallContext) -> Memory:
    """With its weight as it is now: what the store has is a cache."""
    now = compute_weight(m, look.u, look.query.now)
    return m if now == m.weight else m.with_weight(now)


def open_context(reader: Reader, query: Query, u: float) -> RecallContext:
    """Read a question, before anything is looked up."""
    span = window_asked(query.text, query.now, query.tz)
    a = read_question(query)
    return RecallContext(query, reader, u, span, a, filter_for_mode(query), span_ms=span_ms(span))
