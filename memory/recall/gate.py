"""The gate: how likely a memory is what the message calls for, calibrated so that 0.7 means the same everywhere.

Ranking says which memory fits best; the best of nothing is still nothing. Here each candidate speaks for itself:
words it shares, whom it names, the time and the kind of answer asked for, how far above chance its cosine lies. What
sort of message it is (a question, the speaker's own life, general knowledge) weighs that up or down, and never counts
alone. What stands beside a memory that is clearly meant, or goes on from it, is carried by it: an answer often shares
no word with its question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from typing import Final

from memory.models import Lang
from memory.ports import Chance
from memory.recall.fusion import WEIGHTS as RANKING
from memory.recall.fusion import trust
from memory.recall.letters import mistyped
from memory.recall.question import Question, shared

THRESHOLD: Final = 0.7  # S1
REVIEW_THRESHOLD: Final = 0.4

# Log-odds of what speaks for a memory: a logistic regression on LoCoMo and MemDaily, a small life, made-up diaries
# (tests/bench/life) and turns that call for a memory without asking or for none (tests/bench/smalltalk.py, calls.py),
# by the lexical embedder and by all-MiniLM. How much small talk brings up anything | what that costs of recall@3:
#   lexical   LoCoMo 3.0% | .003   MemDaily 1.7% | .002   diaries en 3.0% | .009
#   MiniLM    LoCoMo 2.0% | .007   MemDaily 0.9% | .003   diaries en 5.0% | .053 (two people)
# Before the diaries, learned on half of the people and of the turns, on the other half (lexical, MiniLM): LoCoMo 3.9%
# and 1.8% | .009 and .011, MemDaily 3.0% and 2.6% | .000 and .001. A question out of another's LoCoMo gets an answer
# in 20% and 16% (79% before memories had to speak for themselves); one to a small life takes 1.1 to 1.4 places of 3
# (2.7 before).
WEIGHTS: Final[Mapping[Lang, Mapping[str, float]]] = {
    "en": {
        "bias": -5.4,
        "first": 1.35,  # the first telling word of the message that it has
        "telling": 1.9,  # log1p of the information in such words
        "characters": 0.0,
        "share": 1.4,  # of the rarity of the message's words
        "letters": 3.0,  # cosine of the lexical embedder, which forgives a letter typed wrong
        "meaning": 1.6,  # any other's, in standard deviations above chance
        "names": 3.6,
        "time": 5.4,
        "kind": 1.3,
        "asks": 0.8,
        "personal": 2.4,
        "asks_personal": 0.9,
        "world": -3.9,
        "of_you": -3.0,
    },
    "zh": {
        "bias": -4.7,
        "first": 1.85,
        "telling": 1.25,
        "characters": 2.45,  # the Chinese characters of the message that it has, four of them being all
        "share": 3.0,
        "letters": 0.3,
        "meaning": 1.6,  # as in English: all-MiniLM knows no Chinese
        "names": 3.25,
        "time": 4.8,
        "kind": 0.1,
        "asks": 0.9,
        "personal": 3.0,
        "asks_personal": 0.0,
        "world": -3.2,
        "of_you": -3.0,
    },
}
_PROPER: Final = 0.5  # of a name, by hand: a capital in mid-sentence, of what no memory has as an entity
ASIDE: Final = 0.5  # what being carried costs at least
STEP: Final = 0.7  # and for each point of rank score below the one that carries
LED: Final = 0.3  # points of rank score, by what other memories lead to, that make one worth carrying
LEADS: Final = ("before_2", "before", "after", "after_2", "around", "bridge", "graph")

# Cosines of unrelated memories until the user's own store tells: what is usual of these embedders.
PRIORS: Final[Mapping[str, Chance]] = {
    "openai:text-embedding-3": Chance(0.20, 0.09),
    "fastembed:": Chance(0.22, 0.13),
    "": Chance(0.25, 0.13),
}
_PRIOR_COUNTS: Final = 12  # as many memories of the user's own weigh as much
_CLEAR: Final = 2.5  # standard deviations: the nearest of some hundred by chance
_MOST: Final = 4.0  # more above that says no more
_LETTERS: Final = (0.1, 0.6)  # from here the lexical embedder's cosines say something, and so much at most
_INFORMED: Final = 0.4  # information of a message from which on it is one
_TYPED: Final = 0.8  # information of a word that is another one mistyped
_CHARACTERS: Final = 4
_CUT: Final = log(THRESHOLD / (1 - THRESHOLD))


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the gate looks at."""

    text: str
    score: float  # of fusion
    features: Mapping[str, float]  # of fusion, raw
    cosine: float | None = None  # with the message, or with the nearest part of it


@dataclass(frozen=True, slots=True)
class Verdict:
    """Relevance, 0 … 1, and the log-odds it comes from, by what speaks."""

    relevance: float
    evidence: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ear:
    """What is the same for all candidates of a message."""

    a: Question
    embedder: str = ""
    chance: Chance | None = None
    unknown: tuple[str, ...] = ()  # words of the message that no memory has


def verdicts(ear: Ear, candidates: Sequence[Candidate]) -> list[Verdict]:
    """One for each, whatever their order."""
    own = [_own(ear, c) for c in candidates]
    if not own:
        return []
    odds = [sum(e.values()) for e in own]
    best = max(range(len(odds)), key=lambda i: (odds[i], candidates[i].score))
    out = []
    for c, evidence, alone in zip(candidates, own, odds, strict=True):
        lent = odds[best] - ASIDE - STEP * max(0.0, candidates[best].score - c.score)
        worth = lent > alone and odds[best] >= 0 and _led(ear.a.lang, c) >= LED
        carried = {"carried": lent - alone} if worth else {}
        x = max(alone, lent) if carried else alone
        out.append(Verdict(1 / (1 + exp(-x - _CUT)), {**evidence, **carried}))
    return out


def above_chance(cosine: float, embedder: str, chance: Chance | None) -> float:
    """How far above the cosines of unrelated memories, in standard deviations from where chance ends."""
    expected = PRIORS[max((p for p in PRIORS if embedder.startswith(p)), key=len)]
    if chance is not None:
        k = chance.count / (chance.count + _PRIOR_COUNTS)
        expected = Chance(k * chance.mean + (1 - k) * expected.mean, k * chance.spread + (1 - k) * expected.spread)
    return max(0.0, min(_MOST, (cosine - expected.mean) / max(expected.spread, 1e-6) - _CLEAR))


def _own(ear: Ear, c: Candidate) -> Mapping[str, float]:
    """What speaks for it by itself, and the bias; in log-odds."""
    a, w = ear.a, WEIGHTS[ear.a.lang]
    asks, personal = a.asks or a.leans, a.personal or a.leans  # who chooses among what was said asks, for themselves
    telling, common, mass = _words(ear, c.text)
    informed = min(1.0, mass / _INFORMED)
    characters = max((sum(x in c.text for x in p.characters) for part in a.parts for p in part.clauses), default=0)
    meaning = letters = 0.0
    if c.cosine is not None:
        if ear.embedder.startswith("lexical:"):
            letters = max(0.0, min(_LETTERS[1], c.cosine - _LETTERS[0]))
        else:
            meaning = trust(ear.embedder, ear.chance) * above_chance(c.cosine, ear.embedder, ear.chance)
    f = c.features
    time = float(f.get("time", 0.0) > 0 and asks and not a.world)
    named = 1.0 if f.get("names", 0.0) > 0 else _PROPER * any(n in c.text for n in a.proper)
    touched = max(
        min(1.0, (telling + common) / _INFORMED),
        min(1.0, 2 * characters / _CHARACTERS),
        min(1.0, letters / _LETTERS[0]),
        min(1.0, meaning),
        time,
        named,
    )
    kind = float(sum(f.get(k, 0.0) for k in ("when", "where", "how_many")) > 0)
    words = (
        w["first"] * min(1.0, telling)
        + w["telling"] * log1p(telling)
        + w["characters"] * min(1.0, characters / _CHARACTERS)
        + w["share"] * f.get("share", 0.0) * informed
        + w["letters"] * letters * informed
    )
    sort = asks * w["asks"] + personal * w["personal"] + (asks and personal) * w["asks_personal"]
    heard = {
        "bias": w["bias"],
        "words": words,
        "meaning": w["meaning"] * meaning * informed,
        "names": w["names"] * named,
        "time": w["time"] * time,
        "kind_of_answer": w["kind"] * kind * touched,
        "asked": sort * informed * touched,
        "world": w["world"] * a.world,
        "of_you": w["of_you"] * a.of_you,
    }
    return {name: value for name, value in heard.items() if value}


def _led(lang: Lang, c: Candidate) -> float:
    """What its neighbours and the words of other hits do for its rank."""
    return sum(RANKING[lang][name] * c.features.get(name, 0.0) for name in LEADS)


def _words(ear: Ear, text: str) -> tuple[float, float, float]:
    """(telling, common, all to be shared): of the clause it shares most with, or of what the message leans on."""
    a = ear.a
    looks = [shared(c.terms, text) for c in a.clauses]
    if a.leans:
        telling, common, mass = shared(a.context_terms, text)
        looks.append((a.context_weight * telling, a.context_weight * common, mass))
    telling, common, _ = max(looks)
    if ear.unknown:
        telling += _TYPED * mistyped(ear.unknown, text)
    return telling, common, max(mass for _, _, mass in looks)
