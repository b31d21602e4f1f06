"""The Telegram front end: `ebb telegram` runs the bot.

`--invite` makes a code for another person, `--people` lists who is in, `--remove WHO` lets somebody
go.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence

from bot.chats.telegram.people import AllowedAccount
from bot.chats.telegram.texts import say
from bot.chats.telegram.tuning import BotTiming
from bot.cli.parser import explain, make_parser
from bot.settings import Settings
from bot.texts import Texts
from memory.errors import NotFound
from memory.models import Lang

Out = Callable[[str], None]


def _tell(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def run(settings: Settings, argv: Sequence[str]) -> int:
    """Run until stopped. Exit codes: 0 stopped, 2 cannot run (said in one sentence on stderr)."""
    parser = make_parser("ebb telegram", settings.lang or "en")
    for flag in ("--invite", "--people", "--forget"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--remove", metavar="WHO")
    explain(parser, settings.lang or "en", Texts("arguments", say.folder))
    args = parser.parse_args(argv)
    if args.invite:
        return asyncio.run(_invite(settings))
    if args.remove is not None:
        return asyncio.run(_remove(settings, args.remove, forget=args.forget))
    if args.people:
        return asyncio.run(_people(settings))
    if not settings.telegram_token:
        sys.stderr.write(say(settings.lang or "en", "run.no_token", env=settings.env_file) + "\n")
        return 2
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        return asyncio.run(_run(settings))
    return 130


async def _invite(settings: Settings) -> int:
    from bot.bootstrap import open_ebb
    from bot.chats.telegram.access import new_code

    async with open_ebb(settings, workers=False) as ebb:
        code = await new_code(ebb.store, "guest", ebb.clock())
        _tell(say(settings.lang or "en", "run.invite", code=code))
    return 0


async def _people(settings: Settings) -> int:
    from bot.bootstrap import open_ebb
    from bot.chats.telegram.people import list_people

    lang: Lang = settings.lang or "en"
    async with open_ebb(settings, workers=False) as ebb:
        people = await list_people(ebb.store, ebb.owner)
    _tell("\n".join(_line(p, lang) for p in people) or say(lang, "people.none"))
    return 0


def _line(p: AllowedAccount, lang: Lang) -> str:
    marks = [say(lang, "people.owner" if p.owner else "people.guest")]
    if p.since:
        marks.append(say(lang, "people.since", day=p.since))
    return f"{p.telegram_id:>12}  {p.name or '–'}  {' · '.join(marks)}"


async def _remove(settings: Settings, who: str, *, forget: bool) -> int:
    """0: let go; 1: nobody, or more than one, is meant."""
    from bot.bootstrap import open_ebb
    from bot.chats.telegram.people import delete_identity, find_people, list_people, revoke_access

    lang: Lang = settings.lang or "en"
    async with open_ebb(settings, workers=False) as ebb:
        people = await list_people(ebb.store, ebb.owner)
        found = find_people(people, who)
        if len(found) != 1:
            key = "people.which" if found else "people.nobody" if people else "people.none"
            rows = [say(lang, key, who=who), *(_line(p, lang) for p in found or people)]
            sys.stderr.write("\n".join(rows) + "\n")
            return 1
        person = found[0]
        if forget and person.owner:
            sys.stderr.write(say(lang, "people.own_memory") + "\n")
            return 1
        await revoke_access(ebb.store, person)
        name = person.name or person.telegram_id
        if not forget:
            _tell(say(lang, "people.owner_gone" if person.owner else "people.gone", name=name))
            return 0
        await delete_identity(ebb.store, person)
        with contextlib.suppress(NotFound):  # they never told anything
            await ebb.service.forget_everything(person.user_id, ebb.clock())
        _tell(say(lang, "people.forgotten", name=name))
    return 0


async def _run(settings: Settings) -> int:
    from bot.bootstrap import open_ebb
    from bot.chats.telegram.polling import serve

    stop = asyncio.Event()
    lang: Lang = settings.lang or "en"
    async with open_ebb(settings) as ebb:
        with _signals(stop, lang):
            code = await serve(ebb, stop=stop, tuning=BotTiming(), out=_tell)
            if code == 0:
                await ebb.agent.drain(BotTiming().drain)
        return code


@contextlib.contextmanager
def _signals(stop: asyncio.Event, lang: Lang) -> Iterator[None]:
    """The first Ctrl+C or SIGTERM asks to stop, the second stops."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def on_signal() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
            return
        _tell(say(lang, "run.finishing"))
        stop.set()

    caught = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(
            NotImplementedError, RuntimeError
        ):  # Windows: KeyboardInterrupt ends it
            loop.add_signal_handler(number, on_signal)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
