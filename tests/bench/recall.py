"""How well recall finds: `python -m tests.bench.recall --data DIR [DIR …]`.

DIR holds `memories.jsonl` ({user, id, text, time, speaker, session, seq}) and `queries.jsonl` ({user, id, text, gold,
alt?, category, lang}). Everything goes through the project's own store and pipeline; `now` is each user's last
memory. Ranking is measured ungated. Recall@k = gold found in the first k / gold; a gold memory with `alt` counts as
found through any of them. Baselines run in the same store: BM25 alone, vectors alone, and their reciprocal ranks.
LoCoMo and MemDaily, which the weights were tuned on, are to be had from their authors and not part of this project.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import log2
from pathlib import Path
from statistics import fmean, median, quantiles
from time import perf_counter
from typing import Any

from memory.models import Filter, Query
from memory.ports import Embedder, Reader, Store
from memory.recall import QueryEmbedder, ranked
from tests.bench import embedders
from tests.bench.ground import fill, made, new_user, store_at

KS = (3, 5, 10, 20)
APART = "adversarial"  # asks for what was never said: told apart, in no total

Row = Mapping[str, Any]
Way = Callable[[Reader, Query], Awaitable[Sequence[str]]]


@dataclass
class User:
    """One person of the data: what was said, what is asked, and which id of ours is which of theirs."""

    memories: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)


def when(text: str) -> datetime:
    """ISO 8601, or 2024年04月01日 周一 08:30."""
    if "年" not in text:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    y, m, d, hour, minute = (int(x) for x in re.findall(r"\d+", text)[:5])
    return datetime(y, m, d, hour, minute, tzinfo=UTC)


def load(folder: Path) -> dict[str, User]:
    """Both files of a folder, by user."""
    users: dict[str, User] = defaultdict(User)
    for line in (folder / "memories.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        users[row["user"]].memories.append(row)
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        users[row["user"]].queries.append(row)
    return dict(users)


async def ingest(store: Store, users: Mapping[str, User], embedder: Embedder) -> float:
    """Everything said, in order of time; memories per second."""
    began, count = perf_counter(), 0
    for user in users.values():
        rows = sorted(user.memories, key=lambda r: (when(r["time"]), r["seq"]))
        user.now = when(rows[-1]["time"])
        person = await new_user(store, when(rows[0]["time"]))
        memories = [
            made(
                person,
                r["text"],
                when(r["time"]),
                session=f"{person}/{r['session']}",
                entities=() if r["speaker"] in {"user", ""} else (r["speaker"],),
            )
            for r in rows
        ]
        ids = await fill(store, person, memories, embedder)
        user.ids = dict(zip(ids, (r["id"] for r in rows), strict=True)) | {"": person}
        count += len(rows)
    return count / (perf_counter() - began)


def share_found(query: Row, found: Sequence[str], k: int) -> float:
    """Recall@k."""
    top, alt = set(found[:k]), query.get("alt") or {}
    return fmean(any(g in top for g in (gold, *alt.get(gold, ()))) for gold in query["gold"])


def gains(query: Row, found: Sequence[str], k: int = 10) -> tuple[float, float]:
    """(reciprocal rank of the first gold, nDCG@k), each gold counted once through whichever of its equals is first."""
    alt = query.get("alt") or {}
    places = []
    for gold in query["gold"]:
        at = [found.index(g) for g in (gold, *alt.get(gold, ())) if g in found]
        if at:
            places.append(min(at))
    dcg = sum(1 / log2(p + 2) for p in places if p < k)
    ideal = sum(1 / log2(i + 2) for i in range(min(k, len(query["gold"]))))
    return (1 / (1 + min(places)) if places else 0.0), dcg / ideal


@dataclass
class Tally:
    """Figures of one way on one set."""

    scores: dict[str, list[list[float]]] = field(default_factory=lambda: defaultdict(list))
    took: list[float] = field(default_factory=list)

    def add(self, query: Row, found: Sequence[str], seconds: float) -> None:
        mrr, ndcg = gains(query, found)
        row = [*(share_found(query, found, k) for k in KS), mrr, ndcg]
        self.scores[query["category"]].append(row)
        self.took.append(seconds * 1000)

    def lines(self, name: str) -> Iterable[str]:
        rest = [r for c, rows in self.scores.items() if c != APART for r in rows]
        cuts = quantiles(self.took, n=20)
        yield _line(name, rest) + f"  {median(self.took):6.2f} {cuts[-1]:6.2f}"

    def by_category(self) -> Iterable[str]:
        for category, rows in sorted(self.scores.items()):
            yield _line(f"  {category} ({len(rows)})", rows)


def _line(name: str, rows: Sequence[Sequence[float]]) -> str:
    return f"{name:28}" + " ".join(f"{fmean(column):6.3f}" for column in zip(*rows, strict=True))


async def pipeline(reader: Reader, query: Query) -> Sequence[str]:
    """Ours: every signal, fusion, nudges; no gate."""
    return [h.memory.id for h in await ranked(reader, query, u=1.0)]


async def bm25(reader: Reader, query: Query) -> Sequence[str]:
    """The text index alone."""
    return [s.id for s in await reader.lexical(query.text, 40, Filter())]


async def vectors(reader: Reader, query: Query) -> Sequence[str]:
    """The embedder alone."""
    return [s.id for s in await reader.nearest(query.vector.rows[0], 40, Filter())] if query.vector else []


async def rrf(reader: Reader, query: Query) -> Sequence[str]:
    """Reciprocal rank fusion of the two, k = 60."""
    total: dict[str, float] = defaultdict(float)
    for way in (bm25, vectors):
        for place, i in enumerate(await way(reader, query)):
            total[i] += 1 / (60 + place)
    return sorted(total, key=lambda i: -total[i])


WAYS: Mapping[str, Way] = {"Ebb": pipeline, "BM25": bm25, "vectors": vectors, "RRF": rrf}


async def measure(folder: Path, embedder: Embedder, ways: Mapping[str, Way]) -> dict[str, Tally]:
    """Ingest one set and ask all its questions in each way."""
    users = load(folder)
    tallies = {name: Tally() for name in ways}
    with tempfile.TemporaryDirectory() as home:
        async with store_at(Path(home) / "bench.db", embedder, datetime(2026, 1, 1, tzinfo=UTC)) as store:
            rate = await ingest(store, users, embedder)
            n = sum(len(u.memories) for u in users.values())
            print(f"\n{folder.name}: {n} memories of {len(users)} people, {rate:.0f}/s with embedding")
            print(
                f"{'':28}" + " ".join(f"{h:>6}" for h in (*(f"R@{k}" for k in KS), "MRR", "nDCG10", "p50ms", "p95ms"))
            )
            for user in users.values():
                await _ask(store, user, embedder, ways, tallies)
    return tallies


async def _ask(
    store: Store, user: User, embedder: Embedder, ways: Mapping[str, Way], tallies: Mapping[str, Tally]
) -> None:
    embed, reader = QueryEmbedder(embedder, 10_000), store.reader(user.ids[""])
    for row in user.queries:
        vector, _ = await embed.embed(row["text"])
        query = Query(user.ids[""], row["text"], (), user.now, "UTC", vector=vector)
        for name, way in ways.items():
            began = perf_counter()
            found = await way(reader, query)
            took = perf_counter() - began
            tallies[name].add(row, [user.ids[i] for i in found], took)


async def main(folders: Sequence[Path], embedder: Embedder, categories: bool) -> None:
    """Print a table a set."""
    print(f"embedder: {embedder.id}")
    for folder in folders:
        for name, tally in (await measure(folder, embedder, WAYS)).items():
            print("\n".join(tally.lines(name)))
            if categories and name == "Ebb":
                print("\n".join(tally.by_category()))


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    p.add_argument(
        "--data", type=Path, nargs="+", required=True, help="folders with memories.jsonl and queries.jsonl"
    )
    embedders.add_to(p)
    p.add_argument("--categories", action="store_true", help="Ebb's figures by category, too")
    a = p.parse_args()
    asyncio.run(main(a.data, embedders.chosen(a), a.categories))
