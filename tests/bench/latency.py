"""What memory adds before the first model request: `python -m tests.bench.latency [--memories 10000] [--turns 200]`.

One person, that many memories in English and Chinese, the built-in embedder. Printed: the query's embedding, recall
as a whole and its parts (each part alone, so they add up to a little less than the whole), median and 95th percentile.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import numpy as np

from memory.embed import LexicalEmbedder
from memory.models import Memory, Query
from memory.ports import Reader
from memory.recall import FOLLOWERS, SIGNALS, QueryEmbedder, recall_memories
from memory.recall.signals import open_context
from memory.recall.term_scores import find_best_rows
from tests.bench.ground import fill, made, new_user, store_at

NOW = datetime(2026, 2, 11, 10, tzinfo=UTC)

_WHO = "Mia Leo Anna Tom Grace Omar Yuki Carlos 小林 阿明 王静 李婷 陈思琪 张伟 刘洋 周舟".split()  # noqa: SIM905
_WHERE = "Leeds Lisbon Kyoto Oslo Berlin Austin 北京 上海 成都 杭州 青岛 广州".split()  # noqa: SIM905
_WHAT = [
    "climbing",
    "pottery",
    "ramen",
    "chess",
    "jazz",
    "astronomy",
    "gardening",
    "cycling",
    "baking",
    "sailing",
    "photography",
    "violin",
    "拉面",
    "咖啡",
    "爬山",
    "摄影",
    "钢琴",
    "围棋",
    "烘焙",
    "游泳",
    "书法",
    "天文",
    "电影",
    "羽毛球",
]
_EN = (
    "{who} took up {what} in {where} last spring and goes every {n}th day",
    "User prefers {what} to {what2} when staying in {where}",
    "The budget for the {where} trip with {who} is {n} euros",
    "User's colleague {who} moved to {where} because of {what}",
)
_ZH = (
    "用户和{who}约好在{where}一起{what}，时间是{n}号",
    "{who}喜欢{what}，不太喜欢{what2}",
    "用户在{where}的公司负责第{n}个项目，同事是{who}",
    "用户觉得{where}的{what}比{what2}更有意思",
)
_ASKED = (
    "Where did {who} move to?",
    "what do I like better, {what} or {what2}?",
    "How much did we plan for the trip to {where} with {who}?",
    "{who}喜欢什么？",
    "我和{who}约了什么时候去{where}？另外，预算是多少？",
    "我在{where}负责什么项目",
    "thanks, that was fun!",
    "今天好累啊",
)


def sentence(patterns: Sequence[str], rng: random.Random) -> str:
    """One of the patterns, filled."""
    what, other = rng.sample(_WHAT, 2)
    return rng.choice(patterns).format(
        who=rng.choice(_WHO),
        where=rng.choice(_WHERE),
        what=what,
        what2=other,
        n=rng.randrange(1, 2000),
    )


def memories(user: str, count: int, rng: random.Random) -> list[Memory]:
    """Three years of them, twenty a session, half of them with an entity."""
    out = []
    for i in range(count):
        text = sentence(_EN if rng.random() < 0.5 else _ZH, rng)
        names = tuple(w for w in _WHO if w in text)
        at = NOW - timedelta(days=60) * (1 - i / count)
        out.append(
            made(
                user,
                text,
                at,
                session=f"{user}/{i // 20}",
                entities=names if rng.random() < 0.5 else (),
            )
        )
    return out


class Stopwatch:
    """Times by name, in milliseconds."""

    def __init__(self) -> None:
        self.took: dict[str, list[float]] = defaultdict(list)

    async def time(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        """Run and note."""
        began = perf_counter()
        result = await work()
        self.took[name].append((perf_counter() - began) * 1000)
        return result

    def lines(self) -> list[str]:
        """Median and p95 side by side."""
        out = [f"{'':24}{'median ms':>10}{'p95 ms':>10}"]
        for name, took in self.took.items():
            out.append(f"{name:24}{median(took):10.2f}{quantiles(took, n=20)[-1]:10.2f}")
        return out


async def turn(
    watch: Stopwatch, reader: Reader, embedder: LexicalEmbedder, user: str, text: str
) -> None:
    """One message: the whole, then its parts one by one."""
    queries = QueryEmbedder(embedder, 200)
    context = ("hello there", "hi! how was your day?")

    async def whole() -> Query:
        vector, _ = await queries.embed(text, context)
        query = Query(user, text, context, NOW, "UTC", vector=vector)
        await recall_memories(reader, query, u=1.0)
        return query

    query = await watch.time("added before the request", whole)
    fresh = QueryEmbedder(embedder, 200)
    await watch.time("  embedding", lambda: fresh.embed(text, context))
    await watch.time("  recall", lambda: recall_memories(reader, query, u=1.0))
    look = open_context(reader, query, 1.0)
    look.passing = await watch.time("    passing", lambda: reader.row_mask(look.filter))
    found = {
        name: await watch.time(f"    {name}", partial(signal, look))
        for name, signal in SIGNALS.items()
    }
    first = np.zeros(len(look.passing), np.float32)
    found["words"].add_weighted({"words": 1.0}, first)
    for name, follow in FOLLOWERS.items():
        await watch.time(f"    {name}", partial(follow, look, first))
    places = find_best_rows(first, 120)
    lines = await watch.time(
        "    120 lines", lambda: open_context(reader, query, 1.0).get_rows(places)
    )
    await watch.time("    28 memories", lambda: reader.get([line.id for line in lines[:28]]))


async def main(count: int, turns: int) -> None:
    """Fill, warm up, measure, print."""
    rng, embedder, watch = random.Random(7), LexicalEmbedder(), Stopwatch()
    with tempfile.TemporaryDirectory() as home:
        async with store_at(Path(home) / "bench.db", embedder, NOW) as store:
            user = await new_user(store, NOW)
            began = perf_counter()
            await fill(store, user, memories(user, count, rng), embedder)
            print(
                f"{count} memories of one user, stored in {perf_counter() - began:.1f} s; {embedder.id}; {turns} turns"
            )
            reader = store.open_reader(user)
            for _ in range(10):
                await turn(Stopwatch(), reader, embedder, user, sentence(_ASKED, rng))
            for _ in range(turns):
                await turn(watch, reader, embedder, user, sentence(_ASKED, rng))
    print("\n".join(watch.lines()))


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    p.add_argument("--memories", type=int, default=10_000)
    p.add_argument("--turns", type=int, default=200)
    a = p.parse_args()
    asyncio.run(main(a.memories, a.turns))
