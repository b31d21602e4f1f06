"""The button under a reply that says that something faint is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.models import Lang
from tests.bot.telegram.running import running
from tests.e2e.test_hints import STORIES, hold
from tests.servers.openai import OpenAIServer
from tests.servers.telegram import ADA, TelegramServer


@pytest.mark.parametrize(("lang", "label"), [("en", "Look back"), ("zh", "往回翻翻")])
async def test_the_button_looks_back(
    lang: Lang,
    label: str,
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
) -> None:
    """It answers the question anew, with the original in the prompt; the reply above it stays as it is."""
    original, tag, asked, *_ = STORIES[lang]
    async with running(tmp_path, telegram_server, openai_server, lang=lang) as bot:
        await bot.claim()
        await hold(bot.ebb, lang)
        said = await bot.ask(asked)
        text = said.text
        assert said.buttons == [label]
        sent = [r.last for r in openai_server.chats if r.model == "chat"]
        assert tag in sent[-1]
        assert original not in sent[-1]
        before = {m.id for m in telegram_server.bot_messages()}
        telegram_server.press(said.id, label)
        again = await bot.new(ADA.id, before)
        assert asked in again.text
        assert original in [r.last for r in openai_server.chats if r.model == "chat"][-1]
        assert (said.text, said.buttons) == (text, [])
