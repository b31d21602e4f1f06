"""What the best memories lead to: shared telling words or entities, and what was said beside them.

Each starts from the scores of what the question found by itself (`memory.recall.signals`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import numpy as np

from memory.index.text import list_search_terms
from memory.ports import Values
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
    """Find memories with telling words of a hit that the question lacks.

    Above all those that answer the rest of it: "The event in Qingdao, when is it?" finds the event
    by its place; its name finds the memory of its date. What is added to the words' score is
    given, so that a memory which answers by itself gains nothing.
    """
    steps = []  # from a hit of a part on: what it says beyond the question, what it leaves open
    for i, (part, answer) in enumerate(zip(look.question.parts, look.answers, strict=True)):
        asked = {w for c in part.clauses for w in c.words}
        for row in await look.get_rows(find_best_rows(answer, _ANCHORS)):
            own = list_search_terms(row.text)
            novel = [w for w in own if w not in asked][:_NOVEL]
            steps.append((i, row.place, novel, asked.difference(own)))
    new = list(dict.fromkeys(w for _, _, novel, _ in steps for w in novel))
    if not new:
        return NOTHING
    found = await look.reader.find_postings(new)
    wide = TermScores(dict(zip(new, found, strict=True)), look.passing)
    places = merge_rows((h.places for h in found), len(look.passing))
    places = places[look.passing[places]]
    before = [answer[places] for answer in look.answers]
    through = [np.zeros(len(places), np.float32) for _ in before]
    for i, place, novel, rest in steps:
        shared = np.minimum(1.0, wide.sum(novel)[places] / _TELLS)
        shared[places == place] = 0.0
        answers = np.minimum(1.0, look.terms.sum(rest)[places] / _TELLS)
        value = float(look.answers[i][place]) * shared * (_ALONE + (1 - _ALONE) * answers)
        np.maximum(through[i], value, out=through[i])
    weights = [p.weight for p in look.question.parts]
    after = [a + b for a, b in zip(before, through, strict=True)]
    gained = combine_parts(after, weights, len(places))
    gained -= combine_parts(before, weights, len(places))
    led_to = np.flatnonzero(gained > 0)
    return SignalScores(places[led_to], {"bridge": gained[led_to]})


async def score_graph(look: RecallContext, first: Values) -> SignalScores:
    """Find memories that share an entity with the best ones, or with their neighbours: two hops."""
    starts = find_best_rows(first, _STARTS)
    places, values = await look.reader.score_linked_rows(starts, 2, look.filter)
    return SignalScores(places, {"graph": values / values.max()}) if len(places) else NOTHING


async def score_neighbours(look: RecallContext, first: Values) -> SignalScores:
    """Find memories of the same session said just before or after a good one.

    An answer stands beside its question. Not where this user's sessions are no conversations:
    notes of a day, or all of an import.
    """
    seeds = find_best_rows(first, _SEEDS)
    belongs = neighbour_weight(look.chance)
    if not len(seeds) or not belongs:
        return NOTHING
    near = await look.reader.get_neighbours(seeds, _REACH, look.filter)
    close = np.exp(-near.seconds / 60 / _MINUTES) * (near.places >= 0)
    values = belongs * first[seeds][:, None] * close
    each, at = np.unique(near.places, return_inverse=True)
    columns = at.reshape(near.places.shape)

    def sum_at(column: int) -> Values:
        out = np.bincount(columns[:, column], values[:, column], len(each))
        return out.astype(np.float32)

    # What stands after a hit has the hit before it. The second before counts as the first, the
    # second after half.
    before = sum_at(_REACH) + sum_at(_REACH + 1)
    after = sum_at(_REACH - 1) + np.float32(0.5) * sum_at(_REACH - 2)
    start = int(each[0] < 0)  # which is none
    return SignalScores(each[start:], {"before": before[start:], "after": after[start:]})


FOLLOWERS: Final[Mapping[str, Follower]] = {
    "bridge": score_bridges,
    "graph": score_graph,
    "beside": score_neighbours,
}
