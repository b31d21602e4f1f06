"""Where one writes: several lines, history, completion of commands, and pastes of any size."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option

from bot.events import CommandSpec, WindowMode
from bot.pictures import begins_with_picture, find_picture, quote_path
from memory.api import clean_output
from tui.words import WindowLanguage, one_line

REMEMBERED = 500  # own messages kept
LONG_PASTE = 1_500  # characters; beyond this, or LONG_LINES, a paste is shown as one word
LONG_LINES = 20
# completed by Enter, and not sent: they say nothing by themselves
WANT_TEXT = frozenset({"remember", "forget"})
_COMMAND = re.compile(r"/[a-z]*\Z")


class InputHistory:
    """This person's own past messages; the draft is kept while one looks back."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._at = 0
        self._draft = ""

    def fill(self, said: Sequence[str]) -> None:
        """Put what was said before this window opened before what was said in it."""
        self._said = [*said, *self._said][-REMEMBERED:]
        self._at = len(self._said)

    def add(self, text: str) -> None:
        """Add what is said now, without secrets."""
        from memory.api import redact  # not before the first paint

        text = redact(text)[0]
        if self._said[-1:] != [text]:
            self._said = [*self._said, text][-REMEMBERED:]
        self._at = len(self._said)

    def __len__(self) -> int:
        return len(self._said)

    def cut(self, length: int) -> None:
        """Let go of what was said since it had that length."""
        del self._said[length:]
        self._at = len(self._said)

    def step(self, by: int, current: str) -> str | None:
        """Return the message before (-1) or after (+1); None at either end."""
        to = self._at + by
        if not 0 <= to <= len(self._said):
            return None
        if self._at == len(self._said):
            self._draft = current
        self._at = to
        return self._draft if to == len(self._said) else self._said[to]


class ComposerField(TextArea):
    """The text itself. Enter sends; Shift+Enter, Alt+Enter and Ctrl+J break the line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("pageup", "screen.page(-1)"),
        ("pagedown", "screen.page(1)"),
        ("ctrl+home", "screen.edge(-1)"),
        ("ctrl+end", "screen.edge(1)"),
        ("shift+tab", "screen.focus_entry(0)"),
        ("ctrl+y", "screen.copy_reply"),
    ]

    def __init__(self, owner: Composer) -> None:
        super().__init__(
            soft_wrap=True, show_line_numbers=False, highlight_cursor_line=False, compact=True
        )
        self._owner = owner
        self._keys: Mapping[str, Callable[[], None]] = {
            "enter": owner.send,
            **dict.fromkeys(("shift+enter", "ctrl+j", "alt+enter"), self._break_line),
            "tab": owner.complete,
            "escape": owner.escape,
            "up": self.action_cursor_up,
            "down": self.action_cursor_down,
        }

    async def _on_key(self, event: events.Key) -> None:
        """Take the keys whose order matters, in the field's own queue.

        A binding runs when the key has bubbled up to the app (a priority one before it comes down),
        so that in a burst of keys Enter would overtake the letters before it.
        """
        action = self._keys.get(event.key)
        if action is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        action()

    def _break_line(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    @property
    def _row(self) -> int:
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    def action_cursor_up(self, select: bool = False) -> None:
        """Go up a row; above the first, back in history."""
        if not select and self._row == 0:
            self._owner.step(-1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Go down a row; below the last, forward in history."""
        if not select and self._row >= self.wrapped_document.height - 1:
            self._owner.step(1)
        else:
            super().action_cursor_down(select)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = clean_output(event.text)
        if path := find_picture(text):
            self._owner.attach(path)
        elif len(text) > LONG_PASTE or text.count("\n") > LONG_LINES:
            self._owner.paste(text)
        else:
            await super()._on_paste(events.Paste(text))


class Composer(Vertical):
    """The field, what waits to be sent above it, and the list of commands while one is typed."""

    @dataclass
    class Submitted(TextualMessage):
        """A message or command was sent, whole."""

        text: str

    class Stop(TextualMessage):
        """Escape, with nothing else to close."""

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self.history = InputHistory()
        self._voice = voice
        self._commands: Sequence[CommandSpec] = ()
        self._pastes: dict[str, str] = {}
        self._pictures: dict[str, str] = {}  # paths, by what is shown of them
        self._waiting = Static(classes="waiting")
        self._list = OptionList(classes="completion", compact=True)
        self._list.can_focus = False
        self._suggested: str | None = None  # the text the list was made for
        self.field = ComposerField(self)

    def compose(self) -> ComposeResult:
        """Compose from the top: completion, queue, field."""
        yield from (self._list, self._waiting, self.field)

    def on_mount(self) -> None:
        """Begin with nothing to complete, and nothing waiting."""
        self._list.display = self._waiting.display = False
        self.set_mode(WindowMode.NORMAL)

    def set_commands(self, commands: Sequence[CommandSpec]) -> None:
        """Set what may follow a slash."""
        self._commands = commands
        self._suggested = None
        self._suggest()

    def set_mode(self, mode: WindowMode) -> None:
        """Say in the placeholder what becomes of what is written."""
        key = "placeholder" if mode is WindowMode.NORMAL else f"placeholder.{mode.value}"
        self.field.placeholder = Content(self._voice(key))

    def waiting(self, texts: Sequence[str]) -> None:
        """Show what was typed ahead, and is sent when the reply is there."""
        self._waiting.display = bool(texts)
        if texts:
            key = "queued" if len(texts) == 1 else "queued.more"
            words = self._voice(key, text=one_line(texts[0], 60), n=len(texts) - 1)
            self._waiting.update(Content.styled(f"⋯ {words}", "$quiet"))

    @property
    def text(self) -> str:
        """The draft as it is shown."""
        return self.field.text

    @property
    def draft(self) -> str:
        """The draft with its pastes; with pictures it is the command that sends them."""
        text, paths = self.field.text, list[str]()
        for mark, path in self._pictures.items():
            if mark in text:
                text = text.replace(mark, "")
                paths.append(quote_path(path))
        for mark, paste in self._pastes.items():
            text = text.replace(mark, paste)
        return " ".join(["/image", *paths, text.strip()]) if paths else text

    def restore(self, text: str) -> None:
        """Add a draft of an earlier window to what is typed in this one already."""
        (self.paste if len(text) > LONG_PASTE else self.field.insert)(text)

    def set_text(self, text: str) -> None:
        """Set another draft, the cursor at its end."""
        self.field.load_text(text)
        self.field.move_cursor(self.field.document.end)

    # --- completion ---

    @property
    def completing(self) -> str:
        """The command that the open list points at; empty while it is closed."""
        option = self._list.highlighted_option if self._list.display else None
        return (option.id or "") if option is not None else ""

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Open the list at a slash."""
        event.stop()
        self._suggest()

    def _suggest(self) -> None:
        word = self.field.text
        if word == self._suggested:
            return
        self._suggested = word
        found = [c for c in self._commands if c[0].startswith(word[1:]) and _COMMAND.match(word)]
        if [name for name, _ in found] == [word[1:]]:
            found = []
        self._list.display = bool(found)
        self._list.set_options(
            Option(
                Content.assemble(
                    (f"/{name:<10}", "$primary"), (one_line(helps[self._voice.lang]), "$quiet")
                ),
                id=name,
            )
            for name, helps in found
        )
        self._list.highlighted = 0 if found else None

    def _accept(self) -> bool:
        name = self.completing
        if name:
            self.set_text(f"/{name} ")
            self._suggest()
        return bool(name)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Complete with the mouse."""
        event.stop()
        self._accept()
        self.field.focus()

    # --- keys ---

    def complete(self) -> None:
        """Complete a command; in an empty field, go on to the next widget."""
        self._suggest()
        if not self._accept() and not self.field.text:
            self.screen.focus_next()

    def escape(self) -> None:
        """Close the list, else stop the reply."""
        if self.completing:
            self._list.display = False
        else:
            self.post_message(self.Stop())

    def step(self, by: int) -> None:
        """Go through the list while it is open, else through history."""
        self._suggest()
        if self.completing:
            (self._list.action_cursor_up if by < 0 else self._list.action_cursor_down)()
            return
        text = self.history.step(by, self.field.text)
        if text is not None:
            self.set_text(text)
            self._suggested = text
            self._list.display = False

    def send(self) -> None:
        """Send a message as it is, pastes unfolded; a half-typed command is completed first."""
        self._suggest()
        name = self.completing
        if name in WANT_TEXT:
            self._accept()
            return
        text = f"/{name}" if name else self.draft
        if not text.strip():
            return
        if begins_with_picture(text):
            text = f"/image {text}"
        self.history.add(text)
        self._pastes.clear()
        self._pictures.clear()
        self._list.display = False
        self.field.load_text("")
        self.post_message(self.Submitted(text.strip("\n")))

    def attach(self, path: str) -> None:
        """Show a picture by its name; it goes with the message, as long as that name stands."""
        from memory.api import write_pictures  # not before the first paint

        mark = write_pictures("", [Path(path).name], self._voice.lang)
        self._pictures[mark] = path
        self.field.insert(f"{mark} ")

    def paste(self, text: str) -> None:
        """Show a word for it; the text goes with the message, as long as that word stands."""
        n = len(self._pastes) + 1
        mark = self._voice("pasted", n=n, lines=text.count("\n") + 1)
        self._pastes[mark] = text
        self.field.insert(mark)
