"""One facade over memory work for everything above it; no logic of its own."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from memory import lifecycle
from memory.jobs import Effect, Handler
from memory.learn import edits, preferences, proposals
from memory.learn import forget as forgetting
from memory.learn.answer import LearningTools
from memory.learn.background import CurveSwitcher, embed_missing, plan
from memory.learn.extract import Extractor
from memory.learn.forget import ForgetResult, PurgeReceipt, forget, forget_everything
from memory.learn.forget_plan import ForgetPlan, ForgetPlanner
from memory.learn.monitor import Monitor
from memory.learn.quotes import QuoteReader, plan_reading
from memory.learn.remember import Rememberer, RememberRequest, RememberResult
from memory.learn.secrets import SecretSealer
from memory.learn.summarise import Summariser
from memory.learn.undo import UndoResult, list_undoable, undo
from memory.mirror import Mirror, MirrorPlace, answered
from memory.models import (
    ChangeSet,
    Filter,
    Job,
    JobKind,
    Memory,
    MemoryId,
    MemoryPage,
    Message,
    Mode,
    Proposal,
    Query,
    Recall,
    Session,
    State,
)
from memory.ports import ChatModel, Clock, Embedder, Store, SystemTransaction, Transaction
from memory.recall import QueryEmbedder, find_standing, recall_memories
from memory.text.clean import MOST_READ, keep_ends
from memory.text.commands import Intent, find_intents
from memory.transfer import Transfer
from memory.upkeep.service import UpkeepService

__all__ = [
    "ForgetPlan",
    "ForgetResult",
    "Intent",
    "MemoryService",
    "PurgeReceipt",
    "RememberResult",
    "UndoResult",
    "open_keyed",
]
CONTEXT = 3  # messages before the newest that belong to a query (the product paper)


class MemoryService:
    """The memory that `bot` and other programs use.

    Every method is of one user, and is given the time.
    """

    def __init__(  # noqa: PLR0913 - one facade over everything
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
        self._strict = reach == "strict"
        self._standing_health = standing_health
        self._store = store
        self._u = u
        self._embedder = embedder
        self._queries = QueryEmbedder(embedder, deadline_ms)
        self._planner = ForgetPlanner(store, embedder)
        self._rememberer = Rememberer(store, embedder, key, curve, u)
        self._sealed = SecretSealer(store, key)
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
            "seal": self._sealed.run,
        }
        self.mirror: Mirror | None = None
        self.porter = Transfer(store, key, curve, u)  # export and import
        self._curve = curve
        self.keeper: UpkeepService | None = None

    async def catch_up(self, now: datetime) -> None:
        """Plan background work.

        Other curves, secrets of older versions, quotations that no model has read.
        """
        await self._sealed.plan(now)
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
        """Keep a MEMORY.md of every user from now on.

        Its handler is among `handlers`.
        """
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
        query = Query(
            user_id,
            text,
            earlier,
            now,
            tz,
            mode=mode,
            vector=vector,
            exclude=exclude,
            strict=self._strict,
        )
        found = await self._store.open_reader(user_id).run_in_one_read(
            lambda reader: recall_memories(reader, query, u=self._u)
        )
        secrets = await self._sealed.hits(user_id, text)
        if mode is Mode.NORMAL:
            found = replace(
                found, hits=tuple(h for h in found.hits if preferences.may_come_up(h.memory, text))
            )
        return replace(found, hits=(*secrets, *found.hits), late=late or found.late)

    async def get_profile(
        self, user_id: str, session: Session | None, now: datetime
    ) -> list[Memory]:
        """Return the standing memories.

        Those frozen at the session's first turn that still hold, then what is new since.
        """
        health = self._standing_health
        found = await self._store.read(
            user_id, lambda tx: find_standing(tx, self._u, now, health=health)
        )
        if session is not None and (frozen := session.profile) is not None:
            kept = await self._store.read(user_id, lambda tx: tx.memories.get_many(frozen))
            return [*(m for m in kept if _holds(m, now)), *(m for m in found if m.id not in frozen)]
        if session is not None:
            await self._store.write(
                user_id, lambda tx: _freeze(tx, session.id, [m.id for m in found])
            )
        return found

    async def explain(self, user_id: str, scope: str, turn_id: str | None = None) -> Recall | None:
        """Return what was recalled for a turn, by default the scope's last one."""

        def read(tx: Transaction) -> Recall | None:
            wanted = turn_id or tx.traces.get_last_turn(scope)
            return tx.traces.load(wanted) if wanted else None

        return await self._store.read(user_id, read)

    # --- the person's own acts ---

    def find_intents(self, text: str) -> tuple[Intent, ...]:
        """Return what a chat message tells Ebb to forget and to remember, in order."""
        return find_intents(text)

    async def remember(
        self,
        user_id: str,
        text: str,
        now: datetime,
        *,
        tz: str,
        scope: str,
        turn_id: str | None = None,
        message_id: str | None = None,
    ) -> RememberResult:
        """Keep what the person wants kept.

        Empty: what was said before `message_id`. Raises Refused.
        """
        return await self._rememberer.remember(
            RememberRequest(user_id, text, now, tz, scope, turn_id, message_id)
        )

    async def plan_forget(
        self,
        user_id: str,
        text: str,
        now: datetime,
        *,
        scope: str | None = None,
        message_id: str | None = None,
        spare: str = "",
        every: bool = False,
    ) -> ForgetPlan:
        """Find what a request to forget could mean, and change nothing.

        Empty: what was said before `message_id`.
        """
        del now  # a plan looks at everything, however faded
        return await self._planner.plan(
            user_id, text, scope=scope, asking=message_id, spare=spare, every=every
        )

    async def forget(
        self,
        user_id: str,
        ids: Sequence[MemoryId],
        now: datetime,
        *,
        actor: str = "user",
        turn_id: str | None = None,
        message_ids: Iterable[str] = (),
    ) -> ForgetResult:
        """Delete softly, hide everywhere, leave tombstones: one change set. Raises NotFound."""
        asking = tuple(message_ids)
        return await self._store.write(
            user_id,
            lambda tx: forget(tx, ids, now, actor=actor, turn_id=turn_id, message_ids=asking),
        )

    async def keep_quiet(
        self,
        user_id: str,
        thing: str,
        now: datetime,
        *,
        on: bool = True,
        turn_id: str | None = None,
    ) -> list[Memory]:
        """Keep quiet about a thing, or speak of it again.

        Returns the memories that are marked, or no longer are.
        """
        return await self._store.write(
            user_id, lambda tx: preferences.keep_quiet(tx, thing, now, on=on, turn_id=turn_id)
        )

    async def mark_quiet(
        self, user_id: str, memory_id: MemoryId, on: bool, now: datetime
    ) -> Memory:
        """Keep quiet about one memory, or speak of it again. Raises NotFound."""

        def write(tx: Transaction) -> Memory:
            m = edits.must(tx, memory_id)
            return preferences.mark_quiet(tx, [m.id], m.original_content if on else None, now)[0]

        return await self._store.write(user_id, write)

    async def is_off(self, user_id: str) -> bool:
        """Tell whether the person has switched memory off."""
        return await self._store.read(user_id, preferences.is_off)

    async def switch_off(
        self, user_id: str, now: datetime, *, after: int | None, erase: bool
    ) -> bool:
        """Learn and recall nothing from a message on; False if off already.

        It is the message behind `after`, or the next one for None.
        """

        def write(tx: Transaction) -> bool:
            newest = tx.conversations.list_messages(limit=1, newest=True, hidden=True)
            last = newest[-1].seq if newest else 0
            tx.changes.begin("user", "switch", now)
            return preferences.turn_memory_off(tx, last if after is None else after, erase=erase)

        return await self._store.write(user_id, write)

    async def switch_on(self, user_id: str, now: datetime) -> bool:
        """Learn and recall again; what was said meanwhile is not learned.

        False if memory was on already.
        """
        return await self._store.write(user_id, lambda tx: preferences.turn_memory_on(tx, now))

    async def count_everything(self, user_id: str) -> int:
        """Count the memories that `forget_everything` would let go of.

        They are in whatever state, but for those that are gone.
        """
        counts = await self._store.read(user_id, lambda tx: tx.memories.count_by("state"))
        return sum(n for state, n in counts.items() if state != State.DELETED)

    async def forget_everything(self, user_id: str, now: datetime) -> ForgetResult:
        """Delete every memory and all that was said, softly.

        One change set, undoable. Raises NotFound without any.
        """
        return await self._store.write(user_id, lambda tx: forget_everything(tx, now))

    async def delete(self, user_id: str, memory_id: MemoryId, now: datetime) -> ForgetResult:
        """Forget one memory. Raises NotFound."""
        return await self.forget(user_id, [memory_id], now)

    async def undo(self, user_id: str, now: datetime, set_id: str | None = None) -> UndoResult:
        """Take back a change set, by default the newest. Raises Conflict, NotFound."""
        return await self._store.write(user_id, lambda tx: undo(tx, now, self._u, set_id))

    async def list_undoable(
        self, user_id: str, limit: int = 20
    ) -> list[tuple[ChangeSet, list[Memory]]]:
        """List the newest change sets that can be undone, newest first.

        Each has the memories it touched.
        """
        return await self._store.read(user_id, lambda tx: list_undoable(tx, limit))

    async def restore(self, user_id: str, memory_id: MemoryId, now: datetime) -> Memory:
        """Bring back what was deleted or forgotten. Raises NotFound."""
        return await self._store.write(
            user_id, lambda tx: edits.restore(tx, memory_id, self._u, now)
        )

    async def edit(self, user_id: str, memory_id: MemoryId, text: str, now: datetime) -> Memory:
        """Put it in the person's own words. Raises NotFound, Refused."""
        return await self._store.write(
            user_id, lambda tx: edits.edit(tx, memory_id, text, self._u, now)
        )

    async def pin(self, user_id: str, memory_id: MemoryId, on: bool, now: datetime) -> Memory:
        """Keep a memory from fading, or let it fade again. Raises NotFound, Conflict."""
        return await self._store.write(
            user_id, lambda tx: edits.pin(tx, memory_id, on, self._u, now)
        )

    async def accept(self, user_id: str, memory_id: MemoryId, now: datetime) -> Memory:
        """Confirm what was proposed. Raises NotFound, Conflict."""
        return await self._store.write(
            user_id, lambda tx: proposals.accept(tx, memory_id, self._curve, self._u, now)
        )

    async def decline_proposal(self, user_id: str, proposal_id: str, now: datetime) -> None:
        """Say no to a proposal. Raises NotFound."""
        await self._store.write(user_id, lambda tx: proposals.decline(tx, proposal_id, now))

    async def list_proposals(self, user_id: str) -> list[Proposal]:
        """List what waits for a yes or no, oldest first."""
        return await self._store.read(user_id, lambda tx: tx.proposals.open())

    async def ask_today(self, user_id: str, now: datetime) -> Proposal | None:
        """Return the proposal to ask about now, at most one a day.

        It is noted as asked.
        """
        if not await self.list_proposals(user_id):
            return None
        return await self._store.write(user_id, lambda tx: proposals.ask_today(tx, now))

    async def purge(self, user_id: str, memory_id: MemoryId, now: datetime) -> PurgeReceipt:
        """Erase it for good, every copy, those of MEMORY.md included. Raises NotFound."""

        def write(tx: Transaction) -> PurgeReceipt:
            secret = self._sealed.values(tx, memory_id)
            receipt = forgetting.purge(tx, [memory_id], now)
            said = receipt.places.get("messages", 0) + self._sealed.expunge(tx, secret)
            return replace(receipt, places={**receipt.places, "messages": said})

        if self.mirror is None:
            return await self._store.write(user_id, write)
        await self.mirror.sync(user_id, now)  # what the person has changed there comes first
        receipt = await self._store.write(user_id, write)
        left = await self.mirror.expunge(user_id, receipt.memory_ids, now)
        return replace(receipt, places={**receipt.places, **left})

    async def list_receipts(self, user_id: str, limit: int = 10) -> list[PurgeReceipt]:
        """List the last purges, newest first.

        Each says whether the file is scrubbed of it by now.
        """
        return await self._store.read(user_id, lambda tx: forgetting.list_receipts(tx, limit))

    async def forget_missing(
        self, user_id: str, ids: Sequence[MemoryId], now: datetime
    ) -> list[Memory]:
        """Forget these of the entries that went missing from MEMORY.md.

        No ids: keep them all.
        """
        return await self._store.write(user_id, lambda tx: answered(tx, ids, now))

    def make_adder(self, text: str) -> Callable[[Transaction, Message], Message]:
        """Return what stores a message of that text, its secrets sealed.

        It is for use inside a write.
        """
        return self._sealed.adder(text)

    async def unseal_last(self, user_id: str, scope: str, now: datetime) -> bool:
        """Bring back what was sealed last in the scope: it is no secret.

        False if nothing was.
        """
        return await self._sealed.spare(user_id, scope, now)

    @property
    def can_seal(self) -> bool:
        """Whether there is a key to seal with."""
        return self._sealed.key is not None

    async def is_locked(self, user_id: str, text: str) -> bool:
        """Tell whether the message asks for a secret that cannot be opened.

        Its key is missing or another one.
        """
        return await self._sealed.locked(user_id, text)

    async def reveal(self, user_id: str, memory_id: MemoryId) -> str | None:
        """Return what a secret memory holds.

        None if the key was lost or it is no secret. Raises NotFound.
        """
        return await self._sealed.open(user_id, memory_id)

    # --- looking ---

    async def find(
        self,
        user_id: str,
        f: Filter,
        text: str | None = None,
        order: Literal["weight", "activated", "created"] = "activated",
        limit: int = 50,
        offset: int = 0,
    ) -> MemoryPage:
        """Return a page of memories."""
        return await self._store.read(
            user_id,
            lambda tx: tx.memories.find(f, text=text, order=order, limit=limit, offset=offset),
        )

    async def list_known_at(
        self, user_id: str, at: datetime, text: str | None = None, limit: int = 50, offset: int = 0
    ) -> MemoryPage:
        """Return what was known at that moment, in its words then; newest first."""
        return await self._store.read(
            user_id, lambda tx: tx.memories.list_known_at(at, text=text, limit=limit, offset=offset)
        )

    async def get(self, user_id: str, memory_id: MemoryId) -> Memory | None:
        """Return one memory, in any state."""
        return await self._store.read(user_id, lambda tx: tx.memories.get(memory_id))

    async def get_many(self, user_id: str, ids: Sequence[MemoryId]) -> list[Memory]:
        """Return memories in any state, in the order asked for.

        Those that are erased are left out.
        """
        return await self._store.read(user_id, lambda tx: tx.memories.get_many(ids))

    def compute_weight(self, m: Memory, now: datetime) -> float:
        """Return its weight now."""
        return lifecycle.compute_weight(m, self._u, now)


def _holds(m: Memory, now: datetime) -> bool:
    ended = m.valid_until is not None and m.valid_until <= now
    return m.state is State.ACTIVE and m.negated_at is None and m.quiet_at is None and not ended


def _freeze(tx: Transaction, session_id: str, ids: Sequence[MemoryId]) -> None:
    session = tx.conversations.get_session(session_id)
    if session is not None and session.profile is None:
        tx.conversations.put_session(replace(session, profile=tuple(ids)))


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
    from memory.privacy import find_key, fingerprint_key, load_key
    from memory.store import open_store

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
