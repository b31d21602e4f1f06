"""Runs of upkeep: how far one is, and the reports of those before. Figures and ids, never texts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory.models import Json, MemoryId, Night
from memory.store.rows import dump, from_ms, to_ms

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

KEPT: Final = 60


@dataclass(slots=True)
class NightGateway:
    """`memory.ports.NightTable`."""

    tx: SqliteTx

    def put(self, night: Night) -> None:
        """Write over what the job's run said before; of all runs the newest are kept."""
        self.tx.con.execute(
            "INSERT INTO nights (user_id, job_id, night, at, done, data) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (job_id) DO UPDATE SET night = excluded.night, at = excluded.at, done = excluded.done,"
            " data = excluded.data WHERE user_id = excluded.user_id",
            (self.tx.owner, night.job_id, night.night, to_ms(night.at), night.done, dump(dict(night.data))),
        )
        self.tx.con.execute(
            "DELETE FROM nights WHERE user_id = ? AND n NOT IN"
            " (SELECT n FROM nights WHERE user_id = ? ORDER BY n DESC LIMIT ?)",
            (self.tx.owner, self.tx.owner, KEPT),
        )

    def of(self, job_id: str) -> Night | None:
        """The run of a job."""
        row = self.tx.con.execute(
            "SELECT * FROM nights WHERE job_id = ? AND user_id = ?", (job_id, self.tx.owner)
        ).fetchone()
        return None if row is None else _night(row)

    def latest(self, limit: int = 1, *, done: bool = True) -> list[Night]:
        """Newest first; finished ones, or those that are under way."""
        rows = self.tx.con.execute(
            "SELECT * FROM nights WHERE user_id = ? AND done = ? ORDER BY n DESC LIMIT ?",
            (self.tx.owner, done, limit),
        )
        return [_night(r) for r in rows.fetchall()]

    def clean(self, memory_id: MemoryId) -> int:
        """Take an erased memory's id out of all of them; how many had it."""
        rows = self.tx.con.execute(
            "SELECT n, data FROM nights WHERE user_id = ? AND instr(data, ?)", (self.tx.owner, f'"{memory_id}"')
        ).fetchall()
        for row in rows:
            data = dump(_without(json.loads(row["data"]), memory_id))
            self.tx.con.execute("UPDATE nights SET data = ? WHERE n = ?", (data, row["n"]))
        return len(rows)


def _night(row: Any) -> Night:
    return Night(row["job_id"], row["night"], from_ms(row["at"]), bool(row["done"]), json.loads(row["data"]))


def _without(value: Json, memory_id: MemoryId) -> Json:
    """A list that names it goes as a whole, since a pair of one is no pair; a list of single ids loses the one."""
    if isinstance(value, list):
        kept = [v for v in value if v != memory_id and not (isinstance(v, list) and memory_id in v)]
        return [_without(v, memory_id) for v in kept]
    if isinstance(value, dict):
        return {k: _without(v, memory_id) for k, v in value.items() if k != memory_id}
    return value
