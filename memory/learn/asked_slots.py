"""Which slots a message asks for: "where do I live" asks for the home, in whatever words.

The message's vector is compared with the sentences that fill a slot (`memory.learn.slots`). Slots
whose questions sound alike are asked for together: "which school am I at" may mean the job.
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
# Cosines, by hand: so far behind the nearest group, the second is asked for as well; so near is
# what is asked for; and so far behind the nearest sentence of none, unless it is asked for
# before now: "used to live in Chicago" fills no slot.
_CLOSE: Final = 0.05
_NEAR: Final = 0.2
_BEHIND: Final = 0.1


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
    if not ((question.asks or calls) and personal) or question.world:
        return frozenset()
    cosines, none = reader.compare_slots(question.lang, vector)
    groups = [*_ALIKE, *((s,) for s in cosines if not any(s in some for some in _ALIKE))]
    best = sorted(((max(cosines.get(s, -1.0) for s in g), g) for g in groups), reverse=True)
    bar = max(_NEAR, best[0][0] - _CLOSE, -1.0 if question.earlier else none - _BEHIND)
    near = [g for cosine, g in best[:2] if cosine >= bar]
    found = {slot for g in near for slot in g}
    return frozenset(found if not find_kin(text) else found & set(_ALIKE[2]))
