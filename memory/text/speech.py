"""Read the form of what people say: denials, kin, clauses, and what a short answer does with a question. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Final, Literal, TypeAlias

from memory.text.en import evidence as en
from memory.text.numbers import numbers_of
from memory.text.zh import evidence as zh

Answer: TypeAlias = Literal["", "yes", "no", "unsure", "past", "fill", "evades"]

SHORT: Final = 60  # width of an answer that is read with the question before it; a Chinese character is two


def _either(name: str) -> re.Pattern[str]:
    return re.compile(f"{getattr(en, name)}|{getattr(zh, name)}", re.I)


FORMS: Final = SimpleNamespace(
    **{n: _either(n) for n in vars(zh) if n in vars(en) and n.isupper() and "KIN" not in n}
)
"""The patterns of both languages, by their names in `en.evidence`."""

_KIN: Final = [frozenset(group.split()) for lang in (en, zh) for group in lang.KIN.split("|")]
_KIN_EN: Final = {w: g for g in _KIN for w in g if w.isascii()}
_KIN_ZH: Final = sorted(((w, g) for g in _KIN for w in g if not w.isascii()), key=lambda p: -len(p[0]))
MY_KIN: Final = re.compile(f"{en.MY_KIN % '|'.join(_KIN_EN)}|{zh.MY_KIN % '|'.join(w for w, _ in _KIN_ZH)}", re.I)
_CLAUSE: Final = re.compile(r"(?:[^,，;；。!！?？\n—.]|\.(?=\S))+[?？]?")
_ECHO: Final = re.compile("([\u4e00-\u9fff])[了过的]?[吗么没][?？]")  # 过了吗？ – 过啦
_CLOSED: Final = re.compile(r"^\W*(?:are|is|do|does|did|have|has|can|will|were|was)\b|[吗吧]\W{0,4}$", re.I)


def fold(text: str) -> str:
    """The text without case, width and accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFC", "".join(c for c in plain if not unicodedata.combining(c)))


def denies(text: str) -> bool:
    """Tell whether the text denies something; a double negative does not."""
    return bool(FORMS.NOT.search(FORMS.NOT_NOT.sub(" ", text)))


def denies_or_ends(text: str) -> bool:
    """Tell whether the text denies or ends something; "not giving up" does neither."""
    return denies(FORMS.ENDED.sub(" ", text)) is not bool(FORMS.ENDED.search(text))


def kin_of(text: str) -> set[frozenset[str]]:
    """The people and animals of one's own that the text speaks of, each as all of its words."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    found = {_KIN_EN[w] for form in words for w in (form, form.removesuffix("s")) if w in _KIN_EN}
    for word, group in _KIN_ZH:
        if word in text:
            found.add(group)
            text = text.replace(word, " ")
    return found


def clauses_of(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text at its commas and full stops: offsets in order."""
    return (m.span() for m in _CLAUSE.finditer(text) if m[0].strip())


def pick_option(text: str, question: str) -> str:
    """The option of an either-or question that an answer picks by its place ("the second", 后者), else ""."""
    first, *others = FORMS.OR.split(question, maxsplit=1)
    last = FORMS.LAST.match(text)
    return (others[0] if last else first) if others and (last or FORMS.FIRST.match(text)) else ""


def read_answer(text: str, question: str) -> Answer:
    """Say what a short message does with the sentence before it; "" if it is no short answer."""
    start, end = next(clauses_of(text), (0, 0))
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
    if FORMS.NO.match(text) or (short and (denies(first) or FORMS.ENDED.search(text))):
        return "no"
    if FORMS.YES.match(text) or (short and FORMS.YES_LAST.search(text)):
        return "yes"
    if (verb := _ECHO.search(question)) and short and text.startswith(verb[1]):
        return "yes"
    if not question.rstrip().endswith(("?", "？")):
        return ""
    shared = set(re.findall(r"[a-z]{3,}|[\u4e00-\u9fff]", fold(text))) & set(
        re.findall(r"[a-z]{3,}|[\u4e00-\u9fff]", fold(question))
    )
    narrow = numbers_of(text) or shared or FORMS.ANY_DEGREE.match(text) or FORMS.DAYS.search(text)
    return "fill" if narrow or not _CLOSED.search(question) or FORMS.OR.search(question) else "evades"
