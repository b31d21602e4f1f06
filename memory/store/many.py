"""Writes of thousands at once: what a write of each would do, in a few statements, and sooner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memory.errors import Conflict, NotFound
from memory.models import Memory, Message, Op, Sensitivity, State
from memory.store import indexes
from memory.store.conversations import of_message
from memory.store.memories import UNINDEXED, UPDATE
from memory.store.rows import (
    MEMORY_SELECT,
    dump,
    json_from_row,
    memory_from_json,
    memory_to_json,
    message_from_row,
    opt_ms,
    row_of,
)

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx


def put_memories(tx: SqliteTx, memories: Sequence[Memory], op: Op) -> list[Memory]:
    """Each over its row, one change `op` each; in the same order. Texts, entities, sensitivities stay as they were.

    Raises Conflict if a `rev` moved on, NotFound if one is not there.
    """
    rows = tx.con.execute(
        f"SELECT m.n, {MEMORY_SELECT} FROM memories m"
        " WHERE +m.user_id = ? AND m.id IN (SELECT value FROM json_each(?))",
        (tx.owner, dump([m.id for m in memories])),
    )
    found = {r["id"]: (int(r["n"]), json_from_row(r)) for r in rows.fetchall()}
    stored, updates, changes = [], [], []
    leave, enter, drop = [], [], {}
    for m in memories:
        if m.id not in found:
            raise NotFound(f"There is no memory {m.id}.")
        n, before = found[m.id]
        if before["rev"] != m.rev:
            raise Conflict(f"The memory {m.id} was changed meanwhile.")
        if (before["original_content"], before["entities"]) != (m.original_content, list(m.entities)):
            raise ValueError("texts and entities are written one by one")
        if before["sensitivity"] != m.sensitivity:
            raise ValueError("sensitivities are written one by one")
        after = memory_to_json(m) | {"user_id": tx.owner, "rev": m.rev + 1}
        new = memory_from_json(after)
        was, state = State(before["state"]), new.state
        stored.append(new)
        updates.append(row_of(after))
        changes.append((m.id, before, after))
        if was not in UNINDEXED and state in UNINDEXED:
            leave.append(n)
            drop[n] = m.id
        elif was in UNINDEXED and state not in UNINDEXED:
            enter.append((n, new.original_content))
            if new.sensitivity < Sensitivity.SECRET:
                tx.unembedded[m.id] = None
    tx.con.executemany(UPDATE, updates)
    indexes.texts_out(tx.con, leave)
    indexes.texts_in(tx.con, [(n, tx.owner, text) for n, text in enter])
    tx.vectors.drop_many(drop)
    tx.record_many("memory", op, changes)
    return stored


def put_messages(tx: SqliteTx, messages: Iterable[Message], op: Op) -> None:
    """Text, status, turn, hiding and what it replies to of each. Raises NotFound."""
    wanted = list(messages)
    rows = tx.con.execute(
        "SELECT g.* FROM messages g WHERE +g.user_id = ? AND g.id IN (SELECT value FROM json_each(?))",
        (tx.owner, dump([m.id for m in wanted])),
    )
    found = {r["id"]: message_from_row(r) for r in rows.fetchall()}
    changes: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = []
    for m in wanted:
        if (before := found.get(m.id)) is None:
            raise NotFound(f"There is no message {m.id}.")
        after = replace(m, seq=before.seq, session_id=before.session_id)
        changes.append((m.id, of_message(before), of_message(after)))
    tx.con.executemany(
        "UPDATE messages SET text = ?, status = ?, turn_id = ?, hidden_at = ?, reply_to = ?"
        " WHERE id = ? AND user_id = ?",
        [(m.text, m.status, m.turn_id, opt_ms(m.hidden_at), m.reply_to, m.id, tx.owner) for m in wanted],
    )
    tx.record_many("message", op, changes)
