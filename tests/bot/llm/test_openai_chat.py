"""Chat over the OpenAI protocol: what arrives, what is sent, and what each failure becomes."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator

import pytest

from bot.llm.base import close_stream, read_whole_answer
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers.openai import OpenAIChat
from memory.errors import ModelError
from memory.ports import Chunk, ModelRequest
from tests.servers.openai import Fault, OpenAIServer, Reply, fail, say

HI = ModelRequest(
    "chat", [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
)


@pytest.fixture
async def clients() -> AsyncIterator[ClientPool]:
    clients = ClientPool()
    yield clients
    await clients.close()


@pytest.fixture
def model(openai_server: OpenAIServer, clients: ClientPool) -> OpenAIChat:
    return OpenAIChat(Endpoint(openai_server.url, "sk-test-0123456789"), clients, "m")


async def failure(model: OpenAIChat, request: ModelRequest = HI) -> ModelError:
    with pytest.raises(ModelError) as e:
        await read_whole_answer(model, request)
    return e.value


async def test_an_answer_streams_with_finish_and_usage(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """Text comes piece by piece; the last chunk alone has finish and usage."""
    openai_server.queue.append(say("Hello, 世界!\n\n`x`"))
    chunks = [c async for c in model.stream(HI)]
    assert "".join(c.text for c in chunks) == "Hello, 世界!\n\n`x`"
    assert len(chunks) > 4
    assert [c.finish for c in chunks if c.finish] == ["stop"]
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens > 0
    (request,) = openai_server.requests
    assert request.body["messages"] == list(HI.messages)
    assert request.key == "sk-test-0123456789"


async def test_thinking_is_hidden_in_either_form(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """As tags in the text, cut anywhere, or in a field of its own."""
    for reply in (
        say("Yes.", thinking="hm </b>", split=3),
        say("Yes.", thinking="hm", thinking_as="field"),
    ):
        openai_server.queue.append(reply)
        assert (await read_whole_answer(model, HI))[0] == "Yes."


@pytest.mark.parametrize(
    ("reply", "code", "retry_after"),
    [
        (fail("bad_key"), "bad_key", None),
        (fail("forbidden"), "bad_request", None),
        (fail("no_credit", retry_after=60), "no_credit", None),
        (fail("payment"), "no_credit", None),
        (fail("rate_limit", retry_after=7), "rate_limit", 7),
        (fail("rate_limit", headers={"retry-after-ms": "1500"}), "rate_limit", 1.5),
        (
            fail(
                "rate_limit",
                headers={
                    "date": "Wed, 21 Oct 2026 07:28:00 GMT",
                    "retry-after": "Wed, 21 Oct 2026 07:29:00 GMT",
                },
            ),
            "rate_limit",
            60,
        ),
        (Reply(status=429, error={"message": "Please try again in 1m2.5s."}), "rate_limit", 62.5),
        (fail("unknown_model"), "unknown_model", None),
        (Reply(status=400, error={"message": "Model Not Exist"}), "unknown_model", None),
        (Reply(status=404, body="<html>Not Found</html>"), "bad_request", None),
        (fail("context"), "context_too_long", None),
        (
            Reply(status=400, error={"message": "prompt is too long: 9 tokens > 8 maximum"}),
            "context_too_long",
            None,
        ),
        (Reply(status=413, body="too large"), "context_too_long", None),
        (Reply(status=400, error={"message": "API key not valid."}), "bad_key", None),
        (fail("bad_request"), "bad_request", None),
        (fail("server"), "server", None),
        (fail("overloaded", retry_after=2), "server", 2),
        (Reply(status=502, body="<html>Bad gateway</html>"), "server", None),
        (Reply(body="<html>Welcome!</html>"), "unreadable", None),
    ],
)
async def test_refusals(
    openai_server: OpenAIServer,
    model: OpenAIChat,
    reply: Reply,
    code: str,
    retry_after: float | None,
) -> None:
    """Each refusal has its code, the wait where one was named, and says who refused."""
    openai_server.default = reply
    e = await failure(model)
    assert (e.code, e.retry_after, e.partial) == (code, retry_after, "")
    assert e.model == "m"
    assert e.host == f"127.0.0.1:{openai_server.port}"


@pytest.mark.parametrize(
    ("fault", "after", "code"),
    [
        ("truncate", 2, "cut_off"),
        ("truncate", 0, "cut_off"),
        ("malformed", 2, "unreadable"),
        ("drop", 2, "cut_off"),
        ("drop", 0, "no_connection"),
        ("refuse", 0, "no_connection"),
        ("error", 2, "server"),
    ],
)
async def test_faults_keep_what_had_come(
    openai_server: OpenAIServer, model: OpenAIChat, fault: Fault, after: int, code: str
) -> None:
    """However a stream breaks, what was streamed is in the error, and it is worth a retry."""
    openai_server.default = say("one two three", fault=fault, after=after)
    e = await failure(model)
    assert (e.code, e.partial) == (code, " ".join(["one", "two"][:after]))
    assert e.retryable


async def test_errors_within_a_stream_have_their_code(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """A gateway that fails after it has begun says so inside the stream."""
    for message, code in {
        "Rate limit exceeded, retry in 3s": "rate_limit",
        "insufficient credits": "no_credit",
        "maximum context length": "context_too_long",
    }.items():
        openai_server.queue.append(say("a b", fault="error", after=1, error={"message": message}))
        assert (await failure(model)).code == code


async def test_no_server_at_all(clients: ClientPool) -> None:
    """Nobody listening is no connection, quickly."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    began = time.monotonic()
    e = await failure(OpenAIChat(Endpoint(f"http://127.0.0.1:{port}/v1", "k"), clients, "m"))
    assert (e.code, e.host) == ("no_connection", f"127.0.0.1:{port}")
    assert time.monotonic() - began < 3


async def test_a_silent_server_times_out(openai_server: OpenAIServer, clients: ClientPool) -> None:
    """The wait between two chunks is bounded."""
    endpoint = Endpoint(openai_server.url, "k")
    client = await clients.sdk(endpoint)
    client._client.timeout = 0.2
    client.timeout = 0.2
    openai_server.default = say("one two three", fault="stall", after=1)
    e = await failure(OpenAIChat(endpoint, clients, "m"))
    assert (e.code, e.partial) == ("timeout", "one")


async def test_an_endpoint_that_does_not_stream(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """A whole answer where a stream was asked for is an answer."""
    choice = '{"message":{"content":"<think>x</think>Hi"},"finish_reason":"stop"}'
    openai_server.default = Reply(body=f'{{"choices":[{choice}],"usage":{{"prompt_tokens":3}}}}')
    text, usage = await read_whole_answer(model, HI)
    assert (text, usage.prompt_tokens) == ("Hi", 3)


async def test_closing_the_stream_closes_the_connection(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """Whoever stops reading is heard at the other end at once."""
    openai_server.default = say("slow " * 1000, delay=0.01)
    async with close_stream(model.stream(HI)) as chunks:
        await anext(chunks)
        await anext(chunks)
    await asyncio.wait_for(openai_server.requests[0].over.wait(), 2)
    assert openai_server.requests[0].outcome == "aborted"


@pytest.mark.parametrize("first_delay", [0.0, 30.0])
async def test_cancelling_closes_the_connection(
    openai_server: OpenAIServer, model: OpenAIChat, first_delay: float
) -> None:
    """Also while nothing has come yet."""
    openai_server.default = say("slow " * 1000, delay=0.01, first_delay=first_delay)
    task = asyncio.create_task(read_whole_answer(model, HI))
    (request,) = await openai_server.wait_for(1)
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(request.over.wait(), 2)
    assert request.outcome == "aborted"


async def test_what_is_refused_is_left_out_from_then_on(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """One refusal each, remembered; the limit goes by its other name."""
    openai_server.rejects = {"stream_options", "max_tokens", "response_format"}
    request = ModelRequest("extract", HI.messages, max_tokens=50, schema={"type": "object"})
    for _ in range(2):
        assert (await read_whole_answer(model, request))[0] == "You said: Hi"
    assert len(openai_server.requests) == 5
    last = openai_server.requests[-1].body
    assert last["max_completion_tokens"] == 50
    assert not {"stream_options", "max_tokens", "response_format"} & set(last)


async def test_a_schema_refused_in_other_words_is_left_out(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """Not every endpoint names the parameter."""
    openai_server.queue.append(
        Reply(status=400, error={"message": "json_schema is not supported by this model"})
    )
    request = ModelRequest("extract", HI.messages, schema={"type": "object"})
    assert (await read_whole_answer(model, request))[0] == "You said: Hi"
    assert ["response_format" in r.body for r in openai_server.requests] == [True, False]


async def test_limits_and_schemas_are_sent(openai_server: OpenAIServer, model: OpenAIChat) -> None:
    """What a task asks for reaches the endpoint."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    await read_whole_answer(
        model, ModelRequest("extract", HI.messages, max_tokens=50, schema=schema)
    )
    body = openai_server.requests[0].body
    assert body["max_tokens"] == 50
    assert body["response_format"]["json_schema"]["schema"] == schema


async def test_a_model_nobody_chose_gives_way(
    openai_server: OpenAIServer, clients: ClientPool
) -> None:
    """Where the default is unknown the endpoint's own model is taken; a chosen one is never replaced."""
    openai_server.strict_models, openai_server.models = True, ["nomic-embed-text", "qwen3"]
    unchosen = OpenAIChat(Endpoint(openai_server.url), clients, chosen=False)
    await read_whole_answer(unchosen, HI)
    await read_whole_answer(unchosen, HI)
    assert unchosen.name == "qwen3"
    assert [r.path for r in openai_server.requests].count("/v1/models") == 1
    assert (
        await failure(OpenAIChat(Endpoint(openai_server.url), clients, "gone"))
    ).code == "unknown_model"


async def test_nothing_of_the_environment_is_sent(
    openai_server: OpenAIServer, clients: ClientPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither keys, organisations, headers nor a proxy of the environment reach an endpoint that is not OpenAI's."""
    for name in ("ORG_ID", "PROJECT_ID", "ADMIN_KEY", "API_KEY", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "leak")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Leak: leak\nAuthorization: Bearer leak")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    for key in ("k", None):
        await read_whole_answer(OpenAIChat(Endpoint(openai_server.url, key), clients, "m"), HI)
    with_key, without = openai_server.requests
    assert with_key.key == "k"
    assert "authorization" not in without.headers
    for request in openai_server.requests:
        assert "leak" not in str(request.headers)
        assert not {"openai-organization", "openai-project"} & set(request.headers)


async def test_no_key_for_openai_is_said_before_anything_is_sent(clients: ClientPool) -> None:
    """Without a key OpenAI is not even asked."""
    e = await failure(OpenAIChat(Endpoint(), clients))
    assert (e.code, e.detail, e.host) == ("bad_key", "no key", "api.openai.com")


async def test_keys_stay_out_of_errors(openai_server: OpenAIServer, model: OpenAIChat) -> None:
    """Even where the server repeats the key."""
    key = "sk-test-0123456789"
    openai_server.default = Reply(
        status=401, error={"message": f"Incorrect API key: {key}, sk-other-abcdefgh"}
    )
    e = await failure(model)
    assert key not in str(e)
    assert "sk-other" not in str(e)


async def test_one_client_for_many_requests(
    openai_server: OpenAIServer, clients: ClientPool
) -> None:
    """Requests share a client per endpoint, also when they begin together."""
    a, b = (OpenAIChat(Endpoint(openai_server.url, "k"), clients, m) for m in "ab")
    texts = await asyncio.gather(*(read_whole_answer(m, HI) for m in (a, b) * 5))
    assert len(texts) == 10
    assert await clients.sdk(a.endpoint) is await clients.sdk(b.endpoint)


def test_addresses() -> None:
    """An address as people write it becomes one that works."""
    assert Endpoint.at("localhost:8080/v1/").url == "http://localhost:8080/v1"
    assert Endpoint.at("llm.example.org/v1").url == "https://llm.example.org/v1"
    assert Endpoint.at(None).is_openai
    assert Endpoint.at("http://127.9.9.9/v1").loopback
    assert Endpoint.at("http://[::1]:1234").loopback
    assert not Endpoint.at("http://10.0.0.5:11434").loopback
    assert Endpoint.at("https://user:pass@example.org:1/v1").host == "example.org:1"


async def test_chunks_can_be_read_from_different_tasks(
    openai_server: OpenAIServer, model: OpenAIChat
) -> None:
    """A stream may be driven by one task per step, as the loop does."""
    openai_server.default = say("a b c")
    stream = model.stream(HI)
    texts = []
    while (chunk := await asyncio.ensure_future(anext(stream, None))) is not None:
        assert isinstance(chunk, Chunk)
        texts.append(chunk.text)
    assert "".join(texts) == "a b c"
