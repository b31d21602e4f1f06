"""Embedders around others: one keeps what was embedded, one goes over from one to another.

Memories are embedded anew in the background when the embedder changes; until one of them is, it
has a vector of the embedder before and none of the new one. So questions are embedded with both,
and `Reader.search_vectors` looks in both places.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from memory.errors import ModelError
from memory.ports import Embedder, FloatArray, QueryShortener

_KEPT: Final = 1024  # vectors: 1.5 MB of 384 numbers, 12 MB of 3,072
_PATIENCE: Final = 0.05  # seconds that the earlier embedder may take longer than the one in use


class _Wrapper:
    """What is as the embedder within."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner

    @property
    def id(self) -> str:
        """Of the one within."""
        return self.inner.id

    @property
    def dim(self) -> int:
        """Length of a content's vector."""
        return self.inner.dim

    @property
    def local(self) -> bool:
        """Whether nothing is sent anywhere."""
        return self.inner.local

    @property
    def immediate(self) -> bool:
        """Whether there is nothing to wait for."""
        return self.inner.immediate

    def shorten_query(self, texts: Sequence[str]) -> list[str] | None:
        """Shorten as the one within; None where it cannot."""
        return self.inner.shorten_query(texts) if isinstance(self.inner, QueryShortener) else None


class CachedEmbedder(_Wrapper):
    """Asks the one within for each text once, and for all it does not know in one call.

    Within one turn the same words are recalled by, looked up by and learned.
    """

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self._known: OrderedDict[tuple[str, str], FloatArray] = OrderedDict()

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """Embed as the one within. Raises ModelError; what is known needs nobody to answer."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        found = {t: self._known[kind, t] for t in texts if (kind, t) in self._known}
        for text in found:
            self._known.move_to_end((kind, text))
        new = [t for t in dict.fromkeys(texts) if t not in found]
        if new:
            rows = await self.inner.embed(new, kind)
            found |= dict(zip(new, rows, strict=True))
            self._known.update(((kind, t), found[t].copy()) for t in new[-_KEPT:])
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return np.stack([found[t] for t in texts])


class SwitchingEmbedder(_Wrapper):
    """The embedder in use, and the one before while memories still have its vectors alone."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.before: Embedder | None = None
        self.under_way = False  # memories are being embedded anew

    @property
    def immediate(self) -> bool:
        """Whether there is nothing to wait for, of all that are asked."""
        return self.inner.immediate and (self.before is None or self.before.immediate)

    def turn(self, inner: Embedder, before: Embedder | None = None) -> None:
        """Use another one from now on.

        One elsewhere is not asked any more by somebody who has one at home.
        """
        self.inner, self.under_way = inner, True
        self.before = before if before is None or before.local or not inner.local else None

    def arrived(self) -> None:
        """Note that every memory has a vector of the one in use."""
        self.before, self.under_way = None, False

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """Embed (n, dim); queries with the vector of the embedder before behind each.

        Raises ModelError. The one before may fail, or be slow: then its memories are found by
        words and people alone.
        """
        if kind == "content" or self.before is None or not texts:
            return await self.inner.embed(texts, kind)
        earlier = asyncio.ensure_future(self.before.embed(texts, kind))
        try:
            rows = await self.inner.embed(texts, kind)
            await asyncio.wait({earlier}, timeout=_PATIENCE)
        finally:
            earlier.cancel()
            await asyncio.gather(earlier, return_exceptions=True)
        if earlier.cancelled() or isinstance(earlier.exception(), ModelError):
            return rows
        return np.hstack([rows, earlier.result()])
