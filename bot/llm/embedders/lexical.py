"""The built-in embedder: words and no meaning; it needs nothing and is always there."""

from __future__ import annotations

from bot.llm.embedders import EmbedderSource
from bot.settings import Settings
from memory.api import LexicalEmbedder
from memory.ports import Embedder


class Lexical(EmbedderSource):
    """Makes it."""

    name = "lexical"
    order = 9

    def make(self, settings: Settings) -> Embedder:
        """Make it."""
        return LexicalEmbedder()


EMBEDDER = Lexical()
