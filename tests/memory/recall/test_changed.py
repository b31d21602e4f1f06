"""What changed over time: the version that holds first, what it replaced only in a look back; in both languages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory.models import Mode, State
from tests.memory.recall.conftest import DAY, NOW, Person, texts

LIVES: Sequence[tuple[str, str, str, str, str]] = [
    (
        "User lives in Leeds",
        "User lives in Bristol",
        "User lives in Porto now",
        "where do I live?",
        "where did I live before?",
    ),
    ("用户住在杭州", "用户住在苏州", "用户现在住在厦门", "我住在哪里？", "我以前住在哪里？"),
]


async def versions(person: Person, first: str, second: str, third: str) -> None:
    """Three of them, each in the place of the one before."""
    a = await person.knows(first, days_ago=300, state=State.SUPERSEDED, valid_until=NOW - 200 * DAY)
    b = await person.knows(
        second, days_ago=200, state=State.SUPERSEDED, valid_until=NOW - 5 * DAY, supersedes=(a.id,)
    )
    await person.knows(third, days_ago=5, supersedes=(b.id,))


@pytest.mark.parametrize(("first", "second", "third", "now", "back"), LIVES, ids=["en", "zh"])
async def test_the_current_one_first_the_old_ones_where_they_are_asked_for(
    person: Person, first: str, second: str, third: str, now: str, back: str
) -> None:
    """However well an old version fits the words."""
    await versions(person, first, second, third)
    assert texts(await person.ask(now)) == [third]
    assert texts(await person.ask(back))[0] == third
    assert set(texts(await person.ask(back))) == {first, second, third}
    review = texts(await person.ask(back, mode=Mode.REVIEW))
    assert review[0] == third
    assert set(review) == {first, second, third}


@pytest.mark.parametrize(
    ("denied", "instead", "question"),
    [
        ("User likes coffee", "User no longer likes coffee", "do I like coffee?"),
        ("用户喜欢喝咖啡", "用户不再喜欢喝咖啡", "我喜欢喝咖啡吗？"),
    ],
    ids=["en", "zh"],
)
async def test_what_was_denied_is_marked_and_seen_only_in_a_look_back(
    person: Person, denied: str, instead: str, question: str
) -> None:
    """The denial answers; what it denies comes back marked, behind it."""
    old = await person.knows(denied, days_ago=90, negated_at=NOW - DAY, valid_until=NOW - DAY)
    await person.knows(instead)
    assert texts(await person.ask(question)) == [instead]
    review = await person.ask(question, mode=Mode.REVIEW)
    assert texts(review) == [instead, denied]
    assert review.hits[1].memory.id == old.id
    assert review.hits[1].memory.negated_at is not None


async def test_a_version_is_shown_once(person: Person) -> None:
    """Found by its words and as what another one replaced: one place, not two."""
    await versions(person, *LIVES[0][:3])
    found = await person.ask("where did I live before, in Leeds or Bristol?", mode=Mode.REVIEW)
    ids = [h.memory.id for h in found.hits]
    assert len(ids) == len(set(ids)) == 3


@pytest.mark.parametrize(
    ("old", "new", "now", "before"),
    [
        (
            "User's phone is a Nokia",
            "User's phone is a Pixel",
            "which phone do I have these days?",
            "what was my previous phone?",
        ),
        (
            "用户的手机是诺基亚",
            "用户的手机是小米",
            "我现在用的是什么手机？",
            "我原来的手机是什么？",
        ),
    ],
    ids=["en", "zh"],
)
async def test_asked_for_now_or_before(
    person: Person, old: str, new: str, now: str, before: str
) -> None:
    """Where nobody noticed that one took the other's place: the last first, or the first if that is asked for."""
    await person.knows(new, days_ago=10)
    await person.knows(old, days_ago=200)
    for i in range(12):
        await person.knows(f"walk {i} 散步", days_ago=20 * i)
    assert texts(await person.ask(now))[:2] == [new, old]
    assert texts(await person.ask(before))[:2] == [old, new]
