"""The memory tools, called by a model behind the OpenAI protocol in the middle of a reply."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.events import Done
from memory.models import State
from tests.e2e.driver import opened
from tests.servers.openai import OpenAIServer, Reply, Request


def call(name: str, **arguments: Any) -> Reply:
    """One call of a tool, without a word."""
    return Reply(calls=[(name, arguments)], finish="tool_calls")


def script(server: OpenAIServer, *chat: Reply | str) -> None:
    """Chat answers in this order; the memory model learns nothing."""
    answers = list(chat)
    server.default = lambda r: "[SKIP]" if r.model == "small" else answers.pop(0)


def told(request: Request) -> str:
    """What the last call came to."""
    return str([m["content"] for m in request.messages if m["role"] == "tool"][-1])


async def test_a_search_in_the_middle_of_a_reply(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """What was said before the call stays, one reply comes of it, and /why knows what was found."""
    script(
        openai_server,
        Reply("Let me see. ", calls=[("search_memory", {"query": "sister"})], finish="tool_calls"),
        "Hannah sails.",
    )
    async with opened(tmp_path, model=openai_server) as w:
        await w.do("/remember My sister Hannah sails a boat")
        said = await w.say("Anything new to plan for Sunday?")
        assert said.text == "Let me see. Hannah sails."
        first, second = [r for r in openai_server.chats if r.model != "small"]
        assert {t["function"]["name"] for t in first.body["tools"]} >= {"search_memory", "time"}
        assert "sister Hannah sails" in told(second)
        assert second.messages[: len(first.messages)] == first.messages  # the prefix stays cached
        assert "Hannah" in (await w.do("/why")).text


OBOE = "I play the oboe in Turku, don't let that slip"


@pytest.mark.parametrize(
    ("said", "sentence", "words", "kept"),
    [
        (OBOE, "Plays the oboe in Turku", "I play the oboe in Turku", True),
        (OBOE, "Plays the oboe in Oslo", "I play the oboe in Turku", False),
        (OBOE, "Has a cat called Momo", "my cat Momo", False),
        ("你记不记得，我对花生过敏吗？", "对花生过敏", "我对花生过敏", False),
    ],
)
async def test_what_is_kept_stands_in_the_persons_words(
    openai_server: OpenAIServer, tmp_path: Path, said: str, sentence: str, words: str, kept: bool
) -> None:
    """The same evidence as everywhere: no other place, and nothing that was not said."""
    script(openai_server, call("remember", sentence=sentence, words=words), "Fine.")
    async with opened(tmp_path, model=openai_server) as w:
        await w.say(said)
        assert [m.content for m in await w.memories()] == ([sentence] if kept else [])


async def test_forgetting_is_asked_about(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """A model that wants something forgotten gets a question to the person, and no more."""
    script(openai_server, call("forget", what="peanuts"), "As you like.")
    async with opened(tmp_path, model=openai_server) as w:
        await w.do("/remember I am allergic to peanuts")
        said = await w.say("that thing about peanuts is nobody's business")
        assert isinstance(said.last, Done)
        assert said.last.choices
        assert len(await w.memories()) == 1
        await w.do(f"/choose {said.last.choices[0].key}")
        assert await w.memories(states=frozenset({State.ACTIVE})) == []


async def test_rounds_end_and_bad_calls_are_told(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """At most three rounds; an unknown tool or zone costs nothing but its answer."""
    script(
        openai_server,
        call("delete_everything"),
        call("time", zone="Mars/Olympus"),
        call("time", zone="Asia/Tokyo"),
        "It is late there.",
    )
    async with opened(tmp_path, model=openai_server) as w:
        assert (await w.say("what time is it in Tokyo")).text == "It is late there."
        asked = [r for r in openai_server.chats if r.model != "small"]
        assert len(asked) == 4
        assert "tools" not in asked[-1].body
        assert "Asia/Tokyo" in told(asked[-1])


async def test_an_endpoint_without_tools_is_asked_without_them(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """What it refuses is left out from then on; off the record there is nothing to look up."""
    openai_server.rejects = {"tools"}
    script(openai_server, "Hello.", "Hm.")
    async with opened(tmp_path, model=openai_server) as w:
        assert (await w.say("hello there")).text == "Hello."
    openai_server.rejects = set()
    async with opened(tmp_path / "two", model=openai_server) as w:
        await w.do("/temp")
        await w.say("hello there")
        names = {t["function"]["name"] for t in openai_server.chats[-1].body["tools"]}
        assert names == {"time"}
