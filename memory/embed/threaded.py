"""What embedders share that load a model of this machine and compute outside the event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Literal, TypeAlias, TypeVar

import numpy as np

from memory.errors import ModelError
from memory.ports import FloatArray

Kind: TypeAlias = Literal["query", "content"]
Loaded = TypeVar("Loaded")


class ThreadedEmbedder(ABC, Generic[Loaded]):
    """An embedder with a thread for queries and one for contents, so that neither waits.

    Args:
        name: of the model, as errors tell it.
        dim: length of a vector.
        patience: seconds that a query waits while the model is loaded; then it goes without
            vectors.
    """

    id: str  # `provider:model:dim`
    local = True
    immediate = False  # the model is loaded first, and computes for a while
    batch = 32  # texts computed in one step, between which contents can be interrupted

    def __init__(self, name: str, dim: int, patience: float = 0.2) -> None:
        self.name = name
        self.dim = dim
        self.patience = patience
        self._loaded: Loaded | None = None
        self._loading: asyncio.Task[Loaded] | None = None
        self._threads = {
            k: concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix=f"ebb-embed-{k}")
            for k in ("query", "content")
        }

    @abstractmethod
    def open_model(self) -> Loaded:
        """Load the model. Blocks, in a thread. Raises ModelError."""

    @abstractmethod
    def run_model(self, model: Loaded, texts: Sequence[str], kind: Kind) -> FloatArray:
        """Embed texts. Blocks, in a thread; two threads may be in here. Raises ModelError."""

    async def load(self) -> Loaded:
        """Load the model, once; after a failure, anew. Raises ModelError."""
        task = self._loading
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            task = self._loading = asyncio.create_task(self._load())
            task.add_done_callback(lambda f: f.cancelled() or f.exception())
        return await asyncio.shield(task)

    async def _load(self) -> Loaded:
        """Load in a thread of its own, which holds nobody up who wants to leave."""
        found: concurrent.futures.Future[Loaded] = concurrent.futures.Future()
        found.set_running_or_notify_cancel()

        def run() -> None:
            try:
                found.set_result(self.open_model())
            except Exception as e:  # noqa: BLE001 - raised where the model is waited for
                found.set_exception(e)

        threading.Thread(target=run, name="ebb-embed-load", daemon=True).start()
        self._loaded = await asyncio.wrap_future(found)
        return self._loaded

    async def embed(self, texts: Sequence[str], kind: Kind) -> FloatArray:
        """Return (n, dim) unit vectors.

        Raises ModelError; for a query, also while the model is being loaded.
        """
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        try:
            async with asyncio.timeout(self.patience if kind == "query" else None):
                model = await self.load()
        except TimeoutError as e:
            raise ModelError("timeout", detail="being loaded", model=self.name) from e
        out: FloatArray = np.empty((len(texts), self.dim), np.float32)
        # Alike lengths together: little padding.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        loop = asyncio.get_running_loop()
        for start in range(0, len(order), self.batch):
            some = order[start : start + self.batch]
            given = [texts[i] for i in some]
            out[some] = await loop.run_in_executor(
                self._threads[kind], self.run_model, model, given, kind
            )
        return out

    async def close(self) -> None:
        """Let the threads go; what has begun is not waited for."""
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
