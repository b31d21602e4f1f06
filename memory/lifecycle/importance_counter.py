"""The three-layer paper's importance counter, which every memory keeps whatever its curve.

2.0 / 1.5 / 1.0 at first, +0.3 at a BOOST, ×0.95 a day after 7 days without activation. It asks the
reviewer at 2.5 (and below 0.5 where the curve says so), and makes a fact `core` at 3.0. The speed
of forgetting (U) stands in the exponent.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from memory.lifecycle.curve import count_days_after_grace, is_protected
from memory.models import Importance, Kind, Layer, Memory

FIRST: Mapping[Importance, float] = {
    Importance.HIGH: 2.0,
    Importance.MEDIUM: 1.5,
    Importance.LOW: 1.0,
}
BOOST = 0.3
PER_DAY = 0.95
PROMOTION, DECAY, CORE = 2.5, 0.5, 3.0
CORE_KINDS = frozenset(
    {Kind.IDENTITY, Kind.HEALTH, Kind.PREFERENCE, Kind.SKILL, Kind.LESSON, Kind.WORKFLOW}
)
KEPT_AT = 0.5  # a KEEP in a decay review sets it to this
MOST = 10.0  # the paper names no ceiling; far above everything it decides


def compute_counter(m: Memory, u: float, now: datetime) -> float:
    """Return the counter as it stands at `now`.

    Protected memories keep theirs (the three-layer paper: core never decays).
    """
    if is_protected(m):
        return min(m.importance, MOST)
    return min(
        float(m.importance * PER_DAY ** (u * count_days_after_grace(m, m.importance_at, now))), MOST
    )


def may_be_core(m: Memory) -> bool:
    """Tell whether it is of a lasting sort, and verified or said on two days.

    Days are of UTC. Denied memories never are.
    """
    said = (
        m.verified
        or len({t.astimezone(UTC).date() for t in (m.created_at, *m.recent_mentions)}) > 1
    )
    return m.layer is Layer.FACT and m.negated_at is None and m.kind in CORE_KINDS and said
