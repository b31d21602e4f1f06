"""The prompt's length: what does not fit, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.context import PromptMaterial, build, shorten_text
from bot.events import Done
from bot.sessions import find_compaction_point
from memory.models import CurveState, Hit, Kind, Lang, Layer, Level, Memory, Message, Role
from memory.text.clean import estimate_tokens
from tests.e2e.test_scripted_model import MONITOR, chats, scripted
from tests.servers.openai import OpenAIServer

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def material(text: str, tokens: int, lang: Lang = "en") -> PromptMaterial:
    return PromptMaterial(text=text, now=NOW, tz="Europe/Paris", lang=lang, context_tokens=tokens)


@pytest.mark.parametrize(
    "lang, piece, note",
    [
        ("en", "The harbour was quiet that day. ", "characters are left out here"),
        ("zh", "那天港口很安静。", "个字符"),
    ],
)
def test_a_message_that_is_too_long_is_sent_without_its_middle(
    lang: Lang, piece: str, note: str
) -> None:
    """Its beginning and end, a note between them, and all of it within the context."""
    text = f"START {piece * 4000} END"
    request = build(material(text, 4_000, lang))
    sent = request.messages[-1]["content"]
    assert "START" in sent
    assert sent.partition("<recalled>")[0].rstrip().endswith("END")
    assert note in sent
    assert sum(estimate_tokens(m["content"]) for m in request.messages) <= 4_000
    assert request.data["message"] == text  # a program that reads no prompt has the whole
    assert request.data["shortened"] is True


def test_a_message_that_fits_is_sent_as_it_is() -> None:
    """Whole, however little room there is for what came before."""
    text = "The harbour was quiet that day. " * 20
    request = build(material(text.strip(), 16_000))
    assert text.strip() in request.messages[-1]["content"]
    assert request.data["shortened"] is False


@given(st.text(max_size=400), st.integers(min_value=40, max_value=400))
def test_what_is_shortened_fits(text: str, most: int) -> None:
    """Whatever it holds; and what fits is untouched."""
    short = shorten_text(text * 5, most, "en")
    assert estimate_tokens(short) <= most
    if estimate_tokens(text * 5) <= most:
        assert short == text * 5


async def test_it_is_kept_whole_and_the_reply_says_so(
    tmp_path: Path, openai_server: OpenAIServer
) -> None:
    """The store has every word, the model has both ends, and the person is told."""
    openai_server.on(MONITOR, "[SKIP]")
    text = "START " + "All work and no play. " * 3_000 + "END"
    async with scripted(tmp_path, openai_server, context_tokens=4_000) as w:
        openai_server.on("large", lambda _: "Fine.", field="model")
        said = await w.say(text)
        assert isinstance(said.last, Done)
        assert "sent its beginning and its end" in said.text
        assert said.text.endswith("Fine.")
        kept = await w.working()
        assert kept[0].text == text
        [request] = chats(openai_server, "large")
        sent = request.messages[-1]["content"]
        assert "START" in sent
        assert "END" in sent
        assert "left out here" in sent
        again = await w.say("Hello?")
        assert "its beginning and its end" not in again.text


def message(text: str, at: datetime, role: Role = "user", tz: str = "Europe/Paris") -> Message:
    return Message("", "", None, None, role, text, at, tz)


def test_messages_carry_their_time_and_keep_it() -> None:
    """The hour; the date where it is another day, the zone with it; the same from turn to turn."""
    evening = datetime(2026, 5, 4, 18, 0, tzinfo=UTC)
    said = [
        message("My train leaves in two hours", evening),
        message("Then off you go.", evening, "assistant"),
        message("Not yet", evening + timedelta(minutes=50)),
        message("Good.", evening, "assistant"),
        message("Back again", evening + timedelta(days=1)),
        message("还没到", evening + timedelta(days=1, hours=1), tz="Asia/Shanghai"),
    ]

    def contents(n: int) -> list[str]:
        request = build(replace(material("how long?", 16_000), now=evening, history=said[:n]))
        return [m["content"] for m in request.messages[1:-1]]

    assert contents(4) == [
        "[2026-05-04 20:00 (Monday), Europe/Paris] My train leaves in two hours",
        "Then off you go.",
        "[20:50] Not yet",
        "Good.",
    ]
    assert contents(5)[:4] == contents(4)
    last = build(replace(material("how long?", 16_000, "zh"), history=said)).messages[-1]["content"]
    assert last.startswith(
        "[2026-05-05 20:00 星期二, Europe/Paris] Back again\n\n[2026-05-06 03:00 星期三, Asia/Sh"
    )


def test_what_fits_in_no_form_is_counted_in_a_line() -> None:
    """Hundreds of messages that nobody could summarise: the newest, and how many are missing."""
    said = [message(f"{i} " + "The harbour was quiet. " * 9, NOW) for i in range(300)]
    request = build(replace(material("and now?", 4_000), history=said))
    assert "messages before this one are too long to be shown" in request.messages[1]["content"]
    assert sum(estimate_tokens(m["content"]) for m in request.messages) <= 4_000


def test_history_is_summarised_by_count_and_by_length() -> None:
    """Exchanges stay whole, the newest stays, and one long message is no reason: it is shortened first."""

    def exchanges(n: int, text: str) -> list[Message]:
        return [replace(message(text, NOW), turn_id=str(i // 2), seq=i + 1) for i in range(2 * n)]

    assert find_compaction_point(exchanges(15, "hi"), 4_000) is None
    assert find_compaction_point(exchanges(16, "hi"), 4_000) == 22
    assert find_compaction_point(exchanges(2, "word " * 9_000), 4_000) is None
    assert find_compaction_point(exchanges(9, "word " * 400), 4_000) == 12
    assert find_compaction_point(exchanges(1, "word " * 400), 10) is None


@pytest.mark.parametrize(
    ("lang", "coming", "past"),
    [("en", "coming, on", "was planned for"), ("zh", "将要发生", "原定于")],
)
def test_a_memory_is_told_in_its_own_words_with_its_day(lang: Lang, coming: str, past: str) -> None:
    """The original, never beside its level's text; a plan says whether it is to come, and how near."""
    day = timedelta(days=20)
    state = CurveState(0.0, NOW)
    plain = Memory(
        "abc123",
        "u",
        "tag",
        "Moves to Tartu",
        lang,
        Layer.FACT,
        Kind.EVENT,
        NOW,
        NOW,
        "fade",
        state,
        1,
        NOW,
    )
    ahead = replace(plain, level=Level.TAG, on=NOW + day)
    sent = [
        str(
            build(replace(material("hello", 9_000, lang), hits=[Hit(m, 1.0)])).messages[-1][
                "content"
            ]
        )
        for m in (
            ahead,
            replace(plain, valid_from=NOW + day),
            replace(plain, on=NOW - day, created_at=NOW - 2 * day),
            replace(plain, on=NOW - day),  # told when it had happened
        )
    ]
    assert all("Moves to Tartu" in s and "· tag" not in s for s in sent)
    assert [coming in s for s in sent] == [True, True, False, False]
    assert [past in s for s in sent] == [False, False, True, False]
    assert {"en": "in 20 days", "zh": "20天后"}[lang] in sent[0]
