"""Whatever is said: nothing raises, what comes out can be read, and questions teach nothing."""

from __future__ import annotations

import time
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.llm.companion import chat, extract, monitor, summarise, upkeep
from memory.learn import lines
from memory.learn.extract import parse as read_extraction
from memory.learn.summary import parse as read_summary
from tests.bot.companion.talk import AT, TZ, Talk, monitored

_WORDS = st.sampled_from(
    [
        "I",
        "my",
        "me",
        "like",
        "love",
        "hate",
        "don't",
        "not",
        "any",
        "more",
        "live",
        "in",
        "Berlin",
        "name",
        "is",
        "Anna",
        "allergic",
        "to",
        "peanuts",
        "actually",
        "no",
        ",",
        ".",
        "?",
        "!",
        "and",
        "but",
        "have",
        "a",
        "dog",
        "called",
        "Rex",
        "tomorrow",
        "at",
        "3pm",
        "next",
        "Wednesday",
        "on",
        "March",
        "3",
        "called",
        "sister",
        "friend",
        "says",
        "if",
        "maybe",
        "prefer",
        "over",
        "work",
        "as",
        "nurse",
        "every",
        "morning",
        "used",
        "to",
        "stopped",
        "it's",
        "“",
        "”",
        "(",
        ")",
        "[ADD]",
        "]",
        '"',
        "\n",
        "我",
        "喜欢",
        "不",
        "了",
        "叫",
        "小明",
        "住在",
        "上海",
        "对",
        "花生",
        "过敏",
        "其实",
        "不是",
        "是",
        "明天",
        "下午",
        "三点",
        "下周三",
        "有",
        "面试",
        "妹妹",
        "，",
        "。",
        "？",
        "、",
        "养",
        "一只",
        "猫",
        "如果",
        "开玩笑",
        "用户",
        "The",
        "user",
        "user's",
        "2026-13-45",
        "99:99",
        "31",
        "February",
    ]
)
SAID = st.one_of(
    st.text(max_size=200), st.lists(_WORDS, max_size=25).map(" ".join), st.lists(_WORDS, max_size=25).map("".join)
)


def _rows(texts: list[str], role: str = "user") -> list[dict[str, Any]]:
    return [
        {"id": f"m{i}", "text": t, "role": role, "at": AT, "kind": "fact", "level": "tag"}
        for i, t in enumerate(texts)
    ]


@settings(max_examples=300, deadline=None)
@given(SAID, st.lists(SAID, max_size=3), st.lists(SAID, max_size=3))
@example("LIKE [ADD]", [], [])
@example("我喜欢【新增】", [], [])
def test_every_role_answers_in_its_form(said: str, known: list[str], before: list[str]) -> None:
    """The roles themselves are called: the boundary that catches is not what is tested."""
    exchange = [{"role": "user", "text": said, "at": AT}, {"role": "assistant", "text": said, "at": AT}]
    found, unread = lines.read(
        monitor.answer(
            {"exchange": exchange, "context": _rows(before), "reference": _rows(known), "now": AT, "tz": TZ}
        )
    )
    assert not unread
    assert all(x.id in {r["id"] for r in _rows(known)} for x in found if x.id)
    messages = _rows([*before, said])
    assert (
        read_extraction(extract.answer({"messages": messages, "memories": _rows(known), "now": AT, "tz": TZ}))
        is not None
    )
    assert (
        read_summary(summarise.answer({"messages": messages, "previous": " ".join(known), "tz": TZ}), "") is not None
    )
    assert chat.answer(Talk(known, _rows(known), said).data(said)).strip()
    assert summarise.title({"messages": messages})
    upkeep.level({"items": _rows(known)})
    upkeep.merge({"texts": known})


@settings(max_examples=200, deadline=None)
@given(st.lists(_WORDS.filter(lambda w: w not in {".", "!", "。", "\n"}), min_size=1, max_size=15), st.booleans())
def test_questions_teach_nothing(words: list[str], zh: bool) -> None:
    """One sentence that begins as a question and ends with its mark adds no fact."""
    said = ("我是不是" + "".join(words) + "？") if zh else "Do I " + " ".join(words) + "?"
    assert not [
        x for x in monitored(said) if x.op in {"add", "update", "negate"} and "," not in said and "，" not in said
    ]


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["message", "history", "recalled", "profile", "now", "tz", "lang"]),
        st.none() | st.text(max_size=5) | st.integers() | st.lists(st.none() | st.text(max_size=3), max_size=2),
    )
)
def test_data_that_is_not_as_promised(data: dict[str, Any]) -> None:
    """A request with parts missing or of another type still gets an answer."""
    from bot.llm.companion.model import respond

    assert respond("chat", data)
    assert respond("monitor", data)


def test_long_messages_take_no_long_time() -> None:
    """Work grows with the length of a message, not with its square."""
    for said in (
        "I like " + "very " * 4000,
        "我喜欢" + "很好" * 8000,
        "I like x. " * 2000,
        "Do I like " + "x " * 4000 + "?",
    ):
        start = time.process_time()
        monitored(said)
        Talk().say(said)
        assert time.process_time() - start < 2.0, said[:20]
