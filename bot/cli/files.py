"""`ebb memory mirror`, `export`, `import`, `backup`, `recover` and `trace`: memories as files."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bot.bootstrap import Ebb, read_system_clock
from bot.cli.parser import WORDS, argument, flag, verb
from bot.settings import Settings
from bot.texts import Texts
from memory.api import (
    ImportCounts,
    detect_origin,
    find_words_in_files,
    list_backups,
    make_backup,
    parse_file,
    recover_backup,
)
from memory.errors import StoreBusy, StoreDamaged
from memory.models import Lang

say = Texts("files")
_HEAD = 4096
_ORDER = ("memory", "set", "session", "message", "tombstone", "trace", "user", "secret")


# --- MEMORY.md ---


async def sync_mirror(ebb: Ebb) -> None:
    """Take what was edited in MEMORY.md, and write what a verb changed.

    A file that cannot be read or written is a matter for the log: the verb is not to fail for it.
    """
    if ebb.memory.mirror is not None:
        with suppress(OSError):
            await ebb.memory.mirror.sync(ebb.owner, ebb.clock())


@verb("mirror", flag("--forget-missing", apart=True), flag("--keep-missing", apart=True))
async def mirror(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Say where it is, what was taken from it, what is asked."""
    kept = ebb.memory.mirror
    if kept is None:  # pragma: no cover - the composition root makes one
        raise AssertionError
    print(kept.path(ebb.owner))
    report = await kept.sync(ebb.owner, ebb.clock())
    state = await ebb.store.read(ebb.owner, lambda tx: tx.mirror.get_state())
    asked = list(state.asking["ids"]) if state and state.asking and report.asks else []
    if asked and (args.forget_missing or args.keep_missing):
        ids = asked if args.forget_missing else []
        done = await ebb.memory.forget_missing(ebb.owner, ids, ebb.clock())
        print(say(lang, "mirror.forgot", n=len(done)) if done else say(lang, "mirror.kept"))
        return 0
    a = report.applied
    counts = {"new": len(a.new), "edited": len(a.edited), "deleted": len(a.deleted)}
    took = any(counts.values()) or a.unread
    print(say(lang, "mirror.took" if took else "mirror.same", **counts, unread=a.unread))
    if asked:
        print(say(lang, "mirror.asks", n=len(asked)))
    return 0


# --- out ---


@verb("export", argument("file", nargs="?", default="-"), flag("--secrets"))
async def export(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Write everything, to a file that is there whole or not at all, or into a pipe."""
    with _open_output(args.file) as f:
        counts = await ebb.memory.porter.export(ebb.owner, f.write, secrets=args.secrets)
    lines = counts.lines
    told = [say(lang, "exported", memories=lines["memory"], messages=lines["message"])]
    told += [say(lang, "withheld", n=counts.withheld)] if counts.withheld else []
    told += [say(lang, "sealed")] if args.secrets else []
    print(*told, sep="\n", file=sys.stderr)
    return 0


@contextmanager
def _open_output(name: str) -> Iterator[IO[str]]:
    """Open stdout, or a file of its owner's alone that is put in place once it is complete."""
    if name == "-":
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
        yield sys.stdout
        sys.stdout.flush()
        return
    fd, draft = tempfile.mkstemp(prefix=".ebb-export-", dir=Path(name).parent)
    try:
        with os.fdopen(fd, "w", encoding="utf-8", newline="\n") as f:
            yield f
            f.flush()
            os.fsync(f.fileno())
        Path(draft).replace(name)
    finally:
        Path(draft).unlink(missing_ok=True)


# --- in ---


@verb(
    "import",
    argument("file"),
    flag("--dry-run"),
    argument(
        "--from", dest="origin", choices=["auto", "ebb", "chatgpt", "mem0", "text"], default="auto"
    ),
    flag("--yes"),
    argument("--user"),
    flag("--learn"),
)
async def take_import(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Take a file, whatever it is: first looked at whole, then taken whole."""
    porter, now, dry = ebb.memory.porter, ebb.clock(), args.dry_run
    with _open_input(args.file) as path:
        head = await asyncio.to_thread(_read_head, path)
        origin = detect_origin(head) if args.origin == "auto" else args.origin
        if origin == "ebb":
            taken = await porter.bring(ebb.owner, lambda: _read_lines(path), now, dry_run=dry)
        else:
            data = await asyncio.to_thread(path.read_bytes)
            found = await asyncio.to_thread(parse_file, data, origin, args.user)
            options = {"dry_run": dry, "learn": args.learn, "agreed": args.yes}
            taken = await porter.take(ebb.owner, found, now, tz=ebb.tz, **options)
    print(*_describe_import(taken, lang, dry_run=dry), sep="\n")
    if taken.counts["session.new"] and origin not in {"ebb", "text"} and not args.learn:
        print(say(lang, "not_learned"))
    return 0


@contextmanager
def _open_input(name: str) -> Iterator[Path]:
    """Give the file; a pipe is put into one, since it is read more than once."""
    if name != "-":
        yield Path(name)
        return
    with tempfile.TemporaryDirectory(prefix="ebb-import-") as folder:
        path = Path(folder, "import")
        with path.open("wb") as f:
            shutil.copyfileobj(sys.stdin.buffer, f)
        yield path


def _read_head(path: Path) -> bytes:
    with path.open("rb") as f:
        return f.read(_HEAD)


def _read_lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", newline="\n", errors="replace") as f:
        yield from f


def _describe_import(taken: ImportCounts, lang: Lang, *, dry_run: bool) -> Iterator[str]:
    came = any(k.endswith((".new", ".newer")) for k in taken.counts) and taken.set_id is not None
    key = "dry" if dry_run else "done" if came else "nothing"
    yield say(lang, key, set_id=taken.set_id)
    for key, n in sorted(taken.counts.items(), key=lambda x: (_ORDER.index(x[0].split(".")[0]), x)):
        thing, _, became = key.partition(".")
        if n:
            yield f"  {n:>7} {say(lang, f'thing.{thing}')}: {say(lang, f'became.{became}')}"
    if taken.waiting:
        yield say(lang, "waits")
        yield from (f"  - {' '.join(text.split())}" for text in taken.waiting)


# --- copies of the memory file, and what stands in any of them ---
# These open no Ebb: the memory file may be damaged, or in use.


@verb("backup", bare=True)
def backup(settings: Settings, _args: argparse.Namespace, lang: Lang) -> int:
    """Make one, and say where it is."""
    settings.database.stat()
    path = make_backup(settings.database, "hand", read_system_clock())
    print(say(lang, "backup.made", path=path))
    return 0


@verb("recover", argument("file", nargs="?"), bare=True)
def recover(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """List the backups, or put one back."""
    found = list_backups(settings.database)
    if not args.file:
        print(say(lang, "backup.list" if found else "backup.none"))
        for b in found:
            when, size = f"{b.made.astimezone():%Y-%m-%d %H:%M}", b.path.stat().st_size / 2**20
            print(f"  {b.path.name}  {when}  {size:.1f} MB  {say(lang, f'backup.{b.sort}')}")
        return 0
    file = next((b.path for b in found if b.path.name == args.file), Path(args.file).expanduser())
    try:
        kept, purged = recover_backup(settings.database, file, read_system_clock())
    except (StoreBusy, StoreDamaged) as e:
        why = "recover.busy" if isinstance(e, StoreBusy) else "recover.damaged"
        print(say(lang, why, path=file), file=sys.stderr)
        return 1
    told = [say(lang, "recover.done", path=file, n=purged)]
    print(*told, *([say(lang, "recover.kept", path=kept)] if kept else []))
    return 0


@verb("trace", WORDS, bare=True)
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
