"""A running bot: the real Ebb, the real client, the loopback servers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.bootstrap import Ebb, open_ebb
from bot.chats.telegram.polling import serve
from bot.chats.telegram.wire import BotTiming
from bot.settings import Settings
from bot.tables import list_open_updates
from tests.servers.openai import OpenAIServer, Rule, say
from tests.servers.telegram import ADA, PATIENCE, Person, Shown, TelegramServer

QUICK = BotTiming(
    private_interval=0.05,
    group_interval=0.1,
    first_paint=0.05,
    gather=0.03,
    gather_forward=0.15,
    gather_paste=0.2,
    gather_album=0.2,
    gather_most=1.0,
    notice=0.1,
    retry_first=0.05,
    retry_most=0.2,
    poll=2,
    conflict=0.5,
    drain=2.0,
)


@dataclass
class Bot:
    """The bot, and what its terminal shows."""

    ebb: Ebb
    server: TelegramServer
    model: OpenAIServer
    task: asyncio.Task[int]
    stop: asyncio.Event
    out: list[str] = field(default_factory=list)

    async def code(self) -> str:
        """The owner's code, as printed."""
        line = await self.server.wait_for(lambda: next((s for s in self.out if "start=" in s), ""))
        found = re.search(r"start=([A-Z0-9-]+)", line)
        assert found is not None
        return found[1]

    async def claim(self, user: Person = ADA) -> None:
        """The owner claims it."""
        self.server.say(f"/start {await self.code()}", user=user)
        await self.server.wait_for(lambda: len(self.server.bot_messages(user.id)) >= 2)

    async def ask(
        self, text: str, user: Person = ADA, chat: int | None = None, **more: Any
    ) -> Shown:
        """Say something, and wait for the whole answer."""
        where = user.id if chat is None else chat
        before = {m.id for m in self.server.bot_messages(where)}
        self.server.say(text, user=user, chat=chat, **more)
        return await self.new(where, before)

    async def new(self, chat_id: int, before: set[int]) -> Shown:
        """The next message that is complete: no Stop button under it."""

        def look() -> Shown | None:
            fresh = [
                m for m in self.server.bot_messages(chat_id) if m.id not in before and not m.silent
            ]
            done = [m for m in fresh if "■ Stop" not in m.buttons and "■ 停止" not in m.buttons]
            return done[-1] if done else None

        shown = await self.server.wait_for(look)
        assert shown is not None
        await self.settled()
        return shown

    async def settled(self) -> None:
        """Everything that came has been dealt with."""
        waiting: list[tuple[int, str, str]] = []
        for _ in range(int(PATIENCE / 0.02)):
            waiting = await self.ebb.store.write_system(
                lambda s: list_open_updates(s, "telegram", str(self.server.bot_id))
            )
            if not waiting and not self.server.unconfirmed:
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"still waiting: {waiting}")

    async def notice(self, words: str, chat_id: int = ADA.id) -> Shown:
        """The silent message that contains these words."""
        shown = await self.server.wait_for(
            lambda: next(
                (m for m in self.server.bot_messages(chat_id) if m.silent and words in m.text), None
            )
        )
        assert shown is not None
        return shown

    async def end(self) -> int:
        """Stop it; its exit code."""
        self.stop.set()
        return await asyncio.wait_for(self.task, PATIENCE)


def settings(home: Path, server: TelegramServer, model: OpenAIServer, **more: Any) -> Settings:
    """An Ebb whose talking and learning models are the scripted server's `chat` and `memory`."""
    given: dict[str, Any] = {
        "provider": "openai",
        "openai_api_key": "sk-test",
        "openai_base_url": f"{model.url}/v1" if not model.url.endswith("/v1") else model.url,
        "chat_model": "chat",
        "memory_model": "memory",
        "embedder": "lexical",
        "tz": "Europe/Paris",
        "telegram_token": server.token,
        "telegram_base_url": server.url,
    }
    return Settings(home=home, **{**given, **more})


def script(model: OpenAIServer) -> None:
    """Where a test says nothing else: the memory model learns nothing, the other repeats the newest words."""
    if not any(rule.when == "memory" for rule in model.rules):
        model.rules.append(Rule("memory", say("[SKIP]"), field="model"))
    model.default = lambda r: "You said: " + said_in(r.last)


def said_in(last: str) -> str:
    """Return what the person said, without the time before it and the block behind it."""
    said = last.partition("\n\n<recalled>")[0].rpartition("\n\n")[2]
    return re.sub(r"^\[[^\]]*\d\d:\d\d[^\]]*\] ", "", said)


@asynccontextmanager
async def running(
    home: Path,
    server: TelegramServer,
    model: OpenAIServer,
    *,
    timing: BotTiming = QUICK,
    **more: Any,
) -> AsyncIterator[Bot]:
    """Run it, and stop it."""
    script(model)
    async with open_ebb(settings(home, server, model, **more)) as ebb:
        out: list[str] = []
        stop = asyncio.Event()
        task = asyncio.create_task(serve(ebb, stop=stop, timing=timing, out=out.append))
        bot = Bot(ebb, server, model, task, stop, out)
        try:
            yield bot
        finally:
            stop.set()
            await asyncio.wait({task}, timeout=PATIENCE)
            assert task.done(), "the bot did not stop"
            task.result()
