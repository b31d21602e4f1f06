"""Pictures of forgetting made of characters: no colour, no library, as wide as they are told to be.
Pure.

Braille cells hold 2×4 dots each; what a picture says is also said in words beneath it by whoever
prints it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from bot.markdown import count_columns, pad_to_columns
from memory.models import Level

LEVEL_INK: Final = "█▓▒░·"  # full, summary, tag, trace, archive: fainter and fainter
EVENT_INK: Final[Mapping[str, str]] = {"mention": "▲", "boost": "★", "affirm": "○", "negate": "✕"}
OTHER_INK: Final = "◆"
_BITS: Final = (
    (0x01, 0x08),
    (0x02, 0x10),
    (0x04, 0x20),
    (0x40, 0x80),
)  # of a Braille cell, by row and column
_LABEL: Final = 5  # columns of the scale at the left


class DotCanvas:
    """A field of dots, (0, 0) at the top left."""

    def __init__(self, width: int, height: int) -> None:
        """In characters."""
        self.width, self.height = width, height
        self._cells = [[0] * width for _ in range(height)]

    def dot(self, x: int, y: int) -> None:
        """Set a dot; what is outside is left out."""
        if 0 <= x < 2 * self.width and 0 <= y < 4 * self.height:
            self._cells[y // 4][x // 2] |= _BITS[y % 4][x % 2]

    def line(self, x0: int, y0: int, x1: int, y1: int) -> None:
        """Dots from one place to another."""
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for i in range(steps + 1):
            self.dot(x0 + round((x1 - x0) * i / steps), y0 + round((y1 - y0) * i / steps))

    def rows(self, ruled: Sequence[int] = ()) -> list[str]:
        """Return the lines; those whose numbers are `ruled` have a dotted line behind."""
        return [
            "".join(chr(0x2800 + c) if c else "┄" if y in ruled else " " for c in cells)
            for y, cells in enumerate(self._cells)
        ]


def draw_plot(
    points: Sequence[tuple[float, float]],
    rules: Sequence[float],
    top: float,
    width: int,
    height: int,
) -> list[str]:
    """Draw the curve between its scale and its axis: `height` + 1 lines, `width` columns wide.

    `points` are (share of the width, weight), `rules` the weights where levels begin.
    """
    inner = max(width - _LABEL - 1, 4)
    canvas, top = DotCanvas(inner, height), top or 1.0
    across, down = 2 * inner - 1, 4 * height - 1

    def place(point: tuple[float, float]) -> tuple[int, int]:
        x, y = point
        return round(min(max(x, 0.0), 1.0) * across), round(
            (1 - min(max(y / top, 0.0), 1.0)) * down
        )

    for a, b in pairwise(points):
        canvas.line(*place(a), *place(b))
    if len(points) == 1:
        canvas.dot(*place(points[0]))
    labels = {0: f"{top:.2f}"}
    for rule in rules:
        if 0 < rule < top:
            labels.setdefault(round((1 - rule / top) * down) // 4, f"{rule:.2f}")
    rows = canvas.rows(ruled=[y for y in labels if y])
    lines = [
        f"{labels.get(y, ''):>{_LABEL}}{'┼' if y in labels else '│'}{row}"
        for y, row in enumerate(rows)
    ]
    return [*lines, f"{'0.00':>{_LABEL}}└{'─' * inner}"]


def draw_axis(width: int, marks: Sequence[tuple[float, str]]) -> str:
    """Write texts under a plot, each at its share of the width, as far as there is room."""
    inner = max(width - _LABEL - 1, 4)
    line = [" "] * inner
    free = 0
    for share, text in marks:
        at = min(round(share * (inner - 1)), inner - count_columns(text))
        if at >= free:
            line[at : at + count_columns(text)] = [*text, *[""] * (count_columns(text) - len(text))]
            free = at + count_columns(text) + 1
    return " " * (_LABEL + 1) + "".join(line)


def strip(width: int, levels: Sequence[tuple[float, Level]]) -> str:
    """Draw the level over the same width, in ink that grows fainter."""
    inner = max(width - _LABEL - 1, 4)
    out = []
    for column in range(inner):
        share = column / max(inner - 1, 1)
        passed = [level for at, level in levels if at <= share + 1e-9]
        out.append(LEVEL_INK[passed[-1]] if passed else " ")
    return " " * (_LABEL + 1) + "".join(out)


def draw_marks(width: int, events: Sequence[tuple[float, str]]) -> str:
    """Mark each event at its place; of several in one column the rarer kind shows."""
    inner = max(width - _LABEL - 1, 4)
    line = [" "] * inner
    order = ["", OTHER_INK, *EVENT_INK.values()]
    for share, name in events:
        column = round(min(max(share, 0.0), 1.0) * (inner - 1))
        ink = EVENT_INK.get(name, OTHER_INK)
        if order.index(line[column].strip()) < order.index(ink):
            line[column] = ink
    return " " * (_LABEL + 1) + "".join(line).rstrip()


def join_panels(
    panels: Sequence[Sequence[str]], width: int, across: int, gap: int = 2
) -> list[str]:
    """Panels of `width` columns, `across` in a row."""
    out: list[str] = []
    for start in range(0, len(panels), across):
        some = panels[start : start + across]
        for y in range(max(map(len, some))):
            cells = (pad_to_columns(p[y] if y < len(p) else "", width) for p in some)
            out.append((" " * gap).join(cells).rstrip())
        out.append("")
    return out[:-1]
