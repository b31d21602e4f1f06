"""The resident profile: what stands in every prompt of a session (DESIGN §7, S3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from memory.lifecycle import is_episode, level_of, weight
from memory.lifecycle.score import RESIDENT
from memory.models import Filter, Kind, Layer, Level, Memory, Sensitivity
from memory.ports import Tx

MOST: Final = 20  # S3
_ORDER: Final = (Kind.IDENTITY, Kind.PREFERENCE, Kind.WORKFLOW)
_LOOKED_AT: Final = 200


def residents(tx: Tx, u: float, now: datetime) -> list[Memory]:
    """At most 20: core, pinned and verified first, then identity, preference, workflow; each by weight.

    FULL, valid, not denied, sensitivity below 2; under `score` only from 0.5 on. Weights are those at `now`.
    """
    f = Filter(levels=frozenset({Level.FULL}), valid_at=now, negated=False, max_sensitivity=Sensitivity.GENERAL)
    looks = (
        replace(f, layers=frozenset({Layer.CORE, Layer.SYSTEM})),
        replace(f, kinds=frozenset(_ORDER)),
        f,
    )
    found = {m.id: m for look in looks for m in tx.memories.find(look, order="weight", limit=_LOOKED_AT).items}
    fitting = [replace(m, weight=weight(m, u, now)) for m in found.values()]
    chosen = [(_rank(m), m) for m in fitting if _fits(m, u, now)]
    best = sorted(((r, m) for r, m in chosen if r is not None), key=lambda x: (x[0], -x[1].weight, x[1].id))
    return [m for _, m in best[:MOST]]


def _rank(m: Memory) -> int | None:
    if m.pinned or m.verified or m.layer in {Layer.CORE, Layer.SYSTEM}:
        return 0
    return 1 + _ORDER.index(m.kind) if m.kind in _ORDER else None


def _fits(m: Memory, u: float, now: datetime) -> bool:
    strong = m.curve != "score" or m.weight >= RESIDENT
    return strong and m.quiet_at is None and not is_episode(m) and level_of(m, u, now) is Level.FULL
