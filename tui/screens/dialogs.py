"""Small screens over the others, and which keys there are.

They show the keys on one page, what is still being learned, and what could not be opened.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from memory.api import clean_output
from tui.replies import ReplyQueue
from tui.widgets.entries import ChoiceList, ConversationEntry
from tui.widgets.panel import LearningNotice
from tui.widgets.reply import LiveReply
from tui.words import WindowLanguage

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
    ("F4", "keys.tokens"),
    ("Ctrl+T", "keys.theme"),
    ("Ctrl+C  Ctrl+Q", "keys.quit"),
)
_WRITING = (
    ("/", "hint.commands"),
    ("Ctrl+J", "hint.newline"),
    ("Ctrl+O", "hint.panel"),
    ("F1", "hint.keys"),
    ("Ctrl+Q", "hint.quit"),
)


def list_hints(
    say: WindowLanguage, focused: Widget | None, replies: ReplyQueue
) -> tuple[tuple[str, str], ...]:
    """List (key, word) for the bottom line, the most important first."""
    pairs: list[tuple[str, str]]
    if isinstance(focused, ChoiceList):
        pairs = [("1–9", "hint.choose"), ("Esc", "hint.back")]
    elif isinstance(focused, ConversationEntry):
        pairs = [("↑↓", "hint.messages"), ("c", "copy")]
        if isinstance(focused, LearningNotice):
            pairs += [("v", "view"), ("u", "undo")]
        if isinstance(focused, LiveReply) and focused.failed:
            pairs += [("r", "retry")]
        pairs += [("Esc", "hint.back")]
    else:
        pairs = [("Enter", "hint.send"), *_WRITING]
        if replies.writing:
            pairs.insert(0, ("Esc", "hint.stop"))
        elif replies.waiting:
            pairs.insert(1, ("Esc", "hint.unqueue"))
    return tuple((key, say(word)) for key, word in pairs)


class Dialog(ModalScreen[bool]):
    """A screen over another one, with keys of its own to leave by: it hears none of the app's."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+c,ctrl+q", "app.leave")]

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self._voice = voice


class FinishingScreen(Dialog):
    """Shown while background work is drained; Ctrl+C leaves it to the next start."""

    left: reactive[int] = reactive(0, recompose=True)

    def compose(self) -> ComposeResult:
        """Compose a heading, and how many things are left."""
        key = "finishing.one" if self.left == 1 else "finishing.left"
        with Vertical(classes="sheet small"):
            yield Static(Content.styled(f"≋ {self._voice('finishing')}", "bold $primary"))
            yield Static(Content(self._voice(key, n=self.left) if self.left else ""))


class OpenErrorScreen(Dialog):
    """Ebb could not be opened: why, in one sentence, until it is to be tried again."""

    BINDINGS: ClassVar[list[BindingType]] = [("r", "dismiss(True)")]

    def __init__(self, voice: WindowLanguage, why: str) -> None:
        super().__init__(voice)
        self._why = clean_output(why)

    def compose(self) -> ComposeResult:
        """Compose the sentence, and the keys."""
        with Vertical(classes="sheet small"):
            yield Static(Content.styled(self._voice("open_failed", why=self._why), "$error"))
            yield Static(Content.styled(self._voice("open_failed.keys"), "$quiet"), classes="row")


class KeyHelpScreen(Dialog):
    """F1: the keys, on one page; closed by any of the keys that close things."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,enter,f1,q", "dismiss")]

    def compose(self) -> ComposeResult:
        """Compose a row for each key."""
        with VerticalScroll(classes="sheet"):
            yield Static(Content.styled(self._voice("keys.title"), "bold $primary"), classes="head")
            for key, word in KEYS:
                with Horizontal(classes="key"):
                    yield Static(Content.styled(f"{key:<26}", "$sand"), classes="name")
                    yield Static(Content(self._voice(word)), classes="word")
            yield Static(Content.styled(self._voice("keys.select"), "$quiet"), classes="row")
