"""Find the right memory, and only the right memory: signals, fusion, gate, modes."""

from memory.recall.embedding import QueryEmbedder
from memory.recall.fusion import apply_nudges
from memory.recall.gate import THRESHOLD
from memory.recall.neighbours import FOLLOWERS
from memory.recall.pipeline import find_standing, rank_candidates, recall_memories
from memory.recall.signals import SIGNALS

__all__ = [
    "FOLLOWERS",
    "SIGNALS",
    "THRESHOLD",
    "QueryEmbedder",
    "apply_nudges",
    "find_standing",
    "rank_candidates",
    "recall_memories",
]
