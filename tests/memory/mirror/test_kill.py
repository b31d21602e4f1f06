"""kill -9 while MEMORY.md is being read and written, at any moment: nothing is lost, nothing comes twice."""

from __future__ import annotations

import asyncio
import os
import random
from datetime import timedelta
from pathlib import Path

from memory import api
from memory.embed import LexicalEmbedder
from memory.mirror import MirrorPlace
from memory.mirror.read import parse
from memory.models import State
from memory.store import make_worker_id, open_store
from tests import warm
from tests.memory.learn.world import START, ScriptedModel
from tests.memory.mirror.conftest import KEY, Desk, without

_WORKER = """
import asyncio, sys
from datetime import timedelta
from pathlib import Path
from memory.embed import LexicalEmbedder
from memory.mirror import MirrorPlace
from memory.mirror import files
from memory import api
from memory.store import open_store, make_worker_id
from tests.memory.learn.world import START, ScriptedModel

files._SETTLE = 0.001

async def main(home, user, first):
    store = await open_store(home / "ebb.db", clock=lambda: START, worker=make_worker_id(), key=b"k" * 32)
    e = LexicalEmbedder()
    await store.use_embedder(e.id, e.dim)
    service = api.Memory(store, model=ScriptedModel(), embedder=e, key=b"k" * 32)
    service.keep_mirror(MirrorPlace(home, user))
    print("ready", flush=True)
    n = 0
    while True:
        now = START + timedelta(hours=first, seconds=n)
        await service.mirror.sync(user, now)
        text = f"The program learned thing {first * 1000 + n}"
        await service.remember(user, text, now, tz="UTC", scope="user:" + user)
        print(text, flush=True)
        n += 1

asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
"""


async def _open(home: Path, user: str) -> Desk:
    store = await open_store(home / "ebb.db", clock=lambda: START, worker=make_worker_id(), key=KEY)
    embedder = LexicalEmbedder()
    await store.use_embedder(embedder.id, embedder.dim)
    service = api.Memory(store, model=ScriptedModel(), embedder=embedder, key=KEY)
    service.keep_mirror(MirrorPlace(home, user))
    return Desk(store, service, user, home)


async def _close(desk: Desk) -> None:
    await desk.service.close()
    await desk.store.close()


async def test_killed_at_any_moment(desk: Desk, tmp_path: Path) -> None:
    """The file is always whole; what either side wrote is there once, what either deleted is gone."""
    chance = random.Random(5)
    keep = [await desk.remember(f"The person's shelf {n} has book {n * 31}") for n in range(30)]
    await desk.sync()
    home, user, learned = tmp_path, desk.user, set[str]()
    written: list[str] = []
    deleted: set[str] = set()
    for round_ in range(6):
        said, errors = home / f"said-{round_}", home / f"errors-{round_}"
        process = warm.start(
            _WORKER, [str(home), user, str(round_ + 1)], os.environ, [os.devnull, said, errors]
        )
        async with asyncio.timeout(60):
            while not (said.exists() and said.read_text("utf-8")):
                assert process.is_alive(), errors.read_text("utf-8")
                await asyncio.sleep(0.005)
        victim, words = keep.pop(), f"The person wrote {round_} and {round_ * 17}"
        await asyncio.sleep(chance.uniform(0.05, 0.45))
        mine = without(desk.text, victim).replace("## Archived", f"- {words}\n\n## Archived", 1)
        temporary = home / "editor~"
        temporary.write_text(mine, "utf-8")
        temporary.replace(desk.path)
        await asyncio.sleep(chance.uniform(0.0, 0.15))
        process.kill()
        process.join()
        learned |= {
            line for line in said.read_text("utf-8").split("\n") if line.startswith("The program")
        }
        written.append(words)
        deleted.add(victim.id)
        whole = desk.text
        assert parse(whole).stamp is not None
        assert whole.endswith("\n")
        desk.tick(hours=2)
        await desk.sync()
        texts = [m.original_content for m in await desk.all()]
        assert len(texts) == len(set(texts))
        assert learned | set(written) | {m.original_content for m in keep} <= set(texts)
        assert not deleted & {m.id for m in await desk.all()}
        assert {m.id for m in await desk.all(State.DELETED)} == deleted
        ids = {m.id for m in await desk.all()}
        assert {b.id for b in parse(desk.text, ids).blocks} == ids
    other = await _open(home, user)
    try:
        other.now = desk.now + timedelta(hours=1)
        assert not (await other.sync()).applied.new
    finally:
        await _close(other)
