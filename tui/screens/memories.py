"""A modest browser of what is remembered: a list with search, a page at a time, and one memory in full."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from bot.commands.memories import LISTED
from bot.events import CommandOutcome
from bot.texts import format_age, kind_name
from memory.models import Memory, State, mark_quote
from memory.text.output import clean_output
from tui.connection import AgentConnection
from tui.language import WindowLanguage
from tui.line_breaks import one_line
from tui.widgets.header import KeyHints
from tui.widgets.memory_line import (
    draw_gauge,
    format_date,
    format_validity,
    get_glyph,
    get_icon,
    wrap_beside,
)

_FULL_WEIGHT = 2.0  # the curve's upper end


class MemoryBrowserScreen(Screen[None]):
    """Up and down chooses, left and right turn the page, `/` searches, d twice forgets, u takes it back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", show=False),
        Binding("slash", "search", show=False),
        Binding("right,n", "page(1)", show=False, priority=True),
        Binding("left,p", "page(-1)", show=False, priority=True),
        Binding("d,delete", "forget", show=False),
        Binding("u", "undo", show=False),
        Binding("c", "copy", show=False),
    ]

    def __init__(
        self,
        link: AgentConnection,
        voice: WindowLanguage,
        found: CommandOutcome,
        word: str = "",
        shown: str | None = None,
    ) -> None:
        super().__init__()
        self._link = link
        self._voice = voice
        self._memories = list(found.memories)
        self._total, self._offset = found.total, found.offset
        self._word = word
        self._shown = shown
        self._sure: str | None = None  # asked once to forget this one
        self._title = Static(classes="title")
        self._search = Input(
            value=word, placeholder=voice("browse.search"), classes="search", compact=True
        )
        self._list = OptionList(classes="memories", compact=True)
        self._detail = Static(classes="detail")
        self._word_of = Static(classes="said-of")
        self._hints = KeyHints()

    def compose(self) -> ComposeResult:
        """List on the left, the chosen one on the right."""
        yield self._title
        yield self._search
        with Horizontal(id="browser"):
            yield self._list
            with VerticalScroll(id="one"), Vertical():
                yield self._detail
        yield self._word_of
        yield self._hints

    async def on_mount(self) -> None:
        """The list has the keys."""
        say = self._voice
        self._word_of.display = False
        self._hints.pairs = (
            ("↑↓", say("hint.choose")),
            ("←→", say("hint.page")),
            ("/", say("hint.search")),
            ("d", say("hint.forget")),
            ("u", say("undo")),
            ("c", say("copy")),
            ("Esc", say("hint.back")),
        )
        if self._shown is not None:
            await self._reload(keep=self._shown)
        else:
            self._fill()
        self._list.focus()

    def _fill(self, keep: str | None = None) -> None:
        say = self._voice
        self._title.update(
            Content.assemble(
                (f" ≋ {say('browse.title')}", "bold $primary"), (f"  {self._counted()}", "$quiet")
            )
        )
        self._list.clear_options()
        self._list.add_options(Option(self._row(m), id=m.id) for m in self._memories)
        if not self._memories:
            self._detail.update(Content.styled(say("browse.none"), "$quiet"))
            return
        ids = [m.id for m in self._memories]
        self._list.highlighted = ids.index(keep) if keep in ids else 0
        self._show(self._memories[self._list.highlighted])

    def _counted(self) -> str:
        """How many there are, and which of them are on this page."""
        if self._total <= LISTED:
            return str(max(self._total, len(self._memories)))
        first = self._offset + 1
        return self._voice(
            "browse.span", first=first, last=self._offset + len(self._memories), n=self._total
        )

    def _row(self, m: Memory) -> Content:
        past = m.negated_at is not None or m.state is State.SUPERSEDED
        style = "$quiet strike" if past or m.state in (State.DELETED, State.FORGOTTEN) else ""
        mark = f"{self._voice('browse.past')} · " if past else ""
        return Content.assemble(
            (f"{get_glyph(m.level)} ", "$primary"),
            f"{get_icon(m.kind)} ",
            (mark, "$quiet"),
            (one_line(mark_quote(m, m.content), 200), style),
        )

    def _show(self, m: Memory) -> None:
        say, lang, now = self._voice, self._voice.lang, self._link.ebb.clock()
        weight = f"{draw_gauge(m.weight / _FULL_WEIGHT, 8)} {m.weight:.2f}"
        last = (
            format_age(m.last_activated_at, now, lang)
            if m.activation_count
            else say("browse.never")
        )
        rows = [
            ("browse.kind", f"{get_icon(m.kind)} {kind_name(m.kind, lang)}"),
            ("browse.weight", weight),
            ("browse.level", f"{m.level.glyph} {say(f'level.{int(m.level)}')}"),
            (
                "browse.state",
                say("browse.past" if m.negated_at is not None else f"state.{m.state.value}"),
            ),
            (
                "browse.age",
                f"{format_date(m.created_at, self._voice.tz, lang)} · {format_age(m.created_at, now, lang)}",
            ),
            (
                "browse.last",
                f"{last} · {say('browse.uses', n=m.activation_count)}"
                if m.activation_count
                else last,
            ),
            ("browse.source", say(f"source.{m.source.value}")),
            ("browse.valid", format_validity(m, self._voice, now)),
        ]
        marks = [say(mark) for mark, on in (("pinned", m.pinned), ("verified", m.verified)) if on]
        out = Content.assemble(
            (clean_output(mark_quote(m, m.content)), "bold"), "\n", (f"[{m.id}]", "$quiet")
        )
        if marks:
            out = Content.assemble(out, ("  " + " · ".join(marks), "$sand"))
        out += Content("\n")
        widest = max(cell_len(say(key)) for key, _ in rows) + 2
        for key, value in rows:
            if value:
                label = set_cell_size(say(key), widest)
                out = Content.assemble(
                    out,
                    "\n",
                    wrap_beside(Content.styled(label, "$quiet"), Content(value), self._room()),
                )
        if m.original_content != m.content:
            out = Content.assemble(
                out,
                "\n\n",
                (say("browse.original"), "$quiet"),
                "\n",
                clean_output(mark_quote(m, m.original_content)),
            )
        self._detail.update(out)

    def _room(self) -> int:
        return max(self._detail.content_size.width, 24)

    @property
    def _chosen(self) -> Memory | None:
        at = self._list.highlighted
        return self._memories[at] if at is not None and at < len(self._memories) else None

    async def _reload(self, keep: str | None = None) -> None:
        outcome = await self._link.command(
            "memories", f"{self._word} page {self._offset // LISTED + 1}"
        )
        self._total, self._offset = outcome.total, outcome.offset
        found = {m.id: m for m in outcome.memories}
        if keep is not None and keep not in found:
            found = {**await self._link.memories([keep]), **found}
        self._memories = list(found.values())
        self._fill(keep)

    def _tell(self, text: str) -> None:
        self._word_of.display = bool(text)
        self._word_of.update(Content(clean_output(text)))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Another one: show it; a question about the one before is off."""
        if event.option_index < len(self._memories):
            self._show(self._memories[event.option_index])
        if self._sure is not None and event.option.id != self._sure:
            self._sure = None
            self._tell("")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search, and back to the list."""
        event.stop()
        self._word, self._offset = event.value.strip(), 0
        await self._reload()
        self._list.focus()

    async def action_page(self, by: int) -> None:
        """The page after or before; none beyond the last."""
        to = self._offset + by * LISTED
        if 0 <= to < self._total:
            self._offset = to
            await self._reload()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """The page's keys are letters and arrows of the search field while one types there."""
        return not (action == "page" and self._search.has_focus)

    def action_search(self) -> None:
        """Into the search field."""
        self._search.focus()

    async def action_forget(self) -> None:
        """Ask once, then do it."""
        chosen = self._chosen
        if chosen is None or self._search.has_focus:
            return
        if self._sure != chosen.id:
            self._sure = chosen.id
            self._tell(self._voice("browse.sure"))
            return
        self._sure = None
        outcome = await self._link.command("forget", chosen.id)
        self._tell(
            self._voice("browse.forgotten") if outcome.ok and not outcome.choices else outcome.text
        )
        await self._reload()

    async def action_undo(self) -> None:
        """Take the last change back."""
        outcome = await self._link.command("undo")
        self._tell(outcome.text)
        await self._reload(self._chosen.id if self._chosen else None)

    def action_copy(self) -> None:
        """Copy its text."""
        if self._chosen is not None:
            self.app.copy_to_clipboard(self._chosen.content)

    def action_leave(self) -> None:
        """From the search field to the list, from the list to the conversation."""
        if self._search.has_focus:
            self._list.focus()
        else:
            self.dismiss()
