"""EBB_CURVE was set anew: every memory is moved to the new curve, its weight and its level kept (DESIGN §4).

A job, so that nobody waits for it: until a memory's turn comes it goes on fading by the curve it lives under.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory import lifecycle
from memory.errors import Conflict
from memory.jobs import Effect
from memory.models import Job, State
from memory.ports import Store, Tx

BATCH: Final = 500  # memories in one write
EVENT: Final = "adopted"
_SETTING: Final = "curve"  # what every memory of this store lives under, or is being moved to


async def plan(store: Store, curve: str, now: datetime) -> None:
    """Have every user's memories moved if the setting is not what it was at the last start. Quick if it is."""
    was = await store.system(lambda s: s.get(_SETTING)) or "fade"
    if was != curve:
        for user_id in await store.system(lambda s: s.users()):
            await store.write(user_id, lambda tx: _enqueue(tx, str(was), curve, now))
    await store.system(lambda s: s.set(_SETTING, curve))


def _enqueue(tx: Tx, was: str, curve: str, now: datetime) -> None:
    begun = round(now.timestamp() * 1000)
    for waiting in tx.jobs.pending("curve"):
        tx.jobs.cancel(waiting.id)  # set anew before it was done; a run that is under way notices and gives up
    payload = {"curve": curve, "was": was, "since": begun}
    tx.jobs.enqueue("curve", f"{curve}:{begun}", payload, now, lane=f"curve:{tx.user_id}")


@dataclass(frozen=True, slots=True)
class Switcher:
    """Moves memories, some at a time. What is done stays done, so it goes on wherever it was interrupted."""

    store: Store
    u: float

    async def run(self, job: Job, now: datetime) -> Effect:
        """Payload {"curve", "was", "since"}; result {"outcome", "curve", "was", "moved", "fainter"}.

        `fainter`: memories weaker than the new curve keeps, which the next night will forget (restorable).
        Raises Conflict if the job is not this worker's any more.
        """
        curve = str(job.payload["curve"])
        while await self.store.write(job.user_id, lambda tx: self._some(tx, job, curve, now)):
            pass
        return lambda tx: {
            "outcome": "saved",
            "curve": curve,
            "was": job.payload["was"],
            "moved": tx.lives.logged(EVENT, lifecycle.from_ms(int(job.payload["since"]))),
            "fainter": sum(self._below(tx, curve, now)),
        }

    def _some(self, tx: Tx, job: Job, curve: str, now: datetime) -> int:
        if not tx.jobs.holds(job):
            raise Conflict("another process moves the memories by now")
        found = tx.lives.of_other_curves(curve, BATCH)
        for m in found:
            after = lifecycle.adopted(m, curve, self.u, now)
            tx.lives.move(after, lifecycle.logged(EVENT, m, after, self.u, now, f"{m.curve} → {curve}"))
        return len(found)

    def _below(self, tx: Tx, curve: str, now: datetime) -> list[bool]:
        limit = lifecycle.CURVES[curve].forgets_below
        if limit is None:
            return []
        ids = [o.id for o in tx.memories.outlines() if o.state == State.ACTIVE and o.weight < limit]
        verdicts = (lifecycle.verdict(m, self.u, now) for m in tx.memories.many(ids))
        return [isinstance(v, lifecycle.Forget) for v in verdicts]
