"""What a user feels: a turn brings up what is known of what it is about, and nothing else does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory.models import Lang
from tests.bench.calls import CALLS, KNOWN, QUIET
from tests.memory.recall.conftest import NOW, Person, texts

MISSED = 2  # of thirty: what no word, letter or time leads to


async def life(person: Person, lang: Lang) -> None:
    for k in KNOWN[lang]:
        due = None if k.due is None else NOW + timedelta(days=k.due)
        await person.knows(
            k.text, days_ago=k.days_ago, kind=k.kind, entities=k.entities, expires_at=due
        )


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_what_calls_for_a_memory_gets_it(person: Person, lang: Lang) -> None:
    """Sisters, dentists, one word, a letter typed wrong, tomorrow, last month, 下周五: among the three."""
    await life(person, lang)
    found = {turn: texts(await person.ask(turn)) for turn in CALLS[lang]}
    lost = [turn for turn, part in CALLS[lang].items() if not any(part in t for t in found[turn])]
    assert len(lost) <= MISSED, lost


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_what_calls_for_none_gets_none(person: Person, lang: Lang) -> None:
    """Days, weather, general knowledge, good wishes."""
    await life(person, lang)
    assert {t: f for t in QUIET[lang] if (f := texts(await person.ask(t)))} == {}


@pytest.mark.parametrize(
    "question",
    ["what's my passport number?", "who is my landlord?", "我的护照号码是多少？", "我的房东是谁？"],
)
async def test_what_was_never_told_is_not_answered_by_something_else(
    person: Person, question: str
) -> None:
    """That the question is about oneself speaks for no memory."""
    await life(person, "en")
    await life(person, "zh")
    assert texts(await person.ask(question)) == []


@pytest.mark.parametrize(
    ("said", "turn", "expected"),
    [
        (
            "There are two: the Thai place by the harbour, and the ramen bar with the red door.",
            "the second one, please",
            "User's favourite is the ramen bar with the red door",
        ),
        ("有两家：港口旁的泰国餐厅，和红门拉面馆。", "第二家吧", "用户最喜欢红门拉面馆"),
    ],
)
async def test_a_choice_lives_off_what_was_said_before(
    person: Person, said: str, turn: str, expected: str
) -> None:
    """ "The second one" finds what the second one was about; without what came before, nothing."""
    await person.knows(expected)
    await person.knows("User's mother has a knee operation")
    await person.knows("用户的妈妈要做膝盖手术")
    assert texts(await person.ask(turn, context=[said])) == [expected]
    assert texts(await person.ask(turn)) == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what do I have tomorrow?", "todo for tomorrow"),
        ("我明天有什么事？", "todo for tomorrow"),
        ("anything on Friday?", "todo for friday"),
        ("周五有什么事吗？", "todo for friday"),
        ("what's on next Friday?", "todo for the friday after"),
        ("下周五有什么安排？", "todo for the friday after"),
        ("大后天我有什么事？", "todo for saturday"),
        ("what did I do in January?", "learned in january"),
        ("我上个月做了什么？", "learned in january"),
        ("去年夏天我做了什么？", "since last summer"),
        ("what did I do last summer?", "since last summer"),
    ],
)
async def test_a_time_finds_by_itself(person: Person, question: str, expected: str) -> None:
    """No word is shared: made then, valid from then on, or due then."""
    for name, days in (("tomorrow", 1), ("friday", 2), ("saturday", 3), ("the friday after", 9)):
        await person.knows(f"todo for {name}", days_ago=3, expires_at=NOW + timedelta(days=days))
    await person.knows("learned in january", days_ago=25)
    await person.knows("since last summer", days_ago=5, valid_from=NOW - timedelta(days=200))
    found = texts(await person.ask(question))
    assert found[:1] == [expected]
