"""Whether two sentences say the same. Pure.

A wrong "same" loses what somebody said, a wrong "different" leaves two memories for the nightly merge: so
numbers, negations and names must agree, and only then does closeness count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memory.models import Kind

SAME_WORDS = 0.8  # overlap of content words from which two sentences say the same
SAME_VECTOR = 0.95  # cosine of a semantic embedder from which they do
BURIED_VECTOR = 0.92  # cosine from which a sentence is what a tombstone stands for

_STOP = frozenset(
    re.findall(
        r"\S+",
        "a an the is are was were be been am i me my mine you your he she they them his her its their it this that"
        " these those user users of to in on at for with by from as and or so very really just also has have had do"
        " does did who which will would can could s",
    )
)
_NEGATION_EN = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|without|cannot|stopped|quit|former|formerly)\b|n['’]t\b"
)
_NEGATION_ZH = re.compile(r"[不没無无未别勿]|戒|曾经|停止|放弃")
_FALSE_NEGATION_ZH = re.compile(
    r"不错|不仅|不但|不过|不管|不论|无论|不少|不久|差不多|特别|分别|级别|性别|告别|无锡|没准"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千万两]+(?=[个岁年月日号点次只条名位公里元块斤米楼])")
_NAME = re.compile(r"(?<![\w])[A-Z][\w'’-]*")
_RUNS = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_SUBJECT = re.compile(r"^(?:the user|user|用户|使用者|本人|我)(?:['’]s|的)?")

_FAMILIES: Sequence[frozenset[Kind]] = (
    frozenset({Kind.PREFERENCE, Kind.WHIM, Kind.WORKFLOW, Kind.INSTRUCTION}),
    frozenset({Kind.IDENTITY, Kind.HEALTH, Kind.FACT, Kind.CONTEXT, Kind.SKILL, Kind.EVENT}),
    frozenset({Kind.TODO, Kind.GOAL, Kind.DECISION, Kind.EVENT}),
    frozenset({Kind.LESSON, Kind.FACT, Kind.WORKFLOW, Kind.SKILL}),
)


def normalised(text: str) -> str:
    """The text without case, width, spacing and punctuation, and without the user as its subject."""
    plain = unicodedata.normalize("NFKC", text).casefold().strip()
    plain = _SUBJECT.sub("", plain)
    return "".join(c for c in plain if c.isalnum())


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


def _particulars(text: str) -> tuple[frozenset[str], frozenset[str]]:
    plain = unicodedata.normalize("NFKC", text)
    names = {n.casefold() for n in _NAME.findall(re.sub(r"^\W*\w+", "", plain))}
    return frozenset(_NUMBER.findall(plain)), frozenset(names - {"the", "user", "i"})


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
    """Whether two sentences say the same. `cosine` is that of a semantic embedder, or None."""
    if normalised(a) == normalised(b):
        return True
    if not related_kinds(*kinds) or not agree(a, b):
        return False
    return overlap(a, b) >= SAME_WORDS or (cosine is not None and cosine >= SAME_VECTOR)


def agree(a: str, b: str) -> bool:
    """Whether numbers, names and polarity are the same: without that, two sentences say different things."""
    return denies(a) == denies(b) and _particulars(a) == _particulars(b)


def semantic(embedder_id: str | None) -> bool:
    """Whether the cosine of that embedder says more than shared letters do."""
    return embedder_id is not None and not embedder_id.startswith("lexical:")
