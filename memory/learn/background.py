"""Work on all memories in the background: moving them to another curve, and embedding those without a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from memory import lifecycle
from memory.embed import SwitchingEmbedder
from memory.errors import Conflict
from memory.jobs import Effect
from memory.learn.answer import LearningTools, read_payload
from memory.models import Job, Json, MemoryId, Sensitivity, State
from memory.ports import FloatArray, Store, Transaction

if TYPE_CHECKING:
    from memory.learn.schemas import CurveJob, EmbedJob

BATCH: Final = 500  # memories in one write
EVENT: Final = "adopted"
_SETTING: Final = "curve"  # what every memory of this store lives under, or is being moved to


async def plan(store: Store, curve: str, now: datetime) -> None:
    """Have every user's memories moved if the setting is not what it was at the last start.

    Quick if it is.
    """
    was = await store.write_system(lambda s: s.get(_SETTING)) or "fade"
    if was != curve:
        for user_id in await store.write_system(lambda s: s.users()):
            await store.write(user_id, lambda tx: _enqueue(tx, str(was), curve, now))
    await store.write_system(lambda s: s.set(_SETTING, curve))


def _enqueue(tx: Transaction, was: str, curve: str, now: datetime) -> None:
    begun = round(now.timestamp() * 1000)
    for waiting in tx.jobs.list_pending("curve"):
        tx.jobs.cancel(
            waiting.id
        )  # set anew before it was done; a run that is under way notices and gives up
    payload = {"curve": curve, "was": was, "since": begun}
    tx.jobs.enqueue("curve", f"{curve}:{begun}", payload, now, lane=f"curve:{tx.user_id}")


@dataclass(frozen=True, slots=True)
class CurveSwitcher:
    """Moves memories, some at a time.

    What is done stays done, so it goes on wherever it was interrupted.
    """

    store: Store
    u: float

    async def run(self, job: Job, now: datetime) -> Effect:
        """Payload {"curve", "was", "since"}; result {"outcome", "curve", "was", "moved",
        "fainter"}.

        `fainter`: memories weaker than the new curve keeps, which the next night will forget
        (restorable). Raises Conflict if the job is not this worker's any more.
        """
        move: CurveJob = await read_payload(job)
        while await self.store.write(job.user_id, lambda tx: self._some(tx, job, move.curve, now)):
            pass
        return lambda tx: {
            "outcome": "saved",
            "curve": move.curve,
            "was": move.was,
            "moved": tx.lives.count_logged(EVENT, lifecycle.from_ms(move.since)),
            "fainter": self._fainter(tx, move.curve, now),
        }

    def _some(self, tx: Transaction, job: Job, curve: str, now: datetime) -> int:
        if not tx.jobs.holds_lease(job):
            raise Conflict("another process moves the memories by now")
        found = tx.lives.list_of_other_curves(curve, BATCH)
        for m in found:
            after = lifecycle.move_to_curve(m, curve, self.u, now)
            tx.lives.move(
                after,
                lifecycle.build_log_entry(EVENT, m, after, self.u, now, f"{m.curve} → {curve}"),
            )
        return len(found)

    def _fainter(self, tx: Transaction, curve: str, now: datetime) -> int:
        limit = lifecycle.CURVES[curve].forgets_below or -1.0
        ids = [
            o.id
            for o in tx.memories.list_outlines()
            if o.state == State.ACTIVE and o.weight < limit
        ]
        verdicts = (lifecycle.decide_action(m, self.u, now) for m in tx.memories.get_many(ids))
        return sum(v == "forget" for v in verdicts)


# --- vectors ---

TEXTS: Final = 64  # in one call and one write
PAGE: Final = 1024  # memories looked for at once
RETIRED: Final = 1000  # vectors dropped in one write
_GONE: Final = frozenset({State.FORGOTTEN, State.DELETED})


async def embed_missing(tools: LearningTools, job: Job, now: datetime) -> Effect:  # noqa: ARG001 - a handler is given the time
    """Payload {"memory_ids": [...]} or {"all": true, "embedder": id}. Raises ModelError; what is
    done by then stays.

    `all` goes over from another embedder: a batch at a time, each stored as it comes, so that
    whatever ends the process costs one batch; when nothing is missing any more, the other's vectors
    go, as gradually.
    """
    name = tools.embedder.id
    wanted: EmbedJob = await read_payload(job)
    if not wanted.all:
        ids = wanted.memory_ids
        todo = await tools.store.read(
            job.user_id, lambda tx: _wanting(tx, tx.vectors.list_without_vector(ids, name))
        )
        vectors = await _embed(tools, todo)
        return lambda tx: _result(_put(tx, name, todo, vectors))
    if wanted.embedder not in {None, name}:
        return lambda _tx: _result(
            0
        )  # another one came into use meanwhile, and has a job of its own
    done = 0
    while todo := await tools.store.read(
        job.user_id, lambda tx: tx.vectors.list_missing(name, PAGE)
    ):
        before = done
        for start in range(0, len(todo), TEXTS):
            some = todo[start : start + TEXTS]
            store = partial(_put, embedder_id=name, todo=some, vectors=await _embed(tools, some))
            done += await tools.store.write(job.user_id, store)
        if done == before:
            break  # nothing of it can be stored: the rest would be asked for again for ever
    if not todo:
        await _leave(tools, job.user_id)
    return lambda _tx: _result(done)


async def _leave(tools: LearningTools, user_id: str) -> None:
    """The vectors of every other embedder go; the last user's to do so end the going over."""
    name = tools.embedder.id
    for other, _ in await tools.store.read(user_id, lambda tx: tx.vectors.list_other_models(name)):
        while await tools.store.write(
            user_id, lambda tx, other=other: tx.vectors.drop_vectors(other, RETIRED)
        ):  # type: ignore[misc]
            pass
    if await tools.store.drop_unused_embedders(name) and isinstance(
        tools.embedder, SwitchingEmbedder
    ):
        tools.embedder.arrived()


def _result(n: int) -> Mapping[str, Json]:
    return {"outcome": "saved" if n else "nothing", "embedded": n}


def _wanting(tx: Transaction, ids: Sequence[MemoryId]) -> list[tuple[MemoryId, str]]:
    found = tx.memories.get_many(ids)
    return [
        (m.id, m.original_content)
        for m in found
        if m.state not in _GONE and m.sensitivity < Sensitivity.SECRET
    ]


async def _embed(tools: LearningTools, todo: Sequence[tuple[MemoryId, str]]) -> list[FloatArray]:
    out: list[FloatArray] = []
    for i in range(0, len(todo), TEXTS):
        out.extend(await tools.embedder.embed([text for _, text in todo[i : i + TEXTS]], "content"))
    return out


def _put(
    tx: Transaction,
    embedder_id: str,
    todo: Sequence[tuple[MemoryId, str]],
    vectors: Sequence[FloatArray],
) -> int:
    """Store the vectors of texts that are still as they were embedded; how many."""
    wanting = dict(_wanting(tx, [i for i, _ in todo]))
    fitting = {i: v for (i, text), v in zip(todo, vectors, strict=True) if wanting.get(i) == text}
    return tx.vectors.put_many(fitting, embedder_id)
