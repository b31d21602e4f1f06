"""The simulated lives are what was committed before the first arm ran."""

from __future__ import annotations

import hashlib

from tests.bench.years.__main__ import lines
from tests.bench.years.lives import make_life, make_lives, need
from tests.bench.years.talk import small_talk

COMMITTED = "37f8e284f39ebea3ceecee2c7b6a760675a3b725e0d6e0367a0a1ee353788ed8"


def test_lives_and_small_talk_stay_as_committed_before_the_first_figure() -> None:
    """A proof holds for lives that nobody changed after seeing it."""
    texts = [line for life in make_lives(2) for line in lines(life)]
    texts += [turn for lang in ("en", "zh") for turn in small_talk(lang)]
    assert hashlib.sha256("\n".join(texts).encode()).hexdigest() == COMMITTED


def test_need_falls_with_time_and_rises_with_days() -> None:
    assert need(1, 0) == 0.068
    assert need(1, 365) < need(1, 30) < need(2, 30) < need(20, 30) <= 1


def test_truth_knows_what_changed_and_what_only_looks_so() -> None:
    life = make_life("en", 1101)
    later = [fact for fact in life.facts.values() if fact.replaces]
    assert {fact.linked for fact in later} == {True, False}
    for fact in later:
        former = life.facts[fact.replaces or ""]
        assert life.judge(life.note_of(former), life.note_of(fact)) == "changed"
        assert former.until == fact.told
    assert {life.judge(a, b) for a, b in life.look_alikes()} == {"both"}
    assert len(life.look_alikes()) > sum(not fact.linked for fact in later)
    assert life.judge("Never said", life.note_of(later[0])) == "unsure"
