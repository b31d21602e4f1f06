"""The gate: how likely a memory is what the message calls for, 0.7 meaning the same everywhere.

Ranking says which memory fits best; the best of nothing is still nothing. Here each candidate
speaks for itself, by one form whatever the embedder: whether the message calls for what is
remembered, how near the memory is, and the words, names and time that they share. With an embedder
that knows meaning, the message's vector tells whether it calls (`memory.recall.reader`), and the
cosine is compared with that of the nearest memory to a message that calls for nothing. Without
one, the message's own words tell it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log, log1p
from typing import Final

from memory.models import Lang, Mode
from memory.recall.question import Question, find_telling_terms, measure_shared_terms
from memory.text.translations import count_crossed
from memory.text.words import count_mistyped

THRESHOLD: Final = 0.7  # the product paper
REVIEW_THRESHOLD: Final = 0.4
FAINT_THRESHOLD: Final = 0.5  # from which on a faded memory is felt (by hand)
_CUT: Final = log(THRESHOLD / (1 - THRESHOLD))

# Log-odds, the same for every language; `docs/design.md` says what they cost and let through. By
# meaning: fitted on half A of the questions and turns of tests/eval/recall, on turns of tests/bench
# and the development chats. By words: a logistic regression on half A of the same, with the
# lexical embedder; `names` and `time` by hand.
WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "meaning": {"bias": -1.15, "asked": 4.1, "meaning": 0.63, "words": 1.08, "names": 1.0},
    "words": {
        "bias": -3.2,
        "asked": 1.0,
        "words": 2.3,
        "other_language": 2.3,
        "names": 2.6,
        "time": 3.0,
    },
}
# What sort of message calls for a memory, by its words.
_ASKS, _PERSONAL, _WORLD, _OF_YOU = 1.2, 2.5, -3.1, -2.9
_ALL: Final = 0.9  # of a question, all of whose words the memory has
_CHARACTER: Final = 0.37  # of one Chinese character that is shared, beside 1 for ln(1 + terms)
_MOST_CHARACTERS: Final = 4
_OTHERWISE: Final = 0.8  # information of a word that is mistyped or said in the other language
_INFORMED: Final = 0.4  # shared information from which on it counts what sort the message is of
_MOST: Final = 6.0  # spreads that count


@dataclass(frozen=True, slots=True)
class GateCandidate:
    """What the gate looks at."""

    text: str
    features: Mapping[str, float]  # of fusion, raw
    cosine: float | None = None  # with the message, or with the nearest part of it
    lang: Lang | None = None


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Relevance, 0 … 1, and the log-odds it comes from, by what speaks."""

    relevance: float
    evidence: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class MessageReading:
    """What a message's vector tells of it."""

    score: float  # about 1: it calls for what is remembered; about -1: it does not
    usual: float  # cosine of the nearest memory of this store to a message that calls for nothing
    spread: float  # its standard deviation


@dataclass(frozen=True, slots=True)
class GateContext:
    """What is the same for all candidates of a message."""

    question: Question
    unknown: tuple[str, ...] = ()  # words of the message that no memory has
    calling: MessageReading | None = None

    @property
    def asks(self) -> bool:
        """Tell whether the message asks for what is remembered, by its form or its vector."""
        q = self.question
        called = self.calling is not None and self.calling.score > 0
        return called or q.context_weight > 0 or (q.asks and not q.world)


def passes_gate(relevance: float, mode: Mode) -> bool:
    """Say whether a memory of that relevance comes through: one bar for every level."""
    return relevance >= (THRESHOLD if mode is Mode.NORMAL else REVIEW_THRESHOLD)


def judge_candidate(context: GateContext, c: GateCandidate) -> GateVerdict:
    """Weigh what speaks for a memory."""
    if context.calling is None:
        found, weights = _read_by_words(context, c), WEIGHTS["words"]
    else:
        found, weights = _read_by_meaning(context.calling, c), WEIGHTS["meaning"]
    worth = {name: weight * found.get(name, 1.0) for name, weight in weights.items()}
    evidence = {name: value for name, value in worth.items() if value}
    return GateVerdict(1 / (1 + exp(-sum(evidence.values()) - _CUT)), evidence)


def _read_by_meaning(calling: MessageReading, c: GateCandidate) -> dict[str, float]:
    above = -_MOST if c.cosine is None else (c.cosine - calling.usual) / max(calling.spread, 1e-6)
    return {
        "asked": calling.score,
        "meaning": max(-_MOST, min(_MOST, above)),
        "words": log1p(c.features.get("known", 0.0)),
        "names": c.features.get("names", 0.0),
    }


def _read_by_words(context: GateContext, c: GateCandidate) -> dict[str, float]:
    """Read what is shared; what sort the message is of counts as far as anything is."""
    q = context.question
    leans = q.context_weight > 0  # who chooses among what was said asks, for themselves
    clauses = [clause for part in q.parts for clause in part.clauses]
    telling, common = measure_shared_terms(q.terms, c.text)
    if leans:
        before = measure_shared_terms(find_telling_terms(q.context), c.text)
        telling, common = max((telling, common), tuple(q.context_weight * x for x in before))
    telling += _OTHERWISE * count_mistyped(context.unknown, c.text)
    crossed = 0.0
    if c.lang != q.lang:
        crossed = _OTHERWISE * count_crossed((k.alike for k in clauses), q.lang, c.text)
    characters = max((sum(x in c.text for x in k.characters) for k in clauses), default=0)
    names = c.features.get("names", 0.0)
    time = float(c.features.get("time", 0.0) > 0 and (q.asks or leans) and not q.world)
    shared = telling + crossed + common
    touched = max(min(1.0, shared / _INFORMED), min(1.0, characters / 2), names, time)
    share = min(1.0, shared / max(_INFORMED, sum(q.terms.values())))
    asked = (_ASKS * touched + _ALL * share) * (q.asks or leans)
    asked += _PERSONAL * touched * (q.personal or leans)
    return {
        "asked": asked + _WORLD * q.world + _OF_YOU * q.of_you,
        "words": log1p(telling) + _CHARACTER * min(_MOST_CHARACTERS, characters),
        "other_language": log1p(telling + crossed) - log1p(telling),
        "names": names,
        "time": time,
    }
