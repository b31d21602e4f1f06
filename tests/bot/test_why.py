"""/why and `search --explain`: figures that add up, words for each of them, and no secret."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.commands import why
from bot.commands.memories import format_memory
from memory.lifecycle import start_life
from memory.models import CurveState, Hit, Importance, Kind, Lang, Layer, Memory, Recall, Source
from memory.recall.fusion import SHOWN, WEIGHTS, apply_nudges
from memory.recall.gate import WEIGHTS as HEARD
from tests.e2e.driver import opened
from tests.servers.openai import OpenAIServer
from tests.servers.tasks import answer_tasks

NOW = datetime(2026, 2, 11, 10, tzinfo=UTC)
LANGS: tuple[Lang, ...] = ("en", "zh")


def memory(text: str) -> Memory:
    m = Memory(
        id="k7f3a2",
        user_id="u",
        content=text,
        original_content=text,
        language="en",
        layer=Layer.FACT,
        kind=Kind.FACT,
        created_at=NOW,
        last_activated_at=NOW,
        curve="fade",
        curve_state=CurveState(0.0, NOW),
        importance=1.5,
        importance_at=NOW,
    )
    return start_life(m, Importance.MEDIUM, "fade", NOW)


SIGNALS = {"lexical": 3.5, "names": 2.25, "form": -0.5}
NUDGES = {"retention": 1.05, "recency": 0.97}
EVIDENCE = {"words": 3.0, "names": 3.75, "world": -3.9, "bias": -1.1}
HIT = Hit(
    memory("lives in Leeds"),
    apply_nudges(sum(SIGNALS.values()), NUDGES),
    SIGNALS,
    NUDGES,
    0.93,
    EVIDENCE,
)


def figures(line: str) -> float:
    """What stands behind the names, added up with its signs."""
    parts = re.split(r" = |: |：", line, maxsplit=1)[1]
    sum_ = re.findall(r"(?:(?<= )|^)([−+]?) ?([^\d−+]+) (\d+\.\d\d)", parts)
    return sum(-float(n) if sign == "−" else float(n) for sign, _, n in sum_)


def test_a_quotation_is_in_quotation_marks() -> None:
    """In /why, in its details and in lists; not where a faded text stands for it, and none that was not said."""
    quote = replace(memory("I live in Leeds."), modalities=("text", "quote"))
    hit = replace(HIT, memory=quote)
    assert "“I live in Leeds.”" in why.explain_reply(
        Recall((hit,)), [quote], frozenset(), {}, "en", NOW, "UTC"
    )
    assert (
        why.explain_reply(Recall(()), [quote], frozenset(), {}, "zh", NOW, "UTC").count(
            "“I live in Leeds.”"
        )
        == 1
    )
    assert "“I live in Leeds.”" in why.explain(Recall((hit,)), [], "en", NOW)
    assert "“" not in format_memory(replace(quote, content="lives in Leeds"), "en", NOW)
    assert "“" not in format_memory(memory("Lives in Leeds"), "en", NOW)


@pytest.mark.parametrize("lang", LANGS)
def test_both_sums_add_up(lang: Lang) -> None:
    """The rank is the sum of what is told of it, and so is what the gate heard; the greatest part first."""
    gate, rank = why.list_reasons(HIT, lang)
    assert "93%" in gate
    assert figures(gate) == pytest.approx(sum(EVIDENCE.values()), abs=0.02)
    assert figures(rank) == pytest.approx(HIT.score, abs=0.02)
    assert rank.index("3.50") < rank.index("2.25") < rank.index("0.50")


@pytest.mark.parametrize("lang", LANGS)
def test_why_not(lang: Lang) -> None:
    """Short of the threshold, or good enough with no place left, or with nothing that speaks for it."""
    below = why.list_reasons(replace(HIT, gate=0.4, passed=False), lang)[0]
    full = why.list_reasons(replace(HIT, gate=0.9, passed=False), lang)[0]
    silent = why.list_reasons(replace(HIT, gate=0.01, passed=False, evidence={"bias": -5.0}), lang)[
        0
    ]
    assert len({below, full, silent, why.list_reasons(HIT, lang)[0]}) == 4
    assert "70%" in below
    assert "70%" not in full
    assert "5.00" not in silent


def test_every_part_has_a_name_in_both_languages() -> None:
    """Whatever fusion adds up or the gate hears."""
    ranked = {SHOWN.get(name, name) for name in WEIGHTS}
    gate = {name for weights in HEARD.values() for name in weights}
    nudges = {"strength", "retention", "recency", "confidence"}
    assert {f"by.{name}" for name in ranked | gate | nudges} <= set(why.say.all("en"))


@pytest.mark.parametrize("lang", LANGS)
def test_what_was_left_out_is_told_too(lang: Lang) -> None:
    """Near misses with their reasons, and that the embedder was late."""
    text = why.explain(Recall((HIT,), (HIT,) * 9, late=True), (), lang, NOW)
    assert text.count("lives in Leeds") == 1 + why.MISSED


async def test_the_last_reply_explained(openai_server: OpenAIServer, tmp_path: Path) -> None:
    """What the gate heard is kept with the turn; a secret that was shown is told of by its label alone."""
    answer_tasks(
        openai_server,
        {
            "lives in Lisbon": '[ADD entities="Anna, Lisbon"] My sister Anna lives in Lisbon.',
            "Where does my sister live?": "[BOOST:{Anna}]",
        },
    )
    async with opened(tmp_path, model=openai_server) as w:
        await w.say("My sister Anna lives in Lisbon.")
        await w.say("Where does my sister live?")
        told = (await w.do("/why")).text
        assert "you told me on 2 March: “My sister Anna lives in Lisbon.”" in told
        assert not re.search(r"%|\[\w{6}\]|\buser\b", told)
        told = (await w.do("/why more")).text
        assert "Lisbon" in told
        assert "words" in told
        await w.say("Remember my Wi-Fi password is hunter2zebra")
        await w.say("What is my Wi-Fi password?")
        told = (await w.do("/why more")).text
        assert "you asked for it" in told
        assert "hunter2zebra" not in told


@pytest.mark.parametrize(
    ("fact", "asked", "told"),
    [
        (
            "I am allergic to peanuts",
            "How are you?",
            "I always have this in mind: I am allergic to peanuts.",
        ),
        ("我对花生过敏", "你好吗？", "我一直记着：我对花生过敏。"),
    ],
)
async def test_standing_memories_are_named(
    tmp_path: Path, fact: str, asked: str, told: str
) -> None:
    """They stood in the prompt, whatever was recalled beside them."""
    async with opened(tmp_path) as w:
        await w.do(f"/remember {fact}")
        await w.say(asked)
        assert told in (await w.do("/why")).text


@pytest.mark.parametrize("lang", LANGS)
def test_a_theme_is_told_with_the_days_of_what_it_rests_on(lang: Lang) -> None:
    """Each once; from the fifth on there are too many to name."""
    details = [replace(memory("Ran"), created_at=NOW.replace(day=d)) for d in (1, 3, 3)]
    theme = replace(memory("Runs regularly"), source=Source.SYSTEM, source_ids=("a", "b", "c"))
    recall = Recall((Hit(theme, 1.0),))
    told = why.explain_reply(recall, [], frozenset(), {}, lang, NOW, "UTC", {theme.id: details})
    assert {"en": "on 1 February, 3 February", "zh": "2月1日、2月3日"}[lang] in told
    assert {"en": "stands for 3 things", "zh": "归拢了 3 件事"}[lang] in format_memory(
        theme, lang, NOW
    )
