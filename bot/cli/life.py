"""`ebb memory curves` and `show`: how memories live, in pictures and in words, from the shell."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.bootstrap import Ebb
from bot.cli import charts, plots
from bot.cli.parser import argument, read_id, verb
from bot.commands.memories import describe_event, describe_memory, format_memory
from bot.markdown import pad_to_columns
from bot.texts import Texts, kind_name
from memory.errors import NotFound
from memory.lifecycle import CURVES, CurveEvent, U, compute_weight, dump_state, to_milliseconds
from memory.lifecycle.curve import DAY
from memory.lifecycle.weight_history import EPOCH, WeightHistory, replay_log, simulate_memory
from memory.models import Importance, Kind, Lang, Level, Memory, MemoryId, WeightEvent

say = Texts("life")
_WIDTH, _HEIGHT, _NARROWEST = 78, 12, 32
_PANEL, _PANEL_HEIGHT = 25, 8
_STEPS = 480
_UNMARKED = frozenset(
    {"created", "lowered"}
)  # one is where the picture begins, the other is of every night


# --- pictures ---


@verb(
    "curves",
    argument("--kind", choices=[str(k) for k in Kind], default="fact"),
    argument("--importance", choices=[str(i) for i in Importance], default="medium"),
    argument("--days", type=float, default=365),
    argument("--mention", type=float, action="append", default=[], metavar="DAY"),
    argument("--deny", type=float, action="append", default=[], metavar="DAY"),
    argument("--png", type=Path, metavar="FILE"),
)
async def curves(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Draw a life that never was under all five curves."""
    kind, importance, speed = Kind(args.kind), Importance(args.importance), ebb.settings.forgetting
    days, u = min(max(args.days, 1.0), 100_000.0), U[speed]
    events: list[tuple[float, CurveEvent]] = [
        (d, "mention") for d in args.mention if 0 <= d <= days
    ]
    events += [(d, "negate") for d in args.deny if 0 <= d <= days]
    lives: dict[str, WeightHistory] = {}
    for name in CURVES:
        m, log = simulate_memory(kind, importance, name, u, events, days)
        lives[name] = replay_log(m, log, u, EPOCH + days * DAY, steps=_STEPS)
    panels = [
        _panel(n, life, days, lang, yours=n == ebb.settings.curve) for n, life in lives.items()
    ]
    head = say(
        lang,
        "curves.head",
        kind=kind_name(kind, lang).lower(),
        importance=say(lang, f"importance.{importance}"),
        speed=say(lang, f"speed.{speed}"),
    )
    across = max(min(shutil.get_terminal_size().columns // (_PANEL + 2), len(panels)), 1)
    told = [f"  {name:<11} {_told(name, life, lang)}" for name, life in lives.items()]
    legend = _event_legend(next(iter(lives.values())).events, lang)
    print(head, "", *charts.join_panels(panels, _PANEL, across), "", *told, "", sep="\n")
    print(say(lang, "legend.levels"), *legend, say(lang, "curves.tail"), sep="\n")
    shown = [
        plots.CoursePanel(_title(n, lang, yours=n == ebb.settings.curve), life, n, imagined=True)
        for n, life in lives.items()
    ]
    return _png(args.png, shown, head, lang) if args.png else 0


def _panel(name: str, life: WeightHistory, days: float, lang: Lang, *, yours: bool) -> list[str]:
    title = _title(name, lang, yours=yours)
    ends = [(0.0, "0"), (1.0, say(lang, "curves.days", n=f"{days:g}"))]
    return [
        title,
        *_drawn(life, name, _PANEL, _PANEL_HEIGHT, due=True),
        charts.draw_axis(_PANEL, ends),
    ]


def _title(name: str, lang: Lang, *, yours: bool) -> str:
    return f"{name} ({say(lang, 'curves.yours')})" if yours else name


def _drawn(life: WeightHistory, curve: str, width: int, height: int, *, due: bool) -> list[str]:
    """Draw the weight, the level beneath it, and marks for what happened."""
    start, span = life.moments[0].at, (life.moments[-1].at - life.moments[0].at) or DAY

    def share(at: datetime) -> float:
        return (at - start) / span

    points = [(share(m.at), m.weight) for m in life.moments]
    rules = CURVES[curve].breakpoints
    levels = [(share(m.at), m.due if due else m.level) for m in life.moments]
    happened = [(share(e.at), e.event) for e in life.events if e.event not in _UNMARKED]
    lines = charts.draw_plot(points, rules, max(life.highest, rules[0] * 1.2), width, height)
    return [
        *lines,
        charts.strip(width, levels),
        *([charts.draw_marks(width, happened)] if happened else []),
    ]


def _told(name: str, life: WeightHistory, lang: Lang) -> str:
    """Say the same in words: which level from when on, in days."""
    parts: list[str] = []
    below = CURVES[name].forgets_below
    first, since = life.moments[0].at, 0
    level = life.moments[0].due
    for m in life.moments[1:]:
        day = round((m.at - first) / DAY)
        if below is not None and m.weight < below and m.due is Level.ARCHIVE:
            parts.append(_span(level, since, day, lang))
            return ", ".join([*parts, say(lang, "curves.forgotten", day=day)])
        if m.due is not level:
            parts.append(_span(level, since, day, lang))
            level, since = m.due, day
    return ", ".join(
        [*parts, _span(level, since, round((life.moments[-1].at - first) / DAY), lang)]
    )


def _span(level: Level, since: int, until: int, lang: Lang) -> str:
    return say(
        lang, "curves.level", level=say(lang, f"level.{int(level)}"), since=since, until=until
    )


def _event_legend(events: Sequence[WeightEvent], lang: Lang) -> list[str]:
    """Explain the marks that occur, and how often they do."""
    counts = Counter(e.event for e in events if e.event not in _UNMARKED)
    known = [
        say(lang, "legend.event", ink=ink, what=say(lang, f"event.{name}"), n=counts[name])
        for name, ink in charts.EVENT_INK.items()
        if counts[name]
    ]
    other = {name: n for name, n in counts.items() if name not in charts.EVENT_INK}
    if other:
        what = ", ".join(f"{_event(name, lang)} ×{n}" for name, n in other.items())
        known.append(f"{charts.OTHER_INK} {what}")
    return ["  ".join(known)] if known else []


def _event(name: str, lang: Lang) -> str:
    key = f"event.{name}"
    return say(lang, key) if key in say else name


def _png(path: Path, panels: Sequence[plots.CoursePanel], title: str, lang: Lang) -> int:
    try:
        plots.write(panels, path, lang, title)
    except plots.PlotLibraryMissing:
        print(say(lang, "png.none"), file=sys.stderr)
        return 1
    except OSError as e:
        print(say(lang, "png.unwritable", path=path, why=e.strerror or e), file=sys.stderr)
        return 1
    print(say(lang, "png.done", path=path))
    return 0


# --- one memory ---


@verb(
    "show",
    argument("id", type=read_id),
    argument("--log", action="store_true"),
    argument("--json", action="store_true"),
    argument("--png", type=Path, metavar="FILE"),
)
async def show(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """All that is known of it.

    With `--log` or `--json` everything its weights can be computed from, again.
    """
    m = await get_memory(ebb, args.id)
    now = ebb.clock()
    log = await ebb.store.read(ebb.owner, lambda tx: tx.memories.list_weight_log(m.id))
    if args.json:
        print(*json_lines(m, log, U[ebb.settings.forgetting], now), sep="\n")
        return 0
    print(format_memory(m, lang, now))
    for label, value in describe_memory(
        m, ebb.service.compute_weight(m, now), lang, ZoneInfo(ebb.tz)
    ).items():
        print(f"  {pad_to_columns(label, 14)} {value}")
    life = replay_log(m, log, U[ebb.settings.forgetting], now, steps=_STEPS)
    zone = ZoneInfo(ebb.tz)
    first, last = (
        f"{t.astimezone(zone):%Y-%m-%d}" for t in (life.moments[0].at, life.moments[-1].at)
    )
    width = min(max(shutil.get_terminal_size().columns - 1, _NARROWEST), _WIDTH)
    print("", *_drawn(life, m.curve, width, _HEIGHT, due=False), sep="\n")
    print(
        charts.draw_axis(width, [(0.0, first), (1.0, last)]), say(lang, "legend.levels"), sep="\n"
    )
    print(*_event_legend(life.events, lang), "", say(lang, "log.head"), sep="\n")
    for e in log:
        print(*_logged(e, zone, lang, whole=args.log), sep="\n")
    if not log:
        print(say(lang, "log.none"))
    return (
        _png(args.png, [plots.CoursePanel(f"[{m.id}]", life, m.curve)], m.content, lang)
        if args.png
        else 0
    )


def _logged(e: WeightEvent, zone: ZoneInfo, lang: Lang, *, whole: bool) -> list[str]:
    at = e.at.astimezone(zone)
    weights = f"{e.old_weight:.3f} → {e.new_weight:.3f}"
    if not whole:
        what = pad_to_columns(_event(e.event, lang), 14)
        return [f"  {at:%Y-%m-%d %H:%M}  {what} {weights}  {describe_event(e, lang)}".rstrip()]
    exact = f"{e.old_weight!r} → {e.new_weight!r}"
    moment = f"{at.isoformat(timespec='milliseconds')} ({to_milliseconds(e.at)} ms)"
    lines = [f"  {moment}  {e.event}  {exact}  {e.reason}".rstrip()]
    for name, values in (("before", e.before), ("after", e.after), ("factors", e.factors)):
        if values:
            lines.append(
                f"    {name:<8}" + " ".join(f"{k}={json.dumps(v)}" for k, v in values.items())
            )
    return lines


def json_lines(m: Memory, log: Sequence[WeightEvent], u: float, now: datetime) -> list[str]:
    """Write a line for each event, and a last one for how it stands now.

    Times are UTC milliseconds.
    """
    lines = [
        {
            "id": m.id,
            "event": e.event,
            "at": to_milliseconds(e.at),
            "old_weight": e.old_weight,
            "new_weight": e.new_weight,
            "reason": e.reason,
            "factors": e.factors,
            "before": e.before,
            "after": e.after,
        }
        for e in log
    ]
    stands = {
        "state": m.state,
        "weight": compute_weight(m, u, now),
        "after": {**dump_state(m), "u": u},
    }
    return [
        json.dumps(x, ensure_ascii=False)
        for x in (*lines, {"id": m.id, "event": "now", "at": to_milliseconds(now), **stands})
    ]


async def get_memory(ebb: Ebb, memory_id: MemoryId) -> Memory:
    """Return the memory of that id. Raises NotFound."""
    m = await ebb.service.get(ebb.owner, memory_id)
    if m is None:
        raise NotFound(memory_id)
    return m
