"""What an answerer that errs leaves in memory, on a few exchanges."""

from __future__ import annotations

from tests.bench.erring import load_exchanges, measure


async def test_an_erring_answerer_does_no_damage() -> None:
    """Most of what is true is kept, hardly anything false, and nothing true goes."""
    exchanges = load_exchanges("A")
    score = await measure([*exchanges[:20], *exchanges[-20:]], [0])
    assert score.share("kept", "true") >= 0.8
    assert score.share("false", "made") < 0.03
    assert score.n["deleted"] == 0
