"""`ebb memory backup`, `recover` and `trace`: copies of the memory file, and what stands in any of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from bot.bootstrap import Ebb, system_clock
from bot.files_texts import say
from bot.settings import Settings
from memory.errors import StoreBusy, StoreDamaged
from memory.models import Lang
from memory.store import Backup, list_backups, recover_backup, trace_words


def add_parsers(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of these verbs."""
    sub.add_parser("backup", help="make a verified copy of the memory file now")
    recover = sub.add_parser("recover", help="list the backups, or put one in the memory file's place")
    recover.add_argument("file", nargs="?", help="a backup's name, or the path of a file")
    trace = sub.add_parser("trace", help="search every byte Ebb keeps for words, backups too")
    trace.add_argument("words", nargs="+", help="what to look for")


async def backup(ebb: Ebb, _args: argparse.Namespace, lang: Lang) -> int:
    """Make one, and say where it is."""
    print(say(lang, "backup.made", path=await ebb.store.back_up(ebb.clock())))
    return 0


def recover(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """List the backups, or put one back. Opens nothing: the memory file may be damaged."""
    found = list_backups(settings.database)
    if not args.file:
        lines = [line_of(b, lang) for b in found]
        print(say(lang, "backup.list") if lines else say(lang, "backup.none"), *lines, sep="\n")
        return 0
    file = next((b.path for b in found if b.path.name == args.file), Path(args.file).expanduser())
    try:
        done = recover_backup(settings.database, file, system_clock())
    except StoreBusy:
        print(say(lang, "recover.busy"), file=sys.stderr)
        return 1
    except StoreDamaged:
        print(say(lang, "recover.damaged", path=file), file=sys.stderr)
        return 1
    print(say(lang, "recover.done", path=file, n=done.purged))
    if done.kept is not None:
        print(say(lang, "recover.kept", path=done.kept))
    return 0


def line_of(b: Backup, lang: Lang) -> str:
    """One backup as a list shows it."""
    size = f"{b.path.stat().st_size / 2**20:.1f} MB"
    return f"  {b.path.name}  {b.made.astimezone():%Y-%m-%d %H:%M}  {size}  {say(lang, f'backup.{b.sort}')}"


def trace(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """Say where the words stand; 0 if nowhere, 1 if anywhere."""
    text = " ".join(args.words)
    try:
        places = trace_words(settings.home, text) if settings.home.is_dir() else []
    except ValueError:
        print(say(lang, "trace.empty"), file=sys.stderr)
        return 2
    if not places:
        print(say(lang, "trace.none", text=text, path=settings.home))
        return 0
    print(say(lang, "trace.found", text=text))
    for p in places:
        where = f"{p.where}: {say(lang, 'trace.rows', n=p.count)}" if p.where else say(lang, "trace.bytes", n=p.count)
        print(f"  {p.file}  {where}")
    return 1


VERBS: Mapping[str, Callable[[Ebb, argparse.Namespace, Lang], Awaitable[int]]] = {"backup": backup}
CLOSED: Mapping[str, Callable[[Settings, argparse.Namespace, Lang], int]] = {"recover": recover, "trace": trace}
"""Verbs that do their work without opening Ebb."""
