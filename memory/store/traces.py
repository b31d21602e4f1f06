"""Traces, never texts: what each turn recalled, tokens spent, and runs of upkeep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from memory.models import (
    DailyUsage,
    Hit,
    Json,
    JudgedPair,
    MemoryId,
    Mode,
    Recall,
    UpkeepNight,
    Usage,
)
from memory.store.documents import DocumentGateway
from memory.store.memories import MemoryGateway
from memory.store.rows import AMONG, columns_of, insert
from memory.store.transaction import Gateway

NIGHTS_KEPT: Final = 60
PAIRS_KEPT: Final = 20_000  # a year of nights that judge as many as they may
_HEARD: Final = "gate."  # before the names of what the gate heard
_OF_TURN: Final = "recall_traces WHERE user_id = ? AND turn_id = ?"
_HITS: Final = "recall_hits h JOIN recall_traces t ON t.n = h.trace_n"
_COUNTED: Final = ("prompt_tokens", "completion_tokens", "cached_tokens")


@dataclass(slots=True)
class TraceGateway(Gateway):
    """`memory.ports.TraceTable`."""

    def save(
        self, turn_id: str, scope: str, recall: Recall, used: Iterable[MemoryId], now: datetime
    ) -> None:
        old = f"DELETE FROM recall_hits WHERE trace_n IN (SELECT n FROM {_OF_TURN})"
        for sql in (old, f"DELETE FROM {_OF_TURN}"):
            self._run(sql, self.owner, turn_id)
        row = {"turn_id": turn_id, "scope": scope, "at": now, "mode": recall.mode.value}
        more = {"late": recall.late, "took_ms": recall.took_ms}
        shown = [[p.document, p.part, p.score] for p in recall.passages if p.document]
        n = self._insert("recall_traces", row | more | {"passages": shown}).lastrowid
        shaped = frozenset(used)
        for position, h in enumerate((*recall.hits, *recall.missed)):
            heard = {_HEARD + name: value for name, value in h.evidence.items()}
            hit = {
                "trace_n": n,
                "position": position,
                "memory_id": h.memory.id,
                "passed": position < len(recall.hits),
                "used": h.memory.id in shaped,
                "score": h.score,
                "gate": h.gate,
                "why": h.why,
                "signals": {**h.signals, **heard},
                "nudges": h.nudges,
            }
            insert(self.con, "recall_hits", hit)

    def load(self, turn_id: str) -> Recall | None:
        trace = self._row(f"SELECT * FROM {_OF_TURN}", self.owner, turn_id)
        if trace is None:
            return None
        kept = "SELECT * FROM recall_hits WHERE trace_n = ? ORDER BY position"
        rows = self._rows(kept, trace["n"])
        memories = {m.id: m for m in MemoryGateway(self.tx).get_many(r["memory_id"] for r in rows)}
        found: dict[bool, list[Hit]] = {True: [], False: []}
        for r in rows:
            if (m := memories.get(r["memory_id"])) is not None:
                signals, evidence = (_named(r["signals"], heard=heard) for heard in (False, True))
                passed, nudges = bool(r["passed"]), json.loads(r["nudges"])
                hit = Hit(m, r["score"], signals, nudges, r["gate"], evidence, passed, r["why"])
                found[passed].append(hit)
        hits, missed = tuple(found[True]), tuple(found[False])
        late, mode = bool(trace["late"]), Mode(trace["mode"])
        shown = json.loads(trace["passages"])
        there = {d.n: d for d in DocumentGateway(self.tx).get_many([p[0] for p in shown])}
        passages = tuple(there[n].get_passage(part, s) for n, part, s in shown if n in there)
        return Recall(hits, missed, late, mode, trace["took_ms"], passages)

    def list_used(self, turn_id: str) -> list[MemoryId]:
        shaped = f"SELECT h.memory_id FROM {_HITS} WHERE t.user_id = ? AND t.turn_id = ? AND h.used"
        return self._values(f"{shaped} ORDER BY h.position", self.owner, turn_id)

    def mark_used(self, turn_ids: Iterable[str], memory_id: MemoryId) -> bool:
        turns = f"SELECT n FROM recall_traces WHERE user_id = ? AND turn_id {AMONG}"
        mark = (
            "UPDATE recall_hits SET used = 1 WHERE memory_id = ? AND passed AND trace_n IN"
            f" ({turns})"
        )
        return bool(self._run(mark, memory_id, self.owner, list(turn_ids)))

    def get_last_turn(self, scope: str) -> str | None:
        newest = (
            "SELECT turn_id FROM recall_traces WHERE user_id = ? AND scope = ? ORDER BY n"
            " DESC LIMIT 1"
        )
        return next(iter(self._values(newest, self.owner, scope)), None)

    def list_hints(self, turn_id: str) -> list[MemoryId]:
        hinted = (
            f"SELECT DISTINCT h.memory_id FROM {_HITS} JOIN turns u ON u.user_id = t.user_id"
            " AND u.id = t.turn_id JOIN turns n ON n.user_id = u.user_id"
            " AND n.session_id = u.session_id"
            " WHERE n.user_id = ? AND n.id = ? AND u.state = 'done' AND h.why = 'faint'"
        )
        return self._values(hinted, self.owner, turn_id)

    def list_recalling_turns(self, memory_id: MemoryId) -> list[str]:
        turns = (
            f"SELECT DISTINCT t.turn_id, t.n FROM {_HITS} WHERE h.memory_id = ? AND h.passed"
            " AND t.user_id = ?"
        )
        return self._values(f"{turns} ORDER BY t.n", memory_id, self.owner)

    def record_tokens(self, role: str, model: str, usage: Usage, now: datetime) -> None:
        row = {"day": _day(now), "role": role, "model": model, "calls": 0} | dict.fromkeys(
            _COUNTED, 0
        )
        self._insert("token_usage", row, "INSERT OR IGNORE")
        more = ", ".join(f"{c} = {c} + ?" for c in ("calls", *_COUNTED))
        key = "user_id = ? AND day = ? AND role = ? AND model = ?"
        spent = [getattr(usage, c) for c in _COUNTED]
        sql = f"UPDATE token_usage SET {more} WHERE {key}"
        self._run(sql, 1, *spent, self.owner, _day(now), role, model)

    def count_tokens(self, role: str | None, since: datetime) -> Usage:
        sums = ", ".join(f"COALESCE(SUM({c}), 0)" for c in _COUNTED)
        spent = "token_usage WHERE user_id = ? AND day >= ? AND (? IS NULL OR role = ?)"
        return Usage(*self._row(f"SELECT {sums} FROM {spent}", self.owner, _day(since), role, role))

    def list_daily_usage(self, since: datetime) -> list[DailyUsage]:
        sums = ", ".join(f"SUM({c})" for c in _COUNTED)
        spent = "token_usage WHERE user_id = ? AND day >= ? GROUP BY day, role ORDER BY day, role"
        rows = self._rows(f"SELECT day, role, {sums} FROM {spent}", self.owner, _day(since))
        return [DailyUsage(day, role, Usage(*counted)) for day, role, *counted in rows]


@dataclass(slots=True)
class NightGateway(Gateway):
    """`memory.ports.NightTable`: how far a run of upkeep is, and the reports of those before."""

    def put(self, night: UpkeepNight) -> None:
        row = columns_of(night)
        if not self._update("nights", row, job_id=night.job_id):
            self._insert("nights", row)
        newest = f"SELECT n FROM nights WHERE user_id = ? ORDER BY n DESC LIMIT {NIGHTS_KEPT}"
        old = f"DELETE FROM nights WHERE user_id = ? AND n NOT IN ({newest})"
        self._run(old, self.owner, self.owner)

    def get_night(self, job_id: str) -> UpkeepNight | None:
        return self._one(UpkeepNight, "job_id = ?", job_id)

    def list_latest_nights(self, limit: int = 1, *, done: bool = True) -> list[UpkeepNight]:
        return self._own(UpkeepNight, "done = ? ORDER BY n DESC LIMIT ?", done, limit)

    def put_pairs(self, pairs: Iterable[JudgedPair]) -> None:
        for pair in pairs:
            self._insert("judged_pairs", columns_of(pair), "INSERT OR REPLACE")
        newest = "SELECT at FROM judged_pairs WHERE user_id = ? ORDER BY at DESC LIMIT 1 OFFSET ?"
        old = f"DELETE FROM judged_pairs WHERE user_id = ? AND at <= ({newest})"
        self._run(old, self.owner, self.owner, PAIRS_KEPT)

    def list_pairs(self) -> list[JudgedPair]:
        return self._own(JudgedPair, "1 ORDER BY at, newer, older")

    def drop_pairs(self, ids: Iterable[MemoryId]) -> None:
        theirs = f"DELETE FROM judged_pairs WHERE user_id = ? AND (newer {AMONG} OR older {AMONG})"
        gone = list(ids)
        self._run(theirs, self.owner, gone, gone)

    def clean(self, memory_id: MemoryId) -> int:
        """Take an erased memory's id out of all of them; return how many had it."""
        self.drop_pairs([memory_id])
        named = self._own(UpkeepNight, "instr(data, ?)", f'"{memory_id}"')
        for night in named:
            self._update("nights", {"data": _without(night.data, memory_id)}, job_id=night.job_id)
        return len(named)


def _without(value: Json, memory_id: MemoryId) -> Json:
    """Take an id out; a list inside a list goes with it, since a pair of one is no pair."""
    if isinstance(value, list):
        kept = [v for v in value if v != memory_id and not (isinstance(v, list) and memory_id in v)]
        return [_without(v, memory_id) for v in kept]
    if isinstance(value, dict):
        return {k: _without(v, memory_id) for k, v in value.items() if k != memory_id}
    return value


def _named(signals: str, *, heard: bool) -> Mapping[str, float]:
    """Pick fusion's signals, or what the gate heard: one column has both."""
    return {
        k.removeprefix(_HEARD): v
        for k, v in json.loads(signals).items()
        if k.startswith(_HEARD) is heard
    }


def _day(t: datetime) -> str:
    return t.astimezone(UTC).date().isoformat()
