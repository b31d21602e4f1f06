"""Where each update goes: into its chat's queue, past it (buttons, /stop), or to the door."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from telegram import Update
from telegram.constants import ChatType
from telegram.ext import Application, CallbackContext, MessageHandler, TypeHandler, filters

from bot.chats.telegram.buttons import handle_press, stop_reply
from bot.chats.telegram.context import HandlerContext
from bot.chats.telegram.handlers import MessageHandlers
from bot.chats.telegram.inbox import Inbox, StoredUpdate
from bot.chats.telegram.incoming import (
    find_answer_place,
    get_client_language,
    get_destination,
    is_addressed,
    is_service,
    parse_command,
)
from bot.chats.telegram.notices import LearningNotices
from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.people import format_account_name, parse_code
from bot.chats.telegram.queues import ChatQueues
from bot.chats.telegram.texts import say
from bot.events import CommandSpec
from memory.models import Lang

NOT_HERE = frozenset({"quit"})  # a chat has no window to close
App = Application[Any, Any, Any, Any, Any, Any]
Context = CallbackContext[Any, Any, Any, Any]


def list_menu(commands: Sequence[CommandSpec], lang: Lang) -> list[tuple[str, str]]:
    """List (name, help line) of the command menu."""
    of_agent = [(name, helps[lang]) for name, helps in commands if name not in NOT_HERE]
    return [("start", say(lang, "help.start")), *of_agent, ("stop", say(lang, "help.stop"))]


class UpdateRouter:
    """Takes updates from the inbox."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._name = context.me.username or ""
        self._commands = frozenset(n for n, _ in list_menu(context.agent.list_commands(), "en"))
        handlers = MessageHandlers(context)
        self._queues = ChatQueues(
            context.timing, self._name, handlers.handle, handlers.find_composition
        )
        self._followed: dict[str, asyncio.Task[None]] = {}
        self.inbox = Inbox(context.state, self.admit)

    async def start(self, application: App) -> None:
        """Register the handlers, and queue what was kept before a restart and not dealt with."""
        self._application = application
        application.add_handler(TypeHandler(StoredUpdate, self._take))
        application.add_handler(MessageHandler(filters.ALL, self._meet_stranger, block=False))
        application.add_error_handler(self._log_error)
        for update in await self._context.state.list_waiting(self._context.bot):
            user = update.effective_user
            user_id = await self._context.people.find_user(user.id) if user else None
            if user_id is None:  # somebody who was let go since
                await self._context.state.finish([update.update_id])
            else:
                await self.inbox.put(StoredUpdate(update, user_id, stored=True, replayed=True))

    async def admit(self, update: Update) -> tuple[str | None, bool] | None:
        """Say what an update is to us (see `Inbox`). Raises StoreError."""
        context, user, chat = self._context, update.effective_user, update.effective_chat
        if chat is not None and update.effective_message is not None:
            context.outbox.record_message(chat.id, update.effective_message.message_id)
        if user is None or chat is None or user.is_bot:
            return None
        message = update.message or update.edited_message
        if update.callback_query is None and (
            message is None
            or is_service(message)
            or not is_addressed(message, context.me, self._commands)
        ):
            return None
        user_id = await context.people.find_user(user.id)
        if user_id is None:
            greeted = chat.type == ChatType.PRIVATE and update.message is not None
            return (None, False) if greeted else None
        storable = await context.is_storable(chat.id)
        if update.message is not None and self._parse_name(update.message) == "temp":
            context.becoming.add(chat.id)
        return user_id, storable

    def _parse_name(self, message: Any) -> str:
        command = parse_command(message, self._name)
        return command[0] if command else ""

    async def _take(self, kept: StoredUpdate, _: Context) -> None:
        if kept.update.callback_query is not None:
            self._application.create_task(handle_press(self._context, kept))
        elif not kept.edit and self._parse_name(kept.message) == "stop":
            self._application.create_task(self._stop(kept))
        else:
            chat_id = find_answer_place(kept.message, self._name).chat_id
            self._queues.add(chat_id, kept)

    async def _stop(self, kept: StoredUpdate) -> None:
        context, message = self._context, kept.message
        lang = await context.detect_language(kept.user_id, message.from_user)
        said = await stop_reply(context, message.chat_id, lang)
        if said and not kept.replayed:
            await context.recall_sent(message.chat_id)
            await context.show(get_destination(message), said)
        await context.state.finish(kept.ids)

    async def _meet_stranger(self, update: Update, _: Context) -> None:
        """Let somebody we do not know in with a code, else tell them so, seldom."""
        context, message = self._context, update.message
        user = message.from_user if message else None
        if message is None or user is None:
            return
        code, key = parse_code(message.text or ""), ["stranger"]
        if code is not None:
            name, now = format_account_name(user), context.ebb.clock()
            verdict = await context.people.enter(user.id, code, now, name)
            key = {
                "owner": ["claimed", "hello"],
                "guest": ["joined", "hello"],
                "wait": ["code.wait"],
                "wrong": ["code.wrong"],
            }[verdict]
        elif not context.people.may_tell(user.id):
            return
        for one in key:
            place = Destination(message.chat_id, recorded=False)
            await context.show(place, say(get_client_language(user), one))
        await self.follow_all()

    async def follow_all(self) -> None:
        """Tell everybody what is learned of them."""
        for user_id in set((await self._context.people.list_users()).values()):
            if user_id not in self._followed:
                notices = LearningNotices(self._context, user_id)
                self._followed[user_id] = self._application.create_task(notices.run())

    async def close(self) -> None:
        """Finish what is being answered; the rest waits in the inbox."""
        for task in self._followed.values():
            task.cancel()
        await self._queues.close(self._context.timing.drain)

    async def _log_error(self, _update: object, context: Context) -> None:
        if context.error is not None:
            self._context.log_error("something beside the conversations failed", context.error)
