"""Whether two sentences say the same. Pure.

A wrong "same" loses what somebody said, a wrong "different" leaves two memories for the nightly merge. So the words
must be the same in the same order (`memory.text.forms`); where meaning decides, then numbers, negations, names, roles
and order must agree first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memory.models import Kind, language_of
from memory.text import forms

SAME_VECTOR = 0.95  # cosine of a semantic embedder from which they do
BURIED_VECTOR = 0.92  # cosine from which a sentence is what a tombstone stands for
# How much of an ordinary embedder's distance one of this provider's is: its unrelated short facts lie at .83 in
# English, at .90 in Chinese, up to .95; repeated sentences at .97 and .98 (tests/eval/sets/sameness, half A).
_STRETCHED = {"bundled": 3.3}

_STOP = frozenset(
    re.findall(
        r"\S+",
        "a an the is are was were be been am i me my mine you your he she they them his her its their it this that"
        " these those user users of to in on at for with by from as and or so very really just also has have had do"
        " does did who which will would can could s",
    )
)
_NEGATION_EN = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|without|cannot|stopped|quit|former|formerly|used\s{1,9}to|neither)\b|n['’]t\b"
)
_NEGATION_ZH = re.compile(r"[不没無无未别勿]|戒|曾经|停止|放弃")
_FALSE_NEGATION_ZH = re.compile(
    r"不错|不仅|不但|不过|不管|不论|无论|不少|不久|差不多|特别|分别|级别|性别|告别|无锡|没准"
)
_NAME = re.compile(r"(?<![\w])[A-Z][\w'’-]*")
_RUNS = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")

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
    """Content words: Latin words with crude endings cut, and pairs of Chinese characters."""
    out: set[str] = set()
    plain = unicodedata.normalize("NFKC", text).casefold().replace("用户", " ")
    for run in _RUNS.findall(plain):
        if _CJK.match(run):
            out.update(run[i : i + 2] for i in range(len(run) - 1)) if len(run) > 1 else out.add(run)
        elif run not in _STOP:
            out.add(_stem(run))
    return frozenset(out)


def _stem(word: str) -> str:
    word = re.sub(r"['’]s$", "", word)
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word  # as likes, so like


def denies(text: str) -> bool:
    """Whether the sentence says that something is not, or no longer, so."""
    low = unicodedata.normalize("NFKC", text).casefold()
    return bool(_NEGATION_EN.search(low) or _NEGATION_ZH.search(_FALSE_NEGATION_ZH.sub("", low)))


def _names(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKC", text)
    names = {n.casefold() for n in _NAME.findall(re.sub(r"^\W*\w+", "", plain))}
    return frozenset(names - {"the", "user", "i"})


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
        denies(a) == denies(b)
        and forms.numbers(a) == forms.numbers(b)
        and _names(a) == _names(b)
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
