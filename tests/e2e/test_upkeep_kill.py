"""kill -9 in the middle of a night: a few here, as many as you like by `python -m tests.bench.kills`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.bench.kills import ordeal


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.timeout(300)  # each process is started, killed, and its memories are gone through
async def test_killed_in_the_middle_of_a_night(tmp_path: Path) -> None:
    """No memory in two states, no level half written, no counter ahead of what was done; and then it ends."""
    trial = await ordeal(tmp_path, 4, 400, longest=0.4, delay=0.15)
    assert trial.landed == 4
