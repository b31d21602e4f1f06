"""Check an operation against the person's own words: names, numbers, dates, negation, and who said
it. Pure.

Form decides, never meaning: a paraphrase that names nothing is believed if the words it quotes are
there. Each check is one function, one cause of refusal (`CHECKS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias

from memory.learn import dates
from memory.learn.same_meaning import list_units
from memory.models import detect_language
from memory.privacy import classify_instruction
from memory.recall.people import find_people_names
from memory.text import forms
from memory.text.languages import joined, words_of
from memory.text.numbers import find_numbers
from memory.text.spans import find_own_sentences, split_spans, unmark_names
from memory.text.speech import (
    FORMS,
    MY_KIN,
    denies_or_ends,
    find_kin,
    fold,
    is_denial,
    pick_option,
    read_answer,
    split_clauses,
)

Role: TypeAlias = Literal["user", "assistant", "other"]
Place: TypeAlias = tuple[int, int, int]  # of a message, and start and end in it

_TITLE: Final = re.compile(
    "[\"“「《']([^\"”」》']{1,10})[\"”」》']"
)  # a name in quotation marks is one's own word
sentences_of: Final = lru_cache(maxsize=32)(find_own_sentences)
JOINT: Final = re.compile(" – |——")  # between what was asked or said before and a quotation
SUPPORTED: Final = (
    0.25  # share of an operation's words that one own sentence must have if no words are quoted
)
ANSWERED, AFFIRMED = (
    0.5,
    0.6,
)  # share of an operation's words that an answer and its question must have
FOREIGN: Final = 0.5  # share of its words that are Ebb's, or only Ebb's, from which it is Ebb's
DENIED: Final = 0.5  # share of its words in a clause that denies, from which it is what is denied
CHILD: Final = find_kin("child 孩子")
CHILDREN: Final = find_kin("child son daughter twins 孩子 儿子 女儿")

_NAME: Final = re.compile(r"(?<![\w'’-])[A-ZÀ-Þ][\w-]*")
_VERB: Final = re.compile(
    r"([A-Z][a-z]+(?:s|ed)) (?=[a-z])(?!(?:is|was|has|had|will|lives|works|and)\b)"
)  # "Prefers …"
_CONTRAST: Final = re.compile(
    r"(?:\d[\d:.]*|\b[A-Z]\w+),? not (?:(?:at|on|in|by|for) )?(\d[\d:.]*|[A-Z]\w+)"
)
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]+")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTH: Final = re.compile(
    r"\b(?:Jan|Febr)uary|\bMarch|\bApril|\bMay\b|\bJu(?:ne|ly)|\bAugust|\b\w+(?:tem|o|em)ber\b"
)
_WEEKDAY: Final = re.compile(
    r"[(（]?(?:周|星期|礼拜)[一二三四五六日天][)）]?|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{1,2}:\d\d\b",
    re.I,
)
_NO_NAMES: Final = frozenset(words_of("evidence", "NO_NAMES"))
_CALLED, _PLACED, _WITH, _FOREIGN = (
    joined("evidence", name) for name in ("CALLED", "PLACED", "WITH", "FOREIGN")
)
_MEASURES: Final = frozenset(
    "个岁年月日号点次只条名位公里元块斤米楼层级天周口栋台辆家门片粒颗杯瓶包件场本份双支盒间张套棵头匹"
)
_OTHER_SCRIPT: Final = "[\u0370-\u1fff\u3040-\u312f\uac00-\ud7af]"  # neither Latin nor Chinese
_HAN: Final = "[\u4e00-\u9fff]"
_WAY: Final = re.compile(rf"\b(from|left|leaving|to|for) (\w+)|(从|离开|到|去)({_HAN}{{2}})")
_COUNTED: Final = re.compile(rf"[A-Za-z]{{3,20}} (?:for )?$|{_HAN}[了过]?$")
_ASKED: Final = re.compile(
    rf"(?:Did|Does|Has|Was|Is) ([A-Z][a-z]+)\b|是(({_HAN})\3)(?<!天天)"
)  # about whom Ebb asks
_DENIED: Final = re.compile(rf"\s+(?:(?:a|an|the|really|even|so) )?([a-z]+)|({_HAN}{{2}})", re.I)
JOINED: Final = re.compile(r"\b(?:and|but|so|because|while) (?=(?:i|we|my|our|he|she)\b)", re.I)


@dataclass(frozen=True, slots=True)
class Citation:
    """What an operation says it rests on: the number of a message, and words of it."""

    n: int
    words: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its text, the dates it gives (ISO), and the text of the memory that it changes."""

    op: str
    text: str
    said: tuple[Citation, ...] = ()
    on: str = ""
    days: tuple[tuple[dates.Use, str], ...] = ()  # due, since and until
    old: str = ""
    sure: bool = True
    quote: bool = False  # it says it is a quotation: nothing but own words, and what they answer


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message as the model was shown it; `n` is its number, 0 for one that is context only."""

    id: str
    n: int
    role: Role
    text: str
    at: datetime
    tz: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why an operation is not supported ("" if it is), and the words it rests on: (message, start, end)."""

    reason: str
    sources: tuple[tuple[str, int, int], ...] = ()


def check_operation(op: Operation, spoken: Sequence[ShownMessage], shown: Iterable[str]) -> Verdict:
    """Decide whether the person's own words support an operation.

    Args:
        op: what a model wants to keep or change.
        spoken: the exchange and what was said before it, oldest first.
        shown: texts of the memories that the model was shown.
    """
    if op.quote:
        return _check_quotation(op, spoken)
    found = _find_cited(op, spoken) if op.said else _find_best(op, spoken)
    if isinstance(found, str):
        return Verdict(found)
    case = EvidenceCase(op, spoken, tuple(shown), found)
    reason = next((name for name, fails in CHECKS.items() if fails(case)), "")
    return Verdict(reason, ((spoken[found[0]].id, found[1], found[2]),))


def _check_quotation(op: Operation, spoken: Sequence[ShownMessage]) -> Verdict:
    """Accept a quotation of own words: all that it says stands in them, or in the sentence that they answer."""
    *before, last = JOINT.split(op.text)
    cited = (*(c.n for c in op.said), None)  # in the message it names, else in another own one
    found = next((p for n in cited if (p := _find_own(last, spoken, n))), None)
    if found is None:
        return Verdict("said")
    said = find_question_before(spoken, found[0])
    if any(_find_own(b, spoken) is None and fold(b).strip() not in fold(said) for b in before):
        return Verdict("said")
    return Verdict("", ((spoken[found[0]].id, found[1], found[2]),))


def _find_own(words: str, spoken: Sequence[ShownMessage], n: int | None = None) -> Place | None:
    """Find words in an own message, or in the one of that number."""
    for i, m in enumerate(spoken):
        if (
            m.role == "user"
            and n in {None, m.n}
            and (place := find_words(words, unmark_names(m.text)))
        ):
            return i, *place
    return None


def find_words(words: str, text: str) -> tuple[int, int] | None:
    """Find quoted words in own parts of a text, whatever their case, spaces and punctuation."""
    wanted = "".join(c for c in fold(words) if c.isalnum())
    for signs, places in _own_signs(text) if wanted else ():
        if (at := signs.find(wanted)) >= 0:
            return places[at], places[at + len(wanted) - 1] + 1
    return None


@lru_cache(maxsize=32)
def _own_signs(text: str) -> list[tuple[str, list[int]]]:
    """Letters and digits of each own part, and where each stands."""
    text = text.translate({0x300A: " ", 0x300B: " "})  # a title is one's own word
    own = [s for s in split_spans(text) if s.kind == "own"]
    found = [
        [(c, i) for i in range(s.start, s.end) for c in fold(text[i]) if c.isalnum()] for s in own
    ]
    return [("".join(c for c, _ in signs), [i for _, i in signs]) for signs in found]


def _find_cited(op: Operation, spoken: Sequence[ShownMessage]) -> Place | str:
    """Return the words it quotes: in the message it names, else in another own one of the exchange."""
    own = [i for i, m in enumerate(spoken) if m.role == "user" and m.n]
    for cited in op.said:
        for i in sorted(own, key=lambda i: spoken[i].n != cited.n):
            if cited.words and (place := find_words(cited.words, spoken[i].text)):
                return i, *place
            if not cited.words and spoken[i].n == cited.n:
                return _find_best(op, spoken, [i])
    return "said"


def _find_best(
    op: Operation, spoken: Sequence[ShownMessage], among: Sequence[int] = ()
) -> Place | str:
    """Return the own sentence that has most of the operation's words, with the question that it answers."""
    best: tuple[float, Place] = (0.0, (0, 0, 0))
    wanted = list_units(dates.DATED.sub(" ", op.text)) or list_units(op.text)
    for i in among or [i for i, m in enumerate(spoken) if m.role == "user" and m.n]:
        question = find_question_before(spoken, i)
        question = question if read_answer(spoken[i].text.strip(), question) else ""
        for start, end in sentences_of(spoken[i].text):
            share = len(wanted & list_units(f"{question} {spoken[i].text[start:end]}")) / max(
                1, len(wanted)
            )
            if share > 0 and share >= best[0]:
                best = share, (i, start, end)
    return best[1] if best[0] >= SUPPORTED else "unsupported"


def find_question_before(spoken: Sequence[ShownMessage], i: int) -> str:
    """Return the assistant's last sentence before message `i`; "" if somebody else spoke."""
    if i == 0 or spoken[i - 1].role != "assistant":
        return ""
    return re.split(r"(?<=[.!?。！？])\s*(?=.)", spoken[i - 1].text.strip())[-1]


class EvidenceCase:
    """An operation beside the words that it rests on, as the checks read them.

    Attributes:
        m, sentence, focus: the message, its sentence and the clauses of that which the operation
        rests on. question, answer: the sentence before a short answer, and what the answer does
        with it. said: what the person said, without what they took back, and the question as far as
        they affirm it. known: that and the memories that their words point to; folded, like `said`.
        text: the operation's text without dates.
    """

    def __init__(
        self, op: Operation, spoken: Sequence[ShownMessage], shown: tuple[str, ...], place: Place
    ) -> None:
        i, start, end = place
        self.op, self.spoken, self.m = op, spoken, spoken[i]
        text = self.m.text
        self.before, self.cited = text[:start], text[start:end]
        self.quoted = any(c.words for c in op.said)
        self.sentence = (
            " ".join(text[a:b] for a, b in sentences_of(text) if a < end and start < b)
            or self.cited
        )
        clauses = [self.sentence[a:b].strip() for a, b in split_clauses(self.sentence)]
        self.focus = [c for c in clauses if self._is_cited(c)] or clauses
        question = find_question_before(spoken, i)
        self.answer = read_answer(text.strip(), question)
        self.question = question if self.answer else ""
        self.picked = pick_option(text, self.question)
        self.shown = [op.old] if op.old else []
        self.shown += [s for s in shown if s != op.old and self._points_to(s)]
        mine = [m.text for m in spoken if m.role == "user"]
        own = [t for x in mine for t in (*(x[a:b] for a, b in sentences_of(x)), *_TITLE.findall(x))]
        asked = (
            (find_question_before(spoken, j), m.text.strip())
            for j, m in enumerate(spoken)
            if m.role == "user"
        )
        affirmed = (
            q for q, text in asked if read_answer(text, q) in {"yes", "fill", "past", "unsure"}
        )
        said = " ".join((*own, *affirmed))
        self.said = fold(said)
        self.known = fold(" ".join((said, *self.shown)))
        self.text = dates.DATED.sub(" ", op.text)

    def _is_cited(self, clause: str) -> bool:
        cited, folded = fold(self.cited).strip(" .?!"), fold(clause).strip(" .?!？！。")
        inside = list_units(clause) & list_units(self.cited)
        return folded in cited or cited in folded or len(inside) > len(list_units(clause)) / 2

    def _points_to(self, memory: str) -> bool:
        """Tell whether own words, or the question that they answer, speak of what a shown memory is about."""
        said = f"{self.m.text} {self.question}"
        kin, theirs = find_kin(said), find_kin(memory)
        return bool(kin & theirs or list_units(said) & list_units(memory) or (kin and not theirs))

    @cached_property
    def windows(self) -> list[dates.Window]:
        """The times that the words name: those of the clauses it rests on, else of the message, else of all."""
        asked = [(self.question, self.m)] if self.answer not in {"", "no", "evades"} else []
        own = [(m.text, m) for m in self.spoken if m.role == "user"]
        found: list[dates.Window] = []
        for said in ([(f, self.m) for f in self.focus], [(self.m.text, self.m)], own):
            for text, m in (*said, *asked):
                ahead, behind = dates.find_spoken_times(text, m.at, m.tz)
                found += ahead + behind
            if any(not (a <= self.m.at < b) for a, b in found):
                break
        return found


# --- the checks ---


def find_names(text: str) -> set[str]:
    """Return what is a name by its form: capitals within a sentence; in Chinese surnames, places and Latin words."""
    text = FORMS.DAYS.sub(" ", text)
    if detect_language(text) == "zh":
        people = {
            n
            for n in find_people_names(text)
            if n[0] != "左" and re.search(_CALLED, text[: text.find(n)])
        }
        return people | {a or b for a, b in re.findall(_PLACED, text)} | set(_LATIN.findall(text))
    found = {m[0] for m in _NAME.finditer(text) if text[: m.start()].strip()} | find_people_names(
        text
    )
    verbs = _VERB.findall(text) if _VERB.match(text) else []
    return {n for n in found.difference(_NO_NAMES, verbs[:1]) if not find_kin(n)}


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / max(1, len(part))


def _exchanges_places(op: str, said: str) -> bool:
    """Tell whether two words have changed places: 3 sons and 5 grandsons, told as five sons and three grandsons."""
    told, spoken = forms.list_form_tokens(op), forms.list_form_tokens(said)
    both = set(told) & set(spoken) - {",", "and", "和"}
    x, y = ([t for t in some if t in both] for some in (told, spoken))
    before, after = forms.count_common_tokens(x, y)
    adjacent = before == 0 and bool(FORMS.ME.match(said.strip()))  # I lent Bob, told as: Bob lent
    x, y = x[before : len(x) - after], y[before : len(y) - after]
    turned = any(
        y == x[j:] + x[i:j] + x[:i] for j in range(1, len(x)) for i in range(1, j + adjacent)
    )
    return turned and len(set(x)) == len(x) and forms.ROLES & set(told) == forms.ROLES & set(spoken)


def is_foreign(c: EvidenceCase) -> bool:
    """Written in another language than it was said in: another script, or small words of another language."""
    said = set(re.findall(r"[^\W\d_]+", f"{c.known} {fold(c.m.text)} {fold(c.question)}"))
    new = [w for w in re.findall(r"[^\W\d_]+", fold(c.op.text)) if w not in said]
    if any(re.search(f"{_OTHER_SCRIPT}|^(?:{_FOREIGN})$", w) for w in new):
        return True
    return bool(new) and detect_language(c.op.text) != detect_language(
        f"{c.m.text} {c.question}", detect_language(c.op.text)
    )


def has_relative_date(c: EvidenceCase) -> bool:
    """Find a time that means another day tomorrow: "next Friday"."""
    return bool(FORMS.RELATIVE.search(c.text))


def misreads_answer(c: EvidenceCase) -> bool:
    """Find what a short answer and the question before it do not say together."""
    words = frozenset(w for w in list_units(c.text) if not w.isnumeric())
    own, asked = list_units(f"{c.m.text} {c.picked}"), list_units(c.question)
    rest, no = (
        list_units(FORMS.REASON.split(FORMS.NO.sub("", c.m.text.strip(), count=1))[0]),
        denies_or_ends(c.op.text),
    )
    ended, kept = (
        list_units(" ".join(f for f in c.focus if denies_or_ends(f) is way))
        for way in (True, False)
    )
    if c.answer == "no" and not no and ended - kept and _share(ended - kept, words) >= ANSWERED:
        return True
    if c.picked and words & asked - list_units(c.picked):
        return True
    if not c.answer or (
        _share(words, rest if c.answer == "no" else own) >= ANSWERED and not words & asked - own
    ):
        return False
    match c.answer:
        case "evades":
            mine = list_units(" ".join(m.text for m in c.spoken if m.role == "user"))
            return not words & own or bool((words & asked) - mine)
        case "unsure":
            return c.op.sure and not FORMS.HEDGED.search(c.op.text)
        case "past" if not (no or FORMS.PAST_TOLD.search(c.op.text)):
            return True
        case "no" if not no and not words & rest and not c.windows:
            return True
        case "no" if (
            not no
            and FORMS.OR.search(c.question)
            and len(words & asked - own) > len(words & rest - asked)
        ):
            return True
        case "yes" | "fill" if no != bool(FORMS.NEGATIVE_QUESTION.search(c.question)) and not (
            no and (is_denial(c.m.text) or is_denial(c.question))
        ):
            return True
    if c.answer == "fill" and not words & own and not c.windows:
        return True
    if c.answer == "no" and not words & asked - own and words & rest:
        return False
    if words & own and FORMS.OR.search(c.question):
        first, *second = FORMS.OVER.split(c.op.text, maxsplit=1)
        return bool(second and list_units(second[0]) & own and not list_units(first) & own)
    if c.answer == "yes":
        affirmed = [
            n
            for n in find_names(f"- {c.question}") & find_names(c.op.text)
            if len(words - list_units(n)) <= 1
        ]
        return not affirmed and _share(words, own | asked | list_units(c.op.old)) < AFFIRMED
    return _share(words, own | asked | list_units(c.op.old) | list_units(c.said)) < ANSWERED


def has_other_name(c: EvidenceCase) -> bool:
    """Find a name or a relative that nobody spoke of, or a name of another clause than the one it rests on."""
    known = fold(f"{c.known} {c.question}")
    names = {fold(n) for n in find_names(c.op.text)}
    if any(
        (n if n.isascii() else n[:2]) not in known and n.removesuffix("s") not in known
        for n in names
    ):
        return True
    here = {fold(n) for f in c.focus for n in find_names(f)} if c.quoted else set()
    if names and here and not any(h[:2] in fold(c.op.text) for h in here):
        return all(n in fold(c.m.text) for n in names)
    said, told, near = find_kin(c.known), find_kin(c.op.text), find_kin(" ".join(c.focus))
    if c.quoted and told and near and not told & near and told <= find_kin(c.m.text):
        return True
    return bool(said and told - said - CHILD) and not told | said <= CHILDREN


def _measured(text: str) -> list[tuple[float, str, str]]:
    """Return numbers with the Chinese measure behind them, and as they are written."""
    text = FORMS.DAYS.sub(lambda m: " " * len(m[0]), text)
    found = [
        (n, text[a - 1 : a], text[b : b + 1], text[a:b].strip()) for n, a, b in find_numbers(text)
    ]
    return [
        (n, after if after in _MEASURES or before == "了" else "", word)
        for n, before, after, word in found
    ]


def _is_hour(text: str, word: str) -> bool:
    return re.search(rf"(?<!\d){word}(?::\d\d|[点时])", text) is not None


def _counts_other(c: EvidenceCase) -> bool:
    """Tell whether the word before a number stands only in clauses with other numbers."""
    clauses = [
        (list_units(s[a:b]), {n for n, *_ in _measured(s[a:b])})
        for s in [c.sentence]
        for a, b in split_clauses(s)
    ]
    for n, start, _ in find_numbers(c.text):
        m = _COUNTED.search(c.text[max(0, start - 40) : start])
        before = (list_units(m[0]) or list_units(c.text.split()[0])) if m else frozenset()
        of = [counts for words, counts in clauses if before & words]
        if (
            of
            and all(counts and n not in counts for counts in of)
            and any(n in counts for _, counts in clauses)
        ):
            return True
    return False


def has_other_number(c: EvidenceCase) -> bool:
    """Find a number that was not said, or not of that: 9号楼16层 is not 16号楼9层."""
    said = _measured(c.known)
    for n, measure, word in _measured(c.text):
        if (n <= 1 and (word == "00" or not word[0].isdigit())) or (
            word[0] > "\u2e80" and len(word) == 1 and not measure
        ):
            continue
        of = {m for value, m, _ in said if value == n}
        if (
            not of
            and word not in c.known
            and not (_is_hour(c.text, word) and any(v == n - 12 for v, *_ in said))
        ):
            return True
        if (
            measure
            and of
            and "" not in of
            and measure not in of
            and any(m == measure for _, m, _ in said)
        ):
            return True
    if _counts_other(c):
        return True
    years = (
        {int(n) for n, *_ in said} | {w.year for pair in c.windows for w in pair} | {c.m.at.year}
    )
    near = {c.m.at.year - 1, c.m.at.year + 1} if _MONTH.search(c.op.text) else set()
    return any(
        y not in years | near and y % 100 not in years for y in map(int, _YEAR.findall(c.op.text))
    )


def has_other_date(c: EvidenceCase) -> bool:
    """Find a date that the words do not come to. Years alone are numbers."""
    at, tz = c.m.at, c.m.tz
    today = f"{at.astimezone(dates.get_zone(tz)):%Y-%m-%d}"
    read = [(use, s) for use, d in c.op.days if d[:10] != today and (s := dates.read(d, tz))]
    claims = [[(s.start, s.end)] for use, s in read if dates.is_believable(s, use, at)]
    if c.op.on and (on := dates.read(c.op.on, tz)):
        claims.append([(on.start, on.end)])
    dated = dates.DATED.search(c.op.text)
    if dated or FORMS.DAYS.search(c.op.text):
        ahead, behind = dates.find_spoken_times(
            _WEEKDAY.sub(" ", c.op.text) if dated else c.op.text, at, tz
        )
        claims += [
            list(p) for p in zip(ahead, behind, strict=False) if p[0][1] - p[0][0] < dates.YEAR
        ]
    months = " ".join(f"in {m}" for m in _MONTH.findall(c.m.text))
    said = list(c.windows)
    for text in (*c.shown, months):
        said += [w for way in dates.find_spoken_times(text, at, tz) for w in way]
    said += [w for ways in claims for w in ways if _names_day(c, w)]
    return not all(
        any(
            dates.is_message_date(w, at) or any(dates.matches_time(w, s, at) for s in said)
            for w in ways
        )
        for ways in claims
    )


def _names_day(c: EvidenceCase, claim: dates.Window) -> bool:
    """Tell whether the words name that day of a month near: "monday 27th", 29号."""
    day = claim[0].astimezone(dates.get_zone(c.m.tz)).day
    near = abs(claim[0] - c.m.at) < 2 * dates.MONTH and claim[1] - claim[0] < 2 * dates.DAY
    return near and bool(
        re.search(rf"(?<![\d月]){day}(?:st|nd|rd|th|[号日])(?!\w| of)", " ".join(c.focus))
    )


def has_other_polarity(c: EvidenceCase) -> bool:
    """Find a denial that was not said, or one that was said and is left out."""
    if c.answer in {"yes", "no", "past", "unsure"}:
        return False  # `misreads_answer`
    op, words = c.op.text, list_units(c.text)
    said = c.sentence if c.quoted else c.m.text
    if c.op.op == "negate":
        return not (denies_or_ends(said) or FORMS.CHANGED.search(said))
    if all(denies_or_ends(op[a:b]) for a, b in split_clauses(op)):
        return not (denies_or_ends(said) or (FORMS.ENDED.search(op) and FORMS.CHANGED.search(said)))
    if denies_or_ends(op) or FORMS.NEGATIVE.search(op):
        return False
    for m in FORMS.NOT.finditer(FORMS.NOT_NOT.sub(" ", c.sentence)):
        after = _DENIED.match(m.string[m.end() :][:40])
        if after and list_units(after[0]) and list_units(after[0]) <= words:
            return True  # "don't like", told as "likes"
    if FORMS.PAST_TOLD.search(op):
        return False
    if any(x in op for x in _CONTRAST.findall(c.sentence)):
        return True  # "at 6:15 not 7:15", told as 7:15
    shares = [
        (_share(words, list_units(f)), denies_or_ends(_CONTRAST.sub(" ", f))) for f in c.focus
    ]
    denied = max((share for share, no in shares if no), default=0.0)
    return denied >= DENIED and denied > max((share for share, no in shares if not no), default=0.0)


def is_about_another(c: EvidenceCase) -> bool:
    """Find what somebody else is or does, told of the person; or who does it to whom, exchanged."""
    op, said = c.op.text, c.sentence
    said_ways, told_ways = _ways(said), _ways(op)
    if any(told_ways[w] is not said_ways[w] for w in told_ways.keys() & said_ways.keys()):
        return True
    kin = {w for group in find_kin(op) for w in group}
    names = (
        kin
        | find_names(f"- {said}")
        | find_names(f"- {op}")
        | set(re.findall(f"{_WITH}({re.escape(op[:2])})", said))
    )
    if any(
        _turns(n, op, said) for n in sorted(n for n in names if n and n in op and n in said)[:20]
    ):
        return True
    parts = [p for f in c.focus for p in JOINED.split(f)]
    asked = _ASKED.match(c.question) if c.answer in {"yes", "past"} else None
    if asked and not FORMS.DAYS.search(asked[0]) and fold(asked[1] or asked[2]) not in fold(op):
        return True
    abouts = [_closest(told, parts) for told in re.split("[;；]", c.text)]
    return any(about and all(_other_subject(p, op) for p in about) for about in abouts)


def _turns(name: str, op: str, said: str) -> bool:
    """Tell whether a name does what was done to it, or the other way round: I owe Pei, told as: Pei owes."""
    (x, y), (a, b) = (
        [forms.list_form_tokens(t) for t in text.split(name, 1)] for text in (op, said)
    )
    does, done = (part if part and list_units(part[0]) else () for part in (y[:1], x[-1:]))
    if does and not x and does[0] in a and does[0] not in b:
        return True
    return bool(done and done == b[:1] and done[0] not in a)


def _closest(text: str, parts: list[str]) -> list[str]:
    """Return those parts that have most of a text's words."""
    shares = [len(list_units(p) & list_units(text)) for p in parts]
    most = max(shares, default=0)
    return [p for p, share in zip(parts, shares, strict=True) if share == most > 0]


def _other_subject(clause: str, op: str) -> bool:
    """Tell whether a clause has another subject than the person, which the operation does not name."""
    clause = clause.removeprefix("听说").removeprefix("据说")
    m = FORMS.OTHERS.match(clause) or MY_KIN.match(clause)
    start = (
        m.end()
        if m
        else next((len(n) for n in find_people_names(clause) if clause.startswith(n)), 0)
    )
    if start == 0 or FORMS.ME.search(clause[start:]) or list_units(clause[:start]) & list_units(op):
        return False
    kin = find_kin(clause[:start])
    if find_kin(op) & kin or (find_kin(op) and not kin):
        return False
    return all(fold(n) in fold(clause[start:]) for n in find_names(op))


def _ways(text: str) -> dict[str, bool]:
    """Find where something comes from, and where it goes to: each place, and whether it is the former."""
    return {
        a or b: (x or y) in {"from", "left", "leaving", "从", "离开"}
        for x, a, y, b in _WAY.findall(fold(text))
    }


def is_no_fact(c: EvidenceCase) -> bool:
    """Find a question, a plan, a fancy or a story told as a fact."""
    op = c.op.text
    if FORMS.FICTION.search(f"{c.before[-120:]}{c.cited[:1]}"):
        return True
    manner = classify_instruction(op) == "manner" and FORMS.REQUEST.search(c.sentence)
    wish = manner or (FORMS.MANNER.match(op) and FORMS.REQUEST.search(c.sentence))
    if not c.answer and not wish and c.focus and all(_asks(f, op) for f in c.focus):
        return True
    later = bool(c.windows) and all(a > c.m.at for a, _ in c.windows)
    here = c.focus[-1]
    opening = c.sentence[: c.sentence.find(here) + len(here)]
    told = FORMS.HEDGED.search(op) or FORMS.UNREAL.search(op) or not c.op.sure
    if not told and FORMS.HEARSAY.search(opening):
        return True
    told = told or FORMS.STILL_PLAN.search(op)
    dated = c.op.on or c.op.days or dates.DATED.search(op)
    if told or manner or (later and dated):
        return False
    return bool((later and c.quoted and not c.answer) or FORMS.UNREAL.search(opening)) or any(
        FORMS.PLAN.search(f) for f in _closest(c.text, c.focus)
    )


def _asks(clause: str, op: str) -> bool:
    if not (
        FORMS.ASKS.search(clause) or (clause.endswith(("?", "？")) and not FORMS.ME.search(clause))
    ):
        return False
    mine = [g for m in FORMS.MY.finditer(clause) for g in m.groups() if g]
    return bool(FORMS.ASKS_OF_SELF.search(clause)) or not any(fold(w) in fold(op) for w in mine)


def finds_overstatement(c: EvidenceCase) -> bool:
    """More than was said: always, the best; another word in a phrase; a change that no word of theirs names."""
    op, said = c.op.text, f"{c.m.text} {c.question}"
    if FORMS.DEGREE.search(op) and not FORMS.ANY_DEGREE.search(said):
        return True
    if (cause := FORMS.CAUSE.search(op)) and _share(
        list_units(op[cause.end() :]), list_units(f"{c.known} {said}")
    ) < ANSWERED:
        return True
    about = list_units(op) & list_units(c.op.old) & list_units(" ".join(c.focus))
    if (
        c.op.op in {"update", "fix"}
        and FORMS.NAMED.search(op)
        and not (c.answer or FORMS.NAMED.search(said) or about)
    ):
        return True
    if _exchanges_places(op, " , ".join(c.focus)):
        return True
    new = list_units(c.text) - list_units(c.op.old)
    return bool(c.op.op in {"update", "fix"} and c.op.old and new and not new & list_units(c.said))


def is_not_theirs(c: EvidenceCase) -> bool:
    """Find words of Ebb's or of a shown memory, told as the person's."""
    words, own = list_units(c.text), list_units(c.said)
    if c.answer or not words:
        return False
    ebb = list_units(" ".join(m.text for m in c.spoken if m.role != "user"))
    if _share(words, ebb - own) >= FOREIGN and _share(words, own) < FOREIGN:
        return True
    new = words - own - list_units(f"{c.known} {c.m.text}")
    if new and new <= ebb and len(new) * 3 >= len(words):
        return True
    return not words & own and _share(words, list_units(" ".join(c.shown))) >= FOREIGN


CHECKS: Final[dict[str, Callable[[EvidenceCase], bool]]] = {
    "language": is_foreign,
    "relative": has_relative_date,
    "answer": misreads_answer,
    "name": has_other_name,
    "number": has_other_number,
    "date": has_other_date,
    "negation": has_other_polarity,
    "subject": is_about_another,
    "no_fact": is_no_fact,
    "overstated": finds_overstatement,
    "not_theirs": is_not_theirs,
}
