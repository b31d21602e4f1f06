"""A browser of what is remembered: a list with search, page by page, and one memory in full."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from bot.commands.memories import LISTED
from bot.events import CommandOutcome
from bot.shoreline import describe_shoreline, draw_shoreline
from bot.texts import format_age, kind_name, level_name
from memory.api import clean_output
from memory.models import Level, Memory, State, mark_quote
from tui.connection import AgentConnection
from tui.widgets.header import KeyHints
from tui.widgets.memory_line import (
    draw_gauge,
    format_validity,
    get_glyph,
    get_icon,
    get_ink,
    get_level_word,
    wrap_beside,
)
from tui.words import WindowLanguage, one_line

_FULL_WEIGHT = 2.0  # the curve's upper end
# of the whole memory, by level: paler and paler
_SHORE_INK = ("$primary", "$primary 80%", "$primary 60%", "$quiet", "$quiet 70%")
_HINTS = (
    ("↑↓", "hint.choose"),
    ("←→", "hint.page"),
    ("/", "hint.search"),
    ("d", "hint.forget"),
    ("u", "undo"),
    ("c", "copy"),
    ("Esc", "hint.back"),
)


class MemoryBrowserScreen(Screen[None]):
    """Up and down chooses, left and right turn the page; letters search, forget, undo and copy."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q", "leave"),
        ("slash", "search"),
        Binding("right,n", "page(1)", priority=True),
        Binding("left,p", "page(-1)", priority=True),
        ("d,delete", "forget"),
        ("u", "undo"),
        ("c", "copy"),
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
        self._levels = found.levels
        self._word = word
        self._shown = shown
        self._sure: str | None = None  # asked once to forget this one
        hint = voice("browse.search")
        self._title = Static(classes="title")
        self._shore = Static(classes="shore")
        self._search = Input(value=word, placeholder=hint, classes="search", compact=True)
        self._list = OptionList(classes="memories", compact=True)
        self._detail = Static(classes="detail")
        self._answer = Static(classes="said-of")
        self._hints = KeyHints()

    def compose(self) -> ComposeResult:
        """Compose the list on the left, the chosen one on the right."""
        yield self._title
        yield self._shore
        yield self._search
        with Horizontal(id="browser"):
            yield self._list
            with VerticalScroll(id="one"):
                yield self._detail
        yield self._answer
        yield self._hints

    async def on_mount(self) -> None:
        """Give the list the keys."""
        self._answer.display = False
        self._hints.pairs = tuple((key, self._voice(word)) for key, word in _HINTS)
        if self._shown is not None:
            await self._reload(keep=self._shown)
        else:
            self._fill()
        self._list.focus()

    async def _reload(self, keep: str | None = None) -> None:
        page = self._offset // LISTED + 1
        outcome = await self._link.command("memories", f"{self._word} page {page}")
        self._total, self._offset = outcome.total, outcome.offset
        self._levels = outcome.levels
        found = {m.id: m for m in outcome.memories}
        if keep is not None and keep not in found:
            found = {**await self._link.memories([keep]), **found}
        self._memories = list(found.values())
        self._fill(keep)

    def _fill(self, keep: str | None = None) -> None:
        title = (f" ≋ {self._voice('browse.title')}", "bold $primary")
        self._title.update(Content.assemble(title, (f"  {self._counted()}", "$quiet")))
        self._draw_shore()
        self._list.set_options(Option(self._row(m), id=m.id) for m in self._memories)
        if not self._memories:
            self._detail.update(Content.styled(self._voice("browse.none"), "$quiet"))
            return
        ids = [m.id for m in self._memories]
        self._list.highlighted = at = ids.index(keep) if keep in ids else 0
        self._show(self._memories[at])

    def _draw_shore(self) -> None:
        """Draw how much is near, faint and far, with its caption; not above a search."""
        self._shore.display = bool(self._levels)
        if self._levels:
            runs = draw_shoreline(self._levels, max(self.size.width - 4, len(Level)))
            drawn = Content.assemble(*((ink, _SHORE_INK[level]) for level, ink in runs))
            caption = describe_shoreline(self._levels, self._voice.lang)
            self._shore.update(Content.assemble(drawn, "\n", (caption, "$quiet")))

    def on_resize(self) -> None:
        """Draw the line again in the new width."""
        self._draw_shore()

    def _counted(self) -> str:
        if self._total <= LISTED:
            return str(max(self._total, len(self._memories)))
        first, last = self._offset + 1, self._offset + len(self._memories)
        return self._voice("browse.span", first=first, last=last, n=self._total)

    def _row(self, m: Memory) -> Content:
        past = m.negated_at is not None or m.state is State.SUPERSEDED
        gone = past or m.state in (State.DELETED, State.FORGOTTEN)
        word = self._voice("browse.past") if past else get_level_word(m, self._voice)
        return Content.assemble(
            (f"{get_glyph(m.spoken_level)} ", "$primary"),
            f"{get_icon(m.kind)} ",
            (f"{word} · " if word else "", "$quiet"),
            (one_line(mark_quote(m, m.shown_text), 200), "$quiet strike" if gone else get_ink(m)),
        )

    def _show(self, m: Memory) -> None:
        say, lang, now = self._voice, self._voice.lang, self._link.ebb.clock()
        last = say("browse.never")
        if m.activation_count:
            age = format_age(m.last_activated_at, now, lang)
            last = f"{age} · {say('browse.uses', n=m.activation_count)}"
        level = m.spoken_level
        state = "browse.past" if m.negated_at is not None else f"state.{m.state.value}"
        learned = f"{say.format_date(m.created_at)} · {format_age(m.created_at, now, lang)}"
        rows = {
            "browse.kind": f"{get_icon(m.kind)} {kind_name(m.kind, lang)}",
            "browse.weight": f"{draw_gauge(m.weight / _FULL_WEIGHT, 8)} {m.weight:.2f}",
            "browse.level": f"{level.glyph} {level_name(level, lang)}",
            "browse.state": say(state),
            "browse.age": learned,
            "browse.last": last,
            "browse.source": say(f"source.{m.source.value}"),
            "browse.valid": format_validity(m, say, now),
        }
        marks = [say(mark) for mark, on in (("pinned", m.pinned), ("verified", m.verified)) if on]
        told = "".join(f" {'·' if n else ''} {mark}" for n, mark in enumerate(marks))
        text = clean_output(mark_quote(m, m.shown_text))
        out = [
            Content.styled(text, f"bold {get_ink(m)}"),
            Content.assemble((f"[{m.id}]", "$quiet"), (told, "$sand")),
        ]
        out.append(Content(""))
        widest = max(cell_len(say(key)) for key in rows) + 2
        room = max(self._detail.content_size.width, 24)
        for key, value in rows.items():
            if value:
                label = Content.styled(set_cell_size(say(key), widest), "$quiet")
                out.append(wrap_beside(label, Content(value), room))
        if m.original_content != m.shown_text:
            original = clean_output(mark_quote(m, m.original_content))
            out += [
                Content(""),
                Content.styled(say("browse.original"), "$quiet"),
                Content(original),
            ]
        self._detail.update(Content("\n").join(out))

    @property
    def _chosen(self) -> Memory | None:
        at = self._list.highlighted
        return self._memories[at] if at is not None and at < len(self._memories) else None

    def _tell(self, text: str) -> None:
        self._answer.display = bool(text)
        self._answer.update(Content(clean_output(text)))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show another one; a question about the one before is off."""
        if event.option_index < len(self._memories):
            self._show(self._memories[event.option_index])
        if self._sure is not None and event.option.id != self._sure:
            self._sure = None
            self._tell("")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search, and go back to the list."""
        event.stop()
        self._word, self._offset = event.value.strip(), 0
        await self._reload()
        self._list.focus()

    async def action_page(self, by: int) -> None:
        """Turn to the page after or before; none beyond the last."""
        to = self._offset + by * LISTED
        if 0 <= to < self._total:
            self._offset = to
            await self._reload()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Leave letters and arrows to the search field while one types there."""
        return not (action == "page" and self._search.has_focus)

    def action_search(self) -> None:
        """Go into the search field."""
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
        done = outcome.ok and not outcome.choices
        self._tell(self._voice("browse.forgotten") if done else outcome.text)
        await self._reload()

    async def action_undo(self) -> None:
        """Take the last change back."""
        outcome = await self._link.command("undo")
        self._tell(outcome.text)
        await self._reload(self._chosen.id if self._chosen else None)

    def action_copy(self) -> None:
        """Copy its text."""
        if self._chosen is not None:
            self.app.copy_to_clipboard(self._chosen.shown_text)

    def action_leave(self) -> None:
        """Go from the search field to the list, from the list to the conversation."""
        if self._search.has_focus:
            self._list.focus()
        else:
            self.dismiss()
