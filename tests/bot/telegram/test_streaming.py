"""A reply is painted with restraint while it is written, and complete in the end, whatever Telegram does."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator

import pytest
from telegram import Bot, InlineKeyboardMarkup

from bot.chats.telegram import buttons
from bot.chats.telegram.outbox import ChatGone, Destination, Outbox, ReplyStream
from bot.chats.telegram.render import MessagePart, render
from bot.chats.telegram.wire import BotTiming, PollingBot
from tests.servers.telegram import ADA, Call, Person, TelegramServer

QUICK = BotTiming(
    private_interval=0.08, group_interval=0.24, first_paint=0.02, retry_first=0.02, typing_every=0.1
)
HERE = Destination(ADA.id)
STOP = buttons.make_stop_row("en")


@pytest.fixture
async def bot(telegram_server: TelegramServer) -> AsyncIterator[Bot]:
    """A real bot of python-telegram-bot, in a chat where somebody has written."""
    telegram_server.say("hi")
    bot = PollingBot(telegram_server.token, telegram_server.url)
    async with bot:
        yield bot


def outbox(bot: Bot, server: TelegramServer, timing: BotTiming = QUICK) -> Outbox:
    out = Outbox(bot, timing)
    out.record_message(ADA.id, max(server.chats[ADA.id]))
    return out


async def written(
    bot: Bot,
    server: TelegramServer,
    text: str,
    *,
    pause: float = 0.01,
    step: int = 8,
    where: Destination = HERE,
) -> ReplyStream:
    """Stream a text and finish it."""
    reply = ReplyStream(outbox(bot, server), where, stop=STOP)
    async with reply:
        for i in range(0, len(text), step):
            reply.feed(text[i : i + step])
            await asyncio.sleep(pause)
        await reply.finish(render(text))
    return reply


def gaps(calls: list[Call]) -> list[float]:
    return [b.at - a.at for a, b in itertools.pairwise(calls)]


async def test_painted_and_complete(bot: Bot, telegram_server: TelegramServer) -> None:
    """One message, edited at a distance, with a Stop button until it is whole."""
    text = "The **quick** brown fox jumps over the lazy dog. " * 5
    seen: list[tuple[str, list[str]]] = []
    telegram_server.on_show = lambda m, _: seen.append((m.text, m.buttons))
    await written(bot, telegram_server, text)
    (shown,) = telegram_server.bot_messages()
    assert shown.text == render(text)[0].text
    assert {e["type"] for e in shown.entities} == {"bold"}
    assert shown.buttons == []
    assert len(seen) > 2
    assert all(buttons == ["■ Stop"] for _, buttons in seen[:-1])
    assert all(text.replace("*", "").startswith(t[:10]) for t, _ in seen)
    assert min(gaps(telegram_server.called("sendMessage", "editMessageText"))) >= 0.07


async def test_a_group_is_edited_less_often(bot: Bot, telegram_server: TelegramServer) -> None:
    """Groups have a limit of their own."""
    telegram_server.say("hello", chat=-50)
    where = Destination(-50, private=False)
    await written(bot, telegram_server, "word " * 60, where=where)
    calls = telegram_server.called("sendMessage", "editMessageText")
    assert min(gaps(calls)) >= 0.23


async def test_a_quick_reply_is_sent_whole(bot: Bot, telegram_server: TelegramServer) -> None:
    """What is done before the first frame needs no edit."""
    reply = ReplyStream(outbox(bot, telegram_server, BotTiming(first_paint=5.0)), HERE, stop=STOP)
    async with reply:
        reply.feed("Hello!")
        await reply.finish(render("Hello!"))
    assert telegram_server.texts() == ["Hello!"]
    assert not telegram_server.called("editMessageText")


async def test_typing_until_the_first_words(bot: Bot, telegram_server: TelegramServer) -> None:
    """“typing…” is shown while there is nothing to show, and not after."""
    reply = ReplyStream(outbox(bot, telegram_server), HERE, stop=STOP)
    async with reply:
        await asyncio.sleep(0.25)
        before = len(telegram_server.called("sendChatAction"))
        reply.feed("At last")
        await asyncio.sleep(0.3)
        after = len(telegram_server.called("sendChatAction"))
        await reply.finish(render("At last."))
    assert 2 <= before <= 4
    assert after <= before + 1


async def test_longer_than_a_message(bot: Bot, telegram_server: TelegramServer) -> None:
    """Past 4,096 units the reply goes on in the next message, formatted on both sides."""
    text = "".join(f"{i}. **Point** number {i} 😀 has something to say\n" for i in range(300))
    await written(bot, telegram_server, text, step=600, pause=0.03)
    shown = telegram_server.bot_messages()
    assert [m.text for m in shown] == [p.text for p in render(text)]
    assert len(shown) > 2
    assert all(m.entities for m in shown)
    assert not any(c.description.endswith("too long") for c in telegram_server.calls)


async def test_flood_control_drops_frames_but_never_the_end(
    bot: Bot, telegram_server: TelegramServer
) -> None:
    """While Telegram asks us to wait nothing is sent; then the reply is complete."""
    telegram_server.fault("editMessageText", status=429, retry_after=1)
    text = "some words that matter " * 10
    await written(bot, telegram_server, text)
    assert telegram_server.texts() == [text.strip()]
    edits = telegram_server.called("editMessageText")
    refused = next(i for i, c in enumerate(edits) if not c.ok)
    assert edits[refused + 1].at - edits[refused].at >= 0.95


async def test_the_end_waits_out_flood_control(bot: Bot, telegram_server: TelegramServer) -> None:
    """Refused at the very end, it is sent again, as often as it takes."""
    reply = ReplyStream(outbox(bot, telegram_server), HERE, stop=STOP)
    async with reply:
        reply.feed("begin")
        await telegram_server.wait_for(telegram_server.texts)
        telegram_server.fault("*", status=429, retry_after=1, times=2, when=lambda p: "text" in p)
        await reply.finish(render("begin and end"))
    assert telegram_server.texts() == ["begin and end"]


@pytest.mark.parametrize(
    "fault", [{"status": 500}, {"drop": True}, {"drop": True, "after": True}, {"status": 502}]
)
@pytest.mark.parametrize("method", ["sendMessage", "editMessageText"])
async def test_a_broken_connection_makes_no_second_reply(
    bot: Bot, telegram_server: TelegramServer, fault: dict[str, object], method: str
) -> None:
    """Whether or not the request was carried out before the connection broke, there is one complete reply."""
    telegram_server.fault(method, **fault)
    text = "one reply and no more " * 8
    await written(bot, telegram_server, text)
    assert telegram_server.texts() == [text.strip()]


async def test_a_whole_reply_whose_sending_broke_is_found(
    bot: Bot, telegram_server: TelegramServer
) -> None:
    """The same for a reply that was sent whole."""
    telegram_server.fault("sendMessage", drop=True, after=True)
    reply = ReplyStream(
        outbox(bot, telegram_server, BotTiming(first_paint=9, retry_first=0.02)), HERE, stop=STOP
    )
    async with reply:
        await reply.finish(render("Hello!"))
    assert telegram_server.texts() == ["Hello!"]


async def test_a_preview_that_cannot_be_edited_is_replaced(
    bot: Bot, telegram_server: TelegramServer
) -> None:
    """Gone or refused, the preview gives way to a new message, and does not stay beside it."""
    refused = "Bad Request: message can't be edited"
    telegram_server.fault("editMessageText", status=400, description=refused, times=99)
    text = "some words that matter " * 10
    reply = await written(bot, telegram_server, text)
    assert telegram_server.texts() == [text.strip()]
    assert [m.id for m in telegram_server.bot_messages()] == reply.message_ids


async def test_a_deleted_preview_is_sent_anew(bot: Bot, telegram_server: TelegramServer) -> None:
    """Somebody deleted it while it was being written."""
    reply = ReplyStream(outbox(bot, telegram_server), HERE, stop=STOP)
    async with reply:
        reply.feed("first words")
        (shown,) = await telegram_server.wait_for(telegram_server.bot_messages)
        del telegram_server.chats[ADA.id][shown.id]
        await reply.finish(render("first words and last"))
    assert telegram_server.texts() == ["first words and last"]


async def test_refused_formatting_costs_the_formatting(
    bot: Bot, telegram_server: TelegramServer
) -> None:
    """Plain text rather than no text."""
    refused = "Bad Request: can't parse entities: who knows"
    telegram_server.fault(
        "sendMessage",
        status=400,
        description=refused,
        times=9,
        when=lambda p: bool(p.get("entities")),
    )
    message_id = await outbox(bot, telegram_server).send(HERE, render("**bold** words")[0])
    shown = telegram_server.chats[ADA.id][message_id]
    assert (shown.text, shown.entities) == ("bold words", [])


async def test_not_modified_is_no_failure(bot: Bot, telegram_server: TelegramServer) -> None:
    """Showing what is shown already is done."""
    out = outbox(bot, telegram_server)
    message_id = await out.send(HERE, MessagePart("same"))
    await out.edit(HERE, message_id, MessagePart("same"))
    assert telegram_server.texts() == ["same"]


async def test_a_blocked_bot_gives_up(bot: Bot, telegram_server: TelegramServer) -> None:
    """There is nobody to write to."""
    telegram_server.fault(
        "sendMessage", status=403, description="Forbidden: bot was blocked by the user", times=9
    )
    with pytest.raises(ChatGone):
        await outbox(bot, telegram_server).send(HERE, MessagePart("hello"))
    with pytest.raises(ChatGone):
        await outbox(bot, telegram_server).send(Destination(4711), MessagePart("hello"))


async def test_shown_messages_are_reused(bot: Bot, telegram_server: TelegramServer) -> None:
    """A reply that replaces an older one takes its messages, and removes those it does not need."""
    out = outbox(bot, telegram_server)
    old = [await out.send(HERE, MessagePart(t)) for t in ("old one", "old two")]
    reply = ReplyStream(out, HERE, shown=old)
    assert await reply.finish(render("new")) == old[:1]
    assert telegram_server.texts() == ["new"]


async def test_after_a_crash_the_lost_message_is_found(
    bot: Bot, telegram_server: TelegramServer
) -> None:
    """Sent, and never heard of: it becomes the reply, and other messages are left alone."""
    asked = telegram_server.say("question")
    notice = await bot.send_message(ADA.id, "a known notice")
    telegram_server.say("something else")
    preview = await bot.send_message(ADA.id, "half a rep", reply_markup=STOP)
    out = Outbox(bot, QUICK)
    out.record_message(ADA.id, notice.message_id)
    out.check_lost_message(ADA.id, asked)
    assert await out.send(HERE, MessagePart("half a reply and the rest")) == preview.message_id
    assert telegram_server.texts() == ["a known notice", "half a reply and the rest"]


@pytest.mark.parametrize("which", [1, 2])
@pytest.mark.parametrize("late", [False, True])
async def test_a_lost_message_among_busy_chats(
    bot: Bot, telegram_server: TelegramServer, which: int, late: bool
) -> None:
    """Message ids are one sequence for all chats; whichever message was lost, one complete reply stays."""
    others = [Person(2000 + n, f"P{n}") for n in range(10)]
    out, text = (
        outbox(bot, telegram_server),
        "a line that says something\n" * (8 if which == 1 else 300),
    )

    async def chatter() -> None:
        while True:
            for person in others:
                told = telegram_server.say("hello", user=person)
                if told % 3:  # the rest we hear of later
                    out.record_message(person.id, told)
            await out.send(Destination(others[0].id), MessagePart("an answer"))
            await asyncio.sleep(0.05)

    count = 0

    def hits(p: dict[str, object]) -> bool:
        nonlocal count
        count += p["chat_id"] == str(ADA.id)
        return p["chat_id"] == str(ADA.id) and count == which

    telegram_server.fault("sendMessage", drop=True, after=not late, when=hits)
    talk = asyncio.create_task(chatter())
    reply = ReplyStream(out, HERE, stop=STOP)
    async with reply:
        for i in range(20):
            reply.feed(text[i * len(text) // 20 : (i + 1) * len(text) // 20])
            await asyncio.sleep(0.02)
        if late:  # what seemed not to be carried out is carried out only now
            while len(telegram_server.texts()) < which:
                reply.feed(" ")
                await asyncio.sleep(0.02)
            telegram_server._do_send_message(
                {"chat_id": ADA.id, "text": "a line", "reply_markup": STOP.to_dict()}
            )
        await reply.finish(render(text))
    talk.cancel()
    assert telegram_server.texts() == [p.text for p in render(text)]
    assert not any(m.buttons for m in telegram_server.bot_messages())


def test_buttons_hold_64_bytes() -> None:
    """Whatever the label or the key, Telegram takes the button."""
    for value in ("k7f3a2", "中" * 40, ",".join(f"id{i:04}" for i in range(50))):
        made = buttons.make_button("标签 " * 50, "choose", value)
        assert len(str(made.callback_data).encode()) <= 64
        assert buttons.parse_press(str(made.callback_data)) is not None
    markup = buttons.make_notice_row([f"id{i:04}" for i in range(50)], ["set001"], "en")
    assert isinstance(markup, InlineKeyboardMarkup)
    data = str(markup.inline_keyboard[0][0].callback_data)
    assert len(data.encode()) <= 64
    assert all(len(i) == 6 for i in data[2:].split(","))
    assert buttons.parse_press("x:1") is None
    assert buttons.parse_press(None) is None
