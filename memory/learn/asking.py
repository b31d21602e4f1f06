"""Asking the memory model: one call, counted, within the user's daily budget, and the embedder beside it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import prompts
from memory.errors import BudgetSpent, ModelError
from memory.models import Filter, Json, Lang, MemoryId, Sensitivity, Usage
from memory.ports import ChatModel, Embedder, FloatArray, ModelRequest, Store, Task, Tx
from memory.text.pieces import clean_input
from memory.text.tokens import estimate_tokens

log = logging.getLogger(__name__)

DEADLINE = 180.0  # seconds for one call; nobody waits for it
ROLE, NIGHT = "memory", "upkeep"  # who spends
NIGHT_SHARE = 0.1  # of what the conversation of the last seven days spent
NIGHT_FLOOR = 2_000  # tokens: three reviews or a page of level texts, also after a silent week


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said. `cut`: it ran into the length limit, so its last line may be half of one."""

    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Tools:
    """What every kind of learning works with."""

    store: Store
    model: ChatModel
    embedder: Embedder
    curve: str
    u: float
    learning: str = "auto"
    budget_tokens: int = 0
    log_text: bool = False
    context_tokens: int = 16_000
    night: bool = False

    async def ask(
        self,
        user_id: str,
        task: Task,
        lang: Lang,
        variables: Mapping[str, Any],
        data: Mapping[str, Json],
        now: datetime,
        max_tokens: int,
    ) -> Answer:
        """One call. Raises ModelError; where today's budget is spent, one that asks to come back tomorrow."""
        messages = prompts.load(task, lang).messages(**variables)
        size = sum(estimate_tokens(m["content"]) for m in messages)
        await self._within_budget(user_id, now, size)
        request = ModelRequest(task, messages, {**data, "lang": lang}, max_tokens=max_tokens, deadline=DEADLINE)
        parts: list[str] = []
        finish, usage = None, None
        stream = self.model.stream(request)
        try:
            async for chunk in stream:
                parts.append(chunk.text)
                finish, usage = chunk.finish or finish, chunk.usage or usage
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        text = clean_input("".join(parts))
        if usage is None:  # a provider that does not say is counted by the same measure as prompts are
            usage = Usage(size, estimate_tokens(text))
        role = NIGHT if self.night else ROLE
        await self.store.write(user_id, lambda tx: tx.traces.spend(role, self.model.name, usage, now))
        return Answer(text, finish == "length")

    async def _within_budget(self, user_id: str, now: datetime, size: int) -> None:
        """The day's memory work, nights included; and a night's own share, whose first call is always made."""
        day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)

        def within(tx: Tx) -> bool:
            tonight = _spent(tx, day, NIGHT)
            if 0 < self.budget_tokens <= tonight + _spent(tx, day, ROLE):
                return False
            if not self.night or not tonight:
                return True
            week = _spent(tx, day - timedelta(days=7), "chat", ROLE)
            return tonight + size <= max(week * NIGHT_SHARE, NIGHT_FLOOR)

        if not await self.store.read(user_id, within):
            tomorrow = (day + timedelta(days=1) - now).total_seconds()
            raise BudgetSpent("rate_limit", detail="daily memory budget spent", retry_after=tomorrow)

    async def embed(
        self, texts: Sequence[str], kind: Literal["query", "content"] = "content"
    ) -> list[FloatArray | None]:
        """Vectors of the texts; None for each where the embedder fails, for nothing depends on it alone."""
        if not texts:
            return []
        try:
            rows = await self.embedder.embed(texts, kind)
        except ModelError as e:
            log.info("learning goes on without vectors: %s", e.code)
            return [None] * len(texts)
        return list(rows)

    async def nearest(self, user_id: str, vector: FloatArray | None, text: str, k: int, f: Filter) -> list[MemoryId]:
        """Ids of the memories closest to a text, by vector and by words in turns, ungated."""
        reader = self.store.reader(user_id)
        by_words = await reader.lexical(text, k, f) if text.strip() else []
        by_vector = await reader.nearest(vector, k, f) if vector is not None else []
        out: dict[MemoryId, None] = {}
        for i in range(k):
            for found in (by_vector, by_words):
                if i < len(found):
                    out[found[i].id] = None
        return list(out)[:k]

    def skipped(self, what: str, why: str, text: str) -> None:
        """Log something of a model's answer that was left out; its words only if logs may hold them."""
        log.warning("%s left out (%s)%s", what, why, f": {text[:200]}" if self.log_text else "")


def _spent(tx: Tx, since: datetime, *roles: str) -> int:
    used = [tx.traces.spent(role, since) for role in roles]
    return sum(u.prompt_tokens + u.completion_tokens for u in used)


ANY = Filter(max_sensitivity=Sensitivity.PRIVATE)
"""All active memories, denied ones among them, never secrets."""
