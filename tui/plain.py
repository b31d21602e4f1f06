"""Plain mode: lines in, lines out. For screen readers, pipes and terminals that can do no more."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import logging
import sys
import uuid
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from bot.events import (
    Choice,
    CommandOutcome,
    Delta,
    Done,
    Failed,
    Recalled,
    Stopped,
    Turn,
    Waiting,
    WindowMode,
)
from bot.pictures import begins_with_picture
from bot.reports import LearningTroubleNotice
from bot.settings import Settings, SettingsError
from memory.api import clean_output
from memory.errors import MemoryError_
from memory.models import Hit
from tui.connection import AgentConnection
from tui.setup import WAYS, SetupChoice, SetupError, apply_choice, list_ollama_models
from tui.terminal import handle_signals
from tui.widgets.memory_line import NOTICED, get_level_word, list_learned
from tui.words import WindowLanguage, one_line

log = logging.getLogger(__name__)
PATIENCE = 20.0  # seconds for which learning is waited for at the end


def _say(text: str = "", end: str = "\n") -> None:
    sys.stdout.write(clean_output(text) + end)
    sys.stdout.flush()


@dataclass
class PlainConversation:
    """One conversation, line by line; `interactive` where somebody sees what is asked."""

    link: AgentConnection
    voice: WindowLanguage
    interactive: bool
    _choices: Sequence[Choice] = ()
    _turn: Turn | None = None

    async def talk(self) -> None:
        """Talk until /quit, the end of input, or Ctrl+C."""
        voice = self.voice
        voice.lang = await self.link.language()
        status = await self.link.status()
        if self.interactive:
            _say(voice("plain.hello"))
            if status.offline:
                _say(voice("plain.offline", offline=voice("offline")))
        follow = asyncio.create_task(self._follow(status.last_seq), name="plain-follow")
        try:
            going = True
            while going:
                if self.interactive:
                    mode = self.link.mode
                    normal = mode is WindowMode.NORMAL
                    badge = "" if normal else f"[{voice(f'badge.{mode.value}')}] "
                    _say(badge + voice("plain.you"), end="")
                # Read in a thread: learning goes on meanwhile.
                line = await asyncio.to_thread(sys.stdin.readline)
                going = bool(line) and await self._take(line.rstrip("\r\n"))
                voice.lang = await self.link.language()
        finally:
            follow.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await follow

    async def _take(self, line: str) -> bool:
        """Take one line; False where it leaves."""
        choices, text = self._choices, line.strip()
        if not text:
            return True
        self._choices = ()
        if choices and text.isdigit() and 1 <= int(text) <= len(choices):
            return await self._show(await self.link.command("choose", choices[int(text) - 1].key))
        if await asyncio.to_thread(begins_with_picture, line):
            return await self._show(await self.link.command("image", line))
        if line.startswith("/"):
            name, _, args = line[1:].partition(" ")
            return await self._show(await self.link.command(name, args.strip()))
        await self._answer(self.link.turn(line))
        return True

    async def _show(self, outcome: CommandOutcome) -> bool:
        if outcome.mode is not None:
            self.link.mode = outcome.mode
        if outcome.text:
            _say(outcome.text)
        self._ask(outcome.choices)
        if outcome.turn is not None:
            await self._answer(replace(outcome.turn, id=outcome.turn.id or uuid.uuid4().hex))
        return not outcome.quit

    def _ask(self, choices: Sequence[Choice]) -> None:
        self._choices = choices
        for n, choice in enumerate(choices, 1):
            _say(f"  {n}. {choice.label}")
        if choices:
            _say(self.voice("plain.choose"))

    async def _answer(self, turn: Turn) -> None:
        self._turn = turn
        begun = False
        try:
            async with aclosing(self.link.agent.reply(turn)) as events:
                async for event in events:
                    match event:
                        case Recalled(hits=hits) if hits and self.interactive:
                            text = "; ".join(self._describe(h) for h in hits)
                            _say(self.voice("plain.recalled", text=text))
                        case Delta(text=text):
                            if not begun and self.interactive:
                                _say(self.voice("plain.ebb"), end="")
                            begun = True
                            _say(text, end="")
                        case Waiting(sentence=sentence):
                            _say(f"({sentence})")
                        case Done(choices=choices):
                            _say()
                            self._ask(choices)
                        case Stopped():
                            _say(f" · {self.voice('mark.stopped')}")
                        case Failed(sentence=sentence):
                            _say(("\n" if begun else "") + sentence)
                        case _:
                            pass
        finally:
            self._turn = None

    def _describe(self, hit: Hit) -> str:
        word = get_level_word(hit.memory, self.voice)
        return one_line(hit.text, 80) + (f" ({word})" if word else "")

    async def interrupt(self) -> bool:
        """Stop the reply that is coming in; False: there is none, so leave."""
        return self._turn is not None and await self.link.agent.stop(self._turn.id)

    async def _follow(self, after: int) -> None:
        """Say what was learned, between two lines."""
        trouble = LearningTroubleNotice()
        async for change in self.link.agent.subscribe(self.link.ebb.owner, after):
            if change.entity == "job":
                if text := trouble.sentence(change.after or {}, self.voice.lang):
                    _say(f"\n{text}")
            elif change.entity != "memory" or not self.interactive:
                continue
            elif change.reason not in ("remember", "forget", "undo"):
                found = await self.link.memories([change.entity_id])
                for item in list_learned([change], found):
                    if item.effect in NOTICED:
                        what = self.voice(f"notice.{item.effect}")
                        _say("\n" + self.voice("plain.learned", what=what, text=item.text))


async def _setup(link: AgentConnection, voice: WindowLanguage) -> None:
    """Ask the first-run questions, as lines. Raises EOFError where nobody answers."""

    async def ask(key: str) -> str:
        return await asyncio.to_thread(input, f"{voice(key)}: ")

    settings = link.settings
    _say(f"{voice('first.title')}\n{voice('first.what')}")
    _say(f"{voice('first.kept')} {settings.database}")
    _say(f"{voice('first.see')}\n{voice('first.sent')}\n\n{voice('first.who')}")
    found = await list_ollama_models(settings)
    none = voice("first.ollama.none" if found is None else "first.ollama.hint")
    models = ", ".join(found or [none])
    for n, way in enumerate(WAYS, 1):
        _say(f"  {n}. {voice(f'first.{way}')}: {voice(f'first.{way}.more', models=models)}")
    while True:
        picked = (await asyncio.to_thread(input, voice("plain.setup"))).strip()
        if not picked.isdigit() or not 1 <= int(picked) <= len(WAYS):
            continue
        wish = SetupChoice(WAYS[int(picked) - 1])
        if wish.way == "endpoint":
            wish = replace(wish, url=await ask("first.url"))
        if wish.way in ("openai", "endpoint"):
            key = await asyncio.to_thread(getpass.getpass, f"{voice('first.key.optional')}: ")
            wish = replace(wish, key=key, model=await ask("first.model"))
        try:
            await link.reopen(await apply_choice(settings, wish, voice))
        except SetupError as error:
            _say(str(error))
        else:
            return


async def _main(settings: Settings, voice: WindowLanguage) -> int:
    link = AgentConnection(settings)
    try:
        ebb = await link.open()
        voice.tz = ebb.tz
        if ebb.needs_setup and sys.stdin.isatty():
            await _setup(link, voice)
        conversation = PlainConversation(link, voice, sys.stdin.isatty())
        talk = asyncio.create_task(conversation.talk(), name="plain")
        stops: set[asyncio.Task[None]] = set()

        async def interrupt() -> None:
            if not await conversation.interrupt():
                talk.cancel()

        def caught() -> None:
            stops.add(asyncio.create_task(interrupt()))

        with handle_signals({"SIGINT": caught, "SIGTERM": talk.cancel}):
            with contextlib.suppress(asyncio.CancelledError):
                await talk
            await _finish(link, voice)
    except (MemoryError_, SettingsError, OSError) as error:
        sys.stderr.write(voice("open_failed", why=clean_output(str(error))) + "\n")
        return 1
    finally:
        # What could not be closed cleanly is recovered at the next start.
        with contextlib.suppress(MemoryError_):
            await link.close()
    return 0


async def _finish(link: AgentConnection, voice: WindowLanguage) -> None:
    """Wait for learning, a while; the rest goes on at the next start."""
    said: list[int] = []

    def tell(left: int) -> None:
        if not said:
            sys.stderr.write(voice("finishing") + "\n")
        said.append(left)

    if left := await link.finish(PATIENCE, tell):
        sys.stderr.write(voice("left_over", n=left) + "\n")


def run(settings: Settings, voice: WindowLanguage) -> int:
    """Talk line by line until the end of input; say one sentence where it fails."""
    try:
        return asyncio.run(_main(settings, voice))
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        return 0
    except Exception as error:
        # The outermost boundary: a sentence and the log, never a trace; the store has what was
        # said.
        log.exception("plain mode failed")
        sys.stderr.write(voice("crash", what=type(error).__name__) + "\n")
        return 1
