"""Which texts, and which of their sentences, say what a purged memory says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from memory.store.text import normalised, segment, terms

_SENTENCE: Final = re.compile(r"[^.!?。！？;；\n]*[.!?。！？;；\n]*\s{0,9}")
_TELLING: Final = 0.6  # of the memory's own words in one sentence: it says the same thing
_FEW: Final = 3  # spaces around one or two words


class Texts:
    """The memory's texts, and how to find them elsewhere."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted({t.strip() for t in texts if t.strip()}, key=len, reverse=True)
        self.flat = [_flat(t) for t in self.texts]
        self.words = [frozenset(terms(t)) for t in self.texts]
        self._longest = [sorted(set(x.split()), key=len, reverse=True) for x in self.flat]

    def may_be_in(self, text: str) -> bool:
        """Whether all the words of one of them stand in it somewhere: a quick look before a long one."""
        folded = unicodedata.normalize("NFKC", text).casefold()
        return any(all(word in folded for word in own) for own in self._longest)

    def said_in(self, text: str) -> bool:
        """Word for word, but for case, width and punctuation; one or two words only where they stand alone."""
        if not self.may_be_in(text):
            return False
        found = _flat(text)
        return any(x in found if x.count(" ") > _FEW else x == found for x in self.flat if x.strip())

    def told_by(self, sentence: str) -> bool:
        """In other words: most of the memory's own words in one sentence."""
        if self.said_in(sentence):
            return True
        there = frozenset(terms(sentence))
        return any(own and len(own & there) >= _TELLING * len(own) for own in self.words)

    def without(self, text: str) -> str:
        """`text` without the sentences that tell it."""
        left = "".join(s for s in _SENTENCE.findall(text) if s and not self.told_by(s))
        # A text that says it across sentence ends has no telling sentence of its own: all of it goes.
        return "" if self.said_in(left) else left.strip() if left.strip() != text.strip() else text


def _flat(text: str) -> str:
    """Words, and CJK characters, between single spaces, so that no word is found inside another."""
    return f" {normalised(segment(text))} "
