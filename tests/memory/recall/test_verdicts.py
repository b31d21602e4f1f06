"""The gate by itself: a share of one, on one scale for every embedder."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.recall.gate import (
    THRESHOLD,
    GateCandidate,
    GateContext,
    MessageReading,
    judge_candidate,
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
FEATURES = ["known", "names", "time", "kind", "bridge", "before", "after"]

candidates = st.builds(
    GateCandidate,
    st.sampled_from(TEXTS),
    st.dictionaries(st.sampled_from(FEATURES), st.floats(0, 1)),
    st.none() | st.floats(-1, 1),
)
contexts = st.builds(GateContext, st.sampled_from(TURNS).map(lambda t: parse_question(t, ())))


@settings(deadline=None)
@given(contexts, candidates)
def test_a_share_of_one(context: GateContext, c: GateCandidate) -> None:
    """0 … 1, and the logistic of what was heard."""
    v = judge_candidate(context, c)
    cut = math.log(THRESHOLD / (1 - THRESHOLD))
    assert 0 <= v.relevance <= 1
    assert v.relevance == pytest.approx(1 / (1 + math.exp(-sum(v.evidence.values()) - cut)))


@given(contexts)
def test_what_shares_nothing_passes_nowhere(context: GateContext) -> None:
    """Whatever the message is."""
    assert judge_candidate(context, GateCandidate("zzz", {}, None, "en")).relevance < THRESHOLD


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
        context = GateContext(parse_question("where does my sister live?", ()), (), calling)
        return judge_candidate(context, GateCandidate("", {"known": known}, cosine)).relevance

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
