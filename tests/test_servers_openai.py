"""The model server is what the suite believes the world to be, so the SDK itself must believe it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import numpy as np
import openai
import pytest

from tests.conftest import NetworkForbidden
from tests.servers.openai import OpenAIServer, count_tokens, fail, say, vector_of


@pytest.fixture
async def client(openai_server: OpenAIServer) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key="k", base_url=openai_server.url, max_retries=0) as client:
        yield client


async def ask(client: openai.AsyncOpenAI, text: str, model: str = "m") -> str:
    stream = await client.chat.completions.create(
        model=model,
        messages=[{"role": "user", "content": text}],
        stream=True,
        stream_options={"include_usage": True},
    )
    said = ""
    async for chunk in stream:
        if chunk.choices:
            said += chunk.choices[0].delta.content or ""
    return said


async def test_stream_and_whole_say_the_same(
    openai_server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    """With and without stream the text, the finish and the usage agree."""
    text = "Hello, Ada — 你好，世界! 🌊\n\n```py\nx = 1\n```\n"
    openai_server.default = text
    stream = await client.chat.completions.create(
        model="m",
        messages=[{"role": "user", "content": "hi"}],
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = [c async for c in stream]
    whole = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": "hi"}]
    )
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == text
    assert whole.choices[0].message.content == text
    assert chunks[-1].usage == whole.usage
    assert whole.usage is not None
    assert whole.usage.completion_tokens == count_tokens(text)


async def test_rules_tell_tasks_apart(
    openai_server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    """The newest matching rule answers, then the queue, then the default; used-up rules step aside."""
    openai_server.on("monitor", ["[ADD] one", "[SKIP]"], field="model")
    openai_server.on(r"\bsecret\b", "once", times=1)
    openai_server.queue.append("queued")
    openai_server.default = lambda r: r.last.upper()
    assert await ask(client, "a secret", "monitor") == "once"
    assert [await ask(client, "a secret", "monitor") for _ in range(3)] == [
        "[ADD] one",
        "[SKIP]",
        "[SKIP]",
    ]
    assert [await ask(client, "hi"), await ask(client, "hi")] == ["queued", "HI"]
    assert [r.model for r in openai_server.chats] == ["monitor"] * 4 + ["m"] * 2
    assert openai_server.chats[0].key == "k"


async def test_refusals_are_the_sdks(
    openai_server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    """Each refusal raises the SDK's own error with its code, and headers reach it."""
    for name, kind in {
        "bad_key": openai.AuthenticationError,
        "no_credit": openai.RateLimitError,
        "rate_limit": openai.RateLimitError,
        "unknown_model": openai.NotFoundError,
        "context": openai.BadRequestError,
        "server": openai.InternalServerError,
    }.items():
        openai_server.queue.append(fail(name, retry_after=3))
        with pytest.raises(kind) as e:
            await ask(client, "hi")
        assert isinstance(e.value, openai.APIStatusError)
        assert e.value.response.headers["retry-after"] == "3"


async def test_faults_are_as_the_sdk_shows_them(
    openai_server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    """A truncated stream raises nothing, a malformed chunk a bare JSON error, a dropped one no connection."""
    openai_server.queue.append(say("one two three", fault="truncate", after=2))
    assert await ask(client, "hi") == "one two"
    openai_server.queue.append(say("one two three", fault="malformed", after=2))
    with pytest.raises(json.JSONDecodeError):
        await ask(client, "hi")
    for fault in ("drop", "refuse"):
        openai_server.queue.append(say("one two three", fault=fault, after=2))
        with pytest.raises(openai.APIConnectionError):
            await ask(client, "hi")


async def test_a_client_that_leaves_is_seen(
    openai_server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    """Cancelling closes the connection, and the request says so."""
    openai_server.default = say("slow " * 1000, delay=0.01)
    task = asyncio.create_task(ask(client, "hi"))
    (request,) = await openai_server.wait_for(1)
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait_for(request.over.wait(), 2)
    assert request.outcome == "aborted"


async def test_embeddings_in_both_encodings(
    openai_server: OpenAIServer, client: openai.AsyncOpenAI
) -> None:
    """Base64 and floats carry the same vectors, which depend on the text alone."""
    texts = ["I like tea", "I like green tea", "我喜欢茶"]
    packed = await client.embeddings.create(model="e", input=texts)
    floats = await client.embeddings.create(model="e", input=texts, encoding_format="float")
    assert openai_server.embeddings[0].body["encoding_format"] == "base64"
    for a, b, text in zip(packed.data, floats.data, texts, strict=True):
        assert np.allclose(a.embedding, b.embedding)
        assert np.allclose(a.embedding, vector_of(text, openai_server.dim))
    near = vector_of(texts[0], 64) @ vector_of(texts[1], 64)
    assert near > vector_of(texts[0], 64) @ vector_of(texts[2], 64) + 0.3


async def test_script_files(openai_server: OpenAIServer, client: openai.AsyncOpenAI) -> None:
    """What a file can say is what a test can say."""
    openai_server.load(
        {
            "default": "Hm.",
            "queue": [{"text": "a b c", "fault": "truncate", "after": 1}],
            "rules": [{"match": "hi", "field": "last", "reply": ["one", {"fail": "server"}]}],
            "rejects": ["seed"],
        }
    )
    assert [await ask(client, t) for t in ("hi", "x", "x")] == ["one", "a", "Hm."]
    with pytest.raises(openai.InternalServerError):
        await ask(client, "hi")


def test_the_world_is_out_of_reach() -> None:
    """No test can talk to anything but loopback."""
    with pytest.raises(NetworkForbidden), socket.socket() as s:
        s.connect(("192.0.2.1", 443))
    with pytest.raises(NetworkForbidden):
        socket.getaddrinfo("example.org", 443)
