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

from bot.cli.charts import EVENT_INK
from bot.texts import Texts
from memory.lifecycle import CURVES
from memory.lifecycle.weight_history import WeightHistory
from memory.models import Lang, Level

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

say = Texts("life")
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
# Shape and colour both tell events apart, so that neither a printer nor an eye that sees few
# colours loses any.
_MARKERS: Final = {
    "mention": ("^", "#2b8a3e", 8.5),
    "boost": ("*", "#e67700", 12.0),
    "affirm": ("o", "#1098ad", 8.0),
    "negate": ("X", "#c92a2a", 9.0),
    "level": ("v", "#748ffc", 6.5),
    "reviewed": ("d", "#868e96", 6.5),
    "promoted": ("P", "#9c36b5", 8.0),
    "merged": ("h", "#5f3dc4", 8.0),
    "edited": ("s", "#495057", 6.0),
    "contradicted": ("x", "#f08c00", 7.0),
    "adopted": (">", "#495057", 7.0),
}
_OTHER: Final = ("D", "#868e96", 5.0)
_BANDS: Final = ("#b4c8f4", "#d2dffa", "#e6edfd", "#f3f6fe", "#ffffff")  # the whole memory darkest
_INK: Final = "#212529"
_LINE: Final = "#1c3d7a"
_FAINT: Final = "#868e96"
_GONE: Final = "#f1f3f5"
_UNMARKED: Final = frozenset({"created", "lowered"})
_ACROSS: Final = 3  # panels in a row


class PlotLibraryMissing(Exception):
    """matplotlib is not installed."""


@dataclass(frozen=True, slots=True)
class CoursePanel:
    """One course with its heading.

    `imagined`: the scale is days since its beginning, and the level is the one that the weight
    calls for.
    """

    title: str
    course: WeightHistory
    curve: str
    imagined: bool = False


def write(panels: Sequence[CoursePanel], path: Path, lang: Lang, title: str = "") -> None:
    """Draw the panels side by side into a PNG. Raises NoPlots, OSError."""
    try:
        import matplotlib as mpl

        mpl.use("agg")
        from matplotlib import font_manager
        from matplotlib.figure import Figure
    except ImportError as e:
        raise PlotLibraryMissing from e
    fonts = {f.name for f in font_manager.fontManager.ttflist}
    chinese = next((name for name in _CHINESE if name in fonts), None)
    words: Lang = lang if chinese else "en"
    family = [chinese, "DejaVu Sans"] if chinese else ["DejaVu Sans"]
    style = {
        "font.family": family,
        "axes.unicode_minus": False,
        "hatch.linewidth": 0.4,
        "text.color": _INK,
    }
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        across, down = min(len(panels), _ACROSS), -(-len(panels) // _ACROSS)
        size = (4.6 * across, 3.4 * down + 0.6) if len(panels) > 1 else (10.0, 4.8)
        figure = Figure(figsize=size, dpi=140, layout="constrained", facecolor="white")
        for i, panel in enumerate(panels):
            _draw(figure.add_subplot(down, across, i + 1), panel, words)
        spare = None
        if len(panels) < across * down:
            spare = figure.add_subplot(down, across, across * down)
            spare.set_axis_off()
        _legend(figure, spare, panels, words)
        if title:
            figure.suptitle(_shown(title, chinese), fontsize=13, color=_INK)
        figure.savefig(path, format="png")


def _shown(text: str, chinese: str | None) -> str:
    """Write a title in the letters there are: of Chinese without a font nothing could be read."""
    plain = "".join(c for c in text if ord(c) < 0x2190 or (chinese and ord(c) < 0x10000))
    return " ".join(plain.split())


def _draw(ax: Axes, panel: CoursePanel, lang: Lang) -> None:
    moments = panel.course.moments
    curve = CURVES[panel.curve]
    start = moments[0].at
    xs: list[Any] = [
        (m.at - start).total_seconds() / 86_400 if panel.imagined else m.at for m in moments
    ]
    top = max(panel.course.highest * 1.12, curve.breakpoints[0] * 1.2)
    levels = [m.due if panel.imagined else m.level for m in moments]
    edges = [
        0,
        *(i for i in range(1, len(levels)) if levels[i] is not levels[i - 1]),
        len(levels) - 1,
    ]
    for a, b in pairwise(edges):
        ax.axvspan(xs[a], xs[b], color=_BANDS[levels[a]], linewidth=0, zorder=0)
    if (gone := _forgotten(panel)) is not None:
        ax.axvspan(
            xs[gone],
            xs[-1],
            facecolor=_GONE,
            edgecolor="#ced4da",
            hatch="////",
            linewidth=0,
            zorder=0,
        )
    switched = [
        0,
        *(i for i in range(1, len(moments)) if moments[i].curve != moments[i - 1].curve),
        len(moments) - 1,
    ]
    for a, b in pairwise(switched):  # each curve has bounds of its own
        for rule in CURVES[moments[a].curve].breakpoints:
            ax.hlines(
                rule, xs[a], xs[b], color=_FAINT, linewidth=0.7, linestyle=(0, (1, 3)), zorder=1
            )
    for rule, height in _apart(curve.breakpoints, top * 0.045):
        ax.text(
            1.012,
            height,
            f"{rule:g}",
            transform=ax.get_yaxis_transform(),
            fontsize=7,
            va="center",
            color=_FAINT,
        )
    weights = [m.weight for m in moments]
    ax.fill_between(xs, weights, color=_LINE, alpha=0.07, linewidth=0, zorder=1.5)
    ax.plot(xs, weights, color=_LINE, linewidth=1.9, solid_joinstyle="round", zorder=2)
    for event in (e for e in panel.course.events if e.event not in _UNMARKED):
        at: Any = (event.at - start).total_seconds() / 86_400 if panel.imagined else event.at
        over = 4 if event.event in EVENT_INK else 3  # what was said stands before what came of it
        ax.plot([at], [event.new_weight], zorder=over, clip_on=False, **_mark(event.event))
    ax.set_ylim(0, top)
    ax.set_xlim(xs[0], xs[-1] if xs[-1] != xs[0] else None)
    ax.set_title(panel.title, fontsize=11, color=_INK, loc="left")
    ax.set_ylabel(say(lang, "weight"), fontsize=9, color=_INK)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color("#adb5bd")
    ax.tick_params(labelsize=8, color="#adb5bd", labelcolor="#495057")
    if panel.imagined:
        ax.set_xlabel(say(lang, "png.days"), fontsize=8, color="#495057")
    else:
        ax.tick_params(axis="x", rotation=20)


def _mark(event: str) -> dict[str, Any]:
    marker, colour, size = _MARKERS.get(event, _OTHER)
    edge = colour if marker == "x" else "white"  # a cross is all edge
    return {
        "marker": marker,
        "color": colour,
        "markersize": size,
        "markeredgecolor": edge,
        "linestyle": "",
    }


def _apart(rules: Sequence[float], least: float) -> list[tuple[float, float]]:
    """Each level's bound and the height its number is written at, so that no two stand on each other."""
    out: list[tuple[float, float]] = []
    for rule in sorted(rules):
        out.append((rule, max(rule, out[-1][1] + least) if out else rule))
    return out


def _forgotten(panel: CoursePanel) -> int | None:
    """From which moment on its curve would have forgotten it for good, if nobody spoke of it again."""
    below = CURVES[panel.curve].forgets_below
    if below is None or not panel.imagined:
        return None
    weak = [m.weight < below and m.due is Level.ARCHIVE for m in panel.course.moments]
    return weak.index(True) if True in weak else None


def _legend(figure: Figure, spare: Axes | None, panels: Sequence[CoursePanel], lang: Lang) -> None:
    """Explain the tints and marks that occur, in the empty place among the panels if there is one."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    moments = [(m, p) for p in panels for m in p.course.moments]
    seen = sorted({m.due if p.imagined else m.level for m, p in moments})
    handles: list[Any] = [
        Patch(facecolor=_BANDS[level], edgecolor="#ced4da", label=say(lang, f"level.{int(level)}"))
        for level in seen
    ]
    if any(_forgotten(p) is not None for p in panels):
        handles.append(
            Patch(
                facecolor=_GONE, edgecolor="#ced4da", hatch="////", label=say(lang, "png.forgotten")
            )
        )
    names = dict.fromkeys(
        e.event for p in panels for e in p.course.events if e.event not in _UNMARKED
    )
    for name in sorted(names, key=lambda n: (n not in EVENT_INK, n)):
        key = f"event.{name}"
        label = say(lang, key) if key in say else name
        handles.append(Line2D([], [], label=label, **_mark(name)))
    if spare is not None:
        spare.legend(
            handles=handles, loc="center", fontsize=10, frameon=False, ncols=1 + (len(handles) > 7)
        )
        return
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(len(handles), 9),
        fontsize=9,
        frameon=False,
    )
