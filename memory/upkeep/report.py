"""The nightly report and its counters: figures and ids, so that nothing in it outlives what it tells of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Final

from memory.lifecycle.fade import FREQUENT, FREQUENT_WINDOW
from memory.models import (
    Json,
    Kind,
    Layer,
    Level,
    MemoryId,
    MemoryOutline,
    State,
    UpkeepNight,
    WeightEvent,
)
from memory.upkeep.run import WeightColumns

BOUNDS: Final = (0.01, 0.1, 0.3, 0.7, 1.0)
"""Edges of the weight distribution: the breakpoints of levels, and the weight of what is protected."""
_USES: Final = frozenset({"mention", "use", "boost", "affirm"})
COUNTED: Final = _USES | {"negate"}
"""Events that the counters look at."""


@dataclass(frozen=True, slots=True)
class NightReport:
    """What one night came to.

    counts: what was done, by name: down up to_summary … forgotten lowered todos episodes
    review_promoted review_kept review_forgotten review_archived merges merged separate purged
    erased_old blanked unwritten unreviewed. counters: six figures of what happened;
    weight_distribution by upper edge, the last one open. forgetting_rate: share of facts that
    normal recall no longer sees. waiting: phases a model kept from their end, with its error code.
    """

    night: str
    at: datetime
    memories: int = 0
    levels: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    counters: Mapping[str, Json] = field(default_factory=dict)
    forgetting_rate: float = 0.0
    clashes: Sequence[tuple[MemoryId, MemoryId]] = ()
    derived: Sequence[MemoryId] = ()
    waiting: Mapping[str, str] = field(default_factory=dict)
    job_id: str = ""

    def count(self, name: str) -> int:
        """Say how often something was done; 0 if it was not."""
        return int(self.counts.get(name, 0))


def load_report(night: UpkeepNight) -> NightReport:
    """As the store keeps it."""
    told = {f.name: night.data[f.name] for f in fields(NightReport) if f.name in night.data}
    told["clashes"] = [(p[0], p[1]) for p in told.get("clashes", []) if len(p) == 2]
    told["derived"] = list(told.get("derived", []))
    return NightReport(**{**told, "night": night.night, "at": night.at, "job_id": night.job_id})


def compute_figures(weighed: Sequence[WeightColumns]) -> dict[str, Json]:
    """Say how the store stands after the night: levels, states, weights, and how much is forgotten."""
    rows = [w.row for w in weighed]
    weights = [w.weight for w in weighed if w.row.state == State.ACTIVE]
    levels = Counter(Level(r.level).name.lower() for r in rows if r.state == State.ACTIVE)
    return {
        "memories": len(weights),
        "levels": {level.name.lower(): levels[level.name.lower()] for level in Level},
        "states": dict(Counter(r.state for r in rows)),
        "forgetting_rate": round(compute_forgetting_rate(rows), 4),
        "avg_weight": round(sum(weights) / len(weights), 4) if weights else 0.0,
        "weight_distribution": count_by_weight(weights),
    }


def compute_forgetting_rate(rows: Sequence[MemoryOutline]) -> float:
    """Forgotten, or faded past what normal recall sees, among all facts that hold or were
    forgotten.

    Episodes and todos that are over do not count: they are meant to pass.
    """
    facts = [
        r for r in rows if r.layer != Layer.EPISODE and r.kind not in {Kind.EPISODE, Kind.TODO}
    ]
    standing = [r for r in facts if r.state in {State.ACTIVE, State.FORGOTTEN}]
    gone = sum(r.state == State.FORGOTTEN or r.level > Level.SUMMARY for r in standing)
    return gone / len(standing) if standing else 0.0


def count_by_weight(weights: Sequence[float]) -> dict[str, int]:
    """Say how many weights up to each edge; `>1` are those above the last."""
    out = {f"≤{edge:g}": 0 for edge in BOUNDS} | {f">{BOUNDS[-1]:g}": 0}
    for w in weights:
        edge = next((f"≤{e:g}" for e in BOUNDS if w <= e + 1e-12), f">{BOUNDS[-1]:g}")
        out[edge] += 1
    return out


def compute_counters(
    log: Sequence[WeightEvent], counts: Mapping[str, int], standing: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the monitoring figures: of what happened since the last report, and of how the store stands."""
    return {
        "passive_compression": int(counts.get("down", 0)),
        "user_activation": sum(e.event in _USES for e in log),
        "negation": sum(e.event == "negate" for e in log),
        "frequent_reinforce": sum(e.event in _USES and _frequent(e) for e in log),
        "batch_merge": int(counts.get("merges", 0)),
        "avg_weight": standing["avg_weight"],
        "weight_distribution": standing["weight_distribution"],
    }


def _frequent(e: WeightEvent) -> bool:
    """Find the third mention within 24 hours, or a later one."""
    mentions = [int(t) for t in e.after.get("recent_mentions", [])]
    window = FREQUENT_WINDOW / timedelta(milliseconds=1)
    return bool(mentions) and sum(mentions[-1] - window < t for t in mentions) >= FREQUENT
