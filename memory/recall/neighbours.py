"""What the best memories lead to: what shares their telling words or entities, or was said beside
them.

Each starts from the scores of what the question found by itself (`memory.recall.signals`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory.index.text import list_search_terms
from memory.models import CandidateRow
from memory.ports import Places, Values
from memory.recall.fusion import neighbour_weight
from memory.recall.signals import RecallContext
from memory.recall.term_scores import (
    NOTHING,
    SignalScores,
    TermScores,
    combine_parts,
    find_best_rows,
    merge_rows,
)

_ANCHORS: Final = 2  # hits of each part that lead on
_STARTS: Final = 4  # memories whose entities are followed
_NOVEL: Final = 12  # words of an anchor that are followed
_TELLS: Final = 5.0  # rarity (in nats) of shared words that makes a full connection
_ALONE: Final = 0.2  # of a connection that answers nothing more of the question
_REACH: Final = 2  # neighbours on either side
_MINUTES: Final = 30.0  # things said that far apart are hardly of one piece
_SEEDS: Final = 96  # memories whose neighbours are looked at

Follower: TypeAlias = Callable[[RecallContext, Values], Awaitable[SignalScores]]


async def score_bridges(look: RecallContext, first: Values) -> SignalScores:  # noqa: ARG001
    """Memories with the telling words of a hit that the question lacks, above all if they answer
    the rest of it.

    "The event in Qingdao, when is it?" finds the event by its place; its name finds the memory of
    its date. What is added to the words' score is given, so that a memory which answers by itself
    gains nothing.
    """
    ground, parts = look.ground, look.a.parts
    anchors = [await look.lines(find_best_rows(answer, _ANCHORS)) for answer in look.answers]
    steps = [
        [_step(line, {w for c in p.clauses for w in c.words}) for line in some]
        for p, some in zip(parts, anchors, strict=True)
    ]
    new = list(dict.fromkeys(w for own in steps for step in own for w in step.novel))
    if not new:
        return NOTHING
    wide = TermScores(
        dict(zip(new, await look.reader.find_postings(new), strict=True)), ground.passing
    )
    places = merge_rows((h.places for h in wide.held.values()), ground.size)
    places = places[ground.passing[places]]
    before = [answer[places] for answer in look.answers]
    after = [
        own + _through(wide, ground, some, answer, places)
        for own, some, answer in zip(before, steps, look.answers, strict=True)
    ]
    weights = [p.weight for p in parts]
    gained = combine_parts(after, weights, len(places)) - combine_parts(
        before, weights, len(places)
    )
    led_to = np.flatnonzero(gained > 0)
    return SignalScores(places[led_to], {"bridge": gained[led_to]})


@dataclass(frozen=True, slots=True)
class _FollowStep:
    """From a hit on: what it says beyond the question, and what it leaves unanswered."""

    place: int
    novel: Sequence[str]
    rest: frozenset[str]


def _step(line: CandidateRow, asked_for: set[str]) -> _FollowStep:
    own = list_search_terms(line.text)
    return _FollowStep(
        line.place,
        [w for w in own if w not in asked_for][:_NOVEL],
        frozenset(asked_for.difference(own)),
    )


def _through(
    wide: TermScores,
    ground: TermScores,
    steps: Sequence[_FollowStep],
    answer: Values,
    places: Places,
) -> Values:
    """0 … 1: how well each of the places, which hold novel words (`wide`), goes on from where a hit ends."""
    out = np.zeros(len(places), np.float32)
    for step in steps:
        shared = np.minimum(1.0, wide.sum(step.novel)[places] / _TELLS)
        shared[places == step.place] = 0.0
        answers = np.minimum(1.0, ground.sum(step.rest)[places] / _TELLS)
        np.maximum(
            out, float(answer[step.place]) * shared * (_ALONE + (1 - _ALONE) * answers), out=out
        )
    return out


async def score_graph(look: RecallContext, first: Values) -> SignalScores:
    """Memories that share an entity with the best ones, or with their neighbours: two hops."""
    places, values = await look.reader.score_linked_rows(find_best_rows(first, _STARTS), 2, look.f)
    return SignalScores(places, {"graph": values / values.max()}) if len(places) else NOTHING


async def score_neighbours(look: RecallContext, first: Values) -> SignalScores:
    """Memories of the same session said just before or after a good one: an answer stands beside
    its question.

    Not where sessions of this user's are no conversations: notes of a day, or all of an import.
    """
    seeds = find_best_rows(first, _SEEDS)
    belongs = neighbour_weight(look.chance)
    if not len(seeds) or not belongs:
        return NOTHING
    near = await look.reader.get_neighbours(seeds, _REACH, look.f)
    close = np.exp(-near.seconds / 60 / _MINUTES) * (near.places >= 0)
    value = belongs * first[seeds]
    values = value[:, None] * close
    each, at = np.unique(near.places, return_inverse=True)
    columns = at.reshape(near.places.shape)
    start = int(each[0] < 0)  # which is none

    def summed(where: NDArray[np.intp], what: Values) -> Values:
        return np.bincount(where, what, len(each)).astype(np.float32)[start:]

    # What stands after a hit has the hit before it. The second before counts as the first, the
    # second after half.
    before = summed(columns[:, _REACH], values[:, _REACH]) + summed(
        columns[:, _REACH + 1], values[:, _REACH + 1]
    )
    after = summed(columns[:, _REACH - 1], values[:, _REACH - 1])
    after += summed(columns[:, _REACH - 2], values[:, _REACH - 2]) / 2
    return SignalScores(each[start:], {"before": before, "after": after})


FOLLOWERS: Final[Mapping[str, Follower]] = {
    "bridge": score_bridges,
    "graph": score_graph,
    "beside": score_neighbours,
}
