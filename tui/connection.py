"""The one connection to Ebb: opened behind the first paint, closed when the window goes."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import uuid
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from bot.events import Command, CommandOutcome, Status, Turn, WindowMode
from bot.settings import Settings
from memory.models import Lang, Memory, Message

if TYPE_CHECKING:
    from bot.agent.loop import EbbAgent
    from bot.bootstrap import Ebb

STEP = 0.3  # seconds between two looks at how much is left to learn
Opener: TypeAlias = "Callable[[Settings], AbstractAsyncContextManager[Ebb]]"


@dataclass
class AgentConnection:
    """Opens Ebb in a task of its own and speaks to its agent in this window's name."""

    settings: Settings
    opener: Opener | None = None
    mode: WindowMode = WindowMode.NORMAL
    origin: str = field(default_factory=lambda: f"terminal:{os.getpid()}:{uuid.uuid4().hex[:6]}")
    _ebb: Ebb | None = None
    _task: asyncio.Task[None] | None = None
    _leave: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_open(self) -> bool:
        """Whether Ebb can be spoken to."""
        return self._ebb is not None

    @property
    def ebb(self) -> Ebb:
        """The open Ebb. Raises RuntimeError before `open` is through."""
        if self._ebb is None:
            raise RuntimeError("Ebb is not open yet")
        return self._ebb

    @property
    def agent(self) -> EbbAgent:
        """The open Ebb's loop."""
        return self.ebb.agent

    async def open(self) -> Ebb:
        """Open it; raise whatever the composition root raises."""
        if self.opener is None:  # the import takes time, so a thread does it
            module = await asyncio.to_thread(importlib.import_module, "bot.bootstrap")
            self.opener = module.open_ebb
        ready: asyncio.Future[Ebb] = asyncio.get_running_loop().create_future()
        self._leave = asyncio.Event()
        self._task = asyncio.create_task(self._live(self.opener, ready), name="ebb")
        return await ready

    async def _live(self, opener: Opener, ready: asyncio.Future[Ebb]) -> None:
        try:
            async with opener(self.settings) as ebb:
                self._ebb = ebb
                ready.set_result(ebb)
                await self._leave.wait()
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)
        finally:
            self._ebb = None

    async def close(self) -> None:
        """Close it, if it is open; give up, if it is still being opened."""
        self._leave.set()
        if self._task is not None:
            task, self._task = self._task, None
            if self._ebb is None:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def reopen(self, settings: Settings) -> Ebb:
        """Open it anew with other settings."""
        await self.close()
        self.settings = settings
        return await self.open()

    # what this window says, in its own name

    def turn(self, text: str, *, turn_id: str | None = None) -> Turn:
        """Make a message of this window, as of now."""
        ebb, id_ = self.ebb, turn_id or uuid.uuid4().hex
        return Turn(id_, ebb.owner, ebb.scope, text, ebb.clock(), ebb.tz, self.mode, self.origin)

    async def command(self, name: str, args: str = "") -> CommandOutcome:
        """Run a slash command of this window."""
        ebb = self.ebb
        return await ebb.agent.run_command(
            Command(name, args, ebb.owner, ebb.scope, self.origin, ebb.clock(), ebb.tz, self.mode)
        )

    async def status(self) -> Status:
        """Read what the header shows."""
        return await self.agent.get_status(self.ebb.owner, self.ebb.scope, self.ebb.clock())

    async def history(self, limit: int) -> list[Message]:
        """Read the newest messages of this conversation, oldest first."""
        return await self.agent.list_history(self.ebb.owner, self.ebb.scope, limit=limit)

    async def memories(self, ids: list[str]) -> dict[str, Memory]:
        """Read memories by id; what is gone is left out."""
        return {m.id: m for m in await self.agent.get_memories(self.ebb.owner, ids)} if ids else {}

    async def language(self) -> Lang:
        """Return the language Ebb speaks with this person."""
        return self.settings.lang or await self.agent.detect_language(self.ebb.owner)

    async def finish(self, patience: float, tell: Callable[[int], None]) -> int:
        """Wait for background work, telling every so often how much is left.

        Returns what is left for the next start.
        """
        # One call to the end: when its time is over, it gives back what is being worked on.
        drain = asyncio.create_task(self.agent.drain(patience), name="drain")
        try:
            while not (await asyncio.wait({drain}, timeout=STEP))[0]:
                tell((await self.status()).pending_jobs)
            return drain.result()
        finally:
            drain.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await drain
