"""The same pictures as PNG files, by matplotlib: an extra (`ebb[plot]`), imported when first used.

Words on them are English where the machine has no font with Chinese characters.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot.charts import EVENT_INK
from bot.life_texts import say
from memory.lifecycle import CURVES
from memory.lifecycle.replay import Course
from memory.models import Lang

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CHINESE: Final = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "SimHei",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Noto Sans SC",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
_MARKERS: Final = {"mention": "^", "boost": "*", "affirm": "o", "negate": "X"}
_BANDS: Final = ("0.80", "0.86", "0.91", "0.95", "1.0")  # greys, the whole memory darkest
_INK: Final = "0.15"
_UNMARKED: Final = frozenset({"created", "lowered"})


class NoPlots(Exception):
    """matplotlib is not installed."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One course with its heading; `days` for a scale in days since its beginning instead of dates."""

    title: str
    course: Course
    curve: str
    days: bool = False
    due: bool = False  # draw the level that the weight calls for, not the one the words had


def write(panels: Sequence[Panel], path: Path, lang: Lang, title: str = "") -> None:
    """Draw the panels side by side into a PNG. Raises NoPlots, OSError."""
    try:
        import matplotlib as mpl

        mpl.use("agg")
        from matplotlib import font_manager
        from matplotlib.figure import Figure
    except ImportError as e:
        raise NoPlots from e
    fonts = {f.name for f in font_manager.fontManager.ttflist}
    chinese = next((name for name in _CHINESE if name in fonts), None)
    words: Lang = lang if chinese else "en"
    family = [chinese, "DejaVu Sans"] if chinese else ["DejaVu Sans"]
    with mpl.rc_context({"font.family": family, "axes.unicode_minus": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = Figure(figsize=(max(4.0 * len(panels), 9.0), 4.4), dpi=130, layout="constrained")
        for i, panel in enumerate(panels):
            _draw(figure.add_subplot(1, len(panels), i + 1), panel, words)
        _legend(figure, panels, words)
        if title:
            figure.suptitle(_shown(title, chinese), fontsize=12)
        figure.savefig(path, format="png")


def _shown(text: str, chinese: str | None) -> str:
    """A title in the letters there are: of Chinese without a font nothing could be read."""
    plain = "".join(c for c in text if ord(c) < 0x2190 or (chinese and ord(c) < 0x10000))
    return " ".join(plain.split())


def _draw(ax: Axes, panel: Panel, lang: Lang) -> None:
    moments = panel.course.moments
    start = moments[0].at
    xs: list[Any] = [(m.at - start).total_seconds() / 86_400 if panel.days else m.at for m in moments]
    top = max(panel.course.highest * 1.08, CURVES[panel.curve].breakpoints[0] * 1.2)
    levels = [m.due if panel.due else m.level for m in moments]
    edges = [0, *(i for i in range(1, len(levels)) if levels[i] is not levels[i - 1]), len(levels) - 1]
    for a, b in pairwise(edges):
        ax.axvspan(xs[a], xs[b], color=_BANDS[levels[a]], linewidth=0, zorder=0)
    for rule in CURVES[panel.curve].breakpoints:
        ax.axhline(rule, color="0.45", linewidth=0.8, linestyle=(0, (1, 3)), zorder=1)
        ax.text(1.005, rule, f"{rule:g}", transform=ax.get_yaxis_transform(), fontsize=7, va="center", color="0.3")
    ax.plot(xs, [m.weight for m in moments], color=_INK, linewidth=1.6, zorder=2)
    for event in (e for e in panel.course.events if e.event not in _UNMARKED):
        at: Any = (event.at - start).total_seconds() / 86_400 if panel.days else event.at
        marker = _MARKERS.get(event.event, "d")
        over = 4 if event.event in _MARKERS else 3  # what was said stands before what came of it
        ax.plot([at], [event.new_weight], marker, color=_INK, markersize=8, markeredgecolor="white", zorder=over)
    ax.set_ylim(0, top)
    ax.set_xlim(xs[0], xs[-1] if xs[-1] != xs[0] else None)
    ax.set_title(panel.title, fontsize=10)
    ax.set_ylabel(say(lang, "weight"), fontsize=9)
    ax.tick_params(labelsize=8)
    if not panel.days:
        ax.tick_params(axis="x", rotation=20)


def _legend(figure: Figure, panels: Sequence[Panel], lang: Lang) -> None:
    """What the greys and the marks mean: those that occur."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    moments = [(m, p) for p in panels for m in p.course.moments]
    seen = sorted({m.due if p.due else m.level for m, p in moments})
    handles: list[Any] = [
        Patch(facecolor=_BANDS[level], edgecolor="0.6", label=say(lang, f"level.{int(level)}")) for level in seen
    ]
    names = dict.fromkeys(e.event for p in panels for e in p.course.events if e.event not in _UNMARKED)
    for name in sorted(names, key=lambda n: (n not in EVENT_INK, n)):
        key = f"event.{name}"
        label = say(lang, key) if key in say.keys() else name  # noqa: SIM118 - a table, not a dict
        marker = _MARKERS.get(name, "d")
        handles.append(Line2D([], [], color=_INK, marker=marker, linestyle="", markersize=7, label=label))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 9), fontsize=8, frameon=False)
