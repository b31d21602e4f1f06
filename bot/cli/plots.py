"""The same pictures as PNG files, by matplotlib: an extra (`ebb[plot]`), imported when first used.

Words on them are English where the machine has no font with Chinese characters.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bot.markdown import count_columns
from bot.texts import Texts, level_name
from memory.api import CURVES, WeightHistory
from memory.models import Lang

if TYPE_CHECKING:
    from matplotlib.axes import Axes

say = Texts("life")
_FONTS: Final = ("Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "WenQuanYi Micro Hei")
# Shape and colour both tell events apart, for printers and for eyes that see few colours.
_MARKS: Final = {
    "mention": ("^", "#2b8a3e"),
    "boost": ("*", "#e67700"),
    "affirm": ("o", "#1098ad"),
    "negate": ("X", "#c92a2a"),
}
_OTHER: Final = ("D", "#868e96")
_BANDS: Final = ("#b4c8f4", "#d2dffa", "#e6edfd", "#f3f6fe", "#ffffff")  # the whole memory darkest
_INK, _FAINT = "#1c3d7a", "#868e96"
_ACROSS: Final = 3  # panels in a row
_LINE: Final = 150  # columns of a caption
UNMARKED: Final = frozenset({"created", "lowered"})  # where a picture begins; of every night


class PlotLibraryMissing(Exception):
    """matplotlib is not installed."""


class Panel(NamedTuple):
    """One course with its heading; `imagined`: in days, at the level its weight calls for."""

    title: str
    course: WeightHistory
    curve: str
    imagined: bool


def write(
    panels: Sequence[Panel], path: Path, lang: Lang, title: str, caption: Callable[[Lang], str]
) -> None:
    """Draw the panels side by side into a PNG, with a caption that says the same in words.

    The caption stands in the file's description as well. Raises PlotLibraryMissing, OSError.
    """
    try:
        import matplotlib as mpl
        from matplotlib import font_manager
        from matplotlib.figure import Figure
    except ImportError as e:
        raise PlotLibraryMissing from e
    fonts = [f for f in _FONTS if f in {x.name for x in font_manager.fontManager.ttflist}]
    words: Lang = lang if fonts else "en"
    style: dict[Any, Any] = {"font.family": [*fonts, "DejaVu Sans"], "axes.unicode_minus": False}
    with mpl.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        across, down = min(len(panels), _ACROSS), -(-len(panels) // _ACROSS)
        size = (4.6 * across, 3.4 * down + 0.6) if len(panels) > 1 else (10.0, 4.8)
        figure = Figure(figsize=size, dpi=140, layout="constrained")
        labelled: dict[str, Any] = {}
        for i, panel in enumerate(panels):
            ax = figure.add_subplot(down, across, i + 1)
            _draw(ax, panel, words)
            handles, labels = ax.get_legend_handles_labels()
            labelled |= dict(zip(labels, handles, strict=True))
        said = caption(words)
        wide = count_columns(said) > len(said)
        lines = (textwrap.wrap(x, _LINE // 2 if wide else _LINE) for x in said.splitlines())
        figure.legend(
            labelled.values(),
            labelled,
            title="\n".join(line for some in lines for line in some),
            loc="outside lower center",
            ncols=8,
            fontsize=9,
            title_fontsize=8,
            frameon=False,
        )
        figure.suptitle(title, fontsize=13)
        figure.savefig(path, format="png", metadata={"Title": title, "Description": caption(lang)})


def _draw(ax: Axes, panel: Panel, lang: Lang) -> None:
    moments, start = panel.course.moments, panel.course.moments[0].at

    def place(at: Any) -> Any:
        return (at - start).total_seconds() / 86_400 if panel.imagined else at

    xs = [place(m.at) for m in moments]
    levels = [m.due if panel.imagined else m.level for m in moments]
    for level, some in groupby(range(len(xs)), key=lambda i: levels[i]):
        span, label = [*some], level_name(level, lang)
        end = min(span[-1] + 1, len(xs) - 1)
        ax.axvspan(xs[span[0]], xs[end], color=_BANDS[level], label=label)
    for rule in CURVES[panel.curve].breakpoints:
        ax.axhline(rule, color=_FAINT, linewidth=0.7, linestyle=":")
    ax.plot(xs, [m.weight for m in moments], color=_INK, linewidth=1.9)
    for e in panel.course.events:
        if e.event not in UNMARKED:
            marker, colour = _MARKS.get(e.event, _OTHER)
            ax.plot(
                [place(e.at)],
                [e.new_weight],
                linestyle="",
                marker=marker,
                markersize=8,
                color=colour,
                clip_on=False,
                label=say.name(lang, "event", e.event),
            )
    ax.set_ylim(0, None)
    ax.set_title(panel.title, fontsize=11, loc="left")
    ax.set_ylabel(say(lang, "weight"))
    if panel.imagined:
        ax.set_xlabel(say(lang, "png.days"))
    else:
        ax.tick_params(axis="x", rotation=20)
