"""What a change comes to, in a word."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from textual.content import Content

from memory.models import (
    KINDS,
    Change,
    CurveState,
    Hit,
    Kind,
    Layer,
    Level,
    Memory,
    Op,
    Precision,
    State,
)
from tui.widgets.memory_line import (
    draw_gauge,
    format_hit,
    format_learned,
    get_glyph,
    get_icon,
    list_learned,
)
from tui.words import WindowLanguage, install_line_breaks

install_line_breaks()
NOW = datetime(2026, 3, 2, 9, 41, tzinfo=UTC)


def memory(id_: str = "k7f3a2", text: str = "Drinks oolong", **more: object) -> Memory:
    base = Memory(
        id_,
        "u",
        text,
        text,
        "en",
        Layer.FACT,
        Kind.PREFERENCE,
        NOW,
        NOW,
        "fade",
        CurveState(1.0, NOW),
        1.5,
        NOW,
    )
    return replace(base, **more)  # type: ignore[arg-type]


def change(
    op: Op, id_: str = "k7f3a2", seq: int = 1, set_id: str = "s1", reason: str = "monitor"
) -> Change:
    return Change(
        seq,
        set_id,
        "u",
        op,
        "memory",
        id_,
        {"content": "before"},
        {"content": "after"},
        reason,
        "t1",
        NOW,
    )


@pytest.mark.parametrize("why", ["day", "episode_by_time", "overview", "review", "secret", "slot"])
def test_why_a_memory_came_is_said_in_words(why: str) -> None:
    """The name of a reason, an English word, stands in no line."""
    hit = Hit(memory(text="喜欢乌龙茶", content="喜欢乌龙茶"), 1.0, gate=1.0, why=why)
    assert why not in format_hit(hit, NOW, WindowLanguage("zh"), 60).plain


@pytest.mark.parametrize(
    ("op", "effect"),
    [
        ("created", "new"),
        ("updated", "updated"),
        ("negated", "gone"),
        ("forgotten", "gone"),
        ("restored", "back"),
        ("promoted", "core"),
    ],
)
def test_each_change_has_its_word(op: Op, effect: str) -> None:
    """One effect for each thing that can happen to a memory."""
    (item,) = list_learned([change(op)], {"k7f3a2": memory()})
    assert item.effect == effect


def test_a_correction_is_one_update() -> None:
    """The old memory superseded and the new one created are one entry, saying the new text."""
    new = memory("n1", "Drinks coffee", supersedes=("k7f3a2",))
    items = list_learned(
        [change("superseded"), change("created", "n1", 2)],
        {"k7f3a2": memory(state=State.SUPERSEDED), "n1": new},
    )
    assert [(i.effect, i.text) for i in items] == [("updated", "Drinks coffee")]


def test_a_proposal_asks() -> None:
    """What waits for a yes is not said to be remembered."""
    (item,) = list_learned([change("created")], {"k7f3a2": memory(state=State.PROPOSED)})
    assert item.effect == "proposed"


def test_what_was_forgotten_is_not_shown_once_more() -> None:
    """Neither from the row nor from the change."""
    (item,) = list_learned([change("forgotten")], {"k7f3a2": memory()})
    assert item.text == ""
    line = format_learned(item, WindowLanguage("en"), 40, Content(""))
    assert "oolong" not in line.plain
    assert "(forgotten)" in line.plain


def test_what_was_purged_is_no_news() -> None:
    """Nothing is left to look at, and nothing can be taken back."""
    assert list_learned([change("purged")], {}) == []


def test_signs_are_two_cells_wide() -> None:
    """Text stands in one column whatever kind and level a memory has."""
    assert {cell_len(get_icon(kind)) for kind in KINDS} == {2}
    assert {cell_len(get_glyph(level)) for level in Level} == {2}


def test_gauge() -> None:
    """From empty to full, and no further."""
    assert [draw_gauge(x) for x in (-1.0, 0.0, 0.5, 1.0, 7.0)] == [
        "▱▱▱▱▱",
        "▱▱▱▱▱",
        "▰▰▱▱▱",
        "▰▰▰▰▰",
        "▰▰▰▰▰",
    ]


@pytest.mark.parametrize(
    ("precision", "en", "zh"),
    [
        ("minute", "2 Mar 2026 09:41", "2026 年 3 月 2 日 09:41"),
        ("day", "2 Mar 2026", "2026 年 3 月 2 日"),
        ("month", "Mar 2026", "2026 年 3 月"),
        ("year", "2026", "2026 年"),
    ],
)
def test_dates_are_no_more_precise_than_they_were_said(
    precision: Precision, en: str, zh: str
) -> None:
    """A year stays a year."""
    assert WindowLanguage("en").format_date(NOW, precision) == en
    assert WindowLanguage("zh").format_date(NOW, precision) == zh


def test_a_hit_says_why_it_came() -> None:
    """Relevance as a share, or the reason where there was no relevance to measure."""
    said = format_hit(Hit(memory(), 1.2, gate=0.81), NOW, WindowLanguage("en"), 60).plain
    assert "✓" in said
    assert "Drinks oolong" in said
    assert "▰▰▰▰▱ 81%" in said
    by_time = format_hit(
        Hit(memory(), 1.2, why="episode_by_time"), NOW, WindowLanguage("zh"), 60
    ).plain
    assert "按时间" in by_time
    assert "%" not in by_time
