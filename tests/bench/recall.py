"""How well recall finds: `python -m tests.bench.recall --data DIR [DIR …] [--embedder minilm] [--json FILE]`.

The format of DIR is told in `tests.bench.data`. Everything goes through the project's own store and pipeline; `now`
is each user's last memory. Ranking is measured ungated ("gated" is what then passes the gate), and as if nothing faded. Recall@k = gold found in the first k / gold; a gold memory
with `alt` counts as found through any of them; `adversarial` questions stand apart and are in no total.

Beside Ebb stand baselines in the same store (BM25 alone, vectors alone, their reciprocal ranks) and the peers that
are installed (`requirements-bench.lock`), all with the same vectors, made before: no time has the embedding in it.
LoCoMo and MemDaily, which the weights were tuned on, are to be had from their authors and not part of this project;
`python -m tests.bench.life` writes a set of another kind.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from memory.models import Filter, Query
from memory.ports import Embedder, Reader, Store
from memory.recall import QueryEmbedder, rank_candidates
from memory.recall.question import parse_question
from tests.bench import embedders
from tests.bench.data import User, load, when
from tests.bench.embedders import Known
from tests.bench.ground import fill, made, new_user, store_at
from tests.bench.metrics import FIGURES, Tally, by_part, totals
from tests.bench.peers import PEERS, Peer, opened

MOST = 40  # asked of everybody
Way = Callable[[Reader, Query], Awaitable[Sequence[str]]]


async def ingest(store: Store, users: Mapping[str, User], embedder: Embedder | None) -> float:
    """Everything said, in order of time; memories per second."""
    began, count = perf_counter(), 0
    for user in users.values():
        rows = user.in_time()
        person = await new_user(store, when(rows[0]["time"]))
        memories = [
            made(
                person,
                r["text"],
                when(r["time"]),
                session=f"{person}/{r['session']}",
            )
            for r in rows
        ]
        ids = await fill(store, person, memories, embedder)
        user.ids = dict(zip(ids, (r["id"] for r in rows), strict=True)) | {"": person}
        count += len(rows)
    return count / (perf_counter() - began)


async def pipeline(reader: Reader, query: Query) -> Sequence[str]:
    """Ours: every signal, fusion, nudges; no gate, and no levels (`u` 0): fading is measured elsewhere."""
    return [h.memory.id for h in await rank_candidates(reader, query, u=0.0)]


async def gated(reader: Reader, query: Query) -> Sequence[str]:
    """Those of ours that pass the gate."""
    return [h.memory.id for h in await rank_candidates(reader, query, u=0.0) if h.passed]


async def bm25(reader: Reader, query: Query) -> Sequence[str]:
    """The text index alone."""
    return [s.id for s in await reader.search_words(query.text, MOST, Filter())]


async def vectors(reader: Reader, query: Query) -> Sequence[str]:
    """The embedder alone."""
    return (
        [s.id for s in await reader.search_vectors(query.vector.rows[0], MOST, Filter())]
        if query.vector
        else []
    )


async def rrf(reader: Reader, query: Query) -> Sequence[str]:
    """Reciprocal rank fusion of the two, k = 60."""
    total: dict[str, float] = defaultdict(float)
    for way in (bm25, vectors):
        for place, i in enumerate(await way(reader, query)):
            total[i] += 1 / (60 + place)
    return sorted(total, key=lambda i: -total[i])


def ways(embedder: Embedder | None) -> Mapping[str, Way]:
    """Ebb, and what it has to be better than, in Ebb's own store."""
    own: dict[str, Way] = {"Ebb": pipeline, "gated": gated, "BM25": bm25}
    return own if embedder is None else {**own, "vectors": vectors, "RRF": rrf}


async def measure(
    folder: Path, inner: Embedder | None, wanted: Sequence[str]
) -> tuple[dict[str, Tally], int]:
    """Ask all questions of a set in each way; figures by way, and how many memories there are."""
    users = load(folder)
    embedder = None if inner is None else Known(inner)
    if embedder is not None:
        await _embed(users, embedder)
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        others: dict[str, Peer] = {}
        for name, peer in opened(Path(home), embedder, wanted) if embedder is not None else ():
            if peer is None:
                print(f"{name} is not installed (requirements-bench.lock) and is left out")
            else:
                others[name] = peer
                stack.callback(peer.close)
        tallies = {name: Tally() for name in (*ways(embedder), *others)}
        async with store_at(
            Path(home) / "bench.db", embedder, datetime(2026, 1, 1, tzinfo=UTC)
        ) as store:
            tallies["Ebb"].written = await ingest(store, users, embedder)
            for name, peer in others.items():
                tallies[name].written = _ingest(peer, users)
            for name, user in users.items():
                await _ask(store, user, embedder, tallies)
                for peer_name, peer in others.items():
                    _ask_peer(peer, name, user, tallies[peer_name])
    return tallies, sum(len(u.memories) for u in users.values())


async def _embed(users: Mapping[str, User], embedder: Known) -> None:
    """Everything that will be looked up: memories, questions, and their clauses."""
    rate = await embedder.learn((r["text"] for u in users.values() for r in u.memories), "content")
    await embedder.learn(
        (
            t
            for u in users.values()
            for r in u.queries
            for t in parse_question(r["text"], ()).list_texts
        ),
        "query",
    )
    await embedder.learn((r["text"] for u in users.values() for r in u.queries), "query")
    print(f"\nembedder {embedder.id}: {rate:,.0f} memories a second")


def _ingest(peer: Peer, users: Mapping[str, User]) -> float:
    began = perf_counter()
    for name, user in users.items():
        peer.add(name, user.in_time())
    return sum(len(u.memories) for u in users.values()) / (perf_counter() - began)


async def _ask(
    store: Store, user: User, embedder: Embedder | None, tallies: Mapping[str, Tally]
) -> None:
    embed = None if embedder is None else QueryEmbedder(embedder, 10_000)
    reader = store.open_reader(user.ids[""])
    if embed is not None:
        await embed.embed("hello")
        if embed._reading is not None:  # the reader of messages, which the gate wants
            await embed._reading
    for row in user.answered:
        vector = None if embed is None else (await embed.embed(row["text"]))[0]
        query = Query(user.ids[""], row["text"], (), user.now, "UTC", vector=vector)
        for name, way in ways(embedder).items():
            began = perf_counter()
            found = await way(reader, query)
            took = perf_counter() - began
            tallies[name].add(row, [user.ids[i] for i in found], took)


def _ask_peer(peer: Peer, name: str, user: User, tally: Tally) -> None:
    for row in user.answered:
        began = perf_counter()
        found = peer.find(name, row["text"], MOST)
        tally.add(row, found, perf_counter() - began)


async def main(
    folders: Sequence[Path], embedder: Embedder | None, wanted: Sequence[str]
) -> dict[str, Any]:
    """Print a table a set; all figures, for a file."""
    told: dict[str, Any] = {"embedder": "none" if embedder is None else embedder.id, "sets": {}}
    means: list[dict[str, list[float]]] = []
    for folder in folders:
        tallies, n = await measure(folder, embedder, wanted)
        print(f"\n{folder.name}: {n:,} memories")
        print("\n".join(totals(tallies)))
        for figure in ("R@10", "nDCG@10"):
            print("\n".join(("", *by_part(tallies, figure))))
        means.append({name: next(t.parts())[2] for name, t in tallies.items()})
        told["sets"][folder.name] = {
            "memories": n,
            "ways": {name: t.told() for name, t in tallies.items()},
        }
    print(
        f"\nall sets{'':10}"
        + "".join(f"{folder.name[-14:]:>16}" for folder in folders)
        + f"{'mean':>16}"
    )
    at = (FIGURES.index("R@10"), FIGURES.index("nDCG@10"))
    for name in means[0]:
        rows = [[m[name][i] for i in at] for m in means]
        rows.append([fmean(column) for column in zip(*rows, strict=True)])
        print(f"{name:18}" + "".join(f"{f'{r:.3f} / {n:.3f}':>16}" for r, n in rows))
    return told


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument(
        "--data",
        type=Path,
        nargs="+",
        required=True,
        help="folders with memories.jsonl and queries.jsonl",
    )
    p.add_argument(
        "--peers",
        nargs="*",
        choices=list(PEERS),
        default=list(PEERS),
        help="which peers; none: no name",
    )
    p.add_argument("--json", type=Path, help="all figures, to this file")
    embedders.add_to(p)
    a = p.parse_args()
    figures = asyncio.run(main(a.data, embedders.chosen(a), a.peers))
    if a.json is not None:
        a.json.write_text(
            json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
