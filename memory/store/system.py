"""What belongs to no single user: identities, the job queue, the inbox, store-wide values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.models import Job, JobKind, Json
from memory.store import ids, prune
from memory.store import jobs as queue
from memory.store.rows import dump, to_ms
from memory.store.tx import Shared, SqliteTx


@dataclass(slots=True)
class SqliteSystem:
    """`memory.ports.System`."""

    con: Any
    shared: Shared

    # --- people

    def resolve(self, provider: str, external_id: str) -> str | None:
        """User of that identity."""
        row = self.con.execute(
            "SELECT user_id FROM identities WHERE provider = ? AND external_id = ?", (provider, external_id)
        ).fetchone()
        return None if row is None else str(row[0])

    def create_user(self, now: datetime) -> str:
        """A new person."""
        user_id = ids.new_id(self.con)
        self.con.execute("INSERT INTO users (id, created_at) VALUES (?, ?)", (user_id, to_ms(now)))
        return user_id

    def link(self, provider: str, external_id: str, user_id: str, now: datetime) -> None:
        """The identity is this user's from now on."""
        self.con.execute(
            "INSERT INTO identities (provider, external_id, user_id, linked_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (provider, external_id) DO UPDATE SET user_id = excluded.user_id,"
            " linked_at = excluded.linked_at",
            (provider, external_id, user_id, to_ms(now)),
        )

    def unlink(self, provider: str, external_id: str) -> None:
        """The identity is nobody's."""
        self.con.execute("DELETE FROM identities WHERE provider = ? AND external_id = ?", (provider, external_id))

    def identities(self, provider: str) -> Mapping[str, str]:
        """User by external id."""
        rows = self.con.execute("SELECT external_id, user_id FROM identities WHERE provider = ?", (provider,))
        return {r[0]: r[1] for r in rows.fetchall()}

    def users(self) -> list[str]:
        """Everybody, the first one first."""
        return [r[0] for r in self.con.execute("SELECT id FROM users ORDER BY created_at, rowid").fetchall()]

    def embedders(self) -> list[str]:
        """Ids of all that were in use and are not left behind yet, the one that came last first."""
        return [r[0] for r in self.con.execute("SELECT name FROM embedding_models ORDER BY id DESC").fetchall()]

    # --- values

    def keyed(self) -> bool:
        """Whether anything rests on this home's key: sealed texts, or digests of what was forgotten or shown."""
        tables = ("secrets", "sealed_messages", "tombstones", "mirror_entries")
        return any(self.con.execute(f"SELECT 1 FROM {t} LIMIT 1").fetchone() for t in tables)

    def get(self, key: str) -> Json:
        """The value, None if there is none."""
        row = self.con.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set(self, key: str, value: Json) -> None:
        """Keep a value; None removes it."""
        self.con.execute("DELETE FROM meta WHERE key = ?", (key,))
        if value is not None:
            self.con.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (key, dump(value)))

    # --- jobs

    def lease(
        self, now: datetime, until: datetime, worker: str, *, kinds: Sequence[JobKind] | None = None
    ) -> Job | None:
        """Lease the next due job whose lane has no other unfinished job before it.

        A job that has used up its attempts without anybody left to say so (its process died each time) is dead.
        """
        while (job := queue.due(self.con, now, kinds)) is not None:
            if job.attempts < job.max_attempts:
                return queue.take(self.con, job, until, worker)
            self._settle(job, "dead", error=job.last_error or "The process doing this ended each time.")
        return None

    def renew(self, job_id: str, worker: str, until: datetime) -> bool:
        """Keep a lease; False if it is another's by now."""
        return queue.renew(self.con, job_id, worker, until)

    def fail(self, job_id: str, worker: str, error: str, run_at: datetime | None, now: datetime) -> bool:  # noqa: ARG002 - part of the contract
        """Back to ready at `run_at`, or dead if it is None; False if the lease is another's by now."""
        job = queue.held(self.con, job_id, worker)
        if job is None:
            return False
        self._settle(job, "dead" if run_at is None else "ready", error=error, run_at=run_at)
        return True

    def tell_waiting(self, kinds: Sequence[JobKind], by: datetime, what: Mapping[str, Json]) -> None:
        """Note it for everybody whose jobs of these kinds wait and carry no word of it yet; they do from now on."""
        for job in queue.untold(self.con, kinds, by):
            queue.settle(self.con, job, "ready", result={"told": True})
            SqliteTx(self.con, job.user_id, self.shared).record_job(job, "ready", **what, outcome="waiting")

    def revive(self, now: datetime) -> int:
        """Dead jobs get one more round of attempts; how many."""
        return queue.revive(self.con, now)

    def unfinished(self, now: datetime) -> int:
        """Jobs ready (due now) or leased."""
        return queue.unfinished(self.con, now)

    def release(self, worker: str, now: datetime) -> None:
        """Give back every lease of this worker, and those of processes of this machine that are gone."""
        queue.release(self.con, worker, now)

    def _settle(self, job: Job, state: str, *, error: str, run_at: datetime | None = None) -> None:
        queue.settle(self.con, job, state, run_at=run_at, error=error, result=job.result)
        outcome = "failed" if state == "dead" else "retrying"
        tx = SqliteTx(self.con, job.user_id, self.shared)
        tx.record_job(job, state, outcome=outcome, error=error[:500], attempts=job.attempts)

    # --- inbox and deliveries

    def inbox_put(self, provider: str, bot: str, update_id: int, lane: str, payload: str, now: datetime) -> bool:
        """Keep an update before it is confirmed; False if it is there already."""
        done = self.con.execute(
            "INSERT OR IGNORE INTO inbox (provider, bot, update_id, lane, payload, at) VALUES (?, ?, ?, ?, ?, ?)",
            (provider, bot, update_id, lane, payload, to_ms(now)),
        )
        return bool(done.rowcount)

    def inbox_open(self, provider: str, bot: str) -> list[tuple[int, str, str]]:
        """(update_id, lane, payload) not yet done, in order."""
        rows = self.con.execute(
            "SELECT update_id, lane, payload FROM inbox WHERE provider = ? AND bot = ? AND done_at IS NULL"
            " ORDER BY update_id",
            (provider, bot),
        )
        return [(r[0], r[1], r[2]) for r in rows.fetchall()]

    def inbox_done(self, provider: str, bot: str, update_id: int, now: datetime) -> None:
        """Done: the payload is blanked, the id stays."""
        self.con.execute(
            "UPDATE inbox SET payload = '', done_at = ? WHERE provider = ? AND bot = ? AND update_id = ?",
            (to_ms(now), provider, bot, update_id),
        )

    def delivered(self, provider: str, key: str, value: Json, now: datetime) -> None:
        """Remember where a turn's reply went, for exactly one reply per turn."""
        self.con.execute(
            "INSERT INTO deliveries (provider, key, value, at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (provider, key) DO UPDATE SET value = excluded.value, at = excluded.at",
            (provider, key, dump(value), to_ms(now)),
        )

    def prune(self, now: datetime) -> int:
        """Let go of updates dealt with and of replies long delivered; how many."""
        prune.touched(self.con)
        return prune.inbox(self.con, now) + prune.deliveries(self.con, now)

    def delivery(self, provider: str, key: str) -> Json:
        """What `delivered` was told, None if nothing."""
        row = self.con.execute(
            "SELECT value FROM deliveries WHERE provider = ? AND key = ?", (provider, key)
        ).fetchone()
        return None if row is None else json.loads(row[0])
