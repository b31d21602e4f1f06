"""`ebb memory backup`, `recover` and `trace`: copies of the memory file, and what stands in any of them.

They open no Ebb: the memory file may be damaged, or in use.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from bot.bootstrap import system_clock
from bot.files_texts import say
from bot.settings import Settings
from memory.errors import StoreBusy, StoreDamaged
from memory.models import Lang
from memory.store.backups import Backup, list_backups, make_backup, recover_backup
from memory.store.purge import trace_words


def add_parsers(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of these verbs."""
    sub.add_parser("backup", help="make a verified copy of the memory file now")
    recover = sub.add_parser("recover", help="list the backups, or put one in the memory file's place")
    recover.add_argument("file", nargs="?", help="a backup's name, or the path of a file")
    trace = sub.add_parser("trace", help="search every byte Ebb keeps for words, backups too")
    trace.add_argument("words", nargs="+", help="what to look for")


def backup(settings: Settings, _args: argparse.Namespace, lang: Lang) -> int:
    """Make one, and say where it is."""
    settings.database.stat()
    print(say(lang, "backup.made", path=make_backup(settings.database, "hand", system_clock())))
    return 0


def recover(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """List the backups, or put one back."""
    found = list_backups(settings.database)
    if not args.file:
        print(say(lang, "backup.list" if found else "backup.none"), *(_line(b, lang) for b in found), sep="\n")
        return 0
    file = next((b.path for b in found if b.path.name == args.file), Path(args.file).expanduser())
    try:
        kept, purged = recover_backup(settings.database, file, system_clock())
    except (StoreBusy, StoreDamaged) as e:
        why = "recover.busy" if isinstance(e, StoreBusy) else "recover.damaged"
        print(say(lang, why, path=file), file=sys.stderr)
        return 1
    print(say(lang, "recover.done", path=file, n=purged), *([say(lang, "recover.kept", path=kept)] if kept else []))
    return 0


def _line(b: Backup, lang: Lang) -> str:
    size = f"{b.path.stat().st_size / 2**20:.1f} MB"
    return f"  {b.path.name}  {b.made.astimezone():%Y-%m-%d %H:%M}  {size}  {say(lang, f'backup.{b.sort}')}"


def trace(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """Say where the words stand; 0 if nowhere, 1 if anywhere."""
    text = " ".join(args.words)
    try:
        places = trace_words(settings.home, text)
    except ValueError:
        print(say(lang, "trace.empty"), file=sys.stderr)
        return 2
    print(say(lang, "trace.found" if places else "trace.none", text=text, path=settings.home))
    for file, where, n in places:
        print(f"  {file}  {where or say(lang, 'trace.bytes')}  × {n}")
    return 1 if places else 0


VERBS: Mapping[str, Callable[[Settings, argparse.Namespace, Lang], int]] = {
    "backup": backup,
    "recover": recover,
    "trace": trace,
}
