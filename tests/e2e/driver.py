"""Drives an opened Ebb the way a front end does, with a clock the test moves."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.bootstrap import Ebb, open_ebb
from bot.events import (
    Command,
    CommandOutcome,
    Done,
    Event,
    Failed,
    Recalled,
    Stopped,
    Turn,
    WindowMode,
)
from bot.settings import Settings
from memory.models import Filter, Memory, Message
from tests.servers.openai import OpenAIServer

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_ids = itertools.count()


class FakeTime:
    """A clock that stands still until it is moved."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


@dataclass
class Said:
    """What came of one turn."""

    events: list[Event]
    text: str = ""

    @property
    def last(self) -> Event:
        return self.events[-1]

    @property
    def recalled(self) -> list[Memory]:
        return [h.memory for e in self.events if isinstance(e, Recalled) for h in e.hits]


@dataclass
class Window:
    """One window of one user."""

    ebb: Ebb
    time: FakeTime
    origin: str = "test"
    user_id: str = ""
    scope: str = ""
    tz: str = "Europe/Paris"
    mode: WindowMode = WindowMode.NORMAL
    turns: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.user_id = self.user_id or self.ebb.owner
        self.scope = self.scope or self.ebb.scope

    def turn(self, text: str, turn_id: str | None = None, **more: Any) -> Turn:
        turn_id = turn_id or f"t{next(_ids)}"
        self.turns.append(turn_id)
        return Turn(
            turn_id,
            self.user_id,
            self.scope,
            text,
            self.time(),
            self.tz,
            mode=self.mode,
            origin=self.origin,
            **more,
        )

    async def say(
        self, text: str, turn_id: str | None = None, *, drain: bool = True, **more: Any
    ) -> Said:
        said = Said([])
        async with aclosing(self.ebb.agent.reply(self.turn(text, turn_id, **more))) as events:
            async for event in events:
                said.events.append(event)
        if isinstance(said.last, Done | Stopped):
            said.text = said.last.text
        elif isinstance(said.last, Failed):
            said.text = said.last.sentence
        if drain:
            assert await self.ebb.agent.drain(60) == 0
        self.time.forward(minutes=1)
        return said

    async def do(self, line: str, *, drain: bool = True) -> CommandOutcome:
        name, _, args = line.removeprefix("/").partition(" ")
        outcome = await self.ebb.agent.run_command(
            Command(
                name, args, self.user_id, self.scope, self.origin, self.time(), self.tz, self.mode
            )
        )
        if outcome.mode is not None:
            self.mode = outcome.mode
        if drain:
            assert await self.ebb.agent.drain(60) == 0
        self.time.forward(seconds=5)
        return outcome

    async def memories(self, **f: Any) -> list[Memory]:
        page = await self.ebb.memory.find(self.user_id, Filter(**f), limit=1000)
        return list(page.items)

    async def texts(self, **f: Any) -> list[str]:
        return [m.content for m in await self.memories(**f)]

    async def working(self) -> list[Message]:
        """Working memory: what of the open session is not summarised away."""

        def read(tx: Any) -> list[Message]:
            s = tx.conversations.get_open_session(self.scope)
            return (
                list(tx.conversations.list_messages(session_id=s.id, after=s.summarised_through))
                if s
                else []
            )

        return await self.ebb.store.read(self.user_id, read)


def by_model(server: OpenAIServer) -> Mapping[str, Any]:
    """Settings by which a scripted server answers as `large` and learns as `small`."""
    return {
        "provider": "openai",
        "openai_base_url": server.url,
        "openai_api_key": "test-key",
        "chat_model": "large",
        "memory_model": "small",
        "embedder": "lexical",
    }


@asynccontextmanager
async def opened(
    home: Path, time: FakeTime | None = None, model: OpenAIServer | None = None, **settings: Any
) -> AsyncIterator[Window]:
    """An Ebb with its data in `home`, and the owner's window; `model` answers, or else the offline provider."""
    time = time or FakeTime()
    values: Mapping[str, Any] = {
        "provider": "offline",
        "tz": "Europe/Paris",
        **(by_model(model) if model else {}),
        **settings,
    }
    async with open_ebb(Settings(home=home, **values), clock=time) as ebb:
        yield Window(ebb, time)
