"""New memories by the thousand: what adding each would do, in a few statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory.errors import Conflict, StoreError
from memory.models import Memory
from memory.store import entities, ids, indexes
from memory.store.memories import INSERT, embeddable, indexed
from memory.store.rows import dump, memory_from_json, memory_to_json, row_of

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

_INSERT = INSERT.replace("INTO memories (", "INTO memories (n, ").replace("VALUES (", "VALUES (:n, ")


def add_memories(tx: SqliteTx, memories: Sequence[Memory]) -> list[Memory]:
    """Store each, as one `created` change each. Raises Conflict if an id is taken or was erased."""
    con, owner = tx.con, tx.owner
    if any(m.user_id not in {"", owner} for m in memories):
        raise StoreError("A memory is written in its own user's store.")
    given = [m.id for m in memories if m.id]
    taken = con.execute(
        "SELECT id FROM memories WHERE id IN (SELECT value FROM json_each(?))", (dump(given),)
    ).fetchone()
    if taken or len(set(given)) < len(given):
        raise Conflict(f"There is a memory {taken[0] if taken else given[0]} already.")
    last = con.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memories'").fetchone()
    first = 1 + (last[0] if last else 0)
    rows = [memory_to_json(m) | {"id": ids.claim(con, m.id), "user_id": owner} for m in memories]
    stored = [memory_from_json(row) for row in rows]
    numbered = list(enumerate(stored, first))
    con.executemany(_INSERT, [row_of(row) | {"n": n} for n, row in enumerate(rows, first)])
    entities.link_many(con, owner, [(n, m.entities) for n, m in numbered if m.entities])
    indexes.texts_in(con, [(n, owner, m.original_content) for n, m in numbered if indexed(m)])
    if tx.shared.embedder is not None:
        tx.unembedded |= dict.fromkeys(m.id for m in stored if embeddable(m))
    tx.record_many("memory", "created", [(m.id, None, row) for m, row in zip(stored, rows, strict=True)])
    return stored
