"""The query's vectors, within a deadline: a slow embedder costs nothing but itself."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from logging import getLogger
from typing import Final, TypeAlias

import numpy as np

from memory.errors import ModelError
from memory.ports import Embedder, FloatArray, QueryShortener
from memory.recall.hard_days import HardDay, read_hard_day, split_message
from memory.recall.question import parse_question
from memory.recall.reader import MessageReader, load_reader, messages_to_embed, train_reader
from memory.text.spans import shorten_texts

_LOG = getLogger(__name__)
_CACHED: Final = 256  # questions
_PATIENCE: Final = 1.0  # seconds for the vectors that tell of a hard day
_MOST: Final = 360  # UTF-8 bytes, some 90 tokens, of an embedder that does not count them

Key: TypeAlias = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """Vectors of one question: the message, and its context if that counts (`Question.list_texts`).

    Goes into `Query.vector` as it is. Without `reader` only words tell whether the message calls
    for a memory.
    """

    embedder: str
    rows: FloatArray
    reader: MessageReader | None = None


class QueryEmbedder:
    """Embeds questions; what comes too late for one turn is kept for the next."""

    def __init__(self, embedder: Embedder, deadline_ms: float) -> None:
        self._embedder = embedder
        self._deadline = deadline_ms / 1000
        self._known: OrderedDict[Key, QueryVectors] = OrderedDict()
        self._running: dict[Key, asyncio.Task[QueryVectors | None]] = {}
        self._readers: dict[str, MessageReader | None] = {}  # by embedder; None while one is made
        load_reader(embedder.id)  # now, not at the first question
        self._reading: asyncio.Task[None] | None = None

    async def embed(
        self, text: str, context: Sequence[str] = ()
    ) -> tuple[QueryVectors | None, bool]:
        """Return the vectors and whether they are late.

        (None, True) past the deadline, (None, False) if the embedder refused.

        Args:
            text: the message.
            context: up to three messages before it, oldest first.
        """
        key = (text, tuple(context[-3:]))
        if (known := self._known.get(key)) is not None and known.embedder == self._embedder.id:
            self._known.move_to_end(key)
            return known, False
        if self._embedder.immediate:
            return await self._fetch(key), False  # nothing to wait for: no task, no deadline
        if (task := self._running.get(key)) is None:
            task = self._running[key] = asyncio.create_task(self._fetch(key))
            task.add_done_callback(lambda _: self._running.pop(key, None))
        done, _ = await asyncio.wait({task}, timeout=self._deadline)
        return (task.result(), False) if done else (None, True)

    async def read_hard_day(self, text: str, *, local_only: bool, after: bool = False) -> HardDay:
        """Tell whether somebody speaks of hurting themselves, or worries about somebody else.

        By plain forms alone where the embedder is slow, knows no meaning, or is elsewhere and
        `local_only`. `after`: a message before it did.
        """
        parts, rows, embedder = split_message(text), None, self._embedder
        reader = self._find_reader(embedder.id)
        if parts and reader is not None and (embedder.local or not local_only):
            if not embedder.local:
                parts = parts[:1]
            try:
                async with asyncio.timeout(_PATIENCE):
                    rows = await embedder.embed(parts, "query")
            except (ModelError, TimeoutError) as e:
                _LOG.warning("A message could not be embedded: %s", e)
        if rows is not None and (embedder.id != self._embedder.id or not np.isfinite(rows).all()):
            rows = None
        return await asyncio.to_thread(read_hard_day, parts, rows, reader, after=after)

    async def close(self) -> None:
        """Give up what is still under way."""
        tasks = [*self._running.values(), *([self._reading] if self._reading else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetch(self, key: Key) -> QueryVectors | None:
        texts = parse_question(*key).list_texts
        known = None
        if isinstance(self._embedder, QueryShortener):
            known = self._embedder.shorten_query(texts)
        if not self._embedder.immediate:
            texts = known or shorten_texts(texts, _MOST)
        embedder = self._embedder.id
        try:
            rows = await self._embedder.embed(texts, "query")
        except ModelError as e:  # recall goes on without vectors; the next turn tries again
            _LOG.warning("The query could not be embedded: %s", e.code)
            return None
        if embedder != self._embedder.id or not np.isfinite(rows).all():
            return None  # another one is in use by now, for the next turn; or its numbers are none
        found = self._known[key] = QueryVectors(embedder, rows, self._find_reader(embedder))
        if len(self._known) > _CACHED:
            self._known.popitem(last=False)
        return found

    def _find_reader(self, embedder: str) -> MessageReader | None:
        """Return an embedder's reader of messages; begin to make one where none is shipped."""
        if embedder not in self._readers:
            self._readers[embedder] = load_reader(embedder)
            if self._readers[embedder] is None and not embedder.startswith("lexical:"):
                if self._reading is not None:
                    self._reading.cancel()
                self._reading = asyncio.create_task(self._make_reader(embedder))
        return self._readers[embedder]

    async def _make_reader(self, embedder: str) -> None:
        try:
            rows = await self._embedder.embed(messages_to_embed(), "query")
        except ModelError as e:  # the gate goes on by words; the next start tries again
            _LOG.warning("The labelled messages could not be embedded: %s", e.code)
            return
        if embedder != self._embedder.id:
            return
        rows = rows[:, : self._embedder.dim]  # without those of the embedder before
        made = self._readers[embedder] = await asyncio.to_thread(train_reader, rows)
        for key, found in self._known.items():
            if found.embedder == embedder:
                self._known[key] = replace(found, reader=made)
