"""English names of days, months, seasons, years and festivals, each with what it names."""

# ruff: noqa: E501, SIM905 - a table of patterns is read line by line
from __future__ import annotations

import re
from typing import Final

from memory.recall.festivals import CHRISTMAS, EASTER, FESTIVALS_EN
from memory.recall.spans import (
    DAY,
    WEEKEND,
    Again,
    Nth,
    Once,
    Time,
    Unit,
    date,
    day_of,
    day_of_month,
    day_of_year,
    half_of,
    month,
    month_of,
    nth_of,
    nth_week,
    relative,
    season,
    third_of,
    weekday,
    year_of,
)
from memory.recall.tense import Make, Row, Said, preceded, row

SMALL: Final = {
    w: i
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "several": 4,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
}
_ORDINALS: Final = {
    w: i + 1
    for i, w in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
        " sixteenth seventeenth eighteenth nineteenth twentieth".split()
    )
} | {
    f"twenty-{w}": 20 + i
    for i, w in enumerate("first second third fourth fifth sixth seventh eighth ninth".split(), 1)
}
_ORDINALS.update({"thirtieth": 30, "thirty-first": 31, "last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4})

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_HINTS: Final = "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov november dec december"
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY_HINTS: Final = (
    "mon monday tue tues tuesday wed weds wednesday thu thur thurs thursday fri friday sat saturday sun sunday"
)
_DIGITS: Final = "0 1 2 3 4 5 6 7 8 9"
_M: Final = r"(?P<mon>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
_D: Final = rf"(?P<d>\d{{1,2}}|{'|'.join(sorted((w for w in _ORDINALS if w[0].isalpha() and w != 'last'), key=len, reverse=True))})"
_Y: Final = r"(?:(?:,? (?:of )?|,)(?P<y>(?:19|20)\d\d)\b|,? ['’](?P<yy>\d\d)\b)?"
WEEKDAY: Final = r"(?P<d>monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|weds?|thu(?:rs?)?|fri|(?<=on )sat|(?<=last )sat|(?<=next )sat|(?<=on )sun|(?<=next )sun)\b"
WHICH: Final = r"(?P<q>last|next|this coming|this past|this|previous|past|coming|upcoming)"
NUMBER: Final = rf"(?P<n>\d{{1,9}}|{'|'.join(sorted(set(SMALL) - {'zero'}, key=len, reverse=True))})"
UNIT: Final = r"(?P<u>day|weekend|week|fortnight|month|quarter|year|decade)"
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
UNITS: Final = {
    "day": Unit.DAY,
    "weekend": Unit.WEEKEND,
    "week": Unit.WEEK,
    "fortnight": Unit.WEEK,
    "month": Unit.MONTH,
    "quarter": Unit.SEASON,
    "year": Unit.YEAR,
    "decade": Unit.DECADE,
}

# What makes a bare name a time: the words before it.
_AT: Final = r"(?:in|during|throughout|since|until|till|by|before|after|around|this|back in|of|for|from|mid|within)(?: the)?[ -]$"
_AT_MONTH: Final = re.compile(rf"\b{_AT}")
_AT_NAME: Final = re.compile(
    r"\b(?:in|during|throughout|since|until|till|by|before|after|around|back in|mid)[ -]$"
)  # April, May, June and August are people as well
_AT_DAY: Final = re.compile(
    r"\b(?:on|by|until|till|for|from|since|before|after|around|with effect from)(?: the)? $|^\W*(?:and |or |what about |how about )?$"
)
_AT_YEAR: Final = re.compile(
    r"\b(?:in|during|throughout|all of|since|of|for|from|by|before|after|until|till|around|year|early|late|back in|mid)[ -]$"
)
_HABIT: Final = re.compile(r"\b(?:an?|every|each|is|named|called|tgi|man|girl|casual|my|your|the) $")
_ANY_OF: Final = re.compile(r"\b(?:an?|every|each|any|most) $")
_CLAUSE_END: Final = re.compile(
    r"['’]?s?\s{0,9}(?:$|[?.!,;:)]|(?:and|or|to|at|then|again|with|morning|afternoon|evening|night)\b)"
)


def number(word: str) -> int:
    """In digits or as a word; a few are three."""
    return int(word) if word.isdigit() else SMALL[word]


def _day_no(m: re.Match[str], name: str = "d") -> int:
    return int(m[name]) if m[name].isdigit() else _ORDINALS[m[name]]


def _year(m: re.Match[str]) -> int | None:
    if m["y"]:
        return int(m["y"])
    return _short(int(m["yy"])) if m["yy"] else None


def _short(two: int) -> int:
    return two + (2000 if two < 60 else 1900)


def _month_no(m: re.Match[str]) -> int:
    return _MONTHS.index(m["mon"][:3]) + 1


def _date(m: re.Match[str], said: Said) -> Time | None:
    """3 May, the third of May 2024; 3 to 10 May."""
    number, first, year = _month_no(m), _day_no(m), _year(m)
    last = _day_no(m, "e") if m.groupdict().get("e") else first
    if not first <= last <= 31:
        return None
    count = last - first + 1
    date(2024, number, last)  # raises where no year has it
    if year is not None:
        return Once(Unit.DAY, day_of(date(year, number, first), count))
    again = day_of_year(number, first, count)
    if preceded(m, _LAST):
        found = said.qualified(again, "last")
        return found and Once(Unit.DAY, found)
    return again


_LAST: Final = re.compile(r"\blast $")


def _month(m: re.Match[str], said: Said) -> Time | None:
    again = month(_month_no(m))
    if m["q"]:
        found = said.qualified(again, m["q"])
        return found and Once(Unit.MONTH, found)
    name = m["mon"] in {"april", "may", "june", "august", "jan", "mar", "dec", "sep"}
    return Again(Unit.MONTH, "year", again.within, weak=not preceded(m, _AT_NAME if name else _AT_MONTH))


def _weekday(m: re.Match[str], said: Said) -> Time | None:
    again = weekday(DAYS.index(m["d"][:3]))
    if m["q"]:
        found = said.qualified(again, m["q"])
        return found and Once(Unit.DAY, found)
    if preceded(m, _ANY_OF):
        return None
    strong = preceded(m, _AT_DAY) or (_CLAUSE_END.match(m.string, m.end()) is not None and not preceded(m, _HABIT))
    return Again(Unit.DAY, "week", again.within, "next", weak=not strong, strict=True)


def _ordinal(m: re.Match[str], said: Said) -> Time | None:  # noqa: ARG001
    """The 3rd: a day where it stands for itself, not a floor."""
    again = day_of_month(int(m["d"]))
    strong = preceded(m, _AT_DAY) and _CLAUSE_END.match(m.string, m.end()) is not None
    return Again(Unit.DAY, "month", again.within, "next", weak=not strong)


def _slashed(m: re.Match[str], said: Said) -> Time | None:  # noqa: ARG001
    """31/1 or 1/31, 31.1.2024; none where it could be either."""
    a, b = int(m["a"]), int(m["b"])
    dotted = "." in m.group()
    if a != b and a <= 12 and b <= 12 and not dotted:
        return None
    number, day = (a, b) if a <= 12 and not dotted else (b, a)
    date(2024, number, day)
    return Once(Unit.DAY, day_of(date(int(m["y"]), number, day))) if m["y"] else day_of_year(number, day)


def _season(m: re.Match[str], said: Said) -> Time | None:
    again = season(_SEASONS[m["s"]])
    if m["q"]:
        found = said.qualified(again, m["q"])
        return found and Once(Unit.SEASON, found)
    return Again(Unit.SEASON, "year", again.within, "", weak=not preceded(m, _AT_MONTH))


def named(name: str) -> Again:
    """What comes again under that name, in the singular or the plural."""
    if name.startswith("weekend"):
        return WEEKEND
    if name.startswith(("chris", "easter")):
        return CHRISTMAS if name.startswith("c") else EASTER
    if name.rstrip("s") in _SEASONS:
        return season(_SEASONS[name.rstrip("s")])
    if name.endswith(("day", "days")):
        return weekday(DAYS.index(name[:3]))
    return month(_MONTHS.index(name[:3]) + 1)


def _nth(m: re.Match[str], said: Said) -> Nth:  # noqa: ARG001
    """The first Monday of, the last week of, the second weekend in."""
    n = _ORDINALS[m["n"]]
    if (u := m["u"]) == "week":
        return Nth(Unit.WEEK, lambda s: nth_week(s, n))
    if u in {"day", "days"}:
        return Nth(Unit.DAY, lambda s: day_of(s[1] - DAY) if n < 0 else day_of(s[0] + (n - 1) * DAY))
    if u == "month":
        return Nth(
            Unit.MONTH,
            lambda s: month_of(s[1].year, s[1].month - 1) if n < 0 else month_of(s[0].year, s[0].month + n - 1),
        )
    return Nth(Unit.WEEKEND if u == "weekend" else Unit.DAY, lambda s: nth_of(s, n, named(u)))


def _third(m: re.Match[str], said: Said) -> Nth:  # noqa: ARG001
    which = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1}.get(m["w"], 2)
    return Nth(Unit.THIRD, lambda s: third_of(s, which, edge=m["w"] in {"beginning", "start", "end"}))


def _half(m: re.Match[str], said: Said) -> Nth:  # noqa: ARG001
    return Nth(Unit.THIRD, lambda s: half_of(s, int(m["w"] in {"second", "2nd", "latter"})))


def _quarter(m: re.Match[str], said: Said) -> Time:  # noqa: ARG001
    n = int(m["n"]) if m["n"].isdigit() else _ORDINALS[m["n"]]
    return Again(Unit.SEASON, "year", lambda first: month_of(first.year, 3 * n - 2, 3), weak=not m["n"].isdigit())


def _year_named(m: re.Match[str], said: Said) -> Time:  # noqa: ARG001
    return Once(Unit.YEAR, year_of(int(m["y"])), weak=not preceded(m, _AT_YEAR))


def _decade(m: re.Match[str], said: Said) -> Time:  # noqa: ARG001
    words = {
        "twenties": 2020,
        "thirties": 1930,
        "forties": 1940,
        "fifties": 1950,
        "sixties": 1960,
        "seventies": 1970,
        "eighties": 1980,
        "nineties": 1990,
        "noughties": 2000,
    }
    if m["w"]:
        first = words[m["w"]]
    else:
        first = int(m["y"]) if len(m["y"]) == 4 else _short(int(m["y"])) if m["y"] != "20" else 2020
    return Once(Unit.DECADE, year_of(first, 10))


def _festival(again: Again) -> Make:
    def make(m: re.Match[str], said: Said) -> Time | None:
        if m["q"] is None:
            return again
        found = said.qualified(again, m["q"])
        return found and Once(again.unit, found)

    return make


_RANGE: Final = r" ?(?:-|–|—|to|and|until|till|through|thru) ?(?:the )?"
_TH: Final = r"(?:st|nd|rd|th)?"
_NO_COUNT: Final = r"(?![\d:./-]?\d|,\d(?!\d{3})| ?(?:am|pm|%|people|persons|times|days|weeks|months|years|hours|minutes|of (?:us|them|my|the))\b)"

NAMES_EN: Final[tuple[Row, ...]] = (
    # --- dates
    row(_DIGITS, r"(?<![\d/.-])(?P<y>(?:19|20)\d\d)(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d)", lambda m, _: Once(Unit.DAY, day_of(date(int(m["y"]), int(m["m"]), int(m["d"]))))),
    row(_DIGITS, r"(?<![\d/.-])(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d/-])", lambda m, _: Once(Unit.MONTH, month_of(int(m["y"]), int(m["m"])))),
    row(_DIGITS, r"(?:(?<=\bon )|(?<=\bsince )|(?<=\bby )|(?<=\bbefore )|(?<=\bafter )|(?<=\buntil )|(?<=[\u4e00-\u9fff]))(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\d/])(?P<y>)", _slashed),
    row(_DIGITS, r"(?<![\d/.])(?P<a>\d{1,2})(?P<s>[/.])(?P<b>\d{1,2})(?P=s)(?P<y>(?:19|20)\d\d)(?!\d)", _slashed),
    row(_MONTH_HINTS, rf"\b(?:the )?{_D}{_TH}(?: of)?(?: |-){_M}{_Y}", _date),
    row(_MONTH_HINTS, rf"\b(?:the )?{_D}{_TH}{_RANGE}{_D.replace('<d>', '<e>')}{_TH}(?: of)? {_M}{_Y}", _date),
    row(_MONTH_HINTS, rf"\b{_M} (?:the )?{_D}{_TH}\b{_NO_COUNT}{_Y}", _date),
    row(_MONTH_HINTS, rf"\b{_M} (?:the )?{_D}{_TH}{_RANGE}{_D.replace('<d>', '<e>')}{_TH}\b{_NO_COUNT}{_Y}", _date),
    row("st nd rd th", r"\b(?:the )?(?P<d>\d{1,2})(?:st|nd|rd|th)\b", _ordinal),
    # --- months, seasons, quarters, years
    row(_MONTH_HINTS, rf"\b(?:{WHICH} )?{_M}", _month),
    row("spring summer autumn fall winter", rf"\b(?:{WHICH} )?(?P<s>spring|summer|autumn|fall|winter)\b(?: holidays?\b| vacation\b| months\b| term\b)?(?! (?:rolls?|breaks?|onions?|coats?|dress|jobs?|schools?|camp|tyres?|tires?|asleep|apart|clean))", _season),
    row(_DIGITS, r"\bq(?P<n>[1-4])\b", _quarter),
    row("quarter", r"\b(?P<n>first|second|third|fourth) quarter(?: of)?\b", _quarter),
    row("half", r"\b(?P<w>first|second|1st|2nd|latter) half of(?: the)?\b", _half),
    row(_DIGITS, r"\b(?P<w>h[12]) (?=(?:19|20)\d\d)", lambda m, _: Nth(Unit.THIRD, lambda s: half_of(s, int(m["w"][1]) - 1))),
    row("early mid late", r"\b(?P<w>early|mid|late)(?:[ -](?:in )?(?:the )?(?=\w)|(?=-))-?", _third),
    row("beginning start middle end", r"\b(?:the )?(?P<w>beginning|start|middle|end) of(?: the)?\b", _third),
    row("month year week quarter decade", r"(?<=of the )(?P<u>month|year|week|quarter|decade)\b", lambda m, said: Once(UNITS[m["u"]], relative(m["u"], 0, said.now), weak=True)),
    row("first second third fourth last st nd rd th", r"\b(?:the )?(?P<n>first|second|third|fourth|last|1st|2nd|3rd|4th) (?P<u>weekend|week|day|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday) (?:of|in)(?: the)?\b", _nth),
    row(_DIGITS, r"(?:(?<![\d.,$€£¥#-])|(?<=mid-)|(?<=early-)|(?<=late-))(?P<y>(?:19|20)\d\d)(?:['’]s)?(?![\d.,-]\d|\d|[a-z%])", _year_named),
    row(_DIGITS, r"\b(?:(?<=the )|(?<=early )|(?<=late )|(?<=mid ))['’]?(?P<y>(?:19|20)?\d0)['’]?s\b(?P<w>)", _decade),
    row("twenties thirties forties fifties sixties seventies eighties nineties noughties", r"\bthe (?:(?:early|late|mid)[ -])?(?P<w>twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties|noughties)\b(?P<y>)", _decade),
    # --- festivals and weekdays
    *(row(hints, rf"\b(?:{WHICH} )?(?:{name})\b", _festival(again)) for hints, name, again in FESTIVALS_EN),
    row(_DAY_HINTS, rf"\b(?:{WHICH} )?{WEEKDAY}", _weekday),
)  # fmt: skip
