"""Embedders: one file each, named as EBB_EMBEDDER names it, with its `EMBEDDER`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from typing import ClassVar

from bot.llm.endpoint import Clients
from bot.llm.providers import Choice
from bot.settings import Settings, variants
from memory.ports import Embedder


class NoEmbedder(Exception):
    """What was asked for cannot be had; `because` as in `Choice.lexical_because`."""

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because


class EmbedderSource(ABC):
    """A way to have an embedder."""

    name: ClassVar[str]
    order: ClassVar[int]  # under EBB_EMBEDDER=auto the lowest that there is is used

    @abstractmethod
    async def open(self, settings: Settings, choice: Choice, clients: Clients) -> Embedder | None:
        """Open it; None where it was not asked for and is not there. Raises NoEmbedder where nothing else will do."""

    @abstractmethod
    def named(self, settings: Settings, choice: Choice, clients: Clients, embedder_id: str) -> Embedder | None:
        """Return the embedder of an id that made earlier vectors, where these settings still reach it."""

    def asked(self, settings: Settings) -> bool:
        """Tell whether EBB_EMBEDDER names it."""
        return settings.embedder == self.name


@cache
def embedders() -> dict[str, EmbedderSource]:
    """Load every embedder of this folder, by name, in the order in which they are tried."""
    found = [import_module(f"{__name__}.{name}").EMBEDDER for name in variants("llm/embedders")]
    return {e.name: e for e in sorted(found, key=lambda e: e.order)}
