"""Memories of one user with their index rows, mentions, sources, entities and weight log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from memory.errors import Conflict, NotFound, StoreError
from memory.models import Filter, Layer, Memory, MemoryId, Op, Outline, Page, Sensitivity, State, WeightEvent
from memory.store import ids as id_table
from memory.store import indexes
from memory.store.entities import link, unlink
from memory.store.erase import erase
from memory.store.filters import where
from memory.store.rows import (
    MEMORY_COLUMNS,
    MEMORY_SELECT,
    dump,
    from_ms,
    memory_from_row,
    memory_to_row,
    quote_name,
    to_ms,
    tuples,
)
from memory.store.text import match_all, words

if TYPE_CHECKING:
    from datetime import datetime

    from memory.store.tx import SqliteTx

UNINDEXED: Final = frozenset({State.FORGOTTEN, State.DELETED})
INDEXED: Final = "m.state NOT IN ('forgotten', 'deleted')"
_ID: Final = 6  # characters of an id that are shown
_ORDER: Final = {"weight": "m.weight DESC", "activated": "m.last_activated_at DESC", "created": "m.created_at DESC"}
INSERT: Final = (
    f"INSERT INTO memories ({', '.join(map(quote_name, MEMORY_COLUMNS))})"
    f" VALUES ({', '.join(':' + c for c in MEMORY_COLUMNS)})"
)
_SETTABLE: Final = [c for c in MEMORY_COLUMNS if c not in {"id", "user_id"}]
UPDATE: Final = (
    f"UPDATE memories SET {', '.join(f'{quote_name(c)} = :{c}' for c in _SETTABLE)}"
    " WHERE id = :id AND user_id = :user_id"
)


# As the index on them says it (0012).
_STANDING: Final = (
    "kind IN ('health', 'identity', 'instruction') OR \"close\" OR pinned OR layer IN ('core', 'system')"
)
_OUTLINE: Final = ", ".join(f'm."{"n" if name == "place" else name}"' for name in Outline._fields)


def indexed(m: Memory) -> bool:
    """Whether the memory stands in the text index."""
    return m.state not in UNINDEXED


def embeddable(m: Memory) -> bool:
    """Whether the memory has a vector: a secret never does."""
    return indexed(m) and m.sensitivity < Sensitivity.SECRET


@dataclass(slots=True)
class MemoryGateway:
    """`memory.ports.MemoryTable`."""

    tx: SqliteTx

    # --- reading

    def get(self, memory_id: MemoryId) -> Memory | None:
        """One memory of this user's, in any state."""
        row = self._row(memory_id)
        return None if row is None else memory_from_row(row)

    def many(self, ids: Iterable[MemoryId]) -> list[Memory]:
        """In the order asked for; those that are not this user's are left out."""
        wanted = list(ids)
        rows = self.tx.con.execute(
            f"SELECT {MEMORY_SELECT} FROM memories m WHERE +m.user_id = ?"
            " AND m.id IN (SELECT value FROM json_each(?))",
            (self.tx.owner, dump(wanted)),
        )
        found = {r["id"]: memory_from_row(r) for r in rows.fetchall()}
        return [found[i] for i in wanted if i in found]

    def find(
        self,
        f: Filter,
        *,
        text: str | None = None,
        order: Literal["weight", "activated", "created"] = "activated",
        limit: int = 50,
        offset: int = 0,
    ) -> Page:
        """A page; `text` keeps those that have all of its words (the index knows stems, LIKE knows parts)."""
        condition, params = where(self.tx.owner, f)
        if text is not None and text.strip():
            clause, more = self._matching(text)
            condition, params = f"{condition} AND {clause}", (*params, *more)
        total = self.tx.con.execute(f"SELECT COUNT(*) FROM memories m WHERE {condition}", params).fetchone()[0]
        rows = self.tx.con.execute(
            f"SELECT {MEMORY_SELECT} FROM memories m WHERE {condition}"
            f" ORDER BY {_ORDER[order]}, m.n DESC LIMIT ? OFFSET ?",
            (*params, limit, offset),
        )
        return Page(items=tuple(memory_from_row(r) for r in rows.fetchall()), total=total, offset=offset)

    def standing(self, at: datetime) -> list[Memory]:
        """All that may stand in every prompt: active, not ended by `at`, not negated, not quiet."""
        rows = self.tx.con.execute(
            f"SELECT {MEMORY_SELECT} FROM memories m WHERE m.user_id = ? AND m.state = 'active' AND ({_STANDING})"
            " AND m.negated_at IS NULL AND m.quiet_at IS NULL AND (m.valid_until IS NULL OR m.valid_until > ?)"
            " AND m.sensitivity < 3 AND m.layer <> 'episode' AND m.kind <> 'episode'",
            (self.tx.owner, to_ms(at)),
        )
        return [memory_from_row(r) for r in rows.fetchall()]

    def quotes(self, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Quotations that a model may rewrite, with their places: active, not denied, quiet, pinned or confirmed."""
        rows = self.tx.con.execute(
            f"SELECT m.n AS place, {MEMORY_SELECT} FROM memories m WHERE m.user_id = ? AND m.n > ?"
            " AND m.state = 'active' AND m.modalities LIKE '%\"quote\"%' AND m.negated_at IS NULL"
            " AND m.quiet_at IS NULL AND m.pinned = 0 AND m.verified = 0 AND m.sensitivity < 3 ORDER BY m.n LIMIT ?",
            (self.tx.owner, after, limit),
        )
        return [(r["place"], memory_from_row(r)) for r in rows.fetchall()]

    def _matching(self, text: str) -> tuple[str, list[Any]]:
        """Forgotten and deleted memories are not in the index, so the rows themselves are looked through as well."""
        parts = words(text) or [text.strip()]
        escaped = ["%" + p.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%" for p in parts]
        column = "(m.original_content || char(10) || m.content)"
        like = " AND ".join([f"{column} LIKE ? ESCAPE '\\'"] * len(escaped))
        if len(parts) == 1 and len(parts[0]) >= _ID:  # "07" is in many an id, and nobody looks for it there
            like, escaped = f"{like} OR m.id LIKE ? ESCAPE '\\'", escaped * 2
        expression = match_all(text)
        if not expression:
            return f"({like})", [*escaped]
        owned = f'owner : "{self.tx.owner}" AND text : ({expression})'
        return (
            f"(m.n IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?) OR ({like}))",
            [owned, *escaped],
        )

    def counts(self) -> Mapping[str, int]:
        """How many memories in each state, zero included."""
        rows = self.tx.con.execute(
            "SELECT state, COUNT(*) FROM memories WHERE user_id = ? GROUP BY state", (self.tx.owner,)
        )
        return {s.value: 0 for s in State} | {r[0]: r[1] for r in rows.fetchall()}

    def alone(self, memory_id: MemoryId) -> bool:
        """Whether it is the only active memory, episodes aside, that has one of its entities."""
        row = self.tx.con.execute(
            "SELECT 1 FROM memories m JOIN memory_entities l ON l.memory_n = m.n WHERE m.id = ? AND m.user_id = ?"
            " AND NOT EXISTS (SELECT 1 FROM memory_entities o JOIN memories x ON x.n = o.memory_n WHERE"
            " o.entity_n = l.entity_n AND x.n <> m.n AND x.state = ? AND x.layer <> ?)",
            (memory_id, self.tx.owner, State.ACTIVE, Layer.EPISODE),
        ).fetchone()
        return row is not None

    def outlines(self) -> list[Outline]:
        """All of this user's memories, in the order they were made."""
        rows = tuples(self.tx.con).execute(f"SELECT {_OUTLINE} FROM memories m WHERE m.user_id = ?", (self.tx.owner,))
        return sorted(map(Outline._make, rows.fetchall()))

    # --- writing

    def put_weights(self, weights: Iterable[tuple[MemoryId, int, float]]) -> int:
        """Cache (id, rev, weight) where `rev` still stands; how many."""
        done = self.tx.con.executemany(
            "UPDATE memories SET weight = ? WHERE id = ? AND user_id = ? AND rev = ?",
            [(weight, memory_id, self.tx.owner, rev) for memory_id, rev, weight in weights],
        )
        return max(int(done.rowcount), 0)

    def add(self, m: Memory) -> Memory:
        """Store a new memory (an empty id gets one), its index row and entities, as a `created` change.

        Raises Conflict if the id is taken or was erased.
        """
        if m.user_id not in {"", self.tx.owner}:
            raise StoreError("A memory is written in its own user's store.")
        if m.id and self.tx.con.execute("SELECT 1 FROM memories WHERE id = ?", (m.id,)).fetchone():
            raise Conflict(f"There is a memory {m.id} already.")
        m = replace(m, id=id_table.claim(self.tx.con, m.id), user_id=self.tx.owner)
        n = self.tx.con.execute(INSERT, memory_to_row(m)).lastrowid
        link(self.tx.con, self.tx.owner, n, m.entities)
        if indexed(m):
            indexes.text_in(self.tx.con, n, self.tx.owner, m.original_content)
        if embeddable(m) and self.tx.shared.embedder is not None:
            self.tx.unembedded[m.id] = None
        stored = self._stored(m.id)
        self.tx.record_memory("created", None, stored)
        return stored

    def add_many(self, memories: Sequence[Memory]) -> list[Memory]:
        """`add` for thousands, in a few statements; in the same order. Raises as `add` does."""
        from memory.store.added import add_memories  # which rests on this module

        return add_memories(self.tx, memories)

    def put(self, m: Memory, op: Op) -> Memory:
        """Write `m` over the row with the same `rev`, as a change `op`; returns it with rev + 1.

        Raises Conflict if `rev` moved on, NotFound if there is no such memory.
        """
        row = self._row(m.id)
        if row is None:
            raise NotFound(f"There is no memory {m.id}.")
        old = memory_from_row(row)
        if old.rev != m.rev:
            latest = self.tx.latest_change("memory", m.id)
            raise Conflict(f"The memory {m.id} was changed meanwhile.", by=latest.set_id if latest else None)
        new = replace(m, user_id=self.tx.owner, rev=m.rev + 1)
        self.tx.con.execute(UPDATE, memory_to_row(new))
        self._keep_indexes(row["n"], old, new)
        stored = self._stored(m.id)
        self.tx.record_memory(op, old, stored)
        return stored

    def put_many(self, memories: Sequence[Memory], op: Op) -> list[Memory]:
        """`put` for thousands whose texts and entities stay as they are; in the same order. Raises as `put` does."""
        from memory.store.many import put_memories  # which rests on this module

        return put_memories(self.tx, memories, op)

    def _keep_indexes(self, n: int, old: Memory, new: Memory) -> None:
        con, rewritten = self.tx.con, new.original_content != old.original_content
        if old.entities != new.entities:
            unlink(con, n)
            link(con, self.tx.owner, n, new.entities)
        if indexed(old) and (rewritten or not indexed(new)):
            indexes.text_out(con, n)
        if indexed(new) and (rewritten or not indexed(old)):
            indexes.text_in(con, n, self.tx.owner, new.original_content)
        if embeddable(old) and (rewritten or not embeddable(new)):
            self.tx.vectors.drop(new.id, n)
        if embeddable(new) and (rewritten or not embeddable(old)):
            self.tx.unembedded[new.id] = None

    def erase(self, memory_id: MemoryId, *, everywhere: bool = True) -> Mapping[str, int]:
        """Remove for good, with its words wherever they stand or without: how many rows went from which place."""
        row = self._row(memory_id)
        if row is None:
            raise NotFound(f"There is no memory {memory_id}.")
        return erase(self.tx, row["n"], memory_from_row(row), everywhere=everywhere)

    # --- sources, mentions, weight log

    def source(self, memory_id: MemoryId, message_id: str, span: tuple[int, int] | None = None) -> None:
        """Say that the memory was learned from the message, or from those characters of it."""
        self._owned("INSERT OR IGNORE INTO memory_sources (memory_id, message_id, user_id)", memory_id, message_id)
        if span is not None:
            self.tx.con.execute(
                'UPDATE memory_sources SET start = ?, "end" = ? WHERE memory_id = ? AND message_id = ?',
                (*span, memory_id, message_id),
            )

    def sources(self, memory_id: MemoryId) -> list[str]:
        """Messages it was learned from, oldest first."""
        rows = self.tx.con.execute(
            "SELECT s.message_id FROM memory_sources s LEFT JOIN messages g ON g.id = s.message_id"
            " WHERE s.memory_id = ? AND s.user_id = ? ORDER BY g.seq, s.message_id",
            (memory_id, self.tx.owner),
        )
        return [r[0] for r in rows.fetchall()]

    def source_spans(self, memory_id: MemoryId) -> list[tuple[str, int | None, int | None]]:
        """(message, start, end) of what it was learned from, oldest first; no offsets: the message as a whole."""
        rows = self.tx.con.execute(
            'SELECT s.message_id, s.start, s."end" FROM memory_sources s LEFT JOIN messages g ON g.id = s.message_id'
            " WHERE s.memory_id = ? AND s.user_id = ? ORDER BY g.seq, s.message_id",
            (memory_id, self.tx.owner),
        )
        return [(r[0], r[1], r[2]) for r in rows.fetchall()]

    def learned_from(self, message_ids: Iterable[str]) -> list[MemoryId]:
        """Memories that have one of these messages as a source, oldest first."""
        rows = self.tx.con.execute(
            "SELECT DISTINCT m.id, m.n FROM memory_sources s JOIN memories m ON m.id = s.memory_id"
            " WHERE s.user_id = ? AND s.message_id IN (SELECT value FROM json_each(?)) ORDER BY m.n",
            (self.tx.owner, dump(list(message_ids))),
        )
        return [r[0] for r in rows.fetchall()]

    def mention(self, memory_id: MemoryId, message_id: str, at: datetime) -> bool:
        """Count a mention. False if that message already counted, or is one it was learned from."""
        if message_id in self.sources(memory_id):
            return False
        counted = "INSERT OR IGNORE INTO mentions (memory_id, message_id, user_id, at)"
        return self._owned(counted, memory_id, message_id, to_ms(at))

    def unmention(self, memory_id: MemoryId, message_id: str) -> bool:
        """Take a counted mention back (an undo, an edited message); False if it was not counted."""
        gone = self.tx.con.execute(
            "DELETE FROM mentions WHERE memory_id = ? AND message_id = ? AND user_id = ?",
            (memory_id, message_id, self.tx.owner),
        )
        return bool(gone.rowcount)

    def mentioned_in(self, memory_id: MemoryId) -> list[str]:
        """Messages that counted as mentions, oldest first."""
        rows = self.tx.con.execute(
            "SELECT message_id FROM mentions WHERE memory_id = ? AND user_id = ? ORDER BY at, message_id",
            (memory_id, self.tx.owner),
        )
        return [r[0] for r in rows.fetchall()]

    def log(self, e: WeightEvent) -> None:
        """Append to the weight log. Raises NotFound."""
        self._require(e.memory_id)
        self.tx.con.execute(
            "INSERT INTO weight_log (user_id, memory_id, at, event, old_weight, new_weight, reason, factors, before,"
            " after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.tx.owner,
                e.memory_id,
                to_ms(e.at),
                e.event,
                e.old_weight,
                e.new_weight,
                e.reason,
                dump(dict(e.factors)),
                dump(dict(e.before)),
                dump(dict(e.after)),
            ),
        )

    def weight_log(self, memory_id: MemoryId) -> list[WeightEvent]:
        """In the order they were written: each line begins with the state that the one before it left."""
        rows = self.tx.con.execute(
            "SELECT * FROM weight_log WHERE memory_id = ? AND user_id = ? ORDER BY n", (memory_id, self.tx.owner)
        )
        return [_event(r) for r in rows.fetchall()]

    def log_since(self, at: datetime, events: Iterable[str]) -> list[WeightEvent]:
        """Those events of all memories from that time on, in order."""
        rows = self.tx.con.execute(
            "SELECT * FROM weight_log WHERE user_id = ? AND at >= ? AND event IN (SELECT value FROM json_each(?))"
            " ORDER BY at, n",
            (self.tx.owner, to_ms(at), dump(list(events))),
        )
        return [_event(r) for r in rows.fetchall()]

    # --- inside

    def _row(self, memory_id: MemoryId) -> Any:
        return self.tx.con.execute(
            f"SELECT m.n, {MEMORY_SELECT} FROM memories m WHERE m.id = ? AND m.user_id = ?",
            (memory_id, self.tx.owner),
        ).fetchone()

    def _stored(self, memory_id: MemoryId) -> Memory:
        """As the row has it: times cut to milliseconds, so that what is returned is what will be read."""
        return memory_from_row(self._row(memory_id))

    def _require(self, memory_id: MemoryId) -> None:
        if self._row(memory_id) is None:
            raise NotFound(f"There is no memory {memory_id}.")

    def _owned(self, insert: str, memory_id: MemoryId, message_id: str, *more: int) -> bool:
        self._require(memory_id)
        values = (memory_id, message_id, self.tx.owner, *more)
        return bool(self.tx.con.execute(f"{insert} VALUES ({', '.join('?' * len(values))})", values).rowcount)


def _event(r: Any) -> WeightEvent:
    return WeightEvent(
        memory_id=r["memory_id"],
        at=from_ms(r["at"]),
        event=r["event"],
        old_weight=r["old_weight"],
        new_weight=r["new_weight"],
        reason=r["reason"],
        factors=json.loads(r["factors"]),
        before=json.loads(r["before"]),
        after=json.loads(r["after"]),
    )
