"""What the best memories lead to: what shares their telling words or entities, or was said beside them.

Each starts from the scores of what the question found by itself (`memory.recall.signals`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.models import Line
from memory.recall.ground import NOTHING, Evidence, Ground, Scores, Values, evidence, together
from memory.recall.signals import NEAREST, Look
from memory.store.text import terms

_ANCHORS: Final = 2  # hits of each part that lead on
_STARTS: Final = 4  # memories whose entities are followed
_NOVEL: Final = 12  # words of an anchor that are followed
_TELLS: Final = 5.0  # rarity (in nats) of shared words that makes a full connection
_ALONE: Final = 0.2  # of a connection that answers nothing more of the question
_REACH: Final = 5  # neighbours on either side
_MINUTES: Final = 30.0  # things said that far apart are hardly of one piece
_SEEDS: Final = 96  # memories whose neighbours are looked at

Follower: TypeAlias = Callable[[Look, Scores], Awaitable[Evidence]]


async def bridge(look: Look, first: Scores) -> Evidence:  # noqa: ARG001
    """Memories with the telling words of a hit that the question lacks, above all if they answer the rest of it.

    "The event in Qingdao, when is it?" finds the event by its place; its name finds the memory of its date. What is
    added to the words' score is given, so that a memory which answers by itself gains nothing.
    """
    ground, parts = look.ground, look.a.parts
    tried = [Scores(ground.places, v).best(_ANCHORS) for v in look.answers]
    anchors = [await look.lines(some) for some in tried]
    steps = [
        [_step(line, {w for c in p.clauses for w in c.words}) for line in some]
        for p, some in zip(parts, anchors, strict=True)
    ]
    new = list(dict.fromkeys(w for own in steps for step in own for w in step.novel))
    holding = await look.reader.holding(new, look.f) if new else []
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
    best = await look.lines(first.best(_STARTS))
    found = await look.reader.related([line.id for line in best], 2, NEAREST, look.f)
    top = max((s.score for s in found), default=0.0)
    return evidence("graph", {s.place: s.score / top for s in found}) if top > 0 else NOTHING


async def beside(look: Look, first: Scores) -> Evidence:
    """Memories of the same session said just before or after a good one: an answer stands beside its question."""
    seeds = first.best(_SEEDS)
    if not len(seeds):
        return NOTHING
    near = await look.reader.around(seeds, _REACH, look.f)
    close = np.exp(-near.seconds / 60 / _MINUTES) * (near.places >= 0)
    value = first.of(seeds)
    values = value[:, None] * close
    each, at = np.unique(near.places, return_inverse=True)
    columns = at.reshape(near.places.shape)
    start = int(each[0] < 0)  # which is none

    def summed(where: NDArray[np.intp], what: Values) -> Values:
        return np.bincount(where, what, len(each)).astype(np.float64, copy=False)[start:]

    # What stands after a hit has the hit before it.
    steps = {"before_2": _REACH + 1, "before": _REACH, "after": _REACH - 1, "after_2": _REACH - 2}
    out = {name: summed(columns[:, c], values[:, c]) for name, c in steps.items()}
    around = summed(columns.ravel(), values.ravel() / (2 * _REACH))
    return Evidence(each[start:], {**out, "around": around})


FOLLOWERS: Final[Mapping[str, Follower]] = {"bridge": bridge, "graph": graph, "beside": beside}
