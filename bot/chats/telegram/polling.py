"""The bot's life: getting in touch, taking updates for as long as it runs, and stopping.

It is alive as long as it asks for updates (`getUpdates`). Network errors are waited out. Three
things end it with a sentence: a token Telegram refuses, another program polling for as long as
`BotTiming.conflict`, and `stop`. No update is lost by that.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable

from telegram import BotCommand, Update
from telegram.error import BadRequest, Conflict, InvalidToken, TelegramError, TimedOut
from telegram.ext import Application, Updater

from bot.bootstrap import Ebb
from bot.chats.telegram.context import HandlerContext
from bot.chats.telegram.people import LIFE, make_code
from bot.chats.telegram.routing import UpdateRouter, list_menu
from bot.chats.telegram.texts import say
from bot.chats.telegram.wire import BotTiming, PollingBot, guard_logs
from bot.texts import LANGS
from memory.models import Lang

log = logging.getLogger(__name__)
Out = Callable[[str], None]
_ALLOWED = [Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY]
_PATIENCE = 3.0  # seconds for a last request when stopping


async def serve(ebb: Ebb, *, stop: asyncio.Event, timing: BotTiming, out: Out) -> int:
    """Run the bot until `stop` is set: 0, or 2 if it cannot run.

    `out` hears what whoever runs it must know.
    """
    settings, lang = ebb.settings, ebb.settings.lang or "en"
    if not settings.telegram_token:
        out(say(lang, "run.no_token", env=settings.env_file))
        return 2
    guard_logs(settings.telegram_token, log_text=settings.log_text)
    bot = PollingBot(settings.telegram_token, settings.telegram_base_url)
    life = _BotLife(ebb, bot, timing, stop, out, lang)
    try:
        if await life.retry(bot.initialize):
            await life.run()
    finally:
        with contextlib.suppress(TelegramError, RuntimeError):
            await bot.shutdown()
    return life.code


class _BotLife:
    def __init__(
        self,
        ebb: Ebb,
        bot: PollingBot,
        timing: BotTiming,
        stop: asyncio.Event,
        out: Out,
        lang: Lang,
    ) -> None:
        self._ebb = ebb
        self._bot = bot
        self._timing = timing
        self._stop = stop
        self._out = out
        self._lang: Lang = lang
        self._trouble = ""  # what was last said to be wrong
        self._conflict_since: float | None = None
        self.code = 0
        bot.watch(self._note)

    async def run(self) -> None:
        """Take updates until stopped."""
        context = HandlerContext(self._ebb, self._bot, self._timing)
        router = UpdateRouter(context)
        builder = Application.builder().bot(self._bot).update_queue(router.inbox).job_queue(None)
        async with builder.build() as application:
            await router.start(application)
            await application.start()
            beside = [
                asyncio.create_task(self._set_menu(context)),
                asyncio.create_task(self._offer_code(context)),
            ]
            self._ebb.warm()
            try:
                await router.follow_all()
                self._out(say(self._lang, "run.ready", name=self._bot.username))
                if self._ebb.needs_setup:
                    self._out(say(self._lang, "run.setup"))
                if application.updater is not None:
                    await self._poll(application.updater)
            finally:
                for task in beside:
                    task.cancel()
                await router.close()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(application.stop(), _PATIENCE)
                await asyncio.gather(*beside, return_exceptions=True)

    async def retry(self, attempt: Callable[[], Awaitable[object]]) -> bool:
        """Try until Telegram answers; False if the bot ends before."""
        delay = self._timing.retry_first
        while not self._stop.is_set():
            try:
                await attempt()
            except TelegramError as e:
                self._note(e)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), delay)
                delay = min(delay * 2, self._timing.retry_most)
            else:
                self._note(None)
                return True
        return False

    async def _poll(self, updater: Updater) -> None:
        """Poll, and begin anew where polling has ended by itself."""

        async def start() -> None:
            await updater.start_polling(
                timeout=self._timing.poll,
                allowed_updates=_ALLOWED,
                error_callback=lambda _: None,  # `_note` has heard of it
            )

        while await self.retry(start):
            names = {t.get_name(): t for t in asyncio.all_tasks()}
            poller = names["Updater:start_polling:polling_task"]
            stopping = asyncio.create_task(self._stop.wait())
            await asyncio.wait({poller, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if not self._bot.asking:
                poller.cancel()  # asleep between two attempts, it would not hear of it
            try:
                await asyncio.wait_for(updater.stop(), _PATIENCE)
            except (TimeoutError, TelegramError) as e:
                # What is not confirmed comes again, and the inbox knows what it has.
                log.info("polling was cut short: %s", type(e).__name__)

    def _note(self, e: TelegramError | None) -> None:
        """Say once that a request failed, until one works again; end where that is no use."""
        if isinstance(e, InvalidToken):
            self._out(say(self._lang, "run.bad_token"))
            self._end()
        elif e is None:
            self._conflict_since = None
            if self._trouble:
                self._trouble = ""
                self._out(say(self._lang, "run.reached"))
        elif not isinstance(e, TimedOut):
            now = time.monotonic()
            if isinstance(e, Conflict):
                self._conflict_since = self._conflict_since or now
                if now - self._conflict_since > self._timing.conflict:
                    self._end()
            trouble = "run.conflict" if self._conflict_since else "run.unreachable"
            if self._trouble != trouble:
                self._trouble = trouble
                self._out(say(self._lang, trouble, why=type(e).__name__))

    def _end(self) -> None:
        self.code = 2
        self._stop.set()

    # --- beside it ---

    async def _set_menu(self, context: HandlerContext) -> None:
        """Set the command menu: the first language for everybody, others for their clients."""
        for lang in LANGS:
            menu = list_menu(context.agent.list_commands(), lang)
            commands = [BotCommand(name, text[:256]) for name, text in menu]
            code = None if lang == LANGS[0] else lang
            try:
                await context.outbox.retry(
                    lambda c=commands, code=code: self._bot.set_my_commands(c, language_code=code)
                )
            except BadRequest as e:
                log.info("the command menu could not be set: %s", e.message)

    async def _offer_code(self, context: HandlerContext) -> None:
        """Print a code until the owner has claimed the bot; a new one when it expires."""
        while not await context.people.is_claimed():
            code = await make_code(self._ebb.store, "owner", self._ebb.clock())
            self._out(say(self._lang, "run.claim", name=self._bot.username, code=code))
            await asyncio.sleep(LIFE.total_seconds())
