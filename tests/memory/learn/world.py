"""A real store, a real embedder, a model that answers from a queue, and a way to say things to Ebb."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from memory import api
from memory.embed import LexicalEmbedder
from memory.errors import ModelError
from memory.jobs import Effect, Handler
from memory.learn.merge import Claim, Merger, SaveResult
from memory.models import (
    Draft,
    Filter,
    Hit,
    Job,
    JobKind,
    Json,
    Memory,
    MemoryId,
    Message,
    Recall,
    Session,
    State,
    TurnRow,
    TurnState,
    Usage,
)
from memory.ports import Chunk, FloatArray, ModelRequest, Transaction
from memory.store import SqliteStore, make_worker_id
from tests.servers.tasks import decision, summary

__all__ = ["decision", "summary"]

TZ = "Asia/Shanghai"
START = datetime(2026, 1, 3, 10, 0, tzinfo=UTC)  # a Saturday, 18:00 in Shanghai
EVERY_STATE = Filter(states=frozenset(State))


def save_draft(
    tx: Transaction,
    draft: Draft,
    now: datetime,
    *,
    curve: str,
    u: float,
    vector: FloatArray | None = None,
    embedder_id: str | None = None,
    sources: Sequence[str] = (),
    said_at: datetime | None = None,
    **claimed: Any,
) -> SaveResult:
    """Save one draft as learning does, said when the newest of its sources was; inside a write with a set begun."""
    proposed = claimed.pop("proposed", False)
    if said_at is None:
        said_at = max(
            (m.at for i in sources if (m := tx.conversations.get_message(i)) is not None),
            default=now,
        )
    claim = Claim(draft, said_at, tuple(sources), vector=vector, embedder_id=embedder_id, **claimed)
    return Merger(tx, curve=curve, u=u, proposing=proposed).save(claim)


class ScriptedModel:
    """Answers from a queue and keeps what it was asked; an error in the queue is raised."""

    name = "scripted"

    def __init__(self) -> None:
        self.answers: list[str | Exception | Chunk] = []
        self.requests: list[ModelRequest] = []
        self.during: Callable[[], Any] | None = (
            None  # awaited while the answer is "being thought of"
        )

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        self.requests.append(request)
        retried = not self.answers and request.data.get(
            "failed"
        )  # lines without evidence are given up
        answer = "[SKIP]" if retried else self.answers.pop(0)
        if self.during is not None:
            await self.during()
        if isinstance(answer, Exception):
            raise answer
        text, finish = (
            (answer.text, answer.finish) if isinstance(answer, Chunk) else (answer, "stop")
        )
        yield Chunk(text[: len(text) // 2])
        yield Chunk(text[len(text) // 2 :])
        yield Chunk(finish=finish, usage=Usage(prompt_tokens=100, completion_tokens=10))

    def prompt(self, n: int = -1) -> str:
        """The whole prompt of a request."""
        return "\n".join(m["content"] for m in self.requests[n].messages)


class BrokenEmbedder(LexicalEmbedder):
    """An embedder whose endpoint is gone."""

    async def embed(self, texts: Sequence[str], kind: Any) -> Any:
        raise ModelError("no_connection")


@dataclass
class World:
    """One user, one open session, and time that only moves when something happens."""

    store: SqliteStore
    user: str
    session: Session
    model: ScriptedModel = field(default_factory=ScriptedModel)
    embedder: LexicalEmbedder = field(default_factory=LexicalEmbedder)
    now: datetime = START
    worker: str = field(default_factory=make_worker_id)
    turns: int = 0

    def handlers(self, **options: Any) -> Mapping[JobKind, Handler]:
        return api.Memory(
            self.store, model=self.model, embedder=self.embedder, key=None, **options
        ).handlers

    def tick(self, **by: float) -> datetime:
        self.now += timedelta(**(by or {"minutes": 1}))
        return self.now

    async def say(
        self,
        text: str,
        reply: str | None = "I see.",
        *,
        recalled: Sequence[Memory] = (),
        tz: str = TZ,
        author: str | None = None,
    ) -> str:
        """One turn; its id. Without a reply the turn was interrupted."""
        self.turns += 1
        turn_id, at = f"t{self.turns}", self.tick()

        def write(tx: Transaction) -> None:
            c = tx.conversations
            said = c.add_message(
                Message("", self.session.id, turn_id, author or self.user, "user", text, at, tz)
            )
            c.open_turn(
                TurnRow(
                    turn_id,
                    self.user,
                    self.session.scope,
                    self.session.id,
                    "test",
                    "open",
                    at,
                    said.id,
                    self.worker,
                    at + timedelta(minutes=1),
                )
            )
            answer = None
            if reply is not None:
                answer = c.add_message(
                    Message("", self.session.id, turn_id, None, "assistant", reply, at, tz)
                )
            state: TurnState = "done" if answer else "interrupted"
            c.finish_turn(
                turn_id, self.worker, state, at, reply_message_id=answer.id if answer else None
            )
            if recalled:
                hits = tuple(Hit(m, 1.0) for m in recalled)
                tx.traces.save(turn_id, self.session.scope, Recall(hits), (), at)

        await self.store.write(self.user, write)
        return turn_id

    async def lease(self, kind: JobKind, payload: Mapping[str, Json]) -> Job:
        key = f"{kind}:{self.tick().timestamp()}"
        await self.store.write(self.user, lambda tx: tx.jobs.enqueue(kind, key, payload, self.now))
        until = self.now + timedelta(days=2)
        job = await self.store.write_system(
            lambda s: s.lease(self.now, until, self.worker, kinds=[kind])
        )
        assert job is not None
        return job

    async def work(
        self,
        kind: JobKind,
        payload: Mapping[str, Json],
        *answers: str | Exception | Chunk,
        **options: Any,
    ) -> Mapping[str, Json]:
        """Do one job as the runner would; its result."""
        self.model.answers = list(answers)
        job = await self.lease(kind, payload)
        try:
            handler = self.handlers(**options)[kind]
            effect: Effect = await handler(job, self.now)
            results: list[Mapping[str, Json]] = []

            def write(tx: Transaction) -> Mapping[str, Json]:
                results.append(effect(tx))
                return results[-1]

            assert await self.store.finish_job(job, write)
        except Exception:
            await self.store.write_system(lambda s: s.fail(job.id, self.worker, "failed", None))
            raise
        assert not self.model.answers, "the model was asked less often than the test expects"
        return results[0]

    async def learn(
        self,
        text: str,
        *answers: str | Exception | Chunk,
        reply: str | None = "I see.",
        **options: Any,
    ) -> Mapping[str, Json]:
        """Say something and let the monitor answer with these lines."""
        recalled = options.pop("recalled", ())
        turn = await self.say(text, reply, recalled=recalled)
        return await self.work("monitor", {"turn_ids": [turn]}, *answers, **options)

    async def remember(self, text: str, **fields: Any) -> Memory:
        """A memory that is there already, said a day before the conversation began."""
        pinned = fields.pop("pinned", False)
        vector = (await self.embedder.embed([text], "content"))[0]
        at = fields.pop("at", START - timedelta(days=1))

        def write(tx: Transaction) -> Memory:
            tx.changes.begin("user", "remember", at)
            saved: SaveResult = save_draft(
                tx,
                Draft(text, **fields),
                at,
                curve="fade",
                u=1.0,
                vector=vector,
                embedder_id=self.embedder.id,
            )
            assert saved.memory is not None
            return (
                tx.memories.put(replace(saved.memory, pinned=True), "updated")
                if pinned
                else saved.memory
            )

        return await self.store.write(self.user, write)

    async def get(self, memory_id: MemoryId) -> Memory:
        found = await self.store.open_reader(self.user).get([memory_id])
        assert found
        return found[0]

    async def all(self, *states: State) -> list[Memory]:
        f = Filter(states=frozenset(states or {State.ACTIVE}))
        page = await self.store.read(self.user, lambda tx: tx.memories.find(f, order="created"))
        return sorted(page.items, key=lambda m: (m.created_at, m.id))

    async def only(self, *states: State) -> Memory:
        (m,) = await self.all(*states)
        return m

    async def messages(self) -> list[Message]:
        return await self.store.read(
            self.user,
            lambda tx: tx.conversations.list_messages(session_id=self.session.id, hidden=True),
        )

    async def fresh_session(self) -> Session:
        s = await self.store.read(
            self.user, lambda tx: tx.conversations.get_session(self.session.id)
        )
        assert s is not None
        return s
