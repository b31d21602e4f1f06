"""The nightly report: figures and ids, so that nothing in it outlives what it tells of.

The texts of a night are read from the change log when somebody looks (`read_night_diff`): what was
purged, forgotten, made quiet or taken back since is no longer in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias, cast, get_args

from memory.learn.waiting_questions import ask_to_go_on
from memory.lifecycle.life import LONG_ABSENCE
from memory.models import (
    Json,
    Kind,
    Layer,
    Level,
    Memory,
    MemoryId,
    Sensitivity,
    State,
    UpkeepNight,
    WeightEvent,
)
from memory.ports import Transaction
from memory.store.rows import memory_from_json
from memory.upkeep.run import UpkeepRun

BOUNDS: Final = (0.01, 0.1, 0.3, 0.7, 1.0)
"""Edges of the weight distribution: the levels' breakpoints, and what is protected."""
QUALITY_WINDOW: Final = timedelta(days=30)
FREQUENT, FREQUENT_WINDOW = 3, timedelta(hours=24)  # the weight paper's frequent reinforcement
_USES: Final = frozenset({"mention", "use", "boost", "affirm"})
_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class NightReport:
    """What one night came to.

    counts: what was done, by name: down up to_summary … forgotten lowered todos episodes
    review_promoted review_kept review_forgotten merges merged separate purged erased_old blanked
    unreviewed. counters: figures of what happened; weight_distribution by upper edge, the last
    one open. forgetting_rate: share of facts that no longer come up by themselves. waiting:
    phases a model kept from their end, with its error code, "budget" where no tokens were left.
    held: phases that would have changed more than a night may, with how many memories. absence:
    the person was away for long, so that counts say it better than a list. kinds: active memories
    by kind. quality: of the last 30 days, learned, undone, wrong, fixed (see
    `memory.ports.ChangeTable.count_corrections`).
    """

    night: str
    at: datetime
    memories: int = 0
    levels: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    counters: Mapping[str, Json] = field(default_factory=dict)
    forgetting_rate: float = 0.0
    derived: Sequence[MemoryId] = ()
    waiting: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, int] = field(default_factory=dict)
    absence: bool = False
    kinds: Mapping[str, int] = field(default_factory=dict)
    quality: Mapping[str, int] = field(default_factory=dict)
    job_id: str = ""

    def count(self, name: str) -> int:
        """Return how often something was done."""
        return int(self.counts.get(name, 0))


DiffSort: TypeAlias = Literal[
    "changed", "merged", "theme", "back", "core", "gone", "summary", "tag", "trace", "archive"
]
"""What a night did to memories; the last four are the level to which they faded."""


@dataclass(frozen=True, slots=True)
class DiffEntry:
    """One thing a night did: the memories before, and the one after, in their words of that night.

    changed, merged: `old` became `new`. theme: `new` rests on `old`. gone: `old` only. back, core
    and levels: `new` only.
    """

    sort: DiffSort
    old: tuple[Memory, ...]
    new: Memory | None


def read_night_diff(tx: Transaction, job_id: str) -> list[DiffEntry]:
    """Return what a run did that still stands, leaving out what nobody is to be shown."""
    spans: dict[MemoryId, tuple[Memory | None, Memory]] = {}
    for c in tx.changes.list_changes(job_id=job_id):
        if c.entity == "memory" and c.after is not None:
            before = memory_from_json(dict(c.before)) if c.before is not None else None
            first = spans[c.entity_id][0] if c.entity_id in spans else before
            spans[c.entity_id] = first, memory_from_json(dict(c.after))
    named = {i for _, m in spans.values() for i in (*m.source_ids, *m.supersedes)}
    now = {m.id: m for m in tx.memories.get_many({*spans, *named}) if _may_be_shown(m)}
    after = {i: m for i, (_, m) in spans.items() if i in now}
    merged: dict[MemoryId, list[Memory]] = defaultdict(list)
    for i, m in after.items():
        if m.merged_into in after and (was := spans[i][0]) is not None:
            merged[m.merged_into].append(was)
    over = {old: m for m in after.values() for old in m.supersedes}
    out = []
    for i, m in after.items():
        before = spans[i][0]
        if entry := _read_entry(before, m, over.get(i), merged.get(i, []), now):
            out.append(entry)
    return sorted(out, key=lambda e: _ORDER.index(e.sort))


_ORDER: Final = get_args(DiffSort)


def _may_be_shown(m: Memory) -> bool:
    gone = m.state is State.DELETED or m.quiet_at is not None
    return not gone and m.sensitivity < Sensitivity.SECRET


def _read_entry(
    before: Memory | None,
    m: Memory,
    by: Memory | None,
    others: Sequence[Memory],
    now: Mapping[MemoryId, Memory],
) -> DiffEntry | None:
    """Return what became of one memory; None where another entry tells it, or it is no news."""
    if before is None or before.state is State.DELETED:  # as after a night that was done again
        details = tuple(now[i] for i in m.source_ids if i in now)
        return DiffEntry("theme", details, m) if details else None
    if m.state is State.MERGED:
        return None
    if others:
        return DiffEntry("merged", (before, *others), m)
    if m.state is State.SUPERSEDED and before.state is State.ACTIVE:
        return DiffEntry("changed", (before,), by)
    if m.state is State.FORGOTTEN or (m.negated_at and not before.negated_at):
        return DiffEntry("gone", (before,), None)
    if m.layer is Layer.CORE and before.layer is not Layer.CORE:
        return DiffEntry("core", (), m)
    if m.level is before.level or m.layer is Layer.EPISODE:
        return None
    faded = cast("DiffSort", m.level.name.lower())
    return DiffEntry("back" if m.level < before.level else faded, (), m)


def load_report(night: UpkeepNight) -> NightReport:
    """Read a report as the store keeps it."""
    told = {f.name: night.data[f.name] for f in fields(NightReport) if f.name in night.data}
    told.setdefault("derived", [])
    return NightReport(**{**told, "night": night.night, "at": night.at, "job_id": night.job_id})


def write_report(run: UpkeepRun, tx: Transaction) -> NightReport:
    """Store the report of a night that is over, from what it did and how the store stands now."""
    data = {k: v for k, v in run.data.items() if k not in {"phase", "share", "phases"}}
    since = run.last.at if run.last else _EVER
    happened = tx.memories.list_weight_log(since=since, events=_USES | {"negate"})
    rows, counts = [w.row for w in run.rows], data.get("counts", {})
    active = [w for w in run.rows if w.row.state == State.ACTIVE]
    levels = Counter(Level(w.row.level).name.lower() for w in active)
    weights = [w.weight for w in active]
    kinds = Counter(str(w.row.kind) for w in active if w.row.layer != Layer.EPISODE)
    if data.get("held"):
        ask_to_go_on(tx, sum(data["held"].values()), len(active), run.now)
    last = tx.conversations.list_sessions(limit=1)
    data |= {
        "kinds": dict(kinds.most_common()),
        "quality": tx.changes.count_corrections(run.now - QUALITY_WINDOW),
        "believed": run.believed,
        "absence": bool(last) and run.now - last[0].last_at >= LONG_ABSENCE,
        "memories": len(active),
        "levels": {level.name.lower(): levels[level.name.lower()] for level in Level},
        "states": dict(Counter(r.state for r in rows)),
        "forgetting_rate": round(_compute_forgetting_rate(run), 4),
        "counters": {
            "passive_compression": int(counts.get("down", 0)),
            "user_activation": sum(e.event in _USES for e in happened),
            "negation": sum(e.event == "negate" for e in happened),
            "frequent_reinforce": sum(e.event in _USES and _is_frequent(e) for e in happened),
            "batch_merge": int(counts.get("merges", 0)),
            "avg_weight": round(sum(weights) / len(weights), 4) if weights else 0.0,
            "weight_distribution": _count_by_weight(weights),
        },
        "carry": _carry_on(run, {w.row.id for w in active}),
    }
    night = UpkeepNight(run.job.id, run.night, run.now, done=True, data=data)
    tx.nights.put(night)
    return load_report(night)


def _carry_on(run: UpkeepRun, active: set[MemoryId]) -> dict[str, Json]:
    """Return what the next night has to know, of memories that are still there."""
    carry = dict(run.data.get("carry", {}))
    for what in ("unwritten", "unreviewed"):
        carry[what] = {i: n for i, n in carry.get(what, {}).items() if i in active}
    if run.allowed:
        carry.pop("held", None)
    elif run.data.get("held"):
        carry["held"] = min(run.looked_up_to, int(carry.get("held", run.looked_up_to)))
    if not {"merge", "changes", "themes"}.isdisjoint(run.data.get("waiting", {})):
        carry["place"] = run.looked_up_to  # what a model kept from its end is done again
    return carry


def _compute_forgetting_rate(run: UpkeepRun) -> float:
    """Return the share of facts that are forgotten or faded past what normal recall sees.

    Episodes and todos that are over do not count: they are meant to pass.
    """
    facts = [
        w.row
        for w in run.rows
        if w.row.layer != Layer.EPISODE
        and w.row.kind not in {Kind.EPISODE, Kind.TODO}
        and w.row.state in {State.ACTIVE, State.FORGOTTEN}
    ]
    gone = sum(r.state == State.FORGOTTEN or r.level > Level.SUMMARY for r in facts)
    return gone / len(facts) if facts else 0.0


def _count_by_weight(weights: Sequence[float]) -> dict[str, int]:
    """Count the weights up to each edge; the last name is that of those above it."""
    names = [*(f"≤{edge:g}" for edge in BOUNDS), f">{BOUNDS[-1]:g}"]
    found = Counter(names[bisect_left(BOUNDS, w - 1e-12)] for w in weights)
    return {name: found[name] for name in names}


def _is_frequent(e: WeightEvent) -> bool:
    """Tell whether it is the third mention within 24 hours, or a later one."""
    mentions = [int(t) for t in e.after.get("recent_mentions", [])]
    window = FREQUENT_WINDOW / timedelta(milliseconds=1)
    return bool(mentions) and sum(mentions[-1] - window < t for t in mentions) >= FREQUENT
