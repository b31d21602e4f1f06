"""Turns of one user: one open turn per scope, leased, each id used once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory.errors import Conflict, NotFound
from memory.models import Json, TurnRow, TurnState
from memory.store.rows import opt_ms, to_ms, turn_from_row
from memory.store.worker import is_gone

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx


@dataclass(slots=True)
class Turns:
    """The part of `memory.ports.ConversationTable` that is about turns."""

    tx: SqliteTx

    def turn(self, turn_id: str) -> TurnRow | None:
        """A turn of this user's."""
        return self._turn("id = ?", turn_id)

    def running(self, scope: str) -> TurnRow | None:
        """The open turn of the scope, if any."""
        return self._turn("scope = ? AND state = 'open'", scope)

    def open_turn(self, t: TurnRow) -> None:
        """Raises Conflict if the scope has an open turn, or there is a turn of that id."""
        if self.running(t.scope) is not None:
            raise Conflict("A reply is being written in this conversation.")
        if self.turn(t.id) is not None:
            raise Conflict(f"The turn {t.id} was begun before.")
        if not self.tx.con.execute(
            "SELECT 1 FROM sessions WHERE id = ? AND user_id = ?", (t.session_id, self.tx.owner)
        ).fetchone():
            raise NotFound(f"There is no session {t.session_id}.")
        self.tx.con.execute(
            "INSERT INTO turns (user_id, id, scope, session_id, origin, state, started_at, user_message_id,"
            " leased_by, leased_until, ended_at, reply_message_id, error, retry_after)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.tx.owner,
                t.id,
                t.scope,
                t.session_id,
                t.origin,
                t.state,
                to_ms(t.started_at),
                t.user_message_id,
                t.leased_by,
                to_ms(t.leased_until),
                opt_ms(t.ended_at),
                t.reply_message_id,
                t.error,
                t.retry_after,
            ),
        )
        self.tx.record("turn", t.id, "created", None, _of_turn(t))

    def reopen_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        """Compare-and-set interrupted or failed → open, to answer the same message again.

        Raises Conflict if the scope has another open turn.
        """
        turn = self.turn(turn_id)
        if turn is None or turn.state not in {"interrupted", "failed"}:
            return False
        if self.running(turn.scope) is not None:
            raise Conflict("A reply is being written in this conversation.")
        self.tx.con.execute(
            "UPDATE turns SET state = 'open', leased_by = ?, leased_until = ?, ended_at = NULL, error = '',"
            " retry_after = NULL WHERE user_id = ? AND id = ?",
            (leased_by, to_ms(until), self.tx.owner, turn_id),
        )
        self._record_turn(turn)
        return True

    def renew_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        """Keep the lease of a turn; False if it is no longer ours.

        A turn that a process with another clock took for an orphan is ours until somebody answers it again.
        """
        done = self.tx.con.execute(
            "UPDATE turns SET leased_until = ? WHERE user_id = ? AND id = ? AND leased_by = ?"
            " AND state IN ('open', 'interrupted')",
            (to_ms(until), self.tx.owner, turn_id, leased_by),
        )
        return bool(done.rowcount)

    def finish_turn(
        self,
        turn_id: str,
        leased_by: str,
        state: TurnState,
        now: datetime,
        *,
        reply_message_id: str | None = None,
        error: str = "",
        retry_after: float | None = None,
    ) -> bool:
        """Compare-and-set open or interrupted → `state`, guarded by the lease; False if it was no longer ours."""
        turn = self.turn(turn_id)
        if turn is None or turn.state not in {"open", "interrupted"} or turn.leased_by != leased_by:
            return False
        self.tx.con.execute(
            "UPDATE turns SET state = ?, ended_at = ?, reply_message_id = COALESCE(?, reply_message_id), error = ?,"
            " retry_after = ? WHERE user_id = ? AND id = ?",
            (state, to_ms(now), reply_message_id, error, retry_after, self.tx.owner, turn_id),
        )
        self._record_turn(turn)
        return True

    def orphans(self, now: datetime) -> list[TurnRow]:
        """Open turns whose lease ran out, or whose process on this machine is gone."""
        rows = self.tx.con.execute(
            "SELECT * FROM turns WHERE user_id = ? AND state = 'open' ORDER BY started_at", (self.tx.owner,)
        )
        turns = [turn_from_row(r) for r in rows.fetchall()]
        return [t for t in turns if t.leased_until <= now or is_gone(t.leased_by)]

    def _turn(self, condition: str, value: str) -> TurnRow | None:
        row = self.tx.con.execute(
            f"SELECT * FROM turns WHERE user_id = ? AND {condition}", (self.tx.owner, value)
        ).fetchone()
        return None if row is None else turn_from_row(row)

    def _record_turn(self, before: TurnRow) -> None:
        after = self.turn(before.id)
        if after is not None:
            self.tx.record("turn", before.id, "updated", _of_turn(before), _of_turn(after))


def _of_turn(t: TurnRow) -> dict[str, Json]:
    return {
        "scope": t.scope,
        "session_id": t.session_id,
        "origin": t.origin,
        "state": t.state,
        "user_message_id": t.user_message_id,
        "reply_message_id": t.reply_message_id,
        "error": t.error,
    }
