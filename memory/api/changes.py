"""What a person does to their memories, and how they look at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal

from memory import lifecycle, models
from memory.learn import edits, preferences, proposals, todos, waiting_questions
from memory.learn import forget as forgetting
from memory.learn.forget import ForgetResult, PurgeReceipt, forget, forget_everything
from memory.learn.forget_plan import ForgetPlan, ForgetPlanner
from memory.learn.people import forget_old_name, show_names
from memory.learn.remember import Rememberer, RememberRequest, RememberResult
from memory.learn.secrets import SecretSealer
from memory.learn.steps import touches_memory
from memory.learn.undo import NightUndoResult, UndoResult, list_undoable, undo, undo_night
from memory.mirror import Mirror, answered
from memory.models import ChangeSet, Filter, MemoryId, MemoryPage, Proposal, State
from memory.ports import Embedder, Store, Transaction


class MemoryChanges:
    """Every act of a person on their memories. Each method is of one user, at a given time."""

    def __init__(
        self, store: Store, embedder: Embedder, key: bytes | None, curve: str, u: float
    ) -> None:
        self._store = store
        self._curve, self._u = curve, u
        self._planner = ForgetPlanner(store, embedder)
        self._rememberer = Rememberer(store, embedder, key, curve, u)
        self.sealer = SecretSealer(store, key)  # seals secrets, opens and spares them
        self.mirror: Mirror | None = None

    # --- the person's own acts ---

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
    ) -> list[models.Memory]:
        """Keep quiet about a thing, or speak of it again.

        Returns the memories that are marked, or no longer are.
        """
        return await self._store.write(
            user_id, lambda tx: preferences.keep_quiet(tx, thing, now, on=on, turn_id=turn_id)
        )

    async def forget_old_name(self, user_id: str, text: str, now: datetime) -> int | None:
        """Forget an old name and keep the rest; None if `text` is no such wish, else how many."""
        return await self._store.write(user_id, lambda tx: forget_old_name(tx, text, now))

    async def mark_quiet(
        self, user_id: str, memory_id: MemoryId, on: bool, now: datetime
    ) -> models.Memory:
        """Keep quiet about one memory, or speak of it again. Raises NotFound."""

        def write(tx: Transaction) -> models.Memory:
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

    async def undo(self, user_id: str, now: datetime, set_id: str | None = None) -> UndoResult:
        """Take back a change set, by default the newest. Raises Conflict, NotFound."""
        return await self._store.write(user_id, lambda tx: undo(tx, now, self._u, set_id))

    async def undo_night(
        self, user_id: str, now: datetime, night: str | None = None
    ) -> NightUndoResult:
        """Undo all that the night of a date, or the newest one, did. Raises NotFound."""
        return await self._store.write(user_id, lambda tx: undo_night(tx, now, self._u, night))

    async def list_undoable(
        self, user_id: str, limit: int = 20
    ) -> list[tuple[ChangeSet, list[models.Memory]]]:
        """List the newest change sets that can be undone, newest first.

        Each has the memories it touched.
        """
        return await self._store.read(user_id, lambda tx: list_undoable(tx, limit))

    async def restore(self, user_id: str, memory_id: MemoryId, now: datetime) -> models.Memory:
        """Bring back what was deleted or forgotten. Raises NotFound, Conflict."""
        return await self._store.write(
            user_id, lambda tx: edits.restore(tx, memory_id, self._u, now)
        )

    async def find_due_todo(self, user_id: str, text: str, now: datetime) -> models.Memory | None:
        """Return the due todo that is asked about now, if any; none that a message may be about."""
        due = await self._store.read(user_id, lambda tx: todos.list_due(tx, now))
        return next((m for m in due if not touches_memory(text, m)), None)

    def note_asked(self, tx: Transaction, memory_id: MemoryId, now: datetime) -> None:
        """Note, with the question itself, that a due todo is asked about: once."""
        if (m := tx.memories.get(memory_id)) is not None:
            todos.mark_asked(tx, m, self._u, now)

    async def pass_over_todos(self, user_id: str, now: datetime) -> None:
        """Ask about nothing that is due by now: the person was long absent."""

        def pass_over(tx: Transaction) -> None:
            for m in todos.list_due(tx, now):
                todos.mark_asked(tx, m, self._u, now)

        await self._store.write(user_id, pass_over)

    def settle_todo(
        self, tx: Transaction, memory_id: MemoryId, said: todos.Answer, now: datetime, tz: str
    ) -> models.Memory:
        """Do what the person answered about a todo, with its answers. Raises NotFound."""
        return todos.settle_todo(tx, memory_id, said, self._u, now, tz)

    async def edit(
        self, user_id: str, memory_id: MemoryId, text: str, now: datetime
    ) -> models.Memory:
        """Put it in the person's own words. Raises NotFound, Refused."""
        return await self._store.write(
            user_id, lambda tx: edits.edit(tx, memory_id, text, self._u, now)
        )

    async def pin(
        self, user_id: str, memory_id: MemoryId, on: bool, now: datetime
    ) -> models.Memory:
        """Keep a memory from fading, or let it fade again. Raises NotFound, Conflict."""
        return await self._store.write(
            user_id, lambda tx: edits.pin(tx, memory_id, on, self._u, now)
        )

    async def accept(self, user_id: str, memory_id: MemoryId, now: datetime) -> models.Memory:
        """Confirm what was proposed. Raises NotFound, Conflict."""
        return await self._store.write(
            user_id, lambda tx: proposals.accept(tx, memory_id, self._curve, self._u, now)
        )

    async def decline_proposal(self, user_id: str, proposal_id: str, now: datetime) -> None:
        """Say no to a proposal. Raises NotFound."""
        await self._store.write(user_id, lambda tx: proposals.decline(tx, proposal_id, now))

    async def list_proposals(self, user_id: str) -> list[Proposal]:
        """List what waits for a yes or no, oldest first."""
        return await self._store.read(user_id, waiting_questions.list_open)

    async def ask_today(self, user_id: str, now: datetime) -> Proposal | None:
        """Return the proposal to ask about now, at most one a day. It is noted as asked."""
        if not await self.list_proposals(user_id):
            return None
        return await self._store.write(user_id, lambda tx: waiting_questions.ask_today(tx, now))

    async def purge(self, user_id: str, memory_id: MemoryId, now: datetime) -> PurgeReceipt:
        """Erase it for good, every copy, those of MEMORY.md included. Raises NotFound."""

        def write(tx: Transaction) -> PurgeReceipt:
            secret = self.sealer.values(tx, memory_id)
            receipt = forgetting.purge(tx, [memory_id], now)
            said = receipt.places.get("messages", 0) + self.sealer.expunge(tx, secret)
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
    ) -> list[models.Memory]:
        """Forget these of the entries that went missing from MEMORY.md. No ids: keep them all."""
        return await self._store.write(user_id, lambda tx: answered(tx, ids, now))

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

        def read(tx: Transaction) -> MemoryPage:
            page = tx.memories.find(f, text=text, order=order, limit=limit, offset=offset)
            return replace(page, items=tuple(show_names(tx, page.items, text or "")))

        return await self._store.read(user_id, read)

    async def list_known_at(
        self, user_id: str, at: datetime, text: str | None = None, limit: int = 50, offset: int = 0
    ) -> MemoryPage:
        """Return what was known at that moment, in its words then; newest first."""
        return await self._store.read(
            user_id, lambda tx: tx.memories.list_known_at(at, text=text, limit=limit, offset=offset)
        )

    async def get(self, user_id: str, memory_id: MemoryId) -> models.Memory | None:
        """Return one memory, in any state."""
        return next(iter(await self.get_many(user_id, [memory_id])), None)

    async def get_many(self, user_id: str, ids: Sequence[MemoryId]) -> list[models.Memory]:
        """Return memories in any state, in the order asked for.

        Those that are erased are left out.
        """
        return await self._store.read(user_id, lambda tx: show_names(tx, tx.memories.get_many(ids)))

    async def count_levels(self, user_id: str) -> Mapping[models.Level, int]:
        """Count active memories by level, without episodes, secrets and quiet ones."""
        return await self._store.read(user_id, lambda tx: tx.memories.count_levels())

    def compute_weight(self, m: models.Memory, now: datetime) -> float:
        """Return its weight now."""
        return lifecycle.compute_weight(m, self._u, now)
