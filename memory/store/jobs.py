"""Background work as rows: serial lanes, leases, retries. One user's view, and the queue of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from memory.models import Job, JobKind, Json
from memory.store import ids, prune
from memory.store.rows import dump, from_ms, job_from_row, opt_ms, to_ms
from memory.store.worker import is_gone

if TYPE_CHECKING:
    from memory.store.tx import SqliteTx

_UNFINISHED = "j.state IN ('ready', 'leased')"
# A lane's oldest unfinished job stands before the later ones, also while it backs off. Only a night's upkeep, put
# down for a later time, lets others through until then; and waits in its turn for one that runs.
_HEAD = (
    "NOT EXISTS (SELECT 1 FROM jobs b WHERE b.lane = j.lane AND b.n <> j.n AND b.state IN ('ready', 'leased')"
    " AND (b.n < j.n OR (b.kind = 'upkeep' AND b.state = 'leased'))"
    " AND NOT (b.kind = 'upkeep' AND b.state = 'ready' AND b.run_at > j.run_at))"
)
_DUE_AT = "CASE j.state WHEN 'ready' THEN j.run_at ELSE j.leased_until END"
_KINDS = "(? IS NULL OR j.kind IN (SELECT value FROM json_each(?)))"
_ERROR_LENGTH = 500
FARTHEST = timedelta(days=3)  # nothing is put off for longer


@dataclass(slots=True)
class JobGateway:
    """`memory.ports.JobTable`."""

    tx: SqliteTx

    def enqueue(
        self,
        kind: JobKind,
        dedup_key: str,
        payload: Mapping[str, Json],
        now: datetime,
        *,
        lane: str | None = None,
        run_at: datetime | None = None,
        max_attempts: int = 20,
    ) -> Job | None:
        """None if the user has a job of this kind and key already, finished or not."""
        job = Job(
            id=ids.new_id(self.tx.con),
            user_id=self.tx.owner,
            kind=kind,
            lane=lane or f"learn:{self.tx.owner}",
            dedup_key=dedup_key,
            payload=dict(payload),
            state="ready",
            run_at=run_at or now,
            max_attempts=max_attempts,
        )
        done = self.tx.con.execute(
            "INSERT OR IGNORE INTO jobs (id, user_id, kind, lane, dedup_key, payload, state, run_at, max_attempts)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                job.id,
                job.user_id,
                kind,
                job.lane,
                dedup_key,
                dump(dict(payload)),
                job.state,
                to_ms(job.run_at),
                max_attempts,
            ),
        )
        return job if done.rowcount == 1 else None

    def mirror(self, now: datetime) -> None:
        """Have MEMORY.md looked after, unless a job that has not begun yet will do it. Finished ones go."""
        gone = "state IN ('done', 'cancelled')"
        self.tx.con.execute(f"DELETE FROM jobs WHERE user_id = ? AND kind = 'mirror' AND {gone}", (self.tx.owner,))
        waiting = "SELECT 1 FROM jobs WHERE user_id = ? AND kind = 'mirror' AND state = 'ready'"
        if self.tx.con.execute(waiting, (self.tx.owner,)).fetchone() is None:
            payload = {"user_id": self.tx.owner}
            self.enqueue("mirror", ids.new_id(self.tx.con), payload, now, lane=f"mirror:{self.tx.owner}")

    def pending(self, kind: JobKind | None = None) -> list[Job]:
        """Ready or leased, oldest first."""
        return self._some(f"{_UNFINISHED} AND (? IS NULL OR j.kind = ?)", kind, kind)

    def holds(self, job: Job) -> bool:
        """Whether the job is still leased by `job.leased_by`."""
        return held(self.tx.con, job.id, job.leased_by) is not None

    def progressed(self, job: Job) -> None:
        """The job gets ahead: what ended its earlier attempts was not the job itself, so they count no more."""
        self.tx.con.execute("UPDATE jobs SET attempts = 1 WHERE id = ? AND attempts > 1", (job.id,))

    def dead(self) -> list[Job]:
        """Given up on, oldest first."""
        return self._some("j.state = 'dead'")

    def latest(self, kind: JobKind, limit: int) -> list[Job]:
        """Jobs of a kind in any state, newest first."""
        rows = self.tx.con.execute(
            "SELECT * FROM jobs WHERE user_id = ? AND kind = ? ORDER BY n DESC LIMIT ?", (self.tx.owner, kind, limit)
        )
        return [job_from_row(r) for r in rows.fetchall()]

    def prune(self, now: datetime) -> int:
        """Let go of jobs that have long been done; how many."""
        return prune.jobs(self.tx.con, self.tx.owner, now)

    def cancel(self, job_id: str) -> None:
        """An unfinished or dead job will not run; one that is running loses its lease."""
        for job in self._some(f"j.id = ? AND ({_UNFINISHED} OR j.state = 'dead')", job_id):
            self.tx.con.execute(
                "UPDATE jobs SET state = 'cancelled', leased_by = NULL, leased_until = NULL WHERE id = ?", (job.id,)
            )
            self.tx.record_job(job, "cancelled", outcome="cancelled")

    def _some(self, condition: str, *params: Any) -> list[Job]:
        rows = self.tx.con.execute(
            f"SELECT j.* FROM jobs j WHERE j.user_id = ? AND {condition} ORDER BY j.n", (self.tx.owner, *params)
        )
        return [job_from_row(r) for r in rows.fetchall()]


# --- the queue of all users -----------------------------------------------------------------------------


def due(con: Any, now: datetime, kinds: Sequence[JobKind] | None) -> Job | None:
    """The next job that may be leased: due, or its lease run out; the longest due first."""
    wanted = None if kinds is None else dump(list(kinds))
    row = con.execute(
        f"SELECT j.* FROM jobs j WHERE {_UNFINISHED} AND {_DUE_AT} <= ? AND {_KINDS} AND {_HEAD}"
        f" ORDER BY {_DUE_AT}, j.n LIMIT 1",
        (to_ms(now), wanted, wanted),
    ).fetchone()
    return None if row is None else job_from_row(row)


def next_due(con: Any, kinds: Sequence[JobKind] | None) -> datetime | None:
    """When the next job may be leased, None if there is none to wait for."""
    wanted = None if kinds is None else dump(list(kinds))
    row = con.execute(
        f"SELECT MIN({_DUE_AT}) FROM jobs j WHERE {_UNFINISHED} AND {_KINDS} AND {_HEAD}", (wanted, wanted)
    ).fetchone()
    return None if row[0] is None else from_ms(row[0])


def take(con: Any, job: Job, until: datetime, worker: str) -> Job:
    """Write the lease."""
    taken = replace(job, state="leased", attempts=job.attempts + 1, leased_by=worker, leased_until=until)
    con.execute(
        "UPDATE jobs SET state = 'leased', attempts = ?, leased_by = ?, leased_until = ? WHERE id = ?",
        (taken.attempts, worker, to_ms(until), job.id),
    )
    return taken


def held(con: Any, job_id: str, worker: str | None) -> Job | None:
    """The job, if this worker has its lease. A lease that ran out counts until somebody else takes it."""
    row = con.execute(
        "SELECT * FROM jobs WHERE id = ? AND state = 'leased' AND leased_by = ?", (job_id, worker)
    ).fetchone()
    return None if row is None else job_from_row(row)


def settle(
    con: Any,
    job: Job,
    state: str,
    *,
    run_at: datetime | None = None,
    error: str | None = None,
    result: Mapping[str, Json] | None = None,
) -> None:
    """Take the lease off and write what became of the job."""
    con.execute(
        "UPDATE jobs SET state = ?, run_at = COALESCE(?, run_at), last_error = COALESCE(?, last_error), result = ?,"
        " leased_by = NULL, leased_until = NULL WHERE id = ?",
        (
            state,
            opt_ms(run_at),
            None if error is None else error[:_ERROR_LENGTH],
            None if result is None else dump(dict(result)),
            job.id,
        ),
    )


def untold(con: Any, kinds: Sequence[JobKind], by: datetime) -> list[Job]:
    """The oldest job due by then of everybody whose waiting jobs of these kinds have no result noted."""
    rows = con.execute(
        "SELECT * FROM jobs WHERE n IN (SELECT MIN(n) FROM jobs WHERE state IN ('ready', 'leased') AND kind IN"
        " (SELECT value FROM json_each(?)) GROUP BY user_id HAVING COUNT(result) = 0) AND state = 'ready'"
        " AND run_at <= ?",
        (dump(list(kinds)), to_ms(by)),
    )
    return [job_from_row(r) for r in rows.fetchall()]


def renew(con: Any, job_id: str, worker: str, until: datetime) -> bool:
    """Keep the lease; False if it is another's by now."""
    done = con.execute(
        "UPDATE jobs SET leased_until = ? WHERE id = ? AND state = 'leased' AND leased_by = ?",
        (to_ms(until), job_id, worker),
    )
    return bool(done.rowcount)


def release(con: Any, worker: str, now: datetime) -> int:
    """Give back this worker's leases, their attempt not counted, and those of processes that are gone.

    What a clock that was far ahead has put off or leased for years is due now.
    """
    due_now = "state = 'ready', run_at = ?, leased_by = NULL, leased_until = NULL"
    far = (to_ms(now), to_ms(now + FARTHEST))
    con.execute(f"UPDATE jobs AS j SET {due_now} WHERE {_UNFINISHED} AND {_DUE_AT} > ?", far)
    own = con.execute(
        "UPDATE jobs SET state = 'ready', run_at = ?, attempts = MAX(attempts - 1, 0), leased_by = NULL,"
        " leased_until = NULL WHERE state = 'leased' AND leased_by = ?",
        (to_ms(now), worker),
    ).rowcount
    others = con.execute("SELECT DISTINCT leased_by FROM jobs WHERE state = 'leased'").fetchall()
    for (other,) in others:
        if is_gone(other):
            own += con.execute(
                "UPDATE jobs SET state = 'ready', run_at = ?, leased_by = NULL, leased_until = NULL"
                " WHERE state = 'leased' AND leased_by = ?",
                (to_ms(now), other),
            ).rowcount
    return int(own)


def revive(con: Any, now: datetime) -> int:
    """Dead jobs get one more round of attempts."""
    done = con.execute(
        "UPDATE jobs SET state = 'ready', attempts = 0, run_at = ? WHERE state = 'dead'", (to_ms(now),)
    )
    return int(done.rowcount)


def unfinished(con: Any, now: datetime) -> int:
    """Jobs ready and due, or leased."""
    row = con.execute(
        "SELECT COUNT(*) FROM jobs j WHERE j.state = 'leased' OR (j.state = 'ready' AND j.run_at <= ?)",
        (to_ms(now),),
    ).fetchone()
    return int(row[0])
