"""Where one writes: several lines, history, completion of commands, and pastes of any size."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option

from bot.events import CommandSpec, WindowMode
from memory.text.output import clean_output
from tui.language import WindowLanguage
from tui.line_breaks import one_line
from tui.widgets.history import InputHistory

LONG_PASTE = 1_500  # characters; beyond this, or LONG_LINES, a paste is shown as one word
LONG_LINES = 20
WANT_TEXT = frozenset(
    {"remember", "forget"}
)  # completed by Enter, and not sent: they say nothing by themselves
_COMMAND = re.compile(r"/[a-z]*\Z")


class ComposerField(TextArea):
    """The text itself. Enter sends; Shift+Enter, Alt+Enter and Ctrl+J break the line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "screen.page(-1)", show=False),
        Binding("pagedown", "screen.page(1)", show=False),
        Binding("ctrl+home", "screen.edge(-1)", show=False),
        Binding("ctrl+end", "screen.edge(1)", show=False),
        Binding("shift+tab", "screen.focus_entry(0)", show=False),
        Binding("ctrl+y", "screen.copy_reply", show=False),
    ]

    def __init__(self, owner: Composer) -> None:
        super().__init__(
            soft_wrap=True, show_line_numbers=False, highlight_cursor_line=False, compact=True
        )
        self._owner = owner
        self._keys: Mapping[str, Callable[[], None]] = {
            "enter": owner.send,
            "shift+enter": self.newline,
            "ctrl+j": self.newline,
            "alt+enter": self.newline,
            "tab": owner.complete,
            "escape": owner.escape,
            "up": self.action_cursor_up,
            "down": self.action_cursor_down,
        }

    async def _on_key(self, event: events.Key) -> None:
        """The keys whose order matters, in the field's own queue.

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

    def newline(self) -> None:
        """Break the line."""
        start, end = self.selection
        self._replace_via_keyboard("\n", start, end)

    def action_cursor_up(self, select: bool = False) -> None:
        """Up a row; above the first, back in history."""
        if (
            not select and self.get_cursor_up_location() == self.cursor_location
        ) or self._on_first_row(select):
            self._owner.step(-1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Down a row; below the last, forward in history."""
        if self._on_last_row(select):
            self._owner.step(1)
        else:
            super().action_cursor_down(select)

    def _on_first_row(self, select: bool) -> bool:
        return not select and self.wrapped_document.location_to_offset(self.cursor_location).y == 0

    def _on_last_row(self, select: bool) -> bool:
        row = self.wrapped_document.location_to_offset(self.cursor_location).y
        return not select and row >= self.wrapped_document.height - 1

    def action_copy(self) -> None:
        """Copy what is selected; where nothing is, Ctrl+C belongs to the window."""
        if not self.selected_text:
            raise SkipAction
        self.app.copy_to_clipboard(self.selected_text)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = clean_output(event.text)
        if len(text) > LONG_PASTE or text.count("\n") > LONG_LINES:
            self._owner.paste(text)
        elif result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)


class Composer(Vertical):
    """The field, what waits to be sent above it, and the list of commands while one is typed."""

    class Submitted(TextualMessage):
        """A message or command, whole."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Stop(TextualMessage):
        """Escape, with nothing else to close."""

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self.history = InputHistory()
        self._voice = voice
        self._commands: Sequence[CommandSpec] = ()
        self._pastes: dict[str, str] = {}
        self._waiting = Static(classes="waiting")
        self._list = OptionList(classes="completion", compact=True)
        self._list.can_focus = False
        self._suggested: str | None = None  # the text the list was made for
        self.field = ComposerField(self)

    def compose(self) -> ComposeResult:
        """From the top: completion, queue, field."""
        yield self._list
        yield self._waiting
        yield self.field

    def on_mount(self) -> None:
        """Nothing to complete, nothing waiting."""
        self._list.display = False
        self._waiting.display = False
        self.set_mode(WindowMode.NORMAL)

    def set_commands(self, commands: Sequence[CommandSpec]) -> None:
        """What may follow a slash."""
        self._commands = commands
        self._suggested = None
        self._suggest()

    def set_mode(self, mode: WindowMode) -> None:
        """The placeholder says what becomes of what is written."""
        key = "placeholder" if mode is WindowMode.NORMAL else f"placeholder.{mode.value}"
        self.field.placeholder = Content(self._voice(key))

    def waiting(self, texts: Sequence[str]) -> None:
        """What was typed ahead, and is sent when the reply is there."""
        self._waiting.display = bool(texts)
        if texts:
            key = "queued" if len(texts) == 1 else "queued.more"
            words = self._voice(key, text=one_line(texts[0], 60), n=len(texts) - 1)
            self._waiting.update(Content.styled(f"⋯ {words}", "$quiet"))

    @property
    def text(self) -> str:
        """The draft."""
        return self.field.text

    @property
    def draft(self) -> str:
        """The draft with its pastes."""
        return self._unfold(self.field.text)

    def restore(self, text: str) -> None:
        """A draft of an earlier window, beside what is typed in this one already."""
        (self.paste if len(text) > LONG_PASTE else self.field.insert)(text)

    def set_text(self, text: str) -> None:
        """Another draft, the cursor at its end."""
        self.field.load_text(text)
        self.field.move_cursor(self.field.document.end)

    @property
    def completing(self) -> bool:
        """Whether the list of commands is open."""
        return bool(self._list.display)

    # --- completion ---

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """A slash at the start opens the list."""
        event.stop()
        self._suggest()

    def _suggest(self) -> None:
        word = self.field.text
        if word == self._suggested:
            return
        self._suggested = word
        if not _COMMAND.match(word):
            self._list.display = False
            return
        found = [c for c in self._commands if c[0].startswith(word[1:])]
        if word[1:] in {c[0] for c in found} and len(found) == 1:
            found = []
        self._list.display = bool(found)
        if found:
            self._list.clear_options()
            self._list.add_options(
                Option(
                    Content.assemble(
                        (f"/{name:<10}", "$primary"), (one_line(helps[self._voice.lang]), "$quiet")
                    ),
                    id=name,
                )
                for name, helps in found
            )
            self._list.highlighted = 0

    def _accept(self) -> bool:
        if not self.completing or self._list.highlighted is None:
            return False
        option = self._list.get_option_at_index(self._list.highlighted)
        self.set_text(f"/{option.id} ")
        self._suggest()
        return True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """With the mouse."""
        event.stop()
        self._accept()
        self.field.focus()

    # --- keys ---

    def complete(self) -> None:
        """Tab."""
        self._suggest()
        if not self._accept() and not self.field.text:
            self.screen.focus_next()

    def escape(self) -> None:
        """Close the list first."""
        if self.completing:
            self._list.display = False
        else:
            self.post_message(self.Stop())

    def step(self, by: int) -> None:
        """Through the list while it is open, else through history."""
        self._suggest()
        if self.completing:
            if by < 0:
                self._list.action_cursor_up()
            else:
                self._list.action_cursor_down()
            return
        text = self.history.step(by, self.field.text)
        if text is not None:
            self.set_text(text)
            self._suggested = text
            self._list.display = False

    def send(self) -> None:
        """A half-typed command is completed and sent; a message goes as it is, pastes unfolded."""
        self._suggest()
        name = ""
        if self.completing and self._list.highlighted is not None:
            name = self._list.get_option_at_index(self._list.highlighted).id or ""
            if name in WANT_TEXT:
                self._accept()
                return
        text = f"/{name}" if name else self._unfold(self.field.text)
        if not text.strip():
            return
        self.history.add(text)
        self._pastes.clear()
        self._list.display = False
        self.field.load_text("")
        self.post_message(self.Submitted(text.strip("\n")))

    def paste(self, text: str) -> None:
        """Show a word for it; the text itself goes with the message, as long as that word stands."""
        n = len(self._pastes) + 1
        mark = self._voice("pasted", n=n, lines=text.count("\n") + 1)
        self._pastes[mark] = text
        self.field.insert(mark)

    def _unfold(self, text: str) -> str:
        for mark, paste in self._pastes.items():
            text = text.replace(mark, paste)
        return text
