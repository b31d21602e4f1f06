"""Where one writes: lines, history, completion."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from bot.events import CommandSpec
from tui.app import THEMES
from tui.widgets.composer import Composer, InputHistory
from tui.words import WindowLanguage

COMMANDS: list[CommandSpec] = [
    ("new", {"en": "start afresh", "zh": "重新开始"}),
    ("remember", {"en": "keep this", "zh": "记住"}),
    ("review", {"en": "look back", "zh": "回顾"}),
    ("quit", {"en": "leave", "zh": "退出"}),
]


class Bench(App[None]):
    """A composer, and what it sends."""

    CSS = "Composer { height: auto; } Field { height: auto; max-height: 9; }"

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(THEMES["tide"])
        self.theme = "tide"
        self.sent: list[str] = []
        self.stops = 0
        self.composer = Composer(WindowLanguage("en"))

    def compose(self) -> ComposeResult:
        yield self.composer

    def on_mount(self) -> None:
        self.composer.set_commands(COMMANDS)
        self.composer.field.focus()

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        self.sent.append(event.text)

    def on_composer_stop(self) -> None:
        self.stops += 1


@asynccontextmanager
async def bench() -> AsyncIterator[tuple[Bench, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=(60, 20)) as pilot:
        yield app, pilot


def test_history_keeps_the_draft() -> None:
    """Up through what was said, down again to what was being written."""
    history = InputHistory()
    history.fill(["one", "two"])
    assert [history.step(-1, "draft"), history.step(-1, "two"), history.step(-1, "one")] == [
        "two",
        "one",
        None,
    ]
    assert [history.step(1, "one"), history.step(1, "two"), history.step(1, "draft")] == [
        "two",
        "draft",
        None,
    ]


def test_history_lets_go_of_what_was_off_the_record() -> None:
    """Cut back to where it began."""
    history = InputHistory()
    history.add("kept")
    mark = len(history)
    history.add("secret")
    history.cut(mark)
    assert history.step(-1, "") == "kept"
    assert history.step(-1, "") is None


async def test_enter_sends_and_three_keys_break_the_line() -> None:
    """Ctrl+J, Shift+Enter and Alt+Enter; Enter alone sends all of it; nothing but blanks is not sent."""
    async with bench() as (app, pilot):
        await pilot.press("a", "ctrl+j", "b", "shift+enter", "c", "alt+enter", "d", "enter")
        await pilot.press("space", "enter")
        await pilot.pause()
        assert app.sent == ["a\nb\nc\nd"]


async def test_up_moves_in_the_text_before_it_moves_in_history() -> None:
    """In several lines the arrows move the cursor; beyond the first they look back."""
    async with bench() as (app, pilot):
        await pilot.press("x", "enter")
        await pilot.press("a", "ctrl+j", "b", "up")
        await pilot.pause()
        assert app.composer.text == "a\nb"
        await pilot.press("up")
        await pilot.pause()
        assert app.composer.text == "x"
        await pilot.press("down")
        await pilot.pause()
        assert app.composer.text == "a\nb"


async def test_commands_are_completed() -> None:
    """A slash lists them; letters narrow; arrows choose; Tab completes; Enter sends; Esc closes."""
    async with bench() as (app, pilot):
        await pilot.press("slash")
        await pilot.pause()
        assert bool(app.composer.completing) is True
        await pilot.press("r", "e")
        await pilot.press("down", "tab")
        await pilot.pause()
        assert app.composer.text == "/review "
        assert bool(app.composer.completing) is False
        app.composer.set_text("")
        await pilot.press("slash", "n", "enter")
        await pilot.pause()
        assert app.sent == ["/new"]
        await pilot.press("slash", "escape")
        await pilot.pause()
        assert not app.composer.completing
        assert app.stops == 0
        await pilot.press("escape")
        await pilot.pause()
        assert app.stops == 1


async def test_a_command_that_says_nothing_by_itself_is_completed_and_not_sent() -> None:
    """Enter on /rem writes /remember and waits for the rest."""
    async with bench() as (app, pilot):
        await pilot.press("slash", "r", "e", "m", "enter")
        await pilot.pause()
        assert app.composer.text == "/remember "
        assert app.sent == []


async def test_a_path_is_no_command() -> None:
    """Only one word after a slash opens the list."""
    async with bench() as (app, pilot):
        app.composer.set_text("/etc/hosts is a file")
        await pilot.pause()
        assert not app.composer.completing
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == ["/etc/hosts is a file"]


async def test_a_paste_that_was_edited_away_is_not_sent() -> None:
    """The text goes with the word that stands for it, and only with it."""
    async with bench() as (app, pilot):
        app.composer.field.post_message(events.Paste("long\n" * 100))
        await pilot.pause()
        assert "[pasted #1: 101 lines]" in app.composer.text
        app.composer.set_text("short")
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == ["short"]


async def test_keys_typed_fast_are_taken_as_typed() -> None:
    """A whole command and Enter in one burst send that command, and what follows is the next message."""
    async with bench() as (app, pilot):
        for key in ("slash", *"quit", "enter", *"hello", "enter", "slash", "enter"):
            character = {"slash": "/", "enter": "\r"}.get(key, key)
            app.post_message(events.Key(key, character))
        for _ in range(100):
            await pilot.pause(0.02)
            if len(app.sent) == 3:
                break
        assert app.sent == ["/quit", "hello", "/new"]
