"""Small talk brings up next to nothing, while real questions find their memory: on a small life in each language."""

from __future__ import annotations

import pytest

from tests.bench.smalltalk import LIFE_EN, LIFE_ZH, TURNS
from tests.memory.recall.conftest import Person, texts

HARD = {"the world", "requests", "tricky"}  # written to share words with this very life


@pytest.mark.parametrize(("life", "lang"), [(LIFE_EN, "en"), (LIFE_ZH, "zh")], ids=["en", "zh"])
@pytest.mark.timeout(120)
async def test_the_gate(person: Person, life: dict[str, tuple[str, ...]], lang: str) -> None:
    """At most 5% of plain small talk injects anything, 10% of all; 95% of questions find their fact among the three."""
    for i, fact in enumerate(life):
        await person.knows(fact, days_ago=i)
    noisy = {
        k: [t for t in turns if texts(await person.ask(t))] for k, turns in TURNS[lang].items()
    }
    lost = [
        q
        for fact, questions in life.items()
        for q in questions
        if fact not in texts(await person.ask(q))
    ]
    for kinds, share in ((TURNS[lang].keys() - HARD, 0.05), (TURNS[lang].keys(), 0.10)):
        turns = sum(len(TURNS[lang][k]) for k in kinds)
        assert sum(len(noisy[k]) for k in kinds) <= share * turns, noisy
    assert len(lost) <= 0.05 * 2 * len(life), lost
