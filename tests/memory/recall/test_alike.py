"""Words for the same thing are found for each other, in either language; what was said itself counts more."""

from __future__ import annotations

import pytest

from memory.index.text import list_search_terms
from memory.models import Query
from memory.recall import rank_candidates
from memory.text.translations import find_synonyms
from memory.text.words import stem
from tests.memory.recall.conftest import NOW, Person


def test_it_goes_both_ways() -> None:
    """What stands for a word, the word stands for; nothing stands for itself, and most words have nothing."""
    for word in ("job", "职业", "allergies", "过敏", "trip", "猫"):
        assert find_synonyms(word)
        assert stem(word) not in {stem(w) for w in find_synonyms(word)}
        for other in find_synonyms(word):
            assert stem(word) in {stem(w) for w in find_synonyms(other)}
    assert find_synonyms("zeppelin") == ()


@pytest.mark.parametrize("word", ["姓名", "电话", "老公", "岁", "birthday", "trip", "allergic"])
def test_what_is_looked_for_is_what_the_index_has(word: str) -> None:
    """An index term each: an English word, a Chinese pair or character."""
    for other in find_synonyms(word):
        assert other in list_search_terms(other)


async def first(person: Person, text: str) -> str:
    hits = await rank_candidates(person.reader, Query(person.id, text, (), NOW, "UTC"), u=1.0)
    return hits[0].memory.original_content if hits else ""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("我的职业是什么？", "User's profession: a carpenter"),
        ("What is my birthday?", "用户的生日是五月三日"),
        ("我对什么过敏？", "User is allergic to peanuts"),
        ("Which medication do I take?", "用户每天吃两种药"),
        ("Where did we go on vacation?", "User's trip to Norway was cold"),
    ],
)
async def test_across_languages_and_words(person: Person, question: str, answer: str) -> None:
    """Without any vector."""
    for other in (
        "User repaired the garden fence",
        "用户买了一张新桌子",
        answer,
        "User reads the paper",
        "用户住在六楼",
    ):
        await person.knows(other)
    assert await first(person, question) == answer


async def test_the_word_itself_counts_more(person: Person) -> None:
    """Of two that fit, the one that says it as it was asked."""
    await person.knows("User's occupation was once a sailor")
    await person.knows("User's job is that of a baker")
    assert await first(person, "what is my job?") == "User's job is that of a baker"
