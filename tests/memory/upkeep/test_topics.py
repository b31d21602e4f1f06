"""What a fainter text keeps: the original's own words, whom it is about, what must stay true."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Kind, Level, Memory, detect_language, mark_quote
from memory.upkeep.level_texts import find_level_fault, find_loss, write_level_text
from tests.memory.lifecycle.test_curves import memory

SAID = datetime(2025, 3, 31, 23, 30, tzinfo=UTC)
JUNE = datetime(2027, 6, 12, tzinfo=UTC)


def note(text: str, kind: Kind = Kind.FACT, *entities: str, quoted: bool = False) -> Memory:
    """A memory told on the last day of March, in UTC."""
    return memory(
        kind,
        original_content=text,
        language=detect_language(text),
        created_at=SAID,
        entities=entities,
        modalities=("quote",) if quoted else ("text",),
    )


CLIMBS = "Brother Tom goes climbing at the hall in Ottensen on Saturday, 14 June 2025"
TREE = "姐姐汉娜2025年6月14日在院子里种了一棵苹果树，因为开花很好看，树苗是邻居送的，很便宜"


@pytest.mark.parametrize(
    ("m", "summary", "tag", "trace"),
    [
        (note(CLIMBS), None, None, "Fact (Brother Tom), told in March 2025"),
        (
            note(f"{CLIMBS}, because the new wall there is so high up"),
            CLIMBS,
            CLIMBS,
            "Fact (Brother Tom), told in March 2025",
        ),
        (
            note(TREE, Kind.FACT, "汉娜"),
            TREE.replace("，因为开花很好看", ""),
            TREE.replace("，因为开花很好看", ""),
            "事实：姐姐汉娜（2025年3月说的）",
        ),
        (  # the day of an event, which is stored by itself
            replace(note("Marries Rui on 12 June 2027 in Faro"), on=JUNE, precision="day"),
            None,
            "Marries Rui in Faro",
            "Fact (Rui), in June 2027",
        ),
        (  # a month may be how long it lasts
            replace(note("Works night shifts in June 2027"), on=JUNE, precision="month"),
            None,
            None,
            "Fact, in June 2027",
        ),
        *(  # any clause may turn round what another says
            (note(text, Kind.HEALTH), None, None, "Health, told in March 2025")
            for text in (
                "Allergic to penicillin, the test in 2025 said it was a mistake",
                "Does not drink coffee at all, except on Sundays",
                "Thought it was cancer for a year, because of a scan that was not theirs",
            )
        ),
        (note("以前一直吃素，去年体检完了以后现在又吃鱼了"), None, None, "事实（2025年3月说的）"),
        (
            note("I moved to Leeds in March, because I like the sea, and Ida did too", quoted=True),
            None,
            "I moved to Leeds in March … and Ida did too",
            "Fact (Leeds), told in March 2025",
        ),
        (
            note("Does not drink wine or beer in January", Kind.WORKFLOW),
            None,
            None,
            "Habit, told in March 2025",
        ),
        (note("Likes tea"), None, None, None),
        (note("爱喝茶"), None, None, None),
    ],
)
def test_texts_of_the_levels(
    m: Memory, summary: str | None, tag: str | None, trace: str | None
) -> None:
    """Each keeps what makes it true; None: nothing shorter would, so it is the original."""
    told = [write_level_text(m, level) for level in (Level.SUMMARY, Level.TAG, Level.TRACE)]
    assert told == [x or m.original_content for x in (summary, tag, trace)]


def test_a_trace_names_the_month_where_the_person_lives_and_the_day_of_an_event() -> None:
    """And the archive the year."""
    m = note("Plays the second violin in a quartet", Kind.SKILL)
    assert write_level_text(m, Level.TRACE, tz="Asia/Shanghai") == "Skill, told in April 2025"
    assert write_level_text(m, Level.ARCHIVE) == "Skill, told in 2025"
    on = replace(
        note("Marries Rui on 12 June 2027", Kind.EVENT), on=datetime(2027, 6, 12, tzinfo=UTC)
    )
    assert write_level_text(on, Level.TRACE) == "Event (Rui), in June 2027"


@pytest.mark.parametrize("level", [Level.SUMMARY, Level.TAG, Level.TRACE, Level.ARCHIVE])
def test_no_two_have_the_same_words(level: Level) -> None:
    """Each takes a word more of its own, at last its original."""
    texts = [
        f"Saw Dr Mehta about the {eye} eye on {day} May 2025"
        for eye in ("left", "right")
        for day in (5, 6, 7)
    ]
    texts += [f"2025年5月{day}日找孟医生看{eye}眼" for eye in "左右" for day in (5, 6, 7)]
    memories = [replace(note(text), id=text) for text in texts]
    owners = dict(zip(texts, texts, strict=True))
    for m in memories:
        said = write_level_text(m, level, owners)
        assert owners.setdefault(said, m.id) == m.id
        assert len(said) <= len(m.id)


def test_a_shortened_quotation_stays_one() -> None:
    """In quotation marks, and in its own words on both sides of "…"."""
    m = note("I moved to Leeds in March, my flat has a view", quoted=True)
    assert mark_quote(m, "I moved to Leeds in March …") == "“I moved to Leeds in March …”"
    assert mark_quote(m, "Fact (Leeds), told in March 2025")[0] == "F"


@given(st.text(max_size=200))
def test_a_shortened_text_is_made_of_the_memorys_own_words(text: str) -> None:
    """Nothing is added, nothing gets longer, and nothing breaks."""
    m = note(text)
    own = re.findall(r"\w", text.casefold())
    for level in (Level.SUMMARY, Level.TAG):
        said = write_level_text(m, level)
        assert len(said) <= len(text)
        assert set(re.findall(r"\w", said.casefold())) <= {*own, *"".join(own).upper().casefold()}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Brother Tom: climbing", ""),
        ("Brother Tom goes climbing", ""),
        ("Brother Tom goes bouldering", "new words"),
        ("Climbing goes brother Tom", "another order"),
        ("Goes climbing", "a who is missing"),
        ("Tom goes", "a who is missing"),
    ],
)
def test_a_models_words_lose_nothing_that_is_needed(text: str, why: str) -> None:
    """It may leave words out, but not whom it is about."""
    m = replace(note(CLIMBS), content="Brother Tom goes climbing", level=Level.TAG)
    assert (find_level_fault(m, Level.TAG, text) or find_loss(m, text)) == why


def test_a_models_words_keep_a_plan_a_plan() -> None:
    """What is wished is not told as done."""
    text = "Wants to move to Oslo with Ida on 3 May 2027, because of the sea"
    m = replace(note(text), content=text, level=Level.SUMMARY)
    assert find_loss(m, "Move to Oslo with Ida on 3 May 2027") == "another sense"
    assert find_loss(m, "Wants to move to Oslo with Ida on 3 May 2027") == ""
    assert find_loss(m, "Wants to move to Oslo with Ida") == "a date is missing"
    found = replace(note("Friend Ada is missing, found safe"), content="", level=Level.TAG)
    found = replace(found, content=found.original_content)
    assert find_loss(found, "Friend Ada is missing") == "a clause is missing"
