"""Windows: off the record, two at once, one turn at a time."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

from bot.events import Done, Event, WindowMode
from tests.e2e.driver import FakeTime, Window, opened
from tests.e2e.test_scripted_model import chats
from tests.servers.openai import OpenAIServer, say
from tests.servers.tasks import answer_tasks


def dump(home: Path) -> str:
    """Everything in the file, as text."""
    with sqlite3.connect(f"file:{home / 'ebb.db'}?mode=ro", uri=True) as db:
        tables = [
            r[0]
            for r in db.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")
        ]
        keep = [t for t in tables if "vec" not in t and "fts" not in t and t != "sqlite_sequence"]
        return "\n".join(f"{t}: {db.execute(f'SELECT * FROM {t}').fetchall()}" for t in keep)


async def test_off_the_record_nothing_is_written_or_recalled(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Not a message, a job, a log line or an activation; the window remembers itself until it is left."""
    answer_tasks(openai_server)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("My name is Anna.")
        before = dump(tmp_path)
        assert (await w.do("/temp")).mode is WindowMode.TEMP
        said = await w.say("I have a secret crush on Tom.")
        assert isinstance(said.last, Done) and said.recalled == []
        await w.say("What is my name?")
        assert "Anna" not in chats(openai_server, "large")[-1].text
        assert "Tom" in chats(openai_server, "large")[-1].text
        assert "/temp" in (await w.say("Remember that I like figs.")).text
        for text in ("I'm allergic to peanuts.", "我对花生过敏。"):
            await w.say(text)
        assert not (await w.do("/remember I like figs")).ok
        await w.do("/why")
        assert dump(tmp_path) == before
        assert (await w.do("/temp")).mode is WindowMode.NORMAL
        assert "Tom" not in dump(tmp_path)


async def test_read_only_recalls_and_writes_nothing(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """/temp read uses what is known and keeps nothing."""
    answer_tasks(openai_server)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("I'm allergic to peanuts.")
        await w.do("/new")
        before = dump(tmp_path)
        assert (await w.do("/temp read")).mode is WindowMode.PRIVATE
        assert "peanut" in (await w.say("What am I allergic to?")).text
        assert dump(tmp_path) == before


async def test_two_windows_share_one_conversation(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """What is said in one is there in the other, and is seen through subscribe."""
    answer_tasks(openai_server)
    time = FakeTime()
    async with (
        opened(tmp_path, time, openai_server) as terminal,
        opened(tmp_path, time, openai_server) as phone,
    ):
        assert terminal.user_id == phone.user_id
        seen: list[str] = []
        ready = asyncio.Event()

        async def listen() -> None:
            status = await terminal.ebb.agent.get_status(terminal.user_id, terminal.scope, time())
            ready.set()
            async for change in terminal.ebb.agent.subscribe(terminal.user_id, status.last_seq):
                seen.append(f"{change.entity}.{change.op}")

        task = asyncio.create_task(listen())
        await ready.wait()
        await phone.say("I'm allergic to peanuts.")
        async with asyncio.timeout(10):
            while "memory.created" not in seen or seen.count("message.created") < 2:
                await asyncio.sleep(0.05)
        task.cancel()
        history = await terminal.ebb.agent.list_history(terminal.user_id, terminal.scope)
        assert history[0].text == "I'm allergic to peanuts."
        assert "peanut" in (await terminal.say("What am I allergic to?")).text


async def test_turns_of_one_conversation_take_their_turn(tmp_path: Path) -> None:
    """Three messages at once are answered one after the other, each with its reply."""
    async with opened(tmp_path) as w:
        # Not `w.say`, which moves the clock by the length of a lease while the next turn is open.
        async def send(text: str) -> list[Event]:
            return [event async for event in w.ebb.agent.reply(w.turn(text))]

        results = await asyncio.gather(*(send(f"hello number {i}") for i in range(3)))
        assert all(isinstance(events[-1], Done) for events in results)
        history = await w.ebb.agent.list_history(w.user_id, w.scope)
        assert [m.role for m in history] == ["user", "assistant"] * 3


async def test_a_window_that_goes_away_keeps_what_was_said(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Closing the stream in the middle stores the message and what had come."""
    answer_tasks(openai_server, chat=say("word " * 50, delay=0.01))
    async with opened(tmp_path, model=openai_server) as w:
        stream = w.ebb.agent.reply(w.turn("I live in Lyon.", "x"))
        async for event in stream:
            if type(event).__name__ == "Delta":
                break
        await stream.aclose()
        await w.ebb.agent.drain(10)
        history = await w.ebb.agent.list_history(w.user_id, w.scope)
        assert [m.role for m in history] == ["user", "assistant"]
        assert history[1].status == "interrupted"
        assert any("Lyon" in t for t in await w.texts())


async def test_a_window_that_goes_away_while_its_turn_begins_holds_up_nobody(
    tmp_path: Path,
) -> None:
    """Its turn is in the store or not, but it has ended: the next one need not wait for its lease."""
    busy, over = threading.Event(), threading.Event()

    def hold(_tx: object) -> None:
        busy.set()
        over.wait(5)

    async with opened(tmp_path) as w, opened(tmp_path, w.time) as other:
        holding = asyncio.create_task(other.ebb.store.write(w.user_id, hold))
        await asyncio.to_thread(busy.wait)
        going = asyncio.create_task(w.say("I'm allergic to peanuts."))
        await asyncio.sleep(0.2)
        going.cancel()
        await asyncio.sleep(0.05)
        over.set()
        await asyncio.wait({going, holding})
        assert going.cancelled()
        async with asyncio.timeout(20):
            assert isinstance((await w.say("What is new?")).last, Done)


async def test_a_group_never_shows_what_was_said_in_private(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    """Recall and residents of a group come from that group alone."""
    answer_tasks(openai_server)
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("I'm allergic to peanuts.")
        await w.do("/new")
        group = Window(w.ebb, w.time, origin="telegram:-5", scope="chat:-5")
        said = await group.say("What am I allergic to?")
        assert said.recalled == []
        assert "peanut" not in chats(openai_server, "large")[-1].text
