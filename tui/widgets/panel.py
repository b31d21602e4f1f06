"""The memory panel: what came to mind for the reply, and what was learned, as it happens."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from bot.events import WindowMode
from memory.models import Hit
from tui.language import WindowLanguage
from tui.widgets.entries import WrappedText
from tui.widgets.memory_line import LearnedChange, format_hit
from tui.widgets.notice import LearningNotice

KEPT = 20  # learned things listed


class MemoryPanel(VerticalScroll, can_focus=False):
    """Two lists, the newest first."""

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self._voice = voice
        self._mode = WindowMode.NORMAL
        self._hits: tuple[Hit, ...] | None = None
        self._late = Static(classes="quiet")
        self._title = Static(classes="title")
        self._recalled = Static(classes="quiet")
        self._title2 = Static(classes="title")
        self._empty = Static(classes="empty")

    def compose(self) -> ComposeResult:
        """Recalled above, learned below."""
        yield self._title
        yield self._recalled
        yield self._late
        yield self._title2
        yield self._empty

    def on_mount(self) -> None:
        """In the language of the moment."""
        self._late.display = False
        self.reword()

    def set_mode(self, mode: WindowMode) -> None:
        """Off the record nothing is recalled, or nothing is learned: say so."""
        self._mode = mode
        self._hits = None
        self.query(RecalledEntry).remove()
        self.reword()

    async def recalled(self, hits: Sequence[Hit], now: datetime, *, late: bool = False) -> None:
        """What this reply was told."""
        self._hits = tuple(hits)
        await self.query(RecalledEntry).remove()
        self._late.display = late
        await self.mount(*[RecalledEntry(h, now, self._voice) for h in hits], before=self._late)
        self.reword()

    async def learned(self, items: Sequence[LearnedChange]) -> None:
        """The newest on top."""
        for item in items:
            there = [
                n
                for n in self.query(LearnedEntry)
                if n.item.memory_id in (item.memory_id, *item.replaces)
            ]
            for old in there:
                await old.remove()
            await self.mount(LearnedEntry(item, self._voice), after=self._title2)
        for old in list(self.query(LearnedEntry))[KEPT:]:
            old.remove()
        self._empty.display = not self.query(LearnedEntry)

    def drop(self, memory_ids: Container[str]) -> None:
        """These are forgotten: nothing here shows them any more."""
        for notice in self.query(LearnedEntry):
            notice.drop(memory_ids=memory_ids)
        for shown in self.query(RecalledEntry):
            if shown.hit.memory.id in memory_ids:
                shown.remove()

    def reword(self) -> None:
        """Everything again, in the language and mode of the moment."""
        voice = self._voice
        self._title.update(Content(voice("panel.recalled")))
        self._title2.update(Content(voice("panel.learned")))
        self._late.update(Content(voice("panel.late")))
        self._recalled.update(Content(self._recalled_words()))
        self._recalled.display = not self._hits
        for hit in self.query(RecalledEntry):
            hit.reword()
        key = (
            "panel.learned.empty"
            if self._mode is WindowMode.NORMAL
            else f"panel.{self._mode.value}"
        )
        self._empty.update(Content(voice(key)))
        for widget in self.query(LearnedEntry):
            widget.reword()

    def _recalled_words(self) -> str:
        if self._mode is WindowMode.TEMP:
            return self._voice("panel.temp")
        return self._voice("panel.empty" if self._hits is None else "panel.none")


class RecalledEntry(WrappedText):
    """One recalled memory."""

    def __init__(self, hit: Hit, now: datetime, voice: WindowLanguage) -> None:
        super().__init__(classes="recalled")
        self.hit = hit
        self._now = now
        self._voice = voice

    def lay(self, width: int) -> Content:
        """Glyph, icon and text; relevance and age under it."""
        return format_hit(self.hit, self._now, self._voice, width)


class LearnedEntry(LearningNotice):
    """One learned thing in the panel."""

    def __init__(self, item: LearnedChange, voice: WindowLanguage) -> None:
        super().__init__([item], voice)
        self.item = item
