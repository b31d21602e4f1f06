"""What stands beside a memory: by a name they share, or in the session they were learned in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.models import Scored
from memory.ports import Around, Places
from memory.store.shelf import Mask, Shelf

Values = NDArray[np.float64]

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
    """Neighbours through shared entities, up to `hops` away, the given ones left out; each hop counts half.

    What shares an entity is worth the entity's rarity. A name that very many memories share ("I", the user's own)
    says nothing, and would cost the most.
    """
    frontier = start
    strengths: Values = np.ones(len(start))
    seen, found = start, list[Scored]()
    for _ in range(hops):
        entities, worth = _rarest(shelf, frontier, strengths)
        if not len(entities):
            break
        linked = shelf.entities.each(entities.tolist())
        reached, at = np.unique(np.concatenate(linked), return_inverse=True)
        scores = np.bincount(at, np.repeat(worth, [len(p) for p in linked]))
        fresh = np.flatnonzero(mask[reached] & ~np.isin(reached, seen))
        best = fresh[np.lexsort((-reached[fresh], -scores[fresh]))][:_FRONTIER]
        frontier = reached[best]
        seen = np.concatenate([seen, frontier])
        found += [Scored(shelf.ids[p], s, p) for p, s in zip(frontier.tolist(), scores[best].tolist(), strict=True)]
        strengths = (scores[best] * _HOP_DECAY).astype(np.float64, copy=False)
    return sorted(found, key=lambda s: -s.score)[:k]


def _rarest(shelf: Shelf, frontier: Places, strengths: Values) -> tuple[Places, Values]:
    """Entities of these memories, and what a memory that has one is worth; the best first."""
    own = shelf.of_entity.each(frontier.tolist())
    all_ = np.concatenate(own) if own else np.empty(0, np.int64)
    entities, at = np.unique(all_, return_inverse=True)
    carried = np.bincount(at, np.repeat(strengths, [len(e) for e in own]), len(entities))
    held = np.array([len(p) for p in shelf.entities.each(entities.tolist())], np.int64)
    some = np.flatnonzero((held <= _HUB) & (held > 0))
    worth = carried[some] / held[some]
    order = np.lexsort((entities[some], -worth))[:_RAREST]
    return entities[some][order], worth[order]


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
