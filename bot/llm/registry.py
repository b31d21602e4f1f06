"""Who answers and who embeds: chosen from the settings, put together, and tried."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot.llm.base import DeadlineModel, MeteredModel, RetryingModel, TokenMeter, read_whole_answer
from bot.llm.embedders import NoEmbedder, embedders
from bot.llm.embedders.api import APIEmbedder
from bot.llm.endpoint import ClientPool, warm
from bot.llm.providers import ProviderChoice, ollama, providers
from bot.reports import describe_error
from bot.settings import RoleName, Settings
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
    meter: TokenMeter
    clients: ClientPool

    async def close(self) -> None:
        """Close every connection."""
        await self.clients.close()
        if isinstance(self.embedder, ThreadedEmbedder):
            await self.embedder.close()

    def warm(self) -> None:
        """Import what the first request will need, in the background; call it after the first paint."""
        if PROVIDERS[self.choice.provider].uses_sdk or isinstance(self.embedder, APIEmbedder):
            warm()


# --- choosing ---


async def choose(settings: Settings, clients: ClientPool | None = None) -> ProviderChoice:
    """Decide who answers: the provider that is set, else the first that finds itself configured."""
    own = clients or ClientPool()
    asked = PROVIDERS.get(settings.provider)
    try:
        for provider in [asked] if asked is not None else PROVIDERS.values():
            choice = await provider.find(settings, own, asked=provider is asked)
            if choice is None:
                continue
            chat, memory = (provider.locate(settings, choice, role) for role in ("chat", "memory"))
            if chat is None or memory is None:
                return choice
            return replace(choice, chat=chat[1], memory=memory[1], where=chat[0].host)
    finally:
        if clients is None:
            await own.close()
    raise LookupError(settings.provider)  # pragma: no cover - the notebook is always there


async def open_models(settings: Settings) -> ModelRoles:
    """Open everything that answers, for these settings.

    No request is made where a key or address is configured, except to learn the vector length of an
    embedding model nobody knows.
    """
    clients, meter = ClientPool(), TokenMeter()
    choice = await choose(settings, clients)
    embedder, because = await _open_embedder(settings, choice, clients)
    chat, memory = PROVIDERS[choice.provider].build(settings, choice, clients, embedder)
    if not choice.offline:
        chat, memory = wrap_model(chat, "chat", meter), wrap_model(memory, "memory", meter)
    choice = replace(
        choice, chat=chat.name, memory=memory.name, embedding=embedder.id, lexical_because=because
    )
    return ModelRoles(choice, chat, memory, embedder, meter, clients)


async def _open_embedder(
    settings: Settings, choice: ProviderChoice, clients: ClientPool
) -> tuple[Embedder, str]:
    """Open the embedding model, and say why it is the lexical one where another was asked for."""
    asked = EMBEDDERS.get(settings.embedder)
    try:
        for source in [asked] if asked is not None else EMBEDDERS.values():
            embedder = await source.open(settings, choice, clients)
            if embedder is not None:
                return embedder, ""
    except NoEmbedder as e:
        return LexicalEmbedder(), e.because
    return LexicalEmbedder(), ""


def find_embedder(
    settings: Settings, choice: ProviderChoice, clients: ClientPool, name: str
) -> Embedder | None:
    """Return the embedder of that id, where these settings still reach it: for its earlier vectors."""
    found = (
        source.named(settings, choice, clients, name) for source in reversed(EMBEDDERS.values())
    )
    return next((e for e in found if e is not None), None)


def wrap_model(model: ChatModel, role: RoleName, meter: TokenMeter) -> ChatModel:
    """Wrap a model over a network: counted, held to its deadline, and tried again.

    Who waits for a reply is rather told to wait than left before an empty screen; background work
    has its queue.
    """
    attempts, patience = (4, 10.0) if role == "chat" else (2, 30.0)
    return RetryingModel(
        MeteredModel(DeadlineModel(model), role, meter), attempts=attempts, patience=patience
    )


# --- trying ---


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What came of a trial.

    `sentence` says what to do where it did not work; `models` is what the endpoint has.
    """

    ok: bool
    sentence: str
    models: tuple[str, ...] = ()


async def probe_endpoint(settings: Settings, lang: Lang | None = None) -> ProbeResult:
    """Ask the configured chat model for one word, as a reply would."""
    models = await open_models(settings)
    has: tuple[str, ...] = ()
    try:
        if models.choice.offline:
            return ProbeResult(True, "")
        request = ModelRequest(task="chat", messages=HELLO, max_tokens=16, deadline=PATIENCE)
        async with asyncio.timeout(PATIENCE + 5):
            has = await PROVIDERS[models.choice.provider].list_models(
                settings, models.choice, models.clients
            )
            await read_whole_answer(models.chat, request)
    except TimeoutError:
        return ProbeResult(
            False,
            describe_error(ModelError("timeout", host=models.choice.where), _lang(settings, lang)),
        )
    except ModelError as e:
        if e.code == "cut_off":
            return ProbeResult(
                True, "", has
            )  # it answers; sixteen tokens were not enough for a thinking model
        return ProbeResult(
            False, describe_error(e, _lang(settings, lang), model=models.choice.chat), has
        )
    else:
        return ProbeResult(True, "", has)
    finally:
        await models.close()


async def find_ollama(settings: Settings) -> list[str]:
    """List the models of an Ollama on this machine that can chat, the likeliest first."""
    clients = ClientPool()
    try:
        return list(
            await ollama.detect_ollama(ollama.endpoint(settings.ollama_host), clients) or ()
        )
    finally:
        await clients.close()


def _lang(settings: Settings, lang: Lang | None) -> Lang:
    return lang or settings.lang or "en"
