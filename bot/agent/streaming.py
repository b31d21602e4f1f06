"""A reply while a model writes it: stoppable, and keeping what has come so far."""

from __future__ import annotations

import asyncio
from asyncio import FIRST_COMPLETED
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from bot.agent import context
from bot.agent.tools import MemoryTools, stream_with_tools
from bot.events import Delta, Failed, Waiting
from bot.llm.base import find_answer
from bot.reports import describe_error
from bot.texts import say
from memory.api import clean_input
from memory.errors import ModelError
from memory.models import Lang, Usage
from memory.ports import ChatModel, ModelRequest

T = TypeVar("T")
HANG: Final = 20.0  # seconds without a word after which Ebb says that it waits


@dataclass
class Running:
    """A reply being written in this process."""

    stop: asyncio.Event = field(default_factory=asyncio.Event)
    text: str = ""
    usage: Usage = field(default_factory=Usage)
    finish: str = ""

    async def write(
        self, model: ChatModel, request: ModelRequest, tools: MemoryTools | None = None
    ) -> AsyncGenerator[str | None, None]:
        """Pieces of the reply until it ends or is stopped, collected on the way.

        None stands where the model hangs. Raises ModelError, also for no piece at all.
        """
        before, head, spent = len(self.text), "", self.usage
        marks = tuple(request.data.get("marks", ()))
        async with aclosing(
            until(self.stop, stream_with_tools(model, request, tools), HANG)
        ) as chunks:
            async for chunk in chunks:
                if chunk is None:
                    yield None
                    continue
                if chunk.usage is not None:
                    self.usage = spent + chunk.usage
                self.finish = chunk.finish or self.finish
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
        # What an unopened block of thinking had shown does not stay.
        self.text = self.text[:before] + self.text[before:][find_answer(self.text[before:]) :]
        if not self.text[before:].strip() and not self.stop.is_set():
            filtered = self.finish == "content_filter"
            raise ModelError(
                "withheld" if filtered else "unreadable", detail="empty", model=model.name
            )


async def stream_reply(
    running: Running,
    model: ChatModel,
    material: context.PromptMaterial,
    tools: MemoryTools | None = None,
) -> AsyncGenerator[Delta | Waiting, None]:
    """Write the reply, after a line where the model is not sent all of what was said.

    Where no word comes, it is asked for once more, and without pictures where the model takes none.
    A last line says that the reply was cut or withheld. Raises ModelError.
    """
    request = await asyncio.to_thread(context.build, material)
    if notice := context.write_shortening_notice(request, material):
        running.text = notice
        yield Delta(notice)
    told, before = False, running.text
    for last in (False, True):
        try:
            async with aclosing(running.write(model, request, tools)) as pieces:
                async for text in pieces:
                    if text is not None:
                        yield Delta(text)
                    elif not told:
                        told = True
                        yield Waiting(say(material.lang, "hangs"))
            break
        except ModelError as e:
            if e.code == "no_images" and material.pictures and not last:
                words_alone = replace(material, pictures=())
                request = await asyncio.to_thread(context.build, words_alone)
                note = say(material.lang, f"pictures.{e.detail}")
                running.text = before = before + note
                yield Delta(note)
                continue
            empty = e.code == "withheld" or (e.code, e.detail) == ("unreadable", "empty")
            if last or e.partial or not empty:
                raise
            running.text, running.finish = before, ""
    if running.finish in ("length", "content_filter") and not running.stop.is_set():
        note = "\n\n" + say(material.lang, f"finish.{running.finish}")
        running.text += note
        yield Delta(note)


def describe_failure(
    e: ModelError, model: ChatModel, partial: str, lang: Lang, *, again: bool = False
) -> Failed:
    """Say why a reply was not written; on record also how it is asked for again."""
    sentence = describe_error(e, lang, model=model.name)
    sentence += say(lang, "retry.offer") if again else ""
    return Failed(e.code, sentence, e.retry_after, partial)


async def until(
    stop: asyncio.Event, stream: AsyncIterator[T], patience: float
) -> AsyncGenerator[T | None, None]:
    """Yield a stream's items until it ends or `stop` is set, then close it at once.

    None is yielded where none comes for `patience` seconds.
    """
    stopped = asyncio.ensure_future(stop.wait())
    items = aiter(stream)
    step: asyncio.Future[T] | None = None
    try:
        while not stop.is_set():
            step = asyncio.ensure_future(anext(items))
            both = {step, stopped}
            while not (await asyncio.wait(both, timeout=patience, return_when=FIRST_COMPLETED))[0]:
                yield None
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
