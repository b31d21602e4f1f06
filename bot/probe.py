"""Trying a choice of model before it is saved: the first-run screen and the doctor ask here."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot import llm
from bot.errors import sentence
from bot.llm import ollama
from bot.llm.openai_chat import OpenAIChat
from bot.settings import Settings
from memory.errors import ModelError
from memory.models import Lang
from memory.ports import ModelRequest

PATIENCE = 20.0  # seconds for the trial question
HELLO = ({"role": "user", "content": "Answer with the one word: ready"},)


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of a trial. `sentence` says what to do where it did not work; `models` is what the endpoint has."""

    ok: bool
    sentence: str
    models: tuple[str, ...] = ()


async def probe_endpoint(settings: Settings, lang: Lang | None = None) -> Probe:
    """Ask the configured chat model for one word, as a reply would."""
    models = await llm.open_models(settings)
    has: tuple[str, ...] = ()
    try:
        if models.choice.provider == "offline":
            return Probe(True, "")
        request = ModelRequest(task="chat", messages=HELLO, max_tokens=16, deadline=PATIENCE)
        async with asyncio.timeout(PATIENCE + 5):
            has = await _models(settings, models)
            await llm.complete(models.chat, request)
    except TimeoutError:
        return Probe(False, sentence(ModelError("timeout", host=models.choice.where), _lang(settings, lang)))
    except ModelError as e:
        if e.code == "cut_off":
            return Probe(True, "", has)  # it answers; sixteen tokens were not enough for a thinking model
        return Probe(False, sentence(e, _lang(settings, lang), model=models.choice.chat), has)
    else:
        return Probe(True, "", has)
    finally:
        await models.close()


async def _models(settings: Settings, models: llm.Models) -> tuple[str, ...]:
    """What the endpoint offers; empty where it does not say."""
    if models.choice.provider == "ollama":
        return tuple(models.choice.found.models) if models.choice.found else ()
    _, url, key = settings.endpoint("chat")
    try:
        return tuple(await OpenAIChat(llm.Endpoint.at(url, key), models.clients, models.choice.chat, True).models())
    except ModelError:
        return ()


async def find_ollama(settings: Settings) -> list[str]:
    """Models of an Ollama on this machine that can chat, the likeliest first; empty if there is none."""
    clients = llm.Clients()
    try:
        found = await ollama.detect(ollama.endpoint(settings.ollama_host), clients)
    finally:
        await clients.close()
    return list(found.models) if found else []


def _lang(settings: Settings, lang: Lang | None) -> Lang:
    return lang or settings.lang or "en"
