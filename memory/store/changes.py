"""Change sets and what they did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory.models import Change, ChangeSet, Entity
from memory.store import ids
from memory.store.rows import change_from_row, change_set_from_row, to_ms

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

SELECT = (
    "SELECT c.*, s.reason, s.turn_id, s.at FROM changes c JOIN change_sets s ON s.id = c.set_id WHERE c.user_id = ?"
)
# A mention and what it does to the level are no acts that a person would want to take back.
_MINOR = "('reinforced', 'levelled')"


@dataclass(slots=True)
class ChangeGateway:
    """`memory.ports.ChangeTable`."""

    tx: SqliteTx

    def begin(
        self,
        actor: str,
        reason: str,
        now: datetime,
        *,
        turn_id: str | None = None,
        job_id: str | None = None,
        undoes: str | None = None,
    ) -> ChangeSet:
        """Open the set that the writes which follow in this transaction belong to."""
        tx = self.tx
        opened = ChangeSet(
            ids.new_id(tx.con), tx.owner, actor, reason, now, turn_id=turn_id, job_id=job_id, undoes=undoes
        )
        tx.con.execute(
            "INSERT INTO change_sets (id, user_id, actor, reason, at, turn_id, job_id, undoes)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (opened.id, tx.owner, actor, reason, to_ms(now), turn_id, job_id, undoes),
        )
        tx.use_set(opened)
        return opened

    def resume(self, opened: ChangeSet) -> None:
        """Go on with a set of an earlier transaction: the writes that follow belong to it."""
        self.tx.use_set(opened)

    def get(self, set_id: str) -> ChangeSet | None:
        """A set of this user's."""
        row = self.tx.con.execute(
            "SELECT * FROM change_sets WHERE id = ? AND user_id = ?", (set_id, self.tx.owner)
        ).fetchone()
        return None if row is None else change_set_from_row(row)

    def of_set(self, set_id: str) -> list[Change]:
        """What the set did, in order."""
        rows = self.tx.con.execute(f"{SELECT} AND c.set_id = ? ORDER BY c.seq", (self.tx.owner, set_id))
        return [change_from_row(r) for r in rows.fetchall()]

    def after(self, seq: int, limit: int) -> list[Change]:
        """Changes after the cursor, in order."""
        rows = self.tx.con.execute(f"{SELECT} AND c.seq > ? ORDER BY c.seq LIMIT ?", (self.tx.owner, seq, limit))
        return [change_from_row(r) for r in rows.fetchall()]

    def last_seq(self) -> int:
        """The user's newest change; 0 if there is none."""
        row = self.tx.con.execute("SELECT MAX(seq) FROM changes WHERE user_id = ?", (self.tx.owner,)).fetchone()
        return row[0] or 0

    def latest_for(self, entity: Entity, entity_id: str) -> Change | None:
        """The last thing that happened to it."""
        row = self.tx.con.execute(
            f"{SELECT} AND c.entity = ? AND c.entity_id = ? ORDER BY c.seq DESC LIMIT 1",
            (self.tx.owner, entity, entity_id),
        ).fetchone()
        return None if row is None else change_from_row(row)

    def of_entity(self, entity: Entity, entity_id: str) -> list[Change]:
        """Return all changes of one thing, oldest first."""
        sql = f"{SELECT} AND c.entity = ? AND c.entity_id = ? ORDER BY c.seq"
        return [change_from_row(r) for r in self.tx.con.execute(sql, (self.tx.owner, entity, entity_id)).fetchall()]

    def ended_by(self, turn_id: str) -> int:
        """Count the memories that ended by what was learned right after the turn, taken back or not."""
        row = self.tx.con.execute(
            "SELECT COUNT(DISTINCT c.entity_id) FROM changes c JOIN change_sets s ON s.id = c.set_id"
            " WHERE s.turn_id = ? AND s.user_id = ? AND s.reason = 'monitor' AND c.entity = 'memory'"
            " AND c.op IN ('superseded', 'negated', 'deleted')",
            (turn_id, self.tx.owner),
        ).fetchone()
        return int(row[0])

    def overtaken(self, set_id: str) -> frozenset[str]:
        """Memories of the set that another set has changed since."""
        rows = self.tx.con.execute(
            "SELECT DISTINCT c.entity_id FROM changes c WHERE c.set_id = ? AND c.user_id = ? AND c.entity = 'memory'"
            " AND EXISTS (SELECT 1 FROM changes d WHERE d.user_id = c.user_id AND d.entity = 'memory'"
            "  AND d.entity_id = c.entity_id AND d.seq > c.seq AND d.set_id != c.set_id)",
            (set_id, self.tx.owner),
        )
        return frozenset(r[0] for r in rows.fetchall())

    def undoable(self, limit: int = 20) -> list[ChangeSet]:
        """Newest first: sets that did more to a memory than a mention does, not undone, no undos, not purged.

        Where one act was of many things (forgetting, a save of MEMORY.md, an import), a purge leaves the rest.
        """
        rows = self.tx.con.execute(
            "SELECT s.* FROM change_sets s WHERE s.user_id = ? AND s.undone_by IS NULL AND s.undoes IS NULL"
            " AND EXISTS (SELECT 1 FROM changes c WHERE c.set_id = s.id AND c.entity = 'memory'"
            f"  AND c.op NOT IN {_MINOR} AND c.after IS NOT NULL)"
            " AND (s.reason IN ('forget', 'mirror', 'import')"
            "  OR NOT EXISTS (SELECT 1 FROM changes c WHERE c.set_id = s.id AND c.entity = 'memory'"
            "   AND (c.op = 'purged' OR c.after IS NULL)))"
            " ORDER BY s.n DESC LIMIT ?",
            (self.tx.owner, limit),
        )
        return [change_set_from_row(r) for r in rows.fetchall()]

    def mark_undone(self, set_id: str, by: str) -> None:
        """`by` is the set that took it back."""
        self.tx.con.execute(
            "UPDATE change_sets SET undone_by = ? WHERE id = ? AND user_id = ?", (by, set_id, self.tx.owner)
        )
