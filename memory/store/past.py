"""What was done to memories, out and in again: the sets of the change log, so that another store knows as much.

A change is told by what it changed. One that begins where the last told one of the same memory ended says `"="` for
that. What comes in stands before everything that the store has seen: those who follow its log have nothing to hear.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final

from memory.models import Json
from memory.store import ids as id_table
from memory.store.rows import dump, memory_from_json

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

BROUGHT: Final = "transfer"  # the reason of the set that an import of Ebb's own export is; no part of the past
_ME: Final = "@"
_SAME: Final = "="
_SET: Final = ("id", "actor", "reason", "at", "turn_id", "job_id", "undoes", "undone_by")
_PAGE: Final = 200
_FIRST: Final = -(2**52)  # where what is brought begins: more places than all imports of a life need
_CHANGES: Final = (
    "SELECT c.op, c.entity_id, c.before, c.after FROM changes c WHERE c.set_id = ? AND c.user_id = ?"
    " AND c.entity = 'memory' AND c.after IS NOT NULL"
    " AND EXISTS (SELECT 1 FROM memories m WHERE m.id = c.entity_id AND m.user_id = c.user_id) ORDER BY c.seq"
)


@dataclass(frozen=True, slots=True)
class Past:
    """One user's change log."""

    tx: SqliteTx

    def lines(self) -> Iterator[dict[str, Json]]:
        """Sets that changed memories that are still there, oldest first."""
        ended: dict[str, bytes] = {}
        after = -(2**63)
        sql = "SELECT * FROM change_sets WHERE user_id = ? AND n > ? AND reason != ? ORDER BY n LIMIT ?"
        while rows := self.tx.con.execute(sql, (self.tx.owner, after, BROUGHT, _PAGE)).fetchall():
            for row in rows:
                found = self.tx.con.execute(_CHANGES, (row["id"], self.tx.owner)).fetchall()
                if found:
                    changes = [self._told(c, ended) for c in found]
                    yield {"type": "set", **{k: row[k] for k in _SET}, "changes": changes}
            after = rows[-1]["n"]

    def _told(self, c: Any, ended: dict[str, bytes]) -> list[Json]:
        """[op, memory, before, what was changed, or all of the after where it has other fields]."""
        after = json.loads(c["after"])
        same = c["before"] is not None and ended.get(c["entity_id"]) == _digest(c["before"])
        before = None if c["before"] is None else json.loads(c["before"])
        ended[c["entity_id"]] = _digest(c["after"])
        told = _SAME if same else self._out(before)
        if before is None or before.keys() != after.keys():
            return [c["op"], c["entity_id"], told, None, self._out(after)]
        return [c["op"], c["entity_id"], told, {k: v for k, v in after.items() if v != before[k]}, None]

    def _out(self, m: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
        return None if m is None else {**m, "user_id": _ME}

    # --- in

    def put(self, line: Mapping[str, Json], told: Mapping[str, str]) -> bool:
        """A set, as far as it is about memories that are there; False if it is about none of them.

        `told`: the set that told of a memory last. What begins where that ended, and is not here, is left out.
        Raises KeyError, TypeError or ValueError if a change cannot be read.
        """
        changes = [c for c in line["changes"] if self.tx.memories.get(c[1]) is not None]
        rows: list[tuple[str, str, Json, Json]] = []
        within: dict[str, Json] = {}  # how an earlier change of this very set left it
        for op, memory_id, before, changed, whole in changes:
            was = self._in(before) if before != _SAME else within.get(memory_id) or self._ended(told, memory_id)
            if changed is not None and was is None:
                continue
            became = {**was, **changed} if changed is not None and was is not None else self._in(whole)
            memory_from_json(dict(became or {}))
            within[memory_id] = became
            rows.append((str(op), memory_id, was, became))
        if not rows:
            return False
        id_table.claim(self.tx.con, line["id"])
        row = {"n": self._place("change_sets", "n"), "user_id": self.tx.owner, **{k: line[k] for k in _SET}}
        names = ", ".join(f":{k}" for k in row)
        self.tx.con.execute(f"INSERT INTO change_sets ({', '.join(row)}) VALUES ({names})", row)
        first = self._place("changes", "seq")
        self.tx.con.executemany(
            "INSERT INTO changes (seq, set_id, user_id, op, entity, entity_id, before, after)"
            " VALUES (?, ?, ?, ?, 'memory', ?, ?, ?)",
            [
                (first + i, line["id"], self.tx.owner, op, m, None if was is None else dump(was), dump(became))
                for i, (op, m, was, became) in enumerate(rows)
            ],
        )
        return True

    def _place(self, table: str, number: str) -> int:
        """Behind all that was ever brought, before all that ever happened here."""
        last = self.tx.con.execute(f"SELECT MAX({number}) FROM {table} WHERE {number} < 0").fetchone()[0]
        return _FIRST if last is None else int(last) + 1

    def _ended(self, told: Mapping[str, str], memory_id: str) -> Mapping[str, Json] | None:
        row = self.tx.con.execute(
            "SELECT after FROM changes WHERE set_id = ? AND user_id = ? AND entity = 'memory' AND entity_id = ?"
            " ORDER BY seq DESC LIMIT 1",
            (told.get(memory_id, ""), self.tx.owner, memory_id),
        ).fetchone()
        found: Mapping[str, Json] | None = None if row is None or row[0] is None else json.loads(row[0])
        return found

    def _in(self, m: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
        return None if m is None else {**m, "user_id": self.tx.owner}


def _digest(text: str) -> bytes:
    return sha1(text.encode(), usedforsecurity=False).digest()
