"""One reply at a time, in the order it was asked for; what is typed meanwhile waits its turn."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from bot.events import (
    Delta,
    Done,
    Event,
    Failed,
    Recalled,
    Started,
    Stopped,
    Turn,
    Waiting,
    WindowMode,
)
from tui.connection import AgentConnection
from tui.widgets.conversation import Conversation
from tui.widgets.entries import MessageLine
from tui.widgets.panel import MemoryPanel
from tui.widgets.reply import LiveReply


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A message or a command as it was typed; `turn` where there is one already (retry, review)."""

    text: str
    turn: Turn | None = None
    id: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass
class ReplyQueue:
    """The queue, and the events of the reply at its head.

    `command` carries out a command; `changed` is called when the queue or the stream changes.
    """

    link: AgentConnection
    conversation: Conversation
    panel: MemoryPanel
    command: Callable[[str], Awaitable[None]]
    changed: Callable[[], None]
    _queue: deque[QueuedMessage] = field(default_factory=deque)
    _asked: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _turn: Turn | None = None
    _begun: QueuedMessage | None = None  # out of the queue, and not in the store yet
    _tried: dict[str, Turn] = field(default_factory=dict)  # failed turns, to be tried again

    @property
    def writing(self) -> bool:
        """Whether a reply is coming in."""
        return self._turn is not None

    @property
    def waiting(self) -> list[str]:
        """What was typed ahead."""
        return [asked.text for asked in self._queue]

    def unsent(self, draft: QueuedMessage) -> dict[str, str]:
        """Return what was typed and is neither stored nor being carried out, by id.

        It ends where what follows may be off the record.
        """
        ahead = [*([self._begun] if self._begun else []), *self._queue, draft]
        kept = itertools.takewhile(
            lambda a: a.turn or not a.text.lower().startswith("/temp"), ahead
        )
        done = self._begun.id if self._begun and self._begun.text.startswith("/") else ""
        typed = (a for a in kept if a.turn is None and a.id != done)
        return {a.id: a.text for a in typed if a.text.strip() not in ("", "/quit")}

    def ask(self, asked: QueuedMessage, *, first: bool = False) -> None:
        """Put it at the end of the queue, or at its head."""
        if first:
            self._queue.appendleft(asked)
        else:
            self._queue.append(asked)
        self._asked.set()
        self.changed()

    def take_back(self) -> str | None:
        """Return the newest thing that still waits, for the composer."""
        if not self._queue:
            return None
        asked = self._queue.pop()
        self.changed()
        return asked.text

    def retry(self, turn_id: str) -> bool:
        """Ask a failed turn again."""
        turn = self._tried.pop(turn_id, None)
        if turn is not None:
            self.ask(QueuedMessage(turn.text, turn))
        return turn is not None

    async def stop(self) -> bool:
        """Stop the reply that is coming in."""
        return self._turn is not None and await self.link.agent.stop(self._turn.id)

    async def end(self) -> None:
        """Drop what waits, stop the reply, and keep it as far as it came."""
        self._queue.clear()
        if await self.stop():
            await self._ended.wait()

    async def work(self) -> None:
        """Wait for something to be asked, then answer until nothing waits."""
        await self._asked.wait()
        while self._queue:
            asked = self._begun = self._queue.popleft()
            self.changed()
            try:
                if asked.turn is None and asked.text.startswith("/"):
                    await self.command(asked.text)
                else:
                    await self._answer(asked.turn or self.link.turn(asked.text, turn_id=asked.id))
            finally:
                self._begun = None
        self._asked.clear()
        self.changed()

    async def _answer(self, turn: Turn) -> None:
        self._turn = turn
        self._ended.clear()
        view, off = self.conversation, turn.mode is not WindowMode.NORMAL
        text = turn.text
        if names := [p.name for p in turn.attachments]:
            from memory.api import write_pictures  # not before the first paint

            text = write_pictures(text, names, await self.link.language())
        await view.say(MessageLine("user", text, turn.at, turn.id, off_record=off))
        reply = await view.say(MessageLine("assistant", "", turn.at, turn.id, off_record=off))
        if not isinstance(reply, LiveReply):
            raise TypeError("a turn that is asked has a live reply")
        view.anchor()
        self.changed()
        try:
            async with aclosing(self.link.agent.reply(turn)) as events:
                async for event in events:
                    await self._show(event, turn, reply)
        finally:
            self._turn = None
            self._ended.set()
            view.trim_entries()
            self.changed()

    async def _show(self, event: Event, turn: Turn, reply: LiveReply) -> None:
        view = self.conversation
        match event:
            case Started(session_id=session_id):
                self._begun = None
                user = view.find(turn.id, "user") or reply
                await view.enter_session(session_id, turn.at, before=user)
            case Recalled(hits=hits, late=late):
                await self.panel.recalled(hits, turn.at, late=late)
            case Delta(text=text):
                await reply.write(text)
            case Waiting(sentence=sentence):
                reply.wait(sentence)
            case Done(message_id=message_id, text=text, choices=choices, literal=literal):
                await reply.finish(text, message_id=message_id)
                if literal:
                    await view.settle(reply, literal=True)
                await view.choose(choices)
            case Stopped(message_id=message_id, text=text):
                await reply.finish(text, "stopped", message_id)
            case Failed():
                self._tried[turn.id] = turn
                await reply.fail(event)
