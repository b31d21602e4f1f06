"""What a conversation is made of: things said, replies being written, notices, outcomes and dividers.

Every entry can be focused, copied, and left again by typing.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.style import Style
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bot.events import Choice, Failed
from memory.models import Message, MessageStatus, Role
from tui.voice import Voice
from tui.widgets.glance import Learned, clock_time, day_and_time, learned_lines
from tui.words import clean, one_line

if TYPE_CHECKING:
    from textual.widgets.markdown import MarkdownStream

_MARKS: dict[MessageStatus, str] = {
    "stopped": "mark.stopped",
    "partial": "mark.partial",
    "interrupted": "mark.interrupted",
}


@dataclass(frozen=True, slots=True)
class Line:
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

    @classmethod
    def of(cls, m: Message) -> Line:
        """From a stored message."""
        return cls(
            m.role, clean(m.text), m.at, m.turn_id, m.id, m.session_id, m.seq, m.status, m.hidden_at is not None
        )

    @property
    def key(self) -> tuple[str, str]:
        """Its place in a turn, the same before and after it is stored."""
        return (self.turn_id or self.message_id, self.role)


def head(line: Line, voice: Voice) -> Content:
    """Who, when, and how it ended."""
    style = "bold $sand" if line.role == "user" else "bold $primary"
    out = Content.assemble(
        (voice("you" if line.role == "user" else "ebb"), style), (f"  {clock_time(line.at, voice.tz)}", "$quiet")
    )
    if line.off_record:
        out += Content.styled(f"  {voice('mark.off_record')}", "$temp")
    if mark := _MARKS.get(line.status):
        out += Content.styled(f"  · {voice(mark)}", "$warning")
    return out


def _markdown(source: str, width: int) -> Content:
    """Laid out as one piece. The parser is imported when there is something to parse: first paint is faster so."""
    from tui.widgets.flat import flat

    return flat(source, width)


class Entry(Widget, can_focus=True):
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


class Laid(Widget):
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


class Said(Entry, Laid):
    """A message that is done with: one piece of text, however long the conversation gets."""

    def __init__(self, line: Line, voice: Voice) -> None:
        super().__init__(classes=f"said -{line.role}")
        self.line = line
        self._voice = voice

    @property
    def source(self) -> str:
        """What was said."""
        return self.line.text

    def set_line(self, line: Line) -> None:
        """The same message, as it stands now."""
        if line != self.line:
            self.line = line
            self.reword()

    def lay(self, width: int) -> Content:
        """Head and body."""
        line = self.line
        if line.hidden:
            body = Content.styled(self._voice("forgotten"), "italic $quiet")
        elif line.role == "user":
            body = Content("\n").join(Content(line.text).wrap(max(width, 1)))
        else:
            body = _markdown(line.text, width)
        return Content.assemble(head(line, self._voice), "\n", body)


class Reply(Entry):
    """A reply, live: Markdown that grows."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "retry", show=False)]

    class Retry(TextualMessage):
        """Ask again, under the same turn."""

        def __init__(self, turn_id: str) -> None:
            super().__init__()
            self.turn_id = turn_id

    def __init__(self, line: Line, voice: Voice) -> None:
        from textual.widgets import Markdown  # with its highlighter, a third of all imports: not before first paint

        super().__init__(classes="said -assistant -live")
        self.line = line
        self.failed: Failed | None = None
        self._voice = voice
        self._head = Static(classes="head")
        self._body = Markdown(classes="body", open_links=False)
        self._foot = Static(classes="foot")
        self._stream: MarkdownStream | None = None

    def compose(self) -> ComposeResult:
        """Head, growing body, and a foot for what went wrong."""
        yield self._head
        yield self._body
        yield self._foot

    def on_mount(self) -> None:
        """Say at once that it is being written."""
        self._foot.update(Content.styled(self._voice("thinking"), "$quiet"))
        self.reword()

    @property
    def source(self) -> str:
        """What has come so far."""
        return self.line.text

    def reword(self) -> None:
        """Other words, the same reply."""
        self._head.update(head(self.line, self._voice))
        if self.failed is not None:
            self._show_failure(self.failed)

    def set_line(self, line: Line) -> None:
        """What the store says of it, once it is there."""
        before, self.line = self.line, replace(line, off_record=self.line.off_record)
        if line.hidden and not before.hidden:
            self._body.update(f"*{self._voice('forgotten')}*")
        elif not line.hidden and line.text and line.text != before.text:
            self._body.update(line.text)
        self.reword()

    async def write(self, text: str) -> None:
        """Another piece."""
        text = clean(text)
        if self._stream is None:
            self._foot.display = False
            self._stream = self._body.get_stream(self._body)
        self.line = replace(self.line, text=self.line.text + text)
        await self._stream.write(text)

    async def finish(self, text: str, status: MessageStatus = "complete", message_id: str = "") -> None:
        """The whole reply is there, or as much of it as will be."""
        await self._settle()
        self._foot.display = False
        text = clean(text)
        if text and text != self._body.source:
            await self._body.update(text)
        self.line = replace(self.line, text=text or self.line.text, status=status, message_id=message_id)
        self.reword()

    async def fail(self, failed: Failed) -> None:
        """Keep what had come, mark it, and say what went wrong."""
        await self._settle()
        self.failed = failed
        if failed.partial and failed.partial != self._body.source:
            await self._body.update(clean(failed.partial))
        if self.line.text or failed.partial:
            self.line = replace(self.line, status="partial", text=self.line.text or clean(failed.partial))
        self.reword()

    async def _settle(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.stop()

    def _show_failure(self, failed: Failed) -> None:
        retry = Style.from_meta({"@click": "retry"}) + Style(underline=True)
        wait = f"  ({self._voice('retry.wait', n=round(failed.retry_after))})" if failed.retry_after else ""
        self._foot.display = True
        self._foot.update(
            Content.assemble(
                ("✗ ", "bold $error"),
                (clean(failed.sentence), "$error"),
                "  ",
                ("r ", "$primary"),
                (self._voice("retry"), retry),
                (wait, "$quiet"),
            )
        )

    def action_retry(self) -> None:
        """Ask again."""
        if self.failed is not None and self.line.turn_id:
            self.post_message(self.Retry(self.line.turn_id))


class Note(Entry, Laid):
    """What a command came to, or a word from Ebb itself: Markdown that is no part of the transcript."""

    def __init__(self, text: str, *, ok: bool = True, asked: str = "") -> None:
        super().__init__(classes="note" if ok else "note -bad")
        self._source = clean(text)
        self._asked = one_line(asked, 120)

    @property
    def source(self) -> str:
        """Its Markdown."""
        return self._source

    def lay(self, width: int) -> Content:
        """What was typed, and what it came to."""
        body = _markdown(self._source, width)
        return Content.assemble((f"› {self._asked}", "$quiet"), "\n", body) if self._asked else body


class Notice(Entry, Laid):
    """Under a reply: what was learned from it, and the way back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", show=False),
        Binding("v", "view", show=False),
    ]

    class Undo(TextualMessage):
        """Take these change sets back."""

        def __init__(self, set_ids: Sequence[str]) -> None:
            super().__init__()
            self.set_ids = list(set_ids)

    class View(TextualMessage):
        """Show this memory."""

        def __init__(self, memory_id: str) -> None:
            super().__init__()
            self.memory_id = memory_id

    def __init__(self, items: Sequence[Learned], voice: Voice) -> None:
        super().__init__(classes="notice")
        self.items = list(items)
        self._voice = voice

    @property
    def source(self) -> str:
        """The memories' texts."""
        return "\n".join(item.text for item in self.items)

    def add(self, items: Sequence[Learned]) -> None:
        """More of the same reply."""
        known = {(i.set_id, i.memory_id): n for n, i in enumerate(self.items)}
        for item in items:
            if (at := known.get((item.set_id, item.memory_id))) is not None:
                self.items[at] = item
            else:
                self.items.append(item)
        self.reword()

    def drop(self, *, set_ids: Container[str] = (), memory_ids: Container[str] = ()) -> None:
        """These were taken back, or are forgotten: they go, and an empty notice with them."""
        kept = [i for i in self.items if i.set_id not in set_ids and i.memory_id not in memory_ids]
        if not kept:
            self.remove()
        elif len(kept) != len(self.items):
            self.items = kept
            self.reword()

    def lay(self, width: int) -> Content:
        """A line for each, what can be done behind the last."""
        last = len(self.items) - 1
        return Content("\n").join(
            [
                learned_lines(item, self._voice, width, self._tail() if n == last else Content(""))
                for n, item in enumerate(self.items)
            ]
        )

    def _tail(self) -> Content:
        """The links; with their keys while those work."""
        parts = []
        for key, action in (("v ", "view"), ("u ", "undo")):
            link = Content.styled(self._voice(action), Style.from_meta({"@click": action}) + Style(underline=True))
            parts.append(Content.assemble((key, "$primary"), link) if self.has_focus else link.stylize("$quiet"))
        return Content("  ").join(parts)

    def watch_has_focus(self, value: bool) -> None:
        """The keys show while they work."""
        super().watch_has_focus(value)
        self.reword()

    def action_undo(self) -> None:
        """Take it back."""
        self.post_message(self.Undo(list(dict.fromkeys(i.set_id for i in reversed(self.items)))))

    def action_view(self) -> None:
        """Look at the newest."""
        self.post_message(self.View(self.items[-1].memory_id))


class Divider(Widget):
    """A line across the conversation: another session (`at`), or another mode."""

    def __init__(
        self, key: str, voice: Voice, *, session_id: str = "", at: datetime | None = None, style: str = "$quiet"
    ) -> None:
        super().__init__(classes="divider")
        self.session_id = session_id
        self._key, self._voice, self._at, self._style = key, voice, at, style

    def reword(self) -> None:
        """Other words."""
        self.refresh()

    def render(self) -> Content:
        """The words, in the middle of a line."""
        when = day_and_time(self._at, self._voice.tz, self._voice.lang) if self._at is not None else ""
        label = Content.styled(f" {self._voice(self._key, when=when)} ", self._style)
        side = max((self.size.width - label.cell_length) // 2, 0)
        rest = max(self.size.width - label.cell_length - side, 0)
        return Content.assemble(("─" * side, "$line"), label, ("─" * rest, "$line"))


class Choices(OptionList):
    """Answers to pick from: a number, or the arrows and Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *[Binding(str(n), f"pick({n})", show=False) for n in range(1, 10)],
        Binding("escape", "screen.focus_composer", show=False),
    ]

    class Picked(TextualMessage):
        """An answer."""

        def __init__(self, key: str, label: str) -> None:
            super().__init__()
            self.key = key
            self.label = label

    def __init__(self, choices: Sequence[Choice]) -> None:
        self._choices = list(choices)
        options = [
            Option(Content.assemble((f"{n} ", "$primary"), clean(c.label)), id=str(n))
            for n, c in enumerate(choices, 1)
        ]
        super().__init__(*options, classes="choices", compact=True)

    def action_pick(self, n: int) -> None:
        """By number."""
        if n <= len(self._choices) and not self.disabled:
            self.disabled = True
            picked = self._choices[n - 1]
            self.post_message(self.Picked(picked.key, picked.label))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """By Enter or the mouse."""
        event.stop()
        self.action_pick(event.option_index + 1)


class Welcome(Vertical):
    """What an empty conversation shows."""

    def __init__(self, voice: Voice) -> None:
        super().__init__(classes="welcome")
        self._voice = voice
        self._mark = Static("≋", classes="mark")
        self._words = Static()
        self._more = Static(classes="more")

    def compose(self) -> ComposeResult:
        """A mark and two sentences."""
        yield self._mark
        yield self._words
        yield self._more

    def on_mount(self) -> None:
        """In the language of the moment."""
        self.reword()

    def reword(self) -> None:
        """Other words."""
        self._words.update(Content(self._voice("welcome")))
        self._more.update(Content(self._voice("welcome.more").replace("`", "")))


def typed(event: events.Key) -> str | None:
    """The character a key stands for, where typing it should lead back to the composer."""
    return event.character if event.is_printable and event.character and event.character != " " else None
