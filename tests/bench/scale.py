"""Speed and size as memories grow: `python -m tests.bench.scale [--sizes 1000 10000 100000] [--png growth.png]`.

For each size a store of one person, and one of 1,000 people with 1,000 memories each (`--people`), is filled through
the store's own gateways and opened anew by a process of its own, which recalls. Printed: whole recalls without the
embedding of the question (median, 95th percentile; of each person's first one apart), memories written per second
without their embedding, what that process holds in memory once it is warm and the most it ever held, bytes of all
files; and beside it, for the same vectors and questions, numpy over all vectors and vec0's own search (float32), with
the share of the 10 and 40 nearest that Ebb's index finds of those. 1,000,000 takes ten minutes and is asked for by
name. The plot needs the group `bench`; `--json` keeps the figures, `--from` draws them again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
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
from memory.recall import QueryEmbedder, recall_memories
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
        users = await store.write_system(lambda s: s.users())
        some = town.rng.sample(users, min(len(users), asked // TURNS))
        queries = [
            await _question(town, words, user)
            for user in some
            for _ in range(asked // len(some) + WARM)
        ]
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
            **_resident(),
        }
        if len(users) == 1:
            row |= await _beside(path, store, queries[WARM:])
    return row


async def _question(town: Town, words: Words, user: str) -> Query:
    text, context = town.question(), ("hello there", "hi! how was your day?")
    vector, _ = await QueryEmbedder(words, 1000).embed(text, context)
    return Query(user, text, context, NOW, "UTC", vector=vector)


async def _recalled(store: Store, query: Query) -> None:
    await store.open_reader(query.user_id).run_in_one_read(
        lambda reader: recall_memories(reader, query, u=1.0)
    )


async def _beside(path: Path, store: Store, queries: Sequence[Query]) -> Row:
    """numpy and vec0 over the same vectors, and how many of the nearest Ebb's index finds."""
    user = queries[0].user_id
    probes = [np.asarray(q.vector.rows[0]) for q in queries if q.vector is not None]
    ours, times = [], []
    for v in probes:
        began = perf_counter()
        ours.append(
            [s.score for s in await store.open_reader(user).search_vectors(v, 40, Filter())]
        )
        times.append((perf_counter() - began) * 1000)
    matrix = await store.read(user, lambda tx: _matrix(tx.con))  # type: ignore[attr-defined]
    exact, by_numpy = [], []
    for v in probes:
        began = perf_counter()
        scores = np.einsum("ij,j->i", matrix, v)
        some = scores[np.argpartition(-scores, 40)[:40]]
        by_numpy.append((perf_counter() - began) * 1000)
        exact.append(sorted(some.tolist(), reverse=True))
    found = {
        k: fmean(_share(a[:k], b[k - 1]) for a, b in zip(ours, exact, strict=True))
        for k in (10, 40)
    }
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
        con.execute(
            "SELECT rowid, distance FROM v WHERE embedding MATCH ? AND k = 40", (v.tobytes(),)
        ).fetchall()
        took.append((perf_counter() - began) * 1000)
    con.close()
    return median(took)


def _resident() -> dict[str, float]:
    """Megabytes of this process: in memory now, and the most there ever were.

    Of its own since it was started: `ru_maxrss` would count what the process that started it had at the time.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:  # no Linux
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            1 << 20 if sys.platform == "darwin" else 1 << 10
        )
        return {"rss": most, "peak": most}
    kb = {name: int(rest.split()[0]) for name, rest in re.findall(r"(VmRSS|VmHWM):(.*)", status)}
    return {"rss": kb["VmRSS"] / 1024, "peak": kb["VmHWM"] / 1024}


def _run(what: str, path: Path, *numbers: int) -> Row:
    """One step in a process of its own, so that nothing of another is in its memory."""
    command = [
        sys.executable,
        "-m",
        "tests.bench.scale",
        f"--{what}",
        str(path),
        *map(str, numbers),
    ]
    row: Row = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
    )
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
    "most MB",
    "kB each",
)


def line(name: str, r: Row) -> str:
    """One row of the table."""
    keys = (
        "median",
        "p95",
        "cpu",
        "first",
        "index",
        "numpy",
        "vec0",
        "found10",
        "found40",
        "written",
        "rss",
        "peak",
    )
    cells = []
    for k in keys:
        v = r.get(k)
        digits = 3 if k.startswith("found") else 2 if v is not None and v < 100 else 0
        cells.append("–" if v is None else f"{v:.{digits}f}")
    return f"{name:>11}" + "".join(f"{c:>10}" for c in (*cells, f"{r['bytes'] / 1000:.1f}"))


def main(sizes: Sequence[int], people: int, asked: int) -> dict[int, Row]:
    """The table, a line a size as it comes; the figures of one person, by size."""
    print(f"SQLite {sqlite_report().version}, numpy {np.__version__}; {asked} questions each")
    print(f"{HEAD[0]:>11}" + "".join(f"{h:>10}" for h in HEAD[1:]))
    rows = {}
    with tempfile.TemporaryDirectory() as home:
        for users, each in [*((1, n) for n in sizes), *([(people, 1000)] if people else [])]:
            path = Path(home) / f"{users}x{each}.db"
            row = _run("write", path, users, each)
            size = sum(
                p.stat().st_size for p in path.parent.glob(path.name + "*")
            )  # with what is not yet merged
            row |= {"bytes": size / users / each} | _run("ask", path, asked)
            print(line(f"{users:,}×{each:,}" if users > 1 else f"{each:,}", row), flush=True)
            if users == 1:
                rows[each] = row
            for left in path.parent.glob(path.stem + ".*"):
                left.unlink()
    return rows


def draw(rows: dict[int, Row], png: Path) -> None:
    """The picture, if matplotlib is there."""
    from tests.bench.growth import plot

    what = f"whole recalls through Ebb's own store, embedding left out; SQLite {sqlite_report().version}, {DIM} dimensions"
    try:
        plot(rows, png, f"One process, {what}")
    except ModuleNotFoundError:
        print("matplotlib is not installed (requirements-bench.lock): no picture")


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    p.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    p.add_argument(
        "--people", type=int, default=1000, help="people of 1,000 memories each; 0: none"
    )
    p.add_argument("--asked", type=int, default=ASKED, help="questions")
    p.add_argument("--png", type=Path, help="draw the figures, to this file")
    p.add_argument("--json", type=Path, help="all figures of one person, to this file")
    p.add_argument(
        "--from", type=Path, dest="kept", help="such a file: nothing is measured, only drawn"
    )
    p.add_argument("--write", nargs=3, help=argparse.SUPPRESS)
    p.add_argument("--ask", nargs=2, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.write:
        print(json.dumps(asyncio.run(write(Path(a.write[0]), int(a.write[1]), int(a.write[2])))))
    elif a.ask:
        print(json.dumps(asyncio.run(ask(Path(a.ask[0]), int(a.ask[1])))))
    else:
        if a.kept is None:
            rows = main(a.sizes, a.people, a.asked)
        else:
            rows = {
                int(n): row for n, row in json.loads(a.kept.read_text(encoding="utf-8")).items()
            }
        if a.json is not None:
            a.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        if a.png is not None:
            draw(rows, a.png)
