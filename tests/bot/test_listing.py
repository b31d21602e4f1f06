"""/memories: pages and counts, in both languages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.commands.memories import LISTED, parse_list_request
from bot.shoreline import CHAT_WIDTH, describe_shoreline
from memory.models import Filter, Level
from memory.ports import Transaction
from tests.e2e.driver import opened


@pytest.mark.parametrize(
    "args, word, page",
    [
        ("", "", 1),
        ("tea", "tea", 1),
        ("page 2", "", 2),
        ("green tea page 3", "green tea", 3),
        ("p2", "", 2),
        ("第2页", "", 2),
        ("茶 第 3 页", "茶", 3),
        ("茶 2页", "茶", 2),
        ("page", "page", 1),
        ("my first page", "my first page", 1),
        ("42", "42", 1),
        ("page 0", "", 1),
    ],
)
def test_the_word_and_the_page(args: str, word: str, page: int) -> None:
    """A number alone is searched for; only a page is a page."""
    assert parse_list_request(args) == (word, page)


async def test_every_memory_is_on_one_page(tmp_path: Path) -> None:
    """None twice, none missing; the text says where one is and how to go on."""
    async with opened(tmp_path) as w:
        count = LISTED * 2 + 5
        for n in range(count):
            await w.do(f"/remember my locker in hall {n} is number {n}{n}", drain=False)
        seen: list[str] = []
        for page, span in ((1, "1–30 of 65"), (2, "31–60 of 65"), (3, "61–65 of 65")):
            outcome = await w.do(f"/memories page {page}")
            assert span in outcome.text
            assert (f"page {page + 1}" in outcome.text) is (page < 3)
            assert outcome.total == count
            seen += [m.id for m in outcome.memories]
        assert len(seen) == len(set(seen)) == count
        last = await w.do("/memories page 99")
        assert "61–65 of 65" in last.text
        assert last.offset == LISTED * 2
        one = await w.do("/memories hall 7 ")
        assert "page" not in one.text


async def test_a_list_begins_with_the_shoreline(tmp_path: Path) -> None:
    """How much is near, faint and far: in ink and in figures, without what is kept quiet; above page one alone."""
    faded = (Level.FULL, Level.SUMMARY, Level.SUMMARY, Level.TRACE, Level.ARCHIVE)
    async with opened(tmp_path) as w:
        for n in range(len(faded)):
            await w.do(f"/remember my locker in hall {n} is number {n}{n}", drain=False)
        await w.do("/remember I collect stamps")
        await w.do("/quiet stamps")

        def fade(tx: Transaction) -> None:
            tx.changes.begin("system", "level", w.time())
            found = tx.memories.find(Filter(), text="locker").items
            for m, level in zip(found, faded, strict=True):
                tx.memories.put(replace(m, level=level), "levelled")

        await w.ebb.store.write(w.ebb.owner, fade)
        outcome = await w.do("/memories")
        _, ink, caption, *_ = outcome.text.splitlines()
        assert caption.startswith("3 near, 1 faint, 1 far")
        assert describe_shoreline(outcome.levels, "zh").startswith(
            "近处 3 条，渐淡 1 条，远处 1 条"
        )
        assert len(ink) == CHAT_WIDTH
        assert list(dict.fromkeys(ink)) == ["█", "▓", "░", "·"]
        assert "near" not in (await w.do("/memories locker")).text
