"""What stands beside a memory: by a name they share, or in the session they were learned in."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from memory.models import Scored
from memory.ports import Around, Places, Values
from memory.store.shelf import Mask, Shelf

_FRONTIER: Final = 24  # memories carried from one hop to the next
_HOP_DECAY: Final = 0.5
_HUB: Final = 50  # more memories than this, and an entity connects nothing
_RAREST: Final = 12  # entities followed at each hop


def by_entity(shelf: Shelf, names: Sequence[str], k: int, mask: Mask) -> list[Scored]:
    """Memories that have one of the names (as `fold` leaves them); a rare entity says more than a frequent one.

    Of a name that very many memories share, the newest are looked at.
    """
    linked = [p[-_HUB:] for p in shelf.named(names, mask)]
    if not linked:
        return []
    places, at = np.unique(np.concatenate(linked), return_inverse=True)
    sizes = [len(p) for p in linked]
    scores = np.bincount(at, np.repeat([1 / (1 + n) for n in sizes], sizes))
    order = np.lexsort((-places, -scores))[:k]
    return [Scored(shelf.ids[p], s, p) for p, s in zip(places[order].tolist(), scores[order].tolist(), strict=True)]


def related(shelf: Shelf, start: Places, hops: int, k: int, mask: Mask) -> list[Scored]:
    """`linked` as a ranking: the best k."""
    places, values = linked(shelf, start, hops, mask)
    best = np.argsort(-values, kind="stable")[:k]
    found = zip(places[best].tolist(), values[best].tolist(), strict=True)
    return [Scored(shelf.ids[p], v, p) for p, v in found]


def linked(shelf: Shelf, start: Places, hops: int, mask: Mask) -> tuple[Places, Values]:
    """Neighbours through shared entities, up to `hops` away, the given ones left out; each hop counts half.

    What shares an entity is worth the entity's rarity. A name that very many memories share ("I", the user's own)
    says nothing, and would cost the most.
    """
    frontier = dict.fromkeys(start.tolist(), 1.0)
    seen, found = set(frontier), dict[int, float]()
    for _ in range(hops):
        reached: dict[int, float] = {}
        for worth, places in _rarest(shelf, frontier):
            for p in places.tolist():
                reached[p] = reached.get(p, 0.0) + worth
        fresh = [(v, p) for p, v in reached.items() if p not in seen and mask[p]]
        best = heapq.nlargest(_FRONTIER, fresh)
        seen.update(p for _, p in best)
        found.update((p, v) for v, p in best)
        frontier = {p: v * _HOP_DECAY for v, p in best}
    all_ = sorted(found)
    return np.array(all_, np.int64), np.array([found[p] for p in all_], np.float32)


def _rarest(shelf: Shelf, frontier: Mapping[int, float]) -> list[tuple[float, Places]]:
    """Of the rarest entities that these memories have: what sharing it is worth, and who has it."""
    carried: dict[int, float] = {}
    for strength, own in zip(frontier.values(), shelf.of_entity.each(list(frontier)), strict=True):
        for entity in own.tolist():
            carried[entity] = carried.get(entity, 0.0) + strength
    who = zip(carried.items(), shelf.entities.each(list(carried)), strict=True)
    linked = [(strength / len(p), entity, p) for (entity, strength), p in who if 0 < len(p) <= _HUB]
    return [(worth, p) for worth, _, p in sorted(linked, key=lambda x: (-x[0], x[1]))[:_RAREST]]


def around(shelf: Shelf, places: Places, reach: int, mask: Mask) -> Around:
    """Neighbours that pass of each in its session, from `reach` before to `reach` after; −1 where there is none."""
    if not len(shelf) or not len(places):
        return Around(np.full((len(places), 2 * reach), -1), np.zeros((len(places), 2 * reach), np.float32))
    order = shelf.order
    near = order.at[places][:, None] + _offsets(reach)
    inside = (near >= 0) & (near < len(shelf))
    beside = order.places[np.clip(near, 0, len(shelf) - 1)]
    session = shelf.session[places][:, None]
    inside &= (shelf.session[beside] == session) & (session >= 0) & mask[beside]
    apart = np.abs(shelf.made[beside] - shelf.made[places][:, None]) / np.float32(1000)
    return Around(np.where(inside, beside, -1), np.where(inside, apart, 0.0).astype(np.float32))


def _offsets(reach: int) -> Places:
    return np.array([o for o in range(-reach, reach + 1) if o])
