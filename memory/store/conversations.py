"""Sessions, messages and turns of one user: one open session and one open turn per scope.

Their changes carry ids, states and watermarks only: what was said stands in one place, so that
hiding or purging it there is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from memory.errors import Conflict, NotFound
from memory.models import Entity, Json, Message, Op, Session, TurnRow, TurnState
from memory.store.processes import is_process_gone
from memory.store.rows import AMONG, columns_of, dump, from_row, insert, to_column, to_ms
from memory.store.transaction import Gateway, claim_id, reserve_id

# What a change says of each.
_SESSION: Final = (
    "scope",
    "state",
    "closed_why",
    "planned_through",
    "summarised_through",
    "extracted_through",
)
_MESSAGE: Final = ("session_id", "turn_id", "seq", "role", "status", "hidden_at")
_TURN: Final = (
    "scope",
    "session_id",
    "origin",
    "state",
    "user_message_id",
    "reply_message_id",
    "error",
)


@dataclass(slots=True)
class ConversationGateway(Gateway):
    """`memory.ports.ConversationTable`."""

    # --- sessions

    def get_open_session(self, scope: str) -> Session | None:
        """Return the open session of the scope."""
        return self._session("scope = ? AND state = 'open'", scope)

    def get_session(self, session_id: str) -> Session | None:
        """Return a session of this user's."""
        return self._session("id = ?", session_id)

    def list_sessions(self, scope: str | None = None, limit: int = 20) -> list[Session]:
        """List sessions, newest first."""
        newest = "SELECT * FROM sessions WHERE user_id = ? AND (? IS NULL OR scope = ?) ORDER BY n DESC LIMIT ?"
        return self._all(Session, newest, self.owner, scope, scope, limit)

    def list_idle_sessions(self, before: datetime) -> list[Session]:
        """List open sessions in which something was said, but nothing since then, nor is being answered."""
        return self._all(
            Session,
            "SELECT s.* FROM sessions s WHERE s.user_id = ? AND s.state = 'open' AND s.last_at <= ?"
            " AND EXISTS (SELECT 1 FROM messages g WHERE g.session_id = s.id)"
            " AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.user_id = s.user_id AND t.scope = s.scope"
            "  AND t.state = 'open') ORDER BY s.n",
            self.owner,
            to_ms(before),
        )

    def open_session(self, scope: str, now: datetime) -> Session:
        """Open a session; return the one that is open already, if another window was quicker."""
        there = self.get_open_session(scope)
        if there is not None:
            return there
        session_id = reserve_id(self.tx.con)
        row = {
            "id": session_id,
            "user_id": self.owner,
            "scope": scope,
            "opened_at": now,
            "last_at": now,
        }
        insert(self.tx.con, "sessions", row)
        opened = self._must(session_id)
        self.tx.record("session", session_id, "created", None, _told(opened, _SESSION))
        return opened

    def close_session(self, session_id: str, now: datetime, why: str) -> bool:
        """Compare-and-set open → closed; False if somebody else closed it first."""
        close = "UPDATE sessions SET state = 'closed', closed_at = ?, closed_why = ?"
        if not self._run(
            f"{close} WHERE id = ? AND user_id = ? AND state = 'open'",
            to_ms(now),
            why,
            session_id,
            self.owner,
        ):
            return False
        closed = _told(self._must(session_id), _SESSION)
        self.tx.record("session", session_id, "updated", {"state": "open"}, closed)
        return True

    def put_session(self, s: Session) -> None:
        """Write everything but `state` and what close_session says of it. Raises NotFound."""
        before = self._must(s.id)
        names = ("last_at", "title", "running_summary", *_SESSION[3:], "profile")
        sets, values = (
            ", ".join(f"{n} = ?" for n in names),
            [to_column(getattr(s, n)) for n in names],
        )
        self._run(
            f"UPDATE sessions SET {sets} WHERE id = ? AND user_id = ?", *values, s.id, self.owner
        )
        self.tx.record(
            "session", s.id, "updated", _told(before, _SESSION), _told(self._must(s.id), _SESSION)
        )

    def record_change(
        self, entity: Entity, entity_id: str, op: Op, after: Mapping[str, Json]
    ) -> None:
        """Record a change that has no row of its own to show, e.g. what an extraction came to."""
        self.tx.record(entity, entity_id, op, None, after)

    # --- messages

    def add_message(self, m: Message) -> Message:
        """Append (an empty id gets one); returns it with `seq`.

        Raises NotFound without its session.
        """
        self._must(m.session_id)
        message_id = claim_id(self.tx.con, m.id)
        if self.get_message(message_id) is not None:
            raise Conflict(f"There is a message {message_id} already.")
        row = columns_of(m) | {"id": message_id, "user_id": self.owner}
        del row["seq"]
        stored = replace(m, id=message_id, seq=insert(self.tx.con, "messages", row).lastrowid)
        self.tx.record("message", message_id, "created", None, _told(stored, _MESSAGE))
        return stored

    def put_message(self, m: Message, op: Op = "updated") -> None:
        """Write text, status, turn, hiding and what it replies to. Raises NotFound."""
        self.put_messages([m], op)

    def put_messages(self, messages: Iterable[Message], op: Op = "updated") -> None:
        """Write thousands as `put_message` does. Raises NotFound."""
        wanted = list(messages)
        rows = self._rows(
            f"SELECT g.* FROM messages g WHERE +g.user_id = ? AND g.id {AMONG}",
            self.owner,
            dump([m.id for m in wanted]),
        )
        found = {r["id"]: from_row(Message, r) for r in rows}
        changes: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = []
        for m in wanted:
            if (before := found.get(m.id)) is None:
                raise NotFound(f"There is no message {m.id}.")
            after = replace(m, seq=before.seq, session_id=before.session_id)
            changes.append((m.id, _told(before, _MESSAGE), _told(after, _MESSAGE)))
        self.tx.con.executemany(
            "UPDATE messages SET text = ?, status = ?, turn_id = ?, hidden_at = ?, reply_to = ?"
            " WHERE id = ? AND user_id = ?",
            [
                (m.text, m.status, m.turn_id, to_column(m.hidden_at), m.reply_to, m.id, self.owner)
                for m in wanted
            ],
        )
        self.tx.record_many("message", op, changes)

    def list_hidden_messages(self, before: datetime, limit: int) -> list[Message]:
        """List messages hidden at that time or earlier that still have their text, oldest first."""
        oldest = "SELECT * FROM messages WHERE user_id = ? AND hidden_at <= ? AND text <> '' ORDER BY seq LIMIT ?"
        return self._all(Message, oldest, self.owner, to_ms(before), limit)

    def get_message(self, message_id: str) -> Message | None:
        """Return a message of this user's, hidden or not."""
        return self._one(
            Message, "SELECT * FROM messages WHERE id = ? AND user_id = ?", message_id, self.owner
        )

    def list_messages(
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
        """List in order of `seq`, after < seq < before (or <= through); `newest` takes the last `limit`."""
        parts, params = ["g.user_id = ?", "g.seq > ?"], [self.owner, after]
        conditions: list[tuple[str, Any]] = [
            ("g.session_id = ?", session_id),
            (
                "g.session_id IN (SELECT id FROM sessions WHERE user_id = g.user_id AND scope = ?)",
                scope,
            ),
            ("g.seq < ?", before),
            ("g.seq <= ?", through),
        ]
        for condition, value in conditions:
            if value is not None:
                parts.append(condition)
                params.append(value)
        if not hidden:
            parts.append("g.hidden_at IS NULL")
        ordered = f" ORDER BY g.seq {'DESC' if newest else ''} LIMIT ?"
        select = f"SELECT g.* FROM messages g WHERE {' AND '.join(parts)}{ordered}"
        found = self._all(Message, select, *params, -1 if limit is None else limit)
        return found[::-1] if newest else found

    # --- turns

    def get_turn(self, turn_id: str) -> TurnRow | None:
        """Return a turn of this user's."""
        return self._one(
            TurnRow, "SELECT * FROM turns WHERE user_id = ? AND id = ?", self.owner, turn_id
        )

    def get_open_turn(self, scope: str) -> TurnRow | None:
        """Return the open turn of the scope, if any."""
        running = "SELECT * FROM turns WHERE user_id = ? AND scope = ? AND state = 'open'"
        return self._one(TurnRow, running, self.owner, scope)

    def open_turn(self, t: TurnRow) -> None:
        """Begin a turn.

        Raises Conflict if the scope has an open turn, or there is a turn of that id.
        """
        if self.get_open_turn(t.scope) is not None:
            raise Conflict("A reply is being written in this conversation.")
        if self.get_turn(t.id) is not None:
            raise Conflict(f"The turn {t.id} was begun before.")
        self._must(t.session_id)
        insert(self.tx.con, "turns", columns_of(t) | {"user_id": self.owner})
        self.tx.record("turn", t.id, "created", None, _told(t, _TURN))

    def reopen_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        """Compare-and-set interrupted or failed → open, to answer the same message again.

        Raises Conflict if the scope has another open turn.
        """
        turn = self.get_turn(turn_id)
        if turn is None or turn.state not in {"interrupted", "failed"}:
            return False
        if self.get_open_turn(turn.scope) is not None:
            raise Conflict("A reply is being written in this conversation.")
        self._run(
            "UPDATE turns SET state = 'open', leased_by = ?, leased_until = ?, ended_at = NULL, error = '',"
            " retry_after = NULL WHERE user_id = ? AND id = ?",
            leased_by,
            to_ms(until),
            self.owner,
            turn_id,
        )
        self._record_turn(turn)
        return True

    def renew_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        """Keep the lease of a turn; False if it is no longer ours.

        A turn that a process with another clock took for an orphan is ours until somebody answers
        it again.
        """
        renew = "UPDATE turns SET leased_until = ? WHERE user_id = ? AND id = ? AND leased_by = ?"
        ours = f"{renew} AND state IN ('open', 'interrupted')"
        return bool(self._run(ours, to_ms(until), self.owner, turn_id, leased_by))

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
        """Compare-and-set open or interrupted → `state`, guarded by the lease; False if it is no longer ours."""
        turn = self.get_turn(turn_id)
        if turn is None or turn.state not in {"open", "interrupted"} or turn.leased_by != leased_by:
            return False
        self._run(
            "UPDATE turns SET state = ?, ended_at = ?, reply_message_id = COALESCE(?, reply_message_id), error = ?,"
            " retry_after = ? WHERE user_id = ? AND id = ?",
            *(state, to_ms(now), reply_message_id, error, retry_after, self.owner, turn_id),
        )
        self._record_turn(turn)
        return True

    def list_orphan_turns(self, now: datetime) -> list[TurnRow]:
        """List open turns whose lease ran out, or whose process on this machine is gone."""
        turns = "SELECT * FROM turns WHERE user_id = ? AND state = 'open' ORDER BY started_at"
        return [
            t
            for t in self._all(TurnRow, turns, self.owner)
            if t.leased_until <= now or is_process_gone(t.leased_by)
        ]

    # --- inside

    def _session(self, condition: str, value: str) -> Session | None:
        return self._one(
            Session, f"SELECT * FROM sessions WHERE user_id = ? AND {condition}", self.owner, value
        )

    def _must(self, session_id: str) -> Session:
        found = self.get_session(session_id)
        if found is None:
            raise NotFound(f"There is no session {session_id}.")
        return found

    def _record_turn(self, before: TurnRow) -> None:
        after = self.get_turn(before.id)
        if after is not None:
            self.tx.record("turn", before.id, "updated", _told(before, _TURN), _told(after, _TURN))


def _told(thing: Session | Message | TurnRow, names: Iterable[str]) -> dict[str, Json]:
    """What a change says of it."""
    return {name: to_column(getattr(thing, name)) for name in names}
