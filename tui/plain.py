"""Plain mode: lines in, lines out. For screen readers, pipes and terminals that can do no more."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import logging
import signal
import sys
import uuid
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from bot.events import (
    Choice,
    CommandOutcome,
    Delta,
    Done,
    Failed,
    Recalled,
    Stopped,
    Turn,
    WindowMode,
)
from bot.reports import LearningTroubleNotice
from bot.settings import Settings, SettingsError
from memory.errors import MemoryError_
from memory.text.output import clean_output
from tui.connection import AgentConnection, Opener
from tui.language import WindowLanguage
from tui.line_breaks import one_line
from tui.setup import SetupChoice, SetupError, Way, apply_choice, list_ollama_models
from tui.widgets.memory_line import NOTICED, list_learned

log = logging.getLogger(__name__)
PATIENCE = 20.0  # seconds for which learning is waited for at the end
_WAYS: tuple[Way, ...] = ("openai", "endpoint", "ollama", "offline")


class PlainConversation:
    """One conversation, line by line."""

    def __init__(self, link: AgentConnection, voice: WindowLanguage) -> None:
        self._link = link
        self._voice = voice
        self._choices: Sequence[Choice] = ()
        self._turn: Turn | None = None
        self._interactive = sys.stdin.isatty()

    def say(self, text: str = "", end: str = "\n") -> None:
        """To the screen, at once."""
        sys.stdout.write(clean_output(text) + end)
        sys.stdout.flush()

    async def _line(self, prompt: str) -> str | None:
        """A line, or None at the end of input. Read in a thread: learning goes on meanwhile."""
        if self._interactive:
            self.say(prompt, end="")
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.rstrip("\r\n") if line else None

    async def talk(self) -> None:
        """Until /quit, the end of input, or Ctrl+C."""
        self._voice.lang = await self._link.language()
        status = await self._link.status()
        if self._interactive:
            self.say(self._voice("plain.hello"))
            if status.offline:
                self.say(self._voice("plain.offline", offline=self._voice("offline")))
        follow = asyncio.create_task(self._follow(status.last_seq), name="plain-follow")
        try:
            while (line := await self._line(self._prompt())) is not None:
                if line.strip() and not await self._take(line):
                    return
                self._voice.lang = await self._link.language()
        finally:
            follow.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await follow

    def _prompt(self) -> str:
        mode = self._link.mode
        badge = "" if mode is WindowMode.NORMAL else f"[{self._voice(f'badge.{mode.value}')}] "
        return badge + self._voice("plain.you")

    async def _take(self, line: str) -> bool:
        """One line; False: leave."""
        if self._choices:
            choices, self._choices = self._choices, ()
            if line.strip().isdigit() and 1 <= int(line) <= len(choices):
                return await self._show(
                    await self._link.command("choose", choices[int(line) - 1].key)
                )
        if line.startswith("/"):
            name, _, args = line[1:].partition(" ")
            return await self._show(await self._link.command(name, args.strip()))
        await self._answer(self._link.turn(line))
        return True

    async def _show(self, outcome: CommandOutcome) -> bool:
        if outcome.mode is not None:
            self._link.mode = outcome.mode
        if outcome.text:
            self.say(outcome.text)
        self._ask(outcome.choices)
        if outcome.turn is not None:
            await self._answer(replace(outcome.turn, id=outcome.turn.id or uuid.uuid4().hex))
        return not outcome.quit

    def _ask(self, choices: Sequence[Choice]) -> None:
        self._choices = choices
        for n, choice in enumerate(choices, 1):
            self.say(f"  {n}. {choice.label}")
        if choices:
            self.say(self._voice("plain.choose"))

    async def _answer(self, turn: Turn) -> None:
        self._turn = turn
        begun = False
        try:
            async with aclosing(self._link.agent.reply(turn)) as events:
                async for event in events:
                    match event:
                        case Recalled(hits=hits) if hits and self._interactive:
                            text = "; ".join(one_line(h.memory.content, 80) for h in hits)
                            self.say(self._voice("plain.recalled", text=text))
                        case Delta(text=text):
                            if not begun and self._interactive:
                                self.say(self._voice("plain.ebb"), end="")
                            begun = True
                            self.say(text, end="")
                        case Done(choices=choices):
                            self.say()
                            self._ask(choices)
                        case Stopped():
                            self.say(f" · {self._voice('mark.stopped')}")
                        case Failed(sentence=sentence):
                            self.say(("\n" if begun else "") + sentence)
                        case _:
                            pass
        finally:
            self._turn = None

    async def interrupt(self) -> bool:
        """Ctrl+C: stop the reply that is coming in. False: there is none, so leave."""
        return self._turn is not None and await self._link.agent.stop(self._turn.id)

    async def _follow(self, after: int) -> None:
        """Say what was learned, between two lines."""
        trouble = LearningTroubleNotice()
        async for change in self._link.agent.subscribe(self._link.ebb.owner, after):
            if change.entity == "job" and (
                text := trouble.sentence(change.after or {}, self._voice.lang)
            ):
                self.say(f"\n{text}")
            if (
                change.entity != "memory"
                or not self._interactive
                or change.reason in ("remember", "forget", "undo")
            ):
                continue
            for item in list_learned([change], await self._link.memories([change.entity_id])):
                if item.effect in NOTICED:
                    what = self._voice(f"notice.{item.effect}")
                    self.say("\n" + self._voice("plain.learned", what=what, text=item.text))


async def _setup(link: AgentConnection, voice: WindowLanguage) -> None:
    """The first-run questions, as lines. Raises EOFError where nobody answers."""
    say = sys.stdout.write
    settings = link.settings
    say(
        f"{voice('first.title')}\n{voice('first.what')}\n{voice('first.kept')} {settings.database}\n"
    )
    say(f"{voice('first.see')}\n{voice('first.sent')}\n\n{voice('first.who')}\n")
    models = await list_ollama_models(settings)
    for n, way in enumerate(_WAYS, 1):
        more = voice(f"first.{way}.more", models=", ".join(models) or "-")
        say(f"  {n}. {voice(f'first.{way}')}: {more}\n")
    while True:
        picked = (await asyncio.to_thread(input, voice("plain.setup"))).strip()
        if not picked.isdigit() or not 1 <= int(picked) <= len(_WAYS):
            continue
        wish = SetupChoice(_WAYS[int(picked) - 1])
        if wish.way == "endpoint":
            wish = replace(wish, url=await asyncio.to_thread(input, f"{voice('first.url')}: "))
        if wish.way in ("openai", "endpoint"):
            key = await asyncio.to_thread(getpass.getpass, f"{voice('first.key.optional')}: ")
            model = await asyncio.to_thread(input, f"{voice('first.model')}: ")
            wish = replace(wish, key=key, model=model)
        try:
            await link.reopen(await apply_choice(settings, wish, voice))
        except SetupError as error:
            say(f"{error}\n")
        else:
            return


async def _main(settings: Settings, voice: WindowLanguage, opener: Opener | None) -> int:
    link = AgentConnection(settings, opener)
    try:
        ebb = await link.open()
        voice.tz = ebb.tz
        if ebb.needs_setup and sys.stdin.isatty():
            await _setup(link, voice)
        plain = PlainConversation(link, voice)
        talk = asyncio.create_task(plain.talk(), name="plain")
        _on_interrupt(plain, talk)
        with contextlib.suppress(asyncio.CancelledError):
            await talk
        await _finish(link, voice)
    except (MemoryError_, SettingsError, OSError) as error:
        sys.stderr.write(voice("open_failed", why=clean_output(str(error))) + "\n")
        return 1
    finally:
        with contextlib.suppress(
            MemoryError_
        ):  # what could not be closed cleanly is recovered at the next start
            await link.close()
    return 0


def _on_interrupt(plain: PlainConversation, talk: asyncio.Task[None]) -> None:
    loop = asyncio.get_running_loop()
    jobs: set[asyncio.Task[None]] = set()

    async def interrupt() -> None:
        if not await plain.interrupt():
            talk.cancel()

    def caught() -> None:
        job = loop.create_task(interrupt())
        jobs.add(job)
        job.add_done_callback(jobs.discard)

    with contextlib.suppress(
        NotImplementedError, RuntimeError, ValueError
    ):  # Windows' loop has no handlers
        loop.add_signal_handler(signal.SIGINT, caught)
        loop.add_signal_handler(signal.SIGTERM, talk.cancel)


async def _finish(link: AgentConnection, voice: WindowLanguage) -> None:
    """Wait for learning, a while; the rest goes on at the next start."""
    said: list[int] = []

    def tell(left: int) -> None:
        if not said:
            sys.stderr.write(voice("finishing") + "\n")
        said.append(left)

    if left := await link.finish(PATIENCE, tell):
        sys.stderr.write(voice("left_over", n=left) + "\n")


def run(settings: Settings, voice: WindowLanguage, opener: Opener | None = None) -> int:
    """Line by line until the end of input; one sentence where it fails."""
    try:
        return asyncio.run(_main(settings, voice, opener))
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        return 0
    except Exception as error:
        # The outermost boundary: a sentence and the log, never a trace; the store has what was
        # said.
        log.exception("plain mode failed")
        sys.stderr.write(voice("crash", what=type(error).__name__) + "\n")
        return 1
