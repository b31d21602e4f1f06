"""Memories over time: as they were on a day, by the change log; and from one curve to another."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory.errors import Conflict
from memory.models import Memory, MemoryId, Page, Sensitivity, Source, State, WeightEvent
from memory.store.rows import MEMORY_SELECT, dump, memory_from_json, memory_from_row, to_ms
from memory.store.text import words
from memory.text.notes import strip_subject

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx


@dataclass(slots=True)
class LifeGateway:
    """`memory.ports.LifeTable`."""

    tx: SqliteTx

    # --- as it was

    def as_of(self, at: datetime, *, text: str | None = None, limit: int = 50, offset: int = 0) -> Page:
        """What was known at that moment, in the words it had then, the newest first."""
        parts = [p.casefold() for p in words(text or "")]
        known = [_noted(m) for m in self._then(to_ms(at)) if m.state is State.ACTIVE and m.negated_at is None]
        shown = [m for m in known if m.sensitivity < Sensitivity.SECRET and all(p in _text(m) for p in parts)]
        shown.sort(key=lambda m: (m.created_at, m.id), reverse=True)
        return Page(items=tuple(shown[offset : offset + limit]), total=len(shown), offset=offset)

    def _then(self, at: int) -> list[Memory]:
        """Every memory that had been made, as it stood."""
        rows = self.tx.con.execute(
            f"SELECT {MEMORY_SELECT} FROM memories m WHERE m.user_id = ? AND m.created_at <= ? AND m.state != ?",
            (self.tx.owner, at, State.DELETED),  # what was deleted on request is not told of any more
        )
        now = {m.id: m for m in map(memory_from_row, rows.fetchall())}
        # What had been said otherwise of by then is over, whenever that was learned.
        ended = frozenset(i for m in now.values() for i in m.supersedes)
        touched = self._touched(at, list(now))
        return [self._stood(m, touched.get(m.id, ()), at, ended) for m in now.values()]

    def _touched(self, at: int, ids: Sequence[MemoryId]) -> Mapping[MemoryId, Sequence[Any]]:
        """For each memory that was touched after `at`: its changes, oldest first. All others stand as they stood."""
        rows = self.tx.con.execute(
            "SELECT c.seq, c.entity_id, c.op, s.at FROM changes c JOIN change_sets s ON s.id = c.set_id"
            " WHERE c.user_id = :user AND c.entity = 'memory' AND c.entity_id IN"
            "  (SELECT d.entity_id FROM changes d JOIN change_sets t ON t.id = d.set_id"
            "   WHERE d.user_id = :user AND d.entity = 'memory' AND t.at > :at)"
            " AND c.entity_id IN (SELECT value FROM json_each(:ids)) ORDER BY c.seq",
            {"user": self.tx.owner, "at": at, "ids": dump(ids)},
        )
        found: dict[MemoryId, list[Any]] = defaultdict(list)
        for row in rows.fetchall():
            found[row["entity_id"]].append(row)
        return found

    def _stood(self, m: Memory, changes: Sequence[Any], at: int, ended: frozenset[MemoryId]) -> Memory:
        """The memory after its last change up to `at`; else as its first one made it, of words said before."""
        then = m
        if changes:
            before = [c for c in changes if c["at"] <= at]
            # What was done here, and what an import told of before zero, each in its order: the later one holds.
            last = [
                some[-1]
                for some in ([c for c in before if c["seq"] >= 0], [c for c in before if c["seq"] < 0])
                if some
            ]
            then = self._read(max(last or changes[:1], key=lambda c: int(c["at"]))["seq"]) or _by_dates(m, at)
        denied = then.negated_at
        if m.negated_at is not None and to_ms(m.negated_at) <= at:
            denied = m.negated_at
        over = then.state is State.ACTIVE and m.state is State.SUPERSEDED and m.id in ended
        return replace(then, negated_at=denied, state=State.SUPERSEDED if over else then.state)

    def _read(self, seq: int) -> Memory | None:
        after = self.tx.con.execute("SELECT after FROM changes WHERE seq = ?", (seq,)).fetchone()[0]
        return None if after is None else memory_from_json(json.loads(after))

    # --- from curve to curve

    def curves(self) -> Mapping[str, int]:
        """How many memories live under each curve, in any state."""
        rows = self.tx.con.execute(
            "SELECT curve, COUNT(*) FROM memories WHERE user_id = ? GROUP BY curve", (self.tx.owner,)
        )
        return {r[0]: r[1] for r in rows.fetchall()}

    def of_other_curves(self, curve: str, limit: int) -> list[Memory]:
        """Memories in any state, secret ones too, that live under another curve than that."""
        rows = self.tx.con.execute(
            f"SELECT {MEMORY_SELECT} FROM memories m WHERE m.user_id = ? AND m.curve != ? LIMIT ?",
            (self.tx.owner, curve, limit),
        )
        return [memory_from_row(r) for r in rows.fetchall()]

    def move(self, m: Memory, e: WeightEvent) -> None:
        """Write the state of another curve over the row with the same `rev`, and log it. Raises Conflict."""
        done = self.tx.con.execute(
            "UPDATE memories SET curve = ?, strength = ?, strength_at = ?, curve_data = ?, importance = ?,"
            " importance_at = ?, weight = ?, rev = rev + 1 WHERE id = ? AND user_id = ? AND rev = ?",
            (
                m.curve,
                m.curve_state.strength,
                to_ms(m.curve_state.at),
                dump(dict(m.curve_state.data)),
                m.importance,
                to_ms(m.importance_at),
                m.weight,
                m.id,
                self.tx.owner,
                m.rev,
            ),
        )
        if not done.rowcount:
            raise Conflict(f"The memory {m.id} was changed meanwhile.")
        self.tx.memories.log(e)
        self.tx.remembers()

    def logged(self, event: str, since: datetime) -> int:
        """How many lines of the weight log say that event, from that time on."""
        found = self.tx.con.execute(
            "SELECT COUNT(*) FROM weight_log WHERE user_id = ? AND at >= ? AND event = ?",
            (self.tx.owner, to_ms(since), event),
        )
        return int(found.fetchone()[0])


def _noted(m: Memory) -> Memory:
    """In note style: the history keeps what was learned as it was written, with "The user" in front."""
    if m.source is Source.USER:
        return m
    return replace(m, content=strip_subject(m.content), original_content=strip_subject(m.original_content))


def _by_dates(m: Memory, at: int) -> Memory:
    """As near as the row itself can tell, where the log no longer has the words."""
    ended = m.valid_until is not None and to_ms(m.valid_until) <= at
    denied = m.negated_at if m.negated_at is not None and to_ms(m.negated_at) <= at else None
    over = m.state is State.SUPERSEDED and ended
    return replace(m, negated_at=denied, state=State.SUPERSEDED if over else State.ACTIVE)


def _text(m: Memory) -> str:
    return f"{m.original_content}\n{m.content}\n{' '.join(m.entities)}".casefold()
