"""`ebb memory mirror`, `export`, `import`, `backup`, `recover` and `trace`: memories as files, from the shell."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bot.bootstrap import Ebb, read_system_clock
from bot.cli.parser import argument, verb
from bot.settings import Settings
from bot.texts import Texts
from memory.errors import StoreBusy, StoreDamaged
from memory.models import Lang
from memory.store.backups import Backup, list_backups, make_backup, recover_backup
from memory.store.purge import find_words_in_files
from memory.transfer import ExportCounts, ImportCounts, detect_origin, parse_file

say = Texts("files")
_HEAD = 4096
_ORDER = ("memory", "set", "session", "message", "tombstone", "trace", "user", "secret")


# --- MEMORY.md ---


async def sync_mirror(ebb: Ebb) -> None:
    """Before and after a verb: what was edited in MEMORY.md counts, what a verb changed is in it.

    A file that cannot be read or written is a matter for the log: the verb itself is not to fail
    for it.
    """
    if ebb.service.mirror is not None:
        with suppress(OSError):
            await ebb.service.mirror.sync(ebb.owner, ebb.clock())


@verb(
    "mirror",
    argument("--forget-missing", action="store_true", apart=True),
    argument("--keep-missing", action="store_true", apart=True),
)
async def mirror(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Where it is, what was taken from it, what is asked."""
    kept = ebb.service.mirror
    if kept is None:  # pragma: no cover - the composition root makes one
        raise AssertionError
    print(kept.path(ebb.owner))
    report = await kept.sync(ebb.owner, ebb.clock())
    a = report.applied
    counts = {
        "new": len(a.new),
        "edited": len(a.edited),
        "deleted": len(a.deleted),
        "unread": a.unread,
    }
    state = await ebb.store.read(ebb.owner, lambda tx: tx.mirror.get_state())
    asked = (
        list(state.asking["ids"])
        if state is not None and state.asking is not None and report.asks
        else []
    )
    if asked and (args.forget_missing or args.keep_missing):
        ids = asked if args.forget_missing else []
        done = await ebb.service.forget_missing(ebb.owner, ids, ebb.clock())
        print(say(lang, "mirror.forgot", n=len(done)) if done else say(lang, "mirror.kept"))
    else:
        print(
            say(lang, "mirror.took", **counts) if any(counts.values()) else say(lang, "mirror.same")
        )
        if asked:
            print(say(lang, "mirror.asks", n=len(asked)))
    return 0


# --- out ---


@verb(
    "export", argument("file", nargs="?", default="-"), argument("--secrets", action="store_true")
)
async def export(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Everything, to a file that is there whole or not at all, or into a pipe."""
    porter = ebb.service.porter
    if args.file == "-":
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
        counts = await porter.export(ebb.owner, sys.stdout.write, secrets=args.secrets)
        sys.stdout.flush()
    else:
        with _whole(Path(args.file)) as f:
            counts = await porter.export(ebb.owner, f.write, secrets=args.secrets)
    print(_told(counts, lang, secrets=args.secrets), file=sys.stderr)
    return 0


def _told(counts: ExportCounts, lang: Lang, *, secrets: bool) -> str:
    out = [say(lang, "exported", memories=counts.lines["memory"], messages=counts.lines["message"])]
    if counts.withheld:
        out.append(say(lang, "withheld", n=counts.withheld))
    return "\n".join([*out, *([say(lang, "sealed")] if secrets else [])])


@contextmanager
def _whole(path: Path) -> Iterator[IO[str]]:
    """Write a file that only its owner can read, put in its place once it is complete."""
    fd, name = tempfile.mkstemp(prefix=".ebb-export-", dir=path.parent)
    try:
        with os.fdopen(fd, "w", encoding="utf-8", newline="\n") as f:
            yield f
            f.flush()
            os.fsync(f.fileno())
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


# --- in ---


@verb(
    "import",
    argument("file"),
    argument("--dry-run", action="store_true"),
    argument(
        "--from", dest="origin", choices=["auto", "ebb", "chatgpt", "mem0", "text"], default="auto"
    ),
    argument("--yes", action="store_true"),
    argument("--user"),
    argument("--learn", action="store_true"),
)
async def bring(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Whatever it is: first looked at whole, then taken whole."""
    with _at_hand(args.file) as path:
        head = await asyncio.to_thread(_head, path)
        origin = detect_origin(head) if args.origin == "auto" else args.origin
        if origin == "ebb":
            taken = await ebb.service.porter.bring(
                ebb.owner, lambda: _lines(path), ebb.clock(), dry_run=args.dry_run
            )
        else:
            found = await asyncio.to_thread(
                lambda: parse_file(path.read_bytes(), origin, args.user)
            )
            taken = await ebb.service.porter.take(
                ebb.owner,
                found,
                ebb.clock(),
                tz=ebb.tz,
                dry_run=args.dry_run,
                learn=args.learn,
                agreed=args.yes,
            )
    print(_outcome(taken, lang, dry_run=args.dry_run))
    if taken.waiting:
        print(
            say(lang, "waits"),
            *(f"  - {' '.join(text.split())}" for text in taken.waiting),
            sep="\n",
        )
    if taken.counts["session.new"] and origin not in {"ebb", "text"} and not args.learn:
        print(say(lang, "not_learned"))
    return 0


@contextmanager
def _at_hand(name: str) -> Iterator[Path]:
    """Give the file; a pipe is put into one, since it is read more than once."""
    if name != "-":
        yield Path(name)
        return
    fd, spool = tempfile.mkstemp(prefix="ebb-import-")
    try:
        with os.fdopen(fd, "wb") as f:
            while piece := sys.stdin.buffer.read(1 << 20):
                f.write(piece)
        yield Path(spool)
    finally:
        Path(spool).unlink(missing_ok=True)


def _head(path: Path) -> bytes:
    with path.open("rb") as f:
        return f.read(_HEAD)


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", newline="\n", errors="replace") as f:
        yield from f


def _outcome(taken: ImportCounts, lang: Lang, *, dry_run: bool) -> str:
    rows = _rows(taken.counts, lang)
    came = any(k.endswith((".new", ".newer")) for k in taken.counts)
    if dry_run:
        head = say(lang, "dry")
    elif not came or taken.set_id is None:
        head = say(lang, "nothing")
    else:
        head = say(lang, "done", set_id=taken.set_id)
    return "\n".join([head, *rows])


def _rows(counts: Counter[str], lang: Lang) -> Iterator[str]:
    for thing in _ORDER:
        for key, n in sorted(counts.items()):
            kind, _, became = key.partition(".")
            if kind == thing and n:
                yield f"  {n:>7} {say(lang, f'thing.{kind}')}: {say(lang, f'became.{became}')}"


# --- copies of the memory file, and what stands in any of them
# -------------------------------------------- These open no Ebb: the memory file may be damaged, or
# in use.


@verb("backup", bare=True)
def backup(settings: Settings, _args: argparse.Namespace, lang: Lang) -> int:
    """Make one, and say where it is."""
    settings.database.stat()
    print(
        say(lang, "backup.made", path=make_backup(settings.database, "hand", read_system_clock()))
    )
    return 0


@verb("recover", argument("file", nargs="?"), bare=True)
def recover(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """List the backups, or put one back."""
    found = list_backups(settings.database)
    if not args.file:
        print(
            say(lang, "backup.list" if found else "backup.none"),
            *(_line(b, lang) for b in found),
            sep="\n",
        )
        return 0
    file = next((b.path for b in found if b.path.name == args.file), Path(args.file).expanduser())
    try:
        kept, purged = recover_backup(settings.database, file, read_system_clock())
    except (StoreBusy, StoreDamaged) as e:
        why = "recover.busy" if isinstance(e, StoreBusy) else "recover.damaged"
        print(say(lang, why, path=file), file=sys.stderr)
        return 1
    print(
        say(lang, "recover.done", path=file, n=purged),
        *([say(lang, "recover.kept", path=kept)] if kept else []),
    )
    return 0


def _line(b: Backup, lang: Lang) -> str:
    size = f"{b.path.stat().st_size / 2**20:.1f} MB"
    return f"  {b.path.name}  {b.made.astimezone():%Y-%m-%d %H:%M}  {size}  {say(lang, f'backup.{b.sort}')}"


@verb("trace", argument("words", nargs="+"), bare=True)
def trace(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """Say where the words stand; 0 if nowhere, 1 if anywhere."""
    text = " ".join(args.words)
    try:
        places = find_words_in_files(settings.home, text)
    except ValueError:
        print(say(lang, "trace.empty"), file=sys.stderr)
        return 2
    print(say(lang, "trace.found" if places else "trace.none", text=text, path=settings.home))
    for file, where, n in places:
        print(f"  {file}  {where or say(lang, 'trace.bytes')}  × {n}")
    return 1 if places else 0
