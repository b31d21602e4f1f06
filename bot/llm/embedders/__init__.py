"""Embedders: one file each, named as EBB_EMBEDDER names it, with its `EMBEDDER`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from typing import ClassVar

from bot.llm.endpoint import ClientPool
from bot.llm.providers import ProviderChoice
from bot.settings import Settings, variants
from memory.ports import Embedder


class NoEmbedder(Exception):
    """What was asked for cannot be had; `because` as in `ProviderChoice.lexical_because`."""

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because


class EmbedderSource(ABC):
    """A way to have an embedder."""

    name: ClassVar[str]
    order: ClassVar[int]  # under EBB_EMBEDDER=auto the lowest that there is is used
    missing: ClassVar[str] = ""  # why it is not used, where it was asked for

    @abstractmethod
    def make(self, settings: Settings) -> Embedder | None:
        """Make it, without a request or loading anything; None where it is not there."""

    async def open(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool
    ) -> Embedder | None:
        """Return it; None where it is not there and was not asked for. Raises NoEmbedder."""
        embedder = self.make(settings)
        if embedder is None and self.asked(settings):
            raise NoEmbedder(self.missing)
        return embedder

    def find_earlier(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder_id: str
    ) -> Embedder | None:
        """Return the embedder of an id that made earlier vectors, where it is still reached."""
        embedder = self.make(settings)
        return embedder if embedder is not None and embedder.id == embedder_id else None

    def asked(self, settings: Settings) -> bool:
        """Tell whether EBB_EMBEDDER names it."""
        return settings.embedder == self.name


@cache
def embedders() -> dict[str, EmbedderSource]:
    """Load every embedder of this folder, by name, in the order in which they are tried."""
    found = [import_module(f"{__name__}.{name}").EMBEDDER for name in variants("llm/embedders")]
    return {e.name: e for e in sorted(found, key=lambda e: e.order)}
