"""Sessions, messages and turns of one user: one open session and one open turn per scope.

Their changes carry ids, states and watermarks only: what was said stands in one place, so that
hiding or purging it there is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory.errors import Conflict, NotFound
from memory.models import Entity, Json, Message, Op, Session, TurnRow, TurnState
from memory.store.documents import DocumentGateway
from memory.store.processes import is_process_gone
from memory.store.rows import AMONG, columns_of, from_row, to_column
from memory.store.transaction import Entry, Gateway, claim_id

_WATERMARKS: Final = ("planned_through", "summarised_through", "extracted_through")
_TOLD: Final[Mapping[type, tuple[str, ...]]] = {  # what a change says of each
    Session: ("scope", "state", "closed_why", *_WATERMARKS),
    Message: ("session_id", "turn_id", "seq", "role", "status", "hidden_at"),
    TurnRow: (
        *("scope", "session_id", "origin", "state"),
        *("user_message_id", "reply_message_id", "error"),
    ),
}


@dataclass(slots=True)
class ConversationGateway(Gateway):
    """`memory.ports.ConversationTable`."""

    # --- sessions

    def get_open_session(self, scope: str) -> Session | None:
        return self._one(Session, "scope = ? AND state = 'open'", scope)

    def get_session(self, session_id: str) -> Session | None:
        return self._one(Session, "id = ?", session_id)

    def list_sessions(self, scope: str | None = None, limit: int = 20) -> list[Session]:
        newest = "(? IS NULL OR scope = ?) ORDER BY n DESC LIMIT ?"
        return self._own(Session, newest, scope, scope, limit)

    def list_idle_sessions(self, before: datetime) -> list[Session]:
        return self._own(
            Session,
            "state = 'open' AND last_at <= ?"
            " AND EXISTS (SELECT 1 FROM messages g WHERE g.session_id = sessions.id)"
            " AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.user_id = sessions.user_id"
            "  AND t.scope = sessions.scope AND t.state = 'open') ORDER BY n",
            before,
        )

    def open_session(self, scope: str, now: datetime) -> Session:
        there = self.get_open_session(scope)
        if there is not None:
            return there
        opened = Session(self.tx.new_id(), self.owner, scope, opened_at=now, last_at=now)
        self._insert("sessions", columns_of(opened))
        self.tx.record("session", opened.id, "created", None, _told(opened))
        return opened

    def close_session(self, session_id: str, now: datetime, why: str) -> bool:
        before = self.get_session(session_id)
        if before is None or before.state != "open":
            return False
        closed = {"state": "closed", "closed_at": now, "closed_why": why}
        self._update("sessions", closed, id=session_id)
        self._record(before, self._must(session_id))
        return True

    def put_session(self, s: Session) -> None:
        before = self._must(s.id)
        names = ("last_at", "title", "running_summary", *_WATERMARKS, "profile")
        self._update("sessions", {n: getattr(s, n) for n in names}, id=s.id)
        self._record(before, self._must(s.id))

    def record_change(
        self, entity: Entity, entity_id: str, op: Op, after: Mapping[str, Json]
    ) -> None:
        self.tx.record(entity, entity_id, op, None, after)

    # --- messages

    def add_message(self, m: Message) -> Message:
        self._must(m.session_id)
        m = replace(m, id=claim_id(self.con, m.id))
        if self.get_message(m.id) is not None:
            raise Conflict(f"There is a message {m.id} already.")
        row = columns_of(m)
        del row["seq"]
        stored = replace(m, seq=self._insert("messages", row).lastrowid)
        DocumentGateway(self.tx).follow_message(m.id, m.text, m.hidden_at)
        self.tx.record("message", m.id, "created", None, _told(stored))
        return stored

    def put_messages(self, messages: Iterable[Message], op: Op = "updated") -> None:
        wanted = {m.id: m for m in messages}
        rows = self._rows(
            f"SELECT * FROM messages WHERE +user_id = ? AND id {AMONG}", self.owner, list(wanted)
        )
        found = {r["id"]: from_row(Message, r) for r in rows}
        changes: list[Entry] = []
        for m in wanted.values():
            if (before := found.get(m.id)) is None:
                raise NotFound(f"There is no message {m.id}.")
            after = replace(m, seq=before.seq, session_id=before.session_id)
            changes.append((m.id, _told(before), _told(after)))
            written = ("text", "status", "turn_id", "hidden_at", "reply_to")
            self._update("messages", {n: getattr(m, n) for n in written}, id=m.id)
            if (m.text, m.hidden_at) != (before.text, before.hidden_at):
                DocumentGateway(self.tx).follow_message(m.id, m.text, m.hidden_at)
        self.tx.record_many("message", op, changes)

    def list_hidden_messages(self, before: datetime, limit: int) -> list[Message]:
        oldest = "hidden_at <= ? AND text <> '' ORDER BY seq LIMIT ?"
        return self._own(Message, oldest, before, limit)

    def get_message(self, message_id: str) -> Message | None:
        return self._one(Message, "id = ?", message_id)

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
        of_scope = "SELECT id FROM sessions s WHERE s.user_id = messages.user_id AND s.scope = ?"
        wanted = {
            "seq > ?": after,
            "session_id = ?": session_id,
            f"session_id IN ({of_scope})": scope,
            "seq < ?": before,
            "seq <= ?": through,
        }
        asked = {c: value for c, value in wanted.items() if value is not None}
        shown = "1" if hidden else "hidden_at IS NULL"
        ordered = f"{shown} ORDER BY seq {'DESC' if newest else ''} LIMIT ?"
        most = -1 if limit is None else limit
        found = self._own(Message, " AND ".join([*asked, ordered]), *asked.values(), most)
        return found[::-1] if newest else found

    # --- turns

    def get_turn(self, turn_id: str) -> TurnRow | None:
        return self._one(TurnRow, "id = ?", turn_id)

    def get_open_turn(self, scope: str) -> TurnRow | None:
        return self._one(TurnRow, "scope = ? AND state = 'open'", scope)

    def open_turn(self, t: TurnRow) -> None:
        if self.get_open_turn(t.scope) is not None:
            raise Conflict("A reply is being written in this conversation.")
        if self.get_turn(t.id) is not None:
            raise Conflict(f"The turn {t.id} was begun before.")
        self._must(t.session_id)
        self._insert("turns", columns_of(t))
        self.tx.record("turn", t.id, "created", None, _told(t))

    def reopen_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        turn = self.get_turn(turn_id)
        if turn is None or turn.state not in {"interrupted", "failed", "stopped"}:
            return False
        if self.get_open_turn(turn.scope) is not None:
            raise Conflict("A reply is being written in this conversation.")
        lease = {"state": "open", "leased_by": leased_by, "leased_until": until}
        self._update("turns", {**lease, "ended_at": None, "error": ""}, id=turn_id)
        self._record(turn, self.get_turn(turn_id))
        return True

    def renew_turn(self, turn_id: str, leased_by: str, until: datetime) -> bool:
        # A turn that a process with another clock took for an orphan is ours until somebody
        # answers it again.
        ours = (
            "UPDATE turns SET leased_until = ? WHERE user_id = ? AND id = ? AND leased_by = ?"
            " AND state IN ('open', 'interrupted')"
        )
        return bool(self._run(ours, until, self.owner, turn_id, leased_by))

    def finish_turn(
        self,
        turn_id: str,
        leased_by: str,
        state: TurnState,
        now: datetime,
        *,
        reply_message_id: str | None = None,
        error: str = "",
    ) -> bool:
        turn = self.get_turn(turn_id)
        if turn is None or turn.state not in {"open", "interrupted"} or turn.leased_by != leased_by:
            return False
        ended = {"state": state, "ended_at": now, "error": error}
        reply = reply_message_id or turn.reply_message_id
        self._update("turns", ended | {"reply_message_id": reply}, id=turn_id)
        self._record(turn, self.get_turn(turn_id))
        return True

    def list_orphan_turns(self, now: datetime) -> list[TurnRow]:
        turns = self._own(TurnRow, "state = 'open' ORDER BY started_at")
        return [t for t in turns if t.leased_until <= now or is_process_gone(t.leased_by)]

    # --- inside

    def _must(self, session_id: str) -> Session:
        found = self.get_session(session_id)
        if found is None:
            raise NotFound(f"There is no session {session_id}.")
        return found

    def _record(self, before: Session | TurnRow, after: Session | TurnRow | None) -> None:
        if after is not None:
            entity: Entity = "session" if isinstance(before, Session) else "turn"
            self.tx.record(entity, before.id, "updated", _told(before), _told(after))


def _told(thing: Session | Message | TurnRow) -> dict[str, Json]:
    """Pick what a change says of it."""
    return {name: to_column(getattr(thing, name)) for name in _TOLD[type(thing)]}
