"""Lexical search: BM25 over one user's own words.

A word's rarity is taken among this user's memories alone: nobody's words show in another's ranking. A memory is a
sentence or two, so a term counts once however often it occurs.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from memory.models import Scored
from memory.store.shelf import Mask, Shelf
from memory.store.text import terms

K1: Final = 1.2
B: Final = 0.75
_SPARE: Final = 4  # memories whose length is looked at, for each that is wanted


def search(shelf: Shelf, text: str, k: int, mask: Mask) -> list[Scored]:
    """The best `k` memories that share a term with the text and pass the mask, best first; of equals the newest."""
    total = np.zeros(len(shelf))
    for h in shelf.holding(terms(text)):
        total[h.places] += h.rarity
    places = np.flatnonzero(total * mask)
    if k <= 0 or not len(places):
        return []
    scores = total[places]
    most = max(64, _SPARE * k)
    if most < len(places):
        some = np.flatnonzero(scores >= np.partition(scores, -most)[-most])
        places, scores = places[some], scores[some]
    words = shelf.words[places]
    ranked = scores * (K1 + 1) / (1 + K1 * (1 - B + B * words / words.mean()))
    order = np.lexsort((-places, -ranked))[:k]
    found = zip(places[order].tolist(), ranked[order].tolist(), strict=True)
    return [Scored(shelf.ids[p], score, p) for p, score in found]
