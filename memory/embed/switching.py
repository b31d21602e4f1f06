"""Going over from one embedder to another, recall going on over both.

Memories are embedded anew in the background; until one of them is, it has a vector of the embedder
before and none of the new one. So questions are embedded with both, and `Reader.nearest` looks in
both places.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from memory.errors import ModelError
from memory.ports import Embedder, FloatArray, QueryShortener

_PATIENCE: Final = 0.05  # seconds that the earlier embedder may take longer than the one in use


class SwitchingEmbedder:
    """The embedder in use, and the one before while memories still have its vectors alone."""

    def __init__(self, now: Embedder) -> None:
        self.now = now
        self.before: Embedder | None = None
        self.under_way = False  # memories are being embedded anew

    @property
    def id(self) -> str:
        """Of the one in use."""
        return self.now.id

    @property
    def dim(self) -> int:
        """Of the one in use: that of a content's vector.

        A query's may have the earlier one's behind it.
        """
        return self.now.dim

    @property
    def local(self) -> bool:
        """Whether nothing is sent anywhere: what runs here is never joined by what does not (`turn`)."""
        return self.now.local

    @property
    def immediate(self) -> bool:
        """Of all that are asked."""
        return self.now.immediate and (self.before is None or self.before.immediate)

    def turn(self, now: Embedder, before: Embedder | None = None) -> None:
        """Use another one from now on.

        One elsewhere is not asked any more by somebody who has one at home.
        """
        self.now, self.under_way = now, True
        self.before = before if before is None or before.local or not now.local else None

    def arrived(self) -> None:
        """Every memory has a vector of the one in use."""
        self.before, self.under_way = None, False

    def shorten_query(self, texts: Sequence[str]) -> list[str] | None:
        """As the one in use."""
        return self.now.shorten_query(texts) if isinstance(self.now, QueryShortener) else None

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """Contents: (n, dim). Queries: with the vector of the embedder before behind each. Raises
        ModelError.

        The one before may fail, or be slow: then its memories are found by words and people alone.
        """
        if kind == "content" or self.before is None or not texts:
            return await self.now.embed(texts, kind)
        earlier = asyncio.ensure_future(self.before.embed(texts, kind))
        try:
            rows = await self.now.embed(texts, kind)
            await asyncio.wait({earlier}, timeout=_PATIENCE)
        finally:
            if not earlier.done():
                earlier.cancel()
            await asyncio.gather(earlier, return_exceptions=True)
        if earlier.cancelled() or isinstance(earlier.exception(), ModelError):
            return rows
        return np.hstack([rows, earlier.result()])
