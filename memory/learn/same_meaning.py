"""Whether two sentences say the same, and whether a text says a thing. Pure.

A wrong "same" loses what somebody said, a wrong "different" leaves two memories for the nightly
merge. So the words must be the same in the same order (`memory.text.forms`); where meaning decides,
then numbers, negations, names, roles and order must agree first.

What forgetting goes by when it looks where a thing went is judged sentence by sentence, so that a
long reply that happens to have all the words in different places does not count; Chinese by its
content characters, since 住在巴黎 and 住在法国巴黎 share few pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from memory.models import Kind, Memory, detect_language
from memory.text import forms
from memory.text.clean import split_pieces
from memory.text.languages import joined, words_of
from memory.text.speech import denies_or_ends
from memory.text.words import STOP_WORDS, UNSPACED, is_unspaced, stem, tokens

SAME_VECTOR: Final = 0.95  # cosine of a semantic embedder from which they do
BURIED_VECTOR: Final = 0.92  # cosine from which a sentence is what a tombstone stands for
SAYS: Final = 0.75  # share of a thing's words from which a sentence says it
HINTS: Final = 0.5  # the same, where the thing is known to have been before the speaker's eyes
# How much of an ordinary embedder's distance one of this provider's is: its unrelated short facts
# lie at .83 in English, at .90 in Chinese, up to .95; repeated sentences at .97 and .98
# (tests/eval/sets/sameness, half A).
_STRETCHED: Final = {"bundled": 3.3}

_FAMILIES: Final[Sequence[frozenset[Kind]]] = (
    frozenset({Kind.PREFERENCE, Kind.WHIM, Kind.WORKFLOW, Kind.INSTRUCTION}),
    frozenset({Kind.IDENTITY, Kind.HEALTH, Kind.FACT, Kind.CONTEXT, Kind.SKILL, Kind.EVENT}),
    frozenset({Kind.TODO, Kind.GOAL, Kind.DECISION, Kind.EVENT}),
    frozenset({Kind.LESSON, Kind.FACT, Kind.WORKFLOW, Kind.SKILL}),
)
_STOP: Final = STOP_WORDS.union(words_of("sameness", "STOP")).difference(
    words_of("sameness", "KEPT")
)
_NO_NAMES: Final = frozenset(words_of("sameness", "NO_NAMES"))
_SENTENCE: Final = re.compile(r"[^.!?。！？;；\n]+")
_RUN: Final = re.compile(f"[{UNSPACED}]+")
_NAME: Final = re.compile(r"(?<![\w'’])(?:[A-Z][\w’'-]*[\w])(?:\s+(?:[A-Z][\w’'-]*\w))*")
_CALLED: Final = re.compile(joined("sameness", "CALLED"))


# --- words and names ---


def list_units(text: str) -> frozenset[str]:
    """Return content words by their stems, and content characters of unspaced scripts."""
    pieces = (t if is_unspaced(t) else [t] for t in tokens(text))
    return frozenset(stem(u) for piece in pieces for u in piece if u not in _STOP)


@lru_cache(maxsize=4_096)  # each night compares every new memory with many
def list_content_words(text: str) -> frozenset[str]:
    """Return content words, and pairs of characters: one by itself says little."""
    runs = [r for t in tokens(text.replace("用户", " ")) for r in _RUN.findall(t)]
    pairs = {run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))}
    return frozenset(pairs) | {u for u in list_units(text) if not is_unspaced(u)}


def find_names(text: str, entities: Iterable[str] = ()) -> frozenset[str]:
    """Find proper names, case-folded: capitals past a sentence's start, 住在X, titles, entities."""
    found = {e.strip() for e in entities}
    for m in _NAME.finditer(text):
        words = m[0].split()
        if not text[: m.start()].strip(" \"'“‘("):
            words = words[1:]  # it opens the text
        if words and words[0].casefold().partition("'")[0] not in _NO_NAMES:
            found.add(" ".join(words))
    found |= {name for m in _CALLED.finditer(text) for name in m.groups() if name}
    return frozenset(f.casefold() for f in found if len(f) >= 2) - _NO_NAMES


def mentions_name(name: str, text: str) -> bool:
    """Tell whether the text has the name, as a word of its own where its script has words."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if is_unspaced(name):
        return name in folded
    return re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", folded) is not None


def normalise_text(text: str) -> str:
    """Return the words in the form in which texts are compared; empty without letters or digits."""
    form = "".join(t for t in forms.list_form_tokens(text) if t != ",")
    return form or "".join(tokens(text))


def shares_words(a: str, b: str) -> bool:
    """Tell whether the two have any content word in common."""
    return not list_content_words(a).isdisjoint(list_content_words(b))


# --- sameness ---


def related_kinds(a: Kind, b: Kind) -> bool:
    """Tell whether one thing may well have been filed under either kind."""
    return a is b or any({a, b} <= family for family in _FAMILIES)


def same(a: str, b: str, *, kinds: tuple[Kind, Kind], cosine: float | None = None) -> bool:
    """Tell whether two sentences say the same. `cosine` is that of a semantic embedder, or None.

    Meaning decides only over another wording: one other word in the same sentence is another value.
    """
    if a == b or forms.has_same_form(a, b):
        return True
    near = cosine is not None and cosine >= SAME_VECTOR and related_kinds(*kinds)
    return near and not forms.has_same_frame(a, b) and has_same_details(a, b)


def has_same_details(a: str, b: str) -> bool:
    """Tell whether polarity, numbers, names, roles and order are the same."""
    return (
        denies_or_ends(a) == denies_or_ends(b)
        and forms.list_quantities(a) == forms.list_quantities(b)
        and find_names(a) == find_names(b)
        and (detect_language(a) != detect_language(b) or forms.has_same_order(a, b))
    )


def _stretch(embedder_id: str | None) -> float:
    return _STRETCHED.get((embedder_id or "").partition(":")[0], 1.0)


def rescale_cosine(cosine: float, embedder_id: str) -> float:
    """Bring an embedder's cosine to the scale of the others, where 1 stays 1."""
    return 1 - (1 - cosine) * _stretch(embedder_id)


def tombstone_threshold(embedder_id: str | None) -> float:
    """Return that embedder's cosine from which a sentence is what a tombstone stands for."""
    return 1 - (1 - BURIED_VECTOR) / _stretch(embedder_id)


def is_semantic(embedder_id: str | None) -> bool:
    """Tell whether the cosine of that embedder says more than shared letters do."""
    return embedder_id is not None and not embedder_id.startswith("lexical:")


# --- a thing said ---


class ForgetTarget:
    """A thing to forget: the words of its forms, and the names that nothing else is called by.

    May be thousands of memories at once, so a form is looked at only for a sentence that has one of
    its rare words.
    """

    def __init__(self, forms: Iterable[frozenset[str]], names: Iterable[str] = ()) -> None:
        self.forms = tuple(dict.fromkeys(f for f in forms if f))
        self.names = frozenset(names)
        self._words = frozenset(n for n in self.names if n.isalnum() and not is_unspaced(n))
        common = Counter(unit for form in self.forms for unit in form)
        self._by_rare: dict[str, list[frozenset[str]]] = {}
        for form in self.forms:
            # Whatever half of a form a sentence has, one of these is in it.
            most = len(form) - ceil(HINTS * len(form)) + 1
            for unit in sorted(form, key=lambda u: (common[u], u))[:most]:
                self._by_rare.setdefault(unit, []).append(form)

    def said_by(self, text: str, share: float = SAYS) -> bool:
        """Tell whether the text names it, or a sentence has that share of its words (>= HINTS)."""
        return any(self._said_in(piece, share) for _, piece in split_pieces(text))

    def _said_in(self, text: str, share: float) -> bool:
        if self._named_in(text):
            return True
        for said in map(list_units, _SENTENCE.findall(text)):
            for form in (f for unit in said for f in self._by_rare.get(unit, ())):
                if len(form & said) >= share * len(form):
                    return True
        return False

    def _named_in(self, text: str) -> bool:
        if not self.names:
            return False
        folded = unicodedata.normalize("NFKC", text).casefold()
        if not self._words.isdisjoint(re.findall(r"\w+", folded)):
            return True
        return any(n in folded and mentions_name(n, folded) for n in self.names - self._words)


def build_target(memories: Iterable[Memory], taken: Iterable[str] = ()) -> ForgetTarget:
    """Return the thing that these memories keep.

    `taken` are names that other memories have as well: they give nothing away.
    """
    forms, called = list[frozenset[str]](), set[str]()
    for m in memories:
        texts = dict.fromkeys((m.original_content, m.content, *m.original_contents.values()))
        forms += map(list_units, texts)
        called |= find_names(m.original_content, m.entities)
    return ForgetTarget(forms, called - set(taken))
