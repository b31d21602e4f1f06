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
    ID,
    VERBS,
    WORDS,
    argument,
    describe_os_error,
    flag,
    memory_parser,
    parse_natural,
    parse_positive,
    read_id,
    verb,
)
from bot.commands.handlers import (
    describe_act,
    explain_conflict,
    is_night,
    list_undoable,
    read_set_id,
)
from bot.commands.memories import format_memory, list_as_of
from bot.commands.why import list_reasons
from bot.events import Command
from bot.markdown import pad_to_columns
from bot.reports import describe_night_undo
from bot.settings import Settings, machine_language
from bot.texts import LANGS, Texts
from bot.texts import say as spoken
from memory.api import Handler, JobRunner, PurgeReceipt, make_worker_id, parse_moment
from memory.errors import Conflict, NotFound, Refused
from memory.models import Filter, JobKind, Kind, Lang, Memory, Sensitivity, State

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
            key = {"forgotten": "restore_first", "replaced": "replaced"}.get(e.code, "changed")
            told = say(lang, key, id=getattr(args, "id", ""))
            if args.verb == "undo":
                told = explain_conflict(e, lang, "ebb memory undo")
            print(told, file=sys.stderr)
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
    now = ebb.clock()
    if args.as_of:
        at = parse_moment(args.as_of, now, ebb.tz)
        if at is None:
            print(spoken(lang, "asof.unread", text=args.as_of), file=sys.stderr)
            return 1
        most = args.limit
        print((await list_as_of(ebb.memory, ebb.owner, at, now, lang, ebb.tz, most=most)).text)
        return 0
    kinds = frozenset({Kind(args.kind)}) if args.kind else None
    f = Filter(frozenset({State(args.state)}), kinds=kinds, max_sensitivity=Sensitivity.SECRET)
    page = await ebb.memory.find(ebb.owner, f, order="weight", limit=args.limit, offset=args.offset)
    for m in page.items:
        print(f"{ebb.memory.compute_weight(m, now):5.2f}  {format_memory(m, lang, now)}")
    print(say(lang, "count", n=len(page.items), total=page.total))
    return 0


@verb("search", WORDS, flag("--explain"))
async def search(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print what a reply would recall, and after it whatever else has the words in it."""
    text, now = " ".join(args.words), ebb.clock()
    await ebb.ready()
    recall = await ebb.memory.recall(ebb.owner, text, [], now, ebb.tz)
    shown = (*labelled(recall.hits), *(recall.missed if args.explain else ()))
    for h in shown:
        share = f"{h.gate:4.0%}" if h.gate else "    "
        print(f"{share} {'✔' if h.passed else '✘'}  {format_memory(h.memory, lang, now)}")
        for line in list_reasons(h, lang) if args.explain else ():
            print(f"        {line}")
    f, known = Filter(frozenset({State.ACTIVE, State.PROPOSED})), {h.memory.id for h in shown}
    page = await ebb.memory.find(ebb.owner, f, text=text, order="weight", limit=_FOUND)
    others = [m for m in page.items if m.id not in known]
    for m in others:
        print(f"{pad_to_columns(say(lang, 'search.words'), 6)}  {format_memory(m, lang, now)}")
    if not shown and not others:
        print(say(lang, "search.none", text=text))
    return 0


# --- changing ---


@verb("add", WORDS)
@verb("edit", ID, WORDS)
@verb("restore", ID)
@verb("pin", ID)
@verb("unpin", ID)
@verb("quiet", ID)
@verb("unquiet", ID)
async def change(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Change one memory, or make one, and print it as it is now."""
    m = await _change(ebb, args.verb, getattr(args, "id", ""), " ".join(getattr(args, "words", ())))
    print(format_memory(m, lang, ebb.clock()))
    return 0


async def _change(ebb: Ebb, act: str, memory_id: str, text: str) -> Memory:
    memory, user, now = ebb.memory, ebb.owner, ebb.clock()
    match act:
        case "add":
            return (await memory.remember(user, text, now, tz=ebb.tz, scope=ebb.scope)).memory
        case "edit":
            return await memory.edit(user, memory_id, text, now)
        case "restore":
            return await memory.restore(user, memory_id, now)
        case "pin" | "unpin":
            return await memory.pin(user, memory_id, act == "pin", now)
        case _:
            return await memory.mark_quiet(user, memory_id, act == "quiet", now)


@verb("undo", argument("set", nargs="?", default="last"), flag("--list"), flag("--night"))
async def undo(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Take one change back, or show which there are."""
    memory, now = ebb.memory, ebb.clock()
    if args.list:
        lines = await list_undoable(memory, ebb.owner, lang, now)
        print(say(lang, "undo.listed") if lines else spoken(lang, "undo.nothing"), *lines, sep="\n")
        return 0
    wanted = None if args.night else read_set_id(args.set)
    try:
        if args.night or is_night(wanted):
            print(describe_night_undo(await memory.undo_night(ebb.owner, now, wanted), lang))
            return 0
        done = await memory.undo(ebb.owner, now, wanted)
    except NotFound:
        nothing = "undo.night_nothing" if args.night else "undo.nothing"
        print(spoken(lang, "undo.gone" if wanted else nothing), file=sys.stderr)
        return 1
    print(spoken(lang, "undo.done", what=describe_act(done.reason, lang)))
    print(*(format_memory(m, lang, now) for m in done.memories), sep="\n")
    return 0


@verb("rebuild")
async def rebuild(ebb: Ebb, _args: argparse.Namespace, lang: Lang) -> int:
    """Derive the indexes again."""
    rows = await ebb.store.rebuild(ebb.owner)
    print(say(lang, "rebuilt"))
    for index, n in rows.items():
        print(f"  {pad_to_columns(say.name(lang, 'index', index), 12)} {n}")
    return 0


# --- ending ---


@verb("delete", argument("id", nargs="?", type=read_id), flag("--all"))
async def delete(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Forget one, or everything."""
    if args.all:
        return await _delete_all(ebb, lang)
    if not args.id:
        print(ends(lang, "delete.which"), file=sys.stderr)
        return 1
    m = await life.get_memory(ebb, args.id)
    for gone in (await ebb.memory.forget(ebb.owner, [m.id], ebb.clock())).memories:
        print(ends(lang, "deleted", text=gone.shown_text, id=gone.id))
    return 0


async def _delete_all(ebb: Ebb, lang: Lang) -> int:
    n = await ebb.memory.count_everything(ebb.owner)
    typed = _ask(ends(lang, "all.ask", n=n)).lower()
    if typed not in {ends(other, "all.typed", n=n) for other in LANGS}:
        print(ends(lang, "all.kept"))
        return 1
    try:
        done = await ebb.memory.forget_everything(ebb.owner, ebb.clock())
    except NotFound:
        print(ends(lang, "all.none"))
        return 0
    print(ends(lang, "all.done", n=len(done.memories), hidden=done.hidden, set=done.set_id))
    return 0


def _ask(question: str) -> str:
    """Ask, and return the line typed, with single spaces."""
    print(question, end="", flush=True)
    return " ".join(sys.stdin.readline().split())


@verb("rules", argument("--drop", type=parse_positive, metavar="N"))
async def rules(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Show the person's rules about what is kept, or end one."""
    words = f"drop {args.drop}" if args.drop else ""
    command = Command("memory", words, ebb.owner, ebb.scope, "cli", ebb.clock(), ebb.tz, lang=lang)
    told = await ebb.agent.run_command(command)
    print(told.text)
    return 0 if told.ok else 1


@verb("purge", ID, flag("--yes"))
async def purge(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Erase one for good, scrub the file at once if nobody is in the way, print the receipt."""
    m = await life.get_memory(ebb, args.id)
    if not args.yes and read_id(_ask(ends(lang, "purge.ask", text=m.shown_text))) != m.id:
        print(ends(lang, "purge.kept"))
        return 1
    memory, user = ebb.memory, ebb.owner
    done = later = await memory.purge(user, m.id, ebb.clock())
    scrub: dict[JobKind, Handler] = {"scrub": memory.handlers["scrub"]}
    await JobRunner(ebb.store, scrub, ebb.clock, worker=make_worker_id()).drain(_SCRUB_SECONDS)
    for _ in range(_LOOKS):  # whoever else is open may have taken it up first
        found = (r for r in await memory.list_receipts(user) if r.job_id == done.job_id)
        later = next(found, done)
        if later.scrubbed or later.error:
            break
        await asyncio.sleep(0.1)
    print(_describe_receipt(replace(later, places=done.places), ebb, lang))
    return 0


@verb("receipt", argument("--last", type=parse_positive, default=3))
async def receipt(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Print the last purges again."""
    found = await ebb.memory.list_receipts(ebb.owner, args.last)
    told = [_describe_receipt(r, ebb, lang) for r in reversed(found)]
    print(*(told or [ends(lang, "receipt.none")]), sep="\n")
    return 0


def _describe_receipt(r: PurgeReceipt, ebb: Ebb, lang: Lang) -> str:
    """Name every place, also those where nothing was found, and whether the file is clean."""
    erased, scrubbed = (
        f"{at.astimezone(ZoneInfo(ebb.tz)):%Y-%m-%d %H:%M:%S}"
        for at in (r.erased, r.scrubbed_at or r.erased)
    )
    lines = [ends(lang, "purge.head", at=erased)]
    for place in dict.fromkeys((*ends.names("place"), *r.places)):
        if (n := r.places.get(place)) is not None:
            name = pad_to_columns(ends.name(lang, "place", place), 30)
            lines.append(f"  {name} {n or ends(lang, 'purge.clean')}")
    waits = ends(lang, "purge.busy" if r.error else "purge.next")
    key = "purge.scrubbed" if r.scrubbed else "purge.waiting"
    return "\n".join([*lines, ends(lang, key, at=scrubbed, why=waits), ends(lang, "purge.beyond")])
