"""Whom a text names, by the form of the names."""

from __future__ import annotations

import pytest

from memory.models import Query
from memory.recall import rank_candidates
from memory.recall.question import find_people_names, share_of_names
from tests.memory.recall.conftest import NOW, Person


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("When is Carmen's birthday?", {"Carmen"}),
        ("what did Stefan and I watch in November?", {"Stefan"}),
        ("Fiona drives an old van", {"Fiona"}),
        ("What car do I drive?", set()),
        ("Monday was long", set()),
        ("It's late, what's for dinner?", set()),
        ("王磊对什么过敏？", {"王磊"}),
        ("张伟和李婷婷谁大？", {"张伟", "李婷婷"}),
        ("周末小唐和我去了哪里？", {"小唐"}),
        ("我有一只小猫", set()),
        ("周二很高兴，小区里有许多老人", set()),
    ],
)
def test_names_by_their_form(text: str, names: set[str]) -> None:
    """A capital that no sentence gave, a surname and what follows; neither days nor words that look alike."""
    assert find_people_names(text) == names


def test_the_share_of_the_names() -> None:
    """All, half or none; a Chinese name that caught one character too many still counts."""
    assert share_of_names(frozenset({"Noor", "Fiona"}), "Noor called") == 0.5
    assert share_of_names(frozenset({"许诺今"}), "许诺要开一家店") == 1.0
    assert share_of_names(frozenset({"Noor"}), "Fiona called") == 0.0
    assert share_of_names(frozenset(), "Fiona called") == 0.0


@pytest.mark.parametrize(
    ("others", "question", "answer"),
    [
        (["User's birthday is in May", "Noor's birthday is in June"], "When is Carmen's birthday?", "Carmen's birthday: July"),
        (["用户的生日是五月", "李婷婷的生日是六月"], "王磊的生日是几月？", "王磊的生日是七月"),
    ],
)  # fmt: skip
async def test_nobody_elses_answer_comes_first(
    person: Person, others: list[str], question: str, answer: str
) -> None:
    """Though it shares as many words, and none of them is known as an entity."""
    await person.knows(answer, days_ago=30)
    for other in others:
        await person.knows(other)
    hits = await rank_candidates(person.reader, Query(person.id, question, (), NOW, "UTC"), u=1.0)
    assert hits[0].memory.original_content == answer
