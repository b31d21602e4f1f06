"""Something faint: said once per topic and session, with an offer to look back, and never a word more than its level's."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.bootstrap import Ebb
from bot.events import Done, WindowMode
from memory.models import Lang, Level
from memory.ports import Transaction
from tests.bench.ground import made
from tests.e2e.driver import START, Said, opened
from tests.e2e.test_scripted_model import chats, scripted
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks

# what is held, its text as a tag, a question that comes near, one more of the same topic, yes, and what Ebb says
STORIES = {
    "en": (
        "Brother Tom goes climbing in Wales every May",
        "brother Tom: climbing",
        "Does anyone climb mountains?",
        "What did someone go to in May?",
        "yes, please",
        "something faint is there",
    ),
    "zh": (
        "哥哥汤姆每年五月去威尔士攀岩",
        "哥哥汤姆：攀岩",
        "我家谁攀登过？",
        "我的家人里谁攀登？",
        "好，翻翻看",
        "隐约有点印象",
    ),
}
BOTH = pytest.mark.parametrize("lang", ["en", "zh"])


async def hold(ebb: Ebb, lang: Lang, **more: Any) -> None:
    """Put the story's memory there, faded to a tag."""
    original, tag, *_ = STORIES[lang]
    m = made(ebb.owner, original, START - timedelta(days=500))
    faded: dict[str, Any] = {"content": tag, "level": Level.TAG, "language": lang, **more}

    def put(tx: Transaction) -> None:
        tx.changes.begin("system", "test", START)
        tx.memories.add(replace(m, **faded))

    await ebb.store.write(ebb.owner, put)


def labels(said: Said) -> list[str]:
    return [c.label for c in said.last.choices] if isinstance(said.last, Done) else []


@BOTH
async def test_the_notebook_hints_and_looks_back(lang: Lang, tmp_path: Path) -> None:
    """Once per topic and session, over a restart; a yes right after it looks back."""
    original, tag, asked, more, yes, hint = STORIES[lang]
    async with opened(tmp_path, embedder="lexical") as w:
        await hold(w.ebb, lang)
        said = await w.say(asked)
        assert hint in said.text
        assert tag in said.text
        assert original not in said.text
        assert labels(said) == [{"en": "Look back", "zh": "往回翻翻"}[lang]]
    async with opened(tmp_path, w.time, embedder="lexical") as w:
        said = await w.say(yes)
        assert original in said.text
        for again in (asked, more):
            said = await w.say(again)
            assert hint not in said.text
            assert labels(said) == []
        assert original not in (await w.say(yes)).text, "nothing was offered"
        await w.do("/new")
        assert hint in (await w.say(asked)).text


@BOTH
async def test_a_model_is_told_that_something_is_there(
    lang: Lang, tmp_path: Path, openai_server: OpenAIServer
) -> None:
    """Sort, day and its level's text, not the original; the button repeats the question in review mode."""
    original, tag, asked, _, yes, _ = STORIES[lang]
    mark = {"en": "Something faint is there", "zh": "隐约有点什么"}[lang]
    answer_tasks(openai_server, {}, chat="Hm.")

    def sent() -> str:
        return str(chats(openai_server, "large")[-1].messages[-1]["content"])

    async with scripted(tmp_path, openai_server, embedder="lexical", lang=lang) as w:
        await hold(w.ebb, lang)
        said = await w.say(asked)
        (line,) = [x for x in sent().splitlines() if x.startswith(mark)]
        assert tag in line
        assert "fact" in line
        assert "2024-10-18" in line
        assert original not in sent()
        assert mark in chats(openai_server, "large")[-1].messages[0]["content"]
        assert isinstance(said.last, Done)
        (offer,) = said.last.choices
        outcome = await w.do(f"/choose {offer.key}")
        assert outcome.turn is not None
        assert (outcome.turn.text, outcome.turn.review) == (asked, True)
        await w.say(asked, review=True)
        assert original in sent()
        assert tag not in sent()
        assert not (await w.do(f"/choose {offer.key}")).ok
        await w.do("/new")
        await w.say(asked)
        await w.say(yes)
        assert sent().partition("\n\n<recalled>")[0].endswith(asked), "that is what is answered"
        assert original in sent()


@BOTH
async def test_where_there_is_no_hint(lang: Lang, tmp_path: Path) -> None:
    """Of what is quiet, health or hardly faded; off the record; with a strict reach."""
    *_, asked, _, _, hint = STORIES[lang]
    cases: list[tuple[dict[str, Any], WindowMode, str]] = [
        ({"quiet_at": START, "quiet_words": "-"}, WindowMode.NORMAL, "all"),
        ({"level": Level.SUMMARY}, WindowMode.NORMAL, "all"),
        ({}, WindowMode.TEMP, "all"),
        ({}, WindowMode.PRIVATE, "all"),
        ({}, WindowMode.NORMAL, "strict"),
    ]
    for n, (more, mode, reach) in enumerate(cases):
        async with opened(tmp_path / str(n), embedder="lexical", reach=reach) as w:
            await hold(w.ebb, lang, **more)
            w.mode = mode
            said = await w.say(asked)
            assert hint not in said.text, cases[n]
            assert labels(said) == []
