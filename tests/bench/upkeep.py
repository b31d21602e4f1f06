"""How long a night takes: `python -m tests.bench.upkeep [memories]`.

A night with nothing to fade, the first one (weights are cached, duplicates looked for) and the one after it; with
vectors, as the program makes them. The aim is under 10 s for 100,000 memories.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.embed import LexicalEmbedder
from memory.learn.answer import LearningTools
from memory.models import Kind, Memory
from memory.ports import Chunk, ModelRequest
from memory.upkeep.run import weigh
from memory.upkeep.service import UpkeepService
from tests.bench.ground import fill, made, new_user, store_at
from tests.servers.tasks import decision

NOW = datetime(2026, 6, 1, 4, 0, tzinfo=UTC)
_WORDS = [
    "amber",
    "birch",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "grove",
    "heath",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "moss",
    "nettle",
    "oak",
    "pine",
    "quartz",
    "reed",
]


class _Silent:
    """A model that keeps, separates and concludes nothing."""

    name = "silent"

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        answers = {"review": decision("keep"), "merge": '{"separate": true}'}
        yield Chunk(answers.get(request.task, "[]"))
        yield Chunk(finish="stop")


def memories(user: str, count: int) -> list[Memory]:
    """Facts of the last ten days, some mentioned; none of them has come to another level."""
    rng = random.Random(1)
    kinds = [Kind.FACT, Kind.PREFERENCE, Kind.IDENTITY, Kind.SKILL, Kind.GOAL]
    out = []
    for n in range(count):
        at = NOW - timedelta(days=rng.uniform(0.1, 10))
        text = f"The user once saw {rng.choice(_WORDS)} and {rng.choice(_WORDS)} near place {n}"
        m = replace(made(user, text, at), kind=rng.choice(kinds))
        if n % 4 == 0:
            m = replace(m, recent_mentions=(at, at + timedelta(hours=2)), activation_count=2)
        out.append(m)
    return out


async def main(count: int) -> None:
    """Fill, run two nights, print."""
    embedder = LexicalEmbedder()
    with tempfile.TemporaryDirectory() as home:
        async with store_at(Path(home) / "ebb.db", embedder, NOW) as store:
            user = await new_user(store, NOW - timedelta(days=20))
            started = time.perf_counter()
            await fill(store, user, memories(user, count), embedder)
            print(f"{count} memories stored in {time.perf_counter() - started:.1f} s")
            started = time.perf_counter()
            rows = await store.read(user, lambda tx: tx.memories.list_outlines())
            read = time.perf_counter() - started
            weigh(rows, 1.0, NOW)
            print(
                f"outlines read in {read:.2f} s, weighed in {time.perf_counter() - started - read:.2f} s"
            )
            keeper = UpkeepService(LearningTools(store, _Silent(), embedder, "fade", 1.0))
            for name, now in (("the first night", NOW), ("the next one", NOW + timedelta(days=1))):
                await keeper.by_hand(user, now)
                job = await store.write_system(
                    lambda s, now=now: s.lease(
                        now, now + timedelta(hours=1), "bench:0:0", kinds=["upkeep"]
                    )  # type: ignore[misc]
                )
                if job is None:
                    raise AssertionError
                started, working = time.perf_counter(), time.process_time()
                effect = await keeper.job(job, now)
                await store.finish_job(job, effect)
                took, worked = time.perf_counter() - started, time.process_time() - working
                (report,) = await keeper.reports(user)
                print(
                    f"{name}: {took:.2f} s ({worked:.2f} s of computing), {report.count('down')} faded,"
                    f" average weight {report.counters['avg_weight']}"
                )


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))
