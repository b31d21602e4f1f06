"""Background work as rows: serial lanes, leases, retries; of one user, and of all.

What is over goes, bounded and oldest first. Exactly once rests on what is kept: a job's key for as
long as anything may ask for it again, an update's id for longer than a messenger offers it again, a
reply's messages for longer than what was said can still be edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory.models import Job, JobKind, Json
from memory.store.processes import is_process_gone
from memory.store.rows import AMONG, from_ms, from_row, list_values, run
from memory.store.transaction import Gateway, StoreContext, Transaction

JOBS_KEPT: Final = timedelta(days=30)
RECEIPTS_KEPT: Final = 100  # of purges, however old: somebody may want to see them again
MOST: Final = 5_000  # rows of each sort at once, so that nobody waits long for the store
FARTHEST: Final = timedelta(days=3)  # nothing is put off for longer
_ERROR_LENGTH: Final = 500
_UNFINISHED: Final = "state IN ('ready', 'leased')"
# A lane's oldest unfinished job stands before the later ones, also while it backs off. Only a
# night's upkeep, put down for a later time, lets others through until then; and waits in its turn
# for one that runs.
_HEAD: Final = (
    "NOT EXISTS (SELECT 1 FROM jobs b WHERE b.lane = j.lane AND b.n <> j.n AND b.state IN"
    " ('ready', 'leased')"
    " AND (b.n < j.n OR (b.kind = 'upkeep' AND b.state = 'leased'))"
    " AND NOT (b.kind = 'upkeep' AND b.state = 'ready' AND b.run_at > j.run_at))"
)
_DUE_AT: Final = "CASE j.state WHEN 'ready' THEN j.run_at ELSE j.leased_until END"
_LEASABLE: Final = f"jobs j WHERE j.{_UNFINISHED} AND (? IS NULL OR j.kind {AMONG}) AND {_HEAD}"
_FREE: Final = "leased_by = NULL, leased_until = NULL"
_HELD: Final = "state = 'leased' AND leased_by = ?"


@dataclass(slots=True)
class JobGateway(Gateway):
    """`memory.ports.JobTable`."""

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
        row: dict[str, Any] = {
            "id": self.tx.new_id(),
            "kind": kind,
            "lane": lane or f"learn:{self.owner}",
            "dedup_key": dedup_key,
            "payload": dict(payload),
            "state": "ready",
            "run_at": run_at or now,
            "max_attempts": max_attempts,
        }
        there = self._insert("jobs", row, "INSERT OR IGNORE").rowcount
        return Job(user_id=self.owner, **row) if there else None

    def enqueue_mirror_job(self, now: datetime) -> None:
        mine = "FROM jobs WHERE user_id = ? AND kind = 'mirror' AND state"
        self._run(f"DELETE {mine} IN ('done', 'cancelled')", self.owner)
        if self._row(f"SELECT 1 {mine} = 'ready'", self.owner) is None:
            payload, lane = {"user_id": self.owner}, f"mirror:{self.owner}"
            self.enqueue("mirror", self.tx.new_id(), payload, now, lane=lane)

    def list_pending(self, kind: JobKind | None = None) -> list[Job]:
        return self._own(Job, f"{_UNFINISHED} AND (? IS NULL OR kind = ?) ORDER BY n", kind, kind)

    def holds_lease(self, job: Job) -> bool:
        return get_leased_job(self.con, job.id, job.leased_by) is not None

    def reset_attempts(self, job: Job) -> None:
        self._run("UPDATE jobs SET attempts = 1 WHERE id = ? AND attempts > 1", job.id)

    def list_dead(self) -> list[Job]:
        return self._own(Job, "state = 'dead' ORDER BY n")

    def list_latest(self, kind: JobKind, limit: int) -> list[Job]:
        return self._own(Job, "kind = ? ORDER BY n DESC LIMIT ?", kind, limit)

    def prune(self, now: datetime, most: int = MOST) -> int:
        receipt = "kind = 'scrub' AND instr(payload, '\"places\"')"
        kept = (
            f"SELECT n FROM jobs WHERE user_id = ? AND {receipt} ORDER BY n DESC LIMIT"
            f" {RECEIPTS_KEPT}"
        )
        return self._run(
            "DELETE FROM jobs WHERE n IN (SELECT n FROM jobs WHERE user_id = ? AND state"
            " IN ('done', 'cancelled')"
            f" AND run_at < ? AND NOT ({receipt} AND n IN ({kept})) ORDER BY n LIMIT ?)",
            *(self.owner, now - JOBS_KEPT, self.owner, most),
        )

    def cancel(self, job_id: str) -> None:
        for job in self._own(Job, f"id = ? AND ({_UNFINISHED} OR state = 'dead')", job_id):
            self._run(f"UPDATE jobs SET state = 'cancelled', {_FREE} WHERE id = ?", job.id)
            self.tx.record_job(job, "cancelled", outcome="cancelled")


# --- the queue of all users ---


def get_next_due_time(con: Any, kinds: Sequence[JobKind] | None) -> datetime | None:
    """Return when the next job may be leased, None if there is none to wait for."""
    (at,) = run(con, f"SELECT MIN({_DUE_AT}) FROM {_LEASABLE}", kinds, kinds).fetchone()
    return None if at is None else from_ms(at)


def get_leased_job(con: Any, job_id: str, worker: str | None) -> Job | None:
    """Return the job, if this worker has its lease.

    One that ran out counts until somebody else takes it.
    """
    row = run(con, f"SELECT * FROM jobs WHERE id = ? AND {_HELD}", job_id, worker).fetchone()
    return None if row is None else from_row(Job, row)


def finish_job(
    con: Any,
    job: Job,
    state: str,
    *,
    run_at: datetime | None = None,
    error: str | None = None,
    result: Mapping[str, Json] | None = None,
) -> None:
    """Take the lease off and write what became of the job."""
    why = None if error is None else error[:_ERROR_LENGTH]
    run(
        con,
        "UPDATE jobs SET state = ?, run_at = COALESCE(?, run_at), last_error ="
        " COALESCE(?, last_error), result = ?,"
        f" {_FREE} WHERE id = ?",
        *(state, run_at, why, result, job.id),
    )


@dataclass(slots=True)
class JobQueue:
    """The part of `memory.ports.SystemTransaction` that is about jobs."""

    con: Any
    shared: StoreContext

    def lease(
        self, now: datetime, until: datetime, worker: str, *, kinds: Sequence[JobKind] | None = None
    ) -> Job | None:
        first = f"SELECT j.* FROM {_LEASABLE} AND {_DUE_AT} <= ? ORDER BY {_DUE_AT}, j.n LIMIT 1"
        while (row := run(self.con, first, kinds, kinds, now).fetchone()) is not None:
            job = from_row(Job, row)
            if job.attempts < job.max_attempts:
                job = replace(
                    job,
                    state="leased",
                    attempts=job.attempts + 1,
                    leased_by=worker,
                    leased_until=until,
                )
                leased = (
                    "UPDATE jobs SET state = 'leased', attempts = ?, leased_by = ?,"
                    " leased_until = ? WHERE id = ?"
                )
                run(self.con, leased, job.attempts, worker, until, job.id)
                return job
            # Its attempts are used up, and nobody was left to say so: its process died each time.
            error = job.last_error or "The process doing this ended each time."
            self._settle(job, "dead", error=error)
        return None

    def renew(self, job_id: str, worker: str, until: datetime) -> bool:
        keep = f"UPDATE jobs SET leased_until = ? WHERE id = ? AND {_HELD}"
        return bool(run(self.con, keep, until, job_id, worker).rowcount)

    def fail(self, job_id: str, worker: str, error: str, run_at: datetime | None) -> bool:
        job = get_leased_job(self.con, job_id, worker)
        if job is not None:
            self._settle(job, "dead" if run_at is None else "ready", error=error, run_at=run_at)
        return job is not None

    def tell_waiting(
        self, kinds: Sequence[JobKind], by: datetime, what: Mapping[str, Json]
    ) -> None:
        untold = run(
            self.con,
            f"SELECT * FROM jobs WHERE n IN (SELECT MIN(n) FROM jobs WHERE {_UNFINISHED}"
            f" AND kind {AMONG} GROUP BY user_id HAVING COUNT(result) = 0) AND state ="
            " 'ready' AND run_at <= ?",
            *(kinds, by),
        )
        for job in [from_row(Job, r) for r in untold.fetchall()]:
            finish_job(self.con, job, "ready", result={"told": True})
            self._of(job).record_job(job, "ready", **what, outcome="waiting")

    def unfinished(self, now: datetime) -> int:
        count = (
            "SELECT COUNT(*) FROM jobs WHERE state = 'leased' OR state = 'ready' AND run_at <= ?"
        )
        return int(run(self.con, count, now).fetchone()[0])

    def release(self, worker: str, now: datetime, *, revive: bool = False) -> None:
        free = f"UPDATE jobs AS j SET state = 'ready', run_at = ?, {_FREE}"
        # What a clock that was far ahead has put off or leased for years is due now.
        run(self.con, f"{free} WHERE {_UNFINISHED} AND {_DUE_AT} > ?", now, now + FARTHEST)
        uncounted = "attempts = MAX(attempts - 1, 0)"
        run(self.con, f"{free}, {uncounted} WHERE {_HELD}", now, worker)
        for other in list_values(
            self.con, "SELECT DISTINCT leased_by FROM jobs WHERE state = 'leased'"
        ):
            if is_process_gone(other):
                run(self.con, f"{free} WHERE {_HELD}", now, other)

        if revive:
            again = "UPDATE jobs SET state = 'ready', attempts = 0, run_at = ? WHERE state = 'dead'"
            run(self.con, again, now)

    def _of(self, job: Job) -> Transaction:
        return Transaction(self.con, job.user_id, self.shared)

    def _settle(self, job: Job, state: str, *, error: str, run_at: datetime | None = None) -> None:
        finish_job(self.con, job, state, run_at=run_at, error=error, result=job.result)
        outcome = "failed" if state == "dead" else "retrying"
        said = {"outcome": outcome, "error": error[:_ERROR_LENGTH], "attempts": job.attempts}
        self._of(job).record_job(job, state, **said)
