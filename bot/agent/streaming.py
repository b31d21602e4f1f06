"""A reply while a model writes it: stoppable, and keeping what has come so far."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeVar

from bot.agent import context
from bot.events import Delta, Failed
from bot.reports import describe_error
from memory.api import clean_input
from memory.errors import ModelError
from memory.models import Lang, Usage
from memory.ports import ChatModel, ModelRequest

T = TypeVar("T")


@dataclass
class Running:
    """A reply being written in this process."""

    stop: asyncio.Event = field(default_factory=asyncio.Event)
    text: str = ""
    usage: Usage = field(default_factory=Usage)

    async def write(self, model: ChatModel, request: ModelRequest) -> AsyncGenerator[str, None]:
        """Pieces of the reply until it ends or is stopped, collected on the way.

        Raises ModelError, also for none.
        """
        before, head = len(self.text), ""
        marks = tuple(request.data.get("marks", ()))
        async with aclosing(until(self.stop, model.stream(request))) as chunks:
            async for chunk in chunks:
                if chunk.usage is not None:
                    self.usage = chunk.usage
                head += clean_input(chunk.text)
                if head and not any(mark.startswith(head.lstrip()) for mark in marks):
                    found = next((mark for mark in marks if head.lstrip().startswith(mark)), "")
                    text = head.lstrip()[len(found) :].lstrip() if found else head
                    head, marks = "", ()
                    self.text += text
                    yield text
        if head and head.strip() not in marks:
            self.text += head
            yield head
        if not self.text[before:].strip() and not self.stop.is_set():
            raise ModelError("unreadable", detail="empty", model=model.name)


async def stream_reply(
    running: Running, model: ChatModel, material: context.PromptMaterial
) -> AsyncGenerator[Delta, None]:
    """Write the reply, after a line where the model is not sent all of what was said.

    Raises ModelError.
    """
    request = await asyncio.to_thread(context.build, material)
    if notice := context.write_shortening_notice(request, material):
        running.text = notice
        yield Delta(notice)
    async with aclosing(running.write(model, request)) as pieces:
        async for text in pieces:
            yield Delta(text)


def describe_failure(e: ModelError, model: ChatModel, partial: str, lang: Lang) -> Failed:
    """Say in one sentence why a reply was not written."""
    return Failed(e.code, describe_error(e, lang, model=model.name), e.retry_after, partial)


async def until(stop: asyncio.Event, stream: AsyncIterator[T]) -> AsyncGenerator[T, None]:
    """Yield a stream's items until it ends or `stop` is set, then close it at once."""
    stopped = asyncio.ensure_future(stop.wait())
    items = aiter(stream)
    step: asyncio.Future[T] | None = None
    try:
        while not stop.is_set():
            step = asyncio.ensure_future(anext(items))
            await asyncio.wait({step, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not step.done():
                return
            try:
                item = step.result()
            except StopAsyncIteration:
                return
            yield item
    finally:
        stopped.cancel()
        if step is not None and not step.done():
            step.cancel()
            await asyncio.wait({step})
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
