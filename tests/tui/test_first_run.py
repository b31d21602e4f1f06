"""The first screen: promises, a choice, and no settings that do not work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot import settings as config
from bot.settings import Settings
from tests.servers.openai import OpenAIServer
from tests.tui.driver import Window, window
from tui.screens.chat import ChatScreen
from tui.setup import SetupChoice, SetupError, check
from tui.words import WindowLanguage


async def _first(w: Window) -> None:
    await w.sees("Hello, I'm Ebb", "Who shall answer?", "none is running")


def _stored(settings: Settings) -> Settings:
    return config.load({"EBB_HOME": str(settings.home)})


async def test_it_says_what_is_kept_and_offers_four_ways(settings: Settings) -> None:
    """Where the file is, how to see and delete, and who may answer."""
    async with window(settings, ready=False) as w:
        await _first(w)
        await w.sees(str(settings.database), "/memories", "/forget", "/temp", "no language model")


async def test_the_notebook_needs_nothing(settings: Settings) -> None:
    """Chosen, saved, and said plainly in the header."""
    async with window(settings, ready=False) as w:
        await _first(w)
        await w.pilot.press("enter")
        await w.until(lambda: isinstance(w.app.screen, ChatScreen), "the chat")
        await w.sees("the notebook: no language model", "Tell me something")
    assert _stored(settings).provider == "offline"
    assert settings.env_file.stat().st_mode & 0o777 == 0o600


async def test_a_model_of_ones_own_is_fetched(
    settings: Settings, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its size, stopped by Escape, tried, and chosen by a second Enter."""
    monkeypatch.setattr("bot.cli.model.measure_memory", lambda: 16.6)
    openai_server.ollama, openai_server.models = "0.12.0", []
    openai_server.default = (
        '[ADD kind=fact said=1:"sister Hannah"] Sister Hannah is a nurse in Lyon'
    )
    settings = replace(settings, ollama_host=openai_server.root)
    openai_server.pull_delay = 30
    async with window(settings, ready=False) as w:
        await w.sees("one can be fetched here")
        await w.pilot.press("3")
        await w.sees("fetch qwen3:8b: 5.2 GB to fetch, about 8 GB of memory")
        await w.pilot.press("down", "enter")
        await w.sees("qwen3:4b: 12%", "Esc stops")
        await w.pilot.press("escape")
        (pull,) = await openai_server.wait_for(1, lambda r: r.path == "/api/pull")
        await pull.over.wait()
        assert pull.outcome == "aborted"
        openai_server.pull_delay = 0
        await w.pilot.press("enter")
        await w.sees("fetch qwen3:8b")
        await w.pilot.press("down", "enter")
        await w.sees("follows Ebb's protocol:", "Enter begins with it")
        await w.pilot.press("enter")
        await w.until(lambda: isinstance(w.app.screen, ChatScreen), "the chat")
    stored = _stored(settings)
    assert (stored.provider, stored.chat_model) == ("ollama", "qwen3:4b")


async def test_an_endpoint_is_tried_before_it_is_saved(
    settings: Settings, openai_server: OpenAIServer
) -> None:
    """A wrong key is one sentence, and nothing is written; the right one begins the chat; it is never shown."""
    openai_server.key = "sk-right-0123456789"
    openai_server.models = ["sea-model"]
    openai_server.strict_models = True
    async with window(settings, ready=False) as w:
        await _first(w)
        await w.pilot.press("2")
        await w.sees("Address, e.g.")
        await w.write("nowhere")
        await w.pilot.press("enter")
        await w.write("sk-wrong")
        await w.pilot.press("enter", "enter")
        await w.sees("must begin with http")
        screen = w.app.screen
        screen._url.value = openai_server.url  # type: ignore[attr-defined]
        await w.pilot.press("enter")
        await w.until(
            lambda: "must begin" not in w.screen() and "Asking" not in w.screen(), "an answer"
        )
        assert not settings.env_file.exists()
        assert "sk-wrong" not in w.screen()
        screen._key.value = "sk-right-0123456789"  # type: ignore[attr-defined]
        await w.pilot.press("enter")
        await w.until(lambda: isinstance(w.app.screen, ChatScreen), "the chat")
        await w.sees("sea-model")
        assert "sk-right" not in w.screen()
    stored = _stored(settings)
    assert (stored.provider, stored.openai_base_url, stored.chat_model) == (
        "openai",
        openai_server.url,
        "sea-model",
    )
    assert stored.openai_api_key == "sk-right-0123456789"


async def test_a_key_goes_to_whom_it_was_typed_for(
    settings: Settings, openai_server: OpenAIServer
) -> None:
    """Typed for OpenAI or for another address, it is cleared, with a sentence, before anybody is asked."""
    async with window(settings, ready=False) as w:
        await _first(w)
        await w.pilot.press("1")
        await w.write("sk-for-openai")
        await w.pilot.press("escape", "2")
        screen = w.app.screen
        screen._url.value = openai_server.url  # type: ignore[attr-defined]
        screen._begin()  # type: ignore[attr-defined]
        await w.sees("typed for another address")
        assert screen._key.value == ""  # type: ignore[attr-defined]
        screen._key.value = "sk-for-here"  # type: ignore[attr-defined]
        await w.pilot.pause()
        screen._url.value = "http://127.0.0.1:9/v1"  # type: ignore[attr-defined]
        await w.pilot.pause()
        screen._begin()  # type: ignore[attr-defined]
        assert screen._key.value == ""  # type: ignore[attr-defined]
        screen._url.value = ""  # type: ignore[attr-defined]
        screen._key.value = "sk-before-the-address"  # type: ignore[attr-defined]
        await w.pilot.press("escape", "1")
        screen._begin()  # type: ignore[attr-defined]
        assert screen._key.value == ""  # type: ignore[attr-defined]
    assert not any(r.headers.get("Authorization") for r in openai_server.requests)
    assert not settings.env_file.exists()


async def test_a_model_that_is_not_there(settings: Settings, openai_server: OpenAIServer) -> None:
    """The sentence names what there is."""
    openai_server.models = ["sea-model"]
    openai_server.strict_models = True
    async with window(settings, ready=False) as w:
        await _first(w)
        await w.pilot.press("home", "down", "enter")
        await w.write(openai_server.url)
        await w.pilot.press("enter", "enter")
        await w.write("no-such")
        await w.pilot.press("enter")
        await w.sees("no model no-such", "sea-model")


async def test_nobody_there_is_one_sentence(settings: Settings) -> None:
    """An address where nothing listens."""
    async with window(settings, ready=False) as w:
        await _first(w)
        await w.pilot.press("2")
        await w.write("http://127.0.0.1:9/v1")
        await w.pilot.press("enter", "enter", "enter")
        await w.until(lambda: w.app.screen._said.display and "Asking" not in w.screen())  # type: ignore[attr-defined]
        assert "Traceback" not in w.screen()
        assert not settings.env_file.exists()


async def test_escape_leads_back_to_the_choice(settings: Settings) -> None:
    """From the form to the list of ways."""
    async with window(settings, ready=False) as w:
        await _first(w)
        await w.pilot.press("1")
        await w.sees("Key")
        await w.pilot.press("escape", "down", "enter")
        await w.sees("Address, e.g.")


async def test_in_chinese(settings: Settings) -> None:
    """The same page."""
    async with window(replace(settings, lang="zh"), ready=False, size=(60, 40)) as w:
        await w.sees("你好，我是 Ebb", "由谁来回答", "记事本", "没有语言模型")


@pytest.mark.parametrize(
    ("wish", "word"),
    [
        (SetupChoice("openai"), "Paste a key"),
        (SetupChoice("openai", key="sk-a b"), "spaces"),
        (SetupChoice("openai", key="sk-\u200bab"), "spaces"),
        (SetupChoice("openai", key="密钥"), "spaces"),
        (SetupChoice("endpoint", url="localhost:1234"), "http"),
        (SetupChoice("endpoint", url="http://"), "http"),
        (SetupChoice("endpoint", url="ftp://host/v1"), "http"),
    ],
)
def test_what_is_plainly_wrong_is_said_at_once(wish: SetupChoice, word: str) -> None:
    """One clear sentence, before anybody is asked."""
    with pytest.raises(SetupError, match=word):
        check(wish, WindowLanguage("en"))


def test_pasted_blanks_around_do_no_harm() -> None:
    """They are taken off, and so is a slash at the end of an address."""
    wish = check(
        SetupChoice("endpoint", key=" sk-1\n", url=" http://host/v1/ ", model=" m "),
        WindowLanguage("en"),
    )
    assert (wish.key, wish.url, wish.model) == ("sk-1", "http://host/v1", "m")
