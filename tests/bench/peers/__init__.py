"""Other stores of memories, asked the same questions with the same vectors: the group `peers`.

Each is one class and one line in `PEERS`. They are given what Ebb is given: texts in order of time, by user, and a
look-up of vectors that were made before; they search in their own way, without a language model.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

from tests.bench.data import Row
from tests.bench.embedders import Kind

# Before any of them is imported: they write home otherwise, or look models up.
SILENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
}


class Vectors(Protocol):
    """Where a text's vector is looked up."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def at_once(self, text: str, kind: Kind) -> list[float]:
        """The vector of a text that was embedded before."""


class Peer(Protocol):
    """A store that can be asked."""

    def add(self, user: str, rows: Sequence[Row]) -> None:
        """Keep these memories of a user, in this order."""

    def find(self, user: str, text: str, k: int) -> Sequence[str]:
        """Ids of that user's memories, best first."""

    def close(self) -> None:
        """Leave nothing open."""


Opening = Callable[[Path, Vectors], Peer]
PEERS: Mapping[str, str] = {
    "mem0": "tests.bench.peers.mem0_store",
    "LangGraph": "tests.bench.peers.langgraph_store",
    "Chroma": "tests.bench.peers.chroma_store",
}


@cache
def _elsewhere() -> str:
    """A folder instead of this machine's home, as long as this process lives."""
    folder = tempfile.mkdtemp(prefix="ebb-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def opened(home: Path, vectors: Vectors, names: Sequence[str]) -> Iterator[tuple[str, Peer | None]]:
    """The peers of these names, each in a folder of its own; None for one that is not installed."""
    os.environ.update(SILENT | {"MEM0_DIR": _elsewhere()})
    for name in names:
        try:
            opening: Opening = import_module(PEERS[name]).opened
        except ModuleNotFoundError:
            yield name, None
            continue
        (home / name).mkdir()
        yield name, opening(home / name, vectors)
