"""What the job runner calls: one handler for each kind of learning. Models are asked before the write."""

from __future__ import annotations

from datetime import datetime

from memory.jobs import Effect
from memory.learn import vectors
from memory.learn.asking import Tools
from memory.learn.extract import Extractor
from memory.learn.monitor import Monitor
from memory.learn.summarise import Summariser
from memory.models import Job
from memory.ports import ChatModel, Embedder, Store


class Learner:
    """Learns from what was said.

    Every handler reads, asks the model, and returns the effect that is committed together with the job's `done`.
    All of them are idempotent, and raise ModelError to be tried again later. An effect raises Conflict where what
    it rests on changed while the model was thinking; the job is then tried again as well.

    Args:
        store: where everything is kept.
        model: the memory model.
        embedder: turns memories into vectors; a failure of it delays nothing.
        curve: forgetting curve of new memories.
        u: the user's forgetting factor (S2).
        learning: auto, ask (new memories are `proposed`) or off; a user's own setting `learning` goes before it.
        budget_tokens: tokens a UTC day that memory work may spend for each user; 0: no limit.
        log_text: whether logs may hold words of what was left out.
        context_tokens: how long a prompt may get; half of it bounds the history in one call.
    """

    def __init__(
        self,
        store: Store,
        model: ChatModel,
        embedder: Embedder,
        *,
        curve: str,
        u: float,
        learning: str = "auto",
        budget_tokens: int = 0,
        log_text: bool = False,
        context_tokens: int = 16_000,
    ) -> None:
        self._tools = Tools(
            store, model, embedder, curve, u, learning, budget_tokens, log_text, max(context_tokens, 1_000)
        )

    async def monitor(self, job: Job, now: datetime) -> Effect:
        """Payload {"turn_ids": [...]}; result {"outcome", "new", "updated", "refused", "unread", "set"}."""
        return await Monitor(self._tools).run(job, now)

    async def summarise(self, job: Job, now: datetime) -> Effect:
        """Payload {"session_id", "after", "through"[, "rebuild": true]}; result {"outcome", "new", "episodes"}."""
        return await Summariser(self._tools).run(job, now)

    async def extract(self, job: Job, now: datetime) -> Effect:
        """Payload {"session_id", "through"}; result {"outcome", "new", "updated", "set"}."""
        return await Extractor(self._tools).run(job, now)

    async def embed(self, job: Job, now: datetime) -> Effect:
        """Payload {"memory_ids": [...]} or {"all": true}; result {"outcome", "embedded"}."""
        return await vectors.run(self._tools, job, now)
