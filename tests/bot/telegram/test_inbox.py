"""Updates are kept before they are confirmed, and what is one turn stays one turn."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from telegram import Bot, Update
from telegram.ext import Updater

from bot import tables
from bot.chats.telegram.inbox import BotState, Inbox, StoredUpdate
from bot.chats.telegram.incoming import (
    ChatQueues,
    is_addressed,
    is_service,
    join_parts,
    parse_command,
)
from bot.chats.telegram.people import ATTEMPTS, AccessControl, make_code, parse_code
from bot.chats.telegram.wire import BotTiming, PollingBot
from memory.errors import StoreBusy
from memory.store import SqliteStore, make_worker_id, open_store
from tests.servers.telegram import ADA, EVE, TelegramServer

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
QUICK = BotTiming(
    gather=0.05, gather_forward=0.15, gather_paste=0.2, gather_album=0.2, gather_most=1.0
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(
        tmp_path / "ebb.db", clock=lambda: NOW, worker=make_worker_id(), key=b"k" * 32
    )
    yield opened
    await opened.close()


@pytest.fixture
async def bot(telegram_server: TelegramServer) -> AsyncIterator[Bot]:
    bot = PollingBot(telegram_server.token, telegram_server.url)
    async with bot:
        yield bot


async def _ours(update: Update) -> StoredUpdate:
    return StoredUpdate(update, "u1", stored=True)


# --- the inbox ---


async def test_committed_before_confirmed(
    telegram_server: TelegramServer, store: SqliteStore, bot: Bot
) -> None:
    """When Telegram is told that we have an update, it is in the store."""
    journal = BotState(store, bot.id, lambda: NOW)
    inbox = Inbox(journal, _ours)
    kept_when_confirmed: list[int] = []
    telegram_server.say("one")
    telegram_server.say("two")
    async with Updater(bot, inbox) as updater:
        await updater.start_polling(timeout=5)
        await asyncio.wait_for(inbox.get(), 5)
        await asyncio.wait_for(inbox.get(), 5)
        await telegram_server.wait_for(lambda: telegram_server.unconfirmed == 0)
        kept_when_confirmed = [u.update_id for u in await journal.list_waiting(bot)]
        await updater.stop()
    assert len(kept_when_confirmed) == 2


async def test_a_store_in_the_way_confirms_nothing(
    telegram_server: TelegramServer, store: SqliteStore, bot: Bot
) -> None:
    """If it cannot be kept it comes again, and polling goes on."""
    failures = 2

    async def admit(update: Update) -> StoredUpdate:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise StoreBusy("locked")
        return await _ours(update)

    journal = BotState(store, bot.id, lambda: NOW)
    inbox = Inbox(journal, admit)
    telegram_server.say("important")
    async with Updater(bot, inbox) as updater:
        await updater.start_polling(timeout=5, error_callback=lambda _e: None)
        item = await asyncio.wait_for(inbox.get(), 10)
        await updater.stop()
    assert isinstance(item, StoredUpdate)
    assert item.message.text == "important"
    assert len(telegram_server.called("getUpdates")) >= 3


async def test_given_out_twice_is_taken_once(
    telegram_server: TelegramServer, store: SqliteStore, bot: Bot
) -> None:
    """An update that comes again is known; done, its text is gone and its id stays."""
    telegram_server.say("the secret plan")
    (update,) = await bot.get_updates(timeout=0)
    journal = BotState(store, bot.id, lambda: NOW)
    inbox = Inbox(journal, _ours)
    await inbox.put(update)
    await inbox.put(update)
    assert inbox.qsize() == 1
    (again,) = await journal.list_waiting(bot)
    assert again.message is not None
    assert again.message.text == "the secret plan"
    assert again.message.date == update.message.date if update.message else False
    await journal.finish([update.update_id], k={"done": True})
    assert await journal.list_waiting(bot) == []
    assert await journal.read("k") == {"done": True}
    await inbox.put(update)
    assert inbox.qsize() == 1


async def test_nothing_of_strangers_or_off_the_record_is_stored(
    telegram_server: TelegramServer, store: SqliteStore, bot: Bot, tmp_path: Path
) -> None:
    """They are queued, not kept; what is none of ours is dropped."""

    async def admit(update: Update) -> StoredUpdate | Update | None:
        assert update.message is not None
        off = StoredUpdate(update, "u1", stored=False)
        verdicts: dict[str, StoredUpdate | Update | None] = {
            "stranger": update,
            "off": off,
            "other": None,
        }
        return verdicts[str(update.message.text).split()[0]]

    for word in ("stranger", "off", "other"):
        telegram_server.say(f"{word} xyzzy", user=EVE)
    inbox = Inbox(BotState(store, bot.id, lambda: NOW), admit)
    for update in await bot.get_updates(timeout=0):
        await inbox.put(update)
    assert inbox.qsize() == 2
    con = sqlite3.connect(f"file:{tmp_path / 'ebb.db'}?mode=ro", uri=True)
    assert con.execute("SELECT COUNT(*) FROM inbox").fetchone() == (0,)
    con.close()


async def test_an_unreadable_row_is_given_up(store: SqliteStore, bot: Bot) -> None:
    """It does not stop the others at each start."""
    await store.write_system(
        lambda s: tables.put_update(s, "telegram", str(bot.id), 1, "1", "no json", NOW)
    )
    journal = BotState(store, bot.id, lambda: NOW)
    assert await journal.list_waiting(bot) == []
    assert (
        await store.write_system(lambda s: tables.list_open_updates(s, "telegram", str(bot.id)))
        == []
    )


# --- what is one turn ---


async def _batches(telegram_server: TelegramServer, bot: Bot, *, pause: float = 0.0) -> list[str]:
    """The texts of the batches a lane makes of what the server has, when everything said is in one."""
    out: list[str] = []
    waiting = set[int]()
    handled = asyncio.Event()

    async def handle(parts: list[StoredUpdate]) -> None:
        incoming = join_parts(parts, bot.bot, "en")
        out.append(incoming.text or "+".join(incoming.unread))
        waiting.difference_update(kept.id for kept in parts)
        handled.set()

    lanes = ChatQueues(QUICK, telegram_server.username, handle)
    for update in await bot.get_updates(timeout=0):
        kept = StoredUpdate(update, "u1", stored=True)
        waiting.add(kept.id)
        lanes[kept.message.chat_id].add(kept)
        await asyncio.sleep(pause)
    async with asyncio.timeout(10):
        while waiting:
            handled.clear()
            await handled.wait()
    await lanes.close(1.0)
    return out


async def test_a_split_paste_is_one_turn(telegram_server: TelegramServer, bot: Bot) -> None:
    """A text the client cut at 4,096 comes together again, whole."""
    for part in ("a" * 4096, "b" * 4096, "c" * 10):
        telegram_server.say(part)
    telegram_server.say("and something else", date=1_900_000_000)
    assert await _batches(telegram_server, bot) == [
        "a" * 4096 + "b" * 4096 + "c" * 10,
        "and something else",
    ]


async def test_short_messages_are_turns_of_their_own(
    telegram_server: TelegramServer, bot: Bot
) -> None:
    """Two quick messages are two turns, in order."""
    telegram_server.say("first")
    telegram_server.say("second")
    assert await _batches(telegram_server, bot) == ["first", "second"]


async def test_a_comment_and_what_it_forwards(telegram_server: TelegramServer, bot: Bot) -> None:
    """The forwarded words are quoted under their author's name: they are not the user's own."""
    telegram_server.say("What do you make of this?")
    telegram_server.forward("Meet at nine.\nBring tea.", origin="Grace")
    telegram_server.forward("Or ten.", origin="Grace")
    (text,) = await _batches(telegram_server, bot)
    assert text == (
        "What do you make of this?\n\nForwarded from Grace:\n> Meet at nine.\n> Bring tea.\n\n"
        "Forwarded from Grace:\n> Or ten."
    )


async def test_an_album_is_one_turn(telegram_server: TelegramServer, bot: Bot) -> None:
    """Its parts come one by one."""
    telegram_server.photo("Us in Lyon", media_group_id="g1")
    telegram_server.photo(None, media_group_id="g1")
    telegram_server.photo(None, media_group_id="g1")
    telegram_server.say("after that")
    assert await _batches(telegram_server, bot, pause=0.05) == ["Us in Lyon", "after that"]


async def test_one_at_a_time_in_a_chat_and_many_chats_at_once(
    telegram_server: TelegramServer, bot: Bot
) -> None:
    """A slow chat keeps its own order and holds up nobody else."""
    log: list[str] = []
    last = asyncio.Event()

    async def handle(parts: list[StoredUpdate]) -> None:
        name = f"{parts[0].message.chat_id}:{parts[0].message.text}"
        log.append(f"+{name}")
        await asyncio.sleep(0.2 if parts[0].message.chat_id == ADA.id else 0.0)
        log.append(f"-{name}")
        if name == f"{ADA.id}:b":
            last.set()

    quick = replace(QUICK, gather=0.0)
    lanes = ChatQueues(quick, telegram_server.username, handle)
    for text in ("a", "b"):
        telegram_server.say(text, user=ADA)
        telegram_server.say(text, user=EVE)
    for update in await bot.get_updates(timeout=0):
        kept = StoredUpdate(update, "u1", stored=True)
        lanes[kept.message.chat_id].add(kept)
    await asyncio.wait_for(last.wait(), 10)
    await lanes.close(1.0)
    mine = [x for x in log if str(ADA.id) in x]
    assert mine == [f"+{ADA.id}:a", f"-{ADA.id}:a", f"+{ADA.id}:b", f"-{ADA.id}:b"]
    assert log.index(f"-{EVE.id}:b") < log.index(f"-{ADA.id}:a")


async def test_groups_must_address_the_bot(telegram_server: TelegramServer, bot: Bot) -> None:
    """By name, by reply or by command; what people say to each other is none of its business."""
    group, name = -77, telegram_server.username
    telegram_server.say("hello all", chat=group)
    sent = await bot.send_message(group, "I'm here")
    telegram_server.say(f"@{name} hello", chat=group)
    telegram_server.say("right", chat=group, reply_to=sent.message_id)
    telegram_server.say("/help", chat=group)
    telegram_server.say("/help@other_bot", chat=group)
    telegram_server.say("/kick", chat=group)
    telegram_server.message({"new_chat_members": [EVE.json()]}, chat=group)
    messages = [u.message for u in await bot.get_updates(timeout=0) if u.message]
    meant = [
        m.text
        for m in messages
        if not is_service(m) and is_addressed(m, bot.bot, frozenset({"help"}))
    ]
    assert meant == [f"@{name} hello", "right", "/help"]
    (update,) = [
        u for u in await bot.get_updates(timeout=0) if u.message and u.message.text == meant[0]
    ]
    assert join_parts([StoredUpdate(update, "u1", stored=True)], bot.bot, "en").text == "hello"


async def test_commands(telegram_server: TelegramServer, bot: Bot) -> None:
    """Read from the text, whoever marked it; a path is no command."""
    texts = [
        "/remember  I like tea",
        "/new",
        "/why@ebb_test_bot",
        "/usr/bin/env",
        "/help@other",
        "/记住 茶",
        "no /new",
    ]
    for text in texts:
        telegram_server.say(text, entities=[])
    messages = [u.message for u in await bot.get_updates(timeout=0) if u.message]
    read = [parse_command(m, telegram_server.username) for m in messages]
    assert read == [("remember", "I like tea"), ("new", ""), ("why", ""), None, None, None, None]


# --- the door ---


async def test_a_code_lets_one_person_in_once(store: SqliteStore) -> None:
    """The owner's code stands for the owner, an invitation for a user of their own; neither works twice."""
    owner = await store.write_system(lambda s: s.create_user(NOW))
    door = AccessControl(store, owner, patience=60)
    assert await door.find_user(ADA.id) is None
    assert not await door.is_claimed()
    code = parse_code(f"/start {await make_code(store, 'owner', NOW)}")
    assert code is not None
    assert await door.enter(ADA.id, code, NOW) == "owner"
    assert await door.find_user(ADA.id) == owner
    assert await door.is_claimed()
    assert await door.enter(EVE.id, code, NOW) == "wrong"
    invited = parse_code((await make_code(store, "guest", NOW)).lower())
    assert invited is not None
    assert await door.enter(EVE.id, invited, NOW) == "guest"
    assert await door.find_user(EVE.id) not in (None, owner)


async def test_codes_expire_and_attempts_are_counted(store: SqliteStore) -> None:
    """Guessing is given up soon, an old code is worth nothing, and only a hash of it was ever stored."""
    owner = await store.write_system(lambda s: s.create_user(NOW))
    door = AccessControl(store, owner, patience=60)
    code = await make_code(store, "owner", NOW)
    stored = str(await store.write_system(lambda s: s.get("telegram:codes")))
    assert code not in stored
    assert code.replace("-", "") not in stored
    later = NOW.replace(day=NOW.day + 2)
    assert await door.enter(ADA.id, str(parse_code(code)), later) == "wrong"
    for _ in range(ATTEMPTS - 1):
        assert await door.enter(ADA.id, "00000000", NOW) == "wrong"
    assert await door.enter(ADA.id, str(parse_code(code)), NOW) == "wait"
    guesses = [
        await door.enter(stranger, "00000000", NOW) for stranger in range(70) for _ in range(2)
    ]
    assert set(guesses) == {"wrong"}  # of many others: they bar nobody
    assert await door.enter(EVE.id, str(parse_code(code)), NOW) == "owner"


def test_what_looks_like_a_code() -> None:
    """As printed, as typed by hand, as a link sends it; ordinary words are none."""
    assert parse_code("/start ABCD-EFGH") == "ABCDEFGH"
    assert parse_code("/start@ebb_test_bot abcdefgh") == "ABCDEFGH"
    assert parse_code("0o1l-23ab") == "001123AB"
    assert parse_code("k7f3a2xx") == "K7F3A2XX"
    for text in ("/start", "hello", "goodness", "hello there", "/start now", "你好"):
        assert parse_code(text) is None
