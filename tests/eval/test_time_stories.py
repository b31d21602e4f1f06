"""What a prompt shows of events, todos, quiet topics and the dead, day by day, as stories tell it."""

from __future__ import annotations

from pathlib import Path

from tests.eval.time_stories import replay

LEAST = 0.96  # of what half A expects, without an embedder that knows meaning: .98 when written


async def test_stories_of_half_a_are_shown_as_they_are_told(tmp_path: Path) -> None:
    """Plans never as facts, nothing of the dead or quiet by itself, each day's word beside its day."""
    faults, checks = await replay("A", tmp_path, "lexical")
    assert checks > 100
    assert len(faults) <= checks * (1 - LEAST), faults
