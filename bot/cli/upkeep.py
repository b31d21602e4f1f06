"""`ebb memory upkeep`, `report` and `accept`: the nights, from the shell."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TypeAlias

from bot.bootstrap import Ebb
from bot.cli.parser import ID, argument, flag, parse_positive, verb
from bot.commands.memories import format_memory
from bot.markdown import count_columns, pad_to_columns
from bot.reports import describe_figures, describe_night, list_token_lines
from bot.texts import Texts, level_name
from memory.api import JobRunner, NightReport, UpkeepPreview, UpkeepService, make_worker_id
from memory.errors import Conflict
from memory.models import Job, Lang, Memory

say = Texts("upkeep")
Rows: TypeAlias = list[tuple[str, str]]  # label and text
_LOOK_SECONDS = 0.1
_BAR = 20
_SHOWN = 8  # memories named under one heading
_SHORT = 60  # characters of each


def _keeper(ebb: Ebb) -> UpkeepService:
    keeper = ebb.memory.keeper
    if keeper is None:  # pragma: no cover - the composition root makes one
        raise AssertionError
    return keeper


# --- a run ---


@verb("upkeep", flag("--dry-run"), flag("--all"))
async def upkeep(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Run a night now, here or in whichever process gets hold of it first; or only look."""
    keeper = _keeper(ebb)
    if args.dry_run:
        print(_describe_preview(await keeper.preview(ebb.owner, ebb.clock()), ebb, lang))
        return 0
    job_id = await keeper.by_hand(ebb.owner, ebb.clock(), everything=args.all)
    runner = JobRunner(ebb.store, {"upkeep": keeper.at_once}, ebb.clock, worker=make_worker_id())
    work = asyncio.create_task(runner.run(), name="upkeep-by-hand")
    try:
        failed = await _watch(ebb, keeper, job_id, lang)
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
    done = [r for r in await keeper.reports(ebb.owner) if r.job_id == job_id]
    print(await _describe_night(ebb, done[0], lang) if done else say(lang, "elsewhere"))
    return 0


async def _watch(ebb: Ebb, keeper: UpkeepService, job_id: str, lang: Lang) -> Job | None:
    """Show how far it is until the job is over; the job, if it was given up."""
    lively = sys.stderr.isatty()
    # past the output gate: these control sequences are ours
    screen = getattr(sys.stderr, "raw", sys.stderr)
    while True:
        waiting, dead = await ebb.store.read(
            ebb.owner, lambda tx: (tx.jobs.list_pending("upkeep"), tx.jobs.list_dead())
        )
        over = all(j.id != job_id for j in waiting)
        p = None if over or not lively else await keeper.progress(ebb.owner)
        if lively and (p or over):
            bar, full = "", round((p.share if p else 0) * _BAR)
            if p:
                phase = say(lang, f"phase.{p.phase}")
                bar = f"{'▰' * full}{'▱' * (_BAR - full)} {p.share:4.0%}  {phase}"
            print(f"\r{bar}", end="\x1b[K", file=screen, flush=True)
        if over:
            return next((j for j in dead if j.id == job_id), None)
        await asyncio.sleep(_LOOK_SECONDS)


# --- the report ---


@verb("report", argument("--nights", type=parse_positive, default=1), flag("--json"))
async def report(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print the last nights, newest last, so that the newest stands above the prompt."""
    reports = await _keeper(ebb).reports(ebb.owner, args.nights)
    if args.json:
        told = [asdict(r) | {"at": r.at.isoformat()} for r in reports]
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return 0
    if not reports:
        print(say(lang, "none"))
    for r in reversed(reports):
        print(await _describe_night(ebb, r, lang))
    for line in await list_token_lines(ebb.store, ebb.owner, ebb.clock(), lang):
        print(line)
    return 0


async def _describe_night(ebb: Ebb, r: NightReport, lang: Lang) -> str:
    diff = await _keeper(ebb).diff(ebb.owner, r)
    told = describe_night(r, diff, lang, ebb.tz, "ebb memory undo --night")
    return f"{told}\n\n{_set_rows(say(lang, 'figures'), describe_figures(r, lang), lang)}"


# --- a look beforehand ---


def _describe_preview(p: UpkeepPreview, ebb: Ebb, lang: Lang) -> str:
    rows: Rows = []

    def add(label: str, memories: Sequence[Memory]) -> None:
        _add_texts(rows, label, [format_memory(m, lang, ebb.clock()) for m in memories], lang)

    for (old, new), memories in p.fading.items():
        a, b = (level_name(level, lang) for level in (old, new))
        add(say(lang, "preview.fading", a=a, b=b), memories)
    add(say(lang, "done.forgotten"), p.forgotten)
    add(say(lang, "preview.promotion"), p.promotion)
    add(say(lang, "preview.decay"), p.decay)
    merges = [" = ".join(map(_shorten, group)) for group in p.merges]
    _add_texts(rows, say(lang, "preview.merges"), merges, lang)
    add(say(lang, "preview.purged"), p.purged)
    add(say(lang, "preview.erased_old"), p.erased_old)
    if p.moved:
        rows.append((say(lang, "preview.moved"), str(p.moved)))
    rows = rows or [("", say(lang, "quiet"))]
    return _set_rows(say(lang, "preview.head", n=p.memories), rows, lang)


def _add_texts(rows: Rows, label: str, texts: Sequence[str], lang: Lang) -> None:
    """Add a label with the number of texts, and the first of them."""
    if texts:
        rows += [(label, str(len(texts))), *(("", text) for text in texts[:_SHOWN])]
    if len(texts) > _SHOWN:
        rows.append(("", say(lang, "more", n=len(texts) - _SHOWN)))


def _shorten(m: Memory) -> str:
    text = "…" if m.quiet_at is not None else " ".join(m.shown_text.split())
    return f"[{m.id}] {text if len(text) <= _SHORT else text[: _SHORT - 1] + '…'}"


def _set_rows(head: str, rows: Rows, lang: Lang) -> str:
    """Set label and text in two columns under a head."""
    width = max([*(count_columns(label) for label, _ in rows), int(say(lang, "columns"))])
    lines = (f"  {pad_to_columns(label, width)}  {text}".rstrip() for label, text in rows)
    return "\n".join([head, *lines])


# --- proposals ---


@verb("accept", ID)
async def accept(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Keep what was proposed."""
    try:
        m = await ebb.memory.accept(ebb.owner, args.id, ebb.clock())
    except Conflict:
        print(say(lang, "not_proposed"), file=sys.stderr)
        return 1
    print(say(lang, "accepted", text=format_memory(m, lang, ebb.clock())))
    return 0
