"""A reply while it is written, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.style import Style
from textual.widgets import Static

from bot.events import Failed
from memory.api import clean_output
from memory.models import MessageStatus
from tui.widgets.entries import ConversationEntry, MessageLine, format_head
from tui.words import WindowLanguage

if TYPE_CHECKING:
    from textual.widgets.markdown import MarkdownStream


class LiveReply(ConversationEntry):
    """A reply, live: Markdown that grows."""

    BINDINGS: ClassVar[list[BindingType]] = [("r", "retry")]

    @dataclass
    class Retry(TextualMessage):
        """Ask again, under the same turn."""

        turn_id: str

    def __init__(self, line: MessageLine, voice: WindowLanguage) -> None:
        # With its highlighter, a third of all imports: not before first paint.
        from textual.widgets import Markdown

        from bot.markdown import build_markdown_parser

        super().__init__(classes="said -assistant -live")
        self.line = line
        self.failed: Failed | None = None
        self._voice = voice
        parser = partial(build_markdown_parser, spell_urls=True)
        self._head = Static(classes="head")
        self._body = Markdown(classes="body", open_links=False, parser_factory=parser)
        self._foot = Static(Content.styled(voice("thinking"), "$quiet"), classes="foot")
        self._stream: MarkdownStream | None = None

    def compose(self) -> ComposeResult:
        """Compose head, growing body, and a foot for what went wrong."""
        yield from (self._head, self._body, self._foot)

    def on_mount(self) -> None:
        """Say at once that it is being written."""
        self.reword()

    @property
    def source(self) -> str:
        """What has come so far."""
        return self.line.text

    def reword(self) -> None:
        """Show it in the language of the moment."""
        self._head.update(format_head(self.line, self._voice))
        if self.failed is not None:
            self._show_failure(self.failed)

    def set_line(self, line: MessageLine) -> None:
        """Show what the store says of it, once it is there."""
        before, self.line = self.line, replace(line, off_record=self.line.off_record)
        if line.hidden and not before.hidden:
            self._body.update(f"*{self._voice('forgotten')}*")
        elif not line.hidden and line.text and line.text != before.text:
            self._body.update(line.text)
        self.reword()

    async def write(self, text: str) -> None:
        """Add another piece."""
        text = clean_output(text)
        self._foot.display = False
        if self._stream is None:
            self._stream = self._body.get_stream(self._body)
        self.line = replace(self.line, text=self.line.text + text)
        await self._stream.write(text)

    def wait(self, sentence: str) -> None:
        """Say that nothing comes, until something does."""
        self._foot.update(Content.styled(sentence, "$quiet"))
        self._foot.display = True

    async def finish(
        self, text: str, status: MessageStatus = "complete", message_id: str = ""
    ) -> None:
        """Show the whole reply, or as much of it as will be."""
        if self._stream is not None:
            stream, self._stream = self._stream, None
            await stream.stop()
        self._foot.display = False
        text = clean_output(text)
        if text and text != self._body.source:
            await self._body.update(text)
        text = text or self.line.text
        self.line = replace(self.line, text=text, status=status, message_id=message_id)
        self.reword()

    async def fail(self, failed: Failed) -> None:
        """Keep what had come, mark it, and say what went wrong."""
        self.failed = failed
        text = failed.partial or self.line.text
        await self.finish(text, "partial" if text else "complete", self.line.message_id)

    def _show_failure(self, failed: Failed) -> None:
        retry = Style.from_meta({"@click": "retry"}) + Style(underline=True)
        wait = ""
        if failed.retry_after:
            wait = f"  ({self._voice('retry.wait', n=round(failed.retry_after))})"
        self._foot.display = True
        self._foot.update(
            Content.assemble(
                ("✗ ", "bold $error"),
                (clean_output(failed.sentence), "$error"),
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
