"""F1: the keys, on one page."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.language import WindowLanguage
from tui.widgets.entries import WrappedText
from tui.widgets.memory_line import wrap_beside

KEYS: tuple[tuple[str, str], ...] = (
    ("Enter", "keys.send"),
    ("Shift+Enter  Ctrl+J", "keys.newline"),
    ("↑ ↓", "keys.history"),
    ("/ … Tab", "keys.complete"),
    ("Esc", "keys.stop"),
    ("Ctrl+Y", "keys.copy"),
    ("Shift+Tab", "keys.messages"),
    ("PgUp PgDn  Ctrl+Home/End", "keys.scroll"),
    ("Ctrl+O", "keys.panel"),
    ("Ctrl+T", "keys.theme"),
    ("Ctrl+C  Ctrl+Q", "keys.quit"),
)
_WIDEST = 26


class KeyHelp(WrappedText):
    """A key, and what it does beside it."""

    def __init__(self, key: Content, word: Content) -> None:
        super().__init__(classes="key")
        self._key = key
        self._word = word

    def lay(self, width: int) -> Content:
        """The word wraps beside the key."""
        return wrap_beside(self._key, self._word, width)


class KeyHelpScreen(ModalScreen[None]):
    """Closed by any of the keys that close things."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,f1,q", "dismiss", show=False),
        Binding("ctrl+c,ctrl+q", "app.leave", show=False),
    ]

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self._voice = voice

    def compose(self) -> ComposeResult:
        """A row for each key."""
        with VerticalScroll(classes="sheet"):
            yield Static(Content.styled(self._voice("keys.title"), "bold $primary"), classes="head")
            for key, word in KEYS:
                yield KeyHelp(
                    Content.styled(f"{key:<{_WIDEST}}", "$sand"), Content(self._voice(word))
                )
            yield Static(Content.styled(self._voice("keys.select"), "$quiet"), classes="row")
