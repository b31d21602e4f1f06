"""The one facade: `Memory`, for the bot and the front ends, and `Library`, for other programs."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from memory import models
from memory.api.changes import MemoryChanges
from memory.embed import LexicalEmbedder
from memory.errors import ModelError, NotFound, Refused
from memory.jobs import Effect, Handler, JobRunner
from memory.learn import forget as forgetting
from memory.learn import preferences
from memory.learn.answer import LearningTools
from memory.learn.asked_slots import find_asked_slots
from memory.learn.background import CurveSwitcher, embed_missing, plan
from memory.learn.cascade import drop_unsettled
from memory.learn.extract import Extractor
from memory.learn.keep_said import SaidKeeper
from memory.learn.monitor import Monitor
from memory.learn.people import find_renamed, show_names, swap_names
from memory.learn.quotes import QuoteReader, plan_reading
from memory.learn.slots import load_reader
from memory.learn.summarise import Summariser
from memory.mirror import Mirror, MirrorPlace
from memory.models import (
    Filter,
    Hit,
    Job,
    JobKind,
    Json,
    MemoryId,
    Message,
    Mode,
    Query,
    Recall,
    Session,
    State,
    Usage,
)
from memory.ports import (
    ChatModel,
    Chunk,
    Clock,
    Embedder,
    ModelRequest,
    Store,
    SystemTransaction,
    Transaction,
)
from memory.privacy import find_key, fingerprint_key, load_key, redact
from memory.recall import QueryEmbedder, find_standing, recall_memories
from memory.recall.agenda import DayView, find_agenda, find_day
from memory.recall.embedding import QueryVectors
from memory.recall.hard_days import HardDay
from memory.recall.passages import PassageFinder
from memory.store import make_worker_id, open_store
from memory.text.clean import MOST_READ, estimate_tokens, keep_ends
from memory.text.spans import is_question, split_sentences, split_spans
from memory.transfer import Transfer
from memory.upkeep.service import UpkeepService

CONTEXT: Final = 3  # messages before the newest that belong to a query (the product paper)
PROVIDER: Final = "library"  # under which the names of a program's users are kept
LEARNED: Final = 3_000  # tokens of messages that are learned from at once
PER_ANSWER: Final = 20  # messages of them
# seconds that `add` waits for learning; what is left goes on at the next call
PATIENCE: Final = 600.0
BUILT_IN: Final[frozenset[JobKind]] = frozenset(
    {"extract", "embed", "scrub", "upkeep", "curve", "seal"}
)
LONGEST: Final = 1_000  # characters of a quotation
ROLES: Final = ("user", "assistant")


class Memory(MemoryChanges):
    """What a program does with the memories of its users, by their ids and at given times.

    `Memory.open` is the small library for other programs: users by name, defaults for the rest.
    """

    def __init__(  # noqa: PLR0913 - every choice there is
        self,
        store: Store,
        *,
        model: ChatModel,
        embedder: Embedder,
        key: bytes | None,
        curve: str = "fade",
        u: float = 1.0,
        deadline_ms: int = 200,
        learning: str = "auto",
        budget_tokens: int = 0,
        log_text: bool = False,
        context_tokens: int = 16_000,
        reach: str = "all",
        standing_health: bool = True,
    ) -> None:
        super().__init__(store, embedder, key, curve, u)
        self.strict: Final = reach == "strict"
        self._standing_health = standing_health
        self._embedder = embedder
        self._queries = QueryEmbedder(embedder, deadline_ms)
        self._passages = PassageFinder(store, self._queries)
        self._tools = LearningTools(
            store,
            model,
            embedder,
            curve,
            u,
            learning,
            budget_tokens,
            log_text,
            max(context_tokens, 1_000),
        )
        self.handlers: Mapping[JobKind, Handler] = {
            "monitor": Monitor(self._tools).run,
            "summarise": Summariser(self._tools).run,
            "extract": Extractor(self._tools).run,
            "embed": partial(embed_missing, self._tools),
            "scrub": self._scrub,
            "curve": CurveSwitcher(store, u).run,
            "seal": self.sealer.run,
        }
        self.keep_said: Final = SaidKeeper(self._tools).keep
        self.porter = Transfer(store, key, curve, u, embedder)  # export and import
        self.keeper: UpkeepService | None = None

    @staticmethod
    @asynccontextmanager
    async def open(
        path: Path | str,
        *,
        embedder: Embedder | None = None,
        model: ChatModel | None = None,
        clock: Clock | None = None,
        zone: str = "UTC",
        curve: str = "fade",
    ) -> AsyncIterator[Library]:
        """Open the database at `path`, made if need be with its key beside it.

        Args:
            path: of the database file.
            embedder: turns texts into vectors; by default the built-in one, which compares
                letters and words.
            model: reads what to keep out of what was said; without one it is kept word for word.
            clock: returns the time; by default this machine's.
            zone: IANA name of the zone in which users speak of days and hours.
            curve: of `memory.lifecycle.CURVES`, by which memories fade.

        Raises:
            StoreError: the file cannot be used; the message says what to do.
        """
        path, chosen, clock = Path(path), embedder or LexicalEmbedder(), clock or _read_clock
        path.parent.mkdir(parents=True, exist_ok=True)
        worker = make_worker_id()
        store, key = await open_keyed(path, path.parent, clock=clock, worker=worker)
        try:
            await store.use_embedder(chosen.id, chosen.dim)
            memory = Memory(
                store, model=model or QuotingModel(), embedder=chosen, key=key, curve=curve
            )
            if model is not None:
                memory.read_quotes()
            await memory.catch_up(clock())
            keeper = memory.keep_nights(zone)
            for user_id in await store.write_system(lambda s: s.users()):
                await keeper.plan(user_id, clock())
            handlers = {
                k: h for k, h in memory.handlers.items() if model is not None or k in BUILT_IN
            }
            runner = JobRunner(store, handlers, clock, worker=worker)
            work = asyncio.create_task(runner.run())
            try:
                yield Library(memory, store, clock, zone, runner, {})
            finally:
                work.cancel()
                with suppress(asyncio.CancelledError):
                    await work
                await memory.close()
        finally:
            await store.close()

    async def catch_up(self, now: datetime) -> None:
        """Plan background work.

        Other curves, secrets of older versions, quotations that no model has read.
        """
        await self.sealer.plan(now)
        await plan(self._store, self._curve, now)
        if "quotes" in self.handlers:
            await plan_reading(self._store, self._tools.learning, now)

    def read_quotes(self) -> None:
        """Let the model read the notebook's quotations from now on.

        Not for the notebook, which wrote them.
        """
        self.handlers = {**self.handlers, "quotes": QuoteReader(self._tools).run}

    def keep_nights(
        self, tz: str = "UTC", *, hour: int = 4, erase_old: bool = False
    ) -> UpkeepService:
        """Do upkeep every night from now on.

        Its handler is among `handlers`. See `memory.upkeep.Keeper`.
        """
        self.keeper = UpkeepService(self._tools, tz=tz, hour=hour, erase_old=erase_old)
        self.handlers = {**self.handlers, "upkeep": self.keeper.job}
        return self.keeper

    def keep_mirror(self, place: MirrorPlace) -> Mirror:
        """Keep a MEMORY.md of every user from now on. Its handler is among `handlers`."""
        self.mirror = Mirror(self._store, self._rememberer, place, u=self._u)
        self.handlers = {**self.handlers, "mirror": self.mirror.handle_job}
        self._store.use_mirror()
        return self.mirror

    async def close(self) -> None:
        """Give up embeddings of queries that are still under way."""
        await self._queries.close()

    async def _scrub(self, _job: Job, now: datetime) -> Effect:
        if self.mirror is not None:
            await self.mirror.sweep()
        return await forgetting.scrub(self._store, now)

    # --- recall ---

    async def recall(
        self,
        user_id: str,
        text: str,
        context: Sequence[str],
        now: datetime,
        tz: str,
        *,
        mode: Mode = Mode.NORMAL,
        exclude: frozenset[MemoryId] = frozenset(),
        local_only: bool = False,
    ) -> Recall:
        """Return what this message calls to mind.

        `local_only`: nothing of it leaves the machine, embedding included.

        A secret is among the hits only where the message asks for it.
        """
        text = keep_ends(text, MOST_READ)
        earlier = tuple(keep_ends(t, MOST_READ) for t in context[-CONTEXT:])
        vector, late = None, False
        if self._embedder.local or not local_only:
            vector, late = await self._queries.embed(text, earlier)
        # A profile shows the new names alone.
        renamed = await self._store.read(user_id, lambda tx: find_renamed(tx, text))
        query = Query(
            user_id,
            text,
            earlier,
            now,
            tz,
            mode=mode,
            vector=vector,
            exclude=exclude - renamed,
            slots=await self._find_asked_slots(text, vector),
            strict=self.strict,
        )
        reader = self._store.open_reader(user_id)
        found = await recall_memories(reader, query, u=self._u)
        other = await self._store.read(user_id, lambda tx: swap_names(tx, text))
        if other != text:
            if self._embedder.local or not local_only:
                vector, late = await self._queries.embed(other, earlier)
            again = replace(query, text=other, vector=vector)
            found = _join_recalls(found, await recall_memories(reader, again, u=self._u))
        opened = await self.sealer.hits(user_id, text)
        found = await self._store.read(user_id, lambda tx: _name_hits(tx, found, text))
        if mode is Mode.NORMAL:
            hits = drop_unsettled(preferences.drop_quiet(found.hits, text), text, now)
            found = replace(found, hits=hits)
        return replace(found, hits=(*opened, *found.hits), late=late or found.late)

    async def _find_asked_slots(self, text: str, vector: QueryVectors | None) -> frozenset[str]:
        if vector is None or vector.embedder != self._embedder.id:
            return frozenset()
        reader = await load_reader(self._embedder, [text], waits=False)
        row = vector.rows[0][: self._embedder.dim]
        calls = vector.reader is not None and vector.reader.score_call(row) > 0
        return find_asked_slots(text, row, reader, calls=calls) if reader else frozenset()

    async def recall_passages(
        self,
        user_id: str,
        scope: str,
        text: str,
        context: Sequence[str],
        *,
        session_id: str | None = None,
        unstored: Sequence[models.Document] = (),
        local_only: bool = False,
    ) -> tuple[models.Passage, ...]:
        """Return what a message calls to mind of its conversation's documents, best first."""
        embed = self._embedder.local or not local_only
        find = partial(self._passages.find, session_id=session_id, unstored=unstored, embed=embed)
        return await find(user_id, scope, text, context[-CONTEXT:])

    async def read_hard_day(
        self, text: str, *, local_only: bool = False, after: bool = False
    ) -> HardDay:
        """Tell whether somebody speaks of hurting themselves, or worries that another might.

        `after`: a message before it did.
        """
        read = partial(self._queries.read_hard_day, keep_ends(text, MOST_READ))
        return await read(local_only=local_only, after=after)

    async def get_profile(
        self, user_id: str, session: Session | None, now: datetime
    ) -> list[models.Memory]:
        """Return the standing memories.

        Those frozen at the session's first turn that still hold, then what is new since.
        """
        health, begins = self._standing_health, session is None or session.profile is None
        found = await self._store.read(
            user_id, lambda tx: find_standing(tx, self._u, now, health=health, filled=begins)
        )
        if session is not None and (frozen := session.profile) is not None:
            kept = await self._store.read(user_id, lambda tx: tx.memories.get_many(frozen))
            found = [
                *(m for m in kept if _holds(m, now)),
                *(m for m in found if m.id not in frozen),
            ]
        elif session is not None:
            await self._store.write(
                user_id, lambda tx: _freeze(tx, session.id, [m.id for m in found])
            )
        return await self._store.read(user_id, lambda tx: show_names(tx, found))

    async def get_day(self, user_id: str, now: datetime, tz: str, *, away: bool = False) -> DayView:
        """Return what stands around today (`away`: only what is today), and who has died."""

        def read(tx: Transaction) -> DayView:
            day = find_day(tx, now, tz, away=away)
            return day._replace(near=show_names(tx, day.near))

        return await self._store.read(user_id, read)

    async def get_agenda(
        self, user_id: str, since: datetime, until: datetime, tz: str
    ) -> list[models.Memory]:
        """Return what has its day in since <= t < until, in order of days."""
        return await self._store.read(
            user_id, lambda tx: show_names(tx, find_agenda(tx, since, until, tz))
        )

    async def explain(self, user_id: str, scope: str, turn_id: str | None = None) -> Recall | None:
        """Return what was recalled for a turn, by default the scope's last one."""

        def read(tx: Transaction) -> Recall | None:
            wanted = turn_id or tx.traces.get_last_turn(scope)
            found = tx.traces.load(wanted) if wanted else None
            return _name_hits(tx, found) if found else None

        return await self._store.read(user_id, read)


def _join_recalls(a: Recall, b: Recall) -> Recall:
    """Return what two forms of one message call to mind, each memory by the better one."""
    best = dict[MemoryId, Hit]()
    for h in sorted((*a.hits, *b.hits), key=lambda h: -h.gate):
        best.setdefault(h.memory.id, h)
    most = max(len(a.hits), len(b.hits))
    missed = tuple(h for h in a.missed if h.memory.id not in best)
    return replace(a, hits=tuple(best.values())[:most], missed=missed)


def _name_hits(tx: Transaction, found: Recall, text: str = "") -> Recall:
    """Return what was recalled with the names that hold now, without what tells a name alone."""

    def name(hits: Sequence[Hit]) -> tuple[Hit, ...]:
        named = show_names(tx, [h.memory for h in hits], text)
        both = zip(hits, named, strict=True)
        return tuple(replace(h, memory=m) for h, m in both if m is h.memory or not m.renamed)

    return replace(found, hits=name(found.hits), missed=name(found.missed))


@dataclass(frozen=True, slots=True)
class Library:
    """The memories of a program's users, in one file. Every call names its user.

    Without a model, `add` keeps what a user said word for word, and nothing else needs one. Every
    method raises `memory.errors.MemoryError_`: NotFound for an id that this user does not have,
    Refused for what is not kept.
    """

    memory: Memory
    store: Store
    clock: Clock
    zone: str
    _runner: JobRunner
    _users: dict[str, str]

    # --- keeping ---

    async def add(
        self, messages: Sequence[Mapping[str, str]], *, user: str, at: datetime | None = None
    ) -> list[models.Memory]:
        """Keep what is worth keeping of a conversation; return the memories it made or changed.

        Args:
            messages: `{"role": "user" | "assistant", "content": text}`, oldest first. Only the
            user's own words
                teach; the assistant's say what they answer.
            user: whose words these are, by any name the program has for them.
            at: when it was said; by default now.

        Raises:
            ValueError: a message has another role or no text.
        """
        said = [(str(m.get("role")), m.get("content")) for m in messages]
        if wrong := next(
            (role for role, text in said if role not in ROLES or not isinstance(text, str)), None
        ):
            raise ValueError(
                "A message needs a role, user or assistant, and a content of text;"
                f" one has {wrong!r}."
            )
        user_id, at = await self._user_id(user), at or self.clock()
        before = await self.store.read(user_id, lambda tx: tx.changes.get_last_seq())
        texts = [(role, str(text)) for role, text in said]
        await self.store.write(user_id, lambda tx: self._store_messages(tx, texts, at))
        self._runner.notify_new_work()
        await self._runner.drain(PATIENCE)
        changed = await self.store.read(user_id, lambda tx: tx.changes.list_changes(after=before))
        ids = dict.fromkeys(c.entity_id for c in changed if c.entity == "memory")
        return await self.memory.get_many(user_id, list(ids))

    async def remember(self, text: str, *, user: str) -> models.Memory:
        """Keep a sentence in the words given, as the user's own wish."""
        user_id = await self._user_id(user)
        scope = f"user:{user_id}"
        return (
            await self.memory.remember(user_id, text, self.clock(), tz=self.zone, scope=scope)
        ).memory

    async def update(self, memory_id: str, text: str, *, user: str) -> models.Memory:
        """Replace a memory's text; its history keeps the former one."""
        return await self.memory.edit(await self._user_id(user), memory_id, text, self.clock())

    async def forget(self, what: str, *, user: str) -> list[models.Memory]:
        """Forget one memory, by its id or in words; it can be undone until it is purged.

        Raises:
            NotFound: nothing is meant.
            Refused: more than one memory could be meant (`ambiguous`); the message lists them with
            their ids.
        """
        user_id = await self._user_id(user)
        one = await self.memory.get(user_id, what)
        if one is None:
            plan = await self.memory.plan_forget(user_id, what, self.clock())
            one = plan.clear
            if one is None and not plan.candidates:
                raise NotFound(f"Nothing is kept about {what!r}.")
            if one is None:
                several = "; ".join(f"[{m.id}] {m.shown_text}" for m in plan.candidates)
                raise Refused(
                    "ambiguous", f"More than one memory could be meant, so name its id: {several}"
                )
        return (await self.memory.forget(user_id, [one.id], self.clock())).memories

    async def undo(self, *, user: str) -> list[models.Memory]:
        """Take back the user's newest change; return the memories as they are now."""
        return (await self.memory.undo(await self._user_id(user), self.clock())).memories

    async def purge(self, memory_id: str, *, user: str) -> Mapping[str, int]:
        """Erase a memory for good, with its words everywhere; return how much went from where."""
        return (await self.memory.purge(await self._user_id(user), memory_id, self.clock())).places

    # --- looking ---

    async def search(
        self,
        text: str,
        *,
        user: str,
        context: Sequence[str] = (),
        limit: int = 3,
        review: bool = False,
    ) -> list[Hit]:
        """Find what a message calls to mind, best first; nothing where nothing does.

        Args:
            text: a message, or a question.
            user: whose memories are searched.
            context: messages before it, oldest first.
            limit: hits at most.
            review: also what was superseded or has faded, and a lower bar.
        """
        user_id, mode = await self._user_id(user), Mode.REVIEW if review else Mode.NORMAL
        found = await self.memory.recall(user_id, text, context, self.clock(), self.zone, mode=mode)
        return list(found.hits[:limit])

    async def all(self, *, user: str, limit: int = 100) -> list[models.Memory]:
        """Return the memories that are in force, the one used last first."""
        user_id, f = await self._user_id(user), Filter(valid_at=self.clock())
        return list((await self.memory.find(user_id, f, limit=limit)).items)

    async def history(self, memory_id: str, *, user: str) -> list[models.Change]:
        """Return every change of a memory, oldest first: what it was before and after, and why."""
        user_id = await self._user_id(user)
        return await self.store.read(
            user_id, lambda tx: tx.changes.list_changes(of=("memory", memory_id))
        )

    async def export(
        self, write: Callable[[str], object], *, user: str, secrets: bool = False
    ) -> None:
        """Hand each line of the user's export, JSON Lines, to `write`; secrets leave sealed."""
        await self.memory.porter.export(await self._user_id(user), write, secrets=secrets)

    # --- inside ---

    async def _user_id(self, user: str) -> str:
        """Return the id of a program's user, made at their first call."""
        if user not in self._users:
            self._users[user] = await get_or_create_user(self.store, PROVIDER, user, self.clock())
        return self._users[user]

    def _store_messages(
        self, tx: Transaction, said: Sequence[tuple[str, str]], at: datetime
    ) -> None:
        """Store messages as a session of its own, closed, and the jobs that learn from it."""
        now = self.clock()
        tx.changes.begin("user", "chat", now)
        session = tx.conversations.open_session(f"{PROVIDER}:{tx.user_id}", at)
        size, count = 0, 0
        for i, (role, text) in enumerate(said):
            author = tx.user_id if role == "user" else None
            row = Message(
                "", session.id, None, author, "user" if author else "assistant", text, at, self.zone
            )
            stored = self.memory.sealer.adder(text)(tx, row)
            size, count = size + estimate_tokens(text), count + 1
            if size >= LEARNED or count == PER_ANSWER or i == len(said) - 1:
                payload: dict[str, Json] = {"session_id": session.id, "through": stored.seq}
                tx.jobs.enqueue("extract", f"{session.id}:{stored.seq}", payload, now)
                size, count = 0, 0
        tx.conversations.put_session(replace(session, last_at=at))
        tx.conversations.close_session(session.id, now, "import")


def _holds(m: models.Memory, now: datetime) -> bool:
    current = m.state is State.ACTIVE and m.negated_at is None and m.quiet_at is None
    return current and not m.is_unsettled(now) and not m.has_ended(now)


def _freeze(tx: Transaction, session_id: str, ids: Sequence[MemoryId]) -> None:
    session = tx.conversations.get_session(session_id)
    if session is not None and session.profile is None:
        tx.conversations.put_session(replace(session, profile=tuple(ids)))


def _read_clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - an edge: whoever opens memory may bring a clock


# --- opening ---


async def get_or_create_user(store: Store, provider: str, external_id: str, now: datetime) -> str:
    """Return the user of an identity; one is made where there is none."""

    def find_or_make(s: SystemTransaction) -> str:
        user_id = s.resolve(provider, external_id)
        if user_id is None:
            user_id = s.create_user(now)
            s.link(provider, external_id, user_id, now)
        return user_id

    return await store.write_system(find_or_make)


async def open_keyed(
    path: Path, home: Path, *, clock: Clock, worker: str
) -> tuple[Store, bytes | None]:
    """Open the database with its home's key.

    The key is None if it is lost: then no new one is made by itself.

    A key is made where nothing rests on one yet, or where its owner put an empty file `key.new`.
    Raises StoreError.
    """
    key = await asyncio.to_thread(find_key, home)
    store = await open_store(path, clock=clock, worker=worker, key=key or secrets.token_bytes(32))
    keyed, mark = await store.write_system(lambda s: (s.keyed(), s.get("key")))
    wish = home / "key.new"
    if key is None and (not keyed or wish.exists()):
        await store.close()
        key, keyed = await asyncio.to_thread(load_key, home), False
        store = await open_store(path, clock=clock, worker=worker, key=key)
        wish.unlink(missing_ok=True)
    if key is not None and mark != (mine := fingerprint_key(key)):
        if keyed and mark is not None:
            return store, None  # another home's, or one made after this one was lost
        await store.write_system(lambda s: s.set("key", mine))
    return store, key


class QuotingModel:
    """Stands where no model was given: the extractor gets each user's own words as quotations."""

    name = "none"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the answer to an extraction. Raises ModelError for every other task."""
        if request.task != "extract":
            raise ModelError("bad_request", detail=f"no model was given for {request.task}")
        yield Chunk(json.dumps(list(_quote(request.data)), ensure_ascii=False), "stop", Usage())


def _quote(data: Mapping[str, Json]) -> list[Json]:
    """Return an entry for each stretch of own words that states something and holds no secret."""
    out: list[Json] = []
    messages = data.get("messages")
    for n, m in enumerate(messages if isinstance(messages, list) else [], start=1):
        if not isinstance(m, dict) or m.get("role") != "user":
            continue
        text = str(m.get("text") or "")
        for span in split_spans(text):
            words = text[span.start : span.end].strip()[:LONGEST]
            stated = any(not is_question(words[a:b]) for a, b in split_sentences(words))
            if span.kind == "own" and stated and not redact(words)[1]:
                out.append(
                    {
                        "content": words,
                        "kind": "fact",
                        "quote": "yes",
                        "said": {"n": n, "words": words},
                    }
                )
    return out
