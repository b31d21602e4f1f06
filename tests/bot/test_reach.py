"""How a memory is told by its level: the original where it is asked for, its level's text where it comes along."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import prompts
from bot.agent.context import PromptMaterial, build
from bot.commands.memories import format_memory
from bot.settings import SettingsError, load
from memory.models import Hit, Kind, Lang, Level, Memory
from memory.ports import Transaction
from tests.bench.ground import made
from tests.e2e.driver import START, opened
from tests.e2e.test_scripted_model import chats, scripted
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BOTH = pytest.mark.parametrize("lang", ["en", "zh"])
HELD = {
    "en": ("Brother Tom goes climbing in Wales every May", "brother Tom: climbing"),
    "zh": ("哥哥汤姆每年五月去威尔士攀岩", "哥哥汤姆：攀岩"),
}


def memory(lang: Lang, **more: Any) -> Memory:
    original, tag = HELD[lang]
    faded: dict[str, Any] = {"id": "k7f3a2", "language": lang, "content": tag, **more}
    return replace(made("u", original, NOW - timedelta(days=500)), **faded)


def block(lang: Lang, *hits: Hit) -> str:
    """The newest message as a model is sent it."""
    m = PromptMaterial(text="…", now=NOW, tz="UTC", lang=lang, hits=hits)
    return str(build(m).messages[-1]["content"])


@BOTH
def test_what_is_told_follows_what_is_asked(lang: Lang) -> None:
    """Every level: the original or its level's text, never both, marked as such, each level in its own words."""
    original, tag = HELD[lang]
    short = {"en": "in short", "zh": "大意"}[lang]
    seen = set()
    for level in Level:
        m = memory(lang, level=level)
        sent = {asked: block(lang, Hit(m, 1.0, asked=asked)) for asked in (True, False)}
        assert original in sent[True]
        assert tag not in sent[True]
        assert short not in sent[True]
        told = level is not Level.FULL
        assert [x in sent[False] for x in (original, tag, short)] == [not told, told, told]
        phrase = prompts.phrase(int(level), lang)
        assert all(phrase in x and f"- {level.glyph} " in x for x in sent.values())
        assert phrase in format_memory(m, lang, NOW)
        seen.add(phrase)
    assert len(seen) == len(Level)


@BOTH
def test_a_text_is_never_longer_nor_another_than_what_was_said(lang: Lang) -> None:
    """A longer or empty text, an opened secret; a quotation is shortened only where an ellipsis shows it."""
    original, _ = HELD[lang]
    faded = memory(lang, level=Level.TRACE)
    for content in ("", " ", original + "…"):
        assert Hit(replace(faded, content=content), 1.0, asked=False).text == original
    assert Hit(replace(faded, content="label: 1234"), 1.0, why="secret", asked=False).text == (
        "label: 1234"
    )
    quote = replace(faded, modalities=("text", "quote"))
    assert Hit(quote, 1.0, asked=False).text == f"“{original}”"
    extract = f"{original[:4]}… {original[-3:]}"
    assert Hit(replace(quote, content=extract), 1.0, asked=False).text == f"“{extract}”"
    made_up = f"{original[-3:]}… {original[:4]}"
    assert Hit(replace(quote, content=made_up), 1.0, asked=False).text == f"“{original}”"


def test_some_levels_are_not_spoken_of() -> None:
    """Health, what is quiet and what is denied: in its own words, with no paler sign and no word."""
    for more in ({"kind": Kind.HEALTH}, {"quiet_at": NOW}, {"negated_at": NOW}):
        m = memory("en", level=Level.ARCHIVE, **more)
        line = format_memory(m, "en", NOW)
        assert line.startswith("✓")
        assert prompts.phrase(4, "en") not in line
        assert HELD["en"][0] in line
        assert HELD["en"][0] in block("en", Hit(m, 1.0, asked=False))


@BOTH
async def test_asking_is_read_by_its_form(
    lang: Lang, tmp_path: Path, openai_server: OpenAIServer
) -> None:
    """A question and a look back bring the original; what is told in passing, the level's text."""
    original, tag = HELD[lang]
    told, asked = {
        "en": ("My brother Tom went climbing in Wales", "Where does my brother Tom go climbing?"),
        "zh": ("我哥哥汤姆去威尔士攀岩了", "我哥哥汤姆去哪里攀岩？"),
    }[lang]
    answer_tasks(openai_server, {}, chat="Hm.")
    async with scripted(tmp_path, openai_server, lang=lang) as w:

        def put(tx: Transaction) -> None:
            tx.changes.begin("system", "test", START)
            tx.memories.add(replace(memory(lang, level=Level.TAG), id="", user_id=w.user_id))

        await w.ebb.store.write(w.user_id, put)
        for text, review, said in (
            (told, False, tag),
            (told, True, original),
            (asked, False, original),
        ):
            await w.say(text, review=review)
            sent = str(chats(openai_server, "large")[-1].messages[-1]["content"])
            assert f"- · {said} " in sent.replace("（", " (")


async def test_a_strict_reach_sees_what_is_clear(tmp_path: Path) -> None:
    """From the setting to recall and the overview; a look back sees everything all the same."""
    original, _ = HELD["en"]
    for reach, found in (("all", 1), ("strict", 0)):
        settings = load({"EBB_HOME": str(tmp_path / reach), "EBB_REACH": reach})
        async with opened(settings.home, embedder="lexical", reach=settings.reach) as w:

            def put(tx: Transaction, user: str = w.user_id) -> None:
                tx.changes.begin("system", "test", START)
                tx.memories.add(replace(memory("en", level=Level.TAG), id="", user_id=user))

            await w.ebb.store.write(w.user_id, put)
            for text, review in (
                ("Where does my brother Tom go climbing?", False),
                ("What do you know about me?", False),
                ("Where does my brother Tom go climbing?", True),
            ):
                said = await w.say(text, review=review)
                held = [m for m in said.recalled if m.original_content == original]
                assert len(held) == (1 if review else found), (reach, text)
    with pytest.raises(SettingsError, match="EBB_REACH is “far”, but it takes one of: all, strict"):
        load({"EBB_HOME": str(tmp_path), "EBB_REACH": "far"})
