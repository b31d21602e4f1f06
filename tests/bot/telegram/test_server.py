"""The Bot API server refuses what the real one refuses, as python-telegram-bot sees it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from telegram import Bot, BotCommand, InlineKeyboardButton, InlineKeyboardMarkup, MessageEntity
from telegram.error import BadRequest, Conflict, InvalidToken, NetworkError

from bot.chats.telegram.wire import FloodWait, PollingBot
from tests.servers.telegram import ADA, TelegramServer


@pytest.fixture
async def bot(telegram_server: TelegramServer) -> AsyncIterator[Bot]:
    telegram_server.say("hi")
    bot = PollingBot(telegram_server.token, telegram_server.url)
    async with bot:
        yield bot


def _button(data: str) -> InlineKeyboardMarkup:
    return InlineKeyboardMarkup([[InlineKeyboardButton("b", callback_data=data)]])


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"text": "x" * 4097}, "too long"),
        ({"text": "😀" * 2049}, "too long"),
        ({"text": "  \n "}, "empty"),
        ({"text": "short", "entities": [MessageEntity("bold", 3, 9)]}, "parse entities"),
        ({"text": "a😀b", "entities": [MessageEntity("bold", 0, 2)]}, "parse entities"),
        ({"text": "a", "parse_mode": "MarkdownV2"}, "parse entities"),
        ({"text": "a", "reply_markup": _button("x" * 65)}, "button_data_invalid"),
        ({"text": "a", "reply_markup": _button("中" * 22)}, "button_data_invalid"),
        ({"text": "a", "chat_id": 424242}, "chat not found"),
    ],
)
async def test_refusals_of_sending(bot: Bot, message: dict[str, Any], says: str) -> None:
    """Too long, blank, badly formatted, too much in a button, nobody there."""
    with pytest.raises(BadRequest) as e:
        await bot.send_message(**{"chat_id": ADA.id, **message})
    assert says in e.value.message.lower()


async def test_limits_are_reached_before_they_are_passed(bot: Bot) -> None:
    """4,096 units and 64 bytes are fine."""
    sent = await bot.send_message(ADA.id, "😀" * 2048, reply_markup=_button("x" * 64))
    assert sent.text == "😀" * 2048


async def test_refusals_of_editing(bot: Bot, telegram_server: TelegramServer) -> None:
    """Not modified, not there, not ours."""
    sent = await bot.send_message(ADA.id, "hello")
    theirs = next(iter(telegram_server.chats[ADA.id]))
    for message_id, text, says in [
        (sent.message_id, "hello", "not modified"),
        (999_999, "x", "message to edit not found"),
        (theirs, "x", "can't be edited"),
    ]:
        with pytest.raises(BadRequest) as e:
            await bot.edit_message_text(text, ADA.id, message_id)
        assert says in e.value.message.lower()


async def test_flood_and_broken_servers(bot: Bot, telegram_server: TelegramServer) -> None:
    """429 says how long; 5xx and a dropped connection are network errors."""
    telegram_server.fault("sendMessage", status=429, retry_after=7)
    with pytest.raises(FloodWait) as flood:
        await bot.send_message(ADA.id, "a")
    assert flood.value.seconds == 7.0
    for fault in ({"status": 503}, {"drop": True}):
        telegram_server.fault("sendMessage", **fault)
        with pytest.raises(NetworkError):
            await bot.send_message(ADA.id, "a")
    await bot.send_message(ADA.id, "b")
    assert telegram_server.texts() == ["b"]


async def test_updates_come_until_they_are_confirmed(
    bot: Bot, telegram_server: TelegramServer
) -> None:
    """An offset confirms what is below it; anything else comes again."""
    telegram_server.say("two")
    first = await bot.get_updates(timeout=0)
    assert [u.message.text for u in first if u.message] == ["hi", "two"]
    assert len(await bot.get_updates(timeout=0)) == 2
    rest = await bot.get_updates(offset=first[0].update_id + 1, timeout=0)
    assert [u.update_id for u in rest] == [first[1].update_id]
    assert await bot.get_updates(offset=rest[0].update_id + 1, timeout=0) == ()
    assert telegram_server.unconfirmed == 0


async def test_long_polling(bot: Bot, telegram_server: TelegramServer) -> None:
    """An empty queue is waited at; a message wakes the waiter at once."""
    (hi,) = await bot.get_updates(timeout=0)
    poll = asyncio.create_task(bot.get_updates(offset=hi.update_id + 1, timeout=20))
    await asyncio.sleep(0.1)
    assert not poll.done()
    began = time.monotonic()
    telegram_server.say("now")
    assert len(await poll) == 1
    assert time.monotonic() - began < 2


async def test_two_pollers(bot: Bot, telegram_server: TelegramServer) -> None:
    """The later one wins, the earlier one is told."""
    (hi,) = await bot.get_updates(timeout=0)
    first = asyncio.create_task(bot.get_updates(offset=hi.update_id + 1, timeout=20))
    await asyncio.sleep(0.1)
    second = asyncio.create_task(bot.get_updates(offset=hi.update_id + 1, timeout=1))
    with pytest.raises(Conflict):
        await first
    assert await second == ()


async def test_a_wrong_token(telegram_server: TelegramServer) -> None:
    """401."""
    bot = PollingBot("1:wrong", telegram_server.url)
    with pytest.raises(InvalidToken):
        await bot.initialize()
    await bot.shutdown()


async def test_commands_buttons_and_removal(bot: Bot, telegram_server: TelegramServer) -> None:
    """Menus by language, presses and their answers, deletion."""
    await bot.set_my_commands([BotCommand("new", "afresh")])
    await bot.set_my_commands([BotCommand("new", "重新开始")], language_code="zh")
    assert [c.description for c in await bot.get_my_commands(language_code="zh")] == ["重新开始"]
    assert [c.description for c in await bot.get_my_commands()] == ["afresh"]
    with pytest.raises(BadRequest):
        await bot.set_my_commands([BotCommand("No", "x")])
    sent = await bot.send_message(ADA.id, "which?", reply_markup=_button("k"))
    query = telegram_server.press(sent.message_id, "b")
    *_, update = await bot.get_updates(timeout=0)
    assert update.callback_query is not None
    assert (update.callback_query.data, update.callback_query.id) == ("k", query)
    await bot.answer_callback_query(query)
    with pytest.raises(BadRequest):
        await bot.answer_callback_query("999")
    await bot.delete_message(ADA.id, sent.message_id)
    assert telegram_server.texts() == []


def test_by_hand() -> None:
    """It can be run from a shell."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.servers.telegram", "--port", "0"],
        input="hello\n:photo look\n:bogus\n:quit\n",
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert "http://127.0.0.1:" in done.stdout
    assert done.stderr == ""
