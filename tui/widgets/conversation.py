"""The conversation: stored messages and what happens now, in one column that stays at its end until scrolled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from textual.containers import VerticalScroll
from textual.message import Message as TextualMessage
from textual.widget import Widget

from memory.models import Message
from tui.language import WindowLanguage
from tui.widgets.dividers import ChoiceList, Divider, WelcomeText
from tui.widgets.entries import ConversationEntry, EbbNote, FinishedMessage, MessageLine
from tui.widgets.memory_line import LearnedChange
from tui.widgets.notice import LearningNotice
from tui.widgets.reply import LiveReply

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

    @property
    def at_end(self) -> bool:
        """Whether the reader is at the newest."""
        return self.max_scroll_y <= 0 or self.scroll_y >= self.max_scroll_y - 1

    def reply_of(self, turn_id: str | None) -> Spoken | None:
        """The reply of a turn, if it is here."""
        return next(
            (w for w in reversed(self.spoken) if turn_id and w.line.key == (turn_id, "assistant")),
            None,
        )

    def last_reply(self) -> str:
        """The newest reply's Markdown."""
        return next(
            (w.source for w in reversed(self.spoken) if w.line.role == "assistant" and w.source), ""
        )

    def entries(self) -> list[ConversationEntry]:
        """What keys can reach."""
        return [w for w in self.children if isinstance(w, ConversationEntry)]

    # --- adding ---

    async def put(self, *widgets: Widget) -> None:
        """At the end."""
        await self.query(WelcomeText).remove()
        await self.mount(*widgets)
        self.trim_entries()

    async def say(self, line: MessageLine) -> Spoken:
        """Something said now, in this window. A turn that is tried again keeps its place."""
        there = next((w for w in self.spoken if w.line.key == line.key), None)
        if there is not None:
            if line.role == "user":
                return there
            await there.remove()
        made: Spoken = (
            FinishedMessage(line, self._voice)
            if line.role == "user"
            else LiveReply(line, self._voice)
        )
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
        divider = self._divider(session_id, at)
        if before is None:
            await self.put(divider)
        else:
            await self.mount(divider, before=before)

    def _divider(self, session_id: str, at: datetime) -> Divider:
        return Divider("divider.session", self._voice, session_id=session_id, at=at)

    async def note(self, text: str, *, ok: bool = True, asked: str = "") -> None:
        """A word that is no part of the transcript; `asked` is the command it answers."""
        if text.strip():
            await self.put(EbbNote(text, ok=ok, asked=asked))

    async def choose(self, choices: ChoiceList) -> None:
        """Ask, with the question and its answers in view."""
        await self.put(choices)
        choices.focus(
            scroll_visible=False
        )  # it has no place yet, and looking for it would scroll to the top
        self.anchor()

    async def notice(self, items: Sequence[LearnedChange], turn_id: str | None) -> None:
        """What was learned, under the reply it was learned from (or at the end, where that is not here)."""
        under = self.reply_of(turn_id)
        if under is None:
            await self.put(LearningNotice(items, self._voice))
            return
        below = self._next(under)
        if isinstance(below, LearningNotice):
            below.add(items)
        else:
            await self.mount(LearningNotice(items, self._voice), after=under)

    def _next(self, widget: Widget) -> Widget | None:
        children = list(self.children)
        at = children.index(widget) + 1
        return children[at] if at < len(children) else None

    # --- the store ---

    async def reconcile(self, messages: Sequence[Message]) -> list[MessageLine]:
        """Make the screen agree with the store's newest messages; the lines that were not here before."""
        here = {w.line.key: w for w in self.spoken}
        fresh: list[MessageLine] = []
        with self.app.batch_update():
            for line in map(MessageLine.of, messages):
                there = here.get(line.key)
                if there is not None:
                    self._session = line.session_id if there.line.seq == 0 else self._session
                    there.set_line(
                        replace(line, text=line.text or there.line.text if not line.hidden else "")
                    )
                else:
                    await self._insert(line)
                    fresh.append(line)
        self.trim_entries()
        return fresh

    async def _insert(self, line: MessageLine) -> None:
        """In the store's order, before what this window is still saying."""
        await self.query(WelcomeText).remove()
        later = next((w for w in self.spoken if w.line.seq > line.seq or self._pending(w)), None)
        if later is None or self._pending(later):
            await self.enter_session(line.session_id, line.at, before=later)
        await self.mount(FinishedMessage(line, self._voice), before=later)

    @staticmethod
    def _pending(w: Spoken) -> bool:
        return w.line.seq == 0 and not w.line.off_record

    async def load_older(self, messages: Sequence[Message]) -> bool:
        """Put what is older than the screen above it, without moving what is being read.

        False: nothing older.
        """
        oldest = min((w.line.seq for w in self.spoken if w.line.seq), default=0)
        lines = [line for line in map(MessageLine.of, messages) if oldest and line.seq < oldest]
        if not lines:
            return False
        height = self.virtual_size.height
        first = next(iter(self.children))
        await self.mount(*self._rows(lines), before=first)
        self.call_after_refresh(self._restore, height)
        return True

    def _restore(self, height: int) -> None:
        """What was being read is lower down by what came above it."""
        added = self.virtual_size.height - height
        self.scroll_to(y=self.scroll_y + added, animate=False, immediate=True)

    def _rows(self, lines: Iterable[MessageLine]) -> Iterable[Widget]:
        session = ""
        for line in lines:
            if session and line.session_id != session:
                yield self._divider(line.session_id, line.at)
            session = line.session_id
            yield FinishedMessage(line, self._voice)
        below = next((w.line for w in self.spoken if w.line.seq), None)
        if below is not None and session and below.session_id != session:
            yield self._divider(below.session_id, below.at)

    async def forget_off_record(self) -> None:
        """What was said off the record leaves the screen with it, and so does all that stands among it."""
        children = list(self.children)
        off = [
            n
            for n, w in enumerate(children)
            if isinstance(w, FinishedMessage | LiveReply) and w.line.off_record
        ]
        for widget in children[off[0] :] if off else []:
            await widget.remove()

    # --- staying light ---

    async def settle_literal(self, reply: LiveReply) -> None:
        """Show a reply that is done as it stands, without Markdown."""
        await self.mount(
            FinishedMessage(replace(reply.line, literal=True), self._voice), before=reply
        )
        await reply.remove()

    def trim_entries(self) -> None:
        """Cool old replies down and let go of the oldest entries; only while nobody reads up there."""
        if not self.at_end:
            return
        live = [w for w in self.query(LiveReply) if w.failed is None]
        for reply in live[: max(0, len(live) - LIVE)]:
            said = FinishedMessage(reply.line, self._voice)
            self.mount(said, before=reply)
            reply.remove()
        children = list(self.children)
        if len(children) > MOST:
            for widget in children[: len(children) - MOST + LET_GO]:
                widget.remove()

    def reword(self) -> None:
        """Another language."""
        for widget in self.children:
            reword = getattr(widget, "reword", None)
            if reword is not None:
                reword()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Near the top on the way up: ask for more."""
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value and new_value <= 1 and self.max_scroll_y > 0:
            self.post_message(self.Older())
