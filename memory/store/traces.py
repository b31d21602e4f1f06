"""Traces, in ids and numbers, never texts: what each turn recalled, tokens spent, and runs of upkeep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from memory.models import Hit, Json, MemoryId, Mode, Recall, UpkeepNight, Usage
from memory.store.memories import MemoryGateway
from memory.store.rows import AMONG, columns_of, dump, insert, to_ms
from memory.store.transaction import Gateway

NIGHTS_KEPT: Final = 60
_HEARD: Final = "gate."  # before the names of what the gate heard
_OF_TURN: Final = "recall_traces WHERE user_id = ? AND turn_id = ?"
_HITS: Final = "recall_hits h JOIN recall_traces t ON t.n = h.trace_n"


@dataclass(slots=True)
class TraceGateway(Gateway):
    """`memory.ports.TraceTable`."""

    def save(
        self, turn_id: str, scope: str, recall: Recall, used: Iterable[MemoryId], now: datetime
    ) -> None:
        """Keep the trace of a turn; a second one replaces the first (the turn was answered again)."""
        self._run(
            f"DELETE FROM recall_hits WHERE trace_n IN (SELECT n FROM {_OF_TURN})",
            self.owner,
            turn_id,
        )
        self._run(f"DELETE FROM {_OF_TURN}", self.owner, turn_id)
        row = {
            "user_id": self.owner,
            "turn_id": turn_id,
            "scope": scope,
            "at": now,
            "mode": recall.mode.value,
        }
        more = {"late": recall.late, "took_ms": recall.took_ms}
        n = insert(self.tx.con, "recall_traces", row | more).lastrowid
        shaped = frozenset(used)
        for position, h in enumerate((*recall.hits, *recall.missed)):
            hit = {
                "trace_n": n,
                "position": position,
                "memory_id": h.memory.id,
                "passed": position < len(recall.hits),
                "used": h.memory.id in shaped,
                "score": h.score,
                "gate": h.gate,
                "why": h.why,
                "signals": {
                    **h.signals,
                    **{_HEARD + name: value for name, value in h.evidence.items()},
                },
                "nudges": h.nudges,
            }
            insert(self.tx.con, "recall_hits", hit)

    def load(self, turn_id: str) -> Recall | None:
        """Return it with memories as they stand now; those erased since are left out."""
        trace = self._row(f"SELECT * FROM {_OF_TURN}", self.owner, turn_id)
        if trace is None:
            return None
        rows = self._rows(
            "SELECT * FROM recall_hits WHERE trace_n = ? ORDER BY position", trace["n"]
        )
        memories = {m.id: m for m in MemoryGateway(self.tx).get_many(r["memory_id"] for r in rows)}
        hits = [
            Hit(
                memory=memories[r["memory_id"]],
                score=r["score"],
                signals=_named(r["signals"], heard=False),
                nudges=json.loads(r["nudges"]),
                gate=r["gate"],
                evidence=_named(r["signals"], heard=True),
                passed=bool(r["passed"]),
                why=r["why"],
            )
            for r in rows
            if r["memory_id"] in memories
        ]
        return Recall(
            hits=tuple(h for h in hits if h.passed),
            missed=tuple(h for h in hits if not h.passed),
            late=bool(trace["late"]),
            mode=Mode(trace["mode"]),
            took_ms=trace["took_ms"],
        )

    def list_used(self, turn_id: str) -> list[MemoryId]:
        """List memories that shaped the turn's reply."""
        shaped = f"SELECT h.memory_id FROM {_HITS} WHERE t.user_id = ? AND t.turn_id = ? AND h.used"
        return self._values(f"{shaped} ORDER BY h.position", self.owner, turn_id)

    def mark_used(self, turn_ids: Iterable[str], memory_id: MemoryId) -> bool:
        """Note that it shaped the reply of those of the turns that recalled it; whether any did."""
        turns = f"SELECT n FROM recall_traces WHERE user_id = ? AND turn_id {AMONG}"
        mark = f"UPDATE recall_hits SET used = 1 WHERE memory_id = ? AND passed AND trace_n IN ({turns})"
        return bool(self._run(mark, memory_id, self.owner, dump(list(turn_ids))))

    def get_last_turn(self, scope: str) -> str | None:
        """Return the newest turn of the scope that has a trace."""
        newest = "SELECT turn_id FROM recall_traces WHERE user_id = ? AND scope = ? ORDER BY n DESC LIMIT 1"
        return next(iter(self._values(newest, self.owner, scope)), None)

    def list_recalling_turns(self, memory_id: MemoryId) -> list[str]:
        """List the turns whose prompt carried the memory, oldest first."""
        turns = f"SELECT DISTINCT t.turn_id, t.n FROM {_HITS} WHERE h.memory_id = ? AND h.passed AND t.user_id = ?"
        return self._values(f"{turns} ORDER BY t.n", memory_id, self.owner)

    def record_tokens(self, role: str, model: str, usage: Usage, now: datetime) -> None:
        """Count a model call. Days are UTC."""
        self._run(
            "INSERT INTO token_usage (day, user_id, role, model, calls, prompt_tokens, completion_tokens,"
            " cached_tokens) VALUES (?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT (user_id, day, role, model) DO UPDATE SET"
            " calls = calls + 1, prompt_tokens = prompt_tokens + excluded.prompt_tokens,"
            " completion_tokens = completion_tokens + excluded.completion_tokens,"
            " cached_tokens = cached_tokens + excluded.cached_tokens",
            *(_day(now), self.owner, role, model),
            *(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens),
        )

    def count_tokens(self, role: str | None, since: datetime) -> Usage:
        """Add up the tokens of a role (of all, if None) from the day of `since` on."""
        row = self._row(
            "SELECT COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(completion_tokens), 0),"
            " COALESCE(SUM(cached_tokens), 0) FROM token_usage WHERE user_id = ? AND day >= ?"
            " AND (? IS NULL OR role = ?)",
            *(self.owner, _day(since), role, role),
        )
        return Usage(*row)


@dataclass(slots=True)
class NightGateway(Gateway):
    """`memory.ports.NightTable`: how far a run of upkeep is, and the reports of those before."""

    def put(self, night: UpkeepNight) -> None:
        """Write over what the job's run said before; of all runs the newest are kept."""
        row = columns_of(night) | {"user_id": self.owner}
        if self.get_night(night.job_id) is None:
            insert(self.tx.con, "nights", row)
        values = (row["night"], to_ms(night.at), night.done, dump(dict(night.data)))
        sets = "UPDATE nights SET night = ?, at = ?, done = ?, data = ? WHERE job_id = ? AND user_id = ?"
        self._run(sets, *values, night.job_id, self.owner)
        newest = "SELECT n FROM nights WHERE user_id = ? ORDER BY n DESC LIMIT ?"
        self._run(
            f"DELETE FROM nights WHERE user_id = ? AND n NOT IN ({newest})",
            *(self.owner,) * 2,
            NIGHTS_KEPT,
        )

    def get_night(self, job_id: str) -> UpkeepNight | None:
        """Return the run of a job."""
        return self._one(
            UpkeepNight, "SELECT * FROM nights WHERE job_id = ? AND user_id = ?", job_id, self.owner
        )

    def list_latest_nights(self, limit: int = 1, *, done: bool = True) -> list[UpkeepNight]:
        """List, newest first, finished runs, or those that are under way."""
        newest = "SELECT * FROM nights WHERE user_id = ? AND done = ? ORDER BY n DESC LIMIT ?"
        return self._all(UpkeepNight, newest, self.owner, done, limit)

    def clean(self, memory_id: MemoryId) -> int:
        """Take an erased memory's id out of all of them; how many had it."""
        named = "SELECT n, data FROM nights WHERE user_id = ? AND instr(data, ?)"
        rows = self._rows(named, self.owner, f'"{memory_id}"')
        for row in rows:
            data = dump(_without(json.loads(row["data"]), memory_id))
            self._run("UPDATE nights SET data = ? WHERE n = ?", data, row["n"])
        return len(rows)


def _without(value: Json, memory_id: MemoryId) -> Json:
    """A list that names it goes as a whole, since a pair of one is no pair; a list of single ids loses the one."""
    if isinstance(value, list):
        kept = [v for v in value if v != memory_id and not (isinstance(v, list) and memory_id in v)]
        return [_without(v, memory_id) for v in kept]
    if isinstance(value, dict):
        return {k: _without(v, memory_id) for k, v in value.items() if k != memory_id}
    return value


def _named(signals: str, *, heard: bool) -> Mapping[str, float]:
    """Fusion's signals, or what the gate heard: one column has both."""
    return {
        k.removeprefix(_HEARD): v
        for k, v in json.loads(signals).items()
        if k.startswith(_HEARD) is heard
    }


def _day(t: datetime) -> str:
    return t.astimezone(UTC).date().isoformat()
