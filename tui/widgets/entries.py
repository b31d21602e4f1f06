"""What a conversation is made of: things said and words beside them, dividers, and questions.

Every entry can be focused, copied, and left again by typing. Replies and notices build on these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bot.events import Choice
from memory.api import clean_output
from memory.models import Message, MessageStatus, Role
from tui.words import WindowLanguage, one_line


@dataclass(frozen=True, slots=True)
class MessageLine:
    """A message as a window knows it; `seq` is 0 until the store has it.

    `literal`: Ebb's own words with the person's in them, shown without Markdown.
    """

    role: Role
    text: str
    at: datetime
    turn_id: str | None = None
    message_id: str = ""
    session_id: str = ""
    seq: int = 0
    status: MessageStatus = "complete"
    hidden: bool = False
    off_record: bool = False
    literal: bool = False

    @classmethod
    def of(cls, m: Message) -> MessageLine:
        """Make it of a stored message."""
        text, hidden = clean_output(m.text), m.hidden_at is not None
        return cls(m.role, text, m.at, m.turn_id, m.id, m.session_id, m.seq, m.status, hidden)

    @property
    def key(self) -> tuple[str, str]:
        """Its place in a turn, the same before and after it is stored."""
        return (self.turn_id or self.message_id, self.role)


def format_head(line: MessageLine, voice: WindowLanguage) -> Content:
    """Write who said it, when, and how it ended."""
    who, style = ("you", "bold $sand") if line.role == "user" else ("ebb", "bold $primary")
    parts = [(voice(who), style), (f"  {voice.format_time(line.at)}", "$quiet")]
    if line.off_record:
        parts.append((f"  {voice('mark.off_record')}", "$temp"))
    if line.status in ("stopped", "partial", "interrupted"):
        parts.append((f"  · {voice(f'mark.{line.status}')}", "$warning"))
    return Content.assemble(*parts)


def _literal(text: str, width: int) -> Content:
    return Content("\n").join(Content(clean_output(text)).wrap(max(width, 1)))


class ConversationEntry(Widget, can_focus=True):
    """Something in the conversation that keys can reach."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("up,k", "screen.focus_entry(-1)"),
        ("down,j", "screen.focus_entry(1)"),
        ("c", "copy"),
        ("escape,enter", "screen.focus_composer"),
    ]

    @property
    def source(self) -> str:
        """Its text or Markdown, as it was written."""
        return ""

    def action_copy(self) -> None:
        """Copy the source, not the rows of the screen."""
        if self.source:
            self.app.copy_to_clipboard(self.source)


class WrappedText(Widget):
    """Text laid out anew for each width, as one piece."""

    _laid: tuple[int, Content] | None = None

    def lay(self, width: int) -> Content:
        """Lay out the text for `width` cells."""
        raise NotImplementedError

    def reword(self) -> None:
        """Show another text or language."""
        self._laid = None
        self.refresh(layout=True)

    def _text(self, width: int) -> Content:
        if self._laid is None or self._laid[0] != width:
            self._laid = (width, self.lay(width))
        return self._laid[1]

    def render(self) -> Content:
        """Render for this width."""
        return self._text(self.content_size.width)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:  # noqa: ARG002
        """Count the rows it takes."""
        return self._text(width).plain.count("\n") + 1


class FinishedMessage(ConversationEntry, WrappedText):
    """A message that is done with: one piece of text, however long the conversation gets."""

    def __init__(self, line: MessageLine, voice: WindowLanguage) -> None:
        super().__init__(classes=f"said -{line.role}")
        self.line = line
        self._voice = voice

    @property
    def source(self) -> str:
        """What was said."""
        return self.line.text

    def set_line(self, line: MessageLine) -> None:
        """Show the same message as it stands now."""
        line = replace(line, literal=self.line.literal)
        if line != self.line:
            self.line = line
            self.reword()

    def lay(self, width: int) -> Content:
        """Lay out head and body."""
        line = self.line
        if line.hidden:
            body = Content.styled(self._voice("forgotten"), "italic $quiet")
        elif line.role == "user" or line.literal:
            body = _literal(line.text, width)
        else:  # the parser is imported when there is something to parse: first paint is faster so
            from tui.widgets.flat_markdown import render_markdown

            body = render_markdown(line.text, width)
        return Content.assemble(format_head(line, self._voice), "\n", body)


class EbbNote(ConversationEntry, WrappedText):
    """What a command came to, or a word from Ebb itself; it is no part of the transcript."""

    def __init__(self, text: str, *, ok: bool = True, asked: str = "") -> None:
        super().__init__(classes="note" if ok else "note -bad")
        self._source = clean_output(text)
        self._asked = one_line(asked, 120)

    @property
    def source(self) -> str:
        """Its text."""
        return self._source

    def lay(self, width: int) -> Content:
        """Lay out what was typed, and what it came to."""
        body = _literal(self._source, width)
        return Content.assemble((f"› {self._asked}", "$quiet"), "\n", body) if self._asked else body


class Divider(Widget):
    """A line across the conversation: another session (`at`), or another mode."""

    def __init__(
        self,
        key: str,
        voice: WindowLanguage,
        *,
        session_id: str = "",
        at: datetime | None = None,
        style: str = "$quiet",
    ) -> None:
        super().__init__(classes="divider")
        self.session_id = session_id
        self._key, self._voice, self._at, self._style = key, voice, at, style

    def reword(self) -> None:
        """Show it in another language."""
        self.refresh()

    def render(self) -> Content:
        """Render the words, in the middle of a line."""
        when = self._voice.format_day_and_time(self._at) if self._at is not None else ""
        label = Content.styled(f" {self._voice(self._key, when=when)} ", self._style)
        space = max(self.size.width - label.cell_length, 0)
        left = "─" * (space // 2)
        return Content.assemble((left, "$line"), label, ("─" * (space - len(left)), "$line"))


class WelcomeText(Static):
    """What an empty conversation shows."""

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__(classes="welcome")
        self._voice = voice
        self.reword()

    def reword(self) -> None:
        """Show it in the language of the moment."""
        more = (self._voice("welcome.more"), "$quiet")
        mark = ("≋", "bold $primary")
        self.update(Content.assemble(mark, "\n", self._voice("welcome"), "\n", more))


class ChoiceList(OptionList):
    """Answers to pick from: a number, or the arrows and Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *[(str(n), f"pick({n})") for n in range(1, 10)],
        ("escape", "screen.focus_composer"),
    ]

    @dataclass
    class Picked(TextualMessage):
        """An answer was picked."""

        key: str

    def __init__(self, choices: Sequence[Choice]) -> None:
        self._keys = [c.key for c in choices]
        options = [
            Option(Content.assemble((f"{n} ", "$primary"), clean_output(c.label)), id=str(n))
            for n, c in enumerate(choices, 1)
        ]
        super().__init__(*options, classes="choices", compact=True)

    def action_pick(self, n: int) -> None:
        """Pick an answer by its number."""
        if n <= len(self._keys) and not self.disabled:
            self.disabled = True
            self.post_message(self.Picked(self._keys[n - 1]))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Pick by Enter or the mouse."""
        event.stop()
        self.action_pick(event.option_index + 1)
