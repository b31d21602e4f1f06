"""The gate by itself: a share of one, whatever the order, on one scale for every embedder."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ports import Chance
from memory.recall.gate import THRESHOLD, Candidate, Ear, above_chance, verdicts
from memory.recall.letters import mistyped, near
from memory.recall.question import question

TEXTS = [
    "User's sister Anna lives in Lisbon",
    "User is allergic to penicillin",
    "用户的姐姐陈静住在里斯本",
    "用户对青霉素过敏",
    "User went to Whitby",
]
TURNS = [
    "where does my sister live?",
    "what am I allergic to?",
    "thanks!",
    "我姐姐住在哪？",
    "你是谁",
    "why is the sky blue?",
    "Anna",
]
FEATURES = ["share", "names", "time", "when", "where", "bridge", "before", "after", "around"]

candidates = st.builds(
    Candidate,
    st.sampled_from(TEXTS),
    st.floats(-5, 20),
    st.dictionaries(st.sampled_from(FEATURES), st.floats(0, 1)),
    st.none() | st.floats(-1, 1),
)
ears = st.builds(
    Ear,
    st.sampled_from(TURNS).map(lambda t: question(t, ())),
    st.sampled_from(["lexical:ngrams-1:512", "openai:text-embedding-3-small:1536", "nobody:knows:7"]),
    st.none() | st.builds(Chance, st.floats(-0.1, 0.9), st.floats(0.0, 0.3), st.integers(0, 128)),
)


@settings(deadline=None)
@given(ears, st.lists(candidates, max_size=6), st.randoms(use_true_random=False))
def test_a_share_of_one_whatever_the_order(ear: Ear, some: list[Candidate], dice: random.Random) -> None:
    """0 … 1, the logistic of what was heard, and the same for each wherever it stands in the list."""
    ruled = verdicts(ear, some)
    cut = math.log(THRESHOLD / (1 - THRESHOLD))
    for v in ruled:
        assert 0 <= v.relevance <= 1
        assert v.relevance == pytest.approx(1 / (1 + math.exp(-sum(v.evidence.values()) - cut)))
    order = list(range(len(some)))
    dice.shuffle(order)
    again = verdicts(ear, [some[i] for i in order])
    assert [v.relevance for v in again] == pytest.approx([ruled[i].relevance for i in order])


@settings(deadline=None)
@given(ears, st.lists(candidates, min_size=1, max_size=5), st.floats(-5, 20))
def test_what_has_nothing_to_say_changes_nothing(ear: Ear, some: list[Candidate], score: float) -> None:
    """A memory that shares nothing passes nowhere, and moves no other across the line."""
    silent = Candidate("zzz", score, {}, None)
    ruled = verdicts(ear, [*some, silent])
    assert ruled[-1].relevance < THRESHOLD
    before = verdicts(ear, some)
    assert [v.relevance >= THRESHOLD for v in ruled[:-1]] == [v.relevance >= THRESHOLD for v in before]


@settings(deadline=None)
@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 0.8), st.floats(0.01, 0.3))
def test_nearer_is_never_less(a: float, b: float, mean: float, spread: float) -> None:
    """Of two cosines of one embedder the higher one says no less."""
    low, high = sorted((a, b))
    chance = Chance(mean, spread, 100)
    assert above_chance(low, "x:", chance) <= above_chance(high, "x:", chance)


@pytest.mark.parametrize("embedder", ["openai:text-embedding-3-small:1536", "fastembed:x:384", "nobody:knows:7"])
def test_every_embedder_has_a_scale(embedder: str) -> None:
    """Without a store what is usual of it; with one, that store's own: the same distance above chance says the same."""
    assert above_chance(0.1, embedder, None) == 0
    assert above_chance(0.95, embedder, None) > 1
    crowded, roomy = Chance(0.7, 0.05, 10**6), Chance(0.1, 0.05, 10**6)
    assert above_chance(0.9, embedder, crowded) == pytest.approx(above_chance(0.3, embedder, roomy), abs=0.01)
    few, many = Chance(0.7, 0.05, 2), Chance(0.7, 0.05, 500)
    assert above_chance(0.75, embedder, few) > above_chance(0.75, embedder, many) == 0


def test_what_follows_is_carried() -> None:
    """An answer that shares no word passes beside the memory that is meant, if neighbours led to it; else it does not."""
    ear = Ear(question("where did Anna go after the concert?", ()))
    meant = Candidate("Anna was at the concert in Porto", 9.0, {"share": 0.9, "names": 1.0})
    answer = Candidate("Then they had fish by the sea", 8.5, {"before": 0.9})
    chance_hit = Candidate("Then they had fish by the sea", 8.5, {"vectors": 0.9})
    ruled = verdicts(ear, [meant, answer, chance_hit])
    assert [v.relevance >= THRESHOLD for v in ruled] == [True, True, False]
    assert "carried" in ruled[1].evidence
    assert verdicts(ear, [answer])[0].relevance < THRESHOLD


@pytest.mark.parametrize(
    ("written", "meant"),
    [("alergic", "allergic"), ("novls", "novels"), ("dentsit", "dentist"), ("pennicilin", "penicillin")],
)
def test_slips_of_the_hand(written: str, meant: str) -> None:
    """A letter missing, doubled, another one, two in each other's place; both ways."""
    assert near(written, meant)
    assert near(meant, written)
    assert mistyped([written], f"It is about {meant}.") == 1


@pytest.mark.parametrize(("a", "b"), [("plant", "plane tree"), ("horse", "mouse"), ("winter", "water"), ("", "a")])
def test_other_words_are_no_slips(a: str, b: str) -> None:
    """Another beginning, or too far."""
    assert not near(a, b)


@settings(deadline=None)
@given(st.text("abcde", max_size=9))
def test_a_word_is_near_itself(word: str) -> None:
    """No slip at all."""
    assert near(word, word)
