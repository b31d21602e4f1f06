"""A person with a store, a model that answers by task, and nights that pass when a test says so."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memory import lifecycle
from memory.embed import LexicalEmbedder
from memory.learn.answer import LearningTools
from memory.models import (
    Draft,
    Filter,
    Job,
    Json,
    Kind,
    Layer,
    Memory,
    Sensitivity,
    State,
    Usage,
    detect_language,
)
from memory.ports import Chunk, ModelRequest, Transaction
from memory.store import SqliteStore
from memory.upkeep.service import NightReport, UpkeepService
from tests.memory.learn.world import save_draft

START = datetime(2026, 1, 3, 10, 0, tzinfo=UTC)
EVERY = Filter(states=frozenset(State), max_sensitivity=Sensitivity.SECRET)
Answer = Callable[[Mapping[str, Json]], str | Exception]


def shorter(data: Mapping[str, Json]) -> str:
    """A good answer: a summary is its first words, a tag its last one."""
    out = []
    for item in data["items"]:
        text = item["text"]
        words = text.split() if item["lang"] == "en" else list(text)
        join = " " if item["lang"] == "en" else ""
        short = words[: max(3, len(words) * 2 // 3)] if item["level"] == "summary" else words[-2:]
        out.append({"id": item["id"], "text": join.join(short)})
    return json.dumps(out, ensure_ascii=False)


class TaskModel:
    """Answers each task by a function of its data; what nobody answers is an error of the test."""

    name = "by task"

    def __init__(self, **answers: Answer | str | Exception) -> None:
        self.answers: dict[str, Answer | str | Exception] = dict(answers)
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        answer = self.answers[request.task]
        said = answer(request.data) if callable(answer) else answer
        if isinstance(said, Exception):
            raise said
        yield Chunk(said)
        yield Chunk(finish="stop", usage=Usage(10, 5))

    def asked(self, task: str) -> list[Mapping[str, Json]]:
        return [r.data for r in self.requests if r.task == task]


@dataclass
class Home:
    """One user; `now` is when the next night comes."""

    store: SqliteStore
    user: str
    worker: str
    model: TaskModel
    embedder: LexicalEmbedder = field(default_factory=LexicalEmbedder)
    now: datetime = START
    curve: str = "fade"
    u: float = 1.0
    learning: str = "auto"
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def tools(self) -> LearningTools:
        return LearningTools(
            self.store, self.model, self.embedder, self.curve, self.u, self.learning
        )

    @property
    def keeper(self) -> UpkeepService:
        return UpkeepService(self.tools, **self.options)

    def later(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now

    async def remember(self, text: str, **fields: Any) -> Memory:
        """A memory saved now, as learning does it; other fields are put over it."""
        known = {
            "kind",
            "importance",
            "sensitivity",
            "expires_at",
            "valid_from",
            "valid_until",
            "entities",
            "source",
        }
        draft = Draft(
            text,
            language=detect_language(text),
            **{k: fields.pop(k) for k in known & fields.keys()},
        )
        vector = (await self.embedder.embed([text], "content"))[0]

        def write(tx: Transaction) -> Memory:
            tx.changes.begin("user", "remember", self.now)
            saved = save_draft(
                tx,
                draft,
                self.now,
                curve=self.curve,
                u=self.u,
                vector=vector,
                embedder_id=self.embedder.id,
            )
            assert saved.memory is not None
            assert saved.outcome == "added", "two memories of a test are one to the gate"
            m = saved.memory
            return tx.memories.put(replace(m, **fields), "updated") if fields else m

        return await self.store.write(self.user, write)

    async def episode(self, text: str) -> Memory:
        return await self.remember(text, kind=Kind.EPISODE, layer=Layer.EPISODE)

    async def happen(self, m: Memory, event: Any) -> Memory:
        """Something happens to it, as learning would write it."""

        def write(tx: Transaction) -> Memory:
            tx.changes.begin("monitor", "monitor", self.now)
            after, log = lifecycle.apply_event(
                tx.memories.get_many([m.id])[0], event, self.u, self.now
            )
            stored = tx.memories.put(after, "reinforced")
            tx.memories.log(log)
            return stored

        return await self.store.write(self.user, write)

    async def lease(self) -> Job:
        """A run by hand, leased."""
        await self.keeper.by_hand(self.user, self.now)
        until = self.now + timedelta(hours=1)
        job = await self.store.write_system(
            lambda s: s.lease(self.now, until, self.worker, kinds=["upkeep"])
        )
        assert job is not None
        return job

    async def night(self) -> NightReport:
        """A whole run, as the runner does it; its report."""
        job = await self.lease()
        effect = await self.keeper.job(job, self.now)
        assert await self.store.finish_job(job, effect)
        (report,) = await self.keeper.reports(self.user)
        assert report.job_id == job.id
        return report

    async def get(self, m: Memory | str) -> Memory:
        memory_id = m if isinstance(m, str) else m.id
        found = await self.store.open_reader(self.user).get([memory_id])
        assert found
        return found[0]

    async def all(self, *states: State) -> list[Memory]:
        f = Filter(states=frozenset(states or {State.ACTIVE}), max_sensitivity=Sensitivity.SECRET)
        page = await self.store.read(
            self.user, lambda tx: tx.memories.find(f, order="created", limit=1000)
        )
        return sorted(page.items, key=lambda m: (m.created_at, m.id))

    async def write(self, fn: Callable[[Transaction], Any]) -> Any:
        return await self.store.write(self.user, fn)

    async def read(self, fn: Callable[[Transaction], Any]) -> Any:
        return await self.store.read(self.user, fn)
