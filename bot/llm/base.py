"""What is the same for every model: wrappers around a ChatModel, and reading an answer as a whole.

Wrappers, not flags: `RetryingModel(Metered(model, …))`. Each is a ChatModel itself.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import cast

from bot.settings import RoleName
from memory.api import MESSAGE_OVERHEAD, estimate_tokens
from memory.errors import ModelError
from memory.models import Usage
from memory.ports import ChatModel, Chunk, ModelRequest


def close_stream(stream: AsyncIterator[Chunk]) -> aclosing[AsyncGenerator[Chunk, None]]:
    """Close a model's stream whatever happens; every one of ours is an async generator."""
    return aclosing(cast("AsyncGenerator[Chunk, None]", stream))


async def read_whole_answer(model: ChatModel, request: ModelRequest) -> tuple[str, Usage]:
    """Return the whole answer and what it cost.

    Raises ModelError with what had come as `partial`.
    """
    text, usage = "", Usage()
    async with close_stream(model.stream(request)) as chunks:
        async for chunk in chunks:
            text += chunk.text
            usage = chunk.usage or usage
    return text, usage


@dataclass
class RetryingModel:
    """Tries again after what may pass, as long as nothing has been shown yet.

    Waits `base`·2ⁿ seconds with full jitter, or what the server asked for; gives up where the wait
    would go past `patience` seconds since the first try (or the request's own deadline), and raises
    what it had.
    """

    inner: ChatModel
    attempts: int = 4
    base: float = 0.5
    patience: float = 30.0
    random: random.Random = field(default_factory=random.Random, repr=False)

    @property
    def name(self) -> str:
        """The model's."""
        return self.inner.name

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """As the model's; from the first text on there is no second try."""
        began = time.monotonic()
        limit = self.patience if request.deadline is None else min(self.patience, request.deadline)
        for attempt in range(1, self.attempts + 1):
            shown = False
            left = (
                None
                if request.deadline is None
                else max(0.0, request.deadline - (time.monotonic() - began))
            )
            try:
                async with close_stream(
                    self.inner.stream(replace(request, deadline=left))
                ) as chunks:
                    async for chunk in chunks:
                        shown = shown or bool(chunk.text)
                        yield chunk
                    return
            except ModelError as e:
                pause = self._pause(attempt, e)
                late = time.monotonic() - began + pause > limit
                if shown or e.partial or not e.retryable or attempt == self.attempts or late:
                    raise
            await asyncio.sleep(pause)

    def _pause(self, attempt: int, error: ModelError) -> float:
        wave = self.base * float(1 << (attempt - 1))
        jittered = wave / 2 + self.random.random() * wave / 2
        return jittered if error.retry_after is None else error.retry_after + jittered / 4


@dataclass
class TokenMeter:
    """What each role has spent in this process, by model."""

    spent: dict[tuple[RoleName, str], Usage] = field(default_factory=lambda: defaultdict(Usage))

    def add(self, role: RoleName, model: str, usage: Usage) -> None:
        """Count one call."""
        was = self.spent[role, model]
        self.spent[role, model] = Usage(
            was.prompt_tokens + usage.prompt_tokens,
            was.completion_tokens + usage.completion_tokens,
            was.cached_tokens + usage.cached_tokens,
        )


@dataclass
class MeteredModel:
    """Counts what a role spends.

    Where the server does not say, an estimate stands in, so that budgets hold.
    """

    inner: ChatModel
    role: RoleName
    meter: TokenMeter

    @property
    def name(self) -> str:
        """The model's."""
        return self.inner.name

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """As the model's, its last chunk always with a usage; a call that breaks off is counted too."""
        text, usage = "", None
        try:
            async with close_stream(self.inner.stream(request)) as chunks:
                async for chunk in chunks:
                    text += chunk.text
                    usage = chunk.usage or usage
                    if chunk.finish and usage is None:
                        usage = estimate_usage(request, text)
                    yield replace(chunk, usage=usage) if chunk.finish else chunk
        finally:
            if usage is not None or text:
                self.meter.add(self.role, self.name, usage or estimate_usage(request, text))


def estimate_usage(request: ModelRequest, text: str) -> Usage:
    """Usage of a call, guessed from its texts."""
    sent = sum(estimate_tokens(m.get("content", "")) + MESSAGE_OVERHEAD for m in request.messages)
    return Usage(sent, estimate_tokens(text))


async def read_next_chunk(stream: AsyncIterator[Chunk], ends: float | None) -> Chunk | None:
    """Return the next chunk, or None at the end. Raises TimeoutError past `ends` (monotonic).

    The timeout lives inside one step, so that a stream may be driven from different tasks.
    """
    async with asyncio.timeout(None if ends is None else max(0.0, ends - time.monotonic())):
        return await anext(stream, None)


@dataclass
class DeadlineModel:
    """Holds a call to `ModelRequest.deadline`, counted from its start to its last chunk."""

    inner: ChatModel

    @property
    def name(self) -> str:
        """The model's."""
        return self.inner.name

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """As the model's; past the deadline, ModelError("timeout") with what had come."""
        ends = None if request.deadline is None else time.monotonic() + request.deadline
        text = ""
        async with close_stream(self.inner.stream(request)) as chunks:
            while True:
                try:
                    chunk = await read_next_chunk(chunks, ends)
                except TimeoutError as e:
                    raise ModelError(
                        "timeout", detail="deadline", partial=text, model=self.name
                    ) from e
                if chunk is None:
                    return
                text += chunk.text
                yield chunk
