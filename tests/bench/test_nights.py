"""A small version of `tests.bench.nights`: changes are found, and nothing else ends."""

from __future__ import annotations

import pytest

from memory.embed import LexicalEmbedder
from tests.bench.nights import Figures, Judge, draw, look_at
from tests.bench.years.lives import SEEDS, Life


@pytest.mark.parametrize("lang", SEEDS)
async def test_nights_find_what_changed(lang: str) -> None:
    """Two of one life in two nights, by the words alone, within the night's tokens."""
    life, total = Life(lang, SEEDS[lang][0]), Figures()
    for change in draw(life, 2):
        total += await look_at(life, change, Judge(life), LexicalEmbedder(), 25_000, nights=2)
    assert total.found >= 0.5
    assert total.did.total() > 2
    assert total.false.total() == 0
    assert total.tokens / total.nights < 17_500
