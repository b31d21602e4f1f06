"""One run of upkeep: what it works with, how far it is, and the one way it writes.

Every write is a bounded batch that carries its own progress: effects, counts and the mark of how far the night
is stand in one transaction, guarded by the job's lease. Whoever is killed between two of them leaves whole
memories, and the next attempt goes on where the last one stopped.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeVar

from memory import lifecycle
from memory.errors import Conflict
from memory.learn.answer import Tools
from memory.models import Job, Json, Lang, Level, Memory, MemoryId, Night, Op, Outline
from memory.ports import Tx
from memory.upkeep.weights import Weighed, weigh

T = TypeVar("T")
BATCH: Final = 100  # memories rewritten in one transaction
TRIES: Final = 3  # nights on which a model may fail at one memory, before rules take over

PHASES: Final[Mapping[str, float]] = {
    "weights": 0.15,
    "levels": 0.2,
    "purge": 0.1,
    "rewrite": 0.2,
    "review": 0.1,
    "merge": 0.1,
    "clash": 0.05,
    "derive": 0.05,
    "report": 0.05,
}
"""The phases in their order, each with its share of a night, for showing how far it is."""


@dataclass(frozen=True, slots=True)
class Since:
    """What the last report left: when it was, and what this night has to know of it."""

    at: datetime | None
    night: str | None
    carry: Mapping[str, Json]


class Tally:
    """Counts and notes of one night, as the report will hold them."""

    def __init__(self, data: Mapping[str, Json]) -> None:
        self.data: dict[str, Json] = copy.deepcopy(dict(data))

    def count(self, name: str, by: int = 1) -> None:
        """One more of something."""
        counts = self.data.setdefault("counts", {})
        counts[name] = int(counts.get(name, 0)) + by

    def carry(self, what: str, memory_id: MemoryId) -> int:
        """A model failed at this memory once more; on how many nights so far."""
        failed = self.data.setdefault("carry", {}).setdefault(what, {})
        failed[memory_id] = int(failed.get(memory_id, 0)) + 1
        return int(failed[memory_id])

    def drop(self, what: str, memory_id: MemoryId) -> None:
        """No need to carry it on."""
        self.data.get("carry", {}).get(what, {}).pop(memory_id, None)

    def note(self, what: str, value: Json) -> None:
        """Append to a list of the report."""
        self.data.setdefault(what, []).append(value)


@dataclass(slots=True)
class Run:
    """A night at work. `rows` and `seen` are the store as it was looked over; every write looks again."""

    tools: Tools
    job: Job
    now: datetime
    night: str
    nights: tuple[datetime, ...]  # due times since the last run, this one's last
    since: Since
    data: dict[str, Json]
    erase_old: bool = False
    believed: bool = True  # the clock: if not, only what a later night takes back by itself is done
    rows: list[Outline] = field(default_factory=list)
    seen: Weighed | None = None
    moved: bool = False  # whether this run has written more than figures since it looked

    @property
    def user_id(self) -> str:
        """Whose night it is."""
        return self.job.user_id

    async def look(self) -> None:
        """Read the whole store in outline, and weigh it."""
        self.rows = await self.tools.store.read(self.user_id, lambda tx: tx.memories.outlines())
        self.seen = await asyncio.to_thread(weigh, self.rows, self.tools.u, self.now)
        self.moved = False

    async def write(self, fn: Callable[[Tx, Tally], T], *, share: float | None = None, moves: bool = True) -> T:
        """One batch. `share`: how much of the phase is done after it; `moves`: whether memories may have changed.

        A batch that is done is done for good, so a run that is killed ever again still comes to its end.

        Raises Conflict if the lease was lost.
        """
        told = Tally(self.data)

        def work(tx: Tx) -> T:
            if not tx.jobs.holds(self.job):
                raise Conflict("upkeep is another process's by now")
            result = fn(tx, told)
            if share is not None:
                told.data["share"] = self._share(share)
                tx.jobs.progressed(self.job)
            tx.nights.put(Night(self.job.id, self.night, self.now, done=False, data=told.data))
            return result

        result = await self.tools.store.write(self.user_id, work)
        self.data = told.data
        self.moved = self.moved or moves
        return result

    async def enter(self, phase: str) -> bool:
        """Begin a phase; False if an earlier attempt has finished it."""
        if phase in self.data.get("phases", []):
            return False
        await self.write(
            lambda _tx, tally: tally.data.update(phase=phase, share=self._share(0.0, phase)), moves=False
        )
        return True

    async def leave(self, phase: str) -> None:
        """The phase is finished, and will not be begun again tonight."""

        def done(_tx: Tx, tally: Tally) -> None:
            tally.note("phases", phase)

        await self.write(done, share=1.0, moves=False)

    def _share(self, of_phase: float, phase: str | None = None) -> float:
        phase = phase or str(self.data.get("phase", ""))
        before = 0.0
        for name, part in PHASES.items():
            if name == phase:
                return round(min(1.0, before + part * of_phase), 3)
            before += part
        return round(before, 3)

    # --- what phases share

    def relevel(self, tx: Tx, m: Memory, level: Level, content: str, reason: str = "") -> Memory:
        """Level, content, weight and log row of one memory, as a change set of its own, so that it can be undone."""
        new = replace(m, level=level, content=content)
        return self.change(tx, m, new, "levelled", "level", reason or _step(m.level, level))

    def change(self, tx: Tx, m: Memory, new: Memory, op: Op, event: str, reason: str) -> Memory:
        """Write `new` over `m` with its weight and its line in the log."""
        u = self.tools.u
        tx.changes.begin("system", "upkeep", self.now, job_id=self.job.id)
        stored = tx.memories.put(replace(new, weight=lifecycle.weight(new, u, self.now)), op)
        tx.memories.log(lifecycle.logged(event, m, stored, u, self.now, reason))
        return stored


def _step(old: Level, new: Level) -> str:
    return f"{old.name.lower()} → {new.name.lower()}"


def batches(items: Sequence[T], size: int = BATCH) -> list[Sequence[T]]:
    """The items in portions."""
    return [items[i : i + size] for i in range(0, len(items), size)]


def by_language(memories: Sequence[Memory]) -> dict[Lang, list[Memory]]:
    """A prompt is in one language."""
    out: dict[Lang, list[Memory]] = {}
    for m in memories:
        out.setdefault(m.language, []).append(m)
    return out
