"""Where each update goes: into its chat's lane, past it (buttons, /stop), or to the door."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

from telegram import Message, Update
from telegram.constants import ChatType

from bot.chats.telegram.access import code_in
from bot.chats.telegram.buttons import ButtonHandlers
from bot.chats.telegram.desk import HandlerContext, oops
from bot.chats.telegram.handlers import MessageHandlers
from bot.chats.telegram.inbox import Inbox
from bot.chats.telegram.incoming import (
    StoredUpdate,
    answer_place,
    get_client_language,
    is_addressed,
    is_service,
    parse_command,
)
from bot.chats.telegram.lanes import ChatQueues
from bot.chats.telegram.notices import LearningNotices
from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.people import format_account_name
from bot.chats.telegram.texts import say
from bot.events import CommandSpec
from memory.models import Lang

log = logging.getLogger(__name__)
NOT_HERE = frozenset({"quit"})  # a chat has no window to close


def menu(commands: Sequence[CommandSpec], lang: Lang) -> list[tuple[str, str]]:
    """(name, help line) of the command menu."""
    of_agent = [(name, helps[lang]) for name, helps in commands if name not in NOT_HERE]
    return [("start", say(lang, "help.start")), *of_agent, ("stop", say(lang, "help.stop"))]


class UpdateDispatcher:
    """Takes updates from the inbox."""

    def __init__(self, desk: HandlerContext) -> None:
        self._desk = desk
        self._handlers = MessageHandlers(desk)
        self._buttons = ButtonHandlers(desk, self._handlers)
        self._name = desk.me.username or ""
        self._lanes = ChatQueues(
            desk.tuning, self._name, self._handlers.batch, self._handlers.composition
        )
        self._names = frozenset(name for name, _ in menu(desk.agent.list_commands(), "en"))
        self._tasks: set[asyncio.Task[None]] = set()
        self._followed: dict[str, asyncio.Task[None]] = {}

    async def admit(self, update: Update) -> tuple[str | None, bool] | None:
        """What an update is to us (see `Inbox`). Raises StoreError."""
        user, chat = update.effective_user, update.effective_chat
        if chat is not None and update.effective_message is not None:
            self._desk.outbox.record_message(chat.id, update.effective_message.message_id)
        if user is None or chat is None or user.is_bot:
            return None
        if update.callback_query is None:
            message = update.message or update.edited_message
            if (
                message is None
                or is_service(message)
                or not is_addressed(message, self._desk.me, self._names)
            ):
                return None
        user_id = await self._desk.door.user_of(user.id)
        if user_id is None:
            return (
                (None, False)
                if chat.type == ChatType.PRIVATE and update.message is not None
                else None
            )
        storable = await self._desk.storable(chat.id)
        if (
            update.message is not None
            and (parse_command(update.message, self._name) or ("",))[0] == "temp"
        ):
            self._desk.becoming(chat.id)
        return user_id, storable

    async def replay(self, updates: Sequence[Update]) -> None:
        """What was kept before a restart and not dealt with."""
        for update in updates:
            user, chat = update.effective_user, update.effective_chat
            user_id = await self._desk.door.user_of(user.id) if user else None
            if user_id is None or chat is None:
                await self._desk.journal.done([update.update_id])  # somebody who was let go since
                continue
            self._take(StoredUpdate(update, user_id, stored=True, replayed=True))

    async def run(self, inbox: Inbox) -> None:
        """Until cancelled."""
        while True:
            item = await inbox.get()
            if isinstance(item, StoredUpdate):
                self._take(item)
            elif isinstance(item, Update) and item.message is not None:
                self._spawn(self._stranger(item.message))
            inbox.task_done()

    async def close(self) -> None:
        """Finish what is being answered; the rest waits in the inbox."""
        for task in self._followed.values():
            task.cancel()
        await self._lanes.close(self._desk.tuning.drain)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._followed.values(), return_exceptions=True)

    async def follow_all(self) -> None:
        """Tell everybody what is learned of them."""
        for user_id in set((await self._desk.door.people()).values()):
            self._follow(user_id)

    def _follow(self, user_id: str) -> None:
        if user_id not in self._followed:
            following = LearningNotices(self._desk, user_id).run()
            self._followed[user_id] = asyncio.create_task(
                self._guarded(following), name=f"telegram-notices-{user_id}"
            )

    def _take(self, kept: StoredUpdate) -> None:
        update = kept.update
        if update.callback_query is not None:
            self._spawn(self._buttons.press(kept))
            return
        command = None if kept.edit else parse_command(kept.message, self._name)
        if command is not None and command[0] == "stop":
            self._spawn(self._stop(kept))
        else:
            self._lanes.add(answer_place(kept.message, self._name).chat_id, kept)

    async def _stop(self, kept: StoredUpdate) -> None:
        message = kept.message
        lang = await self._desk.language(kept.user_id, message.from_user)
        said = await self._handlers.stop(kept, lang=lang)
        place = Destination(
            message.chat_id, private=message.chat.type == ChatType.PRIVATE, recorded=kept.stored
        )
        if said and not kept.replayed:
            await self._desk.recall_sent(place.chat_id)
            await self._desk.show(place, said)
        await self._desk.end("", kept.ids, stored=kept.stored)

    async def _stranger(self, message: Message) -> None:
        """Somebody we do not know: let in with a code, else told so, seldom."""
        user, desk = message.from_user, self._desk
        if user is None:
            return
        lang, place = get_client_language(user), Destination(message.chat_id, recorded=False)
        code = code_in(message.text or "")
        if code is None:
            if desk.door.may_tell(user.id):
                await desk.show(place, say(lang, "stranger"))
            return
        verdict = await desk.door.enter(user.id, code, desk.ebb.clock(), format_account_name(user))
        if verdict in {"owner", "guest"}:
            await desk.show(place, say(lang, "claimed" if verdict == "owner" else "joined"))
            await desk.show(place, say(lang, "hello"))
            await self.follow_all()
        else:
            await desk.show(place, say(lang, "code.wait" if verdict == "wait" else "code.wrong"))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """The boundary of what runs beside the lanes: it is logged, and the bot goes on."""
        try:
            await work
        except Exception as e:  # noqa: BLE001 - said above
            oops(
                "something beside the conversations failed",
                e,
                log_text=self._desk.ebb.settings.log_text,
            )
