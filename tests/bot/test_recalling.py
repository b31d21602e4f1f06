"""What a reply is told beyond what matches its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.agent.recall import _OVERVIEW, _PLANS
from tests.e2e.driver import opened
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks, summary


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about me?",
        "so what do you remember about me",
        "Tell me everything you know about me",
        "what have you learned about me?",
        "What do you remember?",
        "你知道我什么？",
        "你都知道我些什么",
        "你记得我哪些事？",
        "关于我，你知道些什么？",
        "你对我了解多少",
        "说说你对我的印象",
    ],
)
def test_asking_for_everything(text: str) -> None:
    """The usual ways of asking what is known, in both languages."""
    assert _OVERVIEW.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "What do you know about France?",
        "do you know me?",
        "what do you know",
        "你知道北京吗？",
        "你知道我在想什么吗",
        "我知道",
    ],
)
def test_asking_for_something_else(text: str) -> None:
    """False friends."""
    assert not _OVERVIEW.search(text)


async def test_everything_learned_in_this_very_conversation_is_told(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The resident profile is frozen; asked for an overview, what is new is told as well."""
    answer_tasks(openai_server)
    async with opened(tmp_path, model=openai_server) as w:
        for text in (
            "My name is Tom.",
            "I live in Leeds.",
            "I'm allergic to nuts.",
            "I love pizza.",
            "I play chess.",
        ):
            await w.say(text)
        said = await w.say("What do you know about me?")
        for word in ("Tom", "Leeds", "nuts", "pizza", "chess"):
            assert word in said.text


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("What are my plans?", True),
        ("what's on my calendar next week", True),
        ("Do I have anything planned for Friday?", True),
        ("我有什么安排？", True),
        ("我明天有什么计划", True),
        ("我的日程呢？", True),
        ("My plans changed.", False),
        ("I planned a trip", False),
        ("我有一只猫", False),
        ("我有计划了", False),
    ],
)
def test_asking_for_plans(text: str, asks: bool) -> None:
    """And its false friends."""
    assert bool(_PLANS.search(text)) is asks


async def test_plans_are_told_in_a_new_conversation(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """All that is ahead, whatever the words."""
    answer_tasks(
        openai_server,
        {
            "dentist": "[ADD kind=event on=2026-03-05] Has a dentist appointment",
            "marathon": "[ADD kind=event on=2026-05] Is running a marathon",
        },
    )
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("I have a dentist appointment on Thursday.")
        await w.say("I'm running a marathon in May.")
        await w.do("/new")
        said = await w.say("What are my plans?")
        assert "dentist" in said.text
        assert "marathon" in said.text


@pytest.mark.parametrize(
    "said, note, asked, word",
    [
        ("我有一只猫，叫咪咪", "有一只猫，叫咪咪", "What is my cat called?", "咪咪"),
        ("I have a cat called Miso", "Has a cat called Miso", "我的猫叫什么名字？", "Miso"),
        ("My boss is called Miso", "Boss is called Miso", "我老板叫什么名字？", "Miso"),
    ],
)
async def test_what_was_said_in_the_other_language_comes_to_mind(
    openai_server: OpenAIServer, tmp_path: Path, said: str, note: str, asked: str, word: str
) -> None:
    """By everyday words; and /why says how it was found."""
    episode = summary(note, note)
    answer_tasks(openai_server, {said: f'[ADD entities="{word}"] {note}'}, summarise=episode)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say(said)
        await w.do("/new")
        answer = await w.say(asked)
        assert any(word in m.content for m in answer.recalled)
        assert word in answer.text
        why = await w.do("/why more")
        assert "other language" in why.text or "另一种语言" in why.text


@pytest.mark.parametrize(
    ("said", "asked", "mark"),
    [
        ("My boss is called Miso", "What's my boss called?", "it shaped the reply"),
        ("我老板叫咪咪", "我老板叫什么？", "影响了回复"),
    ],
)
async def test_why_says_what_shaped_the_reply(
    openai_server: OpenAIServer, tmp_path: Path, said: str, asked: str, mark: str
) -> None:
    """Known from the monitor, once it has looked at the reply."""
    answer_tasks(openai_server, {said: f"[ADD] {said}", asked: f"[BOOST:{{{said}}}]"})
    more = "/why more" if mark.isascii() else "/why 更多"
    async with opened(tmp_path, model=openai_server) as w:
        await w.say(said)
        await w.do("/new")
        await w.say(asked)
        assert mark in (await w.do(more)).text
        await w.say("ok" if mark.isascii() else "好")
        assert mark not in (await w.do(more)).text
