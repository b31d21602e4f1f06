"""What stands between the messages: dividers, questions to answer, and the welcome of an empty conversation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message as TextualMessage
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from bot.events import Choice
from memory.text.output import clean_output
from tui.language import WindowLanguage
from tui.widgets.memory_line import format_day_and_time


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
        """Other words."""
        self.refresh()

    def render(self) -> Content:
        """The words, in the middle of a line."""
        when = (
            format_day_and_time(self._at, self._voice.tz, self._voice.lang)
            if self._at is not None
            else ""
        )
        label = Content.styled(f" {self._voice(self._key, when=when)} ", self._style)
        side = max((self.size.width - label.cell_length) // 2, 0)
        rest = max(self.size.width - label.cell_length - side, 0)
        return Content.assemble(("─" * side, "$line"), label, ("─" * rest, "$line"))


class ChoiceList(OptionList):
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
            Option(Content.assemble((f"{n} ", "$primary"), clean_output(c.label)), id=str(n))
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


class WelcomeText(Vertical):
    """What an empty conversation shows."""

    def __init__(self, voice: WindowLanguage) -> None:
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
        self._more.update(Content(self._voice("welcome.more")))
