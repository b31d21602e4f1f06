"""Finding the right memory, and only the right memory: signals, fusion, gate, modes."""

from memory.recall.embedding import QueryEmbedder, QueryVectors
from memory.recall.followers import FOLLOWERS
from memory.recall.fusion import nudged
from memory.recall.gate import THRESHOLD
from memory.recall.pipeline import ranked, recall
from memory.recall.residents import residents
from memory.recall.signals import SIGNALS

__all__ = [
    "FOLLOWERS",
    "SIGNALS",
    "THRESHOLD",
    "QueryEmbedder",
    "QueryVectors",
    "nudged",
    "ranked",
    "recall",
    "residents",
]
