"""A window on a real Ebb, driven by keys: what is said, shown, learned, taken back and left."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from textual import events

from bot.events import WindowMode
from bot.settings import Settings
from memory.ports import Transaction
from tests.pictures import PNG
from tests.servers.openai import OpenAIServer, fail, say
from tests.tui.driver import Window, opener, window
from tui.widgets.entries import ChoiceList, FinishedMessage
from tui.widgets.panel import LearningNotice, RecalledEntry
from tui.widgets.reply import LiveReply


def _spoken(w: Window) -> list[str]:
    return [s.line.text for s in w.chat.conversation.spoken]


async def test_a_reply_streams_in_and_stays_markdown(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """Question, reply, header; and Markdown is shown as what it means."""
    openai_server.queue.append(say("Here is a **plan**:\n\n- first\n- second", delay=0.005))
    async with window(online) as w:
        await w.write("What now?")
        await w.pilot.press("enter")
        await w.sees("You", "What now?", "Here is a plan:", "• first", "talker")
        await w.until(lambda: not w.chat.replies.writing)
        assert _spoken(w) == ["What now?", "Here is a **plan**:\n\n- first\n- second"]
        assert "**" not in w.screen()


async def test_chinese_is_spoken_to_who_writes_chinese(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """After a message in Chinese the window speaks Chinese, and its lines break where Chinese may."""
    openai_server.queue.append(
        say("我记住了，你现在住在 Lisbon，每天早上都喝乌龙茶，周末去海边散步。" * 3)
    )
    async with window(replace(online, lang=None), size=(60, 30)) as w:
        await w.sees("Write to Ebb")
        await w.send("我现在住在 Lisbon，每天早上都喝乌龙茶。")
        await w.sees("写给 Ebb", "你  ", "发送")
        rows = [row for row in w.screen().split("\n") if "▌" in row]
        assert not [row for row in rows if row.strip("▌ ").startswith(("，", "。"))]


async def test_what_was_learned_shows_and_can_be_taken_back(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """A notice under the reply, an entry in the panel, and u on the notice takes both back."""
    openai_server.on(
        "listener", ["[ADD kind=preference] Drinks oolong in the morning", "[SKIP]"], field="model"
    )
    async with window(online) as w:
        await w.send("I drink oolong in the morning.")
        await w.until(lambda: w.chat.conversation.query(LearningNotice), "a notice")
        await w.sees("+ remembered  🎨 Drinks oolong in the morning", "1 memory", "Learned")
        reply = w.chat.conversation.find(w.chat.conversation.spoken[-1].line.turn_id, "assistant")
        assert reply is not None
        assert isinstance(w.chat.conversation._next(reply), LearningNotice)
        await w.focus(LearningNotice)
        await w.sees("u undo")
        await w.pilot.press("u")
        await w.sees("Taken back")
        await w.until(lambda: not w.chat.conversation.query(LearningNotice), "the notice gone")
        assert w.chat._status is not None
        await w.until(lambda: w.chat._status is not None and w.chat._status.memories == 0)


async def test_what_came_to_mind_shows_beside_the_reply(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """The panel lists what this reply recalled, with its level, kind and relevance; /why explains it."""
    openai_server.on(
        "listener", ["[ADD kind=fact] Has a cat called Misty", "[SKIP]"], field="model"
    )
    async with window(online) as w:
        await w.send("Misty came to me as a kitten.")
        await w.sees("+ remembered")
        await w.send("What do you know of my cat Misty?")
        await w.until(
            lambda: [
                r for r in w.chat.panel.query(RecalledEntry) if "Misty" in r.hit.memory.content
            ]
        )
        await w.sees("In mind for this reply", "%")
        await w.send("/why")
        await w.sees("ou told me on", "Misty came to me as a kitten.")
        await w.send("/why more")
        await w.sees("For my last reply I recalled", "relevance")


async def test_forgetting_leaves_the_window_too(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """After /forget neither the message, nor a notice, nor the panel shows the thing."""
    openai_server.on(
        "listener", ["[ADD kind=fact] Has a cat called Misty", "[SKIP]"], field="model"
    )
    openai_server.default = "Mm."
    async with window(online) as w:
        await w.send("My cat is called Misty.")
        await w.sees("+ remembered")
        await w.send("/forget my cat Misty")
        await w.sees("Forgotten", "(forgotten)")
        await w.until(lambda: not w.chat.conversation.query(LearningNotice), "the notice gone")
        said = [s.line for s in w.chat.conversation.spoken if s.line.role == "user"]
        assert [line.hidden for line in said] == [True]
        assert "My cat is called" not in w.screen()
        assert not [n for n in w.chat.query(LearningNotice) if "Misty" in n.source]


async def test_a_question_is_answered_by_its_number(online: Settings) -> None:
    """Where several things could be meant, they are offered, and a digit picks one."""
    async with window(online) as w:
        await w.send("/remember I play the piano on Mondays")
        await w.send("/remember I play the piano with Ana")
        await w.send("/forget piano")
        await w.until(lambda: isinstance(w.app.focused, ChoiceList), "choices")
        await w.sees("Which of these", "1 ", "2 ")
        await w.pilot.press("1")
        await w.sees("Forgotten")
        assert w.app.focused is w.chat.composer.field
        await w.until(lambda: w.chat._status is not None and w.chat._status.memories == 1)


async def test_what_is_typed_past_a_question_arrives_whole(online: Settings) -> None:
    """A burst of keys while a question has them, spaces and digits among them: the first letter leads to the field."""
    async with window(online) as w:
        await w.send("/remember I play the piano on Mondays")
        await w.send("/remember I play the piano with Ana")
        await w.send("/forget piano")
        await w.until(lambda: isinstance(w.app.focused, ChoiceList), "choices")
        for c in "/forget a b 2 c":
            key = {" ": "space", "/": "slash"}.get(c, c)
            w.app.post_message(events.Key(key, c))
        await w.until(lambda: w.chat.composer.field.text == "/forget a b 2 c", "every letter")
        assert not w.chat.query_one(ChoiceList).disabled


async def test_what_is_no_longer_so_is_marked_in_the_list(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """What was taken back stands there as the past, a quotation in quotation marks."""
    openai_server.default = "Mm."
    kept = "[ADD kind=preference] Likes oolong"
    openai_server.on(
        "listener",
        lambda r: "[SKIP]" if "today" in r.text.rpartition("<exchange>")[2] else kept,
        field="model",
    )
    async with window(online) as w:
        await w.send("I like oolong")
        await w.sees("+ remembered")
        [memory] = (await w.chat.link.command("memories", "")).memories

        def past(tx: Transaction) -> None:
            tx.changes.begin("user", "edit", memory.created_at)
            quote = replace(memory, negated_at=memory.created_at, modalities=("text", "quote"))
            tx.memories.put(quote, "negated")

        await cast("Any", w.app.link.ebb).store.write(memory.user_id, past)
        await w.send("/memories")
        await w.sees("no longer so · “Likes oolong”")


async def test_memories_are_listed_searched_and_forgotten(online: Settings) -> None:
    """/memories opens the browser; / searches; d asks and then forgets; u brings back; Esc leaves."""
    async with window(online) as w:
        await w.send("/remember I drink oolong in the morning")
        await w.send("/remember My sister lives in Porto")
        await w.write("/mem")
        await w.sees("/memories")
        await w.pilot.press("enter")
        await w.sees("What I remember  2", "oolong", "Porto", "weight", "learned", "your word")
        await w.pilot.press("/")
        await w.write("Porto")
        await w.pilot.press("enter")
        await w.sees("What I remember  1")
        await w.pilot.press("d")
        await w.sees("Press d again")
        await w.pilot.press("d")
        await w.sees("Gone.")
        await w.pilot.press("u")
        await w.sees("Taken back", "Porto")
        await w.pilot.press("escape")
        await w.sees("Write to Ebb")
        await w.until(lambda: w.chat._status is not None and w.chat._status.memories == 2)


async def test_the_browser_turns_its_pages(online: Settings) -> None:
    """With counts; left and right turn, a search counts anew, and typing there turns nothing."""
    async with window(online) as w:
        for n in range(1, 66):
            await w.chat.link.command("remember", f"my locker in hall {n:02d} is number {n}{n}")
        await w.send("/memories")
        await w.sees("What I remember  1–30 of 65", "←→ page")
        await w.pilot.press("right")
        await w.sees("31–60 of 65")
        await w.pilot.press("n")
        await w.sees("61–65 of 65")
        await w.pilot.press("right")
        await w.sees("61–65 of 65")
        await w.pilot.press("d")
        await w.pilot.press("d")
        await w.sees("Gone.", "61–64 of 64")
        await w.pilot.press("p")
        await w.sees("31–60 of 64")
        await w.pilot.press("/")
        await w.write("hall 07")
        await w.pilot.press("left", "enter")
        await w.until(lambda: "What I remember  1\n" in w.screen())


@pytest.mark.parametrize(
    ("command", "mode", "badge"), [("/temp", "temp", "TEMP"), ("/temp read", "private", "PRIVATE")]
)
async def test_off_the_record_is_unmistakable(
    online: Settings, openai_server: OpenAIServer, command: str, mode: str, badge: str
) -> None:
    """Badge, placeholder and divider say it; nothing is stored; leaving it clears what was said there."""
    async with window(online) as w:
        await w.send("On the record.")
        await w.send(command)
        await w.sees(badge, "nothing said here is kept")
        assert w.app.link.mode is WindowMode(mode)
        assert w.chat.has_class(f"-{mode}")
        await w.send("A secret plan")
        await w.sees("A secret plan", "off the record")
        await w.send("/temp")
        await w.sees("Back on the record")
        assert badge not in w.screen()
        assert "A secret plan" not in w.screen()
        stored = await w.app.link.history(50)
        assert [m.text for m in stored if m.role == "user"] == ["On the record."]
        await w.pilot.press("up")
        assert w.chat.composer.text == command


async def test_a_failed_reply_keeps_what_came_and_can_be_tried_again(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """One sentence, what had come is marked, r tries the same turn again: it stands there once."""
    openai_server.queue.append(say("I was just about to say", fault="truncate", after=4))
    openai_server.queue.append(say("All of it this time."))
    async with window(online) as w:
        await w.send("Tell me.")
        await w.sees("✗", "try again", "broken off")
        (reply,) = w.chat.conversation.query(LiveReply)
        assert reply.failed is not None
        assert "I was just" in w.screen()
        await w.focus(LiveReply)
        await w.pilot.press("r")
        await w.sees("All of it this time.")
        await w.until(lambda: not w.chat.replies.writing)
        assert _spoken(w) == ["Tell me.", "All of it this time."]


async def test_an_error_before_the_first_word(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """A bad key is one sentence, without a trace and without the key."""
    openai_server.key = "another"
    async with window(online) as w:
        await w.send("Hello?")
        await w.sees("✗")
        assert "Traceback" not in w.screen()
        assert "sk-test" not in w.screen()


async def test_escape_stops_and_keeps(online: Settings, openai_server: OpenAIServer) -> None:
    """What had come stays, marked as stopped, here and in the store."""
    openai_server.queue.append(say("word " * 400, delay=0.02))
    async with window(online) as w:
        await w.send("Talk.", wait=False)
        await w.sees("word word word")
        await w.sees("Esc stop")
        await w.pilot.press("escape")
        await w.sees("stopped")
        stored = (await w.app.link.history(5))[-1]
        assert stored.status == "stopped"
        assert 0 < len(stored.text) < 2000


async def test_a_hang_is_said_and_retry_answers(
    online: Settings, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the reply, until it comes; a stopped one is not tried again, a failed one is."""
    monkeypatch.setattr("bot.agent.streaming.HANG", 0.1)
    openai_server.queue.extend([fail("bad_key"), say("Here.", first_delay=0.5)])
    async with window(online) as w:
        await w.send("Hello?")
        await w.sees("/retry answers")
        await w.send("/retry", wait=False)
        await w.sees("still waiting for the model")
        await w.sees("Here.")
        await w.until(lambda: "still waiting" not in w.screen() and not w.chat.replies.writing)
        assert [m.text for m in await w.app.link.history(9)] == ["Hello?", "Here."]


async def test_what_is_typed_ahead_waits_its_turn(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """It is shown while it waits, can be taken back, and is sent when the reply is there."""
    openai_server.queue.append(say("slow " * 300, delay=0.02))
    async with window(online) as w:
        await w.send("first", wait=False)
        await w.sees("slow")
        await w.send("second", wait=False)
        await w.send("third", wait=False)
        await w.sees("next: second  (and 1 more)")
        assert w.chat.replies.take_back() == "third"
        await w.pilot.press("escape")
        await w.until(lambda: not w.chat.replies.writing and not w.chat.replies.waiting)
        assert [s.line.text for s in w.chat.conversation.spoken if s.line.role == "user"] == [
            "first",
            "second",
        ]
        assert "] second\n\n<recalled>" in _spoken(w)[-1]


async def test_another_windows_words_appear_by_themselves(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """What is said elsewhere in the same conversation shows here, in order, and a session closed there too."""
    openai_server.default = "Mm."
    async with window(online) as w:
        await w.send("said here")
        async with opener(online) as other:
            from tui.connection import AgentConnection

            link = AgentConnection(online)
            link._ebb = other
            async for _ in other.agent.reply(link.turn("said on the phone")):
                pass
            await w.sees("said on the phone")
            await w.until(lambda: _spoken(w) == ["said here", "Mm.", "said on the phone", "Mm."])
            await link.command("new")
            await w.sees("── new conversation")
            link._ebb = None


async def test_a_new_session_is_a_line_and_says_what_was_kept(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """/new draws a divider; what the last conversation came to is said when it is known."""
    openai_server.on("listener", lambda r: "[]" if "JSON" in r.system else "[SKIP]", field="model")
    async with window(online) as w:
        await w.send("One.")
        await w.send("/new")
        await w.sees("› /new", "── new conversation · Mon 2 Mar, 09:41")
        await w.sees("The last conversation")


async def test_learning_that_waits_is_said_once(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """Why, and that nothing is lost; not again for the next message."""
    openai_server.on("listener", fail("no_credit"), field="model")
    async with window(online) as w:
        await w.send("One.")
        await w.sees("can’t learn right now", "no credit", "Nothing is lost", "catch up")
        await w.send("Two.")
        await w.pilot.pause(0.5)
        assert w.screen().count("can’t learn right now") == 1


async def test_the_conversation_goes_on_after_a_restart(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """Another window finds what was said, cheap and without live widgets, and Up finds one's own words."""
    async with window(online) as w:
        await w.send("Before the restart.")
    async with window(online) as w:
        await w.sees("Before the restart.", "You said")
        assert not w.chat.conversation.query(LiveReply)
        assert len(w.chat.conversation.query(FinishedMessage)) == 2
        await w.pilot.press("up")
        assert w.chat.composer.text == "Before the restart."


async def test_long_conversations_stay_light_and_can_be_read_back(
    online: Settings, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few live widgets however much is said; further back is read on the way up, without moving the reader."""
    monkeypatch.setattr("tui.screens.chat.PAGE", 20)
    monkeypatch.setattr("tui.change_follower.PAGE", 20)
    monkeypatch.setattr("tui.widgets.conversation.LIVE", 2)
    openai_server.default = lambda _: "\n\n".join(f"line {n}" for n in range(6))
    async with window(online, size=(80, 20)) as w:
        link = w.app.link
        for n in range(13):
            async for _ in link.agent.reply(link.turn(f"message {n}")):
                pass
    async with window(online, size=(80, 20)) as w:
        view = w.chat.conversation
        assert view.stored == 20
        oldest = view.spoken[0]
        await w.pilot.press("ctrl+home")
        await w.until(lambda: view.stored > 20, "older messages")
        await w.until(lambda: view.scroll_y > 1, "the reader's place")
        assert oldest.region.y >= view.region.y
        await w.pilot.press("ctrl+end")
        for n in range(4):
            await w.send(f"more {n}")
        assert len(view.query(LiveReply)) <= 2


async def test_reading_above_is_not_disturbed(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """While a reply streams in, the place that was scrolled to stays."""
    openai_server.queue.append("\n\n".join(f"paragraph {n}" for n in range(25)))
    openai_server.queue.append(say("\n\n".join(f"later {n}" for n in range(25)), delay=0.01))
    async with window(online, size=(80, 20)) as w:
        await w.send("Go on.")
        await w.send("And on.", wait=False)
        await w.sees("later")
        await w.pilot.press("pageup", "pageup", "pageup")
        at = w.chat.conversation.scroll_y
        await w.until(lambda: not w.chat.replies.writing)
        assert w.chat.conversation.scroll_y == at


async def test_copying_takes_the_source(
    online: Settings, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    """Without a tool the terminal's way is used, and said; what is copied is the Markdown as written."""
    monkeypatch.setenv("PATH", str(tmp_path))
    openai_server.queue.append("A **bold** claim.")
    async with window(online) as w:
        await w.send("Claim something.")
        await w.pilot.press("ctrl+y")
        await w.sees("OSC 52")
        assert w.app.clipboard == "A **bold** claim."


async def test_typing_anywhere_leads_back_to_the_composer(online: Settings) -> None:
    """From a message, a letter that is no key there begins the next message."""
    async with window(online) as w:
        await w.send("One.")
        await w.focus(FinishedMessage, LiveReply)
        await w.pilot.press("x")
        assert w.app.focused is w.chat.composer.field
        assert w.chat.composer.text == "x"


async def test_the_panel_fits_the_window(online: Settings) -> None:
    """It hides by itself where there is no room, and a key shows it in the conversation's place."""
    async with window(online, size=(70, 30)) as w:
        assert not w.chat.panel.display
        await w.pilot.press("ctrl+o")
        await w.sees("In mind for this reply")
        assert w.chat.composer.display
        await w.send("Hello.")
        assert not w.chat.panel.display
    async with window(online, size=(120, 30)) as w:
        assert w.chat.panel.display
        await w.pilot.press("ctrl+o")
        assert not w.chat.panel.display


async def test_what_a_model_writes_cannot_command_the_terminal(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """Escape sequences in a reply are shown and do nothing."""
    openai_server.queue.append(say("safe\x1b]52;c;aGFjaw==\x07 text"))
    async with window(online) as w:
        await w.send("Hello.")
        await w.sees("safe␛]52;c;aGFjaw==␇ text")
        assert "\x1b" not in w.screen()


async def test_what_was_typed_is_shown_as_typed(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """In what was said, in answers to commands and in Ebb's own replies: no Markdown, no markup."""
    openai_server.default = "Mm."
    async with window(online) as w:
        for text in ("/remember I own 47*11*9 _tiles_ [b]x[/b]", "forget **zork** `<T>`"):
            await w.send(text)
        await w.sees("47*11*9 _tiles_ [b]x[/b]")
        await w.sees("forget **zork** `<T>`", "“**zork** `<T>`”")


async def test_a_theme_is_remembered(online: Settings) -> None:
    """Ctrl+T goes to the next look, and the next start has it."""
    from bot import settings as config

    async with window(online) as w:
        assert w.app.theme == "tide"
        await w.pilot.press("ctrl+t")
        await w.sees("Shore")
    assert config.load({"EBB_HOME": str(online.home)}).theme == "shore"


async def test_writing_in_another_window_is_said(
    online: Settings, openai_server: OpenAIServer
) -> None:
    """While the other window's reply is written, this one says so."""
    openai_server.queue.append(say("slow " * 60, delay=0.03))
    async with window(online) as w, opener(online) as other:
        from tui.connection import AgentConnection

        link = AgentConnection(online)
        link._ebb = other

        async def talk() -> None:
            async for _ in other.agent.reply(link.turn("from the phone")):
                pass

        task = asyncio.create_task(talk())
        await w.sees("writing in another window")
        await task
        await w.until(lambda: "writing in another window" not in w.screen())
        link._ebb = None


async def test_a_paste_of_any_size_is_safe(online: Settings, openai_server: OpenAIServer) -> None:
    """A long paste shows as one word and is sent whole; a short one is inserted; neither sends by itself."""
    openai_server.default = "Mm."
    async with window(online) as w:
        field = w.chat.composer.field
        field.post_message(events.Paste("two\r\nlines\x1b[31m"))
        await w.until(lambda: w.chat.composer.text == "two\nlines␛[31m")
        field.load_text("see: ")
        field.move_cursor(field.document.end)
        long = "\n".join(f"row {n}" for n in range(1500))
        field.post_message(events.Paste(long))
        await w.until(lambda: "[pasted #1: 1500 lines]" in w.chat.composer.text)
        assert not _spoken(w)
        await w.pilot.press("enter")
        await w.until(lambda: not w.chat.replies.writing and _spoken(w))
        assert _spoken(w)[0] == f"see: {long}"


async def test_a_dropped_picture_is_sent(
    online: Settings, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Its name stands in the composer, and goes with the message; without its name it does not."""
    openai_server.default = "A cat."
    path = tmp_path / "my cat.png"
    path.write_bytes(PNG)
    async with window(online) as w:
        field = w.chat.composer.field
        field.post_message(events.Paste(f"'{path}'"))
        await w.until(lambda: w.chat.composer.text == "[picture: my cat.png] ")
        field.insert("Who is this?")
        await w.pilot.press("enter")
        await w.sees("A cat.", "Who is this?", "[picture: my cat.png]")
        chat = [r for r in openai_server.chats if r.images]
        assert [r.images for r in chat] == [[PNG]]
        assert "Who is this?" in chat[0].last
        field.post_message(events.Paste(str(path)))
        await w.until(lambda: "my cat.png" in w.chat.composer.text)
        field.load_text("Nothing")
        await w.pilot.press("enter")
        await w.until(lambda: len(_spoken(w)) == 4)
        assert len([r for r in openai_server.chats if r.images]) == 1
