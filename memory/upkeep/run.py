"""One run of upkeep: the store as it was looked over, how far the night is, and the one way it
writes.

Every write is a bounded batch that carries its own progress: effects, counts and the mark of how
far the night is stand in one transaction, guarded by the job's lease. Whoever is killed between two
of them leaves whole memories, and the next attempt goes on where the last one stopped.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from memory import lifecycle
from memory.errors import Conflict
from memory.learn.answer import LearningTools
from memory.models import (
    CurveState,
    Job,
    Json,
    Kind,
    Lang,
    Layer,
    Level,
    Memory,
    MemoryId,
    MemoryOutline,
    Op,
    Sensitivity,
    UpkeepNight,
)
from memory.ports import Transaction

T = TypeVar("T")
_DATES: Final = ("expires_at", "negated_at", "reviewed_at", "on", "on_until")
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


class WeightColumns(NamedTuple):
    """A memory in outline, and what its curve says of it at one moment."""

    row: MemoryOutline
    weight: float
    level: Level
    forgets: bool  # its curve lets go of it here
    review: Literal["promotion", "decay"] | None


def weigh(rows: Sequence[MemoryOutline], u: float, now: datetime) -> list[WeightColumns]:
    """Weigh memories in any state at `now`; what is found to need something is judged again before it is written."""
    out = []
    for row in rows:
        m, below = _bare(row), lifecycle.CURVES[row.curve].forgets_below
        weight = lifecycle.compute_weight(m, u, now)
        forgets = (
            below is not None
            and weight < below
            and not (lifecycle.is_spared(m) or lifecycle.is_episode(m))
        )
        out.append(
            WeightColumns(
                row,
                weight,
                lifecycle.level_for_weight(m, weight, now),
                forgets,
                lifecycle.review_due(m, u, now),
            )
        )
    return out


def _bare(r: MemoryOutline) -> Memory:
    """Return the memory without its words."""
    at = lifecycle.from_ms
    dates: dict[str, Any] = {
        name: None if (ms := getattr(r, name)) is None else at(ms) for name in _DATES
    }
    data = {} if r.curve_data == "{}" else json.loads(r.curve_data)
    return Memory(
        id=r.id,
        user_id="",
        content="",
        original_content="",
        language="en",
        layer=Layer(r.layer),
        kind=Kind(r.kind),
        created_at=at(r.created_at),
        last_activated_at=at(r.last_activated_at),
        curve=r.curve,
        curve_state=CurveState(r.strength, at(r.strength_at), data),
        importance=r.importance,
        importance_at=at(r.importance_at),
        level=Level(r.level),
        activation_count=r.activation_count,
        recent_mentions=()
        if r.recent_mentions == "[]"
        else tuple(map(at, json.loads(r.recent_mentions))),
        sensitivity=Sensitivity(r.sensitivity),
        pinned=bool(r.pinned),
        verified=bool(r.verified),
        close=bool(r.close),
        repeats=r.repeats,
        **dates,
    )


@dataclass(frozen=True, slots=True)
class SinceLastReport:
    """What the last report left: when it was, and what this night has to know of it."""

    at: datetime | None
    night: str | None
    carry: Mapping[str, Json]


class NightCounts:
    """Counts and notes of one night, as the report will hold them."""

    def __init__(self, data: Mapping[str, Json]) -> None:
        self.data: dict[str, Json] = copy.deepcopy(dict(data))

    def count(self, name: str, by: int = 1) -> None:
        """One more of something."""
        counts = self.data.setdefault("counts", {})
        counts[name] = int(counts.get(name, 0)) + by

    def carry(self, what: str, memory_id: MemoryId) -> int:
        """Note that a model failed at this memory once more. Returns on how many nights so far."""
        failed = self.data.setdefault("carry", {}).setdefault(what, {})
        failed[memory_id] = int(failed.get(memory_id, 0)) + 1
        return int(failed[memory_id])

    def drop(self, what: str, memory_id: MemoryId) -> None:
        """No need to carry it on."""
        self.data.get("carry", {}).get(what, {}).pop(memory_id, None)

    def note(self, what: str, value: Json) -> None:
        """Append to a list of the report."""
        self.data.setdefault(what, []).append(value)


Work: TypeAlias = Callable[[Transaction, NightCounts], object]


@dataclass(slots=True)
class UpkeepRun:
    """A night at work. `rows` are the store as it was looked over; every write looks again."""

    tools: LearningTools
    job: Job
    now: datetime
    night: str
    nights: tuple[datetime, ...]  # due times since the last run, this one's last
    since: SinceLastReport
    data: dict[str, Json]
    erase_old: bool = False
    believed: bool = True  # the clock: if not, only what a later night takes back by itself is done
    rows: list[WeightColumns] = field(default_factory=list)
    moved: bool = False  # whether this run has written more than figures since it looked

    @property
    def user_id(self) -> str:
        """Whose night it is."""
        return self.job.user_id

    async def look(self) -> None:
        """Read the whole store in outline, and weigh it."""
        rows = await self.tools.store.read(self.user_id, lambda tx: tx.memories.list_outlines())
        self.rows = await asyncio.to_thread(weigh, rows, self.tools.u, self.now)
        self.moved = False

    async def write(
        self,
        fn: Callable[[Transaction, NightCounts], T],
        *,
        share: float | None = None,
        moves: bool = True,
    ) -> T:
        """One batch. `share`: how much of the phase is done after it; `moves`: whether memories may
        have changed.

        A batch that is done is done for good, so a run that is killed ever again still comes to its
        end.

        Raises Conflict if the lease was lost.
        """
        told = NightCounts(self.data)

        def work(tx: Transaction) -> T:
            if not tx.jobs.holds_lease(self.job):
                raise Conflict("upkeep is another process's by now")
            result = fn(tx, told)
            if share is not None:
                told.data["share"] = self._share(share)
                tx.jobs.reset_attempts(self.job)
            tx.nights.put(
                UpkeepNight(self.job.id, self.night, self.now, done=False, data=told.data)
            )
            return result

        result = await self.tools.store.write(self.user_id, work)
        self.data = told.data
        self.moved = self.moved or moves
        return result

    async def write_each(
        self,
        items: Sequence[T],
        write: Callable[[UpkeepRun, Transaction, NightCounts, T], object],
        *,
        moves: bool = True,
    ) -> None:
        """Write one item after another, and how much of the phase is done by then."""
        for i, item in enumerate(items, start=1):
            await self.write(
                lambda tx, tally, item=item: write(self, tx, tally, item),  # type: ignore[misc]
                share=i / len(items),
                moves=moves,
            )

    async def work_each(
        self, items: Sequence[T], prepare: Callable[[UpkeepRun, T], Awaitable[Work | None]]
    ) -> None:
        """The same for items that need a model first: `prepare` returns what is then to be written, if anything."""
        for i, item in enumerate(items, start=1):
            if (work := await prepare(self, item)) is not None:
                await self.write(work, share=i / len(items))

    async def memories(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Return those that are there, in any state."""
        return await self.tools.store.read(self.user_id, lambda tx: tx.memories.get_many(ids))

    async def enter(self, phase: str) -> bool:
        """Begin a phase; False if an earlier attempt has finished it."""
        if phase in self.data.get("phases", []):
            return False
        share = self._share(0.0, phase)
        await self.write(
            lambda _tx, tally: tally.data.update(phase=phase, share=share), moves=False
        )
        return True

    async def leave(self, phase: str) -> None:
        """The phase is finished, and will not be begun again tonight."""
        await self.write(lambda _tx, tally: tally.note("phases", phase), share=1.0, moves=False)

    def _share(self, of_phase: float, phase: str | None = None) -> float:
        """Say how much of the night is done, with so much of the phase."""
        names = list(PHASES)
        at = names.index(phase or self.data.get("phase", names[0]))
        return round(min(1.0, sum(PHASES[n] for n in names[:at]) + PHASES[names[at]] * of_phase), 3)

    def change(
        self, tx: Transaction, m: Memory, new: Memory, op: Op, event: str, reason: str
    ) -> Memory:
        """Write `new` over `m` with its weight and its line in the log."""
        u = self.tools.u
        tx.changes.begin("system", "upkeep", self.now, job_id=self.job.id)
        stored = tx.memories.put(
            replace(new, weight=lifecycle.compute_weight(new, u, self.now)), op
        )
        tx.memories.log(lifecycle.build_log_entry(event, m, stored, u, self.now, reason))
        return stored


def split_into_batches(items: Sequence[T], size: int = BATCH) -> list[Sequence[T]]:
    """Return the items in portions."""
    return [items[i : i + size] for i in range(0, len(items), size)]


def group_by_language(memories: Sequence[Memory]) -> dict[Lang, list[Memory]]:
    """Group memories by language, since a prompt is in one."""
    out: dict[Lang, list[Memory]] = {}
    for m in memories:
        out.setdefault(m.language, []).append(m)
    return out
