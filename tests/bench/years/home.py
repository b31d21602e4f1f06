"""A store in which a simulated life is lived, by the program's own ways.

Notes go in as a perfect note-taker writes them: what is told with its former value supersedes it, what is not stands
beside it. Mentions and uses go through the real merger and so through the real curve; nights are upkeep's own, with a
model that answers each task from the texts it is shown, and from the truth of the life where pairs are to be judged.
"""

from __future__ import annotations

import json
import pickle
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from memory import api
from memory.learn.merge import Claim, Merger
from memory.models import (
    Draft,
    Kind,
    MemoryId,
    Message,
    Source,
    State,
    Usage,
)
from memory.ports import Chunk, Embedder, FloatArray, ModelRequest, Store, Transaction
from memory.store import open_store
from tests.bench.years.lives import Life, Said, Session

KEY: Final = b"k" * 32
SPENT: Final = Usage(9_000, 900)  # tokens of a session's conversation: six turns of a short prompt
_CLOSE: Final = ("partner", "child", "mother")
_WORKER: Final = "bench:0:0"


class Cached:
    """An embedder whose vectors are kept in a file: nobody's times have the embedding in them."""

    local = True
    immediate = True

    def __init__(self, inner: Embedder, folder: Path | None) -> None:
        self._inner = inner
        self._file = (
            folder / f"years-{inner.id.replace(':', '-').replace('/', '-')}.pickle"
            if folder
            else None
        )
        self._rows: dict[tuple[str, str], FloatArray] = {}
        self._kept, self._warm = 0, False
        if self._file is not None and self._file.exists():
            self._rows = pickle.loads(self._file.read_bytes())
            self._kept = len(self._rows)

    @property
    def id(self) -> str:
        return self._inner.id

    @property
    def dim(self) -> int:
        return self._inner.dim

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """(n, dim) float32."""
        new = [t for t in dict.fromkeys(texts) if (kind, t) not in self._rows]
        if new and not self._warm:  # a query does not wait for a model that is being loaded
            await self._inner.embed(["warm"], "content")
            self._warm = True
        for start in range(0, len(new), 64):
            some = new[start : start + 64]
            for text, row in zip(some, await self._inner.embed(some, kind), strict=True):
                self._rows[kind, text] = np.asarray(row, np.float32)
        rows = [self._rows[kind, t] for t in texts]
        return np.stack(rows) if rows else np.zeros((0, self.dim), np.float32)

    def save(self) -> None:
        """Write what is new to the file."""
        if self._file is not None and len(self._rows) > self._kept:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_bytes(pickle.dumps(self._rows))
            self._kept = len(self._rows)


class NightModel:
    """The memory model of the nights: it knows the truth of one life, and extracts.

    Of its verdicts on pairs the share `wrong` is drawn at random, anew in each call.
    """

    name = "scripted"

    def __init__(self, life: Life, wrong: float) -> None:
        self._life, self._wrong = life, wrong
        self._rng = random.Random(life.seed)
        self.judged: dict[str, int] = {}

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        yield Chunk(json.dumps(self._answer(request), ensure_ascii=False))
        yield Chunk(finish="stop", usage=None)

    def _answer(self, request: ModelRequest) -> Any:
        data: Mapping[str, Any] = request.data
        match request.task:
            case "contradict":
                verdicts = [(p["n"], self._judge(p["a"], p["b"])) for p in data["pairs"]]
                return {"pairs": [{"n": n, "verdict": v} for n, v in verdicts if v != "both"]}
            case "merge":
                texts = data["texts"]
                same = all(self._life.judge(texts[0], t) == "same" for t in texts)
                return {"text": max(texts, key=len)} if same else {"separate": True}
            case "level":
                return {"texts": [{"id": i["id"], "text": i["text"]} for i in data["items"]]}
            case "review":
                return {"decision": "keep"}
            case _:
                return []

    def _judge(self, a: str, b: str) -> str:
        verdict: str = self._life.judge(a, b)
        if self._rng.random() < self._wrong:
            verdict = self._rng.choice(("same", "changed", "both", "unsure"))
        self.judged[verdict] = self.judged.get(verdict, 0) + 1
        return verdict


@dataclass
class Home:
    """One life's store, and which memory says which fact."""

    life: Life
    store: Store
    user: str
    embedder: Cached
    clock: dict[str, datetime]
    model: NightModel
    memory: api.Memory
    ids: dict[str, MemoryId] = field(default_factory=dict)
    facts: dict[MemoryId, str] = field(default_factory=dict)
    nights: int = 0
    found: dict[str, int] = field(default_factory=dict)  # former fact: nights until it ended
    wrong: set[str] = field(default_factory=set)  # facts that hold and were ended
    refused: list[str] = field(default_factory=list)
    waited: Counter[str] = field(default_factory=Counter)  # phases a night had no tokens left for
    asked: int = 0  # questions to the person that nights left

    async def live(self, session: Session) -> None:
        """Take in what is said at a session."""
        self.clock["now"] = session.at
        vectors = await self.embedder.embed([s.note for s in session.said if s.note], "content")
        rows = iter(vectors)

        def write(tx: Transaction) -> None:
            tx.changes.begin("monitor", "monitor", session.at)
            for said in session.said:
                self._take_in(tx, said, next(rows) if said.note else None)
            tx.traces.record_tokens("chat", "scripted", SPENT, session.at)

        await self.store.write(self.user, write)

    def _message(self, tx: Transaction, text: str, at: datetime) -> Message:
        scope = f"user:{self.user}"
        session = tx.conversations.get_open_session(scope) or tx.conversations.open_session(
            scope, at
        )
        return tx.conversations.add_message(
            Message("", session.id, None, self.user, "user", text, at, "UTC", status="complete")
        )

    def _take_in(self, tx: Transaction, said: Said, vector: FloatArray | None) -> None:
        message = self._message(tx, said.text, said.at)
        merger = Merger(tx, curve="fade", u=1.0)
        old = tx.memories.get(self.ids.get(said.supersedes or said.fact, ""))
        draft = Draft(said.note or "", kind=Kind(said.kind), language=self.life.lang)
        claim = Claim(draft, said.at, (message.id,), message.session_id)
        if said.note is None:
            if old is not None and old.state is State.ACTIVE:
                merger.match(
                    old,
                    Claim(
                        Draft(old.original_content, kind=old.kind, language=old.language),
                        said.at,
                        (message.id,),
                        message.session_id,
                    ),
                )
            return
        draft = self._draft(said)
        claim = Claim(draft, said.at, (message.id,), message.session_id, vector, self.embedder.id)
        ends = said.supersedes is not None and old is not None and old.state is State.ACTIVE
        saved = merger.supersede(old, claim) if ends and old is not None else merger.save(claim)
        if saved.memory is None or saved.outcome not in {"added", "superseded"}:
            self.refused.append(f"{saved.outcome} {saved.code}: {said.note}")
        if saved.memory is not None:
            self.ids[said.fact] = saved.memory.id
            self.facts[saved.memory.id] = said.fact

    def _draft(self, said: Said) -> Draft:
        return Draft(
            said.note or "",
            kind=Kind(said.kind),
            language=self.life.lang,
            # How Ebb should answer is a request to Ebb, which is the person's own command.
            source=Source.USER if said.kind == "instruction" else Source.MONITOR,
            entities=said.entities,
            on=_at_midnight(said.on),
            repeats="yearly" if said.yearly else None,
            expires_at=_at_midnight(said.expires),
            close=self.life.facts[said.fact].chain in _CLOSE,
        )

    async def use(self, facts: Iterable[str], text: str, at: datetime) -> None:
        """Count that these were recalled for a question and used in the reply."""

        def write(tx: Transaction) -> None:
            tx.changes.begin("monitor", "monitor", at)
            self._message(tx, text, at)
            for fact in facts:
                m = tx.memories.get(self.ids.get(fact, ""))
                if m is not None and m.state is State.ACTIVE:
                    Merger(tx, curve="fade", u=1.0).boost(m, at, recalled=True)

        await self.store.write(self.user, write)

    async def night(self, now: datetime, session: int) -> None:
        """Run a night as the program does; note what it ended. `session`: the last one before it."""
        self.clock["now"] = now
        keeper = self.memory.keeper
        assert keeper is not None
        await keeper.by_hand(self.user, now)
        job = await self.store.write_system(
            lambda s: s.lease(now, now + timedelta(hours=1), _WORKER, kinds=["upkeep"])
        )
        if job is not None:
            await self.store.finish_job(job, await keeper.job(job, now))
        self.nights += 1
        (report,) = await keeper.reports(self.user)
        self.asked += report.count("asked")
        self.waited.update(report.waiting.keys())
        self.waited.update(f"held back: {phase}" for phase in report.held)
        rows = await self.store.read(self.user, lambda tx: tx.memories.list_outlines())
        for row in rows:
            fact = self.life.facts.get(self.facts.get(row.id, ""))
            if fact is None or row.state != State.SUPERSEDED:
                continue
            if fact.true_at(session):
                self.wrong.add(fact.id)
            elif fact.until is not None:
                since = (now - self.life.sessions[fact.until].at).days
                self.found.setdefault(fact.id, since)


def _at_midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), tzinfo=UTC)


@asynccontextmanager
async def home_of(
    life: Life, path: Path, embedder: Cached, wrong: float = 0.0
) -> AsyncIterator[Home]:
    """An empty store for a life."""
    clock = {"now": life.start}
    store = await open_store(path, clock=lambda: clock["now"], worker=_WORKER, key=KEY)
    try:
        await store.use_embedder(embedder.id, embedder.dim)
        user = await store.write_system(lambda s: s.create_user(life.start - timedelta(days=1)))
        model = NightModel(life, wrong)
        memory = api.Memory(store, model=model, embedder=embedder, key=KEY, deadline_ms=60_000)
        memory.keep_nights("UTC")
        yield Home(life, store, user, embedder, clock, model, memory)
        await memory.close()
    finally:
        await store.close()
