"""English words for times: the names of days, months, seasons and festivals, and what is counted from now."""

# ruff: noqa: E501, SIM905 - a table of patterns is read line by line
from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory.text.dates.festivals import by_easter, lunar, nth_weekday, on_date
from memory.text.dates.sentence import (
    Rule,
    Sentence,
    days_of,
    named_festivals,
    preceded,
    read_slashed,
)
from memory.text.dates.times import (
    DAY,
    WEEKEND,
    FixedTime,
    OrdinalTime,
    RecurringTime,
    Time,
    TimeUnit,
    add_days,
    add_months,
    century,
    date,
    day_of_month,
    month,
    nth,
    nth_half,
    nth_third,
    part,
    quarter,
    relative,
    season,
    weekday,
    year_of,
)
from memory.text.en.numbers import NUMBERS, ORDINALS

_CHRISTMAS: Final = on_date(12, 25, 3, 1)
_EASTER: Final = by_easter(-2, 4)
_NOT_XMAS: Final = (
    r"(?! (?:trees?|cards?|carols?|songs?|music|lights?|jumpers?|sweaters?|pudding|markets?|stockings?|movies?|films?"
    r"|decorations?|spirit|island|cake|list|wrapping|crackers?)\b)"
)
_NOT_EASTER: Final = r"(?! (?:eggs?|bunny|island|lily|bonnet)\b)"
_THEIRS: Final = r"['’]?s?['’]?"

# Name (a regular expression over NFKC text, case folded) → when. The longest name speaks.
_FESTIVALS: Final[tuple[tuple[str, str, RecurringTime], ...]] = (
    ("new", rf"new year{_THEIRS} eve", on_date(12, 31)),
    ("new", rf"new year{_THEIRS} day", on_date(1, 1)),
    ("new", r"(?:(?<=over )|(?<=at )|(?<=for )|(?<=and )|(?<=before )|(?<=after )|(?<=since )|(?<=by )|(?<=around ))(?:the )?new year\b(?! resol)|new year's(?! (?:eve|day|resolution|party|wish))", on_date(1, 1, 2, 1)),
    ("valentine valentines", rf"valentine{_THEIRS}(?: day)?", on_date(2, 14)),
    ("patrick patricks", rf"st\.? patrick{_THEIRS}(?: day)?", on_date(3, 17)),
    ("fool fools", rf"april fools?{_THEIRS}(?: day)?", on_date(4, 1)),
    ("shrove pancake", r"shrove tuesday|pancake day", by_easter(-47)),
    ("ash", r"ash wednesday", by_easter(-46)),
    ("palm", r"palm sunday", by_easter(-7)),
    ("good", r"good friday", by_easter(-2)),
    ("easter", r"easter sunday", by_easter(0)),
    ("easter", r"easter monday", by_easter(1)),
    ("easter", rf"easter{_NOT_EASTER}", _EASTER),
    ("whit", r"whit monday", by_easter(50)),
    ("mother mothers", rf"mother{_THEIRS} day", nth_weekday(2, 6, 5)),
    ("father fathers", rf"father{_THEIRS} day", nth_weekday(3, 6, 6)),
    ("may", r"may day", on_date(5, 1)),
    ("memorial", r"memorial day", nth_weekday(5, 0, 5)),
    ("juneteenth", r"juneteenth", on_date(6, 19)),
    ("july independence", r"(?:the )?fourth of july|independence day", on_date(7, 4)),
    ("labor labour", r"labou?r day", nth_weekday(1, 0, 9)),
    ("halloween hallowe", r"hallowe'?en(?! costumes?)", on_date(10, 31)),
    ("bonfire fawkes", r"bonfire night|guy fawkes night", on_date(11, 5)),
    ("veterans armistice remembrance", r"veterans day|armistice day|remembrance day", on_date(11, 11)),
    ("thanksgiving", r"thanksgiving day", nth_weekday(4, 3, 11)),
    ("thanksgiving", r"thanksgiving(?! turkey)", nth_weekday(4, 3, 11, 4)),
    ("black", r"black friday", nth_weekday(4, 3, 11, 1, 1)),
    ("cyber", r"cyber monday", nth_weekday(4, 3, 11, 1, 4)),
    ("christmas", r"christmas eve", on_date(12, 24)),
    ("christmas", r"christmas day", on_date(12, 25)),
    ("boxing", r"boxing day", on_date(12, 26)),
    ("christmas xmas", rf"(?:christmas|xmas)(?: ?time| holidays?)?{_NOT_XMAS}", _CHRISTMAS),
    ("chinese lunar", rf"(?:chinese|lunar) new year{_THEIRS} eve", lunar(0, -1)),
    ("chinese lunar spring", rf"(?:chinese|lunar) new year{_THEIRS}(?! eve)|spring festival", lunar(0, -1, 8)),
    ("lantern", r"lantern festival", lunar(0, 14)),
    ("qingming tomb", r"qingming(?: festival)?|tomb[- ]sweeping day", on_date(4, 4, 3)),
    ("dragon", r"dragon boat festival", lunar(1)),
    ("qixi", r"qixi(?: festival)?", lunar(2)),
    ("mid moon", r"mid[- ]autumn(?: festival)?|moon festival", lunar(3)),
    ("double chongyang", r"double ninth(?: festival)?|chongyang(?: festival)?", lunar(4)),
    ("golden", r"golden week", on_date(10, 1, 7)),
    ("singles", r"singles'? day", on_date(11, 11)),
)  # fmt: skip

SMALL: Final = NUMBERS | {"a": 1, "an": 1, "couple": 2, "few": 3, "several": 4}
_NTH: Final = (
    ORDINALS
    | {
        f"{w}-{o}": 10 * i + n
        for i, w in ((2, "twenty"), (3, "thirty"))
        for o, n in ORDINALS.items()
        if n < 10
    }
    | {"last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
)
MONTHS: Final = (
    "January February March April May June July August September October November December".split()
)
WEEKDAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS: Final = [m[:3].lower() for m in MONTHS]
_DAYS: Final = [d[:3].lower() for d in WEEKDAYS]
_MONTH: Final = "|".join(MONTHS).lower()
_WEEKDAY: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH_HINTS: Final = f"{_MONTH.replace('|', ' ')} {' '.join(_MONTHS)} sept"
_DAY_HINTS: Final = f"{' '.join(WEEKDAYS).lower()} {' '.join(_DAYS)} tues weds thur thurs"
_DIGITS: Final = "0 1 2 3 4 5 6 7 8 9"
_M: Final = rf"(?P<mon>{'|'.join(f'{m[:3]}(?:{m[3:]})?' for m in _MONTH.split('|'))}|sept)\b\.?"
_D: Final = rf"(?P<d>\d{{1,2}}|{'|'.join(sorted((w for w in _NTH if w[0].isalpha() and w != 'last'), key=len, reverse=True))})"
_E: Final = _D.replace("<d>", "<e>")
_Y: Final = r"(?:(?:,? (?:of )?|,)(?P<y>(?:19|20)\d\d)\b|,? ['’](?P<yy>\d\d)\b)?"
_A_WEEKDAY: Final = r"(?P<d>monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|weds?|thu(?:rs?)?|fri|(?<=on )sat|(?<=last )sat|(?<=next )sat|(?<=on )sun|(?<=next )sun)\b"
_WHICH: Final = r"(?P<q>last|next|this coming|this past|this|previous|past|coming|upcoming)"
_N: Final = rf"(?P<n>\d{{1,9}}|{'|'.join(sorted(set(SMALL) - {'zero'}, key=len, reverse=True))})"
_U: Final = r"(?P<u>day|weekend|week|fortnight|month|quarter|year|decade)"
_SOME: Final = rf"(?:(?:an? |the )?(?:(?P<about>about |around |roughly |almost |nearly |over |more than ))?(?:a (?=few|couple))?{_N}(?: of)?)"
_RANGE: Final = r" ?(?:-|–|—|to|and|until|till|through|thru) ?(?:the )?"
_TH: Final = r"(?:st|nd|rd|th)?"
_NO_COUNT: Final = r"(?![\d:./-]?\d|,\d(?!\d{3})| ?(?:am|pm|%|people|persons|times|days|weeks|months|years|hours|minutes|of (?:us|them|my|the))\b)"
_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_DECADES: Final = "twenties thirties forties fifties sixties seventies eighties nineties".split()
_PARTS: Final = {
    "early morning": part(4, 9),
    "morning": part(5, 12),
    "afternoon": part(12, 18),
    "evening": part(17, 24),
    "night": part(18, 29),
    "midnight": part(22, 26),
} | dict.fromkeys(("noon", "midday", "lunchtime", "lunch"), part(11, 14))

# What makes a bare name a time: the words before it.
_AT_MONTH: Final = re.compile(
    r"\b(?:in|during|throughout|since|until|till|by|before|after|around|this|back in|of|for|from|mid|within)(?: the)?[ -]$"
)
_AT_NAME: Final = re.compile(
    r"\b(?:in|during|throughout|since|until|till|by|before|after|around|back in|mid)[ -]$"
)  # April, May, June and August are people as well
_AT_DAY: Final = re.compile(
    r"\b(?:on|by|until|till|for|from|since|before|after|around|with effect from)(?: the)? $|^\W*(?:and |or |what about |how about )?$"
)
_AT_YEAR: Final = re.compile(
    r"\b(?:in|during|throughout|all of|since|of|for|from|by|before|after|until|till|around|year|early|late|back in|mid)[ -]$"
)
_OF_HABIT: Final = re.compile(
    r"\b(?:an?|every|each|is|named|called|tgi|man|girl|casual|my|your|the) $"
)
_ANY_OF: Final = re.compile(r"\b(?:an?|every|each|any|most) $")
_CLAUSE_END: Final = re.compile(
    r"['’]?s?\s{0,9}(?:$|[?.!,;:)]|(?:and|or|to|at|then|again|with|morning|afternoon|evening|night)\b)"
)
_LAST: Final = re.compile(r"\blast $")


def read_number(word: str) -> int:
    """Read a number in figures or as a word; a few are three."""
    return int(word) if word.isdigit() else SMALL[word]


def _read_date(m: re.Match[str], said: Sentence) -> Time | None:
    """Read 3 May, the third of May 2024; 3 to 10 May."""
    first, last = (
        int(w) if w.isdigit() else _NTH[w] for w in (m["d"], m.groupdict().get("e") or m["d"])
    )
    again = days_of(number := _MONTHS.index(m["mon"][:3]) + 1, first, last)
    if again and (m["y"] or m["yy"]):
        year = int(m["y"]) if m["y"] else century(int(m["yy"]))
        return FixedTime(TimeUnit.DAY, add_days(date(year, number, first), last - first + 1))
    return said.chosen(again, "last") if again and preceded(m, _LAST) else again


def _read_month(m: re.Match[str], said: Sentence) -> Time | None:
    again = month(_MONTHS.index(m["mon"][:3]) + 1)
    if m["q"]:
        return said.chosen(again, m["q"])
    name = m["mon"] in {"april", "may", "june", "august", "jan", "mar", "dec", "sep"}
    return RecurringTime(
        TimeUnit.MONTH, "year", again.within, weak=not preceded(m, _AT_NAME if name else _AT_MONTH)
    )


def _read_weekday(m: re.Match[str], said: Sentence) -> Time | None:
    again = weekday(_DAYS.index(m["d"][:3]))
    if m["q"]:
        return said.chosen(again, m["q"])
    if preceded(m, _ANY_OF):
        return None
    strong = preceded(m, _AT_DAY) or (
        _CLAUSE_END.match(m.string, m.end()) and not preceded(m, _OF_HABIT)
    )
    return RecurringTime(TimeUnit.DAY, "week", again.within, "next", weak=not strong, strict=True)


def _read_ordinal(m: re.Match[str], _: Sentence) -> Time:
    """Read the 3rd: a day where it stands for itself, not a floor."""
    strong = preceded(m, _AT_DAY) and _CLAUSE_END.match(m.string, m.end()) is not None
    return RecurringTime(
        TimeUnit.DAY, "month", day_of_month(int(m["d"])).within, "next", weak=not strong
    )


def _read_season(m: re.Match[str], said: Sentence) -> Time | None:
    again = season(_SEASONS[m["s"]])
    if m["q"]:
        return said.chosen(again, m["q"])
    return RecurringTime(TimeUnit.SEASON, "year", again.within, "", weak=not preceded(m, _AT_MONTH))


def _named(name: str) -> RecurringTime:
    """Return what comes again under that name, in the singular or the plural."""
    if name.startswith(("chris", "easter")):
        return _CHRISTMAS if name.startswith("c") else _EASTER
    if name.rstrip("s") in _SEASONS:
        return season(_SEASONS[name.rstrip("s")])
    if name.startswith("weekend"):
        return WEEKEND
    return weekday(_DAYS.index(name[:3])) if "day" in name else month(_MONTHS.index(name[:3]) + 1)


def _read_third(m: re.Match[str], _: Sentence) -> OrdinalTime:
    which = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1}.get(m["w"], 2)
    return nth_third(which, edge=m["w"] in {"beginning", "start", "end"})


def _read_decade(m: re.Match[str], _: Sentence) -> Time:
    if m["w"]:
        first = {"twenties": 2020, "noughties": 2000}.get(m["w"]) or 1920 + 10 * _DECADES.index(
            m["w"]
        )
    else:
        first = int(m["y"]) if len(m["y"]) == 4 else century(int(m["y"]))
    return FixedTime(TimeUnit.DECADE, year_of(first, 10))


def _read_unit(m: re.Match[str], said: Sentence) -> Time:
    """Read last week, this year, the coming month."""
    q, u = m["q"], m["u"]
    if u == "weekend":
        return said.chosen(WEEKEND, q) or said.units(u, 0)
    if q in {"past", "this past"}:
        return said.stretch(u, 1, ahead=False)
    return replace(said.units(u, {"last": -1, "previous": -1, "this": 0}.get(q, 1)), at=None)


def _read_ago(m: re.Match[str], said: Sentence) -> Time:
    n, u = read_number(m["n"]), m["u"]
    if u.startswith(("sec", "min", "moment", "h")):
        return said.hours_ago(n if u[0] == "h" else 0)
    return said.between(u, 2, 5, -1) if m["n"] in {"few", "several"} else said.units(u, -n)


def _read_same_day(m: re.Match[str], said: Sentence) -> Time:
    """Read a year ago today, this day last year."""
    later = -read_number(m["n"]) if m["n"] else 1 if m["q"] == "next" else -1
    return said.same_day(m["u"], later)


def _read_hours_on(m: re.Match[str], said: Sentence) -> Time | None:
    """Read in two hours, in half an hour, in ten minutes."""
    n = read_number(m["n"]) if m["u"] else 0.5
    return said.hours_on(n / 60 if (m["u"] or "").startswith("m") else n)


def _read_half(m: re.Match[str], said: Sentence) -> Time:
    n, u = read_number(m["n"]) if m["n"] else 0, m["u"] or m["v"]
    return (
        said.hours_ago(n + 0.5) if u == "hour" else said.half(u, n, -1 if m["way"] == "ago" else 1)
    )


def _read_names_ago(m: re.Match[str], said: Sentence) -> Time | None:
    """Read two Fridays ago, three Christmases ago; the summer before last."""
    again, n = _named(m["name"]), read_number(m.groupdict().get("n") or "couple")
    first = said.qualified(again, "last")
    if first is None:
        return None
    if again.period == "week":
        return FixedTime(again.unit, (first[0] - 7 * (n - 1) * DAY, first[1] - 7 * (n - 1) * DAY))
    found = [s for s in again.around(said.now) if s <= first]
    return FixedTime(again.unit, found[-n]) if n <= len(found) else None


def _read_in_units(m: re.Match[str], said: Sentence) -> Time | None:
    """Read in three days; not "finished in three days", nor how often "in a week"."""
    vague = m["n"] in {"a", "an"} and not m.group().endswith(("time", "now", "today"))
    if said.ahead is False or (vague and not said.ahead):
        return None
    n = read_number(m["n"])
    return (
        said.between(m["u"], 1, n + 1, 1)
        if m["n"] in {"few", "several", "couple"}
        else said.units(m["u"], n)
    )


def _read_after_coming(m: re.Match[str], said: Sentence) -> Time:
    """Read a week on Friday, Tuesday fortnight."""
    name, length = (m["d"], m["a"]) if m["a"] else (m["e"], m["b"])
    found = weekday(_DAYS.index(name[:3])).next(said.now) or add_days(said.now)
    return FixedTime(
        TimeUnit.DAY, add_days(found[0] + 7 * (2 if length == "fortnight" else 1) * DAY)
    )


RULES: Final[tuple[Rule, ...]] = (
    # --- dates
    (_DIGITS, r"(?<![\d/.-])(?P<y>(?:19|20)\d\d)(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?!\d)", lambda m, _: FixedTime(TimeUnit.DAY, add_days(date(int(m["y"]), int(m["m"]), int(m["d"]))))),
    (_DIGITS, r"(?<![\d/.-])(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d/-])", lambda m, _: FixedTime(TimeUnit.MONTH, add_months(int(m["y"]), int(m["m"])))),
    (_DIGITS, r"(?:(?<=\bon )|(?<=\bsince )|(?<=\bby )|(?<=\bbefore )|(?<=\bafter )|(?<=\buntil ))(?P<a>\d{1,2})/(?P<b>\d{1,2})(?![\d/])(?P<y>)", read_slashed),
    (_DIGITS, r"(?<![\d/.])(?P<a>\d{1,2})(?P<s>[/.])(?P<b>\d{1,2})(?P=s)(?P<y>(?:19|20)\d\d)(?!\d)", read_slashed),
    (_MONTH_HINTS, rf"\b(?:the )?{_D}{_TH}(?: of)?(?: |-){_M}{_Y}", _read_date),
    (_MONTH_HINTS, rf"\b(?:the )?{_D}{_TH}{_RANGE}{_E}{_TH}(?: of)? {_M}{_Y}", _read_date),
    (_MONTH_HINTS, rf"\b{_M} (?:the )?{_D}{_TH}\b{_NO_COUNT}{_Y}", _read_date),
    (_MONTH_HINTS, rf"\b{_M} (?:the )?{_D}{_TH}{_RANGE}{_E}{_TH}\b{_NO_COUNT}{_Y}", _read_date),
    ("st nd rd th", r"\b(?:the )?(?P<d>\d{1,2})(?:st|nd|rd|th)\b", _read_ordinal),
    # --- months, seasons, quarters, years
    (_MONTH_HINTS, rf"\b(?:{_WHICH} )?{_M}", _read_month),
    ("spring summer autumn fall winter", rf"\b(?:{_WHICH} )?(?P<s>spring|summer|autumn|fall|winter)\b(?: holidays?\b| vacation\b| months\b| term\b)?(?! (?:rolls?|breaks?|onions?|coats?|dress|jobs?|schools?|camp|tyres?|tires?|asleep|apart|clean))", _read_season),
    (_DIGITS, r"\bq(?P<n>[1-4])\b", lambda m, _: quarter(int(m["n"]) if m["n"].isdigit() else _NTH[m["n"]], weak=not m["n"].isdigit())),
    ("quarter", r"\b(?P<n>first|second|third|fourth) quarter(?: of)?\b", lambda m, _: quarter(int(m["n"]) if m["n"].isdigit() else _NTH[m["n"]], weak=not m["n"].isdigit())),
    ("half", r"\b(?P<w>first|second|1st|2nd|latter) half of(?: the)?\b", lambda m, _: nth_half(int(m["w"] in {"second", "2nd", "latter"}))),
    (_DIGITS, r"\b(?P<w>h[12]) (?=(?:19|20)\d\d)", lambda m, _: nth_half(int(m["w"][1]) - 1)),
    ("early mid late", r"\b(?P<w>early|mid|late)(?:[ -](?:in )?(?:the )?(?=\w)|(?=-))-?", _read_third),
    ("beginning start middle end", r"\b(?:the )?(?P<w>beginning|start|middle|end) of(?: the)?\b", _read_third),
    ("month year week quarter decade", r"(?<=of the )(?P<u>month|year|week|quarter|decade)\b", lambda m, said: replace(said.units(m["u"], 0), weak=True)),
    ("first second third fourth last st nd rd th", rf"\b(?:the )?(?P<n>first|second|third|fourth|last|1st|2nd|3rd|4th) (?P<u>weekend|week|day|month|{_WEEKDAY}) (?:of|in)(?: the)?\b", lambda m, _: nth(_NTH[m["n"]], m["u"], _named(m["u"]) if m["u"] not in {"week", "day", "month"} else None)),
    (_DIGITS, r"(?:(?<![\d.,$€£¥#-])|(?<=mid-)|(?<=early-)|(?<=late-))(?P<y>(?:19|20)\d\d)(?:['’]s)?(?![\d.,-]\d|\d|[a-z%])", lambda m, _: FixedTime(TimeUnit.YEAR, year_of(int(m["y"])), weak=not preceded(m, _AT_YEAR))),
    (_DIGITS, r"\b(?:(?<=the )|(?<=early )|(?<=late )|(?<=mid ))['’]?(?P<y>(?:19|20)?\d0)['’]?s\b(?P<w>)", _read_decade),
    ("twenties thirties forties fifties sixties seventies eighties nineties noughties", r"\bthe (?:(?:early|late|mid)[ -])?(?P<w>twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties|noughties)\b(?P<y>)", _read_decade),
    # --- festivals and weekdays
    *named_festivals(_FESTIVALS, rf"\b(?:{_WHICH} )?(?:{{}})\b", {}),
    (_DAY_HINTS, rf"\b(?:{_WHICH} )?{_A_WEEKDAY}", _read_weekday),
    # --- so many units ago, from now, up to now
    ("ago", rf"\b{_SOME} (?P<u>seconds?|minutes?|moments?|hours?|day|weekend|week|fortnight|month|year|decade)s? ago\b", _read_ago),
    ("ago", rf"\b{_N} years? and {_N.replace('<n>', '<k>')} months? ago\b", lambda m, said: said.units("month", -12 * read_number(m["n"]) - read_number(m["k"]))),
    ("today ago", rf"\b{_N} (?P<u>week|month|year)s? ago (?:today|this day)\b(?P<q>)", _read_same_day),
    ("last next", r"\b(?:this|the same|that same) day (?P<q>last|next) (?P<u>week|month|year)\b(?P<n>)", _read_same_day),
    ("time", r"\b(?:this|the same) time (?P<q>last|next) (?P<u>week|month|year)\b", lambda m, said: said.same_time(m["u"], -1 if m["q"] == "last" else 1)),
    ("hours", r"\b(?:last|past) (?P<n>\d{1,3}) hours\b", lambda m, said: said.last_hours(int(m["n"]))),
    ("hour hours minutes", rf"\bin (?:half an hour|{_N} (?P<u>hours?|minutes))\b(?! (?:of|long))", _read_hours_on),
    ("recent", r"\b(?:in|over) recent (?P<u>day|week|month|year)s\b", lambda m, said: said.stretch(m["u"], 3, ahead=False)),
    ("next", rf"\b(?:the )?(?P<d>{_WEEKDAY}) after next\b", lambda m, said: FixedTime(TimeUnit.DAY, add_days(relative("week", 2, said.now)[0] + _DAYS.index(m["d"][:3]) * DAY))),
    ("half", rf"\b(?:{_SOME} (?P<u>hour|week|month|year)s? and a half|(?:(?P<k>\d+|two|three|four|five|six) and a )?half (?:of )?an? (?P<v>hour|week|month|year)) (?P<way>ago|from now)\b", _read_half),
    ("half", rf"\b{_N} and a half (?P<u>hour|week|month|year)s (?P<way>ago|from now)\b(?P<v>)", _read_half),
    ("ago", rf"\b{_SOME} (?P<name>{_WEEKDAY}s|springs|summers|autumns|falls|winters|christmases|easters|(?:{_MONTH})s) ago\b", _read_names_ago),
    ("last", rf"\b(?:the )?{_U} before last\b", lambda m, said: said.units("week" if m["u"] == "fortnight" else m["u"], -2)),
    ("last", rf"\b(?:the )?(?P<name>{_WEEKDAY}|spring|summer|autumn|fall|winter|christmas|easter|{_MONTH}) before last\b", _read_names_ago),
    ("next", rf"\b(?:the )?{_U} after next\b", lambda m, said: said.units(m["u"], 2)),
    ("from", rf"\b(?:in )?{_SOME} {_U}s? from (?:now|today)\b", _read_in_units),
    ("in", rf"\bin {_SOME} {_U}s?\b(?:['’]s?)?(?: time)?\b(?! (?:of|a row))", _read_in_units),
    ("next coming within", rf"\b(?:(?:the |these |over |during |in )*(?:next|coming)|within(?: the next)?) {_SOME} (?P<u>day|week|month|year)s?\b", lambda m, said: said.stretch(m["u"], read_number(m["n"]), ahead=True)),
    ("last past", rf"\b(?:the |these |over |in |during |within )*(?:last|past) {_SOME} (?P<u>day|week|month|year)s\b", lambda m, said: said.stretch(m["u"], read_number(m["n"]), ahead=False)),
    ("last past previous this next coming upcoming", rf"\b{_WHICH} {_U}\b(?<!day)(?:['’]s)?", _read_unit),
    ("weekend", r"\b(?:the|on the|at the|over the|at|for the) weekend\b(?! of )", lambda _m, _said: WEEKEND),
    # --- days
    ("today", r"\btoday\b(?:['’]s)?", lambda _, said: said.day(0)),
    ("tonight evening night", r"\b(?:tonight|this (?:evening|night))\b", lambda _, said: said.night()),
    ("this", r"\bthis (?P<p>morning|afternoon)\b", lambda m, said: said.part_of(0, _PARTS[m["p"]])),
    ("yesterday", r"\b(?P<b>(?:the )?day before )?yesterday\b(?:['’]s)?", lambda m, said: said.day(-2 if m["b"] else -1)),
    ("last", r"\b(?:late |early )?last night\b|\b(?:night|evening) before last\b", lambda m, said: said.night(-2 if m.group().startswith(("night", "evening")) else -1)),
    ("tomorrow tmrw tmr", r"\b(?P<b>(?:the )?day after )?(?:tomorrow|tmrw?)\b(?:['’]s)?", lambda m, said: said.day(2 if m["b"] else 1)),
    ("other", r"\bthe other (?P<u>day|night|evening|week)\b", lambda m, said: replace(said.stretch("day", 14 if m["u"] == "week" else 7, ahead=False), unit=TimeUnit.WEEK)),
    ("just moment", r"\bjust now\b|\ba moment ago\b", lambda _, said: said.hours_ago(0)),
    ("now", r"(?<=to )now\b|(?<=until )now\b|(?<=till )now\b", lambda _, said: said.last_hours(0)),
    ("coming upcoming", r"\b(?:coming up|upcoming)\b", lambda _, said: said.stretch("week", 2, ahead=True)),
    ("week fortnight", rf"\b(?:an? (?P<a>week|fortnight) on {_A_WEEKDAY}|{_A_WEEKDAY.replace('<d>', '<e>')} (?P<b>week|fortnight))\b(?! (?:ago|before|after))", _read_after_coming),
    ("morning noon midday lunchtime lunch afternoon evening night midnight", r"\b(?:late |early )?(?P<p>morning|noon|midday|lunchtime|lunch|afternoon|evening|night|midnight)\b", lambda m, _: _PARTS[m["p"]]),
)  # fmt: skip

# What only looks like a time, and what comes again and again.
NO_TIME: Final = (
    r"\bone day\b|\bevery (?:year|month|week) (?:on|in|at) [^,.?!]{1,25}|\bthese days\b|\btgi ?fridays?\b|\b(?:from|starting|as of|beginning) today\b|\btoday onwards?\b"
    rf"|\b(?:every|each|any|most)(?: other| single| second)? (?:\w+day|weekend|morning|night|evening|week|month|year|spring|summer|autumn|winter|christmas|easter|thanksgiving|halloween|{_MONTH})\b"
)
NEST: Final = r"\b(?:of|in|on|the|at|during|that|back)\b"  # between the words of one time
RANGE: Final = r"\b(?:up )?(?:to|until|till|through|thru)\b"
JOIN: Final = r"\b(?:and|or)\b"
BESIDE: Final = r" (?:(?P<before>before)|(?P<after>after))(?: the)? "
BETWEEN: Final = r"\bbetween (?:the )?$"
_THE: Final = r"(?: the)?(?: end of)? $"
BEFORE: Final = (  # what stands before a time and moves its ends
    (r"\b(?:(?P<n>the|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) )(?P<u>day|night|week|month|year)s? (?P<way>before|after|following)(?: the)? $", "offset"),
    (rf"\bsince{_THE}", "since"),
    (rf"\b(?:by|until|till|up to|no later than|up until){_THE}", "until"),
    (r"\b(?:before|prior to|ahead of|leading up to|run-up to)(?: the)? $", "before"),
    (r"\b(?:after|following)(?: the)? $", "after"),
    (r"\b(?:around|near|close to|circa)(?: the)? $", "about"),
    (r"\b(?:(?P<later>later)|earlier)(?: on)?(?: in)?(?: the)? $", "part"),
    (r"\bweek(?P<weekend>end)? (?:of|commencing|beginning|starting)(?: on)?(?: the)? $", "week"),
)  # fmt: skip
AFTER: Final = (
    (r" (?:onwards?\b|on(?=\s*(?:$|[?.!,;])))", "since"),
    (r" week(?P<weekend>end)?\b(?! (?:ago|before|after))", "week of a day"),
)  # fmt: skip


def read_offset(m: re.Match[str]) -> tuple[int, str, int]:
    """Read the day before, two weeks after: a sign, a unit, how many."""
    return -1 if m["way"] == "before" else 1, m["u"], 1 if m["n"] == "the" else read_number(m["n"])


# What a sentence is about: what is planned, what is over, what may be either, what is always so.
TO_COME: Final = r"\b(?:will|shall|going to|gonna|plan\w*|scheduled|booked|upcoming|coming(?! (?:home|back|from)\b)|due|deadlines?)\b|'ll\b"
OVER: Final = (
    r"\b(?:did|was|were|had|has been|have been|went|happened|told|said|met|saw|ate|bought|came|(?<!have i )(?<!have we )got|made|took|gave|found|left"
    r"|ago|last|since|(?!need|indeed|speed|breed|exceed|succeed)\w{3,}ed)\b"
)
PERHAPS: Final = (
    r"\b(?:must|should|supposed|until|need to|have to|(?:do|does) (?:i|we|\w+) have|have (?:i|we) got|am i|are we|free|busy"
    r"|appointments?|agenda|tonight|tomorrow|wants? to|would like to|hop(?:e|ing) to|when\b.{0,20}\b(?:is|are))\b|(?:\b(?:is|are|am)|['’](?:s|re|m))(?: \w+)? \w+ing\b"
)
HABIT: Final = r"\b(?:usually|normally|generally|typically|tend to|as a rule)\b"

NOON: Final = r"\b(?:noon|midday)\b"
CLOCK: Final = (
    r"(?:\b(?:at|around|about|by|from|@) )?(?:\b(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))? ?(?P<half>[ap])\.?m\b\.?|\b(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)\b"
    rf"|\b(?P<oclock>\d{{1,2}}|{'|'.join([*NUMBERS][1:13])}) o'?clock\b|\b(?P<noon>noon|midday)\b)|\bat (?P<bare>\d{{1,2}})\b(?![\d:.%])"
)


def read_clock(m: re.Match[str]) -> tuple[int, int, str]:
    """Read an hour, minutes, and am, pm, 24 or nothing."""
    if m["noon"]:
        return 12, 0, "pm"
    if m["h24"]:
        return int(m["h24"]), int(m["m24"]), "24"
    return (
        read_number(m["h"] or m["oclock"] or m["bare"]),
        int(m["m"] or 0),
        f"{m['half']}m" if m["half"] else "",
    )


def write_date(at: datetime, grain: str) -> str:
    """Write a date in full, with its preposition; `find_dates` reads it back."""
    day = f"{at.day} {MONTHS[at.month - 1]} {at.year}"
    return {
        "minute": f"on {WEEKDAYS[at.weekday()]}, {day} at {at:%H:%M}",
        "day": f"on {WEEKDAYS[at.weekday()]}, {day}",
        "week": f"in the week of {day}",
        "weekend": f"on the weekend of {day}",
        "month": f"in {MONTHS[at.month - 1]} {at.year}",
    }.get(grain, f"in {at.year}")
