"""Read the form of what people say: denials, kin, clauses, answers to questions and choices."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Final, Literal, TypeAlias

from memory.text.languages import LANGUAGES, either, joined, values, words_of
from memory.text.numbers import DIGITS, ORDINALS, find_numbers
from memory.text.words import UNSPACED, is_unspaced, strip_accents

Answer: TypeAlias = Literal["", "yes", "no", "unsure", "past", "fill", "evades"]

# Width of an answer that is read with the question before it; a Chinese character is two.
SHORT: Final = 60
FORMS: Final = SimpleNamespace(
    **{n: either("evidence", n) for n in LANGUAGES["en"].sections["evidence"] if "KIN" not in n}
)
"""The patterns of all languages, by their names in the English section `evidence`."""

_KIN: Final = {
    w: frozenset(g.split())
    for kin in values("evidence", "KIN").values()
    for g in kin.split("|")
    for w in g.split()
}
_KIN_UNSPACED: Final = sorted((w for w in _KIN if is_unspaced(w)), key=len, reverse=True)
MY_KIN: Final = re.compile(
    "|".join(
        form.replace("%s", "|".join(sorted(re.split(r"[ |]", kin), key=len, reverse=True)))
        for form, kin in zip(
            values("evidence", "MY_KIN").values(), values("evidence", "KIN").values(), strict=True
        )
    ),
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    rf"(?:[^,，;；。!！?？\n—. ]|\.(?=\S)|(?<![{UNSPACED}]) | (?![{UNSPACED}]))+[?？]?"
)
_ECHO: Final = re.compile(f"([{UNSPACED}])[了过的]?[吗么没][?？]")  # 过了吗？ – 过啦
_PIECE: Final = re.compile(f"[a-z]{{3,}}|[{UNSPACED}]")
_CLOSED: Final = re.compile(
    r"^\W*(?:are|is|do|does|did|have|has|can|will|were|was)\b|[吗吧]\W{0,4}$", re.I
)
_FILLERS: Final = re.compile(f"{joined('commands', 'FILLERS')}|[#&+;.!]", re.I)
_FILLER_WORDS: Final = re.compile(joined("commands", "FILLERS", unspaced="(?!)"), re.I)
_CHOSEN: Final = [re.compile(chosen, re.I) for chosen in values("commands", "CHOSEN").values()]
_CHOICE_WORDS: Final = re.compile(f"[a-z0-9'’]+|[{UNSPACED}]", re.I)
_ORDINALS: Final = {w: n for w, n in ORDINALS.items() if n < 9}
_ORDINAL: Final = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b")
_NUMERALS: Final = {c: n for c, n in DIGITS.items() if 0 < n < 9}
_IDLE: Final = frozenset(words_of("commands", "IDLE"))
_LONGEST_CHOICE: Final = 60  # characters that an answer may have
_FEW: Final = 3  # words that may stand alone for what they name
_FEW_UNSPACED: Final = 6


def fold(text: str) -> str:
    """Fold case, width and accents."""
    return unicodedata.normalize("NFC", strip_accents(text).casefold())


def is_denial(text: str) -> bool:
    """Tell whether the text denies something; a double negative does not."""
    return bool(FORMS.NOT.search(FORMS.NOT_NOT.sub(" ", text)))


def denies_or_ends(text: str) -> bool:
    """Tell whether the text denies or ends something; "not giving up" does neither."""
    return is_denial(FORMS.ENDED.sub(" ", text)) is not bool(FORMS.ENDED.search(text))


def find_kin(text: str) -> set[frozenset[str]]:
    """Find one's own people and animals in a text, each as all its words."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    found = {_KIN[w] for form in words for w in (form, form.removesuffix("s")) if w in _KIN}
    for word in _KIN_UNSPACED:
        if word in text:
            found.add(_KIN[word])
            text = text.replace(word, " ")
    return found


def strip_kin(name: str) -> str:
    """Return a name without "my" and the words for kin before it: 我妹妹林怡婷 is 林怡婷."""
    bare = either("renames", "MINE").sub("", name.strip())
    for word in _KIN_UNSPACED:
        if bare.startswith(word) and len(bare) > len(word) + 1:
            return bare[len(word) :]
    return bare


def split_clauses(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text at its commas and full stops: offsets in order."""
    return (m.span() for m in _CLAUSE.finditer(text) if m[0].strip())


def pick_option(text: str, question: str) -> str:
    """Find the option of an either-or question that an answer picks by place."""
    first, *others = FORMS.OR.split(question, maxsplit=1)
    last = FORMS.LAST.match(text)
    return (others[0] if last else first) if others and (last or FORMS.FIRST.match(text)) else ""


def read_answer(text: str, question: str) -> Answer:
    """Say what a short answer does with the sentence before it; "" for others."""
    start, end = next(split_clauses(text), (0, 0))
    first = text[start:end].strip()
    short = sum(2 if c > "\u2e80" else 1 for c in text) <= SHORT
    if not question or not (short or FORMS.YES.match(first) or FORMS.NO.match(first)):
        return ""
    if (
        FORMS.EVADES.match(text)
        or FORMS.OFFER.search(question)
        or (FORMS.ASKS.search(first) and not FORMS.NO.match(first))
    ):
        return "evades"
    if short and FORMS.UNSURE.search(text):
        return "unsure"
    if short and FORMS.PAST.search(text):
        return "past"
    if FORMS.NO.match(text) or (short and (is_denial(first) or FORMS.ENDED.search(text))):
        return "no"
    if FORMS.YES.match(text) or (short and FORMS.YES_LAST.search(text)):
        return "yes"
    if (verb := _ECHO.search(question)) and short and text.startswith(verb[1]):
        return "yes"
    if not question.rstrip().endswith(("?", "？")):
        return ""
    shared = set(_PIECE.findall(fold(text))) & set(_PIECE.findall(fold(question)))
    narrow = find_numbers(text) or shared or FORMS.ANY_DEGREE.match(text) or FORMS.DAYS.search(text)
    filled = narrow or not _CLOSED.search(question) or FORMS.OR.search(question)
    return "fill" if filled else "evades"


def accepts_offer(text: str) -> bool:
    """Tell whether a message is a yes to what was just offered, and nothing else."""
    plain = text.strip(" \n.!。！~～").casefold()
    return len(plain) <= _LONGEST_CHOICE and bool(either("offers", "ACCEPT").fullmatch(plain))


def read_choice(text: str, options: Sequence[str]) -> tuple[int, ...] | Literal["unclear"] | None:
    """Find which options an answer picks.

    Returns their positions, () for none of them, None if it is no answer; "unclear" for a yes to
    several, or for all but what is not offered.
    """
    plain = text.strip(" \n.!。！~～").casefold()
    if not plain or len(plain) > _LONGEST_CHOICE:
        return None
    if either("commands", "NO").fullmatch(plain):
        return ()
    if either("commands", "ALL").fullmatch(plain):
        return tuple(range(len(options)))
    if either("commands", "YES").fullmatch(plain):
        return (0,) if len(options) == 1 else "unclear"
    if m := either("commands", "ALL_BUT").fullmatch(plain):
        spared = next(filter(None, m.groups()))
        left = _numbers(spared, len(options)) or _named(spared, options)
        return tuple(i for i in range(len(options)) if i not in left) if left else "unclear"
    return _numbers(plain, len(options)) or _named(plain, options)


def reads_done(text: str) -> bool | None:
    """Say whether an answer calls a thing done (True) or open (False); None if it is no answer."""
    plain = text.strip().casefold().strip(" .!。！~～")
    if len(plain) > _LONGEST_CHOICE or FORMS.ASKS.search(plain) or plain.endswith(("?", "？")):
        return None
    if either("todo_answers", "OPEN").fullmatch(plain):
        return False
    unsure = is_denial(plain) or FORMS.PLAN.search(plain) or FORMS.REQUEST.search(plain)
    return True if not unsure and either("todo_answers", "DONE").fullmatch(plain) else None


def _numbers(plain: str, count: int) -> tuple[int, ...] | None:
    plain = either("commands", "LAST_ONE").sub(f" {count} ", plain)
    plain = _ORDINAL.sub(lambda m: f" {_ORDINALS[m[0]]} ", plain)
    plain = "".join(f" {_NUMERALS[c]} " if c in _NUMERALS else c for c in plain)
    left = _FILLERS.sub(" ", re.sub(r"(\d)(?:st|nd|rd|th)\b", r"\1", plain)).split()
    picked = tuple(dict.fromkeys(int(w) - 1 for w in left if w.isdigit() and len(w) < 3))
    fits = all(w.isdigit() for w in left) and all(0 <= p < count for p in picked)
    return picked if picked and fits else None


def _named(plain: str, options: Sequence[str]) -> tuple[int, ...] | None:
    formed = next((m for chosen in _CHOSEN if (m := chosen.search(plain))), None)
    told = next(filter(None, formed.groups()), "") if formed else plain
    if not told.startswith("no "):
        told = _FILLER_WORDS.sub(" ", told)
    wanted = set(_CHOICE_WORDS.findall(told)) - _IDLE
    few = len(wanted) <= (_FEW_UNSPACED if is_unspaced(told) else _FEW)
    if not wanted or not (formed or few):
        return None
    words = [set(_CHOICE_WORDS.findall(option.casefold())) for option in options]
    fitting = [i for i, some in enumerate(words) if wanted <= some]
    return (fitting[0],) if len(fitting) == 1 else None
