"""The terminal front end. First paint waits for nothing: Ebb itself is opened behind it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from rich.console import Console, RenderableType
from rich.text import Text
from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.worker import WorkerFailed

from bot import settings as config
from bot.settings import Settings, SettingsError, machine_language
from memory.errors import MemoryError_
from memory.models import Lang
from tui.clipboard import copy
from tui.connection import AgentConnection, Opener
from tui.driver import make_tolerant_driver
from tui.language import WindowLanguage
from tui.line_breaks import install
from tui.screens.chat import ChatScreen
from tui.screens.first_run import FirstRunScreen
from tui.screens.keys import KeyHelpScreen
from tui.screens.leaving import FinishingScreen, OpenErrorScreen
from tui.themes import THEMES

log = logging.getLogger(__name__)
PATIENCE = 60.0  # seconds after which what is not learned yet is left to the next start
COUNTING = 2.0  # seconds for ending a reply and counting what is left, when leaving at once

_LOOKED_AT = 1.0  # seconds between two looks whether the terminal is still there


class EbbApp(App[int]):
    """Opens Ebb, shows the chat, and leaves nothing half done."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    TITLE = "Ebb"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave", show=False, system=True),
        Binding("ctrl+t,f2", "next_theme", show=False),
        Binding("f1", "keys", show=False),
    ]

    def __init__(
        self, settings: Settings, *, opener: Opener | None = None, lang: Lang | None = None
    ) -> None:
        no_color = Console().no_color
        super().__init__(ansi_color=True if no_color else None)
        install()
        self.voice = WindowLanguage(settings.lang or lang or "en")
        self.link = AgentConnection(settings, opener)
        self.left_over = 0
        self._finishing: FinishingScreen | None = None
        self._gone = False
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = "ansi" if no_color else settings.theme
        self.chat = ChatScreen(self.link, self.voice)

    def on_mount(self) -> None:
        """Paint, then open."""
        self.push_screen(self.chat)
        self.call_after_refresh(self._open)

    @work(group="open", exit_on_error=True)
    async def _open(self) -> None:
        """Until it is open, or its owner gives up."""
        await asyncio.to_thread(importlib.import_module, "tui.widgets.flat_markdown")
        while not self.link.is_open:
            try:
                ebb = await self.link.open()
                if ebb.needs_setup:
                    settings = await self.push_screen_wait(FirstRunScreen(ebb.settings, self.voice))
                    await self.link.reopen(settings)
            except (MemoryError_, SettingsError, OSError) as error:
                await self.link.close()
                await self.push_screen_wait(
                    OpenErrorScreen(self.voice, str(error) or type(error).__name__)
                )
        self.link.ebb.warm()
        await self.chat.begin()

    async def on_unmount(self) -> None:
        """Whichever way the window goes, Ebb is closed behind it."""
        with contextlib.suppress(
            MemoryError_
        ):  # what could not be closed cleanly is recovered at the next start
            await self.link.close()

    # --- leaving ---

    def action_leave(self) -> None:
        """Finish what is going on, visibly; asked again, leave the rest to the next start."""
        if self._finishing is not None or not self.link.is_open:
            self.leave_now()
        else:
            self._finishing = FinishingScreen(self.voice)
            self.run_worker(self._finish(self._finishing), group="leaving", exit_on_error=True)

    def on_chat_screen_leave(self) -> None:
        """/quit."""
        self.action_leave()

    async def _finish(self, screen: FinishingScreen) -> None:
        """Keep what was not sent, stop the reply, wait for learning, and go."""
        await self.chat.keep_unsent(last=True)
        await self.chat.replies.end()

        def tell(left: int) -> None:
            if self.screen is not screen:
                self.push_screen(screen)
            screen.left(left)

        self.left_over = await self.link.finish(PATIENCE, tell)
        self._gone = True
        self.exit(0)

    def leave_now(self) -> None:
        """At once: what is left is in the store, and goes on at the next start."""
        if not self._gone:
            self._gone = True
            self.workers.cancel_group(self, "leaving")
            self.run_worker(self._count_and_exit(), group="gone")

    async def _count_and_exit(self) -> None:
        if self.link.is_open:
            with contextlib.suppress(MemoryError_, asyncio.TimeoutError):
                async with asyncio.timeout(COUNTING):
                    await self.chat.keep_unsent(last=True)
                    await self.chat.replies.end()
                    self.left_over = (await self.link.status()).pending_jobs
        self.exit(0)

    def _fatal_error(self) -> None:
        """A fault of our own ends the window with one sentence; the trace goes to the log, without its values."""
        log.error("the window failed", exc_info=self._fault())
        self.panic()

    def panic(self, *renderables: RenderableType) -> None:  # noqa: ARG002 - traces are for the log
        """Whatever is given to be printed, one sentence is."""
        fault = self._fault()
        super().panic(Text(self.voice("crash", what=type(fault).__name__ if fault else "terminal")))

    def _fault(self) -> BaseException | None:
        error: BaseException | None = self._exception
        return error.error if isinstance(error, WorkerFailed) else error

    def get_driver_class(self) -> type[Driver]:
        """The platform's driver, made to outlive its terminal."""
        return make_tolerant_driver(super().get_driver_class())

    # --- small things ---

    def copy_to_clipboard(self, text: str) -> None:
        """The system's tool first, then the terminal's way; say which it was."""
        self._copy(text)

    @work(group="copy")
    async def _copy(self, text: str) -> None:
        how = await asyncio.to_thread(copy, text)
        if how is None:
            super().copy_to_clipboard(text)
            self.notify(self.voice("copied.osc52"))
        else:
            self.notify(self.voice("copied", how=how))

    def action_next_theme(self) -> None:
        """The next look, remembered."""
        names = list(THEMES)
        at = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(at + 1) % len(names)]
        self.notify(self.voice("theme", name=self.voice(f"theme.{self.theme}")), timeout=2)
        with contextlib.suppress(
            OSError, SettingsError
        ):  # a look that cannot be remembered is still a look
            config.save(self.link.settings, {"EBB_THEME": self.theme})

    def action_keys(self) -> None:
        """Which key does what."""
        if not isinstance(self.screen, KeyHelpScreen):
            self.push_screen(KeyHelpScreen(self.voice))


@contextlib.contextmanager
def _signals(app: EbbApp) -> Iterator[None]:
    """SIGTERM, SIGHUP and SIGINT from outside end the window like a second Ctrl+C."""
    loop = asyncio.get_running_loop()
    caught = [
        getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name)
    ]
    for number in caught:
        with contextlib.suppress(
            NotImplementedError, RuntimeError
        ):  # Windows' loop has no handlers
            loop.add_signal_handler(number, app.leave_now)
    try:
        yield
    finally:
        for number in caught:
            with contextlib.suppress(NotImplementedError, RuntimeError):
                loop.remove_signal_handler(number)


async def _watch(app: EbbApp) -> None:
    """A terminal that is gone is not always told of: no SIGHUP comes from a pane that was killed above us."""
    while True:
        await asyncio.sleep(_LOOKED_AT)
        if not sys.stdin.isatty():
            app.leave_now()
            return


async def _run(app: EbbApp) -> int:
    watch = asyncio.create_task(_watch(app))
    try:
        with _signals(app):
            code = await app.run_async()
    finally:
        watch.cancel()
    return app.return_code or code or 0


def run(settings: Settings, argv: Sequence[str]) -> int:
    """The entry point: screens where there is a terminal, lines where there is none or `--plain` asks for them."""
    from tui import plain

    lang = settings.lang or machine_language()
    voice = WindowLanguage(lang or "en")
    for option in argv:
        if option in ("-h", "--help"):
            sys.stdout.write(voice("usage") + "\n")
            return 0
        if option != "--plain":
            sys.stderr.write(f"{voice('usage.bad', option=option)}\n{voice('usage')}\n")
            return 2
    console = Console()
    if (
        "--plain" in argv
        or not (sys.stdin.isatty() and sys.stdout.isatty())
        or console.is_dumb_terminal
    ):
        return plain.run(settings, voice)
    app = EbbApp(settings, lang=lang)
    try:
        code = asyncio.run(_run(app))
        if app.left_over:
            sys.stdout.write(app.voice("left_over", n=app.left_over) + "\n")
    except KeyboardInterrupt:
        return 0
    except OSError:
        log.warning("the terminal went away", exc_info=True)
        return 1
    return code
