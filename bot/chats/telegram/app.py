"""The Telegram front end: `ebb telegram` runs the bot.

`--invite` makes a code for another person, `--people` lists who is in, `--remove WHO` lets somebody
go.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Sequence

from bot.chats.telegram.texts import say
from bot.cli.parser import argument, flag, make_parser
from bot.settings import Settings
from bot.texts import Texts
from memory.errors import NotFound
from memory.models import Lang


def run(settings: Settings, argv: Sequence[str]) -> int:
    """Run until stopped. Exit codes: 0 stopped or done, 1 not done, 2 cannot run, 130 cut off."""
    lang: Lang = settings.lang or "en"
    flags = (*map(flag, ("--invite", "--people", "--forget")), argument("--remove", metavar="WHO"))
    texts = Texts("arguments", say.folder)
    args = make_parser("ebb telegram", lang, *flags, texts=texts).parse_args(argv)
    if args.invite or args.people or args.remove is not None:
        return asyncio.run(_manage_people(settings, args, lang))
    if not settings.telegram_token:
        sys.stderr.write(say(lang, "run.no_token", env=settings.env_file) + "\n")
        return 2
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        return asyncio.run(_serve(settings, lang))
    return 130


def _tell(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


async def _serve(settings: Settings, lang: Lang) -> int:
    """Run the bot: the first Ctrl+C or SIGTERM asks it to stop, the second stops it."""
    from bot.bootstrap import open_ebb
    from bot.chats.telegram.polling import serve
    from bot.chats.telegram.wire import BotTiming

    stop, timing, task = asyncio.Event(), BotTiming(), asyncio.current_task()

    def on_signal() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        else:
            _tell(say(lang, "run.finishing"))
            stop.set()

    async with open_ebb(settings) as ebb:
        for number in (signal.SIGINT, signal.SIGTERM):
            # On Windows, KeyboardInterrupt ends it.
            with contextlib.suppress(NotImplementedError, RuntimeError):
                asyncio.get_running_loop().add_signal_handler(number, on_signal)
        code = await serve(ebb, stop=stop, timing=timing, out=_tell)
        if code == 0:
            await ebb.agent.drain(timing.drain)
        return code


async def _manage_people(settings: Settings, args: argparse.Namespace, lang: Lang) -> int:
    """Invite, list or let go; 1 where nobody, or more than one, is meant."""
    from bot.bootstrap import open_ebb
    from bot.chats.telegram import people

    def describe(p: people.AllowedAccount) -> str:
        marks = [say(lang, "people.owner" if p.owner else "people.guest")]
        if p.since:
            marks.append(say(lang, "people.since", day=p.since))
        return f"{p.telegram_id:>12}  {p.name or '–'}  {' · '.join(marks)}"

    async with open_ebb(settings, workers=False) as ebb:
        if args.invite:
            code = await people.make_code(ebb.store, "guest", ebb.clock())
            _tell(say(lang, "run.invite", code=code))
            return 0
        known = await people.list_people(ebb.store, ebb.owner)
        if args.remove is None:
            _tell("\n".join(map(describe, known)) or say(lang, "people.none"))
            return 0
        found = people.find_people(known, args.remove)
        if len(found) != 1:
            key = "people.which" if found else "people.nobody" if known else "people.none"
            rows = [say(lang, key, who=args.remove), *map(describe, found or known)]
            sys.stderr.write("\n".join(rows) + "\n")
            return 1
        (person,) = found
        if args.forget and person.owner:
            sys.stderr.write(say(lang, "people.own_memory") + "\n")
            return 1
        await people.revoke_access(ebb.store, person, forget=args.forget)
        if args.forget:
            with contextlib.suppress(NotFound):  # they never told anything
                await ebb.memory.forget_everything(person.user_id, ebb.clock())
        key = "forgotten" if args.forget else "owner_gone" if person.owner else "gone"
        _tell(say(lang, f"people.{key}", name=person.name or person.telegram_id))
    return 0
