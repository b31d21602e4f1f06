"""One run of upkeep: the store as it was looked over, and the one way in which a night writes.

Every write is a bounded batch that carries its own progress: effects, counts and how far the night
is stand in one transaction, guarded by the job's lease. Whoever is killed between two of them
leaves whole memories, and the next attempt goes on where the last one stopped.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from memory import lifecycle
from memory.errors import Conflict, ModelError
from memory.learn.answer import LearningTools, ModelTask
from memory.lifecycle.columns import Columns, weigh_columns
from memory.models import (
    Change,
    Job,
    Json,
    Lang,
    Layer,
    Level,
    Memory,
    MemoryId,
    MemoryOutline,
    Op,
    Sensitivity,
    State,
    UpkeepNight,
)
from memory.ports import Task, Transaction

T = TypeVar("T")
Work: TypeAlias = Callable[[Transaction], object]
Near: TypeAlias = Mapping[MemoryId, Mapping[MemoryId, float]]
"""For each memory that was looked at those nearest to it, with their similarity."""
BATCH: Final = 100  # memories rewritten in one transaction
TRIES: Final = 3  # nights on which a model may fail at one memory, before rules take over
MOST_CHANGED: Final = 0.1  # of the memories, in one night; more has to be asked about
ALWAYS_FREE: Final = 10  # memories that a night may change of fewer than a hundred


class NightHeldError(Exception):
    """A phase would have changed more than a night may; nothing of it was written.

    `wanted`: how many memories it would have ended, merged, let go of or derived.
    """

    def __init__(self, wanted: int) -> None:
        super().__init__(f"{wanted} memories")
        self.wanted = wanted


class WeighedOutline(NamedTuple):
    """A memory in outline, and what its curve says of it at one moment."""

    row: MemoryOutline
    weight: float
    level: Level
    forgets: bool
    review: lifecycle.ReviewTask | None


def is_current_fact(m: Memory | MemoryOutline) -> bool:
    """Tell whether it holds now, as a fact or as core, and is no secret."""
    return (
        m.state == State.ACTIVE
        and m.layer in {Layer.FACT, Layer.CORE}
        and m.negated_at is None
        and m.sensitivity < Sensitivity.SECRET
    )


def weigh(rows: Sequence[MemoryOutline], u: float, now: datetime) -> list[WeighedOutline]:
    """Weigh memories in any state at `now`."""
    by_curve: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        by_curve.setdefault(row.curve, []).append(i)
    out: dict[int, WeighedOutline] = {}
    for curve, places in by_curve.items():
        columns = Columns([rows[i] for i in places], now)
        found = weigh_columns(lifecycle.CURVES[curve], columns, u)
        out |= {i: WeighedOutline(rows[i], *said) for i, said in zip(places, found, strict=True)}
    return [out[i] for i in range(len(rows))]


@dataclass(slots=True)
class UpkeepRun:
    """A night at work.

    `rows` are the store as it was looked over; every write looks again. `data` holds the counts and
    notes of the night, as the report will have them, and how far it is.
    """

    tools: LearningTools
    job: Job
    now: datetime
    night: str
    nights: tuple[datetime, ...]  # due times since the last run, this one's last
    last: UpkeepNight | None  # the night before
    tz: str = "UTC"  # in which the person lives
    data: dict[str, Json] = field(default_factory=dict)
    erase_old: bool = False
    allowed: bool = False  # by the person: to change as much as it finds
    believed: bool = True  # the clock: if not, only what a later night takes back by itself is done
    rows: list[WeighedOutline] = field(default_factory=list)
    near: Near | None = None  # of what is new; looked for once
    moved: bool = False  # whether this run has written more than figures since it looked
    span: tuple[float, float] = (0.0, 1.0)  # of the night: where the phase begins and ends

    @property
    def user_id(self) -> str:
        """Whose night it is."""
        return self.job.user_id

    @property
    def looked_up_to(self) -> int:
        """The place up to which earlier nights looked for duplicates.

        Where a night was held back, whoever is allowed to goes on from before it.
        """
        carry = self.last.data.get("carry", {}) if self.last else {}
        place = int(carry.get("place", 0))
        return int(carry.get("held", place)) if self.allowed else place

    async def look(self) -> None:
        """Read the whole store in outline, and weigh it."""
        rows = await self.read(lambda tx: tx.memories.list_outlines())
        self.rows = await asyncio.to_thread(weigh, rows, self.tools.u, self.now)
        self.moved = False

    async def read(self, fn: Callable[[Transaction], T]) -> T:
        """Read in one transaction."""
        return await self.tools.store.read(self.user_id, fn)

    async def memories(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Return those that are there, in any state."""
        return await self.read(lambda tx: tx.memories.get_many(ids))

    async def ask(
        self, task: Task, lang: Lang, shown: Mapping[str, Json], max_tokens: int
    ) -> Any | None:
        """Ask the memory model. Returns None where no answer can be read; raises ModelError."""
        asked = ModelTask(self.user_id, task, lang, shown, self.now, max_tokens)
        return await self.tools.read(asked)

    async def write(self, fn: Work, *, share: float | None = None, moves: bool = True) -> None:
        """Write one batch.

        Args:
            fn: the batch; it counts and notes what it does through this run.
            share: of the phase, done after it. A run that gets ahead may be killed ever again.
            moves: whether memories may have changed.

        Raises Conflict if the lease was lost, NightHeldError if the night would change too much.
        """
        before = self.data

        def work(tx: Transaction) -> None:
            if not tx.jobs.holds_lease(self.job):
                raise Conflict("upkeep is another process's by now")
            self.data = copy.deepcopy(before)
            seq = tx.changes.get_last_seq()
            fn(tx)
            self._guard(tx, seq)
            if share is not None:
                begins, ends = self.span
                self.data["share"] = round(begins + (ends - begins) * share, 3)
                tx.jobs.reset_attempts(self.job)
            night = UpkeepNight(self.job.id, self.night, self.now, done=False, data=self.data)
            tx.nights.put(night)

        try:
            await self.tools.store.write(self.user_id, work)
        except BaseException:
            self.data = before
            raise
        self.moved = self.moved or moves

    def _guard(self, tx: Transaction, seq: int) -> None:
        """Hold the batch back if with it the night has ended or made more than it may.

        Levels and what a curve lets go of are the weights' work and do not count, however much it
        is after an absence: both come back by use. Nor does purging what the person deleted.
        """
        if self.data.get("phase") in {"weights", "levels", "purge"}:
            return
        ids = {c.entity_id for c in tx.changes.list_changes(after=seq) if _ends_or_makes(c)}
        night = int(self.data.get("touched", 0)) + len(ids)
        most = max(ALWAYS_FREE, MOST_CHANGED * sum(w.row.state == State.ACTIVE for w in self.rows))
        if night > most and not self.allowed:
            raise NightHeldError(len(ids))
        self.data["touched"] = night

    async def write_together(self, works: Sequence[Work]) -> None:
        """Write all or nothing, so that what is too much for a night is not half done."""

        def write(tx: Transaction) -> None:
            for work in works:
                work(tx)

        if works:
            await self.write(write, share=1.0)

    async def prepare_each(
        self, items: Sequence[T], prepare: Callable[[UpkeepRun, T], Awaitable[Work | None]]
    ) -> None:
        """Prepare one item after another by a model, then write them together.

        Raises ModelError, after writing what was prepared until then.
        """
        works = list[Work]()
        try:
            for item in items:
                if (work := await prepare(self, item)) is not None:
                    works.append(work)
        except ModelError:
            await self.write_together(works)
            raise
        await self.write_together(works)

    async def write_each(
        self, items: Sequence[T], write: Callable[[UpkeepRun, Transaction, T], object]
    ) -> None:
        """Write one item after another."""
        for i, item in enumerate(items, start=1):
            await self.write(lambda tx, item=item: write(self, tx, item), share=i / len(items))  # type: ignore[misc]

    async def work_each(
        self, items: Sequence[T], prepare: Callable[[UpkeepRun, T], Awaitable[Work | None]]
    ) -> None:
        """Write one item after another, each prepared by a model first; None: nothing to write."""
        for i, item in enumerate(items, start=1):
            if (work := await prepare(self, item)) is not None:
                await self.write(work, share=i / len(items))

    async def enter_phase(self, phase: str, span: tuple[float, float]) -> bool:
        """Begin a phase. Returns False if an earlier attempt has finished it."""
        if phase in self.data.get("phases", []):
            return False
        self.span = span
        state = {"phase": phase, "share": round(span[0], 3)}
        await self.write(lambda _tx: self.data.update(state), moves=False)
        return True

    async def leave_phase(self, phase: str) -> None:
        """Finish a phase: it is not begun again tonight."""
        await self.write(lambda _tx: self.note("phases", phase), share=1.0, moves=False)

    # --- inside a batch ---

    def change(self, tx: Transaction, m: Memory, new: Memory, op: Op, event: str, why: str) -> None:
        """Write `new` over `m` with its weight and its line in the log, as an undoable change."""
        u = self.tools.u
        self.begin(tx, "upkeep")
        new = replace(new, weight=lifecycle.compute_weight(new, u, self.now))
        stored = tx.memories.put(new, op)
        tx.memories.log(lifecycle.build_log_entry(event, m, stored, u, self.now, why))

    def begin(self, tx: Transaction, reason: str) -> None:
        """Begin a change set of this run."""
        tx.changes.begin("system", reason, self.now, job_id=self.job.id)

    def count(self, name: str, by: int = 1) -> None:
        """Count what was done."""
        counts = self.data.setdefault("counts", {})
        counts[name] = int(counts.get(name, 0)) + by

    def note(self, what: str, value: Json) -> None:
        """Append to a list of the report."""
        self.data.setdefault(what, []).append(value)

    def count_failure(self, what: str, memory_id: MemoryId) -> bool:
        """Count that a model failed at a memory; tell whether that was on so many nights."""
        failed = self.data.setdefault("carry", {}).setdefault(what, {})
        failed[memory_id] = int(failed.get(memory_id, 0)) + 1
        if failed[memory_id] < TRIES:
            self.count(what)
            return False
        return True

    def clear_failures(self, what: str, memory_id: MemoryId) -> None:
        """Forget that a model failed at a memory."""
        self.data.get("carry", {}).get(what, {}).pop(memory_id, None)


def _ends_or_makes(c: Change) -> bool:
    """Tell whether a change made a memory, or ended one that held."""
    if c.entity != "memory" or c.after is None:
        return False
    if c.before is None:
        return not c.after["supersedes"]  # a new version counts with the one that it ends
    held, holds = (
        x["state"] == State.ACTIVE and x["negated_at"] is None for x in (c.before, c.after)
    )
    return held and not holds


def split_into_batches(items: Sequence[T], size: int = BATCH) -> list[Sequence[T]]:
    """Return the items in portions."""
    return [items[i : i + size] for i in range(0, len(items), size)]


def group_by_language(items: Sequence[T], key: Callable[[T], Memory], size: int) -> list[list[T]]:
    """Return the items in portions of one language each, since a prompt is in one."""
    groups: dict[Lang, list[T]] = {}
    for item in items:
        groups.setdefault(key(item).language, []).append(item)
    return [list(some) for group in groups.values() for some in split_into_batches(group, size)]
