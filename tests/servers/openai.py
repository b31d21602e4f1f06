"""A server that speaks the OpenAI protocol (and enough of Ollama's) over loopback, and says what it is told to.

In a test::

    async with OpenAIServer() as server:                    # or the fixture `openai_server`
        server.on("monitor-model", say("[SKIP]"), field="model")
        server.queue.append(say("Hello!", delay=0.01))      # one answer, for whatever comes next
        server.queue.append(fail("rate_limit", retry_after=1))
        server.default = lambda r: f"You said: {r.last}"
        ...
        assert server.chats[0].body["stream"] is True

A request is answered by the first rule that matches it (the newest rule first), else by the queue, else by
`default`. Everything asked is kept in `server.requests`.

By hand: `python -m tests.servers.openai --port 8765 --script answers.json --delay-ms 30`, then
`OPENAI_BASE_URL=http://127.0.0.1:8765/v1 OPENAI_API_KEY=any ebb`. A script looks like this::

    {"default": "Hm.", "queue": ["Hello!", {"text": "cut", "fault": "truncate", "after": 2}],
     "rules": [{"match": "\\[ADD", "reply": "[SKIP]"}, {"match": "hi", "field": "last", "reply": ["one", "two"]}]}
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import hashlib
import json
import re
import ssl
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from aiohttp import web

Fault: TypeAlias = Literal["truncate", "drop", "malformed", "stall", "error", "refuse"]

FAILURES: Mapping[str, tuple[int, str, str, str]] = {  # name: status, type, code, message
    "bad_key": (
        401,
        "invalid_request_error",
        "invalid_api_key",
        "Incorrect API key provided: sk-wr**ng.",
    ),
    "forbidden": (
        403,
        "invalid_request_error",
        "unsupported_country_region_territory",
        "Country not supported.",
    ),
    "no_credit": (
        429,
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota.",
    ),
    "payment": (402, "insufficient_balance", "insufficient_balance", "Insufficient Balance"),
    "rate_limit": (
        429,
        "requests",
        "rate_limit_exceeded",
        "Rate limit reached for requests per minute.",
    ),
    "unknown_model": (
        404,
        "invalid_request_error",
        "model_not_found",
        "The model `x` does not exist.",
    ),
    "context": (
        400,
        "invalid_request_error",
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
    "bad_request": (400, "invalid_request_error", "invalid_value", "Invalid value: 'x'."),
    "server": (500, "server_error", "server_error", "The server had an error."),
    "overloaded": (503, "server_error", "overloaded", "The engine is currently overloaded."),
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers with, and how badly.

    `fault` strikes after `after` pieces of text: `truncate` ends the stream properly but with no finish_reason
    and no [DONE]; `drop` breaks the connection; `malformed` sends a chunk that is no JSON; `stall` says
    nothing more and keeps the line open; `error` sends an error object in the stream; `refuse` breaks the
    connection before a status line.
    """

    text: str = ""
    thinking: str = ""
    thinking_as: Literal["field", "tags"] = "tags"
    pieces: Sequence[str] | None = None  # exactly these pieces, instead of `text` cut into words
    split: int = 0  # cut `text` into pieces of so many characters, instead of words
    finish: str | None = "stop"
    usage: bool = True
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()  # of tools: name and arguments
    delay: float | None = None  # seconds before each piece; None: the server's
    first_delay: float | None = None  # seconds before the first
    fault: Fault | None = None
    after: int = 0
    status: int = 200
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None  # a raw body instead of the protocol's, e.g. a proxy's HTML page

    def cut(self) -> list[str]:
        """The text in the pieces it is streamed in."""
        if self.pieces is not None:
            return list(self.pieces)
        tags = self.thinking and self.thinking_as == "tags"
        text = f"<think>{self.thinking}</think>\n\n{self.text}" if tags else self.text
        if self.split:
            return [text[i : i + self.split] for i in range(0, len(text), self.split)]
        return re.findall(r"\s*[A-Za-z0-9_'\-]+|\s*\S|\s+$", text)

    def whole(self) -> str:
        """The text as one."""
        return "".join(self.cut())


def say(text: str, **more: Any) -> Reply:
    """An answer, e.g. `say("Hello", delay=0.01)` or `say("Hello", fault="drop", after=1)`."""
    return Reply(text=text, **more)


def fail(name: str, *, retry_after: float | str | None = None, **more: Any) -> Reply:
    """A refusal out of `FAILURES`."""
    status, kind, code, message = FAILURES[name]
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    error = {"message": message, "type": kind, "param": None, "code": code}
    return replace(Reply(status=status, error=error, headers=headers), **more)


@dataclass(slots=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: dict[str, Any]
    at: float  # monotonic
    query: Mapping[str, str] = field(default_factory=dict)
    outcome: Literal["open", "done", "aborted", "faulted"] = "open"  # aborted: the client went away
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of a chat request."""
        return list(self.body.get("messages", []))

    @property
    def text(self) -> str:
        """All of what was sent to the model, as one text."""
        if "input" in self.body:
            given = self.body["input"]
            return given if isinstance(given, str) else "\n".join(map(str, given))
        return "\n".join(_content(m) for m in self.messages)

    @property
    def images(self) -> list[bytes]:
        """The pictures it came with, by either protocol."""
        parts = [
            p["image_url"]["url"].partition("base64,")[2]
            for m in self.messages
            if isinstance(m.get("content"), list)
            for p in m["content"]
            if p["type"] == "image_url"
        ]
        ours = [i for m in self.messages for i in m.get("images", ())]
        return [base64.b64decode(coded) for coded in (*parts, *ours)]

    @property
    def system(self) -> str:
        """The system messages."""
        return "\n".join(
            _content(m) for m in self.messages if m.get("role") in {"system", "developer"}
        )

    @property
    def last(self) -> str:
        """The newest message."""
        return _content(self.messages[-1]) if self.messages else ""

    @property
    def model(self) -> str:
        """The model asked for."""
        return str(self.body.get("model", ""))

    @property
    def key(self) -> str:
        """The key it came with."""
        return self.headers.get("authorization", "").removeprefix("Bearer ")


Answer: TypeAlias = Reply | str
Answers: TypeAlias = Answer | Sequence[Answer] | Callable[[Request], Answer]
When: TypeAlias = str | re.Pattern[str] | Callable[[Request], bool]


@dataclass(slots=True)
class Rule:
    """Answers for requests that match. A sequence is used up in order, its last one staying."""

    when: When
    answers: Answers
    field: Literal["text", "system", "last", "model"] = "text"
    endpoint: Literal["chat", "embeddings"] = "chat"
    times: int | None = None  # how often it may still answer
    used: int = 0

    def matches(self, request: Request) -> bool:
        """Whether this rule answers."""
        if self.times is not None and self.used >= self.times:
            return False
        if callable(self.when):
            return self.when(request)
        return re.search(self.when, getattr(request, self.field)) is not None

    def answer(self, request: Request) -> Reply:
        """The next answer."""
        n, self.used = self.used, self.used + 1
        given = self.answers
        if isinstance(given, Sequence) and not isinstance(given, str):
            given = given[min(n, len(given) - 1)]
        return _reply(given(request) if callable(given) else given)


class OpenAIServer:
    """The server; use it as an async context manager."""

    def __init__(self, *, port: int = 0, delay: float = 0.0, first_delay: float = 0.0) -> None:
        self.port = port
        self.delay = delay
        self.first_delay = first_delay
        self.queue: deque[Answer] = deque()
        self.rules: list[Rule] = []
        self.default: Answer | Callable[[Request], Answer] = lambda r: f"You said: {r.last}"
        self.requests: list[Request] = []
        self.models = ["gpt-4o-mini", "text-embedding-3-small"]
        self.strict_models = False  # whether a model that is not listed is refused with 404
        self.key: str | None = None  # where set, other keys are refused with 401
        self.rejects: set[str] = set()  # parameters, and roles, refused with 400
        self.tls: ssl.SSLContext | None = None
        self.context_tokens: int | None = None  # a longer prompt is refused (chat) or cut (Ollama)
        self.dim = 64
        self.scale = 1.0  # length of the vectors
        self.ollama: str | None = None  # a version makes it an Ollama; `models` are then its models
        self.library = {"qwen3:4b": {"sha256:3e4cb141": 2_500_000_000, "sha256:ae370d88": 1_700}}
        self.capabilities = ["completion", "tools"]  # of every model of an Ollama
        self.pulled: dict[str, int] = {}  # bytes of each layer that are here
        self.pull_breaks: list[str] = []  # after half of a pull: an error line, or "drop"
        self.pull_delay = 0.0  # seconds between two lines
        self._runner: web.AppRunner | None = None
        self._arrived = asyncio.Condition()

    # --- scripting and looking ---

    def on(self, when: When, answers: Answers, **more: Any) -> Rule:
        """Answer requests whose text (or `field`: system, last, model) matches; the newest rule comes first."""
        rule = Rule(when, answers, **more)
        self.rules.insert(0, rule)
        return rule

    def load(self, script: Mapping[str, Any]) -> None:
        """Take a script, as in a file."""
        if "default" in script:
            self.default = _reply(script["default"])
        self.queue.extend(_reply(r) for r in script.get("queue", ()))
        for row in script.get("rules", ()):
            rule = dict(row)
            given = rule.pop("reply")
            answers: Answers = (
                [_reply(r) for r in given] if isinstance(given, list) else _reply(given)
            )
            self.rules.append(Rule(rule.pop("match"), answers, **rule))
        for name in (
            "models",
            "strict_models",
            "key",
            "context_tokens",
            "dim",
            "ollama",
            "delay",
            "first_delay",
        ):
            if name in script:
                setattr(self, name, script[name])
        self.rejects |= set(script.get("rejects", ()))

    @property
    def root(self) -> str:
        """Its address without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """What belongs into OPENAI_BASE_URL."""
        return f"{self.root}/v1"

    @property
    def chats(self) -> list[Request]:
        """The chat requests, by either protocol."""
        return [r for r in self.requests if r.path.endswith(("/chat/completions", "/api/chat"))]

    @property
    def embeddings(self) -> list[Request]:
        """The embedding requests."""
        return [r for r in self.requests if r.path.endswith("/embeddings")]

    async def wait_for(self, n: int, when: When = "", *, timeout: float = 10.0) -> list[Request]:
        """The first `n` requests that match, once they have come."""

        def found() -> list[Request]:
            rule = Rule(when, "")
            return [r for r in self.requests if rule.matches(r)]

        async with asyncio.timeout(timeout), self._arrived:
            await self._arrived.wait_for(lambda: len(found()) >= n)
        return found()[:n]

    # --- running ---

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/{base:.*}/chat/completions", self._serve(self._chat))
        app.router.add_post("/v1/embeddings", self._serve(self._embed))
        app.router.add_get("/v1/models", self._serve(self._models))
        app.router.add_get("/api/version", self._serve(self._version))
        app.router.add_get("/api/tags", self._serve(self._tags))
        app.router.add_post("/api/pull", self._serve(self._pull))
        app.router.add_post("/api/show", self._serve(self._show))
        app.router.add_post("/api/chat", self._serve(self._ollama_chat))
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, ssl_context=self.tls)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def _serve(
        self, handler: Callable[[web.Request, Request], Any]
    ) -> Callable[[web.Request], Any]:
        async def serve(raw: web.Request) -> web.StreamResponse:
            body: dict[str, Any] = {}
            if raw.can_read_body:
                body = json.loads(await raw.read())
            headers = {k.lower(): v for k, v in raw.headers.items()}
            request = Request(raw.method, raw.path, headers, body, time.monotonic(), raw.query)
            self.requests.append(request)
            async with self._arrived:
                self._arrived.notify_all()
            try:
                response: web.StreamResponse = await handler(raw, request)
            except (asyncio.CancelledError, ConnectionError):
                request.outcome = "aborted"
                raise
            else:
                if request.outcome == "open":
                    request.outcome = "done"
                return response
            finally:
                request.over.set()

        return serve

    def _choose(self, request: Request, endpoint: str) -> Reply | None:
        for rule in self.rules:
            if rule.endpoint == endpoint and rule.matches(request):
                return rule.answer(request)
        if endpoint == "embeddings":
            return None
        if self.queue:
            return _reply(self.queue.popleft())
        return _reply(self.default(request) if callable(self.default) else self.default)

    def _refusal(self, request: Request) -> Reply | None:
        """A refusal that holds whatever the script says."""
        if self.key is not None and request.key != self.key:
            return fail("bad_key")
        if self.rejects & {m.get("role") for m in request.messages}:
            return Reply(status=400, error={"message": "System role not supported"})
        if "images" in self.rejects and request.images:
            message = "Invalid content type. image_url is only supported by certain models."
            return Reply(status=400, error={"message": message, "type": "invalid_request_error"})
        for name in sorted(n for n in self.rejects if request.body.get(n)):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            error = {"message": message, "type": "invalid_request_error", "param": name}
            return Reply(status=400, error=error | {"code": "unsupported_parameter"})
        if self.strict_models and request.model not in self.models:
            message = f"The model `{request.model}` does not exist or you do not have access to it."
            error = {"message": message, "type": "invalid_request_error"}
            return Reply(status=404, error=error | {"code": "model_not_found"})
        if self.context_tokens is not None and count_tokens(request.text) > self.context_tokens:
            return fail("context")
        return None

    # --- the OpenAI protocol ---

    async def _chat(self, raw: web.Request, request: Request) -> web.StreamResponse:
        reply = self._refusal(request) or self._choose(request, "chat")
        assert reply is not None
        if early := await self._early(raw, request, reply):
            return early
        if request.body.get("stream"):
            return await self._stream(raw, request, reply)
        pieces = reply.cut()
        await asyncio.sleep(self._pause(reply, first=True) + self._pause(reply) * len(pieces))
        if reply.fault in {"drop", "stall"}:
            return await self._break(raw, request, reply)
        message: dict[str, Any] = {"role": "assistant", "content": reply.whole()}
        if reply.thinking and reply.thinking_as == "field":
            message["reasoning_content"] = reply.thinking
        choice = {"index": 0, "message": message, "finish_reason": reply.finish, "logprobs": None}
        body = self._frame(request, "chat.completion") | {"choices": [choice]}
        if reply.usage:
            body["usage"] = _usage(request, reply)
        return web.json_response(body)

    async def _early(
        self, raw: web.Request, request: Request, reply: Reply
    ) -> web.StreamResponse | None:
        """The answer where there is nothing to stream."""
        if reply.fault == "refuse":
            return await self._break(raw, request, reply)
        if reply.body is not None:
            return web.Response(
                status=reply.status,
                text=reply.body,
                content_type="text/html",
                headers=reply.headers,
            )
        if reply.status != 200:
            await asyncio.sleep(reply.first_delay or 0.0)
            return web.json_response(
                {"error": reply.error}, status=reply.status, headers=reply.headers
            )
        return None

    async def _stream(self, raw: web.Request, request: Request, reply: Reply) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"content-type": "text/event-stream"} | dict(reply.headers)
        )
        await response.prepare(raw)
        frame = self._frame(request, "chat.completion.chunk")

        async def send(delta: Mapping[str, Any], finish: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
            await _event(response, frame | {"choices": [choice]})

        async for delta in self._deltas(reply):
            await send(delta)
        if reply.fault == "truncate":
            request.outcome = "faulted"
            return response
        if reply.fault:
            return await self._break(raw, request, reply, response)
        await send({}, reply.finish)
        if reply.usage and (request.body.get("stream_options") or {}).get("include_usage"):
            await _event(response, frame | {"choices": [], "usage": _usage(request, reply)})
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _deltas(self, reply: Reply) -> AsyncIterator[Mapping[str, Any]]:
        await asyncio.sleep(self._pause(reply, first=True))
        if reply.fault and reply.after == 0:
            return
        yield {"role": "assistant", "content": ""}
        if reply.thinking and reply.thinking_as == "field":
            for piece in Reply(reply.thinking).cut():
                yield {"reasoning_content": piece}
        for i, piece in enumerate(reply.cut()):
            if reply.fault and i >= reply.after:
                return
            await asyncio.sleep(self._pause(reply))
            yield {"content": piece}
        for i, (name, arguments) in enumerate(reply.calls):
            begun = {"index": i, "id": f"call_{i}", "type": "function"}
            text = json.dumps(arguments, ensure_ascii=False)
            yield {"tool_calls": [begun | {"function": {"name": name, "arguments": ""}}]}
            for part in (text[:7], text[7:]):  # in pieces, as they come
                yield {"tool_calls": [{"index": i, "function": {"arguments": part}}]}

    async def _break(
        self,
        raw: web.Request,
        request: Request,
        reply: Reply,
        response: web.StreamResponse | None = None,
    ) -> web.StreamResponse:
        request.outcome = "faulted"
        if reply.fault == "stall":
            await asyncio.Event().wait()
        elif reply.fault == "malformed" and response is not None:
            await response.write(b'data: {"id": "chatcmpl-1", "choices": [{"delta": {"cont\n\n')
            return response
        elif reply.fault == "error" and response is not None:
            await _event(
                response,
                {"error": dict(reply.error or {"message": "Overloaded", "type": "server_error"})},
            )
            return response
        if raw.transport is not None:
            await asyncio.sleep(0.01)  # what was written is on its way
            raw.transport.abort()
        return response or web.Response()

    def _pause(self, reply: Reply, *, first: bool = False) -> float:
        own = reply.first_delay if first else reply.delay
        return (self.first_delay if first else self.delay) if own is None else own

    def _frame(self, request: Request, kind: str) -> dict[str, Any]:
        n = len(self.requests)
        return {
            "id": f"chatcmpl-{n}",
            "object": kind,
            "created": 1_767_225_600,
            "model": request.model,
        }

    async def _models(self, raw: web.Request, request: Request) -> web.StreamResponse:
        if self.key is not None and request.key != self.key:
            return web.json_response({"error": fail("bad_key").error}, status=401)
        rows = [
            {"id": m, "object": "model", "created": 1_767_225_600, "owned_by": "tests"}
            for m in self.models
        ]
        return web.json_response({"object": "list", "data": rows})

    async def _embed(self, raw: web.Request, request: Request) -> web.StreamResponse:
        reply = self._refusal(request) or self._choose(request, "embeddings")
        if reply is not None:
            await asyncio.sleep(self._pause(reply, first=True))
            if early := await self._early(raw, request, reply):
                return early
        given = request.body["input"]
        texts = [given] if isinstance(given, str) else given
        dim = int(request.body.get("dimensions") or self.dim)
        rows = []
        for i, text in enumerate(texts):
            vector = vector_of(text, dim) * np.float32(self.scale)
            packed = base64.b64encode(vector.astype("<f4").tobytes()).decode()
            shown = packed if request.body.get("encoding_format") == "base64" else vector.tolist()
            rows.append({"object": "embedding", "index": i, "embedding": shown})
        tokens = sum(map(count_tokens, texts))
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return web.json_response(
            {"object": "list", "data": rows, "model": request.model, "usage": usage}
        )

    # --- enough of Ollama ---

    async def _version(self, raw: web.Request, request: Request) -> web.StreamResponse:
        if self.ollama is None:
            raise web.HTTPNotFound
        return web.json_response({"version": self.ollama})

    async def _tags(self, raw: web.Request, request: Request) -> web.StreamResponse:
        if self.ollama is None:
            raise web.HTTPNotFound
        rows = []
        for i, name in enumerate(self.models):
            families = ["bert"] if "embed" in name else ["llama"]
            details = {"family": families[0], "families": families, "parameter_size": "7B"}
            at = f"2026-01-{i + 1:02}T00:00:00Z"
            rows.append(
                {
                    "name": name,
                    "model": name,
                    "modified_at": at,
                    "size": 4 * 10**9,
                    "details": details,
                }
            )
        return web.json_response({"models": rows})

    async def _pull(self, raw: web.Request, request: Request) -> web.StreamResponse:
        """Lines as Ollama writes them; what came before a break is not sent again."""
        if self.ollama is None:
            raise web.HTTPNotFound
        name = str(request.body["model"])
        response = web.StreamResponse(headers={"content-type": "application/x-ndjson"})
        await response.prepare(raw)
        await _line(response, {"status": "pulling manifest"})
        if name not in self.library:
            await _line(response, {"error": "pull model manifest: file does not exist"})
            return response
        for digest, total in self.library[name].items():
            row = {"status": f"pulling {digest[7:]}", "digest": digest, "total": total}
            await _line(response, row)  # before anything has come it names no `completed`
            while (done := self.pulled.get(digest, 0)) < total:
                if done >= total // 2 and self.pull_breaks:
                    fault = self.pull_breaks.pop(0)
                    if fault == "drop":
                        return await self._break(raw, request, Reply(fault="drop"), response)
                    await _line(response, {"error": fault})
                    return response
                self.pulled[digest] = min(total, done + max(1, total // 8))
                await _line(response, row | {"completed": self.pulled[digest]})
                await asyncio.sleep(self.pull_delay)
        for status in (
            "verifying sha256 digest",
            "writing manifest",
            "removing any unused layers",
            "success",
        ):
            await _line(response, {"status": status})
        self.models.append(name)
        return response

    async def _show(self, raw: web.Request, request: Request) -> web.StreamResponse:
        if self.ollama is None:
            return web.json_response({"error": "404 page not found"}, status=404)
        return web.json_response({"capabilities": self.capabilities})

    async def _ollama_chat(self, raw: web.Request, request: Request) -> web.StreamResponse:
        if self.ollama is None:
            raise web.HTTPNotFound
        if request.model not in self.models:
            return web.json_response({"error": f"model '{request.model}' not found"}, status=404)
        reply = self._choose(request, "chat")
        assert reply is not None
        if reply.status != 200:
            said = str((reply.error or {}).get("message", ""))
            return web.json_response({"error": said}, status=reply.status, headers=reply.headers)
        if early := await self._early(raw, request, reply):
            return early
        response = web.StreamResponse(headers={"content-type": "application/x-ndjson"})
        await response.prepare(raw)
        frame = {"model": request.model, "created_at": "2026-01-01T00:00:00Z"}
        async for delta in self._deltas(reply):
            message: dict[str, Any] = {"role": "assistant", "content": delta.get("content", "")}
            if "tool_calls" in delta:
                continue  # Ollama sends them whole
            if "reasoning_content" in delta:
                message["thinking"] = delta["reasoning_content"]
            await _line(response, frame | {"message": message, "done": False})
        if reply.fault == "truncate":
            return response
        if reply.fault == "malformed":
            await response.write(b'{"model": "x", "mess\n')
            return response
        if reply.fault == "error":
            await _line(response, {"error": "an error was encountered while running the model"})
            return response
        if reply.fault:
            return await self._break(raw, request, reply, response)
        for name, arguments in reply.calls:
            called = {"function": {"name": name, "arguments": arguments}}
            message = {"role": "assistant", "content": "", "tool_calls": [called]}
            await _line(response, frame | {"message": message, "done": False})
        usage = _usage(request, reply)
        last: dict[str, Any] = frame | {
            "message": {"role": "assistant", "content": ""},
            "done": True,
        }
        last |= {"done_reason": reply.finish, "prompt_eval_count": usage["prompt_tokens"]}
        await _line(response, last | {"eval_count": usage["completion_tokens"]})
        return response


# --- small things ---


def count_tokens(text: str) -> int:
    """Roughly what a tokeniser would count: a CJK character each, else four characters."""
    wide = len(re.findall(r"[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]", text))
    return wide + (len(text) - wide + 3) // 4


def vector_of(text: str, dim: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """A vector that depends on the text alone; texts that share words (or CJK pairs) are near each other."""
    lowered = text.lower()
    words = re.findall(r"[a-z0-9]+|[\u3400-\u9fff]", lowered) or [lowered]
    total = np.zeros(dim)
    for word in words:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(dim)
    unit: np.ndarray[Any, np.dtype[np.float32]] = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


def _usage(request: Request, reply: Reply) -> dict[str, Any]:
    sent, made = count_tokens(request.text), count_tokens(reply.whole())
    details = {"cached_tokens": 0}
    return {
        "prompt_tokens": sent,
        "completion_tokens": made,
        "total_tokens": sent + made,
        "prompt_tokens_details": details,
    }


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content)


_NAMES = {f.name for f in fields(Reply)}


def _reply(given: Any) -> Reply:
    if isinstance(given, Reply):
        return given
    if isinstance(given, str):
        return Reply(given)
    given = dict(given)
    if name := given.pop("fail", None):
        return replace(fail(name, retry_after=given.pop("retry_after", None)), **given)
    if unknown := set(given) - _NAMES:
        raise ValueError(f"a reply has no {', '.join(sorted(unknown))}")
    return Reply(**given)


async def _event(response: web.StreamResponse, data: Mapping[str, Any]) -> None:
    await response.write(b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n")


async def _line(response: web.StreamResponse, data: Mapping[str, Any]) -> None:
    await response.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")


async def _main(argv: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.servers.openai", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--script", type=Path, help="a JSON file with default, queue and rules")
    parser.add_argument("--delay-ms", type=float, default=20.0, help="before each token")
    parser.add_argument("--first-delay-ms", type=float, default=200.0, help="before the first")
    parser.add_argument("--ollama", metavar="VERSION", help="be found as an Ollama of this version")
    parser.add_argument("--quiet", action="store_true", help="print no requests")
    args = parser.parse_args(argv)
    server = OpenAIServer(
        port=args.port, delay=args.delay_ms / 1000, first_delay=args.first_delay_ms / 1000
    )
    server.ollama = args.ollama
    if args.script:
        server.load(json.loads(args.script.read_text(encoding="utf-8")))
    async with server:
        print(f"OPENAI_BASE_URL={server.url}", flush=True)
        shown = 0
        while True:
            for request in server.requests[shown:]:
                shown += 1
                if not args.quiet:
                    print(f"\n{request.method} {request.path}", flush=True)
                    print(json.dumps(request.body, ensure_ascii=False, indent=2), flush=True)
            await asyncio.sleep(0.1)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_main(sys.argv[1:]))
