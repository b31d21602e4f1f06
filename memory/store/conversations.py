"""Sessions and messages of one user.

Their changes carry ids, states and watermarks only: what was said stands in one place, so that hiding or
purging it there is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.errors import Conflict, NotFound
from memory.models import Entity, Json, Message, Op, Session
from memory.store import ids
from memory.store.rows import (
    dump,
    message_from_row,
    opt_ms,
    session_from_row,
    to_ms,
)
from memory.store.turns import Turns


@dataclass(slots=True)
class ConversationGateway(Turns):
    """`memory.ports.ConversationTable`; its turns stand in `Turns`."""

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

    def idle(self, before: datetime) -> list[Session]:
        """Open sessions in which something was said, but nothing since then, nor is being answered."""
        rows = self.tx.con.execute(
            "SELECT s.* FROM sessions s WHERE s.user_id = ? AND s.state = 'open' AND s.last_at <= ?"
            " AND EXISTS (SELECT 1 FROM messages g WHERE g.session_id = s.id)"
            " AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.user_id = s.user_id AND t.scope = s.scope"
            "  AND t.state = 'open') ORDER BY s.n",
            (self.tx.owner, to_ms(before)),
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
        self.tx.record("message", message_id, "created", None, of_message(stored))
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
        self.tx.record("message", m.id, op, of_message(before), of_message(after))

    def put_messages(self, messages: Iterable[Message], op: Op = "updated") -> None:
        """`put_message` for thousands. Raises NotFound."""
        from memory.store.many import put_messages  # which rests on this module

        put_messages(self.tx, messages, op)

    def hidden(self, before: datetime, limit: int) -> list[Message]:
        """Messages hidden at that time or earlier that still have their text, oldest first."""
        rows = self.tx.con.execute(
            "SELECT * FROM messages WHERE user_id = ? AND hidden_at <= ? AND text <> '' ORDER BY seq LIMIT ?",
            (self.tx.owner, to_ms(before), limit),
        )
        return [message_from_row(r) for r in rows.fetchall()]

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


def _of_session(s: Session) -> dict[str, Json]:
    return {
        "scope": s.scope,
        "state": s.state,
        "closed_why": s.closed_why,
        "planned_through": s.planned_through,
        "summarised_through": s.summarised_through,
        "extracted_through": s.extracted_through,
    }


def of_message(m: Message) -> dict[str, Json]:
    """What a change says of a message."""
    return {
        "session_id": m.session_id,
        "turn_id": m.turn_id,
        "seq": m.seq,
        "role": m.role,
        "status": m.status,
        "hidden_at": opt_ms(m.hidden_at),
    }
