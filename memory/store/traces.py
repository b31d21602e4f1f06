"""The recall trace of each turn: ids and numbers, never texts; and tokens spent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from memory.models import Hit, MemoryId, Mode, Recall, Usage
from memory.store.rows import dump, to_ms

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

_HEARD: Final = "gate."  # before the names of what the gate heard


@dataclass(slots=True)
class TraceGateway:
    """`memory.ports.TraceTable`."""

    tx: SqliteTx

    def save(self, turn_id: str, scope: str, recall: Recall, used: Iterable[MemoryId], now: datetime) -> None:
        """Keep the trace of a turn; a second one replaces the first (the turn was answered again)."""
        con, owner = self.tx.con, self.tx.owner
        con.execute(
            "DELETE FROM recall_hits WHERE trace_n IN"
            " (SELECT n FROM recall_traces WHERE user_id = ? AND turn_id = ?)",
            (owner, turn_id),
        )
        con.execute("DELETE FROM recall_traces WHERE user_id = ? AND turn_id = ?", (owner, turn_id))
        n = con.execute(
            "INSERT INTO recall_traces (user_id, turn_id, scope, at, mode, late, took_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (owner, turn_id, scope, to_ms(now), recall.mode.value, recall.late, recall.took_ms),
        ).lastrowid
        shaped = frozenset(used)
        con.executemany(
            "INSERT INTO recall_hits (trace_n, position, memory_id, passed, used, score, gate, why, signals, nudges)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    n,
                    position,
                    h.memory.id,
                    position < len(recall.hits),
                    h.memory.id in shaped,
                    h.score,
                    h.gate,
                    h.why,
                    dump({**h.signals, **{_HEARD + name: value for name, value in h.evidence.items()}}),
                    dump(dict(h.nudges)),
                )
                for position, h in enumerate((*recall.hits, *recall.missed))
            ],
        )

    def load(self, turn_id: str) -> Recall | None:
        """With memories as they stand now; those erased since are left out."""
        trace = self.tx.con.execute(
            "SELECT * FROM recall_traces WHERE user_id = ? AND turn_id = ?", (self.tx.owner, turn_id)
        ).fetchone()
        if trace is None:
            return None
        rows = self.tx.con.execute(
            "SELECT * FROM recall_hits WHERE trace_n = ? ORDER BY position", (trace["n"],)
        ).fetchall()
        memories = {m.id: m for m in self.tx.memories.many(r["memory_id"] for r in rows)}
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

    def used(self, turn_id: str) -> list[MemoryId]:
        """Memories that shaped the turn's reply."""
        rows = self.tx.con.execute(
            "SELECT h.memory_id FROM recall_hits h JOIN recall_traces t ON t.n = h.trace_n"
            " WHERE t.user_id = ? AND t.turn_id = ? AND h.used ORDER BY h.position",
            (self.tx.owner, turn_id),
        )
        return [r[0] for r in rows.fetchall()]

    def mark_used(self, turn_ids: Iterable[str], memory_id: MemoryId) -> bool:
        """It shaped the reply of those of the turns that recalled it; whether any did."""
        done = self.tx.con.execute(
            "UPDATE recall_hits SET used = 1 WHERE memory_id = ? AND passed AND trace_n IN"
            " (SELECT n FROM recall_traces WHERE user_id = ? AND turn_id IN (SELECT value FROM json_each(?)))",
            (memory_id, self.tx.owner, dump(list(turn_ids))),
        )
        return bool(done.rowcount)

    def last_turn(self, scope: str) -> str | None:
        """The newest turn of the scope that has a trace."""
        row = self.tx.con.execute(
            "SELECT turn_id FROM recall_traces WHERE user_id = ? AND scope = ? ORDER BY n DESC LIMIT 1",
            (self.tx.owner, scope),
        ).fetchone()
        return None if row is None else str(row[0])

    def recalled_in(self, memory_id: MemoryId) -> list[str]:
        """Ids of the turns whose prompt carried the memory, oldest first."""
        rows = self.tx.con.execute(
            "SELECT DISTINCT t.turn_id, t.n FROM recall_hits h JOIN recall_traces t ON t.n = h.trace_n"
            " WHERE h.memory_id = ? AND h.passed AND t.user_id = ? ORDER BY t.n",
            (memory_id, self.tx.owner),
        )
        return [r[0] for r in rows.fetchall()]

    def spend(self, role: str, model: str, usage: Usage, now: datetime) -> None:
        """Count a model call. Days are UTC."""
        self.tx.con.execute(
            "INSERT INTO token_usage (day, user_id, role, model, calls, prompt_tokens, completion_tokens,"
            " cached_tokens) VALUES (?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT (user_id, day, role, model) DO UPDATE SET"
            " calls = calls + 1, prompt_tokens = prompt_tokens + excluded.prompt_tokens,"
            " completion_tokens = completion_tokens + excluded.completion_tokens,"
            " cached_tokens = cached_tokens + excluded.cached_tokens",
            (
                _day(now),
                self.tx.owner,
                role,
                model,
                usage.prompt_tokens,
                usage.completion_tokens,
                usage.cached_tokens,
            ),
        )

    def spent(self, role: str | None, since: datetime) -> Usage:
        """Tokens of a role (of all, if None) from the day of `since` on."""
        row = self.tx.con.execute(
            "SELECT COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(completion_tokens), 0),"
            " COALESCE(SUM(cached_tokens), 0) FROM token_usage WHERE user_id = ? AND day >= ?"
            " AND (? IS NULL OR role = ?)",
            (self.tx.owner, _day(since), role, role),
        ).fetchone()
        return Usage(*row)


def _named(signals: str, *, heard: bool) -> Mapping[str, float]:
    """Fusion's signals, or what the gate heard: one column has both."""
    return {k.removeprefix(_HEARD): v for k, v in json.loads(signals).items() if k.startswith(_HEARD) is heard}


def _day(t: datetime) -> str:
    return t.astimezone(UTC).date().isoformat()
