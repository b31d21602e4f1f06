"""Embedding memories that have no vector yet: new ones, and all of them after the embedder was changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from memory.jobs import Effect
from memory.learn.asking import Tools
from memory.models import Job, Json, MemoryId, Sensitivity, State
from memory.ports import FloatArray, Tx

BATCH = 64
_GONE = frozenset({State.FORGOTTEN, State.DELETED})


async def run(tools: Tools, job: Job, now: datetime) -> Effect:  # noqa: ARG001 - a handler is given the time
    """Payload {"memory_ids": [...]} or {"all": true}. Raises ModelError; what was embedded until then stays."""
    if not job.payload.get("all"):
        ids = [str(i) for i in job.payload.get("memory_ids", [])]
        todo = await tools.store.read(job.user_id, lambda tx: _wanting(tx, ids))
        vectors = await _embed(tools, todo)
        return lambda tx: _result(_put(tx, tools.embedder.id, todo, vectors))
    done = 0
    while todo := await tools.store.read(job.user_id, lambda tx: tx.vectors.missing(tools.embedder.id, BATCH)):
        vectors = await _embed(tools, todo)
        store = partial(_put, embedder_id=tools.embedder.id, todo=todo, vectors=vectors)
        put = await tools.store.write(job.user_id, store)
        done += put
        if not put:
            break  # nothing of it can be stored: the rest would be asked for again for ever
    return lambda _tx: _result(done)


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
    fitting = [(i, v) for (i, text), v in zip(todo, vectors, strict=True) if wanting.get(i) == text]
    for i, v in fitting:
        tx.vectors.put(i, embedder_id, v)
    return len(fitting)
