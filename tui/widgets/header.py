"""The top of the window: who answers, which conversation, which mode; and the tide line under it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual.color import Gradient
from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget

from bot.events import Status, WindowMode
from memory.models import Lang
from tui.line_breaks import one_line
from tui.texts import say

_DOTS = (
    (0x40, 0x80),
    (0x04, 0x20),
    (0x02, 0x10),
    (0x01, 0x08),
)  # braille dots of a column pair, bottom up
_FRAMES = 12.0  # a second
_BAR = 5  # cells of the bar that shows how far a night's upkeep is


@dataclass(frozen=True, slots=True)
class HeaderState:
    """All that the header shows."""

    lang: Lang = "en"
    mode: WindowMode = WindowMode.NORMAL
    status: Status | None = None


class Header(Widget):
    """One line: name and session on the left, who answers and what is known on the right, the mode between."""

    state: reactive[HeaderState] = reactive(HeaderState())

    def render(self) -> Content:
        """As much as fits, the mode first."""
        lang, mode, status = self.state.lang, self.state.mode, self.state.status
        width = self.size.width
        name = Content.styled(" ≋ Ebb ", "bold $primary")
        badge = self._badge(lang, mode, long=width >= 90)
        if mode is WindowMode.NORMAL and status is not None and status.memory_off:
            badge = Content.styled(f" {say(lang, 'badge.off')} ", "bold reverse $temp")
        left = width - name.cell_length - badge.cell_length - 1
        right = self._right(lang, status, left)
        room = left - right.cell_length - 2
        title = one_line(status.session_title) if status and status.session_title else ""
        if status is not None and not title:
            title = say(lang, "untitled")
        shown = _cut(title, room - 1) if room > 6 and mode is WindowMode.NORMAL else ""
        middle = Content.styled(f" {shown}", "$foreground")
        gap = (
            width
            - name.cell_length
            - badge.cell_length
            - middle.cell_length
            - right.cell_length
            - 1
        )
        return Content.assemble(name, badge, middle, " " * max(gap, 0), right, " ")

    def _badge(self, lang: Lang, mode: WindowMode, *, long: bool) -> Content:
        if mode is WindowMode.NORMAL:
            return Content("")
        word = say(lang, f"badge.{mode.value}.long" if long else f"badge.{mode.value}")
        return Content.styled(f" {word} ", f"bold reverse ${mode.value}")

    def _right(self, lang: Lang, status: Status | None, room: int) -> Content:
        if status is None:
            return Content.styled(say(lang, "opening"), "$quiet")
        parts: list[Content] = []
        if status.failed_jobs:
            parts.append(
                Content.styled(f"! {say(lang, 'failed_jobs', n=status.failed_jobs)}", "$warning")
            )
        elif status.upkeep is not None:
            parts.append(Content.styled(say(lang, "upkeep", bar=_bar(status.upkeep)), "$quiet"))
        elif status.embedded is not None:
            done, total = status.embedded
            parts.append(
                Content.styled(say(lang, "embedded", bar=_bar(done / max(1, total))), "$quiet")
            )
        elif status.pending_jobs:
            parts.append(Content.styled(say(lang, "learning"), "$quiet"))
        if status.memories:
            key = "count.one" if status.memories == 1 else "count"
            parts.append(Content.styled(say(lang, key, n=status.memories), "$quiet"))
        model = [one_line(status.model, 40)]
        if status.offline:
            model = [say(lang, "offline"), say(lang, "offline.short")]
        style = "$sand" if status.offline else "$foreground"
        for label in model:
            whole = Content(" · ").join([*parts, Content.styled(label, style)])
            if whole.cell_length <= room:
                return whole
        short = _cut(model[-1], max(room, 8))
        return Content.styled(short, style)


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…" if width > 1 else ""


class TideLine(Widget):
    """A line of water: still while nobody writes, moving while a reply comes in; a broken line off the record."""

    mode: reactive[WindowMode] = reactive(WindowMode.NORMAL)
    phase: reactive[float] = reactive(0.0)

    def __init__(self) -> None:
        super().__init__()
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """The timer stands still until there is something to show."""
        self._timer = self.set_interval(1 / _FRAMES, self._step, pause=True)

    def flow(self, on: bool) -> None:
        """Move, or come to rest. Where animations are off, it never moves."""
        if self._timer is None:
            return
        if on and self.app.animation_level != "none":
            self._timer.resume()
        else:
            self._timer.pause()

    def _step(self) -> None:
        self.phase = (self.phase + 0.22) % (2 * math.pi * 20)

    def render(self) -> Content:
        """The water's surface, drawn with braille dots; coloured from the sea to the sand."""
        width = self.size.width
        if self.mode is not WindowMode.NORMAL:
            return Content.styled(("╌" * width)[:width], f"${self.mode.value}")
        line = "".join(self._cell(x) for x in range(width))
        if self.app.native_ansi_color:  # sixteen colours have nothing to mix
            return Content.styled(line, "$primary")
        variables = self.app.theme_variables
        gradient = Gradient.from_colors(
            variables["primary"], variables["primary"], variables["sand"]
        )
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
        """As many as fit."""
        out = Content(" ")
        for key, word in self.pairs:
            piece = Content.assemble((key, "$primary"), " ", (word, "$quiet"), "   ")
            if out.cell_length + piece.cell_length - 2 > self.size.width:
                break
            out += piece
        return out


def _bar(share: float) -> str:
    full = round(share * _BAR)
    return f"{'▰' * full}{'▱' * (_BAR - full)}"
