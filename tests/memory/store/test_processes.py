"""Two processes on one file, and processes that are killed in the middle of things."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from pathlib import Path

import pytest

from memory.models import Change, Filter
from memory.ports import Transaction
from memory.store import SqliteStore, make_worker_id, open_store
from tests.memory.store.support import KEY, NOW, a_memory, clock, finished, later, spawn

WRITER = """
import asyncio, sys
from pathlib import Path
from memory.store import open_store, make_worker_id
from tests.memory.store.support import KEY, NOW, a_memory, clock, later

async def main(path, user, loops):
    store = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    for i in range(loops):
        def exchange(tx):
            tx.changes.begin("user", "chat", NOW)
            first = tx.memories.add(a_memory(f"pair {i} 前"))
            tx.memories.add(a_memory(f"pair {i} 后", supersedes=(first.id,)))
            tx.jobs.enqueue("monitor", first.id, {"turn_ids": [first.id]}, NOW, lane=f"lane {i % 3}")
        await store.write(user, exchange)
        if i % 2:
            job = await store.write_system(lambda s: s.lease(NOW, later(hours=9), store.worker))
            def learn(tx):
                return {"outcome": "saved", "new": len([tx.memories.add(a_memory("learned " + job.dedup_key))])}
            if job:
                await store.finish_job(job, learn)
        print(i, flush=True)
    await store.close()

asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
"""


async def test_a_watcher_sees_what_this_process_commits_at_once(
    store: SqliteStore, user: str
) -> None:
    """From the cursor on, in order, and nothing that was rolled back."""
    await store.write(user, lambda tx: tx.memories.add(a_memory("before")))
    after = await store.read(user, lambda tx: tx.changes.get_last_seq())

    def half(tx: Transaction) -> None:
        tx.memories.add(a_memory("half"))
        raise ValueError

    async with store.watch(user, after) as changes:
        with pytest.raises(ValueError):
            await store.write(user, half)
        for text in ("one", "two"):
            await store.write(user, lambda tx, t=text: tx.memories.add(a_memory(t)))  # type: ignore[misc]
            seen = await asyncio.wait_for(anext(changes), 5)
            assert seen.after is not None
            assert seen.after["content"] == text
    async with store.watch(user, 0) as changes:
        first: Change = await asyncio.wait_for(anext(changes), 5)
        assert first.after is not None
        assert first.after["content"] == "before"


async def test_a_watcher_sees_what_another_process_commits(
    store: SqliteStore, user: str, path: Path
) -> None:
    """Within the poll of PRAGMA data_version."""
    async with store.watch(user, 0) as changes:
        process = spawn(WRITER, str(path), user, "2")
        seen = [await asyncio.wait_for(anext(changes), 20) for _ in range(5)]
        await asyncio.to_thread(finished, process)
    assert [c.entity for c in seen] == ["memory"] * 5
    assert seen == sorted(seen, key=lambda c: c.seq)
    assert len(await store.open_reader(user).search_words("pair", 9, Filter())) == 4


async def test_a_watcher_of_one_user_hears_nothing_of_another(
    store: SqliteStore, user: str, other: str
) -> None:
    """Not even that there was something."""
    async with store.watch(user, 0) as changes:
        await store.write(other, lambda tx: tx.memories.add(a_memory("theirs")))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(changes), 0.4)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_a_killed_process_leaves_whole_transactions(path: Path) -> None:
    """kill -9 at random moments: pairs are pairs, indexes hold what the rows hold, jobs go on, once each."""
    store = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    user = await store.write_system(lambda s: s.create_user(NOW))
    confirmed = 0
    for _ in range(6):
        process = spawn(WRITER, str(path), user, "100000")
        assert process.stdout is not None
        await asyncio.to_thread(process.stdout.readline)
        await asyncio.sleep(random.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        out, _ = await asyncio.to_thread(process.communicate)
        confirmed += 1 + out.count("\n")
    await store.close()

    store = await open_store(path, clock=clock, worker=make_worker_id(), key=KEY)
    await store.write_system(lambda s: s.release(store.worker, NOW))

    def learn(tx: Transaction, key: str) -> dict[str, int]:
        tx.memories.add(a_memory("learned " + key))
        return {"new": 1}

    while (
        job := await store.write_system(lambda s: s.lease(NOW, later(minutes=1), store.worker))
    ) is not None:
        key = job.dedup_key
        assert await store.finish_job(job, lambda tx, key=key: learn(tx, key))  # type: ignore[misc]
    page = await store.read(user, lambda tx: tx.memories.find(Filter(), limit=100_000))
    firsts = {m.id for m in page.items if m.content.endswith("前")}
    seconds = [m.supersedes[0] for m in page.items if m.content.endswith("后")]
    learned = [m.content.split()[1] for m in page.items if m.content.startswith("learned")]
    assert len(firsts) >= confirmed
    assert sorted(seconds) == sorted(firsts) == sorted(learned)
    indexed = await store.read(user, lambda tx: tx.memories.find(Filter(), text="pair").total)
    assert indexed == 2 * len(firsts)
    intact = await store._readers[0].run(
        lambda con: con.execute("PRAGMA integrity_check").fetchone()[0]
    )
    assert intact == "ok"
    await store.close()
