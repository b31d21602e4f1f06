"""What front ends ask the agent beside replies: status, history, changes, the language."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.events import Status
from bot.llm import ProviderChoice
from bot.settings import Settings
from memory import api
from memory.api import SwitchingEmbedder, clean_input, get_progress, is_off, is_process_gone
from memory.models import (
    Change,
    Filter,
    Lang,
    Memory,
    Message,
    count_function_words,
    detect_language,
)
from memory.ports import ChatModel, Store, SystemTransaction, Transaction


@dataclass
class AgentQueries:
    """Answers what needs no model, over one store and one memory."""

    settings: Settings
    store: Store
    memory: api.Memory
    model: ChatModel
    worker: str
    choice: ProviderChoice
    embedder: SwitchingEmbedder

    async def subscribe(self, user_id: str, after: int) -> AsyncIterator[Change]:
        """Yield changes as they are committed, by this and other processes."""
        async with self.store.watch(user_id, after) as changes:
            async for change in changes:
                yield change

    async def get_status(self, user_id: str, scope: str, now: datetime) -> Status:
        """Return what a header shows."""

        def read(tx: Transaction) -> Status:
            talks, session = tx.conversations, tx.conversations.get_open_session(scope)
            running, night = talks.get_open_turn(scope), get_progress(tx)
            messages: Sequence[Message] = ()
            if session is not None:
                messages = talks.list_messages(
                    session_id=session.id, after=session.summarised_through
                )
            embedded = (0, 0)
            if self.embedder.under_way:
                embedded = tx.vectors.count_embedded(self.embedder.id)
            return Status(
                model=self.model.name,
                provider=self.choice.provider,
                embedder=self.embedder.id,
                session_id=session.id if session else None,
                session_title=session.title if session else "",
                messages=len(messages),
                memories=tx.memories.find(Filter(), limit=1).total,
                pending_jobs=sum(j.kind != "upkeep" for j in tx.jobs.list_pending()),
                failed_jobs=len(tx.jobs.list_dead()),
                writing_elsewhere=running is not None
                and running.leased_by != self.worker
                and running.leased_until > now,
                offline=self.choice.offline,
                last_seq=tx.changes.get_last_seq(),
                upkeep=night.share if night is not None else None,
                memory_off=is_off(tx),
                tokens=tuple(tx.traces.list_daily_usage(now)),
                embedded=embedded if embedded[0] < embedded[1] else None,
            )

        return await self.store.read(user_id, read)

    async def list_history(
        self, user_id: str, scope: str, *, after: int = 0, limit: int = 100
    ) -> list[Message]:
        """Return the newest messages of the scope; hidden ones have no text."""
        found = await self.store.read(
            user_id,
            lambda tx: tx.conversations.list_messages(
                scope=scope, after=after, limit=limit, newest=True, hidden=True
            ),
        )
        return [replace(m, text="") if m.hidden_at is not None else m for m in found]

    async def keep_unsent(self, user_id: str, texts: Mapping[str, str]) -> None:
        """Keep what this process was given and has not sent yet, by id."""

        def write(s: SystemTransaction) -> None:
            mine = {self.worker: {i: clean_input(t) for i, t in texts.items()}}
            kept = {**(s.get(f"unsent:{user_id}") or {}), **mine}
            s.set(f"unsent:{user_id}", {w: t for w, t in kept.items() if t} or None)

        await self.store.write_system(write)

    async def take_unsent(self, user_id: str) -> dict[str, str]:
        """Take over what processes that are gone had not sent, oldest first."""

        def write(s: SystemTransaction) -> dict[str, str]:
            kept = s.get(f"unsent:{user_id}") or {}
            host, me = self.worker.rsplit(":", 2)[0], self.worker.rpartition(".")[0]
            gone = [
                w
                for w in kept
                if w.rpartition(".")[0] == me or w.rsplit(":", 2)[0] != host or is_process_gone(w)
            ]
            taken = {i: text for w in gone for i, text in kept.pop(w).items()}
            s.set(f"unsent:{user_id}", {**kept, **({self.worker: taken} if taken else {})} or None)
            return taken

        taken = await self.store.write_system(write)
        return await self.store.read(
            user_id,
            lambda tx: {
                i: text for i, text in taken.items() if tx.conversations.get_turn(i) is None
            },
        )

    async def get_memories(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        """Return memories by id, as they stand; those that are gone are left out."""
        return await self.memory.get_many(user_id, ids)

    async def detect_language(self, user_id: str, said: str = "", default: Lang = "en") -> Lang:
        """Return the language set, else that of what is said, else the one last written in."""
        if self.settings.lang is not None:
            return self.settings.lang

        def read(tx: Transaction) -> list[str]:
            last = tx.conversations.list_messages(scope=f"user:{user_id}", limit=6, newest=True)
            said = [m.text for m in last if m.role == "user"]
            return said or [m.original_content for m in tx.memories.find(Filter(), limit=1).items]

        texts = await self.store.read(user_id, read)
        if not texts or count_function_words(said) > 1:
            return detect_language(said, default)
        told = (t for t in reversed(texts) if count_function_words(t))
        return detect_language(next(told, texts[-1]))
