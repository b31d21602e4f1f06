"""One ranking from many signals: a weighted sum, and bounded nudges for what else speaks for a memory.

Weights are log-odds: a memory that scores one more is e times as likely to be what was asked for. They were learned
by `python -m tests.bench.tune` (softmax over each question's candidates) on LoCoMo and MemDaily, each language with
the other's data at three tenths of the weight, so that nothing is learned that hurts elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import exp, log
from typing import Final

from memory.lifecycle.curve import days
from memory.models import Lang, Memory
from memory.ports import Chance

# What is measured with them, recall@10 | nDCG@10, beside the best of BM25, vectors and their reciprocal ranks:
#                            without a model        with all-MiniLM (which knows no Chinese)
#   LoCoMo    (en)      .792 | .651 (.623 | .484)      .816 | .663 (.623 | .484)
#   MemDaily  (zh)      .789 | .657 (.638 | .528)      .784 | .649 (.614 | .517)
#   diaries   (en)      .580 | .500 (.485 | .412)      .767 | .630 (.678 | .549)   of people nothing was learned from
#             (zh)      .629 | .525 (.505 | .436)      .636 | .522 (.494 | .429)
#   notes     (en)      .543 | .462 (.506 | .417)      .715 | .599 (.677 | .572)   one session, one time
#             (zh)      .607 | .538 (.525 | .476)      .606 | .538 (.522 | .463)
#   a chat    (en)      .584 | .471 (.481 | .398)      .678 | .551 (.622 | .500)   with long answers of an assistant
#             (zh)      .566 | .492 (.473 | .422)      .588 | .495 (.473 | .422)
# Learned on the first two, each language with the other's data at three tenths; on people not learned from recall@10
# fell by .005 at most. Set by hand, between what chats and diaries would have: `vectors` (chats 2.0, diaries
# 4.6), `time` (3.5, 6.5), `about` and `own` (nothing, 2.5 and 1.0: the diaries gain .05); `graph`, for too few of
# them have entities; `bridge`, below what MemDaily would have (1.8), for long memories hold many words; `latest` and
# `earlier` (what changed, en: .750 → .810). Taken away by itself none makes any of these sets better by more than
# .015, nor what chats alone taught (`before` to `around`, `bridge`) by more than .010. What the best are worth
# (without vectors): LoCoMo before −.029, names −.015, time −.015; MemDaily bridge −.049; diaries time −.046, about
# −.020, own −.016.
WEIGHTS: Final[Mapping[Lang, Mapping[str, float]]] = {
    "en": {
        "words": 2.8,
        "share": 1.7,
        "vectors": 4.0,
        "bridge": 0.65,
        "graph": 0.4,
        "before_2": 1.5,
        "before": 1.9,
        "after": 0.7,
        "after_2": 0.7,
        "around": 2.3,
        "names": 2.4,
        "about": 1.7,
        "own": 0.6,
        "time": 4.0,
        "when": 1.8,
        "how_many": 0.7,
        "where": 2.0,
        "question": -0.8,
        "latest": 1.0,
        "earlier": 1.0,
    },
    "zh": {
        "words": 3.2,
        "share": 1.9,
        "vectors": 4.0,
        "bridge": 1.5,
        "graph": 0.4,
        "before_2": 1.0,
        "before": 0.8,
        "after": 0.3,
        "after_2": 0.5,
        "around": 0.6,
        "names": 2.2,
        "about": 1.4,
        "own": 0.3,
        "time": 2.4,
        "when": 0.9,
        "how_many": 0.3,
        "where": 1.0,
        "question": -0.8,
        "latest": 1.0,
        "earlier": 1.0,
    },
}
FIRST: Final = ("words", "share", "vectors")  # what a memory says itself: this alone speaks for its neighbours
SHOWN: Final[Mapping[str, str]] = {  # what belongs together in an explanation
    "words": "lexical",
    "share": "lexical",
    "before_2": "beside",
    "before": "beside",
    "after": "beside",
    "after_2": "beside",
    "around": "beside",
    "when": "kind_of_answer",
    "how_many": "kind_of_answer",
    "where": "kind_of_answer",
    "about": "names",
    "own": "own",
    "question": "form",
    "latest": "time",
    "earlier": "time",
}

# Dimensions that a user's memories spread over (`Chance.dimensions`): at so few an embedder hardly tells them apart,
# from so many on it is trusted in full. all-MiniLM: diaries en 67 to 79, a chat with an assistant 44 to 52, LoCoMo 28
# to 51; in Chinese, which it does not know, 17 to 32. The same for embedders whose cosines crowd about 0.8.
_ALIKE: Final = 21.0
_APART: Final = 63.0
_LEAST: Final = 0.1
_SAME_THREAD: Final = (0.1, 0.4)  # `Chance.follows`: LoCoMo 0.4 to 1.5, what is no conversation below 0.2
# Words shared are counted already, and the lexical embedder sees little else, but it forgives a letter typed wrong.
# MemDaily would have more of it (.35: .789, none: .785), diaries none (zh .636, .662).
_LEXICAL: Final = 0.15

RETENTION: Final = 0.10  # each nudge is a factor of at most this much more or less than 1
RECENCY: Final = 0.05
CONFIDENCE: Final = 0.05
_NUDGE: Final = 5.0  # what a nudge is worth, in log-odds: a tenth more is half a point


def trust(embedder: str, chance: Chance | None) -> float:
    """What an embedder's vectors count, 0.1 … 1: less where it finds all of this user's memories alike."""
    if embedder.startswith("lexical:"):
        return _LEXICAL
    if chance is None or chance.dimensions is None:
        return 1.0
    return max(_LEAST, min(1.0, log(chance.dimensions / _ALIKE) / log(_APART / _ALIKE)))


def thread(chance: Chance | None) -> float:
    """0 … 1: how far what stands beside a memory in its session belongs to it; 1 where that is not known."""
    if chance is None or chance.follows is None:
        return 1.0
    least, most = _SAME_THREAD
    return max(0.0, min(1.0, (chance.follows - least) / (most - least)))


def nudges(m: Memory, weight: float, now: datetime) -> Mapping[str, float]:
    """Factors by name. `weight` is the memory's retention now."""
    return {
        "retention": 1 + RETENTION * max(-1.0, min(1.0, weight - 1)),
        "recency": 1 + RECENCY * (2 * exp(-days(m.last_activated_at, now) / 30) - 1),
        "confidence": 1 + CONFIDENCE * (2 * max(0.0, min(1.0, m.confidence)) - 1),
    }


def nudged(score: float, factors: Mapping[str, float]) -> float:
    """A score with its nudges."""
    return score + _NUDGE * sum(log(f) for f in factors.values())
