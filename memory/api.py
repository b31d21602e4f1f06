"""Ebb's memory as a library: `async with Memory.open("home.db") as m: await m.add([...], user="ann")`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from memory import models
from memory.errors import ModelError, NotFound, Refused
from memory.jobs import JobRunner
from memory.models import Filter, Hit, JobKind, Json, Message, Mode, Usage
from memory.ports import ChatModel, Chunk, Clock, Embedder, ModelRequest, Store, Transaction
from memory.privacy import redact
from memory.service import MemoryService, get_or_create_user, open_keyed
from memory.text.clean import estimate_tokens
from memory.text.spans import is_question, split_sentences, split_spans

__all__ = ["Memory"]
PROVIDER: Final = "library"  # under which the names of a program's users are kept
LEARNED: Final = 3_000  # tokens of messages that are learned from at once
PER_ANSWER: Final = 20  # messages of them
LONGEST: Final = 1_000  # characters of a quotation
PATIENCE: Final = (
    600.0  # seconds that `add` waits for learning; what is left goes on at the next call
)
BUILT_IN: Final[frozenset[JobKind]] = frozenset(
    {"extract", "embed", "scrub", "upkeep", "curve", "seal"}
)
ROLES: Final = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Memory:
    """The memories of a program's users, in one file. Every call names its user.

    Without a model, `add` keeps what a user said word for word, and nothing else needs one. Every
    method raises `memory.errors.MemoryError_`: NotFound for an id that this user does not have,
    Refused for what is not kept.
    """

    service: MemoryService
    store: Store
    clock: Clock
    zone: str
    _runner: JobRunner
    _users: dict[str, str]

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
    ) -> AsyncIterator[Memory]:
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
        from memory.embed import LexicalEmbedder
        from memory.store import make_worker_id

        path, chosen, clock = Path(path), embedder or LexicalEmbedder(), clock or _read_clock
        path.parent.mkdir(parents=True, exist_ok=True)
        worker = make_worker_id()
        store, key = await open_keyed(path, path.parent, clock=clock, worker=worker)
        try:
            await store.use_embedder(chosen.id, chosen.dim)
            service = MemoryService(
                store, model=model or QuotingModel(), embedder=chosen, key=key, curve=curve
            )
            if model is not None:
                service.read_quotes()
            await service.catch_up(clock())
            keeper = service.keep_nights(zone)
            for user_id in await store.write_system(lambda s: s.users()):
                await keeper.plan(user_id, clock())
            handlers = {
                k: h for k, h in service.handlers.items() if model is not None or k in BUILT_IN
            }
            runner = JobRunner(store, handlers, clock, worker=worker)
            work = asyncio.create_task(runner.run())
            try:
                yield Memory(service, store, clock, zone, runner, {})
            finally:
                work.cancel()
                with suppress(asyncio.CancelledError):
                    await work
                await service.close()
        finally:
            await store.close()

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
                f"A message needs a role, user or assistant, and a content of text; one has {wrong!r}."
            )
        user_id, at = await self._user_id(user), at or self.clock()
        before = await self.store.read(user_id, lambda tx: tx.changes.get_last_seq())
        texts = [(role, str(text)) for role, text in said]
        await self.store.write(user_id, lambda tx: self._store_messages(tx, texts, at))
        self._runner.notify_new_work()
        await self._runner.drain(PATIENCE)
        changed = await self.store.read(user_id, lambda tx: tx.changes.list_changes(after=before))
        ids = dict.fromkeys(c.entity_id for c in changed if c.entity == "memory")
        return await self.service.get_many(user_id, list(ids))

    async def remember(self, text: str, *, user: str) -> models.Memory:
        """Keep a sentence in the words given, as the user's own wish."""
        user_id = await self._user_id(user)
        scope = f"user:{user_id}"
        return (
            await self.service.remember(user_id, text, self.clock(), tz=self.zone, scope=scope)
        ).memory

    async def update(self, memory_id: str, text: str, *, user: str) -> models.Memory:
        """Replace a memory's text; its history keeps the former one."""
        return await self.service.edit(await self._user_id(user), memory_id, text, self.clock())

    async def forget(self, what: str, *, user: str) -> list[models.Memory]:
        """Forget one memory, by its id or in words; it can be undone until it is purged.

        Raises:
            NotFound: nothing is meant.
            Refused: more than one memory could be meant (`ambiguous`); the message lists them with
            their ids.
        """
        user_id = await self._user_id(user)
        one = await self.service.get(user_id, what)
        if one is None:
            plan = await self.service.plan_forget(user_id, what, self.clock())
            one = plan.clear
            if one is None and not plan.candidates:
                raise NotFound(f"Nothing is kept about {what!r}.")
            if one is None:
                several = "; ".join(f"[{m.id}] {m.content}" for m in plan.candidates)
                raise Refused(
                    "ambiguous", f"More than one memory could be meant, so name its id: {several}"
                )
        return (await self.service.forget(user_id, [one.id], self.clock())).memories

    async def undo(self, *, user: str) -> list[models.Memory]:
        """Take back the user's newest change; return the memories as they are now."""
        return (await self.service.undo(await self._user_id(user), self.clock())).memories

    async def purge(self, memory_id: str, *, user: str) -> Mapping[str, int]:
        """Erase a memory for good, with its words everywhere; return how much went from which place."""
        return (await self.service.purge(await self._user_id(user), memory_id, self.clock())).places

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
        found = await self.service.recall(
            user_id, text, context, self.clock(), self.zone, mode=mode
        )
        return list(found.hits[:limit])

    async def all(self, *, user: str, limit: int = 100) -> list[models.Memory]:
        """Return the memories that are in force, the one used last first."""
        return list(
            (await self.service.find(await self._user_id(user), Filter(), limit=limit)).items
        )

    async def history(self, memory_id: str, *, user: str) -> list[models.Change]:
        """Return every change of a memory, oldest first: what it was before and after, and why."""
        user_id = await self._user_id(user)
        return await self.store.read(
            user_id, lambda tx: tx.changes.list_changes(of=("memory", memory_id))
        )

    async def export(
        self, write: Callable[[str], object], *, user: str, secrets: bool = False
    ) -> None:
        """Hand each line of the user's export, JSON Lines, to `write`; secrets leave sealed, and if asked for."""
        await self.service.porter.export(await self._user_id(user), write, secrets=secrets)

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
            stored = self.service.make_adder(text)(tx, row)
            size, count = size + estimate_tokens(text), count + 1
            if size >= LEARNED or count == PER_ANSWER or i == len(said) - 1:
                payload: dict[str, Json] = {"session_id": session.id, "through": stored.seq}
                tx.jobs.enqueue("extract", f"{session.id}:{stored.seq}", payload, now)
                size, count = 0, 0
        tx.conversations.put_session(replace(session, last_at=at))
        tx.conversations.close_session(session.id, now, "import")


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


def _read_clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - an edge: whoever opens memory may bring a clock of their own
