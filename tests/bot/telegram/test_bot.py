"""The bot as its users meet it: claimed, talked to, commanded, and careful with what it is told."""

from __future__ import annotations

import asyncio
import logging
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from bot.chats.telegram.people import make_code
from bot.chats.telegram.render import render
from memory.models import Filter
from tests.bot.telegram.running import QUICK, running, said_in
from tests.pictures import PNG
from tests.servers.openai import OpenAIServer, fail, say
from tests.servers.telegram import ADA, EVE, LIN, Person, TelegramServer

GROUP = -4242


def everything_stored(home: Path) -> str:
    """All text in the database. Read-only: another SQLite in the process would take itself for the last, and clear up."""
    con = sqlite3.connect(f"file:{home / 'ebb.db'}?mode=ro", uri=True)
    names = [
        r[0]
        for r in con.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        )
    ]
    text = "\n".join(str(row) for n in names for row in con.execute(f'SELECT * FROM "{n}"'))
    con.close()
    return text


# --- who may talk to it ---


async def test_strangers_are_turned_away(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """One polite sentence however much they write, in their language, and nothing kept of it."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        for text in ("let me in", "please xyzzy", "/memories"):
            telegram_server.say(text, user=EVE)
        telegram_server.say("你好 xyzzy", user=LIN)
        await telegram_server.wait_for(
            lambda: telegram_server.texts(EVE.id) and telegram_server.texts(LIN.id)
        )
        await telegram_server.quiet()
        assert len(telegram_server.texts(EVE.id)) == 1
        assert "introduced" in telegram_server.texts(EVE.id)[0]
        assert "邀请码" in telegram_server.texts(LIN.id)[0]
        assert not openai_server.requests
        await bot.end()
    assert "xyzzy" not in everything_stored(tmp_path)


async def test_the_owner_claims_it(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """With the code printed at the start, once; wrong ones are refused, and after a few nobody may guess."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        code = await bot.code()
        for _ in range(6):
            telegram_server.say("/start 0000-0000", user=EVE)
        await telegram_server.wait_for(
            lambda: "Too many" in " ".join(telegram_server.texts(EVE.id))
        )
        await bot.claim()
        telegram_server.say(code, user=LIN)
        await telegram_server.wait_for(lambda: telegram_server.texts(LIN.id))
        assert "邀请码不对" in telegram_server.texts(LIN.id)[0]
        assert (await bot.ask("Hello")).text == "You said: Hello"
    async with running(tmp_path, telegram_server, openai_server) as bot:
        assert (await bot.ask("Still me")).text == "You said: Still me"
        assert not any("start=" in line for line in bot.out)


async def test_an_invited_person_has_a_memory_of_their_own(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """What one told is not in the other's list."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("/remember I'm allergic to peanuts")
        telegram_server.say(await make_code(bot.ebb.store, "guest", bot.ebb.clock()), user=LIN)
        await telegram_server.wait_for(lambda: len(telegram_server.texts(LIN.id)) == 2)
        await bot.ask("/remember 我喜欢茉莉花茶", user=LIN)
        theirs, mine = await bot.ask("/memories", user=LIN), await bot.ask("/memories")
        assert "茉莉花茶" in theirs.text
        assert "peanuts" not in theirs.text
        assert "peanuts" in mine.text
        assert "茉莉花茶" not in mine.text


# --- talking ---


async def test_the_menu_in_both_languages(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Every command is in the menu, in English for all and in Chinese for Chinese clients."""
    async with running(tmp_path, telegram_server, openai_server):
        await telegram_server.wait_for(lambda: ("default", "zh") in telegram_server.commands)
    wanted = {
        "start",
        "new",
        "temp",
        "review",
        "remember",
        "forget",
        "memories",
        "why",
        "undo",
        "help",
        "stop",
    }
    for code in ("", "zh"):
        menu = telegram_server.commands["default", code]
        assert {c["command"] for c in menu} >= wanted
        assert "quit" not in {c["command"] for c in menu}
    assert all(
        any(ch >= "\u4e00" for ch in c["description"])
        for c in telegram_server.commands["default", "zh"]
    )


async def test_a_streamed_reply(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Painted with a Stop button while it is written, whole and formatted in the end, one message."""
    text = (
        "Here is **a list**:\n\n- one\n- two\n\n```python\nprint(1)\n```\n"
        + "And some more words. " * 20
    )
    openai_server.on("a list", say(text, delay=0.01), field="last")
    seen: list[list[str]] = []
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.on_show = lambda m, _: seen.append(m.buttons)
        shown = await bot.ask("Give me a list")
        assert shown.text == render(text)[0].text
        assert {e["type"] for e in shown.entities} == {"bold", "pre"}
        assert len(seen) > 3
        assert seen[0] == ["■ Stop"]
        assert len(telegram_server.texts()) == 3
        assert telegram_server.called("sendChatAction")


@pytest.mark.parametrize("way", ["button", "command"])
async def test_stop_passes_the_queue(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer, way: str
) -> None:
    """A reply that is being written stops at once; what was written stays, and the next message is answered."""
    openai_server.on("a novel", say("word " * 2000, delay=0.01), field="last")
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.say("Write a novel")
        preview = await telegram_server.wait_for(
            lambda: next((m for m in telegram_server.bot_messages() if "■ Stop" in m.buttons), None)
        )
        assert preview is not None
        if way == "button":
            telegram_server.press(preview.id, "Stop")
        else:
            telegram_server.say("/stop")
        await telegram_server.wait_for(lambda: "(stopped)" in preview.text)
        assert preview.text.startswith("word")
        assert len(preview.text) < 5000
        assert preview.buttons == []
        assert (await bot.ask("And now?")).text == "You said: And now?"
        assert "writing anything" in (await bot.ask("/stop")).text


async def test_failures_and_hangs_are_one_sentence(
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The sentence stands over the Stop button and gives way; /retry answers in the same turn."""
    monkeypatch.setattr("bot.agent.streaming.HANG", 0.1)
    openai_server.on("chat", [fail("bad_key"), say("Here.", first_delay=0.5)], field="model")
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        failed = (await bot.ask("Hello?")).text
        assert failed.startswith("⚠️") and len(failed.splitlines()) == 1
        assert failed.endswith("/retry answers your message again.")
        telegram_server.say("/retry")
        shown = await telegram_server.wait_for(
            lambda: next(
                (m for m in telegram_server.bot_messages() if "still waiting" in m.text), None
            )
        )
        assert shown is not None and shown.buttons == ["■ Stop"]
        await telegram_server.wait_for(lambda: shown.text == "Here.")
        await bot.settled()
        assert "nothing to try again" in (await bot.ask("/retry")).text
        kept = await bot.ebb.agent.list_history(bot.ebb.owner, bot.ebb.scope)
        assert [(m.role, m.text) for m in kept] == [("user", "Hello?"), ("assistant", "Here.")]


async def test_many_chats_at_once(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """A slow answer in one chat does not hold up another; in one chat answers keep their order."""
    openai_server.on("slowly", say("slow " * 60, delay=0.02), field="last")
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.say(await make_code(bot.ebb.store, "guest", bot.ebb.clock()), user=LIN)
        await telegram_server.wait_for(lambda: len(telegram_server.texts(LIN.id)) == 2)
        telegram_server.say("answer slowly")
        telegram_server.say("then this")
        telegram_server.say("quick", user=LIN)
        await telegram_server.wait_for(lambda: "You said: quick" in telegram_server.texts(LIN.id))
        assert "You said: then this" not in telegram_server.texts()
        await telegram_server.wait_for(lambda: "You said: then this" in telegram_server.texts())
        slow, then = telegram_server.texts()[-2:]
        assert slow.startswith("slow slow")
        assert then == "You said: then this"


async def test_what_cannot_be_read(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """A picture alone gets one friendly sentence; its caption is answered; an album is asked about once."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        before = {m.id for m in telegram_server.bot_messages()}
        telegram_server.photo()
        assert "pictures" in (await bot.new(ADA.id, before)).text
        before = {m.id for m in telegram_server.bot_messages()}
        telegram_server.photo("This is Lyon")
        shown = await bot.new(ADA.id, before)
        assert "pictures" in shown.text
        assert "You said: This is Lyon" in shown.text
        for part in range(3):
            telegram_server.photo(media_group_id="album")
            await asyncio.sleep(0.05 if part < 1 else 0.4)  # the last comes late
        await bot.settled()
        assert len(telegram_server.texts()) == 5
        before = {m.id for m in telegram_server.bot_messages()}
        telegram_server.message(
            {"voice": {"file_id": "f", "file_unique_id": "u", "duration": 3}}, user=ADA
        )
        assert "voice" in (await bot.new(ADA.id, before)).text


async def test_pictures_are_seen(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Photos and picture files go to the model, an album as one turn; what is no picture is said to be none."""
    telegram_server.files = {"f": PNG, "fake": b"%PDF-1.7"}
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        before = {m.id for m in telegram_server.bot_messages()}
        for caption in ("My two cats", None):
            telegram_server.photo(caption, media_group_id="album")
        shown = await bot.new(ADA.id, before)
        assert "You said" in shown.text
        assert "can't make out" not in shown.text
        (request,) = [r for r in openai_server.requests if r.model == "chat"]
        assert request.images == [PNG, PNG]
        assert said_in(request.last) == "My two cats\n[picture: photo]\n[picture: photo]"
        for name, file_id in (("dog.png", "f"), ("report.png", "fake")):
            before = {m.id for m in telegram_server.bot_messages()}
            document = {"file_id": file_id, "file_unique_id": "u", "file_name": name}
            document["mime_type"] = "image/png"
            telegram_server.message({"document": document, "caption": "And this?"}, user=ADA)
            shown = await bot.new(ADA.id, before)
            assert ("can't make out" in shown.text) == (file_id == "fake")
        sent = [r for r in openai_server.requests if r.model == "chat"][1:]
        assert [len(r.images) for r in sent] == [1, 0]
        assert "[picture: dog.png]" in sent[0].last


async def test_forwards_are_not_the_users_words(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """A comment and what it forwards are one question."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        before = {m.id for m in telegram_server.bot_messages()}
        telegram_server.say("Is that right?")
        telegram_server.forward("The moon is made of cheese", origin="Grace")
        await bot.new(ADA.id, before)
        (request,) = [r for r in openai_server.requests if r.model == "chat"]
        assert (
            "Is that right?\n\nForwarded from Grace:\n> The moon is made of cheese" in request.last
        )


async def test_in_a_group(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Only to people it knows and only when spoken to, with a conversation of the group's own."""
    name = f"@{telegram_server.username}"
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("Something private: zanzibar")
        telegram_server.say("we talk among ourselves", chat=GROUP)
        telegram_server.say(f"{name} hello", user=EVE, chat=GROUP)
        shown = await bot.ask(f"{name} hello", chat=GROUP)
        assert shown.text == "You said: hello"
        assert shown.reply_to is not None
        assert len(telegram_server.texts(GROUP)) == 1
        (request,) = [
            r for r in openai_server.requests if r.model == "chat" and said_in(r.last) == "hello"
        ]
        assert "zanzibar" not in request.text
        again = await bot.ask("and this?", chat=GROUP, reply_to=shown.id)
        assert again.text == "You said: and this?"
        assert "among ourselves" not in everything_stored(tmp_path)


async def test_nothing_private_appears_in_a_group(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Commands about memory and all buttons are answered in private, and asked to be where that cannot be."""
    name = f"@{telegram_server.username}"
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        for thing in ("My sister Anna calls me zanzibar", "My sister Berta calls me zanzibar too"):
            await bot.ask(f"/remember {thing}")
        telegram_server.say("we talk among ourselves", chat=GROUP)
        asked = (
            "/memories",
            f"/review{name}",
            "/review zanzibar?",
            "/undo list",
            "/forget sister",
            "/why",
        )
        for text in (*asked, "/remember zanzibar is a secret", "/undo"):
            before = {m.id for m in telegram_server.bot_messages()}
            telegram_server.say(text, chat=GROUP)
            assert (await bot.new(ADA.id, before)).text, text
        assert telegram_server.texts(GROUP) == []
        (m, *_) = (await bot.ebb.memory.find(bot.ebb.owner, Filter(), limit=1)).items
        for data in ("p::0", f"v:{m.id}", "u:nothing", "c:nothing", "e:0-99"):
            keys = {"inline_keyboard": [[{"text": "old", "callback_data": data}]]}
            old = telegram_server._do_send_message(
                {"chat_id": GROUP, "text": "an old list", "reply_markup": keys}
            )
            before = {m.id for m in telegram_server.bot_messages()}
            telegram_server.press(old["message_id"], "old", chat=GROUP)
            assert (await bot.new(ADA.id, before)).text, data
        assert set(telegram_server.texts(GROUP)) == {"an old list"}
        for order in ("forget about zanzibar", "don't bring up zanzibar", "别再提zanzibar了"):
            shown = await bot.ask(f"{name} {order}", chat=GROUP)
            assert "in private" in shown.text or "私下" in shown.text
        shown = await bot.ask(f"{name} don't remember anything about me", chat=GROUP)
        assert "off" in shown.text
        assert not re.search(r"\d", shown.text)
        assert not shown.buttons
        await bot.ask(f"{name} turn memory on", chat=GROUP)
        await bot.ask(f"{name} what do you know about me?", chat=GROUP)
        last = [r for r in openai_server.requests if r.model == "chat"][-1]
        assert not any(word in last.text for word in ("Anna", "Berta"))
        telegram_server.fault(
            "sendChatAction", status=403, description="Forbidden: bot was blocked by the user"
        )
        shown = await bot.ask("/forget sister", chat=GROUP)
        assert shown.text.endswith(f"https://t.me/{telegram_server.username}")
        assert not any(
            word in t for t in telegram_server.texts(GROUP) for word in ("Anna", "Berta", "secret")
        )
        assert "Anna" in (await bot.ask("/memories")).text


async def test_a_reply_says_that_memory_is_off_as_long_as_it_is(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Under every reply, without marks of Markdown; not under the one that says it is on again."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("/memory off")
        assert (
            await bot.ask("hello")
        ).text == "You said: hello\n\nmemory is off · /memory on ends it"
        assert "memory is off" not in (await bot.ask("turn memory on")).text


async def test_what_was_typed_is_shown_as_typed(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """In answers, lists, notices and questions: no Markdown, no HTML, and control characters can be seen."""
    typed = "My sum 47*11*9 is **not** Vec<String>, `if a<b and c>d` [x](http://a.b) _y_"
    other = "Other sum is 47*12*9 <T> _z_ [x](http://a.b)"
    openai_server.on(
        lambda r: r.model == "memory" and "47*12" in r.text, say(f"[ADD kind=fact] {other}")
    )
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        assert typed in (await bot.ask(f"/remember {typed}")).text
        assert typed in (await bot.ask("/memories")).text
        await bot.ask(f"My {other[0].lower()}{other[1:]}")
        assert other in (await bot.notice("Other sum")).text
        assert "**zork** <T>" in (await bot.ask("forget **zork** <T>")).text
        assert "bell␇ ␛[31m" in (await bot.ask("/remember bell\x07 \x1b[31m rings")).text
        assert not [m.entities for m in telegram_server.bot_messages() if m.entities]


# --- memory ---


async def test_what_was_learned_is_shown_with_a_way_back(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """A small silent notice; View tells more, Undo takes it back."""
    openai_server.on(
        lambda r: r.model == "memory" and "jasmine" in r.text,
        say("[ADD kind=preference] Likes jasmine tea"),
    )
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("I like jasmine tea")
        notice = await bot.notice("jasmine tea")
        assert notice.buttons == ["View", "Undo"]
        telegram_server.press(notice.id, "View")
        await telegram_server.wait_for(lambda: "Preference" in notice.text)
        assert notice.buttons == ["Undo"]
        telegram_server.press(notice.id, "Undo")
        await telegram_server.wait_for(lambda: "Taken back" in notice.text)
        assert notice.buttons == []
        assert "jasmine" not in (await bot.ask("/memories")).text
        await bot.settled()
        assert len(telegram_server.answered) == 2


async def test_learning_that_fails_is_said_once(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Whatever else fails after it."""
    openai_server.on("memory", fail("bad_key"), field="model")
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("I like tea")
        await bot.notice("can’t learn right now")
        await bot.ask("I like coffee")
        await bot.ebb.agent.drain(5)
        await telegram_server.quiet(0.5)
        assert sum("can’t learn right now" in t for t in telegram_server.texts()) == 1


async def test_remember_list_forget_undo(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """The commands, and the buttons of a question asked back."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        for thing in ("My sister Anna lives in Lyon", "My sister Berta lives in Graz"):
            assert thing in (await bot.ask(f"/remember {thing}")).text
        listed = await bot.ask("/memories")
        assert "Anna" in listed.text
        assert "Berta" in listed.text
        asked = await bot.ask("/forget my sister")
        assert any("Anna" in b for b in asked.buttons), asked
        telegram_server.press(asked.id, "Anna")
        await telegram_server.wait_for(lambda: asked.buttons == [])
        assert "Anna" in asked.text
        listed = await bot.ask("/memories")
        assert "Anna" not in listed.text
        assert "Berta" in listed.text
        await bot.ask("/undo")
        assert "Anna" in (await bot.ask("/memories")).text
        helped = (await bot.ask("/help")).text
        assert all(word in helped for word in ("/remember", "/stop"))
        assert "/quit" not in helped
        await bot.ask("What do you know?")
        assert (await bot.ask("/why")).text
        assert "no command" in (await bot.ask("/dance")).text


@pytest.mark.parametrize(
    ("ask", "word"), [("/forget everything", "everything"), ("忘掉全部", "全部")]
)
async def test_everything_is_let_go_of_by_a_typed_word(
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
    ask: str,
    word: str,
) -> None:
    """Asked first, with the number that has to be typed; a wrong one changes nothing; an undo brings all of it back."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        for thing in ("My sister Anna lives in Lyon", "我养了一只猫，叫咪咪"):
            await bot.ask(f"/remember {thing}")
        assert "/forget everything 2" in (await bot.ask(ask)).text
        assert "/forget everything 2" in (await bot.ask(f"/forget {word} 7")).text
        assert "咪咪" in (await bot.ask("/memories")).text
        await bot.ask(f"/forget {word} 2")
        assert "咪咪" not in (await bot.ask("/memories")).text
        listed = (await bot.ask("/undo list")).text
        assert "Anna" in listed
        assert "咪咪" in listed
        await bot.ask("/undo")
        listed = (await bot.ask("/memories")).text
        assert "Anna" in listed
        assert "咪咪" in listed


async def test_long_lists_have_pages(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Buttons turn them."""
    things = [
        "apples",
        "rowing",
        "Vienna",
        "jazz",
        "chess",
        "my cat Mo",
        "tea",
        "hiking",
        "Dutch",
        "old maps",
        "rain",
    ]
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        for thing in things:
            await bot.ask(f"/remember I am fond of {thing}")
        first = await bot.ask("/memories")
        on_first = [t for t in things if t in first.text]
        assert len(on_first) == 8
        assert "1 / 2" in first.buttons
        assert "1–8 of 11" in first.text
        telegram_server.press(first.id, "▶")
        await telegram_server.wait_for(lambda: "2 / 2" in first.buttons)
        assert [t for t in things if t in first.text] == [t for t in things if t not in on_first]
        assert "9–11 of 11" in first.text
        telegram_server.press(first.id, "◀")
        await telegram_server.wait_for(lambda: "1 / 2" in first.buttons)


async def test_a_long_search_has_pages_too(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """What does not fit into a button is known by a key."""
    long = "the green wooden house behind the old harbour"
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        for n in range(1, 11):
            await bot.ask(f"/remember room {n} of {long} is {n}{n} metres long")
        first = await bot.ask(f"/memories {long}")
        assert "1 / 2" in first.buttons
        telegram_server.press(first.id, "▶")
        await telegram_server.wait_for(lambda: "2 / 2" in first.buttons)
        assert "9–10 of 10" in first.text


async def test_a_new_session_says_what_it_kept(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """/new answers at once, and reports when the extraction is done."""
    openai_server.on("memory", lambda r: "[]" if "JSON" in r.system else "[SKIP]", field="model")
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("Let us talk about boats")
        assert "new conversation" in (await bot.ask("/new")).text
        await bot.notice("last conversation")


async def test_off_the_record(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Nothing said there is stored, not even in the inbox; it says so, and it outlives a restart."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("/temp")
        shown = await bot.ask("The word is plugh")
        assert shown.text.startswith("You said: The word is plugh")
        assert "off the record" in shown.text
    async with running(tmp_path, telegram_server, openai_server) as bot:
        assert "off the record" in (await bot.ask("Again plugh")).text
        await bot.ask("/temp")
        assert (await bot.ask("Back again")).text == "You said: Back again"
        await bot.end()
    stored = everything_stored(tmp_path)
    assert "plugh" not in stored
    assert "Back again" in stored


async def test_off_the_record_from_the_very_next_message(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Sent together with /temp, before that is carried out."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.say("/temp")
        telegram_server.say("plugh")
        await telegram_server.wait_for(lambda: any("plugh" in t for t in telegram_server.texts()))
        await bot.end()
    assert "plugh" not in everything_stored(tmp_path)


async def test_an_edited_message_is_answered_anew(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """In place; what was learned from the old wording is taken back, and the model does not see it again."""
    for town in ("Lion", "Lyon"):
        openai_server.on(
            lambda r, t=town: r.model == "memory" and f"I live in {t}" in r.text,  # type: ignore[misc]
            say(f"[ADD kind=identity] Lives in {town}"),
        )
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        asked = telegram_server.say("I live in Lion")
        shown = await bot.new(ADA.id, {m.id for m in telegram_server.bot_messages()})
        await bot.notice("Lives in Lion")
        telegram_server.edit(asked, "I live in Lion")  # a change of nothing
        telegram_server.edit(asked, "I live in Lyon")
        await telegram_server.wait_for(lambda: shown.text == "You said: I live in Lyon")
        await bot.notice("Lives in Lyon")
        listed = (await bot.ask("/memories")).text
        assert "Lyon" in listed
        assert "Lion" not in listed
        last = [r for r in openai_server.requests if r.model == "chat"][-1]
        assert "Lion" not in last.text
        await bot.ask("Something else")
        telegram_server.edit(asked, "I live in Lille")
        await telegram_server.wait_for(lambda: "earlier message" in telegram_server.texts()[-1])


async def test_one_conversation_in_two_windows(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """What the owner said in the terminal is known on Telegram."""
    from tests.e2e.driver import FakeTime, Window

    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        terminal = Window(bot.ebb, FakeTime(bot.ebb.clock()), origin="terminal:1")
        await terminal.say("The parcel is under the bench", drain=False)
        await bot.ask("Where is it?")
        last = [r for r in openai_server.requests if r.model == "chat"][-1]
        assert "under the bench" in last.text
        assert not any("bench" in t for t in telegram_server.texts())
        await terminal.say(
            "Nothing here yet", drain=False
        )  # before the chat was ever used there is no divider
        await bot.ask("And the key?")
        divider = await bot.notice("another window")
        assert "1 of your messages" in divider.text
        telegram_server.press(divider.id, "Show")
        await telegram_server.wait_for(lambda: "Nothing here yet" in divider.text)
        assert "You said: Nothing here yet" in divider.text
        assert "bench" not in divider.text


async def test_looking_back(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """/review with a question is a turn like any other; without one it lists."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        await bot.ask("/remember I used to row in Graz")
        assert "Graz" in (await bot.ask("/review")).text
        assert (await bot.ask("/review what about sports?")).text == "You said: what about sports?"
        assert not telegram_server.called(
            "editMessageReplyMarkup"
        )  # nothing was lost, so nothing is looked for


@pytest.mark.parametrize(
    ("user", "told", "wish", "listed"),
    [
        (ADA, "What do I like?", "/remember I like jasmine tea", "remember about you"),
        (LIN, "我喜欢什么？", "/remember 我喜欢茉莉花茶", "我记得你的这些事"),
    ],
)
async def test_without_a_model(
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
    user: Person,
    told: str,
    wish: str,
    listed: str,
) -> None:
    """The offline provider answers; commands work as ever, in the user's language; nobody is asked over the network."""
    async with running(tmp_path, telegram_server, openai_server, provider="offline") as bot:
        await bot.claim(user)
        assert (await bot.ask(told, user=user)).text
        await bot.ask(wish, user=user)
        await bot.ask("/new", user=user)
        await bot.ebb.agent.drain(10)
        memories = await bot.ask("/memories", user=user)
        assert listed in memories.text
        assert wish.removeprefix("/remember ") in memories.text
    assert not openai_server.requests


# --- what may go wrong ---


async def test_a_missing_and_a_wrong_token(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """One clear sentence, exit code 2."""
    for token, words in ((None, "@BotFather"), ("1:wrong", "does not accept")):
        async with running(tmp_path, telegram_server, openai_server, telegram_token=token) as bot:
            assert await asyncio.wait_for(bot.task, 10) == 2
            assert len(bot.out) == 1
            assert words in bot.out[0]
            assert "1:wrong" not in bot.out[0]


async def test_a_token_refused_later(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Revoked while it runs, the bot ends with the same sentence."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.token = "110201543:another"
        telegram_server.say("Hello?", user=EVE)  # ends the poll that was begun with the old one
        assert await asyncio.wait_for(bot.task, 10) == 2
        assert "does not accept" in bot.out[-1]


async def test_another_poller(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Said once; it gives way only if that lasts."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        conflict = {
            "status": 409,
            "description": "Conflict: terminated by other getUpdates request",
        }
        telegram_server.fault("getUpdates", **conflict)
        telegram_server.say("/help")
        await telegram_server.wait_for(lambda: any("Another program" in line for line in bot.out))
        await telegram_server.wait_for(lambda: "reached again" in bot.out[-1], timeout=20)
        telegram_server.fault("getUpdates", **conflict, times=999)
        telegram_server.say("Hello?", user=EVE)  # ends the poll that was begun before
        assert await asyncio.wait_for(bot.task, 20) == 2
        assert sum("Another program" in line for line in bot.out) == 2


async def test_no_model_set_up(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Said where the bot runs; the offline provider answers meanwhile."""
    nothing: dict[str, Any] = {"provider": "auto", "openai_api_key": None, "openai_base_url": None}
    nothing |= {"chat_model": None, "memory_model": None, "embedder": "auto"}
    async with running(tmp_path, telegram_server, openai_server, **nothing) as bot:
        await bot.claim()
        assert any("No model is set up" in line for line in bot.out)
        assert (await bot.ask("Hello!")).text
    assert not openai_server.requests


async def test_telegram_out_of_reach(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """At the start and later: waited out, nothing lost, said once."""
    telegram_server.down = True
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await telegram_server.wait_for(lambda: len(telegram_server.calls) >= 3)
        telegram_server.down = False
        await bot.claim()
        telegram_server.down = True
        telegram_server.say("Are you there?")
        await asyncio.sleep(0.3)
        telegram_server.down = False
        await telegram_server.wait_for(
            lambda: "You said: Are you there?" in telegram_server.texts(), timeout=20
        )
        assert sum("cannot be reached" in line for line in bot.out) <= 2


async def test_it_stops_at_once_while_telegram_is_out_of_reach(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Asleep until it may try again, it need not wake up by itself first."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.fault("getUpdates", retry_after=30, times=99)
        telegram_server.say("Hello?", user=EVE)  # ends the poll that was begun before
        await telegram_server.wait_for(
            lambda: sum(not c.ok for c in telegram_server.called("getUpdates")) >= 1
        )
        began = time.monotonic()
        assert await bot.end() == 0
        assert time.monotonic() - began < 2.5


async def test_a_poller_that_falls_silent_is_started_anew(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Never silently dead."""
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        (task,) = [t for t in asyncio.all_tasks() if "polling_task" in t.get_name()]
        task.cancel()
        assert (await bot.ask("Still there?")).text == "You said: Still there?"


async def test_the_token_and_the_words_stay_out_of_the_logs(
    tmp_path: Path,
    telegram_server: TelegramServer,
    openai_server: OpenAIServer,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """At any level, whatever happens."""
    caplog.set_level(logging.DEBUG)
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.fault("sendMessage", status=500)
        telegram_server.fault("getUpdates", status=500)
        await bot.ask("The word is plugh")
        await bot.end()
    assert telegram_server.token not in caplog.text
    ours = [
        r
        for r in caplog.records
        if r.name.startswith(("bot.chats.telegram", "telegram", "httpx", "httpcore"))
    ]
    assert "plugh" not in "".join(r.getMessage() for r in ours)


async def test_stopping_lets_a_reply_end(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """What is being written when it is stopped is finished first."""
    openai_server.on("count", say("one two three four five six", delay=0.05), field="last")
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await bot.claim()
        telegram_server.say("count")
        await telegram_server.wait_for(lambda: openai_server.requests)
        assert await bot.end() == 0
    assert telegram_server.texts()[-1] == "one two three four five six"
    assert telegram_server.unconfirmed == 0


async def test_stopping_in_the_middle_loses_nothing(
    tmp_path: Path, telegram_server: TelegramServer, openai_server: OpenAIServer
) -> None:
    """Too slow to wait for, it is answered at the next start, in the message that was begun."""
    slow: dict[str, Any] = {"delay": 0.05}
    rule = openai_server.on(
        "count", say("word " * 3000, **slow), field="last"
    )  # longer than any stop takes
    from dataclasses import replace

    async with running(
        tmp_path, telegram_server, openai_server, timing=replace(QUICK, drain=0.2)
    ) as bot:
        await bot.claim()
        telegram_server.say("count")
        telegram_server.say("and then")
        await telegram_server.wait_for(lambda: "word" in telegram_server.texts()[-1])
        assert await bot.end() == 0
    rule.answers = "one two three"
    begun = telegram_server.bot_messages()[-1]
    async with running(tmp_path, telegram_server, openai_server) as bot:
        await telegram_server.wait_for(lambda: "You said: and then" in telegram_server.texts())
    assert begun.text == "one two three"
    assert telegram_server.texts()[-2:] == ["one two three", "You said: and then"]
