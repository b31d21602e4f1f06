"""The built-in embedder: words and no meaning; it needs nothing and is always there."""

from __future__ import annotations

from bot.llm.embedders import EmbedderSource
from bot.llm.endpoint import Clients
from bot.llm.providers import Choice
from bot.settings import Settings
from memory.embed import LexicalEmbedder
from memory.ports import Embedder


class Lexical(EmbedderSource):
    """Makes it."""

    name = "lexical"
    order = 9

    async def open(self, settings: Settings, choice: Choice, clients: Clients) -> Embedder | None:
        """Return it."""
        return LexicalEmbedder()

    def named(self, settings: Settings, choice: Choice, clients: Clients, embedder_id: str) -> Embedder | None:
        """Return it, if that is its version."""
        embedder = LexicalEmbedder()
        return embedder if embedder.id == embedder_id else None


EMBEDDER = Lexical()
