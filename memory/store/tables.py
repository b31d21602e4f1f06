"""All tables: those of one user inside a transaction, and those that belong to no single user."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from memory import ports
from memory.models import Json
from memory.store.conversations import ConversationGateway
from memory.store.documents import DocumentGateway
from memory.store.jobs import JobGateway, JobQueue
from memory.store.mirror import MirrorGateway
from memory.store.purge import PurgeGateway
from memory.store.rows import dump, from_ms, insert, list_tuples, list_values, run
from memory.store.tombstones import ProposalGateway, TombstoneGateway
from memory.store.traces import NightGateway, TraceGateway
from memory.store.transaction import ChangeGateway, StoreContext, Transaction, reserve_id
from memory.store.transfer import TransferGateway
from memory.store.vectors import VectorGateway

TOUCHED_KEPT: Final = 20_000
AHEAD: Final = timedelta(days=2)  # a longer absence is confirmed by a second look
BACK: Final = timedelta(hours=1)
NEXT_START: Final = timedelta(hours=1)  # a jump is confirmed by another process so much later …
SAME_START: Final = timedelta(days=1)  # … or when the same process has run for so long


class SqliteTransaction(Transaction):
    """`memory.ports.Transaction` over one connection."""

    def __init__(self, con: Any, user_id: str, shared: StoreContext) -> None:
        super().__init__(con, user_id, shared)
        self.memories: ports.MemoryTable = PurgeGateway(self)
        self.vectors: ports.VectorTable = VectorGateway(self)
        self.conversations: ports.ConversationTable = ConversationGateway(self)
        self.documents: ports.DocumentTable = DocumentGateway(self)
        self.jobs: ports.JobTable = JobGateway(self)
        self.changes: ports.ChangeTable = ChangeGateway(self)
        self.tombstones: ports.TombstoneTable = TombstoneGateway(self)
        self.traces: ports.TraceTable = TraceGateway(self)
        self.proposals: ports.ProposalTable = ProposalGateway(self)
        self.nights: ports.NightTable = NightGateway(self)
        self.mirror: ports.MirrorTable = MirrorGateway(self)
        self.transfer: ports.TransferTable = TransferGateway(self)

    def finish(self) -> None:
        """Leave an `embed` job for what has no vector, and a `mirror` job; before COMMIT."""
        name, now = self.shared.embedder, self.shared.clock()
        have = self.vectors.get(list(self.unembedded), name) if name and self.unembedded else {}
        wanted = [i for i in self.unembedded if i not in have] if name else []
        lane = f"embed:{self.user_id}"
        if wanted:
            self.jobs.enqueue("embed", self.new_id(), {"memory_ids": wanted}, now, lane=lane)
        if name and self.unread:
            self.jobs.enqueue("embed", self.new_id(), {"documents": True}, now, lane=lane)
        if self.shared.mirror and self.remembers:
            self.jobs.enqueue_mirror_job(now)


@dataclass(slots=True)
class SqliteSystem(JobQueue):
    """`memory.ports.SystemTransaction`; its jobs stand in `JobQueue`."""

    # --- people

    def resolve(self, provider: str, external_id: str) -> str | None:
        return self.identities(provider).get(external_id)

    def create_user(self, now: datetime) -> str:
        user_id = reserve_id(self.con)
        insert(self.con, "users", {"id": user_id, "created_at": now})
        return user_id

    def link(self, provider: str, external_id: str, user_id: str, now: datetime) -> None:
        row = {"provider": provider, "external_id": external_id, "user_id": user_id}
        insert(self.con, "identities", row | {"linked_at": now}, "INSERT OR REPLACE")

    def unlink(self, provider: str, external_id: str) -> None:
        gone = "DELETE FROM identities WHERE provider = ? AND external_id = ?"
        run(self.con, gone, provider, external_id)

    def identities(self, provider: str) -> Mapping[str, str]:
        whose = "SELECT external_id, user_id FROM identities WHERE provider = ?"
        return dict(list_tuples(self.con, whose, provider))

    def users(self) -> list[str]:
        return list_values(self.con, "SELECT id FROM users ORDER BY created_at, rowid")

    def embedders(self) -> list[str]:
        return list_values(self.con, "SELECT name FROM embedding_models ORDER BY id DESC")

    # --- values

    def keyed(self) -> bool:
        tables = ("secrets", "sealed_messages", "tombstones", "mirror_entries")
        return any(list_values(self.con, f"SELECT 1 FROM {t} LIMIT 1") for t in tables)

    def get(self, key: str) -> Json:
        found = list_values(self.con, "SELECT value FROM meta WHERE key = ?", key)
        return json.loads(found[0]) if found else None

    def set(self, key: str, value: Json) -> None:
        run(self.con, "DELETE FROM meta WHERE key = ?", key)
        if value is not None:
            insert(self.con, "meta", {"key": key, "value": dump(value)})

    def believes(self, now: datetime, worker: str, *, by_hand: bool = False) -> bool:
        """Tell whether `now` follows on the time last seen, or a jump is confirmed."""
        newest = "SELECT at FROM change_sets ORDER BY n DESC LIMIT 1"
        last = next(map(from_ms, list_values(self.con, newest)), now)
        kept = self.get("clock") or {"first": True, "seen": last.isoformat()}
        seen, jump = datetime.fromisoformat(kept["seen"]), kept.get("jump")
        believed = by_hand or -BACK <= now - seen <= AHEAD
        if not believed and jump and now >= (at := datetime.fromisoformat(jump)):
            believed = now - at >= (SAME_START if kept["by"] == worker else NEXT_START)
        elif not believed:
            self.set("clock", {"seen": kept["seen"], "jump": now.isoformat(), "by": worker})
        if believed and ("first" in kept or jump or abs(now - seen) > BACK):
            self.set("clock", {"seen": now.isoformat()})
        return believed

    # --- a caller's own tables, and what is over

    def run_sql(self, sql: str, *params: str | int | datetime) -> list[Sequence[Any]]:
        return list(run(self.con, sql, *params).fetchall())

    def prune(self, touched: int = TOUCHED_KEPT) -> None:
        # Whoever slept through what `touched` says reads all anew.
        old = "DELETE FROM touched WHERE seq <= (SELECT MAX(seq) FROM touched) - ?"
        run(self.con, old, touched)
