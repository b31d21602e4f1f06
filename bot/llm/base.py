"""What is the same for every model: retries, deadline, cost, and its thinking hidden."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final, cast

from memory.api import MESSAGE_OVERHEAD, estimate_tokens
from memory.errors import ModelError
from memory.models import Json, Usage
from memory.ports import ChatModel, Chunk, ModelRequest

_TAGS: Final = {
    **{f"<{name}>": f"</{name}>" for name in ("think", "thinking", "thought", "reasoning")},
    "[think]": "[/think]",
    "◁think▷": "◁/think▷",
}

_CLOSED: Final = re.compile(
    rf"^[ \t]*({'|'.join(map(re.escape, _TAGS.values()))})[ \t]*\n\s*(?=\S)", re.M | re.I
)


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


def estimate_request(request: ModelRequest) -> int:
    """Estimate the tokens of a request's messages."""
    told = (json.dumps(m["tool_calls"]) for m in request.messages if "tool_calls" in m)
    texts = (*map(read_content, request.messages), *told, *map(json.dumps, request.tools))
    return sum(estimate_tokens(text) + MESSAGE_OVERHEAD for text in texts)


def read_content(message: Mapping[str, Json]) -> str:
    """Return a message's text, without its images."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def list_images(message: Mapping[str, Json]) -> list[str]:
    """List the images of a message as data URLs."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return [part["image_url"]["url"] for part in parts if part.get("type") == "image_url"]


@dataclass
class ManagedModel:
    """A model over a network: its cost told, held to a deadline, and tried again.

    A call is tried again after what may pass, as long as nothing has been shown yet. It waits
    `base`·2ⁿ seconds with full jitter, or what the server asked for; where the wait would go past
    `patience` seconds since the first try (or the request's own deadline), the error is raised.
    """

    inner: ChatModel
    attempts: int = 4
    patience: float = 30.0
    base: float = 0.5
    random: random.Random = field(default_factory=random.Random, repr=False)

    @property
    def name(self) -> str:
        """The model's."""
        return self.inner.name

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield as the model; the last chunk has the usage.

        Raises ModelError, past the deadline `timeout` with what had come.
        """
        began = time.monotonic()
        ends = None if request.deadline is None else began + request.deadline
        gives_up = min(began + self.patience, ends or began + self.patience)
        for attempt in range(1, self.attempts + 1):
            shown = False
            try:
                async with close_stream(self._try_once(request, ends)) as chunks:
                    async for chunk in chunks:
                        shown = shown or bool(chunk.text or chunk.calls)
                        yield chunk
                    return
            except ModelError as e:
                pause = self.compute_pause(attempt, e)
                late = time.monotonic() + pause > gives_up
                if shown or e.partial or not e.retryable or attempt == self.attempts or late:
                    raise
            await asyncio.sleep(pause)

    def compute_pause(self, attempt: int, error: ModelError) -> float:
        """Return the seconds to wait before the next try."""
        wave = self.base * float(1 << (attempt - 1))
        jittered = wave / 2 + self.random.random() * wave / 2
        return jittered if error.retry_after is None else error.retry_after + jittered / 4

    async def _try_once(self, request: ModelRequest, ends: float | None) -> AsyncIterator[Chunk]:
        """Yield one call's chunks; the last one says what it cost.

        Where the server does not, an estimate stands in, so that budgets hold.
        """
        text, usage = "", None
        try:
            async with close_stream(self.inner.stream(request)) as chunks:
                while (chunk := await _read_next_chunk(chunks, ends)) is not None:
                    text += chunk.text
                    usage = chunk.usage or usage
                    if chunk.finish:
                        usage = usage or Usage(estimate_request(request), estimate_tokens(text))
                        chunk = replace(chunk, usage=usage)
                    yield chunk
        except TimeoutError as e:
            raise ModelError("timeout", detail="deadline", partial=text, model=self.name) from e


async def _read_next_chunk(stream: AsyncIterator[Chunk], ends: float | None) -> Chunk | None:
    """Return the next chunk, or None at the end. Raises TimeoutError past `ends` (monotonic).

    The timeout lives inside one step, so that a stream may be driven from different tasks.
    """
    async with asyncio.timeout(None if ends is None else max(0.0, ends - time.monotonic())):
        return await anext(stream, None)


def find_answer(text: str) -> int:
    """Return where the answer begins behind thinking that was closed and never opened, else 0.

    Such a tag ends a line of its own; one in a sentence or in a block of code is talk about it.
    """
    found = next(_CLOSED.finditer(text), None)
    if found is None or text.count("```", 0, found.start()) % 2:
        return 0
    opens = next(tag for tag, end in _TAGS.items() if end == found[1].lower())
    return 0 if opens in text[: found.start()].lower() else found.end()


class ThinkingFilter:
    """Keeps out the thinking that a model writes into its answer, while it streams.

    Only blocks at the very beginning are hidden (as models write them): a later `<think>` is
    somebody talking about HTML. A tag may come in any number of pieces. `begun`: the model is known
    to open no block and to close one (its template has opened it); then all is held until it does.
    """

    def __init__(self, *, begun: bool = False) -> None:
        self._held = self._all = ""
        self._close = ""  # the tag that ends the block we are in
        self._thought = self._answers = False
        self._begun = begun

    def feed(self, piece: str) -> str:
        """Take a piece and return what can be shown now."""
        if self._answers:
            return piece
        if self._begun:
            self._all += piece
            tail = self._all[-len(piece) - 64 :].lower()
            if not any(end in tail for end in _TAGS.values()) or not (at := find_answer(self._all)):
                return ""
            self._begun, self._answers = False, True
            return self._all[at:]
        self._held += piece
        while True:
            if self._close:
                at = self._held.lower().find(self._close)
                if at < 0:
                    self._held = self._held[1 - len(self._close) :]
                    return ""
                self._held, self._close = self._held[at + len(self._close) :], ""
            text = self._held.lstrip()
            lowered = text.lower()
            tag = next((t for t in _TAGS if lowered.startswith(t)), None)
            if tag is None:
                if not text or any(t.startswith(lowered) for t in _TAGS):
                    return ""  # it may still become one
                self._answers = True
                return text if self._thought else self._held
            self._held, self._close, self._thought = text[len(tag) :], _TAGS[tag], True

    def close(self) -> str:
        """Return what was held back and turns out to be no thinking."""
        if self._begun:  # it closed none this time
            self._begun = False
            return self.feed(self._all) + self.close()
        ends = self._answers or self._close or (self._thought and not self._held.strip())
        held, self._held = self._held, ""
        return "" if ends else held
