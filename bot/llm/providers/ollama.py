"""Ollama: found by itself, and talked to by its own protocol.

Its OpenAI-compatible `/v1` takes no context length and cuts a longer prompt silently at the
server's default (4,096 tokens on most machines), so chat goes by `/api/chat` with `num_ctx`. A
different `num_ctx` makes Ollama load the model anew; so it grows in steps and never shrinks.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers import Pair, Provider, ProviderChoice
from bot.llm.providers.openai import DEFAULT_MODEL, OpenAIChat
from bot.llm.thinking import ThinkingFilter
from bot.settings import RoleName, Settings
from memory.api import MESSAGE_OVERHEAD, estimate_tokens
from memory.errors import ModelError, ModelErrorCode
from memory.models import Usage
from memory.ports import ChatModel, Chunk, Embedder, ModelRequest

PORT = 11434
SMALLEST_CONTEXT = 8_192
REPLY_ROOM = 2_048  # tokens of `num_ctx` left for the answer where the request names no limit
FITS = 10 * 10**9  # bytes of a model that most machines can run
_EMBEDDING = ("embed", "bge-", "minilm", "rerank", "gte-", "e5-")
_SCHEMA = re.compile(rb"format|schema|grammar", re.I)
_SPECIAL = ("coder", "code", "sql", "math", "vision", "ocr", "guard")


def endpoint(host: str | None) -> Endpoint:
    """Where Ollama listens, from OLLAMA_HOST in any of the forms Ollama itself takes."""
    text = (host or "").strip().rstrip("/") or f"127.0.0.1:{PORT}"
    scheme, _, rest = text.rpartition("://")
    parts = urlsplit(f"//{rest}")
    name = parts.hostname or "127.0.0.1"
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)  # noqa: S104 - what a server binds, not where it is
    port = parts.port or {"http": 80, "https": 443}.get(scheme, PORT)
    shown = f"[{name}]" if ":" in name else name
    return Endpoint(f"{scheme or 'http'}://{shown}:{port}{parts.path}")


def is_ollama(where: Endpoint) -> bool:
    """Tell whether an OpenAI-compatible address is that of an Ollama on this machine."""
    parts = urlsplit(where.url)
    return where.loopback and parts.port == PORT and parts.path in {"", "/v1"}


async def detect_ollama(
    where: Endpoint, clients: ClientPool, *, timeout: float = 1.0
) -> tuple[str, ...] | None:
    """List the models of an Ollama there, the most fitting for talk first; None where none answers in time."""
    parts = urlsplit(where.url)
    try:
        async with asyncio.timeout(timeout):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
            writer.close()
            client = await clients.plain(where)
            response = await client.get("/api/tags", timeout=timeout)
            rows = response.json()["models"] if response.status_code == 200 else None
    except (OSError, ValueError, LookupError, TypeError):
        return None
    except Exception as e:
        import httpx2

        if isinstance(e, httpx2.HTTPError):
            return None
        raise
    return None if rows is None else tuple(rank_models(rows))


def rank_models(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the models one can talk to, the most sensible first.

    No embedding model, and none that runs in somebody's cloud; models for talk before those for
    code or pictures; of those the largest that most machines can run, then the rest, smallest
    first.
    """

    def families(row: Mapping[str, Any]) -> str:
        details = row.get("details") or {}
        return " ".join(
            [str(details.get("family")), *map(str, details.get("families") or ())]
        ).lower()

    def order(row: Mapping[str, Any]) -> tuple[bool, bool, int]:
        size = int(row.get("size") or 0)
        special = any(s in str(row["name"]).lower() for s in _SPECIAL)
        return special, size > FITS, size if size > FITS else -size

    def talks(row: Mapping[str, Any]) -> bool:
        name = str(row["name"]).lower()
        remote = bool(row.get("remote_host")) or name.endswith("cloud")
        return not remote and "bert" not in families(row) and not any(e in name for e in _EMBEDDING)

    return [str(row["name"]) for row in sorted(filter(talks, rows), key=order)]


@dataclass
class OllamaChat:
    """A chat model in Ollama.

    With no model named, it takes the most fitting one at its first use.
    """

    endpoint: Endpoint
    clients: ClientPool
    model: str = ""
    context_tokens: int = 16_000
    window: dict[str, int] = field(default_factory=dict)  # num_ctx by model, shared between roles
    unlimited: bool = False
    schemaless: bool = False  # it has refused a schema

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model or "Ollama"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Yield the answer as it comes, thinking left out.

        Raises ModelError with what had come as `partial`.
        """
        client = await self.clients.plain(self.endpoint)
        import httpx2

        if not self.model:
            await self._pick()
        text, hidden = "", ThinkingFilter()
        try:
            async with client.stream("POST", "/api/chat", json=self._body(request)) as response:
                if response.status_code != 200:
                    said = await response.aread()
                    if request.schema is None or not _SCHEMA.search(said):
                        raise self._refused(response.status_code, said)
                    self.schemaless = True  # an old version, or a model without a grammar
                    async with aclosing(self.stream(replace(request, schema=None))) as plain:
                        async for chunk in plain:
                            yield chunk
                    return
                async for line in response.aiter_lines():
                    if not line.strip():
                        continue
                    data = json.loads(line)
                    if "error" in data:
                        raise self._refused(500, line.encode(), text)
                    shown = hidden.feed((data.get("message") or {}).get("content") or "")
                    done = data.get("done") is True
                    shown += hidden.close() if done else ""
                    text += shown
                    if done:
                        yield self._last(data, shown, text)
                        return
                    if shown:
                        yield Chunk(shown)
        except httpx2.ConnectTimeout as e:
            raise self._error("no_connection", repr(e), text) from e
        except httpx2.TimeoutException as e:
            raise self._error("timeout", repr(e), text) from e
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as e:
            raise self._error("cut_off" if text else "no_connection", repr(e), text) from e
        except (ValueError, AttributeError, TypeError) as e:
            raise self._error("unreadable", repr(e), text) from e
        raise self._error("cut_off", "no done", text)

    async def _pick(self) -> None:
        found = await detect_ollama(self.endpoint, self.clients, timeout=3.0)
        if found is None:
            raise self._error("no_connection", "no Ollama")
        if not found:
            raise self._error("unknown_model", "ollama has none")
        self.model = found[0]

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        options: dict[str, Any] = {"num_ctx": self._window(request)}
        if request.max_tokens is not None and not self.unlimited:
            options["num_predict"] = request.max_tokens
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(request.messages),
            "stream": True,
        }
        body["options"] = options
        if request.schema is not None and not self.schemaless:
            body["format"] = dict(request.schema)
        if request.task != "chat":
            body["think"] = False  # background work need not ponder
        return body

    def _window(self, request: ModelRequest) -> int:
        sent = sum(
            estimate_tokens(m.get("content", "")) + MESSAGE_OVERHEAD for m in request.messages
        )
        needed = sent + sent // 8 + (request.max_tokens or REPLY_ROOM)
        most = max(SMALLEST_CONTEXT, self.context_tokens + REPLY_ROOM)
        size = max(self.window.get(self.model, 0), min(SMALLEST_CONTEXT, most))
        while size < min(needed, most):
            size = min(size * 2, most)
        self.window[self.model] = size
        return size

    def _last(self, data: Mapping[str, Any], shown: str, text: str) -> Chunk:
        finish = str(data.get("done_reason") or "stop")
        if not text and finish == "length":
            self.unlimited = True  # thinking ate the limit: the next try has none
            raise self._error("cut_off", "nothing but thinking")
        usage = Usage(int(data.get("prompt_eval_count") or 0), int(data.get("eval_count") or 0))
        return Chunk(shown, finish, usage)

    def _refused(self, status: int, body: bytes, partial: str = "") -> ModelError:
        said = body.decode("utf-8", "replace").lower()
        if status == 404 and "not found" in said and "model" in said:
            return self._error("unknown_model", f"ollama: {said[:150]}")
        if "context" in said and ("exceed" in said or "length" in said):
            return self._error("context_too_long", said[:200], partial)
        code: ModelErrorCode = {401: "bad_key", 403: "bad_key", 429: "rate_limit"}.get(
            status, "bad_request"
        )  # type: ignore[assignment]
        return self._error("server" if status >= 500 else code, said[:200], partial)

    def _error(self, code: ModelErrorCode, detail: str, partial: str = "") -> ModelError:
        host = self.endpoint.host if code != "unknown_model" else "Ollama"
        return ModelError(code, detail=detail, partial=partial, model=self.model, host=host)


class Ollama(Provider):
    """An Ollama: one whose address is configured, or the one on this machine."""

    name = "ollama"
    order = 1

    async def find(
        self, settings: Settings, clients: ClientPool, *, asked: bool
    ) -> ProviderChoice | None:
        """Return the choice where it is asked for, its address is set, or nothing is and it can talk."""
        _, url, key = settings.endpoint("chat")
        here = endpoint(settings.ollama_host)
        if asked:
            models = None if settings.chat_model else await detect_ollama(here, clients)
            return ProviderChoice(
                self.name, "set", found=None if models is None else here, models=models or ()
            )
        if url or key:
            if not url or not is_ollama(Endpoint.at(url)):
                return None
            there = endpoint(url.removesuffix("/").removesuffix("/v1"))
            return ProviderChoice(
                self.name, "base_url", found=there, models=await detect_ollama(there, clients) or ()
            )
        models = await detect_ollama(here, clients)
        if models is None or not (models or settings.chat_model):
            return None
        return ProviderChoice(self.name, "found", found=here, models=models)

    def build(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder: Embedder
    ) -> Pair:
        """Make a model for each role; one with an address of its own is any endpoint's."""
        windows: dict[str, int] = {}

        def make(role: RoleName) -> ChatModel:
            where, model = self.locate(settings, choice, role)
            if self._elsewhere(settings, choice, role):
                return OpenAIChat(where, clients, model)
            return OllamaChat(where, clients, model, settings.context_tokens, windows)

        return make("chat"), make("memory")

    def locate(
        self, settings: Settings, choice: ProviderChoice, role: RoleName
    ) -> tuple[Endpoint, str]:
        """Return where a role's model is, and its name ("" where Ollama has yet to say)."""
        model, url, key = settings.endpoint(role)
        if self._elsewhere(settings, choice, role):
            return Endpoint.at(url, key), model or DEFAULT_MODEL
        first = choice.models[0] if choice.models else ""
        return choice.found or endpoint(settings.ollama_host), model or settings.chat_model or first

    def serves(self, endpoint: Endpoint) -> bool:
        """Tell whether it is the address of an Ollama on this machine."""
        return is_ollama(endpoint)

    def embeds_at(self, settings: Settings, choice: ProviderChoice) -> Endpoint | None:
        """Return its own address for a model that was named."""
        where = choice.found or endpoint(settings.ollama_host)
        return Endpoint.at(f"{where.url}/v1")

    @staticmethod
    def _elsewhere(settings: Settings, choice: ProviderChoice, role: RoleName) -> bool:
        return bool(getattr(settings, f"{role}_base_url")) and choice.why != "base_url"


PROVIDER = Ollama()
