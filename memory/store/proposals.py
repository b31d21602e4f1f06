"""Proposals: what a model wanted to keep or end and the person's words did not bear out. Never memories."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory.models import Proposal
from memory.store.rows import dump, from_ms, to_ms

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx


@dataclass(slots=True)
class ProposalGateway:
    """`memory.ports.ProposalTable`."""

    tx: SqliteTx

    def add(self, p: Proposal) -> Proposal:
        """Store it under an id of its own."""
        row = (self.tx.new_id(), self.tx.owner, to_ms(p.at), p.text, dump(dict(p.data)), p.message_id)
        self.tx.con.execute(
            "INSERT INTO proposals (id, user_id, at, text, data, message_id) VALUES (?, ?, ?, ?, ?, ?)", row
        )
        return self.open()[-1]

    def open(self) -> list[Proposal]:
        """Those that wait for an answer, oldest first."""
        rows = self.tx.con.execute("SELECT * FROM proposals WHERE user_id = ? ORDER BY n", (self.tx.owner,))
        return [_from_row(r) for r in rows.fetchall()]

    def ask(self, proposal_id: str, at: datetime) -> None:
        """Note that the person was asked."""
        self.tx.con.execute(
            "UPDATE proposals SET asked_at = ? WHERE id = ? AND user_id = ?", (to_ms(at), proposal_id, self.tx.owner)
        )

    def remove(self, proposal_id: str) -> bool:
        """Delete it; False if it is not there."""
        done = self.tx.con.execute("DELETE FROM proposals WHERE id = ? AND user_id = ?", (proposal_id, self.tx.owner))
        return bool(done.rowcount)

    def expire(self, before: datetime) -> None:
        """Delete those made before a moment."""
        self.tx.con.execute("DELETE FROM proposals WHERE user_id = ? AND at < ?", (self.tx.owner, to_ms(before)))


def _from_row(row: Any) -> Proposal:
    asked = None if row["asked_at"] is None else from_ms(row["asked_at"])
    return Proposal(row["text"], json.loads(row["data"]), row["message_id"], from_ms(row["at"]), row["id"], asked)
