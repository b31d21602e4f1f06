"""The conversation: stored messages and what happens now, in one column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from textual.await_remove import AwaitRemove
from textual.containers import VerticalScroll
from textual.message import Message as TextualMessage
from textual.widget import Widget

from bot.events import Choice
from memory.models import Message
from tui.widgets.entries import (
    ChoiceList,
    ConversationEntry,
    Divider,
    EbbNote,
    FinishedMessage,
    MessageLine,
    WelcomeText,
    WrappedText,
)
from tui.widgets.memory_line import LearnedChange
from tui.widgets.panel import LearningNotice
from tui.widgets.reply import LiveReply
from tui.words import WindowLanguage

# live Markdown widgets (a layout costs some 4 ms for each); older replies become one piece of text
LIVE = 8
MOST = 240  # entries on screen; older ones are let go and read again on the way up
LET_GO = 60

Spoken = FinishedMessage | LiveReply


class Conversation(VerticalScroll, can_focus=False):
    """Keeps the order of the store, and adopts what was said here once the store has it."""

    class Older(TextualMessage):
        """The top is in sight: read further back."""

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self._voice = voice
        self._session = ""

    def on_mount(self) -> None:
        """Stay at the end, until the reader scrolls."""
        self.anchor()

    # --- reading ---

    @property
    def spoken(self) -> list[Spoken]:
        """The messages, oldest first."""
        return [w for w in self.children if isinstance(w, FinishedMessage | LiveReply)]

    @property
    def stored(self) -> int:
        """How many of the store's messages are on screen."""
        return sum(1 for w in self.spoken if w.line.seq)

    def find(self, turn_id: str | None, role: str) -> Spoken | None:
        """Return what was said on one side of a turn, if it is here."""
        return next((w for w in self.spoken if turn_id and w.line.key == (turn_id, role)), None)

    def last_reply(self) -> str:
        """Return the newest reply's Markdown."""
        sources = (w.source for w in reversed(self.spoken) if w.line.role == "assistant")
        return next((source for source in sources if source), "")

    def entries(self) -> list[ConversationEntry]:
        """List what keys can reach."""
        return [w for w in self.children if isinstance(w, ConversationEntry)]

    # --- adding ---

    async def put(self, *widgets: Widget) -> None:
        """Add widgets at the end."""
        await self.query(WelcomeText).remove()
        await self.mount(*widgets)
        self.trim_entries()

    async def say(self, line: MessageLine) -> Spoken:
        """Show what is said now, in this window; a turn that is tried again keeps its place."""
        there = self.find(*line.key)
        if there is not None:
            if line.role == "user":
                return there
            await there.remove()
        own = line.role == "user"
        made = FinishedMessage(line, self._voice) if own else LiveReply(line, self._voice)
        await self.put(made)
        return made

    async def enter_session(
        self, session_id: str, at: datetime, *, before: Widget | None = None
    ) -> None:
        """Draw a line where another session begins; the first one on screen needs none."""
        if not session_id or session_id == self._session:
            return
        first, self._session = not self._session, session_id
        if first or any(d.session_id == session_id for d in self.query(Divider)):
            return
        if before is None:
            await self.put(self._divider(session_id, at))
        else:
            await self.mount(self._divider(session_id, at), before=before)

    def _divider(self, session_id: str, at: datetime) -> Divider:
        return Divider("divider.session", self._voice, session_id=session_id, at=at)

    async def note(self, text: str, *, ok: bool = True, asked: str = "") -> None:
        """Add a word that is no part of the transcript; `asked` is the command it answers."""
        if text.strip():
            await self.put(EbbNote(text, ok=ok, asked=asked))

    async def choose(self, choices: Sequence[Choice]) -> None:
        """Ask, with the question and its answers in view; nothing where there are none."""
        if choices:
            asked = ChoiceList(choices)
            await self.put(asked)
            # It has no place yet, and looking for it would scroll to the top.
            asked.focus(scroll_visible=False)
            self.anchor()

    async def notice(self, items: Sequence[LearnedChange], turn_id: str | None) -> None:
        """Show what was learned, under the reply it was learned from (or at the end)."""
        under = self.find(turn_id, "assistant")
        if under is None:
            await self.put(LearningNotice(items, self._voice))
        elif isinstance(below := self._next(under), LearningNotice):
            below.add(items)
        else:
            await self.mount(LearningNotice(items, self._voice), after=under)

    def _next(self, widget: Widget) -> Widget | None:
        return next((below for above, below in pairwise(self.children) if above is widget), None)

    # --- the store ---

    async def reconcile(self, messages: Sequence[Message]) -> None:
        """Make the screen agree with the store's newest messages."""
        here = {w.line.key: w for w in self.spoken}
        with self.app.batch_update():
            for line in map(MessageLine.of, messages):
                there = here.get(line.key)
                if there is None:
                    await self._insert(line)
                    continue
                if there.line.seq == 0:
                    self._session = line.session_id
                text = line.text or ("" if line.hidden else there.line.text)
                there.set_line(replace(line, text=text))
        self.trim_entries()

    async def _insert(self, line: MessageLine) -> None:
        """Insert it in the store's order, before what this window is still saying."""
        await self.query(WelcomeText).remove()
        pending = (w for w in self.spoken if w.line.seq == 0 and not w.line.off_record)
        later = next((w for w in self.spoken if w.line.seq > line.seq), None)
        if later is None:
            later = next(pending, None)
            await self.enter_session(line.session_id, line.at, before=later)
        await self.mount(FinishedMessage(line, self._voice), before=later)

    async def load_older(self, messages: Sequence[Message]) -> bool:
        """Put what is older than the screen above it, without moving what is being read.

        Returns False where nothing is older.
        """
        below = next((w.line for w in self.spoken if w.line.seq), None)
        lines = [x for x in map(MessageLine.of, messages) if below and x.seq < below.seq]
        if below is None or not lines:
            return False
        height = self.virtual_size.height
        rows: list[Widget] = []
        for line, following in pairwise([*lines, below]):
            rows.append(FinishedMessage(line, self._voice))
            if following.session_id != line.session_id:
                rows.append(self._divider(following.session_id, following.at))
        await self.mount(*rows, before=0)

        def restore() -> None:
            """Scroll what was being read back into its place."""
            y = self.scroll_y + self.virtual_size.height - height
            self.scroll_to(y=y, animate=False, immediate=True)

        self.call_after_refresh(restore)
        return True

    async def forget_off_record(self) -> None:
        """Remove what was said off the record, and all that stands among it."""
        first = next((w for w in self.spoken if w.line.off_record), None)
        if first is not None:
            await self.remove_children(self.children[self.children.index(first) :])

    # --- staying light ---

    def settle(self, reply: LiveReply, *, literal: bool = False) -> AwaitRemove:
        """Show a reply that is done as one piece of text; `literal`: without Markdown."""
        line = replace(reply.line, literal=literal)
        self.mount(FinishedMessage(line, self._voice), before=reply)
        return reply.remove()

    def trim_entries(self) -> None:
        """Settle old replies and let go of the oldest entries, while nobody reads up there."""
        if self.scroll_y < self.max_scroll_y - 1:
            return
        live = [w for w in self.query(LiveReply) if w.failed is None]
        for reply in live[: max(0, len(live) - LIVE)]:
            self.settle(reply)
        if len(self.children) > MOST:
            self.remove_children(self.children[: len(self.children) - MOST + LET_GO])

    def reword(self) -> None:
        """Show every entry in another language."""
        for widget in self.children:
            if isinstance(widget, WrappedText | LiveReply | Divider | WelcomeText):
                widget.reword()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for more near the top on the way up."""
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value and new_value <= 1 and self.max_scroll_y > 0:
            self.post_message(self.Older())
