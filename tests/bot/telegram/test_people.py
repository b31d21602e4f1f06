"""Who is in, and letting somebody go, from a shell while the bot runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.chats.telegram.app import run
from bot.chats.telegram.people import AllowedAccount, find_people, make_code
from tests.bot.telegram.running import Bot, running, settings
from tests.servers.openai import OpenAIServer
from tests.servers.telegram import ADA, LIN, TelegramServer

SEEN = 0.3  # seconds after which the running bot has seen what other processes did


async def invited(bot: Bot) -> None:
    """Lin is let in by the owner."""
    before = len(bot.server.bot_messages(LIN.id))
    bot.server.say(await make_code(bot.ebb.store, "guest", bot.ebb.clock()), user=LIN)
    await bot.server.wait_for(lambda: len(bot.server.bot_messages(LIN.id)) == before + 2)


class Shell:
    """`ebb telegram …` beside the running bot, as another process would."""

    def __init__(self, bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
        self._bot, self._capsys = bot, capsys

    async def __call__(self, *args: str) -> tuple[int, str, str]:
        self._capsys.readouterr()
        given = settings(self._bot.ebb.settings.home, self._bot.server, self._bot.model)
        code = await asyncio.to_thread(run, given, args)
        return (code, *self._capsys.readouterr())


async def test_somebody_is_let_go(
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They are a stranger within seconds; the owner is untouched; invited again, they have their memory again."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        shell = Shell(bot, capsys)
        await bot.claim()
        await invited(bot)
        await bot.ask("/remember 我喜欢茉莉花茶", user=LIN)

        code, out, _ = await shell("--people")
        assert code == 0
        owner, guest = out.strip().splitlines()
        assert str(ADA.id) in owner and "owner" in owner
        assert str(LIN.id) in guest and LIN.first_name in guest and "guest" in guest

        code, out, _ = await shell("--remove", LIN.first_name)
        assert code == 0
        assert LIN.first_name in out
        await asyncio.sleep(SEEN)
        asked = len(openai_server.requests)
        before = len(telegram_server.bot_messages(LIN.id))
        telegram_server.say("你好吗", user=LIN)
        await telegram_server.wait_for(lambda: len(telegram_server.bot_messages(LIN.id)) > before)
        assert "邀请码" in telegram_server.texts(LIN.id)[-1]
        assert len(openai_server.requests) == asked
        assert (await bot.ask("Still there?")).text == "You said: Still there?"
        assert str(LIN.id) not in (await shell("--people"))[1]

        await invited(bot)
        assert "茉莉花茶" in (await bot.ask("/memories", user=LIN)).text


async def test_and_what_they_told_is_forgotten(
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With --forget nothing of it comes back, and the owner's own is not touched."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        shell = Shell(bot, capsys)
        await bot.claim()
        await bot.ask("/remember I'm allergic to peanuts")
        await invited(bot)
        await bot.ask("/remember 我喜欢茉莉花茶", user=LIN)
        code, out, _ = await shell("--remove", str(LIN.id), "--forget")
        assert code == 0
        assert "forgotten" in out
        await asyncio.sleep(SEEN)
        await invited(bot)
        assert "茉莉花茶" not in (await bot.ask("/memories", user=LIN)).text
        assert "peanuts" in (await bot.ask("/memories")).text
        code, _, err = await shell("--remove", str(ADA.id), "--forget")
        assert code == 1
        assert "delete --all" in err


async def test_nobody_is_let_go_by_mistake(
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An unknown name lists who there is, and changes nothing."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        shell = Shell(bot, capsys)
        assert "Nobody has been let in" in (await shell("--people"))[1]
        await bot.claim()
        code, _, err = await shell("--remove", "Zoe")
        assert code == 1
        assert "Zoe" in err
        assert str(ADA.id) in err
        assert (await bot.ask("Hello")).text == "You said: Hello"


PEOPLE = [
    AllowedAccount("11", "u1", "Ada Byron (@ada)", "2026-01-01", owner=True),
    AllowedAccount("12", "u2", "Lin (@lin88)", "2026-01-02", owner=False),
    AllowedAccount("13", "u3", "Lin Mei", "2026-01-03", owner=False),
]


@pytest.mark.parametrize(
    ("who", "ids"),
    [("12", ["12"]), ("@lin88", ["12"]), ("LIN", ["12", "13"]), ("lin mei", ["13"]), ("Byron", ["11"]), ("x", []), ("", [])],
)  # fmt: skip
def test_whom_a_name_means(who: str, ids: list[str]) -> None:
    """An id means one; a name may mean several, and then nobody is chosen."""
    assert [p.telegram_id for p in find_people(PEOPLE, who)] == ids
