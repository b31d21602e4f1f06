"""MEMORY.md while Ebb is running: edits of either side reach the other within seconds, and questions are asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from memory.models import Filter
from tests.e2e.driver import Window, opened
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks


async def until(holds: Callable[[], bool], seconds: float = 12) -> None:
    """Wait for what happens in the background."""
    end = monotonic() + seconds
    while not holds():
        assert monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.05)


async def told(window: Window, word: str, seconds: float = 12) -> list[str]:
    """Until a memory says it."""
    end = monotonic() + seconds
    while monotonic() < end:
        found = [t for t in await window.texts() if word in t]
        if found:
            return found
        await asyncio.sleep(0.1)
    raise AssertionError(f"nobody remembered {word}")


async def test_both_directions(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """What is said is in the file; what is saved in an editor is remembered, recalled, and can be taken back."""
    answer_tasks(openai_server)
    path = tmp_path / "MEMORY.md"
    async with opened(tmp_path, model=openai_server) as window:
        await window.do("/remember I'm allergic to peanuts")
        await window.do("/remember 我喜欢喝乌龙茶")
        text = path.read_text("utf-8")
        assert "I'm allergic to peanuts" in text
        assert "我喜欢喝乌龙茶" in text
        edited = text.replace("我喜欢喝乌龙茶", "我喜欢喝普洱茶").replace(
            "## Archived", "- 我养了一只叫团子的猫\n\n## Archived"
        )
        path.write_bytes(edited.replace("\n", "\r\n").encode("utf-8-sig"))
        assert await told(window, "普洱") == ["我喜欢喝普洱茶"]
        assert await told(window, "团子") == ["我养了一只叫团子的猫"]
        await until(lambda: "- 我养了一只叫团子的猫 <!-- [" in path.read_text("utf-8"))
        assert "团子" in (await window.say("我的猫叫什么名字？")).text
        undone = await window.do("/undo")
        assert "MEMORY.md" in undone.text
        await until(
            lambda: "乌龙茶" in path.read_text("utf-8") and "团子" not in path.read_text("utf-8")
        )


async def test_edited_while_nobody_was_there(tmp_path: Path) -> None:
    """The next start takes it; a broken heading costs nothing."""
    path = tmp_path / "MEMORY.md"
    async with opened(tmp_path) as window:
        await window.do("/remember I play the violin")
        await window.do("/remember I live in Lyon")
    text = path.read_text("utf-8")
    path.write_text(text.replace("<!-- [", "<!-- ").replace("violin", "viola"), "utf-8")
    async with opened(tmp_path) as window:
        assert await told(window, "viola")
        assert sorted(await window.texts()) == ["I live in Lyon", "I play the viola"]
        await until(lambda: path.read_text("utf-8").count("<!-- [") == 2)


async def test_too_much_missing_is_asked(tmp_path: Path) -> None:
    """The command says what is missing, and its choices are answers."""
    path = tmp_path / "MEMORY.md"
    things = ["violin", "chess", "stamps", "jazz", "ramen"]
    async with opened(tmp_path) as window:
        for thing in things:
            await window.do(f"/remember I love {thing}")
        lines = path.read_text("utf-8").split("\n")
        last = [line for line in lines if "<!-- [" in line][2:]
        path.write_text("\n".join(line for line in lines if line not in last), "utf-8")
        outcome = await window.do("/mirror")
        end = monotonic() + 12
        while not outcome.choices:
            assert monotonic() < end
            await asyncio.sleep(0.2)
            outcome = await window.do("/mirror")
        assert len(outcome.memories) == 3
        assert len(await window.memories()) == 5
        kept = await window.do(f"/choose {outcome.choices[1].key}")
        assert kept.ok
        await until(lambda: path.read_text("utf-8").count("<!-- [") == 5)
        assert not (await window.do("/mirror")).choices


async def test_a_forgotten_thing_leaves_both_files(tmp_path: Path) -> None:
    """At once, and its backup with it."""
    path = tmp_path / "MEMORY.md"
    async with opened(tmp_path) as window:
        await window.do("/remember I collect stamps from Bhutan")
        await window.do("/remember I live in Lyon")
        assert "Bhutan" in path.read_text("utf-8")
        m = next(m for m in await window.memories() if "Bhutan" in m.content)
        await window.do(f"/forget {m.id}")
        assert "Bhutan" not in path.read_text("utf-8") + path.with_name("MEMORY.md.bak").read_text(
            "utf-8"
        )
        page = await window.ebb.memory.find(window.user_id, Filter())
        assert page.total == 1
