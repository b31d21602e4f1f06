"""Move all memories to another curve, and embed those without a vector, in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from memory import lifecycle
from memory.embed import SwitchingEmbedder
from memory.errors import Conflict
from memory.jobs import Effect
from memory.learn.answer import LearningTools, read_payload
from memory.models import Job, Json, MemoryId, Sensitivity, State
from memory.ports import FloatArray, Store, Transaction
from memory.recall.passages import list_passage_texts

if TYPE_CHECKING:
    from memory.learn.schemas import CurveJob, EmbedJob

BATCH: Final = 500  # memories in one write
EVENT: Final = "adopted"
_SETTING: Final = "curve"  # what every memory of this store lives under, or is being moved to


async def plan(store: Store, curve: str, now: datetime) -> None:
    """Have every user's memories moved if the setting is not what it was at the last start."""
    was = str(await store.write_system(lambda s: s.get(_SETTING)) or "fade")
    begun = lifecycle.to_milliseconds(now)

    def enqueue(tx: Transaction) -> None:
        for waiting in tx.jobs.list_pending("curve"):
            tx.jobs.cancel(waiting.id)  # a run that is under way notices and gives up
        payload = {"curve": curve, "was": was, "since": begun}
        tx.jobs.enqueue("curve", f"{curve}:{begun}", payload, now, lane=f"curve:{tx.user_id}")

    if was != curve:
        for user_id in await store.write_system(lambda s: s.users()):
            await store.write(user_id, enqueue)
    await store.write_system(lambda s: s.set(_SETTING, curve))


@dataclass(frozen=True, slots=True)
class CurveSwitcher:
    """Moves memories, some at a time.

    What is done stays done, so it goes on wherever it was interrupted.
    """

    store: Store
    u: float

    async def run(self, job: Job, now: datetime) -> Effect:
        """Move them; the result has {"outcome", "curve", "was", "moved", "fainter"}.

        `fainter`: memories weaker than the new curve keeps, which the next night will forget
        (restorable). Raises Conflict if the job is not this worker's any more.
        """
        move: CurveJob = await read_payload(job)

        ids = await self.store.read(
            job.user_id,
            lambda tx: [o.id for o in tx.memories.list_outlines() if o.curve != move.curve],
        )
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            await self.store.write(
                job.user_id,
                lambda tx, some=some: self._move_some(tx, job, some, move.curve, now),  # type: ignore[misc]
            )
        return lambda tx: {
            "outcome": "saved",
            "curve": move.curve,
            "was": move.was,
            "moved": len(
                tx.memories.list_weight_log(since=lifecycle.from_ms(move.since), events=[EVENT])
            ),
            "fainter": self._count_fainter(tx, move.curve, now),
        }

    def _move_some(
        self, tx: Transaction, job: Job, ids: Sequence[MemoryId], curve: str, now: datetime
    ) -> None:
        if not tx.jobs.holds_lease(job):
            raise Conflict("another process moves the memories by now")
        for m in tx.memories.get_many(ids):
            if m.curve == curve:
                continue
            after, why = lifecycle.move_to_curve(m, curve, self.u, now), f"{m.curve} → {curve}"
            tx.memories.move(after, lifecycle.build_log_entry(EVENT, m, after, self.u, now, why))

    def _count_fainter(self, tx: Transaction, curve: str, now: datetime) -> int:
        limit = lifecycle.CURVES[curve].forgets_below or -1.0
        every = tx.memories.list_outlines()
        ids = [o.id for o in every if o.state == State.ACTIVE and o.weight < limit]
        verdicts = (lifecycle.decide_action(m, self.u, now) for m in tx.memories.get_many(ids))
        return sum(v == "forget" for v in verdicts)


# --- vectors ---

TEXTS: Final = 64  # in one call and one write
PAGE: Final = 1024  # memories looked for at once
RETIRED: Final = 1000  # vectors dropped in one write
_Texts: TypeAlias = Sequence[tuple[MemoryId, str]]
_GONE: Final = frozenset({State.FORGOTTEN, State.DELETED})


async def embed_missing(tools: LearningTools, job: Job, _now: datetime) -> Effect:
    """Embed memories without a vector. Raises ModelError.

    Vectors of named memories are stored together with the job's end. `all` goes over from another
    embedder: a batch at a time, each stored as it comes, so that whatever ends the process costs
    one batch; when nothing is missing any more, the other's vectors go, as gradually.
    """
    name, store = tools.embedder.id, tools.store
    wanted: EmbedJob = await read_payload(job)
    if wanted.embedder not in {None, name}:
        return lambda _tx: _report(0)  # another one has come into use
    if wanted.documents:
        found = await _embed_documents(tools, job.user_id)
        return lambda _tx: _report(found)
    if not wanted.all:
        ids = wanted.memory_ids

        def list_missing(tx: Transaction) -> list[tuple[MemoryId, str]]:
            there = tx.vectors.get(ids, name)
            return _list_wanting(tx, [i for i in ids if i not in there])

        todo = await store.read(job.user_id, list_missing)
        puts = [await _embed(tools, some) for some in _cut(todo)]
        return lambda tx: _report(sum(put(tx) for put in puts))
    done = 0
    while todo := await store.read(job.user_id, lambda tx: tx.vectors.list_missing(name, PAGE)):
        before = done
        for some in _cut(todo):
            done += await store.write(job.user_id, await _embed(tools, some))
        if done == before:
            break  # nothing of it can be stored: the rest would be asked for again for ever
    if not todo:
        await _embed_documents(tools, job.user_id)
        await _drop_others(tools, job.user_id)
    return lambda _tx: _report(done)


def _report(embedded: int) -> Mapping[str, Json]:
    return {"outcome": "saved" if embedded else "nothing", "embedded": embedded}


def _cut(todo: _Texts) -> list[_Texts]:
    return [todo[i : i + TEXTS] for i in range(0, len(todo), TEXTS)]


async def _embed(tools: LearningTools, todo: _Texts) -> Callable[[Transaction], int]:
    """Return what stores the vectors of those texts."""
    made = await tools.embedder.embed([text for _, text in todo], "content")
    return partial(_put, embedder_id=tools.embedder.id, todo=todo, vectors=list(made))


async def _embed_documents(tools: LearningTools, user_id: str) -> int:
    """Embed passages of the documents without vectors, each stored as it comes; count these."""
    name, store, done = tools.embedder.id, tools.store, 0
    for n in await store.read(user_id, lambda tx: tx.documents.list_missing(name)):
        for d in await store.read(user_id, lambda tx, n=n: tx.documents.get_many([n])):  # type: ignore[misc]
            places, texts = await asyncio.to_thread(list_passage_texts, d.text)
            some = [texts[i : i + TEXTS] for i in range(0, len(texts), TEXTS)]
            rows = [await tools.embedder.embed(t, "content") for t in some]
            if rows and name == tools.embedder.id:
                put = partial(_put_passages, n=n, name=name, places=places, rows=np.vstack(rows))
                done += await store.write(user_id, put)
    return done


def _put_passages(
    tx: Transaction, n: int, name: str, places: Sequence[int], rows: FloatArray
) -> bool:
    return tx.documents.put_vectors(n, name, places, rows)


async def _drop_others(tools: LearningTools, user_id: str) -> None:
    """Drop vectors of every other embedder; the last user's to go end the going over."""
    store, name = tools.store, tools.embedder.id

    def drop(tx: Transaction, other: str) -> int:
        return tx.vectors.drop_vectors(other, RETIRED)

    for other, _ in await store.read(user_id, lambda tx: tx.vectors.list_other_models(name)):
        while await store.write(user_id, partial(drop, other=other)):
            pass
    done = await store.drop_unused_embedders(name)
    if done and isinstance(tools.embedder, SwitchingEmbedder):
        tools.embedder.arrived()


def _list_wanting(tx: Transaction, ids: Sequence[MemoryId]) -> list[tuple[MemoryId, str]]:
    return [
        (m.id, m.original_content)
        for m in tx.memories.get_many(ids)
        if m.state not in _GONE and m.sensitivity < Sensitivity.SECRET
    ]


def _put(tx: Transaction, embedder_id: str, todo: _Texts, vectors: Sequence[FloatArray]) -> int:
    """Store the vectors of texts that are still as they were embedded; returns how many."""
    wanting = dict(_list_wanting(tx, [i for i, _ in todo]))
    fitting = {i: v for (i, text), v in zip(todo, vectors, strict=True) if wanting.get(i) == text}
    return tx.vectors.put_many(fitting, embedder_id)
