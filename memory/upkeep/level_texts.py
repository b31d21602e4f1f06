"""The words of a level: shortened from the original, and what a model's words must keep to. Pure.

A shortened text is made of the original's own words in their order, and leaves out only what by
its form cannot turn round the rest: the plain reasons, and in a tag the day of an event. A trace
says what sort of thing it was and when. A text that is not shorter than the original, or that
another memory has, gives way to one that says more, at last to the original. "…" stands where a
quotation leaves words out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, time
from functools import cache
from itertools import accumulate
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from memory import privacy
from memory.learn.evidence import find_names
from memory.learn.same_meaning import list_units
from memory.lifecycle import find_today, read_day
from memory.models import (
    KINDS,
    Kind,
    Layer,
    Level,
    Memory,
    MemoryId,
    MemoryOutline,
    Sensitivity,
    detect_language,
    is_quote,
)
from memory.text.dates import DateMatch, write_date
from memory.text.dates.window import times_named
from memory.text.forms import has_same_order
from memory.text.languages import LANGUAGES, bounded, either, value, values, words_of
from memory.text.numbers import find_numbers
from memory.text.speech import FORMS, denies_or_ends, fold
from memory.text.words import STOP_WORDS

BY_MODEL: Final = {Level.SUMMARY: "summary", Level.TAG: "tag"}
LONGEST_TAG: Final = 80
NUMBER: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][\w’'-]+")
_MAIN_ENDS: Final = re.compile(
    r"[,，;；:：。.!！?？—]|" + either("topics", "MAIN_ENDS", r"\s(?:{})\s").pattern
)
_REASON, _QUALIFIES = (either("topics", name, r"\b(?:{})\b") for name in ("REASON", "QUALIFIES"))
_SIGNS: Final = ",，;；:：。.!！?？—–\n"
_CLAUSE: Final = re.compile(  # with the signs before it
    rf"[\s{_SIGNS}]*+(?:[^{_SIGNS}]|(?<=\d)[.,:：](?=\d)|\.(?=[^\s{_SIGNS}])|(?<=\b[A-Z])\.)+|.",
    re.DOTALL,
)
_AND: Final = "|".join(map(re.escape, words_of("forms", "COORDINATORS")))
_MARKS: Final = '()（）“”"「」'
_EDGES: Final = f" \t、{_SIGNS}-"
_KIN: Final = re.compile(
    "|".join(
        bounded(lang, "|".join(sorted(re.split(r"[ |]", kin), key=len, reverse=True)))
        for lang, kin in values("evidence", "KIN").items()
    ),
    re.IGNORECASE,
)


class Detail(NamedTuple):
    """A name, a relative, a date, a weekday or a number in a text, and its place."""

    start: int
    end: int
    sort: str


def is_rewritable(m: MemoryOutline | Memory) -> bool:
    """Tell whether a level has words of its own; not for private things and episodes."""
    episode = m.layer == Layer.EPISODE or m.kind == Kind.EPISODE
    return m.sensitivity < Sensitivity.PRIVATE and not episode


def write_level_text(
    m: Memory, level: Level, owners: Mapping[str, MemoryId] = MappingProxyType({}), tz: str = "UTC"
) -> str:
    """Return the content at a level: the least that no other memory says.

    Args:
        m: any memory.
        level: where it stands now.
        owners: whose each text of the person's memories is.
        tz: the person's IANA zone, in which a trace names the month.
    """
    original = m.original_content
    if level is Level.FULL or not is_rewritable(m):
        return original
    texts = {
        Level.SUMMARY: _summarise(m),
        Level.TAG: _tag(m),
        Level.TRACE: _trace(m, tz, "month"),
        Level.ARCHIVE: _trace(m, tz, "year"),
    }[level]
    longest = len(original.strip(_EDGES))
    fitting = (t for t in texts if t and len(t) < longest and owners.get(t, m.id) == m.id)
    return next(fitting, original)


def is_long(m: Memory, level: Level, text: str) -> bool:
    """Tell whether a model may find a shorter text; never for a person's own words."""
    if level not in BY_MODEL or is_quote(m) or not is_rewritable(m):
        return False
    name = "LONG" if level is Level.SUMMARY else "LONG_TAG"
    return len(text) >= int(value(m.language, "topics", name))


def _summarise(m: Memory) -> Iterator[str]:
    """Yield the text of a long memory without its plain reasons."""
    if len(m.original_content) >= value(m.language, "topics", "LONG"):
        yield _leave_reasons_out(m.original_content, find_details(m), m)


def _tag(m: Memory) -> Iterator[str]:
    """Yield the text without its plain reasons and the day it is kept under; then with the day."""
    text, details = m.original_content, find_details(m)
    short = text if is_quote(m) else _leave_day_out(m, details)
    yield _leave_reasons_out(short, details, m)
    yield _leave_reasons_out(text, details, m)


def _leave_reasons_out(text: str, details: Sequence[Detail], m: Memory) -> str:
    """Cut clauses that only give a reason, without a detail, a denial or a limit.

    Any other clause may turn round what another says: "missing, found safe".
    """
    said = [m.original_content[d.start : d.end] for d in details]
    parts, gap = list[str](), _gap(m.language)
    for found in _CLAUSE.finditer(text):
        plain = found[0].strip(_EDGES)
        holds = _has_sense(plain) or any(d in plain for d in (*said, *_MARKS))
        if _REASON.match(plain) and not holds:
            parts += [gap] if is_quote(m) and parts and parts[-1] != gap else []
        else:
            whole = not parts or parts[-1] == gap
            parts.append(found[0].lstrip(_EDGES) if whole else found[0])
    return _finish("".join(parts), m)


def _trace(m: Memory, tz: str, grain: Literal["month", "year"]) -> Iterator[str]:
    """Yield what sort of thing it was, about whom and when; then less, then with more of it."""
    template, about = (value(m.language, "topics", n) for n in ("TRACE", "ABOUT"))
    label = getattr(KINDS[m.kind], m.language, KINDS[m.kind].en)
    grain = "year" if m.on and m.precision == "year" else grain
    day = read_day(m.on, m.precision, tz) if m.on else find_today(m.created_at, tz)
    when = write_date(DateMatch(datetime.combine(day, time()), grain), m.language)
    when = when if m.on else value(m.language, "topics", "TOLD").format(when=when)
    who = [m.original_content[d.start : d.end] for d in find_details(m) if d.sort == "who"]
    for what in (*who[:1], None, *who[1:], *_tag(m)):
        kind = label if what is None else about.format(kind=label, about=what)
        yield template.format(kind=kind, when=when)


_SENSES: Final = (FORMS.NOT, FORMS.ENDED, FORMS.PLAN, FORMS.HEDGED, FORMS.UNREAL)


def _has_sense(clause: str) -> bool:
    """Tell whether a clause denies, ends, plans, doubts or limits something."""
    return any(f.search(clause) for f in (*_SENSES, _QUALIFIES))


def find_details(m: Memory) -> list[Detail]:
    """Find the names, relatives, dates and numbers of an original, in their order.

    Only names that are sure are of the sort "who": those known as such, and those with a capital
    within a sentence; relatives at the head of the text.
    """
    text, spaced = m.original_content, LANGUAGES[m.language].spaced
    known = {e for e in m.entities if e.strip() and e in text}
    named = known | {n for n in find_names(text) if _is_named(n, text)}
    kin = {k[0] for k in _KIN.finditer(text)}
    form = "|".join(map(re.escape, sorted(named | kin, key=len, reverse=True))) or "(?!)"
    gap, letter = (" ", r"[^\W\d_]") if spaced else ("", "[A-Za-zÀ-ɏ]")
    joint = f"(?:{gap}(?:(?:{_AND}){gap})?(?:{form}))*"
    found = list[Detail]()
    for w in re.finditer(f"(?<!{letter})(?:{form}){joint}(?!{letter})", text):
        heads = w[0] in kin and not list_units(text[: w.start()])  # 我妈, "my mum"
        sure = any(n in w[0] for n in named if spaced or n in known or n.isascii())
        found.append(Detail(*w.span(), "who" if heads or sure else "name"))
    now = m.created_at.replace(tzinfo=None)
    found += [Detail(t.start, t.end, "date") for t in times_named(text, now)]
    found += [Detail(w.start(), w.end(), "day") for w in FORMS.DAYS.finditer(text)]
    found += [Detail(a, b, "number") for n, a, b in find_numbers(text) if n > 1]
    found.sort(key=lambda d: (d.start, -d.end))
    ends = [0, *accumulate((d.end for d in found), max)]
    return [d for d, end in zip(found, ends, strict=False) if d.start >= end]


def _is_named(name: str, text: str) -> bool:
    """Tell whether a name is no ordinary word, shouted or with the capital of its sentence."""
    if FORMS.DAYS.search(name) or FORMS.NOT.fullmatch(name):
        return False
    begins = rf"[.!?]\s+{re.escape(name)}\b"
    return fold(name) not in STOP_WORDS and text.count(name) > len(re.findall(begins, text))


def _leave_day_out(m: Memory, details: Sequence[Detail]) -> str:
    """Cut the day of an event out of its text, with what binds it: it is stored by itself.

    Not where it may limit what is said, as beside a denial, a plan or a number ("turned 72 on 3
    May 2026"), nor where hardly anything is left. A month may be how long something lasts.
    """
    text, lang = m.original_content, m.language
    dates = [d for d in details if d.sort == "date"]
    sorts = {d.sort for d in details}
    limits = _has_sense(text) or FORMS.STILL_PLAN.search(text) or sorts & {"day", "number"}
    if m.on is None or m.precision not in {None, "minute", "day"} or len(dates) != 1 or limits:
        return text
    before, behind = (_compile(value(lang, "topics", n)) for n in ("BEFORE_DATE", "BEHIND_DATE"))
    (d,) = dates
    bound = before.search(text, 0, d.start)
    if not (bound and behind.match(text, d.end)):
        return text
    out = text[: bound.start()].rstrip() + text[d.end :]
    return out if len(list_units(out)) > 1 else text


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


def _gap(lang: str) -> str:
    return " … " if LANGUAGES[lang].spaced else "…"


def _finish(text: str, m: Memory) -> str:
    """Let a text begin as its original does; a quotation keeps its letters."""
    text = text.strip(_EDGES)
    capital = m.original_content[:1].isupper() and not is_quote(m)
    return text[:1].upper() + text[1:] if capital else text


def find_level_fault(m: Memory, level: Level, text: str) -> str:
    """Say why a model's text cannot stand for the memory; empty if it can.

    It may say less than the original, but nothing else: no other number, no new name, no lost
    "not", no other language, no order, no secret.
    """
    original = m.original_content
    longest = max(len(original) + 20, 40)
    if level is not Level.SUMMARY:
        longest = min(LONGEST_TAG, max(len(original) + 10, 20))
    if why := find_unsayable(text, longest):
        return why
    if detect_language(text, m.language) != m.language:
        return "another language"
    if not set(NUMBER.findall(text)) <= set(NUMBER.findall(original)):
        return "another number"
    if any(name.casefold() not in original.casefold() for name in _NAME.findall(text)):
        return "another name"
    return "" if _denies(text) == _denies(original) else "another sense"


def find_loss(m: Memory, text: str) -> str:
    """Say what a model's text changes in the shortened one that the memory has; empty if nothing.

    It may leave words out of a clause, though no clause: that could turn round what stays. It may
    put whom it is about in front: "brother Tom: climbing".
    """
    original, parts = m.original_content, re.split("[:：]", text)
    if list_units(text) - list_units(original):
        return "new words"
    if not all(has_same_order(part, original) for part in parts):
        return "another order"
    units = list_units(text)
    for d in find_details(m):
        said = original[d.start : d.end]
        if said in m.content and not list_units(said) <= units:
            return f"a {d.sort} is missing"
    forms = (*_SENSES, _QUALIFIES, FORMS.CHANGED)
    if any(f.search(m.content) and not f.search(text) for f in forms):
        return "another sense"
    needed = _leave_reasons_out(m.content, find_details(m), m)
    clauses = map(list_units, _CLAUSE.findall(needed))
    return "a clause is missing" if any(2 * len(c & units) < len(c) for c in clauses) else ""


def find_unsayable(text: str, longest: int) -> str:
    """Say why a model's text cannot stand for any memory; empty if it can."""
    if not any(c.isalnum() for c in text):
        return "empty"
    if len(text) > longest:
        return "too long"
    kept = not privacy.redact(text)[1] and not privacy.is_refused_instruction(text)
    return "" if kept else "not to be kept"


def _denies(text: str) -> bool:
    """Tell whether the main clause denies: in "coffee, no sugar" it does not."""
    return denies_or_ends(_MAIN_ENDS.split(text.strip(), maxsplit=1)[0])
