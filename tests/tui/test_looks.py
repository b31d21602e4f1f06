"""How it looks: a few pictures, compared with ones that somebody has looked at.

After a change that is meant, `pytest tests/tui/test_looks.py --snapshot-update` draws them anew: look at them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from bot.bootstrap import Ebb
from bot.events import Choice, Failed, Status, WindowMode
from bot.settings import Settings
from memory.models import (
    Change,
    CurveState,
    Hit,
    Kind,
    Lang,
    Layer,
    Level,
    Memory,
    Message,
    detect_language,
)
from tests.tui.driver import NOW
from tui.app import THEMES, EbbApp
from tui.screens.dialogs import FinishingScreen, KeyHelpScreen
from tui.screens.first_run import FirstRunScreen
from tui.widgets.entries import MessageLine
from tui.widgets.header import HeaderState
from tui.widgets.memory_line import list_learned
from tui.widgets.reply import LiveReply

Compare = Callable[..., bool]
SAID = {
    "en": (
        "Good morning! What should I think of before Thursday?",
        "Before Thursday's **review with Ana**, two things:\n\n"
        "1. The plan still lacks the *north room*; you wanted it quieter.\n"
        "2. Bring `plan-v3.pdf`, not the older one.\n\n```python\ndef tide(hours):\n    return hours % 12 < 6\n```",
    ),
    "zh": (
        "早上好！周四之前我要想到什么？顺便说一下，我现在住在 Lisbon 的阿尔法玛区，离河边很近。",
        "周四和 Ana 的**评审**之前，有两件事：\n\n1. 展览方案里的**北厅**还没有定，你说过想要更安静一些。\n"
        "2. 请带 `plan-v3.pdf`，不要带旧的那份。🎨",
    ),
}


def _memory(id_: str, text: str, kind: Kind, days: float, level: Level = Level.FULL) -> Memory:
    at = NOW - timedelta(days=days)
    state = CurveState(1.0, at)
    return Memory(
        id_,
        "u",
        text,
        text,
        detect_language(text),
        Layer.FACT,
        kind,
        at,
        at,
        "fade",
        state,
        1.5,
        at,
        level=level,
    )


MEMORIES = (
    _memory("t4m8z5", "Meets Ana for the review of the exhibition plan on Thursday", Kind.TODO, 1),
    _memory("w5d2c8", "以前在成都学过三年国画，老师叫陈敏", Kind.SKILL, 120, Level.SUMMARY),
    _memory("v9h4j7", "Once had a dog", Kind.FACT, 400, Level.TRACE),
    _memory("k7f3a2", "Lives in Lisbon, in Alfama", Kind.IDENTITY, 0),
)


@asynccontextmanager
async def _never(settings: Settings) -> AsyncIterator[Ebb]:
    """An Ebb that is being opened for ever."""
    await asyncio.Event().wait()
    yield cast("Ebb", settings)


class Still(EbbApp):
    """The window with no Ebb behind it: what it shows is put there by hand, and nothing moves."""

    def __init__(
        self, lang: Lang, theme: str = "tide", home: Path = Path("/home/you/.local/share/ebb")
    ) -> None:
        super().__init__(Settings(home=home, lang=lang, theme=theme), opener=_never)
        self.animation_level = "none"
        self.chat.composer.field.cursor_blink = False


async def _talk(pilot: Pilot[Any], lang: Lang, mode: WindowMode = WindowMode.NORMAL) -> None:
    app = pilot.app
    assert isinstance(app, Still)
    chat = app.chat
    await pilot.pause()
    asked, answered = SAID[lang]
    earlier = Message(
        "m0",
        "s1",
        "t0",
        None,
        "assistant",
        "# Before\n\n- one\n- two",
        NOW - timedelta(days=1),
        "UTC",
    )
    await chat.conversation.reconcile([earlier])
    await chat.conversation.enter_session("s2", NOW)
    await chat.conversation.say(MessageLine("user", asked, NOW, "t1"))
    reply = await chat.conversation.say(MessageLine("assistant", "", NOW, "t1"))
    assert isinstance(reply, LiveReply)
    await reply.write(answered)
    await reply.finish(answered, message_id="m1")
    hits = [Hit(m, 1.0, gate=0.93 - n / 5) for n, m in enumerate(MEMORIES[:3])]
    await chat.panel.recalled(hits, NOW)
    change = Change(1, "set1", "u", "created", "memory", "k7f3a2", None, {}, "monitor", "t1", NOW)
    items = list_learned([change], {m.id: m for m in MEMORIES})
    await chat.panel.learned(items)
    await chat.conversation.notice(items, "t1")
    if mode is not WindowMode.NORMAL:
        await chat._enter_mode(mode)
    status = Status(
        "gpt-4o-mini", "openai", "lexical", "s2", "Exhibition plan", 4, 12, 0, 0, False, False, 1
    )
    chat._status = status
    chat.header.state = HeaderState(lang, app.link.mode, status)
    await pilot.pause()


@pytest.fixture(autouse=True)
def _plain_report(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """The comparison's report is no part of the repository."""
    before = request.config.option.snapshot_report
    request.config.option.snapshot_report = str(tmp_path / "report.html")
    yield
    request.config.option.snapshot_report = before


@pytest.mark.parametrize(
    ("lang", "theme", "size"),
    [
        ("en", "tide", (120, 34)),
        ("zh", "tide", (60, 34)),
        ("zh", "shore", (120, 30)),
        ("en", "ansi", (120, 34)),
    ],
)
def test_a_conversation(
    snap_compare: Compare, lang: Lang, theme: str, size: tuple[int, int]
) -> None:
    """Two sessions, a reply, a notice and the panel; wide and narrow, dark, light and in sixteen colours."""

    async def prepare(pilot: Pilot[Any]) -> None:
        await _talk(pilot, lang)

    assert snap_compare(Still(lang, theme), terminal_size=size, run_before=prepare)


def test_off_the_record(snap_compare: Compare) -> None:
    """Nobody can miss it."""

    async def prepare(pilot: Pilot[Any]) -> None:
        await _talk(pilot, "en", WindowMode.TEMP)

    assert snap_compare(Still("en"), terminal_size=(100, 24), run_before=prepare)


def test_questions_and_failures(snap_compare: Compare) -> None:
    """A question with its answers, and a reply that broke off."""

    async def prepare(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, Still)
        await pilot.pause()
        view = app.chat.conversation
        await view.say(MessageLine("user", "Hello?", NOW, "t1"))
        reply = await view.say(MessageLine("assistant", "", NOW, "t1"))
        assert isinstance(reply, LiveReply)
        await reply.fail(
            Failed("rate_limit", "The provider asks for a pause of 20 seconds.", 20.0, "I was just")
        )
        await view.note("Which of these do you mean?", asked="/forget dog")
        await view.choose(
            [Choice("a", "Once had a dog"), Choice("b", "Likes dogs"), Choice("c", "None")]
        )
        await pilot.pause()

    assert snap_compare(Still("en", "clear"), terminal_size=(80, 24), run_before=prepare)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_first_screen(snap_compare: Compare, lang: Lang) -> None:
    """Promises and choices."""

    async def prepare(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, Still)
        await app.push_screen(FirstRunScreen(app.link.settings, app.voice))
        for _ in range(100):
            await pilot.pause(0.02)
            if getattr(app.screen, "_models", None) is not None:
                break
        await pilot.pause()

    assert snap_compare(Still(lang), terminal_size=(90, 34), run_before=prepare)


def test_the_keys(snap_compare: Compare) -> None:
    """All of them fit."""

    async def prepare(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, Still)
        await app.push_screen(KeyHelpScreen(app.voice))
        await pilot.pause()

    assert snap_compare(Still("en"), terminal_size=(100, 30), run_before=prepare)


@pytest.mark.parametrize("theme", THEMES)
async def test_every_theme_has_every_colour(theme: str, tmp_path: Path) -> None:
    """Each screen can be drawn in each of them, and switched among them while it is open."""
    app = Still("en", theme, tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await _talk(pilot, "en")
        await app.chat.conversation.choose([Choice("a", "One")])
        await app.push_screen(FirstRunScreen(app.link.settings, app.voice))
        await pilot.pause()
        await app.push_screen(FinishingScreen(app.voice))
        await pilot.pause()
        await app.push_screen(KeyHelpScreen(app.voice))
        for _ in THEMES:
            await pilot.press("ctrl+t")
            await pilot.pause()
        assert app.theme == theme


async def test_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR: the terminal's own foreground and background, nothing else; bold and the like stay."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = Still("en", "tide")
    async with app.run_test(size=(100, 30)) as pilot:
        await _talk(pilot, "en")
        assert app.theme == "ansi"
        drawn = [list(row) for row in app.screen._compositor.render_strips()]
        assert drawn
        for filter_ in app._filters:
            if filter_.enabled:
                drawn = [filter_.apply(row, app.screen.background_colors[1]) for row in drawn]
        colours = {
            s.style.color
            for row in drawn
            for s in row
            if s.style is not None and s.style.color is not None
        }
        assert {c.name for c in colours} <= {"default"}
