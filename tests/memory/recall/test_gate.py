"""Small talk brings up next to nothing, while real questions find their memory: on a small life in each language."""

from __future__ import annotations

import pytest

from tests.bench.smalltalk import EN, LIFE_EN, LIFE_ZH, ZH
from tests.memory.recall.conftest import Person, texts


@pytest.mark.parametrize(("life", "talk"), [(LIFE_EN, EN), (LIFE_ZH, ZH)], ids=["en", "zh"])
@pytest.mark.timeout(120)
async def test_the_gate(person: Person, life: dict[str, tuple[str, ...]], talk: list[str]) -> None:
    """At most 5% of small talk injects anything; at least 95% of questions find their fact among the three."""
    for i, fact in enumerate(life):
        await person.knows(fact, days_ago=i)
    noisy = [t for t in talk if texts(await person.ask(t))]
    lost = [q for fact, questions in life.items() for q in questions if fact not in texts(await person.ask(q))]
    assert len(noisy) <= 0.05 * len(talk), noisy
    assert len(lost) <= 0.05 * 2 * len(life), lost
