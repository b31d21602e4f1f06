"""What rules over words decide of health, those close, and how to answer; on the sets of both languages."""

from __future__ import annotations

import re
import tomllib

import pytest

from memory.privacy import classify_instruction
from memory.text.languages import LANGUAGES
from memory.text.notes import is_close, is_health
from tests.eval.data import load_cases


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("group", "rule"), [("health", is_health), ("close", is_close)])
def test_sorting_existing_memories(group: str, rule: object, lang: str) -> None:
    """Most of a group is found by words alone, and little else is taken for it."""
    assert callable(rule)
    cases = [c for c in load_cases("standing") if c["lang"] == lang]
    found = [c["group"] == group for c in cases if rule(c["text"])]
    wanted = sum(c["group"] == group for c in cases)
    assert sum(found) / wanted >= 0.6
    assert sum(found) / len(found) >= 0.85


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_refused_as_an_instruction(lang: str) -> None:
    """Hardly what people say of their life, or how they want to be answered; of orders what words can tell."""
    cases = [c for c in load_cases("instructions") if c["lang"] == lang]

    def share(label: str, sort: str) -> float:
        of = [c for c in cases if c["label"] == label]
        return sum(classify_instruction(c["text"]) == sort for c in of) / len(of)

    assert share("fact", "refused") <= 0.04
    assert share("manner", "refused") <= 0.05
    assert share("refuse", "refused") >= 0.45
    assert share("manner", "manner") >= 0.6


def test_lists_are_short() -> None:
    """At most 60 words a list and language: meaning is a model's work."""
    for section in (
        tomllib.loads((language.folder / "language.toml").read_text(encoding="utf-8"))[name]
        for language in LANGUAGES.values()
        for name in ("orders", "standing")
    ):
        lists = {
            name: re.split(r"\|(?![^(]*\))", words if isinstance(words, str) else "|".join(words))
            for name, words in section.items()
        }
        assert lists
        assert {name: len(words) for name, words in lists.items() if len(words) > 60} == {}
