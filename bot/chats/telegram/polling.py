"""The bot's life: getting in touch, fetching updates for as long as it runs, and stopping without
losing any.

It is alive as long as it asks for updates (`getUpdates`); nothing else is watched. Network errors
are waited out. Three things end it with a sentence: a token Telegram refuses, another program
polling for as long as `BotTiming.conflict`, and `stop`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable

from telegram import Bot, BotCommand, Update
from telegram.error import InvalidToken, TelegramError
from telegram.ext import Updater

from bot.bootstrap import Ebb
from bot.chats.telegram.access import LIFE, AccessControl, new_code
from bot.chats.telegram.desk import HandlerContext
from bot.chats.telegram.dispatch import UpdateDispatcher, menu
from bot.chats.telegram.inbox import BotState, Inbox
from bot.chats.telegram.texts import say
from bot.chats.telegram.tuning import BotTiming
from bot.chats.telegram.wire import PollRequest, guard_logs, make_bot
from bot.texts import LANGS
from memory.models import Lang

log = logging.getLogger(__name__)
Out = Callable[[str], None]
_ALLOWED = [Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY]
_TICK = 0.2


def _silent(_sentence: str) -> None:
    """Say nothing."""


async def serve(
    ebb: Ebb, *, stop: asyncio.Event, tuning: BotTiming | None = None, out: Out = _silent
) -> int:
    """Run the bot until `stop` is set: 0, or 2 if it cannot run.

    `out` hears what whoever runs it must know.
    """
    settings, tuning = ebb.settings, tuning or BotTiming()
    lang: Lang = settings.lang or "en"
    if not settings.telegram_token:
        out(say(lang, "run.no_token", env=settings.env_file))
        return 2
    guard_logs(settings.telegram_token, log_text=settings.log_text)
    bot, polling = make_bot(settings.telegram_token, settings.telegram_base_url)
    life = _BotLife(ebb, bot, polling, tuning, stop, out, lang)
    try:
        return await life.live()
    finally:
        with contextlib.suppress(TelegramError, RuntimeError):
            await bot.shutdown()


class _BotLife:
    def __init__(
        self,
        ebb: Ebb,
        bot: Bot,
        polling: PollRequest,
        tuning: BotTiming,
        stop: asyncio.Event,
        out: Out,
        lang: Lang,
    ) -> None:
        self._ebb = ebb
        self._bot = bot
        self._polling = polling
        self._tuning = tuning
        self._stop = stop
        self._out = out
        self._lang: Lang = lang
        self._trouble = ""  # what was last said to be wrong
        self._poller: asyncio.Task[None] | None = None

    async def live(self) -> int:
        """From the first getMe to the last getUpdates."""
        if (code := await self._introduce()) is not None:
            return code
        journal = BotState(self._ebb.store, self._bot.id, self._ebb.clock)
        door = AccessControl(
            self._ebb.store, self._ebb.owner, self._tuning.stranger, self._tuning.people
        )
        desk = HandlerContext(self._ebb, self._bot, journal, door, self._tuning)
        dispatcher = UpdateDispatcher(desk)
        inbox = Inbox(journal, dispatcher.admit)
        updater = Updater(self._bot, inbox)
        await updater.initialize()
        await dispatcher.replay(await journal.waiting(self._bot))
        extras = [
            asyncio.create_task(dispatcher.run(inbox), name="telegram-dispatch"),
            asyncio.create_task(self._menu(desk), name="telegram-menu"),
            asyncio.create_task(self._offer(door), name="telegram-claim"),
        ]
        self._ebb.warm()
        try:
            await dispatcher.follow_all()
            self._out(say(self._lang, "run.ready", name=self._bot.username))
            if self._ebb.needs_setup:
                self._out(say(self._lang, "run.setup"))
            return await self._poll(updater)
        finally:
            for task in extras:
                task.cancel()
            await asyncio.gather(*extras, return_exceptions=True)
            await dispatcher.close()

    async def _introduce(self) -> int | None:
        """getMe, until it is answered. A code where the bot cannot run or was stopped."""
        delay = self._tuning.retry_first
        while not self._stop.is_set():
            try:
                await self._bot.initialize()
            except InvalidToken:
                self._out(say(self._lang, "run.bad_token"))
                return 2
            except TelegramError as e:
                self._lost(e)
                await self._rest(delay)
                delay = min(delay * 2, self._tuning.retry_most)
            else:
                self._found()
                return None
        return 0

    # --- polling ---

    async def _poll(self, updater: Updater) -> int:
        try:
            while not self._stop.is_set():
                await self._start(updater)
                code = await self._watch()
                if code is not None:
                    return code
                await self._halt(updater)
            return 0
        finally:
            await self._halt(updater)

    async def _start(self, updater: Updater) -> None:
        """Start polling; the webhook is removed first, which takes a network."""
        delay = self._tuning.retry_first
        while not self._stop.is_set():
            before = asyncio.all_tasks()
            try:
                await updater.start_polling(
                    timeout=self._tuning.poll, allowed_updates=_ALLOWED, error_callback=self._lost
                )
            except InvalidToken:
                self._polling.refused = True
                return
            except TelegramError as e:
                self._lost(e)
                await self._rest(delay)
                delay = min(delay * 2, self._tuning.retry_most)
            else:
                new = asyncio.all_tasks() - before
                self._poller = next((t for t in new if "polling_task" in t.get_name()), None)
                return

    async def _watch(self) -> int | None:
        """Until stopped (0) or ended (2); None if polling has to be started anew."""
        while not self._stop.is_set():
            await self._rest(_TICK)
            if self._polling.refused:
                self._out(say(self._lang, "run.bad_token"))
                return 2
            if self._polling.conflict_for > self._tuning.conflict:
                return 2
            if self._trouble and self._polling.well:
                self._found()
            dead = self._poller is not None and self._poller.done()
            if dead or time.monotonic() - self._polling.begun_at > self._tuning.silent_poll:
                log.warning("polling had stopped; starting it anew")
                return None
        return 0

    async def _halt(self, updater: Updater) -> None:
        """Stop polling.

        An updater asleep between two attempts (for 30 s, in the end) would not hear of it.
        """
        if not updater.running:
            return
        if self._poller is not None and not self._polling.well and not self._polling.asking:
            self._poller.cancel()
        try:
            await asyncio.wait_for(updater.stop(), 3.0)
        except (TimeoutError, TelegramError) as e:
            # What is not confirmed comes again, and the inbox knows what it has.
            log.info("polling was cut short: %s", type(e).__name__)
        self._poller = None

    def _lost(self, e: TelegramError) -> None:
        """A request failed; said once, until it works again."""
        trouble = "run.unreachable" if self._polling.conflict_since is None else "run.conflict"
        if self._trouble != trouble and not self._polling.refused:
            self._trouble = trouble
            self._out(say(self._lang, trouble, why=type(e).__name__))

    def _found(self) -> None:
        if self._trouble:
            self._trouble = ""
            self._out(say(self._lang, "run.reached"))

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), seconds)

    # --- beside it ---

    async def _menu(self, desk: HandlerContext) -> None:
        """Set the command menu: in the first language for everybody, in each other one for its clients."""
        for lang in LANGS:
            commands = [
                BotCommand(name, text[:256])
                for name, text in menu(desk.agent.list_commands(), lang)
            ]
            delay = self._tuning.retry_first
            for _ in range(5):
                try:
                    await self._bot.set_my_commands(
                        commands, language_code=None if lang == LANGS[0] else lang
                    )
                    break
                except TelegramError as e:
                    log.info("the command menu could not be set: %s", type(e).__name__)
                    await asyncio.sleep(delay)
                    delay *= 2

    async def _offer(self, door: AccessControl) -> None:
        """Print a code until the owner has claimed the bot; a new one when it expires."""
        while not await door.claimed():
            code = await new_code(self._ebb.store, "owner", self._ebb.clock())
            self._out(say(self._lang, "run.claim", name=self._bot.username, code=code))
            await asyncio.sleep(LIFE.total_seconds())
