"""The terminal front end. First paint waits for nothing: Ebb itself is opened behind it."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

from rich.console import Console, RenderableType
from rich.text import Text
from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.theme import Theme
from textual.worker import WorkerFailed

from bot import settings as config
from bot.settings import Settings, SettingsError, machine_language
from memory.errors import MemoryError_
from memory.models import Lang
from tui import plain
from tui.connection import AgentConnection, Opener
from tui.screens.chat import ChatScreen
from tui.screens.dialogs import FinishingScreen, KeyHelpScreen, OpenErrorScreen
from tui.screens.first_run import FirstRunScreen
from tui.terminal import copy, handle_signals, make_tolerant_driver, wait_until_gone
from tui.words import WindowLanguage, install_line_breaks

log = logging.getLogger(__name__)
PATIENCE = 60.0  # seconds after which what is not learned yet is left to the next start
COUNTING = 2.0  # seconds for ending a reply and counting what is left, when leaving at once
_LOOKS = tomllib.loads(Path(__file__).with_name("themes.toml").read_text(encoding="utf-8"))
THEMES: Final = {name: Theme(name=name, **look) for name, look in _LOOKS.items()}


class EbbApp(App[int]):
    """Opens Ebb, shows the chat, and leaves nothing half done."""

    CSS_PATH = Path(__file__).with_name("app.tcss")
    TITLE = "Ebb"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave", system=True),
        ("ctrl+t,f2", "next_theme"),
        ("f1", "keys"),
    ]

    def __init__(
        self, settings: Settings, *, opener: Opener | None = None, lang: Lang | None = None
    ) -> None:
        no_color = Console().no_color
        super().__init__(ansi_color=True if no_color else None)
        install_line_breaks()
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

    @work
    async def _open(self) -> None:
        """Try until it is open, or its owner gives up."""
        await asyncio.to_thread(importlib.import_module, "tui.widgets.flat_markdown")
        while not self.link.is_open:
            try:
                ebb = await self.link.open()
                if ebb.needs_setup:
                    settings = await self.push_screen_wait(FirstRunScreen(ebb.settings, self.voice))
                    await self.link.reopen(settings)
            except (MemoryError_, SettingsError, OSError) as error:
                await self.link.close()
                why = str(error) or type(error).__name__
                await self.push_screen_wait(OpenErrorScreen(self.voice, why))
        self.link.ebb.warm()
        await self.chat.begin()

    async def on_unmount(self) -> None:
        """Close Ebb behind the window, whichever way that goes."""
        # What could not be closed cleanly is recovered at the next start.
        with contextlib.suppress(MemoryError_):
            await self.link.close()

    # --- leaving ---

    def action_leave(self) -> None:
        """Finish what is going on, visibly; asked again, leave the rest to the next start."""
        if self._finishing is not None or not self.link.is_open:
            self.leave_now()
        else:
            self._finishing = FinishingScreen(self.voice)
            self.run_worker(self._finish(self._finishing), group="leaving")

    async def _finish(self, screen: FinishingScreen) -> None:
        """Keep what was not sent, stop the reply, wait for learning, and go."""
        await self._stop()

        def tell(left: int) -> None:
            if self.screen is not screen:
                self.push_screen(screen)
            screen.left = left

        self.left_over = await self.link.finish(PATIENCE, tell)
        self._gone = True
        self.exit(0)

    async def _stop(self) -> None:
        await self.chat.keep_unsent(last=True)
        await self.chat.replies.end()

    def leave_now(self) -> None:
        """Go at once, and leave the rest to the next start."""
        if not self._gone:
            self._gone = True
            self.workers.cancel_group(self, "leaving")
            self.run_worker(self._count_and_exit())

    async def _count_and_exit(self) -> None:
        if self.link.is_open:
            with contextlib.suppress(MemoryError_, asyncio.TimeoutError):
                async with asyncio.timeout(COUNTING):
                    await self._stop()
                    self.left_over = (await self.link.status()).pending_jobs
        self.exit(0)

    def _fatal_error(self) -> None:
        """End the window with one sentence; the trace goes to the log, without its values."""
        log.error("the window failed", exc_info=self._fault())
        self.panic()

    def panic(self, *renderables: RenderableType) -> None:  # noqa: ARG002 - traces are for the log
        """Print one sentence, whatever is given to be printed."""
        fault = self._fault()
        super().panic(Text(self.voice("crash", what=type(fault).__name__ if fault else "terminal")))

    def _fault(self) -> BaseException | None:
        error: BaseException | None = self._exception
        return error.error if isinstance(error, WorkerFailed) else error

    def get_driver_class(self) -> type[Driver]:
        """Return the platform's driver, made to outlive its terminal."""
        return make_tolerant_driver(super().get_driver_class())

    # --- small things ---

    @work
    async def copy_to_clipboard(self, text: str) -> None:  # type: ignore[override]
        """Copy with the system's tool first, then the terminal's way; say which it was."""
        how = await asyncio.to_thread(copy, text)
        if how is None:
            super().copy_to_clipboard(text)
        self.notify(self.voice("copied", how=how) if how else self.voice("copied.osc52"))

    def action_next_theme(self) -> None:
        """Take the next look, and remember it."""
        names = list(THEMES)
        self.theme = names[(names.index(self.theme) + 1) % len(names)]
        self.notify(self.voice("theme", name=self.voice(f"theme.{self.theme}")), timeout=2)
        # A look that cannot be remembered is still a look.
        with contextlib.suppress(OSError, SettingsError):
            config.save(self.link.settings, {"EBB_THEME": self.theme})

    def action_keys(self) -> None:
        """Show which key does what."""
        if not isinstance(self.screen, KeyHelpScreen):
            self.push_screen(KeyHelpScreen(self.voice))


async def _run(app: EbbApp) -> int:
    async def watch() -> None:
        await wait_until_gone()
        app.leave_now()

    # From outside, a signal ends the window like a second Ctrl+C.
    signals = dict.fromkeys(("SIGTERM", "SIGHUP", "SIGINT"), app.leave_now)
    watching = asyncio.create_task(watch())
    try:
        with handle_signals(signals):
            code = await app.run_async()
    finally:
        watching.cancel()
    return app.return_code or code or 0


def run(settings: Settings, argv: Sequence[str]) -> int:
    """Open screens; lines where there is no terminal, or `--plain` asks for them."""
    lang = settings.lang or machine_language()
    voice = WindowLanguage(lang or "en")
    for option in argv:
        if option in ("-h", "--help"):
            sys.stdout.write(voice("usage") + "\n")
            return 0
        if option != "--plain":
            sys.stderr.write(f"{voice('usage.bad', option=option)}\n{voice('usage')}\n")
            return 2
    terminal = sys.stdin.isatty() and sys.stdout.isatty() and not Console().is_dumb_terminal
    if argv or not terminal:
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
