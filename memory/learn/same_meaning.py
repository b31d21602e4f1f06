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
from math import ceil
from typing import Final

from memory.models import Kind, Memory, detect_language
from memory.text import forms
from memory.text.clean import split_pieces
from memory.text.speech import denies_or_ends

SAME_VECTOR = 0.95  # cosine of a semantic embedder from which they do
BURIED_VECTOR = 0.92  # cosine from which a sentence is what a tombstone stands for
# How much of an ordinary embedder's distance one of this provider's is: its unrelated short facts
# lie at .83 in English, at .90 in Chinese, up to .95; repeated sentences at .97 and .98
# (tests/eval/sets/sameness, half A).
_STRETCHED = {"bundled": 3.3}


_FAMILIES: Sequence[frozenset[Kind]] = (
    frozenset({Kind.PREFERENCE, Kind.WHIM, Kind.WORKFLOW, Kind.INSTRUCTION}),
    frozenset({Kind.IDENTITY, Kind.HEALTH, Kind.FACT, Kind.CONTEXT, Kind.SKILL, Kind.EVENT}),
    frozenset({Kind.TODO, Kind.GOAL, Kind.DECISION, Kind.EVENT}),
    frozenset({Kind.LESSON, Kind.FACT, Kind.WORKFLOW, Kind.SKILL}),
)
SAYS: Final = 0.75  # share of a thing's words from which a sentence says it
HINTS: Final = 0.5  # the same, where the thing is known to have been before the speaker's eyes

_STOP: Final = frozenset(
    """a an the is are was were be been am i im ive me my mine you your he she they him his her hers their them it its
    this that these those user users of to in on at for with by from as and or but so very really just also has have
    had do does did who whom which what when where how why will would can could should may might must s t re ve ll d m
    not no don doesn didn isn aren wasn there here up out about into than then now called named name""".split()  # noqa: SIM905 - words read as words
)
_STOP_ZH: Final = frozenset(
    "我你您他她它们的地得了着过吗呢吧啊呀哦嗯么是在有和与及或也都还就又再很太不没这那哪个些把被让给对从到为以于之其而但会能要想叫用户名字"
)
_PIECE: Final = re.compile(r"[a-z0-9]+|[\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_ONE_WORD: Final = re.compile(r"[^\W\u3400-\u9fff\uf900-\ufaff]+")
_SENTENCE: Final = re.compile(r"[^.!?。！？;；\n]+")
_NAME: Final = re.compile(r"(?<![\w'’])(?:[A-Z][\w’'-]*[\w])(?:\s+(?:[A-Z][\w’'-]*\w))*")
_NAME_ZH: Final = re.compile(
    r"(?:住在|来自|搬到|搬去|老家在|出生在|名叫|叫做|叫|名字是|姓名是|是)(?P<n>[\u4e00-\u9fff]{2,4})(?=$|[，。！？；、,.!?\s])"
    r"|[《「“](?P<q>[^》」”]{2,20})[》」”]"
)
# Capitalised without being anybody's or anything's name; and what 是 is followed by without naming.
_NO_NAME: Final = frozenset(
    """i im ive id ill the a an user my our his her their we you he she they it is are and or but not no yes please ok
    okay monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december today tomorrow every english chinese dr mr mrs ms""".split()  # noqa: SIM905 - words read as words
)
_NO_NAME_ZH: Final = re.compile(
    r"(?:老师|医生|护士|律师|学生|工程师|程序员|设计师|司机|厨师|经理|素食者?|左撇子|什么|一[个名位只])"
)


# --- words and names ---


def _stem(word: str) -> str:
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def list_units(text: str) -> frozenset[str]:
    """Content words by their stems, and content characters of Chinese."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    found = _PIECE.findall(plain)
    return frozenset(
        p if p[0] >= "\u3400" else _stem(p) for p in found if p not in _STOP and p not in _STOP_ZH
    )


def find_names(text: str, entities: Iterable[str] = ()) -> frozenset[str]:
    """Proper names, case-folded: capitalised words past a sentence's start, 住在X, 叫X, quoted titles, entities."""
    found = {e.strip() for e in entities}
    for m in _NAME.finditer(text):
        first = not text[: m.start()].strip(" \"'“‘(")
        words = m[0].split()
        if first:
            words = words[1:]
        if words and words[0].casefold().partition("'")[0] not in _NO_NAME:
            found.add(" ".join(words))
    for z in _NAME_ZH.finditer(text):
        if not _NO_NAME_ZH.search(z["n"] or ""):
            found.add(z["n"] or z["q"])
    return frozenset(f.casefold() for f in found if len(f) >= 2 and f.casefold() not in _NO_NAME)


def mentions_name(name: str, text: str) -> bool:
    """Tell whether the text has the name, as a word of its own where its script has words."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if name[0] >= "\u3400":
        return name in folded
    return re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", folded) is not None


def normalise_text(text: str) -> str:
    """Join the words in the form in which texts are compared; empty where there are no letters and no digits."""
    form = "".join(t for t in forms.list_form_tokens(text) if t != ",")
    return form or "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def list_content_words(text: str) -> frozenset[str]:
    """Content words, and pairs of Chinese characters: one character by itself says little."""
    runs = re.findall("[\u3400-\u9fff]+", unicodedata.normalize("NFKC", text).replace("用户", " "))
    pairs = {run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))}
    return frozenset(pairs) | {u for u in list_units(text) if u < "\u3400"}


def compute_overlap(a: str, b: str) -> float:
    """Jaccard overlap of content words, 0 to 1."""
    x, y = list_content_words(a), list_content_words(b)
    return len(x & y) / len(x | y) if x and y else 0.0


def shares_words(a: str, b: str) -> bool:
    """Tell whether the two have any content word in common."""
    return not list_content_words(a).isdisjoint(list_content_words(b))


def related_kinds(a: Kind, b: Kind) -> bool:
    """Tell whether one thing may well have been filed under either kind."""
    return a is b or any(a in family and b in family for family in _FAMILIES)


def same(a: str, b: str, *, kinds: tuple[Kind, Kind], cosine: float | None = None) -> bool:
    """Tell whether two sentences say the same. `cosine` is that of a semantic embedder, or None.

    Meaning decides only over another wording: one other word in the same sentence is another value.
    """
    if a == b or forms.has_same_form(a, b):
        return True
    near = cosine is not None and cosine >= SAME_VECTOR and related_kinds(*kinds)
    return near and not forms.has_same_frame(a, b) and has_same_details(a, b)


def has_same_details(a: str, b: str) -> bool:
    """Whether polarity, numbers, names, roles and order are the same: else two sentences say different things."""
    return (
        denies_or_ends(a) == denies_or_ends(b)
        and forms.list_quantities(a) == forms.list_quantities(b)
        and find_names(a) == find_names(b)
        and (detect_language(a) != detect_language(b) or forms.has_same_order(a, b))
    )


def rescale_cosine(cosine: float, embedder_id: str) -> float:
    """Bring the cosine of an embedder that finds all texts near to the scale of the others, where 1 stays 1."""
    return 1 - (1 - cosine) * _STRETCHED.get(embedder_id.partition(":")[0], 1.0)


def tombstone_threshold(embedder_id: str | None) -> float:
    """Return that embedder's cosine from which a sentence is what a tombstone stands for."""
    return 1 - (1 - BURIED_VECTOR) / _STRETCHED.get((embedder_id or "").partition(":")[0], 1.0)


def is_semantic(embedder_id: str | None) -> bool:
    """Tell whether the cosine of that embedder says more than shared letters do."""
    return embedder_id is not None and not embedder_id.startswith("lexical:")


# --- a thing said ---


class ForgetTarget:
    """What is being forgotten: the words of each form it was kept in, and the names nothing else is
    called by.

    May be thousands of memories at once, so a form is looked at only for a sentence that has one of
    its rare words.
    """

    def __init__(self, forms: Iterable[frozenset[str]], names: Iterable[str] = ()) -> None:
        self.forms = tuple(dict.fromkeys(f for f in forms if f))
        self.names = frozenset(names)
        self._words = frozenset(n for n in self.names if _ONE_WORD.fullmatch(n))
        common = Counter(unit for form in self.forms for unit in form)
        self._by_rare: dict[str, list[frozenset[str]]] = {}
        for form in self.forms:
            # Whatever half of a form a sentence has, one of these is in it.
            for unit in sorted(form, key=lambda u: (common[u], u))[
                : len(form) - ceil(HINTS * len(form)) + 1
            ]:
                self._by_rare.setdefault(unit, []).append(form)

    def said_by(self, text: str, share: float = SAYS) -> bool:
        """Whether the text names it, or one of its sentences has at least that share of a form's words (>= HINTS)."""
        return any(self._said_in(piece, share) for _, piece in split_pieces(text))

    def _said_in(self, text: str, share: float) -> bool:
        if self._named_in(text):
            return True
        for sentence in _SENTENCE.findall(text):
            said = list_units(sentence)
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
    """The thing these memories keep.

    `taken` are names that other memories have as well: they give nothing away.
    """
    forms: dict[frozenset[str], None] = {}
    called: set[str] = set()
    for m in memories:
        for text in dict.fromkeys((m.original_content, m.content, *m.original_contents.values())):
            if words := list_units(text):
                forms[words] = None
        called |= find_names(m.original_content, m.entities)
    return ForgetTarget(forms, called - set(taken))
