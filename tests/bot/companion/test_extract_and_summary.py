"""The roles that run behind a conversation: extraction, summary, title, and those of upkeep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from bot.llm.companion.model import respond
from memory.learn.extract import parse as read_extraction
from memory.learn.summary import parse as read_summary
from tests.bot.companion.talk import AT, TZ


def _messages(*said: str) -> list[dict[str, str]]:
    out: list[dict[str, str]] = []
    for text in said:
        out += [
            {"role": "user", "text": text, "at": AT},
            {"role": "assistant", "text": "I like sushi too!", "at": AT},
        ]
    return out


def _extract(said: Sequence[str], memories: Sequence[tuple[str, str]] = ()) -> list[dict[str, Any]]:
    rows = [{"id": i, "text": t, "kind": "fact"} for i, t in memories]
    answer = respond("extract", {"messages": _messages(*said), "memories": rows, "now": AT, "tz": TZ, "lang": "en"})
    assert read_extraction(answer) is not None
    found: list[dict[str, Any]] = json.loads(answer)
    return found


def test_the_last_word_of_a_conversation_counts() -> None:
    """What was corrected in it is extracted once, as it stood at the end, with the messages it rests on."""
    found = _extract(["I live in Berlin and like ramen", "Actually I live in Munich", "My interview is next Friday"])
    assert [(f["content"], f["said"]) for f in found] == [
        ("The user lives in Munich.", [1, 3]),
        ("The user likes ramen.", [1]),
        ("The user's interview is on Friday, 27 November 2026.", [5]),
    ]
    assert found[2]["expires_at"] == "2026-11-27"


def test_what_the_monitor_saved_is_matched() -> None:
    """Known things are named as matches, changed ones as contradictions, denied ones as denied."""
    memories = [
        ("h1", "The user lives in Munich."),
        ("l1", "The user likes ramen."),
        ("w1", "The user works at Google."),
    ]
    found = _extract(["I live in Munich", "I don't like ramen any more", "I work at Siemens now"], memories)
    assert [(f["matches"], f["contradicts"], f["denied"]) for f in found] == [
        ("h1", None, False),
        (None, "l1", True),
        (None, "w1", False),
    ]


def test_a_correction_that_was_learned_is_not_learned_backwards() -> None:
    """The superseded statement of the same conversation does not contradict what replaced it."""
    found = _extract(["我住在上海", "其实我住在杭州"], [("h1", "用户住在杭州。")])
    assert [(f["content"], f["matches"], f["contradicts"]) for f in found] == [("用户住在杭州。", "h1", None)]


def test_nothing_comes_of_questions_and_of_the_assistant() -> None:
    """Only what the user states is extracted."""
    assert _extract(["What do I like?", "Do I live in Rome?", "我喜欢什么？"]) == []


def test_a_joke_leaves_nothing() -> None:
    """What was taken back as a joke is not extracted."""
    assert _extract(["I'm a millionaire and I live in Monaco", "just kidding"]) == []


def test_a_summary_says_what_was_said() -> None:
    """Topics in one line; then what the user stated and asked, on top of what went before, in their language."""
    answer = respond(
        "summarise",
        {
            "messages": _messages(
                "I live in Munich and like ramen", "I have an exam on Friday", "What should I wear?"
            ),
            "previous": "The user lives in Berlin. The user has a cat.",
            "tz": TZ,
        },
    )
    got = read_summary(answer, "")
    assert got is not None
    assert (
        got.episode == "Talked about exam on 27 November 2026, living in Munich and ramen; asked “What should I wear”"
    )
    assert got.running == (
        "The user has a cat. The user lives in Munich. The user likes ramen. "
        "The user has an exam on Friday, 27 November 2026. The user asked: “What should I wear”."
    )
    assert "sushi" not in answer  # that was the assistant


def test_a_chinese_summary() -> None:
    """The same in Chinese."""
    got = read_summary(
        respond("summarise", {"messages": _messages("我叫小明，住在上海", "我妹妹叫小红"), "previous": "", "tz": TZ}),
        "",
    )
    assert got is not None
    assert got.episode == "聊了妹妹小红、住在上海、名字"
    assert got.running == "用户叫小明。用户住在上海。用户的妹妹叫小红。"


@pytest.mark.parametrize(
    ("said", "title"),
    [("I have a job interview on Friday", "Job interview"), ("我住在上海，喜欢拉面", "住在上海、拉面")],
)
def test_a_title(said: str, title: str) -> None:
    """A few words of what it was about."""
    assert respond("title", {"messages": _messages(said), "lang": "en"}).lower().removeprefix("a ") == title.lower()


def test_small_talk_still_has_a_summary() -> None:
    """An empty answer would fail the job."""
    for said in ("hi", "嗯", "", "???"):
        got = read_summary(respond("summarise", {"messages": _messages(said), "previous": "", "tz": TZ}), "")
        assert got is not None
        assert got.episode


def test_levels() -> None:
    """A summary keeps the main clause, a tag what sort of thing it was."""
    items = [
        {"id": "a", "text": "The user lives in Oslo (moved there in May 2026), because of work.", "level": "summary", "lang": "en"},
        {"id": "b", "text": "用户喜欢拉面。", "level": "tag", "lang": "zh"},
    ]  # fmt: skip
    assert json.loads(respond("level", {"items": items})) == [
        {"id": "a", "text": "The user lives in Oslo."},
        {"id": "b", "text": "用户喜欢食物"},
    ]


def test_merge_and_review() -> None:
    """One text says what several say; lasting facts are promoted, what another covers may go."""
    assert respond("merge", {"texts": ["The user likes ramen.", "The user likes ramen and sushi."]}) == (
        "The user likes ramen and sushi."
    )
    memory = {"id": "a", "text": "The user likes ramen.", "kind": "preference", "weight": 2.6}
    assert respond("review", {"memory": memory, "task": "promotion", "nearest": []}) == "[PROMOTE]"
    assert respond("review", {"memory": memory, "task": "decay", "nearest": []}) == "[KEEP]"
    nearest = [{"id": "b", "text": "The user likes ramen and sushi."}]
    assert respond("review", {"memory": memory, "task": "decay", "nearest": nearest}) == "[DELETE]"
