"""Plain mode: lines in, lines out."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from bot.settings import Settings
from tests.servers.openai import OpenAIServer, fail, say

_CHILD = """
import sys
from bot import settings
from tui.app import run
sys.exit(run(settings.load(), sys.argv[1:]))
"""


async def _run(
    settings: Settings, server: OpenAIServer, lines: str, *argv: str
) -> tuple[int, str, str]:
    env = {
        **os.environ,
        "EBB_HOME": str(settings.home),
        "EBB_PROVIDER": "openai",
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": server.url,
        "EBB_MEMORY_MODEL": "listener",
        "EBB_EMBEDDER": "lexical",
        "EBB_LANG": "en",
        "PYTHONIOENCODING": "utf-8",
    }
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        _CHILD,
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
        cwd=Path(__file__).parents[2],
    )
    out, err = await asyncio.wait_for(child.communicate(lines.encode()), 50)
    assert child.returncode is not None
    return child.returncode, out.decode(), err.decode()


async def test_a_pipe_is_answered_line_by_line(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """Without a terminal there are no screens: replies, commands and choices are lines, and learning is waited for."""
    openai_server.on(
        "listener", ["[ADD kind=fact] Has a cat called Misty", "[SKIP]"], field="model"
    )
    openai_server.queue += [say("Hello **you**."), say("A cat.\x1b]52;c;eA==\x07")]
    code, out, err = await _run(
        online, openai_server, "Hi, my cat is Misty.\nAnd?\n/remember I sing\n/memories\n/quit\n"
    )
    assert code == 0
    assert "Hello **you**." in out
    assert "A cat." in out
    assert "\x1b" not in out
    assert "I'll remember: I sing" in out
    assert "What I remember about you" in out
    assert "Traceback" not in err


async def test_a_number_answers_a_question(online: Settings, openai_server: OpenAIServer) -> None:
    """Choices are numbered."""
    lines = "/remember I play the piano on Mondays\n/remember I play the piano with Ana\n/forget piano\n1\n/memories\n"
    code, out, _ = await _run(online, openai_server, lines, "--plain")
    assert code == 0
    assert "1. " in out
    assert "Type a number" in out
    assert "Forgotten" in out


async def test_a_failure_is_one_sentence(online: Settings, openai_server: OpenAIServer) -> None:
    """And the conversation goes on."""
    openai_server.queue += [fail("no_credit"), say("Better.")]
    code, out, err = await _run(online, openai_server, "One?\nTwo?\n")
    assert code == 0
    assert "Better." in out
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    ("argv", "code", "word"), [(["--help"], 0, "--plain"), (["--what"], 2, "no option --what")]
)
async def test_options(
    online: Settings, openai_server: OpenAIServer, argv: list[str], code: int, word: str
) -> None:
    """What there is, and what there is not."""
    got, out, err = await _run(online, openai_server, "", *argv)
    assert got == code
    assert word in out + err
