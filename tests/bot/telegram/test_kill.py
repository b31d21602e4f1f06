"""kill -9 at any moment: after a restart there is one complete reply to each message, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from bot import settings as config
from tests import warm
from tests.bot.telegram.running import running, said_in, script
from tests.servers.openai import OpenAIServer, Rule, say
from tests.servers.telegram import ADA, TelegramServer

REPO = Path(__file__).parents[3]
CHILD = """
import asyncio, sys
from bot import settings
from bot.bootstrap import open_ebb
from bot.chats.telegram.polling import serve
from tests.bot.telegram.running import QUICK
async def main():
    async with open_ebb(settings.load()) as ebb:
        await serve(ebb, stop=asyncio.Event(), timing=QUICK, out=lambda s: print(s, flush=True))
asyncio.run(main())
"""


def environment(home: Path, server: TelegramServer, model: OpenAIServer) -> dict[str, str]:
    given = {
        "EBB_HOME": str(home),
        "EBB_PROVIDER": "openai",
        "OPENAI_API_KEY": "sk-test",
        "OPENAI_BASE_URL": model.url if model.url.endswith("/v1") else f"{model.url}/v1",
        "EBB_CHAT_MODEL": "chat",
        "EBB_MEMORY_MODEL": "memory",
        "EBB_EMBEDDER": "lexical",
        "EBB_TZ": "Europe/Paris",
        "EBB_TELEGRAM_TOKEN": server.token,
        "EBB_TELEGRAM_BASE_URL": server.url,
    }
    config.load(given)  # they are read as they are meant
    return {**os.environ, **given}


@asynccontextmanager
async def child(
    code: str, home: Path, server: TelegramServer, model: OpenAIServer
) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=REPO,
        env=environment(home, server, model),
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        _, err = await process.communicate()
        if process.returncode == 1:
            raise AssertionError(err.decode())


@asynccontextmanager
async def victim(
    home: Path, server: TelegramServer, model: OpenAIServer
) -> AsyncIterator[BaseProcess]:
    """The bot, to be killed."""
    errors = home / "errors.txt"
    process = warm.start(
        CHILD, [], environment(home, server, model), [os.devnull, os.devnull, errors]
    )
    try:
        yield process
    finally:
        if process.exitcode is None:
            process.kill()
        await asyncio.to_thread(process.join)
        if process.exitcode == 1:
            raise AssertionError(errors.read_text("utf-8"))


@pytest.mark.timeout(240)  # it starts the bot many times
async def test_one_complete_reply_however_often_it_is_killed(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Messages keep coming while the bot is killed again and again."""
    script(openai_server)
    openai_server.rules.insert(
        0,
        Rule(
            "chat",
            lambda r: say(f"{said_in(r.last)}! " * 12, delay=0.01),
            field="model",
        ),
    )
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
    asked: dict[int, str] = {}
    rng = random.Random(11)
    for round_ in range(4):
        async with victim(tmp_path, telegram_server, openai_server) as process:
            for i in range(2):
                text = f"message{round_}x{i}"
                asked[telegram_server.say(text)] = text
            sent = len(telegram_server.called("sendMessage"))
            await telegram_server.wait_for(
                lambda n=sent: len(telegram_server.called("sendMessage")) > n,  # type: ignore[misc]
                20,
            )
            await asyncio.sleep(rng.uniform(0.0, 0.6))
            process.kill()
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await telegram_server.wait_for(lambda: len(telegram_server.texts()) >= len(asked) + 2, 30)
        await bot.settled()
        history = await bot.ebb.agent.list_history(bot.ebb.owner, bot.ebb.scope, limit=1000)
    replies = telegram_server.texts()[2:]
    assert sorted(replies) == sorted((f"{text}! " * 12).strip() for text in asked.values())
    assert all(m.buttons == [] for m in telegram_server.bot_messages())
    assert [m.text for m in history if m.role == "user"] == list(asked.values())
    assert telegram_server.unconfirmed == 0


@pytest.mark.timeout(120)
async def test_killed_between_sending_and_hearing_of_it(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """The message that was sent, but whose id was never learned, becomes the reply."""
    script(openai_server)
    rule = openai_server.on("count", say("word " * 300, delay=0.01), field="last")
    openai_server.on("<exchange>", "[SKIP]", field="last")
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
    async with victim(tmp_path, telegram_server, openai_server) as process:
        telegram_server.fault("sendMessage", after=True, delay=30.0)
        telegram_server.say("count")
        await telegram_server.wait_for(lambda: len(telegram_server.texts()) == 3, 20)
        process.kill()
    rule.answers = "one two three"
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await telegram_server.wait_for(lambda: telegram_server.texts()[-1] == "one two three")
        await bot.settled()
    assert len(telegram_server.texts(ADA.id)) == 3


@pytest.mark.timeout(120)
async def test_the_command_line(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """`ebb telegram`: the code is printed, SIGTERM drains, exit code 0; `--invite` prints a code; no token, 2."""
    script(openai_server)
    run = "import sys; from bot import settings; from bot.chats.telegram.app import run; sys.exit(run(settings.load(), {}))"
    async with child(run.format([]), tmp_path, telegram_server, openai_server) as process:
        assert process.stdout is not None
        lines = [(await asyncio.wait_for(process.stdout.readline(), 20)).decode() for _ in range(2)]
        claim = next(line for line in lines if "start=" in line)
        telegram_server.say(f"/start {claim.split('start=')[1].split()[0]}")
        await telegram_server.wait_for(lambda: len(telegram_server.texts()) == 2)
        telegram_server.say("Hello")
        await telegram_server.wait_for(lambda: "You said: Hello" in telegram_server.texts())
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 0, err.decode()
        assert b"Finishing" in out
        assert err == b""
    async with child(run.format(["--invite"]), tmp_path, telegram_server, openai_server) as process:
        out, _ = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 0
        assert b"/start" in out
    telegram_server.token = ""
    async with child(run.format([]), tmp_path, telegram_server, openai_server) as process:
        out, err = await asyncio.wait_for(process.communicate(), 30)
        assert process.returncode == 2
        assert b"@BotFather" in err
