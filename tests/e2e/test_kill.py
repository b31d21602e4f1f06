"""kill -9 at random moments: every completed exchange is there at the next start, and gets learned from."""

from __future__ import annotations

import asyncio
import os
import random
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests import warm
from tests.e2e.driver import FakeTime, opened
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks, surroundings

CHILD = r"""
import asyncio, sys
from datetime import UTC, datetime
from bot import settings
from bot.bootstrap import open_ebb
from bot.events import Turn, Done
async def main(start):
    async with open_ebb(settings.load()) as ebb:
        for i in range(start, start + 1000):
            turn = Turn(f"k{i}", ebb.owner, ebb.scope, f"I like Name{i}x noodles with number{i}x.", datetime.now(UTC), "UTC")
            async for event in ebb.agent.reply(turn):
                if isinstance(event, Done):
                    print(i, flush=True)
asyncio.run(main(int(sys.argv[1])))
"""


async def _until_killed(home: Path, model: OpenAIServer, start: int, seconds: float) -> int:
    """Run the child until it is killed; the number of the last exchange it saw completed."""
    out = home / f"seen-{start}"
    env = {**os.environ, **surroundings(home, model)}
    child = warm.start(CHILD, [str(start)], env, [os.devnull, out, home / f"said-{start}"])
    async with asyncio.timeout(60):
        while not (out.exists() and "\n" in out.read_text()):
            await asyncio.sleep(0.005)
    await asyncio.sleep(seconds)
    child.kill()
    await asyncio.to_thread(child.join)
    return int(out.read_text().split()[-1])


@pytest.mark.timeout(300)  # ten processes, each started and killed
async def test_nothing_completed_is_lost(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """Ten kills; then all exchanges that were seen whole are whole, and every fact in them was learned."""
    answer_tasks(openai_server)
    rng = random.Random(7)
    last = -1
    for _ in range(10):
        last = await _until_killed(tmp_path, openai_server, last + 2, rng.uniform(0.0, 0.35))
    async with opened(tmp_path, FakeTime(datetime.now(UTC)), openai_server) as w:
        left = await w.ebb.agent.drain(60)
        assert left == 0, await w.ebb.store.read(w.user_id, lambda tx: tx.jobs.list_pending())
        history = await w.ebb.agent.list_history(w.user_id, w.scope, limit=100_000)
        said = {int(m.text.split("number")[1].split("x")[0]) for m in history if m.role == "user"}
        answered = {m.turn_id for m in history if m.role == "assistant" and m.status == "complete"}
        everything = " ".join(await w.texts())
        learned = {int(n) for n in re.findall(r"Name(\d+)x", everything)}
        assert last in said
        for i in said:
            assert i in learned, f"exchange {i} was not learned from"
        assert {f"k{i}" for i in said if i <= last and f"k{i}" in answered} <= answered
        turns = await w.ebb.store.read(
            w.user_id, lambda tx: tx.conversations.get_open_turn(w.scope)
        )
        assert turns is None
