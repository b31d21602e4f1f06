"""`ebb memory delete`, `purge` and `receipt`: how memories end, from the shell."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from bot import charts
from bot.admin_life import wanted
from bot.bootstrap import Ebb
from bot.life_texts import say
from bot.parsing import positive
from memory.errors import NotFound
from memory.jobs import JobRunner
from memory.models import Lang
from memory.service import Receipt
from memory.store import worker_id
from memory.text.languages import LANGUAGES

LANGS: Final[tuple[Lang, ...]] = tuple(LANGUAGES)
_SCRUB_SECONDS = 20.0
_LOOKS = 30
_PLACES = tuple(k.removeprefix("place.") for k in say.keys() if k.startswith("place."))  # noqa: SIM118 - a table


def add_parsers(sub: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of these verbs."""
    delete = sub.add_parser("delete", help="forget it (restorable for 30 days)")
    delete.add_argument("id", nargs="?")
    delete.add_argument("--all", action="store_true", help="forget everything; asks for a typed confirmation")
    purge = sub.add_parser("purge", help="erase it for good, and show from where")
    purge.add_argument("id")
    purge.add_argument("--yes", action="store_true", help="do not ask")
    receipt = sub.add_parser("receipt", help="the last purges, and whether the file is scrubbed of them")
    receipt.add_argument("--last", type=positive, default=3, help="how many")


async def delete(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Forget one, or everything."""
    if args.all:
        return await _delete_all(ebb, lang)
    if not args.id:
        print(say(lang, "delete.which"), file=sys.stderr)
        return 1
    m = await wanted(ebb, args)
    for gone in (await ebb.service.forget(ebb.owner, [m.id], ebb.clock())).memories:
        print(say(lang, "deleted", text=gone.content, id=gone.id))
    return 0


async def _delete_all(ebb: Ebb, lang: Lang) -> int:
    n = await ebb.service.everything(ebb.owner)
    print(say(lang, "all.ask", n=n), end="", flush=True)
    typed = " ".join(sys.stdin.readline().split()).lower()
    if typed not in {say(other, "all.typed", n=n) for other in LANGS}:
        print(say(lang, "all.kept"))
        return 1
    try:
        done = await ebb.service.forget_everything(ebb.owner, ebb.clock())
    except NotFound:
        print(say(lang, "all.none"))
        return 0
    print(say(lang, "all.done", n=len(done.memories), hidden=done.hidden, set=done.set_id))
    return 0


async def purge(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """Erase one for good, scrub the file at once if nobody is in the way, and print the receipt."""
    m = await wanted(ebb, args)
    if not args.yes:
        print(say(lang, "purge.ask", text=m.content), end="", flush=True)
        if sys.stdin.readline().strip().strip("[]").lower() != m.id:
            print(say(lang, "purge.kept"))
            return 1
    done = await ebb.service.purge(ebb.owner, m.id, ebb.clock())
    runner = JobRunner(ebb.store, {"scrub": ebb.service.handlers["scrub"]}, ebb.clock, worker=worker_id())
    await runner.drain(_SCRUB_SECONDS)
    later = done
    for _ in range(_LOOKS):  # whoever else is open may have taken it up first
        later = next((r for r in await ebb.service.receipts(ebb.owner) if r.job_id == done.job_id), done)
        if later.scrubbed or later.error:
            break
        await asyncio.sleep(0.1)
    print(*_receipt(replace(later, places=done.places), ebb, lang), sep="\n")
    return 0


async def receipt(ebb: Ebb, args: argparse.Namespace, lang: Lang) -> int:
    """The last purges again."""
    found = await ebb.service.receipts(ebb.owner, args.last)
    if not found:
        print(say(lang, "receipt.none"))
    for r in reversed(found):
        print(*_receipt(r, ebb, lang), sep="\n")
    return 0


def _receipt(r: Receipt, ebb: Ebb, lang: Lang) -> list[str]:
    """Every place by name, also those where nothing was found; and whether the file itself is clean by now."""
    zone = ZoneInfo(ebb.tz)
    lines = [say(lang, "purge.head", at=f"{r.erased.astimezone(zone):%Y-%m-%d %H:%M:%S}")]
    for place in dict.fromkeys((*_PLACES, *r.places)):
        if (n := r.places.get(place)) is not None:
            key = f"place.{place}"
            name = say(lang, key) if key in say.keys() else place  # noqa: SIM118 - a table, not a dict
            lines.append(f"  {charts.padded(name, 30)} {n or say(lang, 'purge.clean')}")
    if r.scrubbed:
        at = r.scrubbed_at or r.erased
        lines.append(say(lang, "purge.scrubbed", at=f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S}"))
    else:
        lines.append(say(lang, "purge.waiting", why=say(lang, "purge.busy" if r.error else "purge.next")))
    return [*lines, say(lang, "purge.beyond")]


VERBS: Mapping[str, Callable[[Ebb, argparse.Namespace, Lang], Awaitable[int]]] = {
    "delete": delete,
    "purge": purge,
    "receipt": receipt,
}
