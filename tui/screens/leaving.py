"""Leaving: what is still being learned, and what could not be opened."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memory.text.output import clean_output
from tui.language import WindowLanguage


class FinishingScreen(ModalScreen[None]):
    """Shown while background work is drained; Ctrl+C leaves it to the next start."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "app.leave", show=False)]

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self._voice = voice
        self._words = Static()

    def compose(self) -> ComposeResult:
        """A heading and one sentence."""
        with Vertical(classes="sheet small"):
            yield Static(Content.styled(f"≋ {self._voice('finishing')}", "bold $primary"))
            yield self._words

    def left(self, n: int) -> None:
        """How many are left."""
        self._words.update(
            Content(self._voice("finishing.one" if n == 1 else "finishing.left", n=n) if n else "")
        )


class OpenErrorScreen(ModalScreen[bool]):
    """Ebb could not be opened: why, in one sentence. True: try again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "dismiss(True)", show=False),
        Binding(
            "ctrl+c,ctrl+q", "app.leave", show=False
        ),  # a modal screen hears nothing of the app's keys
    ]

    def __init__(self, voice: WindowLanguage, why: str) -> None:
        super().__init__()
        self._voice = voice
        self._why = why

    def compose(self) -> ComposeResult:
        """The sentence, and the keys."""
        with Vertical(classes="sheet small"):
            yield Static(
                Content.styled(self._voice("open_failed", why=clean_output(self._why)), "$error")
            )
            yield Static(Content.styled(self._voice("open_failed.keys"), "$quiet"), classes="row")
