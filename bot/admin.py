"""`ebb memory …`: the memories of this machine's owner, from the shell."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bot import admin_ends, admin_files, admin_life, admin_upkeep
from bot.asof import known_then
from bot.bootstrap import Ebb, open_ebb
from bot.commands import memory_line
from bot.life_texts import say
from bot.settings import Settings
from memory.errors import Conflict, NotFound, Refused
from memory.learn.asof import moment
from memory.models import Filter, Kind, Lang, Sensitivity, State
from memory.service import MemoryService


def parser() -> argparse.ArgumentParser:
    """Words of `ebb memory`."""
    p = argparse.ArgumentParser(prog="ebb memory", description="What Ebb remembers about you.")
    sub = p.add_subparsers(dest="verb", required=True)
    ls = sub.add_parser("list", help="memories, strongest first")
    ls.add_argument("--kind", choices=[str(k) for k in Kind])
    ls.add_argument("--state", choices=[str(s) for s in State], default="active")
    ls.add_argument("--limit", type=int, default=50)
    ls.add_argument("--offset", type=int, default=0)
    ls.add_argument(
        "--as-of", metavar="DATE", help="what was known then: 2026-03-01, “1 March”, 3月1日, “last month”"
    )
    search = sub.add_parser("search", help="memories about something, as a reply would recall them")
    search.add_argument("words", nargs="+")
    search.add_argument("--explain", action="store_true", help="show every signal")
    for name, text in (
        ("restore", "bring it back"),
        ("pin", "it never fades"),
        ("unpin", "it fades again"),
    ):
        one = sub.add_parser(name, help=text)
        one.add_argument("id")
    add = sub.add_parser("add", help="remember this")
    add.add_argument("words", nargs="+")
    edit = sub.add_parser("edit", help="put it in other words")
    edit.add_argument("id")
    edit.add_argument("words", nargs="+")
    undo = sub.add_parser("undo", help="take back a change (the last one)")
    undo.add_argument("set", nargs="?")
    sub.add_parser("rebuild", help="derive the indexes anew")
    admin_life.add_parsers(sub)
    admin_ends.add_parsers(sub)
    admin_upkeep.add_parsers(sub)
    admin_files.add_parsers(sub)
    return p


def run(settings: Settings, argv: Sequence[str]) -> int:
    """Carry out one of them. 0: done; 1: it could not be done, with a sentence why."""
    args = parser().parse_args(list(argv))
    return asyncio.run(_run(settings, args))


async def _run(settings: Settings, args: argparse.Namespace) -> int:
    async with open_ebb(settings, workers=False) as ebb:
        lang = settings.lang or await ebb.agent.language(ebb.owner)
        looks_only = bool(getattr(args, "dry_run", False))
        if not looks_only:
            await admin_files.settle(ebb)
        try:
            return await VERBS[args.verb](ebb, args, lang)
        except NotFound:
            print(
                f"There is no memory {args.id if 'id' in args else ''}; `ebb memory list` shows them.",
                file=sys.stderr,
            )
        except Conflict as e:
            print(f"{e}" + (f" Undo {e.by} first." if e.by else ""), file=sys.stderr)
        except Refused as e:
            print(e, file=sys.stderr)
        finally:
            if not looks_only:
                await admin_files.settle(ebb)
        return 1


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
    print(f"{len(page.items)} of {page.total}")
    return 0


async def _list_as_of(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    now = ebb.clock()
    at = moment(args.as_of, now, ebb.tz)
    if at is None:
        print(say(lang, "asof.unread", text=args.as_of), file=sys.stderr)
        return 1
    then = await known_then(
        ebb.service, ebb.owner, at, "", lang, ebb.tz, lambda m: memory_line(m, lang, now), args.limit
    )
    print(then.head, *then.lines, sep="\n")
    return 0


async def _search(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    recall = await _service(ebb).recall(ebb.owner, " ".join(args.words), [], ebb.clock(), ebb.tz)
    for h in (*recall.hits, *(recall.missed if args.explain else ())):
        print(f"{h.gate:4.0%} {'✔' if h.passed else '✘'}  {memory_line(h.memory, lang, ebb.clock())}")
        if args.explain:
            parts = [f"{k} {v:.3f}" for k, v in h.signals.items()] + [f"{k} ×{v:.3f}" for k, v in h.nudges.items()]
            print(f"        score {h.score:.3f} · " + " · ".join(parts))
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


async def _undo(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    done = await _service(ebb).undo(ebb.owner, ebb.clock(), args.set)
    print(f"Taken back ({done.reason}):")
    for m in done.memories:
        print(memory_line(m, lang, ebb.clock()))
    return 0


async def _rebuild(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    for index, rows in (await ebb.store.rebuild(ebb.owner)).items():
        print(f"  {index:<12} {rows}")
    return 0


VERBS: Mapping[str, Callable[[Ebb, argparse.Namespace, Lang], Awaitable[int]]] = {
    "list": _list,
    "search": _search,
    "add": _add,
    "edit": _edit,
    "restore": _restore,
    "pin": _pin,
    "unpin": _pin,
    "undo": _undo,
    "rebuild": _rebuild,
    **admin_life.VERBS,
    **admin_ends.VERBS,
    **admin_upkeep.VERBS,
    **admin_files.VERBS,
}
