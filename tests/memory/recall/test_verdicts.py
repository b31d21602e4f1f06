"""The gate by itself: a share of one, whatever the order, on one scale for every embedder."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.recall.gate import (
    THRESHOLD,
    GateCandidate,
    GateContext,
    MessageReading,
    judge_candidates,
)
from memory.recall.question import parse_question
from memory.text.words import count_mistyped, is_slip

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
    GateCandidate,
    st.sampled_from(TEXTS),
    st.floats(-5, 20),
    st.dictionaries(st.sampled_from(FEATURES), st.floats(0, 1)),
    st.none() | st.floats(-1, 1),
)
ears = st.builds(
    GateContext,
    st.sampled_from(TURNS).map(lambda t: parse_question(t, ())),
    st.sampled_from(
        ["lexical:ngrams-2:512", "openai:text-embedding-3-small:1536", "nobody:knows:7"]
    ),
)


@settings(deadline=None)
@given(ears, st.lists(candidates, max_size=6), st.randoms(use_true_random=False))
def test_a_share_of_one_whatever_the_order(
    ear: GateContext, some: list[GateCandidate], dice: random.Random
) -> None:
    """0 … 1, the logistic of what was heard, and the same for each wherever it stands in the list."""
    ruled = judge_candidates(ear, some)
    cut = math.log(THRESHOLD / (1 - THRESHOLD))
    for v in ruled:
        assert 0 <= v.relevance <= 1
        assert v.relevance == pytest.approx(1 / (1 + math.exp(-sum(v.evidence.values()) - cut)))
    order = list(range(len(some)))
    dice.shuffle(order)
    again = judge_candidates(ear, [some[i] for i in order])
    assert [v.relevance for v in again] == pytest.approx([ruled[i].relevance for i in order])


@settings(deadline=None)
@given(ears, st.lists(candidates, min_size=1, max_size=5), st.floats(-5, 20))
def test_what_has_nothing_to_say_changes_nothing(
    ear: GateContext, some: list[GateCandidate], score: float
) -> None:
    """A memory that shares nothing passes nowhere, and moves no other across the line."""
    silent = GateCandidate("zzz", score, {}, None)
    ruled = judge_candidates(ear, [*some, silent])
    assert ruled[-1].relevance < THRESHOLD
    before = judge_candidates(ear, some)
    assert [v.relevance >= THRESHOLD for v in ruled[:-1]] == [
        v.relevance >= THRESHOLD for v in before
    ]


@settings(deadline=None)
@given(
    st.builds(MessageReading, st.floats(-1.5, 1.5), st.floats(-0.2, 0.9), st.floats(0.001, 0.3)),
    st.floats(-1, 1),
    st.floats(0, 60),
    st.sampled_from(["call", "cosine", "known"]),
    st.floats(0, 1),
)
def test_by_meaning_more_never_says_less(
    calling: MessageReading, cosine: float, known: float, which: str, more: float
) -> None:
    """A message that calls more, a nearer memory, rarer words in common: none makes a memory less relevant."""

    def relevance(calling: MessageReading, cosine: float, known: float) -> float:
        ear = GateContext(parse_question("where does my sister live?", ()), "x:", (), calling)
        return judge_candidates(ear, [GateCandidate("", 0.0, {"known": known}, cosine)])[
            0
        ].relevance

    before = relevance(calling, cosine, known)
    if which == "call":
        calling = MessageReading(calling.score + more, calling.usual, calling.spread)
    after = relevance(
        calling, cosine + more * (which == "cosine"), known + more * (which == "known")
    )
    assert after >= before - 1e-12


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("alergic", "allergic"),
        ("novls", "novels"),
        ("dentsit", "dentist"),
        ("pennicilin", "penicillin"),
    ],
)
def test_slips_of_the_hand(written: str, meant: str) -> None:
    """A letter missing, doubled, another one, two in each other's place; both ways."""
    assert is_slip(written, meant)
    assert is_slip(meant, written)
    assert count_mistyped([written], f"It is about {meant}.") == 1


@pytest.mark.parametrize(
    ("a", "b"), [("plant", "plane tree"), ("horse", "mouse"), ("winter", "water"), ("", "a")]
)
def test_other_words_are_no_slips(a: str, b: str) -> None:
    """Another beginning, or too far."""
    assert not is_slip(a, b)


@settings(deadline=None)
@given(st.text("abcde", max_size=9))
def test_a_word_is_near_itself(word: str) -> None:
    """No slip at all."""
    assert is_slip(word, word)
