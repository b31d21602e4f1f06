"""One user's gateways inside one transaction, and what they share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory.errors import NotFound, StoreError
from memory.models import Change, ChangeSet, Entity, Job, Json, Memory, MemoryId, Op, User
from memory.ports import Clock
from memory.store import ids
from memory.store.changes import ChangeGateway
from memory.store.conversations import ConversationGateway
from memory.store.jobs import JobGateway
from memory.store.lives import LifeGateway
from memory.store.memories import MemoryGateway
from memory.store.mirror import MirrorGateway
from memory.store.nights import NightGateway
from memory.store.proposals import ProposalGateway
from memory.store.rows import dump, memory_to_json, to_ms, user_from_row
from memory.store.tombstones import TombstoneGateway
from memory.store.traces import TraceGateway
from memory.store.transfer import TransferGateway
from memory.store.vectors import VectorGateway


@dataclass(slots=True)
class Shared:
    """What every transaction of one store knows."""

    key: bytes  # of tombstone digests
    clock: Clock  # only for change sets that nobody began
    vec: bool  # vec0 tables work on this connection
    embedder: str | None = None  # name of the model that `nearest` means
    embedder_model: int | None = None  # its row in embedding_models
    mirror: bool = False  # a change of memory leaves a `mirror` job behind


@dataclass(slots=True)
class SqliteTx:
    """`memory.ports.Tx` over one connection; used in that connection's thread only."""

    con: Any
    owner: str
    shared: Shared
    dropped: dict[MemoryId, tuple[int, bytes]] = field(default_factory=dict)  # (model, vector), for tombstones
    unembedded: dict[MemoryId, None] = field(default_factory=dict)  # in need of a vector at the end
    _set: ChangeSet | None = None
    _remembers: bool = False  # a memory was changed

    @property
    def user_id(self) -> str:
        """Whose store this is."""
        return self.owner

    @property
    def memories(self) -> MemoryGateway:
        """See `memory.ports.MemoryTable`."""
        return MemoryGateway(self)

    @property
    def lives(self) -> LifeGateway:
        """See `memory.ports.LifeTable`."""
        return LifeGateway(self)

    @property
    def vectors(self) -> VectorGateway:
        """See `memory.ports.VectorTable`."""
        return VectorGateway(self)

    @property
    def conversations(self) -> ConversationGateway:
        """See `memory.ports.ConversationTable`."""
        return ConversationGateway(self)

    @property
    def jobs(self) -> JobGateway:
        """See `memory.ports.JobTable`."""
        return JobGateway(self)

    @property
    def changes(self) -> ChangeGateway:
        """See `memory.ports.ChangeTable`."""
        return ChangeGateway(self)

    @property
    def tombstones(self) -> TombstoneGateway:
        """See `memory.ports.TombstoneTable`."""
        return TombstoneGateway(self)

    @property
    def traces(self) -> TraceGateway:
        """See `memory.ports.TraceTable`."""
        return TraceGateway(self)

    @property
    def proposals(self) -> ProposalGateway:
        """See `memory.ports.ProposalTable`."""
        return ProposalGateway(self)

    @property
    def nights(self) -> NightGateway:
        """See `memory.ports.NightTable`."""
        return NightGateway(self)

    @property
    def mirror(self) -> MirrorGateway:
        """See `memory.ports.MirrorTable`."""
        return MirrorGateway(self)

    @property
    def transfer(self) -> TransferGateway:
        """See `memory.ports.TransferTable`."""
        return TransferGateway(self)

    def user(self) -> User:
        """The user's row. Raises NotFound."""
        row = self.con.execute("SELECT * FROM users WHERE id = ?", (self.owner,)).fetchone()
        if row is None:
            raise NotFound(f"There is no user {self.owner}.")
        return user_from_row(row)

    def put_user(self, u: User) -> None:
        """Write language, zone and settings."""
        if u.id != self.owner:
            raise StoreError("A user's row is written in that user's own store.")
        self.con.execute(
            "UPDATE users SET lang = ?, tz = ?, settings = ? WHERE id = ?",
            (u.lang, u.tz, dump(dict(u.settings)), self.owner),
        )

    def new_id(self) -> str:
        """An id never used before in this store, reserved for good (so only inside a write)."""
        return ids.new_id(self.con)

    # --- choices and secrets

    def put_choice(self, key: str, scope: str, kind: str, payload: Json, expires_at: datetime) -> None:
        """Keep what a short key stands for; a key used before now stands for this."""
        self.con.execute("DELETE FROM choices WHERE user_id = ? AND key = ?", (self.owner, key))
        self.con.execute(
            "INSERT INTO choices (user_id, key, scope, kind, payload, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
            (self.owner, key, scope, kind, dump(payload), to_ms(expires_at)),
        )

    def take_choice(self, key: str, now: datetime) -> tuple[str, str, Json] | None:
        """(scope, kind, payload), once; None if unknown, used or expired."""
        self.con.execute("DELETE FROM choices WHERE user_id = ? AND expires_at <= ?", (self.owner, to_ms(now)))
        row = self.con.execute(
            "SELECT n, scope, kind, payload FROM choices WHERE user_id = ? AND key = ?", (self.owner, key)
        ).fetchone()
        if row is None:
            return None
        self.con.execute("DELETE FROM choices WHERE n = ?", (row["n"],))
        return row["scope"], row["kind"], json.loads(row["payload"])

    def choice(self, key: str, now: datetime) -> tuple[str, str, Json] | None:
        """Look at it without taking it."""
        row = self.con.execute(
            "SELECT scope, kind, payload FROM choices WHERE user_id = ? AND key = ? AND expires_at > ?",
            (self.owner, key, to_ms(now)),
        ).fetchone()
        return None if row is None else (row["scope"], row["kind"], json.loads(row["payload"]))

    def pending_choice(self, scope: str, now: datetime) -> str | None:
        """Key of the newest unanswered choice of the scope."""
        row = self.con.execute(
            "SELECT key FROM choices WHERE user_id = ? AND scope = ? AND expires_at > ? ORDER BY n DESC LIMIT 1",
            (self.owner, scope, to_ms(now)),
        ).fetchone()
        return None if row is None else str(row["key"])

    def put_secret(self, memory_id: MemoryId, sealed: bytes) -> None:
        """Keep the sealed text of a secret memory. Raises NotFound."""
        if self.memories.get(memory_id) is None:
            raise NotFound(f"There is no memory {memory_id}.")
        self.con.execute(
            "INSERT INTO secrets (memory_id, user_id, sealed) VALUES (?, ?, ?)"
            " ON CONFLICT (memory_id) DO UPDATE SET sealed = excluded.sealed",
            (memory_id, self.owner, sealed),
        )

    def secret(self, memory_id: MemoryId) -> bytes | None:
        """The sealed text."""
        row = self.con.execute(
            "SELECT sealed FROM secrets WHERE memory_id = ? AND user_id = ?", (memory_id, self.owner)
        ).fetchone()
        return None if row is None else bytes(row["sealed"])

    def seal_message(self, message_id: str, sealed: bytes | None) -> None:
        """Keep what a message said before its secrets were taken out, until its text changes; None drops it."""
        if sealed is None:
            self.con.execute("DELETE FROM sealed_messages WHERE message_id = ?", (message_id,))
            return
        self.con.execute(
            "INSERT OR REPLACE INTO sealed_messages (message_id, user_id, sealed) VALUES (?, ?, ?)",
            (message_id, self.owner, sealed),
        )

    def sealed_message(self, message_id: str) -> bytes | None:
        """The sealed copy."""
        row = self.con.execute(
            "SELECT sealed FROM sealed_messages WHERE message_id = ? AND user_id = ?", (message_id, self.owner)
        ).fetchone()
        return None if row is None else bytes(row["sealed"])

    def sealed_messages(self) -> list[str]:
        """Ids of messages that have a sealed copy."""
        rows = self.con.execute("SELECT message_id FROM sealed_messages WHERE user_id = ?", (self.owner,))
        return [r[0] for r in rows.fetchall()]

    # --- for the gateways

    def use_set(self, s: ChangeSet) -> None:
        """What follows belongs to this set."""
        self._set = s

    def remembers(self) -> None:
        """Something of a memory was changed without a record: MEMORY.md is to be looked after all the same."""
        self._remembers = True

    def record(
        self,
        entity: Entity,
        entity_id: str,
        op: Op,
        before: Mapping[str, Json] | None,
        after: Mapping[str, Json] | None,
    ) -> None:
        """Note a change in the current set; a write that nobody announced is the system's own."""
        current = self._set or self.changes.begin("system", "write", self.shared.clock())
        self._remembers = self._remembers or entity == "memory"
        self.con.execute(
            "INSERT INTO changes (set_id, user_id, op, entity, entity_id, before, after)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                current.id,
                self.owner,
                op,
                entity,
                entity_id,
                None if before is None else dump(before),
                None if after is None else dump(after),
            ),
        )

    def record_many(
        self, entity: Entity, op: Op, changes: Sequence[tuple[str, Mapping[str, Json] | None, Mapping[str, Json]]]
    ) -> None:
        """`record` for many: (id, before, after) of each."""
        current = self._set or self.changes.begin("system", "write", self.shared.clock())
        self._remembers = self._remembers or (entity == "memory" and bool(changes))
        self.con.executemany(
            "INSERT INTO changes (set_id, user_id, op, entity, entity_id, before, after)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (current.id, self.owner, op, entity, i, None if before is None else dump(before), dump(after))
                for i, before, after in changes
            ],
        )

    def record_memory(self, op: Op, before: Memory | None, after: Memory) -> None:
        """Note a change of a memory with all that an undo needs."""
        old = None if before is None else memory_to_json(before)
        self.record("memory", after.id, op, old, memory_to_json(after))

    def record_job(self, job: Job, state: str, **after: Json) -> None:
        """Note what became of a job; in the set its effect began, else in one of its own."""
        if job.kind == "mirror" and state == "done" and after.get("outcome") == "nothing":
            return  # after every change of memory; nobody waits to hear of it
        if self._set is None:
            self.changes.begin("system", job.kind, self.shared.clock(), job_id=job.id)
        noted = {**after, "kind": job.kind, "state": state, "payload": dict(job.payload)}
        self.record("job", job.id, "updated", None, noted)

    def latest_change(self, entity: Entity, entity_id: str) -> Change | None:
        """Shorthand for the gateways."""
        return self.changes.latest_for(entity, entity_id)

    def finish(self) -> None:
        """Before COMMIT: one `embed` job for what was left without a vector, and one `mirror` job."""
        name = self.shared.embedder
        wanted = list(self.unembedded)
        if wanted and name is not None:
            wanted = self.vectors.without(wanted, name)
        if wanted:
            key = ids.new_id(self.con)
            self.jobs.enqueue("embed", key, {"memory_ids": wanted}, self.shared.clock(), lane=f"embed:{self.owner}")
        if self.shared.mirror and self._remembers:
            self.jobs.mirror(self.shared.clock())
