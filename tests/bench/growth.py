"""The picture of `tests.bench.scale`: how long recall takes, and how much room, as memories grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

Row = Mapping[str, Any]

_INK: Final = "#22303c"
_FAINT: Final = "#8896a3"
_TIMES: Final = (  # key, name, colour, width
    ("vec0", "vec0, every vector", "#c0843d", 1.6),
    ("numpy", "numpy, every vector", "#8a6fb0", 1.6),
    ("median", "Ebb, whole recall", "#0b7a75", 2.8),
    ("index", "Ebb, nearest 40", "#5fb8a5", 1.8),
)
_ROOM: Final = (("file", "file", "#c0843d", 1.8), ("rss", "memory", "#0b7a75", 2.8))
TARGETS: Final = {10_000: 3.0, 100_000: 12.0}  # milliseconds a whole recall may take
TARGET_ROOM: Final = {100_000: 300.0}  # megabytes of memory


def plot(rows: Mapping[int, Row], path: Path, note: str) -> None:
    """Two panels, logarithmic both ways; every line is named at its end, every goal is a hollow diamond."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update(
        {"font.size": 10, "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _FAINT}
    )
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(12, 5.4), width_ratios=(1.25, 1), layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12, rect=(0, 0, 1, 0.85))
    figure.suptitle(
        "Recall as one person's memories grow",
        x=0.014,
        y=0.97,
        ha="left",
        fontsize=16,
        weight="bold",
    )
    figure.text(0.014, 0.875, note, fontsize=9.5, color=_FAINT, ha="left")
    sizes = sorted(rows)
    _lines(
        left,
        sizes,
        rows,
        _TIMES,
        "Time of a question (median; shaded: to the 95th percentile)",
        _ms,
    )
    left.fill_between(
        sizes,
        [rows[n]["median"] for n in sizes],
        [rows[n]["p95"] for n in sizes],
        color="#0b7a75",
        alpha=0.13,
        lw=0,
    )
    _goals(left, sizes, TARGETS)
    room = {n: {**rows[n], "file": rows[n]["bytes"] * n / 1e6} for n in sizes}
    _lines(right, sizes, room, _ROOM, "Room: the file, and the process while it recalls", _mb)
    _goals(right, sizes, TARGET_ROOM)
    figure.savefig(path, dpi=160, facecolor="white")
    plt.close(figure)


def _lines(
    axes: Any, sizes: Sequence[int], rows: Mapping[int, Row], lines: Any, title: str, unit: Any
) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    ends = []
    for key, name, colour, width in lines:
        there = [n for n in sizes if rows[n].get(key) is not None]
        values = [rows[n][key] for n in there]
        if not there:
            continue
        axes.plot(
            there,
            values,
            color=colour,
            lw=width,
            marker="o",
            ms=2.2 + 1.6 * width,
            solid_capstyle="round",
        )
        ends.append((values[-1], there[-1], name, colour, width))
    axes.set(xscale="log", yscale="log")
    axes.set_title(title, loc="left", fontsize=11, color=_INK, pad=10)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: _count(n)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: unit(v)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, which="major", color="#e3e8ec", lw=0.9)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(which="both", colors=_INK, length=0)
    axes.set_xticks(sizes)
    axes.set_xlim(sizes[0] / 1.35, sizes[-1] * 1.35)
    axes.set_xlabel("memories")
    _named(axes, ends, unit)


def _named(axes: Any, ends: list[tuple[float, int, str, str, float]], unit: Any) -> None:
    """Names to the right of the lines' ends, pushed apart where they would meet."""
    from math import log10

    low, high = (log10(v) for v in axes.get_ylim())
    step, at = (high - low) * 0.075, -1e9
    for value, _, name, colour, width in sorted(ends):
        at = max(log10(value), at + step)
        axes.annotate(
            f"{name}  {unit(value)}",
            (1.015, (at - low) / (high - low)),
            xycoords="axes fraction",
            color=colour,
            va="center",
            weight="bold" if width > 2 else "normal",
            annotation_clip=False,
        )


def _goals(axes: Any, sizes: Sequence[int], goals: Mapping[int, float]) -> None:
    met = [(n, v) for n, v in goals.items() if n in sizes]
    mark = {"marker": "D", "ms": 7, "mfc": "white", "mec": _INK, "mew": 1.3, "ls": "none"}
    if met:
        axes.plot(*zip(*met, strict=True), **mark, zorder=5, label="the most it may be")
        axes.legend(
            loc="lower right", frameon=False, fontsize=9, labelcolor=_INK, handletextpad=0.2
        )


def _count(n: float) -> str:
    return f"{n / 1e6:g} M" if n >= 1e6 else f"{n / 1e3:g} k" if n >= 1e3 else f"{n:g}"


def _ms(v: float) -> str:
    return f"{v / 1000:.3g} s" if v >= 1000 else f"{v:.2g} ms" if v < 10 else f"{v:.3g} ms"


def _mb(v: float) -> str:
    return f"{v / 1000:.2g} GB" if v >= 1000 else f"{v:.3g} MB"
