"""`ebb ask "…"`: one question from a shell or a pipe, streamed to stdout, with the same memory."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

from bot.bootstrap import Ebb, open_ebb
from bot.cli.parser import BilingualParser, explain, make_parser
from bot.events import (
    Choice,
    Command,
    CommandOutcome,
    Delta,
    Done,
    Event,
    Failed,
    Recalled,
    Stopped,
    Turn,
    WindowMode,
)
from bot.settings import Settings, machine_language
from bot.texts import Texts
from memory.errors import StoreBusy
from memory.models import Lang, detect_language
from memory.store import is_locked

DRAIN_SECONDS = 20.0
LOCKED_SECONDS = 1.5  # of being locked, without a break, that are worth a word
_LOOK = 0.3
say = Texts("ask")


def make_ask_parser(lang: Lang) -> BilingualParser:
    """Make the parser of `ebb ask`."""
    p = make_parser("ebb ask", lang)
    for flag in ("--temp", "--read", "--why"):
        p.add_argument(flag, action="store_true")
    p.add_argument("text", nargs="*")
    return explain(p, lang)


def run(settings: Settings, argv: Sequence[str], lang: Lang) -> int:
    """Answer one question. 0: answered; 1: it failed; 2: there was no question."""
    args = make_ask_parser(lang).parse_args(argv)
    mode = WindowMode.TEMP if args.temp else WindowMode.PRIVATE if args.read else WindowMode.NORMAL
    text = read_question(args.text)
    if not text:
        print(say(settings.lang or machine_language() or "en", "usage"), file=sys.stderr)
        return 2
    return asyncio.run(_patiently(settings, text, mode, why=args.why))


def read_question(argv: Sequence[str]) -> str:
    """Read the words given, and what is piped in behind them."""
    words = " ".join(argv).strip()
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read().strip()
    return f"{words}\n\n{piped}".strip() if words and piped else words or piped


async def _patiently(settings: Settings, text: str, mode: WindowMode, *, why: bool) -> int:
    """Nobody sits before a silent shell: another process's lock is named when it lasts, and when it stays."""
    lang = settings.lang or detect_language(text)
    async with _tell_when_locked(settings.database, lang):
        try:
            return await _ask(settings, text, mode, why=why)
        except StoreBusy:
            print(say(lang, "locked"), file=sys.stderr)
            return 2


@asynccontextmanager
async def _tell_when_locked(path: Path, lang: Lang) -> AsyncIterator[None]:
    """Say once on stderr that another process keeps the memory file locked, while what is inside goes on."""
    watch = asyncio.create_task(_watch_lock(path, lang), name="locked")
    try:
        yield
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch


async def _watch_lock(path: Path, lang: Lang) -> None:
    """Our own writes hold the lock, too, but never for so long."""
    waited = 0.0
    while waited < LOCKED_SECONDS:
        await asyncio.sleep(_LOOK)
        waited = waited + _LOOK if await asyncio.to_thread(is_locked, path) else 0.0
    print(say(lang, "waiting"), file=sys.stderr, flush=True)


async def _ask(settings: Settings, text: str, mode: WindowMode, *, why: bool) -> int:
    async with open_ebb(settings) as ebb:
        turn = Turn(
            id=f"ask-{uuid.uuid4().hex}",
            user_id=ebb.owner,
            scope=ebb.scope,
            text=text,
            at=ebb.clock(),
            tz=ebb.tz,
            mode=mode,
            origin="ask",
        )
        if text.startswith("/"):
            name, _, rest = text[1:].partition(" ")
            outcome = await ebb.agent.run_command(
                Command(
                    name, rest, ebb.owner, ebb.scope, "ask", turn.at, turn.tz, mode, settings.lang
                )
            )
            if outcome.turn is None:
                return await _told(ebb, outcome)
            turn = Turn(
                turn.id,
                ebb.owner,
                ebb.scope,
                outcome.turn.text,
                turn.at,
                turn.tz,
                mode,
                "ask",
                review=True,
            )
        await ebb.ready()
        code = await _stream(ebb.agent.reply(turn), why=why)
        left = await ebb.agent.drain(DRAIN_SECONDS)
        if left:
            print(say(settings.lang or detect_language(text), "left", n=left), file=sys.stderr)
        return code


async def _told(ebb: Ebb, outcome: CommandOutcome) -> int:
    print(outcome.text)
    _offer(outcome.choices)
    await ebb.agent.drain(DRAIN_SECONDS)
    return 0 if outcome.ok else 1


def _offer(choices: Sequence[Choice]) -> None:
    for choice in choices:
        print(f'- ebb ask "/choose {choice.key}"  {choice.label}')


async def _stream(events: AsyncGenerator[Event, None], *, why: bool) -> int:
    code = 1
    async with aclosing(events) as stream:
        async for event in stream:
            match event:
                case Delta(text):
                    print(text, end="", flush=True)
                case Recalled(hits) if why:
                    for h in hits:
                        print(
                            f"[{h.memory.level.glyph} {h.memory.content} {h.gate:.0%}]",
                            file=sys.stderr,
                        )
                case Done():
                    print()
                    _offer(event.choices)
                    code = 0
                case Stopped():
                    print()
                case Failed():
                    print("\n" if event.partial else "", end="")
                    print(event.sentence, file=sys.stderr)
                case _:
                    pass
    return code
