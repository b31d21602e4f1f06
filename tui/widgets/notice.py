"""What was learned, where it was learned: with a way to look at it, and a way back."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.style import Style

from tui.language import WindowLanguage
from tui.widgets.entries import ConversationEntry, WrappedText
from tui.widgets.memory_line import LearnedChange, format_learned


class LearningNotice(ConversationEntry, WrappedText):
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

    def __init__(self, items: Sequence[LearnedChange], voice: WindowLanguage) -> None:
        super().__init__(classes="notice")
        self.items = list(items)
        self._voice = voice

    @property
    def source(self) -> str:
        """The memories' texts."""
        return "\n".join(item.text for item in self.items)

    def add(self, items: Sequence[LearnedChange]) -> None:
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
                format_learned(item, self._voice, width, self._tail() if n == last else Content(""))
                for n, item in enumerate(self.items)
            ]
        )

    def _tail(self) -> Content:
        """The links; with their keys while those work."""
        parts = []
        for key, action in (("v ", "view"), ("u ", "undo")):
            link = Content.styled(
                self._voice(action), Style.from_meta({"@click": action}) + Style(underline=True)
            )
            parts.append(
                Content.assemble((key, "$primary"), link)
                if self.has_focus
                else link.stylize("$quiet")
            )
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
