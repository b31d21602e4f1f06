"""Who answers: the case for a chat, and for memory tasks a recorded answer or a real endpoint.

A line of a recorded file is {"case", "step", "task", "n", "answer"}: the n-th answer to a task within a step; an exchange
needs only the case and the answer. Ids of memories stand in it as {name} or {text of the memory}.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zoneinfo import ZoneInfo

from aiohttp import ClientSession, ClientTimeout, web

from memory.models import Memory
from tests.e2e.driver import FakeTime, opened
from tests.eval.talks import PATIENCE, Row, Talk
from tests.servers.openai import OpenAIServer, Reply, Request, count_tokens
from tests.servers.tasks import answer_tasks, task_of

CHAT: Final = "reply-of-the-case"  # the chat model's name: nothing is spent on it


def load_answers(path: Path) -> dict[str, dict[tuple[int, str, int], str]]:
    """Read recorded answers: by case, and within it by step, task and how often it was asked."""
    out: dict[str, dict[tuple[int, str, int], str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        key = (row.get("step", 0), row.get("task", "monitor"), row.get("n", 0))
        out.setdefault(row["case"], {})[key] = row["answer"]
    return out


def list_recorded(case_id: str, calls: Sequence[Row]) -> list[str]:
    """Write the answers of a case as lines of a recorded file."""
    kept = ("step", "task", "n", "answer")
    rows = ({"case": case_id, **{k: c[k] for k in kept}} for c in calls if c["role"] == "memory")
    return [json.dumps(row, ensure_ascii=False) for row in rows]


def count_calls(calls: Sequence[Row]) -> list[list[Any]]:
    """Role, task and tokens of each call: prompt, of it cached, completion."""
    return [[c["role"], c["task"], *c["tokens"]] for c in calls]


class Answerer(OpenAIServer):
    """The loopback server of all cases; a request's key names its case."""

    def __init__(
        self,
        endpoint: tuple[str, str | None] | None = None,
        change: Callable[[Talk, Request, str], str] | None = None,
    ) -> None:
        super().__init__()
        self.talks: dict[str, Talk] = {}
        self.endpoint = endpoint  # base URL and key of the model that is measured
        self.change = change  # what a simulated model makes of a recorded answer
        self._given: dict[int, Reply] = {}
        self._plain = OpenAIServer()
        answer_tasks(self._plain, learned={})
        self.default = lambda request: self._given.pop(id(request))

    async def _chat(self, raw: web.Request, request: Request) -> web.StreamResponse:
        talk = self.talks[request.key]
        if request.model == CHAT:
            call: Row = {"role": "chat", "task": "chat", "request": request.messages}
            self._given[id(request)] = Reply(pieces=[talk.reply])
            self._count(talk, call, request, talk.reply)
            return await super()._chat(raw, request)
        task = task_of(request)
        n = talk.asked[talk.step, task]
        talk.asked[talk.step, task] += 1
        call = {"role": "memory", "task": task, "step": talk.step, "n": n}
        call["request"] = request.messages
        memories = await talk.memories()
        if self.endpoint is not None:
            return await self._pass_on(raw, request, talk, call, memories)
        found = talk.answers.get((talk.step, task, n))
        if found is None:
            default = self._plain.default(request) if callable(self._plain.default) else ""
            found = "[SKIP]" if task == "monitor" else str(getattr(default, "text", default))
        answer = talk.fill(found, memories)
        if self.change is not None and task == "monitor":
            answer = self.change(talk, request, answer)
        call["answer"] = talk.blank(answer, memories)
        self._given[id(request)] = Reply(pieces=[answer])
        self._count(talk, call, request, answer)
        return await super()._chat(raw, request)

    def _count(self, talk: Talk, call: Row, request: Request, answer: str) -> None:
        call["tokens"] = (count_tokens(request.text), 0, count_tokens(answer))
        talk.calls.append(call)

    async def _pass_on(
        self, raw: web.Request, request: Request, talk: Talk, call: Row, memories: list[Memory]
    ) -> web.StreamResponse:
        """Let the real endpoint answer, byte for byte, and read along."""
        assert self.endpoint is not None
        url, key = self.endpoint
        headers = {"authorization": f"Bearer {key or 'none'}"}
        async with (
            ClientSession(timeout=ClientTimeout(PATIENCE)) as http,
            http.post(
                f"{url.rstrip('/')}/chat/completions", json=request.body, headers=headers
            ) as answer,
        ):
            kept = {"content-type": answer.headers.get("content-type", "application/json")}
            if "retry-after" in answer.headers:
                kept["retry-after"] = answer.headers["retry-after"]
            response = web.StreamResponse(status=answer.status, headers=kept)
            await response.prepare(raw)
            body = bytearray()
            async for piece in answer.content.iter_any():
                body += piece
                await response.write(piece)
            await response.write_eof()
        text, call["tokens"] = read_wire(bytes(body))
        call["answer"], call["status"] = talk.blank(text, memories), answer.status
        talk.calls.append(call)
        return response


def read_wire(body: bytes) -> tuple[str, tuple[int, int, int]]:
    """The text of an answer as it came, streamed or whole; its prompt, cached and completion tokens."""
    text, usage = "", dict[str, Any]()
    lines = body.decode("utf-8", "replace").splitlines()
    data = [x[5:].strip() for x in lines if x.startswith("data:")] or ["".join(lines)]
    for one in data:
        try:
            frame = json.loads(one)
        except ValueError:
            continue
        usage = frame.get("usage") or usage
        for choice in frame.get("choices") or ():
            said = choice.get("delta") or choice.get("message") or {}
            text += said.get("content") or ""
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    return text, (usage.get("prompt_tokens") or 0, cached, usage.get("completion_tokens") or 0)


@asynccontextmanager
async def open_talk(
    server: Answerer, case: Mapping[str, Any], start: str, model: str, embedder: str, **more: Any
) -> AsyncIterator[Talk]:
    """Open a case at its first moment, in a home that is gone afterwards."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as home:
        at = datetime.fromisoformat(start).replace(tzinfo=ZoneInfo(case["zone"]))
        settings = {
            "provider": "openai",
            "openai_base_url": server.url,
            "openai_api_key": case["id"],
            "chat_model": CHAT,
            "memory_model": model,
            "embedder": embedder,
            "tz": case["zone"],
            **more,
        }
        async with opened(Path(home), FakeTime(at.astimezone(UTC)), **settings) as window:
            window.tz = case["zone"]
            await window.ebb.ready()
            talk = Talk(case, window)
            server.talks[talk.id] = talk
            yield talk
            await asyncio.sleep(0)
            del server.talks[talk.id]  # it holds an embedder
