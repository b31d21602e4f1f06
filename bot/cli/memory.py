"""`ebb memory …`: the memories of this machine's owner, from the shell."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from bot.agent.recall import mask_opened_secrets as labelled
from bot.bootstrap import Ebb, open_ebb
from bot.cli import files, life, upkeep  # noqa: F401 - the verbs of each are registered
from bot.cli.parser import (
    VERBS,
    argument,
    describe_os_error,
    memory_parser,
    parse_natural,
    parse_positive,
    read_id,
    verb,
)
from bot.commands.handlers import describe_act, explain_conflict, list_undoable, read_set_id
from bot.commands.memories import format_memory, list_as_of
from bot.commands.why import list_reasons
from bot.markdown import pad_to_columns
from bot.settings import Settings, machine_language
from bot.texts import LANGS, Texts
from bot.texts import say as spoken
from memory.errors import Conflict, NotFound, Refused
from memory.jobs import JobRunner
from memory.learn.dates import parse_moment
from memory.models import Filter, Kind, Lang, Memory, Sensitivity, State
from memory.service import PurgeReceipt
from memory.store import make_worker_id

say = Texts("memory")
ends = Texts("life")
_FOUND = 20  # memories with the words in them that a search shows
_SCRUB_SECONDS = 20.0
_LOOKS = 30


def run(settings: Settings, argv: Sequence[str]) -> int:
    """Carry out one verb.

    0: done; 1: it could not be done, with a sentence why; 2: it was not understood.
    """
    lang: Lang = settings.lang or machine_language() or "en"
    parser = memory_parser(lang)
    if not argv:
        parser.print_help()
        return 0
    args = parser.parse_args(argv)
    chosen = VERBS[args.verb]
    if chosen.bare:
        return int(chosen.run(settings, args, lang))
    return asyncio.run(_run(settings, args))


async def _run(settings: Settings, args: argparse.Namespace) -> int:
    async with open_ebb(settings, workers=False) as ebb:
        lang = settings.lang or await ebb.agent.detect_language(ebb.owner)
        looks_only = bool(getattr(args, "dry_run", False))
        if not looks_only and args.verb != "mirror":  # which tells what it finds
            await files.sync_mirror(ebb)
        try:
            return int(await VERBS[args.verb].run(ebb, args, lang))
        except NotFound:
            print(say(lang, "no_memory", id=getattr(args, "id", "")), file=sys.stderr)
        except Conflict as e:
            print(_describe_conflict(e, args, lang), file=sys.stderr)
        except Refused as e:
            print(say(lang, "empty") if e.code == "empty" else e, file=sys.stderr)
        except BrokenPipeError:  # `ebb memory list | head`: nobody reads on, and nothing is wrong
            raise
        except OSError as e:
            path = str(args.file if "file" in args else e.filename or ebb.settings.home)
            print(describe_os_error(e, path, lang), file=sys.stderr)
        finally:
            if not looks_only:
                await files.sync_mirror(ebb)
        return 1


def _describe_conflict(e: Conflict, args: argparse.Namespace, lang: Lang) -> str:
    if args.verb == "undo":
        return explain_conflict(e, lang, "ebb memory undo")
    return say(lang, "restore_first", id=args.id) if e.code == "forgotten" else say(lang, "changed")


# --- looking ---


@verb(
    "list",
    argument("--kind", choices=[str(k) for k in Kind]),
    argument("--state", choices=[str(s) for s in State], default="active"),
    argument("--limit", type=parse_natural, default=50),
    argument("--offset", type=parse_natural, default=0),
    argument("--as-of", metavar="DATE"),
)
async def list_memories(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print memories, strongest first, as they are or as they were known on a day."""
    if args.as_of:
        return await _list_as_of(ebb, args, lang)
    kinds = frozenset({Kind(args.kind)}) if args.kind else None
    f = Filter(
        states=frozenset({State(args.state)}), kinds=kinds, max_sensitivity=Sensitivity.SECRET
    )
    page = await ebb.service.find(
        ebb.owner, f, order="weight", limit=args.limit, offset=args.offset
    )
    for m in page.items:
        print(
            f"{ebb.service.compute_weight(m, ebb.clock()):5.2f}  {format_memory(m, lang, ebb.clock())}"
        )
    print(say(lang, "count", n=len(page.items), total=page.total))
    return 0


async def _list_as_of(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    now = ebb.clock()
    at = parse_moment(args.as_of, now, ebb.tz)
    if at is None:
        print(spoken(lang, "asof.unread", text=args.as_of), file=sys.stderr)
        return 1
    then = await list_as_of(
        ebb.service, ebb.owner, at, now, "", lang, ebb.tz, most=args.limit, bullet=""
    )
    print(then.text)
    return 0


@verb("search", argument("words", nargs="+"), argument("--explain", action="store_true"))
async def search(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print what a reply would recall, and after it whatever else has the words in it."""
    text = " ".join(args.words)
    await ebb.ready()
    recall = await ebb.service.recall(ebb.owner, text, [], ebb.clock(), ebb.tz)
    shown = (*labelled(recall.hits), *(recall.missed if args.explain else ()))
    for h in shown:
        share = f"{h.gate:4.0%}" if h.gate else "    "
        print(f"{share} {'✔' if h.passed else '✘'}  {format_memory(h.memory, lang, ebb.clock())}")
        for line in list_reasons(h, lang) if args.explain else ():
            print(f"        {line}")
    known = {h.memory.id for h in shown}
    states = frozenset({State.ACTIVE, State.PROPOSED})
    page = await ebb.service.find(
        ebb.owner, Filter(states=states), text=text, order="weight", limit=_FOUND
    )
    others = [m for m in page.items if m.id not in known]
    for m in others:
        print(
            f"{pad_to_columns(say(lang, 'search.words'), 6)}  {format_memory(m, lang, ebb.clock())}"
        )
    if not shown and not others:
        print(say(lang, "search.none", text=text))
    return 0


# --- changing ---


@verb("add", argument("words", nargs="+"))
async def add(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Remember a sentence."""
    text = " ".join(args.words)
    done = await ebb.service.remember(ebb.owner, text, ebb.clock(), tz=ebb.tz, scope=ebb.scope)
    return _show(done.memory, ebb, lang)


@verb("edit", argument("id", type=read_id), argument("words", nargs="+"))
async def edit(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Put a memory in other words."""
    return _show(
        await ebb.service.edit(ebb.owner, args.id, " ".join(args.words), ebb.clock()), ebb, lang
    )


@verb("restore", argument("id", type=read_id))
async def restore(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Bring a forgotten memory back."""
    return _show(await ebb.service.restore(ebb.owner, args.id, ebb.clock()), ebb, lang)


@verb("pin", argument("id", type=read_id))
@verb("unpin", argument("id", type=read_id))
async def pin(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Pin a memory, or let it fade again."""
    return _show(
        await ebb.service.pin(ebb.owner, args.id, args.verb == "pin", ebb.clock()), ebb, lang
    )


@verb("quiet", argument("id", type=read_id))
@verb("unquiet", argument("id", type=read_id))
async def quiet(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Keep a memory from coming up by itself, or let it again."""
    return _show(
        await ebb.service.mark_quiet(ebb.owner, args.id, args.verb == "quiet", ebb.clock()),
        ebb,
        lang,
    )


def _show(m: Memory, ebb: Ebb, lang: Lang) -> int:
    print(format_memory(m, lang, ebb.clock()))
    return 0


@verb("undo", argument("set", nargs="?", default="last"), argument("--list", action="store_true"))
async def undo(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Take one change back, or show which there are."""
    service, now = ebb.service, ebb.clock()
    if args.list:
        lines = await list_undoable(service, ebb.owner, lang, now)
        print(say(lang, "undo.listed") if lines else spoken(lang, "undo.nothing"), *lines, sep="\n")
        return 0
    wanted = read_set_id(args.set)
    try:
        done = await service.undo(ebb.owner, now, wanted)
    except NotFound:
        print(spoken(lang, "undo.gone" if wanted else "undo.nothing"), file=sys.stderr)
        return 1
    print(spoken(lang, "undo.done", what=describe_act(done.reason, lang)))
    for m in done.memories:
        print(format_memory(m, lang, now))
    return 0


@verb("rebuild")
async def rebuild(ebb: Ebb, _args: argparse.Namespace, lang: Lang) -> int:
    """Derive the indexes again."""
    rows = await ebb.store.rebuild(ebb.owner)
    print(say(lang, "rebuilt"))
    for index, n in rows.items():
        key = f"index.{index}"
        name = say(lang, key) if key in say else index
        print(f"  {pad_to_columns(name, 12)} {n}")
    return 0


# --- ending ---


@verb("delete", argument("id", nargs="?", type=read_id), argument("--all", action="store_true"))
async def delete(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Forget one, or everything."""
    if args.all:
        return await _delete_all(ebb, lang)
    if not args.id:
        print(ends(lang, "delete.which"), file=sys.stderr)
        return 1
    m = await life.get_memory(ebb, args.id)
    for gone in (await ebb.service.forget(ebb.owner, [m.id], ebb.clock())).memories:
        print(ends(lang, "deleted", text=gone.content, id=gone.id))
    return 0


async def _delete_all(ebb: Ebb, lang: Lang) -> int:
    n = await ebb.service.count_everything(ebb.owner)
    print(ends(lang, "all.ask", n=n), end="", flush=True)
    typed = " ".join(sys.stdin.readline().split()).lower()
    if typed not in {ends(other, "all.typed", n=n) for other in LANGS}:
        print(ends(lang, "all.kept"))
        return 1
    try:
        done = await ebb.service.forget_everything(ebb.owner, ebb.clock())
    except NotFound:
        print(ends(lang, "all.none"))
        return 0
    print(ends(lang, "all.done", n=len(done.memories), hidden=done.hidden, set=done.set_id))
    return 0


@verb("purge", argument("id", type=read_id), argument("--yes", action="store_true"))
async def purge(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Erase one for good, scrub the file at once if nobody is in the way, and print the receipt."""
    m = await life.get_memory(ebb, args.id)
    if not args.yes:
        print(ends(lang, "purge.ask", text=m.content), end="", flush=True)
        if read_id(sys.stdin.readline().strip()) != m.id:
            print(ends(lang, "purge.kept"))
            return 1
    done = await ebb.service.purge(ebb.owner, m.id, ebb.clock())
    runner = JobRunner(
        ebb.store, {"scrub": ebb.service.handlers["scrub"]}, ebb.clock, worker=make_worker_id()
    )
    await runner.drain(_SCRUB_SECONDS)
    later = done
    for _ in range(_LOOKS):  # whoever else is open may have taken it up first
        later = next(
            (r for r in await ebb.service.list_receipts(ebb.owner) if r.job_id == done.job_id), done
        )
        if later.scrubbed or later.error:
            break
        await asyncio.sleep(0.1)
    print(*_receipt(replace(later, places=done.places), ebb, lang), sep="\n")
    return 0


@verb("receipt", argument("--last", type=parse_positive, default=3))
async def receipt(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print the last purges again."""
    found = await ebb.service.list_receipts(ebb.owner, args.last)
    if not found:
        print(ends(lang, "receipt.none"))
    for r in reversed(found):
        print(*_receipt(r, ebb, lang), sep="\n")
    return 0


def _receipt(r: PurgeReceipt, ebb: Ebb, lang: Lang) -> list[str]:
    """Every place by name, also those where nothing was found; and whether the file itself is clean by now."""
    zone = ZoneInfo(ebb.tz)
    places = (k.removeprefix("place.") for k in ends.all(lang) if k.startswith("place."))
    lines = [ends(lang, "purge.head", at=f"{r.erased.astimezone(zone):%Y-%m-%d %H:%M:%S}")]
    for place in dict.fromkeys((*places, *r.places)):
        if (n := r.places.get(place)) is not None:
            key = f"place.{place}"
            name = ends(lang, key) if key in ends else place
            lines.append(f"  {pad_to_columns(name, 30)} {n or ends(lang, 'purge.clean')}")
    if r.scrubbed:
        at = r.scrubbed_at or r.erased
        lines.append(ends(lang, "purge.scrubbed", at=f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S}"))
    else:
        lines.append(
            ends(lang, "purge.waiting", why=ends(lang, "purge.busy" if r.error else "purge.next"))
        )
    return [*lines, ends(lang, "purge.beyond")]
