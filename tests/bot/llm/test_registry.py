"""Who answers, from the settings alone; and nobody hears what was not meant for them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.llm import PROVIDERS, ProviderChoice, choose, open_models
from bot.llm.base import read_whole_answer
from bot.settings import Settings
from memory.ports import ModelRequest
from tests.servers.openai import OpenAIServer, say

HI = ModelRequest("chat", [{"role": "user", "content": "Hi"}])
NOWHERE = "http://127.0.0.1:1"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, ollama_host=NOWHERE)


async def test_nothing_configured(settings: Settings) -> None:
    """The notebook, and the first-run screen is due."""
    choice = await choose(settings)
    assert (choice.provider, choice.why, choice.needs_setup, choice.where) == (
        "offline",
        "nothing",
        True,
        "",
    )
    chosen = await choose(replace(settings, provider="offline"))
    assert (chosen.why, chosen.needs_setup) == ("set", False)


async def test_a_key_or_an_address(settings: Settings, openai_server: OpenAIServer) -> None:
    """Either is enough, and Ollama is not even looked for."""
    openai_server.ollama = "0.12.0"
    found = replace(settings, ollama_host=openai_server.root)
    key = await choose(replace(found, openai_api_key="k"))
    assert (key.provider, key.why, key.chat, key.where) == (
        "openai",
        "key",
        "gpt-4o-mini",
        "api.openai.com",
    )
    url = await choose(
        replace(found, openai_base_url="http://127.0.0.1:9/v1", chat_model="c", memory_model="m")
    )
    assert (url.provider, url.why, url.chat, url.memory, url.where) == (
        "openai",
        "base_url",
        "c",
        "m",
        "127.0.0.1:9",
    )
    assert openai_server.requests == []
    assert (await choose(replace(found, provider="openai"))).needs_setup


async def test_an_ollama_on_this_machine(settings: Settings, openai_server: OpenAIServer) -> None:
    """Found where nothing is configured; one without a model to talk to does not count."""
    openai_server.ollama, openai_server.models = "0.12.0", ["qwen3:8b", "nomic-embed-text"]
    here = replace(settings, ollama_host=openai_server.root)
    choice = await choose(here)
    assert (choice.provider, choice.why, choice.chat, choice.memory) == (
        "ollama",
        "found",
        "qwen3:8b",
        "qwen3:8b",
    )
    openai_server.models = ["nomic-embed-text"]
    assert (await choose(here)).provider == "offline"
    assert (await choose(replace(here, provider="ollama"))).provider == "ollama"


async def test_roles_have_models_of_their_own(
    settings: Settings, openai_server: OpenAIServer
) -> None:
    """Chat and memory reach the endpoint under their own names; background work is retried less."""
    openai_server.on("small", say("[SKIP]"), field="model")
    mine = replace(
        settings, openai_base_url=openai_server.url, chat_model="big", memory_model="small"
    )
    models = await open_models(mine)
    try:
        assert (await read_whole_answer(models.chat, HI))[0] == "You said: Hi"
        assert (await read_whole_answer(models.memory, HI))[0] == "[SKIP]"
        assert models.choice.embedding.startswith("lexical:")
    finally:
        await models.close()
    assert [r.model for r in openai_server.chats] == ["big", "small"]


@pytest.mark.parametrize(
    ("more", "chat", "memory"),
    [
        (
            {"openai_api_key": "k"},
            ("api.openai.com", "k", "gpt-4o-mini"),
            ("api.openai.com", "k", "gpt-4o-mini"),
        ),
        (
            {"openai_api_key": "k", "chat_base_url": "http://a/v1", "chat_model": "x"},
            ("a", None, "x"),
            ("api.openai.com", "k", "gpt-4o-mini"),
        ),
        (
            {
                "chat_base_url": "http://a/v1",
                "chat_api_key": "ka",
                "chat_model": "x",
                "memory_model": "y",
            },
            ("a", "ka", "x"),
            ("a", "ka", "y"),
        ),
        (
            {
                "openai_api_key": "k",
                "openai_base_url": "http://a/v1",
                "memory_base_url": "http://b/v1",
            },
            ("a", "k", "gpt-4o-mini"),
            ("b", None, "gpt-4o-mini"),
        ),
    ],
)
async def test_keys_go_only_where_they_belong(
    settings: Settings,
    more: dict[str, str],
    chat: tuple[str, str | None, str],
    memory: tuple[str, str | None, str],
) -> None:
    """An address of a role's own never gets the shared key; a role without one follows the chat."""
    mine = replace(settings, **more)  # type: ignore[arg-type]
    choice = await choose(mine)
    for role, want in (("chat", chat), ("memory", memory)):
        located = PROVIDERS[choice.provider].locate(mine, choice, role)  # type: ignore[arg-type]
        assert located is not None
        endpoint, model = located
        assert (endpoint.host, endpoint.key, model) == want


async def test_embedders(settings: Settings, openai_server: OpenAIServer) -> None:
    """The API's where one is configured and known; else the lexical one, and why."""

    async def opened(**more: str | None) -> tuple[str, str]:
        models = await open_models(replace(settings, **more))  # type: ignore[arg-type]
        await models.close()
        return models.choice.embedding, models.choice.lexical_because

    async def chosen(**more: str | None) -> str:
        name, because = await opened(**more)
        assert because == ""
        return name

    assert await chosen(openai_api_key="k") == "openai:text-embedding-3-small:1536"
    assert (await chosen(openai_api_key="k", embedder="lexical")).startswith("lexical:")
    assert (await chosen(openai_api_key="k", provider="offline")).startswith("lexical:")
    assert (await chosen(openai_base_url=openai_server.url)).startswith("lexical:")
    assert await chosen(openai_base_url=openai_server.url, embedding_model="odd") == "api:odd:64"
    assert openai_server.embeddings[0].model == "odd"
    assert (
        await chosen(
            provider="offline", embedding_base_url=openai_server.url, embedding_model="odd"
        )
        == "api:odd:64"
    )
    openai_server.ollama, openai_server.models = "0.12.0", ["qwen3:8b"]
    here = {"ollama_host": openai_server.root, "embedding_model": "bge-m3"}
    assert await chosen(**here) == "ollama:bge-m3:1024"
    assert (
        await chosen(provider="ollama", openai_api_key="k", ollama_host=openai_server.root)
    ).startswith("lexical:")
    name, because = await opened(
        embedding_base_url=f"{NOWHERE}/v1", embedding_model="unknown", openai_api_key="k"
    )
    assert (name.startswith("lexical:"), because) == (True, "no_connection")
    assert (await opened(embedder="api"))[1] == "no endpoint"


async def test_an_openai_address_that_is_ollamas_is_spoken_to_as_such(settings: Settings) -> None:
    """/v1 of an Ollama would cut long prompts in silence."""
    choice = await choose(
        replace(settings, openai_base_url="http://localhost:11434/v1", chat_model="qwen3:8b")
    )
    assert (choice.provider, choice.why, choice.chat) == ("ollama", "base_url", "qwen3:8b")


@pytest.mark.parametrize("name", PROVIDERS)
async def test_every_provider_builds(settings: Settings, name: str) -> None:
    """Each line of the registry makes two models, without a request."""
    models = await open_models(replace(settings, provider=name, chat_model="m"))
    try:
        assert models.chat.name
        assert models.memory.name
        assert isinstance(models.choice, ProviderChoice)
    finally:
        await models.close()


def test_the_sdk_is_not_imported_before_it_is_used() -> None:
    """Opening and choosing leaves 0.7 s of import for later."""
    code = (
        "import asyncio, sys; from bot.llm import open_models; from bot.settings import Settings; from pathlib import Path\n"
        "async def go():\n"
        "    m = await open_models(Settings(home=Path('.'), openai_api_key='k')); await m.close()\n"
        "asyncio.run(go()); assert not {'openai', 'httpx2', 'httpx'} & set(sys.modules), sorted(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


async def test_an_unnamed_model_is_not_insisted_on(
    settings: Settings, openai_server: OpenAIServer
) -> None:
    """With an address alone, the endpoint's own model answers."""
    openai_server.strict_models, openai_server.models = True, ["local-model"]
    models = await open_models(replace(settings, openai_base_url=openai_server.url))
    try:
        await read_whole_answer(models.chat, HI)
        assert models.chat.name == "local-model"
    finally:
        await models.close()
