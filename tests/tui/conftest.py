"""Settings for windows: nobody answers yet, or a scripted model does."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual._wait import wait_for_idle

from bot.settings import Settings
from tests.servers.openai import OpenAIServer


@pytest.fixture(autouse=True)
def _quick_fingers(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a key the pilot waits for an idle processor, up to a second twice over while a reply streams in."""
    for module in ("app", "pilot"):
        monkeypatch.setattr(
            f"textual.{module}.wait_for_idle", partial(wait_for_idle, max_sleep=0.1)
        )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Nobody is named to answer yet."""
    return Settings(home=tmp_path / "home", lang="en", tz="Europe/Lisbon")


@pytest.fixture
def online(settings: Settings, openai_server: OpenAIServer) -> Settings:
    """A scripted model answers, and another learns."""
    openai_server.on("listener", "[SKIP]", field="model")
    return replace(
        settings,
        provider="openai",
        openai_api_key="sk-test",
        openai_base_url=openai_server.url,
        chat_model="talker",
        memory_model="listener",
        embedder="lexical",
    )
