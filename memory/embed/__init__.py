"""Embedders that need nothing but this package. Those behind an API or a local model live with the models."""

from collections.abc import Callable, Mapping

from memory.embed.kept import Kept
from memory.embed.lexical import LexicalEmbedder
from memory.embed.moving import Moving
from memory.ports import Embedder

EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"lexical": LexicalEmbedder}

__all__ = ["EMBEDDERS", "Kept", "LexicalEmbedder", "Moving"]
