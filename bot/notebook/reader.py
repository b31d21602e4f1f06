"""Read a sentence with linear weights: whether to keep it, its sort, and what it does in a talk.

The weights are trained by `python -m tests.bench.notebook` from labelled sentences. They work over
the vector of the bundled embedder and a handful of surface features; a second set works over these
features alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Final

import numpy as np

from memory.models import Json, Lang
from memory.ports import FloatArray
from memory.text import spans
from memory.text.languages import joined
from memory.text.speech import FORMS
from memory.text.words import fold_variants as simplified

WEIGHTS: Final = Path(__file__).with_name("weights.npz")
KEPT: Final = ("event", "fact", "health", "instruction", "name", "preference", "todo")
LEFT: Final = (
    *("conditional", "fiction", "joke", "question", "quote"),
    *("request", "roleplay", "smalltalk", "wish", "world"),
)
SORTS: Final = (*KEPT, *LEFT)
TRAINED: Final[tuple[Lang, ...]] = ("en", "zh")  # languages, as the weights have them
PLAYED: Final = ("roleplay", "fiction")
OPENS: Final = 0.5  # their share in what was said before, from which what is said now belongs to it
ACTS: Final = (
    *("greet", "thanks", "bye", "who", "self"),
    *("death", "bad", "good", "correct", "ask", "chat"),
)
SCALE: Final = 6.0  # of a vector without its mean, so that one penalty fits it and the features
ANSWER: Final = ("meaning", "names")  # of memories that were found: what says whether they answer
# Odds behind the best, from which a memory that is no answer alone is none: of the right answers
# of half A 213 of 220 stay, and of all that was quoted beside them two thirds.
FAR: Final = 1.5
DATED: Final = 0.25  # share of events and todos
LIKELY: Final = 0.5  # share of the acts "ask" and "correct" from which they count
SHORT: Final = 28  # width of a sentence that says little alone; a Chinese character is three
LONG: Final = 90  # width from which people tell a story rather than say something
MOST: Final = 320  # characters of a sentence that are read, and of a quotation

_ASKED: Final = re.compile(r"[?？]\W*$")
_LAST: Final = re.compile(r"[^.!。！;；\n]{1,200}\W*$")
_DIGIT: Final = re.compile(r"\d")
_QUOTED: Final = re.compile('["“”「」『』]')
_STAGE: Final = re.compile(r"\W*[*（(]")
_NAME: Final = re.compile(r"\w,? +[A-Z][a-z]")
_PLAY: Final = re.compile(joined("commands", "FICTION", r"\b(?:{})"), re.I)
_WIDE: Final = re.compile("[\u2e80-\uffff]")


@dataclass(frozen=True, slots=True)
class SentenceUnit:
    """Sentences that are read as one, where they stand, and what was said before.

    `asked`: that was a question of ours.
    """

    text: str
    start: int = 0
    end: int = 0
    before: str = ""
    asked: bool = False


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """What the weights say of a unit: shares from 0 to 1; `over` is the share over its limit."""

    keep: bool
    share: float
    over: float
    sort: str
    sure: float
    dated: str  # "event" or "todo", where it has a date
    acts: Mapping[str, float]

    @property
    def corrects(self) -> bool:
        """Whether it may change what was kept."""
        return self.acts.get("correct", 0.0) >= LIKELY


def split_units(text: str, before: str = "", *, asked: bool = False) -> list[SentenceUnit]:
    """Split a message into units.

    What is short or begins with a pronoun belongs to the sentence before it.
    """
    out: list[SentenceUnit] = []
    bare = spans.unmark_names(text)
    for a, b in spans.find_own_sentences(bare):
        start = a - (text[a - 1 : a] != bare[a - 1 : a])  # a mark that was taken for a space
        end = b + (text[b : b + 1] != bare[b : b + 1])
        sentence = text[start:end].strip()
        if not out:
            out.append(SentenceUnit(sentence, start, end, before, asked))
            continue
        last = out[-1]
        short = min(measure_width(sentence), measure_width(last.text)) < SHORT
        joins = (
            (short or FORMS.PRONOUN.match(sentence))
            and not text[last.end : start].strip()
            and is_question(last.text) == is_question(sentence)
            and end - last.start <= MOST
        )
        if joins:
            out[-1] = replace(last, text=text[last.start : end], end=end)
        else:
            out.append(SentenceUnit(sentence, start, end, last.text))
    return out


def has_question_mark(text: str) -> bool:
    """Say whether a text ends with a question mark."""
    return _ASKED.search(text) is not None


def is_question(text: str) -> bool:
    """Say whether a text ends with a question, by its mark or by the form of its last sentence."""
    if has_question_mark(text):
        return True
    last = _LAST.search(simplified(text[-MOST:]))
    return last is not None and FORMS.QUESTION.search(last.group().strip()) is not None


def measure_width(text: str) -> int:
    """Count the characters of a text, a Chinese one as three."""
    return len(text) + 2 * len(_WIDE.findall(text))


def classify_length(text: str) -> int:
    """Say whether a text is short (0), middling (1) or long (2): each has its limit."""
    return int(measure_width(text) >= SHORT) + int(measure_width(text) > LONG)


def extract_features(unit: SentenceUnit) -> list[float]:
    """Return the surface features of a unit: form alone, by the patterns of all languages."""
    text, before = simplified(unit.text[:MOST]), simplified(unit.before[-MOST:])
    wide = min(measure_width(unit.text), 200)
    forms = ("ME", "ASKS", "REQUEST", "UNREAL", "PLAN", "OTHERS", "NOT")
    said = [
        is_question(text),
        *(getattr(FORMS, name).search(text) for name in forms),
        FORMS.RELATIVE.search(text) or FORMS.DAYS.search(text),
        _DIGIT.search(text),
        _QUOTED.search(text),
        _STAGE.match(text),
        _NAME.search(text),
        _WIDE.search(text),
        text.endswith(("!", "！")),
        _PLAY.search(text),
        FORMS.CORRECTS.search(text),
        FORMS.PRONOUN.match(text),
        unit.asked,
        unit.before and not unit.asked,
        unit.asked and FORMS.YES.match(text),
        _PLAY.search(before) or FORMS.UNREAL.search(before),
        wide < SHORT,
        wide < 2 * SHORT,
    ]
    return [*(float(bool(x)) for x in said), wide / 100]


class LinearReader:
    """The weights of one file. Read-only, so threads may share it."""

    def __init__(self, path: Path = WEIGHTS) -> None:
        """Load the weights. Raises OSError, ValueError."""
        with np.load(path, allow_pickle=False) as file:
            self.arrays: dict[str, Any] = {name: file[name] for name in file.files}

    def read(
        self, units: Sequence[SentenceUnit], vectors: FloatArray | None, before: FloatArray | None
    ) -> list[SentenceReading]:
        """Read units by their vectors and those of what was said before; by form alone without.

        Args:
            units: what is read.
            vectors: (n, 384), of the units.
            before: (n, 384), of what was said before each.
        """
        if not units:
            return []
        features = np.array([extract_features(u) for u in units], np.float32)
        has = np.array([bool(u.before) for u in units])
        sorts, acts = _shares(self.arrays, features, vectors, before, has)
        limits = self.arrays["limits" if vectors is not None else "plain.limits"]
        # A word announces a play or a story, here or in what was said before, or that is read as
        # the opening of one.
        said = [simplified(f"{u.before[-MOST:]}\n{u.text[:MOST]}") for u in units]
        played = np.array([_PLAY.search(text) is not None for text in said])
        if before is not None:
            forms = np.array([extract_features(SentenceUnit(u.before)) for u in units])
            opened = _shares(self.arrays, forms, before, before, has & False)[0]
            columns = [SORTS.index(name) for name in PLAYED]
            played |= has & (opened[:, columns].sum(axis=1) >= OPENS)
        rows = zip(units, sorts, acts, played, strict=True)
        return [_judge(unit, p, a, limits, played=bool(play)) for unit, p, a, play in rows]

    def weigh_answer(self, found: Sequence[Mapping[str, Json]], lang: Lang) -> str:
        """Return "sure", "unsure" or "none" for memories, by what the gate saw of each; else ""."""
        if not found or any("meaning" not in f for f in found):
            return ""
        odds, (least, sure) = self._weigh(found), self.arrays["answer.limits"][TRAINED.index(lang)]
        return "none" if odds < least else "unsure" if odds < sure else "sure"

    def pick_answers(self, found: Sequence[Mapping[str, Json]], lang: Lang) -> list[bool]:
        """Say of each memory whether it is worth quoting beside the others."""
        odds = [self._weigh([f]) if "meaning" in f else inf for f in found]
        least = self.arrays["answer.limits"][TRAINED.index(lang)][0]
        least = min(least, max(odds, default=0.0) - FAR)
        return [o >= least for o in odds]

    def _weigh(self, found: Sequence[Mapping[str, Json]]) -> float:
        most = [max(float(str(f.get(name) or 0)) for f in found) for name in ANSWER]
        return float(np.dot(self.arrays["answer"], [*most, 1.0]))


def _judge(
    unit: SentenceUnit, sorts: FloatArray, acts: FloatArray, limits: Any, *, played: bool
) -> SentenceReading:
    """Say what the probabilities of one unit come to."""
    likely = dict(zip(ACTS, map(float, acts), strict=True))
    kept, left = sorts[: len(KEPT)], sorts[len(KEPT) :]
    share, length = kept.sum(), classify_length(unit.text)
    over = float(share / limits[int(bool(_WIDE.search(unit.text)))][length])
    if played or is_question(unit.text) or likely["ask"] >= LIKELY:
        over = 0.0
    keep = bool(over > 1.0 and share >= left.max() * (length > 1))
    at = int(kept.argmax()) if keep else len(KEPT) + int(left.argmax())
    event, todo = (float(kept[KEPT.index(name)]) for name in ("event", "todo"))
    dated = ("event" if event >= todo else "todo") if event + todo >= DATED else ""
    return SentenceReading(keep, float(share), over, SORTS[at], float(sorts[at]), dated, likely)


def _shares(
    w: Mapping[str, Any],
    features: FloatArray,
    vectors: FloatArray | None,
    before: FloatArray | None,
    has: Any,
) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities of the sorts and of the acts, (n, 17) and (n, 11)."""
    plain = (features - w["mean"]) / w["spread"]
    if vectors is None or before is None:
        sorts = _softmax(plain @ weigh(w, "plain.sorts") + w["plain.bias"])
        return sorts, np.zeros((len(plain), len(ACTS)), np.float32)
    x = join_inputs(plain, vectors, before, has, w["centre"])
    sorts = _softmax(x @ weigh(w, "sorts") + w["bias"])
    own = x[:, : plain.shape[1] + vectors.shape[1]]  # an act does not hang on what was said before
    return sorts, _softmax(own @ weigh(w, "acts") + w["acts.bias"])


def join_inputs(
    plain: FloatArray, vectors: FloatArray, before: FloatArray, has: Any, centre: Any
) -> FloatArray:
    """Put features, vector, and the vector of what was said before side by side."""
    previous = np.where(has[:, None], before - centre, 0.0) * (SCALE / 3)
    return np.asarray(np.hstack([plain / 2, (vectors - centre) * SCALE, previous]), np.float32)


def weigh(w: Mapping[str, Any], name: str) -> FloatArray:
    """Return a matrix of weights, stored as 8-bit numbers with a scale a column."""
    return np.asarray(w[name].astype(np.float32) * w[f"{name}.scale"])


def _softmax(x: FloatArray) -> FloatArray:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@cache
def load_reader() -> LinearReader:
    """Load the program's own weights, once."""
    return LinearReader()
