"""The Telegram front end: `ebb telegram` runs the bot, `ebb telegram --invite` makes a code for another person."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence

from bot.settings import Settings
from bot.telegram.texts import say
from bot.telegram.tuning import Tuning
from memory.models import Lang

Out = Callable[[str], None]


def _tell(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def run(settings: Settings, argv: Sequence[str]) -> int:
    """Run until stopped. Exit codes: 0 stopped, 2 cannot run (said in one sentence on stderr)."""
    parser = argparse.ArgumentParser(prog="ebb telegram", description="Run the Telegram bot.")
    parser.add_argument("--invite", action="store_true", help="print a code that lets one other person in")
    args = parser.parse_args(argv)
    if args.invite:
        return asyncio.run(_invite(settings))
    if not settings.telegram_token:
        sys.stderr.write(say(settings.lang or "en", "run.no_token", env=settings.env_file) + "\n")
        return 2
    with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
        return asyncio.run(_run(settings))
    return 130


async def _invite(settings: Settings) -> int:
    from bot.bootstrap import open_ebb
    from bot.telegram.access import new_code

    async with open_ebb(settings, workers=False) as ebb:
        code = await new_code(ebb.store, "guest", ebb.clock())
        _tell(say(settings.lang or "en", "run.invite", code=code))
    return 0


async def _run(settings: Settings) -> int:
    from bot.bootstrap import open_ebb
    from bot.telegram.polling import serve

    stop = asyncio.Event()
    lang: Lang = settings.lang or "en"
    async with open_ebb(settings) as ebb:
        with _signals(stop, lang):
            code = await serve(ebb, stop=stop, tuning=Tuning(), out=_tell)
            if code == 0:
                await ebb.agent.drain(Tuning().drain)
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
        with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows: KeyboardInterrupt ends it
            loop.add_signal_handler(number, on_signal)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
