"""`ebb memory curves` and `show`: how memories live, in pictures and in words, from the shell."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.bootstrap import Ebb
from bot.cli import charts, plots
from bot.cli.parser import ID, argument, flag, verb
from bot.commands.memories import describe_event, describe_memory, format_memory
from bot.markdown import pad_to_columns
from bot.texts import Texts, join, kind_name, level_name
from memory.api import (
    CURVES,
    DAY,
    EPOCH,
    CurveEvent,
    U,
    WeightHistory,
    WeightPoint,
    compute_weight,
    dump_state,
    replay_log,
    simulate_memory,
    to_milliseconds,
)
from memory.errors import NotFound
from memory.models import Importance, Kind, Lang, Level, Memory, MemoryId, WeightEvent

say = Texts("life")
PNG = argument("--png", type=Path, metavar="FILE")
_WIDTH, _HEIGHT, _NARROWEST = 78, 12, 32
_PANEL, _PANEL_HEIGHT = 25, 8
_STEPS = 480


# --- pictures ---


@verb(
    "curves",
    argument("--kind", choices=[str(k) for k in Kind], default="fact"),
    argument("--importance", choices=[str(i) for i in Importance], default="medium"),
    argument("--days", type=float, default=365),
    argument("--mention", type=float, action="append", default=[], metavar="DAY"),
    argument("--deny", type=float, action="append", default=[], metavar="DAY"),
    PNG,
)
async def curves(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Draw a life that never was under every curve."""
    kind, importance, speed = Kind(args.kind), Importance(args.importance), ebb.settings.forgetting
    days = min(max(args.days, 1.0), 100_000.0)
    asked: tuple[tuple[CurveEvent, list[float]], ...] = (
        ("mention", args.mention),
        ("negate", args.deny),
    )
    events = [(day, event) for event, those in asked for day in those if 0 <= day <= days]
    ends = [(0.0, "0"), (1.0, say(lang, "curves.days", n=f"{days:g}"))]
    panels, told, shown = [], [], []
    for name in CURVES:
        m, log = simulate_memory(kind, importance, name, U[speed], events, days)
        life = replay_log(m, log, U[speed], EPOCH + days * DAY, steps=_STEPS)
        title = f"{name} ({say(lang, 'curves.yours')})" if name == ebb.settings.curve else name
        drawn = _draw(life, name, _PANEL, _PANEL_HEIGHT, due=True)
        panels.append([title, *drawn, charts.draw_axis(_PANEL, ends)])
        told.append(f"  {name:<11} {_tell_levels(life, name, lang)}")
        shown.append(plots.Panel(title, life, name, imagined=True))
    head = say(
        lang,
        "curves.head",
        kind=kind_name(kind, lang).lower(),
        importance=say(lang, f"importance.{importance}"),
        speed=say(lang, f"speed.{speed}"),
    )
    across = max(min(shutil.get_terminal_size().columns // (_PANEL + 2), len(panels)), 1)
    print(head, "", *charts.join_panels(panels, _PANEL, across), "", *told, "", sep="\n")
    legend = _explain_marks(shown[0].course.events, lang)
    print(say(lang, "legend.levels"), *legend, say(lang, "curves.tail"), sep="\n")

    def caption(lang: Lang) -> str:
        return "\n".join(f"{p.curve}: {_tell_levels(p.course, p.curve, lang)}" for p in shown)

    return _write_png(args.png, shown, head, caption, lang)


def _draw(life: WeightHistory, curve: str, width: int, height: int, *, due: bool) -> list[str]:
    """Draw the weight, the level beneath it, and marks for what happened."""
    start, span = life.moments[0].at, (life.moments[-1].at - life.moments[0].at) or DAY

    def place(at: datetime) -> float:
        return (at - start) / span

    rules = CURVES[curve].breakpoints
    points = [(place(m.at), m.weight) for m in life.moments]
    levels = [(place(m.at), m.due if due else m.level) for m in life.moments]
    marks = [(place(e.at), e.event) for e in life.events if e.event not in plots.UNMARKED]
    lines = charts.draw_plot(points, rules, max(life.highest, rules[0] * 1.2), width, height)
    below = [charts.draw_marks(width, marks)] if marks else []
    return [*lines, charts.strip(width, levels), *below]


def _tell_levels(life: WeightHistory, curve: str, lang: Lang) -> str:
    """Say the same in words: which level from when on, in days."""
    below, first = CURVES[curve].forgets_below or 0.0, life.moments[0].at

    def stage(m: WeightPoint) -> Level | None:
        return None if m.weight < below and m.due is Level.ARCHIVE else m.due

    spans = [
        (level, round((next(some).at - first) / DAY))
        for level, some in groupby(life.moments, stage)
    ]
    ends = [*(since for _, since in spans[1:]), round((life.moments[-1].at - first) / DAY)]
    parts: list[str] = []
    for (level, since), until in zip(spans, ends, strict=True):
        if level is None:
            return ", ".join([*parts, say(lang, "curves.forgotten", day=since)])
        name = level_name(level, lang)
        parts.append(say(lang, "curves.level", level=name, since=since, until=until))
    return ", ".join(parts)


def _explain_marks(events: Sequence[WeightEvent], lang: Lang) -> list[str]:
    """Explain the marks that occur, and how often they do."""
    counts = Counter(e.event for e in events if e.event not in plots.UNMARKED)
    told = [
        say(lang, "legend.event", ink=ink, what=say.name(lang, "event", name), n=counts[name])
        for name, ink in charts.EVENT_INK.items()
        if counts[name]
    ]
    other = [
        f"{say.name(lang, 'event', e)} ×{n}" for e, n in counts.items() if e not in charts.EVENT_INK
    ]
    told += [f"{charts.OTHER_INK} {', '.join(other)}"] if other else []
    return ["  ".join(told)] if told else []


def _tell_course(life: WeightHistory, zone: ZoneInfo, lang: Lang) -> str:
    """Say in words what a picture shows: each level with its dates, the weight now, what moved."""
    moments = life.moments
    starts = [next(some) for _, some in groupby(moments, lambda m: m.level)]
    days = [f"{m.at.astimezone(zone):%Y-%m-%d}" for m in (*starts, moments[-1])]
    levels = (
        say(lang, "curves.level", level=level_name(m.level, lang), since=since, until=until)
        for m, (since, until) in zip(starts, pairwise(days), strict=True)
    )
    counts = Counter(e.event for e in life.events if e.event not in plots.UNMARKED)
    moved = (f"{say.name(lang, 'event', event)} ×{n}" for event, n in counts.items())
    weight = say(lang, "course.now", weight=f"{moments[-1].weight:.2f}")
    return join((*levels, weight, *moved), lang, "clauses")


def _write_png(
    path: Path | None,
    panels: Sequence[plots.Panel],
    title: str,
    caption: Callable[[Lang], str],
    lang: Lang,
) -> int:
    """Write the picture where a file was named, and say so. 1 if it cannot be written."""
    if path is None:
        return 0
    try:
        plots.write(panels, path, lang, title, caption)
    except plots.PlotLibraryMissing:
        print(say(lang, "png.none"), file=sys.stderr)
        return 1
    except OSError as e:
        print(say(lang, "png.unwritable", path=path, why=e.strerror or e), file=sys.stderr)
        return 1
    print(say(lang, "png.done", path=path))
    return 0


# --- one memory ---


@verb("show", ID, flag("--log"), flag("--json"), PNG)
async def show(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print all that is known of it; with `--log` or `--json` all that its weights come from."""
    m, now, u = await get_memory(ebb, args.id), ebb.clock(), U[ebb.settings.forgetting]
    log = await ebb.store.read(ebb.owner, lambda tx: tx.memories.list_weight_log(m.id))
    if args.json:
        print(*json_lines(m, log, u, now), sep="\n")
        return 0
    zone = ZoneInfo(ebb.tz)
    print(format_memory(m, lang, now))
    for label, value in describe_memory(m, compute_weight(m, u, now), lang, zone).items():
        print(f"  {pad_to_columns(label, 14)} {value}")
    life = replay_log(m, log, u, now, steps=_STEPS)
    first, last = (f"{life.moments[i].at.astimezone(zone):%Y-%m-%d}" for i in (0, -1))
    width = min(max(shutil.get_terminal_size().columns - 1, _NARROWEST), _WIDTH)
    print("", *_draw(life, m.curve, width, _HEIGHT, due=False), sep="\n")
    print(
        charts.draw_axis(width, [(0.0, first), (1.0, last)]), say(lang, "legend.levels"), sep="\n"
    )
    caption = partial(_tell_course, life, zone)
    print(*_explain_marks(life.events, lang), caption(lang), "", say(lang, "log.head"), sep="\n")
    for e in log:
        print(*_describe_entry(e, zone, lang, whole=args.log), sep="\n")
    if not log:
        print(say(lang, "log.none"))
    panel = plots.Panel(f"[{m.id}]", life, m.curve, imagined=False)
    return _write_png(args.png, [panel], m.shown_text, caption, lang)


def _describe_entry(e: WeightEvent, zone: ZoneInfo, lang: Lang, *, whole: bool) -> list[str]:
    at = e.at.astimezone(zone)
    if not whole:
        what = pad_to_columns(say.name(lang, "event", e.event), 14)
        weights = f"{e.old_weight:.3f} → {e.new_weight:.3f}"
        return [f"  {at:%Y-%m-%d %H:%M}  {what} {weights}  {describe_event(e, lang)}".rstrip()]
    moment = f"{at.isoformat(timespec='milliseconds')} ({to_milliseconds(e.at)} ms)"
    weights = f"{e.old_weight!r} → {e.new_weight!r}"
    lines = [f"  {moment}  {e.event}  {weights}  {e.reason}".rstrip()]
    for name in ("before", "after", "factors"):
        if values := getattr(e, name):
            written = " ".join(f"{k}={json.dumps(v)}" for k, v in values.items())
            lines.append(f"    {name:<8}{written}")
    return lines


def json_lines(m: Memory, log: Sequence[WeightEvent], u: float, now: datetime) -> list[str]:
    """Write a line for each event, and a last one for how it stands now."""
    names = ("event", "at", "old_weight", "new_weight", "reason", "factors", "before", "after")
    lines = [{"id": m.id} | {n: getattr(e, n) for n in names} for e in log]
    weight, after = compute_weight(m, u, now), {**dump_state(m), "u": u}
    stands = {"event": "now", "at": now, "state": m.state, "weight": weight, "after": after}
    return [
        json.dumps(line, ensure_ascii=False, default=to_milliseconds)
        for line in (*lines, {"id": m.id, **stands})
    ]


async def get_memory(ebb: Ebb, memory_id: MemoryId) -> Memory:
    """Return the memory of that id. Raises NotFound."""
    m = await ebb.memory.get(ebb.owner, memory_id)
    if m is None:
        raise NotFound(memory_id)
    return m
