"""kill -9 in the middle of upkeep, again and again: `python -m tests.bench.kills [--kills 50] [--memories 5000]`.

The real program (`ebb memory upkeep`) with a model that takes its time, behind a real socket. A kill counts only if
it struck a run that had its lease, had done something, and was not over. After each one every memory must be in one
state; after the last, the next run must come to its end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.embed import LexicalEmbedder
from memory.models import Kind, Layer, Memory, Sensitivity, State
from memory.ports import Store, Transaction
from memory.store import make_worker_id, open_store
from tests.bench.ground import fill, made
from tests.memory.upkeep.wholeness import broken
from tests.servers.openai import OpenAIServer, Request
from tests.servers.tasks import decision

ROOT = Path(__file__).resolve().parents[2]
_ITEM = re.compile(r"^\[(\w+)\] (summary|tag): (.+)$", re.MULTILINE)
_TEXT = re.compile(r"^- (.+)$", re.MULTILINE)
_KINDS = [k for k in Kind if k is not Kind.EPISODE]


def answer(request: Request) -> str:
    """What a good memory model says: shorter words, one sentence for several, a decision."""
    if items := _ITEM.findall(request.last):
        return json.dumps(
            [{"id": i, "text": _shorter(text, how)} for i, how, text in items], ensure_ascii=False
        )
    if "promote:" in request.system:
        return random.choice([decision("keep"), decision("delete"), decision("promote")])
    if "“separate”" in request.system:
        return json.dumps({"text": max(_TEXT.findall(request.last), key=len)})
    return "[]"


def _shorter(text: str, how: str) -> str:
    words, join = (text.split(), " ") if " " in text else (list(text), "")
    return join.join(words[: max(3, len(words) * 2 // 3)] if how == "summary" else words[-2:])


@dataclass
class Ordeal:
    """A home, a server, and how many kills it has come through."""

    home: Path
    server: OpenAIServer
    landed: int = 0
    early: int = 0
    over: int = 0

    async def child(self, *argv: str) -> asyncio.subprocess.Process:
        """The program, as a person starts it."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("EBB_", "OPENAI_"))}
        env |= {
            "EBB_HOME": str(self.home),
            "EBB_PROVIDER": "openai",
            "EBB_EMBEDDER": "lexical",
            "EBB_TZ": "UTC",
        }
        env |= {"OPENAI_BASE_URL": self.server.url, "OPENAI_API_KEY": "any", "EBB_LANG": "en"}
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            "memory",
            *argv,
            cwd=ROOT,
            env=env,
            stdout=pipe,
            stderr=pipe,
        )

    async def strike(self, store: Store, user_id: str, after: float) -> None:
        """Start a run, let it work for so many seconds, kill it."""
        before = await _progress(store, user_id)
        process = await self.child("upkeep")
        began = time.monotonic()
        while (now := await _progress(store, user_id)) == before and process.returncode is None:
            assert time.monotonic() - began < 60, "it does not begin"
            await asyncio.sleep(0.01)
        await asyncio.sleep(after)
        now = await _progress(store, user_id)
        with_lease = await store.read(
            user_id, lambda tx: any(j.state == "leased" for j in tx.jobs.list_pending("upkeep"))
        )
        over = process.returncode is not None
        if not over:
            process.send_signal(signal.SIGKILL)
        await process.communicate()
        self.over += over
        self.early += not over and (now == before or not with_lease)
        self.landed += not over and with_lease and now != before


async def _progress(store: Store, user_id: str) -> tuple[str, str]:
    """Which run is under way, and how far."""

    def read(tx: Transaction) -> tuple[str, str]:
        night = next(iter(tx.nights.list_latest_nights(1, done=False)), None)
        return (
            ("", "")
            if night is None
            else (night.job_id, json.dumps(dict(night.data), sort_keys=True))
        )

    return await store.read(user_id, read)


async def furnish(store: Store, user_id: str, count: int, now: datetime) -> None:
    """Memories of all kinds and ages, duplicates, mentions, deletions that are due, todos and episodes."""
    rng = random.Random(7)
    memories: list[Memory] = []
    for n in range(count):
        at = now - timedelta(days=rng.choice([1, 40, 60, 300, 700, 900]), hours=rng.uniform(0, 20))
        odd = (
            f"The user noticed thing number {n}, which was rather odd"
            if n % 2
            else f"用户注意到第{n}件事，相当奇怪"
        )
        text = (
            memories[n - 1].original_content + "!" if n % 40 == 39 else odd
        )  # every so often said twice
        m = replace(made(user_id, text, at), kind=_KINDS[n % len(_KINDS)])
        if n % 11 == 0:
            m = replace(m, expires_at=at + timedelta(days=3), kind=Kind.TODO)
        if n % 23 == 0:
            m = replace(m, layer=Layer.EPISODE, kind=Kind.EPISODE)
        if n % 37 == 0:
            m = replace(m, importance=rng.choice([2.6, 0.4]), importance_at=now)
        if n % 53 == 0:
            m = replace(m, state=State.DELETED, deleted_at=now - timedelta(days=31))
        if n % 13 == 0:
            m = replace(m, sensitivity=Sensitivity.PRIVATE)
        memories.append(m)
    await fill(store, user_id, memories, LexicalEmbedder())


async def ordeal(
    home: Path, kills: int, count: int, *, longest: float = 0.5, delay: float = 0.1
) -> Ordeal:
    """So many kills that land, and then a run to the end. Raises AssertionError."""
    rng = random.Random()
    async with OpenAIServer(first_delay=delay) as server:
        server.default = answer
        trial = Ordeal(home, server)
        process = await trial.child("list")
        _, err = await process.communicate()
        assert process.returncode == 0, err
        now = datetime.now(UTC)
        store = await open_store(
            home / "ebb.db", clock=lambda: now, worker=make_worker_id(), key=b"k" * 32
        )
        try:
            (user_id,) = await store.write_system(lambda s: s.users())
            await furnish(store, user_id, count, now)
            while trial.landed < kills:
                await trial.strike(store, user_id, rng.uniform(0.0, longest))
                assert not (found := await broken(store, user_id)), found[:20]
                assert trial.over <= kills, (
                    "it is over too soon for kills to land: more memories are needed"
                )
            process = await trial.child("upkeep")
            out, err = await process.communicate()
            assert process.returncode == 0, (out, err)
            assert not (found := await broken(store, user_id)), found[:20]
            left = await store.read(
                user_id,
                lambda tx: [j for j in tx.jobs.list_pending("upkeep") if j.state != "ready"],
            )
            assert not left
        finally:
            await store.close()
    return trial


def main() -> None:
    """By hand."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--memories", type=int, default=5_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        began = time.monotonic()
        trial = asyncio.run(ordeal(Path(home), args.kills, args.memories))
        print(
            f"{trial.landed} kills in the middle of a run, {trial.early} before it had begun, {trial.over} after its"
            f" end; every memory whole after each, the last run came to its end ({time.monotonic() - began:.0f} s)"
        )


if __name__ == "__main__":
    main()
