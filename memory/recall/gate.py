"""The gate: how likely a memory is what the message calls for.

It is calibrated so that 0.7 means the same everywhere.

Ranking says which memory fits best; the best of nothing is still nothing. Here each candidate
speaks for itself.

With an embedder that knows meaning: how far its cosine lies above the nearest memory of a message
that calls for nothing, in this store and language; the rarity of the words it shares; and whether
the message, by its vector, calls for what is remembered (`memory.recall.reader`). Five numbers, the
same for every embedder and both languages.

Without one, by words alone: what it shares, whom it names, the time and the kind of answer asked
for; what sort of message it is weighs that up or down. What stands beside a memory that is clearly
meant is carried by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log1p
from typing import Final

from memory.models import Lang, Mode, detect_language
from memory.recall.fusion import WEIGHTS as RANKING
from memory.recall.question import Question, measure_shared_terms
from memory.text.languages import value, values
from memory.text.translations import count_crossed
from memory.text.words import count_mistyped

THRESHOLD: Final = 0.7  # the product paper
REVIEW_THRESHOLD: Final = 0.4

# By words: log-odds of what speaks for a memory. A logistic regression, then step by step, on
# LoCoMo, MemDaily, a small life, made-up diaries and the same retold (tests/bench/life) and turns
# that call for a memory without asking or for none (tests/bench/smalltalk.py, calls.py), by the
# lexical embedder, with the ranking of that time. How much small talk brought up anything | what
# that cost of recall@3: LoCoMo 3.0% | .001; MemDaily 0.9% | .004; diaries en 4.6% | .009, zh 3.4% |
# .007; retold en 4.5% | .017 at most. On diaries that people wrote it costs far more
# (`docs/design.md`).
WEIGHTS: Final[Mapping[Lang, Mapping[str, float]]] = values("gate", "WEIGHTS")
_PROPER: Final = (
    0.5  # of a name, by hand: a capital in mid-sentence, of what no memory has as an entity
)
ASIDE: Final = 0.5  # what being carried costs at least
STEP: Final = 0.7  # and for each point of rank score below the one that carries
LENT: Final = (
    2.5  # the most that is lent: however sure a memory is, what only stands beside it is not
)
LED: Final = (
    0.3  # points of rank score, by what other memories lead to, that make one worth carrying
)
LEADS: Final = ("before", "after", "bridge", "graph")

# By meaning. Fitted on half A of the questions and turns of tests/eval/recall, on turns of
# tests/bench, and on the development chats, CALL and BIAS on all of them; see `docs/design.md` for
# what it costs and lets through.
CALL: Final = 4.1
NEAR: Final = 0.63
KNOWN: Final = 1.08
NAMED: Final = (
    1.0  # a name of the message, which is rare even where few memories make every word common
)
BIAS: Final = -1.15

_MOST: Final = 6.0  # spreads that count
_LETTERS: Final = (
    0.1,
    0.6,
)  # from here the lexical embedder's cosines say something, and so much at most
_INFORMED: Final = 0.4  # information of a message from which on it is one
_TYPED: Final = 0.8  # information of a word that is another one mistyped
_CROSSED: Final = 0.8  # and of one that is said in the other language
_CHARACTERS: Final = 4
_CUT: Final = log(THRESHOLD / (1 - THRESHOLD))


def passes_gate(relevance: float, mode: Mode) -> bool:
    """Say whether a memory of that relevance comes through: one bar for every level."""
    return relevance >= (THRESHOLD if mode is Mode.NORMAL else REVIEW_THRESHOLD)


@dataclass(frozen=True, slots=True)
class GateCandidate:
    """What the gate looks at."""

    text: str
    score: float  # of fusion
    features: Mapping[str, float]  # of fusion, raw
    cosine: float | None = None  # with the message, or with the nearest part of it
    lang: Lang | None = None  # if it is known


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

    a: Question
    embedder: str = ""
    unknown: tuple[str, ...] = ()  # words of the message that no memory has
    calling: MessageReading | None = None


def judge_candidates(ear: GateContext, candidates: Sequence[GateCandidate]) -> list[GateVerdict]:
    """Return a verdict for each candidate, whatever their order."""
    if ear.calling is not None:
        return [_by_meaning(ear.calling, c) for c in candidates]
    own = [_own(ear, c) for c in candidates]
    if not own:
        return []
    odds = [sum(e.values()) for e in own]
    best = max(range(len(odds)), key=lambda i: (odds[i], candidates[i].score))
    out = []
    for c, evidence, alone in zip(candidates, own, odds, strict=True):
        lent = min(odds[best], LENT) - ASIDE - STEP * max(0.0, candidates[best].score - c.score)
        worth = lent > alone and odds[best] >= 0 and _led(c) >= LED
        carried = {"carried": lent - alone} if worth else {}
        x = max(alone, lent) if carried else alone
        out.append(GateVerdict(1 / (1 + exp(-x - _CUT)), {**evidence, **carried}))
    return out


def _by_meaning(calling: MessageReading, c: GateCandidate) -> GateVerdict:
    """Weigh the message's call and the memory's own evidence."""
    above = -_MOST if c.cosine is None else (c.cosine - calling.usual) / max(calling.spread, 1e-6)
    evidence = {
        "bias": BIAS,
        "asked": CALL * calling.score,
        "meaning": NEAR * max(-_MOST, min(_MOST, above)),
        "words": KNOWN * log1p(c.features.get("known", 0.0)),
        "names": NAMED * c.features.get("names", 0.0),
    }
    return GateVerdict(1 / (1 + exp(-sum(evidence.values()) - _CUT)), evidence)


def _own(ear: GateContext, c: GateCandidate) -> Mapping[str, float]:
    """Return what speaks for it by itself, and the bias; in log-odds."""
    a, w, f = ear.a, value(ear.a.lang, "gate", "WEIGHTS"), c.features
    asks, personal = (
        a.asks or a.needs_context,
        a.personal or a.needs_context,
    )  # who chooses among what was said asks, for themselves
    telling, common, mass = _words(ear, c.text)
    crossing = 0.0
    if (c.lang or detect_language(c.text)) != a.lang:
        crossing = _CROSSED * count_crossed(
            (k.alike for part in a.parts for k in part.clauses), a.lang, c.text
        )
    letters = 0.0
    if c.cosine is not None and ear.embedder.startswith("lexical:"):
        letters = max(0.0, min(_LETTERS[1], c.cosine - _LETTERS[0]))
    informed = min(1.0, mass / _INFORMED)
    characters = max(
        (sum(x in c.text for x in p.characters) for part in a.parts for p in part.clauses),
        default=0,
    )
    time = float(f.get("time", 0.0) > 0 and asks and not a.world)
    named = 1.0 if f.get("entity", 0.0) > 0 else _PROPER * any(n in c.text for n in a.proper)
    touched = max(
        min(1.0, (telling + common + crossing) / _INFORMED),
        min(1.0, 2 * characters / _CHARACTERS),
        min(1.0, letters / _LETTERS[0]),
        time,
        named,
    )
    kind = float(f.get("kind", 0.0) > 0)
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
        "names": w["names"] * named,
        "time": w["time"] * time,
        "kind_of_answer": w["kind"] * kind * touched,
        "asked": sort * informed * touched,
        "world": w["world"] * a.world,
        "of_you": w["of_you"] * a.of_you,
    }
    return {name: value for name, value in heard.items() if value}


def _led(c: GateCandidate) -> float:
    """Return what its neighbours and the words of other hits do for its rank."""
    return sum(RANKING[name] * c.features.get(name, 0.0) for name in LEADS)


def _words(ear: GateContext, text: str) -> tuple[float, float, float]:
    """(telling, common, all to be shared): of the clause it shares most with, or of what the message leans on."""
    a = ear.a
    looks = [measure_shared_terms(c.terms, text) for c in a.clauses]
    if a.needs_context:
        telling, common, mass = measure_shared_terms(a.context_terms, text)
        looks.append((a.context_weight * telling, a.context_weight * common, mass))
    telling, common, _ = max(looks)
    if ear.unknown:
        telling += _TYPED * count_mistyped(ear.unknown, text)
    return telling, common, max(mass for _, _, mass in looks)
