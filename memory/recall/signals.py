"""What speaks for a memory: plain functions, each giving scores to whatever memories it finds.

`SIGNALS` look at the question alone. `FOLLOWERS` start from the best of what those found: what shares the telling
words of a hit, or its entities, or was said beside it. `TRAITS` judge candidates' own words. All scores are of
about 0 … 1; what each is worth stands in `memory.recall.fusion`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import log
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.models import Filter, Level, Line, Memory, Mode, Query, Sensitivity, State
from memory.ports import Chance, FloatArray, Reader
from memory.recall.embedding import QueryVectors
from memory.recall.fusion import trust
from memory.recall.ground import NOTHING, Evidence, Ground, Scores, Values, evidence, together, union
from memory.recall.question import Question, question
from memory.recall.spans import Span
from memory.recall.vocabulary import SAYS_HOW_MANY, SAYS_WHEN, SAYS_WHERE
from memory.store.text import fold, terms

NEAREST: Final = 48  # memories that a vector, a name or a time brings up
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


Signal: TypeAlias = Callable[[Look], Awaitable[Evidence]]
Follower: TypeAlias = Callable[[Look, Scores], Awaitable[Evidence]]
Trait: TypeAlias = Callable[[Look, Sequence[Line]], list[float]]


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


async def words(look: Look) -> Evidence:
    """BM25 of each part by itself, the best answered one counting most; and the share of the whole message."""
    wanted = look.a.words
    holding = await look.reader.holding(wanted) if wanted else []
    look.ground = ground = Ground(dict(zip(wanted, holding, strict=True)))
    look.answers = [ground.part(p) for p in look.a.parts]
    total = together(look.answers, [p.weight for p in look.a.parts], len(ground.places))
    return Evidence(ground.places, {"words": total, "share": ground.share(look.a.whole)})


async def vectors(look: Look) -> Evidence:
    """Cosine with the message, or with the part of it that is nearest: 1 for the nearest of all, 0 for the last.

    By their place among the nearest, not as they are: cosines of different embedders are on different scales.
    """
    rows = rows_of(look.query)
    if not rows:
        return NOTHING
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
    return evidence("vectors", found)


async def names(look: Look) -> Evidence:
    """Memories about somebody or something the message names."""
    found = await look.reader.by_entity(look.a.names, NEAREST, look.f) if look.a.names else []
    return evidence("names", {s.place: 1.0 for s in found})


async def time(look: Look) -> Evidence:
    """Memories of the time that the message names: made then, valid from then on, or due then."""
    if look.span is None:
        return NOTHING
    found = await look.reader.dated(*look.span, NEAREST, look.f)
    return evidence("time", dict.fromkeys(found, 1.0))


# --- what the best of those lead to -------------------------------------------------------------------


async def bridge(look: Look, first: Scores) -> Evidence:  # noqa: ARG001
    """Memories with the telling words of a hit that the question lacks, above all if they answer the rest of it.

    "The event in Qingdao, when is it?" finds the event by its place; its name finds the memory of its date. What is
    added to the words' score is given, so that a memory which answers by itself gains nothing.
    """
    ground, parts = look.ground, look.a.parts
    tried = [Scores(ground.places, v).best(_TRIED) for v in look.answers]
    await look.lines([int(p) for p in union(tried)])
    anchors = [[line for p in some if (line := look.known[int(p)]) is not None][:_ANCHORS] for some in tried]
    steps = [
        [_step(line, {w for c in p.clauses for w in c.words}) for line in some]
        for p, some in zip(parts, anchors, strict=True)
    ]
    new = list(dict.fromkeys(w for own in steps for step in own for w in step.novel))
    holding = await look.reader.holding(new) if new else []
    wide = Ground(dict(zip(new, holding, strict=True)))
    added = [
        _through(wide, ground, own, Scores(ground.places, a)) for own, a in zip(steps, look.answers, strict=True)
    ]
    led_to = np.flatnonzero(sum(added)) if added else np.empty(0, np.intp)
    places = wide.places[led_to]
    before = [Scores(ground.places, v).of(places) for v in look.answers]
    weights, size = [p.weight for p in parts], len(places)
    total = together([b + x[led_to] for b, x in zip(before, added, strict=True)], weights, size)
    return Evidence(places, {"bridge": total - together(before, weights, size)})


@dataclass(frozen=True, slots=True)
class _Step:
    """From a hit on: what it says beyond the question, and what it leaves unanswered."""

    place: int
    novel: Sequence[str]
    rest: frozenset[str]


def _step(line: Line, asked_for: set[str]) -> _Step:
    own = terms(line.text)
    return _Step(line.place, [w for w in own if w not in asked_for][:_NOVEL], frozenset(asked_for.difference(own)))


def _through(wide: Ground, ground: Ground, steps: Sequence[_Step], own: Scores) -> Values:
    """0 … 1: how well each memory that holds novel words (`wide`) goes on from where a hit ends."""
    out = np.zeros(len(wide.places))
    for step in steps:
        shared = np.minimum(1.0, wide.sum(step.novel) / _TELLS)
        led_to = np.flatnonzero(shared * (wide.places != step.place))
        answers = Scores(ground.places, ground.sum(step.rest)).of(wide.places[led_to]) / _TELLS
        strength = float(own.of(np.array([step.place]))[0])
        through = strength * shared[led_to] * (_ALONE + (1 - _ALONE) * np.minimum(1.0, answers))
        out[led_to] = np.maximum(out[led_to], through)
    return out


async def graph(look: Look, first: Scores) -> Evidence:
    """Memories that share an entity with the best ones, or with their neighbours: two hops."""
    best = await look.lines(first.best(_TRIED).tolist())
    seeds = [line.id for line in best if line.entities != "[]"][:3]
    found = await look.reader.related(seeds, 2, NEAREST) if seeds else []
    top = max((s.score for s in found), default=0.0)
    return evidence("graph", {s.place: s.score / top for s in found}) if top > 0 else NOTHING


async def beside(look: Look, first: Scores) -> Evidence:
    """Memories of the same session said just before or after a good one: an answer stands beside its question."""
    seeds = first.best(_SEEDS)
    if not len(seeds):
        return NOTHING
    near = await look.reader.around([int(p) for p in seeds], _REACH)
    close = np.exp(-near.seconds / 60 / _MINUTES) * (near.places > 0)
    value = first.of(seeds)
    values = value[:, None] * close
    each, at = np.unique(near.places, return_inverse=True)
    columns = at.reshape(near.places.shape)
    start = int(each[0] == 0)  # which is none

    def summed(where: NDArray[np.intp], what: Values) -> Values:
        return np.bincount(where, what, len(each)).astype(np.float64, copy=False)[start:]

    # What stands after a hit has the hit before it.
    steps = {"before_2": _REACH + 1, "before": _REACH, "after": _REACH - 1, "after_2": _REACH - 2}
    out = {name: summed(columns[:, c], values[:, c]) for name, c in steps.items()}
    around = summed(columns.ravel(), values.ravel() / (2 * _REACH))
    return Evidence(each[start:], {**out, "around": around})


# --- what candidates look like: nothing where the message does not ask for it ----------------------------


def is_question(look: Look, lines: Sequence[Line]) -> list[float]:  # noqa: ARG001
    """A memory that asks answers nothing."""
    return [float(line.text.rstrip().endswith(("?", "？"))) for line in lines]


def length(look: Look, lines: Sequence[Line]) -> list[float]:  # noqa: ARG001
    """A longer memory says more; in e-folds."""
    return [log(1 + len(line.text)) for line in lines]


def is_named(look: Look, lines: Sequence[Line]) -> list[float]:
    """It is about somebody or something the message names, however many such memories there are."""
    known: dict[str, float] = {"[]": 0.0}
    for entities in {line.entities for line in lines} - known.keys():
        known[entities] = float(any(fold(name) in look.names for name in json.loads(entities)))
    return [known[line.entities] for line in lines]


def is_of_the_time(look: Look, lines: Sequence[Line]) -> list[float]:
    """One of its times is in the span that the message names."""
    span = look.span_ms
    return [] if span is None else [float(in_span(span, line.times)) for line in lines]


def says(asked: str, pattern: re.Pattern[str]) -> Trait:
    """The message asks for something of that kind, and it has one."""

    def trait(look: Look, lines: Sequence[Line]) -> list[float]:
        return [float(pattern.search(line.text) is not None) for line in lines] if getattr(look.a, asked) else []

    return trait


SIGNALS: Final[Mapping[str, Signal]] = {"words": words, "vectors": vectors, "names": names, "time": time}
FOLLOWERS: Final[Mapping[str, Follower]] = {"bridge": bridge, "graph": graph, "beside": beside}
TRAITS: Final[Mapping[str, Trait]] = {
    "names": is_named,
    "time": is_of_the_time,
    "when": says("when", SAYS_WHEN),
    "how_many": says("how_many", SAYS_HOW_MANY),
    "where": says("where", SAYS_WHERE),
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
