"""The memory tools: what a model that calls tools may do while it writes a reply.

They follow the laws of the loop around them. A search shows what recall would; what is kept must
stand in the person's own words of this exchange; nothing is forgotten without asking the person.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from zoneinfo import ZoneInfo

from bot.agent import context
from bot.agent.recall import recall_for_turn
from bot.commands.orders import Orders
from bot.events import Choice, Turn, WindowMode
from bot.llm.base import close_stream
from bot.texts import say
from memory import api
from memory.models import Hit, Json, Lang, Session, Usage
from memory.ports import ChatModel, Chunk, ModelRequest, Store, ToolCall

log = logging.getLogger(__name__)

ROUNDS: Final = 3  # of calls for one reply; the last answer is given no tools
MOST_CALLS: Final = 4  # of one round
LONGEST: Final = 500  # characters of what a model gives a tool
_PARAMETERS: Final[Mapping[str, Mapping[str, str]]] = {  # of each tool: its parameters' types
    "search_memory": {"query": "string", "past": "boolean"},
    "remember": {"sentence": "string", "words": "string"},
    "forget": {"what": "string"},
    "time": {"zone": "string"},
}
_REQUIRED: Final = frozenset({"query", "sentence", "words", "what"})


@dataclass
class MemoryTools:
    """The tools of one turn, and what came of their calls.

    Attributes:
        hits: what was found, for `/why`. question, choices: what the person is asked.
    """

    memory: api.Memory
    store: Store
    turn: Turn
    lang: Lang
    session: Session | None = None
    erase: bool = False
    hits: list[Hit] = field(default_factory=list)
    question: str = ""
    choices: tuple[Choice, ...] = ()

    @property
    def names(self) -> Sequence[str]:
        """The tools that this window has: off the record nothing is kept or looked up."""
        private = self.turn.scope.startswith("user:")
        match self.turn.mode:
            case WindowMode.TEMP:
                return ("time",)
            case WindowMode.PRIVATE:
                return ("search_memory", "time")
        return tuple(_PARAMETERS) if private else ("search_memory", "time")

    def describe(self) -> tuple[Mapping[str, Json], ...]:
        """Describe the tools as models are told: name, description, parameters as JSON schema."""
        return tuple(
            {
                "name": name,
                "description": say(self.lang, f"tool.{name}"),
                "parameters": {
                    "type": "object",
                    "properties": {
                        p: {"type": of, "description": say(self.lang, f"tool.{name}.{p}")}
                        for p, of in _PARAMETERS[name].items()
                    },
                    "required": [p for p in _PARAMETERS[name] if p in _REQUIRED],
                },
            }
            for name in self.names
        )

    async def call(self, call: ToolCall) -> str:
        """Carry out a call and return what the model is told; of a bad one, what was wrong."""
        try:
            given = json.loads(call.arguments or "{}")
        except ValueError:
            given = None
        if call.name not in self.names or not isinstance(given, dict):
            return say(self.lang, "tool.unknown", names=", ".join(self.names))
        texts = {k: " ".join(str(v).split())[:LONGEST] for k, v in given.items()}
        if any(not texts.get(p) for p in _PARAMETERS[call.name] if p in _REQUIRED):
            return say(self.lang, "tool.missing")
        carry_out: Mapping[str, Callable[[Mapping[str, str]], Awaitable[str]]] = {
            "search_memory": self._search,
            "remember": self._remember,
            "forget": self._ask_to_forget,
            "time": self._tell_time,
        }
        try:
            return await carry_out[call.name](texts)
        except Exception:  # a tool that breaks costs its answer, not the reply
            log.exception("tool %s failed", call.name)
            return say(self.lang, "tool.failed")

    async def _search(self, given: Mapping[str, str]) -> str:
        asked = replace(self.turn, review=given.get("past", "").casefold() == "true")
        recall, profile = await recall_for_turn(
            self.memory,
            self.store,
            asked,
            given["query"],
            (),
            self.session,
            local_only=self.turn.mode is WindowMode.PRIVATE,
        )
        found = [h for h in recall.hits if h.why != "secret"]
        self.hits += [h for h in found if h.memory.id not in {x.memory.id for x in self.hits}]
        known = {h.memory.id for h in found}
        standing = (p for p in profile if api.is_standing(p) and p.id not in known)
        every = [*found, *(Hit(p, 1.0, why="profile") for p in standing)]
        lines = [self._write_line(replace(h, asked=True)) for h in every]
        return "\n".join(lines) or say(self.lang, "tool.nothing")

    def _write_line(self, hit: Hit) -> str:
        item = context.format_hit(hit, self.lang, self.turn.tz, self.turn.at)
        marks = [str(item["when"]), str(item["on"]), str(item["phrase"])]
        marks += [say(self.lang, "tool.over")] if item["negated"] or item["superseded"] else []
        return f"- {item['text']} ({'; '.join(filter(None, marks))})"

    async def _remember(self, given: Mapping[str, str]) -> str:
        outcome = await self.memory.keep_said(
            self.turn.user_id, self.turn.id, given["sentence"], given["words"], self.turn.at
        )
        return say(self.lang, f"tool.remember.{outcome}")

    async def _ask_to_forget(self, given: Mapping[str, str]) -> str:
        orders = Orders(self.memory, self.store, self.turn, self.lang, self.erase)
        asked = await orders.ask_to_forget(given["what"])
        if asked is None:
            return say(self.lang, "tool.nothing")
        self.question, self.choices = "\n\n" + asked.text, asked.choices
        return say(self.lang, "tool.asked")

    async def _tell_time(self, given: Mapping[str, str]) -> str:
        zone = given.get("zone") or self.turn.tz
        try:
            local = self.turn.at.astimezone(ZoneInfo(zone))
        except (KeyError, ValueError, OSError):
            return say(self.lang, "tool.zone")
        return f"{context.format_moment(local, self.lang)} ({zone})"


async def stream_with_tools(
    model: ChatModel, request: ModelRequest, tools: MemoryTools | None
) -> AsyncIterator[Chunk]:
    """Yield a reply as one stream, whatever calls lie between its pieces. Raises ModelError."""
    spent, known = Usage(), tools.describe() if tools is not None else ()
    for left in range(ROUNDS, -1, -1):
        said, calls = "", tuple[ToolCall, ...]()
        async with close_stream(
            model.stream(replace(request, tools=known if left else ()))
        ) as chunks:
            async for chunk in chunks:
                said, calls = said + chunk.text, calls or chunk.calls
                usage = spent + chunk.usage if chunk.usage is not None else None
                goes_on = calls and left and tools is not None
                yield replace(
                    chunk, usage=usage, calls=(), finish=None if goes_on else chunk.finish
                )
                spent = usage or spent
        if not calls or tools is None:
            return
        results = [(c, await tools.call(c)) for c in calls[:MOST_CALLS]]
        request = replace(request, messages=[*request.messages, *_write_round(said, results)])


def _write_round(said: str, results: Sequence[tuple[ToolCall, str]]) -> list[dict[str, Any]]:
    """Write what the model called and what came of it, as messages of the OpenAI protocol."""
    calls: list[Json] = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for c, _ in results
    ]
    told = [{"role": "tool", "tool_call_id": c.id, "content": text} for c, text in results]
    return [{"role": "assistant", "content": said, "tool_calls": calls}, *told]
