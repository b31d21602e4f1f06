"""Ollama: found by itself, spoken to in its own way, never with a prompt it would cut."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator

import pytest

from bot.llm.base import close_stream, read_whole_answer
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers import ollama
from bot.llm.providers.ollama import OllamaChat
from bot.pictures import Picture
from memory.errors import ModelError
from memory.ports import ModelRequest
from tests.pictures import PNG
from tests.servers.openai import OpenAIServer, Reply, fail, say

HI = ModelRequest("chat", [{"role": "user", "content": "Hi"}])


@pytest.fixture
async def model(openai_server: OpenAIServer) -> AsyncIterator[OllamaChat]:
    openai_server.ollama, openai_server.models = "0.12.0", ["nomic-embed-text", "qwen3:4b"]
    clients = ClientPool()
    yield OllamaChat(Endpoint(openai_server.root), clients)
    await clients.close()


async def test_it_talks_with_the_model_that_is_there(
    openai_server: OpenAIServer, model: OllamaChat
) -> None:
    """With no model named, the most fitting one answers, streaming, thinking hidden."""
    openai_server.queue.append(say("Hello, 世界!", thinking="hm", split=2))
    openai_server.queue.append(say("Yes.", thinking="hm", thinking_as="field"))
    chunks = [c async for c in model.stream(HI)]
    assert "".join(c.text for c in chunks) == "Hello, 世界!"
    assert chunks[-1].finish == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens > 0
    assert (await read_whole_answer(model, HI))[0] == "Yes."
    assert model.name == "qwen3:4b"


async def test_the_window_fits_the_prompt(openai_server: OpenAIServer, model: OllamaChat) -> None:
    """num_ctx is always sent, holds prompt and answer, grows in steps up to the setting, and never shrinks."""
    model.context_tokens, openai_server.default = 30_000, "Fine."
    for words in (10, 9_000, 10, 100_000):
        await read_whole_answer(
            model, ModelRequest("chat", [{"role": "user", "content": "word " * words}])
        )
    sizes = [r.body["options"]["num_ctx"] for r in openai_server.chats]
    assert sizes == [8192, 16384, 16384, 32048]


async def test_tasks_do_not_ponder(openai_server: OpenAIServer, model: OllamaChat) -> None:
    """Background work says so, with its limit and schema."""
    await read_whole_answer(
        model, ModelRequest("extract", HI.messages, max_tokens=9, schema={"type": "object"})
    )
    body = openai_server.chats[0].body
    assert (body["think"], body["options"]["num_predict"], body["format"]) == (
        False,
        9,
        {"type": "object"},
    )
    await read_whole_answer(model, HI)
    assert "think" not in openai_server.chats[1].body


async def test_a_refused_schema_is_left_out_from_then_on(
    openai_server: OpenAIServer, model: OllamaChat
) -> None:
    """Old versions take a word where the schema stands."""
    told = "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"
    openai_server.queue.append(Reply(status=400, error={"message": told}))
    openai_server.default = "Fine."
    for _ in range(2):
        assert (
            await read_whole_answer(
                model, ModelRequest("extract", HI.messages, schema={"type": "object"})
            )
        )[0] == "Fine."
    assert ["format" in r.body for r in openai_server.chats] == [True, False, False]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (fail("server"), "server"),
        (
            Reply(status=400, error={"message": "input exceeds the context length"}),
            "context_too_long",
        ),
        (fail("bad_request"), "bad_request"),
        (say("one two", fault="error", after=1), "server"),
        (say("one two", fault="truncate", after=1), "cut_off"),
        (say("one two", fault="drop", after=1), "cut_off"),
        (say("one two", fault="refuse"), "no_connection"),
        (say("one two", fault="malformed", after=1), "unreadable"),
    ],
)
async def test_failures(
    openai_server: OpenAIServer, model: OllamaChat, reply: Reply, code: str
) -> None:
    """As with any endpoint: a code, and what had come."""
    openai_server.default = reply
    with pytest.raises(ModelError) as e:
        await read_whole_answer(model, HI)
    assert (e.value.code, e.value.partial) == (code, "one" if reply.after else "")


async def test_missing_models(openai_server: OpenAIServer, model: OllamaChat) -> None:
    """A model that is not there is named; none at all is said."""
    model.model = "gone"
    with pytest.raises(ModelError) as e:
        await read_whole_answer(model, HI)
    assert (e.value.code, e.value.model) == ("unknown_model", "gone")
    model.model, openai_server.models = "", ["nomic-embed-text"]
    with pytest.raises(ModelError) as e:
        await read_whole_answer(model, HI)
    assert (e.value.code, e.value.model) == ("unknown_model", "")


async def test_closing_stops_it(openai_server: OpenAIServer, model: OllamaChat) -> None:
    """Ollama stops computing when nobody listens."""
    openai_server.default = say("slow " * 1000, delay=0.01)
    async with close_stream(model.stream(HI)) as chunks:
        await anext(chunks)
    request = openai_server.chats[0]
    await asyncio.wait_for(request.over.wait(), 2)
    assert request.outcome == "aborted"


async def test_looking_for_it_is_quick(openai_server: OpenAIServer) -> None:
    """Nobody there, somebody else there, somebody mute there: None, soon."""
    clients = ClientPool()
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        closed = Endpoint(f"http://127.0.0.1:{mute.getsockname()[1]}")
        assert await ollama.detect_ollama(closed, clients) is None
        mute.listen()
        began = time.monotonic()
        assert await ollama.detect_ollama(closed, clients, timeout=0.3) is None
        assert time.monotonic() - began < 4
    assert await ollama.detect_ollama(Endpoint(openai_server.root), clients) is None
    openai_server.ollama = "0.12.0"
    found = await ollama.detect_ollama(Endpoint(openai_server.root), clients)
    assert found is not None
    assert found == ("gpt-4o-mini",)
    await clients.close()


def test_the_most_sensible_model_comes_first() -> None:
    """Talk before code, the largest that fits before the largest; no embeddings, nothing in a cloud."""

    def row(name: str, gigabytes: float, family: str = "llama", **more: str) -> dict[str, object]:
        return {"name": name, "size": int(gigabytes * 1e9), "details": {"family": family}, **more}

    rows = [
        row("qwen2.5-coder:7b", 4.7),
        row("llama3.3:70b", 42),
        row("qwen3:1.7b", 1.4),
        row("qwen3:8b", 5.2),
        row("bge-m3:latest", 1.2),
        row("all-minilm", 0.05, "bert"),
        row("gpt-oss:120b-cloud", 0),
        row("kimi", 0, remote_host="https://example.org"),
    ]
    assert ollama.rank_models(rows) == [
        "qwen3:8b",
        "qwen3:1.7b",
        "llama3.3:70b",
        "qwen2.5-coder:7b",
    ]


@pytest.mark.parametrize(
    ("given", "url"),
    [
        (None, "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:9999", "http://127.0.0.1:9999"),
        ("http://box.lan", "http://box.lan:80"),
        ("https://box.lan/", "https://box.lan:443"),
        ("http://box.lan:1234", "http://box.lan:1234"),
        ("[::]:1", "http://[::1]:1"),
    ],
)
def test_addresses(given: str | None, url: str) -> None:
    """OLLAMA_HOST in all the forms Ollama takes."""
    assert ollama.locate_ollama(given).url == url


def test_an_openai_address_that_is_ollamas() -> None:
    """/v1 on Ollama's port of this machine is Ollama."""
    assert ollama.is_ollama(Endpoint.at("http://localhost:11434/v1"))
    assert not ollama.is_ollama(Endpoint.at("http://localhost:8080/v1"))
    assert not ollama.is_ollama(Endpoint.at("http://box.lan:11434/v1"))


async def test_pictures_go_beside_the_text(openai_server: OpenAIServer, model: OllamaChat) -> None:
    """As Ollama takes them; a model that does not see would ignore them, so it is asked first."""
    part = Picture("a.png", PNG).part
    seen = [{"role": "user", "content": [{"type": "text", "text": "Look"}, part]}]
    with pytest.raises(ModelError) as refused:
        await read_whole_answer(model, ModelRequest("chat", seen))
    assert (refused.value.code, openai_server.chats) == ("no_images", [])
    openai_server.capabilities.append("vision")
    model.clients.refused.clear()
    await read_whole_answer(model, ModelRequest("chat", seen))
    (message,) = openai_server.chats[0].messages
    assert (message["content"], openai_server.chats[0].images) == ("Look", [PNG])
