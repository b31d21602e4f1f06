"""Which slots a message asks for: "where do I live" asks for the home, in whatever words.

The message's vector is compared with three questions for each slot, and with questions for other
things. Slots whose questions sound alike are asked for together: "which school am I at" may mean
the job.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from memory.errors import ModelError
from memory.learn.slots import SLOTS, load_shipped
from memory.models import Lang
from memory.ports import Embedder, FloatArray
from memory.recall.question import parse_question
from memory.text.languages import values
from memory.text.questions import PATTERNS
from memory.text.speech import find_kin

_ALIKE: Final = (
    ("home", "address", "zone"),
    ("email", "address", "home"),
    ("job", "employer", "school"),
    ("partner", "marital_status"),
    ("age", "birthday"),
)
# Cosines around the mean of a language's questions (tests/eval/sets/stories*.jsonl): so near is
# what is asked for, and so much nearer than a question for something else, unless it is asked for
# before now; and so far behind the nearest group, the second is asked for as well.
NEAR, LEAD, CLOSE = 0.2, 0.05, 0.1


@dataclass(frozen=True, slots=True, eq=False)
class SlotQuestions:
    """The questions of one language by one embedder, around their mean."""

    mean: FloatArray
    rows: FloatArray

    def compare(self, vector: FloatArray) -> tuple[dict[str, float], float]:
        """Return the cosine with each slot's nearest question, and with the nearest of none."""
        cosines = self.rows @ _centre(vector, self.mean)
        named = 3 * len(SLOTS)
        best = cosines[:named].reshape(-1, 3).max(1)
        return dict(zip(SLOTS, best.tolist(), strict=True)), float(cosines[named:].max())


@cache
def list_questions(lang: Lang) -> list[str]:
    """List the questions of a language: three of each slot, then those for other things."""
    found = (values("slot_questions", name)[lang] for name in (*SLOTS, "NONE"))
    return [text for some in found for text in some.split("|")]


_QUESTIONS: Final[dict[tuple[str, Lang], SlotQuestions]] = {}


async def load_questions(
    embedder: Embedder, lang: Lang, *, waits: bool = True
) -> SlotQuestions | None:
    """Return the questions of a language; None where nobody can ask in it, or not yet.

    Where no vectors are shipped, they are embedded once a process, unless it `waits` not.
    """
    if lang not in values("slot_questions", "NONE"):
        return None
    if (embedder.id, lang) not in _QUESTIONS:
        questions = list_questions(lang)
        rows = load_shipped(embedder.id, questions)
        try:
            if rows is None and waits:
                rows = await embedder.embed(questions, "query")
        except ModelError:  # the next text tries again
            return None
        if rows is None:
            return None
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        mean = rows.mean(0)
        _QUESTIONS[embedder.id, lang] = SlotQuestions(mean, _centre(rows, mean))
    return _QUESTIONS[embedder.id, lang]


def _centre(vectors: FloatArray, mean: FloatArray) -> FloatArray:
    found = vectors - mean
    norms = np.linalg.norm(found, axis=-1, keepdims=True)
    placed: FloatArray = (found / np.maximum(norms, 1e-9)).astype(np.float32)
    return placed


def find_asked_slots(
    text: str, vector: FloatArray, questions: SlotQuestions, *, calls: bool = False
) -> frozenset[str]:
    """Return the slots that a question about the person may ask for; none for another message.

    Args:
        text: the message.
        vector: its vector, of unit length.
        questions: of the same embedder and of its language.
        calls: its vector says that it calls for what is remembered, whatever its form.
    """
    question = parse_question(text, ())
    personal = question.personal or PATTERNS.PERSONAL.search(text) is not None
    if not calls and not (question.asks and personal):
        return frozenset()
    if question.world:
        return frozenset()
    cosines, none = questions.compare(vector)
    groups = [*_ALIKE, *((s,) for s in cosines if not any(s in some for some in _ALIKE))]
    best = sorted(((max(cosines[s] for s in g), g) for g in groups), reverse=True)
    bar = max(NEAR, best[0][0] - CLOSE, -1.0 if question.earlier else none + LEAD)
    found = {slot for cosine, g in best[:2] if cosine >= bar for slot in g}
    return frozenset(found if not find_kin(text) else found & set(_ALIKE[2]))
