"""One user's transaction: new ids, secrets, and the change log that every write leaves.

Ids are Crockford base32, a letter first, six characters or more, never used twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from memory.errors import Conflict, NotFound, StoreError
from memory.models import (
    Change,
    ChangeSet,
    Entity,
    Job,
    Json,
    JudgedPair,
    MemoryId,
    Message,
    MirrorState,
    Op,
    Proposal,
    Session,
    Tombstone,
    TurnRow,
    UpkeepNight,
    User,
    WeightEvent,
)
from memory.ports import Clock
from memory.store.rows import columns_of, dump, from_row, insert, list_values, quote_name, run

T = TypeVar("T")

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LETTERS: Final = _ALPHABET[10:]
_FIRST_LENGTH: Final = 6
_TRIES: Final = 64
# A mention and what it does to the level are no acts that a person would want to take back.
_MINOR: Final = "('reinforced', 'levelled')"
_RECORD: Final = (
    "INSERT INTO changes (set_id, user_id, op, entity, entity_id, before, after) VALUES (?,"
    " ?, ?, ?, ?, ?, ?)"
)
_CHANGES: Final = (
    "(SELECT c.*, s.reason, s.turn_id, s.at FROM changes c JOIN change_sets s ON s.id = c.set_id)"
)
_TABLES: Final[Mapping[Any, str]] = {
    Change: _CHANGES,
    ChangeSet: "change_sets",
    Job: "jobs",
    JudgedPair: "judged_pairs",
    Message: "messages",
    MirrorState: "mirrors",
    Proposal: "proposals",
    Session: "sessions",
    Tombstone: "tombstones",
    TurnRow: "turns",
    UpkeepNight: "nights",
    WeightEvent: "weight_log",
}

Entry = tuple[str, Mapping[str, Json] | None, Mapping[str, Json] | None]  # id, before, after


# --- ids ---


def reserve_id(con: Any) -> str:
    """Reserve an id for good: even an erased memory's id is never given again."""
    for attempt in range(_TRIES):
        length = 5 * (_FIRST_LENGTH + attempt // 4 - 1)
        # The 69 more keep every letter as likely as any other at the first place.
        bits = secrets.randbits(length + 69)
        rest = "".join(_ALPHABET[bits >> i & 31] for i in range(0, length, 5))
        found = _LETTERS[(bits >> length) % len(_LETTERS)] + rest
        if con.execute("INSERT OR IGNORE INTO used_ids (id) VALUES (?)", (found,)).rowcount == 1:
            return found
    raise StoreError("No free id was found.")  # 64 collisions in a row at up to 21 characters


def claim_id(con: Any, given: str) -> str:
    """Take `given` (an imported or just reserved id), or a new one if it is empty.

    Raises Conflict if its memory was erased: whoever still holds that id must not see another thing
    under it.
    """
    if not given:
        return reserve_id(con)
    row = con.execute("SELECT erased FROM used_ids WHERE id = ?", (given,)).fetchone()
    if row is None:
        insert(con, "used_ids", {"id": given})
    elif row[0]:
        raise Conflict(f"The id {given} belonged to something that was erased.")
    return given


def retire_id(con: Any, erased: str) -> None:
    """Note that the id's thing is erased; nothing may ever have it again."""
    insert(con, "used_ids", {"id": erased, "erased": 1}, "INSERT OR REPLACE")


# --- a transaction ---


@dataclass(slots=True)
class StoreContext:
    """What every transaction of one store knows."""

    key: bytes  # of tombstone digests
    clock: Clock  # only for change sets that nobody began
    vec: bool  # vec0 tables work on this connection
    embedder: str | None = None  # name of the model that `nearest` means
    embedder_model: int | None = None  # its row in embedding_models
    mirror: bool = False  # a change of memory leaves a `mirror` job behind


@dataclass(slots=True)
class Transaction:
    """One user's view of one connection; used in that connection's thread only."""

    con: Any
    user_id: str
    shared: StoreContext
    # (model, vector) of memories that lost theirs, for tombstones
    dropped: dict[MemoryId, tuple[int, bytes]] = field(default_factory=dict)
    unembedded: dict[MemoryId, None] = field(default_factory=dict)  # in need of a vector at the end
    unread: bool = False  # a message became a document
    current: ChangeSet | None = None  # the set that writes belong to
    remembers: bool = False  # a memory was changed: MEMORY.md is to be looked after

    def new_id(self) -> str:
        return reserve_id(self.con)

    def record(
        self,
        entity: Entity,
        entity_id: str,
        op: Op,
        before: Mapping[str, Json] | None,
        after: Mapping[str, Json] | None,
    ) -> None:
        """Note a change in the current set; a write that nobody announced is the system's own."""
        self.record_many(entity, op, [(entity_id, before, after)])

    def record_many(self, entity: Entity, op: Op, changes: Iterable[Entry]) -> None:
        """Note many changes of one kind."""
        begin = ChangeGateway(self).begin
        current = self.current or begin("system", "write", self.shared.clock())
        rows = [
            (current.id, self.user_id, op, entity, entity_id, *map(_dumped, copies))
            for entity_id, *copies in changes
        ]
        self.remembers = self.remembers or (entity == "memory" and bool(rows))
        self.con.executemany(_RECORD, rows)

    def record_job(self, job: Job, state: str, **after: Json) -> None:
        """Note what became of a job; in the set its effect began, else in one of its own."""
        if job.kind == "mirror" and state == "done" and after.get("outcome") == "nothing":
            return  # after every change of memory; nobody waits to hear of it
        if self.current is None:
            ChangeGateway(self).begin("system", job.kind, self.shared.clock(), job_id=job.id)
        noted = {**after, "kind": job.kind, "state": state, "payload": dict(job.payload)}
        self.record("job", job.id, "updated", None, noted)

    # --- the person, a caller's own tables, and secrets

    def user(self) -> User:
        row = self.con.execute("SELECT * FROM users WHERE id = ?", (self.user_id,)).fetchone()
        if row is None:
            raise NotFound(f"There is no user {self.user_id}.")
        return from_row(User, row)

    def put_user(self, u: User) -> None:
        if u.id != self.user_id:
            raise StoreError("A user's row is written in that user's own store.")
        written = "UPDATE users SET lang = ?, tz = ?, settings = ? WHERE id = ?"
        run(self.con, written, u.lang, u.tz, u.settings, self.user_id)

    def run_sql(self, sql: str, *params: str | int | datetime) -> list[Sequence[Any]]:
        return list(run(self.con, sql, *params).fetchall())

    def put_secret(self, memory_id: MemoryId, sealed: bytes) -> None:
        mine = "SELECT 1 FROM memories WHERE id = ? AND user_id = ?"
        if run(self.con, mine, memory_id, self.user_id).fetchone() is None:
            raise NotFound(f"There is no memory {memory_id}.")
        row = {"memory_id": memory_id, "user_id": self.user_id, "sealed": sealed}
        insert(self.con, "secrets", row, "INSERT OR REPLACE")

    def secret(self, memory_id: MemoryId) -> bytes | None:
        return self._sealed("secrets WHERE memory_id = ?", memory_id)

    def seal_message(self, message_id: str, sealed: bytes | None) -> None:
        self.con.execute("DELETE FROM sealed_messages WHERE message_id = ?", (message_id,))
        if sealed is not None:
            row = {"message_id": message_id, "user_id": self.user_id, "sealed": sealed}
            insert(self.con, "sealed_messages", row)

    def sealed_message(self, message_id: str) -> bytes | None:
        return self._sealed("sealed_messages WHERE message_id = ?", message_id)

    def sealed_messages(self) -> list[str]:
        sealed = "SELECT message_id FROM sealed_messages WHERE user_id = ?"
        return list_values(self.con, sealed, self.user_id)

    def _sealed(self, where: str, key: str) -> bytes | None:
        found = f"SELECT sealed FROM {where} AND user_id = ?"
        return next(map(bytes, list_values(self.con, found, key, self.user_id)), None)


@dataclass(slots=True)
class Gateway:
    """One subject's tables in a transaction: the base of all gateways, with short ways to ask."""

    tx: Transaction

    @property
    def con(self) -> Any:
        """The connection."""
        return self.tx.con

    @property
    def owner(self) -> str:
        """Whose rows these are."""
        return self.tx.user_id

    def _run(self, sql: str, *params: Any) -> int:
        """Execute a statement; return how many rows it changed."""
        return int(run(self.tx.con, sql, *params).rowcount)

    def _row(self, sql: str, *params: Any) -> Any:
        """Return the first row, None if there is none."""
        return run(self.tx.con, sql, *params).fetchone()

    def _rows(self, sql: str, *params: Any) -> list[Any]:
        """Return all rows."""
        found: list[Any] = run(self.tx.con, sql, *params).fetchall()
        return found

    def _values(self, sql: str, *params: Any) -> list[Any]:
        """Return the first column of all rows."""
        return list_values(self.tx.con, sql, *params)

    def _own(self, kind: Callable[..., T], condition: str, *params: Any) -> list[T]:
        """List the owner's things of a kind that meet the condition."""
        sql = f"SELECT * FROM {_TABLES[kind]} WHERE user_id = ? AND {condition}"
        return [from_row(kind, r) for r in self._rows(sql, self.owner, *params)]

    def _one(self, kind: Callable[..., T], condition: str, *params: Any) -> T | None:
        """Return the first of the owner's things of a kind that meets the condition."""
        return next(iter(self._own(kind, f"{condition} LIMIT 1", *params)), None)

    def _insert(self, table: str, row: Mapping[str, Any], how: str = "INSERT") -> Any:
        """Insert a row of the owner's; return the cursor."""
        return insert(self.tx.con, table, {**row, "user_id": self.owner}, how)

    def _update(self, table: str, values: Mapping[str, Any], **key: Any) -> int:
        """Write values over the owner's rows with that key; return how many."""
        sets, where = (", ".join(map(_assign, values)), " AND ".join(map(_assign, key)))
        sql = f"UPDATE {table} SET {sets} WHERE user_id = ? AND {where}"
        return self._run(sql, *values.values(), self.owner, *key.values())


def _dumped(copy: Mapping[str, Json] | None) -> str | None:
    return None if copy is None else dump(copy)


def _assign(column: str) -> str:
    return f"{quote_name(column)} = ?"


@dataclass(slots=True)
class ChangeGateway(Gateway):
    """Change sets and what they did: `memory.ports.ChangeTable`."""

    def begin(
        self,
        actor: str,
        reason: str,
        now: datetime,
        *,
        turn_id: str | None = None,
        job_id: str | None = None,
        undoes: str | None = None,
    ) -> ChangeSet:
        row = (self.tx.new_id(), self.owner, actor, reason, now, turn_id, job_id, undoes)
        self.tx.current = ChangeSet(*row)
        self._insert("change_sets", columns_of(self.tx.current))
        return self.tx.current

    def resume(self, opened: ChangeSet) -> None:
        self.tx.current = opened

    def get(self, set_id: str) -> ChangeSet | None:
        return self._one(ChangeSet, "id = ?", set_id)

    def list_changes(
        self,
        *,
        set_id: str | None = None,
        job_id: str | None = None,
        of: tuple[Entity, str] | None = None,
        after: int | None = None,
        limit: int = -1,
    ) -> list[Change]:
        standing = "SELECT id FROM change_sets WHERE job_id = ? AND undone_by IS NULL"
        wanted = {
            "set_id = ?": [set_id],
            f"set_id IN ({standing})": [job_id],
            "entity = ? AND entity_id = ?": of,
            "seq > ?": [after],
        }
        asked = {c: p for c, p in wanted.items() if p and p[0] is not None}
        params = [p for some in asked.values() for p in some]
        order = "ORDER BY seq LIMIT ?"
        return self._own(Change, f"{' AND '.join(asked) or 1} {order}", *params, limit)

    def get_last_seq(self) -> int:
        return self._row("SELECT MAX(seq) FROM changes WHERE user_id = ?", self.owner)[0] or 0

    def get_latest_change(self, entity: Entity, entity_id: str) -> Change | None:
        newest = "entity = ? AND entity_id = ? ORDER BY seq DESC"
        return self._one(Change, newest, entity, entity_id)

    def count_ended_by(self, turn_id: str) -> int:
        row = self._row(
            "SELECT COUNT(DISTINCT c.entity_id) FROM changes c JOIN change_sets s ON s.id"
            " = c.set_id"
            " WHERE s.turn_id = ? AND s.user_id = ? AND s.reason = 'monitor' AND c.entity"
            " = 'memory'"
            " AND c.op IN ('superseded', 'negated', 'deleted')",
            turn_id,
            self.owner,
        )
        return int(row[0])

    def count_corrections(self, since: datetime) -> Mapping[str, int]:
        learned = "c.op = 'created' AND s.actor IN ('monitor', 'extractor')"
        undone = "s.undone_by IN (SELECT id FROM change_sets WHERE actor = 'user')"
        of_learned = (
            "s.actor = 'user' AND s.undoes IS NULL AND s.undone_by IS NULL AND EXISTS (SELECT 1"
            " FROM memories m WHERE m.id = c.entity_id AND m.source IN ('monitor', 'extractor'))"
        )
        counted = {
            "learned": learned,
            "undone": f"{learned} AND {undone}",
            "wrong": f"({learned} AND {undone}) OR (c.op = 'deleted' AND {of_learned})",
            "fixed": f"s.reason IN ('edit', 'mirror') AND c.op <> 'deleted' AND {of_learned}",
        }
        columns = ", ".join(
            f"COUNT(DISTINCT CASE WHEN {condition} THEN c.entity_id END)"
            for condition in counted.values()
        )
        row = self._row(
            f"SELECT {columns} FROM changes c JOIN change_sets s ON s.id = c.set_id"
            " WHERE c.user_id = ? AND c.entity = 'memory' AND s.at >= ?",
            *(self.owner, since),
        )
        return dict(zip(counted, row, strict=True))

    def list_overtaken(self, set_id: str) -> frozenset[str]:
        found = self._values(
            "SELECT DISTINCT c.entity_id FROM changes c WHERE c.set_id = ? AND c.user_id"
            " = ? AND c.entity = 'memory'"
            " AND EXISTS (SELECT 1 FROM changes d WHERE d.user_id = c.user_id AND"
            " d.entity = 'memory'"
            "  AND d.entity_id = c.entity_id AND d.seq > c.seq AND d.set_id != c.set_id)",
            set_id,
            self.owner,
        )
        return frozenset(found)

    def list_undoable(self, limit: int = 20) -> list[ChangeSet]:
        # Where one act was of many things (forgetting, a save of MEMORY.md, an import), a purge
        # leaves the rest.
        of_memory = (
            "SELECT 1 FROM changes c WHERE c.set_id = change_sets.id AND c.entity = 'memory'"
        )
        return self._own(
            ChangeSet,
            "undone_by IS NULL AND undoes IS NULL"
            " AND (actor <> 'system' OR job_id IS NULL OR reason = 'summarise')"
            f" AND EXISTS ({of_memory} AND c.op NOT IN {_MINOR} AND c.after IS NOT NULL)"
            " AND (reason IN ('forget', 'mirror', 'import')"
            f"  OR NOT EXISTS ({of_memory} AND (c.op = 'purged' OR c.after IS NULL)))"
            " ORDER BY n DESC LIMIT ?",
            limit,
        )

    def mark_undone(self, set_id: str, by: str) -> None:
        self._update("change_sets", {"undone_by": by}, id=set_id)
