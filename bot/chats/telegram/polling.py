"""The bot's life: getting in touch, taking updates for as long as it runs, and stopping.

It is alive as long as it asks for updates (`getUpdates`). Network errors are waited out. Three
things end it with a sentence: a token Telegram refuses, another program polling for as long as
`BotTiming.conflict`, and `stop`. No update is lost by that.

An update goes into its chat's queue, past it (buttons, /stop), or to the door (strangers).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from telegram import BotCommand, Message, Update
from telegram.constants import ChatType
from telegram.error import BadRequest, Conflict, InvalidToken, TelegramError
from telegram.ext import Application, MessageHandler, TypeHandler, Updater, filters

from bot.bootstrap import Ebb
from bot.chats.telegram.buttons import handle_press, stop_reply
from bot.chats.telegram.context import HandlerContext
from bot.chats.telegram.handlers import BatchHandler, answer_press, find_place
from bot.chats.telegram.inbox import Inbox, StoredUpdate
from bot.chats.telegram.incoming import (
    ChatQueues,
    find_answer_place,
    get_client_language,
    get_destination,
    is_addressed,
    is_service,
    parse_command,
)
from bot.chats.telegram.notices import LearningNotices
from bot.chats.telegram.outbox import Destination
from bot.chats.telegram.people import LIFE, format_account_name, make_code, parse_code
from bot.chats.telegram.texts import say
from bot.chats.telegram.wire import BotTiming, PollingBot, guard_logs, wait_for_event
from bot.texts import LANGS
from memory.models import Lang

log = logging.getLogger(__name__)
Out = Callable[[str], None]
_ALLOWED = [Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY]
_PATIENCE = 3.0  # seconds for a last request when stopping
_MET = {
    "owner": ("claimed", "hello"),
    "guest": ("joined", "hello"),
    "wait": ("code.wait",),
    "wrong": ("code.wrong",),
}


async def serve(ebb: Ebb, *, stop: asyncio.Event, timing: BotTiming, out: Out) -> int:
    """Run the bot until `stop` is set: 0, or 2 if it cannot run.

    `out` hears what whoever runs it must know.
    """
    settings, lang = ebb.settings, ebb.settings.lang or "en"
    if not settings.telegram_token:
        out(say(lang, "run.no_token", env=settings.env_file))
        return 2
    guard_logs(settings.telegram_token, log_text=settings.log_text)
    watch = _ConnectionWatch(timing, stop, out, lang)
    bot = PollingBot(settings.telegram_token, settings.telegram_base_url, watch.note)
    try:
        if await watch.retry(bot.initialize):
            await _UpdateRouter(HandlerContext(ebb, bot, timing)).run(bot, watch)
    finally:
        with contextlib.suppress(TelegramError, RuntimeError):
            await bot.shutdown()
    return watch.code


@dataclass
class _ConnectionWatch:
    """Tells whoever runs the bot what goes wrong, and ends it where that is no use."""

    timing: BotTiming
    stop: asyncio.Event
    out: Out
    lang: Lang
    code: int = 0
    _trouble: str = ""  # what was last said to be wrong
    _conflict_since: float = 0.0

    def tell(self, key: str, **values: object) -> None:
        """Say a sentence where the bot runs."""
        self.out(say(self.lang, f"run.{key}", **values))

    def note(self, e: TelegramError | None) -> None:
        """Note how a request went: trouble is said once, until one works again."""
        now, trouble = time.monotonic(), "unreachable"
        if e is None:
            trouble, self._conflict_since = "", 0.0
        elif isinstance(e, InvalidToken):
            trouble = "bad_token"
        elif isinstance(e, Conflict) or self._conflict_since:
            trouble, self._conflict_since = "conflict", self._conflict_since or now
        if trouble != self._trouble:
            self._trouble = trouble
            self.tell(trouble or "reached", why=type(e).__name__)
        lasting = self._conflict_since and now - self._conflict_since > self.timing.conflict
        if trouble == "bad_token" or lasting:
            self.code = 2
            self.stop.set()

    async def retry(self, attempt: Callable[[], Awaitable[object]]) -> bool:
        """Try until Telegram answers; False if the bot ends before."""
        delay = self.timing.retry_first
        while not self.stop.is_set():
            try:
                await attempt()
            except TelegramError as e:
                self.note(e)
                await wait_for_event(self.stop, delay)
                delay = min(delay * 2, self.timing.retry_most)
            else:
                self.note(None)
                return True
        return False

    async def poll(self, updater: Updater, bot: PollingBot) -> None:
        """Poll until the bot ends, and begin anew where polling has ended by itself."""

        async def start() -> None:
            await updater.start_polling(
                timeout=self.timing.poll,
                allowed_updates=_ALLOWED,
                error_callback=lambda _: None,  # `note` has heard of it
            )

        while await self.retry(start):
            tasks = {t.get_name(): t for t in asyncio.all_tasks()}
            poller = tasks["Updater:start_polling:polling_task"]
            stopping = asyncio.create_task(self.stop.wait())
            await asyncio.wait({poller, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if not bot.asking:
                poller.cancel()  # asleep between two attempts, it would not hear of it
            try:
                await asyncio.wait_for(updater.stop(), _PATIENCE)
            except (TimeoutError, TelegramError) as e:
                # What is not confirmed comes again, and the inbox knows what it has.
                log.info("polling was cut short: %s", type(e).__name__)


class _UpdateRouter:
    """Takes updates from the inbox to those who deal with them."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._name = context.me.username or ""
        self._menus = {lang: self._list_menu(lang) for lang in LANGS}
        self._commands = frozenset(c.command for c in self._menus[LANGS[0]])
        self._queues = ChatQueues(
            context.timing, self._name, lambda parts: BatchHandler(context, parts).run()
        )
        self._inbox = Inbox(context.state, self._admit)
        self._application = (
            Application.builder().bot(context.bot).update_queue(self._inbox).job_queue(None).build()
        )
        self._application.add_handler(TypeHandler(StoredUpdate, self._take))
        self._application.add_handler(MessageHandler(filters.ALL, self._meet_stranger, block=False))
        self._application.add_error_handler(self._log_error)
        self._followed: dict[str, asyncio.Task[None]] = {}

    async def run(self, bot: PollingBot, watch: _ConnectionWatch) -> None:
        """Take updates until the bot ends, then finish what is being answered."""
        context, application = self._context, self._application
        async with application:
            await self._replay()
            await application.start()
            beside = [
                asyncio.create_task(work)
                for work in (self._set_menus(), self._offer_code(watch), self._follow_all())
            ]
            context.ebb.warm()
            try:
                watch.tell("ready", name=bot.username)
                if context.ebb.needs_setup:
                    watch.tell("setup")
                if application.updater is not None:
                    await watch.poll(application.updater, bot)
            finally:
                beside += self._followed.values()
                for task in beside:
                    task.cancel()
                await self._queues.close(context.timing.drain)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(application.stop(), _PATIENCE)
                await asyncio.gather(*beside, return_exceptions=True)

    async def _replay(self) -> None:
        """Queue what was kept before a restart and not dealt with, batches as they were."""
        context = self._context
        for update in await context.state.list_waiting(context.bot):
            user = update.effective_user
            user_id = await context.people.find_user(user.id) if user else None
            if user_id is None:  # somebody who was let go since
                await context.state.finish([update.update_id])
                continue
            kept = StoredUpdate(update, user_id, stored=True, replayed=True)
            if update.callback_query is None:
                record = await context.state.read(find_place(context, kept).key)
                kept = replace(kept, together=tuple(record.get("updates", ())))
            await self._inbox.put(kept)

    async def _admit(self, update: Update) -> StoredUpdate | Update | None:
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
            return update if greeted else None
        storable = await context.is_storable(chat.id)
        if update.message is not None and self._is_command(update.message, "temp"):
            context.becoming.add(chat.id)
        return StoredUpdate(update, user_id, storable)

    def _is_command(self, message: Message, name: str) -> bool:
        command = parse_command(message, self._name)
        return command is not None and command[0] == name

    async def _take(self, kept: StoredUpdate, _: Any) -> None:
        if kept.update.callback_query is not None:
            self._application.create_task(handle_press(self._context, kept, answer_press))
        elif not kept.edit and self._is_command(kept.message, "stop"):
            self._application.create_task(self._stop(kept))
        else:
            self._queues[find_answer_place(kept.message, self._name).chat_id].add(kept)

    async def _stop(self, kept: StoredUpdate) -> None:
        context, message = self._context, kept.message
        lang = await context.detect_language(kept.user_id, message.from_user)
        said = await stop_reply(context, message.chat_id, lang)
        if said and not kept.replayed:
            await context.show(get_destination(message), said)
        await context.state.finish([kept.id])

    async def _meet_stranger(self, update: Update, _: Any) -> None:
        """Let somebody we do not know in with a code, else tell them so, seldom."""
        context, message, user = self._context, update.message, update.effective_user
        if message is None or user is None:
            return
        code = parse_code(message.text or "")
        said: Sequence[str] = ("stranger",)
        if code is not None:
            name, now = format_account_name(user), context.ebb.clock()
            said = _MET[await context.people.enter(user.id, code, now, name)]
        elif not context.people.may_tell(user.id):
            return
        for key in said:
            place = Destination(message.chat_id, recorded=False)
            await context.show(place, say(get_client_language(user), key))
        await self._follow_all()

    async def _log_error(self, _: object, context: Any) -> None:
        self._context.log_error("something beside the conversations failed", context.error)

    # --- beside it ---

    async def _follow_all(self) -> None:
        """Tell everybody what is learned of them."""
        for user_id in set((await self._context.people.list_users()).values()):
            if user_id not in self._followed:
                notices = LearningNotices(self._context, user_id)
                self._followed[user_id] = asyncio.create_task(notices.run())

    def _list_menu(self, lang: Lang) -> list[BotCommand]:
        """List the command menu; a chat has no window to quit, and no files of this machine."""
        named = [(name, helps[lang]) for name, helps in self._context.agent.list_commands()]
        own = [(name, say(lang, f"help.{name}")) for name in ("start", "stop")]
        menu = [own[0], *(entry for entry in named if entry[0] not in ("quit", "image")), own[1]]
        return [BotCommand(name, text[:256]) for name, text in menu]

    async def _set_menus(self) -> None:
        """Set the command menu: the first language for everybody, others for their clients."""
        for lang, menu in self._menus.items():
            code = None if lang == LANGS[0] else lang
            attempt = partial(self._context.bot.set_my_commands, menu, language_code=code)
            try:
                await self._context.outbox.retry(attempt)
            except BadRequest as e:
                log.info("the command menu could not be set: %s", e.message)

    async def _offer_code(self, watch: _ConnectionWatch) -> None:
        """Print a code until the owner has claimed the bot; a new one when it expires."""
        context = self._context
        while not await context.people.is_claimed():
            code = await make_code(context.ebb.store, "owner", context.ebb.clock())
            watch.tell("claim", name=context.me.username, code=code)
            await asyncio.sleep(LIFE.total_seconds())
