"""Around every model: tried again only while nothing was shown, counted always, held to a deadline."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator

import pytest

from bot.llm.base import ManagedModel, read_whole_answer
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers.openai import OpenAIChat
from memory.errors import ModelError
from memory.models import Usage
from memory.ports import ModelRequest
from tests.servers.openai import OpenAIServer, fail, say

HI = ModelRequest("chat", [{"role": "user", "content": "Hi there"}])


@pytest.fixture
async def inner(openai_server: OpenAIServer) -> AsyncIterator[OpenAIChat]:
    clients = ClientPool()
    yield OpenAIChat(Endpoint(openai_server.url, "k"), clients, "m")
    await clients.close()


def retrying(inner: OpenAIChat) -> ManagedModel:
    return ManagedModel(inner, base=0.01, random=random.Random(1))


async def test_what_passes_is_tried_again(openai_server: OpenAIServer, inner: OpenAIChat) -> None:
    """Trouble before the first word is never seen."""
    openai_server.queue.extend(
        [fail("server"), say("x", fault="refuse"), say("x", fault="truncate"), say("Hello")]
    )
    assert (await read_whole_answer(retrying(inner), HI))[0] == "Hello"
    assert len(openai_server.requests) == 4


async def test_after_the_first_word_nothing_is_tried_again(
    openai_server: OpenAIServer, inner: OpenAIChat
) -> None:
    """What was shown is not said twice."""
    openai_server.queue.extend([say("one two", fault="drop", after=1), say("Hello")])
    with pytest.raises(ModelError) as e:
        await read_whole_answer(retrying(inner), HI)
    assert (e.value.code, e.value.partial) == ("cut_off", "one")
    assert len(openai_server.requests) == 1


async def test_what_stays_is_not_tried_again(
    openai_server: OpenAIServer, inner: OpenAIChat
) -> None:
    """A bad key is not better the second time; and there is an end to trying."""
    openai_server.queue.append(fail("bad_key"))
    with pytest.raises(ModelError, match="bad_key"):
        await read_whole_answer(retrying(inner), HI)
    assert len(openai_server.requests) == 1
    openai_server.default = fail("server")
    with pytest.raises(ModelError, match="server"):
        await read_whole_answer(retrying(inner), HI)
    assert len(openai_server.requests) == 5


async def test_the_wait_asked_for_is_kept_up_to_a_bound(
    openai_server: OpenAIServer, inner: OpenAIChat
) -> None:
    """A short wait is waited for; a long one is told at once."""
    openai_server.queue.extend([fail("rate_limit", retry_after=0.3), say("Hello")])
    began = time.monotonic()
    await read_whole_answer(retrying(inner), HI)
    assert 0.3 <= time.monotonic() - began < 10
    openai_server.queue.append(fail("rate_limit", retry_after=60))
    began = time.monotonic()
    with pytest.raises(ModelError) as e:
        await read_whole_answer(retrying(inner), HI)
    assert e.value.retry_after == 60
    assert time.monotonic() - began < 30


async def test_pauses_grow_with_jitter(inner: OpenAIChat) -> None:
    """Twice as long each time, and never in step with others."""
    model = ManagedModel(inner, base=1.0)
    for attempt in (1, 2, 3):
        pauses = {model.compute_pause(attempt, ModelError("server")) for _ in range(50)}
        assert 2 ** (attempt - 1) / 2 <= min(pauses) < max(pauses) <= 2 ** (attempt - 1)
        assert len(pauses) > 40


async def test_every_call_is_counted(openai_server: OpenAIServer, inner: OpenAIChat) -> None:
    """By the server's figures, else by an estimate."""
    model = ManagedModel(inner, attempts=1)
    _, usage = await read_whole_answer(model, HI)
    assert usage != Usage()
    openai_server.queue.append(say("Hello there, friend", usage=False))
    _, guessed = await read_whole_answer(model, HI)
    assert guessed.completion_tokens >= 3


async def test_a_call_ends_at_its_deadline(openai_server: OpenAIServer, inner: OpenAIChat) -> None:
    """Also in the middle of an answer, with what had come."""
    openai_server.queue.append(say("one two three four " * 10, delay=0.15))
    began = time.monotonic()
    with pytest.raises(ModelError) as e:
        await read_whole_answer(retrying(inner), ModelRequest("chat", HI.messages, deadline=0.4))
    assert e.value.code == "timeout"
    assert e.value.partial.startswith("one")
    assert time.monotonic() - began < 4
    assert (
        await read_whole_answer(retrying(inner), ModelRequest("chat", HI.messages, deadline=5))
    )[0]


async def test_retries_share_one_deadline(openai_server: OpenAIServer, inner: OpenAIChat) -> None:
    """A second try has what the first one left."""
    openai_server.queue.extend([fail("server", first_delay=0.3), say("late", first_delay=5)])
    began = time.monotonic()
    with pytest.raises(ModelError):
        await read_whole_answer(retrying(inner), ModelRequest("chat", HI.messages, deadline=0.6))
    assert time.monotonic() - began < 4


async def test_thinking_that_eats_the_limit(openai_server: OpenAIServer, inner: OpenAIChat) -> None:
    """Nothing but thinking is no answer: the next try goes without the limit, and so do later ones."""
    openai_server.default = lambda r: (
        say("", thinking="hm", finish="length") if "max_tokens" in r.body else "Yes."
    )
    limited = ModelRequest("monitor", HI.messages, max_tokens=8)
    for _ in range(2):
        assert (await read_whole_answer(retrying(inner), limited))[0] == "Yes."
    assert ["max_tokens" in r.body for r in openai_server.requests] == [True, False, False]
