"""Check an operation against the own words of a person. Pure.

Form decides, never meaning: a paraphrase that names nothing is believed if the words it quotes are
there. Each check is one function, one cause of refusal (`CHECKS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memory.learn import dates
from memory.learn.cited_words import (
    Operation,
    ShownMessage,
    compute_share,
    find_basis,
    find_quotation,
)
from memory.learn.evidence_case import JOINED, EvidenceCase
from memory.learn.people import find_rename
from memory.learn.same_meaning import list_units
from memory.learn.slots import SLOTS
from memory.models import detect_language
from memory.privacy import classify_instruction
from memory.recall.question import find_people_names
from memory.text.commands import is_greeting
from memory.text.forms import ROLES, count_common_tokens, list_form_tokens
from memory.text.languages import LANGUAGES, joined, words_of
from memory.text.numbers import find_numbers
from memory.text.spans import split_spans
from memory.text.speech import (
    FORMS,
    MY_KIN,
    denies_or_ends,
    find_kin,
    fold,
    is_denial,
    pick_option,
    split_clauses,
)
from memory.text.words import is_unspaced

ANSWERED: Final = 0.5  # share of its words that a short answer and its question must have
AFFIRMED: Final = 0.6  # share of its words that a "yes" and its question must have
FOREIGN: Final = 0.5  # share of its words that are Ebb's alone, from which it is Ebb's
DENIED: Final = 0.5  # share of its words in a clause that denies, from which it is denied
_CHILD: Final = find_kin("child 孩子")
_HEAD: Final = 6  # Chinese characters in which a sentence names whom it is about

_NAME: Final = re.compile(r"(?<![\w'’-])[A-ZÀ-Þ][\w-]*")
_VERB: Final = re.compile(  # "Prefers …"
    r"([A-Z][a-z]+(?:s|ed)) (?=\w)(?!(?:is|was|has|had|will|lives|works|and)\b)"
)
_CONTRAST: Final = re.compile(
    r"(?:\d[\d:.]*|\b[A-Z]\w+),? not (?:(?:at|on|in|by|for) )?(\d[\d:.]*|[A-Z]\w+)"
)
_LATIN: Final = re.compile(r"[A-Za-zÀ-ɏ][\wÀ-ɏ-]+", re.A)
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WEEKDAY: Final = re.compile(
    r"[(（]?(?:周|星期|礼拜)[一二三四五六日天][)）]?"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{1,2}:\d\d\b",
    re.I,
)
_NO_NAMES: Final = frozenset(
    (*words_of("evidence", "NO_NAMES"), *(slot.capitalize() for slot in SLOTS))
)
_LABELS: Final = list_units(" ".join(SLOTS))  # a value may be told with its label: "Age: 52"
_CALLED, _PLACED, _WITH = (joined("evidence", name) for name in ("CALLED", "PLACED", "WITH"))
_FORMER: Final = joined("renames", "FORMER")
_OTHER_SCRIPT: Final = "[\u0370-\u1fff\u3040-\u312f\uac00-\ud7af]"  # neither Latin nor Chinese
_FOREIGN: Final = re.compile(f"{_OTHER_SCRIPT}|^(?:{joined('evidence', 'FOREIGN')})$")
_HAN: Final = "[\u4e00-\u9fff]"
_WAY: Final = re.compile(rf"\b(from|left|leaving|to|for) (\w+)|(从|离开|到|去)({_HAN}{{2}})")
_COUNTED: Final = re.compile(rf"[A-Za-z]{{3,20}} (?:for )?$|{_HAN}[了过]?$")
_MEASURE: Final = re.compile(joined("evidence", "MEASURES"))
_SAME_MEASURE: Final = str.maketrans("块塊号號", "元元日日")
_ASKED: Final = re.compile(  # about whom Ebb asks
    rf"(?:Did|Does|Has|Was|Is) ([A-Z][a-z]+)\b|是(({_HAN})\3)(?<!天天)"
)
_STOPS: Final = re.compile(r"(?<=[.!?。！？])\s*")
_AFTER_NOT: Final = re.compile(rf"\s+(?:(?:a|an|the|really|even|so) )?([a-z]+)|({_HAN}{{2}})", re.I)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check says of an operation.

    Attributes:
        reason: why it is not supported, "" if it is.
        sources: (message, start, end) it rests on.
        unsaid: the dates it gives beside its text that the words do not bear.
    """

    reason: str
    sources: tuple[tuple[str, int, int], ...] = ()
    unsaid: tuple[str, ...] = ()


def check_operation(op: Operation, spoken: Sequence[ShownMessage], shown: Iterable[str]) -> Verdict:
    """Decide whether the person's own words support an operation.

    Args:
        op: what a model wants to keep or change.
        spoken: the exchange and what was said before it, oldest first.
        shown: texts of the memories that the model was shown.
    """
    if op.text and (is_greeting(op.text) or not list_units(op.text)):
        return Verdict("unsupported")  # it says nothing of anybody
    found = find_quotation(op, spoken) if op.quote else find_basis(op, spoken)
    if isinstance(found, str):
        return Verdict(found)
    sources = tuple((spoken[i].id, start, end) for i, start, end in found)
    if op.quote:
        return Verdict("", sources)
    case = EvidenceCase(op, spoken, tuple(shown), found)
    reason = next((name for name, fails in CHECKS.items() if fails(case)), "")
    return Verdict(reason, sources, () if reason else find_other_days(case))


# --- the checks ---


def find_names(text: str) -> set[str]:
    """Find names by their form: capitals within a sentence; Chinese surnames and places."""
    text, people = FORMS.DAYS.sub(" ", text), find_people_names(text)
    if not LANGUAGES[detect_language(text)].spaced:
        called = {n for n in people if re.search(_CALLED, text[: text.find(n)])}
        found = called | {a or b for a, b in re.findall(_PLACED, text)} | set(_LATIN.findall(text))
        return found - _NO_NAMES
    found = {m[0] for m in _NAME.finditer(text) if text[: m.start()].strip()} | people
    verb = _VERB.match(text)
    return {n for n in found - _NO_NAMES - {verb[1] if verb else ""} if not find_kin(n)}


def is_foreign(c: EvidenceCase) -> bool:
    """Find another script, or small words of another language, than it was said in."""
    said = f"{c.m.text} {c.question}"
    new = set(_LETTERS.findall(fold(c.text))) - set(_LETTERS.findall(f"{c.known} {fold(said)}"))
    if any(map(_FOREIGN.search, new)):
        return True
    lang = detect_language(c.op.text)
    return bool(new) and lang != detect_language(said, lang)


def has_relative_date(c: EvidenceCase) -> bool:
    """Find a time that means another day tomorrow: "next Friday"."""
    return any(m[0] not in c.op.old for m in FORMS.RELATIVE.finditer(c.text))


def misreads_answer(c: EvidenceCase) -> bool:
    """Find what a short answer and the question before it do not say together."""
    if not c.answer or (c.changed and c.words - c.changed <= list_units(c.m.text)):
        return False  # the rest of it is as it was
    op, asked = c.op.text, list_units(c.question)
    picked = list_units(pick_option(c.m.text, c.question))
    own = list_units(c.m.text) | picked
    words = frozenset(w for w in c.words if not w.isnumeric())
    no, from_question, known = denies_or_ends(op), words & asked - own, own | asked
    if picked and words & asked - picked:
        return True  # the option that it did not pick
    if c.answer == "no" and (found := _misreads_no(c, words, from_question)) is not None:
        return found
    if c.answer != "no" and not from_question and compute_share(words, own) >= ANSWERED:
        return False  # it says so by itself
    match c.answer:
        case "evades":
            mine = list_units(" ".join(m.text for m in c.spoken if m.role == "user"))
            return not words & own or compute_share(words, own | mine | c.changed) < ANSWERED
        case "unsure":
            return c.op.sure and not FORMS.HEDGED.search(op)
        case "past" if not (no or FORMS.PAST_TOLD.search(op)):
            return True
        case "fill" if not (words & own or c.windows):
            return True
        case "yes" | "fill" if no != bool(FORMS.NEGATIVE_QUESTION.search(c.question)) and not (
            no and (is_denial(c.m.text) or is_denial(c.question))
        ):
            return True
    if words & own and FORMS.OR.search(c.question):
        first, *second = FORMS.OVER.split(op, maxsplit=1)
        return bool(second and list_units(second[0]) & own and not list_units(first) & own)
    known |= list_units(c.op.old)
    if c.answer != "yes":
        return compute_share(words, known | list_units(c.said)) < ANSWERED
    names = find_names(f"- {c.question}") & find_names(op)
    named = any(len(words - list_units(n)) <= 1 for n in names)
    return not named and compute_share(words, known) < AFFIRMED


def _misreads_no(
    c: EvidenceCase, words: frozenset[str], from_question: frozenset[str]
) -> bool | None:
    """Tell whether a "no" is misread; None where its form does not decide."""
    rest = list_units(FORMS.REASON.split(FORMS.NO.sub("", c.m.text.strip(), count=1))[0])
    if not denies_or_ends(c.op.text):
        ended, kept = (
            list_units(" ".join(f for f in c.focus if denies_or_ends(f) is way))
            for way in (True, False)
        )
        if ended - kept and compute_share(ended - kept, words) >= ANSWERED:
            return True
        if not (words & rest or c.windows):
            return True
        new = words & rest - list_units(c.question)
        if FORMS.OR.search(c.question) and len(from_question) > len(new):
            return True
    return False if words & rest and not from_question else None


def has_other_name(c: EvidenceCase) -> bool:
    """Find a name that nobody spoke of; the first word may have its capital from its place."""
    seen = fold(" ".join((c.known, *(m.text for m in c.spoken), *c.all_shown)))
    first = re.match(r"[\w'’-]+", c.op.text)
    names = find_names(c.op.text) - ({first[0]} if first else set())
    return not all(is_named(fold(n), seen, fold(c.sentence)) for n in names)


def has_other_relative(c: EvidenceCase) -> bool:
    """Find a name or relative of whom these words, or what they point to, do not speak."""
    nobodys = (text for text in c.all_shown if not find_kin(text))  # a place, a firm
    known = fold(" ".join((c.known, c.question, *nobodys)))
    names = {fold(n) for n in find_names(c.op.text)}
    if not all(is_named(n, known, fold(c.sentence)) for n in names):
        return True
    beside = [f for f in c.focus if c.quoted and not is_denial(f)]
    here = {fold(n)[:2] for f in beside for n in find_names(f) if not n.islower()}
    if names and here and not any(n in fold(c.op.text) for n in here):
        return all(n in fold(c.m.text) for n in names)
    told, near, now = map(find_kin, (c.op.text, " ".join(c.focus), c.m.text))
    if c.quoted and told and near and not told & near and told <= now:
        return True
    unsaid = told - find_kin(c.known)
    if now:  # a child by its name; but not "two sons" of "two years"
        unsaid -= _CHILD
    told_of = compute_share(c.words, list_units(c.known)) > ANSWERED  # a cat by its name
    return bool(unsaid and not told_of)


def is_named(name: str, known: str, sentence: str) -> bool:
    """Tell whether a name was said; a Chinese one may be cut wrongly, and its signs stand there."""
    if not is_unspaced(name):
        bare = re.escape(name.removesuffix("s"))  # jess, jesses, jess's; not Daniel of Danielle
        if len(name) == 2:  # St, Mt: said as Saint, Mount
            bare = f"{bare}|{re.escape(name[0])}[a-z]+{re.escape(name[1])}"
        return re.search(rf"(?<![a-z0-9])(?:{bare})(?:s|es){{0,2}}(?![a-z0-9])", known) is not None
    if name[:2] in known or 2 * sum(c in sentence for c in name) > len(name):
        return True  # most of its signs: two words, cut as if they were a name
    return bool(re.search(".{0,3}".join(map(re.escape, name)), sentence))


def _counts_other(c: EvidenceCase) -> bool:
    """Tell whether the word before a number stands only in clauses with other numbers."""
    parts = [dates.cut_dates(c.sentence[a:b]) for a, b in split_clauses(c.sentence)]
    clauses = [
        (list_units(p[:at]), {n for n, *_ in _find_measured(p)})
        for p in parts
        for at in [max((start for _, start, _ in find_numbers(p)), default=len(p))]
    ]
    text = dates.cut_dates(c.text, FORMS.DAYS)
    for n, start, end in find_numbers(text):
        counts = n > 1 and text[end : end + 1] != "月"
        m = _COUNTED.search(text[max(0, start - 40) : start]) if counts else None
        before = list_units(m[0]) if m else frozenset()
        of = [counts for words, counts in clauses if before & words]
        elsewhere = any(n in counts for _, counts in clauses)
        if of and elsewhere and all(counts and n not in counts for counts in of):
            return True
    return False


def _find_measured(text: str) -> list[tuple[float, str, str, str]]:
    """Find numbers: value, as written, the measure behind it in Chinese, and what follows."""
    text = dates.cut_dates(text, FORMS.DAYS)
    found = [(n, text[a:b].strip(), text[b:]) for n, a, b in find_numbers(text)]
    measures = (_MEASURE.match(rest) for *_, rest in found)
    return [
        (n, word, m[0].translate(_SAME_MEASURE) if m else "", rest)
        for (n, word, rest), m in zip(found, measures, strict=True)
    ]


def has_other_number(c: EvidenceCase) -> bool:
    """Find a number that was not said, or not of that: 两天 are not 两个."""
    said = [(n, measure) for n, _, measure, _ in _find_measured(c.known)]
    values = {n for n, _ in said}
    for n, word, measure, rest in _find_measured(c.text):
        idle = word == "00" if word[0].isdigit() else n <= 1 or (is_unspaced(word) and not measure)
        if (idle and n <= 10) or _is_code(word, c):
            continue
        hour = n - 12 in values and re.match(r":\d\d|[点时]", rest)
        month = rest[:1] == "月" and any(n == w.month for pair in c.windows for w in pair)
        parts = {float(part) for part in f"{n:g}".split(".")} <= values  # 七十六点五
        if not (
            n in values or word in c.known or hour or month or parts or _scales(word, c, values)
        ):
            return True
        of = {m for value, m in said if value == n}
        if of and measure and not of & {measure, ""}:
            return True
    at = c.m.at.year
    years = (
        values | {w.year for pair in (*c.windows, *c.spans) for w in pair} | {at - 1, at, at + 1}
    )
    told = map(int, _YEAR.findall(c.op.text))
    return any(y not in years and y % 100 not in years for y in told)


def _is_code(digits: str, c: EvidenceCase) -> bool:
    """Tell whether digits are known from a name of letters and digits: B12, L3."""
    codes = re.findall(rf"\b[A-Za-z]+-?{re.escape(digits)}\b", c.text)
    seen = fold(" ".join((c.known, *c.all_shown)))
    return bool(codes) and all(fold(code) in seen for code in codes)


def _scales(word: str, c: EvidenceCase, values: set[float]) -> bool:
    """Tell whether a number was said, and its unit stands in what it changes: 198 (thousand)."""
    digits = re.match(r"\d[\d,]*(?:\.\d+)?", word)
    if digits is None:
        return False
    unit = word[digits.end() :].strip()
    return bool(unit) and unit in c.known and float(digits[0].replace(",", "")) in values


def has_other_date(c: EvidenceCase) -> bool:
    """Find a date in the text that the words do not come to. Years alone are numbers.

    Where it names another day, the day on which it was said is none: "aged 5 in March 2026".
    """
    at, tz = c.m.at, c.m.tz
    dated = dates.DATED.search(c.op.text)
    text = _WEEKDAY.sub(" ", c.op.text) if dated else c.op.text
    if not (dated or FORMS.DAYS.search(text)):
        return False
    both = zip(*dates.find_spoken_times(text, at, tz), strict=False)
    ways = [way for way in both if way[0][1] - way[0][0] < dates.YEAR]
    beside = [d for d in (c.op.on, *(d for _, d in c.op.days)) if d and d[:10] != c.today]
    anchored = bool(beside) or len(ways) > 1

    def is_right(way: list[dates.Window]) -> bool:
        said_on = anchored and any(dates.is_message_date(w, at, tz) for w in way)
        return said_on or _was_said(c, way)

    return not all(is_right(list(way)) for way in ways)


def find_other_days(c: EvidenceCase) -> tuple[str, ...]:
    """Name the dates beside the text that the words do not come to: they are left out."""
    at, tz = c.m.at, c.m.tz
    read = [(use, s) for use, d in c.op.days if d[:10] != c.today and (s := dates.read(d, tz))]
    claims = [(use, (s.start, s.end)) for use, s in read if dates.is_believable(s, use, at)]
    on = dates.read(c.op.on, tz)
    named = [*claims, *([("on", (on.start, on.end))] if on else [])]
    return tuple(use for use, claim in named if not _was_said(c, [claim]))


def _was_said(c: EvidenceCase, ways: list[dates.Window]) -> bool:
    """Tell whether the words come to a time, or to its other reading."""
    at, tz = c.m.at, c.m.tz
    if any(dates.is_message_date(w, at, tz) for w in ways) and not c.lies_ahead:
        return True
    if c.op.op == "done" and any(a <= day < b for a, b in ways for day in c.op.old_days):
        return True  # a plan comes to pass on its day
    return any(_names_day(c, w) or any(dates.matches_time(w, s, at) for s in c.times) for w in ways)


def _names_day(c: EvidenceCase, claim: dates.Window) -> bool:
    """Tell whether the words name that day of a month near: "monday 27th", 29号."""
    zone, told = dates.get_zone(c.m.tz), f"{c.m.text} {c.question}"
    first, known = claim[0].astimezone(zone), dates.find_spoken_times(c.op.old, c.m.at, c.m.tz)
    own = any((d.year, d.month) == (first.year, first.month) for d in c.op.old_days)
    near = own or abs(claim[0] - c.m.at) < 2 * dates.MONTH
    near |= any(first.month == day.astimezone(zone).month for way in known for day, _ in way)
    for n, start, end in sorted(find_numbers(told), key=lambda n: -n[1]):
        told = f"{told[:start]}{n:g}{told[end:]}"  # 十四号
    ends = r"|(?!\w)" if own else ""  # "27, not 20" of a day that is known
    form = rf"(?<![\d月])(?:{first.month}月)?{first.day}(?:st|nd|rd|th|[号號日]{ends})(?![a-z]| of)"
    return near and claim[1] - claim[0] < 2 * dates.DAY and bool(re.search(form, told))


def has_other_polarity(c: EvidenceCase) -> bool:
    """Find a denial that was not said, or one that was said and is left out."""
    if c.answer in {"yes", "no", "past", "unsure"}:
        return False  # `misreads_answer`
    op, said = c.op.text, c.sentence if c.quoted else c.m.text
    if c.op.op == "affirm":
        return all(map(is_denial, c.focus))
    if c.op.op == "negate":
        clauses = [p for a, b in split_clauses(c.m.text) for p in JOINED.split(c.m.text[a:b])]
        ended = any(denies_or_ends(p) or FORMS.CHANGED.search(p) for p in clauses)
        return not ended or (
            c.words.isdisjoint(list_units(c.said))
            and compute_share(c.words, list_units(" ".join(c.shown))) >= FOREIGN
        )
    if all(denies_or_ends(op[a:b]) for a, b in split_clauses(op)):
        return not (denies_or_ends(said) or (FORMS.ENDED.search(op) and FORMS.CHANGED.search(said)))
    if is_denial(op) or any(denies_or_ends(op[a:b]) for a, b in split_clauses(op)):
        return False
    if c.op.op == "update" and FORMS.CHANGED.search(said):
        return False  # what is denied is how it was: "not X any more, it's Y"
    for m in FORMS.NOT.finditer(FORMS.NOT_NOT.sub(" ", " , ".join(c.focus))):
        after = _AFTER_NOT.match(m.string[m.end() :][:40])
        if after and (denied := list_units(after[0])) and denied <= c.words - c.changed:
            return True  # "don't like", told as "likes"
    if FORMS.NEGATIVE.search(op) or FORMS.PAST_TOLD.search(op):
        return False
    if any(x in op for x in _CONTRAST.findall(c.sentence)):
        return True  # "at 6:15 not 7:15", told as 7:15
    shares = {True: 0.0, False: 0.0}
    for part in (p for f in c.focus for p in JOINED.split(f)):
        no = denies_or_ends(_CONTRAST.sub(" ", part))
        shares[no] = max(shares[no], compute_share(c.words, list_units(part)))
    return shares[True] >= DENIED and shares[True] > shares[False]


def is_about_another(c: EvidenceCase) -> bool:
    """Find what somebody else is or does, told of the person."""
    op = c.op.text
    asked = _ASKED.match(c.question) if c.answer in {"yes", "past"} else None
    if asked and not FORMS.DAYS.search(asked[0]) and fold(asked[1] or asked[2]) not in fold(op):
        return True
    parts = [p for f in c.focus for p in JOINED.split(f)]
    quoted = [s for q in c.cited for s in _STOPS.split(q) if c.quoted]
    told_of = _closest(c.words, quoted) or quoted
    if _loses_subject(c) or _leaves_out_name(c, quoted):
        return True
    if told_of and all(_has_other_subject(s, op) for s in told_of):
        return True
    abouts = [_closest(list_units(told), parts) for told in re.split("[;；]", c.text)]
    return any(about and all(_has_other_subject(p, op) for p in about) for about in abouts)


def exchanges_roles(c: EvidenceCase) -> bool:
    """Find who does it to whom, from where to where, how many, or a new name, exchanged."""
    op, said = c.op.text, c.sentence
    renamed = find_rename(said, "")
    if renamed and re.search(f"(?:{_FORMER}){re.escape(renamed[1])}", op):
        return True
    said_ways, told_ways = _find_ways(said), _find_ways(op)
    if any(told_ways[w] != said_ways[w] for w in told_ways.keys() & said_ways.keys()):
        return True
    names = {w for group in find_kin(op) for w in group}
    names |= find_names(f"- {said}") | find_names(f"- {op}")
    names |= set(re.findall(f"{_WITH}({re.escape(op[:2])})", said))
    shared = sorted(n for n in names if n and n in op and n in said)
    if any(_turns(n, op, said) for n in shared[:20]):
        return True
    return _counts_other(c) or _exchanges_places(c.text, " , ".join(c.focus))


def _loses_subject(c: EvidenceCase) -> bool:
    """Tell whether a memory of somebody would change into one that does not name them."""
    old, text = c.op.old, c.op.text
    if c.op.op not in {"update", "fix"} or find_kin(text):
        return False
    first = None if _VERB.match(old) else _NAME.match(old)
    if first and re.search(rf"\b{first[0]}\b", c.m.text) and fold(first[0]) not in fold(text):
        return True
    m = MY_KIN.match(f"my {old}") or MY_KIN.match(f"我{old}")
    named = find_names(f"- {_cut_head(old)}") & find_names(f"- {text}")
    return bool(m and find_kin(m[0]) and not named)


def _leaves_out_name(c: EvidenceCase, quoted: Sequence[str]) -> bool:
    """Tell whether the words begin with a name that stands beside the text, and not in it."""
    of = [n for n in c.op.entities if any(fold(q.strip()).startswith(fold(n)) for q in quoted)]
    named = find_kin(_cut_head(c.op.text)) or any(
        n in fold(c.op.text) for n in map(fold, c.op.entities)
    )
    return bool(of) and not named


def _cut_head(text: str) -> str:
    """Return the beginning of a sentence, in which it names whom it is about."""
    return text[:_HEAD] if is_unspaced(text[:1]) else " ".join(text.split()[:3])


def _find_ways(text: str) -> dict[str, bool]:
    """Map each place that something comes from or goes to, to whether it is the former."""
    found = _WAY.findall(fold(text))
    return {a or b: (x or y) in {"from", "left", "leaving", "从", "离开"} for x, a, y, b in found}


def _turns(name: str, op: str, said: str) -> bool:
    """Tell whether a name does what was done to it: I owe Pei, told as: Pei owes; or back."""
    (x, y), (a, b) = ([list_form_tokens(t) for t in text.split(name, 1)] for text in (op, said))
    does, done = (part if part and list_units(part[0]) else () for part in (y[:1], x[-1:]))
    if does and not x and does[0] in a and does[0] not in b:
        return True
    return bool(done and done == b[:1] and done[0] not in a)


def _closest(words: frozenset[str], parts: list[str]) -> list[str]:
    """Return those parts that have most of the words."""
    shares = [len(list_units(p) & words) for p in parts]
    most = max(shares, default=0)
    return [p for p, share in zip(parts, shares, strict=True) if share == most > 0]


def _has_other_subject(clause: str, op: str) -> bool:
    """Tell whether a clause has another subject than the person, which `op` does not name."""
    clause = clause.removeprefix("听说").removeprefix("据说")
    m = FORMS.OTHERS.match(clause) or MY_KIN.match(clause)
    first = next((len(n) for n in find_people_names(clause) if clause.startswith(n)), 0)
    start = m.end() if m else first
    subject, rest, kin = clause[:start], clause[start:], find_kin(op)
    if start == 0 or kin or FORMS.ME.search(rest) or list_units(subject) & list_units(op):
        return False
    return not any(op.startswith(n) and fold(n) not in fold(rest) for n in find_names(f"- {op}"))


def is_no_fact(c: EvidenceCase) -> bool:
    """Find a question, a plan, a fancy or a story told as a fact."""
    op = c.op.text
    if any(FORMS.FICTION.search(before[-121:]) for before in c.before):
        return True
    manner = classify_instruction(op) == "manner"
    asked = FORMS.REQUEST.search(c.sentence)
    wish = asked and (manner or FORMS.MANNER.match(op))
    if not c.answer and not wish and c.focus and all(_asks(f, op) for f in c.focus):
        return True
    parts = [p for f in c.focus for p in JOINED.split(f)]
    later, here = c.lies_ahead, c.focus[-1]
    end = c.cited[-1] if c.quoted and c.cited[-1] in c.sentence else here
    opening = c.sentence[: c.sentence.find(end) + len(end)]
    told = FORMS.HEDGED.search(op) or FORMS.UNREAL.search(op) or not c.op.sure
    dated = c.op.on or c.op.days or dates.DATED.search(op)
    days = (dates.read(d, c.m.tz) for d in (c.op.on, *(d for _, d in c.op.days)))
    coming = (later and dated) or any(d is not None and d.start > c.m.at for d in days)
    if told or FORMS.STILL_PLAN.search(op) or (manner and asked) or coming:
        return False
    unreal = FORMS.UNREAL.search(opening)
    return bool(
        (later and c.quoted and not c.answer)
        or (unreal and re.findall(r"[a-z]+|.", fold(unreal[0]))[0] not in fold(op))  # "she says"
        or any(map(FORMS.PLAN.search, _closest(c.words, parts)))
    )


def _asks(clause: str, op: str) -> bool:
    marked = clause.endswith(("?", "？")) and not FORMS.ME.search(clause)
    if not (marked or FORMS.ASKS.search(clause)):
        return False
    mine = [g for m in FORMS.MY.finditer(clause) for g in m.groups() if g]
    return bool(FORMS.ASKS_OF_SELF.search(clause)) or not any(fold(w) in fold(op) for w in mine)


def is_hearsay(c: EvidenceCase) -> bool:
    """Find what others say told as what is so, not as what they say."""
    parts = [p for f in c.focus for p in JOINED.split(f)]
    heard = any(map(FORMS.HEARSAY.search, _closest(c.words, parts)))
    own = FORMS.HEARSAY.search(c.op.text) or FORMS.HEDGED.search(c.op.text) or not c.op.sure
    return heard and not own


def overstates(c: EvidenceCase) -> bool:
    """Find more than was said: always, the best; a cause; a change no word of theirs names."""
    op, said = c.op.text, f"{c.m.text} {c.question}"
    degrees = any(fold(m[0]) not in c.known for m in FORMS.DEGREE.finditer(op))
    if degrees and not FORMS.ANY_DEGREE.search(f"{said} {c.op.old}"):
        return True
    cause = FORMS.CAUSE.search(op)
    known = list_units(" ".join((c.known, said, *c.all_shown)))
    because = list_units(op[cause.end() :] if cause else "")
    if because and compute_share(because, known) < ANSWERED:
        return True
    if c.op.op not in {"update", "fix"}:
        return False
    new = c.words - list_units(c.op.old)
    renamed = FORMS.NAMED.search(op) and not (c.answer or FORMS.NAMED.search(said))
    about = list_units(op) & list_units(c.op.old) & list_units(" ".join(c.focus))
    if renamed and not about and not FORMS.CHANGED.search(said):
        return True
    counted = {f"{n:g}" for n, *_ in find_numbers(c.said)}
    return bool(c.op.old and new and not new & (list_units(c.said) | counted))


def _exchanges_places(op: str, said: str) -> bool:
    """Tell whether two words changed places: 3 sons and 5 grandsons, told as five and three."""
    told, spoken = list_form_tokens(op), list_form_tokens(said)
    both = set(told) & set(spoken) - {",", "and", "和"}
    x, y = ([t for t in some if t in both] for some in (told, spoken))
    before, after = count_common_tokens(x, y)
    x, y = x[before : len(x) - after], y[before : len(y) - after]
    cuts = ((i, len(x) - i) for i in range(1, (len(x) + 1) // 2))
    turned = any(y == x[j:] + x[i:j] + x[:i] for i, j in cuts)
    return turned and len(set(x)) == len(x) and ROLES & set(told) == ROLES & set(spoken)


def is_not_theirs(c: EvidenceCase) -> bool:
    """Find words of Ebb's or of a shown memory, told as the person's."""
    plain = FORMS.DAYS.sub(" ", c.text)
    for _, start, end in sorted(find_numbers(plain), key=lambda n: -n[1]):
        measure = _MEASURE.match(plain[end:])
        plain = f"{plain[:start]} {plain[end + len(measure[0]) if measure else end :]}"
    words, own = list_units(plain) - _LABELS - c.changed, list_units(c.said)
    heard = " ".join(
        m.text[s.start : s.end]
        for m in c.spoken
        for s in split_spans(m.text)
        if m.role != "user" or s.kind != "own"
    )
    if fold(c.op.text).strip(" .。") in fold(heard) and fold(c.op.text) not in c.known:
        return True  # its very words
    if c.answer or not words:
        return False
    ebb = list_units(heard)
    if compute_share(words, ebb - own) >= FOREIGN and compute_share(words, own) < FOREIGN:
        return True
    new = words - own - list_units(f"{c.known} {c.m.text}")
    if new and new <= ebb and len(new) * 3 >= len(words):
        return True
    if c.op.old or plain != c.text or c.op.on:
        return False  # it says again what they do not change, or a day or number of theirs
    return not words & own and compute_share(words, list_units(" ".join(c.shown))) >= FOREIGN


# Those a model may insist on come last, so that no other one is left unlooked at (`steps`).
CHECKS: Final[dict[str, Callable[[EvidenceCase], bool]]] = {
    "relative": has_relative_date,
    "name": has_other_name,
    "number": has_other_number,
    "subject": is_about_another,
    "not_theirs": is_not_theirs,
    "no_fact": is_no_fact,
    "relative_of": has_other_relative,
    "unread_date": has_other_date,
    "hearsay": is_hearsay,
    "roles": exchanges_roles,
    "answer": misreads_answer,
    "negation": has_other_polarity,
    "language": is_foreign,
    "overstated": overstates,
}
