"""Phrases that are tried where a word begins find what they would find one by one."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.recall.patterns import _alternatives, phrases

PATTERN = r"\bhow (?:do|can) (?:i|you)\b|\bhow to\b|[|\]a-c)]{3}|怎么(?:做|写)|^\W*please|\bname|\b(?:x|y)\|z\b|\bnames|\bit's"


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("a|b", ["a", "b"]),
        ("(?:a|b)|c", ["(?:a|b)", "c"]),
        (r"[|]|\||[^]|]|[]|]|x", ["[|]", r"\|", "[^]|]", "[]|]", "x"]),
        (r"[\]|]|a\(|b", [r"[\]|]", r"a\(", "b"]),
        ("", [""]),
    ],
)
def test_a_pattern_is_cut_between_its_alternatives_only(pattern: str, parts: list[str]) -> None:
    """Not in a group, not in a class, not at a mark that stands for itself."""
    assert list(_alternatives(pattern)) == parts


@example("names how to x|z 怎么写")
@given(st.text("hownamesdictbyxz |]'怎么做写please", max_size=30))
def test_the_same_is_found(text: str) -> None:
    """In the same places, the first of several at one place being the same."""
    plain = re.compile(PATTERN, re.IGNORECASE)
    assert [m.span() for m in phrases(PATTERN).finditer(text)] == [m.span() for m in plain.finditer(text)]
