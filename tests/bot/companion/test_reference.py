"""Whom a sentence speaks of: what is told of somebody else is never the user's own."""

from __future__ import annotations

import pytest

from bot.llm.companion.statements import parse
from tests.bot.companion.talk import AT, TZ, Talk, monitored


def slots(text: str) -> dict[str, str]:
    """Slot → value of what a message states."""
    return {f.slot: f.value for f in parse(text, AT, TZ)}


@pytest.mark.parametrize(
    "text, theirs",
    [
        ("我有一个儿子，今年五岁，叫乐乐", {"about:儿子:age": "五岁", "relation:儿子": "乐乐"}),
        ("我有个妹妹。她叫小雨。她是护士。", {"relation:妹": "小雨", "about:妹:job": "护士"}),
        ("我女儿叫小雅，今年八岁。", {"relation:女儿": "小雅", "about:女儿:age": "八岁"}),
        ("My son is five and his name is Leo", {"about:son:age": "five", "relation:son": "Leo"}),
        ("I have a son, he is five, his name is Leo", {"about:son:age": "five", "relation:son": "Leo"}),
        ("I have a 5 year old son called Leo", {"about:son:age": "5", "relation:son": "Leo"}),
        ("I have a daughter. She's seven. Her name is Nina.", {"about:daughter:age": "seven", "relation:daughter": "Nina"}),
        ("I have a sister who is 30 and works as a nurse", {"about:sister:job": "nurse"}),
        ("My wife is a teacher and her birthday is May 3", {"about:wife:job": "teacher", "about:wife:birthday": "3 May"}),
        ("My mom is a doctor. She's 60.", {"about:mother:job": "doctor", "about:mother:age": "60"}),
    ],
)  # fmt: skip
def test_what_is_said_of_a_relative_is_the_relatives(text: str, theirs: dict[str, str]) -> None:
    """Age, name, job and birthday go to the one spoken of, and nothing to the user."""
    found = slots(text)
    assert theirs.items() <= found.items()
    assert not {"age", "name", "job", "birthday", "employer"} & found.keys()


@pytest.mark.parametrize(
    "text, slot, value",
    [
        ("我家有只狗。名字叫豆豆。", "relation:狗", "豆豆"),
        ("我家有只狗。它叫豆豆。", "relation:狗", "豆豆"),
        ("I got a puppy. Name's Biscuit.", "relation:dog", "Biscuit"),
        ("I adopted a cat. We named her Saffron.", "relation:cat", "Saffron"),
        ("I have a rabbit. It's called Thumper.", "relation:rabbit", "Thumper"),
    ],
)
def test_a_name_in_the_next_sentence_is_kept(text: str, slot: str, value: str) -> None:
    """Pets and people are named where they were brought up."""
    assert slots(text)[slot] == value


def test_several_names_in_the_next_sentence() -> None:
    """They are both of them."""
    for text, names in (("I have two sons. They are called Max and Finn.", {"Max", "Finn"}), ("我家有两只猫。一只叫大宝，一只叫二宝。", {"大宝", "二宝"})):  # fmt: skip
        assert {f.value for f in parse(text, AT, TZ) if f.family == "relation"} == names


@pytest.mark.parametrize(
    "text",
    ["I have a dog. It is raining.", "I have a dog. It's a nice day today.", "我家有只狗。今天下雨了。", "I have a son and a daughter. She said hello."],
)  # fmt: skip
def test_what_speaks_of_nothing_brought_up_is_left_alone(text: str) -> None:
    """Weather is no breed, and nobody is guessed at."""
    assert not [s for s in slots(text) if s.startswith("about:")]


def test_an_age_asked_for_is_of_the_one_asked_about() -> None:
    """“Three” after “How old is Biscuit?” is the dog's age, not the user's."""
    for before, asked, said, slot in (
        ("I got a puppy. Name's Biscuit.", "How old is Biscuit?", "Three", "dog"),
        ("我家有只狗，叫豆豆。", "豆豆多大了？", "三岁了", "狗"),
    ):
        lines = monitored(said, before=[("user", before), ("assistant", asked)])
        assert len(lines) == 1, lines
        assert ("dog" if slot == "dog" else "狗") in lines[0].text or "puppy" in lines[0].text


@pytest.mark.parametrize(
    "text, slot, holds",
    [
        ("当老师十年了", "job", True), ("我当老师十年了", "job", True), ("我做了十年的老师", "job", True), ("在腾讯工作三年了", "employer", True),
        ("以前抽烟，后来戒了", "diet:drink", False), ("我以前喝酒，现在不喝了", "diet:drink", False), ("我丢了工作", "job", False),
        ("我被炒了", "job", False), ("我离婚了", "marital", True), ("离婚了", "marital", True), ("我怀孕了", "health:怀孕", True),
        ("我以前是医生", "past:job", True), ("喜欢喝咖啡", "like", True), ("住在北京", "home", True), ("对花生过敏", "allergy", True),
        ("I've been teaching for ten years", "habit", True), ("Been a nurse for 5 years", "job", True), ("I used to smoke but quit", "diet:smoke", False),
        ("Used to smoke, quit in 2020", "diet:smoke", False), ("I used to smoke, but I gave it up last year", "diet:smoke", False),
        ("I lost my job", "job", False), ("Got laid off last week", "job", False), ("I got divorced", "marital", True), ("I'm getting divorced", "marital", True),
        ("My wife and I divorced", "marital", True), ("I'm pregnant", "health:pregnant", True), ("I used to be a lawyer but now I'm a baker", "past:job", True),
    ],
)  # fmt: skip
def test_turns_of_life_are_understood(text: str, slot: str, holds: bool) -> None:
    """With or without a subject, for how long, and what is over."""
    found = {f.slot: f.holds for f in parse(text, AT, TZ)}
    assert found.get(slot) is holds, found


@pytest.mark.parametrize(
    "text", ["要下雨了", "去吃饭了", "想睡觉", "喜欢你", "爱你", "有道理", "是的", "住手", "会的", "吃了吗"]
)
def test_what_lacks_a_subject_is_not_always_about_oneself(text: str) -> None:
    """Weather, manners and moods state nothing of the user."""
    assert parse(text, AT, TZ) == []


@pytest.mark.parametrize(
    "profile, question, word",
    [
        ("The user likes coffee a lot.", "我喜欢喝咖啡吗？", "咖啡"),
        ("用户喜欢喝咖啡。", "Do I like coffee?", "coffee"),
        ("用户对花生过敏。", "Am I allergic to peanuts?", "peanuts"),
        ("用户有一只猫，叫咪咪。", "What's my cat called?", "咪咪"),
        ("用户有一只猫，叫咪咪。", "Do I have a cat?", "咪咪"),
        ("The user's sister is called Nina.", "我姐姐叫什么？", "Nina"),
    ],
)
def test_what_was_said_in_the_other_language_answers(profile: str, question: str, word: str) -> None:
    """Everyday words are known in both languages; names stay as they are."""
    reply = Talk([profile], lang="zh" if "我" in question else "en").say(question)
    assert word in reply, reply
    assert not any(no in reply for no in ("find", "nothing about", "没找到", "找不到", "手头没有"))


def test_the_same_said_in_the_other_language_is_no_second_memory() -> None:
    """It confirms the one there is."""
    assert [x.op for x in monitored("我喜欢喝咖啡", [("k1", "The user likes coffee.")])] == ["boost"]
    assert [x.op for x in monitored("I like coffee", [("k1", "用户喜欢喝咖啡。")])] == ["boost"]
