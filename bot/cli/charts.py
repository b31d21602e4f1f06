"""Pictures of forgetting made of characters: no colour, no library, as wide as told. Pure.

Braille cells hold 2×4 dots each; whoever prints a picture says the same in words beneath it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from bot.markdown import count_columns, pad_to_columns
from bot.shoreline import LEVEL_INK
from memory.models import Level

EVENT_INK: Final[Mapping[str, str]] = {"mention": "▲", "boost": "★", "affirm": "○", "negate": "✕"}
OTHER_INK: Final = "◆"
# of a Braille cell, by row and column
_BITS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_LABEL: Final = 5  # columns of the scale at the left
_MARGIN: Final = " " * (_LABEL + 1)


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
    inner, top = _inner(width), top or 1.0
    across, down = 2 * inner - 1, 4 * height - 1
    cells = [[0] * inner for _ in range(height)]
    dots = [
        (round(_clamp(x) * across), round((1 - _clamp(weight / top)) * down))
        for x, weight in points
    ]
    for (x0, y0), (x1, y1) in pairwise(dots if len(dots) > 1 else dots * 2):
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for i in range(steps + 1):
            x, y = x0 + round((x1 - x0) * i / steps), y0 + round((y1 - y0) * i / steps)
            cells[y // 4][x // 2] |= _BITS[y % 4][x % 2]
    labels = {0: f"{top:.2f}"}
    for rule in rules:
        if 0 < rule < top:
            labels.setdefault(round((1 - rule / top) * down) // 4, f"{rule:.2f}")
    lines = []
    for y, row in enumerate(cells):
        empty = "┄" if y and y in labels else " "
        drawn = "".join(chr(0x2800 + c) if c else empty for c in row)
        lines.append(f"{labels.get(y, ''):>{_LABEL}}{'┼' if y in labels else '│'}{drawn}")
    return [*lines, f"{'0.00':>{_LABEL}}└{'─' * inner}"]


def draw_axis(width: int, marks: Sequence[tuple[float, str]]) -> str:
    """Write texts under a plot, each at its share of the width, as far as there is room."""
    line = ""
    for share, text in marks:
        inner, size = _inner(width), count_columns(text)
        at = min(round(share * (inner - 1)), inner - size)
        if not line or at > count_columns(line):
            line = pad_to_columns(line, at) + text
    return pad_to_columns(_MARGIN + line, width)


def strip(width: int, levels: Sequence[tuple[float, Level]]) -> str:
    """Draw the level over the same width, in ink that grows fainter."""
    inner, out = _inner(width), ""
    for column in range(inner):
        passed = [level for at, level in levels if at <= column / max(inner - 1, 1) + 1e-9]
        out += LEVEL_INK[passed[-1]] if passed else " "
    return _MARGIN + out


def draw_marks(width: int, events: Sequence[tuple[float, str]]) -> str:
    """Mark each event at its place; of several in one column the rarer kind shows."""
    inner = _inner(width)
    line, order = [" "] * inner, [" ", OTHER_INK, *EVENT_INK.values()]
    for share, name in events:
        column = round(_clamp(share) * (inner - 1))
        line[column] = max(line[column], EVENT_INK.get(name, OTHER_INK), key=order.index)
    return _MARGIN + "".join(line).rstrip()


def join_panels(
    panels: Sequence[Sequence[str]], width: int, across: int, gap: int = 2
) -> list[str]:
    """Set panels of `width` columns side by side, `across` in a row."""
    out: list[str] = []
    for start in range(0, len(panels), across):
        some = panels[start : start + across]
        for y in range(max(map(len, some))):
            cells = (pad_to_columns(p[y] if y < len(p) else "", width) for p in some)
            out.append((" " * gap).join(cells).rstrip())
        out.append("")
    return out[:-1]


def _inner(width: int) -> int:
    return max(width - _LABEL - 1, 4)


def _clamp(share: float) -> float:
    return min(max(share, 0.0), 1.0)
