"""Bring sentences into one form, and compare them word for word in their order. Pure.

What a sentence says lies in its words, their order and the small words that give roles ("from",
"over", 给, 被). So only what carries neither is dropped, numbers and dates are written in one way,
and the order counts: but for lists ("a cat and a dog") and for a phrase of time or place that may
stand at either end.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
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
from memory.text.words import UNSPACED, fold_variants, stem

LONGEST: Final = 2_000  # characters that are compared
_EN, _ZH = Patterns("en", "forms"), Patterns("zh", "forms")
_COORDINATORS: Final = frozenset(words_of("forms", "COORDINATORS")) | {","}
_RESPECTIVELY: Final = frozenset(words_of("forms", "RESPECTIVELY"))
_TIMES: Final = frozenset(words_of("forms", "TIMES"))
_UNITS: Final = section("en", "forms").UNITS
_DROPPED: Final = frozenset(section("en", "forms").DROPPED.split())
_MONTHS, _DAYS = (value("en", "dates", name).lower().split() for name in ("MONTHS", "WEEKDAYS"))
_FORMS, _SHORT, _SPELLING, _MEASURES = (
    list_character_pairs("forms", name) for name in ("FORMS", "SHORT", "SPELLING", "MEASURES")
)
_PLACES: Final = frozenset(map(stem, ("in", "on", "at", "since", "until", "during")))
_WRITTEN_AS: Final = {
    ",": "",
    "也": "",
    "跟": "和",
    "与": "和",
    "及": "和",
}  # where nothing changes places
_AFTERNOON: Final = frozenset(words_of("forms", "AFTERNOON"))
_MARKED: Final = ("@", "§", "#")  # a time, a day, a number
_MONTH: Final = rf"(?P<m>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in _MONTHS)}|sept)\.?"
_DATES: Final = (
    re.compile(
        r"(?<!\d)(?:(?P<y>\d{4})\s?[-/.年]\s?)(?P<m>\d{1,2})\s?[-/.月]\s?(?P<d>\d{1,2})(?!\d)[日号]?"
    ),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})月(?P<d>\d{1,2})(?!\d)[日号]?"),
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (?P<y>\d{{4}}))?(?![a-z\d])"
    ),
    re.compile(rf"\b{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?(?![a-z\d:])"),
)
_AM_PM: Final = re.compile(r"(?<![\d:.])(\d{1,2})(?:[:.](\d\d))?\s?([ap])(?:\.\s?m\.?|m\b)")
_SMALL: Final = "|".join([*COUNTED][1:13])
_HYPHENED: Final = re.compile(rf"\b({'|'.join(COUNTED)})-(?=[a-z])")
_ORDINAL: Final = re.compile(rf"\b({'|'.join(ORDINALS)})\b")
_PAST: Final = re.compile(rf"\b(?:a )?(half|quarter) (past|to) ({_SMALL}|\d{{1,2}})\b")
_HOUR: Final = re.compile(
    rf"\b({_SMALL})(?= (?:in the (?:morning|afternoon|evening)|o'clock|[ap]\.?m)\b)"
)
_MONEY: Final = re.compile(r"([€$£¥])\s?(\d+(?:,\d{3})*(?:\.\d+)?)")
_TOKEN: Final = re.compile(
    r"[@§]\S+|\d+(?:,\d{3})*(?:\.\d+)?(?:st\b|nd\b|rd\b|th\b|s\b)?|'s\b|[a-z]+|[,、&%€$£¥+<>=]|(?<![\w-])-(?=\d)"
    r"|(?<=[a-z])-(?![\w])|"
    rf"[{UNSPACED}]|[^\W\d_a-z{UNSPACED}]+"
)


@lru_cache(maxsize=4_096)
def list_form_tokens(text: str) -> tuple[str, ...]:
    """Words in order, in one form; a comma stays, as a token of its own.

    Numbers start with "#", times of day with "@", days with "§".
    """
    return tuple(_read(_TOKEN.findall(_written(text[:LONGEST]))))


def list_quantities(text: str) -> tuple[str, ...]:
    """Numbers with their units, times and days, sorted."""
    found = list_form_tokens(text)
    units = set(_UNITS.values()) | {"元"}
    after = (*found[1:], "")
    return tuple(
        sorted(
            t + (u if u in units else "")
            for t, u in zip(found, after, strict=True)
            if t[0] in _MARKED
        )
    )


def has_other_roles(text: str, things: Sequence[str]) -> bool:
    """Whether a text has the words of some of these things in other roles, and is about none of them as it is."""
    parts = re.split(r"[!?;。！？；\n]|\.(?=\s|$)", text[:LONGEST])
    swapped = any(
        is_reordered(thing, part) and _objects(thing, thing) != _objects(part, thing)
        for thing in things
        for part in parts
    )
    return swapped and not any(contains_thing(part, thing) for part in parts for thing in things)


def _objects(text: str, thing: str) -> set[tuple[str, str]]:
    """What follows each small word, of the words that both have: (over, coffee)."""
    both = set(list_form_tokens(thing))
    found = [t for t in list_form_tokens(text) if t in both]
    return {(t, after) for t, after in pairwise(found) if t in ROLES or t in _ADJUNCTS}


def contains_thing(text: str, thing: str) -> bool:
    """Whether a text has all words of a thing in their order."""
    x = list_form_tokens(thing)
    return bool(x) and _same(x, [t for t in list_form_tokens(text) if t in x or t in _COORDINATORS])


def has_same_form(a: str, b: str) -> bool:
    """Whether two sentences have the same words in the same order, up to what may change places."""
    return _same(list_form_tokens(a), list_form_tokens(b))


def _same(x: Sequence[str], y: Sequence[str]) -> bool:
    if "".join(_WRITTEN_AS.get(t, t) for t in x) == "".join(_WRITTEN_AS.get(t, t) for t in y):
        return bool(x and y)
    if Counter(t for t in x if t not in _COORDINATORS) != Counter(
        t for t in y if t not in _COORDINATORS
    ):
        return False
    choices = [[t for t in s if t in _COORDINATORS - {",", "、"}] for s in (x, y)]
    if {"or", "nor", "或"} & {*x, *y} and choices[0] != choices[1]:
        return False
    return _turned(x, y) or _turned(y, x) or _listed(x, y) or _phrases(x) == _phrases(y)


def _phrases(x: Sequence[str]) -> list[tuple[str, ...]]:
    """What stands before the first phrase of time or place, and those phrases sorted; where they are two."""
    starts = [
        i
        for i, t in enumerate(x)
        if i and (t in _PLACES or (t[0] in "@§" and x[i - 1] not in _PLACES))
    ]
    if len(starts) != 2 or any(t in _COORDINATORS for t in x):
        return [tuple(x)]
    return [tuple(x[: starts[0]]), *sorted(tuple(x[a:b]) for a, b in pairwise([*starts, len(x)]))]


def has_same_order(a: str, b: str) -> bool:
    """Whether neither has a role where the other has another, and what they share stands in the same order."""
    x, y = list_form_tokens(a), list_form_tokens(b)
    one, other = (Counter(t for t in s if t in ROLES) for s in (x, y))
    if one - other and other - one:
        return False
    both = set(x) & set(y) | _COORDINATORS
    x, y = tuple(t for t in x if t in both), tuple(t for t in y if t in both)
    plain = [[t for t in s if t not in _COORDINATORS] for s in (x, y)]
    return plain[0] == plain[1] or _turned(x, y) or _turned(y, x) or _listed(x, y)


def has_same_frame(a: str, b: str) -> bool:
    """Whether most of two sentences is word for word the same around a part that is not: another value, then."""
    x, y = ([t for t in list_form_tokens(s) if t != ","] for s in (a, b))
    before, after = count_common_tokens(x, y)
    return x != y and 2 * (before + after) >= max(len(x), len(y))


def is_reordered(thing: str, text: str) -> bool:
    """Whether a text has all words of a thing and says something else with them: tea over coffee, coffee over tea."""
    x = Counter(t for t in list_form_tokens(thing) if t not in _COORDINATORS)
    return (
        bool(x)
        and x == Counter(t for t in list_form_tokens(text) if t in x)
        and not contains_thing(text, thing)
    )


def count_common_tokens(x: Sequence[str], y: Sequence[str]) -> tuple[int, int]:
    """How many tokens two sequences share at their beginnings and, of the rest, at their ends."""
    short = min(len(x), len(y))
    before = next((i for i in range(short) if x[i] != y[i]), short)
    after = next((i for i in range(short - before) if x[-1 - i] != y[-1 - i]), short - before)
    return before, after


def _turned(x: Sequence[str], y: Sequence[str]) -> bool:
    """`In 2018, moved to Tbilisi`: a phrase of time or place that opens `x` closes `y`."""
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
    """`a cat and a dog`: between what both begin and end with, the same parts in another order."""
    if _RESPECTIVELY & {*x, *y}:
        return False
    before, after = count_common_tokens(x, y)
    # 上海和南海 ends as 南海和上海 does: the lists may begin sooner and end later than the difference.
    first = next((i for i in range(before, 0, -1) if x[i - 1] in _COORDINATORS), 0)
    last = next((i for i in range(len(x) - after, len(x)) if x[i] in _COORDINATORS), len(x))
    for start in range(before, max(first, before - 4) - 1, -1):
        for end in range(len(x) - after, min(last, len(x) - after + 3) + 1):
            one, other = _parts(x[start:end]), _parts(y[start : len(y) - len(x) + end])
            if one == other and len(one) > 1 and not _appositions(x, start, end, len(one)):
                return True
    return False


def _parts(some: Sequence[str]) -> list[tuple[str, ...]]:
    """What stands between coordinators, sorted; nothing where a part is a bare number, which belongs elsewhere."""
    out: list[list[str]] = [[]]
    for t in some:
        if t in _COORDINATORS:
            out.append([])
        else:
            out[-1].append(t)
    parts = sorted(tuple(p) for p in out if p)
    return [] if any(len(p) == 1 and p[0][0] in _MARKED for p in parts) else parts


def _appositions(x: Sequence[str], start: int, end: int, parts: int) -> bool:
    """`Tom, a nurse, and Ann, a cook`: commas around a list of three may put a thing beside its name."""
    return parts > 2 and ((start > 0 and x[start - 1] == ",") or (end < len(x) and x[end] == ","))


def _written(text: str) -> str:
    """The text in one script and case, with numbers, times, dates and short forms written in one way."""
    plain = unicodedata.normalize("NFKD", text).translate(
        {0x2019: "'", 0x2018: "'", 0x2192: " to "}
    )
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = (
        fold_variants(unicodedata.normalize("NFC", plain))
        .casefold()
        .replace("->", " to ")
        .strip(" \"'“”")
    )
    for pattern, form in _FORMS:
        plain = pattern.sub(form, plain)
    plain = _ZH.DAY.sub(
        lambda m: f" §d{'一二三四五六日天'.index(m[1]) % 7 + 1 if m[1] != '天' else 7} ", plain
    )
    plain = _ZH.NUMBER.sub(
        lambda m: "第" * (m[0][0] == "第") + str(read_characters(m[0].removeprefix("第"))), plain
    )
    plain = re.sub(
        r"(?<!\d)(\d+(?:\.\d+)?)([千万亿])",
        lambda m: f"{float(m[1]) * CHARACTER_SCALES[m[2]]:.0f}",
        plain,
    )
    plain = _ORDINAL.sub(lambda m: f"{ORDINALS[m[1]]}th", plain)
    plain = _HOUR.sub(lambda m: str(COUNTED[m[1]]), _PAST.sub(_past, plain))
    for pattern, form in _SHORT:
        plain = pattern.sub(form, plain)
    plain = _HYPHENED.sub(r"\1 ", _EN.OPENING.sub("", plain))
    plain = _AM_PM.sub(lambda m: f" @{int(m[1]) % 12 + 12 * (m[3] == 'p')}:{m[2] or '00'} ", plain)
    plain = _ZH.CLOCK.sub(_clock, plain)
    for date in _DATES:
        plain = date.sub(_day, plain)
    for pattern, form in _MEASURES:
        plain = pattern.sub(form, plain)
    plain = re.sub("[，；;]", ",", _ZH.DROPPED.sub("", plain))
    return re.sub(r"(?<=[a-z])-(?=[a-z])", "", _MONEY.sub(r"\2 \1", plain))


def _past(m: re.Match[str]) -> str:
    hour = int(m[3]) if m[3].isdigit() else COUNTED[m[3]]
    minutes = {"half": 30, "quarter": 15}[m[1]]
    return f"{hour}:{minutes}" if m[2] == "past" else f"{hour - 1 or 12}:{60 - minutes}"


def _clock(m: re.Match[str]) -> str:
    more = (m["more"] or "").rstrip("分")
    minutes = m["m"] or {"半": "30", "1刻": "15", "一刻": "15", "3刻": "45", "三刻": "45"}.get(
        more, more.zfill(2)
    )
    hour = int(m["h"]) + 12 * (m["part"] in _AFTERNOON and int(m["h"]) < 12)
    return f" @{hour}:{minutes} "


def _day(m: re.Match[str]) -> str:
    month = (
        m["m"]
        if m["m"].isdigit()
        else next(i for i, name in enumerate(_MONTHS, 1) if name[:3] == m["m"][:3])
    )
    year = m.groupdict().get("y")
    return f" §{year + '-' if year else ''}{int(month)}-{int(m['d'])} "


def _read(found: Sequence[str]) -> Iterator[str]:
    """Tokens as they are compared."""
    kept: list[str] = []
    i = 0
    while i < len(found):
        word, i = found[i], i + 1
        if word in COUNTED or (word in SCALES and not (kept and kept[-1][0] == "#")):
            value, i = read_words(found, i - 1)
            kept.append(f"#{value}")
        elif word in SCALES:
            written = kept[-1][1:]
            kept[-1] = (
                f"#{float(written) * SCALES[word]:.0f}"
                if re.fullmatch(r"[\d.]+", written)
                else kept[-1]
            )
        elif word[0].isdigit():
            kept.append("#" + re.sub(r"(?:st|nd|rd)$", "th", word.replace(",", "")))
        elif (
            kept
            and kept[-1][0] == "#"
            and (unit := _UNITS.get(word) or _UNITS.get(word.removesuffix("s")))
        ):
            kept.append(unit)
        elif word.rstrip("s") in _DAYS:
            kept.append(f"§d{_DAYS.index(word.rstrip('s')) + 1}{'s' if word.endswith('s') else ''}")
        elif word.isascii() and word.isalpha():
            last = kept[-1] if kept else ""
            if word not in _DROPPED and (word, last) not in _IDLE:
                kept.append(_stem(word))
        else:
            kept.append("," if word == "、" else word)
        if kept and kept[-1][0] in "@§":
            while len(kept) > 1 and kept[-2] in {"on", "at"}:
                del kept[-2]
    yield from kept


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
