"""Sessions, messages and turns of one user.

Their changes carry ids, states and watermarks only: what was said stands in one place, so that hiding or
purging it there is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory.errors import Conflict, NotFound
from memory.models import Entity, Json, Message, Op, Session, TurnRow, TurnState
from memory.store import ids
from memory.store.rows import (
    dump,
    message_from_row,
    opt_ms,
    session_from_row,
    to_ms,
    turn_from_row,
)
from memory.store.worker import is_gone

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx


@dataclass(slots=True)
class ConversationGateway:
    """`memory.ports.ConversationTable`."""

    tx: SqliteTx

    # --- sessions

    def current(self, scope: str) -> Session | None:
        """The open session of the scope."""
        return self._session("scope = ? AND state = 'open'", scope)

    def session(self, session_id: str) -> Session | None:
        """A session of this user's."""
        return self._session("id = ?", session_id)

    def sessions(self, scope: str | None = None, limit: int = 20) -> list[Session]:
        """Newest first."""
        rows = self.tx.con.execute(
            "SELECT * FROM sessions WHERE user_id = ? AND (? IS NULL OR scope = ?) ORDER BY n DESC LIMIT ?",
            (self.tx.owner, scope, scope, limit),
        )
        return [session_from_row(r) for r in rows.fetchall()]

    def open_session(self, scope: str, now: datetime) -> Session:
        """A new session; the one that is open already, if another window was quicker."""
        there = self.current(scope)
        if there is not None:
            return there
        session_id = ids.new_id(self.tx.con)
        self.tx.con.execute(
            "INSERT INTO sessions (id, user_id, scope, opened_at, last_at) VALUES (?, ?, ?, ?, ?)",
            (session_id, self.tx.owner, scope, to_ms(now), to_ms(now)),
        )
        opened = self._must(session_id)
        self.tx.record("session", session_id, "created", None, _of_session(opened))
        return opened

    def close_session(self, session_id: str, now: datetime, why: str) -> bool:
        """Compare-and-set open → closed; False if somebody else closed it first."""
        done = self.tx.con.execute(
            "UPDATE sessions SET state = 'closed', closed_at = ?, closed_why = ?"
            " WHERE id = ? AND user_id = ? AND state = 'open'",
            (to_ms(now), why, session_id, self.tx.owner),
        )
        if done.rowcount != 1:
            return False
        self.tx.record("session", session_id, "updated", {"state": "open"}, _of_session(self._must(session_id)))
        return True

    def put_session(self, s: Session) -> None:
        """Write everything but `state` and what close_session says of it. Raises NotFound."""
        before = self._must(s.id)
        self.tx.con.execute(
            "UPDATE sessions SET last_at = ?, title = ?, running_summary = ?, planned_through = ?,"
            " summarised_through = ?, extracted_through = ?, profile = ? WHERE id = ? AND user_id = ?",
            (
                to_ms(s.last_at),
                s.title,
                s.running_summary,
                s.planned_through,
                s.summarised_through,
                s.extracted_through,
                None if s.profile is None else dump(list(s.profile)),
                s.id,
                self.tx.owner,
            ),
        )
        self.tx.record("session", s.id, "updated", _of_session(before), _of_session(self._must(s.id)))

    def note(self, entity: Entity, entity_id: str, op: Op, after: Mapping[str, Json]) -> None:
        """Record a change that has no row of its own to show, e.g. what an extraction came to."""
        self.tx.record(entity, entity_id, op, None, after)

    # --- messages

    def add_message(self, m: Message) -> Message:
        """Append (an empty id gets one); returns it with `seq`. Raises NotFound without its session."""
        self._must(m.session_id)
        message_id = ids.claim(self.tx.con, m.id)
        if self.message(message_id) is not None:
            raise Conflict(f"There is a message {message_id} already.")
        seq = self.tx.con.execute(
            "INSERT INTO messages (id, user_id, session_id, turn_id, author_user_id, role, text, at, tz, status,"
            " hidden_at, reply_to) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                message_id,
                self.tx.owner,
                m.session_id,
                m.turn_id,
                m.author_user_id,
                m.role,
                m.text,
                to_ms(m.at),
                m.tz,
                m.status,
                opt_ms(m.hidden_at),
                m.reply_to,
            ),
        ).lastrowid
        stored = replace(m, id=message_id, seq=seq)
        self.tx.record("message", message_id, "created", None, _of_message(stored))
        return stored

    def put_message(self, m: Message, op: Op = "updated") -> None:
        """Write text, status, turn, hiding and what it replies to. Raises NotFound."""
        before = self.message(m.id)
        if before is None:
            raise NotFound(f"There is no message {m.id}.")
        self.tx.con.execute(
            "UPDATE messages SET text = ?, status = ?, turn_id = ?, hidden_at = ?, reply_to = ?"
            " WHERE id = ? AND user_id = ?",
            (m.text, m.status, m.turn_id, opt_ms(m.hidden_at), m.reply_to, m.id, self.tx.owner),
        )
        after = replace(m, seq=before.seq, session_id=before.session_id)
        self.tx.record("message", m.id, op, _of_message(before), _of_message(after))

    def message(self, message_id: str) -> Message | None:
        """A message of this user's, hidden or not."""
        row = self.tx.con.execute(
            "SELECT * FROM messages WHERE id = ? AND user_id = ?", (message_id, self.tx.owner)
        ).fetchone()
        return None if row is None else message_from_row(row)

    def messages(
        self,
        *,
        session_id: str | None = None,
        scope: str | None = None,
        after: int = 0,
        before: int | None = None,
        through: int | None = None,
        limit: int | None = None,
        newest: bool = False,
        hidden: bool = False,
    ) -> list[Message]:
        """In order of `seq`, after < seq < before (or <= through); `newest` takes the last `limit` of them."""
        parts, params = ["g.user_id = ?", "g.seq > ?"], [self.tx.owner, after]
        conditions: list[tuple[str, Any]] = [
            ("g.session_id = ?", session_id),
            ("g.session_id IN (SELECT id FROM sessions WHERE user_id = g.user_id AND scope = ?)", scope),
            ("g.seq < ?", before),
            ("g.seq <= ?", through),
        ]
        for condition, value in conditions:
            if value is not None:
                parts.append(condition)
                params.append(value)
        if not hidden:
            parts.append("g.hidden_at IS NULL")
        rows = self.tx.con.execute(
            f"SELECT g.* FROM messages g WHERE {' AND '.join(parts)}"
            f" ORDER BY g.seq {'DESC' if newest else ''} LIMIT ?",
            (*params, -1 if limit is None else limit),
        ).fetchall()
        return [message_from_row(r) for r in (reversed(rows) if newest else rows)]

    # --- turns

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
        self._must(t.session_id)
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
        """Keep the lease of an open turn; False if it is no longer ours."""
        done = self.tx.con.execute(
            "UPDATE turns SET leased_until = ? WHERE user_id = ? AND id = ? AND leased_by = ? AND state = 'open'",
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
        """Compare-and-set open → `state`, guarded by the lease; False if it was no longer ours."""
        turn = self.turn(turn_id)
        if turn is None or turn.state != "open" or turn.leased_by != leased_by:
            return False
        self.tx.con.execute(
            "UPDATE turns SET state = ?, ended_at = ?, reply_message_id = COALESCE(?, reply_message_id), error = ?,"
            " retry_after = ? WHERE user_id = ? AND id = ?",
            (state, to_ms(now), reply_message_id, error, retry_after, self.tx.owner, turn_id),
        )
        self._record_turn(turn)
        return True

    def set_reply(self, turn_id: str, message_id: str) -> None:
        """Say which message answered the turn. Raises NotFound."""
        turn = self.turn(turn_id)
        if turn is None:
            raise NotFound(f"There is no turn {turn_id}.")
        self.tx.con.execute(
            "UPDATE turns SET reply_message_id = ? WHERE user_id = ? AND id = ?", (message_id, self.tx.owner, turn_id)
        )
        self._record_turn(turn)

    def orphans(self, now: datetime) -> list[TurnRow]:
        """Open turns whose lease ran out, or whose process on this machine is gone."""
        rows = self.tx.con.execute(
            "SELECT * FROM turns WHERE user_id = ? AND state = 'open' ORDER BY started_at", (self.tx.owner,)
        )
        turns = [turn_from_row(r) for r in rows.fetchall()]
        return [t for t in turns if t.leased_until <= now or is_gone(t.leased_by)]

    # --- inside

    def _session(self, condition: str, value: str) -> Session | None:
        row = self.tx.con.execute(
            f"SELECT * FROM sessions WHERE user_id = ? AND {condition}", (self.tx.owner, value)
        ).fetchone()
        return None if row is None else session_from_row(row)

    def _must(self, session_id: str) -> Session:
        found = self.session(session_id)
        if found is None:
            raise NotFound(f"There is no session {session_id}.")
        return found

    def _turn(self, condition: str, value: str) -> TurnRow | None:
        row = self.tx.con.execute(
            f"SELECT * FROM turns WHERE user_id = ? AND {condition}", (self.tx.owner, value)
        ).fetchone()
        return None if row is None else turn_from_row(row)

    def _record_turn(self, before: TurnRow) -> None:
        after = self.turn(before.id)
        if after is not None:
            self.tx.record("turn", before.id, "updated", _of_turn(before), _of_turn(after))


def _of_session(s: Session) -> dict[str, Json]:
    return {
        "scope": s.scope,
        "state": s.state,
        "closed_why": s.closed_why,
        "planned_through": s.planned_through,
        "summarised_through": s.summarised_through,
        "extracted_through": s.extracted_through,
    }


def _of_message(m: Message) -> dict[str, Json]:
    return {
        "session_id": m.session_id,
        "turn_id": m.turn_id,
        "seq": m.seq,
        "role": m.role,
        "status": m.status,
        "hidden_at": opt_ms(m.hidden_at),
    }


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
