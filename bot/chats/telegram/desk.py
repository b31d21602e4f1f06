"""What every handler needs at hand: the agent, the bot, where replies went, and each chat's mode."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from telegram import Bot, InlineKeyboardMarkup, User

from bot.bootstrap import Ebb
from bot.chats.telegram.access import AccessControl
from bot.chats.telegram.inbox import BotState
from bot.chats.telegram.incoming import get_client_language
from bot.chats.telegram.lists import SearchKeys
from bot.chats.telegram.outbox import ChatGone, Destination, Outbox
from bot.chats.telegram.render import render_plain
from bot.chats.telegram.streaming import ReplyStream
from bot.chats.telegram.tuning import BotTiming
from bot.events import Agent, Command, WindowMode
from memory.errors import StoreError
from memory.models import Lang

log = logging.getLogger(__name__)


def oops(what: str, e: BaseException, *, log_text: bool) -> None:
    """Log an unexpected error.

    Its message may quote what somebody said, so it is left out unless allowed.
    """
    frames = "".join(traceback.format_tb(e.__traceback__))
    log.error("%s: %s%s\n%s", what, type(e).__name__, f": {e}" if log_text else "", frames)


@dataclass
class RunningTurn:
    """A turn being answered in a chat."""

    turn_id: str
    message_ids: tuple[int, ...]
    started: bool = False
    stopping: bool = False
    memory_off: bool = False


@dataclass
class HandlerContext:
    """One per bot."""

    ebb: Ebb
    bot: Bot
    journal: BotState
    door: AccessControl
    tuning: BotTiming
    outbox: Outbox = field(init=False)
    running: dict[int, RunningTurn] = field(default_factory=dict)
    searches: SearchKeys = field(default_factory=SearchKeys)
    extracting: dict[str, list[Destination]] = field(
        default_factory=dict
    )  # user → chats that closed a session
    _records: dict[str, dict[str, Any]] = field(default_factory=dict)
    _modes: dict[int, WindowMode] = field(default_factory=dict)
    _recalled: set[int] = field(default_factory=set)
    _becoming: set[int] = field(default_factory=set)  # a /temp is on its way through the queue

    def __post_init__(self) -> None:
        self.outbox = Outbox(self.bot, self.tuning, self._on_sent, self._on_sending)

    @property
    def agent(self) -> Agent:
        """The agent loop."""
        return self.ebb.agent

    @property
    def me(self) -> User:
        """The bot's own account."""
        return self.bot.bot

    # --- who and in which language ---

    def scope(self, where: Destination, user_id: str) -> str:
        """The conversation: a person's own (shared with their terminal), or the group's."""
        return f"user:{user_id}" if where.private else f"chat:{where.chat_id}"

    async def language(self, user_id: str, user: User | None, said: str = "") -> Lang:
        """The language set; else of what is being said, else of what was said last, else of the client."""
        return await self.agent.detect_language(user_id, said, get_client_language(user))

    def command(
        self,
        name: str,
        args: str,
        where: Destination,
        user_id: str,
        lang: Lang | None,
        mode: WindowMode,
    ) -> Command:
        """A command as the agent takes it."""
        return Command(
            name=name,
            args=args,
            user_id=user_id,
            scope=self.scope(where, user_id),
            origin=self.origin(where),
            at=self.ebb.clock(),
            tz=self.ebb.tz,
            mode=mode,
            lang=lang,
        )

    def origin(self, where: Destination) -> str:
        """The window."""
        return f"telegram:{where.chat_id}"

    # --- modes ---

    async def mode(self, chat_id: int) -> WindowMode:
        """How the chat is remembered; outlives a restart, so that nobody is off the record unknowingly not."""
        if chat_id not in self._modes:
            record = await self.journal.record(f"mode:{chat_id}")
            self._modes[chat_id] = WindowMode(record.get("mode", WindowMode.NORMAL))
        return self._modes[chat_id]

    async def set_mode(self, chat_id: int, mode: WindowMode) -> None:
        """Remember it."""
        self._becoming.discard(chat_id)
        if await self.mode(chat_id) is not mode:
            await self.journal.write(**{f"mode:{chat_id}": {"mode": mode.value}})
            self._modes[chat_id] = mode

    def becoming(self, chat_id: int) -> None:
        """A command that changes the mode has come; until it is carried out, nothing is stored."""
        self._becoming.add(chat_id)

    def became(self, chat_id: int) -> None:
        """It was carried out."""
        self._becoming.discard(chat_id)

    async def storable(self, chat_id: int) -> bool:
        """Whether what is said there may be written down."""
        return chat_id not in self._becoming and await self.mode(chat_id) is WindowMode.NORMAL

    # --- writing ---

    async def recall_sent(self, chat_id: int) -> None:
        """Learn, once, which messages in the chat were ours before a restart."""
        if chat_id not in self._recalled:
            self._recalled.add(chat_id)
            record = await self.journal.record(f"sent:{chat_id}")
            self.outbox.record_own_messages(chat_id, record.get("ids", []))

    async def begin(
        self, key: str, updates: Sequence[int], *, stored: bool, **more: Any
    ) -> dict[str, Any]:
        """Open the record of what goes out under `key`; returns it, with what is in it from before a restart."""
        if key in self._records:
            return self._records[key]  # a command that turned out to be a turn
        record = await self.journal.record(key) if stored else {}
        if not record:
            record = {"updates": list(updates), "messages": [], **more}
            if stored:
                await self.journal.write(**{key: record})
        elif not record.get("done"):
            record["again"] = True
        self._records[key] = record
        return record

    async def end(self, key: str, updates: Sequence[int], *, stored: bool, **records: Any) -> None:
        """Mark the updates as done and close the record (an empty key has none)."""
        record = self._records.pop(key, {})
        if stored and not key:
            await self.journal.done(updates)
        elif stored:
            closed = {"done": True, "messages": record.get("messages", [])}
            await self.journal.done(updates, **{key: closed}, **records)

    async def _on_sending(self, where: Destination, newest: int) -> None:
        """Record, before a reply's first message is sent, behind which id it would be found after a crash."""
        record = self._records.get(where.key)
        if (
            where.recorded
            and record is not None
            and not record["messages"]
            and "after" not in record
        ):
            record["after"] = newest
            await self._write(**{where.key: record})

    async def _write(self, **records: Any) -> None:
        try:
            await self.journal.write(**records)
        except StoreError as e:
            log.warning("what is sent could not be recorded: %s", e)

    async def _on_sent(self, where: Destination, message_id: int, ours: list[int]) -> None:
        record = self._records.get(where.key)
        if record is not None and message_id not in record["messages"]:
            record["messages"].append(message_id)
        if not where.recorded:
            return
        records: dict[str, Any] = {f"sent:{where.chat_id}": {"ids": ours}}
        if record is not None and not record.get("done"):
            records[where.key] = record
        await self._write(**records)

    async def show(
        self,
        where: Destination,
        text: str,
        markup: InlineKeyboardMarkup | None = None,
        *,
        shown: Sequence[int] = (),
        reply_to: int | None = None,
    ) -> list[int]:
        """Show a whole text as it stands; a chat that is gone is no error.

        Returns the ids of its messages.
        """
        reply = ReplyStream(self.outbox, where, self.tuning, shown=shown, reply_to=reply_to)
        try:
            return await reply.finish(render_plain(text), markup)
        except ChatGone:
            log.info("a chat is gone")
            return []
