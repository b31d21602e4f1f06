"""One user's transaction: its owner's row, new ids, secrets, and the change log that every write
leaves.

Ids are Crockford base32, a letter first, six characters or more, never used twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from memory.errors import Conflict, NotFound, StoreError
from memory.models import Change, ChangeSet, Entity, Job, Json, MemoryId, Op, User
from memory.ports import Clock
from memory.store.rows import dump, from_row, insert

T = TypeVar("T")

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LETTERS: Final = _ALPHABET[10:]
_FIRST_LENGTH: Final = 6
_TRIES: Final = 64
_SELECT: Final = "SELECT c.*, s.reason, s.turn_id, s.at FROM changes c JOIN change_sets s ON s.id = c.set_id WHERE c.user_id = ?"
# A mention and what it does to the level are no acts that a person would want to take back.
_MINOR: Final = "('reinforced', 'levelled')"
_RECORD: Final = "INSERT INTO changes (set_id, user_id, op, entity, entity_id, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)"


# --- ids ---


def reserve_id(con: Any) -> str:
    """Reserve an id for good: even an erased memory's id is never given again."""
    for attempt in range(_TRIES):
        found = _random(_FIRST_LENGTH + attempt // 4)
        if con.execute("INSERT OR IGNORE INTO used_ids (id) VALUES (?)", (found,)).rowcount == 1:
            return found
    raise StoreError("No free id was found.")  # 64 collisions in a row at up to 21 characters


def _random(length: int) -> str:
    bits = secrets.randbits(
        5 * length + 64
    )  # the 64 keep every letter as likely as any other at the first place
    out = []
    for _ in range(length - 1):
        out.append(_ALPHABET[bits & 31])
        bits >>= 5
    return _LETTERS[bits % len(_LETTERS)] + "".join(out)


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
    owner: str
    shared: StoreContext
    dropped: dict[MemoryId, tuple[int, bytes]] = field(
        default_factory=dict
    )  # (model, vector), for tombstones
    unembedded: dict[MemoryId, None] = field(default_factory=dict)  # in need of a vector at the end
    current: ChangeSet | None = None  # the set that writes belong to
    remembers: bool = False  # a memory was changed: MEMORY.md is to be looked after

    @property
    def user_id(self) -> str:
        """Whose store this is."""
        return self.owner

    def new_id(self) -> str:
        """Reserve an id never used before in this store (so only inside a write)."""
        return reserve_id(self.con)

    def begin(self, actor: str, reason: str, now: datetime, **links: str | None) -> ChangeSet:
        """Open the set that the writes which follow belong to; `links`: turn_id, job_id, undoes."""
        opened = ChangeSet(reserve_id(self.con), self.owner, actor, reason, now, **links)
        row = {
            "id": opened.id,
            "user_id": self.owner,
            "actor": actor,
            "reason": reason,
            "at": now,
            **links,
        }
        insert(self.con, "change_sets", row)
        self.current = opened
        return opened

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

    def record_many(
        self,
        entity: Entity,
        op: Op,
        changes: Sequence[tuple[str, Mapping[str, Json] | None, Mapping[str, Json] | None]],
    ) -> None:
        """Note many changes: (id, before, after) of each."""
        current = self.current or self.begin("system", "write", self.shared.clock())
        self.remembers = self.remembers or (entity == "memory" and bool(changes))
        self.con.executemany(
            _RECORD,
            [
                (
                    current.id,
                    self.owner,
                    op,
                    entity,
                    entity_id,
                    None if before is None else dump(before),
                    None if after is None else dump(after),
                )
                for entity_id, before, after in changes
            ],
        )

    def record_job(self, job: Job, state: str, **after: Json) -> None:
        """Note what became of a job; in the set its effect began, else in one of its own."""
        if job.kind == "mirror" and state == "done" and after.get("outcome") == "nothing":
            return  # after every change of memory; nobody waits to hear of it
        if self.current is None:
            self.begin("system", job.kind, self.shared.clock(), job_id=job.id)
        noted = {**after, "kind": job.kind, "state": state, "payload": dict(job.payload)}
        self.record("job", job.id, "updated", None, noted)

    # --- the person, a caller's own tables, and secrets

    def user(self) -> User:
        """Return the user's row. Raises NotFound."""
        row = self.con.execute("SELECT * FROM users WHERE id = ?", (self.owner,)).fetchone()
        if row is None:
            raise NotFound(f"There is no user {self.owner}.")
        return from_row(User, row)

    def put_user(self, u: User) -> None:
        """Write language, zone and settings."""
        if u.id != self.owner:
            raise StoreError("A user's row is written in that user's own store.")
        row = (u.lang, u.tz, dump(dict(u.settings)), self.owner)
        self.con.execute("UPDATE users SET lang = ?, tz = ?, settings = ? WHERE id = ?", row)

    def run_sql(self, sql: str, *params: str | int) -> list[Sequence[Any]]:
        """Run a statement on the caller's own tables in the same file; return its rows."""
        return list(self.con.execute(sql, params).fetchall())

    def put_secret(self, memory_id: MemoryId, sealed: bytes) -> None:
        """Keep the sealed text of a secret memory. Raises NotFound."""
        mine = "SELECT 1 FROM memories WHERE id = ? AND user_id = ?"
        if self.con.execute(mine, (memory_id, self.owner)).fetchone() is None:
            raise NotFound(f"There is no memory {memory_id}.")
        row = {"memory_id": memory_id, "user_id": self.owner, "sealed": sealed}
        insert(self.con, "secrets", row, "INSERT OR REPLACE")

    def secret(self, memory_id: MemoryId) -> bytes | None:
        """Return the sealed text."""
        return self._sealed("secrets WHERE memory_id = ? AND user_id = ?", memory_id)

    def seal_message(self, message_id: str, sealed: bytes | None) -> None:
        """Keep what a message said before its secrets were taken out, until its text changes; None drops it."""
        self.con.execute("DELETE FROM sealed_messages WHERE message_id = ?", (message_id,))
        if sealed is not None:
            row = {"message_id": message_id, "user_id": self.owner, "sealed": sealed}
            insert(self.con, "sealed_messages", row)

    def sealed_message(self, message_id: str) -> bytes | None:
        """Return the sealed copy."""
        return self._sealed("sealed_messages WHERE message_id = ? AND user_id = ?", message_id)

    def sealed_messages(self) -> list[str]:
        """List messages that have a sealed copy."""
        rows = self.con.execute(
            "SELECT message_id FROM sealed_messages WHERE user_id = ?", (self.owner,)
        )
        return [r[0] for r in rows.fetchall()]

    def _sealed(self, where: str, key: str) -> bytes | None:
        row = self.con.execute(f"SELECT sealed FROM {where}", (key, self.owner)).fetchone()
        return None if row is None else bytes(row["sealed"])


@dataclass(slots=True)
class Gateway:
    """One subject's tables in a transaction: the base of all gateways, with short ways to ask."""

    tx: Transaction

    @property
    def owner(self) -> str:
        """Whose rows these are."""
        return self.tx.owner

    def _run(self, sql: str, *params: Any) -> int:
        """Execute a statement; return how many rows it changed."""
        return int(self.tx.con.execute(sql, params).rowcount)

    def _row(self, sql: str, *params: Any) -> Any:
        """Return the first row, None if there is none."""
        return self.tx.con.execute(sql, params).fetchone()

    def _rows(self, sql: str, *params: Any) -> list[Any]:
        """Return all rows."""
        found: list[Any] = self.tx.con.execute(sql, params).fetchall()
        return found

    def _values(self, sql: str, *params: Any) -> list[Any]:
        """Return the first column of all rows."""
        return [r[0] for r in self._rows(sql, *params)]

    def _one(self, kind: Callable[..., T], sql: str, *params: Any) -> T | None:
        """Return the first row as a dataclass, None if there is none."""
        row = self._row(sql, *params)
        return None if row is None else from_row(kind, row)

    def _all(self, kind: Callable[..., T], sql: str, *params: Any) -> list[T]:
        """Return all rows as dataclasses."""
        return [from_row(kind, r) for r in self._rows(sql, *params)]


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
        """Open the set that the writes which follow in this transaction belong to."""
        return self.tx.begin(actor, reason, now, turn_id=turn_id, job_id=job_id, undoes=undoes)

    def resume(self, opened: ChangeSet) -> None:
        """Go on with a set of an earlier transaction: the writes that follow belong to it."""
        self.tx.current = opened

    def get(self, set_id: str) -> ChangeSet | None:
        """Return a set of this user's."""
        return self._one(
            ChangeSet, "SELECT * FROM change_sets WHERE id = ? AND user_id = ?", set_id, self.owner
        )

    def list_set_changes(self, set_id: str) -> list[Change]:
        """List what the set did, in order."""
        return self._all(Change, f"{_SELECT} AND c.set_id = ? ORDER BY c.seq", self.owner, set_id)

    def list_changes_after(self, seq: int, limit: int) -> list[Change]:
        """List changes after the cursor, in order."""
        return self._all(
            Change, f"{_SELECT} AND c.seq > ? ORDER BY c.seq LIMIT ?", self.owner, seq, limit
        )

    def get_last_seq(self) -> int:
        """Return the number of the user's newest change; 0 if there is none."""
        return self._row("SELECT MAX(seq) FROM changes WHERE user_id = ?", self.owner)[0] or 0

    def get_latest_change(self, entity: Entity, entity_id: str) -> Change | None:
        """Return the last thing that happened to it."""
        newest = f"{_SELECT} AND c.entity = ? AND c.entity_id = ? ORDER BY c.seq DESC LIMIT 1"
        return self._one(Change, newest, self.owner, entity, entity_id)

    def of_entity(self, entity: Entity, entity_id: str) -> list[Change]:
        """List all changes of one thing, oldest first."""
        all_ = f"{_SELECT} AND c.entity = ? AND c.entity_id = ? ORDER BY c.seq"
        return self._all(Change, all_, self.owner, entity, entity_id)

    def count_ended_by(self, turn_id: str) -> int:
        """Count the memories that ended by what was learned right after the turn, taken back or not."""
        row = self._row(
            "SELECT COUNT(DISTINCT c.entity_id) FROM changes c JOIN change_sets s ON s.id = c.set_id"
            " WHERE s.turn_id = ? AND s.user_id = ? AND s.reason = 'monitor' AND c.entity = 'memory'"
            " AND c.op IN ('superseded', 'negated', 'deleted')",
            turn_id,
            self.owner,
        )
        return int(row[0])

    def list_overtaken(self, set_id: str) -> frozenset[str]:
        """Return the memories of the set that another set has changed since."""
        found = self._values(
            "SELECT DISTINCT c.entity_id FROM changes c WHERE c.set_id = ? AND c.user_id = ? AND c.entity = 'memory'"
            " AND EXISTS (SELECT 1 FROM changes d WHERE d.user_id = c.user_id AND d.entity = 'memory'"
            "  AND d.entity_id = c.entity_id AND d.seq > c.seq AND d.set_id != c.set_id)",
            set_id,
            self.owner,
        )
        return frozenset(found)

    def list_undoable(self, limit: int = 20) -> list[ChangeSet]:
        """List, newest first, sets that did more to a memory than a mention does.

        None that is undone, an undo or purged; but where one act was of many things (forgetting, a
        save of MEMORY.md, an import), a purge leaves the rest.
        """
        return self._all(
            ChangeSet,
            "SELECT s.* FROM change_sets s WHERE s.user_id = ? AND s.undone_by IS NULL AND s.undoes IS NULL"
            " AND EXISTS (SELECT 1 FROM changes c WHERE c.set_id = s.id AND c.entity = 'memory'"
            f"  AND c.op NOT IN {_MINOR} AND c.after IS NOT NULL)"
            " AND (s.reason IN ('forget', 'mirror', 'import')"
            "  OR NOT EXISTS (SELECT 1 FROM changes c WHERE c.set_id = s.id AND c.entity = 'memory'"
            "   AND (c.op = 'purged' OR c.after IS NULL)))"
            " ORDER BY s.n DESC LIMIT ?",
            self.owner,
            limit,
        )

    def mark_undone(self, set_id: str, by: str) -> None:
        """Note that the set `by` took the set back."""
        self._run(
            "UPDATE change_sets SET undone_by = ? WHERE id = ? AND user_id = ?",
            by,
            set_id,
            self.owner,
        )
