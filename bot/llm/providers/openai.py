"""Chat over the OpenAI protocol, with any endpoint that speaks it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.llm.base import ThinkingFilter, find_answer, list_images
from bot.llm.endpoint import ClientPool, Endpoint
from bot.llm.providers import Pair, Provider, ProviderChoice
from bot.settings import RoleName, Settings
from memory.errors import ModelError, ModelErrorCode
from memory.models import Usage
from memory.ports import ChatModel, Chunk, Embedder, ModelRequest, ToolCall

if TYPE_CHECKING:
    import openai

DEFAULT_MODEL: Final = "gpt-4o-mini"
# OpenAI's newer name of the limit, and what others still call it.
_LIMITS: Final = ("max_completion_tokens", "max_tokens")
# Seconds for an answer that comes whole: the wait for its first byte is that for its last.
_WHOLE_TIMEOUT: Final = 300.0
_NOT_ABOUT_PARAMETERS: Final = {"context_too_long", "no_credit", "rate_limit", "bad_key"}


@dataclass
class OpenAIChat:
    """A chat model behind an OpenAI-compatible endpoint.

    What a model there turns out not to take is left out from then on: a parameter, streaming, the
    system role. Where no model was chosen and the endpoint does not know the default, it is asked
    what it has, once.
    """

    endpoint: Endpoint
    clients: ClientPool
    model: str = DEFAULT_MODEL
    chosen: bool = True  # whether somebody named this model

    @property
    def _refused(self) -> set[str]:
        return self.clients.refused[self.endpoint.url, self.model]

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model

    async def stream(self, request: ModelRequest) -> AsyncIterator[Chunk]:
        """Yield the answer as it comes, thinking left out.

        Raises ModelError with what had come as `partial`; a stream that ends without a finish
        raises too: `cut_off`.
        """
        client = await self.clients.sdk(self.endpoint)
        import openai as sdk

        hidden = ThinkingFilter(begun="thinking" in self._refused)
        text, finish, usage = "", None, None
        calls: dict[int, ToolCall] = {}
        try:
            answer = await self._open(client, request)
            async with answer:
                kind = answer.response.headers.get("content-type", "text/event-stream")
                if "text/event-stream" not in kind:
                    yield await self._read_whole(answer, kind)
                    return
                async for event in answer:
                    usage = _read_usage(event) or usage
                    if not event.choices:
                        continue
                    delta = event.choices[0].delta
                    finish = event.choices[0].finish_reason or finish
                    said = (delta.content or getattr(delta, "refusal", None)) if delta else None
                    _add_calls(calls, delta)
                    if shown := hidden.feed(said or ""):
                        text += shown
                        yield Chunk(shown)
        except (sdk.OpenAIError, ValueError, OSError) as e:
            # ValueError: a malformed chunk is a bare JSONDecodeError. A finished answer is not
            # spoilt by what comes after it.
            if finish is None:
                raise self._translate(e, text) from e
        if rest := hidden.close():
            text += rest
            yield Chunk(rest)
        if finish is None:
            raise self._error("cut_off", "no finish_reason", text)
        if not text and finish == "length":
            self._refused.update(_LIMITS)  # thinking ate the limit: the next try has none
            raise self._error("cut_off", "nothing but thinking")
        if find_answer(text):  # it opens no block of thinking: its next answer is held back
            self._refused.add("thinking")
        yield Chunk(finish=finish, usage=usage, calls=tuple(calls.values()))

    async def _read_whole(self, answer: openai.AsyncStream[Any], kind: str) -> Chunk:
        """Read the answer of an endpoint that does not stream; raise ModelError if it is none."""
        from openai.types.chat import ChatCompletion

        body = await answer.response.aread()
        hidden = ThinkingFilter(begun="thinking" in self._refused)
        try:
            # unchecked: any may be missing
            whole: Any = ChatCompletion.construct(**json.loads(body))
            choice = whole.choices[0]
            text = hidden.feed(choice.message.content or "") + hidden.close()
        except (ValueError, LookupError, TypeError, AttributeError):
            raise self._error("unreadable", f"an answer of type {kind}") from None
        text = text[find_answer(text) :]
        calls: dict[int, ToolCall] = {}
        _add_calls(calls, choice.message)
        usage = _read_usage(whole)
        return Chunk(text, choice.finish_reason or "stop", usage, tuple(calls.values()))

    def _error(self, code: ModelErrorCode, detail: str, partial: str = "") -> ModelError:
        host = self.endpoint.host
        return ModelError(code, detail=detail, partial=partial, model=self.model, host=host)

    def _translate(self, error: BaseException, partial: str = "") -> ModelError:
        from bot.llm.failures import translate

        host, secret = self.endpoint.host, (self.endpoint.key or "", *self.clients.headers.values())
        return translate(error, model=self.model, host=host, partial=partial, secret=secret)

    async def _open(
        self, client: openai.AsyncOpenAI, request: ModelRequest
    ) -> openai.AsyncStream[Any]:
        """Begin the stream, leaving out what the endpoint refuses."""
        import openai as sdk

        from bot.llm.failures import find_image_refusal, find_rejected_parameter

        create: Any = client.chat.completions.create  # typed for far more than text
        # Through `extra_body`: for `messages` the SDK walks the types of every one, 10 ms a talk.
        body: dict[str, Any] = {"messages": list(request.messages)}
        pictures = any(map(list_images, request.messages))
        if pictures and "images" in self._refused:
            raise self._error("no_images", "blind")
        while True:
            more, wait = self._list_options(request), dict[str, float]()
            if "system" in self._refused:
                body["messages"] = _join_system(request.messages)
            if "stream" in self._refused:  # it comes whole, and is read by its type
                body["stream"], wait = False, {"timeout": _WHOLE_TIMEOUT}
            try:
                stream: openai.AsyncStream[Any] = await create(
                    model=self.model, messages=[], stream=True, extra_body=body, **more, **wait
                )
            except sdk.APIStatusError as e:
                failed = self._translate(e)
                if pictures and (why := find_image_refusal(failed.code, str(e))):
                    self._refused.update({"images"} if why == "blind" else ())
                    raise self._error("no_images", why) from e
                name = find_rejected_parameter(e, {*more, "stream", "system"} - self._refused)
                if name is not None and failed.code not in {*_NOT_ABOUT_PARAMETERS, "withheld"}:
                    self._refused.add(name)
                elif not await self._take_another_model(failed):
                    raise
            else:
                return stream

    def _list_options(self, request: ModelRequest) -> dict[str, Any]:
        wanted: dict[str, Any] = {"stream_options": {"include_usage": True}}
        if request.max_tokens is not None:
            names = _LIMITS if self.endpoint.is_openai else _LIMITS[::-1]
            usable = [n for n in names if n not in self._refused]
            wanted |= dict.fromkeys(usable[:1], request.max_tokens)
        if request.schema is not None:
            schema = {"name": request.task, "schema": dict(request.schema)}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        if request.tools:
            wanted["tools"] = [{"type": "function", "function": dict(t)} for t in request.tools]
        if "stream" in self._refused:
            del wanted["stream_options"]
        return {k: v for k, v in wanted.items() if k not in self._refused}

    async def _take_another_model(self, error: ModelError) -> bool:
        """Tell whether a model nobody chose was replaced by one the endpoint has."""
        if self.chosen or error.code not in {"unknown_model", "bad_request"}:
            return False
        self.chosen = True
        listed = await self.list_models()
        if not listed or self.model in listed:
            return False
        self.model = next((m for m in listed if "embed" not in m.lower()), listed[0])
        return True

    async def list_models(self) -> tuple[str, ...]:
        """List the endpoint's models; empty where it does not say. Raises ModelError: no key."""
        client = await self.clients.sdk(self.endpoint)
        import openai as sdk

        try:
            page = await client.models.list(timeout=5.0)
        except (sdk.OpenAIError, ValueError):
            return ()
        return tuple(m.id for m in page.data or ())


def _join_system(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Put what the system says in front of what the user says next."""
    out, before = list[dict[str, Any]](), list[str]()
    for m in messages:
        if m["role"] == "system":
            before.append(m["content"])
        else:
            said, content = "\n\n".join(before) if m["role"] == "user" else "", m["content"]
            before = [] if m["role"] == "user" else before
            if said and isinstance(content, str):
                content = f"{said}\n\n{content}"
            elif said:
                content = [{"type": "text", "text": said}, *content]
            out.append({**m, "content": content})
    return out


def _add_calls(calls: dict[int, ToolCall], part: Any) -> None:
    """Add what a piece of an answer holds of calls: they come in pieces, too."""
    for n, call in enumerate(getattr(part, "tool_calls", None) or ()):
        at, function = getattr(call, "index", None), call.function
        at = n if at is None else at
        was = calls.get(at, ToolCall(f"call_{at}", "", ""))
        calls[at] = ToolCall(
            call.id or was.id,
            was.name or (function and function.name) or "",
            was.arguments + ((function and function.arguments) or ""),
        )


def _read_usage(event: Any) -> Usage | None:
    if (found := getattr(event, "usage", None)) is None:
        return None
    said = found.model_dump()
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
            chosen = bool(settings.chat_model or getattr(settings, f"{role}_model"))
            endpoint, model = self.locate(settings, choice, role)
            return OpenAIChat(endpoint, clients, model, chosen)

        return make("chat"), make("memory")

    def locate(
        self, settings: Settings, choice: ProviderChoice, role: RoleName
    ) -> tuple[Endpoint, str]:
        """Return where a role's model is; one without an address of its own follows the chat."""
        model, url, key = settings.endpoint(role)
        _, chat_url, chat_key = settings.endpoint("chat")
        if role == "memory" and not (url or key):
            url, key = chat_url, chat_key
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
            return await OpenAIChat(Endpoint.at(url, key), clients).list_models()
        except ModelError:
            return ()


PROVIDER = OpenAI()
