"""The query's vectors: a deadline that a slow embedder cannot stretch, and nothing computed twice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import perf_counter
from typing import Literal

import numpy as np

from memory.embed import LexicalEmbedder, SwitchingEmbedder
from memory.errors import ModelError
from memory.ports import FloatArray
from memory.recall import QueryEmbedder
from memory.text.spans import shorten_texts


class Far:
    """An embedder elsewhere, as slow and as faulty as told."""

    id, dim, local, immediate = "far:model:4", 4, False, False

    def __init__(self, seconds: float = 0.0, error: ModelError | None = None) -> None:
        self.seconds, self.error, self.calls = seconds, error, 0

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        assert kind == "query"
        if len(texts) > 9:  # the labelled messages, in the background
            return np.random.default_rng(1).normal(size=(len(texts), 4)).astype(np.float32)
        self.calls += 1
        await asyncio.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        return np.eye(4, dtype=np.float32)[: len(texts)]


async def test_in_time() -> None:
    """Rows for the message and for the context it leans on; the next time from memory."""
    far = Far()
    q = QueryEmbedder(far, 500)
    rows = {
        ("where is Anna?", "hello"): 1,
        ("where is she now?", "Anna has moved again"): 2,
        ("Where is Anna? And by the way, what does her brother do?", "hello"): 1,
    }
    for (text, before), count in rows.items():
        found, late = await q.embed(text, [before])
        assert found is not None
        assert (found.embedder, found.rows.shape, late) == ("far:model:4", (count, 4), False)
        again, _ = await q.embed(text, [before])  # the reader may have been made meanwhile
        assert again is not None and again.rows is found.rows
    assert far.calls == 3


def test_a_long_message_is_asked_by_its_questions_and_its_end() -> None:
    """About 96 tokens in all, in both languages; a short message stays whole, and leaves the rest to the context."""
    long = (
        "We walked for hours. Where did Anna leave the key? "
        + "It rained again and again. " * 40
        + "I am tired."
    )
    (message,) = shorten_texts([long], 360)
    assert message.startswith("Where did Anna leave the key? It rained")
    assert message.endswith("I am tired.")
    assert len(message) <= 360
    message, context = shorten_texts(["她呢？", "我和安娜去爬山了。" * 60], 360)
    assert message == "她呢？"
    assert 250 < len(context.encode()) <= 350
    message, context = shorten_texts(["字" * 500, "前文。" * 200], 360)
    assert 200 < len((message + context).encode()) <= 360
    assert shorten_texts(["how are you?"], 360) == ["how are you?"]


async def test_too_late_costs_only_the_deadline_and_serves_the_next_turn() -> None:
    """What arrives after its turn is kept."""
    far = Far(seconds=0.15)
    q = QueryEmbedder(far, 30)
    began = perf_counter()
    assert await q.embed("where is Anna?") == (None, True)
    assert perf_counter() - began < 0.14
    await asyncio.sleep(0.2)
    found, late = await q.embed("where is Anna?")
    assert found is not None
    assert (late, far.calls) == (False, 1)


async def test_asked_again_while_under_way() -> None:
    """The same question is not sent twice."""
    far = Far(seconds=0.1)
    q = QueryEmbedder(far, 10)
    assert await q.embed("x") == (None, True)
    assert await q.embed("x") == (None, True)
    await q.close()
    assert far.calls == 1


async def test_a_failure_is_no_vector() -> None:
    """Recall goes on without, and the next turn asks again."""
    far = Far(error=ModelError("rate_limit"))
    q = QueryEmbedder(far, 500)
    assert await q.embed("x") == (None, False)
    assert await q.embed("x") == (None, False)
    assert far.calls == 2


async def test_each_embedder_has_its_own_reader_of_messages() -> None:
    """Going over in one process: both vectors stand in a row, and the reader reads the new one's alone."""
    moving = SwitchingEmbedder(LexicalEmbedder())
    q = QueryEmbedder(moving, 5_000)
    asked, _ = await q.embed("where is Anna?")
    assert asked is not None and asked.reader is None
    moving.turn(Far(), LexicalEmbedder())
    await q.embed("where is Anna?")
    assert q._reading is not None
    await q._reading
    both, _ = await q.embed("where is Anna?")
    assert both is not None and both.reader is not None
    assert both.embedder == Far.id and both.rows.shape[1] == 4 + LexicalEmbedder().dim
    assert both.reader.weights.shape == (4,)
    assert np.isfinite(both.reader.score_call(both.rows[0]))
    moving.turn(LexicalEmbedder())
    back, _ = await q.embed("where is Anna?")
    assert back is not None and (back.embedder, back.reader) == (LexicalEmbedder().id, None)
