"""What embedders share that load a model of this machine and compute in threads, outside the event loop."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, Literal, TypeVar

import numpy as np

from memory.errors import ModelError
from memory.ports import FloatArray

Loaded = TypeVar("Loaded")


class ThreadedEmbedder(ABC, Generic[Loaded]):
    """An embedder with one thread for queries and one for contents, so that neither waits for the
    other.

    `patience` is how many seconds a query waits while the model is loaded; then it goes without
    vectors.
    """

    local = True
    immediate = False  # the model is loaded first, and computes for a while
    batch = 32  # texts computed in one step, between which contents can be interrupted

    def __init__(self, name: str, dim: int, patience: float = 0.2) -> None:
        self.name = name
        self.dim = dim
        self.patience = patience
        self._loaded: Loaded | None = None
        self._loading: asyncio.Future[None] | None = None
        self._threads = {
            k: ThreadPoolExecutor(1, thread_name_prefix=f"ebb-embed-{k}")
            for k in ("query", "content")
        }

    @property
    @abstractmethod
    def id(self) -> str:
        """`provider:model:dim`."""

    @abstractmethod
    def open_model(self) -> Loaded:
        """Load the model. Blocks, in a thread. Raises ModelError."""

    @abstractmethod
    def run_model(
        self, model: Loaded, texts: Sequence[str], kind: Literal["query", "content"]
    ) -> FloatArray:
        """Embed texts. Blocks, in a thread; two threads may be in here. Raises ModelError."""

    async def load(self) -> None:
        """Load the model, once. Raises ModelError."""
        if self._loaded is None:
            self.warm()
            if self._loading is not None:
                await asyncio.shield(self._loading)

    def warm(self) -> None:
        """Begin to load, for whoever asks later; a failure shows when they do."""
        if self._loaded is None and (
            self._loading is None or (self._loading.done() and self._loading.exception())
        ):
            self._loading = asyncio.ensure_future(self._load())
            self._loading.add_done_callback(lambda f: f.cancelled() or f.exception())

    async def _load(self) -> None:
        self._loaded = await asyncio.get_running_loop().run_in_executor(
            self._threads["content"], self.open_model
        )

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """Return (n, dim) unit vectors.

        Raises ModelError; for a query, also while the model is being loaded.
        """
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        try:
            async with asyncio.timeout(self.patience if kind == "query" else None):
                await self.load()
        except TimeoutError as e:
            raise ModelError("timeout", detail="being loaded", model=self.name) from e
        if self._loaded is None:
            raise ModelError("unreadable", detail="not loaded", model=self.name)
        out: FloatArray = np.empty((len(texts), self.dim), np.float32)
        order = sorted(
            range(len(texts)), key=lambda i: len(texts[i])
        )  # alike lengths together: little padding
        loop = asyncio.get_running_loop()
        for start in range(0, len(order), self.batch):
            some = order[start : start + self.batch]
            given = [texts[i] for i in some]
            out[some] = await loop.run_in_executor(
                self._threads[kind], self.run_model, self._loaded, given, kind
            )
        return out

    async def close(self) -> None:
        """Let the threads go; what has begun is not waited for."""
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
