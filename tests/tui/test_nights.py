"""What a window shows of a night: how far it is, and what it came to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest

from bot.events import Status
from bot.reports import describe_tokens
from bot.settings import Settings
from memory.models import DailyUsage, Lang, Usage
from tests.tui.driver import NOW, window
from tui.widgets.header import Header
from tui.widgets.panel import LearningNotice


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "looking after memories ▰▰▱▱▱"), ("zh", "整理记忆 ▰▰▱▱▱")]
)
def test_the_header_shows_how_far_it_is(lang: Lang, words: str) -> None:
    """A bar, in place of what else background work would say."""
    status = Status("m", "openai", "lexical", "s", "", 4, 12, 1, 0, False, False, 1, upkeep=0.4)
    assert words in Header()._right(lang, status, 100).plain
    assert words not in Header()._right(lang, replace(status, upkeep=None), 100).plain


def test_the_header_shows_tokens_when_asked() -> None:
    """Those of the cache apart, in place of the rest."""
    spent = (DailyUsage("2026-02-11", "chat", Usage(12_000, 300, 8_000)),)
    status = Status("m", "openai", "lexical", "s", "", 4, 12, 1, 0, False, False, 1, tokens=spent)
    for lang, words in (
        ("en", "2026-02-11: chat 4,000 sent, 8,000 from the cache, 300 written"),
        ("zh", "2026-02-11：聊天发送 4,000，缓存 8,000，写出 300"),
    ):
        assert describe_tokens(status.tokens, lang) == [words]


async def test_f4_shows_tokens_in_the_header(settings: Settings) -> None:
    """And shows the rest again."""
    async with window(replace(settings, provider="offline")) as w:
        assert "no tokens today" not in w.chat.header.render().plain
        await w.pilot.press("f4")
        assert "no tokens today" in w.chat.header.render().plain


async def test_a_night_is_told_in_one_sentence(settings: Settings) -> None:
    """However many memories it moved; none of them is announced by itself."""
    async with window(replace(settings, provider="offline")) as w:
        ebb = cast("Any", w.app.link.ebb)
        for text in ("I like soup", "I like figs", "I like maps"):
            long_ago = NOW - timedelta(days=4000)
            await ebb.memory.remember(ebb.owner, text, long_ago, tz="UTC", scope=ebb.scope)
        await ebb.memory.keeper.by_hand(ebb.owner, NOW)
        assert await ebb.agent.drain(20) == 0
        await w.sees("Overnight: 3 grew fainter.")
        assert not w.chat.conversation.query(LearningNotice)
