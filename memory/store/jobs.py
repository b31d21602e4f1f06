"""Background work as rows: serial lanes, leases, retries. One user's view, and the queue of all
users.

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
from memory.store.rows import AMONG, dump, from_ms, from_row, insert, to_column, to_ms
from memory.store.transaction import Gateway, Transaction, reserve_id

JOBS_KEPT: Final = timedelta(days=30)
RECEIPTS_KEPT: Final = 100  # of purges, however old: somebody may want to see them again
MOST: Final = 5_000  # rows of each sort at once, so that nobody waits long for the store
FARTHEST: Final = timedelta(days=3)  # nothing is put off for longer
_ERROR_LENGTH: Final = 500
_UNFINISHED: Final = "j.state IN ('ready', 'leased')"
# A lane's oldest unfinished job stands before the later ones, also while it backs off. Only a
# night's upkeep, put down for a later time, lets others through until then; and waits in its turn
# for one that runs.
_HEAD: Final = (
    "NOT EXISTS (SELECT 1 FROM jobs b WHERE b.lane = j.lane AND b.n <> j.n AND b.state IN ('ready', 'leased')"
    " AND (b.n < j.n OR (b.kind = 'upkeep' AND b.state = 'leased'))"
    " AND NOT (b.kind = 'upkeep' AND b.state = 'ready' AND b.run_at > j.run_at))"
)
_DUE_AT: Final = "CASE j.state WHEN 'ready' THEN j.run_at ELSE j.leased_until END"
_KINDS: Final = f"(? IS NULL OR j.kind {AMONG})"
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
        """Write a job; None if the user has one of this kind and key already, finished or not."""
        row: dict[str, Any] = {
            "id": reserve_id(self.tx.con),
            "user_id": self.owner,
            "kind": kind,
            "lane": lane or f"learn:{self.owner}",
            "dedup_key": dedup_key,
            "payload": dict(payload),
            "state": "ready",
            "run_at": run_at or now,
            "max_attempts": max_attempts,
        }
        return (
            Job(**row)
            if insert(self.tx.con, "jobs", row, "INSERT OR IGNORE").rowcount == 1
            else None
        )

    def enqueue_mirror_job(self, now: datetime) -> None:
        """Have MEMORY.md looked after, unless a job that has not begun yet will do it.

        Finished ones go.
        """
        mine = "FROM jobs WHERE user_id = ? AND kind = 'mirror' AND state"
        self._run(f"DELETE {mine} IN ('done', 'cancelled')", self.owner)
        if self._row(f"SELECT 1 {mine} = 'ready'", self.owner) is None:
            key, payload = reserve_id(self.tx.con), {"user_id": self.owner}
            self.enqueue("mirror", key, payload, now, lane=f"mirror:{self.owner}")

    def list_pending(self, kind: JobKind | None = None) -> list[Job]:
        """List jobs ready or leased, oldest first."""
        return self._some(f"{_UNFINISHED} AND (? IS NULL OR j.kind = ?)", kind, kind)

    def holds_lease(self, job: Job) -> bool:
        """Tell whether the job is still leased by `job.leased_by`."""
        return get_leased_job(self.tx.con, job.id, job.leased_by) is not None

    def reset_attempts(self, job: Job) -> None:
        """Forget earlier attempts: what ended them was not the job itself, for it gets ahead."""
        self._run("UPDATE jobs SET attempts = 1 WHERE id = ? AND attempts > 1", job.id)

    def list_dead(self) -> list[Job]:
        """List jobs given up on, oldest first."""
        return self._some("j.state = 'dead'")

    def list_latest(self, kind: JobKind, limit: int) -> list[Job]:
        """List jobs of a kind in any state, newest first."""
        newest = "SELECT * FROM jobs WHERE user_id = ? AND kind = ? ORDER BY n DESC LIMIT ?"
        return self._all(Job, newest, self.owner, kind, limit)

    def prune(self, now: datetime, most: int = MOST) -> int:
        """Let go of jobs long done or cancelled, but for receipts of purges; how many."""
        receipt = "kind = 'scrub' AND instr(payload, '\"places\"')"
        kept = f"SELECT n FROM jobs WHERE user_id = ? AND {receipt} ORDER BY n DESC LIMIT {RECEIPTS_KEPT}"
        return self._run(
            "DELETE FROM jobs WHERE n IN (SELECT n FROM jobs WHERE user_id = ? AND state IN ('done', 'cancelled')"
            f" AND run_at < ? AND NOT ({receipt} AND n IN ({kept})) ORDER BY n LIMIT ?)",
            *(self.owner, to_ms(now - JOBS_KEPT), self.owner, most),
        )

    def cancel(self, job_id: str) -> None:
        """Cancel an unfinished or dead job; one that is running loses its lease."""
        for job in self._some(f"j.id = ? AND ({_UNFINISHED} OR j.state = 'dead')", job_id):
            self._run(f"UPDATE jobs SET state = 'cancelled', {_FREE} WHERE id = ?", job.id)
            self.tx.record_job(job, "cancelled", outcome="cancelled")

    def _some(self, condition: str, *params: Any) -> list[Job]:
        return self._all(
            Job,
            f"SELECT j.* FROM jobs j WHERE j.user_id = ? AND {condition} ORDER BY j.n",
            self.owner,
            *params,
        )


# --- the queue of all users ---


def get_next_due_time(con: Any, kinds: Sequence[JobKind] | None) -> datetime | None:
    """Return when the next job may be leased, None if there is none to wait for."""
    wanted = None if kinds is None else dump(list(kinds))
    head = f"SELECT MIN({_DUE_AT}) FROM jobs j WHERE {_UNFINISHED} AND {_KINDS} AND {_HEAD}"
    (at,) = con.execute(head, (wanted, wanted)).fetchone()
    return None if at is None else from_ms(at)


def get_leased_job(con: Any, job_id: str, worker: str | None) -> Job | None:
    """Return the job, if this worker has its lease.

    One that ran out counts until somebody else takes it.
    """
    row = con.execute(f"SELECT * FROM jobs WHERE id = ? AND {_HELD}", (job_id, worker)).fetchone()
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
    con.execute(
        "UPDATE jobs SET state = ?, run_at = COALESCE(?, run_at), last_error = COALESCE(?, last_error), result = ?,"
        f" {_FREE} WHERE id = ?",
        (state, to_column(run_at), why, to_column(result), job.id),
    )


@dataclass(slots=True)
class JobQueue:
    """The part of `memory.ports.SystemTransaction` that is about jobs."""

    con: Any
    shared: Any

    def lease(
        self, now: datetime, until: datetime, worker: str, *, kinds: Sequence[JobKind] | None = None
    ) -> Job | None:
        """Lease the next due job whose lane has no other unfinished job before it.

        A job that has used up its attempts without anybody left to say so (its process died each
        time) is dead.
        """
        wanted = None if kinds is None else dump(list(kinds))
        first = (
            f"SELECT j.* FROM jobs j WHERE {_UNFINISHED} AND {_DUE_AT} <= ? AND {_KINDS} AND {_HEAD}"
            f" ORDER BY {_DUE_AT}, j.n LIMIT 1"
        )
        while (row := self.con.execute(first, (to_ms(now), wanted, wanted)).fetchone()) is not None:
            job = from_row(Job, row)
            if job.attempts < job.max_attempts:
                self.con.execute(
                    "UPDATE jobs SET state = 'leased', attempts = ?, leased_by = ?, leased_until = ? WHERE id = ?",
                    (job.attempts + 1, worker, to_ms(until), job.id),
                )
                return replace(
                    job,
                    state="leased",
                    attempts=job.attempts + 1,
                    leased_by=worker,
                    leased_until=until,
                )
            self._settle(
                job, "dead", error=job.last_error or "The process doing this ended each time."
            )
        return None

    def renew(self, job_id: str, worker: str, until: datetime) -> bool:
        """Keep a lease; False if it is another's by now."""
        keep = f"UPDATE jobs SET leased_until = ? WHERE id = ? AND {_HELD}"
        return bool(self.con.execute(keep, (to_ms(until), job_id, worker)).rowcount)

    def fail(
        self,
        job_id: str,
        worker: str,
        error: str,
        run_at: datetime | None,
        now: datetime,  # noqa: ARG002
    ) -> bool:
        """Put back to ready at `run_at`, or dead if it is None; False if the lease is another's by now."""
        job = get_leased_job(self.con, job_id, worker)
        if job is None:
            return False
        self._settle(job, "dead" if run_at is None else "ready", error=error, run_at=run_at)
        return True

    def tell_waiting(
        self, kinds: Sequence[JobKind], by: datetime, what: Mapping[str, Json]
    ) -> None:
        """Note it for everybody whose jobs of these kinds wait and carry no word of it yet; they do from now on."""
        untold = self.con.execute(
            "SELECT * FROM jobs WHERE n IN (SELECT MIN(n) FROM jobs WHERE state IN ('ready', 'leased')"
            f" AND kind {AMONG} GROUP BY user_id HAVING COUNT(result) = 0) AND state = 'ready' AND run_at <= ?",
            (dump(list(kinds)), to_ms(by)),
        )
        for job in [from_row(Job, r) for r in untold.fetchall()]:
            finish_job(self.con, job, "ready", result={"told": True})
            Transaction(self.con, job.user_id, self.shared).record_job(
                job, "ready", **what, outcome="waiting"
            )

    def revive(self, now: datetime) -> int:
        """Give dead jobs one more round of attempts; how many."""
        again = "UPDATE jobs SET state = 'ready', attempts = 0, run_at = ? WHERE state = 'dead'"
        return int(self.con.execute(again, (to_ms(now),)).rowcount)

    def unfinished(self, now: datetime) -> int:
        """Count jobs ready (due now) or leased."""
        count = (
            "SELECT COUNT(*) FROM jobs WHERE state = 'leased' OR (state = 'ready' AND run_at <= ?)"
        )
        return int(self.con.execute(count, (to_ms(now),)).fetchone()[0])

    def release(self, worker: str, now: datetime) -> None:
        """Give back this worker's leases, their attempt not counted, and those of processes that
        are gone.

        What a clock that was far ahead has put off or leased for years is due now.
        """
        con, due_now = self.con, f"state = 'ready', run_at = ?, {_FREE}"
        far = (to_ms(now), to_ms(now + FARTHEST))
        con.execute(f"UPDATE jobs AS j SET {due_now} WHERE {_UNFINISHED} AND {_DUE_AT} > ?", far)
        uncounted = "attempts = MAX(attempts - 1, 0)"
        con.execute(f"UPDATE jobs SET {due_now}, {uncounted} WHERE {_HELD}", (to_ms(now), worker))
        for (other,) in con.execute(
            "SELECT DISTINCT leased_by FROM jobs WHERE state = 'leased'"
        ).fetchall():
            if is_process_gone(other):
                con.execute(f"UPDATE jobs SET {due_now} WHERE {_HELD}", (to_ms(now), other))

    def _settle(self, job: Job, state: str, *, error: str, run_at: datetime | None = None) -> None:
        finish_job(self.con, job, state, run_at=run_at, error=error, result=job.result)
        outcome = "failed" if state == "dead" else "retrying"
        tx = Transaction(self.con, job.user_id, self.shared)
        tx.record_job(
            job, state, outcome=outcome, error=error[:_ERROR_LENGTH], attempts=job.attempts
        )
