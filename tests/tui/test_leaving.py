"""Leaving: nothing lost, nothing half done, and never a trace on the screen."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.bootstrap import open_ebb
from bot.settings import Settings
from tests.servers.openai import OpenAIServer, say
from tests.tui.driver import NOW, Window, opener, window
from tui.app import EbbApp
from tui.screens.chat import KEEP
from tui.screens.dialogs import FinishingScreen, OpenErrorScreen


async def test_quitting_waits_for_learning_and_says_so(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """finishing… while something is still being learned; then the window goes by itself, with it learned."""
    openai_server.on("listener", say("[ADD kind=fact] Has a cat", first_delay=2.0), field="model")
    async with window(online) as w:
        await w.send("I have a cat.")
        await w.pilot.press("ctrl+c")
        await w.until(lambda: isinstance(w.app.screen, FinishingScreen), "finishing")
        await w.sees("finishing…", "One thing you said is still being learned")
        await w.until(lambda: w.app._exit, "the end")
    assert w.app.left_over == 0
    async with opener(online) as ebb:
        assert (await ebb.agent.get_status(ebb.owner, ebb.scope, ebb.clock())).memories == 1


async def test_a_second_ctrl_c_leaves_it_to_the_next_start(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """The window goes at once; at the next start what was said is learned."""
    slow = openai_server.on(
        "listener", say("[ADD kind=fact] Has a cat", first_delay=20.0), field="model"
    )
    async with window(online) as w:
        await w.send("I have a cat.")
        await w.pilot.press("ctrl+c")
        await w.sees("finishing…")
        await w.pilot.press("ctrl+c")
        await w.until(lambda: w.app._exit, "the end")
    assert w.app.left_over == 1
    slow.answers = "[ADD kind=fact] Has a cat"
    async with window(online) as w:
        await w.sees("1 memory")


async def test_quit_stops_a_reply_and_keeps_it(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """/quit and Ctrl+Q are the same; what had come of the reply is in the store."""
    openai_server.queue.append(say("word " * 400, delay=0.02))
    async with window(online) as w:
        await w.send("Talk.", wait=False)
        await w.sees("word word")
        await w.pilot.press("ctrl+q")
        await w.until(lambda: w.app._exit, "the end")
    async with opener(online) as ebb:
        stored = await ebb.agent.list_history(ebb.owner, ebb.scope)
    assert [m.role for m in stored] == ["user", "assistant"]
    assert stored[1].status == "stopped"


async def _unsent(w: Window) -> list[str]:
    """What the next window would find, after a crash as well."""
    await w.pilot.pause(KEEP * 2)
    async with open_ebb(w.app.link.settings, clock=lambda: NOW, workers=False) as other:
        kept = await other.store.write_system(lambda s: s.get(f"unsent:{other.owner}"))
    return [text for texts in (kept or {}).values() for text in texts.values()]


async def test_what_was_typed_and_not_sent_is_there_again(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """Messages behind a reply are sent, the draft with its paste is in the composer; once, and after a crash too."""
    slow = openai_server.on("talker", say("word " * 4_000, delay=0.02), field="model")
    paste = "line\n" * 400
    async with window(online) as w:
        await w.send("Talk.", wait=False)
        await w.sees("word word")
        await w.send("我还想说一件事", wait=False)
        await w.send("/quit", wait=False)
        w.chat.composer.paste(paste)
        await w.write("half a thou")
        assert await _unsent(w) == ["我还想说一件事", f"{paste}half a thou"]
        await w.pilot.press("ctrl+q")
        await w.until(lambda: w.app._exit, "the end")
    slow.answers = "Gladly."
    async with window(online) as w:
        await w.sees("word word", "我还想说一件事", "Gladly.", "[pasted #1")
        assert w.chat.composer.draft == f"{paste}half a thou"
        w.chat.composer.set_text("")
        assert await _unsent(w) == []
    async with window(online) as w:
        await w.sees("Gladly.")
        assert w.chat.composer.text == ""
        assert [m.text for m in await w.app.link.history(9)].count("我还想说一件事") == 1


async def test_nothing_typed_off_the_record_is_written(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """Neither in the mode nor behind a /temp that still waits."""
    slow = openai_server.on("talker", say("word " * 4_000, delay=0.02), field="model")
    async with window(online) as w:
        await w.send("Talk.", wait=False)
        await w.sees("word word")
        for text in ("before", "/temp", "plugh one"):
            await w.send(text, wait=False)
        await w.write("plugh two")
        assert await _unsent(w) == ["before"]
        slow.answers = "Fine."
        await w.pilot.press("escape")
        await w.until(lambda: not w.chat.replies.waiting, "the queue")
        await w.write("plugh three")
        assert await _unsent(w) == []
    for file in online.home.rglob("*"):
        assert file.is_dir() or b"plugh" not in file.read_bytes()


async def test_the_command_quits(online: Settings) -> None:
    """As typed."""
    async with window(online) as w:
        await w.send("/quit")
        await w.until(lambda: w.app._exit, "the end")
    assert w.app.return_code == 0


async def test_what_cannot_be_opened_is_one_sentence(settings: Settings) -> None:
    """A file that is no database: said, with a way to try again."""
    settings.home.mkdir(parents=True)
    settings.database.write_bytes(
        b"this is no database, but it is long enough to be read as one" * 40
    )
    async with window(settings, ready=False) as w:
        await w.until(lambda: isinstance(w.app.screen, OpenErrorScreen), "trouble")
        await w.sees("could not open", "r try again")
        assert "Traceback" not in w.screen()
        settings.database.unlink()
        await w.pilot.press("r")
        await w.sees("Hello, I'm Ebb")


async def test_a_fault_of_our_own_is_one_sentence(
    online: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    """The window closes, says which fault, and shows no trace; what was said is in the store."""
    app = EbbApp(online, opener=opener)
    with pytest.raises(ZeroDivisionError):
        async with app.run_test() as pilot:
            app.call_later(lambda: 1 // 0)
            await pilot.pause(0.3)
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said
    assert "What was said is kept" in " ".join(said.split())
    assert "Traceback" not in said
    assert "call_later" not in said


_CHILD = """
import sys
from bot import settings
from tui.app import run
sys.exit(run(settings.load(), []))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, "hangup"])
async def test_signals_and_a_lost_terminal_end_it_cleanly(
    how: signal.Signals | str, online: Settings, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """The terminal is given back as it was, and nothing stays behind running."""
    import asyncio
    import pty

    master, slave = pty.openpty()
    env = {
        **os.environ,
        "EBB_HOME": str(online.home),
        "EBB_PROVIDER": "openai",
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": openai_server.url,
        "EBB_EMBEDDER": "lexical",
        "TERM": "xterm-256color",
        "COLUMNS": "100",
        "LINES": "30",
    }
    child = subprocess.Popen(  # noqa: ASYNC220 - a child of its own, watched below
        [sys.executable, "-c", _CHILD],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=env,
        start_new_session=True,
        cwd=Path(__file__).parents[2],
    )
    os.close(slave)
    seen = b""
    try:
        until = time.monotonic() + 30
        while b"gpt-4o-mini" not in seen and time.monotonic() < until:
            if select.select([master], [], [], 0)[0]:
                seen += os.read(master, 65536)
            await asyncio.sleep(0.02)
        assert b"gpt-4o-mini" in seen
        if not isinstance(how, signal.Signals):
            os.close(master)  # it is not the controlling one: no signal comes
        else:
            child.send_signal(how)
        until = time.monotonic() + 20
        while child.poll() is None and time.monotonic() < until:
            if how != "hangup" and select.select([master], [], [], 0)[0]:
                seen += os.read(master, 65536)
            await asyncio.sleep(0.02)
        assert child.poll() is not None
        if how != "hangup":
            while select.select([master], [], [], 0.1)[0]:
                try:
                    seen += os.read(master, 65536)
                except OSError:
                    break
            assert child.returncode == 0
            assert b"\x1b[?1049l" in seen
            assert b"\x1b[?25h" in seen
            assert b"Traceback" not in seen
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        if how != "hangup":
            os.close(master)
