"""A user with three hundred memories of all kinds, and a random life for them through the real service.

Time is a variable. What is said, learned, denied, taken back, edited, pinned, forgotten and restored goes the way it
goes in a conversation; nights are upkeep's own, with a scripted memory model.
"""

from __future__ import annotations

import asyncio
import pickle
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from filelock import FileLock

from bot.cli.life import json_lines
from bot.llm import ClientPool, Endpoint
from bot.llm.providers.openai import OpenAIChat
from memory import api
from memory.embed import LexicalEmbedder
from memory.errors import Conflict, NotFound, Refused
from memory.jobs import JobRunner
from memory.learn import background as switch
from memory.learn.merge import Claim, Merger
from memory.lifecycle import CURVES
from memory.models import (
    Draft,
    Importance,
    Kind,
    Layer,
    Memory,
    MemoryId,
    Message,
    Mode,
    Recall,
    Sensitivity,
    Source,
    State,
    WeightEvent,
)
from memory.ports import Embedder, Store, Transaction
from memory.store import make_worker_id, open_store
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks

T = TypeVar("T")
START = datetime(2026, 1, 1, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
TZ = "Asia/Shanghai"
KINDS = [k for k in Kind if k is not Kind.EPISODE]
_PLACES = [
    "Lyon",
    "Riga",
    "Kyoto",
    "Quito",
    "Oslo",
    "Bern",
    "Lima",
    "Cork",
    "Graz",
    "Nara",
    "Pisa",
    "Turku",
    "Minsk",
    "Porto",
    "Hobart",
    "Leeds",
]
_THINGS = [
    "tea",
    "jazz",
    "chess",
    "bread",
    "trains",
    "lamps",
    "maps",
    "oboes",
    "kites",
    "ferns",
    "clocks",
    "soup",
    "dice",
    "wool",
    "stamps",
    "salt",
]
_VERBS = ["likes", "collects", "studies", "repairs", "paints", "sells", "photographs", "misses"]


def sentence(i: int) -> str:
    """The i-th thing to remember: no two are alike enough to be one, in both languages."""
    if i % 5 == 4:
        return f"用户第{i * 7 + 3}次去{_PLACES[i % 16]}时买了{i * 13 + 1}个{_THINGS[(i // 3) % 16]}"
    place, thing = _PLACES[i % 16], _THINGS[(i // 16 + i) % 16]
    return f"The user {_VERBS[i % 8]} {thing} number {i * 13 + 1} in {place} street {i * 7 + 3}"


@dataclass
class Lives:
    """The store, the service, and what has been done so far."""

    store: Store
    service: api.Memory
    embedder: Embedder
    user: str
    rng: random.Random
    now: datetime = START
    made: list[MemoryId] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)
    deleted: set[MemoryId] = field(default_factory=set)  # those that were ever deleted on request
    said: int = 0

    async def write(self, fn: Callable[[Transaction], T]) -> T:
        return await self.store.write(self.user, fn)

    async def read(self, fn: Callable[[Transaction], T]) -> T:
        return await self.store.read(self.user, fn)

    async def learn(self, i: int) -> MemoryId:
        """A new memory of the i-th kind and importance, under the i-th curve, said just now."""
        kind = KINDS[i % len(KINDS)]
        due = self.now + self.rng.uniform(2, 300) * DAY if kind is Kind.TODO else None
        manner = "回答短一点：" if i % 5 == 4 else "Keep answers short: "
        draft = Draft(
            f"{manner}{sentence(i)}" if kind is Kind.INSTRUCTION else sentence(i),
            kind=kind,
            importance=list(Importance)[i % 3],
            language="zh" if i % 5 == 4 else "en",
            source=Source.MONITOR,
            entities=(_PLACES[i % 16],),
            topics=(_THINGS[(i // 16 + i) % 16],),
            sensitivity=Sensitivity(self.rng.choice([0, 0, 0, 1, 1, 2])),
            expires_at=due,
        )
        curve = list(CURVES)[i % len(CURVES)]
        vector = (await self.embedder.embed([draft.content], "content"))[0]

        def write(tx: Transaction) -> MemoryId:
            message = self._say(tx, draft.content)
            tx.changes.begin("monitor", "monitor", self.now)
            claim = Claim(
                draft, self.now, (message.id,), message.session_id, vector, self.embedder.id
            )
            saved = Merger(tx, curve=curve, u=1.0).save(claim)
            assert saved.outcome == "added", saved
            assert saved.memory is not None
            return saved.memory.id

        found = await self.write(write)
        self.made.append(found)
        return found

    def _say(self, tx: Transaction, text: str) -> Message:
        self.said += 1
        scope = f"user:{self.user}"
        session = tx.conversations.get_open_session(scope) or tx.conversations.open_session(
            scope, self.now
        )
        return tx.conversations.add_message(
            Message("", session.id, None, self.user, "user", text, self.now, TZ, status="complete")
        )

    async def happen(self, event: str) -> None:
        """Something to one of the memories that it can happen to, as a conversation or a person's hand does it."""
        for _ in range(40):
            m = await self.service.get(self.user, self.rng.choice(self.made))
            if m is not None and await self._tried(m, event):
                self.done[event] = self.done.get(event, 0) + 1
                break
        if event in {"forget", "undo"}:
            self.deleted |= {m.id for m in await self.all() if m.state is State.DELETED}

    async def favourite(self) -> None:
        """One thing shapes reply after reply, and is spoken of day after day: until it is core."""
        memory_id = self.rng.choice(self.made)
        for _ in range(11):
            self.now += timedelta(hours=30)
            m = await self.service.get(self.user, memory_id)
            if m is not None:
                await self._tried(m, "boost")
                await self._tried(m, "mention")

    async def _tried(self, m: Memory, event: str) -> bool:
        by_hand = {"pin", "unpin", "edit", "forget", "restore", "undo"}
        try:
            if event in by_hand:
                return await self._by_hand(m, event)
            return await self.write(lambda tx: self._said(tx, m, event))
        except (Conflict, NotFound, Refused):
            return False

    def _said(self, tx: Transaction, old: Memory, event: str) -> bool:
        if old.state is not State.ACTIVE:
            return False
        message = self._say(
            tx, "Thanks." if event == "boost" else f"{event}: {old.original_content}"
        )
        tx.changes.begin("monitor", "monitor", self.now)
        merger = Merger(tx, curve=old.curve, u=1.0)
        draft = Draft(old.original_content, kind=old.kind, language=old.language)
        claim = Claim(draft, self.now, (message.id,), message.session_id)
        other = replace(
            claim, draft=replace(draft, content=f"{_changed(old.original_content, self.said)}")
        )
        match event:
            case "mention":
                saved = merger.match(old, claim)
            case "boost":
                saved = merger.boost(old, self.now, recalled=True)
            case "affirm":
                if old.negated_at is None:
                    return False
                saved = merger.affirm(old, claim)
            case "negate":
                saved = merger.negate(old, other, self.now)
            case "contradict":
                saved = merger.contradict(old, other)
            case _:
                saved = merger.supersede(old, other)
        if saved.memory is not None and saved.memory.id not in self.made:
            self.made.append(saved.memory.id)
        return saved.changed

    async def _by_hand(self, m: Memory, event: str) -> bool:
        user, now, service = self.user, self.now, self.service
        match event:
            case "pin" | "unpin":
                if m.pinned is (event == "pin") or m.state is not State.ACTIVE:
                    return False
                await service.pin(user, m.id, event == "pin", now)
            case "edit":
                if m.state is not State.ACTIVE:
                    return False
                await service.edit(
                    user, m.id, f"{_changed(m.original_content, self.said + 5000)}", now
                )
            case "forget":
                if m.state is State.DELETED:
                    return False
                await service.forget(user, [m.id], now)
            case "restore":
                if m.state not in {State.DELETED, State.FORGOTTEN}:
                    return False
                await service.restore(user, m.id, now)
            case _:
                await service.undo(user, now)
        return True

    async def night(self) -> None:
        """Upkeep by whoever is open, and everything else that waits to be done."""
        keeper = self.service.keeper
        assert keeper is not None
        await keeper.by_hand(self.user, self.now)
        await self.drain()

    async def drain(self) -> None:
        runner = JobRunner(
            self.store, self.service.handlers, lambda: self.now, worker=make_worker_id()
        )
        left = await runner.drain(50)
        dead = await self.read(lambda tx: [(j.kind, j.last_error) for j in tx.jobs.list_dead()])
        assert (left, dead) == (0, [])

    async def live(self, days: int, events: int, nights: int) -> None:
        """That many days with so many things that happen and so many nights, in a random order."""
        weights: dict[str, int] = {
            "mention": 40,
            "boost": 20,
            "negate": 6,
            "affirm": 6,
            "contradict": 4,
            "supersede": 4,
            "pin": 3,
            "unpin": 3,
            "edit": 3,
            "forget": 1,
            "restore": 3,
            "undo": 3,
        }
        begun = self.now
        plan: list[tuple[float, str]] = [
            (self.rng.uniform(0, days), self.rng.choices(list(weights), list(weights.values()))[0])
            for _ in range(events)
        ]
        plan += [((i + 1) * days / nights, "night") for i in range(nights)]
        plan += [(self.rng.uniform(0, days), "favourite") for _ in range(5)]
        for day, event in sorted(plan):
            at = begun + day * DAY
            self.now = max(self.now, at.replace(microsecond=at.microsecond // 1000 * 1000))
            if event == "night":
                await self.night()
            elif event == "favourite":
                await self.favourite()
            else:
                await self.happen(event)

    async def all(self) -> list[Memory]:
        """Every memory there is, in any state."""

        def read(tx: Transaction) -> list[Memory]:
            return tx.memories.get_many(o.id for o in tx.memories.list_outlines())

        return await self.read(read)


def _changed(text: str, n: int) -> str:
    """The same thing said otherwise: another number in it."""
    return (
        text.replace("street ", f"street {n}").replace("次去", f"{n}次去")
        if "street" in text or "次去" in text
        else (f"{text} {n}")
    )


@asynccontextmanager
async def lives(path: Path, seed: int = 7, **options: Any) -> AsyncIterator[Lives]:
    """An empty store with its user."""
    store = await open_store(path, clock=lambda: START, worker=make_worker_id(), key=b"k" * 32)
    clients = ClientPool()
    try:
        async with OpenAIServer() as server:
            answer_tasks(server)
            model = OpenAIChat(Endpoint(server.url, "k"), clients, "small")
            embedder = LexicalEmbedder()
            await store.use_embedder(embedder.id, embedder.dim)
            user = await store.write_system(lambda s: s.create_user(START))
            service = api.Memory(store, model=model, embedder=embedder, key=b"k" * 32, **options)
            service.keep_nights("Asia/Shanghai")
            yield Lives(store, service, embedder, user, random.Random(seed))
            await service.close()
    finally:
        await clients.close()
        await store.close()


async def episodes(tx_of: Lives, count: int) -> list[MemoryId]:
    """The three-layer paper's episodes, made as the summariser makes them."""
    from memory import lifecycle

    def write(tx: Transaction, i: int) -> MemoryId:
        tx.changes.begin("system", "summarise", tx_of.now)
        text = f"[{tx_of.now:%Y-%m-%d %H:%M}] They talked about trip {i * 17}."
        blank = Memory(
            "", tx.user_id, text, text, "en", Layer.EPISODE, Kind.EPISODE, tx_of.now, tx_of.now, "fade",
            lifecycle.CURVES["fade"].create_state(Kind.EPISODE, Importance.MEDIUM, tx_of.now), 0.0, tx_of.now,
        )  # fmt: skip
        m = tx.memories.add(lifecycle.start_life(blank, Importance.MEDIUM, "fade", tx_of.now))
        tx.memories.log(lifecycle.build_log_entry("created", None, m, 1.0, tx_of.now, "episode"))
        return m.id

    out = [await tx_of.write(lambda tx, i=i: write(tx, i)) for i in range(count)]  # type: ignore[misc]
    tx_of.made += out
    return out


@dataclass(frozen=True)
class Checkpoint:
    """How it all stood at a time: every memory, and what the service says each weighs."""

    day: float
    at: datetime
    memories: list[Memory]
    weights: dict[MemoryId, float]

    def levels(self) -> dict[int, int]:
        """How many active memories at each level."""
        return Counter(int(m.level) for m in self.memories if m.state is State.ACTIVE)


@dataclass(frozen=True)
class Lived:
    """A whole simulated life, as somebody sees it who has only what is printed."""

    made: list[MemoryId]
    deleted: set[MemoryId]
    done: dict[str, int]
    checkpoints: list[Checkpoint]
    printed: dict[MemoryId, list[str]]  # `ebb memory show ID --log --json`
    reviewed: dict[str, Recall]
    exported: str  # as JSONL, sealed secrets too
    again: str  # the export of a store that this was brought into
    then: list[
        tuple[datetime, list[Seen], list[Seen]]
    ]  # what was known on a day: there, and in the other store


Seen: TypeAlias = tuple[MemoryId, str, int]


def lived(shared: Path) -> Lived:
    """290 memories and ten episodes, a year with eight nights, then days 3,000 and 30,000; once for all test processes."""
    with FileLock(shared / "lived.lock"):
        kept = shared / "lived.pickle"
        if not kept.exists():
            kept.write_bytes(pickle.dumps(asyncio.run(_lived())))
        found: Lived = pickle.loads(kept.read_bytes())
        return found


async def _lived() -> Lived:
    with tempfile.TemporaryDirectory() as home:
        async with lives(Path(home) / "ebb.db") as w:
            for i in range(290):
                w.now = START + i * timedelta(hours=2, minutes=7, milliseconds=i)
                await w.learn(i)
            await episodes(w, 10)
            checkpoints = []
            await w.live(365, 300, 8)
            checkpoints.append(await _checkpoint(w))
            for curve in ("score", "fade"):  # in the middle of it EBB_CURVE is set anew, and back
                await switch.plan(w.store, curve, w.now)
                await w.drain()
            checkpoints.append(await _checkpoint(w))
            for day in (3000, 30_000):
                w.now = START + day * DAY
                await w.live(6, 40, 1)
                checkpoints.append(await _checkpoint(w))
            printed = {}
            for m in checkpoints[-1].memories:
                log = await w.read(partial(_log_of, m.id))
                printed[m.id] = json_lines(m, log, 1.0, w.now)
            one_of = {
                m.level: m
                for m in checkpoints[-1].memories
                if m.state is State.ACTIVE and m.negated_at is None
            }
            asked = [f"Looking back: {m.original_content}?" for m in one_of.values()]
            reviewed = {
                text: await w.service.recall(w.user, text, [], w.now, TZ, mode=Mode.REVIEW)
                for text in (*asked, "What did I say in the past about Kyoto?", "我以前买过什么？")
            }
            moved = await _moved(w, Path(home))
            return Lived(
                list(w.made), set(w.deleted), dict(w.done), checkpoints, printed, reviewed, *moved
            )


async def _moved(
    w: Lives, home: Path
) -> tuple[str, str, list[tuple[datetime, list[Seen], list[Seen]]]]:
    """All of it exported, brought into an empty store, exported from there; and looked back at in both."""
    (home / "new").mkdir()
    out: list[str] = []
    await w.service.porter.export(w.user, out.append, secrets=True)
    again: list[str] = []
    then = []
    async with lives(home / "new" / "ebb.db") as other:
        await other.service.porter.bring(other.user, lambda: list(out), w.now)
        await other.service.porter.export(other.user, again.append, secrets=True)
        for day in (1, 40, 200, 364, 2999.5, 3005, 29_999):
            at = START + day * DAY
            pages = [await x.service.list_known_at(x.user, at, limit=999) for x in (w, other)]
            here, there = ([(m.id, m.content, int(m.level)) for m in p.items] for p in pages)
            then.append((at, here, there))
    return "".join(out), "".join(again), then


def _log_of(memory_id: MemoryId, tx: Transaction) -> list[WeightEvent]:
    return tx.memories.list_weight_log(memory_id)


async def _checkpoint(w: Lives) -> Checkpoint:
    memories = await w.all()
    return Checkpoint(
        (w.now - START) / DAY,
        w.now,
        memories,
        {m.id: w.service.compute_weight(m, w.now) for m in memories},
    )
