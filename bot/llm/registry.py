"""Who answers and who embeds: chosen from the settings, put together, and tried."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot.llm.base import ManagedModel, read_whole_answer
from bot.llm.embedders import NoEmbedder, embedders
from bot.llm.endpoint import ClientPool, warm
from bot.llm.providers import ProviderChoice, ollama, providers
from bot.reports import describe_error
from bot.settings import Settings
from memory.api import LexicalEmbedder, ThreadedEmbedder
from memory.errors import ModelError
from memory.models import Lang
from memory.ports import ChatModel, Embedder, ModelRequest

PROVIDERS = providers()
EMBEDDERS = embedders()
PATIENCE = 20.0  # seconds for the trial question
HELLO = ({"role": "user", "content": "Answer with the one word: ready"},)


@dataclass(frozen=True, slots=True)
class ModelRoles:
    """The three roles, ready to use."""

    choice: ProviderChoice
    chat: ChatModel
    memory: ChatModel
    embedder: Embedder
    clients: ClientPool

    async def close(self) -> None:
        """Close every connection."""
        await self.clients.close()
        if isinstance(self.embedder, ThreadedEmbedder):
            await self.embedder.close()

    def warm(self) -> None:
        """Import what the first request will need, in the background, after the first paint."""
        if PROVIDERS[self.choice.provider].uses_sdk or not self.embedder.local:
            warm()


# --- choosing ---


async def choose(settings: Settings, clients: ClientPool | None = None) -> ProviderChoice:
    """Decide who answers: the provider that is set, else the first that finds itself configured."""
    if clients is None:
        own = ClientPool(settings)
        try:
            return await choose(settings, own)
        finally:
            await own.close()
    asked = PROVIDERS.get(settings.provider)
    for provider in [asked] if asked is not None else PROVIDERS.values():
        choice = await provider.find(settings, clients, asked=provider is asked)
        if choice is None:
            continue
        chat, memory = (provider.locate(settings, choice, role) for role in ("chat", "memory"))
        if chat is None or memory is None:
            return choice
        return replace(choice, chat=chat[1], memory=memory[1], where=chat[0].host)
    raise LookupError(settings.provider)  # pragma: no cover - the notebook is always there


async def open_models(settings: Settings) -> ModelRoles:
    """Open everything that answers, for these settings.

    No request is made where a key or address is configured, except to learn the vector length of an
    embedding model nobody knows. Who waits for a reply is rather told to wait than left before an
    empty screen; background work has its queue: so they are tried again differently.
    """
    clients, because = ClientPool(settings), ""
    choice = await choose(settings, clients)
    try:
        embedder = await _open_embedder(settings, choice, clients)
    except NoEmbedder as e:
        embedder, because = LexicalEmbedder(), e.because
    chat, memory = PROVIDERS[choice.provider].build(settings, choice, clients, embedder)
    if not choice.offline:
        chat = ManagedModel(chat, attempts=4, patience=10.0)
        memory = ManagedModel(memory, attempts=2, patience=30.0)
    choice = replace(
        choice, chat=chat.name, memory=memory.name, embedding=embedder.id, lexical_because=because
    )
    return ModelRoles(choice, chat, memory, embedder, clients)


async def _open_embedder(
    settings: Settings, choice: ProviderChoice, clients: ClientPool
) -> Embedder:
    """Open the embedding model. Raises NoEmbedder where another than words was asked for."""
    asked = EMBEDDERS.get(settings.embedder)
    for source in [asked] if asked is not None else EMBEDDERS.values():
        embedder = await source.open(settings, choice, clients)
        if embedder is not None:
            return embedder
    return LexicalEmbedder()


def find_embedder(
    settings: Settings, choice: ProviderChoice, clients: ClientPool, name: str
) -> Embedder | None:
    """Return the embedder of an id that made earlier vectors, where it is still reached."""
    sources = reversed(EMBEDDERS.values())
    found = (source.find_earlier(settings, choice, clients, name) for source in sources)
    return next((e for e in found if e is not None), None)


# --- trying ---


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What came of a trial.

    `sentence` says what to do where it did not work; `models` is what the endpoint has.
    """

    ok: bool
    sentence: str = ""
    models: tuple[str, ...] = ()


async def probe_endpoint(settings: Settings, lang: Lang | None = None) -> ProbeResult:
    """Ask the configured chat model for one word, as a reply would."""
    models = await open_models(settings)
    choice, has = models.choice, tuple[str, ...]()
    request = ModelRequest(task="chat", messages=HELLO, max_tokens=16, deadline=PATIENCE)
    error = None
    try:
        if choice.offline:
            return ProbeResult(True)
        async with asyncio.timeout(PATIENCE + 5):
            has = await PROVIDERS[choice.provider].list_models(settings, choice, models.clients)
            await read_whole_answer(models.chat, request)
    except TimeoutError:
        error = ModelError("timeout", host=choice.where)
    except ModelError as e:
        # cut_off: it answers, but sixteen tokens were not enough for a thinking model.
        error = None if e.code == "cut_off" else e
    finally:
        await models.close()
    if error is None:
        return ProbeResult(True, "", has)
    said = describe_error(error, lang or settings.lang or "en", model=choice.chat)
    return ProbeResult(False, said, has)


async def find_ollama(settings: Settings) -> list[str] | None:
    """List the models of an Ollama on this machine that can chat, the likeliest first.

    None where there is no Ollama.
    """
    clients = ClientPool()
    try:
        where = ollama.locate_ollama(settings.ollama_host)
        found = await ollama.detect_ollama(where, clients)
        return None if found is None else list(found)
    finally:
        await clients.close()
