"""The top of the window: who answers, which conversation and mode; and the tide line below."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual.color import Gradient
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from bot.events import Status, WindowMode
from bot.reports import describe_tokens
from memory.models import Lang
from tui.widgets.memory_line import draw_gauge
from tui.words import one_line, say

# braille dots of a column pair, bottom up
_DOTS = ((0x40, 0x80), (0x04, 0x20), (0x02, 0x10), (0x01, 0x08))
_FRAMES = 12.0  # a second


@dataclass(frozen=True, slots=True)
class HeaderState:
    """All that the header shows."""

    lang: Lang = "en"
    mode: WindowMode = WindowMode.NORMAL
    status: Status | None = None
    counting: bool = False  # today's tokens, in place of the rest


class Header(Widget):
    """One line: name and session, the mode, who answers and what is known."""

    state: reactive[HeaderState] = reactive(HeaderState())

    def render(self) -> Content:
        """Render as much as fits, the mode first."""
        lang, mode, status = self.state.lang, self.state.mode, self.state.status
        width = self.size.width
        left = Content.styled(" ≋ Ebb ", "bold $primary")
        if mode is not WindowMode.NORMAL:
            badge = say(lang, f"badge.{mode.value}{'.long' if width >= 90 else ''}")
            left += Content.styled(f" {badge} ", f"bold reverse ${mode.value}")
        elif status is not None and status.memory_off:
            left += Content.styled(f" {say(lang, 'badge.off')} ", "bold reverse $temp")
        if self.state.counting and status is not None:
            spent = describe_tokens(status.tokens, lang) or [say(lang, "no_tokens")]
            return left + Content.styled(_cut(f" {spent[-1]}", width - left.cell_length))
        right = self._right(lang, status, width - left.cell_length - 1)
        room = width - left.cell_length - right.cell_length - 4
        title = ""
        if status is not None and mode is WindowMode.NORMAL and room > 5:
            title = _cut(one_line(status.session_title) or say(lang, "untitled"), room)
        left += Content.styled(f" {title}", "$foreground")
        gap = width - left.cell_length - right.cell_length - 1
        return Content.assemble(left, " " * max(gap, 0), right, " ")

    def _right(self, lang: Lang, status: Status | None, room: int) -> Content:
        if status is None:
            return Content.styled(say(lang, "opening"), "$quiet")
        parts: list[Content] = []
        if status.failed_jobs:
            failed = say(lang, "failed_jobs", n=status.failed_jobs)
            parts.append(Content.styled(f"! {failed}", "$warning"))
        elif work := _describe_work(lang, status):
            parts.append(Content.styled(work, "$quiet"))
        if status.memories:
            key = "count.one" if status.memories == 1 else "count"
            parts.append(Content.styled(say(lang, key, n=status.memories), "$quiet"))
        labels = [one_line(status.model, 40)]
        if status.offline:
            labels = [say(lang, "offline"), say(lang, "offline.short")]
        style = "$sand" if status.offline else "$foreground"
        for label in labels:
            whole = Content(" · ").join([*parts, Content.styled(label, style)])
            if whole.cell_length <= room:
                return whole
        return Content.styled(_cut(labels[-1], max(room, 8)), style)


def _describe_work(lang: Lang, status: Status) -> str:
    if status.upkeep is not None:
        return say(lang, "upkeep", bar=draw_gauge(status.upkeep))
    if status.embedded is not None:
        done, total = status.embedded
        return say(lang, "embedded", bar=draw_gauge(done / max(1, total)))
    return say(lang, "learning") if status.pending_jobs else ""


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…" if width > 1 else ""


class TideLine(Widget):
    """A line of water: moving while a reply comes in, a broken line off the record."""

    mode: reactive[WindowMode] = reactive(WindowMode.NORMAL)
    phase: reactive[float] = reactive(0.0)

    def flow(self, on: bool) -> None:
        """Move, or come to rest. Where animations are off, it never moves."""
        moves = on and self.app.animation_level != "none"
        self.auto_refresh = 1 / _FRAMES if moves else None

    def automatic_refresh(self) -> None:
        """Draw the next frame."""
        self.phase = (self.phase + 0.22) % (2 * math.pi * 20)

    def render(self) -> Content:
        """Draw the water's surface with braille dots, coloured from the sea to the sand."""
        width = self.size.width
        if self.mode is not WindowMode.NORMAL:
            return Content.styled(("╌" * width)[:width], f"${self.mode.value}")
        line = "".join(self._cell(x) for x in range(width))
        if self.app.native_ansi_color:  # sixteen colours have nothing to mix
            return Content.styled(line, "$primary")
        sea, sand = (self.app.theme_variables[name] for name in ("primary", "sand"))
        gradient = Gradient.from_colors(sea, sea, sand)
        out = Content(line)
        step = max(width // 24, 1)
        for x in range(0, width, step):
            out = out.stylize(gradient.get_color(x / max(width - 1, 1)).hex, x, x + step)
        return out

    def _cell(self, x: int) -> str:
        dots = 0
        for half in (0, 1):
            at = x * 2 + half
            swell = math.sin(at / 9.0 - self.phase) + 0.6 * math.sin(at / 23.0 + self.phase * 0.6)
            level = min(3, max(0, round((swell + 1.6) / 3.2 * 3)))
            dots |= _DOTS[level][half]
        return chr(0x2800 + dots)


class KeyHints(Widget):
    """The bottom line: the keys that matter now."""

    pairs: reactive[tuple[tuple[str, str], ...]] = reactive(())

    def render(self) -> Content:
        """Render as many as fit."""
        out = Content(" ")
        for key, word in self.pairs:
            piece = Content.assemble((key, "$primary"), " ", (word, "$quiet"), "   ")
            if out.cell_length + piece.cell_length - 2 > self.size.width:
                break
            out += piece
        return out
