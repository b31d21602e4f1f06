"""The whole turn: `python -m tests.bench.turn [--memories 10000] [--turns 100] [--embedder bundled] [--sentences 9]`.

From `Agent.reply()` to the moment the model's server has the request: the message and the turn committed, recall,
the prompt, the HTTP request itself. The same with an empty memory stands beside it, so that what memory adds is the
difference. Learning is held back until the end: it never runs before a reply. Nine sentences have some 96 tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from contextlib import aclosing
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

from bot.bootstrap import open_ebb
from bot.events import Turn
from bot.settings import Settings
from memory.embed import EMBEDDERS
from tests.bench.ground import fill
from tests.bench.latency import _ASKED, NOW, memories, sentence
from tests.servers.openai import OpenAIServer, Request

WARM = 8  # turns not counted: the first one loads what is kept in memory


async def measure(
    count: int, turns: int, embedder: str, sentences: int
) -> tuple[list[float], list[float]]:
    """Wall and CPU milliseconds of each turn, with `count` memories of one user."""
    rng = random.Random(11)
    arrived: list[tuple[float, float]] = []

    def answer(_: Request) -> str:
        arrived.append((perf_counter(), process_time()))
        return "Fine."

    async with OpenAIServer() as server:
        server.default = answer
        with tempfile.TemporaryDirectory() as home:
            settings = Settings(
                home=Path(home),
                provider="openai",
                openai_base_url=server.url,
                openai_api_key="k",
                chat_model="m",
                embedder=embedder,
                recall_deadline_ms=5_000,  # so that none goes without its vectors
            )
            async with open_ebb(settings, clock=lambda: NOW, workers=False) as ebb:
                await fill(
                    ebb.store, ebb.owner, memories(ebb.owner, count, rng), EMBEDDERS[embedder]()
                )
                wall, cpu = [], []
                for i in range(WARM + turns):
                    text = " ".join(sentence(_ASKED, rng) for _ in range(sentences))
                    turn = Turn(f"t{i}", ebb.owner, ebb.scope, text, NOW, "UTC")
                    began = (perf_counter(), process_time())
                    async with aclosing(ebb.agent.reply(turn)) as events:
                        async for _ in events:
                            pass
                    if i >= WARM:
                        wall.append((arrived[i][0] - began[0]) * 1000)
                        cpu.append((arrived[i][1] - began[1]) * 1000)
                return wall, cpu


async def main(count: int, turns: int, embedder: str, sentences: int) -> None:
    """Both side by side."""
    print(f"{turns} turns; from reply() to the model's server having the request")
    print(f"{'memories':>10}{'median ms':>11}{'p95 ms':>9}{'CPU median ms':>15}")
    medians = []
    for n in (0, count):
        wall, cpu = await measure(n, turns, embedder, sentences)
        medians.append(median(wall))
        print(f"{n:10}{median(wall):11.2f}{quantiles(wall, n=20)[-1]:9.2f}{median(cpu):15.2f}")
    print(f"{'added':>10}{medians[1] - medians[0]:11.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--embedder", choices=sorted(EMBEDDERS), default="lexical")
    parser.add_argument("--sentences", type=int, default=1, help="of a message")
    args = parser.parse_args()
    asyncio.run(main(args.memories, args.turns, args.embedder, args.sentences))
