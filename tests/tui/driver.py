"""A window on a real Ebb, and the keys of whoever sits before it; the clock stands still."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widget import Widget

from bot.bootstrap import Ebb, open_ebb
from bot.settings import Settings
from tui.app import EbbApp
from tui.screens.chat import ChatScreen

NOW = datetime(2026, 3, 2, 9, 41, tzinfo=UTC)
PATIENCE = 25.0


def opener(settings: Settings) -> AbstractAsyncContextManager[Ebb]:
    """The real composition root, at a time that stands still."""
    return open_ebb(settings, clock=lambda: NOW)


class Window:
    """A window and the keys of whoever sits before it."""

    def __init__(self, app: EbbApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def chat(self) -> ChatScreen:
        return self.app.chat

    def screen(self) -> str:
        """All that can be read on it."""
        width = self.app.size.width
        rows = self.app.screen._compositor.render_strips()
        return "\n".join("".join(s.text for s in row)[:width].rstrip() for row in rows)

    async def until(self, there: Callable[[], Any], what: str = "") -> None:
        """Wait for something to show."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not there():
                    await self.pilot.pause(0.02)
        except TimeoutError:
            raise AssertionError(f"never came: {what or there}\n{self.screen()}") from None

    async def sees(self, *texts: str) -> None:
        """Wait until all of it can be read."""
        for text in texts:

            def there(text: str = text) -> bool:
                return text in self.screen()

            await self.until(there, text)

    async def ready(self) -> None:
        await self.until(
            lambda: self.app.link.is_open and self.chat._status is not None, "an open Ebb"
        )

    async def write(self, text: str) -> None:
        """In one go, as fast as no fingers are; then all of it has been dealt with."""
        driver = self.app._driver
        assert driver is not None
        for character in text:
            key = events.Key(_character_to_key(character), character)
            key.set_sender(self.app)
            driver.send_message(key)
        await self.pilot.pause()

    async def focus(self, *kinds: type[Widget]) -> None:
        """Shift+Tab, into the messages."""
        await self.pilot.press("shift+tab")
        await self.until(lambda: isinstance(self.app.focused, kinds), f"focus on {kinds}")

    async def send(self, text: str, *, wait: bool = True) -> None:
        """Put it into the composer and press Enter."""
        self.chat.composer.set_text(text)
        await self.pilot.press("enter")
        if wait:
            await self.until(
                lambda: not self.chat.replies.writing and not self.chat.replies.waiting, "the reply"
            )


@asynccontextmanager
async def window(
    settings: Settings, *, size: tuple[int, int] = (120, 40), ready: bool = True
) -> AsyncIterator[Window]:
    """Open one; it is closed as a person would leave it."""
    app = EbbApp(settings, opener=opener)
    async with app.run_test(size=size, notifications=True) as pilot:
        w = Window(app, pilot)
        if ready:
            await w.ready()
        yield w
