"""What was embedded is kept for a while: the same words are recalled by, looked up by and learned within one turn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from memory.ports import Embedder, FloatArray, QueryShortener

_KEPT: Final = 1024  # vectors: 1.5 MB of 384 numbers, 12 MB of 3,072


class CachedEmbedder:
    """An embedder that asks the one within for each text once, and for all it does not know in one call."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self._known: OrderedDict[tuple[str, str], FloatArray] = OrderedDict()

    @property
    def id(self) -> str:
        """Of the one within."""
        return self.inner.id

    @property
    def dim(self) -> int:
        """Of the one within."""
        return self.inner.dim

    @property
    def local(self) -> bool:
        """Of the one within."""
        return self.inner.local

    @property
    def immediate(self) -> bool:
        """Of the one within."""
        return self.inner.immediate

    def shorten_query(self, texts: Sequence[str]) -> list[str] | None:
        """As the one within."""
        return self.inner.shorten_query(texts) if isinstance(self.inner, QueryShortener) else None

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """As the one within. Raises ModelError; what is known needs nobody to answer."""
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
