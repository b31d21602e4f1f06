"""`ebb ask "…"`: one question from a shell or a pipe, streamed to stdout, with the same memory."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

from bot.bootstrap import Ebb, open_ebb
from bot.cli.parser import argument, flag, make_parser
from bot.events import (
    Choice,
    Command,
    Delta,
    Done,
    Event,
    Failed,
    Recalled,
    Stopped,
    Turn,
    Waiting,
    WindowMode,
)
from bot.pictures import MOST, Picture, PictureError, read_pictures
from bot.settings import Settings, machine_language
from bot.texts import Texts
from bot.texts import say as program_says
from memory.api import is_locked
from memory.errors import StoreBusy
from memory.models import Lang, detect_language

DRAIN_SECONDS = 20.0
LOCKED_SECONDS = 1.5  # of being locked, without a break, that are worth a word
_LOOK = 0.3
say = Texts("ask")


def run(settings: Settings, argv: Sequence[str], lang: Lang) -> int:
    """Answer one question. 0: answered; 1: it failed; 2: there was no question."""
    flags = map(flag, ("--temp", "--read", "--why"))
    image = argument("--image", action="append", default=[])
    args = make_parser("ebb ask", lang, *flags, image, argument("text", nargs="*")).parse_args(argv)
    mode = WindowMode.TEMP if args.temp else WindowMode.PRIVATE if args.read else WindowMode.NORMAL
    piped = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read().strip()
    text = "\n\n".join(filter(None, (" ".join(args.text).strip(), piped)))
    shown = settings.lang or machine_language() or "en"
    try:
        pictures = read_pictures(args.image)
    except PictureError as e:
        print(program_says(shown, e.code, name=e.name), file=sys.stderr)
        return 2
    if len(pictures) > MOST:
        print(program_says(shown, "picture.most", n=MOST), file=sys.stderr)
        return 2
    if not text and not pictures:
        print(say(shown, "usage"), file=sys.stderr)
        return 2
    return asyncio.run(_answer(settings, text, mode, pictures, why=args.why))


async def _answer(
    settings: Settings, text: str, mode: WindowMode, pictures: Sequence[Picture], *, why: bool
) -> int:
    """Answer, and name another process's lock when it lasts: nobody sits before a silent shell."""
    lang = settings.lang or detect_language(text)
    watch = asyncio.create_task(_watch_lock(settings.database, lang), name="locked")
    try:
        async with open_ebb(settings) as ebb:
            code = await _ask(ebb, text, mode, pictures, why=why)
            left = await ebb.agent.drain(DRAIN_SECONDS)
        if left:
            print(say(lang, "left", n=left), file=sys.stderr)
    except StoreBusy:
        print(say(lang, "locked"), file=sys.stderr)
        return 2
    finally:
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
    return code


async def _watch_lock(path: Path, lang: Lang) -> None:
    """Say once that another process keeps the file locked; our own locks never last so long."""
    waited = 0.0
    while waited < LOCKED_SECONDS:
        await asyncio.sleep(_LOOK)
        waited = waited + _LOOK if await asyncio.to_thread(is_locked, path) else 0.0
    print(say(lang, "waiting"), file=sys.stderr, flush=True)


async def _ask(
    ebb: Ebb, text: str, mode: WindowMode, pictures: Sequence[Picture], *, why: bool
) -> int:
    turn_id, now, lang = f"ask-{uuid.uuid4().hex}", ebb.clock(), ebb.settings.lang
    turn = Turn(turn_id, ebb.owner, ebb.scope, text, now, ebb.tz, mode, "ask", pictures)
    if text.startswith("/") and not pictures:
        name, _, rest = text[1:].partition(" ")
        c = Command(name, rest, ebb.owner, ebb.scope, "ask", now, ebb.tz, mode, lang)
        outcome = await ebb.agent.run_command(c)
        if outcome.turn is None:
            print(outcome.text)
            _offer(outcome.choices)
            return 0 if outcome.ok else 1
        turn = replace(outcome.turn, id=outcome.turn.id or turn_id)
    await ebb.ready()
    return await _stream(ebb.agent.reply(turn), why=why)


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
                case Waiting(sentence):
                    print(sentence, file=sys.stderr, flush=True)
                case Recalled(hits) if why:
                    for h in hits:
                        told = f"[{h.memory.spoken_level.glyph} {h.text} {h.gate:.0%}]"
                        print(told, file=sys.stderr)
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
