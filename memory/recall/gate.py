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
from functools import lru_cache
from math import exp, log, log1p
from typing import Final

from memory.models import Lang, Mode, language_of
from memory.ports import Chance
from memory.recall.alike import crossed
from memory.recall.fusion import WEIGHTS as RANKING
from memory.recall.fusion import trust
from memory.recall.letters import mistyped
from memory.recall.question import Question, shared

THRESHOLD: Final = 0.7  # S1
REVIEW_THRESHOLD: Final = 0.4

# Log-odds of what speaks for a memory: a logistic regression, then step by step against the figures below, on LoCoMo,
# MemDaily, a small life, made-up diaries and the same retold (tests/bench/life) and turns that call for a
# memory without asking or for none (tests/bench/smalltalk.py, calls.py), by the lexical embedder and by all-MiniLM.
# How much small talk brings up anything | what that costs of recall@3; diaries of people not learned from:
#              lexical                             all-MiniLM
#   LoCoMo     3.0% | .001                         1.6% | .003
#   MemDaily   0.9% | .004                         0.9% | .003
#   diaries    en 4.6% | .009, zh 3.4% | .007      en 4.0 and 4.2% | .000 and .018, zh 3.1% | .001
#   retold     en 4.5% | .017 at most              en 3.8% | .024 at most, zh 4.0% | .005
# Of sixty turns of other styles, which no weight was learned from, 1.7 to 3.3% (en) and 3 to 8% (zh). Learned on half
# of the people and of the turns, on the other half: 5.2% and .024 at most, of the retold .050. A question out of
# another's LoCoMo gets an answer of a diary in 22%, one out of another's MemDaily in 60% (they share words, and are
# about the speaker); one to a small life takes 1.2 to 1.5 places of 3.
WEIGHTS: Final[Mapping[Lang, Mapping[str, float]]] = {
    "en": {
        "bias": -5.8,
        "first": 1.35,  # the first telling word of the message that it has
        "telling": 1.65,  # log1p of the information in such words
        "characters": 0.0,
        "share": 0.8,  # of the rarity of the message's words
        "asks_share": 1.2,  # the same, of a question that is neither about the speaker nor about the world
        "letters": 2.6,  # cosine of the lexical embedder, which forgives a letter typed wrong
        "meaning": 1.6,  # any other's, in standard deviations above chance
        "near": 0.8,  # of the speaker's own life, as the question is, and nearer to it than most
        "names": 3.6,
        "about": 0.3,  # whom the message names, by the form of the name
        "time": 5.4,
        "kind": 2.0,
        "asks": 2.0,
        "personal": 2.8,
        "asks_personal": 0.75,
        "world": -3.9,
        "of_you": -3.0,
    },
    "zh": {
        "bias": -5.3,
        "first": 2.25,
        "telling": 1.25,
        "characters": 2.1,  # the Chinese characters of the message that it has, four of them being all
        "share": 2.0,
        "asks_share": 0.0,
        "letters": 0.1,
        "meaning": 1.1,
        "near": 0.6,
        "names": 3.25,
        "about": 1.3,
        "time": 4.8,
        "kind": 1.3,
        "asks": 1.5,
        "personal": 2.4,
        "asks_personal": 0.0,
        "world": -3.2,
        "of_you": -3.0,
    },
}
_PROPER: Final = 0.5  # of a name, by hand: a capital in mid-sentence, of what no memory has as an entity
ASIDE: Final = 0.5  # what being carried costs at least
STEP: Final = 0.7  # and for each point of rank score below the one that carries
LENT: Final = 2.5  # the most that is lent: however sure a memory is, what only stands beside it is not
LED: Final = 0.3  # points of rank score, by what other memories lead to, that make one worth carrying
LEADS: Final = ("before_2", "before", "after", "after_2", "around", "bridge", "graph")

# Cosines of unrelated memories until the user's own store tells: what is usual of these embedders.
PRIORS: Final[Mapping[str, Chance]] = {
    "openai:text-embedding-3": Chance(0.20, 0.09),
    "fastembed:": Chance(0.22, 0.13),
    "bundled:": Chance(0.80, 0.03),  # of a question and a memory: 0.75 to 0.79 in English, 0.84 in Chinese
    "": Chance(0.25, 0.13),
}
_PRIOR_COUNTS: Final = 4  # as many memories of the user's own weigh as much
_CLEAR: Final = 2.5  # standard deviations: the nearest of some hundred by chance
_MOST: Final = 4.0  # more above that says no more
_NEAR: Final = (0.0, 1.0)  # standard deviations: a question about one's own life may share no word with its answer
_LETTERS: Final = (0.1, 0.6)  # from here the lexical embedder's cosines say something, and so much at most
_INFORMED: Final = 0.4  # information of a message from which on it is one
_TYPED: Final = 0.8  # information of a word that is another one mistyped
_CROSSED: Final = 0.8  # and of one that is said in the other language
_CHARACTERS: Final = 4
_CUT: Final = log(THRESHOLD / (1 - THRESHOLD))


def reaches(relevance: float, mode: Mode) -> bool:
    """Say whether a memory of that relevance comes through: one bar for every level."""
    return relevance >= (THRESHOLD if mode is Mode.NORMAL else REVIEW_THRESHOLD)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the gate looks at."""

    text: str
    score: float  # of fusion
    features: Mapping[str, float]  # of fusion, raw
    cosine: float | None = None  # with the message, or with the nearest part of it
    lang: Lang | None = None  # if it is known


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
        lent = min(odds[best], LENT) - ASIDE - STEP * max(0.0, candidates[best].score - c.score)
        worth = lent > alone and odds[best] >= 0 and _led(ear.a.lang, c) >= LED
        carried = {"carried": lent - alone} if worth else {}
        x = max(alone, lent) if carried else alone
        out.append(Verdict(1 / (1 + exp(-x - _CUT)), {**evidence, **carried}))
    return out


def above_chance(cosine: float, embedder: str, chance: Chance | None) -> float:
    """How far above the cosines of unrelated memories, in standard deviations from where chance ends."""
    return max(0.0, min(_MOST, _deviations(cosine, embedder, chance) - _CLEAR))


def _deviations(cosine: float, embedder: str, chance: Chance | None) -> float:
    """From the mean of the cosines of unrelated memories."""
    mean, spread = _expected(embedder, chance)
    return (cosine - mean) / max(spread, 1e-6)


@lru_cache(maxsize=1024)
def _expected(embedder: str, chance: Chance | None) -> tuple[float, float]:
    prior = PRIORS[max((p for p in PRIORS if embedder.startswith(p)), key=len)]
    if chance is None:
        return prior.mean, prior.spread
    k = chance.count / (chance.count + _PRIOR_COUNTS)
    return k * chance.mean + (1 - k) * prior.mean, k * chance.spread + (1 - k) * prior.spread


def _own(ear: Ear, c: Candidate) -> Mapping[str, float]:
    """What speaks for it by itself, and the bias; in log-odds."""
    a, w, f = ear.a, WEIGHTS[ear.a.lang], c.features
    asks, personal = a.asks or a.leans, a.personal or a.leans  # who chooses among what was said asks, for themselves
    telling, common, mass = _words(ear, c.text)
    crossing = 0.0
    if (c.lang or language_of(c.text)) != a.lang:
        crossing = _CROSSED * crossed((k.alike for part in a.parts for k in part.clauses), a.lang, c.text)
    letters, meaning, near = _cosine(ear, c)
    informed = max(near, min(1.0, mass / _INFORMED))
    characters = max((sum(x in c.text for x in p.characters) for part in a.parts for p in part.clauses), default=0)
    time = float(f.get("time", 0.0) > 0 and asks and not a.world)
    named = 1.0 if f.get("names", 0.0) > 0 else _PROPER * any(n in c.text for n in a.proper)
    touched = max(
        min(1.0, (telling + common + crossing) / _INFORMED),
        min(1.0, 2 * characters / _CHARACTERS),
        min(1.0, letters / _LETTERS[0]),
        min(1.0, meaning),
        near,
        time,
        named,
    )
    kind = float(sum(f.get(k, 0.0) for k in ("when", "where", "how_many")) > 0)
    of_others = asks and not (personal or a.world or a.of_you)
    told = w["first"] * min(1.0, telling) + w["telling"] * log1p(telling)
    both = w["first"] * min(1.0, telling + crossing) + w["telling"] * log1p(telling + crossing)
    words = (
        told
        + w["characters"] * min(1.0, characters / _CHARACTERS)
        + (w["share"] + of_others * w["asks_share"]) * f.get("share", 0.0) * informed
        + w["letters"] * letters * informed
    )
    sort = asks * w["asks"] + personal * w["personal"] + (asks and personal) * w["asks_personal"]
    heard = {
        "bias": w["bias"],
        "words": words,
        "other_language": both - told,
        "meaning": (w["meaning"] * meaning + w["near"] * near) * informed,
        "names": w["names"] * named + w["about"] * f.get("about", 0.0),
        "time": w["time"] * time,
        "kind_of_answer": w["kind"] * kind * touched,
        "asked": sort * informed * touched,
        "world": w["world"] * a.world,
        "of_you": w["of_you"] * a.of_you,
    }
    return {name: value for name, value in heard.items() if value}


def _cosine(ear: Ear, c: Candidate) -> tuple[float, float, float]:
    """(letters, meaning, near): by the lexical embedder, or by another one, as far as it is trusted."""
    if c.cosine is None:
        return 0.0, 0.0, 0.0
    if ear.embedder.startswith("lexical:"):
        return max(0.0, min(_LETTERS[1], c.cosine - _LETTERS[0])), 0.0, 0.0
    a, trusted = ear.a, trust(ear.embedder, ear.chance)
    of_oneself = a.asks and a.personal and not (a.world or a.of_you) and c.features.get("own", 0.0) > 0
    least, most = _NEAR
    near = (_deviations(c.cosine, ear.embedder, ear.chance) - least) / (most - least) if of_oneself else 0.0
    meaning = above_chance(c.cosine, ear.embedder, ear.chance)
    return 0.0, trusted * meaning, trusted * max(0.0, min(1.0, near))


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
