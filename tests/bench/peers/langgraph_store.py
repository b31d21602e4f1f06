"""LangGraph's SqliteStore: items in a namespace a user, searched by sqlite-vec."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from memory.store.sqlite_module import choose
from tests.bench.data import Row
from tests.bench.peers import Vectors

_BATCH = 1000


class LangGraph:
    """It embeds by itself, through a function; ours looks vectors up."""

    def __init__(self, home: Path, vectors: Vectors) -> None:
        self._vectors, self._question = vectors, False
        # Whichever SQLite of this Python can load extensions; the store opens the standard library's otherwise.
        con: Any = choose(None).module.connect(
            home / "store.db", check_same_thread=False, isolation_level=None
        )
        con.execute("PRAGMA journal_mode = WAL")
        self._con = con
        self._store = SqliteStore(
            con, index={"dims": vectors.dim, "embed": self._embed, "text_fields": ["text"]}
        )
        self._store.setup()

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vectors.at_once(t, "query" if self._question else "content") for t in texts]

    def add(self, user: str, rows: Sequence[Row]) -> None:
        for start in range(0, len(rows), _BATCH):
            self._store.batch(
                [PutOp((user,), r["id"], {"text": r["text"]}) for r in rows[start : start + _BATCH]]
            )

    def find(self, user: str, text: str, k: int) -> Sequence[str]:
        self._question = True
        found = self._store.search((user,), query=text, limit=k)
        self._question = False
        return [item.key for item in found]

    def close(self) -> None:
        self._con.close()


def opened(home: Path, vectors: Vectors) -> LangGraph:
    """In an empty folder."""
    return LangGraph(home, vectors)
