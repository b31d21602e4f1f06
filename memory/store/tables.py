"""All tables: those of one user inside a transaction, and those that belong to no single user."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

from memory.models import Json
from memory.store.conversations import ConversationGateway
from memory.store.jobs import MOST, JobGateway, JobQueue
from memory.store.memories import LifeGateway
from memory.store.mirror import MirrorGateway
from memory.store.purge import PurgeGateway
from memory.store.rows import dump, from_ms, insert, to_ms
from memory.store.tombstones import ProposalGateway, TombstoneGateway
from memory.store.traces import NightGateway, TraceGateway
from memory.store.transaction import ChangeGateway, Transaction, reserve_id
from memory.store.transfer import TransferGateway
from memory.store.vectors import VectorGateway

G = TypeVar("G")

UPDATES_KEPT: Final = timedelta(
    days=7
)  # Telegram offers an update again for a day; ids begin anew after a week
REPLIES_KEPT: Final = timedelta(days=30)  # and a message can be edited for 48 hours
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

    # --- inbox and deliveries

    def inbox_put(
        self, provider: str, bot: str, update_id: int, lane: str, payload: str, now: datetime
    ) -> bool:
        """Keep an update before it is confirmed; False if it is there already."""
        row = {
            "provider": provider,
            "bot": bot,
            "update_id": update_id,
            "lane": lane,
            "payload": payload,
            "at": now,
        }
        return bool(insert(self.con, "inbox", row, "INSERT OR IGNORE").rowcount)

    def inbox_open(self, provider: str, bot: str) -> list[tuple[int, str, str]]:
        """List (update_id, lane, payload) not yet done, in order."""
        rows = self.con.execute(
            "SELECT update_id, lane, payload FROM inbox WHERE provider = ? AND bot = ? AND done_at IS NULL"
            " ORDER BY update_id",
            (provider, bot),
        )
        return [(r[0], r[1], r[2]) for r in rows.fetchall()]

    def inbox_done(self, provider: str, bot: str, update_id: int, now: datetime) -> None:
        """Blank the payload of an update that was dealt with; the id stays."""
        self.con.execute(
            "UPDATE inbox SET payload = '', done_at = ? WHERE provider = ? AND bot = ? AND update_id = ?",
            (to_ms(now), provider, bot, update_id),
        )

    def delivered(self, provider: str, key: str, value: Json, now: datetime) -> None:
        """Remember where a turn's reply went, for exactly one reply per turn."""
        row = {"provider": provider, "key": key, "value": dump(value), "at": now}
        insert(self.con, "deliveries", row, "INSERT OR REPLACE")

    def delivery(self, provider: str, key: str) -> Json:
        """Return what `delivered` was told, None if nothing."""
        told = "SELECT value FROM deliveries WHERE provider = ? AND key = ?"
        row = self.con.execute(told, (provider, key)).fetchone()
        return None if row is None else json.loads(row[0])

    def prune(self, now: datetime, most: int = MOST, touched: int = TOUCHED_KEPT) -> int:
        """Let go of updates dealt with and of replies long delivered; how many.

        Of `touched` too, which says what memories were written: whoever slept through it reads all
        anew. A chat's mode and the like never say of themselves that they are done, so they stay.
        """
        self.con.execute(
            "DELETE FROM touched WHERE seq <= (SELECT MAX(seq) FROM touched) - ?", (touched,)
        )
        updates = self.con.execute(
            "DELETE FROM inbox WHERE (provider, bot, update_id) IN"
            " (SELECT provider, bot, update_id FROM inbox WHERE done_at < ? LIMIT ?)",
            (to_ms(now - UPDATES_KEPT), most),
        )
        replies = self.con.execute(
            "DELETE FROM deliveries WHERE (provider, key) IN (SELECT provider, key FROM deliveries"
            " WHERE at < ? AND json_extract(value, '$.done') = 1 LIMIT ?)",
            (to_ms(now - REPLIES_KEPT), most),
        )
        return int(updates.rowcount + replies.rowcount)
