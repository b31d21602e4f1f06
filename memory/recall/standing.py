"""The standing memories, which are in every prompt of a person's own conversations."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memory.lifecycle import compute_weight, is_episode
from memory.lifecycle.score import RESIDENT
from memory.models import Filter, Kind, Layer, Memory
from memory.ports import Transaction
from memory.text.notes import is_name

MOST: Final = 20  # memories besides health (the session paper)
TOKENS: Final = 400  # and how long they may be in all
_CLOSE: Final = 4  # the group of those close
_CORE: Final = frozenset({Layer.CORE, Layer.SYSTEM})
_BYTES: Final = 4  # of a token, about: a Chinese character has three


def find_standing(tx: Transaction, u: float, now: datetime, *, health: bool = True) -> list[Memory]:
    """Find the standing memories, whatever their level; health first.

    All of health is there unless `health` is off.

    Then at most 20 and 400 tokens: names, instructions, the closest people and animals, pinned and
    core, each group by its weight at `now`; under the curve `score` also what weighs 0.5 or more
    (the session paper).
    """
    found = sorted(
        tx.memories.list_standing(now), key=lambda m: (_group(m), -compute_weight(m, u, now), m.id)
    )
    strongest = tx.memories.find(
        Filter(valid_at=now, negated=False), order="weight", limit=MOST
    ).items
    scored = [
        m
        for m in strongest
        if m.curve == "score" and compute_weight(m, u, now) >= RESIDENT and not is_episode(m)
    ]
    out = {m.id: m for m in found if m.kind is Kind.HEALTH and health}
    left, tokens = MOST, float(TOKENS)
    named: set[str] = set()  # people and animals that have their line
    for m in (*found, *scored):
        size = len(m.original_content.encode()) / _BYTES
        again = _group(m) == _CLOSE and bool(m.entities) and named.issuperset(m.entities)
        if m.id in out or m.kind is Kind.HEALTH or m.quiet_at or again or not left or size > tokens:
            continue
        if _group(m) > _CLOSE and m not in scored and not (m.pinned or m.layer in _CORE):
            continue
        named.update(m.entities)
        out[m.id] = m
        left, tokens = left - 1, tokens - size
    return list(out.values())


def _group(m: Memory) -> int:
    """Which of the groups it belongs to: 1 health, 2 name, 3 instruction, 4 close, 5 the rest."""
    if m.kind is Kind.HEALTH:
        return 1
    if m.kind is Kind.IDENTITY and is_name(m.original_content):
        return 2
    return 3 if m.kind is Kind.INSTRUCTION else _CLOSE if m.close else 5
