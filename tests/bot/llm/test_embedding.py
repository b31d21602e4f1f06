"""Embeddings over the OpenAI protocol: unit vectors in order, whatever the endpoint is like."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from bot.llm.embedders.api import APIEmbedder
from bot.llm.endpoint import ClientPool, Endpoint
from bot.settings import Settings
from memory.errors import ModelError
from memory.recall import QueryEmbedder
from tests.servers.openai import OpenAIServer, fail, say, vector_of


@pytest.fixture
async def clients() -> AsyncIterator[ClientPool]:
    clients = ClientPool()
    yield clients
    await clients.close()


@pytest.fixture
def embedder(openai_server: OpenAIServer, clients: ClientPool) -> APIEmbedder:
    return APIEmbedder(Endpoint(openai_server.url, "k"), clients, "m", dim=64)


async def test_vectors_are_of_unit_length_and_in_order(
    openai_server: OpenAIServer, embedder: APIEmbedder
) -> None:
    """Whatever length the endpoint's have, and however many texts there are."""
    openai_server.scale = 7.5
    texts = [f"memory {i} 记忆" for i in range(300)]
    out = await embedder.embed(texts, "content")
    assert (out.dtype, out.shape) == (np.dtype(np.float32), (300, 64))
    assert np.allclose(np.linalg.norm(out, axis=1), 1, atol=1e-5)
    for i in (0, 150, 299):
        assert np.allclose(out[i], vector_of(texts[i], 64), atol=1e-5)
    assert [len(r.body["input"]) for r in openai_server.embeddings] == [128, 128, 44]
    assert (await embedder.embed([], "content")).shape == (0, 64)


async def test_long_texts_make_small_batches(
    openai_server: OpenAIServer, embedder: APIEmbedder
) -> None:
    """A request stays within what an endpoint takes, and so does a text."""
    await embedder.embed(["字" * 40_000] * 6, "content")
    assert [len(r.body["input"]) for r in openai_server.embeddings] == [4, 2]
    assert len(openai_server.embeddings[0].body["input"][0]) == 24_000


async def test_a_length_nobody_knows_is_asked_for_once(
    openai_server: OpenAIServer, clients: ClientPool, tmp_path: Path
) -> None:
    """Discovered with one request, and remembered for the next start."""
    where, memo = Endpoint(openai_server.url), tmp_path / "embedders.json"
    first = APIEmbedder(where, clients, "odd:latest", provider="api", memo=memo)
    assert first.dim == 0
    await first.discover()
    assert first.id == "api:odd:latest:64"
    again = APIEmbedder(where, clients, "odd:latest", provider="api", memo=memo)
    await again.discover()
    assert again.dim == 64
    assert len(openai_server.embeddings) == 1
    assert APIEmbedder(where, clients).id == "openai:text-embedding-3-small:1536"


async def test_another_length_than_known_is_refused_and_learnt(
    openai_server: OpenAIServer, clients: ClientPool, tmp_path: Path
) -> None:
    """No vector of a wrong length gets into the index; the next start knows better."""
    where, memo = Endpoint(openai_server.url), tmp_path / "embedders.json"
    embedder = APIEmbedder(where, clients, memo=memo)
    with pytest.raises(ModelError, match="unreadable"):
        await embedder.embed(["x"], "query")
    assert APIEmbedder(where, clients, memo=memo).dim == 64


async def test_an_endpoint_that_takes_few_texts(
    openai_server: OpenAIServer, embedder: APIEmbedder
) -> None:
    """Batches are halved until they are taken, and stay so."""
    openai_server.on(
        lambda r: len(r.body["input"]) > 10, fail("bad_request"), endpoint="embeddings"
    )
    texts = [f"text {i}" for i in range(40)]
    out = await embedder.embed(texts, "content")
    assert np.allclose(out[37], vector_of(texts[37], 64), atol=1e-5)
    before = len(openai_server.embeddings)
    await embedder.embed(texts, "content")
    assert len(openai_server.embeddings) - before == 4


async def test_content_is_tried_again_and_a_query_is_not(
    openai_server: OpenAIServer, embedder: APIEmbedder
) -> None:
    """A query has a deadline to meet; content has time."""
    rule = openai_server.on("", [fail("server")], endpoint="embeddings", times=1)
    assert (await embedder.embed(["x"], "content")).shape == (1, 64)
    rule.used, before = 0, len(openai_server.embeddings)
    with pytest.raises(ModelError) as e:
        await embedder.embed(["x"], "query")
    assert (e.value.code, e.value.model) == ("server", "m")
    assert len(openai_server.embeddings) == before + 1


async def test_a_slow_endpoint_is_left_behind(
    openai_server: OpenAIServer, embedder: APIEmbedder
) -> None:
    """Past 200 ms the turn goes on without a vector; what comes later serves the next one, and is asked for once."""
    openai_server.on("", [say("", first_delay=1.5)], endpoint="embeddings", times=1)
    queries = QueryEmbedder(embedder, Settings().recall_deadline_ms)
    began = time.monotonic()
    assert await queries.embed("what is my cat called?") == (None, True)
    assert time.monotonic() - began < 1.4
    found, late = await QueryEmbedder(embedder, Settings().recall_deadline_ms).embed("and my dog?")
    assert found is not None
    assert not late
    while (await queries.embed("what is my cat called?"))[1]:
        assert time.monotonic() - began < 10
    kept, _ = await queries.embed("what is my cat called?")
    assert kept is not None
    assert np.allclose(kept.rows[0], vector_of("what is my cat called?", 64), atol=1e-5)
    assert sum("cat" in r.body["input"][0] for r in openai_server.embeddings) == 1
    await queries.close()


async def test_models_that_want_a_prefix_get_it(
    openai_server: OpenAIServer, clients: ClientPool
) -> None:
    """Queries and contents are told apart where the model was trained so."""
    embedder = APIEmbedder(Endpoint(openai_server.url), clients, "nomic-embed-text", dim=64)
    await embedder.embed(["tea"], "query")
    await embedder.embed(["tea"], "content")
    assert [r.body["input"] for r in openai_server.embeddings] == [
        ["search_query: tea"],
        ["search_document: tea"],
    ]


def test_local_is_this_machine(clients: ClientPool) -> None:
    """Only a loopback address keeps texts here."""
    assert APIEmbedder(Endpoint("http://127.0.0.1:1/v1"), clients).local
    assert not APIEmbedder(Endpoint("http://192.168.0.2/v1"), clients).local
