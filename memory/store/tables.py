"""All tables: those of one user inside a transaction, and those that belong to no single user."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from memory.models import Json
from memory.store.conversations import ConversationGateway
from memory.store.jobs import JobGateway, JobQueue
from memory.store.memories import LifeGateway
from memory.store.mirror import MirrorGateway
from memory.store.purge import PurgeGateway
from memory.store.rows import dump, from_ms, insert
from memory.store.tombstones import ProposalGateway, TombstoneGateway
from memory.store.traces import NightGateway, TraceGateway
from memory.store.transaction import ChangeGateway, Transaction, reserve_id
from memory.store.transfer import TransferGateway
from memory.store.vectors import VectorGateway

G = TypeVar("G")

TOUCHED_KEPT: Final = 20_000
AHEAD: Final = timedelta(days=2)  # a longer absence is confirmed by a second look
BACK: Final = timedelta(hours=1)
NEXT_START: Final = timedelta(hours=1)  # a jump is confirmed by another process so much later …
SAME_START: Final = timedelta(days=1)  # … or when the same process has run for so long


class Table(Generic[G]):
    """A gateway of the transaction that it is asked of."""

    def __init__(self, kind: Callable[[Transaction], G]) -> None:
        self._kind = kind

    def __get__(self, tx: Transaction, _kind: object = None) -> G:
        """Make the gateway."""
        return self._kind(tx)


@dataclass(slots=True)
class SqliteTransaction(Transaction):
    """`memory.ports.Transaction` over one connection."""

    memories = Table(PurgeGateway)
    lives = Table(LifeGateway)
    vectors = Table(VectorGateway)
    conversations = Table(ConversationGateway)
    jobs = Table(JobGateway)
    changes = Table(ChangeGateway)
    tombstones = Table(TombstoneGateway)
    traces = Table(TraceGateway)
    proposals = Table(ProposalGateway)
    nights = Table(NightGateway)
    mirror = Table(MirrorGateway)
    transfer = Table(TransferGateway)

    def finish(self) -> None:
        """Leave one `embed` job for what has no vector yet, and one `mirror` job; called before COMMIT."""
        name, now = self.shared.embedder, self.shared.clock()
        wanted = list(self.unembedded)
        if wanted and name is not None:
            wanted = self.vectors.list_without_vector(wanted, name)
        if wanted:
            lane = f"embed:{self.owner}"
            self.jobs.enqueue("embed", reserve_id(self.con), {"memory_ids": wanted}, now, lane=lane)
        if self.shared.mirror and self.remembers:
            self.jobs.enqueue_mirror_job(now)


@dataclass(slots=True)
class SqliteSystem(JobQueue):
    """`memory.ports.SystemTransaction`; its jobs stand in `JobQueue`."""

    # --- people

    def resolve(self, provider: str, external_id: str) -> str | None:
        """Return the user of that identity."""
        whose = "SELECT user_id FROM identities WHERE provider = ? AND external_id = ?"
        row = self.con.execute(whose, (provider, external_id)).fetchone()
        return None if row is None else str(row[0])

    def create_user(self, now: datetime) -> str:
        """Add a new person; return the id."""
        user_id = reserve_id(self.con)
        insert(self.con, "users", {"id": user_id, "created_at": now})
        return user_id

    def link(self, provider: str, external_id: str, user_id: str, now: datetime) -> None:
        """Give the identity to this user from now on."""
        row = {
            "provider": provider,
            "external_id": external_id,
            "user_id": user_id,
            "linked_at": now,
        }
        insert(self.con, "identities", row, "INSERT OR REPLACE")

    def unlink(self, provider: str, external_id: str) -> None:
        """Take the identity from whoever has it."""
        self.con.execute(
            "DELETE FROM identities WHERE provider = ? AND external_id = ?", (provider, external_id)
        )

    def identities(self, provider: str) -> Mapping[str, str]:
        """Map external ids to users."""
        rows = self.con.execute(
            "SELECT external_id, user_id FROM identities WHERE provider = ?", (provider,)
        )
        return {r[0]: r[1] for r in rows.fetchall()}

    def users(self) -> list[str]:
        """List everybody, the first one first."""
        return [
            r[0]
            for r in self.con.execute("SELECT id FROM users ORDER BY created_at, rowid").fetchall()
        ]

    def embedders(self) -> list[str]:
        """List all that were in use and are not left behind yet, the one that came last first."""
        return [
            r[0]
            for r in self.con.execute(
                "SELECT name FROM embedding_models ORDER BY id DESC"
            ).fetchall()
        ]

    # --- values

    def keyed(self) -> bool:
        """Tell whether anything rests on this home's key: sealed texts, or digests of what was forgotten or shown."""
        tables = ("secrets", "sealed_messages", "tombstones", "mirror_entries")
        return any(self.con.execute(f"SELECT 1 FROM {t} LIMIT 1").fetchone() for t in tables)

    def get(self, key: str) -> Json:
        """Return a value, None if there is none."""
        row = self.con.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set(self, key: str, value: Json) -> None:
        """Keep a value; None removes it."""
        self.con.execute("DELETE FROM meta WHERE key = ?", (key,))
        if value is not None:
            insert(self.con, "meta", {"key": key, "value": dump(value)})

    def believes(self, now: datetime, worker: str, *, by_hand: bool = False) -> bool:
        """Tell whether `now` follows on the time last seen, or a jump is confirmed; `by_hand`:
        somebody asks.

        Only a clock that is believed may bring about what cannot be taken back.
        """
        last = self.con.execute("SELECT at FROM change_sets ORDER BY n DESC LIMIT 1").fetchone()
        kept = self.get("clock") or {
            "first": True,
            "seen": (from_ms(last[0]) if last else now).isoformat(),
        }
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

    def run_sql(self, sql: str, *params: str | int) -> list[Sequence[Any]]:
        """Run a statement on the caller's own tables in the same file; return its rows."""
        return list(self.con.execute(sql, params).fetchall())

    def prune(self, touched: int = TOUCHED_KEPT) -> None:
        """Let go of the oldest rows of `touched`, which says what memories were written.

        Whoever slept through it reads all anew.
        """
        self.con.execute(
            "DELETE FROM touched WHERE seq <= (SELECT MAX(seq) FROM touched) - ?", (touched,)
        )
