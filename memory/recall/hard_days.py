"""Tell who speaks of hurting themselves, or worries that somebody else might.

A message, and each longer sentence of it, is compared with prototype sentences of every language:
serious ones, worries about others, ones that only sound so, plain facts, and idle talk. Where no
embedder knows the language, a short list of plain forms decides alone. A plain form lowers the bar.
Bars and figures: docs/design.md, "Hard days".
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np

from memory.models import detect_language
from memory.ports import FloatArray
from memory.recall.reader import MessageReader, list_prototypes
from memory.text.languages import either
from memory.text.spans import join_own_text, split_sentences
from memory.text.words import is_unspaced

HardDay: TypeAlias = Literal["", "self", "unsure", "other"]  # unsure whether of themselves
_LONGEST: Final = 1_000  # characters of a message that are read
_PARTS: Final = 6  # sentences beside the whole message
_WIDE: Final = 40  # width from which a sentence is read by itself; a Chinese character is two
_NEAREST: Final = 3  # prototypes of a sort that count, by the mean of their cosines
_ALONE: Final = 0.03  # how much nearer it is to a hard sentence than to any harmless one
# From here on it is sure: what is told beside it is quiet. Of 880 messages of stories and exchanges
# 5 lie above, and 15 above `_ALONE`; of 24 serious ones 18, and 20.
_SURE: Final = 0.05
_WITH_FORM: Final = -0.03  # the same beside a plain form
_AFTER: Final = -0.05  # the same soon after a message that was heard
_ABOUT: Final = 0.02  # how much nearer to a worry about somebody it must be to be one
_ABOUT_WITH_FORM: Final = 0.08
_STRICTER: Final = 0.03  # what is added to the bar of a worry
_NEAR: Final = 0.46  # cosine, centred, that it has to have at all


def split_message(text: str) -> list[str]:
    """Split what is the person's own in a message into what is compared; the whole comes first."""
    own = join_own_text(text[:_LONGEST]).strip()
    parts = [own[a:b].strip() for a, b in split_sentences(own)]
    wide = [p for p in parts if _is_wide(p)] if len(parts) > 1 else []
    return [own, *wide[:_PARTS]] if own else []


def read_hard_day(
    parts: list[str], rows: FloatArray | None, reader: MessageReader | None, *, after: bool = False
) -> HardDay:
    """Tell what a message speaks of.

    Args:
        parts: of the message, from `split_message`.
        rows: their vectors; None without an embedder that knows meaning.
        reader: what that embedder's vectors of known sentences are.
        after: that a message shortly before spoke of it; it lowers the bar most.
    """
    plain = bool(parts and either("hard_days", "PLAIN").search(parts[0]))
    if rows is None or reader is None or detect_language(parts[0]) not in reader.idle:
        return "self" if plain else ""
    idle = np.concatenate(list(reader.idle.values()))
    centre = idle.mean(0)

    def compare(known: FloatArray) -> FloatArray:
        a, b = rows - centre, known - centre
        a, b = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
        best: FloatArray = np.sort(a @ b.T, axis=1)[:, -_NEAREST:].mean(1)
        return best

    sorts = np.array([sort for sort, _ in list_prototypes()])
    serious, other, near, neutral = (
        compare(reader.prototypes[sorts == s]) for s in ("SELF", "OTHER", "NEAR", "NEUTRAL")
    )
    own = serious > other - (_ABOUT_WITH_FORM if plain else _ABOUT)
    hard = np.where(own, serious, other)
    bar = _AFTER if after else _WITH_FORM if plain else _ALONE
    harmless = np.maximum.reduce([near, neutral, compare(idle)])
    heard = (hard - harmless > np.where(own, bar, bar + _STRICTER)) & (hard > _NEAR)
    if not np.any(heard & own):
        return "other" if heard.any() else ""
    sure = plain or after or np.any(own & (hard - harmless > _SURE) & heard)
    return "self" if sure else "unsure"


def _is_wide(part: str) -> bool:
    return len(part) * (1 + is_unspaced(part)) >= _WIDE
