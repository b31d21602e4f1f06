"""kill -9 in the middle of a night: a few here, as many as you like by `python -m tests.bench.kills`."""

from __future__ import annotations

import asyncio
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.store import make_worker_id, open_store
from tests.bench.kills import Ordeal, answer, furnish, ordeal
from tests.servers.openai import OpenAIServer


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.timeout(300)  # each process is started, killed, and its memories are gone through
async def test_killed_in_the_middle_of_a_night(tmp_path: Path) -> None:
    """No memory in two states, no level half written, no counter ahead of what was done; and then it ends."""
    trial = await ordeal(tmp_path, 3, 300, longest=0.4, delay=0.15)
    assert trial.landed == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.timeout(120)
async def test_ctrl_c_stops_it_with_a_sentence(tmp_path: Path) -> None:
    """The lease is given back at once, nothing is counted against the night, and the next run goes on."""
    async with OpenAIServer(
        first_delay=3
    ) as server:  # longer than this test waits, however busy the machine
        server.default = answer
        trial = Ordeal(tmp_path, server)
        await (await trial.child("list")).communicate()
        now = datetime.now(UTC)
        store = await open_store(
            tmp_path / "ebb.db", clock=lambda: now, worker=make_worker_id(), key=b"k" * 32
        )
        try:
            (user_id,) = await store.write_system(lambda s: s.users())
            await furnish(store, user_id, 200, now)
            process = await trial.child("upkeep")
            await server.wait_for(1, timeout=60)
            process.send_signal(signal.SIGINT)
            out, err = await asyncio.wait_for(process.communicate(), 30)
            assert (process.returncode, out) == (130, b"")
            assert (
                err.decode() == "Stopped. What is done is done; the next run goes on from there.\n"
            )
            (job,) = await store.read(user_id, lambda tx: tx.jobs.list_pending("upkeep"))
            assert (job.state, job.attempts, job.leased_by) == ("ready", 0, None)
        finally:
            await store.close()
