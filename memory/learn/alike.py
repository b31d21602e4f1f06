"""Whether two sentences say the same. Pure.

A wrong "same" loses what somebody said, a wrong "different" leaves two memories for the nightly merge. So the words
must be the same in the same order (`memory.text.forms`); where meaning decides, then numbers, negations, names, roles
and order must agree first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memory.learn.contains import names, units
from memory.models import Kind, language_of
from memory.text import forms
from memory.text.speech import denies_or_ends

SAME_VECTOR = 0.95  # cosine of a semantic embedder from which they do
BURIED_VECTOR = 0.92  # cosine from which a sentence is what a tombstone stands for
# How much of an ordinary embedder's distance one of this provider's is: its unrelated short facts lie at .83 in
# English, at .90 in Chinese, up to .95; repeated sentences at .97 and .98 (tests/eval/sets/sameness, half A).
_STRETCHED = {"bundled": 3.3}


_FAMILIES: Sequence[frozenset[Kind]] = (
    frozenset({Kind.PREFERENCE, Kind.WHIM, Kind.WORKFLOW, Kind.INSTRUCTION}),
    frozenset({Kind.IDENTITY, Kind.HEALTH, Kind.FACT, Kind.CONTEXT, Kind.SKILL, Kind.EVENT}),
    frozenset({Kind.TODO, Kind.GOAL, Kind.DECISION, Kind.EVENT}),
    frozenset({Kind.LESSON, Kind.FACT, Kind.WORKFLOW, Kind.SKILL}),
)


def normalised(text: str) -> str:
    """Join the words in the form in which texts are compared; empty where there are no letters and no digits."""
    form = "".join(t for t in forms.tokens(text) if t != ",")
    return form or "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def words(text: str) -> frozenset[str]:
    """Content words, and pairs of Chinese characters: one character by itself says little."""
    runs = re.findall("[\u3400-\u9fff]+", unicodedata.normalize("NFKC", text).replace("用户", " "))
    pairs = {run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))}
    return frozenset(pairs) | {u for u in units(text) if u < "\u3400"}


def overlap(a: str, b: str) -> float:
    """Jaccard overlap of content words, 0 to 1."""
    x, y = words(a), words(b)
    return len(x & y) / len(x | y) if x and y else 0.0


def touches(a: str, b: str) -> bool:
    """Whether the two have any content word in common."""
    return not words(a).isdisjoint(words(b))


def related_kinds(a: Kind, b: Kind) -> bool:
    """Whether one thing may well have been filed under either kind."""
    return a is b or any(a in family and b in family for family in _FAMILIES)


def same(a: str, b: str, *, kinds: tuple[Kind, Kind], cosine: float | None = None) -> bool:
    """Whether two sentences say the same. `cosine` is that of a semantic embedder, or None.

    Meaning decides only over another wording: one other word in the same sentence is another value.
    """
    if a == b or forms.same_form(a, b):
        return True
    near = cosine is not None and cosine >= SAME_VECTOR and related_kinds(*kinds)
    return near and not forms.same_frame(a, b) and agree(a, b)


def agree(a: str, b: str) -> bool:
    """Whether polarity, numbers, names, roles and order are the same: else two sentences say different things."""
    return (
        denies_or_ends(a) == denies_or_ends(b)
        and forms.numbers(a) == forms.numbers(b)
        and names(a) == names(b)
        and (language_of(a) != language_of(b) or forms.same_order(a, b))
    )


def rescale(cosine: float, embedder_id: str) -> float:
    """Bring the cosine of an embedder that finds all texts near to the scale of the others, where 1 stays 1."""
    return 1 - (1 - cosine) * _STRETCHED.get(embedder_id.partition(":")[0], 1.0)


def buried_from(embedder_id: str | None) -> float:
    """Return that embedder's cosine from which a sentence is what a tombstone stands for."""
    return 1 - (1 - BURIED_VECTOR) / _STRETCHED.get((embedder_id or "").partition(":")[0], 1.0)


def semantic(embedder_id: str | None) -> bool:
    """Whether the cosine of that embedder says more than shared letters do."""
    return embedder_id is not None and not embedder_id.startswith("lexical:")
