"""The benchmark of forgetting keeps working: two lives of two months."""

from __future__ import annotations

import asyncio

import pytest

from memory.embed import LexicalEmbedder
from tests.bench import forgetting
from tests.bench.forgetting import ABOVE, BASELINE, NEED, STALE, TOKENS, WHOLE, lines, run
from tests.bench.years.home import Cached
from tests.bench.years.lives import make_lives


def test_benchmark_of_forgetting_measures_two_short_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told is found, a stale answer counts, and the nights end nothing that holds."""
    monkeypatch.setattr(forgetting, "TALK", 5)
    lives = make_lives(1, 60)
    lived = asyncio.run(run(lives, Cached(LexicalEmbedder(), None), (BASELINE, WHOLE), 14))
    for one in lived:
        assert one.mean(BASELINE, NEED) > 0.4
        assert one.mean(BASELINE, ABOVE) <= one.mean(BASELINE, STALE)
        assert one.mean(WHOLE, TOKENS) < one.mean(BASELINE, TOKENS)
        assert one.changes["wrong"] == 0
        assert one.changes["nights"] == 4
        assert one.changes["not stored"] == []
    table = "\n".join(lines(lived, (BASELINE, WHOLE)))
    assert "stale in the top 3" in table
    assert "bar" in table
