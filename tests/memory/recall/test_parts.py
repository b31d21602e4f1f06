"""A message taken apart: questions that stand for themselves, clauses, what it comes to the point with."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.recall.question import MOST, split_into_parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("where is Anna?", 1),
        ("Where is Anna? And by the way, what does her brother do?", 2),
        ("陈静住在哪里？另外，她弟弟是做什么的？", 2),
        ("", 0),
        ("?!…", 0),
    ],
)
def test_how_many_questions(text: str, parts: int) -> None:
    """Each question by itself; a message with nothing to look for has none."""
    found = [p for p in split_into_parts(text) if p.clauses]
    assert (len(found) >= 1) is (parts >= 1)
    assert len(found) <= max(parts, 2)


@pytest.mark.parametrize(
    ("text", "point", "aside"),
    [
        (
            "The weather is nice. Wait, what I wanted to ask is: where is the harbour festival?",
            "harbour",
            "weather",
        ),
        ("今天天气不错。不对，我真正想问的是：码头音乐节在哪里？", "码头", "天气"),
    ],
)
def test_the_point_counts_most(text: str, point: str, aside: str) -> None:
    """What was said before the message came to its point counts for less."""
    weights = {
        word: max((p.weight for p in split_into_parts(text) if word in p.text), default=0.0)
        for word in (point, aside)
    }
    assert weights[point] > weights[aside]


def test_a_quotation_is_one_piece() -> None:
    """Commas and question marks inside it cut nothing."""
    for text in (
        'who sang "when, where, and why?" at the party',
        "谁唱了《何时，何地，为何？》这首歌",
    ):
        assert len(split_into_parts(text)) == 1


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    """At most so many parts, each with something to look for and a weight of at most one."""
    found = split_into_parts(text)
    assert len(found) <= MOST
    assert all(p.clauses and 0 < p.weight <= 1 for p in found)
    assert all(c.words or c.characters for p in found for c in p.clauses)
