"""Speed and size as memories grow: `python -m tests.bench.scale [--sizes 1000 10000 100000] [--png growth.png]`.

For each size a store of one person, and one of 1,000 people with 1,000 memories each (`--people`), is filled through
the store's own gateways and opened anew by a process of its own, which recalls. Printed: whole recalls without the
embedding of the question (median, 95th percentile; of each person's first one apart), memories written per second
without their embedding, resident memory while recalling, bytes of file; and beside it, for the same vectors and questions, numpy over all vectors and
vec0's own search (float32), with the share of the 10 and 40 nearest that Ebb's index finds of those. 1,000,000 takes
ten minutes and is asked for by name. The plot needs the group `bench`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import fmean, median, quantiles
from time import perf_counter, process_time
from typing import Any

import numpy as np

from memory.models import Filter, Query
from memory.ports import FloatArray, Store
from memory.recall import QueryEmbedder, recall
from memory.store import sqlite_report
from tests.bench.ground import fill, new_user, store_at
from tests.bench.town import DIM, Town, Words

NOW = datetime(2026, 2, 11, 10, tzinfo=UTC)
BATCH = 1000
ASKED = 120
WARM = 4  # questions of each person that are not counted: the first one finds nothing at hand
TURNS = 8  # that are, where there are many people
Row = dict[str, Any]


async def write(path: Path, users: int, each: int) -> Row:
    """Fill a store; memories per second, the embedding of them left out."""
    words, town, seconds = Words(), Town(), 0.0
    async with store_at(path, words, NOW) as store:
        for _ in range(users):
            user = await new_user(store, NOW)
            memories = town.memories(user, each, NOW)
            while batch := list(islice(memories, BATCH)):
                vectors = await words.embed([m.original_content for m in batch], "content")
                began = perf_counter()
                await fill(store, user, batch, words, vectors)
                seconds += perf_counter() - began
    return {"written": users * each / seconds}


async def ask(path: Path, asked: int) -> Row:
    """Open a store, recall for people picked at random."""
    words, town = Words(), Town()
    town.rng.seed(11)
    async with store_at(path, words, NOW) as store:
        users = await store.system(lambda s: s.users())
        some = town.rng.sample(users, min(len(users), asked // TURNS))
        queries = [await _question(town, words, user) for user in some for _ in range(asked // len(some) + WARM)]
        firsts, took, used = [], [], 0.0
        for i, query in enumerate(queries):
            turn = i % (len(queries) // len(some))
            began, cpu = perf_counter(), process_time()
            await _recalled(store, query)
            ms = (perf_counter() - began) * 1000
            if turn == 0:
                firsts.append(ms)
            if turn < WARM:
                await asyncio.sleep(0.02)
            else:
                took.append(ms)
                used += (process_time() - cpu) * 1000
        row = {
            "median": median(took),
            "p95": quantiles(took, n=20)[-1],
            "cpu": used / len(took),
            "first": median(firsts),
            "rss": _resident(),
        }
        if len(users) == 1:
            row |= await _beside(path, store, queries[WARM:])
    return row


async def _question(town: Town, words: Words, user: str) -> Query:
    text, context = town.question(), ("hello there", "hi! how was your day?")
    vector, _ = await QueryEmbedder(words, 1000).embed(text, context)
    return Query(user, text, context, NOW, "UTC", vector=vector)


async def _recalled(store: Store, query: Query) -> None:
    await store.reader(query.user_id).whole(lambda reader: recall(reader, query, u=1.0))


async def _beside(path: Path, store: Store, queries: Sequence[Query]) -> Row:
    """numpy and vec0 over the same vectors, and how many of the nearest Ebb's index finds."""
    user = queries[0].user_id
    probes = [np.asarray(q.vector.rows[0]) for q in queries if q.vector is not None]
    ours, times = [], []
    for v in probes:
        began = perf_counter()
        ours.append([s.score for s in await store.reader(user).nearest(v, 40, Filter())])
        times.append((perf_counter() - began) * 1000)
    matrix = await store.read(user, lambda tx: _matrix(tx.con))  # type: ignore[attr-defined]
    exact, by_numpy = [], []
    for v in probes:
        began = perf_counter()
        scores = np.einsum("ij,j->i", matrix, v)
        some = scores[np.argpartition(-scores, 40)[:40]]
        by_numpy.append((perf_counter() - began) * 1000)
        exact.append(sorted(some.tolist(), reverse=True))
    found = {k: fmean(_share(a[:k], b[k - 1]) for a, b in zip(ours, exact, strict=True)) for k in (10, 40)}
    by_vec0 = _vec0(path.with_suffix(".vec0"), matrix, probes[:20])
    return {
        "index": median(times),
        "numpy": median(by_numpy),
        "vec0": by_vec0,
        "found10": found[10],
        "found40": found[40],
    }


def _share(ours: Sequence[float], least: float) -> float:
    return sum(s >= least - 1e-5 for s in ours) / len(ours)


def _matrix(con: Any) -> FloatArray:
    (count,) = con.execute("SELECT COUNT(*) FROM embeddings").fetchone()
    out = np.empty((count, DIM), np.float32)
    for i, (vector,) in enumerate(con.execute("SELECT vector FROM embeddings")):
        out[i] = np.frombuffer(vector, np.float32)
    return out


def _vec0(path: Path, matrix: FloatArray, probes: Sequence[FloatArray]) -> float | None:
    """Median of vec0's search of float32 vectors, as it comes."""
    from memory.store.sqlite_module import choose

    sqlite = choose(None)
    if not sqlite.vec:
        return None
    con = sqlite.module.connect(path, isolation_level=None)
    sqlite.prepare(con)
    con.execute(f"CREATE VIRTUAL TABLE v USING vec0(embedding FLOAT[{DIM}] distance_metric=cosine)")
    con.execute("BEGIN")
    con.executemany("INSERT INTO v (embedding) VALUES (?)", ((row.tobytes(),) for row in matrix))
    con.execute("COMMIT")
    took = []
    for v in probes:
        began = perf_counter()
        con.execute("SELECT rowid, distance FROM v WHERE embedding MATCH ? AND k = 40", (v.tobytes(),)).fetchall()
        took.append((perf_counter() - began) * 1000)
    con.close()
    return median(took)


def _resident() -> float:
    """Megabytes of this process in memory now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:  # no Linux: the most it ever was
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return pages * 4096 / (1 << 20)


def _run(what: str, path: Path, *numbers: int) -> Row:
    """One step in a process of its own, so that nothing of another is in its memory."""
    command = [sys.executable, "-m", "tests.bench.scale", f"--{what}", str(path), *map(str, numbers)]
    row: Row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return row


HEAD = (
    "memories",
    "recall ms",
    "p95",
    "CPU",
    "first",
    "index ms",
    "numpy",
    "vec0",
    "of 10",
    "of 40",
    "written/s",
    "RSS MB",
    "kB each",
)


def line(name: str, r: Row) -> str:
    """One row of the table."""
    keys = ("median", "p95", "cpu", "first", "index", "numpy", "vec0", "found10", "found40", "written", "rss")
    cells = []
    for k in keys:
        v = r.get(k)
        digits = 3 if k.startswith("found") else 2 if v is not None and v < 100 else 0
        cells.append("–" if v is None else f"{v:.{digits}f}")
    return f"{name:>11}" + "".join(f"{c:>10}" for c in (*cells, f"{r['bytes'] / 1000:.1f}"))


def plot(rows: dict[int, Row], path: Path) -> None:
    """Times over sizes, both logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    sizes = sorted(rows)
    figure, axes = plt.subplots(figsize=(8, 5))
    for key, name in (
        ("median", "Ebb: whole recall"),
        ("index", "Ebb: nearest 40"),
        ("numpy", "numpy, all vectors"),
        ("vec0", "vec0, float32"),
    ):
        axes.plot(sizes, [rows[n].get(key) for n in sizes], marker="o", label=name)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="memories of one person",
        ylabel="median, ms",
        title="Recall as memories grow",
    )
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main(sizes: Sequence[int], people: int, asked: int, png: Path | None) -> None:
    """The table, a line a size as it comes."""
    print(f"SQLite {sqlite_report().version}, numpy {np.__version__}; {asked} questions each")
    print(f"{HEAD[0]:>11}" + "".join(f"{h:>10}" for h in HEAD[1:]))
    rows = {}
    with tempfile.TemporaryDirectory() as home:
        for users, each in [*((1, n) for n in sizes), *([(people, 1000)] if people else [])]:
            path = Path(home) / f"{users}x{each}.db"
            row = _run("write", path, users, each)
            row |= {"bytes": path.stat().st_size / users / each} | _run("ask", path, asked)
            print(line(f"{users:,}×{each:,}" if users > 1 else f"{each:,}", row), flush=True)
            if users == 1:
                rows[each] = row
            for left in path.parent.glob(path.stem + ".*"):
                left.unlink()
    if png is not None:
        plot(rows, png)


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    p.add_argument("--people", type=int, default=1000, help="people of 1,000 memories each; 0: none")
    p.add_argument("--asked", type=int, default=ASKED, help="questions")
    p.add_argument("--png", type=Path)
    p.add_argument("--write", nargs=3, help=argparse.SUPPRESS)
    p.add_argument("--ask", nargs=2, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.write:
        print(json.dumps(asyncio.run(write(Path(a.write[0]), int(a.write[1]), int(a.write[2])))))
    elif a.ask:
        print(json.dumps(asyncio.run(ask(Path(a.ask[0]), int(a.ask[1])))))
    else:
        main(a.sizes, a.people, a.asked, a.png)
