"""A model of one's own: fetched through Ollama, tried, and told in sentences. No Ollama was asked, but a server like it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from bot import settings as config
from bot.cli import model
from bot.llm.providers import FetchError
from bot.settings import Settings
from memory.models import Lang
from tests.servers.openai import OpenAIServer, Request, fail
from tests.servers.tasks import told

DISK = "write /models/blobs/sha256-3e4c-partial-0: no space left on device"
TEA = '[ADD kind=fact said=1:"having a cup of tea"] Having a cup of tea'
OLD = "The model you are attempting to pull requires a newer version of Ollama."


@pytest.fixture
def settings(tmp_path: Path, openai_server: OpenAIServer) -> Settings:
    """An Ollama with nothing in it but an embedding model."""
    openai_server.ollama, openai_server.models = "0.12.0", ["nomic-embed-text"]
    openai_server.default = learns
    return Settings(home=tmp_path, ollama_host=openai_server.root)


def learns(request: Request) -> str:
    """What a model that follows the protocol writes in the trial."""
    for words, line in {
        "Hannah": '[ADD kind=fact said=1:"sister Hannah"] Sister Hannah is a nurse in Lyon',
        "小雨": '[ADD kind=fact said=1:"我妹妹小雨是护士"] 妹妹小雨是护士，住在成都',
    }.items():
        if words in "".join(told(request)):
            return line
    return "[SKIP]"


async def fetch(settings: Settings, name: str = "qwen3:4b", lang: Lang = "en") -> list[str]:
    return [text async for text, _ in model.fetch_model(settings, name, lang)]


async def test_it_is_fetched_and_tried(settings: Settings, openai_server: OpenAIServer) -> None:
    """Size and memory, progress, and one line on the protocol; num_ctx is set as ever."""
    said = await fetch(settings)
    assert said[0].startswith("qwen3:4b: 2.5 GB to fetch, about 5 GB of memory to run")
    assert "qwen3:4b: 50% (1.25 of 2.50 GB)" in said
    assert said[-3].endswith("being checked…")
    assert said[-1].startswith("“qwen3:4b” follows Ebb's protocol:")
    bodies = [r.body for r in openai_server.chats]
    assert len(bodies) == 2
    assert all(b["options"]["num_ctx"] >= 8192 and b["think"] is False for b in bodies)
    assert "能按 Ebb 的协议工作" in (await fetch(settings, lang="zh"))[-1]


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("[SKIP]", "does not follow"),
        ("I will remember that!", "does not follow"),
        (lambda r: learns(r).replace("[SKIP]", TEA), "in part"),
        (lambda r: f"Sure!\n{learns(r)}", "in part"),
        (fail("server"), "could not be tried"),
    ],
)
async def test_what_a_model_is_worth(
    settings: Settings, openai_server: OpenAIServer, answer: Any, verdict: str
) -> None:
    """Said in one line, whatever it writes."""
    openai_server.default, openai_server.models = answer, ["qwen3:4b"]
    assert verdict in await model.try_model(settings, "qwen3:4b", "en")


@pytest.mark.parametrize(
    ("fault", "why"),
    [("drop", "broken"), (DISK, "disk"), (OLD, "old"), ("max retries exceeded: EOF", "broken")],
)
async def test_a_pull_goes_on_where_it_broke(
    settings: Settings, openai_server: OpenAIServer, fault: str, why: str
) -> None:
    """Each break has its sentence; the next try begins with what has come."""
    openai_server.pull_breaks = [fault]
    with pytest.raises(FetchError, match=f"^{why}$"):
        await fetch(settings)
    assert "qwen3:4b: 62%" in (await fetch(settings))[2]


async def test_nobody_to_ask_and_nothing_of_that_name(settings: Settings) -> None:
    """A sentence each."""
    with pytest.raises(FetchError, match="unknown"):
        await fetch(settings, "no-such")
    gone = Settings(home=settings.home, ollama_host="127.0.0.1:9")
    with pytest.raises(FetchError, match="none"):
        await fetch(gone)


async def test_it_can_be_stopped(settings: Settings, openai_server: OpenAIServer) -> None:
    """Ollama stops when nobody listens."""
    openai_server.pull_delay = 0.05
    async with aclosing(model.fetch_model(settings, "qwen3:4b", "en")) as steps:
        async for _ in steps:
            break
    (request,) = openai_server.requests
    await asyncio.wait_for(request.over.wait(), 5)
    assert request.outcome == "aborted"


def test_what_is_offered_fits_the_machine() -> None:
    """Three at most, the largest first; where none fits, the smallest."""
    names = {gb: list(model.list_offers(gb, "en")) for gb in (2.0, 8.0, 16.6, 64.0)}
    assert names[2.0] == names[8.0] == ["qwen3:1.7b"]
    assert names[16.6] == ["qwen3:8b", "qwen3:4b", "qwen3:1.7b"]
    assert names[64.0] == ["qwen3:30b", "qwen3:14b", "qwen3:8b"]


def test_the_command(
    settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a name it offers some; a failure is one sentence."""
    monkeypatch.setattr(model, "measure_memory", lambda: 16.6)
    assert model.run(settings, ["pull"], "en") == 0
    assert "  qwen3:1.7b: 1.4 GB" in capsys.readouterr().out

    async def fetched(*_: object) -> None:
        raise FetchError("disk")

    monkeypatch.setattr(model, "_fetch", fetched)
    assert model.run(settings, ["pull", "x"], "en") == 1
    assert "no room on the disk" in capsys.readouterr().err


async def test_used_from_now_on(settings: Settings) -> None:
    """`--use` writes what the first-run screen would."""
    assert await asyncio.to_thread(model.run, settings, ["pull", "qwen3:4b", "--use"], "en") == 0
    kept = config.load({"EBB_HOME": str(settings.home)})
    assert (kept.provider, kept.chat_model) == ("ollama", "qwen3:4b")
