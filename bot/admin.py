"""`ebb memory …`: the memories of this machine's owner, from the shell."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bot import admin_backups, admin_ends, admin_files, admin_life, admin_upkeep, charts, parsing, undoing
from bot.admin_texts import in_language, say, unusable
from bot.asof import known_then
from bot.bootstrap import Ebb, open_ebb
from bot.life_texts import say as past
from bot.listing import memory_line
from bot.recalling import shown as labelled
from bot.settings import Settings, machine_language
from bot.texts import say as spoken
from bot.why import reasons
from memory.errors import Conflict, NotFound, Refused
from memory.learn.dates import moment
from memory.models import Filter, Kind, Lang, Sensitivity, State
from memory.service import MemoryService
from memory.text.output import clean_streams

_FOUND = 20  # memories with the words in them that a search shows


def parser(lang: Lang = "en") -> argparse.ArgumentParser:
    """Words of `ebb memory`."""
    p: argparse.ArgumentParser = parsing.speaking(lang)(
        prog="ebb memory", description="What Ebb remembers about you."
    )
    sub = p.add_subparsers(dest="verb", required=True, metavar="VERB" if lang == "en" else "操作")
    ls = sub.add_parser("list", help="memories, strongest first")
    ls.add_argument("--kind", choices=[str(k) for k in Kind])
    ls.add_argument("--state", choices=[str(s) for s in State], default="active")
    ls.add_argument("--limit", type=parsing.natural, default=50)
    ls.add_argument("--offset", type=parsing.natural, default=0)
    ls.add_argument(
        "--as-of", metavar="DATE", help="what was known then: 2026-03-01, “1 March”, 3月1日, “last month”"
    )
    search = sub.add_parser("search", help="memories about something, as a reply would recall them")
    search.add_argument("words", nargs="+", help="a word, or a question")
    search.add_argument("--explain", action="store_true", help="show every signal")
    for name, text in (
        ("restore", "bring it back"),
        ("pin", "it never fades"),
        ("unpin", "it fades again"),
        ("quiet", "it never comes up by itself"),
        ("unquiet", "it comes up again"),
    ):
        one = sub.add_parser(name, help=text)
        one.add_argument("id")
    add = sub.add_parser("add", help="remember this")
    add.add_argument("words", nargs="+")
    edit = sub.add_parser("edit", help="put it in other words")
    edit.add_argument("id")
    edit.add_argument("words", nargs="+")
    undo = sub.add_parser("undo", help="take back a change (the last one)")
    undo.add_argument("set", nargs="?", default="last")
    undo.add_argument("--list", action="store_true", help="list the changes that can be taken back")
    sub.add_parser("rebuild", help="derive the indexes anew")
    admin_life.add_parsers(sub)
    admin_ends.add_parsers(sub)
    admin_upkeep.add_parsers(sub)
    admin_files.add_parsers(sub)
    admin_backups.add_parsers(sub)
    return in_language(p, lang)


@clean_streams()
def run(settings: Settings, argv: Sequence[str]) -> int:
    """Carry out one of them. 0: done; 1: it could not be done, with a sentence why; 2: it was not understood."""
    lang: Lang = settings.lang or machine_language() or "en"
    words = parser(lang)
    if parsing.bare(argv, words):
        return 0
    try:
        args = words.parse_args(list(argv))
    except SystemExit as e:  # argparse has said what there is to say
        return int(e.code or 0)
    if args.verb in admin_backups.VERBS:
        return admin_backups.VERBS[args.verb](settings, args, lang)
    return asyncio.run(_run(settings, args))


async def _run(settings: Settings, args: argparse.Namespace) -> int:
    async with open_ebb(settings, workers=False) as ebb:
        lang = settings.lang or await ebb.agent.language(ebb.owner)
        looks_only = bool(getattr(args, "dry_run", False))
        if not looks_only and args.verb != "mirror":  # which tells what it finds
            await admin_files.settle(ebb)
        try:
            return await VERBS[args.verb](ebb, args, lang)
        except NotFound:
            print(say(lang, "no_memory", id=_id(args) if "id" in args else ""), file=sys.stderr)
        except Conflict as e:
            print(_conflict(e, args, lang), file=sys.stderr)
        except Refused as e:
            print(say(lang, "empty") if e.code == "empty" else e, file=sys.stderr)
        except BrokenPipeError:  # `ebb memory list | head`: nobody reads on, and nothing is wrong
            raise
        except OSError as e:
            path = str(args.file if "file" in args else e.filename or ebb.settings.home)
            print(unusable(e, path, lang), file=sys.stderr)
        finally:
            if not looks_only:
                await admin_files.settle(ebb)
        return 1


def _conflict(e: Conflict, args: argparse.Namespace, lang: Lang) -> str:
    if args.verb == "undo":
        return undoing.why_not(e, lang, "ebb memory undo")
    return say(lang, "restore_first", id=_id(args)) if e.code == "forgotten" else say(lang, "changed")


def _id(args: argparse.Namespace) -> str:
    return str(args.id).strip("[]").lower()


def _service(ebb: Ebb) -> MemoryService:
    return ebb.service


async def _list(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    if args.as_of:
        return await _list_as_of(ebb, args, lang)
    kinds = frozenset({Kind(args.kind)}) if args.kind else None
    f = Filter(states=frozenset({State(args.state)}), kinds=kinds, max_sensitivity=Sensitivity.SECRET)
    page = await _service(ebb).find(ebb.owner, f, order="weight", limit=args.limit, offset=args.offset)
    for m in page.items:
        print(f"{_service(ebb).weight(m, ebb.clock()):5.2f}  {memory_line(m, lang, ebb.clock())}")
    print(say(lang, "count", n=len(page.items), total=page.total))
    return 0


async def _list_as_of(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    now = ebb.clock()
    at = moment(args.as_of, now, ebb.tz)
    if at is None:
        print(past(lang, "asof.unread", text=args.as_of), file=sys.stderr)
        return 1
    then = await known_then(
        ebb.service, ebb.owner, at, "", lang, ebb.tz, lambda m: memory_line(m, lang, now), args.limit
    )
    print(then.head, *then.lines, sep="\n")
    return 0


async def _search(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """What a reply would recall, and after it whatever else has the words in it."""
    text = " ".join(args.words)
    await ebb.ready()
    recall = await _service(ebb).recall(ebb.owner, text, [], ebb.clock(), ebb.tz)
    shown = (*labelled(recall.hits), *(recall.missed if args.explain else ()))
    for h in shown:
        share = f"{h.gate:4.0%}" if h.gate else "    "
        print(f"{share} {'✔' if h.passed else '✘'}  {memory_line(h.memory, lang, ebb.clock())}")
        for line in reasons(h, lang) if args.explain else ():
            print(f"        {line}")
    known = {h.memory.id for h in shown}
    states = frozenset({State.ACTIVE, State.PROPOSED})
    page = await _service(ebb).find(ebb.owner, Filter(states=states), text=text, order="weight", limit=_FOUND)
    others = [m for m in page.items if m.id not in known]
    for m in others:
        print(f"{charts.padded(say(lang, 'search.words'), 6)}  {memory_line(m, lang, ebb.clock())}")
    if not shown and not others:
        print(say(lang, "search.none", text=text))
    return 0


async def _add(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    text = " ".join(args.words)
    done = await _service(ebb).remember(ebb.owner, text, ebb.clock(), tz=ebb.tz, scope=ebb.scope)
    print(memory_line(done.memory, lang, ebb.clock()))
    return 0


async def _edit(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    m = await _service(ebb).edit(ebb.owner, _id(args), " ".join(args.words), ebb.clock())
    print(memory_line(m, lang, ebb.clock()))
    return 0


async def _restore(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    m = await _service(ebb).restore(ebb.owner, _id(args), ebb.clock())
    print(memory_line(m, lang, ebb.clock()))
    return 0


async def _pin(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    m = await _service(ebb).pin(ebb.owner, _id(args), args.verb == "pin", ebb.clock())
    print(memory_line(m, lang, ebb.clock()))
    return 0


async def _quiet(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    m = await _service(ebb).mark_quiet(ebb.owner, _id(args), args.verb == "quiet", ebb.clock())
    print(memory_line(m, lang, ebb.clock()))
    return 0


async def _undo(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Take one change back, or show which there are."""
    service, now = _service(ebb), ebb.clock()
    if args.list:
        lines = await undoing.listed(service, ebb.owner, lang, now)
        print(say(lang, "undo.listed") if lines else spoken(lang, "undo.nothing"), *lines, sep="\n")
        return 0
    wanted = undoing.wanted(args.set)
    try:
        done = await service.undo(ebb.owner, now, wanted)
    except NotFound:
        print(spoken(lang, "undo.gone" if wanted else "undo.nothing"), file=sys.stderr)
        return 1
    print(spoken(lang, "undo.done", what=undoing.done(done.reason, lang)))
    for m in done.memories:
        print(memory_line(m, lang, now))
    return 0


async def _rebuild(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    rows = await ebb.store.rebuild(ebb.owner)
    print(say(lang, "rebuilt"))
    for index, n in rows.items():
        key = f"index.{index}"
        name = say(lang, key) if key in say.keys() else index  # noqa: SIM118 - a table, not a dict
        print(f"  {charts.padded(name, 12)} {n}")
    return 0


VERBS: Mapping[str, Callable[[Ebb, argparse.Namespace, Lang], Awaitable[int]]] = {
    "list": _list,
    "search": _search,
    "add": _add,
    "edit": _edit,
    "restore": _restore,
    "pin": _pin,
    "unpin": _pin,
    "quiet": _quiet,
    "unquiet": _quiet,
    "undo": _undo,
    "rebuild": _rebuild,
    **admin_life.VERBS,
    **admin_ends.VERBS,
    **admin_upkeep.VERBS,
    **admin_files.VERBS,
}
