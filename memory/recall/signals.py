"""What speaks for a memory: plain functions, each giving scores to whatever memories it finds.

`SIGNALS` look at the question alone. `FOLLOWERS` start from the best of what those found: what shares the telling
words of a hit, or its entities, or was said beside it. `TRAITS` judge a candidate's own words. All scores are of
about 0 … 1; what each is worth stands in `memory.recall.fusion`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import log
from typing import Final, TypeAlias

import numpy as np

from memory.models import Filter, Level, Line, Memory, Mode, Query, Sensitivity, State
from memory.ports import Chance, FloatArray, Places, Reader
from memory.recall.embedding import QueryVectors
from memory.recall.fusion import trust
from memory.recall.ground import Ground, Scores, Values, scores, together, union
from memory.recall.question import Question, question
from memory.recall.spans import Span
from memory.recall.vocabulary import SAYS_HOW_MANY, SAYS_WHEN, SAYS_WHERE
from memory.store.text import fold, terms

NEAREST: Final = 64  # memories that a vector, a name or a time brings up
_ANCHORS: Final = 2  # hits of each part that lead on
_TRIED: Final = 6  # of each part, in case the filter holds some back
_NOVEL: Final = 12  # words of an anchor that are followed
_TELLS: Final = 5.0  # rarity (in nats) of shared words that makes a full connection
_ALONE: Final = 0.2  # of a connection that answers nothing more of the question
_REACH: Final = 5  # neighbours on either side
_MINUTES: Final = 30.0  # things said that far apart are hardly of one piece
_SEEDS: Final = 96  # memories whose neighbours are looked at
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


@dataclass(slots=True)
class Look:
    """One question in one mode, while it is being answered."""

    query: Query
    reader: Reader
    u: float
    span: Span | None
    a: Question
    f: Filter
    ground: Ground = field(default_factory=lambda: Ground({}))
    answers: list[Values] = field(default_factory=list)  # of each part, over `ground.places`
    cosines: dict[int, float] = field(default_factory=dict)  # as the embedder gave them, by place
    known: dict[int, Line | None] = field(default_factory=dict)  # None: the filter holds it back
    names: frozenset[str] = frozenset()
    span_ms: tuple[int, int] | None = None
    chance: Chance | None = None  # of the embedder's cosines

    @property
    def embedder(self) -> str:
        """Whose vectors the question has."""
        return self.query.vector.embedder if isinstance(self.query.vector, QueryVectors) else ""

    async def lines(self, places: Sequence[int]) -> list[Line]:
        """Those that pass the filter, in the order asked for; each read once."""
        new = [p for p in places if p not in self.known]
        if new:
            self.known.update(dict.fromkeys(new))
            self.known.update({line.place: line for line in await self.reader.lines(new, self.f)})
        return [line for p in places if (line := self.known[p]) is not None]


Signal: TypeAlias = Callable[[Look], Awaitable[Mapping[str, Scores]]]
Follower: TypeAlias = Callable[[Look, Scores], Awaitable[Mapping[str, Scores]]]
Trait: TypeAlias = Callable[[Look, Line], float]


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


# --- what the question finds by itself ----------------------------------------------------------------


async def words(look: Look) -> Mapping[str, Scores]:
    """BM25 of each part by itself, the best answered one counting most; and the share of the whole message."""
    wanted = look.a.words
    holding = await look.reader.holding(wanted) if wanted else []
    look.ground = ground = Ground(dict(zip(wanted, holding, strict=True)))
    look.answers = [ground.part(p) for p in look.a.parts]
    total = together(look.answers, [p.weight for p in look.a.parts], len(ground.places))
    return {"words": Scores(ground.places, total), "share": Scores(ground.places, ground.share(look.a.whole))}


async def vectors(look: Look) -> Mapping[str, Scores]:
    """Cosine with the message, or with the part of it that is nearest: 1 for the nearest of all, 0 for the last.

    By their place among the nearest, not as they are: cosines of different embedders are on different scales.
    """
    rows = rows_of(look.query)
    if not rows:
        return {}
    look.chance = await look.reader.chance()
    worth = trust(look.embedder, look.chance)
    found: dict[int, float] = {}
    for (weight, _), hits in zip(
        rows, await look.reader.nearest_each([v for _, v in rows], NEAREST, look.f), strict=True
    ):
        if not hits:
            continue
        floor, top = hits[-1].score if len(hits) > 1 else 0.0, hits[0].score
        for s in hits:
            share = (s.score - floor) / (top - floor) if top > floor else 1.0
            found[s.place] = max(found.get(s.place, 0.0), worth * weight * share)
            look.cosines[s.place] = max(look.cosines.get(s.place, -1.0), s.score)
    return {"vectors": scores(found)}


async def names(look: Look) -> Mapping[str, Scores]:
    """Memories about somebody or something the message names."""
    found = await look.reader.by_entity(look.a.names, NEAREST, look.f) if look.a.names else []
    return {"names": scores({s.place: 1.0 for s in found})}


async def time(look: Look) -> Mapping[str, Scores]:
    """Memories of the time that the message names: made then, valid from then on, or due then."""
    if look.span is None:
        return {}
    found = await look.reader.dated(*look.span, NEAREST, look.f)
    return {"time": scores(dict.fromkeys(found, 1.0))}


# --- what the best of those lead to -------------------------------------------------------------------


async def bridge(look: Look, first: Scores) -> Mapping[str, Scores]:  # noqa: ARG001
    """Memories with the telling words of a hit that the question lacks, above all if they answer the rest of it.

    "The event in Qingdao, when is it?" finds the event by its place; its name finds the memory of its date. What is
    added to the words' score is given, so that a memory which answers by itself gains nothing.
    """
    ground, parts = look.ground, look.a.parts
    tried = [Scores(ground.places, v).best(_TRIED) for v in look.answers]
    await look.lines([int(p) for p in union(tried)])
    anchors = [[line for p in some if (line := look.known[int(p)]) is not None][:_ANCHORS] for some in tried]
    asked_for = [{w for c in p.clauses for w in c.words} for p in parts]
    novel = {
        line.place: [w for w in terms(line.text) if w not in own][:_NOVEL]
        for own, some in zip(asked_for, anchors, strict=True)
        for line in some
    }
    new = [w for w in dict.fromkeys(w for ws in novel.values() for w in ws) if w not in ground.held]
    holding = await look.reader.holding(new) if new else []
    wide = Ground({**ground.held, **dict(zip(new, holding, strict=True))})
    added = [
        _through(wide, own, [(line, novel[line.place]) for line in some], Scores(ground.places, a))
        for own, some, a in zip(asked_for, anchors, look.answers, strict=True)
    ]
    before = [Scores(ground.places, v).of(wide.places) for v in look.answers]
    weights = [p.weight for p in parts]
    size = len(wide.places)
    total = together([b + x for b, x in zip(before, added, strict=True)], weights, size)
    return {"bridge": Scores(wide.places, total - together(before, weights, size))}


def _through(wide: Ground, asked_for: set[str], anchors: Sequence[tuple[Line, Sequence[str]]], own: Scores) -> Values:
    """0 … 1: how well each memory goes on from where the anchors end."""
    out = np.zeros(len(wide.places))
    for line, novel in anchors:
        strength = float(own.of(np.array([line.place]))[0])
        rest = asked_for - set(terms(line.text))
        shared = np.minimum(1.0, wide.sum(novel) / _TELLS)
        shared[np.searchsorted(wide.places, line.place)] = 0.0
        answers = np.minimum(1.0, wide.sum(rest) / _TELLS)
        out = np.maximum(out, strength * shared * (_ALONE + (1 - _ALONE) * answers))
    return out


async def graph(look: Look, first: Scores) -> Mapping[str, Scores]:
    """Memories that share an entity with the best ones, or with their neighbours: two hops."""
    best = await look.lines([int(p) for p in first.best(_TRIED)])
    seeds = [line.id for line in best if line.entities != "[]"][:3]
    found = await look.reader.related(seeds, 2, NEAREST) if seeds else []
    top = max((s.score for s in found), default=0.0)
    return {"graph": scores({s.place: s.score / top for s in found})} if top > 0 else {}


async def beside(look: Look, first: Scores) -> Mapping[str, Scores]:
    """Memories of the same session said just before or after a good one: an answer stands beside its question."""
    seeds = first.best(_SEEDS)
    if not len(seeds):
        return {}
    near = await look.reader.around([int(p) for p in seeds], _REACH)
    close = np.exp(-near.seconds / 60 / _MINUTES) * (near.places > 0)
    value = first.of(seeds)
    columns = {-2: _REACH - 2, -1: _REACH - 1, 1: _REACH, 2: _REACH + 1}
    out = {
        # what stands after a hit has the hit before it
        name: _sum(near.places[:, columns[-step]], value * close[:, columns[-step]])
        for name, step in (("before_2", -2), ("before", -1), ("after", 1), ("after_2", 2))
    }
    return out | {"around": _sum(near.places.ravel(), (value[:, None] * close).ravel() / (2 * _REACH))}


def _sum(places: Places, values: Values) -> Scores:
    """Values added up by place; place 0 is none."""
    each, at = np.unique(places, return_inverse=True)
    total: Values = np.bincount(at, values, len(each)).astype(np.float64, copy=False)
    start = 1 if len(each) and each[0] == 0 else 0
    return Scores(each[start:], total[start:])


# --- what a candidate looks like ----------------------------------------------------------------------


def is_question(look: Look, line: Line) -> float:  # noqa: ARG001
    """A memory that asks answers nothing."""
    return float(line.text.rstrip().endswith(("?", "？")))


def length(look: Look, line: Line) -> float:  # noqa: ARG001
    """A longer memory says more; in e-folds."""
    return log(1 + len(line.text))


def is_named(look: Look, line: Line) -> float:
    """It is about somebody or something the message names, however many such memories there are."""
    if line.entities == "[]":
        return 0.0
    return float(any(fold(name) in look.names for name in json.loads(line.entities)))


def is_of_the_time(look: Look, line: Line) -> float:
    """One of its times is in the span that the message names."""
    return float(look.span_ms is not None and in_span(look.span_ms, line.times))


def says_when(look: Look, line: Line) -> float:
    """The message asks when, and it tells of a time."""
    return float(look.a.when and SAYS_WHEN.search(line.text) is not None)


def says_how_many(look: Look, line: Line) -> float:
    """The message asks for a number, and it has one."""
    return float(look.a.how_many and SAYS_HOW_MANY.search(line.text) is not None)


def says_where(look: Look, line: Line) -> float:
    """The message asks where, and it names a place."""
    return float(look.a.where and SAYS_WHERE.search(line.text) is not None)


SIGNALS: Final[Mapping[str, Signal]] = {"words": words, "vectors": vectors, "names": names, "time": time}
FOLLOWERS: Final[Mapping[str, Follower]] = {"bridge": bridge, "graph": graph, "beside": beside}
TRAITS: Final[Mapping[str, Trait]] = {
    "names": is_named,
    "time": is_of_the_time,
    "when": says_when,
    "how_many": says_how_many,
    "where": says_where,
    "question": is_question,
    "length": length,
}


# --- inside -------------------------------------------------------------------------------------------


def rows_of(q: Query) -> list[tuple[float, FloatArray]]:
    """The query's vectors, each with the weight of what it stands for; the message itself first."""
    v, a = q.vector, asked(q)
    if v is None:
        return []
    if not isinstance(v, QueryVectors):
        return [(1.0, np.asarray(v, np.float32))]
    own = a.parts[: len(a.parts) - a.leans]
    weights = [1.0, *(p.weight for p in own if len(own) > 1), *([a.context_weight] if a.leans else [])]
    return list(zip(weights, v.rows, strict=False))


def in_span(span: tuple[int, int], times: Sequence[int | None]) -> bool:
    """Whether any of the times (UTC milliseconds) is in it."""
    return any(t is not None and span[0] <= t < span[1] for t in times)


def span_ms(span: Span | None) -> tuple[int, int] | None:
    """In UTC milliseconds."""
    return None if span is None else ((span[0] - _EPOCH) // _MS, (span[1] - _EPOCH) // _MS)
