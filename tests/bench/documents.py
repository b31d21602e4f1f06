"""How often the passage that answers a question about a long text is among the first three.

`python -m tests.bench.documents [A|B]`: the documents of `tests/eval/sets/documents.jsonl`, each in a conversation of its
own and all of a half in one; with the bundled embedder and the lexical one. Beside it, how many questions come through the
gate, and how many of the labelled messages that call for nothing.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory.embed import EMBEDDERS
from memory.models import Document
from memory.ports import Embedder
from memory.recall import passages
from memory.recall.embedding import QueryVectors
from memory.recall.question import parse_question
from memory.recall.reader import load_messages, load_reader
from tests.eval.data import load_cases

FIRST = 3
NOW = datetime(2026, 1, 1, tzinfo=UTC)


async def measure(name: str, cases: Sequence[dict[str, Any]]) -> None:
    """Print one embedder's figures."""
    embedder: Embedder = EMBEDDERS[name]()
    if hasattr(embedder, "load"):
        await embedder.load()
    found = [await index(embedder, n, case["text"]) for n, case in enumerate(cases, 1)]
    for together in (False, True):
        first = through = asked = idle = said = 0
        for case, own in zip(cases, found, strict=True):
            some = found if together else [own]
            for q in case["questions"]:
                best = await rank(embedder, some, q["ask"], gate=False)
                asked += 1
                first += any(flat(q["passage"]) in flat(p.text) for p in best[:FIRST])
                through += bool(await rank(embedder, some, q["ask"]))
            for message in load_messages()[case["language"]]["idle"][::3]:
                said += 1
                idle += bool(await rank(embedder, some, message))
        where = "all in one conversation" if together else "one document each"
        print(f"{name}, {where}: first {FIRST} {first} of {asked}, through the gate {through};")
        print(f"  of messages that call for nothing {idle} of {said}")


async def index(embedder: Embedder, n: int, text: str) -> passages.IndexedDocument:
    """Embed a document's passages."""
    places, texts = passages.list_passage_texts(text)
    rows = await embedder.embed(texts, "content")
    d = Document(n, str(n), "user", NOW, text, embedder.id, tuple(places), rows)
    return passages.index_document(d)


async def rank(
    embedder: Embedder, some: Sequence[passages.IndexedDocument], text: str, *, gate: bool = True
) -> Any:
    """Return the passages a message calls for, or the best ones."""
    question = parse_question(text, ())
    rows = await embedder.embed(question.list_texts, "query")
    vectors = QueryVectors(embedder.id, rows, load_reader(embedder.id))
    return passages.rank_passages(some, question, vectors, gate=gate)


def flat(text: str) -> str:
    """Leave the spaces out."""
    return "".join(text.split())


async def main() -> None:
    half: Any = sys.argv[1] if len(sys.argv) > 1 else "A"
    for name in ("bundled", "lexical"):
        await measure(name, load_cases("documents", half))


if __name__ == "__main__":
    asyncio.run(main())
