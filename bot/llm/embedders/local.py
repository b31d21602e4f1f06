"""A sentence model on this machine: the multilingual MiniLM, fetched and run by fastembed.

The package comes with the extra `ebb[local]`. Nothing is imported before the first use.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from bot.llm.embedders import EmbedderSource
from bot.llm.endpoint import ClientPool
from bot.llm.providers import ProviderChoice
from bot.settings import Settings
from memory.api import ThreadedEmbedder
from memory.errors import ModelError
from memory.ports import Embedder, FloatArray

NAME: Final = "paraphrase-multilingual-MiniLM-L12-v2"
DIM: Final = 384
_CHARS: Final = 2_000  # of a text; the model reads 128 tokens


class LocalEmbedder(ThreadedEmbedder[Any]):
    """Embeds with fastembed's model; loading it fetches 0.24 GB where it is not there yet.

    Args:
        cache: folder that it is fetched to.
        path: folder that has it; then nothing is fetched.
        patience: seconds that a query waits while the model is loaded.
    """

    id = f"fastembed:{NAME}:{DIM}"

    def __init__(self, cache: Path, path: Path | None = None, patience: float = 0.2) -> None:
        super().__init__(NAME, DIM, patience)
        self.folder = path or cache
        self._cache, self._path = str(cache), None if path is None else str(path)

    def is_fetched(self) -> bool:
        """Tell whether the model is on this machine."""
        return self._path is not None or any(self.folder.glob(f"*{NAME}*"))

    def open_model(self) -> Any:
        """Fetch and load the model. Raises ModelError."""
        try:
            from fastembed import TextEmbedding
        except ImportError as e:
            raise ModelError("unknown_model", detail="not installed", model=NAME) from e
        try:
            name = f"sentence-transformers/{NAME}"
            return TextEmbedding(name, cache_dir=self._cache, specific_model_path=self._path)
        except Exception as e:  # the hub's client, the disk and the runtime raise anything
            code: Literal["unreadable", "no_connection"] = (
                "unreadable" if self._path else "no_connection"
            )
            detail = f"{type(e).__name__}: {e}"[:200]
            raise ModelError(code, detail=detail, model=NAME, host="huggingface.co") from e

    def run_model(
        self, model: Any, texts: Sequence[str], kind: Literal["query", "content"]
    ) -> FloatArray:
        """Embed texts; the model tells queries and contents not apart. Raises ModelError."""
        try:
            rows = np.array(list(model.embed([t[:_CHARS] for t in texts])), np.float32)
        except Exception as e:  # onnxruntime's errors have no base of their own
            raise ModelError("unreadable", detail=str(e)[:200], model=NAME) from e
        if rows.shape != (len(texts), DIM) or not np.isfinite(rows).all():
            raise ModelError("unreadable", detail=f"vectors of shape {rows.shape}", model=NAME)
        unit: FloatArray = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
        return unit


class Local(EmbedderSource):
    """Makes it where it is asked for, by its name or by a folder."""

    name = "local"
    order = 3
    missing = "not installed"

    def make(self, settings: Settings) -> LocalEmbedder | None:
        """Make it, unless fastembed is not there."""
        if not self.asked(settings) or importlib.util.find_spec("fastembed") is None:
            return None
        patience = settings.recall_deadline_ms / 1000
        return LocalEmbedder(settings.home / "models", settings.embedder_path, patience)

    def find_earlier(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder_id: str
    ) -> Embedder | None:
        """Return it for the vectors it made, where it is still on this machine."""
        embedder = self.make(replace(settings, embedder=self.name))
        there = embedder is not None and embedder.id == embedder_id and embedder.is_fetched()
        return embedder if there else None

    def asked(self, settings: Settings) -> bool:
        """Tell whether it is named, or its folder is."""
        return super().asked(settings) or settings.embedder_path is not None


EMBEDDER = Local()
