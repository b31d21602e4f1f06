"""Bring sentences into one form, and compare them word for word in their order.

What a sentence says lies in its words, their order and the small words that give roles ("from",
"over", 给, 被). So only what carries neither is dropped, numbers and dates are written in one way,
and the order counts: but for lists ("a cat and a dog") and for a phrase of time or place that may
stand at either end.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from memory.text.languages import Patterns, list_character_pairs, section, value, words_of
from memory.text.numbers import (
    CHARACTER_SCALES,
    COUNTED,
    ORDINALS,
    SCALES,
    read_characters,
    read_words,
)
from memory.text.words import UNSPACED, fold_variants, stem, strip_accents

LONGEST: Final = 2_000  # characters that are compared
_EN, _ZH = Patterns("en", "forms"), Patterns("zh", "forms")
_COORDINATORS: Final = frozenset(words_of("forms", "COORDINATORS")) | {","}
_RESPECTIVELY, _TIMES, _AFTERNOON, _DROPPED = (
    frozenset(words_of("forms", name))
    for name in ("RESPECTIVELY", "TIMES", "AFTERNOON", "DROPPED_WORDS")
)
_UNITS: Final = section("en", "forms").UNITS
_DAYS: Final = value("en", "dates", "WEEKDAYS").lower().split()
_MONTHS: Final = value("en", "dates", "WORDS")["month"]
_CHARACTER_DAYS: Final = value("zh", "dates", "WORDS")["weekday"]
_PLACES: Final = frozenset(map(stem, ("in", "on", "at", "since", "until", "during")))
# Where nothing changes places.
_WRITTEN_AS: Final = {",": "", "也": "", "跟": "和", "与": "和", "及": "和"}
_MARKED: Final = ("@", "§", "#")  # a time, a day, a number
_MARKS: Final = str.maketrans({"’": "'", "‘": "'", "→": " to "})
_SMALL: Final = "|".join([*COUNTED][1:13])
_TOKEN: Final = re.compile(
    r"[@§]\S+|\d+(?:,\d{3})*(?:\.\d+)?(?:st\b|nd\b|rd\b|th\b|s\b)?|'s\b|[a-z]+|[,、&%€$£¥+<>=]"
    r"|(?<![\w-])-(?=\d)|(?<=[a-z])-(?![\w])|"
    rf"[{UNSPACED}]|[^\W\d_a-z{UNSPACED}]+"
)


@lru_cache(maxsize=4_096)
def list_form_tokens(text: str) -> tuple[str, ...]:
    """List the words in order, in one form; commas are tokens.

    Numbers start with "#", times of day with "@", days with "§".
    """
    return tuple(_read(_TOKEN.findall(_write(text[:LONGEST]))))


def list_quantities(text: str) -> tuple[str, ...]:
    """List the numbers with their units, the times and the days, sorted."""
    found = list_form_tokens(text)
    units = {*_UNITS.values(), "元"}
    beside = zip(found, [*found[1:], ""], strict=False)
    return tuple(sorted(t + (u if u in units else "") for t, u in beside if t[0] in _MARKED))


def has_other_roles(text: str, things: Sequence[str]) -> bool:
    """Say whether a text has things' words in other roles, and none as it is."""
    parts = re.split(r"[!?;。！？；\n]|\.(?=\s|$)", text[:LONGEST])
    swapped = any(
        is_reordered(thing, part) and _list_objects(thing, thing) != _list_objects(part, thing)
        for thing in things
        for part in parts
    )
    return swapped and not any(_contains(part, thing) for part in parts for thing in things)


def _list_objects(text: str, thing: str) -> set[tuple[str, str]]:
    """List what follows each small word, of the words that both have: (over, coffee)."""
    both = set(list_form_tokens(thing))
    found = [t for t in list_form_tokens(text) if t in both]
    return {(t, after) for t, after in pairwise(found) if t in ROLES or t in _ADJUNCTS}


def _contains(text: str, thing: str) -> bool:
    """Say whether a text has all words of a thing in their order."""
    x = list_form_tokens(thing)
    return bool(x) and _same(x, [t for t in list_form_tokens(text) if t in x or t in _COORDINATORS])


def has_same_form(a: str, b: str) -> bool:
    """Say whether two sentences have the same words in the same order."""
    return _same(list_form_tokens(a), list_form_tokens(b))


def _leave_out_coordinators(x: Sequence[str]) -> list[str]:
    return [t for t in x if t not in _COORDINATORS]


def _same(x: Sequence[str], y: Sequence[str]) -> bool:
    """Compare in order, up to what may change places."""
    if "".join(_WRITTEN_AS.get(t, t) for t in x) == "".join(_WRITTEN_AS.get(t, t) for t in y):
        return bool(x and y)
    if Counter(_leave_out_coordinators(x)) != Counter(_leave_out_coordinators(y)):
        return False
    choices = [[t for t in s if t in _COORDINATORS - {",", "、"}] for s in (x, y)]
    if {"or", "nor", "或"} & {*x, *y} and choices[0] != choices[1]:
        return False
    return _moved(x, y) or _split_phrases(x) == _split_phrases(y)


def _moved(x: Sequence[str], y: Sequence[str]) -> bool:
    return _turned(x, y) or _turned(y, x) or _listed(x, y)


def _split_phrases(x: Sequence[str]) -> list[tuple[str, ...]]:
    """Cut two phrases of time or place off and sort them, no other number."""
    starts = [
        i
        for i, t in enumerate(x)
        if i and (t in _PLACES or (t[0] in "@§" and x[i - 1] not in _PLACES))
    ]
    if len(starts) != 2 or any(t in _COORDINATORS for t in x):
        return [tuple(x)]
    return [tuple(x[: starts[0]]), *sorted(tuple(x[a:b]) for a, b in pairwise([*starts, len(x)]))]


def has_same_order(a: str, b: str) -> bool:
    """Say whether no roles differ, and what both have stands in the same order."""
    x, y = list_form_tokens(a), list_form_tokens(b)
    one, other = (Counter(t for t in s if t in ROLES) for s in (x, y))
    if one - other and other - one:
        return False
    both = set(x) & set(y) | _COORDINATORS
    x, y = (tuple(t for t in s if t in both) for s in (x, y))
    return _leave_out_coordinators(x) == _leave_out_coordinators(y) or _moved(x, y)


def has_same_frame(a: str, b: str) -> bool:
    """Say whether most of two sentences is the same around another value."""
    x, y = ([t for t in list_form_tokens(s) if t != ","] for s in (a, b))
    before, after = count_common_tokens(x, y)
    return x != y and 2 * (before + after) >= max(len(x), len(y))


def is_reordered(thing: str, text: str) -> bool:
    """Say whether a text says something else with all words of a thing."""
    x, y = (_leave_out_coordinators(list_form_tokens(s)) for s in (thing, text))
    return (
        bool(x)
        and Counter(x) == Counter(t for t in y if t in x)
        and not any(y[i : i + len(x)] == x for i in range(len(y)))  # Sam, in "Sam and I broke up"
        and not _contains(text, thing)
    )


def count_common_tokens(x: Sequence[str], y: Sequence[str]) -> tuple[int, int]:
    """Count the tokens shared at the beginnings and, of the rest, at the ends."""
    short = min(len(x), len(y))
    before = next((i for i in range(short) if x[i] != y[i]), short)
    after = next((i for i in range(short - before) if x[-1 - i] != y[-1 - i]), short - before)
    return before, after


def _turned(x: Sequence[str], y: Sequence[str]) -> bool:
    """Say whether a phrase of time or place that opens `x` closes `y`."""
    at = next((i for i, t in enumerate(x) if t == ","), 0)
    x = (*x[:at], *x[at + 1 :]) if at else tuple(x)
    if not at and "," in y:  # 打壁球，每周四
        cut = y.index(",")
        y, at = (*y[:cut], *y[cut + 1 :]), len(y) - 1 - cut
        if not _TIMES & {*x[:at]} and not any(t[0] in "@§" for t in x[:at]):
            return False
    elif not x or not (x[0] in _ADJUNCTS or x[0][0] in "@§"):
        return False
    if any(t in _COORDINATORS for t in (*x, *y)):
        return False  # of two phrases one could not tell what belongs to which
    return any((*x[i:], *x[:i]) == tuple(y) for i in ([at] if at else range(1, len(x))))


def _listed(x: Sequence[str], y: Sequence[str]) -> bool:
    """Say whether a list of the same parts stands in another order."""
    if _RESPECTIVELY & {*x, *y}:
        return False
    before, after = count_common_tokens(x, y)
    # 上海和南海 ends as 南海和上海 does: lists may begin sooner and end later than the difference.
    first = next((i for i in range(before, 0, -1) if x[i - 1] in _COORDINATORS), 0)
    last = next((i for i in range(len(x) - after, len(x)) if x[i] in _COORDINATORS), len(x))
    for start in range(before, max(first, before - 4) - 1, -1):
        for end in range(len(x) - after, min(last, len(x) - after + 3) + 1):
            one, other = (_split_list(s[start : len(s) - len(x) + end]) for s in (x, y))
            if one == other and len(one) > 1 and not _appositions(x, start, end, len(one)):
                return True
    return False


def _split_list(some: Sequence[str]) -> list[tuple[str, ...]]:
    """Sort what stands between coordinators; nothing where a part is a number of its own."""
    out: list[list[str]] = [[]]
    for t in some:
        if t in _COORDINATORS:
            out.append([])
        else:
            out[-1].append(t)
    parts = sorted(tuple(p) for p in out if p)
    return [] if any(len(p) == 1 and p[0][0] in _MARKED for p in parts) else parts


def _appositions(x: Sequence[str], start: int, end: int, parts: int) -> bool:
    """Say whether commas may put things beside names: Tom, a nurse, and Ann."""
    return parts > 2 and ((start > 0 and x[start - 1] == ",") or (end < len(x) and x[end] == ","))


def _write(text: str) -> str:
    """Write numbers, times, dates and short forms in one way, in one script and case."""
    plain = unicodedata.normalize("NFC", strip_accents(text).translate(_MARKS))
    plain = fold_variants(plain).casefold()
    plain = plain.replace("->", " to ").strip(" \"'“”")
    for pattern, form in _STEPS:
        plain = pattern.sub(form, plain)
    return plain


def _write_number(m: re.Match[str]) -> str:
    return "第" * (m[0][0] == "第") + str(read_characters(m[0].removeprefix("第")))


def _write_past(m: re.Match[str]) -> str:
    """Write half past three, a quarter to four."""
    hour = int(m[3]) if m[3].isdigit() else COUNTED[m[3]]
    minutes = {"half": 30, "quarter": 15}[m[1]]
    return f"{hour}:{minutes}" if m[2] == "past" else f"{hour - 1 or 12}:{60 - minutes}"


def _write_clock(m: re.Match[str]) -> str:
    more = (m["more"] or "").rstrip("分")
    parts = {"半": "30", "1刻": "15", "一刻": "15", "3刻": "45", "三刻": "45"}
    minutes = m["m"] or parts.get(more, more.zfill(2))
    hour = int(m["h"]) + 12 * (m["part"] in _AFTERNOON and int(m["h"]) < 12)
    return f" @{hour}:{minutes} "


def _write_day(m: re.Match[str]) -> str:
    month = int(m["m"]) if m["m"].isdigit() else _MONTHS[m["m"][:3]]
    year = m.groupdict().get("y")
    return f" §{year + '-' if year else ''}{month}-{int(m['d'])} "


Step = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
_STEPS: Final[Sequence[Step]] = (
    *list_character_pairs("forms", "FORMS"),
    (_ZH.DAY, lambda m: f" §d{_CHARACTER_DAYS[m[1]] + 1} "),
    (_ZH.NUMBER, _write_number),
    (_ZH.SCALED, lambda m: f"{float(m[1]) * CHARACTER_SCALES[m[2]]:.0f}"),
    (re.compile(rf"\b({'|'.join(ORDINALS)})\b"), lambda m: f"{ORDINALS[m[1]]}th"),
    (re.compile(rf"\b(?:a )?(half|quarter) (past|to) ({_SMALL}|\d{{1,2}})\b"), _write_past),
    (re.compile(rf"\b({_SMALL})(?={_EN.OF_THE_CLOCK.pattern})"), lambda m: str(COUNTED[m[1]])),
    *list_character_pairs("forms", "SHORT"),
    (_EN.OPENING, ""),
    (re.compile(rf"\b({'|'.join(COUNTED)})-(?=[a-z])"), r"\1 "),
    (_EN.AM_PM, lambda m: f" @{int(m[1]) % 12 + 12 * (m[3] == 'p')}:{m[2] or '00'} "),
    (_ZH.CLOCK, _write_clock),
    *((date, _write_day) for date in (_ZH.FULL_DATE, _ZH.DATE, _EN.DATE, _EN.DATE_FROM_MONTH)),
    *list_character_pairs("forms", "MEASURES"),
    (_ZH.DROPPED, ""),
    (re.compile("[，；;]"), ","),
    (re.compile(r"([€$£¥])\s?(\d+(?:,\d{3})*(?:\.\d+)?)"), r"\2 \1"),
    (re.compile(r"(?<=[a-z])-(?=[a-z])"), ""),
)
_SPELLING: Final = list_character_pairs("forms", "SPELLING")


def _read(found: Sequence[str]) -> Iterator[str]:
    """Read tokens as they are compared."""
    kept: list[str] = []
    i = 0
    while i < len(found):
        word, i = found[i], i + 1
        last = kept[-1] if kept else " "
        if word in COUNTED or (word in SCALES and last[0] != "#"):
            number, i = read_words(found, i - 1)
            kept.append(f"#{number}")
        elif word in SCALES:
            if re.fullmatch(r"#[\d.]+", last):
                kept[-1] = f"#{float(last[1:]) * SCALES[word]:.0f}"
        else:
            kept += _read_word(word, last)
        if kept and kept[-1][0] in "@§":
            while len(kept) > 1 and kept[-2] in {"on", "at"}:
                del kept[-2]
    yield from kept


def _read_word(word: str, last: str) -> list[str]:
    """Read one token behind another; none where it says nothing."""
    if word[0].isdigit():
        return ["#" + re.sub(r"(?:st|nd|rd)$", "th", word.replace(",", ""))]
    if last[0] == "#" and (unit := _UNITS.get(word) or _UNITS.get(word.removesuffix("s"))):
        return [unit]
    if word.rstrip("s") in _DAYS:
        return [f"§d{_DAYS.index(word.rstrip('s')) + 1}{'s' if word.endswith('s') else ''}"]
    if word.isascii() and word.isalpha():
        return [] if word in _DROPPED or (word, last) in _IDLE else [_stem(word)]
    return ["," if word == "、" else word]


def _stem(word: str) -> str:
    """Return the stem of a word in one spelling; a past stays one."""
    for pattern, form in _SPELLING:
        word = pattern.sub(form, word)
    if word.endswith("ties") and (decade := COUNTED.get(f"{word[:-3]}y")):
        return f"#{decade}s"
    return word if word.endswith("ed") else stem(word) or word


# "to" of an infinitive, "of" behind a unit.
_IDLE: Final = {("to", _stem(w)) for w in section("en", "forms").BEFORE_INFINITIVE.split()} | {
    ("of", unit) for unit in _UNITS.values()
}
_ADJUNCTS: Final = frozenset(map(_stem, words_of("forms", "ADJUNCTS")))
ROLES: Final = frozenset(map(_stem, words_of("forms", "ROLES")))
