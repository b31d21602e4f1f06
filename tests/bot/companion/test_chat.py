"""Conversations: what is stated is taken up, what is asked is answered from memory and from nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.bot.companion.talk import Talk, streamed

EN_TOLD = [
    ("Hello", "name"),
    ("My name is Anna, I live in Berlin and work as a nurse", "you live in Berlin and work as a nurse"),
    ("I'm allergic to peanuts", "eanuts"),
    ("I like ramen, sushi and hiking", "ramen, sushi and hiking"),
    ("My sister is called Mia and she lives in Rome", "Mia"),
    ("I have a job interview next Wednesday at 3pm", "Wednesday, 25 November at 15:00"),
    ("Actually I live in Munich, not Berlin", "you live in Munich"),
    ("I don't like ramen any more", "you no longer like ramen"),
    ("my boss shouted at me", "your boss shouted at you"),
    ("I'm so tired today", "break|rest|gentle|heavier"),
    ("thanks", "."),
]
EN_ASKED = [
    ("What's my name?", "Your name is Anna."),
    ("where do I live", "You live in Munich."),
    ("What do I do for work?", "You work as a nurse."),
    ("What am I allergic to?", "You're allergic to peanuts."),
    ("Can I eat peanut butter?", "Better not! You're allergic to peanuts."),
    ("What do I like to eat?", "You like sushi."),
    ("Do I like ramen?", "No. You no longer like ramen."),
    ("Do I like sushi?", "Yes. You like sushi."),
    ("What's my sister's name?", "Your sister is called Mia."),
    ("Where does my sister live?", "Your sister lives in Rome."),
    ("Who is Mia?", "Your sister is called Mia."),
    ("Do I have siblings?", "Yes. Your sister is called Mia. Your sister lives in Rome."),
    ("When is my interview?", "You have a job interview on Wednesday, 25 November at 15:00, 4 days from now."),
    (
        "What do I have planned next week?",
        "You have a job interview on Wednesday, 25 November at 15:00, 4 days from now.",
    ),
    (
        "What are my plans for tomorrow?",
        "Nothing that I can think of for then. What I do know of: You have a job interview on Wednesday, 25 November at 15:00, 4 days from now.",
    ),
    ("Where did I live before?", "It used to be different: “You live in Berlin”. That no longer holds."),
]
ZH_TOLD = [
    ("你好", "称呼"),
    ("我叫小明，住在上海，是一名程序员", "住在上海，是一名程序员"),
    ("我对花生过敏", "花生"),
    ("我喜欢拉面、寿司和爬山", "拉面、寿司和爬山"),
    ("我妹妹叫小红，在北京上大学", "小红"),
    ("我下周三下午三点有个面试", "11月25日（周三）15:00"),
    ("其实我住在杭州，不是上海", "你住在杭州"),
    ("我不喜欢拉面了", "你不喜欢拉面了"),
    ("我老板骂了我", "你老板骂了你"),
    ("我今天好累", "累|辛苦|休息"),
    ("谢谢", "。|！"),
]
ZH_ASKED = [
    ("我叫什么名字？", "你叫小明。"),
    ("我住在哪里", "你住在杭州。"),
    ("我是做什么的？", "你是一名程序员。"),
    ("我对什么过敏？", "你对花生过敏。"),
    ("我能吃花生酱吗？", "最好别！你对花生过敏。"),
    ("我喜欢吃什么？", "你喜欢寿司。"),
    ("我还喜欢拉面吗？", "不，你不喜欢拉面了。"),
    ("我喜欢爬山吗？", "对，你喜欢爬山。"),
    ("我妹妹叫什么？", "你的妹妹叫小红。"),
    ("小红是谁？", "你的妹妹叫小红。"),
    ("我的面试是什么时候？", "你11月25日（周三）15:00有个面试（还有4天）。"),
    ("我下周有什么安排？", "你11月25日（周三）15:00有个面试（还有4天）。"),
    ("离面试还有几天？", "你11月25日（周三）15:00有个面试（还有4天）。"),
]


@pytest.mark.parametrize(("told", "asked"), [(EN_TOLD, EN_ASKED), (ZH_TOLD, ZH_ASKED)], ids=["en", "zh"])
def test_a_whole_conversation(told: list[tuple[str, str]], asked: list[tuple[str, str]]) -> None:
    """More than ten turns of telling, each taken up; then the questions, each answered from what was told."""
    talk = Talk()
    for text, taken_up in told:
        assert re.search(taken_up, talk.say(text)), text
    assert [talk.say(q) for q, _ in asked] == [a for _, a in asked]


PROFILE = [
    "The user's name is Anna.",
    "The user lives in Munich.",
    "The user likes sushi.",
    "The user is allergic to peanuts.",
]
RECALLED: list[dict[str, Any]] = [
    {
        "text": "The user has a job interview on Wednesday, 25 November 2026 at 15:00.",
        "kind": "todo",
        "due": "2026-11-25",
    },
    {"text": "The user likes ramen.", "kind": "preference", "negated": True},
    {"text": "The user's sister is called Mia.", "level": "tag"},
    {"text": "User went to Japan in 2019 with their parents", "level": "summary"},
    {"text": "Anna enjoys pottery classes on Saturdays", "kind": "preference"},
    {"text": "The user's first car was a Beetle.", "level": "trace"},
    {"text": "The user has to see the dentist on 22 November 2026", "kind": "todo"},
    {"text": "The user works at Siemens.", "superseded": True},
]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What am I allergic to?", "You're allergic to peanuts."),
        ("do you remember where I live?", "You live in Munich."),
        ("I forgot my name, can you tell me?", "Your name is Anna."),
        ("what's my sister's name?", "I vaguely remember that your sister is called Mia."),
        ("Have I been to Japan?", "If I remember right, you went to Japan in 2019 with your parents."),
        ("what do I do on Saturdays?", "You enjoy pottery classes on Saturdays."),
        ("what was my first car?", "There is only a trace of it left: your first car was a Beetle."),
        ("Do I have anything tomorrow?", "You have to see the dentist tomorrow, Sunday, 22 November."),
        ("do I like ramen?", "No. It used to be different: “You like ramen”. That no longer holds."),
        ("Where did I work before?", "It used to be different: “You work at Siemens”. That no longer holds."),
        ("What should I eat?", "How about sushi? You like that. And mind: you're allergic to peanuts."),
        ("我住在哪里？", "你住在Munich。"),
        ("我叫什么？", "你叫Anna。"),
    ],
)
def test_answers_from_memory(asked: str, answer: str) -> None:
    """In the second person, as surely as the memory is clear; what no longer holds is told as the past."""
    assert Talk(PROFILE, RECALLED).say(asked) == answer


@pytest.mark.parametrize(
    "asked",
    [
        "What's my favourite colour?",
        "what's my dog's name?",
        "Am I married?",
        "How old am I?",
        "Where does my brother live?",
        "What languages do I speak?",
        "Do I like opera?",
        "我的生日是什么时候？",
        "我结婚了吗？",
        "我哥哥叫什么？",
        "我有宠物吗？",
    ],
)
def test_what_is_not_known_is_said_not_to_be(asked: str) -> None:
    """Nothing is invented, and nothing beside the point is told."""
    reply = Talk(PROFILE, RECALLED).say(asked)
    assert re.search(r"can't find|nothing about that|没找到|手头没有|找不到", reply)
    assert not re.search(r"Anna|Munich|sushi|peanut|Mia|Japan", reply)


def test_what_do_you_know_about_me() -> None:
    """All of it, in groups, without what no longer holds."""
    reply = Talk(PROFILE, RECALLED).say("What do you know about me?")
    assert "- **About you**: Your name is Anna. You live in Munich." in reply
    assert "- **Tastes**: You like sushi and pottery classes on Saturdays." in reply
    assert "ramen" not in reply
    assert "Siemens" not in reply
    assert "没找到" in Talk().say("你知道我什么？")


def test_what_was_talked_about_last_time() -> None:
    """From the newest episode, told to the person; without one, that is said."""
    episode = "[2026-11-20 18:00] The user talked about ramen and their sister Mia; asked “What should I wear”"
    assert Talk(episode=episode).say("What did we talk about last time?") == (
        "Yesterday: We talked about ramen and your sister Mia; you asked “What should I wear”."
    )
    assert Talk(episode="[2026-11-18 18:00] 聊了面试、拉面；问了“穿什么”").say("上次聊了什么？") == (
        "3天前：我们聊了面试、拉面；你问了“穿什么”。"
    )
    assert "can't find an earlier" in Talk().say("What did we talk about last time?")
    assert "没找到之前" in Talk().say("上次聊了什么？")


def test_a_greeting_takes_the_conversation_up_again() -> None:
    """By name, with what is due, or with what was talked about."""
    assert Talk(PROFILE, RECALLED).say("Hi") == (
        "Good morning, Anna! Don't forget: You have to see the dentist tomorrow, Sunday, 22 November."
    )
    assert Talk(["用户叫小明。"], episode="[2026-11-20 18:00] 聊了面试、拉面").say("你好") == (
        "小明，早上好！上次我们聊了面试、拉面。有什么新进展吗？"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "are you ChatGPT?",
        "Are you an AI?",
        "who are you",
        "what's your name?",
        "你是谁？",
        "你是人吗",
        "你叫什么名字？",
    ],
)
def test_it_is_honest_about_what_it_is(asked: str) -> None:
    """A program of rules, no language model, no person."""
    assert re.search(r"rules, not a language model|规则写成的小程序，不是语言大模型", Talk().say(asked))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What time is it?", "It's 10:00."),
        ("What day is it today?", "Today is Saturday, 21 November 2026."),
        ("what's the date tomorrow?", "Tomorrow is Sunday, 22 November 2026."),
        ("现在几点了？", "现在是10:00。"),
        ("今天星期几？", "今天是2026年11月21日，星期六。"),
        ("下周三是几号？", "下周三是2026年11月25日，星期三。"),
    ],
)
def test_the_time_is_that_of_the_request(asked: str, answer: str) -> None:
    """It has no clock of its own."""
    assert Talk().say(asked) == answer


@pytest.mark.parametrize(
    "asked",
    ["What's the capital of France?", "How do I sort a list in Python?", "法国的首都是哪里？", "帮我写一首诗"],
)
def test_what_is_beyond_it(asked: str) -> None:
    """It says so instead of inventing."""
    assert re.search(r"program|language model|don't know|小程序|语言模型", Talk(PROFILE).say(asked))


def test_help() -> None:
    """What it can do, and the commands."""
    for asked in ("What can you do?", "help", "你会做什么？"):
        assert "/remember" in Talk().say(asked)


def test_it_never_claims_to_have_saved_anything() -> None:
    """Ebb shows that itself; a note of Ebb's is taken up without repeating it."""
    said = [t for t, _ in EN_TOLD + ZH_TOLD]
    replies = [Talk().say(t) for t in said]
    replies.append(
        Talk().say("Remember that I'm vegan", note="The user asked you to remember this, and Ebb has saved it")
    )
    replies.append(Talk().say("记住我吃素", note="用户要求记住这件事，Ebb 已经保存"))
    assert not re.search(r"\b(?:saved|stored|noted|recorded)\b|已保存|已记录|存好了|记下了", " ".join(replies), re.I)
    refused = Talk().say(
        "Remember my password", note="The user asked you to remember something, but Ebb did not save it: no"
    )
    assert "can't keep" in refused


def test_the_same_words_get_the_same_reply() -> None:
    """Varied, but by message and history alone."""
    assert Talk().say("I feel sad today") == Talk().say("I feel sad today")
    again = Talk()
    assert len({again.say("I feel sad today") for _ in range(8)}) > 1


def test_grave_words_are_answered_gravely() -> None:
    """No small talk where somebody speaks of dying: other people, and a number to call."""
    assert "988" in Talk().say("I want to kill myself")
    assert "12356" in Talk().say("我不想活了")


async def test_it_streams_in_pieces_and_ends_properly() -> None:
    """Pieces that make up the reply, then a finish with a usage of zero."""
    chunks = await streamed("chat", Talk(PROFILE).data("Where do I live?"))
    assert "".join(c.text for c in chunks) == "You live in Munich."
    assert len(chunks) > 3
    assert chunks[-1].finish == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 0
    assert all(c.finish is None for c in chunks[:-1])
    whole = await streamed("monitor", {"exchange": []})
    assert [c.text for c in whole] == ["[SKIP]", ""]


def test_plans_are_found_in_the_account_of_the_last_conversation() -> None:
    """Where no memory of a planned day came to mind, the episode may still know of it."""
    episode = "[2026-11-21 09:00] The user talked about job interview on 25 November 2026, dentist appointment on 22 November 2026 and ramen"
    assert Talk(episode=episode).say("What do I have tomorrow?") == (
        "Last time you spoke of this: dentist appointment tomorrow, Sunday, 22 November."
    )
    zh = "[2026-11-21 09:00] 聊了2026年11月25日面试、2026年11月22日去看牙医、拉面"
    assert Talk(episode=zh).say("我明天有什么安排？") == "上次你提到过：明天（11月22日 周日）去看牙医。"
