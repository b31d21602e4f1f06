"""Which slots a message asks for: "where do I live" asks for the home, in whatever words.

The message's vector is compared with three questions for each slot, and with questions for other
things. Slots whose questions sound alike are asked for together: "which school am I at" may mean
the job.
"""

from __future__ import annotations

from typing import Final

from memory.learn.slots import SlotReader
from memory.ports import FloatArray
from memory.recall.question import parse_question
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


def find_asked_slots(
    text: str, vector: FloatArray, reader: SlotReader, *, calls: bool = False
) -> frozenset[str]:
    """Return the slots that a question about the person may ask for; none for another message.

    Args:
        text: the message.
        vector: its vector, of unit length.
        reader: of the same embedder.
        calls: its vector says that it calls for what is remembered, whatever its form.
    """
    question = parse_question(text, ())
    personal = question.personal or PATTERNS.PERSONAL.search(text) is not None
    if question.world or not (calls or (question.asks and personal)):
        return frozenset()
    cosines, none = reader.compare_questions(question.lang, vector)
    groups = [*_ALIKE, *((s,) for s in cosines if not any(s in some for some in _ALIKE))]
    best = sorted(((max(cosines.get(s, -1.0) for s in g), g) for g in groups), reverse=True)
    bar = max(NEAR, best[0][0] - CLOSE, -1.0 if question.earlier else none + LEAD)
    found = {slot for cosine, g in best[:2] if cosine >= bar for slot in g}
    return frozenset(found if not find_kin(text) else found & set(_ALIKE[2]))
