"""What a conversation is made of: things said and words beside them; replies, notices and marks
build on these.

Every entry can be focused, copied, and left again by typing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.widget import Widget

from memory.models import Message, MessageStatus, Role
from memory.text.output import clean_output
from tui.language import WindowLanguage
from tui.line_breaks import one_line
from tui.widgets.memory_line import format_time

_MARKS: dict[MessageStatus, str] = {
    "stopped": "mark.stopped",
    "partial": "mark.partial",
    "interrupted": "mark.interrupted",
}


@dataclass(frozen=True, slots=True)
class MessageLine:
    """A message as a window knows it; `seq` is 0 until the store has it."""

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
    literal: bool = False  # Ebb's own words with the person's in them: no Markdown

    @classmethod
    def of(cls, m: Message) -> MessageLine:
        """From a stored message."""
        return cls(
            m.role,
            clean_output(m.text),
            m.at,
            m.turn_id,
            m.id,
            m.session_id,
            m.seq,
            m.status,
            m.hidden_at is not None,
        )

    @property
    def key(self) -> tuple[str, str]:
        """Its place in a turn, the same before and after it is stored."""
        return (self.turn_id or self.message_id, self.role)


def format_head(line: MessageLine, voice: WindowLanguage) -> Content:
    """Who, when, and how it ended."""
    style = "bold $sand" if line.role == "user" else "bold $primary"
    out = Content.assemble(
        (voice("you" if line.role == "user" else "ebb"), style),
        (f"  {format_time(line.at, voice.tz)}", "$quiet"),
    )
    if line.off_record:
        out += Content.styled(f"  {voice('mark.off_record')}", "$temp")
    if mark := _MARKS.get(line.status):
        out += Content.styled(f"  · {voice(mark)}", "$warning")
    return out


def _literal(text: str, width: int) -> Content:
    """Lay out words as they were typed."""
    return Content("\n").join(Content(clean_output(text)).wrap(max(width, 1)))


def _markdown(source: str, width: int) -> Content:
    """Laid out as one piece.

    The parser is imported when there is something to parse: first paint is faster so.
    """
    from tui.widgets.flat_markdown import render_markdown

    return render_markdown(source, width)


class ConversationEntry(Widget, can_focus=True):
    """Something in the conversation that keys can reach."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "screen.focus_entry(-1)", show=False),
        Binding("down,j", "screen.focus_entry(1)", show=False),
        Binding("c", "copy", show=False),
        Binding("escape,enter", "screen.focus_composer", show=False),
    ]

    class Copied(TextualMessage):
        """Somebody wants this text."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    @property
    def source(self) -> str:
        """Its Markdown, as it was written."""
        return ""

    def action_copy(self) -> None:
        """Copy the source, not the rows of the screen."""
        if self.source:
            self.post_message(self.Copied(self.source))


class WrappedText(Widget):
    """Text laid out anew for each width, as one piece."""

    _laid: tuple[int, Content] | None = None

    def lay(self, width: int) -> Content:
        """The text for `width` cells."""
        raise NotImplementedError

    def reword(self) -> None:
        """Another text or language."""
        self._laid = None
        self.refresh(layout=True)

    def _text(self, width: int) -> Content:
        if self._laid is None or self._laid[0] != width:
            self._laid = (width, self.lay(width))
        return self._laid[1]

    def render(self) -> Content:
        """Laid out for this width."""
        return self._text(self.content_size.width)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:  # noqa: ARG002
        """Rows it takes."""
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
        """The same message, as it stands now."""
        line = replace(line, literal=self.line.literal)
        if line != self.line:
            self.line = line
            self.reword()

    def lay(self, width: int) -> Content:
        """Head and body."""
        line = self.line
        if line.hidden:
            body = Content.styled(self._voice("forgotten"), "italic $quiet")
        elif line.role == "user" or line.literal:
            body = _literal(line.text, width)
        else:
            body = _markdown(line.text, width)
        return Content.assemble(format_head(line, self._voice), "\n", body)


class EbbNote(ConversationEntry, WrappedText):
    """What a command came to, or a word from Ebb itself, as it stands; it is no part of the transcript."""

    def __init__(self, text: str, *, ok: bool = True, asked: str = "") -> None:
        super().__init__(classes="note" if ok else "note -bad")
        self._source = clean_output(text)
        self._asked = one_line(asked, 120)

    @property
    def source(self) -> str:
        """Its text."""
        return self._source

    def lay(self, width: int) -> Content:
        """What was typed, and what it came to."""
        body = _literal(self._source, width)
        return Content.assemble((f"› {self._asked}", "$quiet"), "\n", body) if self._asked else body


def get_typed_character(event: events.Key) -> str | None:
    """The character a key stands for, where typing it should lead back to the composer."""
    return (
        event.character
        if event.is_printable and event.character and event.character != " "
        else None
    )
