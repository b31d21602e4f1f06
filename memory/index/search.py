"""Search in columns: words (BM25), names that memories share, neighbours in a session."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory.index.columns import Columns, Mask
from memory.index.text import list_search_terms
from memory.models import ScoredMemory
from memory.ports import Neighbours, Places, Values

K1: Final = 1.2
B: Final = 0.75
_SPARE: Final = 4  # memories whose length is looked at, for each that is wanted
_FRONTIER: Final = 24  # memories carried from one hop to the next
_HOP_DECAY: Final = 0.5
_HUB: Final = 50  # more memories than this, and an entity connects nothing
_RAREST: Final = 12  # entities followed at each hop


def by_words(columns: Columns, text: str, k: int, mask: Mask) -> list[ScoredMemory]:
    """Return the best `k` memories that share a term with the text and pass; of equals the newest.

    A word's rarity is taken among this user's memories alone: nobody's words show in another's
    ranking. A memory is a sentence or two, so a term counts once however often it occurs.
    """
    total = np.zeros(len(columns))
    for h in columns.holding(list_search_terms(text)):
        total[h.places] += h.rarity
    places = np.flatnonzero(total * mask)
    if k <= 0 or not len(places):
        return []
    scores = total[places]
    most = max(64, _SPARE * k)
    if most < len(places):
        some = np.flatnonzero(scores >= np.partition(scores, -most)[-most])
        places, scores = places[some], scores[some]
    words = columns.words[places]
    ranked = scores * (K1 + 1) / (1 + K1 * (1 - B + B * words / words.mean()))
    return _best(columns, places, ranked, k)


def find_by_entity(
    columns: Columns, names: Sequence[str], k: int, mask: Mask
) -> list[ScoredMemory]:
    """Return memories that have one of the names (folded), those of rare ones first.

    Of a name that very many memories share, the newest are looked at.
    """
    linked = [p[-_HUB:] for p in columns.named(names, mask)]
    if not linked:
        return []
    places, at = np.unique(np.concatenate(linked), return_inverse=True)
    sizes = [len(p) for p in linked]
    return _best(
        columns, places, np.bincount(at, np.repeat([1 / (1 + n) for n in sizes], sizes)), k
    )


def _best(columns: Columns, places: Places, scores: NDArray[Any], k: int) -> list[ScoredMemory]:
    order = np.lexsort((-places, -scores))[:k]
    found = zip(places[order].tolist(), scores[order].tolist(), strict=True)
    return [ScoredMemory(columns.ids[p], score, p) for p, score in found]


def score_linked_rows(
    columns: Columns, start: Places, hops: int, mask: Mask
) -> tuple[Places, Values]:
    """Return neighbours of the given ones through shared entities, up to `hops` away.

    Each hop counts half. What shares an entity is worth the entity's rarity. A name that very
    many memories share ("I", the user's own) says nothing, and would cost the most.
    """
    frontier = dict.fromkeys(start.tolist(), 1.0)
    seen, found = set(frontier), dict[int, float]()
    for _ in range(hops):
        reached: dict[int, float] = {}
        for worth, places in _rarest(columns, frontier):
            for p in places.tolist():
                reached[p] = reached.get(p, 0.0) + worth
        best = heapq.nlargest(
            _FRONTIER, [(v, p) for p, v in reached.items() if p not in seen and mask[p]]
        )
        seen.update(p for _, p in best)
        found.update((p, v) for v, p in best)
        frontier = {p: v * _HOP_DECAY for v, p in best}
    all_ = sorted(found)
    return np.array(all_, np.int64), np.array([found[p] for p in all_], np.float32)


def _rarest(columns: Columns, frontier: Mapping[int, float]) -> list[tuple[float, Places]]:
    """Of the rarest entities that these memories have: what sharing it is worth, and who has it."""
    carried: dict[int, float] = {}
    for strength, own in zip(
        frontier.values(), columns.of_entity.each(list(frontier)), strict=True
    ):
        for entity in own.tolist():
            carried[entity] = carried.get(entity, 0.0) + strength
    who = zip(carried.items(), columns.entities.each(list(carried)), strict=True)
    linked = [(strength / len(p), entity, p) for (entity, strength), p in who if 0 < len(p) <= _HUB]
    return [(worth, p) for worth, _, p in sorted(linked, key=lambda x: (-x[0], x[1]))[:_RAREST]]


def find_neighbours(columns: Columns, places: Places, reach: int, mask: Mask) -> Neighbours:
    """Return those that pass from `reach` before each in its session to `reach` after."""
    if not len(columns) or not len(places):
        return Neighbours(
            np.full((len(places), 2 * reach), -1), np.zeros((len(places), 2 * reach), np.float32)
        )
    order = columns.order
    near = order.at[places][:, None] + np.array([o for o in range(-reach, reach + 1) if o])
    inside = (near >= 0) & (near < len(columns))
    beside = order.places[np.clip(near, 0, len(columns) - 1)]
    session = columns.session[places][:, None]
    inside &= (columns.session[beside] == session) & (session >= 0) & mask[beside]
    apart = np.abs(columns.made[beside] - columns.made[places][:, None]) / np.float32(1000)
    return Neighbours(np.where(inside, beside, -1), np.where(inside, apart, 0.0).astype(np.float32))
