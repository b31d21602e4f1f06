"""Embeddings over the OpenAI protocol: OpenAI's, Ollama's `/v1`, or any other that speaks it."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np

from bot.llm.embedders import EmbedderSource, NoEmbedder
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers import ProviderChoice, providers
from bot.settings import Settings
from memory.api import estimate_tokens
from memory.errors import ModelError
from memory.ports import Embedder, FloatArray

DEFAULT_MODEL: Final = "text-embedding-3-small"
BATCH: Final = 128  # texts in one request
BATCH_TOKENS: Final = 100_000  # OpenAI takes 300,000 by its own count
TEXT_CHARS: Final = 24_000  # most models read 8,192 tokens; a memory is far shorter
RETRIES: Final = 2  # for contents; a query never waits

# Lengths of well-known models' vectors, so that a start needs no request. What a server really
# sends wins.
DIMS: Final[Mapping[str, int]] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "gemini-embedding-001": 3072,
    "mistral-embed": 1024,
    "text-embedding-v4": 1024,
    "bge-m3": 1024,
    "nomic-embed-text": 768,
    "mxbai-embed-large": 1024,
    "embeddinggemma": 768,
    "all-minilm": 384,
}
# What a model wants before a query and before a content; without it, its vectors are worse.
PREFIXES: Final[Mapping[str, tuple[str, str]]] = {
    "nomic-embed": ("search_query: ", "search_document: "),
    "e5-": ("query: ", "passage: "),
    "mxbai-embed": ("Represent this sentence for searching relevant passages: ", ""),
    "embeddinggemma": ("task: search result | query: ", "title: none | text: "),
    "qwen3-embedding": (
        "Instruct: Find what is remembered that bears on this message\nQuery: ",
        "",
    ),
}


@dataclass
class APIEmbedder:
    """An embedding model behind an endpoint. `dim` 0 is not known yet: `discover` asks."""

    endpoint: Endpoint
    clients: ClientPool
    model: str = DEFAULT_MODEL
    dim: int = 0
    provider: str = "openai"
    memo: Path | None = None  # where lengths are kept that the table does not know
    immediate = False  # a server on this machine may be slow as well
    _batch: int = BATCH

    def __post_init__(self) -> None:
        known = DIMS.get(self.model.removesuffix(":latest")) or 0
        self.dim = self.dim or self._read_memo().get(self._key, 0) or known

    @property
    def id(self) -> str:
        """`provider:model:dim`."""
        return f"{self.provider}:{self.model}:{self.dim}"

    @property
    def local(self) -> bool:
        """Tell whether texts stay on this machine."""
        return self.endpoint.loopback

    async def discover(self, timeout: float = 5.0) -> None:
        """Learn `dim` from one request, if it is not known. Raises ModelError."""
        if self.dim:
            return
        await self.clients.sdk(self.endpoint)  # importing it takes time: no fault of the endpoint
        try:
            async with asyncio.timeout(timeout):
                vectors = await self._request(["dimension"])
        except TimeoutError as e:
            raise self._error("timeout", "discovery") from e
        self.dim = vectors.shape[1]
        self._remember(self.dim)

    async def embed(self, texts: Sequence[str], kind: Literal["query", "content"]) -> FloatArray:
        """Return (n, dim) float32 of unit length. Raises ModelError.

        Content is tried again where that may help; a query never waits.
        """
        prefixes = (p for name, p in PREFIXES.items() if name in self.model.lower())
        prefix = next(prefixes, ("", ""))[kind == "content"]
        given = [prefix + (t.strip()[:TEXT_CHARS] or " ") for t in texts]
        if not given:
            return np.zeros((0, self.dim), np.float32)
        retries = 0 if kind == "query" else RETRIES
        out = np.concatenate([await self._embed_batch(b, retries) for b in self._batches(given)])
        if out.shape[1] != self.dim:
            self._remember(out.shape[1])  # for the next start: our id was made with another
            raise self._error("unreadable", f"vectors of {out.shape[1]} instead of {self.dim}")
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        unit: FloatArray = (out / np.where(norms > 0, norms, 1)).astype(np.float32)
        return unit

    def _batches(self, texts: list[str]) -> list[list[str]]:
        batches: list[list[str]] = [[]]
        room = BATCH_TOKENS
        for text in texts:
            cost = estimate_tokens(text)
            if batches[-1] and (len(batches[-1]) >= self._batch or cost > room):
                batches.append([])
                room = BATCH_TOKENS
            batches[-1].append(text)
            room -= cost
        return batches

    async def _embed_batch(self, texts: list[str], retries: int) -> FloatArray:
        """Embed one batch, in halves where the endpoint takes fewer texts at once."""
        try:
            return await self._retry(texts, retries)
        except ModelError as e:
            if e.code not in {"bad_request", "context_too_long"} or len(texts) == 1:
                raise
        half = (len(texts) + 1) // 2
        halves = [await self._embed_batch(some, retries) for some in (texts[:half], texts[half:])]
        self._batch = min(self._batch, half)
        return np.concatenate(halves)

    async def _retry(self, texts: list[str], retries: int) -> FloatArray:
        for attempt in range(retries):
            try:
                return await self._request(texts)
            except ModelError as e:
                if not e.retryable or (e.retry_after or 0) > 20:
                    raise
                pause = e.retry_after or 0.5 * (attempt + 1)
            await asyncio.sleep(pause + random.random() * 0.25)  # noqa: S311 - jitter
        return await self._request(texts)

    async def _request(self, texts: list[str]) -> FloatArray:
        client = await self.clients.sdk(self.endpoint)
        import openai

        from bot.llm.failures import translate

        try:
            answer = await client.embeddings.create(
                model=self.model,
                input=texts,
                encoding_format="float",  # not every endpoint knows base64
            )
            rows = sorted(answer.data, key=lambda row: row.index)
            vectors = np.asarray([row.embedding for row in rows], np.float32)
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, OSError) as e:
            secret = (self.endpoint.key or "", *self.clients.headers.values())
            raise translate(e, model=self.model, host=self.endpoint.host, secret=secret) from e
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise self._error("unreadable", f"{vectors.shape} for {len(texts)} texts")
        return vectors

    def _error(self, code: Literal["unreadable", "timeout"], detail: str) -> ModelError:
        return ModelError(code, detail=detail, model=self.model, host=self.endpoint.host)

    # --- lengths learnt from servers ---

    @property
    def _key(self) -> str:
        return f"{self.endpoint.url} {self.model}"

    def _read_memo(self) -> dict[str, int]:
        with suppress(OSError, ValueError, AttributeError, TypeError):
            if self.memo is not None:
                found = json.loads(self.memo.read_text(encoding="utf-8"))
                return {str(k): int(v) for k, v in found.items()}
        return {}

    def _remember(self, dim: int) -> None:
        if self.memo is not None:
            known = json.dumps(self._read_memo() | {self._key: dim}, indent=1)
            with suppress(OSError):
                self.memo.write_text(known, encoding="utf-8")


class Api(EmbedderSource):
    """Finds the configured endpoint.

    Who chose Ollama or no model at all does not mean a shared key to carry what they say to OpenAI:
    then only an embedding endpoint of its own counts.
    """

    name = "api"
    order = 1

    def make(self, settings: Settings) -> Embedder | None:
        """Return None: which endpoint it is depends on who answers."""
        return None

    async def open(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool
    ) -> Embedder | None:
        """Return the configured one; one that cannot be reached is replaced by no other model."""
        api = self._find(settings, choice, clients)
        if api is None:
            if self.asked(settings):
                raise NoEmbedder("no endpoint")
            return None
        try:
            await api.discover()
        except ModelError as e:
            raise NoEmbedder(e.code) from e
        return api

    def find_earlier(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder_id: str
    ) -> Embedder | None:
        """Return the one of that model, where its endpoint is still the configured one."""
        served, _, rest = embedder_id.partition(":")
        model, _, dim = rest.rpartition(":")
        settings = replace(settings, embedder=self.name, embedding_model=model)
        api = self._find(settings, choice, clients)
        if api is None or api.provider != served or not dim.isdigit():
            return None
        return replace(api, dim=int(dim))

    def _find(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool
    ) -> APIEmbedder | None:
        """Return the configured one, or None; no request is made."""
        asked, provider = self.asked(settings), providers()[choice.provider]
        model, url, key = settings.endpoint("embedding")
        memo = settings.home / "embedders.json"
        own = settings.embedding_base_url or settings.embedding_api_key
        if not provider.shares_key and not own:
            where = provider.embeds_at(settings, choice) if model else None
            if model and where is not None:
                return APIEmbedder(where, clients, model, provider=provider.name, memo=memo)
            if not asked:
                return None
        endpoint = Endpoint.at(url, key)
        if not model and (endpoint.is_openai or asked):
            model = DEFAULT_MODEL
        if not model or (endpoint.is_openai and not endpoint.key):
            return None
        served = next((p.name for p in providers().values() if p.serves(endpoint)), "api")
        return APIEmbedder(endpoint, clients, model, provider=served, memo=memo)


EMBEDDER = Api()
