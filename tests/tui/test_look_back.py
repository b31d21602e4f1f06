"""The offer to look back, and what a mention does to the ink, in the terminal."""

from __future__ import annotations

from bot.bootstrap import open_ebb
from bot.settings import Settings
from memory.models import Filter
from tests.e2e.test_hints import STORIES, hold
from tests.servers.openai import OpenAIServer, say
from tests.tui.driver import window
from tui.widgets.entries import ChoiceList
from tui.widgets.panel import LearningNotice


async def test_a_key_looks_back(online: Settings, openai_server: OpenAIServer) -> None:
    """The offer stands under the reply; its key asks again, and the panel says how faint the memory is."""
    original, _, asked, *_ = STORIES["en"]
    openai_server.default = "Hm."
    async with open_ebb(online, workers=False) as ebb:
        await hold(ebb, "en")
    async with window(online, size=(120, 40)) as w:
        await w.send(asked)
        await w.until(lambda: isinstance(w.app.focused, ChoiceList), "the offer")
        await w.sees("1 Look back")
        assert "climbing" not in w.screen()
        await w.pilot.press("1")
        await w.sees("Wales every May", "vague", "looking back")
        assert original in openai_server.chats[-1].last or original in openai_server.chats[-2].last


async def test_what_comes_back_has_darker_ink_and_no_words(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """A boost brings a faded memory up: its line in the panel changes, and nothing is said."""
    openai_server.default = "Hm."
    async with open_ebb(online, workers=False) as ebb:
        await hold(ebb, "en")
        (m,) = (await ebb.memory.find(ebb.owner, Filter())).items
    openai_server.rules.clear()
    openai_server.on("listener", say(f"[BOOST:{m.id}]", delay=0.5), field="model")
    async with window(online, size=(120, 40)) as w:
        await w.write("Where does my brother Tom go climbing in May?")
        await w.pilot.press("enter")
        await w.sees("Wales every May", "vague")
        await w.until(lambda: "vague" not in w.screen(), "darker ink")
        assert "again" not in w.screen()
        assert not w.chat.query(LearningNotice)
