"""Endpoints with ways of their own: what they refuse, how they want the key, what their TLS is."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from bot.llm.base import read_whole_answer
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers.openai import OpenAIChat
from bot.reports import describe_error
from bot.settings import Settings
from memory.errors import ModelError
from memory.ports import ModelRequest
from tests.servers.openai import OpenAIServer, Reply, say

MESSAGES = (
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Well?"},
)
HI = ModelRequest("chat", MESSAGES)


@pytest.fixture
async def clients() -> AsyncIterator[ClientPool]:
    clients = ClientPool()
    yield clients
    await clients.close()


async def test_what_a_model_there_does_not_take(
    openai_server: OpenAIServer, clients: ClientPool
) -> None:
    """Whole answers instead of streams, no system role: learned once, also for the other role."""
    openai_server.rejects = {"stream", "system"}
    openai_server.default = say("<think>hm</think>Fine.")
    for _ in range(2):
        chat = OpenAIChat(Endpoint.at(openai_server.url), clients, "m")
        assert [c.text async for c in chat.stream(HI)] == ["Fine."]
    bodies = [r.body for r in openai_server.requests]
    assert [b["stream"] for b in bodies] == [True, True, False, False]
    assert bodies[-1]["messages"] == [
        {"role": "user", "content": "Be kind.\n\nHi"},
        *MESSAGES[2:],
    ]
    assert "stream_options" not in bodies[-1]


@pytest.mark.parametrize(
    ("status", "told", "code"),
    [
        (500, "Streaming unsupported!", ""),
        (400, "Your organization must be verified to stream this model.", ""),
        (500, "upstream broke while streaming", "server"),
        (400, "The response was filtered by our content management policy.", "withheld"),
    ],
)
async def test_how_streaming_is_refused(
    openai_server: OpenAIServer, clients: ClientPool, status: int, told: str, code: str
) -> None:
    """In many words; a fault of the server's, or an answer withheld, is none."""
    openai_server.queue.append(Reply(status=status, error={"message": told}))
    chat = OpenAIChat(Endpoint.at(openai_server.url), clients, "m")
    if code:
        with pytest.raises(ModelError, match=code):
            await read_whole_answer(chat, HI)
    else:
        await read_whole_answer(chat, HI)
    assert len(openai_server.requests) == (1 if code else 2)


@pytest.mark.parametrize(
    ("base", "path", "query", "header"),
    [
        ("/v1/chat/completions", "/v1", {}, "authorization"),
        ("/v1/?a=b", "/v1", {"a": "b"}, "authorization"),
        (
            "/openai/deployments/d?api-version=2024-10-21",
            "/openai/deployments/d",
            {"api-version": "2024-10-21"},
            "api-key",
        ),
    ],
)
async def test_addresses_as_they_are_copied(
    openai_server: OpenAIServer,
    clients: ClientPool,
    base: str,
    path: str,
    query: dict[str, str],
    header: str,
) -> None:
    """With the path of a chat, with a query, with a deployment in it."""
    where = Endpoint.at(openai_server.root + base, "sk-1")
    await read_whole_answer(OpenAIChat(where, clients, "m"), HI)
    (request,) = openai_server.requests
    assert (request.path, dict(request.query)) == (f"{path}/chat/completions", query)
    sent = {k: v for k, v in request.headers.items() if k in ("authorization", "api-key")}
    assert sent == {header: "sk-1" if header == "api-key" else "Bearer sk-1"}


def test_azure_is_known_by_its_host() -> None:
    """Its newer addresses name no version."""
    assert Endpoint.at("https://x.openai.azure.com/openai/v1/").key_header == "api-key"
    assert Endpoint.at("https://api.groq.com/openai/v1").key_header == "Authorization"


async def test_headers_and_key_stay_with_their_address(openai_server: OpenAIServer) -> None:
    """They go neither where the address redirects nor to the endpoint of another role."""
    async with OpenAIServer() as other:
        base = f"{openai_server.root}/v1?api-version=1"
        clients = ClientPool(Settings(openai_base_url=base, headers=(("X-Title", "Ebb"),)))
        moved = {"location": f"{other.root}/v1/chat/completions"}
        openai_server.queue.append(Reply(status=307, headers=moved))
        for where in (Endpoint.at(base, "sk-1"), Endpoint.at(other.url, "sk-2")):
            await read_whole_answer(OpenAIChat(where, clients, "m"), HI)
        await clients.close()
    assert openai_server.requests[0].headers["x-title"] == "Ebb"
    assert openai_server.requests[0].headers["api-key"] == "sk-1"
    redirected, own = other.requests
    assert not {"x-title", "api-key", "authorization"} & set(redirected.headers)
    assert (own.key, "x-title" in own.headers) == ("sk-2", False)


async def test_tls_is_named(tmp_path: Path, clients: ClientPool) -> None:
    """A certificate nobody vouches for, and no TLS where some was asked for."""
    server = OpenAIServer()
    server.tls = make_own_tls(tmp_path / "own.pem")
    async with server, OpenAIServer() as plain:
        said = []
        for port in (server.port, plain.port):
            with pytest.raises(ModelError) as e:
                where = Endpoint.at(f"https://127.0.0.1:{port}/v1", "k")
                await read_whole_answer(OpenAIChat(where, clients, "m"), HI)
            assert (e.value.code, e.value.retryable) == ("tls", False)
            said.append(describe_error(e.value, "en"))
    assert "certificate that this machine does not trust" in said[0]
    assert "No secure connection" in said[1]


def make_own_tls(path: Path) -> ssl.SSLContext:
    """What a server has that made its certificate itself."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(1))
    pem = made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    path.write_bytes(
        pem
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


async def test_an_unopened_block_of_thinking(
    openai_server: OpenAIServer, clients: ClientPool
) -> None:
    """The first such answer shows it while it streams; from the next one on it is held back."""
    openai_server.default = say("Let me see.\n</think>\n\nFine.")
    chat = OpenAIChat(Endpoint.at(openai_server.url), clients, "m")
    first, _ = await read_whole_answer(chat, HI)
    assert "</think>" in first
    assert (await read_whole_answer(chat, HI))[0] == "Fine."
