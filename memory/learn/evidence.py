"""Check an operation against the person's own words: names, numbers, dates, negation, and who said it. Pure.

Form decides, never meaning: a paraphrase that names nothing is believed if the words it quotes are there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final, Literal, TypeAlias

from memory.learn import dates
from memory.learn.contains import units
from memory.models import language_of
from memory.recall import windows_named
from memory.recall.people import named
from memory.text.numbers import numbers_of
from memory.text.spans import own_sentences, split_spans
from memory.text.speech import FORMS, MY_KIN, clauses_of, denies, fold, kin_of, read_answer

Role: TypeAlias = Literal["user", "assistant", "other"]

SUPPORTED: Final = 0.25  # share of an operation's words that one own sentence must have if no words are quoted
ANSWERED: Final = 0.5  # the same of a short answer and its question
DENIED: Final = 0.4  # share of its words in a clause that denies, from which it is what is denied

_NAME: Final = re.compile(r"(?<![\w'’-])[A-ZÀ-Þ][\w-]*")
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]+")
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE: Final = re.compile(
    rf"(?:19|20)\d\d(?:[-/年]\d{{1,2}}(?:[-/月](?:\d{{1,2}}[日号]?)?)?)?年?|\d{{1,2}}月(?:\d{{1,2}}[日号])?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTHS})[a-z]*|\b(?:{_MONTHS})[a-z]* \d{{1,2}}(?:st|nd|rd|th)?\b",
    re.I,
)
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MEASURES: Final = frozenset("个岁年月日号点次只条名位公里元块斤米楼层级天周口栋台辆家门")
CHILDREN: Final = {g for g in kin_of("child son daughter 孩子 儿子 女儿 twins")}


@dataclass(frozen=True, slots=True)
class Cited:
    """What an operation says it rests on: the number of a message, and words of it."""

    n: int
    words: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its text, the dates it gives (ISO), and the text of the memory that it changes."""

    op: str
    text: str
    said: tuple[Cited, ...] = ()
    on: str = ""
    days: tuple[str, ...] = ()  # due, from and until
    old: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Spoken:
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


def check_operation(op: Operation, spoken: Sequence[Spoken], shown: Iterable[str]) -> Verdict:
    """Decide whether the person's own words support an operation; `shown` are texts of memories."""
    found = _find_cited(op, spoken) if op.said else _find_best(op, spoken)
    if isinstance(found, str):
        return Verdict(found)
    case = _Case(op, spoken, tuple(shown), *found)
    source = (spoken[found[0]].id, found[1], found[2])
    return Verdict(next((name for name, fails in _CHECKS.items() if fails(case)), ""), (source,))


def find_words(words: str, text: str) -> tuple[int, int] | None:
    """Find quoted words in own parts of a text, whatever their case, spaces and punctuation."""
    wanted = "".join(c for c in fold(words) if c.isalnum())
    for span in split_spans(text) if wanted else ():
        signs = [(c, i) for i in range(span.start, span.end) for c in fold(text[i]) if c.isalnum()]
        at = "".join(c for c, _ in signs).find(wanted)
        if span.kind == "own" and at >= 0:
            return signs[at][1], signs[at + len(wanted) - 1][1] + 1
    return None


def _find_cited(op: Operation, spoken: Sequence[Spoken]) -> tuple[int, int, int] | str:
    """The words it quotes: in the message it names, else in another own one of the exchange."""
    own = [i for i, m in enumerate(spoken) if m.role == "user" and m.n]
    for cited in op.said:
        for i in sorted(own, key=lambda i: spoken[i].n != cited.n):
            if cited.words and (place := find_words(cited.words, spoken[i].text)):
                return i, *place
            if not cited.words and spoken[i].n == cited.n:
                best = _find_best(op, spoken, [i])
                return best if isinstance(best, tuple) else (i, 0, len(spoken[i].text))
    return "said"


def _find_best(op: Operation, spoken: Sequence[Spoken], among: Sequence[int] = ()) -> tuple[int, int, int] | str:
    """The own sentence that has most of the operation's words, with the question that it answers."""
    best: tuple[float, tuple[int, int, int]] = (0.0, (0, 0, 0))
    wanted = units(op.text)
    for i in among or [i for i, m in enumerate(spoken) if m.role == "user" and m.n]:
        question = _question(spoken, i) if read_answer(spoken[i].text.strip(), _question(spoken, i)) else ""
        for start, end in own_sentences(spoken[i].text):
            share = len(wanted & units(f"{question} {spoken[i].text[start:end]}")) / max(1, len(wanted))
            if share > 0 and share >= best[0]:
                best = share, (i, start, end)
    return best[1] if best[0] >= SUPPORTED else "unsupported"


def _question(spoken: Sequence[Spoken], i: int) -> str:
    """What the assistant said last before message `i`: its last sentence."""
    if i == 0 or spoken[i - 1].role != "assistant":
        return ""
    said = spoken[i - 1].text.strip()
    return re.split(r"(?<=[.!。！])\s*(?=.)", said)[-1] if said else ""


class _Case:
    """An operation beside the words that it rests on."""

    def __init__(self, op: Operation, spoken: Sequence[Spoken], shown: tuple[str, ...], i: int, a: int, b: int) -> None:  # noqa: PLR0913, PLR0917
        self.op, self.spoken, self.m, self.cited = op, spoken, spoken[i], spoken[i].text[a:b]
        self.quoted = any(c.words for c in op.said)
        text = self.m.text
        self.sentence = " ".join(text[s:e] for s, e in own_sentences(text) if s < b and a < e) or self.cited
        self.focus = [self.sentence[s:e].strip() for s, e in clauses_of(self.sentence) if self._in_focus(s, e)]
        self.question = _question(spoken, i)
        self.answer = read_answer(text.strip(), self.question)
        if not self.answer:
            self.question = ""
        self.own = [
            " ".join(_retract(m.text[s:e]) for s, e in own_sentences(m.text)) for m in spoken if m.role == "user"
        ]
        self.shown = [op.old] if op.old else []
        self.shown += [s for s in shown if s != op.old and self._points_to(s)]
        asked = self.question if self.answer in {"yes", "fill", "past", "unsure"} else ""
        self.pool_new = fold(" ".join((*self.own, asked)))
        said = " ".join((self.pool_new, *self.shown))
        self.pool = fold(said if denies(op.text) else FORMS.DENIED_WORDS.sub(" ", said))
        self.text = _DATE.sub(" ", op.text)

    def _in_focus(self, s: int, e: int) -> bool:
        clause, cited = self.sentence[s:e], fold(self.cited)
        return fold(clause.strip(" .?!？！。")) in cited or cited.strip(" .?!") in fold(clause) or bool(
            len(units(clause) & units(self.cited)) > len(units(clause)) / 2
        )

    def _points_to(self, memory: str) -> bool:
        """Whether own words, or the question that they answer, speak of what a shown memory is about."""
        said = f"{self.m.text} {self.question}"
        kin, theirs = kin_of(said), kin_of(memory)
        return bool(kin & theirs or units(said) & units(memory) or (kin and not theirs))

    @cached_property
    def windows(self) -> list[dates.Window]:
        """The times that the words name: those of the clauses it rests on, else of the message, else of all."""
        asked = [(self.question, self.m)] if self.answer in {"yes", "past"} else []
        own = [(m.text, m) for m in self.spoken if m.role == "user"]
        found: list[dates.Window] = []
        for said in ([(f, self.m) for f in self.focus], [(self.m.text, self.m)], own):
            for text, m in (*said, *asked):
                ahead, behind = dates.spoken_times(FORMS.DENIED_WORDS.sub(" ", text), m.at, m.tz)
                found += ahead + behind
            if any(not (a <= self.m.at < b) for a, b in found):
                break
        return found


def _retract(text: str) -> str:
    """The text without what it takes back: "71, no hang on, 72", "not Erlangen"."""
    for m in FORMS.RETRACTED.finditer(text):
        before = [n for n in numbers_of(text) if n[2] <= m.start()]
        if before:
            _, start, end = max(before, key=lambda n: n[2])
            text = text[:start] + " " * (end - start) + text[end:]
    return text


def _names(text: str) -> set[str]:
    text = FORMS.DAYS.sub(" ", text)
    if language_of(text) == "zh":
        return named(text) | set(_LATIN.findall(text))
    found = {m[0] for m in _NAME.finditer(text) if text[: m.start()].strip() and m[0] not in {"I", "User", "The"}}
    return found | named(text)


def _all_deny(text: str) -> bool:
    """Whether every clause of an operation denies or ends something."""
    return all(denies(text[a:b]) or FORMS.ENDED.search(text[a:b]) for a, b in clauses_of(text))


def _has_other_name(c: _Case) -> bool:
    """A name or a relative that nobody spoke of, or a name of another clause than the one it rests on."""
    names = {fold(n) for n in _names(c.op.text)}
    if any(n not in c.pool and (n.isascii() or n[:2] not in c.pool) and n.removesuffix("s") not in c.pool for n in names):
        return True
    here = {fold(n) for n in _names(f"- {' , '.join(c.focus)}")} if c.quoted else set()
    if names and here and not names & here and all(n in fold(c.m.text) for n in names):
        return True
    said, told = kin_of(c.pool), kin_of(c.op.text)
    return bool(said and told - said) and not (told | said <= CHILDREN)


def _has_other_number(c: _Case) -> bool:
    said = _measured(c.pool)
    for n, unit, word in _measured(c.text):
        han = word[0] > "\u2e80"
        if (n <= 1 and not word[0].isdigit()) or (han and len(word) == 1 and unit not in _MEASURES):
            continue
        units_of_n = {u for m, u, _ in said if m == n}
        if not units_of_n and word not in c.pool:
            return True
        if unit and units_of_n and unit not in units_of_n and any(u == unit for m, u, _ in said if m != n):
            return True  # 9号楼16层 is not 16号楼9层
    years = [int(y[0]) for y in _YEAR.finditer(c.op.text)]
    known = {int(n) for n, *_ in said} | {w.year for pair in c.windows for w in pair} | {c.m.at.year}
    return any(y not in known and y % 100 not in known for y in years)


def _measured(text: str) -> list[tuple[float, str, str]]:
    """Numbers with what they count, the next word or character, and how they are written."""
    out = []
    for n, a, b in numbers_of(text):
        after = re.match(r"[\s-]*([a-z]+|[\u4e00-\u9fff])", text[b:].casefold())
        out.append((n, after[1].removesuffix("s") if after else "", text[a:b]))
    return out


def _has_other_date(c: _Case) -> bool:
    at, tz = c.m.at, c.m.tz
    given = [[(s.start, s.end)] for d in (c.op.on, *c.op.days) if d and (s := dates.read(d, tz))]
    if _DATE.search(c.op.text) or FORMS.DAYS.search(c.op.text):
        ahead, behind = dates.spoken_times(c.op.text, at, tz)
        given += [[w] for w in ahead] if len(ahead) != len(behind) else [list(pair) for pair in zip(ahead, behind, strict=True)]
    said = [*c.windows, *(w for s in c.shown for ws in dates.spoken_times(s, at, tz) for w in ws)]
    today = {d for d in c.op.days if d[:10] == f"{at.astimezone(dates.zone(tz)):%Y-%m-%d}"}
    given = [g for g in given if not (today and dates.same_day(g[0], at, tz))]
    return not all(any(dates.dated_by(w, at) or any(dates.agrees(w, s, at) for s in said) for w in either) for either in given)


def _has_relative_date(c: _Case) -> bool:
    return bool(FORMS.RELATIVE.search(_DATE.sub(" ", c.op.text)))


def _has_other_polarity(c: _Case) -> bool:
    """A denial that was not said, or one that was said and is left out."""
    if c.answer in {"yes", "no", "past", "unsure"}:
        return False  # `_misreads_answer`
    words = units(c.text)
    if _all_deny(c.op.text):
        said = c.sentence if c.quoted else c.m.text
        return not (denies(said) or FORMS.ENDED.search(said) or FORMS.CHANGED.search(said))
    if denies(c.op.text) or FORMS.ENDED.search(c.op.text) or FORMS.PAST_TOLD.search(c.op.text):
        return False
    shares = [(len(units(f) & words) / max(1, len(words)), denies(f) or FORMS.ENDED.search(f)) for f in c.focus]
    worst = max((share for share, no in shares if no), default=0.0)
    if not c.op.text.isascii() and FORMS.ENDED.search(c.sentence):
        worst = len(units(c.sentence) & words) / max(1, len(words))
    return worst >= DENIED and worst > max((share for share, no in shares if not no), default=0.0)


def _misreads_answer(c: _Case) -> bool:
    """What a short answer and its question do not say together."""
    words, own, asked = units(c.text), units(c.m.text), units(c.question)
    share = len(words & own) / max(1, len(words))
    if not c.answer or (share >= ANSWERED and not words & asked - own):
        return False
    rest = FORMS.NO.sub("", c.m.text.strip(), count=1)
    no = denies(c.op.text) or bool(FORMS.ENDED.search(c.op.text))
    if c.answer == "evades":
        return share < ANSWERED
    if c.answer == "unsure":
        return not FORMS.STILL_PLAN.search(c.op.text) and c.op.sure
    if c.answer == "past" and not (no or FORMS.PAST_TOLD.search(c.op.text)):
        return True
    if c.answer == "no" and not no and not words & units(rest):
        return True
    if c.answer in {"yes", "fill"} and no != bool(FORMS.NEGATIVE_QUESTION.search(c.question)) and not (no and denies(rest)):
        return True
    return len(words & (own | asked | units(c.op.old))) / max(1, len(words)) < ANSWERED


def _is_about_another(c: _Case) -> bool:
    """What somebody else is or does, told of the person; and who does it to whom, exchanged."""
    op, words = c.op.text, units(c.text)
    people = _names(op) | _names(f"- {c.sentence}")
    shared = kin_of(op) & kin_of(c.sentence) or _names(op) & _names(f"- {c.sentence}") or {p for p in people if p in op and p in c.sentence}
    first = op.removeprefix("The user ").removeprefix("用户")
    for m in FORMS.TO_ME.finditer(c.sentence):
        verb = m[1] or m[2]
        if shared and (units(verb) and units(first.split()[0]) == units(verb) or first.startswith(verb)) and " by " not in op:
            return True
    for who, what in re.findall(r"([\u4e00-\u9fff]{1,4})的([\u4e00-\u9fff]{2,4})", op):
        if re.search(f"我的?{what}", c.sentence) and who[-2:] in c.sentence:
            return True
    if kin_of(op) or _names(op) or FORMS.OTHERS.search(op) or re.search(r"married|engaged|婚", op, re.I):
        return False
    about = [f for f in c.focus if units(f) & words] or c.focus
    return bool(about) and all(_other_subject(f) for f in about)


def _other_subject(clause: str) -> bool:
    m = FORMS.OTHERS.match(clause) or MY_KIN.match(clause)
    start = m.end() if m else len(next(iter(named(clause)), "")) if clause.startswith(tuple(named(clause)) or ("\0",)) else 0
    return start > 0 and not FORMS.ME.search(clause[start:])


def _is_no_fact(c: _Case) -> bool:
    """A question, a plan, a fancy or a story told as a fact."""
    op = c.op.text
    before = c.m.text[: c.m.text.find(c.cited) + 1] if c.cited else ""
    if (FORMS.UNREAL.search(c.sentence) and not FORMS.UNREAL.search(op)) or FORMS.FICTION.search(before[-120:]):
        return True
    wish = FORMS.MANNER.match(op) and FORMS.REQUEST.search(c.sentence)
    if not c.answer and c.focus and not wish and all(_asks(f, op) for f in c.focus):
        return True
    later = c.windows and all(a > c.m.at for a, _ in c.windows)
    if later and re.search(r"[了过](?:$|[，。]|[\u4e00-\u9fff])", op) and "了" not in c.sentence:
        return True
    if FORMS.STILL_PLAN.search(op) or not c.op.sure or (later and c.op.on):
        return False
    return any(FORMS.PLAN.search(f) for f in c.focus if units(f) & units(op)) and not (later and _DATE.search(op))


def _asks(clause: str, op: str) -> bool:
    if not (FORMS.ASKS.search(clause) or (clause.endswith(("?", "？")) and not FORMS.ME.search(clause))):
        return False
    mine = [g for m in FORMS.MY.finditer(clause) for g in m.groups() if g]
    return bool(FORMS.ASKS_OF_SELF.search(clause)) or not any(fold(w) in fold(op) for w in mine)


def _overstates(c: _Case) -> bool:
    """More than was said: always, the best; and one word of a phrase exchanged for another."""
    said = f"{c.m.text} {c.question}"
    if FORMS.DEGREE.search(c.op.text) and not FORMS.ANY_DEGREE.search(said):
        return True
    preferred, chosen = FORMS.CHOICE.search(c.op.text), FORMS.CHOICE.search(c.sentence)
    if preferred:
        a, b = units(preferred[1] or preferred[4]), units(preferred[2] or preferred[3])
        for_it = units(chosen[1] or chosen[4]) if chosen else units(c.m.text) if c.answer == "fill" else a
        if for_it & b - a and not for_it & a:
            return True
    folded = fold(said)
    for m in re.finditer(r"(?=([\u4e00-\u9fff])([\u4e00-\u9fff])([\u4e00-\u9fff]))", c.op.text):
        other = re.search(f"{m[1]}([\u4e00-\u9fff]){m[3]}", folded + " ".join(c.shown))
        if m[2] not in c.pool and other and other[1] not in "的了着过":
            return True
    new = units(c.text) - units(c.op.old)
    return bool(c.op.old and new and c.op.op in {"update", "fix"} and not new & units(c.pool_new))


def _is_foreign(c: _Case) -> bool:
    return language_of(c.op.text) != language_of(f"{c.m.text} {c.question}", language_of(c.op.text))


_CHECKS: Final[dict[str, Callable[[_Case], bool]]] = {
    "language": _is_foreign,
    "date unresolved": _has_relative_date,
    "answer": _misreads_answer,
    "name": _has_other_name,
    "number": _has_other_number,
    "date": _has_other_date,
    "negation": _has_other_polarity,
    "subject": _is_about_another,
    "no fact": _is_no_fact,
    "overstated": _overstates,
}
