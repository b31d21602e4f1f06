"""What came to mind for a reply and what was learned from it: notices, and a panel of both."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.style import Style
from textual.widgets import Static

from bot.events import WindowMode
from memory.models import Hit, Memory
from tui.widgets.entries import ConversationEntry, WrappedText
from tui.widgets.memory_line import LearnedChange, format_hit, format_learned
from tui.words import WindowLanguage

KEPT = 20  # learned things listed


class LearningNotice(ConversationEntry, WrappedText):
    """Under a reply: what was learned from it, with a way to look at it, and a way back."""

    BINDINGS: ClassVar[list[BindingType]] = [("u", "undo"), ("v", "view")]

    @dataclass
    class Undo(TextualMessage):
        """Take these change sets back."""

        set_ids: list[str]

    @dataclass
    class View(TextualMessage):
        """Show this memory."""

        memory_id: str

    def __init__(self, items: Sequence[LearnedChange], voice: WindowLanguage) -> None:
        super().__init__(classes="notice")
        self.items = {(i.set_id, i.memory_id): i for i in items}
        self._voice = voice

    @property
    def source(self) -> str:
        """The memories' texts."""
        return "\n".join(item.text for item in self.items.values())

    def add(self, items: Sequence[LearnedChange]) -> None:
        """Add more of the same reply."""
        self.items |= {(i.set_id, i.memory_id): i for i in items}
        self.reword()

    def drop(self, *, set_ids: Container[str] = (), memory_ids: Container[str] = ()) -> None:
        """Drop what was taken back or forgotten, and an empty notice with it."""
        kept = {k: i for k, i in self.items.items() if k[0] not in set_ids}
        kept = {k: i for k, i in kept.items() if k[1] not in memory_ids}
        if not kept:
            self.remove()
        elif len(kept) != len(self.items):
            self.items = kept
            self.reword()

    def lay(self, width: int) -> Content:
        """Lay out a line for each; what can be done stands behind the last."""
        tails = [Content("")] * (len(self.items) - 1) + [self._tail()]
        lines = zip(self.items.values(), tails, strict=True)
        return Content("\n").join(
            [format_learned(item, self._voice, width, tail) for item, tail in lines]
        )

    def _tail(self) -> Content:
        """Write the links; with their keys while those work."""
        parts = []
        for action in ("view", "undo"):
            style = Style.from_meta({"@click": action}) + Style(underline=True)
            link = Content.styled(self._voice(action), style)
            focused = Content.assemble((f"{action[0]} ", "$primary"), link)
            parts.append(focused if self.has_focus else link.stylize("$quiet"))
        return Content("  ").join(parts)

    def watch_has_focus(self, value: bool) -> None:
        """Show the keys while they work."""
        super().watch_has_focus(value)
        self.reword()

    def action_undo(self) -> None:
        """Take it back, the newest first."""
        self.post_message(self.Undo(list(dict.fromkeys(s for s, _ in reversed(self.items)))))

    def action_view(self) -> None:
        """Look at the newest."""
        self.post_message(self.View(next(reversed(self.items))[1]))


class RecalledEntry(WrappedText):
    """One recalled memory."""

    def __init__(self, hit: Hit, now: datetime, voice: WindowLanguage) -> None:
        super().__init__(classes="recalled")
        self.hit = hit
        self._now = now
        self._voice = voice

    def take(self, memory: Memory) -> None:
        """Show the memory as it is by now: what was used has darker ink."""
        self.hit = replace(self.hit, memory=memory)
        self.reword()

    def lay(self, width: int) -> Content:
        """Lay out glyph, icon and text; relevance and age under it."""
        return format_hit(self.hit, self._now, self._voice, width)


class MemoryPanel(VerticalScroll, can_focus=False):
    """What was recalled above, what was learned below, the newest first."""

    def __init__(self, voice: WindowLanguage) -> None:
        super().__init__()
        self._voice = voice
        self._mode = WindowMode.NORMAL
        self._hits: Sequence[Hit] | None = None
        self._title = Static(classes="title")
        self._recalled = Static(classes="quiet")
        self._late = Static(classes="quiet")
        self._title2 = Static(classes="title")
        self._empty = Static(classes="empty")

    def compose(self) -> ComposeResult:
        """Compose the headings; the entries are mounted among them."""
        yield from (self._title, self._recalled, self._late, self._title2, self._empty)

    def on_mount(self) -> None:
        """Show the words of the moment."""
        self._late.display = False
        self.reword()

    def set_mode(self, mode: WindowMode) -> None:
        """Say that off the record nothing is recalled, or nothing is learned."""
        self._mode, self._hits = mode, None
        self.query(RecalledEntry).remove()
        self.reword()

    async def recalled(self, hits: Sequence[Hit], now: datetime, *, late: bool = False) -> None:
        """Show what this reply was told."""
        self._hits = hits
        await self.query(RecalledEntry).remove()
        self._late.display = late
        await self.mount(*[RecalledEntry(h, now, self._voice) for h in hits], before=self._late)
        self.reword()

    async def learned(self, items: Sequence[LearnedChange]) -> None:
        """Show what was learned, the newest on top."""
        for item in items:
            self.drop({item.memory_id, *item.replaces}, recalled=False)
            await self.mount(LearningNotice([item], self._voice), after=self._title2)
        await self.remove_children(list(self.query(LearningNotice))[KEPT:])
        self._empty.display = not self.query(LearningNotice)

    def take(self, memories: Mapping[str, Memory]) -> None:
        """Show what was recalled as it has become since; an opened secret stays as it is."""
        for shown in self.query(RecalledEntry):
            m = memories.get(shown.hit.memory.id)
            if m is not None and shown.hit.why != "secret":
                shown.take(m)

    def drop(self, memory_ids: Container[str], *, recalled: bool = True) -> None:
        """Show nothing of these any more: they are forgotten, or said anew."""
        for notice in self.query(LearningNotice):
            notice.drop(memory_ids=memory_ids)
        for shown in self.query(RecalledEntry) if recalled else ():
            if shown.hit.memory.id in memory_ids:
                shown.remove()

    def reword(self) -> None:
        """Show everything in the language and mode of the moment."""
        mode = None if self._mode is WindowMode.NORMAL else f"panel.{self._mode.value}"
        recalled = "panel.empty" if self._hits is None else "panel.none"
        if self._mode is WindowMode.TEMP:
            recalled = "panel.temp"
        for static, key in (
            (self._title, "panel.recalled"),
            (self._recalled, recalled),
            (self._late, "panel.late"),
            (self._title2, "panel.learned"),
            (self._empty, mode or "panel.learned.empty"),
        ):
            static.update(Content(self._voice(key)))
        self._recalled.display = not self._hits
        for entry in self.query(WrappedText):
            entry.reword()
