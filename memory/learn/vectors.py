"""Embedding memories that have no vector yet: new ones, and all of them after the embedder was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from memory.embed import Moving
from memory.jobs import Effect
from memory.learn.asking import Tools
from memory.models import Job, Json, MemoryId, Sensitivity, State
from memory.ports import FloatArray, Tx

BATCH = 64  # texts in one call and one write
PAGE = 1024  # memories looked for at once
RETIRED = 1000  # vectors dropped in one write
_GONE = frozenset({State.FORGOTTEN, State.DELETED})


async def run(tools: Tools, job: Job, now: datetime) -> Effect:  # noqa: ARG001 - a handler is given the time
    """Payload {"memory_ids": [...]} or {"all": true, "embedder": id}. Raises ModelError; what is done by then stays.

    `all` goes over from another embedder: a batch at a time, each stored as it comes, so that whatever ends the
    process costs one batch; when nothing is missing any more, the other's vectors go, as gradually.
    """
    name = tools.embedder.id
    if not job.payload.get("all"):
        ids = [str(i) for i in job.payload.get("memory_ids", [])]
        todo = await tools.store.read(job.user_id, lambda tx: _wanting(tx, tx.vectors.without(ids, name)))
        vectors = await _embed(tools, todo)
        return lambda tx: _result(_put(tx, name, todo, vectors))
    if job.payload.get("embedder", name) != name:
        return lambda _tx: _result(0)  # another one came into use meanwhile, and has a job of its own
    done = 0
    while todo := await tools.store.read(job.user_id, lambda tx: tx.vectors.missing(name, PAGE)):
        before = done
        for start in range(0, len(todo), BATCH):
            some = todo[start : start + BATCH]
            store = partial(_put, embedder_id=name, todo=some, vectors=await _embed(tools, some))
            done += await tools.store.write(job.user_id, store)
        if done == before:
            break  # nothing of it can be stored: the rest would be asked for again for ever
    if not todo:
        await _leave(tools, job.user_id)
    return lambda _tx: _result(done)


async def _leave(tools: Tools, user_id: str) -> None:
    """The vectors of every other embedder go; the last user's to do so end the going over."""
    name = tools.embedder.id
    for other, _ in await tools.store.read(user_id, lambda tx: tx.vectors.others(name)):
        while await tools.store.write(user_id, lambda tx, other=other: tx.vectors.retire(other, RETIRED)):  # type: ignore[misc]
            pass
    if await tools.store.only_embedder(name) and isinstance(tools.embedder, Moving):
        tools.embedder.arrived()


def _result(n: int) -> Mapping[str, Json]:
    return {"outcome": "saved" if n else "nothing", "embedded": n}


def _wanting(tx: Tx, ids: Sequence[MemoryId]) -> list[tuple[MemoryId, str]]:
    found = tx.memories.many(ids)
    return [(m.id, m.original_content) for m in found if m.state not in _GONE and m.sensitivity < Sensitivity.SECRET]


async def _embed(tools: Tools, todo: Sequence[tuple[MemoryId, str]]) -> list[FloatArray]:
    out: list[FloatArray] = []
    for i in range(0, len(todo), BATCH):
        out.extend(await tools.embedder.embed([text for _, text in todo[i : i + BATCH]], "content"))
    return out


def _put(tx: Tx, embedder_id: str, todo: Sequence[tuple[MemoryId, str]], vectors: Sequence[FloatArray]) -> int:
    """Store the vectors of texts that are still as they were embedded; how many."""
    wanting = dict(_wanting(tx, [i for i, _ in todo]))
    fitting = {i: v for (i, text), v in zip(todo, vectors, strict=True) if wanting.get(i) == text}
    return tx.vectors.put_many(fitting, embedder_id)
