"""Ollama: found by itself, and talked to by its own protocol.

Its OpenAI-compatible `/v1` takes no context length and cuts a longer prompt silently at the
server's default (4,096 tokens on most machines), so chat goes by `/api/chat` with `num_ctx`. A
different `num_ctx` makes Ollama load the model anew; so it grows in steps and never shrinks.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from bot.llm.base import ThinkingFilter, estimate_request, find_answer, list_images, read_content
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers import FetchError, FetchStep, Pair, Provider, ProviderChoice
from bot.llm.providers.openai import DEFAULT_MODEL, OpenAIChat
from bot.settings import RoleName, Settings
from memory.errors import ModelError, ModelErrorCode
from memory.models import Usage
from memory.ports import ChatModel, Chunk, Embedder, ModelRequest, ToolCall

if TYPE_CHECKING:
    import httpx2

PORT: Final = 11434
SMALLEST_CONTEXT: Final = 8_192
IMAGE_TOKENS: Final = 1_024  # of one image, about
REPLY_ROOM: Final = 2_048  # tokens of `num_ctx` left for an answer whose request names no limit
# Of one family that speaks both languages, in 4 bits, as Ollama's library lists them.
OFFERS: Final = {"1.7b": 1.4, "4b": 2.5, "8b": 5.2, "14b": 9.3, "30b": 19.0}  # GB
# What stands in the error of a pull, in this order; anything else may be tried again.
_PULL_ERRORS: Final = {"no space": "disk", "newer version": "old"} | dict.fromkeys(
    ("not exist", "not found", "invalid model"), "unknown"
)
_PULL_SILENCE: Final = 600.0  # seconds: a large file is checked without a word
FITS: Final = 10 * 10**9  # bytes of a model that most machines can run
_EMBEDDING: Final = ("embed", "bge-", "minilm", "rerank", "gte-", "e5-")
_SPECIAL: Final = ("coder", "code", "sql", "math", "vision", "ocr", "guard")
_ANY: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what a server binds


def locate_ollama(host: str | None) -> Endpoint:
    """Return where Ollama listens, from OLLAMA_HOST in any of the forms Ollama itself takes."""
    text = (host or "").strip().rstrip("/") or f"127.0.0.1:{PORT}"
    scheme, _, rest = text.rpartition("://")
    parts = urlsplit(f"//{rest}")
    name = parts.hostname or "127.0.0.1"
    name = _ANY.get(name, name)
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
    """List the models of an Ollama there, the most fitting first; None where none answers."""
    parts = urlsplit(where.url)
    try:
        async with asyncio.timeout(timeout):
            # A look at the port first: the HTTP library takes its time to import.
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
    """List the models one can talk to, the most sensible first.

    No embedding model, and none that runs in somebody's cloud; models for talk before those for
    code or pictures; of those the largest that most machines can run, then the rest, smallest
    first.
    """
    found = []
    for row in rows:
        name, size = str(row["name"]), int(row.get("size") or 0)
        lowered, families = name.lower(), str(row.get("details")).lower()
        remote = bool(row.get("remote_host")) or lowered.endswith("cloud")
        if not remote and "bert" not in families and not any(e in lowered for e in _EMBEDDING):
            special = any(s in lowered for s in _SPECIAL)
            found.append((special, size > FITS, size if size > FITS else -size, name))
    return [name for *_, name in sorted(found)]


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
    toolless: bool = False  # it calls no tools

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model or "Ollama"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Yield the answer as it comes, thinking left out.

        Raises ModelError with what had come as `partial`.
        """
        client = await self.clients.plain(self.endpoint)
        await self._pick_model()
        known = self.clients.refused[self.endpoint.url, self.model]
        text, hidden = "", ThinkingFilter(begun="thinking" in known)
        calls: list[ToolCall] = []
        try:
            response = await self._open(client, request)
            try:
                async for line in response.aiter_lines():
                    if not line.strip():
                        continue
                    data = json.loads(line)
                    if "error" in data:
                        raise self._refuse(500, line, text)
                    message = data.get("message") or {}
                    shown = hidden.feed(message.get("content") or "")
                    calls += _read_calls(message, len(calls))
                    done = data.get("done") is True
                    shown += hidden.close() if done else ""
                    text += shown
                    if done:
                        known |= {"thinking"} if find_answer(text) else set()
                        yield self._end(data, shown, text, calls)
                        return
                    if shown:
                        yield Chunk(shown)
            finally:
                await response.aclose()
        except ModelError:
            raise
        except Exception as e:  # the transport's, or of an answer that is none
            from bot.llm.failures import translate

            host = self.endpoint.host
            raise translate(e, model=self.model, host=host, partial=text) from e
        raise self._error("cut_off", "no done", text)

    async def _open(self, client: httpx2.AsyncClient, request: ModelRequest) -> httpx2.Response:
        """Begin the stream; without a schema from then on, where that is what is refused.

        Raises ModelError `no_images` where the model does not see.
        """
        from bot.llm.failures import classify_answer, find_image_refusal

        known = self.clients.refused[self.endpoint.url, self.model]
        pictures = any(map(list_images, request.messages))
        if pictures and not await self._sees(client):
            raise self._error("no_images", "blind")
        while True:
            body = self._make_body(request)
            ask = client.build_request("POST", "/api/chat", json=body)
            response = await client.send(ask, stream=True)
            if response.status_code == 200:
                return response
            said = (await response.aread()).decode("utf-8", "replace")
            code, _ = classify_answer(response.status_code, said, {})
            if pictures and (why := find_image_refusal(code, said)):
                known.update({"images"} if why == "blind" else ())
                raise self._error("no_images", why)
            about = any(word in said.lower() for word in ("format", "schema", "grammar"))
            if "tools" in body and "tools" in said.lower():
                self.toolless = True
            elif "format" in body and about:
                self.schemaless = True  # an old version, or a model without a grammar
            else:
                raise self._refuse(response.status_code, said)

    async def _sees(self, client: httpx2.AsyncClient) -> bool:
        """Tell whether the model takes images: a blind one may ignore them without a word."""
        known = self.clients.refused[self.endpoint.url, self.model]
        if not known & {"images", "asked"}:
            answer = await client.post("/api/show", json={"model": self.model})
            told = answer.json() if answer.status_code == 200 else {}
            able = told.get("capabilities") or ["vision"]  # old versions do not say
            known |= {"asked"} if "vision" in able else {"images"}
        return "images" not in known

    async def _pick_model(self) -> None:
        if self.model:
            return
        found = await detect_ollama(self.endpoint, self.clients, timeout=3.0)
        if found is None:
            raise self._error("no_connection", "no Ollama")
        if not found:
            raise self._error("unknown_model", "ollama has none")
        self.model = found[0]

    def _make_body(self, request: ModelRequest) -> dict[str, Any]:
        messages = list(map(_write_message, request.messages))
        body: dict[str, Any] = {"model": self.model, "messages": messages}
        options = {"num_ctx": self._fit_window(request)}
        if request.max_tokens is not None and not self.unlimited:
            options["num_predict"] = request.max_tokens
        body |= {"stream": True, "options": options}
        if request.schema is not None and not self.schemaless:
            body["format"] = dict(request.schema)
        if request.tools and not self.toolless:
            body["tools"] = [{"type": "function", "function": dict(t)} for t in request.tools]
        if request.task != "chat":
            body["think"] = False  # background work need not ponder
        return body

    def _fit_window(self, request: ModelRequest) -> int:
        images = sum(len(list_images(m)) for m in request.messages)
        sent = estimate_request(request) + images * IMAGE_TOKENS
        needed = sent + sent // 8 + (request.max_tokens or REPLY_ROOM)
        most = max(SMALLEST_CONTEXT, self.context_tokens + REPLY_ROOM)
        size = max(self.window.get(self.model, 0), SMALLEST_CONTEXT)
        while size < min(needed, most):
            size = min(size * 2, most)
        self.window[self.model] = size
        return size

    def _end(
        self, data: Mapping[str, Any], shown: str, text: str, calls: Sequence[ToolCall]
    ) -> Chunk:
        finish = str(data.get("done_reason") or "stop")
        if not text and finish == "length":
            self.unlimited = True  # thinking ate the limit: the next try has none
            raise self._error("cut_off", "nothing but thinking")
        usage = Usage(int(data.get("prompt_eval_count") or 0), int(data.get("eval_count") or 0))
        return Chunk(shown, finish, usage, tuple(calls))

    def _refuse(self, status: int, said: str, partial: str = "") -> ModelError:
        from bot.llm.failures import classify_answer

        code, wait = classify_answer(status, said, {})
        mark = "ollama: " if code == "unknown_model" else ""
        error = self._error(code, f"{mark}{said.lower()}"[:200], partial)
        error.retry_after = wait
        return error

    def _error(self, code: ModelErrorCode, detail: str, partial: str = "") -> ModelError:
        host = self.endpoint.host if code != "unknown_model" else "Ollama"
        return ModelError(code, detail=detail, partial=partial, model=self.model, host=host)


def _read_calls(message: Mapping[str, Any], before: int) -> list[ToolCall]:
    """Read the calls of a piece of an answer; Ollama gives them no ids, arguments as objects."""
    found = [c.get("function") or {} for c in message.get("tool_calls") or ()]
    return [
        ToolCall(f"call_{before + n}", str(f.get("name") or ""), json.dumps(f.get("arguments")))
        for n, f in enumerate(found)
    ]


def _write_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Write a message as Ollama takes it: arguments as objects, images beside the text."""
    out, images = dict(message), list_images(message)
    if images:
        coded = [url.partition(",")[2] for url in images]
        out |= {"content": read_content(message), "images": coded}
    if calls := [c["function"] for c in message.get("tool_calls") or ()]:
        out["tool_calls"] = [
            {"function": {"name": f["name"], "arguments": json.loads(f["arguments"])}}
            for f in calls
        ]
    return out


class Ollama(Provider):
    """An Ollama: one whose address is configured, or the one on this machine."""

    name = "ollama"
    order = 1
    offers = tuple((f"qwen3:{tag}", size) for tag, size in OFFERS.items())

    async def find(
        self, settings: Settings, clients: ClientPool, *, asked: bool
    ) -> ProviderChoice | None:
        """Return the choice where it is asked for, set, or found and nothing else is set."""
        _, url, key = settings.endpoint("chat")
        here = locate_ollama(settings.ollama_host)
        if not asked and (url or key):
            if not url or not is_ollama(Endpoint.at(url)):
                return None
            there = locate_ollama(url.removesuffix("/").removesuffix("/v1"))
            models = await detect_ollama(there, clients) or ()
            return ProviderChoice(self.name, "base_url", found=there, models=models)
        if asked and settings.chat_model:
            return ProviderChoice(self.name, "set")
        found = await detect_ollama(here, clients)
        if asked:
            where = None if found is None else here
            return ProviderChoice(self.name, "set", found=where, models=found or ())
        if found is None or not (found or settings.chat_model):
            return None
        return ProviderChoice(self.name, "found", found=here, models=found)

    def build(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder: Embedder
    ) -> Pair:
        """Make a model for each role; one with an address of its own is any endpoint's."""
        windows: dict[str, int] = {}

        def make(role: RoleName) -> ChatModel:
            where, model = self.locate(settings, choice, role)
            if self._is_elsewhere(settings, choice, role):
                return OpenAIChat(where, clients, model)
            return OllamaChat(where, clients, model, settings.context_tokens, windows)

        return make("chat"), make("memory")

    def locate(
        self, settings: Settings, choice: ProviderChoice, role: RoleName
    ) -> tuple[Endpoint, str]:
        """Return where a role's model is, and its name ("" where Ollama has yet to say)."""
        model, url, key = settings.endpoint(role)
        if self._is_elsewhere(settings, choice, role):
            return Endpoint.at(url, key), model or DEFAULT_MODEL
        first = choice.models[0] if choice.models else ""
        where = choice.found or locate_ollama(settings.ollama_host)
        return where, model or settings.chat_model or first

    def serves(self, endpoint: Endpoint) -> bool:
        """Tell whether it is the address of an Ollama on this machine."""
        return is_ollama(endpoint)

    def embeds_at(self, settings: Settings, choice: ProviderChoice) -> Endpoint | None:
        """Return its own address for a model that was named."""
        where = choice.found or locate_ollama(settings.ollama_host)
        return Endpoint.at(f"{where.url}/v1")

    async def fetch(
        self, settings: Settings, clients: ClientPool, name: str
    ) -> AsyncGenerator[FetchStep, None]:
        """Pull a model, adding its layers up; whoever stops reading stops it."""
        import httpx2

        client, layers = await clients.plain(locate_ollama(settings.ollama_host)), {}
        body, wait = {"model": name, "stream": True}, httpx2.Timeout(_PULL_SILENCE, connect=3.0)
        try:
            async with client.stream("POST", "/api/pull", json=body, timeout=wait) as answer:
                async for line in answer.aiter_lines():
                    data = json.loads(line or "{}")
                    if answer.status_code != 200 or "error" in data:
                        said = str(data.get("error")).lower()
                        found = (why for x, why in _PULL_ERRORS.items() if x in said)
                        raise FetchError(next(found, "broken"))
                    if data.get("digest") and data.get("total"):
                        layers[data["digest"]] = (data.get("completed") or 0, data["total"])
                    done, total = (sum(n) for n in zip((0, 0), *layers.values(), strict=True))
                    if total:
                        yield done / total, total / 1e9, "digest" not in data
                    if data.get("status") == "success":
                        return
        except (httpx2.HTTPError, ValueError, TypeError, AttributeError) as e:
            raise FetchError("broken" if layers else "none") from e
        raise FetchError("broken")  # it ended without a success

    @staticmethod
    def _is_elsewhere(settings: Settings, choice: ProviderChoice, role: RoleName) -> bool:
        return bool(getattr(settings, f"{role}_base_url")) and choice.why != "base_url"


PROVIDER = Ollama()
