"""`ebb memory upkeep`, `report` and `accept`: the nights, from the shell."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.bootstrap import Ebb
from bot.cli.parser import argument, parse_positive, read_id, verb
from bot.commands.memories import format_memory
from bot.markdown import count_columns, pad_to_columns
from bot.texts import Texts
from memory.errors import Conflict
from memory.jobs import JobRunner
from memory.models import Job, Lang, Level, Memory, MemoryId
from memory.store import make_worker_id
from memory.upkeep.service import NightReport, UpkeepPreview, UpkeepProgress, UpkeepService

say = Texts("upkeep")
_LOOK_SECONDS = 0.1
_BAR = 20
_SHOWN = 8  # memories named under one heading
_REVIEWS = ("review_promoted", "review_kept", "review_forgotten", "review_archived")


def _keeper(ebb: Ebb) -> UpkeepService:
    keeper = ebb.service.keeper
    if keeper is None:  # pragma: no cover - the composition root makes one
        raise AssertionError
    return keeper


# --- a run ---


@verb("upkeep", argument("--dry-run", action="store_true"))
async def upkeep(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Run a night now, here or in whichever process gets hold of it first; or only look."""
    keeper = _keeper(ebb)
    if args.dry_run:
        print(_preview(await keeper.preview(ebb.owner, ebb.clock()), ebb, lang))
        return 0
    job_id = await keeper.by_hand(ebb.owner, ebb.clock())
    runner = JobRunner(
        ebb.store, {"upkeep": keeper.at_once}, ebb.clock, worker=make_worker_id(), concurrency=1
    )
    work = asyncio.create_task(runner.run(), name="upkeep-by-hand")
    try:
        failed = await _watched(ebb, keeper, job_id, lang)
    except asyncio.CancelledError:  # Ctrl+C
        print(say(lang, "stopped"), file=sys.stderr)
        raise
    finally:
        await runner.stop()
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work
    if failed is not None:
        print(say(lang, "failed", why=failed.last_error or "?"), file=sys.stderr)
        return 1
    reports = await keeper.reports(ebb.owner)
    if not reports or reports[0].job_id != job_id:
        print(say(lang, "elsewhere"))
        return 0
    print(await _report(ebb, reports[0], lang))
    return 0


async def _watched(ebb: Ebb, keeper: UpkeepService, job_id: str, lang: Lang) -> Job | None:
    """Show how far it is until the job is over; the job, if it was given up."""
    lively = sys.stderr.isatty()
    screen = getattr(
        sys.stderr, "raw", sys.stderr
    )  # past the output gate: these control sequences are ours
    while True:
        waiting, dead = await ebb.store.read(
            ebb.owner, lambda tx: (tx.jobs.list_pending("upkeep"), tx.jobs.list_dead())
        )
        if not any(j.id == job_id for j in waiting):
            break
        now = await keeper.progress(ebb.owner)
        if lively and now is not None:
            print(f"\r{_bar(now, lang)}", end="\x1b[K", file=screen, flush=True)
        await asyncio.sleep(_LOOK_SECONDS)
    if lively:
        print("\r", end="\x1b[K", file=screen, flush=True)
    return next((j for j in dead if j.id == job_id), None)


def _bar(p: UpkeepProgress, lang: Lang) -> str:
    full = round(p.share * _BAR)
    return f"{'▰' * full}{'▱' * (_BAR - full)} {p.share:4.0%}  {say(lang, f'phase.{p.phase}')}"


# --- the report ---


@verb(
    "report",
    argument("--nights", type=parse_positive, default=1),
    argument("--json", action="store_true"),
)
async def report(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print the last nights, newest last, so that the newest stands above the prompt."""
    reports = await _keeper(ebb).reports(ebb.owner, args.nights)
    if args.json:
        print(
            json.dumps(
                [asdict(r) | {"at": r.at.isoformat()} for r in reports],
                ensure_ascii=False,
                indent=2,
            )
        )
        return 0
    if not reports:
        print(say(lang, "none"))
    for r in reversed(reports):
        print(await _report(ebb, r, lang))
    return 0


async def _report(ebb: Ebb, r: NightReport, lang: Lang) -> str:
    ids = [i for pair in r.clashes for i in pair] + list(r.derived)
    known = {m.id: m for m in await ebb.agent.get_memories(ebb.owner, ids)}
    rows = [*_done(r, lang), *_named(r, known, ebb.clock(), lang)]
    quiet = [] if rows else [("", say(lang, "quiet"))]
    when = r.at.astimezone(ZoneInfo(ebb.tz)).strftime("%Y-%m-%d %H:%M")
    return "\n".join(
        [
            say(lang, "head", night=r.night, at=when),
            *_lines([*rows, *quiet, *_standing(r, lang)], lang),
        ]
    )


def _done(r: NightReport, lang: Lang) -> list[tuple[str, str]]:
    """List what was done, each thing only if there was any."""
    rows: list[tuple[str, str]] = []

    def row(key: str, text: str, *, shown: int) -> None:
        if shown:
            rows.append((say(lang, key), text))

    steps = [(level.name.lower(), r.count(f"to_{level.name.lower()}")) for level in Level]
    to = ", ".join(f"{n} → {say(lang, f'level.{name}')}" for name, n in steps if n)
    row("down", f"{r.count('down')} ({to})" if to else str(r.count("down")), shown=r.count("down"))
    for key in ("up", "forgotten", "lowered", "todos", "episodes"):
        row(key, str(r.count(key)), shown=r.count(key))
    reviewed = [(key, r.count(key)) for key in _REVIEWS if r.count(key)]
    parts = ", ".join(f"{n} {say(lang, key)}" for key, n in reviewed)
    row("reviewed", f"{sum(n for _, n in reviewed)} ({parts})", shown=len(reviewed))
    merged = say(lang, "merged.n", n=r.count("merged") + r.count("merges"), m=r.count("merges"))
    row("merged", merged, shown=r.count("merges"))
    purged = say(lang, "purged.n", n=r.count("purged"), m=r.count("blanked"))
    row("purged", purged, shown=r.count("purged") + r.count("blanked"))
    for key in ("erased_old", "unwritten", "unreviewed"):
        row(key, str(r.count(key)), shown=r.count(key))
    for phase, why in r.waiting.items():
        row("waiting", say(lang, "waiting.n", phase=say(lang, f"phase.{phase}"), why=why), shown=1)
    return rows


def _named(
    r: NightReport, known: Mapping[MemoryId, Memory], now: datetime, lang: Lang
) -> list[tuple[str, str]]:
    """List what a person may want to act on; what was erased since is left out."""
    rows: list[tuple[str, str]] = []
    pairs = [(known[a], known[b]) for a, b in r.clashes if a in known and b in known]
    derived = [known[i] for i in r.derived if i in known]
    if pairs:
        rows.append((say(lang, "clashes"), str(len(pairs))))
        rows += [("", f"{_short(a)} ↔ {_short(b)}") for a, b in pairs[:_SHOWN]]
    if derived:
        rows.append((say(lang, "derived"), f"{len(derived)} – {say(lang, 'derived.how')}"))
        rows += [("", format_memory(m, lang, now)) for m in derived[:_SHOWN]]
    return rows


def _standing(r: NightReport, lang: Lang) -> list[tuple[str, str]]:
    """List how the memories stand, and the counters of what changed them."""
    counters = r.counters
    names = (
        "passive_compression",
        "user_activation",
        "negation",
        "frequent_reinforce",
        "batch_merge",
    )
    weights = counters.get("weight_distribution", {})
    spread = " · ".join(f"{edge}: {n}" for edge, n in weights.items() if n)
    levels = ", ".join(f"{n} {say(lang, f'level.{name}')}" for name, n in r.levels.items() if n)
    return [
        (say(lang, "memories"), f"{r.memories}" + (f" ({levels})" if levels else "")),
        (say(lang, "rate"), say(lang, "rate.n", rate=r.forgetting_rate)),
        (
            say(lang, "weights"),
            f"{counters.get('avg_weight', 0.0):.2f}" + (f" ({spread})" if spread else ""),
        ),
        (say(lang, "counters"), ", ".join(f"{say(lang, n)} {counters.get(n, 0)}" for n in names)),
    ]


# --- a look beforehand ---


def _preview(p: UpkeepPreview, ebb: Ebb, lang: Lang) -> str:
    rows: list[tuple[str, str]] = []

    def some(label: str, texts: Sequence[str]) -> None:
        if texts:
            rows.append((label, str(len(texts))))
            rows.extend(("", text) for text in texts[:_SHOWN])
            if len(texts) > _SHOWN:
                rows.append(("", say(lang, "more", n=len(texts) - _SHOWN)))

    def lines(memories: Sequence[Memory]) -> list[str]:
        return [format_memory(m, lang, ebb.clock()) for m in memories]

    for (old, new), memories in p.fading.items():
        a, b = (say(lang, f"level.{level.name.lower()}") for level in (old, new))
        some(say(lang, "preview.fading", a=a, b=b), lines(memories))
    some(say(lang, "forgotten"), lines(p.forgotten))
    some(say(lang, "preview.promotion"), lines(p.promotion))
    some(say(lang, "preview.decay"), lines(p.decay))
    some(say(lang, "preview.merges"), [" = ".join(_short(m) for m in group) for group in p.merges])
    some(say(lang, "preview.clashes"), [f"{_short(a)} ↔ {_short(b)}" for a, b in p.clashes])
    some(say(lang, "preview.purged"), lines(p.purged))
    some(say(lang, "preview.erased_old"), lines(p.erased_old))
    if p.moved:
        rows.append((say(lang, "preview.moved"), str(p.moved)))
    if not rows:
        rows.append(("", say(lang, "quiet")))
    return "\n".join([say(lang, "preview.head", n=p.memories), *_lines(rows, lang)])


def _short(m: Memory) -> str:
    text = "…" if m.quiet_at is not None else " ".join(m.content.split())
    return f"[{m.id}] {text if len(text) <= 60 else text[:59] + '…'}"


def _lines(rows: Sequence[tuple[str, str]], lang: Lang) -> list[str]:
    """Label and text in two columns."""
    width = max([*(count_columns(label) for label, _ in rows), int(say(lang, "columns"))])
    return [f"  {pad_to_columns(label, width)}  {text}".rstrip() for label, text in rows]


# --- proposals ---


@verb("accept", argument("id", type=read_id))
async def accept(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Keep what was proposed."""
    try:
        m = await ebb.service.accept(ebb.owner, args.id, ebb.clock())
    except Conflict:
        print(say(lang, "not_proposed"), file=sys.stderr)
        return 1
    print(say(lang, "accepted", text=format_memory(m, lang, ebb.clock())))
    return 0
