"""What every handler needs: the agent, the bot, where replies went, and each chat's mode."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from telegram import Bot, InlineKeyboardMarkup, User

from bot.bootstrap import Ebb
from bot.chats.telegram.inbox import BotState
from bot.chats.telegram.incoming import get_client_language
from bot.chats.telegram.outbox import ChatGone, Destination, Outbox, ReplyStream
from bot.chats.telegram.people import AccessControl
from bot.chats.telegram.render import render_plain
from bot.chats.telegram.wire import BotTiming
from bot.events import Command, CommandOutcome, WindowMode
from memory.errors import StoreError
from memory.models import Lang

log = logging.getLogger(__name__)


@dataclass
class RunningTurn:
    """A turn being answered in a chat."""

    turn_id: str
    stopping: bool = False


class HandlerContext:
    """One bot's state and means."""

    def __init__(self, ebb: Ebb, bot: Bot, timing: BotTiming) -> None:
        self.ebb = ebb
        self.agent = ebb.agent
        self.bot = bot
        self.timing = timing
        self.state = BotState(ebb.store, bot.id, ebb.clock)
        self.people = AccessControl(ebb.store, ebb.owner, timing.stranger)
        self.outbox = Outbox(bot, timing, self._on_sending, self._on_sent)
        self.running: dict[int, RunningTurn] = {}  # by chat
        self.extracting: set[str] = set()  # users who closed a session here
        self.albums: dict[int, str] = {}  # the newest of each chat: parts may come late
        self.prefix = f"tg-{bot.id}-"  # of the ids of this bot's turns
        self.becoming: set[int] = set()  # chats with a /temp on its way through the queue
        self._records: dict[str, dict[str, Any]] = {}  # of what is being sent, by key
        self._modes: dict[int, WindowMode] = {}

    @property
    def me(self) -> User:
        """Return the bot's own account."""
        return self.bot.bot

    def log_error(self, what: str, e: BaseException) -> None:
        """Log an unexpected error, without its message: that may quote what somebody said."""
        said = f": {e}" if self.ebb.settings.log_text else ""
        frames = "".join(traceback.format_tb(e.__traceback__))
        log.error("%s: %s%s\n%s", what, type(e).__name__, said, frames)

    async def detect_language(self, user_id: str, user: User | None = None, said: str = "") -> Lang:
        """Return the language set, else that of what is said, or was said last, or the client's."""
        return await self.agent.detect_language(user_id, said, get_client_language(user))

    async def make_command(
        self, name: str, args: str, where: Destination, user_id: str, lang: Lang | None
    ) -> Command:
        """Make a command of a person's own conversation (as in their terminal), or the group's."""
        return Command(
            name,
            args,
            user_id,
            scope=f"user:{user_id}" if where.private else f"chat:{where.chat_id}",
            origin=f"telegram:{where.chat_id}",
            at=self.ebb.clock(),
            tz=self.ebb.tz,
            mode=await self.get_mode(where.chat_id),
            lang=lang,
        )

    async def run_command(
        self, name: str, args: str, where: Destination, user_id: str, lang: Lang | None
    ) -> CommandOutcome:
        """Have the agent carry out a command."""
        command = await self.make_command(name, args, where, user_id, lang)
        return await self.agent.run_command(command)

    # --- modes ---

    async def get_mode(self, chat_id: int) -> WindowMode:
        """Return how the chat is remembered; that outlives a restart."""
        if chat_id not in self._modes:
            record = await self.state.read(f"mode:{chat_id}")
            self._modes[chat_id] = WindowMode(record.get("mode", WindowMode.NORMAL))
        return self._modes[chat_id]

    async def set_mode(self, chat_id: int, mode: WindowMode) -> None:
        """Remember how the chat is remembered."""
        await self.state.write(**{f"mode:{chat_id}": {"mode": mode.value}})
        self._modes[chat_id] = mode

    async def is_storable(self, chat_id: int) -> bool:
        """Tell whether what is said there may be written down."""
        return chat_id not in self.becoming and await self.get_mode(chat_id) is WindowMode.NORMAL

    # --- writing ---

    async def begin(self, where: Destination, updates: Sequence[int]) -> dict[str, Any]:
        """Open the record of what goes out under a key, or find it as a restart left it.

        `messages` in it are those that exist already. Where a crash fell between sending the first
        one and hearing its id, it is looked for before anything is sent.
        """
        record = await self.state.read(where.key) if where.recorded else {}
        if not record:
            record = {"updates": list(updates), "messages": []}
            if where.recorded:
                await self.state.write(**{where.key: record})
        elif not record.get("done"):
            record["again"] = True
            if record.get("after") and not record["messages"]:
                self.outbox.check_lost_message(where.chat_id, int(record["after"]))
        self._records[where.key] = record
        return record

    async def end(self, where: Destination, updates: Sequence[int], **records: Any) -> None:
        """Mark the updates as done, and close the record of what went out."""
        record = self._records.pop(where.key, {})
        if where.recorded:
            closed = {"done": True, "messages": record.get("messages", [])}
            await self.state.finish(updates, **{where.key: closed}, **records)

    async def _on_sending(self, where: Destination, newest: int) -> None:
        """Record behind which id a reply's first message would be found after a crash."""
        record = self._records.get(where.key)
        # What an earlier attempt left may still turn up, so the first id stays.
        if record is not None and not record["messages"] and "after" not in record:
            await self._record(where, record, after=newest)

    async def _on_sent(self, where: Destination, message_id: int) -> None:
        record = self._records.get(where.key)
        if record is not None and message_id not in record["messages"]:
            await self._record(where, record, messages=[*record["messages"], message_id])

    async def _record(self, where: Destination, record: dict[str, Any], **values: Any) -> None:
        record.update(values)
        if where.recorded:
            try:
                await self.state.write(**{where.key: record})
            except StoreError as e:
                log.warning("what is sent could not be recorded: %s", e)

    async def show(
        self,
        where: Destination,
        text: str,
        markup: InlineKeyboardMarkup | None = None,
        shown: Sequence[int] = (),
    ) -> None:
        """Show a whole text as it stands; a chat that is gone is no error."""
        with contextlib.suppress(ChatGone):
            reply = ReplyStream(self.outbox, where, shown=shown)
            await reply.finish(render_plain(text), markup)
