"""Chat over the OpenAI protocol, with any endpoint that speaks it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers import Pair, Provider, ProviderChoice
from bot.llm.thinking import ThinkingFilter
from bot.settings import RoleName, Settings
from memory.errors import ModelError, ModelErrorCode
from memory.models import Usage
from memory.ports import ChatModel, Chunk, Embedder, ModelRequest

if TYPE_CHECKING:
    import openai

DEFAULT_MODEL = "gpt-4o-mini"
_LIMITS = (
    "max_completion_tokens",
    "max_tokens",
)  # OpenAI's newer name, and what others still call it
_NOT_ABOUT_PARAMETERS = {"context_too_long", "no_credit", "rate_limit", "bad_key"}


@dataclass
class OpenAIChat:
    """A chat model behind an OpenAI-compatible endpoint.

    What an endpoint turns out not to understand is left out from then on. Where no model was chosen
    and the endpoint does not know the default, it is asked what it has, once.
    """

    endpoint: Endpoint
    clients: ClientPool
    model: str = DEFAULT_MODEL
    chosen: bool = True  # whether somebody named this model
    _refused: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the answer as it comes, thinking left out. Raises ModelError with what had come as
        `partial`.

        A stream that ends without a finish raises too: `cut_off`.
        """
        client = await self.clients.sdk(self.endpoint)
        import openai as sdk

        reading = _StreamReading()
        try:
            answer = await self._open(client, request)
            async with answer:
                if "text/event-stream" not in answer.response.headers.get(
                    "content-type", "text/event-stream"
                ):
                    yield await self._whole(answer, reading)
                    return
                async for event in answer:
                    if text := reading.feed(event):
                        yield Chunk(text)
        except (sdk.OpenAIError, ValueError, OSError) as e:
            # ValueError: a malformed chunk is a bare JSONDecodeError. A finished answer is not
            # spoilt by what comes after it.
            if reading.finish is None or isinstance(e, sdk.APIStatusError):
                raise self._failed(e, reading.text) from e
        if rest := reading.close():
            yield Chunk(rest)
        self._check(reading)
        yield Chunk(finish=reading.finish, usage=reading.usage)

    def _check(self, reading: _StreamReading) -> None:
        if reading.finish is None:
            raise self._error("cut_off", "no finish_reason", reading.text)
        if not reading.text and reading.finish == "length":
            self._refused.update(_LIMITS)  # thinking ate the limit: the next try has none
            raise self._error("cut_off", "nothing but thinking")

    def _error(self, code: ModelErrorCode, detail: str, partial: str = "") -> ModelError:
        return ModelError(
            code, detail=detail, partial=partial, model=self.model, host=self.endpoint.host
        )

    def _failed(self, error: BaseException, partial: str = "") -> ModelError:
        from bot.llm.failures import translate

        return translate(
            error,
            model=self.model,
            host=self.endpoint.host,
            partial=partial,
            key=self.endpoint.key or "",
        )

    async def _open(
        self, client: openai.AsyncOpenAI, request: ModelRequest
    ) -> openai.AsyncStream[Any]:
        """Begin the stream, leaving out what the endpoint refuses."""
        import openai as sdk

        from bot.llm.failures import find_rejected_parameter

        create: Any = client.chat.completions.create  # typed for far more than text
        while True:
            optional = self._optional(request)
            try:
                # Through `extra_body`: for `messages` the SDK walks the types of every one, 10 ms a
                # conversation.
                stream: openai.AsyncStream[Any] = await create(
                    model=self.model,
                    messages=[],
                    stream=True,
                    extra_body={"messages": list(request.messages)},
                    **optional,
                )
            except sdk.APIStatusError as e:
                failed = self._failed(e)
                name = find_rejected_parameter(e, set(optional))
                if name is not None and failed.code not in _NOT_ABOUT_PARAMETERS:
                    self._refused.add(name)
                elif not await self._another_model(client, failed):
                    raise
            else:
                return stream

    def _optional(self, request: ModelRequest) -> dict[str, Any]:
        wanted: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if request.max_tokens is not None:
            names = _LIMITS if self.endpoint.is_openai else _LIMITS[::-1]
            usable = [n for n in names if n not in self._refused]
            wanted |= dict.fromkeys(usable[:1], request.max_tokens)
        if request.schema is not None:
            schema = {"name": request.task, "schema": dict(request.schema)}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {k: v for k, v in wanted.items() if k not in self._refused}

    async def _another_model(self, client: openai.AsyncOpenAI, error: ModelError) -> bool:
        """Tell whether a model nobody chose was replaced by one the endpoint has."""
        if self.chosen or error.code not in {"unknown_model", "bad_request"}:
            return False
        self.chosen = True
        listed = await self.models(client)
        if not listed or self.model in listed:
            return False
        self.model = next((m for m in listed if "embed" not in m.lower()), listed[0])
        return True

    async def models(self, client: openai.AsyncOpenAI | None = None) -> list[str]:
        """List the endpoint's models; empty where it does not say."""
        import openai as sdk

        client = client or await self.clients.sdk(self.endpoint)
        try:
            page = await client.with_options(timeout=5.0).models.list()
        except (sdk.OpenAIError, ValueError):
            return []
        return [m.id for m in page.data or ()]

    async def _whole(self, answer: openai.AsyncStream[Any], reading: _StreamReading) -> Chunk:
        """Read the answer of an endpoint that does not stream; anything else is no answer at all."""
        body = await answer.response.aread()
        try:
            data = json.loads(body)
            choice = data["choices"][0]
            text = reading.filter.feed(choice["message"]["content"] or "") + reading.filter.close()
        except (ValueError, LookupError, TypeError):
            kind = answer.response.headers.get("content-type", "")
            raise self._error("unreadable", f"an answer of type {kind}") from None
        usage = data.get("usage")
        return Chunk(text, choice.get("finish_reason") or "stop", _usage(usage) if usage else None)


@dataclass
class _StreamReading:
    """What has been read of a stream."""

    text: str = ""
    finish: str | None = None
    usage: Usage | None = None
    filter: ThinkingFilter = field(default_factory=ThinkingFilter)

    def feed(self, event: Any) -> str:
        """Return the visible text of one chunk."""
        if usage := getattr(event, "usage", None):
            self.usage = _usage(usage.model_dump())
        if not event.choices:
            return ""
        choice = event.choices[0]
        self.finish = choice.finish_reason or self.finish
        delta = choice.delta
        said = (
            (getattr(delta, "content", None) or getattr(delta, "refusal", None) or "")
            if delta
            else ""
        )
        shown = self.filter.feed(said) if said else ""
        self.text += shown
        return shown

    def close(self) -> str:
        rest = self.filter.close()
        self.text += rest
        return rest


def _usage(said: Mapping[str, Any]) -> Usage:
    details = said.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens") or said.get("prompt_cache_hit_tokens") or 0
    return Usage(said.get("prompt_tokens") or 0, said.get("completion_tokens") or 0, cached)


class OpenAI(Provider):
    """OpenAI's own endpoint, or any other address that was configured."""

    name = "openai"
    order = 2
    uses_sdk = True
    shares_key = True

    async def find(
        self, settings: Settings, clients: ClientPool, *, asked: bool
    ) -> ProviderChoice | None:
        """Return the choice where a key or an address is configured, or where it is asked for."""
        _, url, key = settings.endpoint("chat")
        if asked:
            return ProviderChoice(self.name, "set", needs_setup=not (url or key))
        return ProviderChoice(self.name, "base_url" if url else "key") if url or key else None

    def build(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool, embedder: Embedder
    ) -> Pair:
        """Make a model for each role."""

        def make(role: RoleName) -> ChatModel:
            endpoint, model = self.locate(settings, choice, role)
            chosen = bool(settings.chat_model or getattr(settings, f"{role}_model"))
            return OpenAIChat(endpoint, clients, model, chosen)

        return make("chat"), make("memory")

    def locate(
        self, settings: Settings, choice: ProviderChoice, role: RoleName
    ) -> tuple[Endpoint, str]:
        """Return where a role's model is; one without an address of its own follows the chat."""
        model, url, key = settings.endpoint(role)
        chat_url = settings.endpoint("chat")[1]
        if role == "memory" and not (url or key):
            _, url, key = settings.endpoint("chat")
        shared = settings.chat_model if Endpoint.at(url) == Endpoint.at(chat_url) else None
        return Endpoint.at(url, key), model or shared or DEFAULT_MODEL

    def serves(self, endpoint: Endpoint) -> bool:
        """Tell whether it is OpenAI's own address."""
        return endpoint.is_openai

    async def list_models(
        self, settings: Settings, choice: ProviderChoice, clients: ClientPool
    ) -> tuple[str, ...]:
        """Ask the endpoint what it has."""
        _, url, key = settings.endpoint("chat")
        try:
            return tuple(
                await OpenAIChat(Endpoint.at(url, key), clients, choice.chat, True).models()
            )
        except ModelError:
            return ()


PROVIDER = OpenAI()
